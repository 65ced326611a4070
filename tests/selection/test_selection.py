"""select: every level by name, the rows it uses, the fits it costs, what it claims and what can be believed."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.cross_validated import corrected_interval
from surefold.estimates.proportion import wilson
from surefold.learners import NaiveBayes
from surefold.selection.levels import LEVELS

X, Y = load_wine(return_X_y=True)


NAMES = np.array(["barolo", "grignolino", "barbera"])[Y]


TREE = (DecisionTreeClassifier(), {"max_depth": [1, 2, 4, None]})


MODELS = {"bayes": NaiveBayes(), "tree": TREE}


def choose(**options: Any) -> sf.Selection:
    return sf.select(options.pop("models", MODELS), X, NAMES, random_state=0, **{"folds": 5, **options})


@pytest.fixture(scope="module")
def nested() -> sf.Selection:
    return choose(strategy="nested", outer_folds=4)


@pytest.mark.parametrize(
    ("strategy", "candidates", "fits"),
    [
        ("zero", 2, 2 + 1),
        ("quick", 2, 2 + 1),
        ("standard", 5, 5 + 1),
        ("train_validation_test", 5, 5 + 1 + 1),
        ("cross_validation", 5, 5 * 5 + 1 + 1),
        ("nested", 5, 4 * (5 * 5 + 1) + 5 * 5 + 1),
    ],
)
def test_every_level_tells_its_fits_beforehand_and_keeps_to_them(strategy: str, candidates: int, fits: int) -> None:
    plan = sf.plan_selection(MODELS, X, NAMES, strategy=strategy, folds=5, outer_folds=4, random_state=0)
    assert (len(plan.candidates), plan.fits) == (candidates, fits)
    assert f"{fits:,} fit" in plan.line
    s = choose(strategy=strategy, outer_folds=4)
    assert (s.fits, s.planned_fits, s.fits_saved, len(s)) == (fits, fits, 0, candidates)
    assert s.words[:3] == plan.words
    assert f"Cost: {fits} fits." in s.words
    assert (s.estimator.predict(X) == NAMES).mean() > 0.6


def test_the_levels_are_all_there_by_name() -> None:
    assert list(LEVELS) == ["zero", "quick", "standard", "train_validation_test", "cross_validation", "nested"]
    with pytest.raises(UnknownNameError, match="did you mean 'nested'"):
        choose(strategy="nestd")


def test_zero_tests_the_rows_it_trained_on_and_says_so() -> None:
    s = sf.select(KNeighborsClassifier(1), X, NAMES, strategy="zero", random_state=0)
    assert s.estimate.value == 1.0
    assert s.estimate.low < 1  # never without width
    assert "optimistic" in s.estimate.flags
    assert "optimistic" in [f.code for f in s.findings]
    assert not s.optimism.defined
    assert s.optimism.reason == "no row was held out"
    assert s.verdict.status == "cannot_tell"
    assert "too good" in s.words[2]


def test_parts_share_no_row() -> None:
    s = choose(strategy="train_validation_test", test_size=0.2, validation_size=0.3)
    final, tests = s.layout.final, s.layout.tests
    assert tests is not None
    train, validation, test = set(final.train(0)), set(final.test(0)), set(tests.test(0))
    assert not train & validation | train & test | validation & test
    assert train | validation == set(tests.train(0))
    assert (len(train), len(validation), len(test)) == (89, 53, 36)  # .3 and .2 of 178, rounded; the rest trains
    assert "89 rows are trained on, 53 choose" in s.words[0]
    assert "36 rows that nothing else has seen" in s.words[0]


def test_the_test_rows_of_cross_validation_are_never_searched() -> None:
    s = choose()
    tests = s.layout.tests
    assert tests is not None
    searched = set(s.layout.final.test_rows) | set(s.layout.final.train_rows)  # type: ignore[arg-type]
    assert searched == set(tests.train(0))
    assert not searched & set(tests.test(0))


def test_no_outer_fold_takes_part_in_choosing_its_own_model(nested: sf.Selection) -> None:
    tests = nested.layout.tests
    assert tests is not None
    assert sorted(tests.test_rows) == list(range(len(Y)))
    for i, plan in enumerate(nested.layout.searches[1:]):
        seen = set(plan.test_rows) | set(plan.train_rows)  # type: ignore[arg-type]
        assert seen == set(tests.train(i))


def test_the_search_is_that_of_scikit_learn_over_the_same_folds() -> None:
    """Two routes: ours and GridSearchCV over our own folds; the same means, the same winner."""
    grid = {"max_depth": [1, 2, 3, 5], "min_samples_leaf": [1, 10]}
    s = sf.select((DecisionTreeClassifier(random_state=0), grid), X, Y, test_size=None, folds=5, random_state=3)
    fold = np.empty(len(Y), dtype=int)
    for split in s.layout.final:
        fold[split.test] = split.fold
    theirs = GridSearchCV(DecisionTreeClassifier(random_state=0), grid, cv=PredefinedSplit(fold)).fit(X, Y)
    ours = {tuple(sorted(e.candidate.params.items())): e.values.mean() for e in s.picked.entries}
    for params, mean in zip(theirs.cv_results_["params"], theirs.cv_results_["mean_test_score"], strict=True):
        assert ours[tuple(sorted(params.items()))] == pytest.approx(mean)
    assert dict(s.best.params) == theirs.best_params_
    assert s.claimed.value == pytest.approx(theirs.best_score_)


def test_the_estimate_of_cross_validation_is_that_of_its_test_rows() -> None:
    """The chosen model, fitted by hand on the rows that chose it, tested on the others; Wilson's interval of that."""
    s = choose(models={"knn": (KNeighborsClassifier(), {"n_neighbors": [1, 5, 15]})})
    tests = s.layout.tests
    assert tests is not None
    train, test = tests.train(0), tests.test(0)
    model = KNeighborsClassifier(**s.best.params).fit(X[train], NAMES[train])
    right = int((model.predict(X[test]) == NAMES[test]).sum())
    by_hand = wilson(right, len(test))
    assert (s.estimate.value, *s.estimate.interval) == pytest.approx((by_hand.value, *by_hand.interval))
    assert "selected_from_m" in s.claimed.flags
    assert "selected_from_m" not in s.estimate.flags


def test_the_nested_interval_is_the_corrected_one_of_the_outer_folds(nested: sf.Selection) -> None:
    found = [fold.found for fold in nested.outer]
    tests = nested.layout.tests
    assert tests is not None
    by_hand = corrected_interval(found, tests.train_sizes, tests.test_sizes, folds=4)
    assert nested.estimate.value == by_hand.value
    # and what stratified folds hide of the shares of the classes: a hair's breadth where all classes are as easy
    assert by_hand.se <= nested.estimate.se <= 1.05 * by_hand.se
    assert nested.estimate.df == 3  # outer folds - 1
    gaps = [fold.claimed - fold.found for fold in nested.outer]
    spread = corrected_interval(gaps, tests.train_sizes, tests.test_sizes, folds=4, limits=(-1, 1))
    assert nested.optimism.value == pytest.approx(nested.claimed.value - nested.estimate.value)
    assert nested.optimism.width == pytest.approx(spread.width)
    assert nested.optimism.low == pytest.approx(nested.optimism.value - spread.width / 2)
    assert sum(nested.stability.values()) == 4


def test_an_outer_fold_by_hand(nested: sf.Selection) -> None:
    """The model that an outer fold's search chose, fitted by hand on that search's rows, gives that fold's value."""
    tests = nested.layout.tests
    assert tests is not None
    for i, fold in enumerate(nested.outer):
        assert fold.chosen == "bayes"  # nothing random in it
        train, test = tests.train(i), tests.test(i)
        by_hand = (NaiveBayes().fit(X[train], NAMES[train]).predict(X[test]) == NAMES[test]).mean()
        assert fold.found == pytest.approx(by_hand)


def test_other_measures_are_asked_afterwards(nested: sf.Selection) -> None:
    assert nested.held_out["error_rate"].value == pytest.approx(1 - nested.estimate.value)
    assert nested.held_out["f1_macro"].defined


def test_outer_folds_with_different_winners_make_one_result() -> None:
    """Answers and flags of each winner: neighbours are flagged wherever one of them was asked."""
    models = {"bayes": NaiveBayes(), "knn": (Pipeline([("s", StandardScaler()), ("m", KNeighborsClassifier())]),
                                             {"m__n_neighbors": [5, 15]})}  # fmt: skip
    s = choose(models=models, strategy="nested", outer_folds=10)
    assert len(s.stability) > 1
    assert "neighbour_learner" in s.estimate.flags
    assert s.held_out.values("accuracy").tolist() == [fold.found for fold in s.outer]
    assert s.held_out.held.score_kind == "probability"
    tests = s.layout.tests
    assert tests is not None
    i = next(i for i, fold in enumerate(s.outer) if fold.chosen.startswith("knn"))
    train, test = tests.train(i), tests.test(i)
    params = {"m__n_neighbors": int(s.outer[i].chosen.rpartition("=")[2])}
    model = Pipeline([("s", StandardScaler()), ("m", KNeighborsClassifier())]).set_params(**params)
    assert s.outer[i].found == pytest.approx((model.fit(X[train], NAMES[train]).predict(X[test]) == NAMES[test]).mean())


def test_a_loss_of_many_classes_has_its_own_name_and_limits() -> None:
    s = choose(measure="brier", strategy="standard")
    assert s.measure == "brier_multiclass"
    assert s.score.limits == (0, 2)


def test_without_a_test_the_claim_is_corrected_for_the_choice() -> None:
    s = choose(test_size=None)
    assert s.layout.tests is None
    assert s.estimate is s.bias_corrected
    assert s.estimate.method == "bias_corrected"
    assert s.optimism.value == pytest.approx(s.claimed.value - s.estimate.value)
    assert "no row is kept for a test" in s.words[0]
    with pytest.raises(InputError, match="only cross_validation"):
        choose(strategy="standard", test_size=None)


def test_the_bonferroni_interval_is_the_wider() -> None:
    s = choose()
    assert s.bonferroni.confidence == pytest.approx(1 - 0.05 / 5)
    assert s.bonferroni.value == s.claimed.value
    assert s.bonferroni.low < s.claimed.low


def test_one_model_has_nothing_to_choose() -> None:
    s = sf.select(NaiveBayes(), X, NAMES, folds=5, random_state=0)
    assert (s.best.name, len(s)) == ("NaiveBayes", 1)
    assert s.bias_corrected is None
    assert "selected_from_m" not in [f.code for f in s.findings]
    alone = sf.select(NaiveBayes(), X, NAMES, strategy="quick", random_state=0)
    assert alone.optimism.reason == "one candidate: nothing was chosen"
    assert "slightly too bad" in alone.words[2]


def test_a_loss_is_chosen_by_its_least_and_optimism_has_the_same_sign() -> None:
    up, down = choose(measure="accuracy"), choose(measure="error_rate")
    assert up.best.name == down.best.name
    assert down.claimed.value == pytest.approx(1 - up.claimed.value)
    assert down.optimism.value == pytest.approx(up.optimism.value)


def test_costs_choose_by_their_mean_and_the_card_has_a_threshold() -> None:
    data, target = load_breast_cancer(return_X_y=True)
    model = Pipeline([("scale", StandardScaler()), ("line", LogisticRegression(max_iter=500))])
    s = sf.select({"line": (model, {"line__C": [0.01, 1.0]})}, data, target, folds=3, random_state=0,
                  costs={"fp": 10, "fn": 1})  # fmt: skip
    assert s.measure == "expected_cost"
    held = s.searches[0].results[s.best.name].held
    fp = ((held.predicted == 1) & (held.truth == 0)).sum()
    fn = ((held.predicted == 0) & (held.truth == 1)).sum()
    by_fold = [
        (10 * ((p == 1) & (t == 0)).sum() + ((p == 0) & (t == 1)).sum()) / len(t)
        for p, t in zip(
            np.split(held.predicted, held.starts[1:-1]), np.split(held.truth, held.starts[1:-1]), strict=True
        )
    ]
    assert s.claimed.value == pytest.approx(np.mean(by_fold))
    least = s.card["threshold"]["least_cost"]
    assert least["value"] > 0.5  # a false alarm is ten times as dear, so fewer are called positive
    assert least["cost_a_row_on_the_rows_that_chose_it"] <= (10 * fp + fn) / len(held.truth) + 1e-12
    with pytest.raises(InputError, match="does not ask what they cost"):
        sf.select(model, data, target, costs={"fp": 1, "fn": 1}, measure="f1")


def test_the_same_call_chooses_and_ships_the_same() -> None:
    model = {"tree": (DecisionTreeClassifier(max_features=2), {"max_depth": [2, 4]})}
    one, two = (choose(models=model, strategy="nested", outer_folds=3) for _ in range(2))
    assert one.to_dict()["outer_folds"] == two.to_dict()["outer_folds"]
    assert (one.estimator.predict_proba(X) == two.estimator.predict_proba(X)).all()
    assert one.estimator.random_state is not None


def test_groups_stay_together() -> None:
    groups = np.arange(len(Y)) // 2
    s = sf.select(MODELS, X, NAMES, strategy="nested", folds=3, outer_folds=3, groups=groups, random_state=0)
    for plan in (*s.layout.searches, s.layout.tests):
        assert plan is not None
        for split in plan:
            assert not set(groups[split.train]) & set(groups[split.test])


def test_weights_are_fitted_and_judged_by() -> None:
    """Rows of weight zero count for nothing: leaving them out gives the same claim and finding."""
    weights = np.ones(len(Y))
    weights[::7] = 0.0
    s = sf.select(TREE, X, NAMES, folds=3, sample_weight=weights, random_state=0)
    tests = s.layout.tests
    assert tests is not None
    test = tests.test(0)
    held = s.held_out.held
    right = held.predicted == held.truth
    assert s.estimate.value == pytest.approx(right[weights[test] > 0].mean())
    with pytest.raises(InputError, match="does not take it"):
        sf.select(KNeighborsClassifier(), X, NAMES, sample_weight=weights)


def test_workers_change_nothing() -> None:
    one, two = choose(race=True, n_jobs=1), choose(race=True, n_jobs=2)
    assert [(e.name, e.dropped_at, e.estimate.value) for e in one.picked.entries] == [
        (e.name, e.dropped_at, e.estimate.value) for e in two.picked.entries
    ]


def test_a_random_search_draws_from_distributions() -> None:
    grid = {"max_depth": stats.randint(1, 6), "min_samples_leaf": [1, 5]}
    s = choose(models=(DecisionTreeClassifier(), grid), search="random", budget=6)
    assert len(s) == 6
    assert all(1 <= c.params["max_depth"] < 6 and type(c.params["max_depth"]) is int for c in s.candidates)
    again = choose(models=(DecisionTreeClassifier(), grid), search="random", budget=6)
    assert [c.name for c in s.candidates] == [c.name for c in again.candidates]


def test_several_kinds_at_once_with_the_constant_answer_last() -> None:
    iris, species = load_iris(return_X_y=True)
    s = sf.select([DummyClassifier(), NaiveBayes(), TREE], iris, species, folds=5, random_state=0)
    assert s.picked.entries[-1].name == "DummyClassifier"
    assert s.picked.entries[-1].estimate.value == pytest.approx(1 / 3, abs=0.05)
    assert math.isfinite(s.estimate.low)
