"""Two shares of separate rows, and tables of matched ones."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold import Confusion
from surefold.comparison import bowker, cochran_q, mcnemar, two_proportions
from surefold.errors import InputError, UnknownNameError
from surefold.significance.proportions import Interval, _score_variance, _Share

approx = pytest.approx
INTERVALS: tuple[Interval, ...] = ("wald", "newcombe", "agresti_caffo", "miettinen_nurminen")


def test_the_books_two_errors():
    # tan4.5: .15 x .85 / 30 + .25 x .75 / 5000
    r = two_proportions(0.15, 30, 0.25, 5000)
    assert r.effect.se**2 == approx(0.15 * 0.85 / 30 + 0.25 * 0.75 / 5000)
    assert r.effect.se**2 == approx(0.0043, abs=5e-5)
    assert r.effect.se == approx(0.0655, abs=5e-5)
    assert r.effect.value == approx(-0.1)
    assert r.effect.width / 2 == approx(0.128, abs=5e-4)
    assert r.statistic == approx(-1.527, abs=5e-4)
    assert r.p_value == approx(1 - r.confidence_two_sided)
    assert (r.confidence_two_sided, r.confidence_one_sided) == approx((0.873, 0.937), abs=5e-4)
    assert r.p_value > 0.05
    assert 0 in r.effect


def test_pooled():
    r = two_proportions(0.2, 50, 0.4, 100, pooled=True)
    shared = (10 + 40) / 150
    assert r.statistic == approx(-0.2 / math.sqrt(shared * (1 - shared) * (1 / 50 + 1 / 100)))
    assert two_proportions(0.2, 50, 0.4, 100, pooled=True, alternative="less").p_value == approx(r.p_value / 2)


def test_newcombe_squares_and_adds():
    from surefold.estimates import wilson

    e = two_proportions(0.3, 20, 0.1, 30, interval="newcombe").effect
    first, second = wilson(6, 20), wilson(3, 30)
    assert e.low == approx(0.2 - math.hypot(0.3 - first.low, second.high - 0.1))
    assert e.high == approx(0.2 + math.hypot(first.high - 0.3, 0.1 - second.low))


def test_agresti_caffo_adds_four_rows():
    e = two_proportions(0.3, 20, 0.1, 30, interval="agresti_caffo").effect
    p, q = 7 / 22, 4 / 32
    reach = 1.959964 * math.sqrt(p * (1 - p) / 22 + q * (1 - q) / 32)
    assert e.interval == approx((p - q - reach, p - q + reach), abs=1e-6)


def test_the_score_variance_is_at_the_likeliest_shares():
    for e1, n1, e2, n2, d in ((0.8, 70, 0.6, 80, 0.1), (0.1, 20, 0.3, 10, -0.5), (0.0, 8, 0.5, 8, 0.2)):
        p = np.linspace(max(d, 0) + 1e-9, min(1, 1 + d) - 1e-9, 400_001)
        q = p - d
        like = n1 * (e1 * np.log(p) + (1 - e1) * np.log(1 - p)) + n2 * (e2 * np.log(q) + (1 - e2) * np.log(1 - q))
        best, other = p[like.argmax()], q[like.argmax()]
        wanted = (best * (1 - best) / n1 + other * (1 - other) / n2) * (n1 + n2) / (n1 + n2 - 1)
        assert _score_variance(_Share(e1, n1), _Share(e2, n2), d) == approx(wanted, rel=1e-4)


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize(("e1", "e2"), [(0.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.3, 0.3)])
def test_at_the_ends(interval, e1, e2):
    r = two_proportions(e1, 20, e2, 30, interval=interval)
    assert r.effect.value == e1 - e2
    assert -1 <= r.effect.low < r.effect.high <= 1
    assert e1 - e2 in r.effect
    if e1 == e2:
        assert (r.p_value, r.statistic) == (1, 0)
    else:
        assert 0 < r.p_value < 1e-6
    assert ("degenerate" in r.flags) == (e1 in (0, 1))


@settings(max_examples=80, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_swapping_flips_the_sign(n, m, data):
    a, b = data.draw(st.integers(0, n)) / n, data.draw(st.integers(0, m)) / m
    for interval in INTERVALS:
        for pooled in (False, True):
            there = two_proportions(a, n, b, m, pooled, interval=interval)
            back = two_proportions(b, m, a, n, pooled, interval=interval)
            assert there.p_value == approx(back.p_value)
            assert 0 < there.p_value <= 1
            assert there.statistic == approx(-back.statistic)
            assert there.effect.interval == approx((-back.effect.high, -back.effect.low), abs=1e-9)
            assert there.effect.low <= there.effect.value + 1e-9
            assert there.effect.value <= there.effect.high + 1e-9
            assert there.effect.width > 0


def test_few_errors_are_flagged():
    assert two_proportions(0.1, 30, 0.3, 100).flags == ("few_errors", "liberal_test")
    assert two_proportions(0.1, 30, 0.3, 100, pooled=True).flags == ("few_errors",)
    assert two_proportions(0.3, 30, 0.3, 100).flags == ()


@pytest.mark.parametrize("given", [(3, 30, 0.1, 30), (-0.1, 30, 0.1, 30), (0.1, 0, 0.1, 30), (0.1, 30, math.nan, 30)])
def test_bad_shares_are_refused(given):
    with pytest.raises(InputError):
        two_proportions(*given)


def test_unknown_names_are_refused():
    with pytest.raises(UnknownNameError, match="newcombe"):
        two_proportions(0.1, 30, 0.2, 30, interval="newcomb")  # type: ignore[arg-type]


def test_cochran_q_by_hand():
    correct = [[1, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 1, 0]]
    # columns 4 4 1, rows 2 1 2 3 1, total 9
    r = cochran_q(correct)
    assert r.statistic == approx(2 * (3 * (16 + 16 + 1) - 81) / (3 * 9 - (4 + 1 + 4 + 9 + 1)))
    assert r.df == 2
    assert r.p_value == approx(math.exp(-r.statistic / 2))  # chi-squared with 2 degrees of freedom
    assert "no single difference" in r.effect.reason


def test_cochran_q_of_two_models_is_mcnemar():
    correct = np.array([[1, 1]] * 10 + [[1, 0]] * 7 + [[0, 1]] * 2 + [[0, 0]] * 3, dtype=bool)
    two, one = cochran_q(correct), mcnemar(7, 2, method="chi2", n=22)
    assert (two.statistic, two.p_value) == approx((one.statistic, one.p_value))
    assert two.effect == one.effect


def test_rows_on_which_all_agree_do_not_count():
    correct = np.array([[1, 1, 0], [1, 0, 0], [0, 1, 1]])
    more = np.vstack([correct, np.ones((20, 3)), np.zeros((9, 3))])
    assert cochran_q(more).statistic == approx(cochran_q(correct).statistic)


def test_agreement_everywhere():
    r = cochran_q(np.ones((5, 4)))
    assert (r.p_value, r.statistic, r.flags) == (1, 0, ("no_disagreement",))
    b = bowker(np.diag([3, 4, 5]))
    assert (b.p_value, b.statistic, b.flags) == (1, 0, ("no_disagreement",))
    assert mcnemar(0, 0, n=9, confidence=0.9).effect.width < mcnemar(0, 0, n=9).effect.width


def test_bowker_of_two_classes_is_mcnemar():
    r, one = bowker([[20, 9], [3, 15]]), mcnemar(3, 9, method="chi2", n=47)
    assert (r.statistic, r.p_value) == approx((one.statistic, one.p_value))
    assert r.effect.value == approx((3 - 9) / 47)
    back = bowker(np.transpose([[20, 9], [3, 15]]))
    assert (back.p_value, back.effect.value) == approx((r.p_value, -r.effect.value))
    assert bowker(Confusion([[20, 9], [3, 15]])).statistic == approx(r.statistic)


@pytest.mark.parametrize(
    ("test", "given", "code"),
    [
        (cochran_q, [[1, 2], [0, 1]], "bad_option"),
        (cochran_q, [[1], [0]], "bad_shape"),
        (cochran_q, [1, 0, 1], "bad_shape"),
        (cochran_q, [[1, math.nan]], "missing_value"),
        (bowker, [[1, 2, 3], [4, 5, 6]], "bad_table"),
        (bowker, [[1, -2], [3, 4]], "bad_table"),
        (bowker, [[1]], "bad_table"),
    ],
)
def test_bad_tables_are_refused(test, given, code):
    with pytest.raises(InputError) as caught:
        test(given)
    assert caught.value.code == code


def test_mcnemar_refuses_what_is_no_count():
    for b, c in ((math.nan, 1), (1, math.inf), (-1, 2)):
        with pytest.raises(InputError):
            mcnemar(b, c)
