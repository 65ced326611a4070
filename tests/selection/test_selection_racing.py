"""Racing: who is dropped, when, and what a race leaves as it is."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.errors import InputError, RunError
from surefold.selection.racing import behind
from surefold.significance.paired_folds import corrected_t

from .known_answers import Column, told

X, Y = load_wine(return_X_y=True)


# rules


def chosen(models: Any, data: Any, truth: Any, **options: Any) -> sf.Selection:
    return sf.select(models, data, truth, **{"test_size": None, "folds": 10, "random_state": 0} | options)


# racing


def test_who_is_behind_is_what_the_corrected_test_says() -> None:
    rng = np.random.default_rng(0)
    values = {name: mean + rng.normal(0, 0.03, 6) for name, mean in (("a", 0.9), ("b", 0.88), ("c", 0.6))}
    sizes = np.full(6, 90.0), np.full(6, 10.0)
    found = behind(values, *sizes, sign=1, folds=10, level=0.05)
    leader = max(values, key=lambda name: values[name].mean())
    for name in values:
        if name != leader:
            p = corrected_t(values[leader], values[name], 90, 10, 5, alternative="greater").p_value
            assert (name in found) == (p < 0.05)
    assert "c" in found
    losses = {name: -each for name, each in values.items()}
    assert behind(losses, *sizes, sign=-1, folds=10, level=0.05) == found


def test_equal_candidates_are_never_dropped() -> None:
    same = np.array([0.9, 0.8, 0.9])
    assert behind({"a": same, "b": same.copy()}, np.full(3, 90.0), np.full(3, 10.0), sign=1, folds=10, level=0.05) == {}


def test_a_race_drops_the_hopeless_and_keeps_the_rest() -> None:
    data, truth = told(10, 24, 100, 100, n=200)
    models = {f"m{i}": Column(i) for i in range(4)}
    full, raced = chosen(models, data, truth), chosen(models, data, truth, race=True)
    assert raced.best.name == full.best.name == "m0"
    assert raced.claimed.value == full.claimed.value
    dropped = {e.name: e.dropped_at for e in raced.picked.entries if e.dropped_at}
    assert {"m2", "m3"} <= set(dropped)  # one half wrong against one in twenty
    assert raced.fits_saved == sum(10 - at for at in dropped.values()) > 0
    assert f"the race did without {raced.fits_saved}" in raced.words[-1]
    assert "raced" in [f.code for f in raced.findings]
    for name, at in dropped.items():
        assert raced[name].fits == at
        assert raced[name].values.tolist() == full[name].values[:at].tolist()
        assert "behind the leader" in raced[name].reason


def test_a_race_alone_at_the_front_runs_on() -> None:
    data, truth = told(2, 60, n=100)
    s = chosen({"good": Column(0), "poor": Column(1)}, data, truth, race=True)
    assert s["good"].fits == 10
    assert s["good"].estimate.method.startswith("corrected")
    assert s.bias_corrected is None
    assert s.optimism.reason == "no second candidate was left to choose between"


def test_a_race_needs_folds() -> None:
    with pytest.raises(InputError, match="looks for the first time after 4 folds, and there are 1"):
        sf.select({"a": GaussianNB(), "b": GaussianNB(var_smoothing=1.0)}, X, Y, strategy="standard", race=True)


def test_a_race_drops_who_fails_and_goes_on() -> None:
    models = {"knn": (KNeighborsClassifier(), {"n_neighbors": [3, 500]}), "bayes": GaussianNB()}
    s = sf.select(models, X, Y, race=True, folds=5, random_state=0)
    assert s["knn: n_neighbors=500"].dropped_at == 4
    assert "raised" in s["knn: n_neighbors=500"].reason
    assert s.best.name == "bayes"


def test_a_race_leaves_out_who_has_no_scores() -> None:
    """`Column` answers labels only, so it has no Brier score; the race goes on without it."""
    data, truth = told(10, 20, n=100)
    models = {"labels": Column(0), "bayes": GaussianNB(), "line": LogisticRegression()}
    s = chosen(models, data, truth, race=True, measure="brier")
    assert s["labels"].dropped_at == 4
    assert "labels only" in s["labels"].reason
    assert not s["labels"].estimate.defined
    assert s.best.name != "labels"


def test_a_race_of_weighted_rows_is_that_of_the_full_grid() -> None:
    rng = np.random.default_rng(0)
    models = {"tree": (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}), "bayes": GaussianNB()}
    weights = rng.uniform(0.5, 2.0, len(Y))
    full, raced = (chosen(models, X, Y, race=race, sample_weight=weights) for race in (False, True))
    assert raced.best.name == full.best.name
    assert raced.claimed.value == pytest.approx(full.claimed.value)
    assert raced.fits < full.fits


def test_nobody_left_to_judge_is_told_with_the_reason() -> None:
    """Who never answers 1 has no precision, in any fold."""
    data, truth = told(0, 0, n=100)
    never = {f"m{i}": Column(i) for i in range(2)}
    with pytest.raises(RunError, match="no candidate can be judged; m0: precision is undefined in 10 of 10 folds"):
        chosen(never, np.zeros_like(data), truth, measure="precision")


def test_a_model_that_fails_on_all_rows_is_told() -> None:
    class Full(Column):
        def fit(self, X: Any, y: Any) -> "Column":
            if len(X) == 100:
                raise MemoryError("too many")
            return super().fit(X, y)

    data, truth = told(3)
    with pytest.raises(RunError, match="could not be fitted on all rows: MemoryError: too many"):
        chosen({"full": Full(0)}, data, truth)
    assert chosen({"full": Full(0)}, data, truth, refit=False).estimator is None


def test_a_race_in_every_outer_fold(tmp_path: Any) -> None:
    data, truth = told(10, 12, 50, n=120)
    models = {f"m{i}": Column(i) for i in range(3)}
    options: dict[str, Any] = {"strategy": "nested", "outer_folds": 3, "folds": 5, "random_state": 0}
    raced = sf.select(models, data, truth, race=True, store=tmp_path / "r.db", **options)
    full = sf.select(models, data, truth, **options)
    assert raced.fits < full.fits
    assert [o.chosen for o in raced.outer] == [o.chosen for o in full.outer]
    again = sf.select(models, data, truth, race=True, store=tmp_path / "r.db", **options)
    assert again.to_dict() == raced.to_dict()
