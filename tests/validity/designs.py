"""Populations to draw tables from: the named ones of the page, and others drawn at random with a fixed seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Design:
    """A population table (cells add up to 1, truth in rows) and how many rows are drawn from it."""

    name: str
    population: Array
    n: int

    @property
    def classes(self) -> int:
        return len(self.population)

    def draw(self, repetitions: int, rng: np.random.Generator) -> Array:
        """`repetitions` tables of n rows each."""
        cells = self.population.ravel()
        drawn = rng.multinomial(self.n, cells / cells.sum(), size=repetitions)
        return drawn.reshape(-1, self.classes, self.classes).astype(float)


def population(shares: Any, recalls: Any, wrong: Array | None = None) -> Array:
    """A population table from class shares, recalls and (if not even) where the errors of each class go."""
    shares, k = np.asarray(shares, dtype=float), len(shares)
    recalls = np.broadcast_to(np.asarray(recalls, dtype=float), k)
    if wrong is None:
        wrong = (1 - np.eye(k)) / max(k - 1, 1)
    rows = (1 - recalls)[:, None] * wrong + np.diag(recalls)
    return np.asarray(shares[:, None] * rows)


def named() -> Iterator[tuple[str, Design]]:
    """The grid that the defaults were first judged on, as (group, design)."""
    even = np.full(3, 1 / 3)
    for n in (50, 100):
        yield "multiclass", Design(f"3 balanced classes, n={n}", population(even, 0.75), n)
    for n in (50, 100, 300):
        yield "multiclass", Design(f"80/15/5, n={n}", population([0.80, 0.15, 0.05], [0.9, 0.7, 0.6]), n)
    for n in (50, 100, 300):
        yield "multiclass", Design(f"macro-F1 of .97, n={n}", population(even, 0.97), n)
    for n in (100, 300):
        yield "multiclass", Design(f"10 classes, n={n}", population(np.full(10, 0.1), 0.7), n)
    for n in (50, 100, 300):
        yield "binary", Design(f"95/5, n={n}", population([0.95, 0.05], [0.97, 0.7]), n)
    for n in (50, 100):
        yield "binary", Design(f"70/30, n={n}", population([0.7, 0.3], [0.85, 0.75]), n)


def at_random(count: int, seed: int) -> list[Design]:
    """Designs nobody chose: 2 to 20 classes, 40 to 2,000 rows, skewed shares, near-perfect and useless classifiers.

    Every other design has at least 15 expected rows of every class, so that both sides of the flag are seen.
    """
    rng = np.random.default_rng(seed)
    found: list[Design] = []
    while len(found) < count:
        k = int(rng.integers(2, 21))
        n = round(float(np.exp(rng.uniform(np.log(40), np.log(2000)))))
        shares = rng.dirichlet(np.full(k, rng.choice([1.0, 3.0, 20.0])))
        well_filled = n * shares.min() >= 15
        if n * shares.min() < 1 or well_filled != (len(found) % 2 == 0):
            continue
        kind = rng.choice(["near-perfect", "useless", "ordinary"], p=[0.25, 0.15, 0.6])
        found.append(Design(f"{len(found) + 1}: {k} classes, n={n}, {kind}", _classifier(kind, shares, rng), n))
    return found


def _classifier(kind: str, shares: Array, rng: np.random.Generator) -> Array:
    k = len(shares)
    if kind == "useless":  # calls that do not look at the row, or hardly
        calls = rng.dirichlet(np.full(k, 5.0))
        looks = rng.uniform(0, 0.1)
        return np.asarray(shares[:, None] * ((1 - looks) * calls + looks * np.eye(k)))
    accuracy = rng.uniform(0.96, 0.999) if kind == "near-perfect" else rng.uniform(0.4, 0.95)
    spread = 100 if kind == "near-perfect" else 20
    recalls = rng.beta(spread * accuracy, spread * (1 - accuracy), size=k)
    wrong = np.zeros((k, k))
    for i in range(k):
        wrong[i, np.arange(k) != i] = rng.dirichlet(np.full(k - 1, rng.choice([0.5, 2.0])))
    return population(shares, recalls, wrong)
