"""Rows that come in groups: the interval that knows of the groups beside the one that does not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from surefold.estimates.of_table import TableEstimates
from surefold.measures.catalogue import catalogue
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion

from .coverage import Array, standard_error, true_value
from .designs import population
from .page import Gate, Grid, Section, share
from .tables import SEED

MEASURES = ("accuracy", "recall", "f1_macro", "kappa")
SHARES = np.array([0.5, 0.3, 0.2])
ACCURACY = 0.8
ROWS = 20  # of a group, on average
WANTED = 0.93

TEXT = """
Three classes (50/30/20), {rows} rows a group on average, 80 % right on average; how often a group's rows are called
right is drawn from a Beta distribution, so that being right is correlated within a group: .05 is slight, .5 is patients
who are mostly easy or mostly hard. Sizes are equal, or very unequal (lognormal: the largest of 20 groups holds 28 % of
the rows, and they weigh on the mean as 8 equal ones would). R = {draws:,} (standard error
{se:.3f}). Each entry is **with groups** / without, as if the rows were independent.
Recall is that of the first class. *Flagged* says whether `few_clusters` fires.
"""


def sizes(groups: int, kind: str) -> Array:
    if kind == "equal":
        return np.full(groups, ROWS)
    spread = np.exp(1.2 * ndtri((np.arange(groups) + 0.5) / groups))
    return np.asarray(np.maximum(1, np.round(spread * ROWS * groups / spread.sum())), dtype=int)


def draw(sizes_: Array, correlation: float, one_class: bool, rng: np.random.Generator) -> tuple[Confusion, Clusters]:
    """One sample: each group has its own chance of being right, and in one variant a single true class."""
    groups, k = len(sizes_), len(SHARES)
    group = np.repeat(np.arange(groups), sizes_)
    strength = (1 - correlation) / correlation
    right = rng.beta(ACCURACY * strength, (1 - ACCURACY) * strength, size=groups)
    classes = np.searchsorted(np.cumsum(SHARES)[:-1], rng.random(groups if one_class else len(group)))
    true = classes[group] if one_class else classes
    off = rng.integers(1, k, size=len(group))
    predicted = np.where(rng.random(len(group)) < right[group], true, (true + off) % k)
    pairs, where = np.unique(group * k * k + true * k + predicted, return_inverse=True)
    weight = np.bincount(where, minlength=len(pairs)).astype(float)
    owner, cell = pairs // (k * k), pairs % (k * k)
    counts = np.bincount(cell, weights=weight, minlength=k * k).reshape(k, k)
    return Confusion(counts), Clusters(groups, k, owner, cell // k, cell % k, weight)


@dataclass(frozen=True)
class Found:
    """Coverage of each measure with groups and without, and whether `few_clusters` was flagged."""

    where: str
    grouped: Array
    plain: Array
    flagged: bool

    @property
    def worst(self) -> tuple[float, str]:
        least = int(self.grouped.argmin())
        return float(self.grouped[least]), f"{MEASURES[least]}, {self.where}"

    @property
    def row(self) -> tuple[str, ...]:
        pairs = zip(self.grouped, self.plain, strict=True)
        return (self.where, *(f"{share(a, WANTED)} / {share(b)}" for a, b in pairs), "yes" if self.flagged else "–")


def coverage(groups: int, kind: str, correlation: float, one_class: bool, draws: int, seed: list[int]) -> Found:
    rng, inside, flagged = np.random.default_rng(seed), np.zeros((2, len(MEASURES))), 0
    truths = [true_value(catalogue[name], population(SHARES, ACCURACY)) for name in MEASURES]
    sizes_ = sizes(groups, kind)
    for _ in range(draws):
        table, clusters = draw(sizes_, correlation, one_class, rng)
        for row, known in enumerate((clusters, None)):
            estimates = TableEstimates(table, known)
            for column, name in enumerate(MEASURES):
                measure = catalogue[name]
                found = estimates.of_class(measure, 0) if measure.is_per_class else estimates.overall(measure)
                inside[row, column] += truths[column] in found
                flagged += "few_clusters" in found.flags
    where = f"{groups} groups, {kind}, correlation {correlation}"
    return Found(where, inside[0] / draws, inside[1] / draws, flagged >= 0.99 * draws * len(MEASURES))


def run(quick: bool) -> Section:
    draws = 40 if quick else 2000
    counts = (8, 20) if quick else (5, 8, 12, 20, 50)
    correlations = (0.2,) if quick else (0.05, 0.2, 0.5)
    mixed = [
        coverage(groups, kind, correlation, False, draws, [SEED, 7, g, k, c])
        for g, groups in enumerate(counts)
        for k, kind in enumerate(("equal", "unequal"))
        for c, correlation in enumerate(correlations)
    ]
    single = [
        coverage(groups, "equal", correlation, True, draws, [SEED, 8, g, c])
        for g, groups in enumerate((20,) if quick else (20, 50))
        for c, correlation in enumerate(correlations)
    ]
    note = "Then a class rests on the groups that have it, which are fewer than the groups there are."
    head = ("", *MEASURES, "flagged")
    grids = [
        Grid("Classes mixed within groups (bold: below .93)", head, [f.row for f in mixed]),
        Grid("Every group of one true class, as when a patient is ill or is not", head, [f.row for f in single], note),
    ]
    wanted = f"≥ {share(WANTED)}"
    gates = []
    for name, kind in (("of equal size", "equal"), ("of very unequal size", "unequal")):
        silent = [f for f in mixed if not f.flagged and f", {kind}," in f.where]
        least, where = min((f.worst for f in silent), default=(1.0, "all flagged"))
        cells = [(float(c), f.flagged) for f in mixed if f", {kind}," in f.where for c in f.grouped]
        gates.append(
            Gate(f"groups {name}, not flagged", wanted, f"minimum {share(least)} ({where})", least >= WANTED, cells)
        )
    few, hard = min(f.worst for f in mixed if f.flagged), min(f.worst for f in single)
    hidden = "flagged" if all(f.flagged for f in single) else "not flagged"
    alone = share(min(f.plain.min() for f in mixed))
    weak = [
        f"With few groups coverage falls to {share(few[0])} ({few[1]}); `few_clusters` fires.",
        f"With one true class a group it falls to {share(hard[0])} ({hard[1]}); this is {hidden}.",
        f"Rows in groups treated as independent cover down to {alone}: give `groups=`.",
    ]
    text = TEXT.format(rows=ROWS, draws=draws, se=standard_error(0.95, draws))
    return Section("clusters", "Rows in groups", text, grids, gates, weak)
