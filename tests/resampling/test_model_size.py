"""Sizes of fitted models, read from what learners have in common."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import evaluate_plan
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.model_size import size_of

X, Y = load_iris(return_X_y=True)


class Broken:
    @property
    def n_leaves_(self):
        raise RuntimeError("no leaves today")


class Ruled:
    rules_ = ("if", "else")


def test_trees_and_forests() -> None:
    tree = DecisionTreeClassifier(max_leaf_nodes=4, random_state=0).fit(X, Y)
    assert size_of(tree) == {"leaves": 4, "depth": tree.get_depth()}
    forest = RandomForestClassifier(3, random_state=0).fit(X, Y)
    leaves = sum(member.get_n_leaves() for member in forest.estimators_)
    assert size_of(forest)["members"] == 3
    assert size_of(forest)["leaves"] == leaves
    assert size_of(GradientBoostingClassifier(n_estimators=2).fit(X, Y))["members"] == 2 * 3  # one a class and round
    assert size_of(AdaBoostClassifier(n_estimators=2).fit(X, Y))["leaves"] == 2 * 2


def test_other_kinds() -> None:
    assert size_of(LogisticRegression(max_iter=1000).fit(X, Y)) == {"coefficients": 3 * 4}
    vectors = SVC().fit(X, Y)
    assert size_of(vectors) == {"support_vectors": len(vectors.support_)}
    assert size_of(Ruled()) == {"rules": 2}
    assert size_of(GaussianNB().fit(X, Y)) == {}


@pytest.mark.parametrize("fitted", [False, True])
def test_wrappers(fitted: bool) -> None:
    model = make_pipeline(StandardScaler(), GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}))
    assert size_of(model.fit(X, Y) if fitted else model) == ({"leaves": 2, "depth": 1} if fitted else {})


def test_what_cannot_be_read_costs_nothing() -> None:
    assert size_of(Broken()) == {}
    assert size_of(None) == {}


def test_folds_keep_it() -> None:
    plan = k_fold_plan(Y, folds=3, random_state=0)
    found = evaluate_plan(DecisionTreeClassifier(max_depth=2), Dataset.of(X, Y), plan)
    assert [found.notes[i]["size"]["depth"] for i in range(3)] == [2, 2, 2]  # type: ignore[union-attr]
    assert np.all([found.notes[i]["size"]["leaves"] <= 4 for i in range(3)])  # type: ignore[union-attr]
