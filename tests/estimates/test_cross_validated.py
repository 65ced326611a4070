"""From folds to estimates: the published formulas by hand, what happens where nothing varies, and the laws."""

import math
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv

from surefold.errors import InputError, UnknownNameError
from surefold.estimates import (
    clopper_pearson,
    corrected_interval,
    delong,
    leave_pair_out_auc,
    mean_interval,
    naive_interval,
    nested_interval,
    repeated,
)
from surefold.estimates.auc import AucMoments
from surefold.findings import FINDING_CODES
from surefold.tallies.score_groups import ScoreGroups
from tests.validity import fold_designs, folds

approx = pytest.approx
FOLDS = [8 / 30, 4 / 30, 7 / 30, 11 / 30, 5 / 30]
VARIANCE = (1 + 9 + 0 + 16 + 4) / 900 / 4  # about the mean 7/30
T4, T9 = 2.776445, 2.262157
SHAPES: tuple[Literal["t", "one_row"], ...] = ("t", "one_row")


def refused(code, call):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == code


# --- as the books print it


def test_naive_is_the_mean_interval_with_a_flag():
    plain, naive = mean_interval(FOLDS, "normal", 0, 0.9), naive_interval(FOLDS, "normal", 0, 0.9)
    assert naive.interval == plain.interval
    assert naive.flags == ("naive_folds",)
    assert naive_interval([0.1, 0.1]).flags == ("naive_folds", "degenerate")


def test_repeats_by_hand():
    r = repeated([[0.1, 0.3], [0.2, 0.6]])
    assert r.means == approx([0.2, 0.4])
    assert r.variances == approx([0.02, 0.08])  # .1² x 2 and .2² x 2, over 1
    assert (r.mean, r.mean_variance) == approx((0.3, 0.05))
    assert (r.variance_of_means, r.variance_of_variances) == approx((0.02, 0.0018))
    by_k = repeated([[0.1, 0.3], [0.2, 0.6]], ddof=0)
    assert (by_k.mean_variance, by_k.variance_of_means) == approx((0.025, 0.01))


def test_one_repeat_of_example_22_7():
    r = repeated([FOLDS])
    assert (r.mean, r.mean_variance) == approx((7 / 30, VARIANCE))
    assert math.isnan(r.variance_of_means)
    refused("no_rows", lambda: repeated([]))
    refused("undefined_folds", lambda: repeated([[0.1, math.nan]]))


# --- the corrected interval


def test_corrected_by_hand():
    # 5 folds of 30 rows: 1/5 + 30/120
    e = corrected_interval(FOLDS, 120, 30, folds=5)
    se = math.sqrt((1 / 5 + 1 / 4) * VARIANCE)
    assert e.se == approx(se)
    assert e.interval == approx((7 / 30 - T4 * se, 7 / 30 + T4 * se), abs=1e-6)
    assert (e.method, e.df, e.n, e.flags) == ("corrected_t", 4, 150, ("few_folds",))


def test_ten_times_ten_has_nine_degrees_of_freedom():
    values = np.random.default_rng(0).binomial(10, 0.3, 100) / 10
    e = corrected_interval(values, 90, 10, folds=10)
    se = math.sqrt((1 / 100 + 1 / 9) * values.var(ddof=1))
    assert e.df == 9
    assert e.interval == approx((values.mean() - T9 * se, values.mean() + T9 * se), abs=1e-6)
    assert e.flags == ()
    published = corrected_interval(values, 90, 10, folds=10, df=99)
    assert published.width == approx(e.width * 1.984217 / T9, rel=1e-5)


def test_sizes_of_each_split_give_their_mean_ratio():
    e = corrected_interval(FOLDS, [120, 120, 120, 121, 119], [30, 30, 30, 29, 31], folds=5)
    ratio = (3 * 30 / 120 + 29 / 121 + 31 / 119) / 5
    assert e.se == approx(math.sqrt((1 / 5 + ratio) * VARIANCE))


def test_bounds_stay_within_the_limits():
    e = corrected_interval([0.0, 0.5, 0.1, 0.0, 0.2], 20, 5, folds=5)
    assert e.low == 0
    wide = corrected_interval([0.0, 0.5, 0.1, 0.0, 0.2], 20, 5, folds=5, limits=(-1, 1))
    assert wide.low < 0
    assert wide.high == approx(e.high)


@pytest.mark.parametrize(("value", "mirrored"), [(0.0, 1.0), (1.0, 0.0)])
def test_no_error_at_all_is_the_exact_interval_of_all_rows(value, mirrored):
    e = corrected_interval([value] * 100, 90, 10, folds=10)
    assert e.interval == approx(clopper_pearson(100 * value, 100).interval)
    assert "degenerate" in e.flags
    other = corrected_interval([mirrored] * 100, 90, 10, folds=10)
    assert other.interval == approx((1 - e.high, 1 - e.low))


def test_one_error_in_one_of_ten_repeats_says_little():
    # s = .01, so that t alone would end at .001 + 2.262 x .0035 = .009; no error in 100 rows allows .036.
    # One row more, half of it wrong: c = .6/101, v = (100² x .1211 x .0001 + (c² + (1 - c)²)/2) / 101²
    values = np.zeros(100)
    values[3] = 0.1
    e = corrected_interval(values, 90, 10, folds=10)
    c = 0.6 / 101
    n = c * (1 - c) * 101**2 / (100**2 * (1 / 100 + 1 / 9) * 0.0001 + (c**2 + (1 - c) ** 2) / 2)
    assert e.high == approx(betaincinv(n * c + 0.5, n * (1 - c) - 0.5, 0.975))
    assert 0.036 < e.high < 0.040
    assert e.low == 0
    assert e.flags == ("few_errors",)


def test_equal_folds_inside_the_range_have_width():
    e = corrected_interval([0.2] * 10, 90, 10)
    assert e.interval == approx(clopper_pearson(20, 100).interval)
    assert e.se == 0


def test_equal_folds_without_limits():
    e = corrected_interval([0.5] * 10, 90, 10, limits=(0, math.inf))
    assert 0 <= e.low < 0.5 < e.high < math.inf
    assert e.flags == ("few_folds", "degenerate")
    nothing = corrected_interval([0.0] * 10, 90, 10, limits=(0, math.inf))
    assert nothing.interval == (0, math.inf)


def test_few_splits_test_few_rows():
    assert corrected_interval([0.1, 0.2], 90, 10).n == 20  # two hold-outs of ten rows
    assert corrected_interval([0.1, 0.2, 0.1], 60, 30).n == 90


def test_leave_one_out_is_not_one_of_few_folds():
    e = corrected_interval([0.0, 1.0] * 20, 39, 1)
    assert (e.df, e.n, e.flags) == (39, 40, ())
    assert e.se == approx(math.sqrt((1 / 40 + 1 / 39) * 10 / 39))


def test_infinite_degrees_of_freedom_are_normal():
    e = corrected_interval(FOLDS, 120, 30, df=math.inf)
    assert e.high - float(e) == approx(1.959964 * e.se, abs=1e-6)


def test_one_split_has_no_interval():
    e = corrected_interval([0.1], 90, 10)
    assert math.isnan(e.low)
    assert "spread" in e.reason


@pytest.mark.parametrize(
    ("code", "values", "options"),
    [
        ("undefined_folds", [0.1, math.nan], {}),
        ("bad_option", [0.1, 0.2], {"folds": 1}),
        ("bad_option", [0.1, 0.2], {"folds": 3}),
        ("bad_option", [0.1, 0.2], {"df": 0}),
        ("bad_option", [0.1, 1.2], {}),
        ("bad_option", [0.1, 0.2], {"limits": (1, 0)}),
        ("bad_option", [0.1, 0.2], {"n_train": 0}),
        ("length_mismatch", [0.1, 0.2], {"n_test": [1, 2, 3]}),
    ],
)
def test_what_the_corrected_interval_refuses(code, values, options):
    sizes = {"n_train": 90, "n_test": 10, **options}
    refused(code, lambda: corrected_interval(values, **sizes))


COUNTS = st.lists(st.integers(0, 10), min_size=2, max_size=40)


@settings(max_examples=150, deadline=None)
@given(
    COUNTS, st.sampled_from([0.5, 0.95, 0.999]), st.sampled_from(SHAPES), st.randoms(use_true_random=False)
)  # fmt: skip
def test_laws_of_the_corrected_interval(counts, confidence, shape, random):
    values = [c / 10 for c in counts]
    e = corrected_interval(values, 90, 10, confidence=confidence, shape=shape)
    assert 0 <= e.low <= float(e) <= e.high <= 1
    assert e.width > 0
    assert all(flag in FINDING_CODES for flag in e.flags)
    mixed = list(values)
    random.shuffle(mixed)
    assert corrected_interval(mixed, 90, 10, confidence=confidence, shape=shape).interval == approx(e.interval)
    swapped = corrected_interval([1 - v for v in values], 90, 10, confidence=confidence, shape=shape)
    assert swapped.interval == approx((1 - e.high, 1 - e.low), abs=1e-9)
    scaled = corrected_interval([2 * v - 1 for v in values], 90, 10, confidence=confidence, shape=shape, limits=(-1, 1))
    assert scaled.interval == approx((2 * e.low - 1, 2 * e.high - 1), abs=1e-9)


def test_one_row_shape_by_hand():
    # 100 rows, value .3: half a row at either end gives c = 30.5/101; then Beta quantiles with n_e (z/t)² rows
    values = np.array([0.2, 0.4, 0.3, 0.3, 0.1, 0.5, 0.3, 0.3, 0.2, 0.4])
    e = corrected_interval(values, 90, 10, shape="one_row")
    variance = (0.01 * 4 + 0.04 * 2) / 9  # deviations .1 four times, .2 twice
    se2 = (1 / 10 + 1 / 9) * variance
    c = 30.5 / 101
    v = (100**2 * se2 + ((1 - c) ** 2 + c**2) / 2) / 101**2
    n = c * (1 - c) / v * (1.959964 / T9) ** 2
    assert e.se == approx(math.sqrt(se2))
    low, high = betaincinv(n * c - 0.5, n * (1 - c) + 0.5, 0.025), betaincinv(n * c + 0.5, n * (1 - c) - 0.5, 0.975)
    assert e.interval == approx((low, high), abs=1e-6)
    assert e.method == "corrected_one_row"


def test_one_row_shape_without_limits_is_t():
    values = [0.2, 0.4, 0.3, 0.9]
    t, other = (corrected_interval(values, 90, 10, limits=(0, math.inf), shape=s) for s in SHAPES)
    assert other.interval == approx(t.interval)
    with pytest.raises(UnknownNameError):
        corrected_interval(values, 90, 10, shape="beta")  # type: ignore[arg-type]


# --- nested cross-validation


def nested_by_hand(outer, inner):
    """The published recipe, one step at a time."""
    k, n = len(outer[0]), sum(len(x) for x in outer[0])
    a = [
        np.subtract(np.mean(i), np.mean(o)) ** 2
        for r, s in zip(outer, inner, strict=True)
        for o, i in zip(r, s, strict=True)
    ]
    b = [np.var(o, ddof=1) / len(o) for r in outer for o in r]
    all_inner = np.concatenate([np.asarray(i) for r in inner for i in r])
    all_outer = np.concatenate([np.asarray(o) for r in outer for o in r])
    least = np.std(all_inner) / math.sqrt(n)
    se = math.sqrt(max(np.mean(a) - np.mean(b), 0)) * math.sqrt((k - 1) / k)
    bias = (1 + (k - 2) / k) * (all_inner.mean() - all_outer.mean())
    return all_inner.mean() - bias, min(max(se, least), least * math.sqrt(k)), least


def nested_losses(seed, n=60, k=5, repeats=4, rate=0.3, drift=0.0):
    rng = np.random.default_rng(seed)
    outer, inner = [], []
    for _ in range(repeats):
        sizes = [n // k] * k
        rates = np.clip(rate + drift * rng.normal(size=k), 0, 1)
        outer.append([(rng.random(m) < p).astype(float) for m, p in zip(sizes, rates, strict=True)])
        inner.append([(rng.random(n - m) < rate + 0.02).astype(float) for m in sizes])
    return outer, inner


@pytest.mark.parametrize("drift", [0.0, 0.15, 0.6])
@pytest.mark.parametrize("seed", range(3))
def test_nested_is_the_published_recipe(seed, drift):
    outer, inner = nested_losses(seed, drift=drift)
    value, se, _ = nested_by_hand(outer, inner)
    e = nested_interval(outer, inner)
    assert float(e) == approx(value)
    assert e.se == approx(se)
    assert e.interval == approx((max(value - 1.959964 * se, 0), value + 1.959964 * se), abs=1e-6)
    assert (e.method, e.n) == ("nested_cv", 60)


def test_nested_standard_error_is_kept_between_its_ends():
    _, se, least = nested_by_hand(*nested_losses(1, drift=0.0))
    assert se >= least
    _, se, least = nested_by_hand(*nested_losses(1, drift=3.0))
    assert se == approx(least * math.sqrt(5))


def test_nested_carries_on_to_all_rows():
    # inner .30 with 3/5 of the rows, outer .25 with 4/5: all of them 4/5 - 3/5 further on, .30 - 1.6 x .05
    outer = [[np.array([0.25, 0.25])] * 5]
    inner = [[np.array([0.3] * 8)] * 5]
    assert float(nested_interval(outer, inner)) == approx(0.30 - (1 + 3 / 5) * 0.05)


def test_nested_without_errors_has_width():
    e = nested_interval([[np.zeros(4)] * 5], [[np.zeros(16)] * 5])
    assert e.interval == approx(clopper_pearson(0, 20).interval)
    assert e.flags == ("degenerate",)


def test_what_nested_refuses():
    outer, inner = nested_losses(0)
    refused("bad_shape", lambda: nested_interval(outer, inner[:-1]))
    refused("bad_shape", lambda: nested_interval([r[:2] for r in outer], [r[:2] for r in inner]))
    refused("bad_shape", lambda: nested_interval(outer, [[x[:-1] for x in r] for r in inner]))
    refused("bad_option", lambda: nested_interval([[[0.0]] * 3], [[[0.0, 1.0]] * 3]))
    refused("undefined_folds", lambda: nested_interval([[[0.0, math.nan]] * 3], [[[0.0, 1.0, 0.0, 0.0]] * 3]))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 0.05, 0.5, 1.0]), st.sampled_from([0.0, 0.5]), st.integers(3, 6))
def test_nested_is_never_a_point_and_stays_within_limits(seed, rate, drift, k):
    outer, inner = nested_losses(seed, n=4 * k, k=k, repeats=2, rate=rate, drift=drift)
    e = nested_interval(outer, inner)
    assert 0 <= e.low <= float(e) <= e.high <= 1
    assert e.width > 0
    turned = nested_interval([[1 - x for x in r] for r in outer], [[1 - x for x in r] for r in inner])
    assert turned.interval == approx((1 - e.high, 1 - e.low), abs=1e-9)


# --- leave-pair-out


def pairs_of(scores, y) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    positive, negative = np.flatnonzero(y), np.flatnonzero(~y)
    i, j = (x.ravel() for x in np.indices((len(positive), len(negative))))
    s1, s0 = scores[positive[i]], scores[negative[j]]
    return (s1 > s0) + 0.5 * (s1 == s0), i, j


@pytest.mark.parametrize("digits", [0, 5])
def test_pairs_of_one_scoring_are_the_usual_area(digits):
    rng = np.random.default_rng(4)
    y = np.arange(37) < 15
    scores = np.round(rng.normal(size=37) + y, digits)
    e, usual = leave_pair_out_auc(*pairs_of(scores, y), 15, 22), delong(y.astype(int), scores)
    assert float(e) == approx(float(usual))
    assert e.se == approx(usual.se)
    centre, variance = AucMoments.of(ScoreGroups.of(scores, y)).one_row()
    n = centre * (1 - centre) / variance
    ends = (betaincinv(n * centre - 0.5, n * (1 - centre) + 0.5, 0.025),
            betaincinv(n * centre + 0.5, n * (1 - centre) - 0.5, 0.975))  # fmt: skip
    assert e.interval == approx(ends)
    assert e.low < usual.low < usual.high < e.high
    assert (e.n, e.flags) == (37, usual.flags)


def test_all_pairs_won_has_width():
    e = leave_pair_out_auc(*pairs_of(np.arange(12.0), np.arange(12) >= 6), 6, 6)
    assert e.high == 1
    assert 0.5 < e.low < 1
    assert e.flags == ("degenerate", "few_of_a_class")


def test_fewer_pairs_widen_the_interval():
    rng = np.random.default_rng(8)
    y = np.arange(80) < 30
    wins, i, j = pairs_of(rng.normal(size=80) + 1.2 * y, y)
    some = rng.choice(len(wins), size=150, replace=False)
    all_of_them, sampled = (
        leave_pair_out_auc(wins, i, j, 30, 50),
        leave_pair_out_auc(wins[some], i[some], j[some], 30, 50),
    )
    assert sampled.width > all_of_them.width
    assert float(sampled) == approx(wins[some].mean())


def test_swapping_the_classes_mirrors_the_area():
    rng = np.random.default_rng(2)
    wins, i, j = pairs_of(rng.normal(size=30), np.arange(30) < 12)
    e, mirrored = leave_pair_out_auc(wins, i, j, 12, 18), leave_pair_out_auc(1 - wins, j, i, 18, 12)
    assert mirrored.interval == approx((1 - e.high, 1 - e.low))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 8), st.integers(1, 8), st.floats(-4, 4), st.floats(0.05, 1))
def test_any_pairs_give_an_interval_with_width(seed, m, n, shift, kept):
    rng = np.random.default_rng(seed)
    y = np.arange(m + n) < m
    wins, i, j = pairs_of(np.round(rng.normal(size=m + n) + shift * y, 1), y)
    some = rng.permutation(len(wins))[: max(1, round(kept * len(wins)))]
    e = leave_pair_out_auc(wins[some], i[some], j[some], m, n)
    assert 0 <= e.low <= float(e) <= e.high <= 1
    assert e.width > 0


def test_one_row_of_a_class_has_an_interval_but_no_standard_error():
    e = leave_pair_out_auc([1, 0, 1], [0, 0, 0], [0, 1, 2], 1, 3)
    assert math.isnan(e.se)
    assert 0 <= e.low < float(e) < e.high <= 1


def test_what_leave_pair_out_refuses():
    refused("bad_option", lambda: leave_pair_out_auc([2.0], [0], [0], 1, 1))
    refused("bad_option", lambda: leave_pair_out_auc([1.0], [1], [0], 1, 1))
    refused("bad_option", lambda: leave_pair_out_auc([1.0], [0.5], [0], 1, 1))
    refused("length_mismatch", lambda: leave_pair_out_auc([1.0, 0.0], [0], [0, 0], 1, 1))
    refused("no_rows", lambda: leave_pair_out_auc([], [], [], 1, 1))


# --- what the simulation of their coverage rests on


def peers():
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    return {
        "logistic": LogisticRegression(C=100, max_iter=1000),
        "discriminant": LinearDiscriminantAnalysis(),
        "tree": DecisionTreeClassifier(random_state=0),
        "5 neighbours": KNeighborsClassifier(5),
        "1 neighbour": KNeighborsClassifier(1),
    }


@pytest.mark.parametrize("learner", fold_designs.LEARNERS)
def test_quick_learners_are_the_usual_ones(learner):
    rng = np.random.default_rng(7)
    X, y = folds.SKEWED.draw(60, rng)
    new, _ = folds.SKEWED.draw(200, rng)
    weights = np.stack([np.ones(60), (np.arange(60) % 5 != 0).astype(float)])
    found = fold_designs.LEARNERS[learner](X, y, weights, new)
    for labels, w in zip(found, weights, strict=True):
        peer = peers()[learner].fit(X[w > 0], y[w > 0])
        assert (labels == peer.predict(new)).mean() >= 0.99


def test_a_simulated_case_has_an_interval_for_every_rule():
    found = folds.case("logistic", folds.NORMALS, 40, 3, [1])
    assert set(found.bounds) == {*folds.OVER_FOLDS, *folds.OVER_SAMPLES}
    assert all(len(ends) == 3 and np.isfinite(ends).all() for ends in found.bounds.values())
    assert 0.1 < np.mean(found.errors) < 0.4
    nested = folds.nested_case("discriminant", folds.NORMALS, 40, 2, 2, [2])
    pairs = folds.pairs_case(folds.NORMALS, 30, 2, [3])
    assert np.isfinite([*nested.bounds["nested"], *pairs.bounds["all pairs"], *pairs.bounds["some pairs"]]).all()
