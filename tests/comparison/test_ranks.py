"""Places and best sets: read from the verdicts of pairs, and from leads held against the largest that chance gives."""

from __future__ import annotations

import json
import math
import pickle
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefold as sf
from surefold.comparison.best_set import BestSet, Leads, best_set_of
from surefold.comparison.ranks import Rank, ranks_of, sure_wins
from surefold.comparison.result import Winner

NORMAL = NormalDist()


def ranks_in(c: Any) -> dict[str, Rank]:
    assert c.ranks is not None
    return c.ranks  # type: ignore[no-any-return]


def best_in(c: Any) -> BestSet:
    assert c.best_set is not None
    return c.best_set  # type: ignore[no-any-return]


def winner_in(c: Any) -> Winner:
    assert c.winner is not None
    return c.winner  # type: ignore[no-any-return]


def models(accuracies, n=400, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return truth, {f"m{i}": np.where(rng.random(n) < a, truth, 1 - truth) for i, a in enumerate(accuracies)}


def leads_of(values, spread, plain=None):
    """Leads of models whose differences have one normal test each, with standard error `spread`."""
    m = len(values)
    pairs = {}
    for i in range(m):
        for j in range(i + 1, m):
            gap = values[i] - values[j]
            pairs[i, j] = gap, 2 * (1 - NORMAL.cdf(abs(gap) / spread)), spread, spread if plain is None else plain
    return Leads.of(m, pairs, joint=plain is not None)


def test_places_are_counted_from_who_is_surely_better():
    # a beats c and d, b beats d: a 1..2, b 1..3, c has one above it: 2..4, d two: 3..4
    told = {("a", "c"): 1, ("d", "a"): -1, ("b", "d"): 1, ("a", "b"): 0, ("b", "c"): 0, ("c", "d"): 0}
    ranks = ranks_of("abcd", [0.9, 0.8, 0.8, 0.6], sure_wins("abcd", told), higher=True)
    assert ranks == {
        "a": Rank(0.9, 1, 1, 2),
        "b": Rank(0.8, 2.5, 1, 3),
        "c": Rank(0.8, 2.5, 2, 4),
        "d": Rank(0.6, 4, 3, 4),
    }
    assert str(ranks["d"]) == "4th (3rd to 4th)"


def test_a_model_without_a_value_may_have_any_place():
    ranks = ranks_of("ab", [math.nan, 0.5], np.zeros((2, 2), dtype=bool), higher=False)
    assert (ranks["a"].low, ranks["a"].high, ranks["a"].rank, ranks["b"].rank) == (1, 2, 2, 1)
    assert ranks["a"].to_dict()["value"] is None


def test_without_a_covariance_the_limit_is_bonferronis():
    # three models, one spread: out is who is led by more than z(1 - .05 / 2) = 1.96 standard errors
    limit = NORMAL.inv_cdf(1 - 0.05 / 2)
    found = best_set_of("abc", leads_of([0.0, -0.95 * limit * 0.1, -1.05 * limit * 0.1], 0.1), "abc", 0.95)
    assert found.method == "bonferroni"
    assert found.models == ("a", "b")
    # c is behind a by its gap and the limit more; behind b by less
    assert found.behind["c"] == pytest.approx((1.05 + 1) * limit * 0.1)
    # b may itself be the best, and then a is behind it by no more than limit - its gap
    assert found.behind["a"] == pytest.approx((1 - 0.95) * limit * 0.1)


def test_with_one_covariance_the_limit_is_dunnetts():
    # leads over one of three independent models of one variance: two normals with correlation 1/2;
    # Dunnett's one-sided point for two comparisons, .95, infinite degrees of freedom: 1.92
    leads = leads_of([0.0, -0.1915 * 1.0, -0.1925 * 1.05], 0.1, plain=0.1)
    assert best_set_of("abc", leads, "abc", 0.95).method == "max_t"
    out = [
        gap
        for gap in np.arange(1.85, 2.0, 0.01)
        if len(best_set_of("abc", leads_of([0, -gap / 10, -1], 0.1, 0.1), "abc", 0.95)) == 1
    ]
    assert out[0] == pytest.approx(1.92, abs=0.03)


def test_models_that_never_differ_are_all_kept():
    truth, each = models([0.8])
    c = sf.compare(truth, {"a": each["m0"], "b": each["m0"], "c": each["m0"]})
    assert best_in(c).models == c.order
    assert {(r.rank, r.low, r.high) for r in ranks_in(c).values()} == {(2.0, 1, 3)}


def test_one_clear_winner_is_alone_and_the_set_is_smaller_than_who_is_not_surely_beaten():
    truth, each = models([0.95, 0.8, 0.8, 0.7, 0.78], n=500)
    c = sf.compare(truth, each)
    assert best_in(c).alone
    assert list(best_in(c)) == ["m0"]
    assert "m0" in best_in(c)
    assert "m1" not in best_in(c)
    assert best_in(c).behind["m0"] == 0
    assert (ranks_in(c)["m0"].low, ranks_in(c)["m0"].high) == (1, 1)
    unbeaten = {name for name in c.values if ranks_in(c)[name].low == 1}
    assert set(best_in(c)) <= unbeaten
    text = str(c)
    assert "The best is m0 (95% sure)." in text
    assert "2nd to 5th" in text


@pytest.mark.parametrize("measure", ["accuracy", "error_rate", "f1_macro", "mcc"])
def test_files_have_the_places_that_arrays_have(measure, tmp_path):
    import polars as pl

    truth, each = models([0.9, 0.8, 0.85, 0.83], seed=3)
    pl.DataFrame({"y": truth, **each}).write_csv(tmp_path / "a.csv")
    here = sf.compare(truth, each, measure=measure)
    there = sf.compare(tmp_path / "a.csv", list(each), truth="y", measure=measure, memory="100MB")
    assert ranks_in(here).keys() == ranks_in(there).keys()
    assert [str(r) for r in ranks_in(here).values()] == [str(r) for r in ranks_in(there).values()]
    assert best_in(here).models == best_in(there).models
    assert best_in(here).behind == pytest.approx(best_in(there).behind, abs=1e-9)


def test_scores_have_places_too_and_json_has_them():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 300)
    each = {f"m{i}": truth * shift + rng.normal(size=300) for i, shift in enumerate([2.0, 1.0, 1.1])}
    c = sf.compare(truth, each, measure="roc_auc")
    assert best_in(c).alone
    made = json.loads(json.dumps(c.to_dict(), allow_nan=False))
    assert made["best_set"]["models"] == ["m0"]
    assert made["ranks"]["m0"] == {"value": pytest.approx(c.values["m0"].value), "rank": 1, "low": 1, "high": 1}


def test_two_models_or_a_control_have_no_places_and_say_why():
    truth, each = models([0.9, 0.8, 0.7])
    with_control = sf.compare(truth, each, control="m1")
    assert with_control.ranks is None
    assert with_control.best_set is None
    assert "only the pairs with m1 were tested" in str(with_control.no_ranks)
    two = sf.compare(truth, {"a": each["m0"], "b": each["m1"]})
    assert two.ranks is None
    assert "two models" in str(two.no_ranks)
    assert two.to_dict()["best_set"] is None


def test_over_folds_the_limit_is_bonferronis():
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB
    from sklearn.tree import DecisionTreeClassifier

    X, y = load_iris(return_X_y=True)
    study = sf.cross_validate(
        {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1), "tree": DecisionTreeClassifier()},
        X, y, folds=5, repeats=2, random_state=0,
    )  # fmt: skip
    c = study.compare("error_rate")
    assert best_in(c).method == "bonferroni"
    assert all(math.isfinite(gap) for gap in best_in(c).behind.values())
    assert best_in(pickle.loads(pickle.dumps(c))) == best_in(c)
    assert "stump" not in best_in(c)


def test_over_data_sets_places_are_of_average_ranks():
    rng = np.random.default_rng(1)
    noise = rng.random(12) / 50
    c = sf.Benchmark.of_table({"a": 0.9 + noise, "b": 0.8 - noise, "c": 0.7 + 0 * noise}).compare()
    assert c.order == ("a", "b", "c")
    assert list(best_in(c)) == ["a"]
    assert (ranks_in(c)["c"].low, ranks_in(c)["c"].high) in {(2, 3), (3, 3)}
    # average ranks 1, 2, 3 differ by 1; standard error of a difference sqrt(3 * 4 / (6 * 12)), z(1 - .05 / 2)
    assert best_in(c).behind["b"] == pytest.approx(1 + NORMAL.inv_cdf(0.975) * math.sqrt(12 / 72))


@settings(max_examples=15, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=3, max_size=8), st.floats(0.05, 2), st.floats(0, 1))
def test_laws_of_the_best_set(values, spread, share):
    names = [f"m{i}" for i in range(len(values))]
    order = sorted(names, key=lambda name: -values[names.index(name)])
    leads = leads_of(values, spread, plain=spread * share)
    found = best_set_of(names, leads, order, 0.95)
    assert order[0] in found  # nobody leads the leader
    assert [*found] == order[: len(found)]  # with one standard error for all, who is out is behind who is in
    assert all(gap >= 0 for gap in found.behind.values())
    wider = best_set_of(names, leads, order, 0.99)
    assert set(found) <= set(wider)
    apart = best_set_of(names, leads_of(values, spread), order, 0.95)
    assert set(found) <= set(apart)  # Bonferroni's limit is never below that of the joint distribution


def test_the_corrected_interval_of_the_winner_is_its_own_at_the_other_end():
    truth, each = models([0.85, 0.84, 0.86, 0.83])
    for measure, other in (("accuracy", "high"), ("error_rate", "low")):
        c = sf.compare(truth, each, measure=measure)
        own, corrected = winner_in(c).estimate, winner_in(c).corrected
        wide = sf.measure(measure, truth, each[winner_in(c).name], confidence=1 - 0.05 / 4)
        flattered = "low" if other == "high" else "high"
        assert getattr(corrected, other) == getattr(own, other)
        assert getattr(corrected, flattered) == getattr(wide, flattered)


@pytest.mark.parametrize("measure", ["accuracy", "f1_macro", "roc_auc", "log_loss"])
def test_a_pickled_comparison_tells_the_same(measure):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 120)
    each = {name: np.clip(0.5 + 0.3 * (2 * truth - 1) + rng.normal(size=120) / 4, 0.01, 0.99) for name in "abc"}
    given = each if measure in ("roc_auc", "log_loss") else {name: (s > 0.5).astype(int) for name, s in each.items()}
    c = sf.compare(truth, given, measure=measure)
    back = pickle.loads(pickle.dumps(c))
    assert best_in(back) == best_in(c)


def test_few_rows_apart_leave_more_room_behind_the_best():
    # b errs in 6 rows of 200 in which a and c do not: normal bounds leave too little room for b
    truth = np.array([0, 1] * 100)
    a, b = truth.copy(), truth.copy()
    a[:20] = b[:20] = 1 - truth[:20]
    b[20:26] = 1 - truth[20:26]
    c = sf.compare(truth, {"a": a, "b": b, "c": np.roll(a, 2)})
    gap, normal = 6 / 200, NORMAL.inv_cdf(0.95) * c["a", "b"].spread
    assert best_in(c).behind["b"] > gap + normal


def test_the_card_names_the_models_that_may_be_the_best():
    truth, each = models([0.8, 0.82, 0.84, 0.86, 0.88, 0.9], seed=1)
    for seed in range(1, 9):
        truth, each = models([0.8, 0.82, 0.84, 0.86, 0.88, 0.9], seed=seed)
        c = sf.compare(truth, each)
        best, answer = best_in(c), str(c.verdict.answer)
        if best.alone:
            assert c.verdict.status == "differ"
            assert answer.startswith(f"{best.models[0]} is ")
        elif len(best) < 6:
            assert c.verdict.status == "cannot_tell"
            *first, last = best.models
            assert f"is one of {', '.join(first)} and {last}, which cannot be told apart" in answer
