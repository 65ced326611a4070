"""Ratios without an upper end: odds ratio, likelihood ratios, lift. The shipped interval beside others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np

from surefold.estimates.one_row import beta_interval, effective_rows, one_row_per_class
from surefold.estimates.proportion import share_interval
from surefold.estimates.quantiles import normal_quantile
from surefold.measures.catalogue import catalogue
from surefold.measures.measure import Measure
from surefold.tallies.margins import OneVsRest

from .coverage import CONFIDENCE, Array, Cell, cell_of, cover, holds, standard_error, true_value
from .designs import Design, population
from .page import Grid, Section, least_and_mean
from .tables import SEED, WANTED, honesty_gate, judged, unflagged_gate, weak_cells

RATIOS = ("diagnostic_odds_ratio", "positive_likelihood_ratio", "negative_likelihood_ratio", "lift")
Bounds = tuple[Array, Array]
Z = normal_quantile((1 + CONFIDENCE) / 2)

TEXT = """
Two classes, n from 40 to 3,000, the positive class at 5 to 50 %, sensitivity and specificity from .3 to .998 (odds
ratios from 1 to 250,000): {grid} cells of a grid and {fresh} drawn at random afterwards, R = {draws:,} each (standard
error {se:.4f}). Where no false positive or no false negative was seen the upper bound is infinite.

*Shipped* is the one-row Beta interval of x^.8 / (1 + x^.8), carried back. The rivals: *log* is the one-row centre and
variance with a normal interval of the logarithm; *x/(1+x)* and *√x/(1+√x)* are the one-row Beta interval of that
function of the ratio, carried back (for the odds ratio the second is Yule's Y, and for the positive likelihood ratio
the first is the precision at even prevalence); *Haldane* adds 1/2 to every cell, *Agresti* smooths towards
independence, both then normal on the log scale; *MOVER* combines the Jeffreys intervals of the two logits. Width is the
median, over the cells, of the mean width on the log scale against that of *log*.
"""


def grid() -> list[Design]:
    accuracies = ((0.5, 0.5), (0.6, 0.6), (0.3, 0.95), (0.7, 0.9), (0.8, 0.8), (0.9, 0.9), (0.95, 0.95), (0.99, 0.9),
                  (0.6, 0.99), (0.99, 0.99), (0.998, 0.998))  # fmt: skip
    return [_design(prevalence, *both, n) for prevalence in (0.5, 0.2, 0.05) for both in accuracies
            for n in (40, 100, 300, 1000, 3000)]  # fmt: skip


def fresh(count: int) -> list[Design]:
    rng = np.random.default_rng([SEED, 4])
    found = []
    for _ in range(count):
        sensitivity, specificity = 1 - np.exp(rng.uniform(np.log(0.002), np.log(0.6), size=2))
        n = round(float(np.exp(rng.uniform(np.log(40), np.log(3000)))))
        found.append(_design(float(rng.uniform(0.03, 0.6)), float(sensitivity), float(specificity), n))
    return found


def _design(prevalence: float, sensitivity: float, specificity: float, n: int) -> Design:
    name = f"{prevalence:.0%} positive, sensitivity {sensitivity:.3g}, specificity {specificity:.3g}, n={n}"
    return Design(name, population([prevalence, 1 - prevalence], [sensitivity, specificity]), n)


def _opened(raw: Array, low: Array, high: Array) -> Bounds:
    return np.where(raw == 0, 0.0, low), np.where(np.isinf(raw), np.inf, high)


def on_log(measure: Measure, table: OneVsRest) -> Bounds:
    centre, variance, _ = one_row_per_class(measure, table, table)
    half = Z * np.sqrt(variance) / centre
    return _opened(measure(table), centre * np.exp(-half), centre * np.exp(half))


def on_share(measure: Measure, table: OneVsRest, power: float) -> Bounds:
    """The one-row Beta interval of x^p / (1 + x^p)."""

    def squeezed(t: OneVsRest) -> Array:
        ratio = measure(t)
        endless = np.isinf(ratio)
        raised = np.where(endless, 1.0, ratio) ** power
        return np.where(endless, 1.0, raised / (1 + raised))

    centre, variance, _ = one_row_per_class(replace(measure, formula=squeezed, settings={}), table, table)
    rows = effective_rows(centre, variance, (0.0, 1.0))
    low, high = beta_interval(centre, rows, squeezed(table), (0.0, 1.0), CONFIDENCE)
    return (low / (1 - low)) ** (1 / power), (high / (1 - high)) ** (1 / power)


def haldane(measure: Measure, table: OneVsRest) -> Bounds:
    return _woolf(measure(table), *(x + 0.5 for x in (table.tp, table.fp, table.fn, table.tn)))


def agresti(measure: Measure, table: OneVsRest) -> Bounds:
    n2 = table.total**2
    uncalled = table.fn + table.tn
    added = (table.positives * table.called, table.negatives * table.called, table.positives * uncalled,
             table.negatives * uncalled)  # fmt: skip
    cells = (table.tp, table.fp, table.fn, table.tn)
    return _woolf(measure(table), *(np.maximum(x + 2 * a / n2, 1e-9) for x, a in zip(cells, added, strict=True)))


def _woolf(raw: Array, tp: Array, fp: Array, fn: Array, tn: Array) -> Bounds:
    centre, half = np.log(tp * tn / (fp * fn)), Z * np.sqrt(1 / tp + 1 / fp + 1 / fn + 1 / tn)
    return _opened(raw, np.exp(centre - half), np.exp(centre + half))


def mover(measure: Measure, table: OneVsRest) -> Bounds:
    def logits(top: Array, rest: Array) -> tuple[Array, Array, Array]:
        low, high = share_interval("jeffreys", top, top + rest, CONFIDENCE)
        return np.log((top + 0.5) / (rest + 0.5)), np.log(low / (1 - low)), np.log(high / (1 - high))

    (a, low_a, high_a), (b, low_b, high_b) = logits(table.tp, table.fn), logits(table.fp, table.tn)
    low, high = a - b - np.hypot(a - low_a, high_b - b), a - b + np.hypot(high_a - a, b - low_b)
    return _opened(measure(table), np.exp(low), np.exp(high))


RIVALS: dict[str, Callable[[Measure, OneVsRest], Bounds]] = {
    "log": on_log,
    "x/(1+x)": partial(on_share, power=1.0),
    "√x/(1+√x)": partial(on_share, power=0.5),
    "Haldane": haldane,
    "Agresti": agresti,
    "MOVER": mover,
}
ONLY_ODDS = ("Haldane", "Agresti", "MOVER")


def rival(name: str, rule: str, design: Design, tables: Array) -> Cell:
    measure = catalogue[name]
    table = OneVsRest(tables[:, 0, 0], tables[:, 1, 0], tables[:, 0, 1], tables[:, 1, 1])
    with np.errstate(all="ignore"):
        low, high = RIVALS[rule](measure, table)
        width = np.log(high / low)
    undefined = np.isnan(measure(table))
    flagged = (np.minimum(table.positives, table.negatives) < 10) | undefined
    inside = holds(low, high, true_value(measure, design.population))
    width = np.where(np.isfinite(width), width, np.nan)
    parts = (inside, flagged, undefined, np.isnan(low) | np.isnan(high), width)
    return cell_of(design.name, name, np.stack([x.astype(float) for x in parts]))


def run(quick: bool) -> Section:
    draws, count = (500, 12) if quick else (4000, 120)
    on_grid = grid()[:: 9 if quick else 1]
    designs = on_grid + fresh(count)
    cells: dict[tuple[str, str], list[Cell]] = {}
    for place, design in enumerate(designs):
        tables = design.draw(draws, np.random.default_rng([SEED, 5, place]))
        for cell in cover(design, RATIOS, tables):
            cells.setdefault((cell.measure, "shipped"), []).append(cell)
        for name in RATIOS:
            for rule in RIVALS:
                if rule not in ONLY_ODDS or name == "diagnostic_odds_ratio":
                    cells.setdefault((name, rule), []).append(rival(name, rule, design, tables))
    grids = []
    for name in RATIOS:
        rows = [_row(rule, cells[name, rule], cells[name, "log"], len(on_grid))
                for rule in ("shipped", *RIVALS) if (name, rule) in cells]  # fmt: skip
        head = ("rule", "all draws", "unflagged draws", f"below {WANTED:.3f}", "unflagged, fresh designs", "width")
        grids.append(Grid(f"{name}, minimum / mean", head, rows))
    gates, weak = [], []
    for name in RATIOS:
        gates.append(unflagged_gate(f"{name}: unflagged draws", cells[name, "shipped"]))
        weak += weak_cells("two classes", judged(cells[name, "shipped"]))
    gates.append(honesty_gate("ratios: flag honesty", [c for name in RATIOS for c in cells[name, "shipped"]]))
    text = TEXT.format(grid=len(on_grid), fresh=count, draws=draws, se=standard_error(0.95, draws))
    return Section("ratios", "Odds ratio, likelihood ratios, lift", text, grids, gates, weak)


def _row(rule: str, cells: list[Cell], base: list[Cell], on_grid: int) -> tuple[str, ...]:
    clean = [c.unflagged for c in judged(cells)]
    wide = [c.width / b.width for c, b in zip(cells, base, strict=True)]
    return (
        "**shipped**" if rule == "shipped" else rule,
        least_and_mean(c.coverage for c in cells),
        least_and_mean(clean, WANTED),
        f"{sum(v < WANTED for v in clean)} of {len(clean)}",
        least_and_mean((c.unflagged for c in judged(cells[on_grid:])), WANTED),
        f"{np.nanmedian(wide):.2f}",
    )
