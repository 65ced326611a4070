"""RandomForest: trees from bootstrap samples that try a few columns, drawn anew, at every split."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from surefold.errors import InputError
from surefold.given import Features, RandomState, Values
from surefold.learners.feature_columns import FeatureColumns
from surefold.learners.tree import DecisionTree, member_tree
from surefold.learners.trees.many_trees import grow_trees, jobs_of, seeds_of
from surefold.learners.trees.options import checked_count, checked_name, limits_of
from surefold.learners.trees.out_of_bag import OutOfBag
from surefold.learners.trees.permuted import ColumnImportance, permuted_importance
from surefold.learners.votes import Floats, VotingEnsemble

if TYPE_CHECKING:
    from surefold.learners.trees.training_rows import TrainingRows

__all__ = ["RandomForest"]


class RandomForest(VotingEnsemble):
    """A random forest: `n_estimators` trees, each grown from rows drawn with replacement, that vote.

    At every split `max_features` columns are drawn and tried. Trees are not pruned; `leaf_size`, `purity` and the other
    limits, `categorical`, missing values and weights are those of `DecisionTree`. As many rows are drawn as there are,
    each with the same chance; a row drawn twice counts as two, times its weight.

    `voting="majority"`: each tree has one vote, and probabilities are shares of the votes. "average" adds up the class
    shares of the leaves instead; with pure leaves it is the same. Ties go to the class that comes first in `classes_`.

    `oob=True` lets each tree vote on the rows that it did not draw: `oob_error_` over rows with a vote, `oob_coverage_`
    (their share), `oob_votes_`, `oob_errors_` and `oob_coverages_` (by number of trees), `oob_member_errors_` (each
    tree alone), `oob_estimate()` (with its interval), and `oob_error("printed")`, in which a row without a vote counts
    as the first class.

    Trees grow in `n_jobs` threads, and the forest is the same for any number of them.

    >>> from sklearn.datasets import load_iris
    >>> forest = RandomForest(50, random_state=0).fit(*load_iris(return_X_y=True))
    >>> 0.02 < forest.oob_error_ < 0.08, forest.oob_coverage_
    (True, 1.0)

    Source: Breiman (2001), Random forests, Machine Learning 45.
    """

    def __init__(
        self,
        n_estimators: int = 100,
        max_features: int | float | str | None = "sqrt",
        leaf_size: int = 1,
        purity: float = 1.0,
        criterion: Literal["gini", "entropy"] = "gini",
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        voting: Literal["majority", "average"] = "majority",
        oob: bool = True,
        categorical: Any = None,
        random_state: RandomState = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_features = max_features
        self.leaf_size = leaf_size
        self.purity = purity
        self.criterion = criterion
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.voting = voting
        self.oob = oob
        self.categorical = categorical
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Features, y: Values, sample_weight: Values | None = None) -> Self:
        """Grow the trees from rows X of classes y. A row of weight zero is never drawn."""
        from surefold.learners.trees.training_rows import coded_classes

        members = checked_count("n_estimators", self.n_estimators, 1)
        checked_name("voting", self.voting, ("majority", "average"))
        self._columns, X, y = FeatureColumns.learn(self, X, y, self.categorical)
        self.classes_, codes = coded_classes(y)
        rows = self._rows(X, codes, sample_weight)
        limits = limits_of(self, rows.rows, X.shape[1])
        seeds = seeds_of(self.random_state, members)
        bag = OutOfBag(codes, len(self.classes_), rows.row_weight) if self.oob else None
        self.trees_ = grow_trees(rows, limits, seeds, jobs_of(self.n_jobs), bag)
        self._out_of_bag, self._seeds = bag, seeds
        return self

    def _rows(self, X: Floats, codes: NDArray[np.intp], sample_weight: Values | None) -> TrainingRows:
        from surefold.learners.row_weights import row_weights
        from surefold.learners.trees.training_rows import TrainingRows

        weights = row_weights(sample_weight, len(X))
        categorical = self._columns.categorical(X.shape[1])
        jobs = jobs_of(self.n_jobs)
        return TrainingRows.of(X, categorical, codes, self.classes_, weights, self.class_weight, jobs)

    # asking

    def _votes(self, X: Features) -> Floats:
        return self.trees_.votes(self._columns.read(self, X), jobs_of(self.n_jobs), self.voting == "average")

    def _votes_by_member(self, X: Features) -> Iterator[Floats]:
        ones = np.eye(len(self.classes_))
        for tree, leaves in self.trees_.leaves(self._columns.read(self, X)):
            yield ones[tree.nodes["right"][leaves]] if self.voting == "majority" else tree.shares()[leaves]

    # reading

    @property
    def estimators_(self) -> list[DecisionTree]:
        """The trees as fitted `DecisionTree`s."""
        check_is_fitted(self)
        shared = DecisionTree().get_params().keys() & self.get_params().keys() - {"random_state"}
        options = {name: getattr(self, name) for name in shared}
        return [member_tree(options, tree, self) for tree in self.trees_]

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the decrease of impurity, averaged over trees; see also `permutation_importance`."""
        check_is_fitted(self)
        mean = np.zeros(self.n_features_in_)
        for tree in self.trees_:
            found = tree.importances(self.criterion, self.n_features_in_)
            mean += found / found.sum() if found.sum() > 0 else found
        return mean / mean.sum() if mean.sum() > 0 else mean

    def permutation_importance(
        self, X: Features, y: Values, sample_weight: Values | None = None, *, random_state: RandomState = None
    ) -> ColumnImportance:
        """How much the error out of bag of a tree rises when a column's values are shuffled, averaged over trees.

        X, y and the weights must be those of the fit: which rows each tree did not draw is drawn again from its seed.
        """
        check_is_fitted(self)
        X = self._columns.read(self, X)
        y = np.asarray(y)
        codes = np.minimum(np.searchsorted(self.classes_, y), len(self.classes_) - 1)
        bag = self._bag()
        if y.shape != bag._codes.shape or (self.classes_[codes] != y).any() or (codes != bag._codes).any():
            problem = "these are not the rows that the forest was fitted to"
            raise InputError("bad_option", problem, cure="pass the X and y of the fit, in the same order")
        rows = self._rows(X, codes, sample_weight)
        names = getattr(self, "feature_names_in_", np.array([f"x{j}" for j in range(X.shape[1])]))
        seed = int(seeds_of(random_state, 1)[0])
        return permuted_importance(rows, self.trees_, self._seeds, seed, jobs_of(self.n_jobs), [str(n) for n in names])
