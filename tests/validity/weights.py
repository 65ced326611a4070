"""Weighted rows: does the interval still cover the weighted value of the population?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefold.estimates.of_table import TableEstimates
from surefold.estimates.proportion import share_interval
from surefold.measures.catalogue import catalogue
from surefold.tallies.confusion import Confusion

from .coverage import CONFIDENCE, Array, Cell, cover, holds, samples, standard_error, true_value
from .designs import Design, population
from .page import Gate, Grid, Section, least_and_mean, share
from .tables import SEED

SHARES = ("accuracy", "recall", "f1")
OTHERS = ("f1_macro", "kappa", "mcc")
WANTED = 0.93

TEXT = """
Every row has a weight, and the value to be covered is the population's weighted one. Five populations (two classes at
.80, .95 and .98 accuracy, a poor two-class classifier, 80/15/5), n = 50, 100, 300 and 1,000, R = {draws:,} (standard
error {se:.4f}). The weights:

- *lognormal .5, lognormal 1*: unrelated to anything, with a spread of 0.5 or 1 of the logarithm;
- *0/1/2*: one of these, unrelated to anything;
- *by class*: rising to six times as much for the last class, times lognormal .3;
- *right heavier*, *wrong heavier*: rows that were called right (wrong) weigh four times as much, times lognormal .3.

For shares the question is how many plain rows the weighted ones are worth. *Shipped* takes those of the same weighted
variance with one row added, half a success, and the exact interval. *Kish* takes (Σw)²/Σw² over the
denominator, *delta* p(1 − p)/v with v the weighted variance, *smaller* the smaller of the two, each then by the default
rule for shares; *one row* adds the one row and takes delta there. Recall and F1 are those of the first class.
"""


@dataclass(frozen=True)
class Weighted:
    tables: Array
    squares: Array
    population: Array


KINDS = ("lognormal .5", "lognormal 1", "0/1/2", "by class", "right heavier", "wrong heavier")
RULES = ("shipped", "Kish", "delta", "smaller", "one row")


def draw(design: Design, kind: str, draws: int, rng: np.random.Generator) -> Weighted:
    """Tables of weights and of squared weights, scaled as `Sample.of` does, and the weighted population."""
    k, n = design.classes, design.n
    edges = np.cumsum(design.population.ravel())[:-1]
    cell = np.searchsorted(edges, rng.random((draws, n)))
    factor = np.ones((k, k))
    if kind == "by class":
        factor *= np.linspace(1, 6, k)[:, None]
    elif kind != "0/1/2" and "heavier" in kind:
        factor = np.where(np.eye(k, dtype=bool) == kind.startswith("right"), 4.0, 1.0)
    if kind == "0/1/2":
        weight = rng.integers(0, 3, size=cell.shape).astype(float)
    else:
        spread = {"lognormal .5": 0.5, "lognormal 1": 1.0}.get(kind, 0.3)
        weight = factor.ravel()[cell] * rng.lognormal(0, spread, size=cell.shape)
    place = (np.arange(draws)[:, None] * k * k + cell).ravel()
    tables, squares = (
        np.bincount(place, weights=w.ravel(), minlength=draws * k * k).reshape(draws, k, k) for w in (weight, weight**2)
    )
    scale = (tables.sum(axis=(1, 2)) / squares.sum(axis=(1, 2)))[:, None, None]
    target = design.population * factor
    return Weighted(tables * scale, squares * scale**2, target / target.sum())


def by_rule(name: str, drawn: Weighted) -> dict[str, tuple[float, float]]:
    """(coverage, width) of a share by other ways of counting effective rows."""
    measure, held = catalogue[name], {}
    truth = true_value(measure, drawn.population)
    parts: dict[str, list[Array]] = {rule: [] for rule in RULES[1:4]}
    for _, sample in samples(drawn.tables, drawn.squares):
        tables = (sample.one_vs_rest, sample.squared_one_vs_rest) if measure.is_per_class else (
            sample.margins(), sample.squared_margins)  # fmt: skip
        (top, bottom), (top2, bottom2) = (measure.shares(t) for t in tables)
        if measure.is_per_class:
            top, bottom, top2, bottom2 = (x[..., 0] for x in (top, bottom, top2, bottom2))
        with np.errstate(all="ignore"):
            p = np.where(bottom > 0, top / bottom, 0.0)
            kish = np.where(bottom > 0, bottom**2 / bottom2, 0.0)
            variance = (top2 * (1 - p) ** 2 + (bottom2 - top2) * p**2) / bottom**2
            delta = np.where(variance > 0, p * (1 - p) / variance, kish)
        for rule, n in (("Kish", kish), ("delta", delta), ("smaller", np.minimum(kish, delta))):
            low, high = share_interval("auto", p * n, n, CONFIDENCE)
            if measure.of_share is not None:
                low, high = measure.of_share(low), measure.of_share(high)
            parts[rule].append(np.stack([holds(low, high, truth).astype(float), high - low]))
    for rule, found in parts.items():
        inside, width = np.concatenate(found, axis=1)
        held[rule] = float(inside.mean()), float(width.mean())
    return held


def designs(n: int) -> list[tuple[Design, Array]]:
    """(design, expected wrong rows of the first class) for each population."""
    kinds = {
        "accuracy .80": population([0.5, 0.5], 0.8),
        "accuracy .95": population([0.5, 0.5], 0.95),
        "accuracy .98": population([0.5, 0.5], 0.98),
        "poor": population([0.6, 0.4], [0.55, 0.3]),
        "80/15/5": population([0.80, 0.15, 0.05], [0.9, 0.7, 0.6]),
    }
    return [(Design(f"{name}, n={n}", table, n), _expected_errors(table, n)) for name, table in kinds.items()]


def _expected_errors(table: Array, n: int) -> Array:
    """Expected wrong rows behind accuracy, recall and F1 of the first class."""
    recall = table[0].sum() - table[0, 0]
    return np.array([1 - np.trace(table), recall, recall + table[:, 0].sum() - table[0, 0]]) * n


def run(quick: bool) -> Section:
    draws, sizes = (400, (100,)) if quick else (4000, (50, 100, 300, 1000))
    found: dict[tuple[str, str], list[tuple[float, float, float, str]]] = {}
    flagged: dict[str, list[Cell]] = {kind: [] for kind in KINDS}
    for where, kind in enumerate(KINDS):
        for place, (design, errors) in enumerate(pair for n in sizes for pair in designs(n)):
            drawn = draw(design, kind, draws, np.random.default_rng([SEED, 6, where, place]))
            options = {"squares": drawn.squares, "truth": drawn.population}
            shipped = cover(design, SHARES + OTHERS, drawn.tables, **options)  # type: ignore[arg-type]
            added = cover(design, SHARES, drawn.tables, method="one_row", **options)  # type: ignore[arg-type]
            flagged[kind] += shipped[len(SHARES) :]
            for i, name in enumerate(SHARES):
                rules = by_rule(name, drawn) | {
                    rule: (cell.coverage, cell.width) for rule, cell in (("shipped", shipped[i]), ("one row", added[i]))
                }
                for rule, (coverage, width) in rules.items():
                    row = coverage, width / rules["delta"][1], float(errors[i]), f"{name}, {design.name}, {kind}"
                    found.setdefault((kind, rule), []).append(row)
    rows = []
    for kind in KINDS:
        for label, keep in (("10 or more", True), ("fewer", False)):
            cells = [least_and_mean((c for c, _, e, _ in found[kind, r] if (e >= 10) == keep), WANTED) for r in RULES]
            rows.append((f"{kind}, {label}", *cells))
    width_row = tuple(f"{np.mean([w for kind in KINDS for _, w, _, _ in found[kind, r]]):.2f}" for r in RULES)
    rows.append(("mean width against delta", *width_row))
    title = "Accuracy, recall and F1, by expected wrong rows: minimum / mean (bold: below .93)"
    grids = [
        Grid(title, ("", "**shipped**", *RULES[1:]), rows),
        Grid(
            "Other measures, shipped: minimum / mean; all draws, and unflagged draws",
            ("", *OTHERS, *(f"{name}, unflagged" for name in OTHERS)),
            [
                (
                    kind,
                    *(least_and_mean((c.coverage for c in flagged[kind] if c.measure == m), WANTED) for m in OTHERS),
                    *(
                        least_and_mean(
                            (c.unflagged for c in flagged[kind] if c.measure == m and c.flagged < 0.5), WANTED
                        )
                        for m in OTHERS
                    ),
                )
                for kind in KINDS
            ],
        ),
    ]
    enough = [row for kind in KINDS for row in found[kind, "shipped"] if row[2] >= 10]
    worst = min(enough)
    wanted = "≥ .930"
    clean = [c for kind in KINDS for c in flagged[kind] if c.flagged < 0.5]
    least = min(clean, key=lambda c: c.unflagged)
    heavy = next(kind for kind in KINDS if any(c is least for c in flagged[kind]))
    gates = [
        Gate(
            "weighted shares, ≥ 10 expected errors",
            wanted,
            f"{share(worst[0])} ({worst[3]})",
            worst[0] >= WANTED,
            [(c, e < 10) for kind in KINDS for c, _, e, _ in found[kind, "shipped"]],
        ),
        Gate(
            "weighted macro-F1, kappa, MCC: unflagged draws",
            wanted,
            f"{share(least.unflagged)} ({least.measure}, {least.design}, {heavy})",
            least.unflagged >= WANTED,
            [(c.coverage, c.flagged >= 0.5) for kind in KINDS for c in flagged[kind]],
        ),
    ]
    few = min(row for kind in KINDS for row in found[kind, "shipped"] if row[2] < 10)
    told = _few_errors(few[3], sizes)
    weak = [
        f"Weighted `{least.measure}` covers {share(least.unflagged)} in its unflagged draws ({least.design}, {heavy}).",
        f"Weighted shares with fewer than ten expected errors cover down to {share(few[0])} ({few[3]}): heavy "
        f"wrong rows that were not drawn cannot be seen. `few_weighted_errors` fires in {told:.0%} of the draws.",
    ]
    text = TEXT.format(draws=draws, se=standard_error(0.95, draws))
    return Section("weights", "Weighted rows", text, grids, gates, weak)


def _few_errors(where: str, sizes: tuple[int, ...], draws: int = 300) -> float:
    """How often the shipped estimate carries `few_weighted_errors` in one cell, named as the tables name it."""
    for kind in KINDS:
        for design, _ in (pair for n in sizes for pair in designs(n)):
            for name in SHARES:
                if where == f"{name}, {design.name}, {kind}":
                    drawn = draw(design, kind, draws, np.random.default_rng([SEED, 10]))
                    pairs = zip(drawn.tables, drawn.squares, strict=True)
                    return float(np.mean([_is_flagged(name, table, squares) for table, squares in pairs]))
    raise AssertionError(f"no cell {where}")


def _is_flagged(name: str, table: Array, squares: Array) -> bool:
    estimates, measure = TableEstimates(Confusion(table, squares=squares)), catalogue[name]
    found = estimates.of_class(measure, 0) if measure.is_per_class else estimates.overall(measure)
    return "few_weighted_errors" in found.flags or not found.defined
