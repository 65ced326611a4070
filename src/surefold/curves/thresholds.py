"""From scores to labels: thresholds by cost, Youden, F-beta, precision, recall or share, and labels of least cost.

A threshold chosen on the rows it is judged by looks better than it is; `cross_fitted` chooses it without them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, refuse_unknown
from surefold.measures import catalogue
from surefold.measures.cost import cost_matrix
from surefold.numbers import count, number
from surefold.tallies.confusion import Table
from surefold.tallies.ratio import ratio
from surefold.tallies.score_groups import ScoreGroups

if TYPE_CHECKING:
    from surefold.resampling.classifier import Classifier

__all__ = [
    "Choice",
    "CrossFitted",
    "OperatingPoint",
    "best_threshold",
    "checked_folds",
    "cross_fitted",
    "judged_apart",
    "least_cost_classes",
    "two_costs",
]

Array = NDArray[np.float64]
#: What a model is asked for scores by.
ResponseMethod = Literal["predict_proba", "decision_function"]
By = Literal["cost", "youden", "fbeta", "recall_at_precision", "precision_at_recall", "share"]
WAYS: tuple[By, ...] = ("cost", "youden", "fbeta", "recall_at_precision", "precision_at_recall", "share")


@dataclass(frozen=True)
class OperatingPoint:
    """What a threshold does: positive when the score is at least `threshold`."""

    threshold: float
    tp: float
    fp: float
    fn: float
    tn: float

    @property
    def counts(self) -> NDArray[np.float64]:
        """The two-class table, positive class first: `[true, predicted]`."""
        return np.array([[self.tp, self.fn], [self.fp, self.tn]])


@dataclass(frozen=True)
class Choice:
    """How a threshold is chosen."""

    by: By = "youden"
    costs: Any = None
    beta: float = 1.0
    precision: float | None = None
    recall: float | None = None
    share: float | None = None
    prior: float | None = None

    def __post_init__(self) -> None:
        refuse_unknown("way to choose a threshold", self.by, WAYS)
        needed = {
            "recall_at_precision": "precision",
            "precision_at_recall": "recall",
            "share": "share",
            "cost": "costs",
        }
        option = needed.get(self.by)
        if option is not None and getattr(self, option) is None:
            raise InputError("bad_option", f"by={self.by!r} needs {option}=", cure=f"give {option}=")
        for name in ("precision", "recall", "share", "prior"):
            value = getattr(self, name)
            if value is not None and not 0 < value <= 1:
                raise InputError("bad_option", f"{name}={value!r}", cure="give a share above 0 and up to 1")


def two_costs(costs: Any) -> NDArray[np.float64]:
    """A 2 x 2 matrix, positive class first, from {"fp": 1, "fn": 5}; scores alone do not know the order of labels."""
    if not isinstance(costs, Mapping):
        problem = "scores do not know the order of the labels, so a matrix of costs cannot be read"
        raise InputError("cost_matrix", problem, cure='give {"fp": 1, "fn": 5}')
    check_prices(costs)
    return cost_matrix([[costs.get("tp", 0), costs["fn"]], [costs["fp"], costs.get("tn", 0)]], 2)


def check_prices(costs: Mapping[str, Any]) -> None:
    """Both errors must be priced, and nothing else but the four outcomes."""
    unknown = costs.keys() - {"tp", "fp", "fn", "tn"}
    if unknown or not {"fp", "fn"} <= costs.keys():
        problem = f"costs= prices {', '.join(map(str, costs)) or 'nothing'}"
        raise InputError("cost_matrix", problem, cure="price both errors, fp and fn; tp and tn if they have a cost")


def points(t: ScoreGroups) -> tuple[Array, Array, Array]:
    """Every threshold, from infinity (nothing is positive) down, with its true and false positives."""
    return np.append(np.inf, t.score), np.append(0.0, t.tp), np.append(0.0, t.fp)


def best_threshold(t: ScoreGroups, choice: Choice) -> OperatingPoint:
    """The threshold that is best on these rows; among equals the highest.

    >>> t = ScoreGroups.of(np.array([0.9, 0.8, 0.3, 0.1]), np.array([True, True, False, True]))
    >>> best_threshold(t, Choice("cost", costs={"fp": 1, "fn": 5})).threshold
    0.1
    """
    threshold, tp, fp = points(t)
    at = _best(tp, fp, t.positives, t.negatives, choice)
    return OperatingPoint(
        float(threshold[at]), float(tp[at]), float(fp[at]), t.positives - float(tp[at]), t.negatives - float(fp[at])
    )


def _best(tp: Array, fp: Array, positives: float, negatives: float, choice: Choice) -> int:
    up, down = 1.0, 1.0
    if choice.prior is not None and positives > 0 and negatives > 0:
        # The same classifier where positives are rarer or commoner: each class keeps its rates.
        up, down = choice.prior / positives, (1 - choice.prior) / negatives
    tp, fp, p, n = tp * up, fp * down, positives * up, negatives * down
    if choice.by == "cost":
        c = two_costs(choice.costs)
        goodness = -(c[0, 0] * tp + c[0, 1] * (p - tp) + c[1, 0] * fp + c[1, 1] * (n - fp))
    elif choice.by == "youden":
        goodness = ratio(tp, p) - ratio(fp, n)
    elif choice.by == "fbeta":
        b2 = choice.beta**2
        goodness = ratio((1 + b2) * tp, (1 + b2) * tp + b2 * (p - tp) + fp)
    elif choice.by == "recall_at_precision":
        goodness = np.where(ratio(tp, tp + fp) >= (choice.precision or 0), tp, -np.inf)
    elif choice.by == "precision_at_recall":
        goodness = np.where(ratio(tp, p) >= (choice.recall or 0), ratio(tp, tp + fp), -np.inf)
    else:
        goodness = -abs((tp + fp) / (p + n) - (choice.share or 0))
    goodness = np.where(np.isnan(goodness), -np.inf, goodness)
    if np.isneginf(goodness).all():
        wanted = {"recall_at_precision": choice.precision, "precision_at_recall": choice.recall}.get(choice.by)
        problem = "one class is missing" if wanted is None else f"no threshold reaches {wanted}"
        raise InputError("bad_option", problem, cure="ask for less, by another rule, or of more rows")
    return int(np.argmax(goodness))


@dataclass(frozen=True)
class CrossFitted:
    """A threshold chosen on some rows and judged on others, for every part in turn; the counts add up over parts."""

    thresholds: Array
    point: OperatingPoint

    def value(self, measure: str) -> float:
        """A measure of the labels, of the positive class where it is of one: what other rows would show.

        >>> t = ScoreGroups.of(np.arange(20.0), np.arange(20) % 3 == 0)
        >>> round(cross_fitted(t, Choice("youden"), folds=4).value("accuracy"), 2)
        0.45
        """
        margins = Table(self.point.counts).margins(np.ones(2, dtype=bool))
        found = catalogue.of_labels[measure]
        return float(found(margins.one_vs_rest)[0] if found.is_per_class else found(margins))


def cross_fitted(
    t: ScoreGroups, choice: Choice, *, folds: int = 10, random_state: int | np.random.Generator | None = 0
) -> CrossFitted:
    """Split the rows at random, choose on all parts but one, judge on that one.

    The rows of a score group differ in nothing that matters here, so the tally itself is split.
    """
    return judged_apart(t.dealt(checked_folds(folds), random_state), choice)


def checked_folds(folds: int) -> int:
    """A whole number of folds, 2 or more."""
    if not (isinstance(folds, int | np.integer) and folds >= 2):
        raise InputError("bad_option", f"folds={folds!r}", cure="give a whole number, 2 or more")
    return int(folds)


def judged_apart(parts: list[ScoreGroups], choice: Choice) -> CrossFitted:
    """Each part judged by the threshold of the others; the counts are added up."""
    if len(parts) < 2:
        raise InputError("bad_option", "no rows are left", cure="give rows of two groups or more")
    totals, thresholds = np.zeros(4), []
    for k, held in enumerate(parts):
        rest = [part for i, part in enumerate(parts) if i != k]
        whole = rest[0]
        for part in rest[1:]:
            whole = whole + part
        thresholds.append(best_threshold(whole, choice).threshold)
        called = held.score >= thresholds[-1]
        tp, fp = float(held.positive[called].sum()), float(held.negative[called].sum())
        totals += (tp, fp, held.positives - tp, held.negatives - fp)
    return CrossFitted(np.array(thresholds), OperatingPoint(float(np.median(thresholds)), *totals.tolist()))


def least_cost_classes(probabilities: ArrayLike, costs: Any) -> NDArray[np.intp]:
    """The class of least expected cost for each row: argmin over j of sum_i P(i) costs[i, j].

    With zero-one costs that is the most probable class.

    >>> least_cost_classes([[0.8, 0.2], [0.4, 0.6]], [[0, 1], [5, 0]]).tolist()  # 5 x .2 = 1 against .8
    [1, 1]
    """
    p = np.asarray(probabilities, dtype=float)
    if p.ndim != 2:
        raise InputError("bad_shape", f"probabilities have {p.ndim} dimensions", cure="give one column a class")
    return np.asarray(np.argmin(p @ cost_matrix(costs, p.shape[1]), axis=1))


@dataclass(frozen=True)
class ThresholdChoice:
    """A threshold chosen on these rows, which looks better than it is, and what choosing it without them would give.

    `why` says why that is not known, where it is not. `pos_label` is the class that scores speak of.
    """

    choice: Choice
    point: OperatingPoint
    cross_fitted: CrossFitted | None
    why: str = ""
    pos_label: str | int | bool | None = None

    def as_classifier(
        self, model: Classifier, *, response_method: Literal["auto"] | ResponseMethod = "auto"
    ) -> Classifier:
        """The model with this threshold: scikit-learn's `FixedThresholdClassifier`, ready to predict, to be put into a
        `Pipeline` or to be saved.

        A fitted model stays as it is; one that is not fitted yet is fitted by `fit`. The scores that the threshold was
        chosen on have to be those of `response_method`: "auto" takes probabilities where the model has them.

        >>> from sklearn.linear_model import LogisticRegression
        >>> from surefold import assess
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]
        >>> model = LogisticRegression().fit(X, y)
        >>> a = assess(y, y_score=model.predict_proba(X)[:, 1])
        >>> wary = a.best_threshold("cost", costs={"fp": 1, "fn": 50}).as_classifier(model)
        >>> wary.predict(X).tolist(), round(wary.threshold, 2)
        ([0, 0, 1, 1], 0.62)
        """
        from surefold.scoring.with_threshold import with_threshold

        return with_threshold(model, self.point.threshold, self.pos_label, response_method)

    def __str__(self) -> str:
        p = self.point
        text = f"threshold {number(p.threshold, '.3g')} by {self.choice.by}: it {_found(p)}"
        if self.cross_fitted is None:
            why = f"{self.why}, so there is no figure for other rows"
            return f"{text}. Chosen on these rows, so somewhat flattering ({why})."
        honest = _found(self.cross_fitted.point)
        return f"{text}. Chosen on these rows, so somewhat flattering: chosen without the rows judged, it {honest}."


def _found(p: OperatingPoint) -> str:
    """What a threshold brings, in words.

    >>> _found(OperatingPoint(0.3, tp=22, fp=588, fn=1, tn=19389))
    'finds 22 of 23, with 588 false alarms'
    """
    alarms = f"{count(p.fp)} false alarm{'' if p.fp == 1 else 's'}"
    return f"finds {count(p.tp)} of {count(p.tp + p.fn)}, with {alarms}"
