"""Iris as the sources use it: four measurements, two of them, and two principal components, in three or two classes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

__all__ = ["Iris", "iris"]


@dataclass(frozen=True, eq=False)
class Iris:
    """150 flowers, 50 of each species: `measurements` (sepal length and width, petal length and width, in cm)."""

    measurements: NDArray[np.float64]
    species: NDArray[np.str_]
    components: NDArray[np.float64]

    @property
    def sepals(self) -> NDArray[np.float64]:
        """Sepal length and width: the two-dimensional data of the first half of the chapter."""
        return self.measurements[:, :2]

    @property
    def versicolor(self) -> NDArray[np.int64]:
        """+1 for versicolor, the class in between, and -1 for the others: the two classes of the second half."""
        return np.where(self.species == "versicolor", 1, -1)


@cache
def iris() -> Iris:
    """The bundled data. Components are centred and not scaled; the first grows as petals shrink, as in the sources.

    >>> flowers = iris()
    >>> flowers.measurements.shape, flowers.components[0].round(2).tolist(), int(flowers.versicolor.sum())
    ((150, 4), [2.68, 0.32], -50)
    """
    with (files("surefold") / "data" / "iris.csv").open(encoding="utf-8") as file:
        rows = [line.rstrip("\n").split(",") for line in file][1:]
    numbers = np.array([[*row[:4], *row[5:]] for row in rows], dtype=float)
    numbers.setflags(write=False)
    return Iris(numbers[:, :4], np.array([row[4] for row in rows]), numbers[:, 4:])
