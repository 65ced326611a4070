"""Is the power that planning promises the power that the tests have, and the width the one intervals come to?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtri

from surefold.comparison import mcnemar, two_proportions
from surefold.estimates.auc import delong
from surefold.planning.power import expected_width, power, sample_size
from surefold.significance.paired_cases import share_difference
from surefold.tallies.confusion import Confusion

from .coverage import Array, standard_error
from .page import Gate, Grid, Section, share
from .score_moves import apart
from .tables import SEED

#: Counts are cheaper to draw and test than scores.
MORE_DRAWS = {"proportion": 5, "two_proportions": 5, "mcnemar": 5, "pilot": 5, "auc": 2, "paired_auc": 1}
ASKED = 0.8
OFF = 0.03

TEXT = """
A plan promises that so many rows find what is there with such a chance. Here rows are asked for at a power of .8, then
data of that size are drawn, the shipped test is run on every draw, and we count how often it finds the difference.
The same for the mean width of an interval. Rows of two sets are those of the first. R = {draws:,} for two areas
(standard error of a power near .8: {se:.3f}), twice that for one, five times for counts. Areas are promised from the
moments of normal scores, and are also tried on scores that are not. The rows for one share are where the last tooth of
its power that falls short ends, so that they promise a little more.
"""


@dataclass(frozen=True)
class Plan:
    """Facts for `sample_size`, and how to draw from what they say: rows in, whether each draw was found out."""

    kind: str
    facts: dict[str, Any]
    confidence: float = 0.95
    shape: str = ""  # of the scores, where it is not the one that was planned with

    @property
    def where(self) -> str:
        said = ", ".join(
            f"{name} {value:g}" if not isinstance(value, str) else value for name, value in self.facts.items()
        )
        more = f", {self.confidence:.0%}" if self.confidence != 0.95 else ""
        return said.replace("_", " ") + more + (f", {self.shape} scores" if self.shape else "")


PLANS = (
    Plan("proportion", {"value": 0.9, "null": 0.85}),
    Plan("proportion", {"value": 0.99, "null": 0.9}),
    Plan("proportion", {"value": 0.6, "null": 0.5}, 0.9),
    Plan("proportion", {"value": 0.01, "null": 0.03}),
    Plan("two_proportions", {"first": 0.85, "second": 0.9}),
    Plan("two_proportions", {"first": 0.6, "second": 0.8, "ratio": 3.0}),
    Plan("two_proportions", {"first": 0.02, "second": 0.06, "ratio": 0.5}, 0.99),
    Plan("mcnemar", {"difference": 0.02, "disagreement": 0.1}),
    Plan("mcnemar", {"only_first": 0.15, "only_second": 0.05}),
    Plan("mcnemar", {"only_first": 0.03, "only_second": 0.0}),
    Plan("mcnemar", {"only_first": 0.3, "only_second": 0.2}, 0.99),
    Plan("auc", {"value": 0.85, "null": 0.8, "positives_share": 0.2}),
    Plan("auc", {"value": 0.95, "null": 0.85, "positives_share": 0.5}),
    Plan("auc", {"value": 0.7, "null": 0.5, "positives_share": 0.1}),
    Plan("auc", {"value": 0.8, "null": 0.9, "positives_share": 0.3}, 0.9),
    Plan("auc", {"value": 0.8, "null": 0.7, "positives_share": 0.3, "form": "exponential"}),
    Plan("paired_auc", {"first": 0.85, "second": 0.88, "correlation": 0.6, "positives_share": 0.3}),
    Plan("paired_auc", {"first": 0.95, "second": 0.85, "correlation": 0.3, "positives_share": 0.5}),
    Plan("paired_auc", {"first": 0.7, "second": 0.6, "correlation": 0.0, "positives_share": 0.2}),
    Plan("paired_auc", {"first": 0.9, "second": 0.92, "correlation": 0.9, "positives_share": 0.1}, 0.9),
)
#: Scores of another shape than planned with: shown, without a gate.
OTHER_SHAPES = (
    Plan("auc", {"value": 0.8, "null": 0.7, "positives_share": 0.3}, shape="exponential"),
    Plan("auc", {"value": 0.8, "null": 0.7, "positives_share": 0.3, "form": "exponential"}, shape="normal"),
)
WIDTHS = (
    Plan("proportion", {"value": 0.9, "width": 0.05}),
    Plan("proportion", {"value": 0.99, "width": 0.05}),
    Plan("proportion", {"value": 0.5, "width": 0.2}),
    Plan("auc", {"value": 0.85, "width": 0.05, "positives_share": 0.2}),
    Plan("auc", {"value": 0.95, "width": 0.1, "positives_share": 0.5}),
    Plan("auc", {"value": 0.7, "width": 0.2, "positives_share": 0.1}),
    Plan("auc", {"value": 0.8, "width": 0.1, "positives_share": 0.3, "form": "exponential"}),
)


def accuracy_interval(confidence: float) -> Callable[[int, int], tuple[float, float]]:
    """As an assessment of n rows with so many right gives it."""

    @cache
    def interval(right: int, n: int) -> tuple[float, float]:
        table = np.array([[right, n - right], [0, 0]])
        return Confusion(table, labels=("a", "b")).measure("accuracy", confidence=confidence).interval

    return interval


def scores(area: float, shape: str, m: int, n: int, rng: np.random.Generator) -> Array:
    """m positives, then n negatives: normal, or exponential with different means, which Hanley and McNeil had."""
    if shape == "exponential":
        return np.append(rng.exponential(area / (1 - area), m), rng.exponential(1.0, n))
    return np.append(rng.normal(np.sqrt(2) * ndtri(area), 1, m), rng.normal(size=n))


def areas(p: Plan, parts: dict[str, int], draws: int, rng: np.random.Generator) -> Iterator[tuple[float, float]]:
    m, n = parts["positives"], parts["negatives"]
    y, shape = np.arange(m + n) < m, p.shape or p.facts.get("form", "binormal")
    for _ in range(draws):
        s = scores(p.facts["value"], shape, m, n, rng)
        yield delong(y, s, method="one_row", confidence=p.confidence).interval


def intervals(p: Plan, n: int, parts: dict[str, int], draws: int, rng: np.random.Generator) -> Array:
    """Low and high of every draw."""
    if p.kind == "auc":
        return np.array(list(areas(p, parts, draws, rng)))
    one = accuracy_interval(p.confidence)
    return np.array([one(int(right), n) for right in rng.binomial(n, p.facts["value"], draws)])


def found(p: Plan, n: int, parts: dict[str, int], draws: int, rng: np.random.Generator) -> float:
    """How often the shipped test, or the shipped interval, told the difference."""
    facts, level = p.facts, 1 - p.confidence
    if p.kind in ("proportion", "auc"):
        low, high = intervals(p, n, parts, draws, rng).T
        return float(((high < facts["null"]) | (low > facts["null"])).mean())
    if p.kind == "two_proportions":
        m = parts["second"]
        pairs = zip(rng.binomial(n, facts["first"], draws), rng.binomial(m, facts["second"], draws), strict=True)
        return float(np.mean([two_proportions(a / n, n, b / m, m).p_value <= level for a, b in pairs]))
    if p.kind == "mcnemar":
        first, second = facts.get("only_first"), facts.get("only_second")
        if first is None or second is None:
            first, second = ((facts["disagreement"] + sign * facts["difference"]) / 2 for sign in (1, -1))
        counts = rng.multinomial(n, [first, second, 1 - first - second], draws)
        return float(np.mean([mcnemar(int(b), int(c)).p_value <= level for b, c, _ in counts]))
    m, k = parts["positives"], parts["negatives"]
    r, ahead, told = facts["correlation"], np.sqrt(2) * ndtri([facts["first"], facts["second"]]), 0
    size = max(20, 300_000 // (m + k))
    for start in range(0, draws, size):  # a batch of what `compare` does, which a test holds equal to it
        a, own = rng.normal(size=(2, min(size, draws - start), m + k))
        y = np.broadcast_to(np.arange(m + k) < m, a.shape)
        low, high = apart("roc_auc", (y, a + ahead[0] * y, r * a + np.sqrt(1 - r * r) * own + ahead[1] * y)).ends(
            (1 + p.confidence) / 2
        )
        told += int(((low > 0) | (high < 0)).sum())
    return told / draws


@dataclass(frozen=True)
class Kept:
    """What was promised and what came of it."""

    plan: Plan
    n: int
    promised: float
    seen: float
    draws: int

    @property
    def error(self) -> float:
        return standard_error(self.promised, self.draws)

    def row(self) -> tuple[str, ...]:
        return f"{self.plan.kind}: {self.plan.where}", f"{self.n:,}", share(self.promised), share(self.seen)


def kept(p: Plan, place: int, draws: int, part: float = 1.0) -> Kept:
    """At the rows that a power of .8 takes, or a part of them."""
    draws *= MORE_DRAWS[p.kind]
    planned = sample_size(p.kind, power=ASKED, confidence=p.confidence, **p.facts)
    n = round(planned.n * part)
    promised = power(p.kind, n=n, confidence=p.confidence, **p.facts)
    rng = np.random.default_rng([SEED, 60, place, round(100 * part)])
    return Kept(p, n, float(promised), found(p, n, promised.parts, draws, rng), draws)


def width_kept(p: Plan, place: int, draws: int) -> Kept:
    draws *= MORE_DRAWS[p.kind]
    planned = sample_size(p.kind, confidence=p.confidence, **p.facts)
    promised = expected_width(p.kind, n=planned.n, confidence=p.confidence, **p.facts)
    rng = np.random.default_rng([SEED, 61, place])
    low, high = intervals(p, planned.n, planned.parts, draws, rng).T
    return Kept(p, planned.n, float(promised), float((high - low).mean()), draws)


def pilots(draws: int) -> Iterator[Kept]:
    """Rows planned from the difference of two accuracies that a pilot saw, for the interval of that difference.

    The pilot's own luck is left out: it has the shares of the population.
    """
    for place, (first, second, pilot) in enumerate(((0.08, 0.05, 1000), (0.2, 0.1, 200), (0.03, 0.01, 400))):
        d = first - second
        estimate = share_difference(first * pilot, second * pilot, pilot, 0.95, "accuracy difference")
        n = sample_size("pilot", estimate=estimate, difference=d).n
        promised = float(power("pilot", estimate=estimate, difference=d, n=n))
        rng = np.random.default_rng([SEED, 62, place])
        counts = rng.multinomial(n, [first, second, 1 - first - second], draws)
        seen = [0 not in share_difference(int(b), int(c), n, 0.95, "") for b, c, _ in counts]
        facts = {"only_first": first, "only_second": second, "rows": pilot}
        yield Kept(Plan("pilot", facts), n, promised, float(np.mean(seen)), draws)


#: Shares of (true, predicted) in a population of three classes.
TABLE = np.array([[0.42, 0.05, 0.03], [0.04, 0.22, 0.04], [0.02, 0.04, 0.14]])


def pilot_widths(draws: int) -> Iterator[Kept]:
    """Rows planned from a pilot for the one-row interval of measures that are no share."""
    for place, (name, rows, width) in enumerate((("kappa", 1000, 0.1), ("f1_macro", 400, 0.15), ("mcc", 1000, 0.06))):
        pilot = Confusion(TABLE * rows, labels=("a", "b", "c")).measure(name)
        n = sample_size("pilot", estimate=pilot, width=width).n
        promised = float(expected_width("pilot", estimate=pilot, n=n))
        tables = np.random.default_rng([SEED, 63, place]).multinomial(n, TABLE.ravel(), draws).reshape(-1, 3, 3)
        seen = [Confusion(each, labels=("a", "b", "c")).measure(name).width for each in tables]
        yield Kept(
            Plan("pilot", {"measure": name, "width": width, "rows": rows}), n, promised, float(np.mean(seen)), draws
        )


def run(quick: bool) -> Section:
    draws = 200 if quick else 2000
    cells = [kept(p, place, draws) for place, p in enumerate(PLANS)] + list(pilots(draws * MORE_DRAWS["pilot"]))
    halves = [kept(p, place, draws, 0.5) for place, p in enumerate(PLANS)]
    others = [kept(p, 100 + place, draws) for place, p in enumerate(OTHER_SHAPES)]
    widths = [width_kept(p, place, draws) for place, p in enumerate(WIDTHS)] + list(pilot_widths(draws))
    head = ("plan", "rows", "promised", "found")
    grids = [
        Grid("Power at the rows that .8 takes", head, [c.row() for c in cells]),
        Grid("Power at half of those rows", head, [c.row() for c in halves]),
        Grid("Scores of another shape than planned with", head, [c.row() for c in others]),
        Grid("Mean width of the interval", head, [c.row() for c in widths]),
    ]
    return Section("power", "Plans: is the promise kept?", TEXT.format(draws=draws, se=standard_error(ASKED, draws)),
                   grids, _gates(cells, halves, widths, quick), _weak(others))  # fmt: skip


def _gates(cells: list[Kept], halves: list[Kept], widths: list[Kept], quick: bool) -> list[Gate]:
    gates = []
    for kind in dict.fromkeys(c.plan.kind for c in cells):
        mine = [c for c in (*cells, *halves) if c.plan.kind == kind]
        worst = max(mine, key=lambda c: abs(c.promised - c.seen))
        off = worst.seen - worst.promised
        told = f"{off:+.3f} ({worst.plan.where}, n = {worst.n:,})"
        gates.append(Gate(f"power of {kind}", "within .03 of the promise", told, abs(off) <= OFF))
        least = min((c for c in cells if c.plan.kind == kind), key=lambda c: c.seen)
        slack = 3 * least.error if quick else 0.0
        told = f"{share(least.seen)} ({least.plan.where}, n = {least.n:,})"
        gates.append(Gate(f"rows for {kind}", "power of .8 less .03", told, least.seen >= ASKED - OFF - slack))
    for kind in dict.fromkeys(c.plan.kind for c in widths):
        worst = max((c for c in widths if c.plan.kind == kind), key=lambda c: abs(c.seen / c.promised - 1))
        off = worst.seen / worst.promised - 1
        told = f"{100 * off:+.1f} % ({worst.plan.where}, n = {worst.n:,})"
        most = 0.06 if kind == "pilot" else 0.03  # a pilot's is the normal width: one more row is wider with few rows
        gates.append(Gate(f"width of {kind}", f"within {100 * most:.0f} % of the promise", told, abs(off) <= most))
    return gates


def _weak(others: list[Kept]) -> list[str]:
    worst = min(others, key=lambda c: c.seen - c.promised)
    return [
        f"A plan for areas rests on the shape of the scores: promised {share(worst.promised)}, "
        f"found {share(worst.seen)} ({worst.plan.where})"
    ]
