"""Rates at a place of the ROC curve: do their intervals hold the population's, and those of differences, too?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from surefold.comparison.compare import compare
from surefold.estimates.intervals import table_intervals
from surefold.estimates.operating import rate_estimate
from surefold.estimates.sample import Sample
from surefold.measures import catalogue
from surefold.measures.prevalence import npv_at, precision_at
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.confusion import Confusion
from surefold.tallies.score_groups import ScoreGroups

from .coverage import CONFIDENCE, standard_error
from .page import Gate, Grid, Section, least_and_mean, share
from .ranking import Scores, scores
from .tables import SEED

WANTED = 0.935
#: Allowance of an unflagged cell below what is wanted, in standard errors.
ERRORS = 3
PLACES: dict[str, tuple[str, dict[str, float]]] = {
    "TPR at FPR .05": ("tpr_at_fpr", {"fpr": 0.05}),
    "TPR at FPR .1": ("tpr_at_fpr", {"fpr": 0.1}),
    "TPR at FPR .3": ("tpr_at_fpr", {"fpr": 0.3}),
    "FPR at TPR .8": ("fpr_at_tpr", {"tpr": 0.8}),
    "FPR at TPR .95": ("fpr_at_tpr", {"tpr": 0.95}),
    "precision at recall .5": ("precision_at_recall", {"recall": 0.5}),
    "precision at recall .8": ("precision_at_recall", {"recall": 0.8}),
}
SHAPES = ("normal", "wide positives", "skewed up", "skewed down", "heavy tails", "two humps", "five levels")
SIZES = ((30, 30), (100, 100), (40, 400), (400, 40), (300, 300))
PREVALENCES = (0.01, 0.3)

TEXT = """
The rate that is asked for has the interval that the pointwise band of the ROC curve has there; precision at a recall
adds the margin of the share of positives. Scores of seven shapes with areas of .75 and .92, 30 to 400 rows a class, the
number of positives drawn for precision. R = {draws:,} (standard error {se:.4f}). `few_of_a_class` fires where a class
has fewer than ten rows, or the rate that was given leaves fewer than five rows of its class on one side.

Predictive values at another prevalence are functions of the table with the one-row interval; classes of 50 to 200 rows,
sensitivities and specificities of .7 to .97.

Differences of two models at the same place are drawn (paired bootstrap) and flagged `known_to_mislead`: the scores of
the second model are those of the first with noise added. A true null is one where both have the same noise.
"""


@dataclass(frozen=True)
class Cell:
    where: str
    what: str
    coverage: float
    unflagged: float
    clean: int
    width: float


def place_cell(design: Scores, what: str, size: tuple[int, int], draws: int, seed: list[int]) -> Cell:
    name, place = PLACES[what]
    measure = catalogue[name].with_options(**place)
    assert isinstance(measure, ScoreMeasure)
    rng, (m, n) = np.random.default_rng(seed), size
    whole, prevalence = design.population, m / (m + n)
    truth = measure(ScoreGroups(whole.score, whole.positive * prevalence, whole.negative * (1 - prevalence)))
    inside, clean, width = 0, [0, 0], 0.0
    for _ in range(draws):
        positives = int(rng.binomial(m + n, prevalence)) if name == "precision_at_recall" else m
        positives = min(max(positives, 1), m + n - 1)
        is_positive = np.arange(m + n) < positives
        u = rng.random(m + n)
        t = ScoreGroups.of(np.where(is_positive, design.positive(u), design.negative(u)), is_positive)
        e = rate_estimate(measure, t)
        held = truth in e
        inside += held
        width += e.width
        if not e.flags or e.flags == ("degenerate",):
            clean[0] += held
            clean[1] += 1
    unflagged = clean[0] / clean[1] if clean[1] else np.nan
    return Cell(f"{design.name}, {m}/{n}", what, inside / draws, unflagged, clean[1], width / draws)


def predictive_cell(rates: tuple[float, float], size: tuple[int, int], prevalence: float, draws: int,
                    seed: list[int]) -> list[Cell]:  # fmt: skip
    """PPV and NPV of a test of that sensitivity and specificity, whose rows are not as the population's."""
    rng, (sensitivity, specificity), (m, n) = np.random.default_rng(seed), rates, size
    right = {"PPV": sensitivity * prevalence, "NPV": specificity * (1 - prevalence)}
    wrong = {"PPV": (1 - specificity) * (1 - prevalence), "NPV": (1 - sensitivity) * prevalence}
    tp, tn = rng.binomial(m, sensitivity, draws), rng.binomial(n, specificity, draws)
    counts = np.stack([np.stack([tn, n - tn], axis=-1), np.stack([m - tp, tp], axis=-1)], axis=-2).astype(float)
    cells = []
    for name, measure in (("PPV", precision_at(prevalence)), ("NPV", npv_at(prevalence))):
        truth = right[name] / (right[name] + wrong[name])
        found = table_intervals(measure, Sample.of(Confusion(counts, (0, 1))), CONFIDENCE)
        low, high = (np.asarray(x)[..., 1] for x in (found.low, found.high))
        defined = np.isfinite(low)
        inside = ((low <= truth) & (truth <= high))[defined].mean()
        where = f"sensitivity {share(sensitivity)}, specificity {share(specificity)}, {m}/{n}"
        what = f"{name} at prevalence {share(prevalence)}"
        width = float((high - low)[defined].mean())
        cells.append(Cell(where, what, float(inside), float(inside), int(defined.sum()), width))
    return cells


def difference_cell(what: str, size: tuple[int, int], spread: float, draws: int, seed: list[int]) -> Cell:
    """Two models that share the signal; the second has more noise, or as much."""
    name, place = PLACES[what]
    measure: Any = catalogue[name].with_options(**place)
    rng, (m, n) = np.random.default_rng(seed), size
    is_positive, shift = np.arange(m + n) < m, 1.5
    big = np.random.default_rng(0)
    signal, y = big.normal(size=200_000), np.arange(200_000) % (m + n) < m

    def answers(signal: Any, y: Any, rng: np.random.Generator) -> tuple[Any, Any]:
        base = signal + shift * y
        return base + 0.5 * rng.normal(size=len(y)), base + spread * rng.normal(size=len(y))

    first, second = (measure(ScoreGroups.of(x, y)) for x in answers(signal, y, big))
    truth = 0.0 if spread == 0.5 else first - second
    inside, rejected, width = 0, 0, 0.0
    for i in range(draws):
        a, b = answers(rng.normal(size=m + n), is_positive, rng)
        asked: dict[str, Any] = {"measure": name, "draws": 400, "random_state": i, **place}
        c: Any = compare(is_positive.astype(int), {"a": a, "b": b}, **asked)
        d = c["a", "b"]
        inside += truth in d.effect
        rejected += d.status in ("better", "worse")
        width += d.effect.width
    where = f"noise .5 and {share(spread)}, {m}/{n}"
    return Cell(where, what, inside / draws, rejected / draws, draws, width / draws)


def cells(draws: int, shapes: tuple[str, ...], sizes: tuple[tuple[int, int], ...]) -> Iterator[Cell]:
    for s, shape in enumerate(shapes):
        for a, area in enumerate((0.75, 0.92)):
            for z, size in enumerate(sizes):
                for p, what in enumerate(PLACES):
                    yield place_cell(scores(shape, area), what, size, draws, [SEED, 37, s, a, z, p])


def run(quick: bool = False) -> Section:
    """The part of the page."""
    draws = 60 if quick else 400
    found = list(cells(draws, SHAPES[:2] if quick else SHAPES, SIZES[:2] if quick else SIZES))
    values = [
        cell
        for r, rates in enumerate([(0.7, 0.8), (0.9, 0.9), (0.8, 0.97), (0.97, 0.7)])
        for z, size in enumerate([(50, 50), (50, 200), (200, 50)])
        for p, prevalence in enumerate(PREVALENCES)
        for cell in predictive_cell(rates, size, prevalence, 200 if quick else 4_000, [SEED, 38, r, z, p])
    ]
    apart = [
        difference_cell(what, size, spread, 10 if quick else 300, [SEED, 39, w, z, int(10 * spread)])
        for w, what in enumerate(("TPR at FPR .1", "FPR at TPR .8", "precision at recall .8"))
        for z, size in enumerate([(100, 100)] if quick else [(100, 100), (60, 300)])
        for spread in (0.5, 1.0)
    ]
    rows = []
    for what in PLACES:
        each = [cell for cell in found if cell.what == what]
        low = [cell for cell in each if _enough(cell, draws) and cell.unflagged < WANTED]
        rows.append((
            what, least_and_mean(c.coverage for c in each),
            least_and_mean(c.unflagged for c in each if _enough(c, draws)), f"{len(low)} of {len(each)}",
            f"{np.mean([c.width for c in each]):.3f}",
        ))  # fmt: skip
    head = ("what", "coverage, minimum / mean", "without a flag", "cells below .935", "width, mean")
    of_values = [
        (what, least_and_mean(c.coverage for c in values if c.what == what))
        for what in dict.fromkeys(c.what for c in values)
    ]
    of_apart = [(f"{c.what}: {c.where}", share(c.coverage), share(c.unflagged)) for c in apart]
    section = Section(
        "operating", "Rates at a place of the ROC curve",
        TEXT.format(draws=draws, se=standard_error(0.95, draws)),
        [
            Grid("Rates at a place", head, rows),
            Grid("Predictive values at another prevalence", ("what", "coverage, minimum / mean"), of_values),
            Grid("Differences at a place", ("what", "coverage", "called different"), of_apart),
        ],
    )  # fmt: skip
    section.gates = list(_gates(found, values, apart, draws))
    section.weak = [f"{c.what}, {c.where}: {share(c.unflagged)}" for c in found if _low(c, draws)]
    return section


def _enough(cell: Cell, draws: int) -> bool:
    return cell.clean >= draws / 2


def _low(cell: Cell, draws: int) -> bool:
    return _enough(cell, draws) and cell.unflagged < WANTED - ERRORS * standard_error(WANTED, cell.clean)


def _gates(found: list[Cell], values: list[Cell], apart: list[Cell], draws: int) -> Iterator[Gate]:
    clean = [c for c in found if _enough(c, draws)]
    least = min(clean, key=lambda c: c.unflagged)
    low = [c for c in clean if _low(c, draws)]
    yield Gate("operating: unflagged cells", f"{WANTED} less {ERRORS} standard errors", f"{share(least.unflagged)} "
               f"({least.what}, {least.where}), {len(low)} below", not low)  # fmt: skip
    mean = float(np.mean([c.coverage for c in found]))
    yield Gate("operating: mean", ".95 or more", share(mean), mean >= 0.95 - 2 * standard_error(0.95, draws))
    worst = min(values, key=lambda c: c.coverage)
    limit = WANTED - ERRORS * standard_error(WANTED, worst.clean)
    told = f"{share(worst.coverage)} ({worst.what}, {worst.where})"
    yield Gate("operating: predictive values", f"{WANTED} less {ERRORS} standard errors", told, worst.coverage >= limit)
    wide = [c for c in apart if c.coverage < 0.92 - ERRORS * standard_error(0.92, c.clean)]
    yield Gate("operating: differences", ".92, which is why they are flagged", share(min(c.coverage for c in apart)),
               not wide)  # fmt: skip
