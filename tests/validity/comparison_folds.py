"""Tests over folds where neither learner can be better: each sees one of two sets of columns that are alike.

The defaults were chosen on designs like the first three; the others were drawn up for this page, with trees and
neighbours, which a few rows more or less change.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from surefold.comparison import corrected_t, five_by_two_f, five_by_two_t, paired_t

from .comparison_sizes import LEVEL
from .coverage import Array
from .fold_designs import LEARNERS, Labels, Learner
from .page import Gate, share
from .tables import SEED

FOLDS, REPEATS = 10, 10
TESTS = {
    "corrected 9": "corrected t, 9 d.f.",
    "corrected 99": "99 d.f.",
    "5x2 F": "5 x 2 F",
    "5x2 t": "5 x 2 t",
    "paired 10": "t, 10 folds",
    "paired 100": "t, 10 x 10",
}
FLAGGED = ("corrected 99", "5x2 F", "5x2 t", "paired 10", "paired 100")


@dataclass(frozen=True)
class Alike:
    """Two sets of columns that tell the class equally well.

    "normals": class means .8 apart in two columns; "skewed": the same on exponential columns, 30 % positive; "squares":
    the class is the sign of the product of two columns, 15 % of the time the other.
    """

    kind: str
    rows: int
    columns: int

    def __str__(self) -> str:
        return f"{self.kind}, n = {self.rows}, {self.columns} columns"

    def draw(self, rng: np.random.Generator) -> tuple[Array, Array, Labels]:
        shape = (2, self.rows, self.columns)
        y = rng.random(self.rows) < (0.3 if self.kind == "skewed" else 0.5)
        both = rng.exponential(size=shape) if self.kind == "skewed" else rng.normal(size=shape)
        for columns in both:
            if self.kind == "squares":
                side = np.where(y ^ (rng.random(self.rows) < 0.15), 1.0, -1.0)
                columns[:, 1] = abs(columns[:, 1]) * np.sign(columns[:, 0]) * side
            else:
                columns[:, :2] += np.where(y, 0.8, 0.0)[:, None]
        return both[0], both[1], y


CASES = (
    ("logistic", Alike("normals", 100, 4), 1000),
    ("logistic", Alike("normals", 300, 4), 300),
    ("logistic", Alike("normals", 60, 15), 400),
    ("tree", Alike("normals", 100, 4), 250),
    ("tree", Alike("squares", 100, 4), 250),
    ("tree", Alike("skewed", 150, 6), 150),
    ("5 neighbours", Alike("normals", 100, 4), 1000),
    ("1 neighbour", Alike("squares", 100, 4), 500),
    ("5 neighbours", Alike("skewed", 150, 6), 400),
)


@dataclass
class FoldSizes:
    """How often each test found a difference between two learners of one kind."""

    learner: str
    draws: int
    rejected: dict[str, int] = field(default_factory=lambda: dict.fromkeys(TESTS, 0))

    @staticmethod
    def head() -> tuple[str, ...]:
        return tuple(TESTS.values())

    def size(self, test: str) -> float:
        return self.rejected[test] / self.draws

    def row(self) -> tuple[str, ...]:
        shown = (f"({share(self.size(t))})" if t in FLAGGED else share(self.size(t)) for t in TESTS)
        return (f"{self.learner} (R = {self.draws:,})", *shown)

    @property
    def most(self) -> float:
        """Neighbours are flagged where the learner is known, and may go further."""
        return 0.075 if "neighbour" in self.learner else 0.06

    def gate(self) -> Gate:
        found = self.size("corrected 9")
        name = f"size of corrected t, 9 d.f., {self.learner}"
        return Gate(name, f"at most {share(self.most)}", share(found), found <= self.most)

    def weak(self) -> str:
        sizes = ", ".join(f"{TESTS[t]} {share(self.size(t))}" for t in FLAGGED)
        return f"{self.learner}, two alike over folds, size at .05: {sizes}; all flagged."


def wrong(fit: Learner, X: Array, y: Labels, held_out: Labels) -> Array:
    """The share of errors in each split."""
    labels = fit(X, y, 1.0 - held_out, X, held_out)
    return np.asarray(((labels != y) & held_out).sum(1) / held_out.sum(1))


def run_folds(quick: bool) -> list[FoldSizes]:
    found = []
    for place, (learner, design, draws) in enumerate(CASES):
        draws = draws // 20 if quick else draws
        rng, fit = np.random.default_rng([SEED, 26, place]), LEARNERS[learner]
        sizes, rows = FoldSizes(f"{learner}, {design}", draws), design.rows
        for _ in range(draws):
            first, second, y = design.draw(rng)
            folds = np.stack([rng.permutation(rows) % FOLDS for _ in range(REPEATS)])
            halves = np.stack([rng.permutation(rows) % 2 for _ in range(5)])
            tested = (folds[:, None, :] == np.arange(FOLDS)[None, :, None]).reshape(-1, rows)
            split = (halves[:, None, :] == np.arange(2)[None, :, None]).reshape(-1, rows)
            a, b = (wrong(fit, X, y, np.concatenate([tested, split])) for X in (first, second))
            k, d = FOLDS * REPEATS, (a - b)[FOLDS * REPEATS :].reshape(5, 2)
            parts = (rows * (FOLDS - 1) // FOLDS, rows // FOLDS)
            results = {
                "corrected 9": corrected_t(a[:k], b[:k], *parts, df=9),
                "corrected 99": corrected_t(a[:k], b[:k], *parts),
                "5x2 F": five_by_two_f(d),
                "5x2 t": five_by_two_t(d),
                "paired 10": paired_t(a[:FOLDS], b[:FOLDS]),
                "paired 100": paired_t(a[:k], b[:k]),
            }
            for name, r in results.items():
                sizes.rejected[name] += r.p_value <= LEVEL
        found.append(sizes)
    return found
