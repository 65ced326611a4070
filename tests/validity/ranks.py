"""Places, best sets and the winner's interval: does each hold what it promises, and how many models does it leave?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri

from surefold.comparison.compare import compare
from surefold.comparison.result import Comparison

from .page import Gate, Grid, Section, share
from .tables import SEED

#: Draws of a design, and of each when in haste.
DRAWS, HASTE = 300, 12

TEXT = """
With three models or more `compare` says which places each may have (`.ranks`), which may be the best (`.best_set`), by
how much each is behind the best at most (`.best_set.behind`), and what the winner's value is when the choice is allowed
for (`.winner.corrected`). Each is tried on families of models: all alike, near-equal, one best, one bad; labels (right
where their own noise and the difficulty that the rows share stay below a level), areas (normal scores), groups of rows
with a difficulty of their own, rows of lognormal weight. R = {draws:,} a design (standard error {se:.3f}).

- **places**: in how many draws every true place lies in its set (equal models may have any of their shared places);
- **best kept**: in how many draws a given best model is in the set (the first of those that are best);
- **behind**: in how many draws no model is further behind the best than it was said to be;
- **winner**: in how many draws the corrected interval holds the true value of whichever model won;
- **plain**: the same of the winner's own interval, which does not allow for the choice;
- **left, not beaten**: models in the best set, and models that the verdicts of all pairs leave unbeaten (mean).
"""

WANTED = {"places": 0.95, "best kept": 0.94, "behind": 0.95, "winner": 0.95}


@dataclass(frozen=True)
class Family:
    """Models of known skill on rows that are hard for all of them alike, by `correlation`."""

    name: str
    measure: str
    skills: tuple[float, ...]
    n: int
    correlation: float = 0.5
    groups: int = 0
    weighted: bool = False

    @property
    def where(self) -> str:
        rows = f"{self.n} rows" + (f" in {self.groups} groups" if self.groups else "")
        weights = ", weighted" if self.weighted else ""
        return (
            f"{self.measure}, {len(self.skills)} models, {self.name}, {rows}, correlation {self.correlation:g}{weights}"
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(f"m{i}" for i in range(len(self.skills)))

    @cached_property
    def best(self) -> str:
        return self.names[int(np.argmax(self.skills))]

    def drawn(self, rng: np.random.Generator) -> Comparison:
        """One comparison; of labels with f1_macro both classes are alike, so that its truth is the accuracy."""
        m, n = len(self.skills), self.n
        shared = rng.normal(size=n)
        options: dict[str, Any] = {}
        if self.groups:
            of = np.arange(n) % self.groups
            shared = math.sqrt(0.5) * rng.normal(size=self.groups)[of] + math.sqrt(0.5) * shared
            options["groups"] = of
        if self.weighted:
            options["sample_weight"] = rng.lognormal(sigma=0.5, size=n)
        noise = math.sqrt(self.correlation) * shared + math.sqrt(1 - self.correlation) * rng.normal(size=(m, n))
        truth = rng.integers(0, 2, n)
        skills = np.array(self.skills)[:, None]
        if self.measure == "roc_auc":  # the area is Phi(distance / sqrt 2)
            given = truth * (ndtri(skills) * math.sqrt(2)) + noise
        else:
            given = np.where(noise < ndtri(skills), truth, 1 - truth)
        found: Comparison = compare(truth, dict(zip(self.names, given, strict=True)), measure=self.measure, **options)
        return found

    def judged(self, c: Comparison) -> Counter[str]:
        """What held in one comparison, and how many models were left."""
        assert c.ranks is not None
        assert c.best_set is not None
        assert c.winner is not None
        skills = np.array(self.skills)
        places = [(int((skills > s).sum()) + 1, int((skills >= s).sum())) for s in skills]
        at = [c.ranks[name] for name in self.names]
        won = self.skills[self.names.index(c.winner.name)]
        gaps = skills.max() - skills
        behind = [c.best_set.behind[name] for name in self.names]
        return Counter(
            {
                "places": all(r.low <= low and high <= r.high for r, (low, high) in zip(at, places, strict=True)),
                "best kept": self.best in c.best_set,
                "behind": bool((gaps <= np.array(behind) + 1e-9).all()),
                "winner": c.winner.corrected.low <= won <= c.winner.corrected.high,
                "plain": c.winner.estimate.low <= won <= c.winner.estimate.high,
                "left": len(c.best_set),
                "not beaten": sum(r.low == 1 for r in at),
            }
        )


def families(measure: str, m: int) -> Iterator[tuple[str, tuple[float, ...]]]:
    top = 0.85
    yield "all alike", (top,) * m
    yield "one best", (top + 0.05, *(top,) * (m - 1))
    yield "in steps", tuple(top - 0.01 * i for i in range(m))
    yield "two best, rest far", (top, top, *(top - 0.15,) * (m - 2))


def designs() -> Iterator[Family]:
    for measure, m, n in (
        ("accuracy", 3, 60), ("accuracy", 10, 400), ("accuracy", 20, 400), ("f1_macro", 6, 200), ("roc_auc", 5, 200),
    ):  # fmt: skip
        for i, (name, skills) in enumerate(families(measure, m)):
            yield Family(name, measure, skills, n, (0.5, 0.9)[i % 2])
    for name, skills in families("accuracy", 6):
        yield Family(name, "accuracy", skills, 600, 0.5, groups=40)
        yield Family(name, "accuracy", skills, 600, 0.5, weighted=True)
    yield Family("one best", "roc_auc", (0.9, 0.85, 0.85, 0.85), 600, 0.5, groups=40)


def run(quick: bool) -> Section:
    draws = HASTE if quick else DRAWS
    rng = np.random.default_rng([SEED, 25])
    head = ("design", *WANTED, "plain", "left", "not beaten")
    rows: list[tuple[str, ...]] = []
    found: dict[str, list[tuple[float, str]]] = {what: [] for what in WANTED}
    for family in designs():
        total: Counter[str] = Counter()
        for _ in range(draws):
            total.update(family.judged(family.drawn(rng)))
        means = {what: total[what] / draws for what in (*WANTED, "plain", "left", "not beaten")}
        shares = [share(means[what], WANTED.get(what, 0.0) - 0.02) for what in (*WANTED, "plain")]
        rows.append((family.where, *shares, f"{means['left']:.1f}", f"{means['not beaten']:.1f}"))
        for what in WANTED:
            found[what].append((means[what], family.where))
    section = Section(
        "ranks", "Places, best sets and winners", TEXT.format(draws=draws, se=math.sqrt(0.05 * 0.95 / draws))
    )
    section.grids.append(Grid("", head, rows))
    for what, wanted in WANTED.items():
        least, where = min(found[what])
        slack = 3 * math.sqrt(wanted * (1 - wanted) / draws)
        mean = float(np.mean([value for value, _ in found[what]]))
        gate = f"≥ {share(wanted)} − 3 s.e. in every design, mean ≥ {share(wanted)}"
        said = f"minimum {share(least)} ({where}), mean {share(mean)}"
        section.gates.append(Gate(f"ranks: {what}", gate, said, least >= wanted - slack and (quick or mean >= wanted)))
    return section
