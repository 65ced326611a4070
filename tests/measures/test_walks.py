"""Sums made in one walk over sorted keys, held to plain formulas over the rows as they came."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import betaincinv

import surefold as sf
from surefold.estimates.auc import enlarged_groups
from surefold.estimates.calibration import slope_bounds
from surefold.estimates.ks import ks_estimate
from surefold.estimates.losses import brier_skill_estimate, log_mean_bounds, mean_estimate, skill_bounds, t_bounds
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.score_draws import poisson_replicates
from surefold.measures import calibration, proper
from surefold.measures.odds import Odds, nodes
from surefold.measures.ranking import average_precision, ks, precision_sums
from surefold.measures.recalibration import slope_deviance
from surefold.measures.score_bins import bin_scores
from surefold.measures.severity import h_measure, h_of_draws
from surefold.tallies import walks
from surefold.tallies.hull import Hull
from surefold.tallies.joined import joined
from surefold.tallies.runs import Run
from surefold.tallies.score_groups import KeyedScores, ScoreGroups

Array = NDArray[np.float64]
N = 70_000  # three blocks
SINGLE = float(np.finfo(np.float32).eps)


@dataclass
class Rows:
    """Scores, truth and weights; `tally` counts them."""

    score: Array
    truth: NDArray[np.bool_]
    weights: Array | None = None
    clip: float = float(np.finfo(float).eps)

    @property
    def tally(self) -> ScoreGroups:
        return ScoreGroups.of(self.score, self.truth, self.weights, self.clip)

    @property
    def w(self) -> Array:
        """Weights scaled to the effective rows."""
        if self.weights is None:
            return np.ones(len(self.score))
        return np.asarray(self.weights * (self.weights.sum() / (self.weights @ self.weights)))


def made(kind: str) -> Rows:
    rng = np.random.default_rng(5)
    score = rng.beta(1.0, 1.5, N)
    truth = rng.random(N) < score**1.3
    if kind == "two decimals":
        score = score.round(2)
    elif kind == "four decimals":
        score = score.round(4)
    elif kind == "half alike":
        score = np.where(rng.random(N) < 0.5, 0.25, score)
    elif kind == "sure, with subnormals":
        score[:40], truth[:40] = 0.0, False
        score[40:60], truth[40:60] = 1.0, True
        score[60:63], truth[60:63] = 5e-324, False
        score[63] = 0.0  # a clipped row
        truth[63] = True
    elif kind == "single precision":
        return Rows(score.astype(np.float32).astype(float), truth, None, SINGLE)
    elif kind == "weights":
        return Rows(score.round(3), truth, rng.lognormal(0, 0.7, N))
    elif kind == "weights without ties":
        return Rows(score, truth, rng.choice([0.0, 1.0, 2.5], N))
    elif kind == "equal weights":
        return Rows(score, truth, np.full(N, 3.0))
    elif kind == "few rows":
        return Rows(score[:40], truth[:40])
    return Rows(score, truth)


KINDS = (
    "no two tie", "two decimals", "four decimals", "half alike", "sure, with subnormals", "single precision", "weights",
    "weights without ties", "equal weights", "few rows",
)  # fmt: skip


def losses(rows: Rows) -> dict[str, tuple[Array, Array]]:
    """Of each mean loss, every row's and that with its label flipped."""
    p, y = rows.score, rows.truth
    of_positive, of_negative = -np.log(np.maximum(p, rows.clip)), -np.log1p(-np.minimum(p, 1 - rows.clip))
    return {
        "brier": ((p - y) ** 2, (p - ~y) ** 2),
        "log_loss": (np.where(y, of_positive, of_negative), np.where(y, of_negative, of_positive)),
        "calibration_error_in_the_large": (p - y, p - ~y),
    }


def numbers(bounds: tuple[Array, Array]) -> tuple[float, float]:
    return float(bounds[0]), float(bounds[1])


MEASURES = {m.name: m for m in (proper.brier, proper.log_loss, calibration.calibration_error_in_the_large)}


def with_certain(
    rest: tuple[float, float], mean: float, w: Array, c: float, n: float, lost: float
) -> tuple[float, float]:
    """The others' mean loss, and what each certain score loses times the exact bounds of their wrong share, c of m."""
    m = w.sum()
    low = float(betaincinv(c, m - c + 1, 0.025)) if c else 0.0
    high = float(betaincinv(c + 1, m - c, 0.975)) if c < m else 1.0
    own, times = c / n * lost, m / n * lost
    value = mean + own
    return (value - np.hypot(mean - rest[0], own - times * low), value + np.hypot(rest[1] - mean, times * high - own))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MEASURES)
def test_mean_losses_and_their_errors_are_those_of_the_rows(kind: str, name: str) -> None:
    rows = made(kind)
    (loss, flipped), w, t = losses(rows)[name], rows.w, rows.tally
    n, mean = w.sum(), float(w @ loss / w.sum())
    e = mean_estimate(MEASURES[name], t)
    assert e.value == pytest.approx(mean, rel=1e-12, abs=1e-14)
    assert e.se == pytest.approx(float(np.sqrt(w**2 @ (loss - mean) ** 2)) / n, rel=1e-11)
    by_t = mean_estimate(MEASURES[name], t, method="t")
    least, greatest = (0.0, -np.log(rows.clip)) if name == "log_loss" else MEASURES[name].range
    wanted = np.clip(t_bounds(loss, w, w**2), least, greatest)
    assert by_t.interval == pytest.approx(tuple(wanted), rel=1e-11, abs=1e-13)
    if name == "log_loss":
        sure = (rows.score <= 0) | (rows.score >= 1)
        others, flips = (np.where(sure, 0.0, x) for x in (loss, flipped))
        bounds = numbers(log_mean_bounds(others, flips, w, w**2))
        if sure.any():
            bounds = with_certain(
                bounds, float(w @ others / n), w[sure], float(w[sure] @ (loss[sure] > 1)), n, -np.log(rows.clip)
            )
        assert e.interval == pytest.approx(bounds, rel=1e-11)
        assert ("certain_scores" in e.flags) == bool(sure.any())
        assert ("one_row_dominates" in e.flags) == bool((w * loss).max() > 0.1 * (w @ loss))
        sure_and_wrong = np.where(rows.truth, rows.score < rows.clip, rows.score > 1 - rows.clip)
        assert proper.clipped_rows(t) == pytest.approx(
            float((sure_and_wrong if rows.weights is None else sure_and_wrong * rows.weights).sum())
        )


@pytest.mark.parametrize("kind", KINDS)
def test_the_bounds_of_a_mean_are_its_formula_over_the_rows(kind: str) -> None:
    """Half a row at 0 and half at 1: centre c and variance written out, with the Beta quantiles of scipy."""
    from scipy.stats import norm, t

    rows = made(kind)
    loss, w = losses(rows)["brier"][0], rows.w
    heavy = max(1.0, float(w**2 @ loss / (w @ loss)))  # the weight of a row that adds to the loss
    more = w.sum() + (heavy + 1) / 2
    c = (w @ loss + heavy / 2) / more
    each = w**2 * (loss - c) ** 2
    variance = (each.sum() + (heavy**2 * (1 - c) ** 2 + c**2) / 2) / more**2
    effective = c * (1 - c) / variance
    if kind.startswith("weights"):
        at = np.unique(np.stack([rows.score, rows.truth]), axis=1, return_inverse=True)[1].ravel()
        sums, squares = (np.bincount(at, weights=x) for x in (w, w**2))
        cell = np.bincount(at, weights=each)
        worth = sums**2 / np.where(squares > 0, squares, 1.0)
        degrees = each.sum() ** 2 / (cell**2 / np.maximum(worth, 1.0)).sum()
        effective *= (norm.ppf(0.975) / t.ppf(0.975, degrees)) ** 2
    wanted = tuple(betaincinv(effective * c, effective * (1 - c), q) for q in (0.025, 0.975))
    assert mean_estimate(proper.brier, rows.tally).interval == pytest.approx(wanted, rel=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_skill_is_that_of_the_rows(kind: str) -> None:
    rows = made(kind)
    loss, w, y = losses(rows)["brier"][0], rows.w, rows.truth.astype(float)
    e, n, q = brier_skill_estimate(rows.tally), w.sum(), float(w @ y / w.sum())
    b, u = float(w @ loss / n), q * (1 - q)
    influence = (loss - b - (y - q) * (1 - 2 * q) * b / u) / u
    assert e.value == pytest.approx(1 - b / u, rel=1e-11)
    assert e.se == pytest.approx(float(np.sqrt(w**2 @ influence**2)) / n, rel=1e-11)
    assert e.interval == pytest.approx(numbers(skill_bounds(loss, y, w, w**2)), rel=1e-10)


def test_equal_losses_have_no_spread_at_all() -> None:
    t = ScoreGroups.of(np.full(N, 0.3), np.zeros(N, dtype=bool))
    sums = proper.brier.loss_sums(t)
    assert (sums.negative.first, sums.negative.second) == (0.0, 0.0)
    assert sums.mean == 0.3**2


def test_sums_are_made_once() -> None:
    t = made("no two tie").tally
    assert proper.brier.loss_sums(t) is proper.brier.loss_sums(t)
    assert "score" not in vars(t)  # nor were the groups written out


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strategy", ["width", "mass", "counts", "quantiles"])
def test_bins_and_their_noise_are_those_of_the_rows(kind: str, strategy: str) -> None:
    rows = made(kind)
    t = rows.tally
    b = bin_scores(t, 12, strategy)
    w = np.ones(len(rows.score)) if rows.weights is None else rows.weights
    kept = w > 0
    p, y, w = rows.score[kept], rows.truth[kept], w[kept]
    place = np.searchsorted(b.high, p)  # each bin holds its highest score, and none above the next one's lowest
    assert (b.low[1:] > b.high[:-1]).all()
    assert (p >= b.low[place]).all()
    if strategy == "width":
        assert (np.ceil(b.high * 12) == np.ceil(np.maximum(b.low, 1e-300) * 12)).all()
    elif strategy == "counts" and rows.weights is None:
        for g in range(1, 12):  # the ceil(n g / 12)-th score is the last of a bin
            assert np.sort(p)[-(-len(p) * g // 12) - 1] in b.high
    summed = [np.bincount(place, weights=x) for x in (w, w * y, w * p)]
    assert b.weight == pytest.approx(summed[0], rel=1e-12)
    assert b.positive == pytest.approx(summed[1], rel=1e-12, abs=1e-12)
    assert b.mean_score == pytest.approx(summed[2] / summed[0], rel=1e-12)
    scale = calibration.effective_scale(t)
    squared = np.bincount(place, weights=w**2 * (p - y - b.gap[place]) ** 2) * scale**2
    alone = b.weight**2 / b.squares <= 1 + 1e-9
    worth = b.weight**2 / b.squares
    wanted = np.sqrt(squared * worth / np.where(alone, 1, worth - 1)) / (b.weight * scale)
    noise = calibration.gap_noise(b)
    assert noise[~alone] == pytest.approx(wanted[~alone], rel=1e-10, abs=1e-12)
    one = ((b.mean_score - 1 - b.gap) ** 2 + (b.mean_score - b.gap) ** 2) / 2
    calibrated = np.bincount(place, weights=w**2 * p * (1 - p)) * scale**2
    n = b.weight * scale
    assert calibration.gap_noise(b, added=True) == pytest.approx(
        np.sqrt(np.maximum((squared + one) / (n + 1) ** 2, calibrated / n**2)), rel=1e-10
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_excess_over_calibrated_scores_is_that_of_the_rows(kind: str) -> None:
    rows = made(kind)
    p, w = rows.score, rows.w
    each = (rows.truth - p) * (1 - 2 * p)
    mean = w @ each / w.sum()
    wanted = w @ each, w**2 @ ((1 - 2 * p) ** 2 * p * (1 - p)), w**2 @ (each - mean) ** 2
    assert calibration.spiegelhalter_parts(rows.tally) == pytest.approx(tuple(map(float, wanted)), rel=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("added", [False, True])
def test_fits_to_nodes_are_fits_to_scores(kind: str, added: bool) -> None:
    t = made(kind).tally
    rows, at_nodes = Odds.of_scores(t), nodes(4).of(t)
    assert len(at_nodes.x) < 3000
    for one, other in ((at_nodes.line(added=added), rows.line(added=added)), (at_nodes.shift(), rows.shift())):
        assert float(one.slope) == pytest.approx(float(other.slope), rel=1e-11)
        assert float(one.intercept) == pytest.approx(float(other.intercept), rel=1e-10, abs=1e-12)
        assert one.information == pytest.approx(other.information, rel=1e-10, abs=1e-16)
        assert one.sandwich == pytest.approx(other.sandwich, rel=1e-10, abs=1e-16)


@pytest.mark.parametrize("times", [0.2, 1.0, 3.0, 12.0])
def test_cells_are_as_fine_as_the_slope_asks_for(times: float) -> None:
    rng = np.random.default_rng(2)
    x = rng.normal(size=20_000)
    truth = rng.random(len(x)) < 1 / (1 + np.exp(-2 * x))
    t = ScoreGroups.of(1 / (1 + np.exp(-2 * x / times)), truth)  # the slope is `times`
    rows, nodes = Odds.of_scores(t).line(), Odds.of(t).line()
    assert float(rows.slope) == pytest.approx(times, rel=0.1)
    assert float(nodes.slope) == pytest.approx(float(rows.slope), rel=1e-11)


@pytest.mark.parametrize("n", [12, 60, 400, 3000])
def test_both_ends_of_the_slope_have_the_deviance_of_the_cutoff(n: int) -> None:
    rng = np.random.default_rng(n)
    x = rng.normal(size=n)
    t = ScoreGroups.of(1 / (1 + np.exp(-x)), rng.random(n) < 1 / (1 + np.exp(-0.8 * x)))
    odds = Odds.of_scores(t)
    fit = odds.line(added=True)
    for end in slope_bounds(odds, fit, 3.84):
        found = slope_deviance(odds.x, odds.positive, odds.negative, np.asarray(end), fit)
        assert float(found) == pytest.approx(3.84, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_average_precision_and_its_variance_are_those_of_the_moves(kind: str) -> None:
    rows = made(kind)
    t = rows.tally
    w = np.ones(len(rows.score)) if rows.weights is None else rows.weights
    order = np.argsort(-rows.score, kind="stable")
    s, up, down = rows.score[order], (w * rows.truth)[order], (w * ~rows.truth)[order]
    last = np.searchsorted(-s, -s, side="right") - 1  # of tied rows the last is the threshold
    tp, fp = np.cumsum(up)[last], np.cumsum(down)[last]
    wanted = float(up @ (tp / np.maximum(tp + fp, 1e-300)) / up.sum())
    value, variance = precision_sums(t)
    assert value == pytest.approx(wanted, rel=1e-12)
    plain = ScoreGroups(t.score, t.positive, t.negative, t.positive_squares, t.negative_squares)
    moved = average_precision.moved(plain)
    by_moves = plain.squares[0] @ moved.positive**2 + plain.squares[1] @ moved.negative**2
    assert variance == pytest.approx(float(by_moves), rel=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_the_hull_is_that_of_a_walk_point_by_point(kind: str) -> None:
    t = made(kind).tally
    points = list(zip(np.append(0, t.fp), np.append(0, t.tp), strict=True))
    corners: list[tuple[float, float]] = []
    for x, y in points:
        while len(corners) > 1:
            (x0, y0), (x1, y1) = corners[-2:]
            if (y1 - y0) * (x - x1) > (y - y1) * (x1 - x0):
                break
            corners.pop()
        corners.append((x, y))
    hull = Hull.of(t)
    if not t.is_weighted:
        assert list(zip(hull.fp.tolist(), hull.tp.tolist(), strict=True)) == corners
        assert hull.tp2.tolist() == hull.tp.tolist()
    at = np.searchsorted(t.tp + t.fp, hull.tp + hull.fp - 1e-9 * t.total)[1:]
    assert hull.tp[1:] == pytest.approx(t.tp[at], rel=1e-9, abs=1e-9)
    assert hull.tp2[1:] == pytest.approx(np.cumsum(t.squares[0])[at], rel=1e-9, abs=1e-9)
    assert hull.fp2[1:] == pytest.approx(np.cumsum(t.squares[1])[at], rel=1e-9, abs=1e-9)
    assert ks(t) == pytest.approx(float((t.tp / t.positives - t.fp / t.negatives).max()), rel=1e-12)
    e, bigger = ks_estimate(t), enlarged_groups(t)
    variance = sum(float(q @ slopes**2) for q, slopes in zip(bigger.squares, ks.moved(bigger), strict=True))
    n = effective_rows(ks(bigger), variance, (0.0, 1.0))
    assert e.high == pytest.approx(float(beta_interval(ks(bigger), n, ks(t), (0.0, 1.0), 0.95)[1]), rel=1e-10)


def test_h_of_many_draws_is_h_of_each() -> None:
    rng = np.random.default_rng(1)
    positive = rng.multinomial(40, rng.dirichlet(np.linspace(3, 0.2, 60)), size=50).astype(float)
    negative = rng.multinomial(60, rng.dirichlet(np.linspace(0.2, 3, 60)), size=50).astype(float)
    positive[3], negative[7] = 0.0, 0.0  # of one class: undefined
    positive[9], negative[9] = negative[9], positive[9] * 0.5  # worse than chance, and weights
    score = np.arange(60.0)[::-1]
    for settings in ({}, {"severity_ratio": 0.3}, {"prior": "classes"}):
        found = h_of_draws(positive, negative, **settings)
        each = [
            h_measure.with_options(**settings)(ScoreGroups(score, up, down))
            for up, down in zip(positive, negative, strict=True)
        ]
        assert found == pytest.approx(np.array(each), abs=1e-13, nan_ok=True)
        assert np.isnan(found[[3, 7]]).all()


@pytest.mark.parametrize("kind", ["no two tie", "four decimals", "weights"])
def test_scores_are_joined_into_groups_of_about_the_same_weight(kind: str) -> None:
    t = made(kind).tally
    coarse = joined(t, 300)
    place = np.minimum((np.cumsum(t.positive + t.negative) / t.total * 300).astype(int), 299)
    starts = np.flatnonzero(np.append(True, np.diff(place) > 0))
    assert coarse.score.tolist() == t.score[starts].tolist()
    for one, other in zip(
        (coarse.positive, coarse.negative, *coarse.squares), (t.positive, t.negative, *t.squares), strict=True
    ):
        assert one == pytest.approx(np.add.reduceat(other, starts), rel=1e-11)


def test_poisson_draws_have_the_means_and_variances_of_the_rows() -> None:
    up, up2, down, down2 = map(np.array, ([30.0, 10.0], [90.0, 20.0], [0.0, 8.0], [0.0, 8.0]))
    t = ScoreGroups(np.array([2.0, 1.0]), up, down, up2, down2)
    up, down = poisson_replicates(t, 40_000, 1)
    assert up.mean(axis=0) == pytest.approx([30, 10], rel=0.01)
    assert up.var(axis=0) == pytest.approx([90, 20], rel=0.03)
    assert down.mean(axis=0) == pytest.approx([0, 8], rel=0.01)
    assert poisson_replicates(t, 100, 1)[0].tolist() == poisson_replicates(t, 100, 1)[0].tolist()


# walking together


def same(one: object, other: object) -> bool:
    """Equal to the last digit, field by field."""
    if isinstance(one, np.ndarray):
        return np.array_equal(one, np.asarray(other), equal_nan=True)
    if isinstance(one, tuple | list):
        return all(same(a, b) for a, b in zip(one, other, strict=True))  # type: ignore[call-overload]
    if is_dataclass(one):
        names = (field.name for field in fields(one) if field.name != "tally")
        return all(same(getattr(one, name), getattr(other, name)) for name in names)
    return bool(one == other) or (one != one and other != other)


@pytest.mark.parametrize("kind", KINDS)
def test_sums_made_together_are_those_made_alone(kind: str) -> None:
    together = made(kind).tally
    names = {wanted.name: wanted for wanted in (walks._SHOWN | walks._OTHERS).values() if wanted.fits(together)}
    walks._made(together, dict(names))
    for name, wanted in names.items():
        alone = made(kind).tally
        assert same(wanted.of(alone), together.ledger[name])
        assert list(alone.ledger) == [name]


def test_all_measures_of_many_scores_take_three_walks(monkeypatch: pytest.MonkeyPatch) -> None:
    walked, blocks = [], KeyedScores._blocks

    def counted(t: KeyedScores) -> Iterator[Run]:
        walked.append(t)
        return blocks(t)

    monkeypatch.setattr(KeyedScores, "_blocks", counted)
    rows = made("no two tie")
    a = sf.assess(rows.truth.astype(int), y_score=rows.score)
    for name in ("roc_auc", "gini"):  # whole-number places, not a walk over scores
        a.measure(name)
    assert len(walked) == 0
    a.measure("ks")  # one sum alone
    assert len(walked) == 1
    for name in ("brier", "average_precision", "log_loss", "ece"):  # what a table shows, in one walk
        a.measure(name)
    assert len(walked) == 2
    for name in sf.measures.catalogue.of_scores:
        if name in a:
            a.measure(name)
    assert len(walked) == 3


def test_few_scores_are_decoded_once() -> None:
    t = made("few rows").tally
    assert all(one is other for one, other in zip(t.runs(), t.runs(), strict=True))
