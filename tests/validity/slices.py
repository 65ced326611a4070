"""Slices of the rows: do their intervals hold together, and are equal ones taken for different ones?"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

import surefold as sf
from surefold.comparison.slices.result import Slices

from .coverage import standard_error
from .page import Gate, Grid, Section, share
from .tables import SEED

#: How many slices, rows of each (the smallest and the largest), and the share that is right.
DESIGNS = (
    ("5 slices of 30", 5, (30, 30), 0.9),
    ("20 slices of 100", 20, (100, 100), 0.9),
    ("20 slices of 5 to 400", 20, (5, 400), 0.85),
    ("100 slices of 50", 100, (50, 50), 0.97),
    ("500 slices of 20 to 60", 500, (20, 60), 0.9),
    ("12 slices, one of 4,000 rows", 12, (40, -4_000), 0.9),
)
#: Measures, and what is different of the rows.
CASES = (
    ("accuracy", ""),
    ("recall", ""),
    ("f1", ""),
    ("mcc", ""),
    ("roc_auc", ""),
    ("brier", ""),
    ("accuracy", "groups"),
    ("roc_auc", "groups"),
    ("accuracy", "weights"),
    ("f1", "weights"),
)
LEVEL, ALPHA = 0.95, 0.05
#: Rows of a group, and how many sets of rows say what is true.
TOGETHER, POPULATION = 5, 400_000
MARGIN = 0.1

TEXT = """
Two classes, scores with an error of the same kind everywhere: no slice differs from the rest. *All hold*: the share of
draws in which the simultaneous intervals of all slices hold what is true. *Any told*: in which some slice is told below
or above the rest. *Worst*: in which the interval of the worst slice holds its value, which here is that of all. Groups
are of {together} rows alike; weights run from 1 to 3. R = {draws:,} (standard error {se:.3f}; half the draws for
500 slices).
"""


def drawn(slices: int, sizes: tuple[int, int], right: float, rows: str, rng: np.random.Generator) -> dict[str, Any]:
    """One set of rows: which slice, truth, call, score, weight and group."""
    low, high = sizes
    each = np.full(slices, low) if high < 0 else np.linspace(low, high, slices).astype(int)
    if high < 0:
        each[0] = -high
    region = np.repeat(np.arange(slices), each)
    n = len(region)
    y = (rng.random(n) < 0.4).astype(int)
    noise = rng.normal(0, 1, n)
    group = np.arange(n) // TOGETHER
    if rows == "groups":
        noise = 0.7 * rng.normal(0, 1, group[-1] + 1)[group] + np.sqrt(1 - 0.49) * noise
    reach = float(_reach(right))
    score = 1 / (1 + np.exp(-(noise + reach * (2 * y - 1))))
    weight = rng.integers(1, 4, n).astype(float)
    return {"region": region.astype(str), "y": y, "p": (score > 0.5).astype(int), "s": score, "w": weight, "g": group}


def _reach(right: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(right))


def sliced(held: dict[str, Any], measure: str, rows: str, **asked: Any) -> Slices:
    facts: dict[str, Any] = {"pos_label": 1}
    facts |= {"sample_weight": held["w"]} if rows == "weights" else {}
    facts |= {"groups": held["g"]} if rows == "groups" else {}
    if measure in ("roc_auc", "brier"):
        facts["y_score"] = held["s"]
        return sf.slices(held["y"], by={"region": held["region"]}, measure=measure, bins=0, **asked, **facts)
    return sf.slices(held["y"], held["p"], by={"region": held["region"]}, measure=measure, bins=0, **asked, **facts)


@dataclass
class Cell:
    """What was found of one design and measure."""

    where: str
    measure: str
    rows: str
    draws: int
    hold: int = 0
    told: int = 0
    worst: int = 0
    apart: int = 0
    alone: int = 0
    counted: int = 0

    @property
    def row(self) -> tuple[str, ...]:
        found = [share(x / self.draws) for x in (self.hold, self.told, self.worst)]
        gaps = share(self.apart / self.draws)
        return (
            self.where,
            f"{self.measure} {self.rows}".strip(),
            *found,
            gaps,
            share(self.alone / max(self.counted, 1)),
        )


def equal(place: int, case: int, draws: int) -> Cell:
    """No slice differs."""
    (where, slices, sizes, right), (measure, rows) = DESIGNS[place], CASES[case]
    rng, cell = np.random.default_rng([SEED, 41, place, case]), Cell(where, measure, rows, draws)
    big = drawn(1, (POPULATION, POPULATION), right, rows, np.random.default_rng([SEED, 42, place, case]))
    if measure in ("roc_auc", "brier"):
        truth = float(sf.measure(measure, big["y"], y_score=big["s"], pos_label=1))
    else:
        truth = float(sf.measure(measure, big["y"], big["p"], pos_label=1))
    for _ in range(draws):
        found = sliced(drawn(slices, sizes, right, rows, rng), measure, rows)
        wide = [s.simultaneous for s in found.counted if s.simultaneous is not None]
        gaps = [s.difference for s in found.counted if s.difference is not None]
        cell.hold += all(truth in e for e in wide)
        cell.apart += all(0.0 in e for e in gaps)
        cell.told += any(s.told for s in found.counted)
        cell.worst += found.worst is not None and truth in found.worst
        cell.alone += sum(truth in s.estimate for s in found.counted)
        cell.counted += len(found.counted)
    return cell


@dataclass
class Errors:
    """Wrong verdicts of "alike" at the margin, and of a gate at the limit."""

    measure: str
    draws: int
    alike: int = 0
    passed: int = 0
    failed: int = 0
    facts: dict[str, Any] = field(default_factory=dict)

    @property
    def row(self) -> tuple[str, ...]:
        return (self.measure, *(share(x / self.draws) for x in (self.alike, self.passed, self.failed)))


def at_the_edge(measure: str, case: int, draws: int) -> Errors:
    """Six slices: one is off by the margin exactly (never to be told alike), the others are at the limit of a gate."""
    rng, found = np.random.default_rng([SEED, 43, case]), Errors(measure, draws)
    region = np.repeat(np.arange(6), 150)
    for _ in range(draws):
        y = np.ones(len(region), dtype=int) if measure == "recall" else (rng.random(len(region)) < 0.5).astype(int)
        right = np.where(region == 0, 0.85 - MARGIN, 0.85)
        p = np.where(rng.random(len(region)) < right, y, 1 - y)
        s = sf.slices(y, p, by={"r": region.astype(str)}, measure=measure, bins=0, margin=MARGIN, pos_label=1)
        found.alike += s["0"].status == "alike"
        found.passed += s.gate(at_least=0.85 - MARGIN).passed  # the first is at the limit: it may pass in one of twenty
        all_at = sf.slices(
            y[region > 0], p[region > 0], by={"r": region[region > 0].astype(str)}, measure=measure, bins=0
        )
        found.failed += all_at.gate(at_least=0.85).status == "failed"  # all five are at the limit
    return found


def run(quick: bool) -> Section:
    """The page's part."""
    draws = 20 if quick else 400
    places = (0, 2) if quick else range(len(DESIGNS))
    cases = range(len(CASES))
    cells = []
    for place in places:
        for case in cases:
            slices, score = DESIGNS[place][1], CASES[case][0] in ("roc_auc", "brier")
            if slices >= 100 and (CASES[case][1] or score):
                continue  # the many slices of labels, which take a few milliseconds
            cells.append(equal(place, case, draws // 2 if slices >= 500 else draws))
    edges = [at_the_edge(measure, case, draws) for case, measure in enumerate(("accuracy", "recall"))]
    text = TEXT.format(together=TOGETHER, draws=draws, se=standard_error(LEVEL, draws))
    head = ("slices", "measure", "all hold", "any told", "worst", "all differences hold 0", "alone")
    plain = [c for c in cells if not c.rows]
    section = Section("slices", "Slices of the rows", text)
    section.grids = [
        Grid("Equal slices", head, [c.row for c in cells]),
        Grid("At the edge: wrong verdicts", ("measure", "alike", "gate passed", "gate failed"), [e.row for e in edges]),
    ]
    held = {
        "all simultaneous intervals hold": [(c.hold, c.draws) for c in plain],
        "the interval of the worst slice holds": [(c.worst, c.draws) for c in plain],
        "all intervals of differences hold 0": [(c.apart, c.draws) for c in cells],
        "simultaneous intervals in groups and weighted": [(c.hold, c.draws) for c in cells if c.rows],
    }
    wrong = {
        "some equal slice is told": [(c.told, c.draws) for c in cells],
        "told alike at the margin": [(e.alike, e.draws) for e in edges],
        "a gate passed with a slice at the limit": [(e.passed, e.draws) for e in edges],
        "a gate failed with all slices at the limit": [(e.failed, e.draws) for e in edges],
    }
    for what, found in held.items():
        least = LEVEL - 0.02 if "weighted" in what else LEVEL
        worst = min(x / n for x, n in found)
        fine = all(x / n >= least - 3 * standard_error(LEVEL, n) for x, n in found)
        section.gates.append(Gate(f"slices: {what}", f"≥ {share(least)} − 3 s.e.", share(worst), fine))
    for what, found in wrong.items():
        worst = max(x / n for x, n in found)
        fine = all(x / n <= ALPHA + 3 * standard_error(LEVEL, n) for x, n in found)
        section.gates.append(Gate(f"slices: {what}", f"≤ {share(ALPHA)} + 3 s.e.", share(worst), fine))
    return section
