"""What an assessment says of scores: curves, thresholds, costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from surefold.curves.cost_curve import CostCurve, ExpectedCost
from surefold.curves.decision import Decision
from surefold.curves.gains import Gains, Lift
from surefold.curves.precision_recall import PrecisionRecall
from surefold.curves.reliability import Reliability, reliability
from surefold.curves.roc import Roc
from surefold.curves.thresholds import (
    By,
    Choice,
    ThresholdChoice,
    best_threshold,
    checked_folds,
    judged_apart,
)
from surefold.errors import InputError
from surefold.estimates.of_scores import ScoreEstimates
from surefold.estimates.of_table import TableEstimates
from surefold.evidence.evidence import Evidence
from surefold.evidence.held import Held
from surefold.findings import Finding
from surefold.inputs.labels import Label
from surefold.measures import catalogue
from surefold.measures.cost import cost_matrix
from surefold.measures.proper import BrierParts, brier_parts
from surefold.tallies.confusion import Confusion
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["Scored"]


@dataclass(frozen=True, eq=False)
class Scored:
    """The part of an assessment that reads scores.

    `chosen` says how the threshold was chosen, where these rows chose it.
    """

    estimates: TableEstimates | None = field(repr=False)
    n: int
    positive: int | None
    noticed: tuple[Finding, ...] = field(default=(), repr=False)
    costs: Any = field(default=None, repr=False, kw_only=True)
    scores: ScoreEstimates | None = field(default=None, repr=False, kw_only=True)
    labels: tuple[Label, ...] = field(default=(), repr=False, kw_only=True)
    evidence: Evidence | None = field(default=None, repr=False, kw_only=True)
    chosen: ThresholdChoice | None = field(default=None, repr=False, kw_only=True)
    _choices: dict[float, ThresholdChoice] = field(default_factory=dict, repr=False, kw_only=True)
    _cache: dict[str, Any] = field(default_factory=dict, repr=False, kw_only=True)

    @property
    def confidence(self) -> float:
        """The confidence of every interval."""
        held = self.estimates or self.scores
        return held.confidence if held is not None else 0.95

    def _scored(self) -> ScoreEstimates:
        if self.scores is not None:
            return self.scores
        if any(f.code == "scores_not_stored" for f in self.noticed):
            raise InputError("bad_option", "the scores were not stored with the assessment", cure="assess them again")
        raise InputError("bad_option", "there are no scores", cure="pass them as y_score= (--score)")

    @property
    def tally(self) -> ScoreGroups:
        """The scores of the positive class against the rest."""
        return self.against_rest(None)

    def against_rest(self, label: Label | None) -> ScoreGroups:
        """The score tally of one class against the rest; of the positive class if none is said."""
        scores = self._scored()
        if label is not None and scores.matrix is not None:
            return scores.matrix.one_vs_rest(self.labels.index(label))
        if scores.tally is None:
            cure = "say pos_label= (--pos-label)"
            raise InputError("positive_class_unknown", "a curve is about one class, and which was not said", cure=cure)
        return scores.for_curves()

    @property
    def roc(self) -> Roc:
        """The ROC curve."""
        return Roc.of(self.tally)

    @property
    def precision_recall(self) -> PrecisionRecall:
        """The precision-recall curve."""
        return PrecisionRecall.of(self.tally)

    @property
    def gains(self) -> Gains:
        """The cumulative gains curve."""
        return Gains.of(self.tally)

    @property
    def lift(self) -> Lift:
        """The lift curve."""
        return Lift.of(self.tally)

    @property
    def calibration(self) -> Reliability:
        """The reliability diagram."""
        return reliability(self.tally, confidence=self.confidence)

    @property
    def brier_parts(self) -> BrierParts:
        """The Brier score as reliability - resolution + uncertainty."""
        return brier_parts(self.tally)

    @property
    def decision(self) -> Decision:
        """Net benefit over thresholds."""
        return Decision.of(self.tally)

    @property
    def cost(self) -> ExpectedCost | CostCurve:
        """Expected cost by threshold under the costs given, or the cost curve over all costs."""
        if self.costs is None:
            return CostCurve.of(self.tally)
        return ExpectedCost.of(self.tally, self._two_costs(self.costs))

    def at(self, threshold: float | ThresholdChoice) -> Self:
        """The same scores cut at another threshold: positive when the score is at least that.

        One that `best_threshold` chose on these rows looks better than it is: figures then carry the flag
        `threshold_chosen_here`, and a finding says what they are where it is chosen without the rows judged. A choice
        made on other rows carries none.

        >>> from surefold import assess
        >>> a = assess([0, 0, 1, 1], y_score=[0.1, 0.6, 0.4, 0.9])
        >>> float(a["recall"]), float(a.at(0.3)["recall"])
        (0.5, 1.0)
        """
        scores = self._scored()
        if isinstance(threshold, ThresholdChoice):
            threshold = threshold.point.threshold
        if not (isinstance(threshold, int | float | np.number) and not math.isnan(threshold)):
            raise InputError("bad_option", f"threshold={threshold!r}", cure="give a number")
        c = self.positive
        if c is None or scores.tally is None or len(self.labels) != 2:
            raise InputError(
                "bad_option", "a threshold cuts scores of two classes", cure="make labels and pass y_pred="
            )
        counts, squares, clusters = scores.cut(np.array([threshold], dtype=np.float64)).table(0, c)
        declared = self.estimates is not None and self.estimates.confusion.declared
        confusion = Confusion(counts, self.labels, squares=squares, declared=declared)
        chosen = self._choices.get(float(threshold))
        noted = () if chosen is None else (_CHOSEN,)
        e = self.evidence.at(threshold) if isinstance(self.evidence, Held) else None
        return self._moved(TableEstimates(confusion, clusters, self.confidence, noted=noted), e, chosen)

    def _moved(
        self, estimates: TableEstimates, evidence: Evidence | None, chosen: ThresholdChoice | None = None
    ) -> Self:
        """The same with other labels; what was said of the old ones is left out."""
        kept = tuple(f for f in self.noticed if f.code not in ("labels_from_scores", "no_labels", _CHOSEN))
        if chosen is not None:
            kept += (_chosen_here(chosen, estimates, self.positive or 0),)
        return replace(self, estimates=estimates, noticed=kept, evidence=evidence, chosen=chosen, _cache={})

    def best_threshold(
        self,
        by: By = "youden",
        *,
        costs: Any = None,
        beta: float = 1.0,
        precision: float | None = None,
        recall: float | None = None,
        share: float | None = None,
        prior: float | None = None,
        folds: int = 10,
        random_state: int | None = 0,
    ) -> ThresholdChoice:
        """The best threshold on these rows, and what it does on rows it was not chosen on.

        >>> from surefold import assess
        >>> a = assess([0, 0, 1, 1], y_score=[0.1, 0.6, 0.4, 0.9])
        >>> a.best_threshold("cost", costs={"fp": 1, "fn": 5}).point.threshold
        0.4
        """
        choice = Choice(by, self._prices(costs), beta, precision, recall, share, prior)
        found = self._choice(choice, checked_folds(folds), random_state)
        self._choices[float(found.point.threshold)] = found
        return found

    def _prices(self, costs: Any) -> Any:
        prices = self.costs if costs is None else costs
        if prices is not None and not isinstance(prices, Mapping):
            prices = self._two_costs(prices)
        return prices

    def _choice(self, choice: Choice, folds: int, random_state: int | None) -> ThresholdChoice:
        point = best_threshold(self.tally, choice)
        pos_label = None if self.positive is None else self.labels[self.positive]
        try:
            parts = self._scored().folds(folds, random_state)
        except InputError as error:  # weighted rows, or groups whose rows are gone
            if error.code != "bad_option":
                raise
            return ThresholdChoice(choice, point, None, error.problem, pos_label)
        try:
            return ThresholdChoice(choice, point, judged_apart(parts, choice), pos_label=pos_label)
        except InputError as error:  # the rows of the other parts do not let one choose
            why = f"without the rows judged {error.problem}"
            return ThresholdChoice(choice, point, None, why, pos_label)

    def _two_costs(self, matrix: Any) -> dict[str, float]:
        """A cost matrix in the order of the labels, told by what each outcome is to the positive class."""
        checked = cost_matrix(matrix, len(self.labels))
        if self.positive is None or len(self.labels) != 2:
            cure = "say pos_label=, and give a matrix of two classes"
            raise InputError("cost_matrix", "thresholds are for two classes, one of them positive", cure=cure)
        c, d = self.positive, 1 - self.positive
        return {"tp": checked[c, c], "fn": checked[c, d], "fp": checked[d, c], "tn": checked[d, d]}


_CHOSEN = "threshold_chosen_here"


def _chosen_here(chosen: ThresholdChoice, here: TableEstimates, positive: int) -> Finding:
    """What the figures are, and what they are where the threshold is chosen without the rows judged."""
    threshold = chosen.point.threshold
    start = f"The threshold {threshold:g} was chosen on these rows, so figures at it look better than they are"
    if chosen.cross_fitted is None:
        return Finding.of(_CHOSEN, f"{start}; by how much is not known: {chosen.why}.", by=chosen.choice.by)
    honest, parts, evidence = chosen.cross_fitted, [], {}
    for name in ("accuracy", "recall", "precision"):
        measure = catalogue.of_labels[name]
        found = here.of_class(measure, positive) if measure.is_per_class else here.overall(measure)
        apart = honest.value(name)
        evidence[name] = {"here": found.value, "apart": apart}
        if not (math.isnan(apart) or math.isnan(found.value)):
            parts.append(f"{name} {apart:.3f} (here {found.value:.3f})")
    told = f"{start}. Chosen without the rows judged: {', '.join(parts)}." if parts else f"{start}."
    return Finding.of(_CHOSEN, told, by=chosen.choice.by, **evidence)
