"""Bagging: the same learner fitted to bootstrap samples, and a vote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from surefold.errors import InputError, show
from surefold.given import Features, RandomState, Values
from surefold.learners.feature_columns import FeatureColumns
from surefold.learners.tree import DecisionTree, check_options, finished, member_tree
from surefold.learners.trees.many_trees import grow_trees, jobs_of, seeds_of
from surefold.learners.trees.nodes import Tree
from surefold.learners.trees.options import checked_count, checked_name, checked_number, limits_of
from surefold.learners.trees.out_of_bag import OutOfBag
from surefold.learners.votes import Floats, VotingEnsemble
from surefold.resampling.classifier import Classifier

__all__ = ["Bagging"]

#: A sample that holds one class only is drawn again, up to this many times.
DRAWS = 20


class Bagging(VotingEnsemble):
    """`n_estimators` copies of a classifier, each fitted to rows drawn with replacement, that vote.

    `estimator` is any classifier; None is `DecisionTree()`. Trees share one binned matrix and grow in `n_jobs` threads;
    other classifiers are cloned and fitted by joblib. `sample_size` is how many rows are drawn (a number, or a share of
    the rows). Every row has the same chance, and a row drawn twice counts as two, times its weight. A sample with one
    class only is drawn again, but not for trees, which can do with one.

    `voting="majority"`: each member has one vote, and probabilities are shares of the votes; "average" adds up the
    members' probabilities instead. Ties go to the class that comes first in `classes_`. For two classes `decision` is
    the vote as a sum of signs and `sign_losses` its losses, in which a tie has sign 0.

    `oob=True` lets each member vote on the rows that it did not draw: `oob_error_` over rows with a vote,
    `oob_coverage_` (their share), `oob_votes_`, `oob_errors_` (by number of members), `oob_estimate()`.

    >>> X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
    >>> bag = Bagging(n_estimators=25, random_state=0).fit(X, [-1, -1, -1, 1, 1, 1])
    >>> bag.predict([[0.5], [4.5]]).tolist(), bag.decision([[0.0], [5.0]]).tolist()
    ([-1, 1], [-23.0, 23.0])

    Source: Breiman (1996), Bagging predictors, Machine Learning 24.
    """

    _members: list[Any] | None

    def __init__(
        self,
        estimator: Classifier | None = None,
        n_estimators: int = 10,
        sample_size: int | float = 1.0,
        voting: Literal["majority", "average"] = "majority",
        oob: bool = True,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.sample_size = sample_size
        self.voting = voting
        self.oob = oob
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = DecisionTree() if self.estimator is None else self.estimator
        tags.input_tags.allow_nan = get_tags(base).input_tags.allow_nan
        return tags

    def fit(self, X: Features, y: Values, sample_weight: Values | None = None) -> Self:
        """Fit every member to its own sample of rows X with classes y. A row of weight zero is never drawn."""
        checked_count("n_estimators", self.n_estimators, 1)
        checked_name("voting", self.voting, ("majority", "average"))
        base = DecisionTree() if self.estimator is None else self.estimator
        if not hasattr(base, "fit") or not hasattr(base, "predict"):
            raise InputError("bad_model", f"estimator is {show(base)}", cure="give a classifier with fit and predict")
        if type(base) is DecisionTree:
            self._grow(base, X, y, sample_weight)
        else:
            self._fit_clones(base, X, y, sample_weight)
        return self

    def _seeds(self) -> NDArray[np.int64]:
        """One for each member."""
        return seeds_of(self.random_state, self.n_estimators)

    def _draws(self, rows: int) -> int:
        if isinstance(self.sample_size, (float, np.floating)):
            return max(1, round(checked_number("sample_size", self.sample_size, 0.0, np.inf, above=True) * rows))
        return checked_count("sample_size", self.sample_size, 1)

    # trees

    def _grow(self, base: DecisionTree, X: Features, y: Values, sample_weight: Values | None) -> None:
        from surefold.learners.row_weights import row_weights
        from surefold.learners.trees.training_rows import TrainingRows, coded_classes

        seeds = self._seeds()
        check_options(base)
        self._columns, X, y = FeatureColumns.learn(self, X, y, base.categorical)
        self.classes_, codes = coded_classes(y)
        jobs = jobs_of(self.n_jobs)
        weights = row_weights(sample_weight, len(y))
        categorical = self._columns.categorical(X.shape[1])
        rows = TrainingRows.of(X, categorical, codes, self.classes_, weights, base.class_weight, jobs)
        bag = OutOfBag(codes, len(self.classes_), rows.row_weight) if self.oob else None
        limits = limits_of(base, rows.rows, X.shape[1])
        self._base = clone(base)
        pruned = base.prune is not None or base.smoothing is not None

        def finish(tree: Tree) -> Tree:
            return finished(base, tree, lambda t: [""] * len(t))[0]

        self.trees_ = grow_trees(
            rows, limits, seeds, jobs, bag, self._draws(len(rows.pool)), finish if pruned else None
        )
        self._out_of_bag, self._members = bag, None

    # other classifiers

    def _fit_clones(self, base: Classifier, X: Features, y: Values, sample_weight: Values | None) -> None:
        from surefold.learners.row_weights import row_weights
        from surefold.learners.trees.training_rows import coded_classes

        seeds = self._seeds()
        X, y = self._checked(X, y)
        self.classes_, codes = coded_classes(y)
        weights = row_weights(sample_weight, len(y))
        if weights is not None and not has_fit_parameter(base, "sample_weight"):
            raise InputError("bad_model", f"{type(base).__name__} does not take sample_weight", cure="leave it out")
        pool = np.arange(len(y)) if weights is None else np.flatnonzero(weights > 0)
        rows = _Pool(X, y, codes, weights, pool, self._draws(len(pool)), self.oob)
        fitted = Parallel(n_jobs=self.n_jobs)(delayed(rows.fit)(clone(base), int(seed)) for seed in seeds)
        self._members = [member for member, _ in fitted]
        self._out_of_bag = None
        if self.oob:
            bag = OutOfBag(codes, len(self.classes_), np.ones(len(y)) if weights is None else weights)
            for _, answers in fitted:
                bag.add(answers)
            self._out_of_bag = bag

    def _checked(self, X: Features, y: Any) -> tuple[Any, NDArray[Any]]:
        """Arrays are checked; a frame stays one, for members that read columns by name."""
        if hasattr(X, "columns"):
            y = validate_data(self, X="no_validation", y=y)
            validate_data(self, X, skip_check_array=True)
            return X, y
        checked: tuple[Any, NDArray[Any]] = validate_data(self, X, y, dtype=None, ensure_all_finite=False)
        return checked

    # asking

    def _votes(self, X: Features) -> Floats:
        if self._members is None and not (self.voting == "average" and self._base.smoothing):
            return self.trees_.votes(self._columns.read(self, X), jobs_of(self.n_jobs), self.voting == "average")
        votes = np.zeros(1)
        for more in self._votes_by_member(X):
            votes = votes + more
        return votes

    def _votes_by_member(self, X: Any) -> Iterator[Floats]:
        ones = np.eye(len(self.classes_))
        if self._members is None:
            how = (self._base.smoothing, self._base.m)
            for tree, leaves in self.trees_.leaves(self._columns.read(self, X)):
                yield ones[tree.nodes["right"][leaves]] if self.voting == "majority" else tree.shares(*how)[leaves]
            return
        if hasattr(X, "columns"):
            validate_data(self, X, skip_check_array=True, reset=False)
        else:
            X = validate_data(self, X, dtype=None, ensure_all_finite=False, reset=False)
        for member in self._members:
            if self.voting == "majority":
                yield ones[np.searchsorted(self.classes_, member.predict(X))]
            else:
                shares = np.zeros((len(X), len(self.classes_)))
                shares[:, np.searchsorted(self.classes_, member.classes_)] = member.predict_proba(X)
                yield shares

    @property
    def estimators_(self) -> list[Any]:
        """The fitted members."""
        check_is_fitted(self)
        if self._members is not None:
            return self._members
        options = self._base.get_params()
        return [member_tree(options, tree, self) for tree in self.trees_]


def _taken(X: Any, rows: NDArray[np.intp]) -> Any:
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]


@dataclass(frozen=True, eq=False)
class _Pool:
    """Rows that each member draws so many of, those of weight above zero; with `oob` it answers for the others."""

    X: Features
    y: NDArray[Any]
    codes: NDArray[np.intp]
    weights: Floats | None
    pool: NDArray[np.intp]
    draws: int
    oob: bool

    def fit(self, model: Any, seed: int) -> tuple[Any, NDArray[np.intp]]:
        """A member fitted to its sample, and its answers for the rows it did not draw."""
        X, y, codes, weights = self.X, self.y, self.codes, self.weights
        rng = np.random.default_rng(seed)
        several = len(np.unique(codes[self.pool])) > 1
        for _ in range(DRAWS):
            rows = np.sort(rng.choice(self.pool, self.draws))
            if not several or (codes[rows] != codes[rows[0]]).any():
                break
        if "random_state" in model.get_params():
            model.set_params(random_state=int(rng.integers(2**31)))
        if weights is None:
            model.fit(_taken(X, rows), y[rows])
        else:
            model.fit(_taken(X, rows), y[rows], sample_weight=weights[rows])
        answers = np.full(len(y), -1)
        unused = np.setdiff1d(np.arange(len(y)), rows)
        if self.oob and len(unused):
            classes = np.unique(y)
            answers[unused] = np.searchsorted(classes, model.predict(_taken(X, unused)))
        return model, answers
