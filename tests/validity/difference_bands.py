"""Bands of the difference of two curves: does all of the true difference lie in the band?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from surefold.comparison.difference_bands import CurveKind, DifferenceBands, PairedScores, difference_bands
from surefold.comparison.difference_curves import DifferenceCurve, roc_difference
from surefold.curves.gains import Gains
from surefold.curves.roc import Roc
from surefold.tallies.score_groups import ScoreGroups

from .coverage import CONFIDENCE, Array, standard_error
from .page import Gate, Grid, Section, least_and_mean, share
from .tables import SEED

WANTED, ENOUGH = 0.93, 300
#: Fewer than are drawn by default, which makes the band a little less steady and the simulation faster.
DRAWS = 300
ENDS = np.geomspace(1e-5, 0.005, 60)
#: Where the whole of a difference is looked at.
PLACES = np.unique(np.concatenate([np.linspace(0, 1, 1001), ENDS, 1 - ENDS]))
#: Where single places are.
SINGLE = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9])

TEXT = """
Two scores of every row, normal in each class and correlated between the models, so that the difference of the two
curves of the population is known: {designs} designs (equal models good and bad, much and little alike, one better,
curves that cross), with {sizes} positives and negatives, R = {draws:,} samples each (standard error {se:.4f}), {boot}
draws a band. Class sizes are fixed for ROC and drawn for gains, whose curve depends on the share of positives. A band
counts as a hit when the *whole* difference lies within it, at {places:,} places from 0 to 1. *Groups* are {groups}
groups of ten rows that share half of the variance of their scores. *Many rows* is where counts are drawn from their
normal limit.
"""


@dataclass(frozen=True)
class Pair:
    """Scores of the positives of two models, those of the negatives being standard normal, and how alike they are."""

    name: str
    ahead: tuple[float, float]
    spread: tuple[float, float] = (1.0, 1.0)
    shared: float = 0.5

    def rows(self, rng: np.random.Generator, is_positive: Array, groups: Array | None = None) -> Array:
        """2 x rows; with groups a half of each score's variance is its group's."""
        n = len(is_positive)
        z = np.sqrt(self.shared) * rng.standard_normal(n) + np.sqrt(1 - self.shared) * rng.standard_normal((2, n))
        if groups is not None:
            of_group = rng.standard_normal((2, int(groups.max()) + 1))
            z = np.sqrt(0.5) * (z + of_group[:, groups])
        spread, ahead = (np.array(x)[:, None] for x in (self.spread, self.ahead))
        return np.asarray(np.where(is_positive, z * spread + ahead, z))

    def truth(self, kind: CurveKind, positives: float) -> Array:
        """The difference at every place, with this share of positives."""
        if kind == "roc":
            with np.errstate(divide="ignore"):
                z = ndtri(PLACES)
            first, second = (ndtr((z + mean) / spread) for mean, spread in zip(self.ahead, self.spread, strict=True))
        else:
            cuts = np.linspace(16, -12, 40_001)
            found = []
            for mean, spread in zip(self.ahead, self.spread, strict=True):
                tpr = ndtr((mean - cuts) / spread)
                found.append(np.interp(PLACES, positives * tpr + (1 - positives) * ndtr(-cuts), tpr))
            first, second = found
        return np.asarray(first - second)


PAIRS = (
    Pair("equal, AUC .76", (1.0, 1.0)),
    Pair("AUC .90 and .76", (1.8, 1.0)),
    Pair("crossing, much alike", (1.5, 1.3), (0.6, 1.6), 0.9),
    Pair("AUC .98 and .76, nothing shared", (3.0, 1.0), shared=0.0),
    Pair("equal, AUC .98", (3.0, 3.0), shared=0.8),
    Pair("crossing, AUC .76 and .64", (1.0, 1.0), (1.0, 2.5)),
    Pair("nearly the same scores", (1.0, 0.95), shared=0.99),
    Pair("one steep, one flat", (1.3, 2.9), (0.3, 2.0), 0.7),
)
SIZES = ((50, 50), (20, 100), (100, 20), (200, 800))
GROUPS = (15, 40)
#: A thousand rows take the most time, so few designs have them.
MANY_DESIGNS = (0, 3, 5, 7)


@dataclass
class Cell:
    kind: CurveKind
    design: str
    rows: str
    whole: float
    single: Array
    width: float


def _bands(kind: CurveKind, is_positive: Array, scores: Array, seed: int, draws: int) -> DifferenceBands:
    curve = Roc if kind == "roc" else Gains
    lines = [curve.of(ScoreGroups.of(s, is_positive)) for s in scores]
    rows = PairedScores(is_positive, (scores[0], scores[1]), np.ones(len(is_positive)))
    first, second = ((line.x, line.y) for line in lines)
    return difference_bands(rows, kind, (first, second), confidence=CONFIDENCE, draws=draws, seed=seed)


def cell(kind: CurveKind, pair: Pair, m: int, n: int, samples: int, seed: list[int], groups: int = 0) -> Cell:
    rng = np.random.default_rng(seed)
    truth = pair.truth(kind, m / (m + n))
    at_single = np.interp(SINGLE, PLACES, truth)
    whole, single, width = [], [], []
    for i in range(samples):
        k = m if kind == "roc" else int(np.clip(rng.binomial(m + n, m / (m + n)), 1, m + n - 1))
        is_positive = np.arange(m + n) < k
        found: DifferenceBands | DifferenceCurve
        if groups:
            codes = rng.permutation(np.arange(m + n) % groups)
            first, second = pair.rows(rng, is_positive, codes)
            found = roc_difference(is_positive.astype(int), first, second, groups=codes, draws=DRAWS, random_state=i)
        else:
            found = _bands(kind, is_positive, pair.rows(rng, is_positive), i, DRAWS)
        low, high = (np.interp(PLACES, found.x, y) for y in (found.band_low, found.band_high))
        whole.append(bool(((low <= truth + 1e-9) & (truth <= high + 1e-9)).all()))
        low, high = (np.interp(SINGLE, found.x, y) for y in (found.low, found.high))
        single.append((low <= at_single) & (at_single <= high))
        width.append(float(np.trapezoid(found.band_high - found.band_low, found.x)))
    rows = f"{groups} groups of 10" if groups else f"{m} / {n}"
    return Cell(kind, pair.name, rows, float(np.mean(whole)), np.mean(single, axis=0), float(np.mean(width)))


def run(quick: bool) -> Section:
    samples = 40 if quick else ENOUGH
    pairs, sizes = (PAIRS[:3], SIZES[:2]) if quick else (PAIRS, SIZES)
    found = []
    for place, pair in enumerate(pairs):
        for m, n in sizes:
            if m + n >= 1000 and place not in MANY_DESIGNS:
                continue
            found += [cell(kind, pair, m, n, samples, [SEED, 91, place, m, n]) for kind in ("roc", "gains")]
    grouped = [
        cell("roc", pair, 3 * g, 7 * g, samples, [SEED, 92, place, g], groups=g)
        for g in (GROUPS[1:] if quick else GROUPS)
        for place, pair in enumerate(PAIRS[:3:2])
    ]
    fewer = samples // 2
    many = [] if quick else [cell("roc", PAIRS[1], 6_000, 18_000, fewer, [SEED, 93])]

    kinds: dict[CurveKind, str] = {"roc": "ROC", "gains": "gains"}
    head = ("whole difference, minimum / mean", "single places, minimum / mean", "width, mean")
    grids = []
    for kind, name in kinds.items():
        own = [c for c in found if c.kind == kind]
        grids.append(
            Grid(f"Difference of {name} curves, by design", ("design", *head),
                 [_row(p.name, [c for c in own if c.design == p.name]) for p in pairs])
        )  # fmt: skip
        grids.append(
            Grid(f"Difference of {name} curves, by rows (positive / negative)", ("rows", *head),
                 [_row(f"{m} / {n}", [c for c in own if c.rows == f"{m} / {n}"]) for m, n in sizes])
        )  # fmt: skip
    more = [_row(f"{c.rows}, {c.design}", [c]) for c in grouped]
    more += [_row(f"many rows: {c.rows}, {c.design} (R = {fewer})", [c]) for c in many]
    grids.append(Grid("Difference of ROC curves: groups and many rows", ("rows", *head), more))
    gates = [_gate(f"{name} difference", [c for c in found if c.kind == kind], samples) for kind, name in kinds.items()]
    gates.append(_gate("ROC difference with groups", grouped, samples))
    gates += [_gate("ROC difference of many rows", many, fewer)] if many else []
    single = np.concatenate([c.single for c in found])
    weak = [f"Limits of a difference of curves at a *single* place cover {share(single.mean())} on average and "
            f"{share(single.min())} at worst over {single.size} places; the band for all places is the one to trust "
            f"where curves are steep."]  # fmt: skip
    text = TEXT.format(
        designs=len(pairs), sizes=", ".join(f"{m}/{n}" for m, n in sizes), draws=samples, boot=DRAWS,
        se=standard_error(CONFIDENCE, samples), places=len(PLACES), groups=" and ".join(map(str, GROUPS)),
    )  # fmt: skip
    return Section("difference_bands", "Bands of the difference of two curves", text, grids, gates, weak)


def _gate(what: str, cells: list[Cell], samples: int) -> Gate:
    least = min(c.whole for c in cells)
    return Gate(f"{what}, whole curve: minimum", f"≥ {share(WANTED)}", share(least), least >= WANTED)


def _row(name: str, cells: list[Cell]) -> tuple[str, ...]:
    single = [float(v) for c in cells for v in c.single]
    width = f"{np.mean([c.width for c in cells]):.3f}" if cells else "–"
    return name, least_and_mean((c.whole for c in cells), WANTED), least_and_mean(single), width
