"""The reliability diagram: its bins, intervals, band and finding."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from surefold.curves.reliability import reliability
from surefold.errors import InputError
from surefold.estimates.proportion import clopper_pearson, share_interval, wilson
from surefold.tallies.score_groups import ScoreGroups

approx = pytest.approx


def drawn(seed: int, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return p, rng.random(n) < p


def test_by_hand() -> None:
    t = ScoreGroups.of(np.array([0.1, 0.2, 0.3, 0.7, 0.8, 0.9]), np.array([False, True, False, True, True, True]))
    r = reliability(t, bins=2)
    assert r.mean_score == approx([0.6 / 3, 2.4 / 3])
    assert r.share == approx([1 / 3, 1])
    assert (r.n.tolist(), r.low_score.tolist(), r.high_score.tolist()) == ([3, 3], [0.1, 0.7], [0.3, 0.9])
    for i, successes in enumerate((1, 3)):  # three or fewer: the exact interval
        assert (r.low[i], r.high[i]) == approx(clopper_pearson(successes, 3).interval)


def test_full_bins_have_wilson_intervals() -> None:
    p, y = drawn(0)
    r = reliability(ScoreGroups.of(p, y), bins=3, strategy="width")
    middle = wilson(float(r.share[1] * r.n[1]), float(r.n[1]))
    assert (r.low[1], r.high[1]) == approx(middle.interval)


@pytest.mark.parametrize(("ours", "theirs"), [("width", "uniform"), ("quantiles", "quantile")])
def test_as_scikit_learn(ours, theirs) -> None:
    p, y = drawn(1)
    r = reliability(ScoreGroups.of(p, y), bins=7, strategy=ours)
    share, mean = calibration_curve(y, p, n_bins=7, strategy=theirs)
    assert r.share == approx(share)
    assert r.mean_score == approx(mean)


def test_weighted_bins_use_their_effective_rows() -> None:
    p, y = drawn(2)
    w = np.random.default_rng(0).uniform(0.1, 4, len(p))
    r = reliability(ScoreGroups.of(p, y, w), bins=1)
    worth = w.sum() ** 2 / (w**2).sum()
    share = (w @ y) / w.sum()
    assert (r.low[0], r.high[0]) == approx([float(x) for x in share_interval("auto", share * worth, worth, 0.95)])


def test_the_simultaneous_band_holds_all_bins_at_once() -> None:
    p, y = drawn(3)
    t = ScoreGroups.of(p, y)
    one, every = reliability(t, bins=10), reliability(t, bins=10, simultaneous=True)
    assert (every.low <= one.low).all()
    assert (every.high >= one.high).all()
    low, high = share_interval("auto", one.share * one.n, one.n, 1 - 0.05 / 10)
    assert every.low == approx(low)
    assert every.high == approx(high)
    held = 0
    for seed in range(300):
        q, z = drawn(1000 + seed, 200)
        r = reliability(ScoreGroups.of(q, z), bins=5, simultaneous=True)
        held += bool(((r.low <= r.mean_score) & (r.mean_score <= r.high)).all())
    assert held >= 276  # .95 less two and a half Monte-Carlo standard errors


def test_never_a_point() -> None:
    for scores, truth in (([1.0, 1, 0, 0], [True, True, False, False]), ([0.5] * 4, [True] * 4), ([0.3], [False])):
        r = reliability(ScoreGroups.of(np.array(scores), np.array(truth)))
        assert (r.high - r.low > 0).all()
        assert ((r.low <= r.share) & (r.share <= r.high)).all()


def test_finding() -> None:
    p, y = drawn(4)
    assert reliability(ScoreGroups.of(p, y)).finding() is None
    high = reliability(ScoreGroups.of(p**0.3, y)).finding()
    low = reliability(ScoreGroups.of(p**4, y)).finding()
    assert high is not None
    assert low is not None
    assert (high.code, low.code) == ("scores_run_high", "scores_run_low")
    assert reliability(ScoreGroups.of(p**0.3, y)).in_the_large().low > 0


def test_frame() -> None:
    frame = reliability(ScoreGroups.of(*drawn(5)), bins=4).to_frame()
    assert frame.columns == ["mean_score", "share", "low", "high", "n", "low_score", "high_score"]
    assert frame.height == 4
    assert frame["n"].sum() == 300


def test_what_is_no_probability() -> None:
    with pytest.raises(InputError, match="logits"):
        reliability(ScoreGroups.of(np.array([-3.0, 2.0]), np.array([False, True])))
    r = reliability(ScoreGroups.of(np.array([0.2, np.inf]), np.array([False, True])))
    assert len(r) == 0
    assert "infinite" in r.reason
    assert r.to_frame().height == 0
    assert r.finding() is None


def test_bad_options() -> None:
    t = ScoreGroups.of(*drawn(6))
    with pytest.raises(InputError):
        reliability(t, bins=0)
    with pytest.raises(InputError):
        _ = reliability(t, confidence=95).low
