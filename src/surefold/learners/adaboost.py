"""AdaBoost: each round looks harder at the rows that the rounds before it got wrong; a weighted vote decides."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from surefold.errors import InputError, show
from surefold.given import Features, RandomState, Values
from surefold.inputs.weights import read_weights
from surefold.learners.checked_features import checked_data
from surefold.learners.tree import DecisionTree
from surefold.learners.weighted_vote import Codes, Floats, label_codes, running_votes, vote_margin, vote_shares, votes
from surefold.resampling.classifier import Classifier
from surefold.resampling.models import check_model, fresh, seeded, weight_argument
from surefold.resampling.options import one_of, truth_value, whole

__all__ = ["AdaBoost", "Inverted", "classifier_weight"]

ManyClass = Literal["threshold_half", "samme"]

#: An error this close to chance is chance: which side a sum of weights falls on depends on the order of the rows.
_ROUNDING = 1e-12


def classifier_weight(error: float, classes: int = 2) -> float:
    """The say of a classifier with this weighted error: ln((1 - e)/e), plus ln(k - 1) where k classes are meant.

    No better than chance has no say (0), better has a positive one, and a perfect classifier an infinite one.

    >>> [round(classifier_weight(e), 3) for e in (0.280, 0.305, 0.174, 0.282, 0.5)]
    [0.944, 0.824, 1.558, 0.935, 0.0]
    >>> round(classifier_weight(2 / 3, classes=3), 12), classifier_weight(0.0)
    (0.0, inf)
    """
    e, k = float(error), whole("classes", classes, least=2)
    if not 0 <= e <= 1:
        raise InputError("bad_option", f"error is {show(error)}", cure="give a share of weight from 0 to 1")
    if e in (0.0, 1.0):
        return math.inf if e == 0 else -math.inf
    return math.log((1 - e) / e) + math.log(k - 1)


class Inverted:
    """A fitted classifier of two classes, turned round: it answers the other class.

    >>> class Yes:
    ...     def predict(self, X):
    ...         return np.array(["yes"] * len(X))
    >>> Inverted(Yes(), np.array(["no", "yes"])).predict([[1.0]]).tolist()
    ['no']
    """

    def __init__(self, member: Classifier, classes: NDArray[Any]) -> None:
        self.member, self.classes_ = member, classes

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class that the member does not answer."""
        first, second = self.classes_
        answers: NDArray[Any] = np.where(np.asarray(self.member.predict(X)) == second, first, second)
        return answers


class AdaBoost(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Boosting by weighted resampling, as printed; by reweighting where `resample=False`.

    Every row starts with weight 1/n. A round draws n rows with replacement by their weights, fits the base classifier
    to them, and measures its error e on all rows, by weight. The classifier's say is ln((1 - e)/e), the weight of
    each row that it got wrong is multiplied by (1 - e)/e, and weights are scaled to add up to one. There are
    `n_estimators` rounds, unless one of these ends them (`stop_reason_`):

    - "perfect": e = 0. ln((1 - e)/e) would be infinite, so that classifier is given a weight of 1 more than all the
      earlier ones together: it has the last word on every row, and votes stay finite.
    - "redraws": e >= 1/2 is discarded and drawn again, `max_redraws` times a round at most, as is a sample of one class
      only. Where even the first round finds nothing better than chance, its best classifier is kept alone and a
      warning says so. Reweighting draws nothing, so there the first e >= 1/2 ends it.

    `estimator`: any classifier, a tree with one split by default; it must take `sample_weight` where nothing is drawn.
    `many_class`: with more than two classes e < 1/2 is hard to reach. "threshold_half" asks for it all the same, as
    printed; "samme" asks for better than guessing among k classes, e < 1 - 1/k, and adds ln(k - 1) to every say.
    `invert`: of two classes, a classifier that errs on more than half of the weight is turned round and kept, which is
    then better than chance (`Inverted` in `estimators_`), in place of drawing again.
    `keep_point_weights`: keep the weights of the rows before each round and after the last, `point_weights_`.

    `sample_weight` in `fit` is what rows start with; whole numbers count as repeated rows, and as many are drawn. Rows
    are drawn in an order of their own values, so the order of the rows does not matter, nor that of repeats.

    Once fitted: `classes_`, `estimators_`, `estimator_weights_`, `estimator_errors_`, `redraws_` (a number a round).

    >>> X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], ["a", "a", "b", "b", "a", "a"]
    >>> model = AdaBoost(n_estimators=3, resample=False, random_state=0).fit(X, y)  # no single split does it
    >>> model.estimator_errors_.round(3).tolist(), model.predict(X).tolist()
    ([0.333, 0.25, 0.167], ['a', 'a', 'b', 'b', 'a', 'a'])

    Source: Freund & Schapire (1997), JCSS 55:119; Zhu, Zou, Rosset & Hastie (2009), Statistics and Its Interface 2:349.
    """

    classes_: NDArray[Any]
    stop_reason_: str
    estimator_weights_: Floats
    estimator_errors_: Floats
    redraws_: NDArray[Any]
    point_weights_: Floats

    def __init__(
        self,
        estimator: Classifier | None = None,
        n_estimators: int = 50,
        resample: bool = True,
        max_redraws: int = 50,
        many_class: ManyClass = "threshold_half",
        keep_point_weights: bool = False,
        random_state: RandomState = None,
        invert: bool = False,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.resample = resample
        self.max_redraws = max_redraws
        self.many_class = many_class
        self.keep_point_weights = keep_point_weights
        self.random_state = random_state
        self.invert = invert

    # fitting

    def fit(self, X: Any, y: Any, sample_weight: Values | None = None) -> Self:
        """Boost to rows X of classes y."""
        base, rounds, classes_meant = self._checked_options()
        X, y = checked_data(self, X, y, ensure_min_samples=2)
        check_classification_targets(y)
        given = _checked_weights(sample_weight, len(X))
        self.classes_, codes = np.unique(y, return_inverse=True)
        seen = np.unique(codes[given > 0])
        if len(seen) < 2:
            only = show(self.classes_.tolist()[seen[0]])
            raise InputError("one_class_in_training", f"every row is of class {only}", cure="bring a second class")
        draw = _Sampler(X, codes, given, check_random_state(self.random_state))
        k = len(self.classes_) if classes_meant is None else classes_meant
        if self.invert and len(self.classes_) > 2:
            cure = "a wrong answer says which class is right only where there are two"
            raise InputError("bad_option", f"invert=True with {len(self.classes_)} classes", cure=cure)
        w = given / given.sum()
        history = [w]
        members: list[Any] = []
        says: list[float] = []
        errors: list[float] = []
        redraws: list[int] = []
        self.stop_reason_ = "rounds"
        for _ in range(rounds):
            member, error, wrong, tries = self._round(base, draw, w, 1 - 1 / k)
            if error >= 1 - 1 / k - _ROUNDING:
                self.stop_reason_ = "redraws"
                if members:
                    break
                problem = f"no classifier of the first round erred on less than {1 - 1 / k:.3g} of the weight "
                problem += f"(the best on {error:.3f})"
                if len(self.classes_) > 2 and k == 2:
                    problem += "; many_class='samme' asks for better than guessing only"
                warnings.warn(f"AdaBoost: {problem}; that one is used alone", ConvergenceWarning, stacklevel=2)
                says.append(1.0)
            else:
                says.append(1.0 + sum(says) if error == 0 else classifier_weight(error, k))
            members.append(member)
            errors.append(error)
            redraws.append(tries - 1)
            if error == 0:
                self.stop_reason_ = "perfect"
            if self.stop_reason_ != "rounds":
                break
            w = np.where(wrong, w * math.exp(says[-1]), w)
            w /= w.sum()
            history.append(w)
        self.estimators_ = members
        self.estimator_weights_, self.estimator_errors_ = np.array(says), np.array(errors)
        self.redraws_ = np.array(redraws)
        if self.keep_point_weights:
            self.point_weights_ = np.stack(history)
        return self

    def _round(self, base: Any, draw: _Sampler, w: Floats, chance: float) -> tuple[Any, float, NDArray[np.bool_], int]:
        """The first classifier that is better than chance, or the best of those tried; its error, and the tries."""
        X, codes = draw.X, draw.codes
        y = self.classes_[codes]
        best: tuple[Any, float, NDArray[np.bool_]] | None = None
        most = 1 + self.max_redraws if self.resample else 1
        for tries in range(1, most + 1):
            rows = draw.rows(w) if self.resample else draw.present(w)
            if np.ptp(codes[rows]) == 0:  # one class only: there is nothing to learn from it
                if tries < most or best is not None:
                    continue
                rows = draw.present(w)
            member = seeded(fresh(base), draw.seed())
            if self.resample:
                member.fit(X[rows], y[rows])
            else:  # rounded, so that rows that counted once count 1 and not a hair less
                member.fit(X[rows], y[rows], sample_weight=(w[rows] * draw.size).round(12))
            wrong = label_codes(member.predict(X), self.classes_) != codes
            error = float(w[wrong].sum())
            if self.invert and error > 0.5 + _ROUNDING:
                member, wrong = Inverted(member, self.classes_), ~wrong
                error = float(w[wrong].sum())
            if error < chance - _ROUNDING:
                return member, error, wrong, tries
            if best is None or error < best[1]:
                best = (member, error, wrong)
        if best is None:  # pragma: no cover - the last try is always fitted
            raise AssertionError("nothing was fitted")
        return *best, most

    def _checked_options(self) -> tuple[Any, int, int | None]:
        rounds = whole("n_estimators", self.n_estimators, least=1)
        whole("max_redraws", self.max_redraws, least=0)
        drawn = truth_value("resample", self.resample)
        truth_value("keep_point_weights", self.keep_point_weights)
        truth_value("invert", self.invert)
        meant = 2 if one_of("many_class", self.many_class, ("threshold_half", "samme")) == "threshold_half" else None
        base = self.estimator
        if base is None:
            base = DecisionTree(max_depth=1)
        check_model(base, "estimator")
        if not drawn and weight_argument(base) != "sample_weight":
            problem = f"{type(base).__name__}.fit takes no sample_weight"
            raise InputError("bad_model", problem, cure="leave resample=True, or use another classifier")
        return base, rounds, meant

    # asking

    def predict(self, X: Features) -> NDArray[Any]:
        """The class with most weight; of classes with equal weight the first in `classes_`."""
        return self._labels(self._votes(X))

    def predict_proba(self, X: Features) -> Floats:
        """The share of the weighted vote for each class. They rank rows well, but are no calibrated odds."""
        return vote_shares(self._votes(X))

    def decision_function(self, X: Features) -> Floats:
        """Of two classes: (sum of weight x vote) / (sum of weight), votes being -1 and +1. Of more: shares."""
        return vote_margin(self._votes(X))

    def staged_predict(self, X: Features) -> Iterator[NDArray[Any]]:
        """What the first member answers, the first two together, and so on."""
        return (self._labels(total) for total in self._stages(X))

    def staged_predict_proba(self, X: Features) -> Iterator[Floats]:
        """The shares of the vote after each member."""
        return (vote_shares(total) for total in self._stages(X))

    def staged_decision_function(self, X: Features) -> Iterator[Floats]:
        """The decision values after each member."""
        return (vote_margin(total) for total in self._stages(X))

    def _labels(self, total: Floats) -> NDArray[Any]:
        answers: NDArray[Any] = self.classes_[total.argmax(axis=1)]
        return answers

    def _answers(self, X: Features) -> NDArray[np.intp]:
        check_is_fitted(self)
        X = checked_data(self, X, reset=False)
        return np.stack([label_codes(member.predict(X), self.classes_) for member in self.estimators_])

    def _votes(self, X: Features) -> Floats:
        return votes(self._answers(X), self.estimator_weights_, len(self.classes_))

    def _stages(self, X: Features) -> Iterator[Floats]:
        return running_votes(self._answers(X), self.estimator_weights_, len(self.classes_))


class _Sampler:
    """Draws rows by weight, in an order given by their values, so that it does not matter how they were sorted."""

    def __init__(self, X: NDArray[Any], codes: Codes, given: Floats, rng: Any) -> None:
        self.X, self.codes = X, codes
        self._order = np.lexsort((codes, *X.T[::-1]))
        whole_numbers = (given == np.floor(given)).all()
        self.size = int(given.sum()) if whole_numbers else int((given > 0).sum())
        self._rng = rng

    def rows(self, w: Floats) -> NDArray[np.intp]:
        ends = np.cumsum(w[self._order])
        last = int(np.flatnonzero(w[self._order])[-1])
        place = np.searchsorted(ends, self._rng.random_sample(self.size) * ends[-1], side="right")
        return np.asarray(self._order[np.minimum(place, last)])

    def present(self, w: Floats) -> NDArray[np.intp]:
        """Every row that has a weight."""
        return np.asarray(self._order[w[self._order] > 0])

    def seed(self) -> np.random.SeedSequence:
        return np.random.SeedSequence(int(self._rng.randint(2**31 - 1)))


def _checked_weights(sample_weight: Values | None, n: int) -> Floats:
    if sample_weight is None:
        return np.ones(n)
    one = isinstance(sample_weight, int | float)
    weights = np.asarray(read_weights(np.full(n, sample_weight, dtype=float) if one else sample_weight), dtype=float)
    if len(weights) != n:
        problem = f"sample_weight has {len(weights):,} values and X {n:,} rows"
        raise InputError("length_mismatch", problem, cure="give one weight a row")
    return weights
