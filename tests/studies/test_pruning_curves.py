"""pruning_curves: errors by hand, alphas as CART chooses them, and what keeps a tree small."""

import json
import math

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from surefold.errors import InputError, UnknownNameError
from surefold.learners import DecisionTree, NaiveBayes
from surefold.studies.pruning.alpha import AlphaChosen, tried_alphas
from surefold.studies.pruning.curves import PruningCurves, pruning_curves

X, Y = make_classification(240, 5, n_informative=3, n_redundant=0, flip_y=0.2, random_state=0)


@pytest.fixture(scope="module")
def trees() -> PruningCurves:
    return pruning_curves(X, Y, parameters={"leaf_size": [1, 16], "ccp_alpha": [0.0, 0.02]}, folds=4, random_state=0)


@pytest.fixture(scope="module")
def others() -> PruningCurves:
    """Trees of scikit-learn, which need no compiling."""
    model = DecisionTreeClassifier(random_state=0)
    return pruning_curves(X, Y, estimator=model, parameters={"max_depth": [1, 3, None], "min_samples_leaf": [1, 20]},
                          folds=4, repeats=2, random_state=0)  # fmt: skip


def test_both_errors_by_hand(others: PruningCurves) -> None:
    """The same fits again, rows held out and rows trained on counted one by one."""
    for parameter, value in (("max_depth", 3), ("min_samples_leaf", 20)):
        held_out, own = [], np.full((2, 4, len(Y)), np.nan)
        for i in range(8):
            train = others.plan.train(i)
            test = np.setdiff1d(np.arange(len(Y)), train)
            model = DecisionTreeClassifier(random_state=0, **{parameter: value}).fit(X[train], Y[train])
            held_out.append(np.mean(model.predict(X[test]) != Y[test]))
            own[i // 4, i % 4, train] = model.predict(X[train]) != Y[train]
        point = others.at(parameter, value)
        assert point.values.tolist() == pytest.approx(held_out)
        assert point.held_out.value == pytest.approx(np.mean(held_out))
        assert point.training.value == pytest.approx(np.nanmean(np.nanmean(own, axis=1)))
        assert "optimistic" in point.training.flags


def test_a_free_tree_learns_its_rows_by_heart(others: PruningCurves) -> None:
    free, stump = others.at("max_depth", None), others.at("max_depth", 1)
    assert free.training.value == 0
    assert free.training.high > 0  # never of zero width
    assert free.held_out.value > 0.1
    assert stump.training.value > 0.1
    assert stump.leaves == 2
    gap = others.change("max_depth", None, since=1)
    assert gap.value == pytest.approx(free.held_out.value - stump.held_out.value)
    assert others.best_of("max_depth").held_out.value == min(p.held_out.value for p in others["max_depth"])
    assert others.best in others.points
    assert others.ways == {}


def test_folds_are_those_of_all_others(others: PruningCurves) -> None:
    """Each row is left out once a repeat, and the classes keep their shares."""
    left_out = np.array([np.isin(np.arange(len(Y)), others.plan.train(i), invert=True) for i in range(8)])
    assert (left_out[:4].sum(axis=0) == 1).all()
    assert (left_out[4:].sum(axis=0) == 1).all()
    shares = [Y[rows].mean() for rows in left_out]
    assert np.ptp(shares) <= 2 / 60


def test_parameters_that_need_another(trees: PruningCurves) -> None:
    """ccp_alpha asks for prune="cost_complexity": 0 is the whole tree, as grown, and 0.02 a smaller one."""
    whole, small = trees["ccp_alpha"]
    assert whole.leaves > 3 * small.leaves
    model = DecisionTree(prune="cost_complexity", ccp_alpha=0.02)
    train = trees.plan.train(2)
    test = np.setdiff1d(np.arange(len(Y)), train)
    wrong = np.mean(model.fit(X[train], Y[train]).predict(X[test]) != Y[test])
    assert small.values[2] == pytest.approx(wrong)


def test_ways_of_pruning(trees: PruningCurves) -> None:
    assert list(trees.ways) == ["none", "pessimistic", "pessimistic_c45", "cost_complexity"]
    none, pessimistic, c45, cost = trees["prune"]
    assert none.values.tolist() == trees.at("leaf_size", 1).values.tolist()
    assert none.training.value == 0
    assert none.leaves >= pessimistic.leaves > c45.leaves
    assert cost.leaves < none.leaves
    assert len(trees.differences) == 6
    first = trees.differences[1]
    assert (first.first, first.second) == ("none", "pessimistic_c45")
    assert first.effect.value == pytest.approx(none.held_out.value - c45.held_out.value)


def test_alpha_is_chosen_as_cart_does() -> None:
    """Against trees of scikit-learn pruned alpha by alpha over folds: the errors of both fall and rise alike, so the
    chosen tree is of the same size or nearly."""
    ours = AlphaChosen(DecisionTree(), random_state=0).fit(X, Y)
    path = DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(X, Y).ccp_alphas
    errors = np.zeros(len(path))
    for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, Y):
        for i, alpha in enumerate(path):
            model = DecisionTreeClassifier(ccp_alpha=max(alpha, 0), random_state=0).fit(X[train], Y[train])
            errors[i] += np.sum(model.predict(X[test]) != Y[test])
    best = path[np.flatnonzero(errors == errors.min())[-1]]
    theirs = DecisionTreeClassifier(ccp_alpha=best, random_state=0).fit(X, Y)
    assert ours.ccp_alpha_ > 0
    assert abs(ours.estimator_.n_leaves - theirs.get_n_leaves()) <= 8
    assert ours.predict(X).shape == (240,)
    assert ours.predict_proba(X).shape == (240, 2)
    smaller = AlphaChosen(DecisionTree(), one_se=True, random_state=0).fit(X, Y)
    assert smaller.ccp_alpha_ >= ours.ccp_alpha_


def test_tried_alphas() -> None:
    path = np.array([0.0, 0.01, 0.04, 0.16])
    assert tried_alphas(path).tolist() == pytest.approx([0, math.sqrt(0.0004), math.sqrt(0.0064), 0.16])
    assert tried_alphas(np.array([0.0])).tolist() == [0]
    many = tried_alphas(np.linspace(0, 1, 1000), most=7)
    assert (len(many), many[0], many[-1]) == (7, 0, 1)


def test_defaults_are_those_that_the_tree_has() -> None:
    iris, kinds = load_iris(return_X_y=True)
    found = pruning_curves(iris, kinds, estimator=DecisionTreeClassifier(random_state=0), folds=3, random_state=0)
    assert list(found.curves) == ["max_depth"]
    with pytest.raises(InputError, match="parameters="):
        pruning_curves(iris, kinds, estimator=NaiveBayes())


def test_telling(trees: PruningCurves, others: PruningCurves) -> None:
    told = json.loads(json.dumps(trees.to_dict(), allow_nan=False))
    assert [p["value"] for p in told["curves"]["leaf_size"]] == [1, 16]
    assert set(told["ways"]) == set(trees.ways)
    frame = others.to_frame()
    assert frame.shape[0] == 2 * 5
    assert frame["rows"].to_list()[:2] == ["held out", "training"]
    text = " ".join(str(others).split())
    assert "240 rows, 4 folds, 2 times" in text
    assert f"{others.best.name} has the least held-out error" in text
    assert "none \N{MINUS SIGN} pessimistic " in str(trees)


def test_a_fit_that_fails_is_told() -> None:
    found = pruning_curves(X, Y, estimator=DecisionTreeClassifier(), parameters={"max_depth": [2, -3]}, folds=3,
                           random_state=0, retries=0)  # fmt: skip
    bad = found.at("max_depth", -3)
    assert not bad.held_out.defined
    assert "max_depth" in bad.held_out.reason
    assert found.best.value == 2
    assert "Undefined: max_depth = -3" in str(found)
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("parameters", "error"),
    [
        ({"leafsize": [1]}, UnknownNameError),
        ({"max_depth": []}, InputError),
        ({"max_depth": [1, 1]}, InputError),
        ({"max_depth": 3}, InputError),
        ([1, 2], InputError),
    ],
)
def test_refusals(parameters, error) -> None:
    with pytest.raises(error):
        pruning_curves(X, Y, estimator=DecisionTreeClassifier(), parameters=parameters)


def test_unknown_names(others: PruningCurves) -> None:
    with pytest.raises(UnknownNameError):
        others["prune"]
    with pytest.raises(UnknownNameError):
        others.at("max_depth", 99)
