"""From scores to estimates: each measure of scores with the interval that fits it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, UnknownNameError
from surefold.estimates.auc import AUC_METHODS, auc_estimate, gini_estimate, missing_class, on_line
from surefold.estimates.average_precision import AP_METHODS, average_precision_estimate
from surefold.estimates.calibration import (
    calibration_intercept_estimate,
    calibration_slope_estimate,
    ece_estimate,
    hosmer_lemeshow_estimate,
    spiegelhalter_estimate,
)
from surefold.estimates.estimate import Estimate
from surefold.estimates.grouping import NOT_GROUPED, Design, row_design, score_design
from surefold.estimates.ks import ks_estimate
from surefold.estimates.losses import LOSS_METHODS, brier_skill_estimate, mean_estimate
from surefold.estimates.multiclass_auc import matrix_estimate
from surefold.estimates.score_draws import score_replicates
from surefold.inputs.predictions import Predictions
from surefold.inputs.scores import likely_scale
from surefold.measures.catalogue import catalogue, of_all_classes
from surefold.measures.ranking import roc_auc
from surefold.measures.score_measure import IntervalKind, ScoreMeasure
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["INTERVALS", "ScoreEstimates", "Scored", "refuse_two_classes"]

Array = NDArray[np.float64]

#: Draws, and groups of scores, for the measures that have no interval but by drawing.
DRAWS, COARSE = 200, 300


@dataclass(frozen=True, eq=False)
class Scored:
    """One measure of one tally, and all that its interval may be made from."""

    measure: ScoreMeasure
    tally: Any  # a ScoreGroups or a ScoreMatrix, whichever the measure reads
    confidence: float
    design: Design = NOT_GROUPED
    method: str = "auto"
    draws: int = 10_000
    random_state: int | np.random.Generator | None = None

    def estimate(self) -> Estimate:
        """The measure with the interval that fits it."""
        known = replace(self, measure=self.measure.source_measure)
        return on_line(INTERVALS[self.measure.interval][0](known), self.measure.name, self.measure.line)

    @property
    def level(self) -> dict[str, Any]:
        return {"confidence": self.confidence}

    @property
    def grouped(self) -> dict[str, Any]:
        return self.level | {
            "design_effect": float(self.design.effect[0, 0]),
            "group_factor": self.design.factor(self.confidence),
        }

    @property
    def drawn(self) -> dict[str, Any]:
        return self.grouped | {"method": self.method, "draws": self.draws, "random_state": self.random_state}


def _ordered(estimate: Callable[..., Estimate]) -> Callable[[Scored], Estimate]:
    """Of one column of scores, or the mean over the classes of many."""
    return lambda s: (
        matrix_estimate(s.measure, s.tally, **s.level) if s.measure.average else estimate(s.tally, **s.drawn)
    )


#: How each kind of interval is made, and the methods that it has by name.
INTERVALS: dict[IntervalKind, tuple[Callable[[Scored], Estimate], tuple[str, ...]]] = {
    "area": (_ordered(auc_estimate), AUC_METHODS),
    "precision": (_ordered(average_precision_estimate), AP_METHODS),
    "smirnov": (lambda s: ks_estimate(s.tally, **s.grouped), ("auto",)),
    "share": (lambda s: matrix_estimate(s.measure, s.tally, **s.level), ("auto", "one_row")),
    "bounded": (lambda s: mean_estimate(s.measure, s.tally, **s.grouped, method=s.method), LOSS_METHODS),
    "log": (lambda s: mean_estimate(s.measure, s.tally, **s.grouped, method=s.method), LOSS_METHODS),
    "skill": (lambda s: brier_skill_estimate(s.tally, **s.grouped), ("auto",)),
    "bins": (lambda s: ece_estimate(s.tally, **s.grouped, **s.measure.settings), ("auto",)),
    "profile": (lambda s: calibration_slope_estimate(s.tally, **s.grouped), ("auto",)),
    "shift": (lambda s: calibration_intercept_estimate(s.tally, **s.grouped, **s.measure.settings), ("auto",)),
    "chi2": (lambda s: hosmer_lemeshow_estimate(s.tally, **s.level, **s.measure.settings), ("auto",)),
    "z": (lambda s: spiegelhalter_estimate(s.tally, **s.level), ("auto",)),
    "drawn": (lambda s: drawn_estimate(s), ("auto", "percentile")),
}
#: Statistics that grow with the rows, and what is drawn: groups of rows make the tally worth less.
_WORTH_LESS = ("chi2", "z", "drawn")


@dataclass(frozen=True, eq=False)
class ScoreEstimates:
    """Every measure of one set of scores on demand.

    `tally` counts the positive class against the rest; `matrix` is there for one column a class. `rows` are kept only
    where rows come in groups, whose sums no tally holds. `two_classes`: the rest are one class, and not several.
    """

    tally: ScoreGroups | None
    matrix: ScoreMatrix | None
    confidence: float = 0.95
    rows: Predictions | None = field(default=None, repr=False)
    two_classes: bool = False

    @classmethod
    def of(cls, p: Predictions, confidence: float) -> ScoreEstimates | None:
        p = p.weighing
        if p.scores is None:
            return None
        matrix = ScoreMatrix.of(p) if p.scores.ndim == 2 else None
        tally = None if p.positive is None else ScoreGroups.of_predictions(p)
        return cls(tally, matrix, confidence, None if p.groups is None else p, len(p.labels) == 2)

    @property
    def grouped(self) -> bool:
        """Whether rows come in groups."""
        return self.rows is not None

    @property
    def are_probabilities(self) -> bool:
        """Whether every score lies from 0 to 1."""
        scores = self.matrix.scores if self.matrix is not None else None if self.tally is None else self.tally.score
        return scores is not None and scores.size > 0 and bool(scores.min() >= 0 and scores.max() <= 1)

    def available(self, asked: Iterable[str] = ()) -> dict[str, ScoreMeasure]:
        """The measures that these scores can have; those of many classes for two only if `asked` for."""
        reads = set()
        if self.tally is not None:
            reads |= {"ranking"} | ({"probabilities"} if self.are_probabilities else set())
        if self.matrix is not None:
            reads |= {"matrix"}
        found = {name: m for name, m in catalogue.of_scores.items() if m.reads in reads}
        if self.matrix is None:
            known = catalogue.of_scores if self.two_classes else {}
            also = {name: known[name] for name in asked if name in known}
            return found | {name: m for name, m in also.items() if m.of_two is not None and m.of_two.of.name in found}
        k = self.matrix.classes
        return {
            name: m
            for name, m in found.items()
            if (self.are_probabilities or not m.needs_probabilities)
            and (m.interval != "share" or m.settings["k"] < k)  # the two likeliest of two are always right
        }

    def measure(
        self,
        name: str,
        *,
        method: str = "auto",
        draws: int = 10_000,
        random_state: int | np.random.Generator | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> Estimate:
        """One measure with its interval."""
        asked = catalogue.twin(name) if self.matrix is not None and self.tally is None else name
        chosen = catalogue.with_options(asked, options or {})
        if not isinstance(chosen, ScoreMeasure):
            raise AssertionError(f"{name} is a measure of labels")
        if self.matrix is None and self.two_classes and chosen.of_two is not None:
            facts: dict[str, Any] = {"method": method, "draws": draws, "random_state": random_state}
            rest = {key: value for key, value in (options or {}).items() if key in chosen.of_two.of.options}
            return on_line(self.measure(chosen.of_two.of.name, **facts, options=rest), chosen.name, chosen.of_two)
        tally, methods = self.tally_for(chosen), INTERVALS[chosen.interval][1]
        if chosen.average is not None:
            methods = ("auto", "one_row")
        counts_groups = chosen.average is None and chosen.interval not in _WORTH_LESS
        if self.grouped and counts_groups and method in ("percentile", "bca"):
            cure = "use method='auto', which allows for groups"
            raise InputError("bad_option", f"{method} would treat rows in groups as independent", cure=cure)
        if method not in methods:
            raise UnknownNameError(f"interval of {chosen.name}", method, methods)
        if chosen.interval in _WORTH_LESS:
            tally = self.for_curves() if self.grouped else tally
            return Scored(chosen, tally, self.confidence, random_state=random_state).estimate()
        in_place = chosen.reads == "matrix" and not chosen.needs_probabilities  # where groups are those of the matrix
        known = NOT_GROUPED if in_place else self.design(chosen)
        found = Scored(chosen, tally, self.confidence, known, method, draws, random_state).estimate()
        few = ("few_clusters",) if known.groups < 10 - 1e-9 else ()
        return replace(found, flags=(*found.flags, *few))

    def for_curves(self) -> ScoreGroups:
        """The tally that curves and bands read: rows in groups are worth fewer, by the design effect of the area."""
        if self.tally is None:
            raise AssertionError("curves need a positive class")
        known = self.design(roc_auc)
        return self.tally.worth_less(float(known.effect[0, 0]) / max(known.factor(self.confidence), 1e-6))

    def tally_for(self, measure: ScoreMeasure) -> ScoreGroups | ScoreMatrix:
        if measure.reads == "matrix":
            if self.matrix is None:
                if self.two_classes:
                    refuse_two_classes(measure)
                cure = "give one column of probabilities a class"
                raise InputError("bad_shape", f"{measure.name} needs a column of scores for every class", cure=cure)
            return self.matrix
        if self.tally is None:
            cure = f"say pos_label=, or ask for {of_all_classes(measure.name)}"
            raise InputError("positive_class_unknown", f"{measure.name} is about one class", cure=cure)
        if measure.reads == "probabilities" and not self.are_probabilities:
            low, high, guess, cure = likely_scale(self.tally.score)
            problem = f"{measure.name} needs probabilities, and the scores run from {low:g} to {high:g} ({guess})"
            raise InputError("score_range", problem, cure=cure)
        return self.tally

    def design(self, measure: ScoreMeasure) -> Design:
        """What rows in groups do to this measure."""
        p = self.rows
        if p is None or p.scores is None or p.groups is None or not measure.has_moves:
            return NOT_GROUPED
        if measure.reads == "matrix" and self.matrix is not None and not np.isnan(measure(self.matrix)):
            return row_design(measure.moved_rows(self.matrix), p.weights, p.groups)
        if measure.reads == "matrix" or self.tally is None or p.positive is None:
            return NOT_GROUPED
        scores = p.scores if p.scores.ndim == 1 else p.scores[:, p.positive]
        return score_design(measure, self.tally, scores, p.truth == p.positive, p.weights, p.groups)


def drawn_estimate(s: Scored) -> Estimate:
    """A percentile interval, for what has no other (H): on scores joined into some hundred groups."""
    measure, t, confidence = s.measure, s.tally, s.confidence
    value, reason = measure(t), missing_class(t)
    if reason:
        nan = np.nan
        return Estimate(nan, nan, nan, nan, confidence, "percentile", t.total, (), measure.name, reason)
    coarse = _joined(t, COARSE)
    seed = 0 if s.random_state is None else s.random_state
    drawn = np.array([
        measure(ScoreGroups(coarse.score, positive, negative))
        for block in score_replicates(coarse, DRAWS, seed)
        for positive, negative in zip(*block, strict=True)
    ])  # fmt: skip
    drawn = drawn[~np.isnan(drawn)] + (value - measure(coarse))
    tail = (1 - confidence) / 2
    drawn = drawn if len(drawn) else np.array([value])  # a few heavy rows, drawn alone, are of one class
    low, high, quarter = np.clip(np.quantile(drawn, (tail, 1 - tail, 0.25)), *measure.range).tolist()
    if high - low < 1e-9:  # draws that never differ say nothing: the area's interval says how little that is
        area = gini_estimate(t, confidence=confidence)
        low, high, quarter = min(low, area.low), max(high, area.high), min(low, area.pessimistic)
        low, high, quarter = np.clip((low, high, quarter), *measure.range).tolist()
    facts = (float(drawn.std()), confidence, "percentile", t.total, ("known_to_mislead",), measure.name)
    return Estimate(value, min(low, value), max(high, value), *facts, pessimistic=quarter)


def refuse_two_classes(measure: ScoreMeasure) -> None:
    """InputError: a measure of many classes where there are two, and what it would be of them."""
    problem = f"{measure.name} is a measure of three classes or more, and there are two"
    cure, two = "ask for a measure of the positive class, such as roc_auc, average_precision or ece", measure.of_two
    if two is not None:
        share = "the same" if two.times == 1 else f"1/{two.times:g} of it"
        cure = f"ask for {two.of.name}, which of two classes is {share}"
    raise InputError("bad_option", problem, cure=cure)


def _joined(t: ScoreGroups, most: int) -> ScoreGroups:
    """Neighbouring scores joined until at most so many groups are left, each of about the same weight."""
    if len(t.score) <= most:
        return t
    place = np.minimum((np.cumsum(t.positive + t.negative) / t.total * most).astype(int), most - 1)
    starts = np.flatnonzero(np.append(True, np.diff(place) > 0))
    first, second = t.squares
    positive, negative, first, second = (np.add.reduceat(x, starts) for x in (t.positive, t.negative, first, second))
    if not t.is_weighted:
        return ScoreGroups(t.score[starts], positive, negative, quantised=True)
    return ScoreGroups(t.score[starts], positive, negative, first, second, quantised=True)
