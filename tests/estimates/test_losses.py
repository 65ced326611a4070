"""Losses and calibration with their intervals: by hand, never a point, and what groups, weights and names do."""

from __future__ import annotations

import math
from typing import get_args

import numpy as np
import pytest
from scipy.special import betaincinv, stdtrit

import surefold as sf
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.calibration import (
    calibration_finding,
    calibration_intercept_estimate,
    calibration_slope_estimate,
    ece_estimate,
    hosmer_lemeshow_estimate,
    slope_cutoff,
    spiegelhalter_estimate,
)
from surefold.estimates.grouping import NOT_GROUPED, Design, row_design
from surefold.estimates.losses import brier_skill_estimate, log_mean_bounds, mean_estimate
from surefold.estimates.of_scores import INTERVALS, Scored
from surefold.estimates.proportion import share_interval
from surefold.findings import FINDING_CODES
from surefold.inputs.scores import CLIP
from surefold.measures import calibration, proper
from surefold.measures.recalibration import fit_line, log_odds, slope_deviance
from surefold.measures.score_measure import SCORE_REGISTERED, IntervalKind
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

approx = pytest.approx
PROBABILITIES = {name: m for name, m in SCORE_REGISTERED.items() if m.reads == "probabilities"}


def estimator_of(measure):
    def estimator(t, confidence=0.95, design=NOT_GROUPED):
        return Scored(measure, t, confidence, design).estimate()

    return estimator


TWO_CLASS = {name: estimator_of(m) for name, m in PROBABILITIES.items()}


def brier_estimate(t, scaled=False, **how):
    measure = proper.brier_multiclass if isinstance(t, ScoreMatrix) else proper.brier
    return mean_estimate(measure.with_options(scaled=scaled), t, **how)


def log_loss_estimate(t, **how):
    return mean_estimate(proper.log_loss_multiclass if isinstance(t, ScoreMatrix) else proper.log_loss, t, **how)


def in_the_large_estimate(t):
    return mean_estimate(calibration.calibration_error_in_the_large, t)


def tally(scores, truth, weights=None) -> ScoreGroups:
    w = None if weights is None else np.asarray(weights, dtype=float)
    return ScoreGroups.of(np.asarray(scores, dtype=float), np.asarray(truth, dtype=bool), w)


def group_terms(losses, groups) -> tuple[float, float]:
    """Design effect and group factor of a mean of losses."""
    found = row_design(losses - losses.mean(), None, groups)
    return float(found.effect[0, 0]), found.factor(0.95)


def drawn(seed: int, n: int = 200, times: float = 1.5):
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1.5, n)
    return 1 / (1 + np.exp(-times * odds)), rng.random(n) < 1 / (1 + np.exp(-odds)), rng.uniform(0.2, 3, n)


def many(seed: int, n: int = 80, weights=None) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.ones(4), size=n)
    truth = (rng.random(n)[:, None] > np.cumsum(p, axis=1)[:, :-1]).sum(axis=1)
    return ScoreMatrix(p, truth, (0, 1, 2, 3), weights)


FOUR = tally([0.9, 0.7, 0.4, 0.2], [1, 0, 1, 0])
SQUARES = np.array([0.01, 0.49, 0.36, 0.04])


# by hand


def test_brier_by_hand() -> None:
    c = (SQUARES.sum() + 0.5) / 5  # half a row of loss 1, half of loss 0
    v = (((SQUARES - c) ** 2).sum() + 0.5 * (1 - c) ** 2 + 0.5 * c**2) / 25
    rows = c * (1 - c) / v
    e = brier_estimate(FOUR)
    assert e.value == approx(SQUARES.mean())
    assert e.interval == approx([betaincinv(rows * c, rows * (1 - c), p) for p in (0.025, 0.975)])
    assert e.se == approx(SQUARES.std() / 2)
    assert (e.method, e.n, e.flags, e.name) == ("one_row", 4, (), "brier")
    assert e.pessimistic == approx(betaincinv(rows * c, rows * (1 - c), 0.75))


def test_log_loss_by_hand() -> None:
    right = -np.log([0.9, 0.3, 0.4, 0.8])
    flipped = -np.log([0.1, 0.7, 0.6, 0.2])
    c = (right.sum() + 0.5 * flipped.mean()) / 4.5
    v = (((right - c) ** 2).sum() + 0.5 * ((flipped - c) ** 2).mean()) / 4.5**2
    reach = stdtrit(3, 0.975) * math.sqrt(v) / c
    e = log_loss_estimate(FOUR)
    assert e.value == approx(right.mean())
    assert e.interval == approx((c * math.exp(-reach), c * math.exp(reach)))
    assert e.flags == ("one_row_dominates",)


def test_in_the_large_by_hand() -> None:
    r = np.array([0.9 - 1, 0.7, 0.4 - 1, 0.2])
    c = r.sum() / 5  # half a row of +1, half of -1
    v = (((r - c) ** 2).sum() + 0.5 * (1 - c) ** 2 + 0.5 * (1 + c) ** 2) / 25
    unit = (c + 1) / 2
    rows = unit * (1 - unit) / (v / 4)
    ends = [2 * betaincinv(rows * unit, rows * (1 - unit), p) - 1 for p in (0.025, 0.975)]
    assert in_the_large_estimate(FOUR).interval == approx(ends)


def test_t_and_delta_by_name() -> None:
    se = SQUARES.std(ddof=1) / 2
    assert brier_estimate(FOUR, method="t").interval == approx(
        (max(0, SQUARES.mean() - stdtrit(3, 0.975) * se), SQUARES.mean() + stdtrit(3, 0.975) * se)
    )
    delta = brier_estimate(FOUR, method="delta")
    assert delta.high - delta.value == approx(1.959964 * SQUARES.std() / 2)
    assert "known_to_mislead" in delta.flags
    assert log_loss_estimate(FOUR, method="t").method == "t"
    with pytest.raises(UnknownNameError):
        brier_estimate(FOUR, method="magic")


# values, flags, names


def test_values_are_those_of_the_measures() -> None:
    for seed in range(3):
        p, y, w = drawn(seed)
        for t in (tally(p, y), tally(p.round(1).clip(0.05, 0.95), y, w)):
            for name, estimator in TWO_CLASS.items():
                e = estimator(t)
                assert e.value == approx(SCORE_REGISTERED[name](t), rel=1e-9), name
                assert e.name == name
                assert set(e.flags) <= FINDING_CODES.keys()


def test_every_kind_of_interval_is_made() -> None:
    assert {m.interval for m in SCORE_REGISTERED.values()} == set(INTERVALS) == set(get_args(IntervalKind))


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
def test_the_value_is_inside_and_the_interval_is_no_point(confidence) -> None:
    cases = [
        tally([0.5] * 6, [1, 0, 1, 0, 1, 0]),
        tally([1, 1, 0, 0], [1, 1, 0, 0]),
        tally([1, 1, 0, 0], [0, 0, 1, 1]),
        tally([0.3], [1]),
        tally([0.9, 0.8, 0.3, 0.1], [1, 1, 0, 0]),
        tally([0.2, 0.3, 0.4, 0.9], [1, 1, 1, 1]),
        tally(*drawn(1)[:2]),
        tally(*drawn(2)),
        tally(*drawn(2, n=30), ),
    ]  # fmt: skip
    for t in cases:
        for name, estimator in TWO_CLASS.items():
            e = estimator(t, confidence=confidence)
            if not e.defined:
                assert e.reason, name
                continue
            assert e.low <= e.value <= e.high, (name, e)
            assert e.width > 0 or math.isinf(e.value), (name, e)


def test_intervals_nest() -> None:
    t = tally(*drawn(3))
    for name, estimator in TWO_CLASS.items():
        narrow, wide = estimator(t, confidence=0.8), estimator(t, confidence=0.99)
        assert wide.low <= narrow.low + 1e-9, name
        assert wide.high >= narrow.high - 1e-9, name


def test_one_row_dominates_and_clipping_are_flagged() -> None:
    p, y, _ = drawn(5, 100, times=1.0)
    assert log_loss_estimate(tally(p, y)).flags == ()
    p[0], y[0] = 1e-9, True  # a loss of 20.7 among 100 of about .5
    assert log_loss_estimate(tally(p, y)).flags == ("one_row_dominates",)
    p[0] = 0.0
    e = log_loss_estimate(tally(p, y))
    assert e.flags == ("one_row_dominates", "certain_scores", "clipped_probabilities")
    assert e.high <= -math.log(CLIP)
    many_such = tally(np.concatenate([p, np.zeros(40)]), np.concatenate([y, np.ones(40, dtype=bool)]))
    assert log_loss_estimate(many_such).flags == ("certain_scores", "clipped_probabilities")


def test_a_tie_does_not_make_rows_dominate() -> None:
    assert log_loss_estimate(tally([0.6] * 50, [True] * 30 + [False] * 20)).flags == ()


def test_undefined_says_why() -> None:
    infinite, one = tally([0.2, np.inf], [0, 1]), tally([0.2, 0.3], [1, 1])
    for estimator in TWO_CLASS.values():
        e = estimator(infinite)
        assert "infinite" in e.reason
        assert math.isnan(e.low)
    for f in (brier_skill_estimate, calibration_slope_estimate):
        assert "one class" in f(one).reason
    assert "equal" in calibration_slope_estimate(tally([0.3, 0.3], [1, 0])).reason
    assert "1/2" in spiegelhalter_estimate(tally([0.5, 0.5], [1, 0])).reason
    assert "three bins" in hosmer_lemeshow_estimate(tally([0.3, 0.3], [1, 0])).reason


def test_bad_confidence() -> None:
    for estimator in TWO_CLASS.values():
        with pytest.raises(InputError):
            estimator(FOUR, confidence=95)


# many classes


def test_many_classes() -> None:
    m = many(0)
    e, half = brier_estimate(m), brier_estimate(m, scaled=True)
    assert e.value == approx(proper.brier_multiclass(m))
    assert (half.value, half.low, half.high, half.se) == approx((e.value / 2, e.low / 2, e.high / 2, e.se / 2))
    assert log_loss_estimate(m).value == approx(proper.log_loss_multiclass(m))
    assert log_loss_estimate(m).name == "log_loss_multiclass"
    assert ece_estimate(m).value == approx(calibration.ece_multiclass(m))
    perfect = ScoreMatrix(np.eye(3), np.arange(3), (0, 1, 2))
    assert (brier_estimate(perfect).low, brier_estimate(perfect).value) == (0, 0)
    assert brier_estimate(perfect).high > 0.3
    assert log_loss_estimate(perfect).high > 1


def test_two_columns_are_the_two_class_estimates() -> None:
    p, y, w = drawn(8)
    for weights in (None, w):
        m = ScoreMatrix(np.column_stack([1 - p, p]), y.astype(int), (0, 1), weights)
        for both, one in (
            (brier_estimate(m, scaled=True), brier_estimate(tally(p, y, weights))),
            (log_loss_estimate(m), log_loss_estimate(tally(p, y, weights))),
        ):
            assert (both.value, both.low, both.high, both.se, both.n) == approx(
                (one.value, one.low, one.high, one.se, one.n), rel=1e-6
            )
            assert both.flags == one.flags


# weights and groups


def test_equal_weights_change_nothing() -> None:
    p, y, _ = drawn(9)
    for name, estimator in TWO_CLASS.items():
        plain, weighted = estimator(tally(p, y)), estimator(tally(p, y, np.full(len(y), 7.0)))
        assert (weighted.low, weighted.high, weighted.n) == approx((plain.low, plain.high, plain.n), rel=1e-6), name


def test_unequal_weights_are_worth_fewer_rows() -> None:
    p, y, w = drawn(9)
    e = brier_estimate(tally(p, y, w))
    assert e.n == approx(w.sum() ** 2 / (w**2).sum())
    spread = w**2 @ ((p - y) ** 2 - e.value) ** 2
    assert e.se == approx(math.sqrt(spread) / w.sum())


def test_slope_of_weighted_rows_has_the_sandwich() -> None:
    p, y, w = drawn(9)
    t = tally(p, y, w)
    fit = fit_line(log_odds(t.score), t.positive, t.negative, t.squares)
    assert calibration_slope_estimate(t).se == approx(math.sqrt(fit.sandwich[1, 1]))
    plain = tally(p, y)
    fit = fit_line(log_odds(plain.score), plain.positive, plain.negative)
    assert calibration_slope_estimate(plain).se == approx(math.sqrt(fit.information[1, 1]))


def test_groups_of_copies_are_worth_one_row_each() -> None:
    p, y, _ = drawn(10, 60)
    each = np.repeat(np.arange(60), 5)
    effect, factor = group_terms((p[each] - y[each]) ** 2, each)
    assert effect == approx(5, rel=0.05)
    assert 0.9 < factor < 1
    t = tally(p[each], y[each])
    alone, grouped = brier_estimate(tally(p, y)), brier_estimate(t, design_effect=effect, group_factor=factor)
    assert grouped.width == approx(alone.width, rel=0.1)
    assert brier_estimate(t).width < 0.6 * grouped.width


def test_rows_of_their_own_group_change_nothing() -> None:
    p, y, _ = drawn(10)
    effect, factor = group_terms((p - y) ** 2, np.arange(200))
    assert effect == approx(1, abs=0.01)
    assert factor == approx(1, abs=0.02)
    assert group_terms((p - y) ** 2, np.zeros(200, dtype=np.intp))[1] == 0


@pytest.mark.parametrize("name", [n for n in TWO_CLASS if n not in ("hosmer_lemeshow", "spiegelhalter")])
def test_groups_widen_every_interval(name) -> None:
    t, estimator = tally(*drawn(11)[:2]), TWO_CLASS[name]
    plain, grouped = estimator(t), estimator(t, design=Design(np.array([[3.0]]), 15.0))
    assert grouped.width > plain.width
    assert grouped.value == plain.value
    nothing = estimator(t, design=Design(np.ones((1, 1)), 1.0))  # one group says nothing
    assert nothing.width >= grouped.width


# calibration


def test_the_slope_interval_ends_where_the_deviance_is_the_cutoff() -> None:
    for seed in range(3):
        p, y, _w = drawn(seed, 60)
        t = tally(p, y)
        e = calibration_slope_estimate(t)
        x = log_odds(t.score)
        fit = fit_line(x, t.positive, t.negative, added=True)
        cutoff = float(slope_cutoff(fit, 60, 0.95))
        for end in e.interval:
            assert float(slope_deviance(x, t.positive, t.negative, np.asarray(end), fit)) == approx(cutoff, rel=1e-4)
        assert e.p_value is not None
        assert (e.p_value < 0.05) == (1.0 not in e)


def test_separated_classes_have_a_slope_interval_with_one_end() -> None:
    e = calibration_slope_estimate(tally(np.linspace(0.02, 0.98, 40), np.arange(40) >= 20))
    assert e.value == e.high == math.inf
    assert 0 < e.low < 20
    assert {"degenerate"} <= set(e.flags)


def test_intercept_of_the_line_and_of_the_shift() -> None:
    t = tally(*drawn(12)[:2])
    shift, line = calibration_intercept_estimate(t), calibration_intercept_estimate(t, fitted="line")
    assert shift.value == approx(calibration.calibration_intercept(t))
    assert line.value != shift.value
    for e in (shift, line):
        assert e.p_value is not None
        assert (e.p_value < 0.05) == (0.0 not in e)


def test_ece_interval_knows_of_noise() -> None:
    inside = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        p = rng.random(150)
        e = ece_estimate(tally(p, rng.random(150) < p))
        assert e.value > 0.03
        assert e.flags == ("biased_upward",)
        inside += e.low <= 1e-12
    assert inside >= 54
    worse = ece_estimate(tally(*drawn(1, 2000, times=4.0)[:2]))
    assert worse.low > 0.05
    assert ece_estimate(tally(*drawn(1)[:2]), debiased=True).flags == ()


def test_hosmer_lemeshow_carries_its_test() -> None:
    t = tally(*drawn(13)[:2])
    e, found = hosmer_lemeshow_estimate(t), calibration.hosmer_lemeshow_test(t)
    assert (e.statistic, e.p_value, e.df, e.flags) == (found.statistic, found.p_value, 8, ("df_of_the_fit",))
    held_out = hosmer_lemeshow_estimate(t, held_out=True)
    assert (held_out.df, held_out.flags) == (10, ())


def test_spiegelhalter_carries_its_test() -> None:
    e = spiegelhalter_estimate(tally(*drawn(13, times=3.0)[:2]))
    assert e.p_value is not None
    assert e.p_value < 0.01
    assert 0.0 not in e


def test_the_finding_follows_the_interval() -> None:
    rng = np.random.default_rng(0)
    y = rng.random(400) < 0.3
    high, low = calibration_finding(tally(np.full(400, 0.5), y)), calibration_finding(tally(np.full(400, 0.1), y))
    assert high is not None
    assert low is not None
    assert (high.code, low.code) == ("scores_run_high", "scores_run_low")
    assert "mean 0.500" in high.sentence
    assert calibration_finding(tally(np.full(400, y.mean()), y)) is None
    assert calibration_finding(tally([0.2, np.inf], [0, 1])) is None


def test_few_weighted_errors() -> None:
    """Two heavy wrong rows carry the weighted Brier score: worth (2 x 5 x .81)^2 / (2 x (5 x .81)^2) = 2 rows."""
    scores = [0.1] * 2 + [0.001] * 60
    truth = [1] * 2 + [0] * 60
    assert "few_weighted_errors" in brier_estimate(tally(scores, truth, [5.0] * 2 + [1.0] * 60)).flags
    assert "few_weighted_errors" not in brier_estimate(tally(scores, truth)).flags
    assert "few_weighted_errors" in in_the_large_estimate(tally(scores, truth, [5.0] * 2 + [1.0] * 60)).flags
    p, y, w = drawn(4)
    assert brier_estimate(tally(p, y, w)).flags == ()


def test_the_added_row_weighs_what_heavy_rows_do() -> None:
    """By hand: rows of loss .64 and .04 weigh 3 and 1, scaled; the half row of loss 1 weighs as its side does."""
    w = np.array([3.0, 1.0]) * 4 / 10  # times sum w / sum w^2
    loss = np.array([0.64, 0.04])
    heavy = max((w**2 @ loss) / (w @ loss), 1.0)
    more = w.sum() + (heavy + 1) / 2
    c = (w @ loss + heavy / 2) / more
    v = (w**2 @ (loss - c) ** 2 + heavy**2 / 2 * (1 - c) ** 2 + 0.5 * c**2) / more**2
    each = w**2 * (loss - c) ** 2  # one row each, so Satterthwaite's degrees of freedom are (sum)^2 / sum of squares
    t = stdtrit(max(each.sum() ** 2 / (each**2).sum(), 1.0), 0.975)
    rows = c * (1 - c) / v * (1.959963984540054 / t) ** 2
    e = brier_estimate(tally([0.2, 0.8], [1, 1], [3.0, 1.0]))
    assert heavy > 1
    assert e.interval == approx([betaincinv(rows * c, rows * (1 - c), q) for q in (0.025, 0.975)])


def test_certain_scores_are_apart_by_hand():
    # ten rows of score 1, one of them wrong, and two in between: loss of the wrong one is -log(eps) = 36.04
    y = np.array([1] * 9 + [0] + [1, 0])
    p = np.array([1.0] * 10 + [0.8, 0.3])
    e = sf.measure("log_loss", y, y_score=p, pos_label=1)
    clipped = -math.log(np.finfo(float).eps)
    values = np.array([0.0] * 10 + [-math.log(0.8), -math.log(0.7)])
    flips = np.array([0.0] * 10 + [-math.log(0.2), -math.log(0.3)])
    ones = np.ones(12)
    low, high = (float(x) for x in log_mean_bounds(values, flips, ones, ones))
    a, b = (10 / 12 * clipped * float(x) for x in share_interval("clopper_pearson", 1, 10, 0.95))
    of_rest, of_certain = values.mean(), clipped / 12
    assert e.value == pytest.approx(of_rest + of_certain)
    assert e.low == pytest.approx(of_rest + of_certain - math.hypot(of_rest - low, of_certain - a))
    assert e.high == pytest.approx(of_rest + of_certain + math.hypot(high - of_rest, b - of_certain))
    assert "certain_scores" in e.flags


@pytest.mark.parametrize("wrong", [0, 3])
def test_where_every_score_is_certain_only_the_share_is_bounded(wrong):
    y = np.array([1, 0] * 20)
    p = np.where(np.arange(40) < wrong, 1 - y, y).astype(float)
    e = sf.measure("log_loss", y, y_score=p, pos_label=1)
    clipped = -math.log(np.finfo(float).eps)
    low, high = (clipped * float(x) for x in share_interval("clopper_pearson", wrong, 40, 0.95))
    assert e.interval == pytest.approx((low, high), abs=1e-6)
    assert e.high > e.value
