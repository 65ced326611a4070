"""The one-row interval and F1 of a class: on the named grid beside the bootstrap, and on designs drawn at random."""

from __future__ import annotations

import os

import numpy as np

from surefold.measures.catalogue import catalogue

from .coverage import ENOUGH, Cell, cover, cover_by_bootstrap, standard_error
from .designs import Design, at_random, named
from .page import Gate, Grid, Section, least_and_mean, share

HEADLINE = ("f1_macro", "recall_macro", "kappa", "mcc", "f1_weighted")
#: The page is made with this seed; VALIDITY_SEED draws designs that no rule was chosen on, with --only.
SEED = int(os.environ.get("VALIDITY_SEED", "20250101"))
TWO_CLASSES_ONLY = "squared_loss"
#: Coverage that unflagged draws must reach.
WANTED = 0.935
POOR = 0.93

NAMED_TEXT = """
The designs that the usual defaults are known to fail on. `percentile` and `BCa` are the bootstraps with {draws}
draws, from the same tables; one row is what surefold gives unless told otherwise. R = {one_row:,} for one row
(standard error {se_one:.3f}) and {boot:,} for the bootstraps ({se_boot:.3f}). *Flagged* is the share of draws with
`rare_class` (a class with fewer than ten rows) or without a value.
"""

RANDOM_TEXT = """
{count} designs that nobody chose, drawn with a fixed seed: 2 to 20 classes, 40 to 2,000 rows, class shares from even
to very skewed, classifiers from useless to 99.9 % right. Half of them have 15 or more expected rows of every class. R =
{draws:,} tables each (standard error {se:.4f}). Measures of one class are those of the first class.

*Unflagged draws* are those in which no flag fires (`rare_class`: a class with fewer than ten rows; for a measure of one
class: fewer than ten rows of it or of the rest) and the value is defined. A cell counts if at least {enough} draws,
and at least half of all, are unflagged: leaving out more would bend the design itself.
"""


def run_named(quick: bool) -> Section:
    one_row, boot, draws = (1000, 60, 200) if quick else (10_000, 1000, 500)
    rows, cells = [], []
    for place, (group, design) in enumerate(named()):
        rng = np.random.default_rng([SEED, 1, place])
        names: tuple[str, ...] = ("mcc", "kappa") if group == "binary" else ("f1_macro", "recall_macro", "kappa", "mcc")
        tables = design.draw(one_row, rng)
        ours = cover(design, names, tables)
        rivals = cover_by_bootstrap(design, names, tables[:boot], draws)
        cells += ours
        for i, cell in enumerate(ours):
            rows.append((
                f"{cell.measure}, {design.name}",
                *(share(rivals[m][i].coverage, 0.92) for m in ("percentile", "bca")),
                share(cell.coverage, 0.92),
                share(cell.unflagged) if cell.clean >= ENOUGH else "–",
                f"{cell.flagged:.0%}",
                f"{cell.undefined:.1%}",
                f"{cell.width / rivals['bca'][i].width:.2f}",
            ))  # fmt: skip
    head = ("", "percentile", "BCa", "**one row**", "unflagged draws", "flagged", "no value", "width / BCa")
    text = NAMED_TEXT.format(
        draws=draws, one_row=one_row, boot=boot,
        se_one=standard_error(0.95, one_row), se_boot=standard_error(0.95, boot),
    )  # fmt: skip
    gates = [unflagged_gate("named grid: unflagged draws", cells), honesty_gate("named grid: flag honesty", cells)]
    grids = [Grid("Bold: below .92", head, rows)]
    return Section("named", "Macro-F1, kappa, MCC: the named grid", text, grids, gates, weak_cells("named grid", cells))


def one_row_measures() -> tuple[str, ...]:
    """Every measure whose default is the one-row interval on its own scale, the headline ones first."""
    others = (m for m in catalogue.of_labels.values() if m.name not in (*HEADLINE, TWO_CLASSES_ONLY))
    return (*HEADLINE, *(m.name for m in others if not (m.is_share or m.is_ratio or m.needs_options)))


def run_random(quick: bool) -> Section:
    count, draws = (16, 500) if quick else (120, 4000)
    names, shares = one_row_measures(), ("f1", "jaccard", "recall", "precision")
    cells: dict[str, list[Cell]] = {name: [] for name in (*names, *shares)}
    filled: list[float] = []
    designs = at_random(count, SEED)
    for place, design in enumerate(designs):
        tables = design.draw(draws, np.random.default_rng([SEED, 2, place]))
        for cell in cover(design, (*names, *shares), tables):
            cells[cell.measure].append(cell)
        filled.append(expected_base(design))
    rows = [(name, *_summary(cells[name])) for name in names]
    head = (
        "measure",
        "all draws",
        "draws with an interval",
        "unflagged draws",
        "cells",
        "below .93",
        "flagged",
        "no value",
    )
    note = (
        "*Cells* are those judged unflagged. *Below .93* counts designs by all draws, where a draw without an interval "
        "(a class is absent) is a miss; *flagged* says how many of these carry a flag in 99 % of the draws."
    )
    grids = [Grid("One-row interval, minimum / mean over the designs", head, rows, note)]

    base = np.array(filled)
    share_rows = []
    for name in shares:
        values = np.array([c.coverage for c in cells[name]])
        enough = values[base >= 20]
        share_rows.append((f"{name} of one class", least_and_mean(values, 0.92), least_and_mean(enough, 0.92)))
    note = "Given its denominator each of these is a plain share, so they inherit the exact results above."
    share_head = ("measure", "all designs", "20 or more expected rows")
    grids.append(Grid("Shares of one class, default rule", share_head, share_rows, note))
    grids.append(_rival_grid(designs, quick))

    headline = [c for name in HEADLINE for c in cells[name]]
    others = [c for name in names[len(HEADLINE) :] for c in cells[name]]
    f1_least = min(c.coverage for c, b in zip(cells["f1"], base, strict=True) if b >= 20)
    gates = [
        unflagged_gate(f"{', '.join(HEADLINE)}: unflagged draws", headline),
        unflagged_gate("every other one-row measure: unflagged draws", others),
        honesty_gate("one-row measures: flag honesty", headline + others),
        Gate("F1 of one class, ≥ 20 expected rows", "≥ .920", share(f1_least), f1_least >= 0.92),
    ]
    text = RANDOM_TEXT.format(count=count, draws=draws, se=standard_error(0.95, draws), enough=ENOUGH)
    weak = [line for name in names for line in weak_cells("random designs", cells[name])]
    return Section("random", "One-row intervals on designs drawn at random", text, grids, gates, weak)


def expected_base(design: Design) -> float:
    """Expected rows that are of the first class (what recall, and at least what F1, rests on)."""
    return float(design.n * design.population[0].sum())


def _summary(cells: list[Cell]) -> tuple[str, ...]:
    clean = [c.unflagged for c in judged(cells)]
    poor = [c for c in cells if c.coverage < POOR]
    return (
        least_and_mean((c.coverage for c in cells), 0.9),
        least_and_mean((c.coverage / (1 - c.no_interval) for c in cells if c.no_interval < 0.9), 0.9),
        least_and_mean(clean, WANTED),
        str(len(clean)),
        str(len(poor)),
        str(sum(c.flagged >= 0.99 for c in poor)),
        f"{np.mean([c.undefined for c in cells]):.1%}",
    )


def _rival_grid(designs: list[Design], quick: bool) -> Grid:
    """The bootstraps on some of the small designs."""
    repetitions, draws, count = (60, 200, 3) if quick else (400, 500, 16)
    names = ("f1_macro", "recall_macro", "kappa", "mcc")
    chosen = [d for d in designs if d.classes <= 6][:count]
    found: dict[tuple[str, str], list[float]] = {}
    for place, design in enumerate(chosen):
        tables = design.draw(repetitions, np.random.default_rng([SEED, 3, place]))
        by_rule = cover_by_bootstrap(design, names, tables, draws) | {"one row": cover(design, names, tables)}
        for rule, cells in by_rule.items():
            for cell in cells:
                found.setdefault((cell.measure, rule), []).append(cell.coverage)
    rules = ("percentile", "bca", "one row")
    rows = [(name, *(least_and_mean(found[name, rule], 0.9) for rule in rules)) for name in names]
    note = (
        f"R = {repetitions} tables each (standard error {standard_error(0.95, repetitions):.3f}), {draws} draws, "
        f"all draws whether flagged or not."
    )
    return Grid(
        f"Beside the bootstrap, on the first {len(chosen)} designs with six classes or fewer",
        ("measure", "percentile", "BCa", "**one row**"), rows, note,
    )  # fmt: skip


def unflagged_gate(name: str, cells: list[Cell]) -> Gate:
    """Every cell's unflagged draws cover enough."""
    fair = judged(cells)
    if not fair:
        return Gate(name, f"≥ {share(WANTED)}", "no cell with enough unflagged draws", True)
    bad = [c for c in fair if c.unflagged < WANTED]
    worst = min(fair, key=lambda c: c.unflagged)
    found = f"minimum {share(worst.unflagged)} ({worst.measure}, {worst.design}); {len(bad)} of {len(fair)} below"
    return Gate(name, f"≥ {share(WANTED)}", found, not bad, [(c.coverage, c.flagged > 0.5) for c in cells])


def judged(cells: list[Cell]) -> list[Cell]:
    """Cells whose unflagged draws are many, and not so few of all draws that leaving out the rest bends the design."""
    return [c for c in cells if c.flagged <= 0.5 and (c.clean >= ENOUGH or c.draws < 2 * ENOUGH)]


def honesty_gate(name: str, cells: list[Cell]) -> Gate:
    """Where coverage is below .93 the flag fires in 99 % of the draws."""
    poor = [c for c in cells if c.coverage < POOR]
    silent = sorted((c for c in poor if c.flagged < 0.99), key=lambda c: c.coverage)
    names = ", ".join(sorted({c.measure for c in silent}))
    found = f"{len(poor)} of {len(cells)} cells below, {len(silent)} of them flagged less often"
    return Gate(name, "below .93 only if flagged ≥ 99 %", found + (f": {names}" if silent else ""), not silent)


def weak_cells(where: str, cells: list[Cell], most: int = 1) -> list[str]:
    """The worst cells in words."""
    poor = sorted((c for c in cells if c.coverage < POOR), key=lambda c: c.coverage)[:most]
    return [
        f"`{c.measure}` covers {share(c.coverage)} on {where}, {c.design}; flagged in {c.flagged:.0%} of the draws"
        + (f", no value in {c.undefined:.0%}" if c.undefined >= 0.005 else "")
        + (f"; the unflagged draws cover {share(c.unflagged)}" if c.clean >= ENOUGH else "")
        + "."
        for c in poor
    ]
