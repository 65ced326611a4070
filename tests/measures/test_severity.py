"""Hand's H against the integral that defines it."""

import numpy as np
import pytest
from scipy.stats import beta

from surefold.errors import InputError
from surefold.measures.severity import h_measure, roc_hull
from surefold.tallies.score_groups import ScoreGroups


def by_integral(t: ScoreGroups, a: float, b: float) -> float:
    """The least loss over all thresholds at each of many costs, weighed by the density of the cost."""
    c = np.linspace(0, 1, 20_001)
    pi1 = t.positives / t.total
    fpr, tpr = np.append(0, t.fp / t.negatives), np.append(0, t.tp / t.positives)
    loss = np.min(c[:, None] * (1 - pi1) * fpr + (1 - c)[:, None] * pi1 * (1 - tpr), axis=1)
    worst = np.minimum(c * (1 - pi1), (1 - c) * pi1)
    density = beta.pdf(c, a, b)
    return float(1 - np.trapezoid(loss * density, c) / np.trapezoid(worst * density, c))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.8])
def test_h_is_the_integral(share):
    rng = np.random.default_rng(0)
    positive = rng.random(300) < share
    t = ScoreGroups.of(np.round(rng.normal(size=300) + 1.2 * positive, 1), positive)
    n1, n0 = t.positives, t.negatives
    assert h_measure(t) == pytest.approx(by_integral(t, 2, 1 + n0 / n1), abs=1e-5)
    classes = h_measure.with_options(prior="classes")
    assert classes(t) == pytest.approx(by_integral(t, 1 + n1 / 300, 1 + n0 / 300), abs=1e-5)
    severe = h_measure.with_options(severity_ratio=0.25)
    assert severe(t) == pytest.approx(by_integral(t, 2, 1 + 1 / 0.25), abs=1e-5)


def test_perfect_is_one_and_constant_is_zero():
    positive = np.array([True, False, True, False])
    assert h_measure(ScoreGroups.of(positive.astype(float), positive)) == pytest.approx(1)
    assert h_measure(ScoreGroups.of(np.zeros(4), positive)) == pytest.approx(0)
    assert np.isnan(h_measure(ScoreGroups.of(np.zeros(2), np.array([True, True]))))


def test_the_hull_covers_the_curve():
    rng = np.random.default_rng(1)
    positive = rng.random(80) < 0.4
    t = ScoreGroups.of(rng.normal(size=80) + positive, positive)
    fpr, tpr = roc_hull(t)
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)
    assert (np.interp(t.fp / t.negatives, fpr, tpr) >= t.tp / t.positives - 1e-12).all()
    slopes = np.diff(tpr) / np.maximum(np.diff(fpr), 1e-12)
    assert (np.diff(slopes) < 0).all()


def test_options_are_checked():
    t = ScoreGroups.of(np.array([1.0, 0.0]), np.array([True, False]))
    for wrong in ({"severity_ratio": -1.0}, {"prior": "odd"}):
        with pytest.raises(InputError):
            h_measure.with_options(**wrong)(t)
    with pytest.raises(InputError, match="no option"):
        h_measure.with_options(severity=1)


def test_a_long_curve_has_the_hull_of_a_slow_walk():
    rng = np.random.default_rng(5)
    positive = rng.random(6000) < 0.4
    t = ScoreGroups.of(rng.normal(size=6000) + positive, positive)
    fpr, tpr = roc_hull(t)
    x, y = np.append(0, t.fp / t.negatives), np.append(0, t.tp / t.positives)
    assert (np.interp(x, fpr, tpr) >= y - 1e-12).all()  # covers every point
    on_curve = {(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)}
    assert all((a, b) in on_curve for a, b in zip(fpr.tolist(), tpr.tolist(), strict=True))  # and adds none
    slopes = np.diff(tpr) / np.maximum(np.diff(fpr), 1e-12)
    assert (np.diff(slopes) < 0).all()


def test_of_equal_points_one_stays_on_the_hull() -> None:
    """2,000 scores, each of two rows of which one has no weight: H is that of the rows that have."""
    rng = np.random.default_rng(3)
    positive = rng.random(2000) < 0.4
    t = ScoreGroups.of(rng.normal(size=2000) + positive, positive)
    score, up, down = (np.repeat(x, 2) for x in (t.score, t.positive, t.negative))
    up[1::2], down[1::2] = 0.0, 0.0
    doubled = ScoreGroups(score, up, down)
    assert len(roc_hull(doubled)[0]) == len(roc_hull(t)[0])
    assert h_measure(t) > 0.1
    assert h_measure(doubled) == pytest.approx(h_measure(t))
