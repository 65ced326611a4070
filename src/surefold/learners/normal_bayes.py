"""What the two normal Bayes classifiers share: fitting, changing a fitted model row by row, and asking it."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from surefold.errors import InputError, show
from surefold.given import Features, Values
from surefold.learners.bayes_options import checked_share, log_priors
from surefold.learners.checked_features import checked_data
from surefold.learners.class_sums import ClassSums, Floats
from surefold.learners.held_out import held_out
from surefold.learners.normals import Normals, normalised, row_max, row_sums
from surefold.learners.row_weights import row_weights
from surefold.learners.singular import singular_classes, why_singular

__all__ = ["NormalBayes"]


class NormalBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A normal density for each class, and Bayes' rule: the answer is the class with the largest prior times density.

    Subclasses say what the density looks like. See `FullBayes` and `NaiveBayes`.
    """

    class_count_: Floats
    class_prior_: Floats
    means_: Floats
    classes_: NDArray[Any]

    _full: bool
    _singular_cure: str

    def __init__(self, priors: Any = None, shrinkage: float = 0.0, ridge: float = 0.0) -> None:
        self.priors = priors
        self.shrinkage = shrinkage
        self.ridge = ridge

    # what a subclass says

    @abstractmethod
    def _normals(self, sums: ClassSums) -> Normals:
        """The densities that these sums give, with shrinkage and ridge; singular ones are not refused here."""

    @abstractmethod
    def _show_spread(self, normals: Normals) -> None:
        """Set the public attribute that holds the variances."""

    # fitting

    def fit(self, X: Any, y: Any, sample_weight: Values | None = None) -> Self:
        """Fit to rows X of classes y. A row of weight two counts as two rows; one of weight zero is not there."""
        self._check_options()
        X, y = checked_data(self, X, y, ensure_min_samples=2)
        _check_labels(y)
        classes, codes = np.unique(y, return_inverse=True)
        return self._learn(X, (classes, codes), row_weights(sample_weight, len(X)))

    def add_rows(self, X: Features, y: Values, sample_weight: Values | None = None) -> Self:
        """Add rows to a fitted model; it is then the one that fitting to all of them gives.

        The classes stay those of the fit: a label that is not among them is refused. So is whatever `fit` refuses, and
        the model is then as it was before.
        """
        more = self._sums_of(X, y, sample_weight)
        return self._settle(self._sums.plus(more))

    def remove_rows(self, X: Features, y: Values, sample_weight: Values | None = None) -> Self:
        """Take rows out of a fitted model that were fitted or added before; it is then the one fitted to the others.

        A class may lose all its rows: it keeps its place in `classes_`, with probability zero. More rows than a class
        has are refused, and the model is then as it was before. That the rows were there, only the caller knows.
        """
        less = self._sums_of(X, y, sample_weight)
        have = self._sums
        over = (less.rows > have.rows) | (less.count > have.count * (1 + 1e-9))
        if over.any():
            c = int(np.flatnonzero(over)[0])
            unit, there, gone = "rows", float(have.rows[c]), float(less.rows[c])
            if gone <= there:
                unit, there, gone = "weight", float(have.count[c]), float(less.count[c])
            problem = (
                f"{gone:g} {unit} of class {show(self.classes_.tolist()[c])} cannot be removed: the model has {there:g}"
            )
            cure = "remove rows that were fitted or added, each once"
            raise InputError("too_few_of_a_class", problem, cure=cure)
        left = have.minus(less)
        if not left.count.any():
            raise InputError("no_rows", "removing these rows leaves none", cure="keep at least one class")
        return self._settle(left)

    def _learn(
        self,
        X: Floats,
        coded: tuple[NDArray[Any], NDArray[np.intp]],
        weights: Floats | None = None,
        names: NDArray[Any] | None = None,
    ) -> Self:
        """Fit to what has been checked: rows, and the classes with the code of each row.

        `names` are those of the features, where `feature_names_in_` does not say.
        """
        self.classes_, codes = coded
        return self._settle(ClassSums.of(X, codes, len(self.classes_), weights, self._full), names)

    def _settle(self, sums: ClassSums, names: NDArray[Any] | None = None) -> Self:
        """Make these sums the model, or refuse them and change nothing."""
        normals = self._normals(sums)
        log_prior = log_priors(self.priors, sums.count, self.classes_)
        bad = singular_classes(sums, normals, not self.shrinkage and not self.ridge)
        if bad.any():
            c = int(np.flatnonzero(bad)[0])
            names = getattr(self, "feature_names_in_", names)
            problem = why_singular(c, self.classes_.tolist()[c], sums, normals, names)
            raise InputError("singular_class", problem, cure=self._singular_cure)
        self._sums = sums
        self._densities = normals
        self._log_prior = log_prior
        self.class_count_ = sums.count
        self.class_prior_ = np.exp(log_prior)
        self.means_ = normals.mean
        self._show_spread(normals)
        return self

    def _sums_of(self, X: Any, y: Any, sample_weight: Values | None) -> ClassSums:
        check_is_fitted(self)
        X, y = checked_data(self, X, y, reset=False)
        classes = self.classes_
        try:
            codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
            unknown = classes[codes] != y
        except TypeError:  # labels of another kind do not even compare
            unknown = np.ones(len(y), dtype=bool)
        if np.any(unknown):
            rows = np.flatnonzero(unknown)
            problem = f"y holds {show(y.tolist()[rows[0]])}, which is no class of the fitted model"
            cure = "fit again to all rows"
            raise InputError("unknown_label", problem, rows=(rows + 1)[:3].tolist(), count=len(rows), cure=cure)
        return ClassSums.of(X, codes, len(classes), row_weights(sample_weight, len(X)), self._full)

    def _check_options(self) -> None:
        checked_share("shrinkage", self.shrinkage, most=1.0)
        checked_share("ridge", self.ridge, most=np.inf)

    # asking

    def predict(self, X: Features) -> NDArray[Any]:
        """The most probable class of each row; of equally probable ones the first in `classes_`."""
        joint = self._joint(self._asked(X))
        answers: NDArray[Any] = self.classes_[joint.argmax(axis=1)]
        return answers

    def predict_proba(self, X: Features) -> Floats:
        """The probability of each class, one column a class in the order of `classes_`."""
        return normalised(self._joint(self._asked(X)))

    def predict_log_proba(self, X: Features) -> Floats:
        """The logarithm of each probability, also where the probability itself is too small for a number."""
        joint = self._joint(self._asked(X))
        joint -= row_max(joint)[:, None]
        return np.asarray(joint - np.log(row_sums(np.exp(joint)))[:, None])

    def _asked(self, X: Features) -> Floats:
        check_is_fitted(self)
        checked: Floats = checked_data(self, X, reset=False)
        return checked

    def _joint(self, X: Floats) -> Floats:
        """Log prior plus log density."""
        joint = self._densities.log_density(X)
        joint += self._log_prior
        far = ~np.isfinite(row_max(joint))
        if far.any():  # beyond 1e154 standard deviations squares overflow; only the direction matters out there
            joint[far] = self._joint(X[far] * 1e-50)
        return joint

    # held out

    def held_out_proba(
        self, X: Any, y: NDArray[Any], test_rows: NDArray[np.int64], test_starts: NDArray[np.int64]
    ) -> Floats:
        """Probabilities of each tested row from the model fitted to all rows outside its split, without refitting.

        The tested rows are taken out of the class sums; leave-one-out without shrinkage and ridge is a closed form.
        The answer is the one that refitting gives: a class without training rows has probability zero, a class that
        becomes singular raises the error that `fit` would raise. A split whose tested rows hold nearly all of a class's
        scatter, so that taking them out would cost digits, is refitted. This model is not changed.
        """
        self._check_options()
        names = None
        if not _plainly_valid(X, y):
            probe = type(self)()
            X, y = checked_data(probe, X, y, ensure_min_samples=2)
            _check_labels(y)
            names = getattr(probe, "feature_names_in_", None)
        return held_out(self, X, y, np.asarray(test_rows), np.asarray(test_starts), names)


def _check_labels(y: NDArray[Any]) -> None:
    if y.dtype.kind not in "biuU":  # whole numbers and text name classes whatever they are
        check_classification_targets(y)


def _plainly_valid(X: Features, y: Values) -> bool:
    """Whether X and y are so plainly what fit accepts that checking them in full can be spared."""
    return (
        type(X) is np.ndarray
        and type(y) is np.ndarray
        and X.dtype == np.float64
        and y.dtype.kind in "biuU"
        and X.ndim == 2
        and y.shape == X.shape[:1]
        and X.shape[0] > 1
        and X.shape[1] > 0
        and bool(np.isfinite(X.sum()))
    )
