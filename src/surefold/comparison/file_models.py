"""Several models' merged tallies, and every pair of them compared as `compare` does from rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.assessment.from_parts import Counted
from surefold.comparison.compare import ADJUSTMENTS, by_moments
from surefold.comparison.differences import has_differences, score_pairs
from surefold.comparison.judging import PairResult, judged
from surefold.comparison.models import two_valued_findings
from surefold.comparison.pair_moments import PairMoments, adds_a_row
from surefold.comparison.paired_labels import label_pairs
from surefold.comparison.result import Comparison
from surefold.comparison.winner import winner_of
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_table import measure_table, positive_index
from surefold.estimates.of_tallies import TalliedScores, table_at
from surefold.findings import Finding
from surefold.inputs.labels import Label
from surefold.inputs.parts import Roles
from surefold.measures import catalogue
from surefold.measures.calibration import effective_scale
from surefold.measures.measure import Measure
from surefold.measures.score_measure import Moved, ScoreMeasure
from surefold.significance.bounds import Bounds, OpenBounds
from surefold.significance.paired_cases import FEW_APART
from surefold.tallies.label_cells import LabelCells
from surefold.tallies.moves import Family, Moves, MovesJob, Places
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["METHODS", "FileModels", "TwoPasses"]

METHODS = ("auto", "one_row", "delta", "delong")
Pair = tuple[int, int]


@dataclass(frozen=True, eq=False)
class TwoPasses:
    """Each model's merged tally, and how to go over the rows again."""

    names: tuple[str, ...]
    models: tuple[TalliedScores, ...]
    roles: Roles
    positive: frozenset[Label]
    reduce: Callable[[MovesJob], Moves]

    def tallies(self) -> Iterator[ScoreGroups]:
        return (self._tally(m) for m in range(len(self.models)))

    def matrices(self) -> Iterator[ScoreMatrix]:
        raise AssertionError("one column of scores a class is not counted in parts")

    def _tally(self, model: int) -> ScoreGroups:
        t = self.models[model].tally
        if t is None:
            raise AssertionError("two passes need a positive class")
        if not t.is_weighted:
            return t
        scale = effective_scale(t)
        first, second = (s * scale**2 for s in t.squares)
        return ScoreGroups(t.score, t.positive * scale, t.negative * scale, first, second, t.quantised, t.clip)

    def lookup(self, model: int, moved: Moved) -> NDArray[np.float64]:
        """A table of class and group of scores."""
        known = self.models[model]
        if known.tally is None or known.counts is None:
            raise AssertionError("two passes need counts")
        return table_at(moved, known.tally, known.counts)

    def moves(self, families: Sequence[Family], classes: int) -> Moves:
        """The second pass."""
        places, t = [], self.models[0].tally
        for m in self.models:
            if m.counts is None:
                raise AssertionError("two passes need counts")
            places.append(Places(m.counts.bits, m.counts.level))
        scale = 1.0 if t is None else effective_scale(t)
        return self.reduce(MovesJob(self.roles, tuple(places), tuple(families), self.positive, scale))


@dataclass(frozen=True, eq=False)
class FileModels:
    """Several models' merged tallies: of their labels together, or of the scores of each."""

    names: tuple[str, ...]
    n: int
    counted: tuple[Counted, ...]
    cells: LabelCells | None
    passes: TwoPasses | None
    pos_label: Label | None
    findings: tuple[Finding, ...]

    def compared(
        self,
        asked: str,
        control: str | None = None,
        margin: float | None = None,
        *,
        confidence: float = 0.95,
        adjust: str = "holm",
        method: str = "auto",
        options: Mapping[str, Any] | None = None,
    ) -> Comparison:
        """Every pair, or each model against a control."""
        names, options = self.names, options or {}
        if control is not None and control not in names:
            raise UnknownNameError("model", control, names)
        chosen = catalogue.with_options(asked, options)
        _check(chosen, margin)
        pairs = list(combinations(range(len(names)), 2))
        if control is not None:
            pairs = [(i, names.index(control)) for i in range(len(names)) if names[i] != control]
        at = self._values(chosen, asked, options)
        values = {name: at(name, confidence) for name in names}
        lower = chosen.better == "lower"
        differences = judged(
            chosen, self.results(chosen, pairs, confidence, method), margin=margin, confidence=confidence, rows=self.n,
            adjust=ADJUSTMENTS[adjust],
        )  # fmt: skip
        return Comparison(
            chosen.name, values, differences, better=chosen.better, control=control, margin=margin,
            confidence=confidence, winner=winner_of(values, lower, confidence, at), adjust=adjust,
            findings=self._findings(chosen), counted=self.n,
        )  # fmt: skip

    def _findings(self, chosen: Measure) -> tuple[Finding, ...]:
        """Without what the door says of labels made from scores, where scores are compared."""
        if self.passes is None or not isinstance(chosen, ScoreMeasure):
            return self.findings
        tallies = [m.tally for m in self.passes.models]
        few = [name for name, t in zip(self.names, tallies, strict=True) if t is not None and len(t.score) <= 2]
        told = (f for f in self.findings if f.code not in ("labels_from_scores", "no_labels"))
        return (*two_valued_findings(few, len(self.names)), *told)

    def results(
        self, chosen: Measure, pairs: list[Pair], confidence: float, method: str, *, few: float = FEW_APART
    ) -> list[PairResult]:
        """Every pair by the test that fits; see `pair_results`, which has the rows."""
        added, cells = adds_a_row(method, chosen), None
        if isinstance(chosen, ScoreMeasure):
            moments = self._score_moments(chosen, added)
        else:
            cells = self._against(chosen)
            moments = label_pairs(chosen, cells, added=added)
        return by_moments(chosen.name, moments, self.names, pairs, confidence, method, cells, few)

    def _score_moments(self, chosen: ScoreMeasure, added: bool) -> PairMoments:
        if self.passes is None:
            raise AssertionError("scores were counted")
        moments = None if chosen.reads == "matrix" else score_pairs(chosen, self.passes, added=added)
        if moments is None:
            able = [name for name, m in catalogue.of_scores.items() if m.reads != "matrix" and has_differences(m)]
            cure = f"compare by one of {', '.join(able)}, by a measure of labels, or from arrays"
            raise InputError("bad_option", f"{chosen.name} cannot be compared over parts of the rows", cure=cure)
        if not any(m.quantised for m in self.passes.models):
            return moments
        known, left = moments, [m.bounds(chosen.name) for m in self.passes.models]

        def open_bounds(i: int, j: int) -> Bounds:
            first, second, bounds = left[i], left[j], known.bounds(i, j)
            if first is None or second is None:
                return bounds
            return OpenBounds(bounds, (first[0] - second[1], first[1] - second[0]))

        return replace(moments, rule=open_bounds)

    def _against(self, chosen: Measure) -> LabelCells:
        if self.cells is None:
            raise AssertionError("differences of labels need labels")
        return self.cells.one_against_rest(self._positive(chosen)) if chosen.is_per_class else self.cells

    def _positive(self, chosen: Measure) -> int:
        first = self.counted[0].door
        if first.positive is not None:
            return first.positive
        if self.cells is None:
            raise AssertionError("labels were counted")
        return positive_index(self.cells.tables[0], self.pos_label, chosen.name)

    def _values(self, chosen: Measure, asked: str, options: Mapping[str, Any]) -> Callable[[str, float], Estimate]:
        """Each model's value at any confidence."""

        def of_scores(name: str, level: float) -> Estimate:
            if self.passes is None:
                raise AssertionError("scores were counted")
            model = replace(self.passes.models[self.names.index(name)], confidence=level)
            return model.measure(asked, options=options)

        def of_labels(name: str, level: float) -> Estimate:
            m, cells = self.names.index(name), self.cells
            if cells is None:
                raise AssertionError("labels were counted")
            said = cells.labels[self._positive(chosen)] if chosen.is_per_class else None
            return measure_table(cells.tables[m], asked, pos_label=said, confidence=level, options=dict(options),
                                 clusters=cells.clusters(m))  # fmt: skip

        return of_scores if isinstance(chosen, ScoreMeasure) else of_labels


def _check(chosen: Measure, margin: float | None) -> None:
    if chosen.needs_options:
        missing = [option for option, value in chosen.settings.items() if value is None]
        raise InputError("bad_option", f"{chosen.name} needs {', '.join(missing)}=", cure=f"give {missing[0]}=")
    if chosen.better == "neither":
        cure = "compare by a measure of which more or less is better"
        raise InputError("bad_option", f"of {chosen.name} neither more nor less is better", cure=cure)
    span = chosen.range[1] - chosen.range[0]
    if margin is not None and margin >= span:
        cure = f"give a margin below {span:g}, the most that two models can differ by"
        raise InputError("bad_option", f"margin={margin:g} for {chosen.name}", cure=cure)
