"""The parts of select: candidates, rules, racing, and the correction for the choice."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.errors import InputError, UnknownNameError
from surefold.selection.bias_corrected import bias_corrected, chosen_again, estimate_of_draws
from surefold.selection.candidates import candidates_of, families_of
from surefold.selection.pick import pick

from .known_answers import Column, told

X, Y = load_wine(return_X_y=True)


# candidates


def test_a_grid_is_every_combination_in_order() -> None:
    grid = {"max_depth": [2, None], "min_samples_leaf": [1, 5]}
    found = candidates_of(families_of({"tree": (DecisionTreeClassifier(), grid)}))
    assert [tuple(c.params.values()) for c in found] == [(2, 1), (2, 5), (None, 1), (None, 5)]
    assert found[1].model.get_params()["min_samples_leaf"] == 5
    assert [c.place for c in found] == [0, 1, 2, 3]


def test_steps_of_a_pipeline_and_models_as_values() -> None:
    pipe = Pipeline([("scale", StandardScaler()), ("model", LogisticRegression())])
    grid = [{"model__C": [0.1, 1]}, {"model": [GaussianNB(), KNeighborsClassifier(3)]}]
    found = candidates_of(families_of({"line": (pipe, grid)}))
    assert [c.name for c in found] == [
        "line: C=0.1", "line: C=1", "line: model=GaussianNB()", "line: model=KNeighborsClassifier(n_neighbors=3)",
    ]  # fmt: skip
    assert type(found[2].model.steps[-1][1]) is GaussianNB
    assert found[2].model.steps[-1][1] is not grid[1]["model"][0]  # a copy: fits of one never touch another


@pytest.mark.parametrize(
    ("models", "names"),
    [
        (GaussianNB(), ["GaussianNB"]),
        ((GaussianNB(), {"priors": [None]}), ["GaussianNB: priors=None"]),
        ([GaussianNB(), GaussianNB(var_smoothing=0.1)], ["GaussianNB", "GaussianNB 2"]),
        ([Pipeline([("a", StandardScaler()), ("b", GaussianNB())])], ["GaussianNB"]),
        ({"x": (GaussianNB(), {})}, ["x"]),
    ],
)  # fmt: skip
def test_ways_to_give_models(models: Any, names: list[str]) -> None:
    assert [c.name for c in candidates_of(families_of(models))] == names


def test_the_same_point_twice_is_one_candidate() -> None:
    found = candidates_of(families_of((GaussianNB(), {"var_smoothing": [0.1, 0.1, 0.2]})))
    assert len(found) == 2


@pytest.mark.parametrize(
    ("models", "options", "error", "says"),
    [
        ({}, {}, InputError, "no model was given"),
        ({"": GaussianNB()}, {}, InputError, "no name for a model"),
        ({"a": GaussianNB}, {}, InputError, "is the class GaussianNB"),
        ((GaussianNB(), 3), {}, InputError, "give a mapping"),
        ((GaussianNB(), {"var_smoothing": "abc"}), {}, InputError, "not a list of values"),
        ((GaussianNB(), {"var_smoothing": []}), {}, InputError, "has no value"),
        ((GaussianNB(), {"smoothing": [1]}), {}, UnknownNameError, "did you mean 'var_smoothing'"),
        ((GaussianNB(), {"var_smoothing": stats.uniform()}), {}, InputError, "say search='random'"),
        (GaussianNB(), {"search": "random"}, InputError, "needs a budget"),
        (GaussianNB(), {"budget": 3}, InputError, "budget is for a random search"),
        (GaussianNB(), {"search": "bayesian"}, UnknownNameError, "no search"),
        (GaussianNB(), {"search": "random", "budget": 0}, InputError, "1 or more"),
    ],
)
def test_candidates_that_are_refused(models: Any, options: Any, error: Any, says: str) -> None:
    with pytest.raises(error, match=says):
        candidates_of(families_of(models), **options)


@settings(max_examples=25, deadline=None)
@given(budget=st.integers(1, 30), seed=st.integers(0, 1000))
def test_random_draws_are_different_and_no_more_than_there_are(budget: int, seed: int) -> None:
    grid = {"max_depth": [1, 2, 3], "min_samples_leaf": [1, 5]}
    found = candidates_of(families_of((DecisionTreeClassifier(), grid)), search="random", budget=budget, seed=seed)
    points = {tuple(c.params.items()) for c in found}
    assert len(points) == len(found) == min(budget, 6)


def test_more_draws_than_values_of_a_distribution() -> None:
    grid = {"max_depth": stats.randint(1, 3)}
    found = candidates_of(families_of((DecisionTreeClassifier(), grid)), search="random", budget=10, seed=0)
    assert sorted(c.params["max_depth"] for c in found) == [1, 2]


# rules


def chosen(models: Any, data: Any, truth: Any, **options: Any) -> sf.Selection:
    return sf.select(models, data, truth, **{"test_size": None, "folds": 10, "random_state": 0} | options)


def test_rules_on_answers_that_are_known() -> None:
    """10, 11 and 40 wrong of 100: one standard error of .1 over ten folds is more than .01 and less than .3."""
    data, truth = told(10, 11, 40)
    models = {"large": Column(0, leaves=50), "middle": Column(1, leaves=9), "small": Column(2, leaves=2)}
    s = chosen(models, data, truth)
    assert (s.top.name, s.one_se.name, s.simplest and s.simplest.name) == ("large", "middle", "middle")
    assert s.best.name == "large"
    assert s.claimed.value == pytest.approx(0.90)
    assert s.picked.ordered_by == "leaves"
    for rule in ("one_se", "simplest"):
        kept = chosen(models, data, truth, rule=rule, test_size=0.2)
        assert kept.best.name == "middle"
        assert kept.bias_corrected is None  # the draws repeat the choice of the best, which was not made
        with pytest.raises(InputError, match="without test rows"):
            chosen(models, data, truth, rule=rule)
    with pytest.raises(UnknownNameError):
        chosen(models, data, truth, rule="two_se")


def test_one_standard_error_is_the_corrected_one() -> None:
    """The border is drawn by hand: s over the folds, (1/10 + 1/9) s²."""
    data, truth = told(10, 14)
    s = chosen({"large": Column(0, leaves=50), "small": Column(1, leaves=2)}, data, truth)
    spread = np.std(s["large"].values, ddof=1)
    se = np.sqrt((1 / 10 + 1 / 9) * spread**2)
    assert s.one_se.name == ("small" if se >= 0.90 - 0.86 else "large")
    assert s["large"].estimate.se == pytest.approx(se)


def test_simple_goes_by_the_list_where_sizes_are_of_different_kinds() -> None:
    s = chosen({"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2)}, X, Y)
    assert s.picked.ordered_by == "the order listed"
    assert s.simplest is not None
    assert s.simplest.name == "bayes"


def test_ties_go_to_the_first_or_to_whom_was_asked() -> None:
    data, truth = told(10, 10)
    data[:, 1] = data[:, 0]
    models = {"large": Column(0, leaves=50), "small": Column(1, leaves=2)}
    assert chosen(models, data, truth).best.name == "large"
    assert chosen(models, data, truth, tie_break="size").best.name == "small"
    with pytest.raises(UnknownNameError):
        chosen(models, data, truth, tie_break="colour")


def test_ties_go_to_the_faster() -> None:
    data, truth = told(10, 10)
    data[:, 1] = data[:, 0]
    s = chosen({"first": Column(0), "second": Column(1)}, data, truth)
    found = s.searches[0]
    slow = {"first": np.full(10, 5.0), "second": np.full(10, 1.0)}
    timed = {name: _with_seconds(r, slow[name]) for name, r in found.results.items()}
    picked = pick(
        s.candidates, type(found)(found.plan, timed), s.score, rule="best", tie_break="speed", confidence=0.95
    )
    assert picked.chosen.name == "second"


def _with_seconds(r: Any, seconds: Any) -> Any:
    from dataclasses import replace

    return replace(r, fit_seconds=seconds)


def test_simplest_on_one_set_of_rows_is_a_test_of_pairs() -> None:
    """Of 50 test rows 25 are got right by one model alone and none by the other: no chance. Of 3 against 1: chance."""
    data, truth = told(2, 60, n=200)
    models = {"poor": Column(1), "good": Column(0)}
    s = sf.select(models, data, truth, strategy="standard", random_state=0)
    assert s.simplest is not None
    assert s.simplest.name == "good"
    data, truth = told(2, 6, n=200)
    s = sf.select(models, data, truth, strategy="standard", random_state=0)
    assert s.simplest is not None
    assert s.simplest.name == "poor"
    blind = sf.select(
        {"poor": Column(1), "good": Column(0)}, data, truth, strategy="standard", measure="f1", random_state=0
    )
    assert blind.simplest is None
    with pytest.raises(InputError, match="has no test for f1"):
        sf.select(models, data, truth, strategy="standard", measure="f1", rule="simplest", random_state=0)


# correcting for the choice


def test_choosing_again_by_hand() -> None:
    inside = np.array([[0.2, 0.4], [0.3, 0.1], [0.3, np.nan]])
    outside = np.array([[0.5, 0.6], [0.7, 0.8], [0.1, 0.0]])
    who, claimed, found = chosen_again(inside, outside, -1)
    assert (who.tolist(), claimed.tolist(), found.tolist()) == ([0, 1], [0.2, 0.1], [0.5, 0.8])


def test_draws_that_do_not_vary_still_have_width() -> None:
    e = estimate_of_draws(np.ones(50), 20, (0.0, 1.0))
    assert e.interval == pytest.approx((0.025 ** (1 / 20), 1.0))  # Clopper and Pearson of 20 out of 20
    assert "degenerate" in e.flags
    without = estimate_of_draws(np.full(5, 2.0), 20, (0.0, np.inf))
    assert without.interval == (-np.inf, np.inf)
    assert without.reason
    nothing = estimate_of_draws(np.full(5, np.nan), 20, (0.0, 1.0))
    assert nothing.reason == "undefined in every draw"


def test_models_that_are_all_luck_are_corrected_back_to_a_half() -> None:
    """Thirty coins on 200 rows: the best claims more than .53; corrected it is what a coin is, .5."""
    rng = np.random.default_rng(1)
    truth = np.tile([0, 1], 100)
    data = rng.integers(2, size=(200, 30)).astype(float)
    s = chosen({f"coin {i}": Column(i) for i in range(30)}, data, truth)
    assert s.claimed.value > 0.53
    assert s.bias_corrected is not None
    assert abs(s.bias_corrected.value - 0.5) < 0.03
    assert s.optimism.value > 0.03
    assert max(s.stability.values()) < 700  # of 1,000 draws: nobody is chosen for good reason


def test_one_clear_winner_needs_no_correction() -> None:
    data, truth = told(5, 80, n=200)
    s = chosen({"good": Column(0), "poor": Column(1)}, data, truth)
    assert s.bias_corrected is not None
    assert s.bias_corrected.value == pytest.approx(s.claimed.value, abs=0.005)
    assert s.stability == {"good": 1000}


@pytest.mark.parametrize("measure", ["accuracy", "f1", "mcc", "balanced_accuracy", "roc_auc", "brier", "log_loss"])
def test_the_correction_of_every_kind_of_measure_agrees_with_one_by_one(measure: str) -> None:
    """Draws done one at a time, each draw's rows taken out and judged by `assess`."""
    rng = np.random.default_rng(0)
    data = rng.normal(size=(90, 3))
    truth = (data[:, 0] + rng.normal(size=90) > 0).astype(int)
    models = {"a": GaussianNB(), "b": LogisticRegression(C=0.1), "c": GaussianNB(var_smoothing=10.0)}
    s = sf.select(models, data, truth, test_size=None, folds=3, measure=measure, random_state=0)
    found = bias_corrected(s.searches[0].finished, s.score, seed=4, draws=8)
    counts = np.random.default_rng(np.random.SeedSequence(4, spawn_key=(0x62626376,))).multinomial(
        90, np.full(90, 1 / 90), size=8
    )
    for b in range(8):
        drawn, left = np.repeat(np.arange(90), counts[b]), np.flatnonzero(counts[b] == 0)
        inside = {name: _one(r, drawn, measure) for name, r in s.searches[0].results.items()}
        best = max(inside, key=lambda name: s.score.sign * inside[name])
        assert found.claimed[b] == pytest.approx(inside[best])
        assert found.found[b] == pytest.approx(_one(s.searches[0].results[best], left, measure))


def _one(r: Any, rows: Any, measure: str) -> float:
    place = np.argsort(r.plan.test_rows)[rows]
    held = r.held
    if measure in ("roc_auc", "brier", "log_loss"):
        return float(sf.measure(measure, held.truth[place], y_score=held.scores[place, 1], pos_label=1))
    return float(sf.measure(measure, held.truth[place], held.predicted[place], pos_label=1))


def test_groups_are_drawn_whole() -> None:
    """Two groups: a draw holds one of them twice, and the other is judged; or both, and there is nothing to judge."""
    data, truth = told(0, 0, n=100)
    groups = np.repeat([0, 1], 50)
    data[:10, 0] = 1 - data[:10, 0]  # the first model errs in the first group alone, the second in the other
    data[50:60, 1] = 1 - data[50:60, 1]
    s = sf.select({"a": Column(0), "b": Column(1)}, data, truth, test_size=None, folds=2, groups=groups, random_state=0)
    assert s.redrawn is not None
    judged = s.redrawn.found[~np.isnan(s.redrawn.found)]
    assert 400 < len(judged) < 600  # half of the draws hold one group alone
    assert np.unique(judged).tolist() == [0.8]  # who was right on one group errs in 10 of the 50 rows of the other
