"""The area with its interval: DeLong's variance directly, the one-row interval by hand, the edges, the bootstrap."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from surefold.errors import InputError, UnknownNameError
from surefold.estimates import delong
from surefold.estimates import score_draws as score_draws_module
from surefold.estimates.auc import (
    AUC_METHODS,
    AucMoments,
    auc_estimate,
    auc_replicates,
    enlarged_groups,
    gini_estimate,
    newcombe_interval,
)
from surefold.estimates.grouping import NOT_GROUPED, score_design
from surefold.measures.ranking import roc_auc
from surefold.tallies.score_groups import ScoreGroups
from tests.validity import ranking

approx = pytest.approx


def sample(seed: int, m: int, n: int, shift: float = 1.0, digits: int = 6) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = np.arange(m + n) < m
    return np.round(rng.normal(size=m + n) + shift * y, digits), y


def delong_directly(s: np.ndarray, y: np.ndarray) -> float:
    """The variance from every pair: components V10 and V01 as published."""
    won = (s[y][:, None] > s[~y]) + 0.5 * (s[y][:, None] == s[~y])
    return float(won.mean(axis=1).var(ddof=1) / y.sum() + won.mean(axis=0).var(ddof=1) / (~y).sum())


@pytest.mark.parametrize("digits", [6, 0])
@pytest.mark.parametrize(("m", "n"), [(5, 7), (30, 12), (2, 50)])
def test_standard_error_is_delongs(m, n, digits):
    s, y = sample(1, m, n, digits=digits)
    assert auc_estimate(ScoreGroups.of(s, y)).se == approx(math.sqrt(delong_directly(s, y)))
    assert delong(y.astype(int), s).se == approx(math.sqrt(delong_directly(s, y)))


def test_blocks_do_not_show(monkeypatch):
    s, y = sample(2, 300, 400)
    whole = auc_estimate(ScoreGroups.of(s, y))
    monkeypatch.setattr("surefold.estimates.auc._BLOCK", 7)
    assert auc_estimate(ScoreGroups.of(s, y)).interval == approx(whole.interval)


ROWS = st.lists(
    st.tuples(st.integers(-3, 3), st.booleans(), st.sampled_from([0.5, 1.0, 2.0])), min_size=3, max_size=25
).filter(lambda rows: len({y for _, y, _ in rows}) == 2)


@settings(max_examples=60, deadline=None)
@given(ROWS, st.booleans())
def test_influence_is_the_derivative_and_the_closed_form_the_enlarged_tally(rows, weighted):
    s, y, w = (np.array(column) for column in zip(*rows, strict=True))
    t = ScoreGroups.of(s.astype(float), y, w if weighted else None)
    influence = roc_auc.moved(t)
    step = 1e-6
    for which, slopes in enumerate(influence):
        counts = (t.positive, t.negative)[which]
        assert counts @ slopes == approx(0, abs=1e-12)
        for g in np.flatnonzero(counts):
            areas = []
            for sign in (1, -1):
                moved = [t.positive.copy(), t.negative.copy()]
                moved[which][g] += sign * step
                areas.append(ScoreGroups(t.score, moved[0], moved[1]).auc)
            assert slopes[g] == approx((areas[0] - areas[1]) / (2 * step), abs=1e-7)
    variance = sum(float(x2 @ i**2) for x2, i in zip(t.squares, influence, strict=True))
    assert AucMoments.of(t).plain_variance() == approx(variance, abs=1e-12)
    bigger = enlarged_groups(t)
    variance = sum(float(x2 @ i**2) for x2, i in zip(bigger.squares, roc_auc.moved(bigger), strict=True))
    assert AucMoments.of(t).one_row() == approx((bigger.auc, variance))


def test_one_row_by_hand():
    # positives 3 and 1, negative 2 and 0: placements of positives 1, 1/2; of negatives 1/2, 1. m = n = 2, w1 = w0 = 1/2
    e = auc_estimate(ScoreGroups.of(np.array([3.0, 1.0, 2.0, 0.0]), np.array([True, True, False, False])))
    placements = [(2 * 1 + 0.25) / 2.5, (2 * 0.5 + 0.25) / 2.5]
    added = [(2 + 0.375) / 2.5, 0.125 / 2.5]  # half above and half below everything, weight 1/4 each
    c = (sum(placements) + 0.25 * sum(added)) / 2.5
    one_class = (sum((p - c) ** 2 for p in placements) + 0.25 * sum((p - c) ** 2 for p in added)) / 2.5**2
    n = c * (1 - c) / (2 * one_class)  # both classes alike
    assert e.value == 0.75
    assert e.interval == approx((stats.beta.ppf(0.025, n * c, n * (1 - c)), stats.beta.ppf(0.975, n * c, n * (1 - c))))
    assert e.pessimistic == approx(stats.beta.ppf(0.25, n * c, n * (1 - c)))
    assert e.flags == ("few_of_a_class",)


def test_perfect_order_has_width_and_a_flag():
    e = auc_estimate(ScoreGroups.of(np.arange(40.0), np.arange(40) >= 20))
    assert (e.value, e.high, e.se) == (1, 1, 0)
    assert 0.7 < e.low < 0.97
    assert e.flags == ("degenerate",)


@pytest.mark.parametrize("method", AUC_METHODS)
@pytest.mark.parametrize(
    ("scores", "positives"), [(np.zeros(30), 12), (np.arange(30.0), 12), (-np.arange(30.0), 12), (np.arange(2.0), 1)]
)
def test_never_zero_width_without_draws(method, scores, positives):
    y = np.arange(len(scores)) >= len(scores) - positives
    if method in ("percentile", "bca"):
        return  # drawn intervals can have none, and are flagged
    e = auc_estimate(ScoreGroups.of(scores, y), method=method)
    assert 0 <= e.low <= e.value <= e.high <= 1
    assert e.width > 0.01
    assert (e.method == "one_row") == ("known_to_mislead" not in e.flags)


def test_constant_scores_are_a_half_with_width():
    e = auc_estimate(ScoreGroups.of(np.full(50, 0.3), np.arange(50) < 20))
    assert e.value == 0.5
    assert e.low < 0.48 < 0.52 < e.high


def test_one_row_of_a_class_has_no_standard_error_but_an_interval():
    e = auc_estimate(ScoreGroups.of(np.array([1.0, 2.0, 3.0]), np.array([False, True, False])))
    assert math.isnan(e.se)
    assert e.low < 0.5 < e.high
    assert "few_of_a_class" in e.flags


@pytest.mark.parametrize(("y", "word"), [([True, True], "negative"), ([False, False], "positive")])
def test_undefined_says_why(y, word):
    e = auc_estimate(ScoreGroups.of(np.array([1.0, 2.0]), np.array(y)))
    assert not e.defined
    assert e.reason == f"needs both classes, and no row is {word}"
    assert math.isnan(e.low)
    assert auc_estimate(ScoreGroups.of(np.zeros(0), np.zeros(0, dtype=bool))).reason == "there are no rows"


def test_named_intervals_by_their_formulas():
    s, y = sample(3, 25, 30)
    t = ScoreGroups.of(s, y)
    a, se, z = t.auc, math.sqrt(delong_directly(s, y)), stats.norm.ppf(0.975)
    assert auc_estimate(t, method="delong").interval == approx((a - z * se, min(1, a + z * se)))
    logit = [math.log(a / (1 - a)) + sign * z * se / (a * (1 - a)) for sign in (-1, 1)]
    assert auc_estimate(t, method="logit_delong").interval == approx([1 / (1 + math.exp(-x)) for x in logit])
    assert delong(y, s, method="logit").interval == approx(auc_estimate(t, method="logit_delong").interval)
    assert delong(y, s, method="none").interval == approx(auc_estimate(t, method="delong").interval)
    for bound in auc_estimate(t, method="newcombe").interval:
        v = bound * (1 - bound) / 750 * (1 + (55 / 2 - 1) * ((1 - bound) / (2 - bound) + bound / (1 + bound)))
        assert abs(a - bound) == approx(z * math.sqrt(v), rel=1e-6)


def test_delong_without_width_is_newcombes_and_says_so():
    e = auc_estimate(ScoreGroups.of(np.arange(40.0), np.arange(40) >= 20), method="delong")
    assert e.method == "newcombe"
    assert e.interval == approx([float(x) for x in newcombe_interval(1.0, 20, 20, 0.95)])


def test_mirror_and_higher_confidence():
    s, y = sample(4, 20, 60)
    e, mirrored = (auc_estimate(t) for t in (ScoreGroups.of(s, y), ScoreGroups.of(s, y).mirrored()))
    assert e.interval == approx(mirrored.interval)
    flipped = auc_estimate(ScoreGroups.of(-s, y))
    assert flipped.interval == approx((1 - e.high, 1 - e.low))
    wider = auc_estimate(ScoreGroups.of(s, y), confidence=0.99)
    assert wider.low < e.low < e.high < wider.high
    assert gini_estimate(ScoreGroups.of(s, y)).interval == approx([2 * x - 1 for x in e.interval])


def test_equal_weights_change_nothing_and_unequal_ones_widen():
    s, y = sample(5, 40, 60)
    plain = auc_estimate(ScoreGroups.of(s, y))
    equal = auc_estimate(ScoreGroups.of(s, y, np.full(100, 2.5)))
    assert [*equal.interval, equal.se, equal.n] == approx([*plain.interval, plain.se, 100])
    assert equal.flags == plain.flags
    unequal = auc_estimate(ScoreGroups.of(s, y, np.random.default_rng(0).lognormal(size=100)))
    assert unequal.width > plain.width
    assert unequal.n < 100


def test_groups_widen_and_copies_of_rows_add_nothing():
    s, y = sample(6, 30, 50)
    t = ScoreGroups.of(s, y)
    copies = np.repeat(s, 4), np.repeat(y, 4)
    four = ScoreGroups.of(*copies)
    known = score_design(roc_auc, four, *copies, None, np.repeat(np.arange(80), 4))
    assert known.effect[0, 0] == approx(4 * 80 / 79, rel=0.05)
    e = auc_estimate(four, design_effect=float(known.effect[0, 0]), group_factor=known.factor(0.95))
    assert e.width > auc_estimate(t).width > 1.5 * auc_estimate(four).width
    assert e.se == approx(auc_estimate(t).se, rel=0.05)
    assert score_design(roc_auc, t, s, y, None, None) is NOT_GROUPED
    assert score_design(roc_auc, t, s, y, None, np.arange(80)).effect[0, 0] == approx(80 / 79, rel=0.01)


def test_influence_of_rows_is_that_of_their_score():
    s, y = sample(7, 10, 12, digits=0)
    t = ScoreGroups.of(s, y)
    rows = roc_auc.moved(t).at(t.places(s), y)
    won = (s[y][:, None] > s[~y]) + 0.5 * (s[y][:, None] == s[~y])
    assert rows[y] == approx((won.mean(axis=1) - t.auc) / 10)
    assert rows[~y] == approx((won.mean(axis=0) - t.auc) / 12)


@pytest.mark.parametrize("digits", [6, 0])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_validity_suite_simulates_what_is_shipped(digits, weighted):
    rng = np.random.default_rng(12)
    x, y = np.round(rng.normal(1, 1, (12, 25)), digits), np.round(rng.normal(0, 1, (12, 40)), digits)
    w = (rng.lognormal(size=x.shape), rng.lognormal(size=y.shape)) if weighted else None
    found = ranking.moments(x, y, w)
    is_positive = np.arange(65) < 25
    for i in range(12):
        each = None if w is None else np.concatenate([w[0][i], w[1][i]])
        t = ScoreGroups.of(np.concatenate([x[i], y[i]]), is_positive, each)
        for rule in ranking.RULES:
            low, high = ranking.bounds(rule, found, 0.5 if weighted else 0.0)
            assert auc_estimate(t, method=rule).interval == approx((low[i], high[i]))
        if w is not None:
            few = ranking.worth(x, y, w)[i] < 10
            assert ("few_weighted_errors" in auc_estimate(t).flags) == few


# the bootstrap


@pytest.mark.parametrize("digits", [6, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_replicates_are_those_of_resampled_rows(digits, weighted):
    s, y = sample(8, 60, 90, digits=digits)
    rng = np.random.default_rng(0)
    w = rng.uniform(0.5, 2, 150) if weighted else np.ones(150)
    t = ScoreGroups.of(s, y, w if weighted else None)
    drawn = auc_replicates(t, 4000, 1)
    picks = (rng.integers(150, size=150) for _ in range(1500))
    by_rows = [ScoreGroups.of(s[i], y[i], w[i]).auc for i in picks]
    assert drawn.mean() == approx(np.mean(by_rows), abs=0.005)
    assert drawn.std() == approx(np.std(by_rows), rel=0.1)
    assert (drawn == auc_replicates(t, 4000, 1)).all()


@pytest.mark.parametrize("digits", [6, 1])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_compiled_loop_draws_the_same_distribution(monkeypatch, digits, weighted):
    s, y = sample(9, 150, 250, digits=digits)
    w = np.where(y, 2.0, 0.5) if weighted else None
    t = ScoreGroups.of(s, y, w)
    plain = auc_replicates(t, 4000, 1)
    monkeypatch.setattr(score_draws_module, "COMPILED_FROM", 0)
    compiled = auc_replicates(t, 4000, 1)
    assert not np.array_equal(plain, compiled)
    assert compiled.mean() == approx(plain.mean(), abs=0.003)
    assert compiled.std() == approx(plain.std(), rel=0.08)
    assert (compiled == auc_replicates(t, 4000, 1)).all()


def test_the_compiled_loop_counts_pairs():
    from surefold.estimates.compiled_draws import _COUNTS, _areas

    assert [_COUNTS.mean(), _COUNTS.var()] == approx([1, 1], abs=1e-3)  # Poisson(1)
    s, y = sample(10, 20, 30, digits=1)
    order = np.argsort(-s)
    last, out = np.append(np.diff(s[order]) != 0, True), np.empty(1)
    ones = np.ones(65536, dtype=np.uint8)  # every row once: the sample itself
    _areas(y[order].astype(float), (~y[order]).astype(float), last, ones, np.zeros(1, np.uint64), out)
    assert out[0] == approx(ScoreGroups.of(s, y).auc)


def test_rows_of_unequal_weight_at_one_score_go_by_cells(monkeypatch):
    t = ScoreGroups.of(
        np.array([1.0, 1.0, 2.0, 0.0]), np.array([True, True, False, False]), np.array([1.0, 2.0, 1.0, 1.0])
    )
    monkeypatch.setattr(score_draws_module, "COMPILED_FROM", 0)
    assert np.isnan(auc_replicates(t, 200, 0)).any()  # a class is absent in some


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_drawn_intervals(method):
    s, y = sample(11, 60, 60)
    t = ScoreGroups.of(s, y)
    e = auc_estimate(t, method=method, draws=4000, random_state=0)
    assert e.interval == approx(auc_estimate(t, method="delong").interval, abs=0.03)
    assert e.interval == auc_estimate(t, method=method, draws=4000, random_state=0).interval
    assert e.flags == ("known_to_mislead",)
    few = ScoreGroups.of(np.arange(5.0), np.array([False, True, False, True, False]))
    assert (
        "undefined_replicates"
        in auc_estimate(few, method=method, draws=500, random_state=np.random.default_rng(0)).flags
    )


def test_bad_options():
    t = ScoreGroups.of(np.arange(4.0), np.arange(4) > 1)
    with pytest.raises(UnknownNameError, match="did you mean 'delong'"):
        auc_estimate(t, method="delon")
    with pytest.raises(UnknownNameError):
        delong([0, 1], [0.1, 0.2], method="wald")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="draws=5"):
        auc_estimate(t, method="bca", draws=5)
    with pytest.raises(InputError, match="confidence"):
        auc_estimate(t, confidence=95)


def test_delong_reads_labels():
    e = delong(["no", "no", "yes", "yes"], [0.1, 0.4, 0.3, 0.9], pos_label="yes")
    assert e.value == 0.75
    with pytest.raises(InputError):
        delong(["no", "no", "yes", "yes"], [0.1, 0.4, 0.3, 0.9])
