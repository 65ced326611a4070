"""One model where its interval is hardest: groups of one class, rare calls, small classes, real models, hard scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtri

import surefold as sf
from surefold.estimates.intervals import table_intervals
from surefold.estimates.of_table import TableEstimates
from surefold.measures.catalogue import catalogue
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion

from .coverage import CONFIDENCE, at_class, holds, is_flagged, samples, standard_error, true_value
from .designs import Design, population
from .page import Gate, Grid, Section, share
from .score_designs import REAL, pool
from .tables import SEED

WANTED, LOUD = 0.935, 0.9
GROUPED = ("accuracy", "recall", "precision", "specificity", "f1", "balanced_accuracy", "f1_macro", "kappa", "mcc")
CALLED = ("mcc", "kappa", "balanced_accuracy", "f1_macro", "informedness")
SMALL = ("balanced_accuracy", "f1_macro", "mcc", "kappa")
SCORED = ("log_loss", "brier", "roc_auc", "average_precision", "ece")
#: What is told of a figure that is weak by what the data are, not by how it was asked for.
WARNINGS = {"few_clusters", "rare_class", "rarely_called", "certain_scores", "one_row_dominates", "few_of_a_class",
            "few_positives", "clipped_probabilities", "degenerate"}  # fmt: skip

TEXT = """
*Groups of one class*: every group has rows of one true class, as when a patient is ill or is not; sizes are equal, or
lognormal with a spread of .8 or 1.2; how often a group is right is drawn from a Beta distribution with the correlation
given (R = {groups:,}). *Rare calls*: two classes, of which one is called 2 to 10 times on average (R = {tables:,}).
*Small classes*: 6 to 20 classes of 3 to 12 rows each (R = {tables:,}). *Real models*: logistic regression, random
forest, boosting, neighbours, naive Bayes and a full tree, whose scores are all 0 or 1, fitted on a third of each data
set; rows are drawn with replacement from the other two thirds, whose value is the truth (R = {scores:,}).

*Flagged* counts draws with a warning (`few_clusters`, `rarely_called`, `rare_class`, `certain_scores` and others).
Cells in which fewer than half of the draws are flagged are held to {wanted:.3f}; in every other cell below that,
{loud:.0%} of the draws must be flagged. Standard errors are {se_groups:.4f}, {se_tables:.4f} and {se_scores:.4f}.
"""


@dataclass
class Tried:
    """One measure on one design: every draw's interval."""

    measure: str
    where: str
    family: str
    inside: list[bool] = field(default_factory=list)
    flagged: list[bool] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    value: list[float] = field(default_factory=list)

    def add(self, found: sf.Estimate, truth: float) -> None:
        """A draw without a value says why, and is left out; one without an interval misses."""
        if found.defined:
            self.inside.append(truth in found)
            self.flagged.append(bool(WARNINGS & set(found.flags)))
            self.width.append(found.high - found.low)
            self.value.append(found.value)

    @property
    def coverage(self) -> float:
        return float(np.mean(self.inside))

    @property
    def flags(self) -> float:
        return float(np.mean(self.flagged))

    @property
    def wide(self) -> float:
        """The median width over that of the central 95 % of the values drawn."""
        oracle = float(np.subtract(*np.quantile(self.value, [0.975, 0.025])))
        return float(np.median(self.width)) / oracle if oracle > 0 else np.nan

    @property
    def quiet(self) -> bool:
        return self.flags < 0.5


# groups of one class


@dataclass(frozen=True)
class GroupDesign:
    """Groups of one class each."""

    groups: int
    spread: float
    shares: tuple[float, ...]
    accuracy: float
    correlation: float

    @property
    def where(self) -> str:
        kind = f"sizes spread {self.spread:g}" if self.spread else "equal sizes"
        shares = "/".join(f"{100 * s:.0f}" for s in self.shares)
        skill = f"right {share(self.accuracy)}, correlation {self.correlation:g}"
        return f"{self.groups} groups of {shares} %, {kind}, {skill}"

    def draw(self, rng: np.random.Generator) -> tuple[Confusion, Clusters]:
        k, size = len(self.shares), np.exp(self.spread * ndtri((np.arange(self.groups) + 0.5) / self.groups))
        sizes = rng.permutation(np.maximum(1, np.round(size * 20 * self.groups / size.sum())).astype(int))
        strength = (1 - self.correlation) / self.correlation
        right = rng.beta(self.accuracy * strength, (1 - self.accuracy) * strength, size=self.groups)
        classes = np.searchsorted(np.cumsum(self.shares)[:-1], rng.random(self.groups))
        group = np.repeat(np.arange(self.groups), sizes)
        true = classes[group]
        wrong = (true + rng.integers(1, k, size=len(group))) % k
        predicted = np.where(rng.random(len(group)) < right[group], true, wrong)
        pairs, place = np.unique((group * k + true) * k + predicted, return_inverse=True)
        weight = np.bincount(place, minlength=len(pairs)).astype(float)
        owner, cell = pairs // (k * k), pairs % (k * k)
        counts = np.bincount(cell, weights=weight, minlength=k * k).reshape(k, k)
        return Confusion(counts), Clusters(self.groups, k, owner, cell // k, cell % k, weight)


def group_designs(quick: bool) -> list[GroupDesign]:
    """Drawn at random with a seed of their own."""
    rng = np.random.default_rng([SEED, 120])
    found = []
    for _ in range(3 if quick else 20):
        share_of_first = float(rng.choice([0.15, 0.3, 0.5]))
        rest = 1 - share_of_first
        shares = (share_of_first, rest) if rng.random() < 0.7 else (share_of_first, 0.6 * rest, 0.4 * rest)
        design = GroupDesign(
            int(rng.choice([30, 60, 120, 250])), float(rng.choice([0.0, 0.8, 1.2])), shares,
            float(rng.choice([0.7, 0.8, 0.9])), float(rng.choice([0.05, 0.2, 0.5])),
        )  # fmt: skip
        found.append(design)
    return found


def in_groups(quick: bool, draws: int) -> Iterator[Tried]:
    for place, design in enumerate(group_designs(quick)):
        rng = np.random.default_rng([SEED, 121, place])
        truths = [true_value(catalogue[m], population(design.shares, design.accuracy)) for m in GROUPED]
        tried = [Tried(m, design.where, "groups of one class") for m in GROUPED]
        for _ in range(draws):
            estimates = TableEstimates(*design.draw(rng))
            for one, truth in zip(tried, truths, strict=True):
                measure = catalogue[one.measure]
                per_class = measure.is_per_class
                one.add(estimates.of_class(measure, 0) if per_class else estimates.overall(measure), truth)
        yield from tried


# tables


def rare_calls(quick: bool) -> list[Design]:
    found = []
    for n in (1000,) if quick else (200, 1000, 5000):
        for positives in (0.05, 0.2, 0.5):
            for called in (2, 4, 6, 10):
                for precision in (0.5, 0.8, 0.95):
                    right, wrong = called * precision / n, called * (1 - precision) / n
                    if right <= positives:
                        table = np.array([[right, positives - right], [wrong, 1 - positives - wrong]])
                        name = f"n={n}, {positives:.0%} positive, {called} called, precision {share(precision)}"
                        found.append(Design(name, table, n))
    return found


def small_classes(quick: bool) -> list[Design]:
    rng = np.random.default_rng([SEED, 122])
    found = []
    for classes in (10,) if quick else (6, 10, 20):
        for rows in (3, 6, 12):
            for accuracy in (0.6, 0.8, 0.95):
                recalls = rng.beta(10 * accuracy, 10 * (1 - accuracy), size=classes)
                name = f"{classes} classes of {rows} rows, right {share(accuracy)}"
                found.append(Design(name, population(np.full(classes, 1 / classes), recalls), rows * classes))
    return found


def of_tables(family: str, designs: Sequence[Design], names: Sequence[str], draws: int, seed: int) -> Iterator[Tried]:
    for place, design in enumerate(designs):
        tables = design.draw(draws, np.random.default_rng([SEED, seed, place]))
        for name in names:
            measure, one = catalogue[name], Tried(name, design.name, family)
            truth = true_value(measure, design.population)
            for _, sample in samples(tables):
                value, low, high = at_class(measure, table_intervals(measure, sample, CONFIDENCE), 0)
                there = ~np.isnan(value)
                one.inside += holds(low, high, truth)[there].tolist()
                one.flagged += is_flagged(measure, sample, 0)[there].tolist()
                one.width += (high - low)[there].tolist()
                one.value += value[there].tolist()
            if one.inside:
                yield one


# real models


def real_models(quick: bool, draws: int) -> Iterator[Tried]:
    for at, name in enumerate(REAL[:1] if quick else REAL):
        truth, scores = pool(name)
        for which, (model, p) in enumerate(scores.items()):
            if model in ("logistic, C 0.1", "another forest"):
                continue
            for n in (100,) if quick else (100, 400):
                rng = np.random.default_rng([SEED, 123, at, which, n])
                tried = [Tried(m, f"{name}, {model}, n={n}", "hard scores" if model == "tree" else "real models")
                         for m in SCORED]  # fmt: skip
                whole = [sf.measure(m, truth, y_score=p).value for m in SCORED]
                for _ in range(draws):
                    rows = rng.integers(len(truth), size=n)
                    y = truth[rows]
                    if 1 < y.sum() < n - 1:
                        for one, value in zip(tried, whole, strict=True):
                            one.add(sf.measure(one.measure, y, y_score=p[rows]), value)
                yield from tried


def run(quick: bool) -> Section:
    groups, tables, scores = (40, 400, 20) if quick else (1500, 4000, 500)
    found = [
        *in_groups(quick, groups),
        *of_tables("rare calls", rare_calls(quick), CALLED, tables, 124),
        *of_tables("small classes", small_classes(quick), SMALL, tables, 125),
        *real_models(quick, scores),
    ]
    text = TEXT.format(
        groups=groups, tables=tables, scores=scores, wanted=WANTED, loud=LOUD, se_groups=standard_error(0.95, groups),
        se_tables=standard_error(0.95, tables), se_scores=standard_error(0.95, scores),
    )  # fmt: skip
    section = Section("one_model", "One model where it is hardest", text)
    rows: list[tuple[str, ...]] = []
    for family in dict.fromkeys(c.family for c in found):
        mine = [c for c in found if c.family == family]
        names = dict.fromkeys(c.measure for c in mine)
        rows += [_row(family, name, [c for c in mine if c.measure == name]) for name in names]
        quiet = [c for c in mine if c.quiet]
        short = [c for c in quiet if c.coverage < WANTED]
        told = "every cell is flagged"
        if quiet:
            worst = min(quiet, key=lambda c: c.coverage)
            told = (
                f"minimum {share(worst.coverage)} ({worst.measure}, {worst.where}); {len(short)} of {len(quiet)} below"
            )
        cells = [(c.coverage, not c.quiet) for c in mine]
        section.gates.append(Gate(f"{family}, one model: not flagged", f"≥ {share(WANTED)}", told, not short, cells))
        low = [c for c in mine if not c.quiet and c.coverage < WANTED]
        if low:
            least = min(low, key=lambda c: c.flags)
            told = (
                f"least {least.flags:.0%} of {len(low)} cells ({least.measure}, {least.where}: {share(least.coverage)})"
            )
            wanted = f"flagged in {LOUD:.0%} of the draws"
            section.gates.append(Gate(f"{family}, one model: cells below, flagged", wanted, told, least.flags >= LOUD))
    head = (
        "family and measure",
        "cells",
        "not flagged: minimum / mean",
        "below",
        "flagged: minimum",
        "width / oracle's",
    )
    section.grids.append(Grid("Coverage; width over the oracle's, median / most of what is not flagged", head, rows))
    below = sorted((c for c in found if c.coverage < WANTED), key=lambda c: c.coverage)
    section.grids.append(
        Grid(
            f"Cells below {share(WANTED)}, the lowest forty",
            ("measure", "where", "coverage", "flagged", "width"),
            [(c.measure, c.where, share(c.coverage, WANTED), f"{c.flags:.0%}", f"{c.wide:.2f}") for c in below[:40]],
        )
    )
    return section


def _row(family: str, measure: str, cells: list[Tried]) -> tuple[str, ...]:
    quiet, loud = [c for c in cells if c.quiet], [c for c in cells if not c.quiet]
    cover = [c.coverage for c in quiet]
    wide = [c.wide for c in quiet]
    return (
        f"{family}: {measure}", str(len(cells)),
        f"{share(min(cover), WANTED)} / {share(float(np.mean(cover)))}" if cover else "–",
        str(sum(c < WANTED for c in cover)) if cover else "–",
        share(min(c.coverage for c in loud), WANTED) if loud else "–",
        f"{np.nanmedian(wide):.2f} / {np.nanmax(wide):.2f}" if cover else "–",
    )  # fmt: skip
