"""Tests over folds: the books' figures by hand, and what equal differences say."""

import math

import numpy as np
import pytest

from surefold.comparison import corrected_t, five_by_two_f, five_by_two_t, paired_t, paired_t_from
from surefold.errors import InputError, UnknownNameError

approx = pytest.approx
BOOK = np.array([1, 2, -2, 2, 2]) / 30


def test_the_books_paired_t():
    # ex22.11: mean 5/150, squares about it (0 + 1 + 9 + 1 + 1)/900 over 4; t = .0333 / sqrt(.00333/5)
    r = paired_t(BOOK, np.zeros(5))
    assert r.effect.value == approx(1 / 30)
    assert r.effect.se**2 * 5 == approx(12 / 900 / 4)
    assert r.statistic == approx((1 / 30) / math.sqrt(12 / 900 / 4 / 5))
    assert r.statistic == approx(1.291, abs=5e-4)
    assert r.p_value == approx(0.266, abs=5e-4)
    assert r.df == 4
    assert "naive_folds" in r.flags
    assert any("independent" in sentence for sentence in r.assumptions)


def test_a_difference_thirty_times_over():
    # tan4.6: mean .05, standard error .002, 30 folds: .05 ± 2.045 x .002
    d = np.array([-1.0, 1.0] * 15)
    d *= 0.002 * math.sqrt(30) / d.std(ddof=1)
    r = paired_t(d + 0.05, np.zeros(30))
    assert (r.effect.value, r.effect.se) == approx((0.05, 0.002))
    assert r.effect.interval == approx((0.05 - 2.045 * 0.002, 0.05 + 2.045 * 0.002), abs=2e-6)
    assert r.p_value < 1e-10


def test_from_a_summary_is_from_the_differences():
    whole = paired_t(BOOK, np.zeros(5), alternative="greater")
    sd = math.sqrt(12 / 900 / 4)
    for found in (
        paired_t_from(1 / 30, 5, sd=sd, alternative="greater"),
        paired_t_from(1 / 30, 5, se=sd / math.sqrt(5), alternative="greater"),
    ):
        assert (found.statistic, found.p_value, found.df) == approx((whole.statistic, whole.p_value, 4))
        assert found.effect.interval == approx(whole.effect.interval)
        assert found.flags == ("naive_folds",)
    # tan4.6 from what it prints: .05 ± 2.045 x .002
    assert paired_t_from(0.05, 30, se=0.002).effect.interval == approx((0.04591, 0.05409), abs=1e-5)
    with pytest.raises(InputError, match="give sd="):
        paired_t_from(0.05, 30)


def test_the_correction_is_test_over_train():
    a, b = np.array([0.9, 0.8, 0.8, 0.9]), np.array([0.8, 0.8, 0.7, 0.9])
    plain, corrected = paired_t(a, b), corrected_t(a, b, 75, 25)
    assert plain.statistic / corrected.statistic == approx(math.sqrt((1 / 4 + 1 / 3) / (1 / 4)))
    assert corrected.df == 3
    sizes = corrected_t(a, b, [75, 75, 76, 76], [25, 25, 24, 24])
    ratio = (2 * 25 / 75 + 2 * 24 / 76) / 4
    assert sizes.effect.se**2 == approx((1 / 4 + ratio) * (a - b).var(ddof=1))


def test_repeats_counted_as_if_independent_are_flagged():
    d = np.random.default_rng(0).normal(0.01, 0.02, 100)
    assert corrected_t(d, np.zeros(100), 90, 10).flags == ("repeated_folds",)
    nine = corrected_t(d, np.zeros(100), 90, 10, df=9)
    assert nine.flags == ()
    assert nine.df == 9
    assert nine.p_value > corrected_t(d, np.zeros(100), 90, 10).p_value


def test_five_by_two_by_hand():
    d = [[0.04, 0.02], [0.03, 0.05], [0.02, 0.02], [0.01, 0.03], [0.05, 0.05]]
    # variances of two: half the squared gap: .0002 .0002 0 .0002 0, mean .00012
    t = five_by_two_t(d)
    assert t.statistic == approx(0.04 / math.sqrt(0.00012))
    assert t.df == 5
    f = five_by_two_f(d)
    assert f.statistic == approx((16 + 4 + 9 + 25 + 4 + 4 + 1 + 9 + 25 + 25) / (2 * 6))
    assert f.df == approx((10, 5))
    for r in (t, f):
        assert r.effect.value == approx(0.032)
        assert "liberal_test" in r.flags


def _all(d):
    zero = np.zeros(len(d))
    return {
        "paired": paired_t(d, zero),
        "corrected": corrected_t(d, zero, 80, 20),
        "t": five_by_two_t(np.resize(d, (5, 2))),
        "f": five_by_two_f(np.resize(d, (5, 2))),
    }


def test_identical_learners():
    for r in _all(np.zeros(10)).values():
        assert r.p_value == 1
        assert r.statistic == 0
        assert r.effect.value == 0
        assert all(math.isnan(end) for end in r.effect.interval)
        assert str(r.effect) == "0.000"
        assert "identical" in r.effect.reason
        assert "no_spread" in r.flags


def test_equal_differences_are_not_certainty():
    # 2 of 2^10 ways to sign ten independent folds; corrected, they are worth 1 / (1/10 + 1/4)
    found = _all(np.full(10, 0.02))
    assert found["paired"].p_value == approx(2 / 2**10)
    assert found["corrected"].p_value == approx(2 ** (1 - 1 / 0.35))
    assert found["t"].p_value == found["f"].p_value == 1
    for r in found.values():
        assert r.statistic == math.inf
        assert r.effect.value == approx(0.02)
        assert "no_spread" in r.flags
    one = paired_t([0.9], [0.8])
    assert one.p_value == 1
    assert all(math.isnan(end) for end in one.effect.interval)
    assert "only difference" in one.effect.reason
    up, down = (paired_t([0.3] * 5, [0.2] * 5, alternative=side).p_value for side in ("greater", "less"))
    assert up == approx(1 / 32)
    assert down == 1


def test_rounding_is_not_spread():
    a = np.array([0.1 + 0.2, 0.3, 0.3])
    r = paired_t(a, np.full(3, 0.3))
    assert (r.p_value, r.effect.value) == (1, 0)
    big = 1000 + np.array([0.1, 0.2, 0.3, 0.4])
    assert "no_spread" in paired_t(big + 0.1, big).flags


@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e160, 1e300])
def test_very_large_and_very_small_numbers(scale):
    d = np.array([1.0, 2, 4, 3, 5, 6])
    plain, scaled = paired_t(d, np.zeros(6)), paired_t(scale * d, np.zeros(6))
    assert (scaled.statistic, scaled.p_value) == approx((plain.statistic, plain.p_value))


@pytest.mark.parametrize("seed", range(10))
def test_laws(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, 12))
    order = rng.permutation(12)
    for test in (paired_t, lambda a, b, **k: corrected_t(a, b, 90, 10, **k)):
        there, back = test(a, b), test(b, a)
        assert (there.statistic, there.p_value) == approx((-back.statistic, back.p_value))
        assert there.effect.interval == approx((-back.effect.high, -back.effect.low))
        assert test(a, b, alternative="greater").p_value == approx(test(b, a, alternative="less").p_value)
        assert test(a[order], b[order]).p_value == approx(there.p_value)
        assert test(3 * a + 1, 3 * b + 1).p_value == approx(there.p_value)
        assert test(3 * a, 3 * b).effect.low == approx(3 * there.effect.low)
    d = (a - b)[:10].reshape(5, 2)
    assert five_by_two_t(-d).statistic == approx(-five_by_two_t(d).statistic)
    assert five_by_two_f(-d).p_value == approx(five_by_two_f(7 * d).p_value)


def test_the_interval_agrees_with_p():
    rng = np.random.default_rng(1)
    for _ in range(50):
        d = rng.normal(0.5, 1, 8)
        for r in (paired_t(d, np.zeros(8)), corrected_t(d, np.zeros(8), 7, 1)):
            assert (r.p_value < 0.05) == (0 not in r.effect)


@pytest.mark.parametrize(
    ("a", "b", "code"),
    [
        ([1, 2], [1, 2, 3], "length_mismatch"),
        ([], [], "no_rows"),
        ([1.0, math.nan], [1, 2], "missing_value"),
        ([1.0, math.inf], [1, 2], "missing_value"),
        (np.ma.masked_array([1.0, 2.0], [False, True]), [1, 2], "missing_value"),
        (["0.1", "0.2"], [1, 2], "not_an_array"),
        ([object(), 1], [1, 2], "not_an_array"),
        ((x for x in (1, 2)), [1, 2], "not_an_array"),
        (0.5, 0.4, "not_an_array"),
        ([[1, 2], [3, 4]], [1, 2], "bad_shape"),
    ],
)
def test_bad_numbers_are_refused(a, b, code):
    with pytest.raises(InputError) as caught:
        paired_t(a, b)
    assert caught.value.code == code


def test_bad_options_are_refused():
    with pytest.raises(UnknownNameError, match="two-sided"):
        paired_t([1, 2], [2, 4], alternative="both")  # type: ignore[arg-type]
    for sizes in ((0, 10), (90, 10, 0), ([90, 90, 90], 10)):
        with pytest.raises(InputError):
            corrected_t([1, 2], [2, 4], *sizes)
    with pytest.raises(InputError, match=r"\(5, 2\)"):
        five_by_two_f(np.zeros((2, 5)))
    with pytest.raises(InputError):
        paired_t([1, 2], [2, 4], confidence=95)


def test_columns_of_different_rows_are_refused():
    pd = pytest.importorskip("pandas")
    a, b = pd.Series([0.9, 0.8], index=["iris", "wine"]), pd.Series([0.8, 0.9], index=["wine", "iris"])
    with pytest.raises(InputError) as caught:
        paired_t(a, b)
    assert caught.value.code == "different_rows"
    assert paired_t(a, b.reindex(a.index)).effect.value == approx(0.0, abs=1e-12)
