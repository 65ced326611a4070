"""Tests over folds where neither learner can be better: each sees one of two sets of columns that are alike."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from surefold.comparison import corrected_t, five_by_two_f, five_by_two_t, paired_t

from .comparison_sizes import LEVEL
from .coverage import Array
from .fold_designs import LEARNERS, Labels, Learner
from .page import Gate, share
from .tables import SEED

ROWS, COLUMNS, FOLDS, REPEATS = 100, 4, 10, 10
TESTS = {
    "corrected 9": "corrected t, 9 d.f.",
    "corrected 99": "99 d.f.",
    "5x2 F": "5 x 2 F",
    "5x2 t": "5 x 2 t",
    "paired 10": "t, 10 folds",
    "paired 100": "t, 10 x 10",
}
FLAGGED = ("corrected 99", "5x2 F", "5x2 t", "paired 10", "paired 100")


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
        slack = 3 * np.sqrt(LEVEL * (1 - LEVEL) / self.draws)
        found = self.size("corrected 9")
        name = f"size of corrected t, 9 d.f., {self.learner}"
        return Gate(name, f"at most {share(self.most)}", share(found), found <= self.most + slack)

    def weak(self) -> str:
        sizes = ", ".join(f"{TESTS[t]} {share(self.size(t))}" for t in FLAGGED)
        return f"{self.learner}, two alike over folds, size at .05: {sizes}; all flagged."


def draw(rng: np.random.Generator) -> tuple[Array, Array, Labels]:
    """Two sets of columns that tell the class equally well."""
    y = rng.random(ROWS) < 0.5
    first, second = rng.normal(size=(2, ROWS, COLUMNS))
    for columns in (first, second):
        columns[:, :2] += np.where(y, 0.8, 0.0)[:, None]
    return first, second, y


def wrong(fit: Learner, X: Array, y: Labels, held_out: Labels) -> Array:
    """The share of errors in each split."""
    labels = fit(X, y, 1.0 - held_out, X, held_out)
    return np.asarray(((labels != y) & held_out).sum(1) / held_out.sum(1))


def run_folds(quick: bool) -> list[FoldSizes]:
    found = []
    for place, (learner, draws) in enumerate((("logistic", 1000), ("tree", 250), ("5 neighbours", 1000))):
        draws = draws // 20 if quick else draws
        rng, fit, sizes = np.random.default_rng([SEED, 26, place]), LEARNERS[learner], FoldSizes(learner, draws)
        for _ in range(draws):
            first, second, y = draw(rng)
            folds = np.stack([rng.permutation(ROWS) % FOLDS for _ in range(REPEATS)])
            halves = np.stack([rng.permutation(ROWS) % 2 for _ in range(5)])
            tested = (folds[:, None, :] == np.arange(FOLDS)[None, :, None]).reshape(-1, ROWS)
            split = (halves[:, None, :] == np.arange(2)[None, :, None]).reshape(-1, ROWS)
            a, b = (wrong(fit, X, y, np.concatenate([tested, split])) for X in (first, second))
            k, d = FOLDS * REPEATS, (a - b)[FOLDS * REPEATS :].reshape(5, 2)
            results = {
                "corrected 9": corrected_t(a[:k], b[:k], 90, 10, df=9),
                "corrected 99": corrected_t(a[:k], b[:k], 90, 10),
                "5x2 F": five_by_two_f(d),
                "5x2 t": five_by_two_t(d),
                "paired 10": paired_t(a[:FOLDS], b[:FOLDS]),
                "paired 100": paired_t(a[:k], b[:k]),
            }
            for name, r in results.items():
                sizes.rejected[name] += r.p_value <= LEVEL
        found.append(sizes)
    return found
