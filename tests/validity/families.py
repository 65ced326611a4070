"""Several pairs at once: whether what is told of them, and the intervals beside it, hold for all of them together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from surefold.comparison.compare import compare
from surefold.comparison.family import Family
from surefold.comparison.judging import PairResult, judged
from surefold.comparison.result import Difference
from surefold.estimates.estimate import CUT, Estimate, TestResult
from surefold.measures import catalogue
from surefold.significance.bounds import NormalBounds

from .page import Gate, Grid, Section, share
from .tables import SEED

WANTED, LEVEL = 0.95, 0.05
SHOWN = ("told", "uncut", "all", "false", "cut", "apart")
ADJUSTMENTS = ("holm", "hochberg", "bonferroni", "benjamini_hochberg")
#: True values of the models, in standard errors of one of them; every pair of them is compared.
NORMAL = {
    "3 equal": (0, 0, 0),
    "2 equal, 1 far": (0, 0, 9),
    "2 equal, 2 far apart": (0, 0, 9, 18),
    "2 equal, 4 steps": (0, 0, 4, 8, 12, 16),
    "2 a hair apart, 3 far": (0, 0.1, 9, 18, 27),
    "4 and 4 equal": (0, 0, 0, 0, 9, 9, 9, 9),
    "5 small steps": (0, 1, 2, 3, 4),
}
#: Chances of being right, of labels on so many rows.
LABELS: dict[str, tuple[tuple[float, ...], int]] = {
    "2 equal": ((0.85, 0.85), 150),
    "2 that differ": ((0.9, 0.82), 150),
    "3: 2 equal, 1 far": ((0.85, 0.85, 0.6), 200),
    "4 in steps": ((0.92, 0.88, 0.84, 0.7), 200),
}

TEXT = """
Models are compared in every pair. p is adjusted for their number, and the interval beside it is made at the level that
all pairs share, then brought to where p is (decision note 34). Two things are promised of Holm's steps, each with 95 %:
that **all that is told is right**, and that **all intervals hold that were not cut at 0** by a later step. Both at once
hold less often, as the column "all" shows: no interval of a finite length can go with Holm's steps and hold together
with them at 95 % (Strassburger and Bretz 2008; Guilbaud 2008). Bonferroni's p has no steps: there all hold together.
Of Benjamini and Hochberg's p the promise is of shares: of the intervals of the pairs that were told, one in twenty may
be wrong ("false": the mean share). "cut" is the share of pairs whose interval was cut, "apart" of those told apart.

Differences of normal values (R = {normal:,}), and of labels by McNemar's mid-p with its interval (R = {labels:,}).
"""


@dataclass
class Held:
    """How often all of a family held."""

    where: str
    adjust: str
    draws: int
    told: int = 0
    uncut: int = 0
    all: int = 0
    false: float = 0.0
    cut: int = 0
    apart: int = 0
    pairs: int = 0

    def add(self, differences: Sequence[Difference], true: Sequence[float]) -> None:
        """One draw: what was told of every pair, held against its true difference."""
        facts = [(d, _is_right(d, t), _holds(d, t)) for d, t in zip(differences, true, strict=True)]
        apart = [holds and right for d, right, holds in facts if d.status != "cannot_tell"]
        self.told += all(right for _, right, _ in facts)
        self.uncut += all(holds for d, _, holds in facts if CUT not in d.effect.flags)
        self.all += all(right and holds for _, right, holds in facts)
        self.false += 1 - sum(apart) / len(apart) if apart else 0.0
        self.cut += sum(CUT in d.effect.flags for d in differences)
        self.apart += len(apart)
        self.pairs += len(facts)

    def share(self, what: str) -> float:
        return float(getattr(self, what)) / (self.pairs if what in ("cut", "apart") else self.draws)

    def row(self) -> tuple[str, ...]:
        return (
            self.where,
            self.adjust,
            *(share(self.share(what)) for what in SHOWN),
        )


def _is_right(d: Difference, true: float) -> bool:
    told = {"better": 1, "worse": -1}.get(d.status, 0)
    return told == 0 or told == np.sign(true)


def _holds(d: Difference, true: float) -> bool:
    e = d.effect
    cut = CUT in e.flags
    low = e.low < true or (e.low == true and not (cut and e.low == 0))
    high = true < e.high or (e.high == true and not (cut and e.high == 0))
    return low and high


def _pair(value: float, spread: float) -> PairResult:
    bounds = NormalBounds(value, value, spread)
    low, high = bounds.at((1 + WANTED) / 2)
    effect = Estimate(value, low, high, spread, WANTED, "normal")
    return PairResult(("a", "b"), TestResult("z", effect, bounds.score(), bounds.p()), bounds)


def of_normal(place: int, draws: int) -> list[Held]:
    where, means = list(NORMAL.items())[place]
    rng, spread = np.random.default_rng([SEED, 34, place]), math.sqrt(2)
    pairs = list(combinations(range(len(means)), 2))
    true = [float(means[i] - means[j]) for i, j in pairs]
    found = [Held(where, adjust, draws) for adjust in ADJUSTMENTS]
    for seen in rng.normal(size=(draws, len(means))) + np.array(means):
        results = [_pair(float(seen[i] - seen[j]), spread) for i, j in pairs]
        for held in found:
            held.add(judged(catalogue["accuracy"], results, Family(adjust=held.adjust), rows=100), true)
    return found


def of_labels(place: int, draws: int) -> list[Held]:
    where, (skills, n) = list(LABELS.items())[place]
    rng = np.random.default_rng([SEED, 35, place])
    true = [a - b for a, b in combinations(skills, 2)]
    found = [Held(f"labels, {where}", adjust, draws) for adjust in ("holm", "bonferroni")]
    for _ in range(draws):
        truth, hard = rng.random(n) < 0.4, rng.random(n)  # rows that are hard for one are hard for others
        models: dict[str, Any] = {}
        for i, skill in enumerate(skills):
            own = np.where(rng.random(n) < 0.5, hard, rng.random(n))
            models[f"m{i}"] = np.where(own < skill, truth, ~truth)
        for held in found:
            held.add(compare(truth, models, adjust=held.adjust).differences, true)
    return found


def run(quick: bool) -> Section:
    normal, labels = (200, 40) if quick else (2000, 600)
    found = [h for place in range(len(NORMAL)) for h in of_normal(place, normal)]
    found += [h for place in range(len(LABELS)) for h in of_labels(place, labels)]
    head = ("models", "p", "all told is right", "all uncut hold", "all", "false", "cut", "apart")
    grid = Grid("", head, [h.row() for h in found])
    text = TEXT.format(normal=normal, labels=labels)
    return Section("families", "Several pairs at once", text, [grid], list(_gates(found)), _weak(found))


def _gates(found: Sequence[Held]) -> Iterable[Gate]:
    """Allowing for three standard errors of the cell."""
    stepwise, single = ("holm", "hochberg"), ("bonferroni",)
    asked = (
        ("all that is told of several pairs is right", (*stepwise, *single), "told", WANTED),
        ("all intervals of several pairs that are not cut hold together", (*stepwise, *single), "uncut", WANTED),
        ("all of Bonferroni's hold, cut or not", single, "all", WANTED),
        ("what Holm's steps tell and the intervals beside it, all at once", stepwise, "all", 0.9),
    )
    for name, adjust, what, least in asked:
        cells = [h for h in found if h.adjust in adjust]
        slack = [3 * math.sqrt(least * (1 - least) / h.draws) for h in cells]
        passed = all(h.share(what) >= least - s for h, s in zip(cells, slack, strict=True))
        worst = min(cells, key=lambda h: h.share(what))
        yield Gate(name, f"at least {share(least)}", f"{share(worst.share(what))} ({worst.where})", passed)
    cells = [h for h in found if h.adjust == "benjamini_hochberg"]
    worst = max(cells, key=lambda h: h.share("false"))
    passed = worst.share("false") <= LEVEL + 3 * math.sqrt(LEVEL * (1 - LEVEL) / worst.draws)
    yield Gate("wrong intervals among those told by Benjamini and Hochberg", "at most .050",
               f"{share(worst.share('false'))} ({worst.where})", passed)  # fmt: skip


def _weak(found: Sequence[Held]) -> list[str]:
    worst = min((h for h in found if h.adjust == "holm"), key=lambda h: h.share("all"))
    text = (
        f"What Holm's steps tell, and the intervals cut at 0 by them, hold all at once in {share(worst.share('all'))}"
    )
    return [f"{text} ({worst.where}); each of the two alone holds as it says."]
