"""Two areas under the ROC curve where the difference is known: on the same rows, and on separate ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr

from surefold.estimates.quantiles import normal_quantile
from surefold.significance.paired_auc import PairedAreas, square_and_add, welch_df, welch_part
from surefold.tallies.score_groups import ScoreGroups

from .comparison_sizes import LEVEL, Size
from .coverage import CONFIDENCE, Array, holds
from .page import share
from .ranking import moments, scores
from .tables import SEED

Z = normal_quantile((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class PairDesign:
    """Two scores of every row: a part they share and a part of their own, and how far the positives are ahead."""

    name: str
    ahead: tuple[float, float]
    shared: float
    shape: str = "normal"

    def draw(self, is_positive: Array, rng: np.random.Generator) -> Array:
        """2 x rows."""
        n = len(is_positive)
        parts = {
            "normal": lambda size: rng.normal(size=size),
            "skewed": lambda size: rng.exponential(size=size),
            "skewed down": lambda size: -rng.gamma(0.7, size=size),
            "heavy": lambda size: rng.standard_t(2, size),
            "ties": lambda size: rng.normal(size=size),
        }
        noise = parts[self.shape]
        found = self.shared * noise(n) + (1 - self.shared) * noise((2, n)) + np.outer(self.ahead, is_positive)
        return np.round(found * 2) / 2 if self.shape == "ties" else np.asarray(found)

    @property
    def is_null(self) -> bool:
        return self.ahead[0] == self.ahead[1]

    def truth(self) -> float:
        """The difference of the areas, from many rows where there is one."""
        if self.is_null:
            return 0.0
        rng, half = np.random.default_rng([SEED, 23]), 400_000
        is_positive = np.arange(2 * half) < half
        first, second = (ScoreGroups.of(s, is_positive).auc for s in self.draw(is_positive, rng))
        return first - second


PAIRS = (
    *(PairDesign(f"{shape}, equal", (1.0, 1.0), 0.5, shape) for shape in ("normal", "skewed", "heavy", "ties")),
    PairDesign("normal, both near one", (3.0, 3.0), 0.7),
    PairDesign("skewed down, both near one", (2.5, 2.5), 0.7, "skewed down"),
    PairDesign("nearly the same scores", (1.0, 1.0), 0.95),
    PairDesign("normal, .95 and .8", (1.7, 0.85), 0.5),
    PairDesign("skewed, one near one", (3.0, 1.0), 0.3, "skewed"),
    PairDesign("nothing shared, .7 and .6", (0.75, 0.35), 0.0),
    PairDesign("skewed down, one near one", (3.0, 1.5), 0.9, "skewed down"),
    PairDesign("much alike, .92 and .90", (1.3, 1.2), 0.9),
)
PAIR_SIZES = ((8, 40), (40, 8), (10, 10), (20, 20), (15, 300), (50, 500), (100, 100))


@dataclass(frozen=True)
class PairCell:
    design: PairDesign
    m: int
    n: int
    quarter: float
    plain: float
    rejects: float
    wider: float  # mean width over that of DeLong's
    draws: int

    @property
    def where(self) -> str:
        return f"{self.design.name}, {self.m}/{self.n}"


def paired_areas(draws: int) -> list[PairCell]:
    found = []
    for place, design in enumerate(PAIRS):
        truth = design.truth()
        for m, n in PAIR_SIZES:
            rng = np.random.default_rng([SEED, 24, place, m, n])
            is_positive = np.arange(m + n) < m
            areas = [PairedAreas.of(is_positive, *design.draw(is_positive, rng)) for _ in range(draws)]
            d = np.array([a.difference for a in areas])
            reach, own = (
                Z * np.sqrt([float(variance(a)) for a in areas])
                for variance in (PairedAreas.variance, PairedAreas.delong_variance)
            )
            quarter, plain = (float(holds(d - x, d + x, truth).mean()) for x in (reach, own))
            rejects = float((np.abs(d) >= reach).mean())
            wider = float(reach.mean() / own.mean()) if own.any() else math.inf
            found.append(PairCell(design, m, n, quarter, plain, rejects, wider, draws))
    return found


UNPAIRED = (((20, 20), (20, 20)), ((12, 60), (40, 15)), ((10, 10), (200, 200)), ((50, 50), (50, 50)))


def separate_areas(draws: int) -> tuple[list[Size], list[tuple[str, float]]]:
    """Sizes of the t-tests with equal areas, and coverage of the interval with equal and different ones."""
    sizes, covers = [], []
    for place, shape in enumerate(("normal", "wide positives", "skewed down", "five levels")):
        for first, second in ((0.7, 0.7), (0.95, 0.95), (0.99, 0.99), (0.95, 0.7)):
            populations = [scores(shape, area) for area in (first, second)]
            truth = populations[0].population.auc - populations[1].population.auc
            for numbers in UNPAIRED:
                rng = np.random.default_rng([SEED, 25, place, int(100 * first), int(100 * second), *numbers[0]])
                both = [moments(*p.draw(draws, *size, rng)) for p, size in zip(populations, numbers, strict=True)]
                d = both[0].auc - both[1].auc
                where = f"{shape}, {share(first)} and {share(second)}, {numbers[0]} and {numbers[1]}"
                covers.append((where, float(holds(*square_and_add(both[0], both[1], CONFIDENCE), truth).mean())))
                if first != second:
                    continue
                parts = [welch_part(x) for x in both]
                sizes.append(Size("DeLong unpaired", where, _t_size(d, parts), draws))
                plain = [(x.delong_variance(), sum(size) - 1) for x, size in zip(both, numbers, strict=True)]
                sizes.append(Size("DeLong unpaired, as published", where, _t_size(d, plain), draws, True))
    return sizes, covers


def _t_size(d: Array, parts: list[tuple[Any, Any]]) -> float:
    with np.errstate(invalid="ignore", divide="ignore"):
        variance = np.asarray(sum(v for v, _ in parts))
        p = 2 * stdtr(welch_df(parts), -np.abs(d) / np.sqrt(variance))
    return float(np.where(variance > 0, p <= LEVEL, d != 0).mean())
