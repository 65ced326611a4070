"""Curves: the worked examples of the sources, scikit-learn's answers, and laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, precision_recall_curve, roc_auc_score, roc_curve

from surefold.curves.cost_curve import CostCurve, ExpectedCost
from surefold.curves.costs import TwoClassCosts
from surefold.curves.curve import Curve, upper_hull
from surefold.curves.decision import Decision
from surefold.curves.gains import Gains, Lift
from surefold.curves.precision_recall import PrecisionRecall
from surefold.curves.roc import Roc, running_table
from surefold.errors import InputError, UnknownNameError
from surefold.tallies.score_groups import ScoreGroups

TAB_SCORES = [.93, .82, .80, .77, .74, .71, .69, .67, .66, .61, .59, .55, .55, .53, .47, .30, .26, .11, .04, 2.97e-3,
              1.28e-3, 2.55e-7, 6.99e-8, 3.11e-8, 3.109e-8, 1.53e-8, 9.76e-9, 2.08e-9, 1.95e-9, 7.83e-10]  # fmt: skip
TAB_POSITIVES = (2, 4, 5, 6, 8, 13, 14, 15, 16, 17)


def tally(scores, y, weights=None) -> ScoreGroups:
    w = None if weights is None else np.asarray(weights, dtype=float)
    return ScoreGroups.of(np.asarray(scores, dtype=float), np.asarray(y, dtype=bool), w)


TAB = tally(TAB_SCORES, [i + 1 in TAB_POSITIVES for i in range(30)])
EX = tally([0.9, 0.8, 0.8, 0.8, 0.1], [1, 0, 1, 1, 0])
FOUR = tally([0.9, 0.7, 0.5, 0.2], [1, 0, 1, 0])


@st.composite
def samples(draw, weighted: bool = False):
    n = draw(st.integers(2, 40))
    scores = draw(st.lists(st.integers(0, 8), min_size=n, max_size=n))
    y = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    y[0], y[1] = True, False
    weights = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)) if weighted else None
    return np.array(scores) / 8, y, None if weights is None else np.array(weights, dtype=float)


# the sources


def test_table_22_5_strictly_above() -> None:
    p = Roc.of(TAB).at(threshold=0.71, strict=True)
    assert (p.tp, p.fp, p.fpr, p.tpr) == (3, 2, 0.1, 0.3)
    ours = Roc.of(TAB).at(threshold=0.71)
    assert (ours.tp, ours.fp, ours.tn, ours.fn) == (4, 2, 18, 6)
    assert Roc.of(TAB).area == pytest.approx(0.7775)


def test_example_22_5() -> None:
    roc = Roc.of(EX)
    np.testing.assert_allclose(np.stack([roc.x, roc.y], axis=1), [(0, 0), (0, 1 / 3), (0.5, 1), (1, 1)])
    assert roc.running_area.round(4).tolist() == [0, 0, 0.3333, 0.8333]
    assert roc.threshold[0] == math.inf


def test_sartori_running_shares() -> None:
    y = [1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    p = [
        0.840,
        0.840,
        0.795,
        0.681,
        0.562,
        0.562,
        0.521,
        0.284,
        0.227,
        0.127,
        0.104,
        0.091,
        0.039,
        0.027,
        0.027,
        0.027,
        0.017,
        0.017,
        0.0,
    ]
    printed = [
        1,
        1,
        1,
        1,
        0.8,
        0.667,
        0.571,
        0.5,
        0.444,
        0.5,
        0.455,
        0.417,
        0.385,
        0.357,
        0.333,
        0.3125,
        0.294,
        0.278,
        0.263,
    ]
    rows = running_table(y, p)
    assert [r.share for r in rows] == pytest.approx(printed, abs=5.01e-4)
    assert [r.rank for r in rows] == list(range(1, 20))
    assert Roc.of(tally(p, y)).area == pytest.approx(65 / 70)


def test_a_random_classifier() -> None:
    roc = Roc.of(EX)
    p = roc.at_random(0.3)
    assert (p.fpr, p.tpr) == pytest.approx((0.3, 0.3))
    assert roc.diagonal.area == 0.5
    assert Roc.of(tally([0.5] * 4, [1, 0, 1, 0])).area == 0.5  # one score for all


def test_doors_lead_to_estimates() -> None:
    roc = Roc.of(TAB)
    assert roc.auc.value == pytest.approx(0.7775)
    assert roc.partial_area(fpr=(0, 1)).value == pytest.approx(0.7775)
    assert 0 <= roc.partial_area(tpr=(0.9, 1)).value <= 0.1


# places


def test_roc_at_by_hand() -> None:
    roc = Roc.of(EX)
    half = roc.at(fpr=0.25)  # half way from (0, 1/3) to (.5, 1)
    assert (half.tpr, half.tp, half.fp) == pytest.approx((2 / 3, 2, 0.5))
    assert half.between
    assert half.threshold == 0.9  # keeps the FPR
    assert roc.at(tpr=2 / 3).fpr == pytest.approx(0.25)
    assert roc.at(tpr=2 / 3).threshold == 0.8  # reaches the TPR
    assert roc.at(fpr=0).tpr == pytest.approx(1 / 3)  # the highest where it is upright
    assert roc.at(tpr=1).fpr == 0.5  # the leftmost where it is level
    assert roc.at(tpr=0).threshold == roc.at(threshold=math.inf).threshold == math.inf
    assert roc.at(threshold=0.85).tp == 1
    assert math.isnan(roc.at(threshold=2).precision)


@pytest.mark.parametrize("arguments", [{}, {"fpr": 0.1, "tpr": 0.2}, {"fpr": 1.2}, {"threshold": math.nan},
                                       {"fpr": 0.1, "strict": True}])  # fmt: skip
def test_roc_at_refuses(arguments) -> None:
    with pytest.raises(InputError):
        Roc.of(EX).at(**arguments)


def test_best() -> None:
    roc = Roc.of(FOUR)  # points (0,0) (0,.5) (.5,.5) (.5,1) (1,1)
    assert roc.best().threshold == 0.9  # .5 twice: the higher threshold
    assert roc.best("closest").threshold == 0.9
    assert roc.best("cost", {"fp": 1, "fn": 5}).threshold == 0.5
    assert roc.best("cost", {"fp": 5, "fn": 1}).threshold == 0.9
    assert roc.best("cost", {"fp": 1, "fn": 1}, prevalence=0.01).threshold == 0.9
    assert roc.ks == 0.5
    with pytest.raises(UnknownNameError):
        roc.best("luck")  # type: ignore[arg-type]
    with pytest.raises(InputError):
        roc.best("cost")


def test_one_class_is_undefined_and_says_so() -> None:
    roc = Roc.of(tally([0.1, 0.9], [1, 1]))
    assert np.isnan(roc.x).all()
    assert math.isnan(roc.area)
    assert math.isnan(roc.auc.value)
    for ask in (lambda: roc.at(fpr=0.5), roc.best, roc.band):
        with pytest.raises(InputError, match="no rows"):
            ask()


def test_precision_recall_by_hand() -> None:
    pr = PrecisionRecall.of(EX)
    assert pr.average_precision == pytest.approx(1 / 3 * 1 + 2 / 3 * 3 / 4)
    assert pr.prevalence == 0.6
    assert pr.at(recall=0.5).threshold == 0.8
    assert pr.at(recall=0).threshold == math.inf
    assert pr.at(threshold=0.1).precision == 0.6
    assert math.isnan(pr.at(threshold=math.inf).precision)


def test_gains_and_lift_by_hand() -> None:
    gains, lift = Gains.of(FOUR), Lift.of(FOUR)
    assert gains.at(0.25) == 0.5
    assert gains.at(0.125) == 0.25
    assert lift.at(0.25) == 2
    assert lift.at(0.625) == pytest.approx(0.75 / 0.625)
    assert math.isnan(lift.at(0))
    assert gains.perfect.area == pytest.approx(0.75)
    assert gains.accuracy_ratio == pytest.approx(2 * FOUR.auc - 1)
    assert lift.perfect.y[0] == 2
    assert lift.area > 1
    assert (gains.random.area, lift.random.area) == (0.5, 1)
    with pytest.raises(InputError):
        gains.at(1.1)


def test_decision_by_hand() -> None:
    d = Decision.of(FOUR, [0.2, 0.6])
    # at .2 all four rows are called: 2/4 - 2/4 x .25; at .6 two: 1/4 - 1/4 x 1.5
    assert d.y.tolist() == pytest.approx([0.375, -0.125])
    assert d.treat_all.tolist() == pytest.approx([0.375, 0.5 - 0.5 * 1.5])
    assert d.advantage.tolist() == pytest.approx([0, -0.125])
    assert d.at(0.6) == pytest.approx(-0.125)
    assert d.treat_none.tolist() == [0, 0]
    with pytest.raises(InputError):
        Decision.of(tally([3, -1], [1, 0]))
    with pytest.raises(InputError):
        Decision.of(FOUR, [1.0])


def test_costs() -> None:
    prices = TwoClassCosts.of({"fp": 1, "fn": 5})
    assert TwoClassCosts.of(prices) is prices
    assert prices.probability_cost(0.2) == pytest.approx(1 / 1.8)  # .2 x 5 of .2 x 5 + .8 x 1
    cost = ExpectedCost.of(FOUR, prices)
    assert cost.at(0.5) == 0.25  # one false positive in four rows
    assert cost.best.threshold == 0.5
    assert math.isnan(cost.area)
    assert ExpectedCost.of(FOUR, prices, prevalence=0.1).y[0] == pytest.approx(0.5)
    for bad in (None, {"fx": 1}, [[1, 2, 3]]):
        with pytest.raises(InputError):
            TwoClassCosts.of(bad)


@settings(max_examples=50, deadline=None)
@given(samples())
def test_the_cost_curve_is_the_least_line(sample) -> None:
    curve = CostCurve.of(tally(*sample))
    fpr, fnr = curve.lines
    for x in np.linspace(0, 1, 23):
        assert curve.at(float(x)) == pytest.approx((fnr * x + fpr * (1 - x)).min(), abs=1e-12)
    assert curve.threshold[0] == math.inf
    assert curve.trivial.area == 0.25


# scikit-learn


@settings(max_examples=80, deadline=None)
@given(samples(weighted=True), st.booleans())
def test_as_scikit_learn(sample, weighted: bool) -> None:
    scores, y, weights = sample
    w = weights if weighted else None
    t = tally(scores, y, w)
    roc, pr = Roc.of(t), PrecisionRecall.of(t)
    fpr, tpr, thresholds = roc_curve(y, scores, sample_weight=w, drop_intermediate=False)
    np.testing.assert_allclose(roc.x, fpr, atol=1e-12)
    np.testing.assert_allclose(roc.y, tpr, atol=1e-12)
    np.testing.assert_array_equal(roc.threshold, thresholds)
    assert roc.area == pytest.approx(roc_auc_score(y, scores, sample_weight=w))
    precision, recall, at = precision_recall_curve(y, scores, sample_weight=w)
    np.testing.assert_allclose(pr.y[::-1], precision, atol=1e-12)
    np.testing.assert_allclose(pr.x[::-1], recall, atol=1e-12)
    np.testing.assert_array_equal(pr.threshold[1:][::-1], at)
    assert pr.area == pytest.approx(average_precision_score(y, scores, sample_weight=w))


# laws

CURVES = (Roc, PrecisionRecall, Gains, Lift, CostCurve)


def same(a: Curve, b: Curve) -> None:
    np.testing.assert_allclose(a.x, b.x, atol=1e-12)
    np.testing.assert_allclose(a.y, b.y, atol=1e-12)


@pytest.mark.parametrize("kind", CURVES)
@settings(max_examples=25, deadline=None)
@given(sample=samples(weighted=True))
def test_laws(kind, sample) -> None:
    scores, y, weights = sample
    base = kind.of(tally(scores, y))
    same(base, kind.of(tally(np.exp(3 * scores) - 7, y)))  # the order is all that counts
    same(base, kind.of(tally(np.tile(scores, 2), np.tile(y, 2))))
    same(base, kind.of(tally(scores, y, np.full(len(y), 2.0))))
    counts = weights.astype(int)
    same(kind.of(tally(scores, y, weights)), kind.of(tally(np.repeat(scores, counts), np.repeat(y, counts))))
    same(base, kind.of(tally(scores[::2], y[::2]) + tally(scores[1::2], y[1::2])))
    assert len(base.x) == len(base.y) == len(base.threshold)
    if kind is not CostCurve:
        assert len(base) == len(np.unique(scores)) + 1


@settings(max_examples=25, deadline=None)
@given(samples())
def test_imbalance_does_not_move_the_roc_curve(sample) -> None:
    scores, y, _ = sample
    times = np.where(y, 1, 7)
    same(Roc.of(tally(scores, y)), Roc.of(tally(np.repeat(scores, times), np.repeat(y, times))))


@settings(max_examples=60, deadline=None)
@given(samples())
def test_the_hull_against_brute_force(sample) -> None:
    roc = Roc.of(tally(*sample))
    hull = roc.hull
    for x in np.linspace(0, 1, 17):  # the highest chord over x between any two points
        best = max(
            float(np.interp(x, roc.x[[i, j]], roc.y[[i, j]])) if roc.x[j] > roc.x[i] else max(roc.y[i], roc.y[j])
            for i in range(len(roc)) for j in range(i, len(roc)) if roc.x[i] <= x <= roc.x[j]
        )  # fmt: skip
        top = hull.y[hull.x <= x].max() if x in hull.x else float(np.interp(x, hull.x, hull.y))
        assert top == pytest.approx(best)
    slopes = np.arctan2(np.diff(hull.y), np.diff(hull.x))
    assert (np.diff(slopes) < 1e-12).all()  # rates are rounded, so points on one line may both stay
    assert set(hull.threshold) <= set(roc.threshold)
    assert hull.area >= roc.area - 1e-12


# frames and fewer points


def test_a_frame_has_a_row_a_point() -> None:
    frame = Roc.of(EX).to_frame()
    assert frame.columns == ["fpr", "tpr", "threshold"]
    assert frame.height == 4


@settings(max_examples=40, deadline=None)
@given(samples())
def test_straight_points_go_without_a_trace(sample) -> None:
    roc = Roc.of(tally(*sample))
    fewer = roc.decimated()
    assert fewer.area == pytest.approx(roc.area)
    assert len(fewer) + fewer.dropped == len(roc)
    assert fewer.dropped_corners == 0
    pr = PrecisionRecall.of(tally(*sample))
    assert pr.decimated().area == pytest.approx(pr.area)


def test_many_points_are_thinned_and_the_hull_stays() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(60_000) < 0.4
    roc = Roc.of(tally(rng.standard_normal(60_000) + y, y))
    fewer = roc.decimated(500)
    assert len(fewer) <= 500
    assert len(fewer) + fewer.dropped == len(roc)
    assert 0 < fewer.dropped_corners < fewer.dropped
    assert set(roc.hull.threshold) <= set(fewer.threshold)
    assert np.abs(np.interp(roc.x, fewer.x, fewer.y) - roc.y).max() < 0.01


def test_a_curve_wants_one_length() -> None:
    with pytest.raises(AssertionError):
        Curve(np.zeros(2), np.zeros(2), np.zeros(3))
    assert upper_hull(np.zeros(0), np.zeros(0)).tolist() == []
    assert repr(Roc.of(EX)) == "Roc(4 points)"
    with pytest.raises(InputError):
        running_table([1], [0.1, 0.2])


@pytest.mark.parametrize("kind", [Roc, PrecisionRecall, Gains, Lift, CostCurve])
def test_a_row_of_weight_zero_is_no_point(kind) -> None:
    """Above all others, among them, tied with one, and below all others: the curve is that of the other rows."""
    scores, y, weights = [0.95, 0.9, 0.8, 0.7, 0.7, 0.5, 0.2, 0.1], [0, 1, 1, 0, 1, 1, 0, 1], [0, 1, 0, 1, 0, 2, 1, 0]
    held = [i for i, w in enumerate(weights) if w > 0]
    those = kind.of(tally(*([column[i] for i in held] for column in (scores, y, weights))))
    found = kind.of(tally(scores, y, weights))
    assert found.threshold.tolist() == those.threshold.tolist()
    assert found.x.tolist() == those.x.tolist()
    np.testing.assert_array_equal(found.y, those.y)  # the first lift is undefined
    assert kind is Lift or not np.isnan(found.y).any()


def test_gains_in_counts_by_hand():
    counts = Gains.of(TAB).counts  # 30 rows, 10 positives
    assert (counts.x[-1], counts.y[-1]) == (30, 10)
    assert counts.at(6) == pytest.approx(4)  # of the six best scores four are positive
    assert counts.at(12.5) == pytest.approx(Gains.of(TAB).at(12.5 / 30) * 10)
    assert counts.plot(band=False).get_xlim()[1] == pytest.approx(30, rel=0.02)
    with pytest.raises(InputError, match="0 to 30"):
        counts.at(31)
