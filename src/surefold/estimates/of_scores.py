"""From scores to estimates: each measure of scores with the interval that fits it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
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
from surefold.estimates.grouping import NOT_GROUPED, Design, group_moves
from surefold.estimates.ks import ks_estimate
from surefold.estimates.losses import LOSS_METHODS, brier_skill_estimate, mean_estimate
from surefold.estimates.multiclass_auc import matrix_estimate, share_estimate
from surefold.estimates.operating import rate_estimate
from surefold.estimates.partial_auc import partial_auc
from surefold.estimates.quantised import open_bounds, quantised_finding, spanning
from surefold.estimates.score_draws import poisson_replicates
from surefold.evidence.cuts import Cuts
from surefold.evidence.evidence import Evidence
from surefold.evidence.held import Held
from surefold.findings import Finding
from surefold.inputs.door import ONLY
from surefold.inputs.predictions import Predictions
from surefold.inputs.scores import likely_scale
from surefold.measures.catalogue import catalogue, of_all_classes
from surefold.measures.ranking import roc_auc
from surefold.measures.row_moves import row_move
from surefold.measures.score_measure import IntervalKind, ScoreMeasure
from surefold.tallies.against_rest import AgainstRest
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.joined import COARSE, joined
from surefold.tallies.moves import Family, Moves
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["INTERVALS", "ScoreEstimates", "Scored", "design_all", "refuse_two_classes"]

Array = NDArray[np.float64]

#: For the measures that have no interval but by drawing.
DRAWS = 200


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
        """The confidence, as an option."""
        return {"confidence": self.confidence}

    @property
    def grouped(self) -> dict[str, Any]:
        """The confidence and what groups of rows do, as options."""
        return self.level | {
            "design_effect": float(self.design.effect[0, 0]),
            "group_factor": self.design.factor(self.confidence),
        }

    @property
    def drawn(self) -> dict[str, Any]:
        """The same, and what is drawn by which method."""
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
    "rate": (lambda s: rate_estimate(s.measure, s.tally, **s.grouped), ("auto",)),
    "part": (lambda s: partial_auc(s.tally, **s.grouped, **s.measure.settings), ("auto",)),
    "share": (lambda s: share_estimate(s.measure, s.tally, s.design, **s.level), ("auto", "one_row")),
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

    `tally` counts the positive class against the rest; `matrix` is there for one column a class. `evidence` is asked
    what no tally holds, of one of its models; without it, as of an assessment that was stored, the tally is all there
    is. `two_classes`: the rest are one class, and not several.
    """

    tally: ScoreGroups | None
    matrix: ScoreMatrix | CountedMatrix | None
    confidence: float = 0.95
    two_classes: bool = False
    evidence: Evidence | None = field(default=None, repr=False)
    model: str = ONLY
    ends: AgainstRest | None = field(default=None, repr=False)
    designs: dict[Any, Design] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, p: Predictions, confidence: float) -> ScoreEstimates | None:
        """Of rows that are held."""
        return cls.of_evidence(Held({ONLY: p}), confidence)

    @classmethod
    def of_evidence(cls, e: Evidence, confidence: float, model: str = ONLY) -> ScoreEstimates | None:
        """Of one model's scores; None where there are none."""
        if not e.has_scores:
            return None
        facts: dict[str, Any] = {"two_classes": len(e.labels) == 2, "evidence": e, "model": model}
        return cls(e.scores(model), e.matrix(model), confidence, **facts, ends=e.ends(model))

    @property
    def grouped(self) -> bool:
        """Whether rows come in groups."""
        return self.evidence is not None and bool(self.evidence.factors)

    @property
    def quantised(self) -> bool:
        """Whether scores were cut to their leading bits, so that exact figures lie between two ends."""
        return self.ends is not None and self.ends.quantised

    @property
    def are_probabilities(self) -> bool:
        """Whether every score lies from 0 to 1."""
        if self.matrix is not None:
            low, high = self.matrix.ends if self.matrix.n else (np.nan, np.nan)
            return low >= 0 and high <= 1
        if self.tally is None or not self.tally.most_scores:
            return False
        low, high = self.tally.ends
        return low >= 0 and high <= 1

    def available(self, asked: Iterable[str] = ()) -> dict[str, ScoreMeasure]:
        """The measures that these scores can have; those of many classes for two only if `asked` for."""
        reads = set()
        if self.tally is not None:
            reads |= {"ranking"} | ({"probabilities"} if self.are_probabilities else set())
        if self.matrix is not None:
            reads |= {"matrix"}
        found = {name: m for name, m in catalogue.of_scores.items() if m.reads in reads and not m.needs_options}
        if self.matrix is None:
            known = catalogue.of_scores if self.two_classes else {}
            also = {name: known[name] for name in asked if name in known}
            return found | {name: m for name, m in also.items() if m.of_two is not None and m.of_two.of.name in found}
        k = self.matrix.classes
        return {
            name: m
            for name, m in found.items()
            if (self.are_probabilities or not m.needs_probabilities)
            and (m.average is None or m.average.held(self.matrix))
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
        if chosen.needs_options:
            raise chosen.lacking
        if self.matrix is None and self.two_classes and chosen.of_two is not None:
            facts: dict[str, Any] = {"method": method, "draws": draws, "random_state": random_state}
            rest = {key: value for key, value in (options or {}).items() if key in chosen.of_two.of.options}
            return on_line(self.measure(chosen.of_two.of.name, **facts, options=rest), chosen.name, chosen.of_two)
        found = self._estimate(chosen, method, draws, random_state)
        of_top = chosen.line is not None and isinstance(self.matrix, CountedMatrix) and self.matrix.top.quantised
        return spanning(found, self.bounds(name, options)) if self.quantised or of_top else found

    def _estimate(
        self, chosen: ScoreMeasure, method: str, draws: int, random_state: int | np.random.Generator | None
    ) -> Estimate:
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
        known = self.design(chosen) if chosen.average is None else NOT_GROUPED  # a mean over classes has its own
        found = Scored(chosen, tally, self.confidence, known, method, draws, random_state).estimate()
        few = ("few_clusters",) if known.groups < 10 - 1e-9 else ()
        return replace(found, flags=(*found.flags, *few))

    def for_curves(self) -> ScoreGroups:
        """The tally that curves and bands read: rows in groups are worth fewer, by the design effect of the area."""
        if self.tally is None:
            raise AssertionError("curves need a positive class")
        known = self.design(roc_auc)
        return self.tally.worth_less(float(known.effect[0, 0]) / max(known.factor(self.confidence), 1e-6))

    def tally_for(self, measure: ScoreMeasure) -> ScoreGroups | ScoreMatrix | CountedMatrix:
        """What the measure reads; `InputError` where these scores do not have it."""
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

    # what the rows say

    def design(self, measure: ScoreMeasure) -> Design:
        """What rows in groups do to this measure. Where asking costs a pass, all measures are asked for at once."""
        e = self.evidence
        if e is None or not e.factors or not measure.has_moves:
            return NOT_GROUPED
        if _key(measure) not in self.designs:
            others = self.available().values() if e.costs_a_pass and not self.designs else ()
            design_all([(self, [measure, *others])], e)
        return self.designs[_key(measure)]

    def cut(self, thresholds: Array) -> Cuts:
        """The table of two classes at falling thresholds."""
        if self.tally is None:
            raise AssertionError("thresholds cut scores of a positive class")
        return Cuts.of(self.tally, thresholds) if self.evidence is None else self.evidence.cut(self.model, thresholds)

    def folds(self, k: int, seed: int | np.random.Generator | None) -> list[ScoreGroups]:
        """The scores dealt into parts at random."""
        if self.tally is None:
            raise AssertionError("scores of a positive class are dealt")
        return self.tally.dealt(k, seed) if self.evidence is None else self.evidence.folds(self.model, k, seed)

    # what scores that were cut to their leading bits leave open

    def bounds(self, name: str, options: Mapping[str, Any] | None = None) -> tuple[float, float] | None:
        """Between which values the measure of the scores as they were must lie; None where nothing is known."""
        chosen = catalogue.with_options(name, options or {})
        if self.ends is None or not isinstance(chosen, ScoreMeasure) or not chosen.monotone:
            return None
        return open_bounds([chosen], self.ends)[chosen.name] if options else self._bounds.get(chosen.name)

    @cached_property
    def _bounds(self) -> dict[str, tuple[float, float] | None]:
        """Of all such measures at once: the tallies that it takes are large, and not kept."""
        return {} if self.ends is None else open_bounds(self.available().values(), self.ends)

    def finding(self) -> Finding | None:
        """That scores were quantised, and what that leaves open."""
        if self.ends is None or not self.quantised or self.tally is None:
            return None
        return quantised_finding(self.ends, {name: ends for name, ends in self._bounds.items() if ends is not None})


def design_all(asked: Sequence[tuple[ScoreEstimates, Sequence[ScoreMeasure]]], e: Evidence) -> None:
    """Find what groups do to these measures of one or more models, for all of which rows are gone over once."""
    families, of_families = [], []
    for one, measures in asked:
        place = e.names.index(one.model)
        for key, m in {_key(m): m for m in measures if m.has_moves}.items():
            one.designs[key] = NOT_GROUPED
            tally: Any = one.matrix if m.reads == "matrix" else one.tally
            if tally is None or (m.average is not None and not m.average.held(tally)) or np.isnan(m(tally)):
                continue
            if m.reads == "matrix":
                lookup = e.of_rows(place, row_move(m, tally))
                one.designs[key] = Design.of(e.moves([Family((lookup,), models=(place,))], 1))
                continue
            families.append(Family((e.lookup(place, group_moves(m, tally)),), models=(place,)))
            of_families.append((one, key, m.reads == "ranking"))
    moves = e.moves(families, 2) if families else Moves(())
    for f, (one, key, by_class) in enumerate(of_families):
        one.designs[key] = Design.of(moves[f], by_class=by_class)


def _key(measure: ScoreMeasure) -> Any:
    """What tells one design from another: a line of a measure has that of the measure."""
    known = measure if measure.reads == "matrix" else measure.source_measure
    return known.name, tuple(sorted(known.settings.items()))


def drawn_estimate(s: Scored) -> Estimate:
    """A percentile interval, for what has no other (H): on scores joined into some hundred groups."""
    measure, t, confidence = s.measure, s.tally, s.confidence
    value, reason = measure(t), missing_class(t)
    if reason:
        nan = np.nan
        return Estimate(nan, nan, nan, nan, confidence, "percentile", t.total, (), measure.name, reason)
    coarse = joined(t, COARSE)
    seed = 0 if s.random_state is None else s.random_state
    drawn = _on_draws(measure, coarse.score, *poisson_replicates(coarse, DRAWS, seed))
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


def _on_draws(measure: ScoreMeasure, score: Array, positive: Array, negative: Array) -> Array:
    if measure.of_draws is not None:
        return measure.of_draws(positive, negative, **measure.settings)
    pairs = zip(positive, negative, strict=True)
    return np.array([measure(ScoreGroups(score, up, down)) for up, down in pairs])


def refuse_two_classes(measure: ScoreMeasure) -> None:
    """InputError: a measure of many classes where there are two, and what it would be of them."""
    problem = f"{measure.name} is a measure of three classes or more, and there are two"
    cure, two = "ask for a measure of the positive class, such as roc_auc, average_precision or ece", measure.of_two
    if two is not None:
        share = "the same" if two.times == 1 else f"1/{two.times:g} of it"
        cure = f"ask for {two.of.name}, which of two classes is {share}"
    raise InputError("bad_option", problem, cure=cure)
