"""Models on one measure, from evidence of them: values, every pair by the test that fits, and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np

from surefold.comparison.differences import has_differences, score_pairs_of
from surefold.comparison.family import Family
from surefold.comparison.judging import PairResult, checked_margin, judged, pair_result
from surefold.comparison.pair_moments import PairMoments, adds_a_row
from surefold.comparison.paired_draws import drawn_results, swapped
from surefold.comparison.paired_labels import label_pairs
from surefold.comparison.result import Comparison
from surefold.comparison.winner import winner_of
from surefold.errors import InputError, UnknownNameError, refuse_unknown, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_scores import ScoreEstimates, design_all, refuse_two_classes
from surefold.estimates.of_table import measure_table, positive_index
from surefold.estimates.quantiles import checked_confidence, checked_draws, checked_seed
from surefold.evidence.evidence import Evidence, Tabled
from surefold.evidence.held import Held
from surefold.findings import Finding
from surefold.inputs.kinds import Label
from surefold.measures import catalogue
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.significance.bounds import Bounds, OpenBounds
from surefold.significance.multiplicity import checked_adjustment
from surefold.significance.paired_cases import FEW_APART, mid_p
from surefold.tallies.label_cells import LabelCells

__all__ = ["METHODS", "Method", "Models", "Question", "compared", "pair_results"]

Pair = tuple[int, int]
Method = Literal["auto", "one_row", "delta", "delong", "swap", "bootstrap"]
METHODS = ("auto", "one_row", "delta", "delong", "swap", "bootstrap")
#: Methods that draw rows, which have to be held.
DRAWN = ("swap", "bootstrap")
#: What the door says of labels made from scores, where scores are compared.
OF_LABELS = ("labels_from_scores", "no_labels")


@dataclass(frozen=True)
class Question:
    """What is asked of models, and how; checked when made."""

    control: str | None = None
    margin: float | None = None
    confidence: float = 0.95
    method: Method = "auto"
    adjust: str = "holm"
    draws: int = 2_000
    random_state: int | np.random.Generator | None = None

    def __post_init__(self) -> None:
        checked_draws(self.draws, least=1)
        checked_seed(self.random_state)
        object.__setattr__(self, "confidence", checked_confidence(self.confidence))
        object.__setattr__(self, "margin", checked_margin(self.margin))
        refuse_unknown("method", self.method, METHODS)
        checked_adjustment(self.adjust)


@dataclass(frozen=True, eq=False)
class Models:
    """Evidence of several models, and what all measures of them share.

    `measures` are those that will be asked for: where asking costs a pass over the rows, one answers for all.
    `pos_label` is the positive class that was said where the evidence was made before.
    """

    e: Evidence
    measures: Sequence[Measure] = ()
    pos_label: Label | None = None
    _moments: dict[tuple[str, bool], PairMoments | None] = field(default_factory=dict, repr=False)
    _tables: dict[str, Tabled] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The models in order."""
        return self.e.names

    @cached_property
    def scores(self) -> dict[str, ScoreEstimates]:
        """Each model's scores."""
        each = {name: ScoreEstimates.of_evidence(self.e, 0.95, name) for name in self.names}
        found = {name: one for name, one in each.items() if one is not None}
        if self.e.costs_a_pass and self.e.factors:
            counted = [one for one in found.values() if one.tally is not None]
            design_all([(one, list(one.available().values())) for one in counted], self.e)
        return found

    def table(self, name: str) -> Tabled:
        """A model's table, counted once."""
        if name not in self._tables:
            self._tables[name] = self.e.table(name)
        return self._tables[name]

    def positive(self, chosen: Measure) -> int:
        """The class that a measure of one class is about."""
        if self.e.positive is not None and self.pos_label is None:
            return self.e.positive
        return positive_index(self.table(self.names[0]).confusion, self.pos_label, chosen.name)

    def cells(self, chosen: Measure) -> LabelCells:
        """The truth and every model's call; of a measure of one class, that class against the rest."""
        cells = self.e.cells()
        return cells.one_against_rest(self.positive(chosen)) if chosen.is_per_class else cells

    def value(self, asked: str, chosen: Measure, name: str, confidence: float, options: Mapping[str, Any],
              **drawn: Any) -> Estimate:  # fmt: skip
        """One model's value with its own interval."""
        if isinstance(chosen, ScoreMeasure):
            return replace(self.scores[name], confidence=confidence).measure(asked, options=options, **drawn)
        known = self.table(name)
        said = self.e.labels[self.positive(chosen)] if chosen.is_per_class else None
        return measure_table(
            known.confusion, asked, pos_label=said, confidence=confidence, options=dict(options),
            clusters=known.clusters, removed=known.removed, **drawn,
        )  # fmt: skip

    def moments(self, chosen: Measure, added: bool) -> PairMoments | None:
        """Of every pair; None where the measure has to be drawn."""
        if not isinstance(chosen, ScoreMeasure):
            return label_pairs(chosen, self.cells(chosen), added=added)
        key = (_told(chosen), added)
        if key not in self._moments:
            together = [m for m in self.measures if isinstance(m, ScoreMeasure)] if self.e.costs_a_pass else []
            asked = list({_told(m): m for m in (chosen, *together)}.values())
            for m, found in zip(asked, score_pairs_of(asked, self.e, added=added), strict=True):
                self._moments[_told(m), added] = None if found is None else self._open(m, found)
        return self._moments[key]

    def _open(self, chosen: ScoreMeasure, found: PairMoments) -> PairMoments:
        """Where scores were cut to their leading bits, differences lie between two ends."""
        if not any(one.quantised for one in self.scores.values()):
            return found
        ends = [one.bounds(chosen.name) for one in self.scores.values()]

        def spanning(i: int, j: int) -> Bounds:
            first, second, inner = ends[i], ends[j], found.bounds(i, j)
            if first is None or second is None:
                return inner
            return OpenBounds(inner, (first[0] - second[1], first[1] - second[0]))

        return replace(found, rule=spanning)

    def findings(self, chosen: Measure) -> tuple[Finding, ...]:
        """What was noticed about the rows, as far as it bears on this measure."""
        if not isinstance(chosen, ScoreMeasure):
            return self.e.findings
        one_column = {name: one.tally for name, one in self.scores.items() if one.matrix is None}
        few = [name for name, t in one_column.items() if t is not None and len(t.score) <= 2]
        found = []
        if few and len(few) < len(self.names):
            text = f"{', '.join(map(show, few[:5]))} gave two values only, as labels do, and others gave scores."
            found.append(Finding.of("two_valued_scores", text, models=few))
        found += [f for f in self.e.findings if f.code not in OF_LABELS]
        told = {name: one.finding() for name, one in self.scores.items()}
        return (*found, *(replace(f, sentence=f"Model {show(name)}: {f.sentence}") for name, f in told.items() if f))


def _told(measure: Measure) -> str:
    """What tells one measure from another."""
    return f"{measure.name} {measure.settings}"


def fitted(chosen: Measure, e: Evidence, margin: float | None, options: Mapping[str, Any]) -> Measure:
    """The measure as these models can have it, or why not."""
    if chosen.needs_options:
        raise chosen.lacking
    if isinstance(chosen, ScoreMeasure):
        if not e.has_scores:
            without = next(name for name in e.names if e.scores(name) is None and e.matrix(name) is None)
            raise InputError("bad_option", f"{chosen.name} needs scores, and model {without!r} has none",
                             cure="give scores, or compare by a measure of labels")  # fmt: skip
        if e.positive is None and e.matrix(e.names[0]) is not None:
            chosen = catalogue.with_options(catalogue.twin(chosen.name), options)
        elif chosen.reads == "matrix" and len(e.labels) == 2:
            refuse_two_classes(chosen)
    elif not e.has_labels:
        raise InputError("bad_option", f"{chosen.name} needs labels", cure="give labels, or threshold= for scores")
    span = chosen.range[1] - chosen.range[0]
    if margin is not None and margin >= span:
        cure = f"give a margin below {span:g}, the most that two models can differ by"
        raise InputError("bad_option", f"margin={margin:g} for {chosen.name}", cure=cure)
    if chosen.better == "neither":
        cure = "compare by a measure of which more or less is better"
        raise InputError("bad_option", f"of {chosen.name} neither more nor less is better", cure=cure)
    return chosen


def compared(models: Models, asked: str, chosen: Measure, q: Question, options: Mapping[str, Any]) -> Comparison:
    """Every pair, or each model against a control."""
    names = models.names
    pairs = list(combinations(range(len(names)), 2))
    if q.control is not None:
        pairs = [(i, names.index(q.control)) for i in range(len(names)) if names[i] != q.control]

    def at(name: str, level: float) -> Estimate:
        return models.value(asked, chosen, name, level, options, random_state=q.random_state)

    values = {name: at(name, q.confidence) for name in names}
    results = pair_results(chosen, models, pairs, values, q)
    e, lower = models.e, chosen.better == "lower"
    differences = judged(chosen, results, Family(q.confidence, q.adjust, q.margin), e.n)
    held = e if isinstance(e, Held) else None
    return Comparison(
        chosen.name, values, differences, chosen.better, q.control, q.margin, q.confidence,
        winner_of(values, lower, q.confidence, at), q.adjust, models.findings(chosen), held,
        None if held is not None else e.n, len(e.factors) < 2,
    )  # fmt: skip


def pair_results(
    chosen: Measure,
    models: Models,
    pairs: Sequence[Pair],
    values: Mapping[str, Estimate],
    q: Question,
    few: float = FEW_APART,
) -> list[PairResult]:
    """Every pair of models by the test that fits: what `compare` and `gate` make their verdicts from.

    Labels of models that differ in fewer than `few` rows are bounded by score.
    """
    e, method = models.e, q.method
    added = adds_a_row(method, chosen)
    if not isinstance(e, Held) and method in DRAWN:
        raise UnknownNameError("method for rows that are not held", method, [m for m in METHODS if m not in DRAWN])
    moments = models.moments(chosen, added)
    if moments is None or method == "bootstrap":
        if not isinstance(e, Held):
            able = [name for name, m in catalogue.of_scores.items() if m.reads != "matrix" and has_differences(m)]
            cure = f"compare by one of {', '.join(able)}, by a measure of labels, or from arrays"
            raise InputError("bad_option", f"{chosen.name} cannot be compared over parts of the rows", cure=cure)
        if method in ("one_row", "delta"):
            known = ", ".join(sorted(name for name, m in catalogue.of_scores.items() if has_differences(m)))
            cure = f"use method='bootstrap' or 'swap'; of scores {known} have one"
            raise InputError("bad_option", f"{chosen.name} has no influence values", cure=cure)
        rows, facts = _drawn_from(e, chosen, models), (q.confidence, q.draws, q.random_state)
        return drawn_results(chosen, rows, pairs, values, *facts, swap=method == "swap")
    cells = None if isinstance(chosen, ScoreMeasure) else models.cells(chosen)

    def result(pair: Pair) -> PairResult:
        by_score = cells is not None and method != "swap" and bool(cells.apart[pair] < few)
        return pair_result(chosen.name, moments, models.names, pair, q.confidence, by_score=by_score)

    results = [result(pair) for pair in pairs]
    if not added:
        return [r.tested(flags=(*r.test.flags, "known_to_mislead")) for r in results]
    if method == "swap" and isinstance(e, Held):
        rng, rows = np.random.default_rng(q.random_state), _drawn_from(e, chosen, models)
        return [swapped(chosen, rows, r, q.draws, rng) for r in results]
    plain = cells is not None and not cells.weighted and cells.grouped is None
    if cells is not None and plain and method == "auto" and chosen.name in ("accuracy", "error_rate"):
        both = cells.right
        only_first = np.array([both[i, i] - both[i, j] for i, j in pairs])
        only_second = np.array([both[j, j] - both[i, j] for i, j in pairs])
        p_values = mid_p(only_first, only_second).tolist()  # of all pairs at once
        return [r.tested(name="McNemar mid-p", p_value=p) for r, p in zip(results, p_values, strict=True)]
    return results


def _drawn_from(e: Held, chosen: Measure, models: Models) -> Held:
    return e.one_against_rest(models.positive(chosen)) if chosen.is_per_class else e
