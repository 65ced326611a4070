"""Bands of curves: does the whole ROC curve lie in its simultaneous band, and a place of it in the pointwise one?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from surefold.curves.decision import Decision
from surefold.curves.gains import Gains
from surefold.curves.precision_recall import PrecisionRecall
from surefold.curves.roc import Roc
from surefold.tallies.score_groups import ScoreGroups

from .coverage import CONFIDENCE, Array, standard_error
from .page import Gate, Grid, Section, least_and_mean, share
from .tables import SEED

WANTED = 0.935
#: A million rows of each class stand for the population.
MANY = 1_000_000
FPRS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9])
SHARES = np.array([0.05, 0.1, 0.2, 0.4, 0.6, 0.8])
PROBABILITIES = np.array([0.1, 0.3, 0.5, 0.7])
RESAMPLES = 200

TEXT = """
Scores of two classes from {shapes} shapes (normal, unequal spread, skewed, heavy-tailed, near perfect, useless, and
tied on 4, 10 and 30 levels), {cells} cells with 8 to 500 rows a class, balanced and up to 1 : 25, R = {draws:,} each
(standard error {se:.4f}). A band counts as a hit when the *whole* curve of the population lies within it.

*Shipped* is the union of Clopper-Pearson rectangles at the exact local level. The rival draws {resamples} bootstrap
samples of each class and takes the central 95 % of TPR at each of 99 FPRs, which is what most tools plot; it is tried
on a twentieth of the draws. Width is the mean area of the band. At other confidences the class levels are carried over
by the rule that the module of bands states, tried on fewer cells.

The pointwise bands are asked at single places: TPR at a given FPR, precision and share of positives found at a given
threshold, share of positives found in a given share of the rows (which the band of the gains curve does not promise: it
takes the rows called as known), and net benefit at a given threshold probability.
"""

Sampler = Callable[[np.random.Generator, int], Array]


@dataclass(frozen=True)
class Shape:
    """How the scores of positives and negatives are drawn."""

    name: str
    positive: Sampler
    negative: Sampler
    levels: int = 0

    def rows(self, rng: np.random.Generator, m: int, n: int) -> tuple[Array, Array]:
        """Scores of m positives and n negatives, squeezed into (0, 1) and, where wanted, rounded to few levels."""
        return self._squeezed(self.positive(rng, m)), self._squeezed(self.negative(rng, n))

    def _squeezed(self, x: Array) -> Array:
        with np.errstate(over="ignore"):
            p = 1 / (1 + np.exp(-x))
        return np.round(p * self.levels) / self.levels if self.levels else p


def _normal(mean: float, spread: float = 1.0) -> Sampler:
    return lambda rng, size: mean + spread * rng.standard_normal(size)


def _gamma(shape: float, shift: float = 0.0) -> Sampler:
    return lambda rng, size: rng.gamma(shape, size=size) + shift


def _t(df: float, shift: float = 0.0) -> Sampler:
    return lambda rng, size: rng.standard_t(df, size=size) + shift


SHAPES = (
    Shape("normal, AUC .76", _normal(0.5), _normal(-0.5)),
    Shape("useless", _normal(0), _normal(0)),
    Shape("normal, AUC .98", _normal(1.5), _normal(-1.5)),
    Shape("spread 2 : 1", _normal(1, 2), _normal(0)),
    Shape("spread 1 : 3", _normal(1), _normal(0, 3)),
    Shape("skewed", _gamma(3.0), _gamma(1.0)),
    Shape("skewed left", lambda rng, size: -rng.gamma(1.0, size=size), lambda rng, size: -rng.gamma(2.5, size=size)),
    Shape("heavy tails", _t(1.5, 1.5), _t(1.5)),
    Shape("4 levels", _normal(0.7, 1.5), _normal(-0.7, 1.5), 4),
    Shape("10 levels", _normal(1.2, 1.5), _normal(-0.2, 1.5), 10),
    Shape("30 levels", _normal(0.7, 2), _normal(-0.7), 30),
)
SIZES = ((30, 30), (100, 100), (10, 250), (200, 15), (40, 500))
FEW_SIZES = ((8, 40), (300, 60))


@dataclass(frozen=True)
class Truth:
    """The population's curve, and its values at the places asked about."""

    roc: Roc
    fpr: Array
    tpr: Array
    at_fpr: Array

    @classmethod
    def of(cls, shape: Shape, rng: np.random.Generator) -> Truth:
        positive, negative = shape.rows(rng, MANY, MANY)
        roc = Roc.of(_tally(positive, negative))
        if shape.levels:
            fpr, tpr = roc.x, roc.y
            between = np.linspace(0, 1, 6)[:, None]  # ties are straight lines, and all of a line has to be inside
            fpr = (fpr[:-1] + between * np.diff(fpr)).T.ravel()
            tpr = (tpr[:-1] + between * np.diff(tpr)).T.ravel()
        else:
            places = np.linspace(0, len(roc) - 1, 600).astype(int)
            fpr, tpr = roc.x[places], roc.y[places]
        return cls(roc, fpr, tpr, np.interp(FPRS, roc.x, roc.y))

    def others(self, m: int, n: int) -> tuple[Array, Array, Array, Array, Array]:
        """Thresholds, precision and TPR there, gains at shares of the rows, net benefit, in a mix of m to n."""
        p = m / (m + n)
        places = np.unique(np.searchsorted(self.roc.y, (0.2, 0.5, 0.8, 0.95)).clip(1, len(self.roc) - 1))
        tpr, fpr, thresholds = self.roc.y[places], self.roc.x[places], self.roc.threshold[places]
        precision = p * tpr / (p * tpr + (1 - p) * fpr)
        gains = np.interp(SHARES, p * self.roc.y + (1 - p) * self.roc.x, self.roc.y)
        called = np.searchsorted(-self.roc.threshold, -PROBABILITIES, side="right") - 1
        price = PROBABILITIES / (1 - PROBABILITIES)
        benefit = p * self.roc.y[called] - (1 - p) * self.roc.x[called] * price
        return thresholds, precision, tpr, gains, benefit


def _tally(positive: Array, negative: Array) -> ScoreGroups:
    return ScoreGroups.of(
        np.concatenate([positive, negative]), np.arange(len(positive) + len(negative)) < len(positive)
    )


def bootstrap_holds(positive: Array, negative: Array, truth: Truth, rng: np.random.Generator) -> bool:
    """The rival: percentile limits of TPR at each FPR, over resampled rows of each class."""
    grid = np.arange(1, 100) / 100
    m, n = len(positive), len(negative)
    drawn_p = np.sort(positive[rng.integers(m, size=(RESAMPLES, m))], axis=1)
    drawn_n = np.sort(negative[rng.integers(n, size=(RESAMPLES, n))], axis=1)
    levels = np.unique(np.concatenate([positive, negative]))[::-1]
    tpr = np.stack([_over(p, q, levels, grid) for p, q in zip(drawn_p, drawn_n, strict=True)])
    low, high = np.quantile(tpr, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    wanted = np.interp(grid, truth.roc.x, truth.roc.y)
    return bool(((low <= wanted) & (wanted <= high)).all())


def _over(positive: Array, negative: Array, levels: Array, grid: Array) -> Array:
    """TPR at each FPR, rows being in order."""
    tpr, fpr = (np.append(0.0, 1 - np.searchsorted(x, levels, side="left") / len(x)) for x in (positive, negative))
    return np.asarray(np.interp(grid, fpr, tpr))


@dataclass
class Hits:
    """What was counted in one cell, as means over the draws."""

    shape: str
    sizes: tuple[int, int]
    whole: float
    width: float
    rival: float
    at_fpr: Array
    precision: Array
    found: Array
    gains: Array
    benefit: Array


def cell(
    shape: Shape, truth: Truth, m: int, n: int, draws: int, seed: list[int], confidence: float = CONFIDENCE
) -> Hits:
    rng = np.random.default_rng(seed)
    whole, width, rival = [], [], []
    pointwise: dict[str, list[Array]] = {name: [] for name in ("fpr", "precision", "found", "gains", "benefit")}
    thresholds, precision, tpr, gains, benefit = truth.others(m, n)
    for i in range(draws):
        # m and n are fixed, as in a case-control study, for ROC; precision, gains and net benefit need a mixed sample.
        positive, negative = shape.rows(rng, m, n)
        roc = Roc.of(_tally(positive, negative))
        band = roc.band(confidence, "simultaneous")
        whole.append(bool(band.holds(truth.fpr, truth.tpr).all()))
        width.append(band.area)
        if i % 20 == 0:
            rival.append(bootstrap_holds(positive, negative, truth, rng))
        if i % 5 == 0:
            pointwise["fpr"].append(roc.band(confidence).holds(FPRS, truth.at_fpr))
            k = int(np.clip(rng.binomial(m + n, m / (m + n)), 1, m + n - 1))
            t = _tally(*shape.rows(rng, k, m + n - k))
            places = np.searchsorted(-t.score, -thresholds, side="right")
            for name, curve, true in (("precision", PrecisionRecall.of(t), precision), ("found", Gains.of(t), tpr)):
                b = curve.band(confidence)
                inside = (b.low_y[places] <= true + 1e-9) & (true - 1e-9 <= b.high_y[places])
                pointwise[name].append(inside)
            pointwise["gains"].append(Gains.of(t).band(confidence).holds(SHARES, gains))
            pointwise["benefit"].append(Decision.of(t, PROBABILITIES).band(confidence).holds(PROBABILITIES, benefit))
    means = [np.mean(held, axis=0) for held in pointwise.values()]
    return Hits(shape.name, (m, n), float(np.mean(whole)), float(np.mean(width)), float(np.mean(rival)), *means)


def run(quick: bool) -> Section:
    draws = 100 if quick else 1000
    shapes = SHAPES[::3] if quick else SHAPES
    truths = {s.name: Truth.of(s, np.random.default_rng([SEED, 70, i])) for i, s in enumerate(shapes)}
    pairs = [(s, sizes) for i, s in enumerate(shapes) for sizes in (*SIZES[: 2 if quick else 5], FEW_SIZES[i % 2])]
    found = [cell(s, truths[s.name], *sizes, draws, [SEED, 71, i]) for i, (s, sizes) in enumerate(pairs)]
    others = {c: _at_confidence(c, shapes, truths, draws // 2) for c in (0.8, 0.9, 0.99)}

    by_shape = [_row(name, [h for h in found if h.shape == name]) for name in truths]
    head = ("scores", "shipped, minimum / mean", "pointwise bootstrap, minimum / mean", "width, mean")
    by_size = [
        _row(f"{m} / {n}", [h for h in found if h.sizes == (m, n)]) for m, n in dict.fromkeys(p[1] for p in pairs)
    ]
    levels = [(f"{c:.2f}".lstrip("0"), least_and_mean(h.whole for h in hits)) for c, hits in others.items()]
    point = {
        "TPR at an FPR": [h.at_fpr for h in found],
        "precision at a threshold": [h.precision for h in found],
        "share of positives found at a threshold": [h.found for h in found],
        "share of positives found in a share of the rows": [h.gains for h in found],
        "net benefit at a threshold probability": [h.benefit for h in found],
    }
    flat = {name: np.concatenate(parts) for name, parts in point.items()}
    fewer = len(range(0, draws, 5))
    grids = [
        Grid("Whole ROC curve, by shape", head, by_shape),
        Grid("Whole ROC curve, by rows (positive / negative)", ("rows", *head[1:]), by_size),
        Grid("Whole ROC curve at other confidences", ("confidence", "minimum / mean"), levels),
        Grid(
            "Pointwise bands",
            ("what", "minimum / mean", f"places below {share(WANTED)}"),
            [(n, least_and_mean(v), f"{int((v < WANTED).sum())} of {v.size}") for n, v in flat.items()],
            f"R = {fewer:,} a place: a standard error of {standard_error(0.95, fewer):.4f}.",
        ),
    ]
    least = min(h.whole for h in found)
    gates = [
        Gate("ROC band, whole curve: minimum", f"≥ {share(WANTED)}", share(least), least >= WANTED),
        *(
            Gate(
                f"ROC band at confidence {share(c)}: minimum",
                f"≥ {share(c - 0.015)}",
                share(min(h.whole for h in hits)),
                min(h.whole for h in hits) >= c - 0.015,
            )
            for c, hits in others.items()
        ),
        Gate(
            "ROC band, TPR at an FPR: minimum",
            f"≥ {share(WANTED)}",
            share(flat["TPR at an FPR"].min()),
            bool(flat["TPR at an FPR"].min() >= WANTED),
        ),
    ]
    rows = flat["share of positives found in a share of the rows"]
    weak = [f"The band of the gains curve is for the share found at a *threshold*; read as the share found in a given "
            f"share of the rows it covers {share(rows.mean())} on average, {share(rows.min())} at worst."]  # fmt: skip
    text = TEXT.format(
        shapes=len(shapes), cells=len(found), draws=draws, se=standard_error(CONFIDENCE, draws), resamples=RESAMPLES
    )
    return Section("bands", "Bands of ROC and other curves", text, grids, gates, weak)


def _at_confidence(c: float, shapes: tuple[Shape, ...], truths: dict[str, Truth], draws: int) -> list[Hits]:
    chosen = [(s, sizes) for s in shapes[::2] for sizes in SIZES[1:3]]
    found = []
    for i, (s, (m, n)) in enumerate(chosen):
        rng = np.random.default_rng([SEED, 72, i])
        truth = truths[s.name]
        held = []
        for _ in range(draws):
            band = Roc.of(_tally(*s.rows(rng, m, n))).band(c, "simultaneous")
            held.append(bool(band.holds(truth.fpr, truth.tpr).all()))
        nothing = np.zeros(0)
        found.append(Hits(s.name, (m, n), float(np.mean(held)), np.nan, np.nan, *[nothing] * 5))
    return found


def _row(name: str, hits: list[Hits]) -> tuple[str, ...]:
    return (
        name,
        least_and_mean((h.whole for h in hits), WANTED),
        least_and_mean(h.rival for h in hits),
        f"{np.mean([h.width for h in hits]):.3f}",
    )
