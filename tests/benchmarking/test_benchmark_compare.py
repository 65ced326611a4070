"""Which models differ over data sets: published figures, hand arithmetic, peers, and laws."""

import json
import math
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import friedmanchisquare

from surefold.benchmarking.result import Benchmark
from surefold.comparison import bayes_signed_rank, friedman, holm, nemenyi, sign_test, wilcoxon
from surefold.errors import InputError, UnknownNameError
from surefold.findings import FINDING_CODES

approx = pytest.approx


# Demšar (2006), table 6: ranks of C4.5, with m, with cf, with both, on 14 data sets.
RANKS = np.array([
    [4, 3, 2, 1], [1, 2, 3, 4], [4, 1, 2, 3], [4, 1, 3, 2], [4, 2, 3, 1], [1, 2.5, 4, 2.5], [3, 2, 4, 1],
    [2.5, 2.5, 4, 1], [4, 3, 2, 1], [2.5, 2.5, 2.5, 2.5], [4, 2.5, 1, 2.5], [3, 2, 4, 1], [4, 1, 2, 3], [3, 1, 4, 2],
])  # fmt: skip


C45 = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")


ERROR = math.sqrt(4 * 5 / (6 * 14))  # of a difference of average ranks


def demsar():
    return Benchmark.of_table(RANKS, models=C45, measure="rank", better="lower")


def drawn(n, k, seed=0, gap=0.0, **options):
    rng = np.random.default_rng(seed)
    return Benchmark.of_table(rng.normal(size=(n, k)) + gap * np.arange(k)[::-1], **options)


# published figures


def test_demsars_table_by_nemenyi():
    c = demsar().compare()
    assert [round(rank, 3) for rank in c.average_ranks.values()] == [3.143, 2.0, 2.893, 1.964]
    uncorrected = friedman(RANKS, better="lower", ties="none")
    assert uncorrected.statistic == approx(9.28, abs=0.005)
    assert uncorrected.f_statistic == approx(3.69, abs=0.005)
    # ties leave 1 - (3 x 6 + 60) / (14 x 4 x 15) of the variance of ranks
    assert c.friedman is not None
    assert c.friedman.statistic == approx(uncorrected.statistic / (1 - 78 / 840))
    assert c.critical_difference == approx(1.25, abs=0.005)
    assert c.critical_difference == approx(2.569 * ERROR, abs=1e-3)
    assert c.differs
    # 3.143 - 1.964 = 1.179 is below 1.25: the test of all rejects, no pair does
    assert {pair.status for pair in c.pairs} == {"cannot_tell"}
    assert c.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert "Nemenyi's test tells no pair apart" in c.verdict


def test_demsars_table_at_90_percent():
    c = demsar().compare(confidence=0.9)
    assert c.critical_difference == approx(1.12, abs=0.005)
    # 3.143 - 2.000 = 1.143 and 3.143 - 1.964 = 1.179 are above 1.12; 2.893 - 1.964 = .929 is not
    worse = [pair.second for pair in c.pairs if pair.first == "C4.5" and pair.status == "worse"]
    assert worse == ["C4.5+m", "C4.5+m+cf"]
    assert c.cliques == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))
    assert c.winner.model == "C4.5+m+cf"
    assert c.winner.cannot_be_told_from == ("C4.5+m", "C4.5+cf")
    assert c.winner.flags == ("selected_from_m",)
    assert str(c.winner) == "C4.5+m+cf"
    assert "C4.5+m is better than C4.5 (Nemenyi's test)." in c.verdict


def test_demsars_table_against_the_control():
    # z of C4.5+m+cf, C4.5+m, C4.5+cf: 2.416, 2.342, 0.512 with p .016, .019, .607; .016 x 3 and .019 x 2 are below .05
    c = demsar().compare(control="C4.5")
    assert c.post_hoc == "holm"
    assert c.critical_difference is None
    z = {pair.first: -pair.rank_difference / ERROR for pair in c.pairs}
    assert z == {"C4.5+m": approx(2.342, abs=1e-3), "C4.5+cf": approx(0.512, abs=1e-3),
                 "C4.5+m+cf": approx(2.416, abs=1e-3)}  # fmt: skip
    assert [pair.p_value for pair in c.pairs] == approx([0.019, 0.608, 0.016], abs=6e-4)
    assert [pair.status for pair in c.pairs] == ["better", "cannot_tell", "better"]
    assert c.cliques == (("C4.5+cf", "C4.5"),)
    assert "C4.5+m+cf and C4.5+m are better than C4.5, the control (Holm's method)." in c.verdict
    dunn = demsar().compare(control="C4.5", post_hoc="bonferroni_dunn")
    assert dunn.critical_difference == approx(2.394 * ERROR, abs=5e-4)  # 1.168: between 1.143 and 1.179
    assert [pair.status for pair in dunn.pairs] == ["cannot_tell", "cannot_tell", "better"]
    assert dunn.p_values["C4.5+m+cf", "C4.5"] == approx(3 * 0.0157, abs=5e-4)


# two routes that must agree


@pytest.mark.parametrize("seed", range(6))
def test_equal_to_scipys_friedman(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(12, 5)) if seed % 2 else rng.integers(0, 4, size=(12, 5)).astype(float)
    found = Benchmark.of_table(table).compare().friedman
    assert found is not None
    peer = friedmanchisquare(*table.T)
    assert found.statistic == approx(peer.statistic)
    assert found.p_value == approx(peer.pvalue)


def test_pairs_are_those_of_the_plain_tests():
    b = drawn(15, 4, gap=0.6)
    table, c = b.table().values, b.compare()
    plain = nemenyi(table)
    assert c.critical_difference == plain.critical_difference
    for (first, second), p in c.p_values.items():
        i, j = c.models.index(first), c.models.index(second)
        assert p == plain.p_values[i, j]
        assert replace(c.bayes[first, second], flags=()) == bayes_signed_rank(table[:, i] - table[:, j], 0.01)
    steps = b.compare(post_hoc="holm")
    assert list(steps.p_values.values()) == holm([pair.p_value for pair in steps.pairs]).tolist()
    assert list(c.average_ranks.values()) == approx(plain.average_ranks.tolist())


def test_a_pair_differs_beyond_the_critical_difference_and_only_there():
    for seed in range(8):
        c = drawn(20, 6, seed, gap=0.35).compare()
        if c.differs:
            for pair in c.pairs:
                assert (pair.status != "cannot_tell") == (abs(pair.rank_difference) > c.critical_difference)


def test_cliques_are_all_largest_groups_without_a_difference():
    for seed, post_hoc in ((0, "nemenyi"), (1, "holm"), (2, "nemenyi"), (3, "holm")):
        c = drawn(25, 6, seed, gap=0.4).compare(post_hoc=post_hoc)
        alike = [
            set(group)
            for size in range(2, 7)
            for group in combinations(c.models, size)
            if all(c[a, b].status == "cannot_tell" for a, b in combinations(group, 2))
        ]
        largest = [group for group in alike if not any(group < other for other in alike)]
        assert sorted(map(sorted, map(set, c.cliques))) == sorted(map(sorted, largest))


# two models


def test_two_models_get_signed_ranks_and_signs():
    a, b = [0.8, 0.7, 0.9, 0.6, 0.7, 0.8], [0.7, 0.5, 0.6, 0.2, 0.2, 0.2]
    c = Benchmark.of_table({"a": a, "b": b}).compare()
    assert c.friedman is None
    assert c.critical_difference is None
    assert c.wilcoxon is not None
    assert c.sign_test is not None
    assert c.wilcoxon.p_value == wilcoxon(a, b).p_value == 2 / 64  # all six differences are positive
    assert c.sign_test.p_value == sign_test(a, b).p_value == 2 / 64
    assert c["a", "b"].status == "better"
    assert c["b", "a"].status == "worse"
    assert c.winner.model == "a"
    assert c.cliques == ()
    assert c.verdict.startswith("a is better than b: Wilcoxon's signed ranks over 6 data sets, p = 0.0312.")
    assert "The sign test, which counts wins alone, gives p = 0.0312." in c.verdict
    assert "Sign test: 6 wins, 0 ties, 0 losses" in str(c)
    against = Benchmark.of_table({"a": a, "b": b}).compare(control="a")
    assert (against.pairs[0].first, against.pairs[0].status) == ("b", "worse")


def test_of_two_the_winner_is_the_one_the_test_calls_better():
    # the second wins 11 times by a little; the first 9 times by much
    d = np.array([-(0.001 + i / 10_000) for i in range(11)] + [0.5 + i / 100 for i in range(9)])
    c = Benchmark.of_table(np.column_stack([d, np.zeros(20)]), models=["a", "b"]).compare(confidence=0.5)
    assert c.average_ranks["b"] < c.average_ranks["a"]
    assert c["a", "b"].status == "better"
    assert c.winner.model == "a"


# what is odd and answered


def test_identical_models_cannot_be_told_apart():
    same = np.repeat(np.random.default_rng(0).normal(size=(9, 1)), 3, axis=1)
    c = Benchmark.of_table(same).compare()
    assert c.friedman is not None
    assert (c.friedman.f_p_value, c.differs) == (1.0, False)
    assert set(c.p_values.values()) == {1.0}
    assert "no_spread" in c.flags
    assert c.win_tie_loss["model 1", "model 2"] == (0, 9, 0)
    assert c.winner.tied_with == ("model 2", "model 3")
    assert c.cliques == (("model 1", "model 2", "model 3"),)
    assert c.verdict.startswith("No model can be told from another")
    two = Benchmark.of_table(same[:, :2]).compare()
    assert two.pairs[0].adjusted_p == 1.0
    for each in (c, two):
        json.dumps(each.to_dict(), allow_nan=False)
        assert "nan" not in str(each)


def test_constant_columns_have_the_same_order_everywhere():
    c = Benchmark.of_table(np.tile([3.0, 2.0, 1.0], (9, 1))).compare()
    assert c.friedman is not None
    assert c.friedman.f_p_value == approx(6.0**-8)  # the same order of three in eight more data sets
    assert list(c.average_ranks.values()) == [1, 2, 3]
    assert "= ∞ over 9 data sets, p < 0.0001" in c.verdict
    json.dumps(c.to_dict(), allow_nan=False)


def test_after_no_difference_the_pairs_are_shown_and_not_read():
    rng = np.random.default_rng(3)
    for seed in range(400):  # one pair in a thousand tables is beyond the critical difference although the F is not
        rng = np.random.default_rng(seed)
        c = Benchmark.of_table(rng.normal(size=(10, 6))).compare()
        if not c.differs and min(c.p_values.values()) <= 0.05:
            break
    else:
        pytest.fail("no such table among those drawn")
    assert {pair.status for pair in c.pairs} == {"cannot_tell"}
    assert len(c.cliques) == 1
    assert len(c.cliques[0]) == 6
    assert "is shown all the same, but is only read where that test finds a difference" in c.verdict


def test_few_data_sets_are_flagged():
    c = drawn(4, 3, gap=2.0).compare()
    assert "few_data_sets" in c.flags
    assert "4 data sets are too few" in c.verdict
    assert "7 data sets are few" in drawn(7, 3).compare().verdict
    assert "few_data_sets" not in drawn(8, 3).compare().flags
    two = drawn(3, 2, gap=3.0).compare()
    assert {"few_data_sets", "too_few_to_tell"} <= set(two.flags)
    assert "no outcome could have been significant" in two.verdict
    assert {*c.flags, *two.flags} <= set(FINDING_CODES)


def test_probabilities_by_a_small_rope_are_flagged():
    d = np.array([0.0, 0.02, -0.02, 0.04, -0.04, 0.0, 0.02, -0.02])  # squares add up to 12 x 2^2 / 10^4
    sd = math.sqrt(48 / 7) / 100
    b = Benchmark.of_table(np.column_stack([d, np.zeros(8), d]), models=["a", "b", "c"])
    small, enough = b.compare(rope=0.149 * sd), b.compare(rope=0.151 * sd)
    assert small.posterior("a", "b").flags == ("liberal_test",)
    assert enough.posterior("a", "b").flags == ()
    assert b.compare(rope=0.0).posterior("a", "c").flags == ()  # no difference, no spread
    assert "[liberal_test]" in str(small)
    assert "[liberal_test]" not in str(enough)


def test_what_cannot_be_compared_is_refused_with_a_cure():
    for values, cure in (([[0.9, 0.8]], "compare"), ([[0.9], [0.8]], "two or more")):
        with pytest.raises(InputError, match=cure):
            Benchmark.of_table(values).compare()
    b = drawn(9, 3)
    with pytest.raises(InputError, match="all pairs"):
        b.compare(post_hoc="nemenyi", control="model 1")
    with pytest.raises(InputError, match="control="):
        b.compare(post_hoc="bonferroni_dunn")
    with pytest.raises(UnknownNameError, match="model 3"):
        b.compare(control="model 4")
    with pytest.raises(UnknownNameError, match="nemenyi"):
        b.compare(post_hoc="nemeny")
    with pytest.raises(UnknownNameError, match="equal"):
        b.compare(ties="same")
    with pytest.raises(UnknownNameError, match="drop"):
        b.compare(missing="skip")
    with pytest.raises(InputError, match="rope"):
        b.compare(rope=-1)
    with pytest.raises(UnknownNameError, match="pair"):
        b.compare()["model 1", "model 9"]


def test_missing_cells_are_refused_or_dropped():
    table = np.random.default_rng(0).normal(size=(10, 3))
    lacking = table.copy()
    lacking[[2, 7], [0, 1]] = np.nan
    b = Benchmark.of_table(lacking)
    with pytest.raises(InputError, match=r"data set 3 \(model 1: no value was given\); 1 more"):
        b.compare()
    c, whole = b.compare(missing="drop"), Benchmark.of_table(np.delete(table, [2, 7], axis=0)).compare()
    assert c.average_ranks == whole.average_ranks
    assert c.p_values == whole.p_values
    assert list(c.dropped) == ["data set 3", "data set 8"]
    assert np.isnan(b.table().ranks[[2, 7]]).all()
    only = np.full((3, 2), np.nan)
    only[0] = 0.5
    with pytest.raises(InputError, match=r"one data set \(data set 1\) is left"):
        Benchmark.of_table(only).compare(missing="drop")


# telling


def test_text_of_many_models_shows_the_pairs_of_the_best():
    c = drawn(20, 11, gap=0.2).compare()
    text = str(c)
    assert len(c.pairs) == 55
    assert f"45 pairs without {c.winner.model} are not shown" in text
    assert f"Critical difference of average ranks: {c.critical_difference:.3f} (Nemenyi, 95%)." in text
    for group in c.cliques:
        assert f"Cannot be told apart: {', '.join(group)}" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 116


def test_frame_and_plain_values():
    c = demsar().compare(control="C4.5")
    frame = c.to_frame()
    assert frame["first"].to_list() == ["C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    assert frame["status"].to_list() == [pair.status for pair in c.pairs]
    told = json.loads(json.dumps(c.to_dict(), allow_nan=False))
    assert told["kind"] == "many_comparison"
    assert told["average_ranks"] == c.average_ranks
    assert told["winner"]["flags"] == ["selected_from_m"]
    assert told["critical_difference"] is None
    assert [pair["bayes"]["better"] for pair in told["pairs"]] == [p.better for p in c.bayes.values()]
    assert "C4.5 (control)" in str(c)
    assert "Cannot be told from the control: C4.5+cf, C4.5" in str(c)


def test_control_without_a_difference_and_all_different():
    calm = drawn(10, 3).compare(control="model 1")
    assert not calm.differs
    assert calm.cliques == (calm.order,)
    apart = drawn(30, 3, gap=5.0).compare(control="model 2")
    assert apart.cliques == ()
    assert "model 1 is better than model 2, the control" in apart.verdict
    assert "model 3 is worse than model 2, the control" in apart.verdict
    assert apart.winner.cannot_be_told_from == ()
