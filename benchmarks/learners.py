"""Trees by the dozen: a random forest and bagging, each with its out-of-bag error, beside scikit-learn's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks.bench import Bench
from surefold.learners import Bagging, RandomForest

__all__ = ["benches"]

#: Out-of-bag errors further apart than this are not equal accuracy, and the benchmark does not count.
EQUAL = 0.005


def _rows() -> tuple[Any, Any]:
    """5e4 rows of two classes, 20 columns of which 10 inform and 4 repeat them, one label in twenty at random."""
    rows: tuple[Any, Any] = make_classification(
        50_000, 20, n_informative=10, n_redundant=4, flip_y=0.05, random_state=0
    )
    return rows


def _forest() -> Bench:
    X, y = _rows()
    errors: dict[str, float] = {}

    def ours() -> None:
        errors["ours"] = RandomForest(100, random_state=0, n_jobs=2).fit(X, y).oob_error_

    def theirs() -> None:
        peer = RandomForestClassifier(100, oob_score=True, random_state=0, n_jobs=2).fit(X, y)
        assert abs(1 - peer.oob_score_ - errors["ours"]) < EQUAL, errors

    return Bench(
        "forest",
        "100 trees with out-of-bag error, n = 5e4, 20 columns",
        "scikit-learn RandomForestClassifier(oob_score=True, n_jobs=2), equal error",
        5,
        ours,
        theirs,
        X.nbytes + y.nbytes,
    )


def _bagging() -> Bench:
    X, y = _rows()
    members, timed = 50, 10

    def ours() -> None:
        Bagging(n_estimators=members, oob=False, random_state=0, n_jobs=2).fit(X, y)

    def theirs() -> None:
        BaggingClassifier(DecisionTreeClassifier(), timed, random_state=0, n_jobs=2).fit(X, y)

    return Bench(
        "bagging",
        "50 full trees on bootstrap samples, n = 5e4, 20 columns",
        f"scikit-learn BaggingClassifier(DecisionTreeClassifier(), n_jobs=2) ({timed} of {members} trees timed)",
        4,
        ours,
        theirs,
        X.nbytes + y.nbytes,
        timed / members,
    )


def benches() -> Iterator[Bench]:
    yield _forest()
    yield _bagging()
