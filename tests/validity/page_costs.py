"""The cost of a row on the report's page, whose interval is made of those of recall, specificity and prevalence."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.intervals import table_intervals
from surefold.estimates.sample import Sample
from surefold.measures.catalogue import catalogue
from surefold.report.sections.cuts import cost_with_bounds
from surefold.tallies.confusion import Table

from .coverage import CONFIDENCE, holds, standard_error
from .designs import Design, population
from .page import Gate, Grid, Section, least_and_mean, share
from .tables import SEED

Array = NDArray[Any]

WANTED = 0.935
SIZES, PREVALENCES = (50, 200, 1000), (0.05, 0.2, 0.5)
#: Recalls, and specificities, 0 and 1 among them: all rows or none are called.
RECALLS, SPECIFICITIES = (0.0, 0.2, 0.5, 0.9, 0.98, 1.0), (0.0, 0.5, 0.9, 0.98, 1.0)
#: What a false negative costs; a false positive costs 1.
PRICES = (1.0, 5.0, 20.0)

TEXT = """
A reader types costs into the page, so the interval of the cost of a row is made there: squared margins of recall,
specificity and prevalence, each with its slope, are added. {designs} designs: n of 50, 200 and 1,000, positives at 5,
20 and 50 %, recall from 0 to 1 and specificity from 0 to 1 (both ends are thresholds that call all rows or none), three
costs of a false negative each; R = {draws:,} (standard error {se:.4f}). Tables without both classes have no threshold
to move and are left out. *Known* is the interval that takes the prevalence of the rows for the truth: why the page does
so only with a prevalence that was typed.
"""


def bounds(tables: Array, known: bool, price: float) -> tuple[Array, Array]:
    """The shipped interval of every table; with `known`, as if the prevalence had no margin."""
    table = Table(tables)
    sample = Sample(table, table, np.ones(2, dtype=bool))
    parts = []
    for name in ("recall", "specificity", "prevalence"):
        found = table_intervals(catalogue[name], sample, CONFIDENCE)
        parts.append([x[..., 1] for x in (found.value, found.low, found.high)])
    recall, specificity, prevalence = parts
    if known:
        prevalence = [prevalence[0]] * 3
    _, low, high = cost_with_bounds(recall, specificity, prevalence, {"fp": 1.0, "fn": price})
    return low, high


def run(quick: bool) -> Section:
    draws = 400 if quick else 4000
    designs = list(itertools.product(SIZES, PREVALENCES, RECALLS, SPECIFICITIES))[:: 7 if quick else 1]
    seen: dict[tuple[int, float, bool], list[float]] = {}
    least, weakest = np.inf, ""
    for place, (n, p, recall, specificity) in enumerate(designs):
        design = Design("", population([1 - p, p], [specificity, recall]), n)
        tables = design.draw(draws, np.random.default_rng([SEED, 31, place]))
        tables = tables[(tables.sum(axis=2) > 0).all(axis=1)]
        for price, known in itertools.product(PRICES, (False, True)):
            truth = p * (1 - recall) * price + (1 - p) * (1 - specificity)
            coverage = float(holds(*bounds(tables, known, price), truth).mean())
            seen.setdefault((n, price, known), []).append(coverage)
            if not known and coverage < least:
                least, weakest = (
                    coverage,
                    (
                        f"{share(coverage)} (n={n}, {p:.0%} positive, recall {recall:g}, specificity {specificity:g}, "
                        f"false negatives at {price:g})"
                    ),
                )
    rows = [
        (f"n={n:,}, a false negative costs {price:g}", least_and_mean(seen[n, price, False], WANTED),
         least_and_mean(seen[n, price, True], WANTED))
        for n, price in itertools.product(SIZES, PRICES) if (n, price, False) in seen
    ]  # fmt: skip
    grid = Grid("Cost of a row, minimum / mean", ("rows and costs", "shipped", "known"), rows)
    gate = Gate("cost of a row on the page", f"every cell at least {share(WANTED)}",
                f"least: {weakest}", bool(least >= WANTED))  # fmt: skip
    text = TEXT.format(designs=len(designs), draws=draws, se=standard_error(0.95, draws))
    return Section("page_costs", "The cost of a row on the report's page", text, [grid], [gate])
