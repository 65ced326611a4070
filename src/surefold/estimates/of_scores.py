"""From scores to estimates: each measure of scores with the interval that fits it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, UnknownNameError
from surefold.estimates.auc import auc_estimate, auc_influence, gini_estimate, missing_class
from surefold.estimates.average_precision import ap_influence, average_precision_estimate
from surefold.estimates.calibration import ece_estimate, probability_estimators
from surefold.estimates.estimate import Estimate
from surefold.estimates.grouping import NOT_GROUPED, Grouping, grouping
from surefold.estimates.ks import ks_estimate, ks_influence
from surefold.estimates.multiclass_auc import matrix_estimate
from surefold.estimates.row_influence import score_grouping
from surefold.estimates.score_draws import score_replicates
from surefold.inputs.predictions import Predictions
from surefold.inputs.scores import likely_scale
from surefold.measures.catalogue import catalogue, of_all_classes
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["MANY_CLASSES", "TWO_CLASSES", "ScoreEstimates", "refuse_two_classes"]

Array = NDArray[np.float64]

#: What a two-class name means where there is one column of probabilities a class.
MANY_CLASSES = {"brier": "brier_multiclass", "log_loss": "log_loss_multiclass", "ece": "ece_multiclass"}
#: What a measure of many classes is where there are two, each probability being one less the other: the measure of the
#: positive class, or so many times it. With two classes the interval of an area over pairs is that of the plain area.
TWO_CLASSES = {
    "brier_multiclass": ("brier", 2.0),
    "log_loss_multiclass": ("log_loss", 1.0),
    "roc_auc_hand_till": ("roc_auc", 1.0),
    "roc_auc_ovo": ("roc_auc", 1.0),
    "roc_auc_ovo_weighted": ("roc_auc", 1.0),
    "roc_auc_ovr": ("roc_auc", 1.0),
    "roc_auc_ovr_weighted": ("roc_auc", 1.0),
}
#: Estimators that hand their options to another one.
THROUGH: dict[str, Callable[..., Estimate]] = {"gini": auc_estimate, "mce": ece_estimate}
#: Draws, and groups of scores, for the measures that have no interval but by drawing.
DRAWS, COARSE = 200, 300


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
        if self.matrix is None and self.two_classes:
            also = (name for name in asked if name in TWO_CLASSES and TWO_CLASSES[name][0] in found)
            found |= {name: catalogue.of_scores[name] for name in also}
        if self.matrix is not None and not self.are_probabilities:
            found = {name: m for name, m in found.items() if name not in probability_estimators()}
        if self.matrix is not None and self.matrix.classes < 3:
            found.pop("top_k_accuracy", None)  # the two likeliest of two are always right
        return found

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
        asked = catalogue[name].name
        if self.matrix is not None and self.tally is None:
            asked = MANY_CLASSES.get(asked, asked)
        chosen = catalogue.with_options(asked, options or {})
        if not isinstance(chosen, ScoreMeasure):
            raise AssertionError(f"{name} is a measure of labels")
        if self.matrix is None and self.two_classes and asked in TWO_CLASSES:
            plain, times = TWO_CLASSES[asked]
            rest = {key: value for key, value in (options or {}).items() if key != "scaled"}
            found = self.measure(plain, method=method, draws=draws, random_state=random_state, options=rest)
            return _times(found, 1.0 if chosen.settings.get("scaled") else times, asked)
        tally = self.tally_for(chosen)
        if isinstance(tally, ScoreMatrix) and chosen.name not in probability_estimators():
            _only(method, ("auto", "one_row"), chosen.name)
            return matrix_estimate(chosen, tally, confidence=self.confidence)
        estimator = self._estimators().get(chosen.name)
        if estimator is None:
            _only(method, ("auto", "percentile"), chosen.name)
            return self._drawn(chosen, random_state)
        if self.grouped and method in ("percentile", "bca"):
            cure = "use method='auto', which allows for groups"
            raise InputError("bad_option", f"{method} would treat rows in groups as independent", cure=cure)
        known = self._grouping(chosen.name)
        extra = {
            "method": method,
            "draws": draws,
            "random_state": random_state,
            "design_effect": known.design_effect,
            "group_factor": known.group_factor,
        }
        taken = inspect.signature(THROUGH.get(chosen.name, estimator)).parameters
        kept = {key: value for key, value in extra.items() if key in taken}
        if "method" not in taken:
            _only(method, ("auto",), chosen.name)
        if "design_effect" not in taken and self.grouped and isinstance(tally, ScoreGroups):
            tally = self.for_curves()
        found = estimator(tally, confidence=self.confidence, **kept, **(options or {}))
        few = ("few_clusters",) if known.groups < 10 - 1e-9 else ()
        return replace(found, name=chosen.name, flags=(*found.flags, *few))

    def for_curves(self) -> ScoreGroups:
        """The tally that curves and bands read: rows in groups are worth fewer, by the design effect of the area."""
        if self.tally is None:
            raise AssertionError("curves need a positive class")
        known = self._grouping("roc_auc")
        return self.tally.worth_less(known.design_effect / max(known.group_factor, 1e-6))

    def tally_for(self, measure: ScoreMeasure) -> ScoreGroups | ScoreMatrix:
        if measure.reads == "matrix":
            if self.matrix is None:
                if self.two_classes:
                    refuse_two_classes(measure.name)
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

    @staticmethod
    def _estimators() -> dict[str, Callable[..., Estimate]]:
        ranking: dict[str, Callable[..., Estimate]] = {
            "roc_auc": auc_estimate,
            "gini": gini_estimate,
            "average_precision": average_precision_estimate,
            "ks": ks_estimate,
        }
        return ranking | probability_estimators()

    def _grouping(self, name: str) -> Grouping:
        """What rows in groups do to this measure."""
        p = self.rows
        if p is None or p.scores is None or p.groups is None:
            return NOT_GROUPED
        if self.tally is None or p.scores.ndim == 2:
            return self._matrix_grouping(p)
        is_positive = p.truth == p.positive
        if name in ("roc_auc", "gini", "ks", "average_precision"):
            influence = {"average_precision": ap_influence, "ks": ks_influence}.get(name, auc_influence)
            return score_grouping(self.tally, p.scores, is_positive, p.weights, p.groups, self.confidence, influence)
        losses = (p.scores - is_positive) ** 2 if name.startswith("brier") else p.scores - is_positive
        return self._mean_grouping(np.asarray(losses, dtype=float), p)

    def _matrix_grouping(self, p: Predictions) -> Grouping:
        if p.scores is None:
            return NOT_GROUPED
        truth = np.zeros(p.scores.shape)
        truth[np.arange(p.n), p.truth] = 1.0
        return self._mean_grouping(((p.scores - truth) ** 2).sum(axis=1), p)

    def _mean_grouping(self, losses: Array, p: Predictions) -> Grouping:
        if p.groups is None:
            return NOT_GROUPED
        if p.weights is None:
            return grouping(losses - losses.mean(), None, p.groups, self.confidence)
        held = p.weights > 0  # 0 times infinity is no 0
        losses, weights, groups = losses[held], p.weights[held], p.groups[held]
        return grouping(losses - np.average(losses, weights=weights), weights, groups, self.confidence)

    def _drawn(self, measure: ScoreMeasure, random_state: int | np.random.Generator | None) -> Estimate:
        """A percentile interval, for what has no other (H): on scores joined into some hundred groups."""
        t = self.tally_for(measure)
        if not isinstance(t, ScoreGroups):
            raise AssertionError(f"{measure.name} has no interval")
        t = self.for_curves() if self.grouped else t
        value, reason = measure(t), missing_class(t)
        if reason:
            nan = np.nan
            return Estimate(nan, nan, nan, nan, self.confidence, "percentile", t.total, (), measure.name, reason)
        coarse = _joined(t, COARSE)
        seed = 0 if random_state is None else random_state
        drawn = np.array([
            measure(ScoreGroups(coarse.score, positive, negative))
            for block in score_replicates(coarse, DRAWS, seed)
            for positive, negative in zip(*block, strict=True)
        ])  # fmt: skip
        drawn = drawn[~np.isnan(drawn)] + (value - measure(coarse))
        tail = (1 - self.confidence) / 2
        drawn = drawn if len(drawn) else np.array([value])  # a few heavy rows, drawn alone, are of one class
        low, high, quarter = np.clip(np.quantile(drawn, (tail, 1 - tail, 0.25)), *measure.range).tolist()
        if high - low < 1e-9:  # draws that never differ say nothing: the area's interval says how little that is
            area = gini_estimate(t, confidence=self.confidence)
            low, high, quarter = min(low, area.low), max(high, area.high), min(low, area.pessimistic)
            low, high, quarter = np.clip((low, high, quarter), *measure.range).tolist()
        facts = (float(drawn.std()), self.confidence, "percentile", t.total, ("known_to_mislead",), measure.name)
        return Estimate(value, min(low, value), max(high, value), *facts, pessimistic=quarter)


def refuse_two_classes(name: str) -> None:
    """InputError: a measure of many classes where there are two, and what it would be of them."""
    plain, times = TWO_CLASSES.get(name, ("", 1.0))
    problem = f"{name} is a measure of three classes or more, and there are two"
    cure = "ask for a measure of the positive class, such as roc_auc, average_precision or ece"
    if plain:
        cure = f"ask for {plain}, which of two classes is {'the same' if times == 1 else f'1/{times:g} of it'}"
    raise InputError("bad_option", problem, cure=cure)


def _times(e: Estimate, times: float, name: str) -> Estimate:
    value, low, high, se, worst = (x * times for x in (e.value, e.low, e.high, e.se, e.pessimistic))
    return replace(e, value=value, low=low, high=high, se=se, pessimistic=worst, name=name)


def _only(method: str, known: tuple[str, ...], name: str) -> None:
    if method not in known:
        raise UnknownNameError(f"interval of {name}", method, known)


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
