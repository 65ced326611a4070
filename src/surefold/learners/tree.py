"""DecisionTree: binary splits by Gini or entropy, with categories, missing values and pruning."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from surefold.errors import InputError, show
from surefold.estimates.proportion import BOUNDS
from surefold.given import Features, RandomState, Values
from surefold.learners.feature_columns import FeatureColumns, Floats
from surefold.learners.trees.nodes import Tree
from surefold.learners.trees.options import checked_name, checked_number, limits_of
from surefold.learners.trees.pruning import CostComplexityPath, Pruning, cost_path, prune_by_cost, prune_pessimistically
from surefold.learners.trees.text import Wording
from surefold.learners.trees.walking import leaves_of_trees

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from surefold.learners.trees.training_rows import TrainingRows

__all__ = ["DecisionTree", "check_options", "finished", "member_tree"]


class DecisionTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A binary decision tree.

    At each node the split that leaves the two sides purest, by Gini's index or by entropy. A node becomes a leaf when
    it has `leaf_size` rows or fewer, when the share of its largest class is at least `purity`, or when one of the other
    limits says so: `max_depth`, `min_samples_split`, `min_samples_leaf` (numbers of rows, or shares of all rows),
    `min_weight_fraction_leaf` (of all weight), `min_impurity_decrease` (of the split, weighted by the node's share).
    `max_features` is how many columns are tried at a node, drawn at random (a number, a share, "sqrt" or "log2"; None:
    all); drawing goes on while none of those drawn can split. Of equally good splits the first column's lowest wins.

    Numbers are split at the middle between neighbouring values. A column with more than 255 distinct values is cut into
    255 bins of nearly equal weight first, and split between bins. `categorical` says which columns are categories
    (names or numbers; "auto": those with text, bools or a categorical type); their levels are split into two sets: the
    best ones for two classes or up to ten levels, near the best beyond that. A missing value goes to the side that
    makes the split better; where none was missing in fitting, to the side with more rows. Missing is a level like
    others in a category; a level unknown to the split goes to the side with more weight.

    Weights that are all whole numbers (up to 1,000) count as that many rows; other weights weigh rows that count as
    one. `class_weight` multiplies them: "balanced", or a dict of label to weight.

    `prune="pessimistic"` replaces a subtree by a leaf where that does not raise the upper bound of the error, at
    one-sided confidence `prune_confidence`: Wilson's bound, or with `bound="c45"` the exact binomial one, which the
    program C4.5 approximates ("c45_program"), and WEKA in another way ("j48"); `pruning_` tells each decision.
    `prune="cost_complexity"` finds the smallest tree that is best for impurity + `ccp_alpha` x leaves; see
    `cost_complexity_path`.

    Probabilities are the class shares of a leaf; `smoothing="laplace"` adds one row of each class, "m_estimate" adds
    `m` rows with the shares of all rows. Ties go to the class that comes first in `classes_`.

    Once fitted: `classes_`, `tree_` (the nodes, as arrays), `n_leaves`, `depth`, `feature_importances_` (shares of the
    decrease of impurity), `pruning_`.

    >>> tree = DecisionTree().fit([[1.0], [2.0], [4.0], [5.0]], ["no", "no", "yes", "no"])
    >>> print(tree.export_text())
    x0 <= 3: no  (2 rows, error 0.000)
    x0 > 3
    |   x0 <= 4.5: yes  (1 row, error 0.000)
    |   x0 > 4.5: no  (1 row, error 0.000)

    Source: Breiman, Friedman, Olshen & Stone (1984), Classification and Regression Trees; Quinlan (1993), C4.5.
    """

    classes_: NDArray[Any]
    grown_: Tree
    tree_: Tree

    def __init__(
        self,
        criterion: Literal["gini", "entropy"] = "gini",
        leaf_size: int = 1,
        purity: float = 1.0,
        max_features: int | float | str | None = None,
        max_depth: int | None = None,
        min_samples_split: int | float = 2,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: float = 0.0,
        min_impurity_decrease: float = 0.0,
        class_weight: Any = None,
        prune: Literal["pessimistic", "cost_complexity"] | None = None,
        bound: Literal["wilson", "c45", "c45_program", "j48"] = "wilson",
        prune_confidence: float = 0.25,
        ccp_alpha: float = 0.0,
        smoothing: Literal["laplace", "m_estimate"] | None = None,
        m: float = 2.0,
        categorical: Any = None,
        random_state: RandomState = None,
    ) -> None:
        self.criterion = criterion
        self.leaf_size = leaf_size
        self.purity = purity
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.min_impurity_decrease = min_impurity_decrease
        self.class_weight = class_weight
        self.prune = prune
        self.bound = bound
        self.prune_confidence = prune_confidence
        self.ccp_alpha = ccp_alpha
        self.smoothing = smoothing
        self.m = m
        self.categorical = categorical
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    # fitting

    def fit(self, X: Features, y: Values, sample_weight: Values | None = None) -> Self:
        """Grow the tree from rows X of classes y, then prune it if asked. A row of weight zero is not there."""
        self.grown_ = self._grown(self._learn_rows(X, y, sample_weight))
        self.tree_, self.pruning_ = finished(self, self.grown_, lambda tree: self._wording(tree).questions())
        return self

    def _learn_rows(self, X: Features, y: Values, sample_weight: Values | None) -> TrainingRows:
        from surefold.learners.row_weights import row_weights
        from surefold.learners.trees.training_rows import TrainingRows, coded_classes

        check_options(self)
        self._columns, X, y = FeatureColumns.learn(self, X, y, self.categorical)
        self.classes_, codes = coded_classes(y)
        weights = row_weights(sample_weight, len(y))
        categorical = self._columns.categorical(X.shape[1])
        return TrainingRows.of(X, categorical, codes, self.classes_, weights, self.class_weight)

    def _grown(self, rows: TrainingRows) -> Tree:
        seed = int(check_random_state(self.random_state).randint(0, 2**31 - 1))
        limits = limits_of(self, rows.rows, self.n_features_in_)
        return rows.grow(limits, seed, None, rows.grows_compiled(limits))

    def cost_complexity_path(self, X: Features, y: Values, sample_weight: Values | None = None) -> CostComplexityPath:
        """The alphas at which the tree that these rows grow, before pruning, gets smaller; the model is not fitted."""
        probe = type(self)(**self.get_params())
        return cost_path(probe._grown(probe._learn_rows(X, y, sample_weight)), self.criterion)

    # asking

    def predict(self, X: Features) -> NDArray[Any]:
        """The class of the leaf that each row falls into."""
        leaves = self.apply(X)
        answers: NDArray[Any] = self.classes_[self.tree_.nodes["right"][leaves]]
        return answers

    def predict_proba(self, X: Features) -> Floats:
        """The class shares of each row's leaf, smoothed if asked, one column a class in the order of `classes_`."""
        leaves = self.apply(X)
        return self.tree_.shares(self.smoothing, self.m)[leaves]

    def apply(self, X: Features) -> NDArray[np.intp]:
        """The number of the leaf that each row falls into."""
        check_is_fitted(self)
        return next(leaves_of_trees([self.tree_], self._columns.read(self, X)))

    # reading

    @property
    def n_leaves(self) -> int:
        """How many leaves the fitted tree has."""
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def depth(self) -> int:
        """The most splits on the way to a leaf."""
        check_is_fitted(self)
        return self.tree_.depth

    @property
    def feature_importances_(self) -> Floats:
        """Each column's share of the decrease of impurity; zeros where nothing was split."""
        check_is_fitted(self)
        found = self.tree_.importances(self.criterion, self.n_features_in_)
        return found / found.sum() if found.sum() > 0 else found

    def wording(self) -> Wording:
        """The tree with the names of its columns, levels and classes."""
        check_is_fitted(self)
        return self._wording(self.tree_)

    def _wording(self, tree: Tree) -> Wording:
        names = getattr(self, "feature_names_in_", None)
        columns = [f"x{j}" for j in range(self.n_features_in_)] if names is None else [str(n) for n in names]
        levels = {j: self._columns.names(j) for j in self._columns.levels}
        return Wording(tree, columns, levels, [str(c) for c in self.classes_.tolist()])

    def rules(self) -> str:
        """One line a leaf: if ... then class, with its rows and share of errors."""
        return self.wording().rules()

    def export_text(self, max_depth: int | None = None) -> str:
        """The tree as an indented outline, down to `max_depth` splits."""
        return self.wording().outline(max_depth)

    def describe(self) -> str:
        """Size, training error and outline in a few lines."""
        words, t = self.wording(), self.tree_
        leaf = t.is_leaf
        error = float((t.error * t.weight)[leaf].sum() / t.weight[0])
        leaves = f"{t.n_leaves:,} lea{'f' if t.n_leaves == 1 else 'ves'}"
        head = f"{leaves}, depth {t.depth}, {int(t.rows[0]):,} rows, training error {error:.3f}"
        if self.prune == "pessimistic":
            head += f"; {sum(d.pruned for d in self.pruning_):,} of {len(self.pruning_):,} subtrees pruned"
        return f"{head}\n\n{words.outline(4)}"

    def plot(
        self,
        ax: Axes | None = None,
        *,
        max_depth: int = 4,
        title: object = "",
        dark: bool = False,
        pruning: bool = False,
    ) -> Axes:
        """Draw the tree with counts, class shares and errors; returns the axes.

        `pruning=True` draws it as it was before pessimistic pruning, with N, f and e of each node and the cuts marked.
        """
        from surefold.plots.tree import plot_of

        return plot_of(self, ax, max_depth=max_depth, title=title, dark=dark, pruning=pruning)


def check_options(model: DecisionTree) -> None:
    """Refuse options that do not make sense, before anything is read."""
    checked_name("prune", model.prune, (None, "pessimistic", "cost_complexity"))
    checked_name("bound", model.bound, BOUNDS)
    checked_name("smoothing", model.smoothing, (None, "laplace", "m_estimate"))
    checked_number("prune_confidence", model.prune_confidence, 0.0, 0.5, above=True)
    checked_number("ccp_alpha", model.ccp_alpha, 0.0, np.inf)
    checked_number("m", model.m, 0.0, np.inf)
    if model.ccp_alpha > 0 and model.prune != "cost_complexity":
        problem = f"ccp_alpha is {show(model.ccp_alpha)} and prune is {show(model.prune)}"
        raise InputError("bad_option", problem, cure="pass prune='cost_complexity', or leave ccp_alpha out")


def finished(model: DecisionTree, tree: Tree, questions: Callable[[Tree], list[str]]) -> tuple[Tree, Pruning]:
    """The tree after pruning, with the answers that smoothing gives; and what pruning decided.

    `questions` gives the text of each node's split.
    """
    decided = Pruning()
    if model.prune == "pessimistic":
        tree, decided = prune_pessimistically(tree, model.prune_confidence, model.bound, questions(tree))
    elif model.prune == "cost_complexity":
        tree = prune_by_cost(tree, model.criterion, model.ccp_alpha)
    if model.smoothing == "m_estimate":  # may prefer another class than the leaf's largest
        tree = tree.answering(tree.shares(model.smoothing, model.m).argmax(axis=1))
    return tree, decided


def member_tree(options: dict[str, Any], tree: Tree, owner: Any) -> DecisionTree:
    """A tree of an ensemble as a model of its own, with the columns and classes of the ensemble."""
    model = DecisionTree(**options)
    model.tree_, model.grown_, model.pruning_ = tree, tree, Pruning()
    model._columns, model.classes_, model.n_features_in_ = owner._columns, owner.classes_, owner.n_features_in_
    if hasattr(owner, "feature_names_in_"):
        model.feature_names_in_ = owner.feature_names_in_
    return model
