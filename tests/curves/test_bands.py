"""Bands: they hold the curve, their levels are exact, and they refuse what they cannot do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaincinv

from surefold.curves.cost_curve import CostCurve
from surefold.curves.decision import Decision
from surefold.curves.gains import Gains, Lift
from surefold.curves.precision_recall import PrecisionRecall
from surefold.curves.roc import Roc
from surefold.errors import InputError, UnknownNameError
from surefold.estimates import bands
from surefold.estimates.bands import class_levels, effective_rows
from surefold.estimates.local_levels import chance_all_hold, local_tail
from surefold.estimates.proportion import clopper_pearson, share_interval
from surefold.tallies.score_groups import ScoreGroups


def drawn(m: int, n: int, seed: int = 0, weights: bool = False, digits: int = 9) -> ScoreGroups:
    rng = np.random.default_rng(seed)
    y = np.arange(m + n) < m
    scores = 1 / (1 + np.exp(-rng.standard_normal(m + n) - y))
    return ScoreGroups.of(scores.round(digits), y, rng.uniform(0.5, 2, m + n) if weights else None)


# levels


def test_the_chance_by_hand() -> None:
    assert chance_all_hold(1, 0.05) == pytest.approx(0.9)
    # Two rows: the least lies in [1 - sqrt(1 - a), 1 - sqrt(a)], the greatest in [sqrt(a), sqrt(1 - a)], and
    # the chance is twice the area of that box above the diagonal.
    a = 0.1
    l1, h1, l2, h2 = 1 - (1 - a) ** 0.5, 1 - a**0.5, a**0.5, (1 - a) ** 0.5
    u = np.linspace(l1, h1, 200_001)
    assert chance_all_hold(2, a) == pytest.approx(2 * np.trapezoid(h2 - np.maximum(u, l2), u), abs=1e-6)


def test_the_chance_by_simulation() -> None:
    n, tail = 40, 0.004
    k = np.arange(1, n + 1)
    u = np.sort(np.random.default_rng(1).random((40_000, n)), axis=1)
    held = (u >= betaincinv(k, n - k + 1, tail)) & (u <= betaincinv(k, n - k + 1, 1 - tail))
    assert chance_all_hold(n, tail) == pytest.approx(held.all(axis=1).mean(), abs=0.005)


def test_the_continuation_meets_the_recursion(monkeypatch) -> None:
    exact = chance_all_hold(1999, 0.003)
    monkeypatch.setattr("surefold.estimates.local_levels.EXACT_UP_TO", 1000)
    chance_all_hold.cache_clear()
    continued = chance_all_hold(1999, 0.003)
    chance_all_hold.cache_clear()
    assert continued == pytest.approx(exact, abs=5e-4)


@pytest.mark.parametrize("n", [1, 2, 30, 3000])
def test_a_local_tail_gives_its_level(n: int) -> None:
    tail = local_tail(n, 0.65)
    assert chance_all_hold(n, tail) == pytest.approx(0.65, abs=1e-5)
    assert 0.175 / n <= tail * 1.0001
    assert tail <= 0.175 + 1e-12


def test_class_levels() -> None:
    assert class_levels(50, 50) == pytest.approx((0.65, 0.65))
    assert class_levels(1, 100) == pytest.approx((0.95 - 0.03, 0.65))
    for confidence in (0.5, 0.8, 0.9, 0.99):
        small, large = class_levels(20, 80, confidence)
        assert 0 < large < small < confidence


# bands


@pytest.mark.parametrize("kind", ["pointwise", "simultaneous"])
@settings(max_examples=25, deadline=None)
@given(m=st.integers(1, 40), n=st.integers(1, 40), seed=st.integers(0, 99), digits=st.sampled_from([1, 9]),
       weights=st.booleans())  # fmt: skip
def test_the_band_of_a_roc_curve_holds_it(kind, m: int, n: int, seed: int, digits: int, weights: bool) -> None:
    roc = Roc.of(drawn(m, n, seed, weights, digits))
    band = roc.band(kind=kind)
    assert band.holds(roc.x, roc.y).all()
    low, high = band.at(np.linspace(0, 1, 101))
    assert (low >= 0).all()
    assert (high <= 1).all()
    assert (np.diff(low) >= -1e-12).all()
    assert (np.diff(high) >= -1e-12).all()
    assert 0 < band.area < 1


def test_rectangles_by_hand() -> None:
    roc = Roc.of(ScoreGroups.of(np.array([0.9, 0.8, 0.8, 0.8, 0.1]), np.array([1, 0, 1, 1, 0], dtype=bool)))
    band = roc.band(kind="simultaneous")
    small, _ = class_levels(2, 3)
    tail_f, tail_t = local_tail(2, small), local_tail(3, 0.65)
    f = clopper_pearson(1, 2, confidence=1 - 2 * tail_f)
    t = clopper_pearson(3, 3, confidence=1 - 2 * tail_t)
    assert (band.high_x[2], band.high_y[2]) == pytest.approx((f.low, t.high))
    assert (band.low_x[3], band.low_y[3]) == pytest.approx((f.high, t.low))


def test_wider_with_confidence_and_than_pointwise() -> None:
    roc = Roc.of(drawn(60, 80))
    areas = [roc.band(c, "simultaneous").area for c in (0.8, 0.9, 0.95, 0.99)]
    assert areas == sorted(areas)
    assert roc.band().area < areas[2]


def test_a_long_curve_is_thinned_outwards(monkeypatch) -> None:
    roc = Roc.of(drawn(300, 400))
    whole = roc.band(kind="simultaneous")
    monkeypatch.setattr(bands, "MOST", 100)
    fewer = roc.band(kind="simultaneous")
    x = np.linspace(0, 1, 301)
    (low, high), (low2, high2) = whole.at(x), fewer.at(x)
    assert (low2 <= low + 1e-12).all()
    assert (high2 >= high - 1e-12).all()
    assert len(fewer.low_x) < len(whole.low_x)
    assert fewer.area - whole.area < 0.03


@pytest.mark.parametrize("m", [60, 6000])
def test_large_classes(m: int) -> None:
    roc = Roc.of(drawn(m, 6000))
    for kind in ("pointwise", "simultaneous"):
        assert roc.band(kind=kind).holds(roc.x, roc.y).all()


@pytest.mark.parametrize("kind", [PrecisionRecall, Gains, Lift, Decision])
@pytest.mark.parametrize("weights", [False, True])
def test_other_bands_hold_their_curve(kind, weights: bool) -> None:
    curve = kind.of(drawn(30, 50, weights=weights))
    band = curve.band()
    there = ~np.isnan(curve.y)
    assert band.holds(curve.x[there], curve.y[there]).all()
    assert band.flags == (("weighted",) if weights else ())


def test_precision_has_the_interval_of_its_share() -> None:
    t = drawn(30, 50)
    pr = PrecisionRecall.of(t)
    place = 20
    low, high = share_interval("auto", t.tp[place - 1], t.tp[place - 1] + t.fp[place - 1], 0.95)
    band = pr.band()
    assert (band.low_y[place], band.high_y[place]) == pytest.approx((float(low), float(high)))
    assert (band.low_y[0], band.high_y[0]) == (0, 1)  # nothing called: nothing known


def test_weights_of_two_are_no_news() -> None:
    rng = np.random.default_rng(2)
    y, s = np.arange(50) < 20, rng.random(50)
    plain, doubled = ScoreGroups.of(s, y), ScoreGroups.of(s, y, np.full(50, 2.0))
    assert effective_rows(doubled) == pytest.approx((20, 30))
    a, b = (Roc.of(t).band(kind="simultaneous") for t in (plain, doubled))
    np.testing.assert_allclose(a.low_y, b.low_y, atol=1e-9)


def test_what_is_refused() -> None:
    t = drawn(10, 10)
    with pytest.raises(InputError, match="no simultaneous band"):
        PrecisionRecall.of(t).band(kind="simultaneous")
    with pytest.raises(InputError, match="no band"):
        CostCurve.of(t).band()
    with pytest.raises(UnknownNameError):
        Roc.of(t).band(kind="sideways")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        Roc.of(t).band(95)
