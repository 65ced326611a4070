"""Populations and quick learners for the simulations over folds: every split of one data set is fitted at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .coverage import Array

Labels = NDArray[np.bool_]


class Learner(Protocol):
    """Labels of each split's model (splits x rows of `at`).

    `weights` is how often each row is in the split's training part; where `asked` is given only those labels matter.
    """

    def __call__(self, X: Array, y: Labels, weights: Array, at: Array, asked: Labels | None = None) -> Labels: ...


#: Neighbours looked at before those outside the training part are dropped.
_NEAREST = 60


@dataclass(frozen=True)
class Design:
    """Where rows come from: two classes, `features` columns of which the first few matter.

    "normal": class means `gap` apart in the first two columns. "skewed": the same on exponential columns. "squares":
    the class is the sign of the product of two columns, and a share `gap` of labels is flipped.
    """

    name: str
    kind: str
    features: int
    gap: float
    positive: float = 0.5

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Array, Labels]:
        """Rows with both classes among them at least three times."""
        while True:
            if self.kind == "squares":
                X = rng.uniform(-1, 1, (n, self.features))
                y = (X[:, 0] * X[:, 1] > 0) ^ (rng.random(n) < self.gap)
            else:
                y = rng.random(n) < self.positive
                noise = rng.normal(size=(n, self.features))
                X = noise if self.kind == "normal" else rng.exponential(size=(n, self.features))
                X[:, :2] += np.where(y, self.gap, 0.0)[:, None] / np.sqrt(2)
            if min(y.sum(), n - y.sum()) >= 3:
                return X, y


def logistic(X: Array, y: Labels, weights: Array, at: Array, asked: Labels | None = None) -> Labels:
    """Logistic regression with a little shrinkage, by Newton's steps on all splits at once."""
    A, target = _with_one(X), y.astype(float)
    p = A.shape[1]
    beta = np.zeros((len(weights), p))
    squares = (A[:, :, None] * A[:, None, :]).reshape(len(A), p * p)
    ridge = 0.01 * np.eye(p)
    for _ in range(8):
        chance = 1 / (1 + np.exp(-np.clip(beta @ A.T, -30, 30)))
        slope = (weights * (target - chance)) @ A - beta @ ridge
        bend = ((weights * chance * (1 - chance)) @ squares).reshape(-1, p, p) + ridge
        beta += np.clip(np.linalg.solve(bend, slope[:, :, None])[:, :, 0], -3, 3)
    return np.asarray(beta @ _with_one(at).T > 0)


def discriminant_line(X: Array, y: Labels, weights: Array) -> tuple[Array, Array]:
    """Slope and cut of Fisher's linear discriminant for each split, with the classes' shares as prior."""
    p = X.shape[1]
    squares = (X[:, :, None] * X[:, None, :]).reshape(len(X), p * p)
    total, spread, means, sizes = weights.sum(1), (weights @ squares).reshape(-1, p, p), [], []
    for side in (y, ~y):
        w = weights * side
        sizes.append(w.sum(1))
        means.append(w @ X / sizes[-1][:, None])
        spread = spread - sizes[-1][:, None, None] * means[-1][:, :, None] * means[-1][:, None, :]
    pooled = spread / (total - 2)[:, None, None] + 1e-6 * np.eye(p)
    slope = np.linalg.solve(pooled, (means[0] - means[1])[:, :, None])[:, :, 0]
    return slope, (slope * (means[0] + means[1])).sum(1) / 2 - np.log(sizes[0] / sizes[1])


def discriminant(X: Array, y: Labels, weights: Array, at: Array, asked: Labels | None = None) -> Labels:
    slope, cut = discriminant_line(X, y, weights)
    return np.asarray(slope @ at.T > cut[:, None])


def neighbours(k: int) -> Learner:
    """The k nearest rows vote; a row drawn twice votes twice."""

    def labels(X: Array, y: Labels, weights: Array, at: Array, asked: Labels | None = None) -> Labels:
        rows, points = X.astype(np.float32), at.astype(np.float32)
        apart = (rows**2).sum(1) - 2 * points @ rows.T  # less what is the same for all rows
        if at is X:
            np.fill_diagonal(apart, -np.inf)
        nearest = min(_NEAREST, len(X)) if len(weights) > 1 else k
        order = np.argpartition(apart, nearest - 1, axis=1)[:, :nearest]
        order = np.take_along_axis(order, np.argsort(np.take_along_axis(apart, order, axis=1), axis=1), axis=1)
        answer = np.zeros((len(weights), len(at)), dtype=bool)
        for split, w in enumerate(weights):
            here = slice(None) if asked is None else np.flatnonzero(asked[split])
            near = order[here]
            votes = w[near]
            reached = np.cumsum(votes, axis=1)
            counted = np.minimum(reached, k) - np.minimum(reached - votes, k)
            answer[split, here] = 2 * (counted * y[near]).sum(1) > np.minimum(reached[:, -1], k)
        return answer

    return labels


def tree(X: Array, y: Labels, weights: Array, at: Array, asked: Labels | None = None) -> Labels:
    """A full decision tree, as unstable as learners get."""
    from sklearn import config_context
    from sklearn.tree import DecisionTreeClassifier

    small, where, target = X.astype(np.float32), at.astype(np.float32), y.astype(np.intp)
    answer = np.empty((len(weights), len(at)), dtype=bool)
    model = DecisionTreeClassifier(random_state=0)
    with config_context(skip_parameter_validation=True, assume_finite=True):
        for split, w in enumerate(weights):
            used = w > 0
            fitted = model.fit(small[used], target[used], sample_weight=w[used], check_input=False)
            leaves = fitted.tree_.predict(where).reshape(len(where), -1)
            answer[split] = leaves[:, 1] > leaves[:, 0] if leaves.shape[1] > 1 else bool(fitted.classes_[0])
    return answer


def _with_one(X: Array) -> Array:
    return np.column_stack([np.ones(len(X)), X])


LEARNERS: dict[str, Learner] = {
    "logistic": logistic,
    "discriminant": discriminant,
    "tree": tree,
    "5 neighbours": neighbours(5),
    "1 neighbour": neighbours(1),
}
