"""What working down the ranking yields: the gains curve and the lift curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from surefold.curves.curve import Array, Curve, share_of_one, upper_hull
from surefold.errors import InputError, show
from surefold.tallies.ratio import ratio
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["Gains", "GainsCounts", "Lift"]


@dataclass(frozen=True, eq=False, repr=False)
class Gains(Curve):
    """Share of the rows, best scores first (x), and share of the positives among them (y).

    Four rows, two positive, ranked + - + -: half of the rows hold half of the positives, three quarters hold all.

    >>> g = Gains.of(ScoreGroups.of(np.array([0.9, 0.7, 0.5, 0.2]), np.array([True, False, True, False])))
    >>> g.x.tolist(), g.y.tolist(), g.at(0.625)
    ([0.0, 0.25, 0.5, 0.75, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], 0.75)
    """

    name: ClassVar[str] = "gains curve"
    x_name: ClassVar[str] = "Share of the rows, best scores first"
    y_name: ClassVar[str] = "Share of the positives found"
    columns: ClassVar[tuple[str, str]] = ("share", "gain")

    @classmethod
    def of(cls, tally: ScoreGroups) -> Gains:
        """From a tally of scores."""
        share = ratio(np.append(0.0, tally.tp + tally.fp), tally.total)
        gain = ratio(np.append(0.0, tally.tp), tally.positives)
        return cls(share, gain, np.append(np.inf, tally.score), tally)

    @property
    def share(self) -> Array:
        """The share of all rows that are called, from none to all."""
        return self.x

    def at(self, share: float) -> float:
        """The share of the positives in this share of the rows; linear between points, as ties in random order are."""
        return float(np.interp(share_of_one("share", share), self.x, self.y))

    @property
    def prevalence(self) -> float:
        """The share of positives."""
        return float(ratio(self.tally.positives, self.tally.total))

    @property
    def counts(self) -> GainsCounts:
        """The same in numbers of rows and of positives."""
        return GainsCounts(self.x * self.tally.total, self.y * self.tally.positives, self.threshold, self.tally)

    @property
    def random(self) -> Curve:
        """Rows in random order."""
        ends = np.array([0.0, 1.0])
        return Curve(ends, ends, np.array([np.inf, -np.inf]))

    @property
    def perfect(self) -> Curve:
        """Every positive before any negative."""
        ends = np.array([0.0, self.prevalence, 1.0])
        return Curve(ends, np.array([0.0, 1.0, 1.0]), np.array([np.inf, 0.0, -np.inf]))

    @property
    def area_between(self) -> float:
        """The area between this curve and the random line."""
        return self.area - 0.5

    @property
    def accuracy_ratio(self) -> float:
        """`area_between` against that of the perfect order: Gini's coefficient, 2 AUC - 1."""
        return float(ratio(self.area_between, self.perfect.area - 0.5))

    def _hull_places(self) -> NDArray[np.intp]:
        return upper_hull(self.x, self.y)


@dataclass(frozen=True, eq=False, repr=False)
class GainsCounts(Curve):
    """Rows taken, best scores first (x), and positives among them (y): what a campaign of so many letters brings.

    >>> g = Gains.of(ScoreGroups.of(np.array([0.9, 0.7, 0.5, 0.2]), np.array([True, False, True, False]))).counts
    >>> g.x.tolist(), g.y.tolist(), g.at(3)
    ([0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 1.0, 1.0, 2.0, 2.0], 2.0)
    """

    name: ClassVar[str] = "gains curve in counts"
    x_name: ClassVar[str] = "Rows taken, best scores first"
    y_name: ClassVar[str] = "Positives found"
    columns: ClassVar[tuple[str, str]] = ("rows", "positives")

    def at(self, rows: float) -> float:
        """The positives among this many rows; linear between points, as ties in random order are."""
        if not 0 <= rows <= self.tally.total:
            cure = f"give a number of rows from 0 to {self.tally.total:,g}"
            raise InputError("bad_option", f"rows={show(rows)}", cure=cure)
        return float(np.interp(rows, self.x, self.y))


@dataclass(frozen=True, eq=False, repr=False)
class Lift(Curve):
    """Share of the rows, best scores first (x), and how many times commoner positives are among them (y).

    The first point, where no row is called, is undefined: its lift is NaN.

    >>> lift = Lift.of(ScoreGroups.of(np.array([0.9, 0.7, 0.5, 0.2]), np.array([True, False, True, False])))
    >>> lift.y.round(3).tolist(), lift.at(0.5)
    ([nan, 2.0, 1.0, 1.333, 1.0], 1.0)
    """

    name: ClassVar[str] = "lift curve"
    x_name: ClassVar[str] = "Share of the rows, best scores first"
    y_name: ClassVar[str] = "Lift (precision over prevalence)"
    columns: ClassVar[tuple[str, str]] = ("share", "lift")

    @classmethod
    def of(cls, tally: ScoreGroups) -> Lift:
        """From a tally of scores."""
        gains = Gains.of(tally)
        return cls(gains.x, ratio(gains.y, gains.x), gains.threshold, tally)

    @property
    def share(self) -> Array:
        """The share of all rows that are called, from none to all."""
        return self.x

    @property
    def gains(self) -> Gains:
        """The gains curve of the same scores."""
        return Gains.of(self.tally)

    @property
    def prevalence(self) -> float:
        """The share of positives."""
        return float(ratio(self.tally.positives, self.tally.total))

    @property
    def running_area(self) -> Array:
        """By trapezoids, with the lift before the first point as at it."""
        y = np.where(np.isnan(self.y), self.y[np.argmin(np.isnan(self.y))], self.y)
        return np.append(0.0, np.cumsum(np.diff(self.x) * (y[1:] + y[:-1]) / 2))

    def at(self, share: float) -> float:
        """The lift of this share of the rows: `gains.at(share) / share`; NaN at 0, where no row is called."""
        return float(ratio(self.gains.at(share), share))

    @property
    def random(self) -> Curve:
        """Rows in random order: a lift of 1."""
        return Curve(np.array([0.0, 1.0]), np.ones(2), np.array([np.inf, -np.inf]))

    @property
    def perfect(self) -> Curve:
        """Every positive before any negative: 1 / prevalence until they run out, then 1 / share."""
        x = np.concatenate([[0.0], np.linspace(self.prevalence, 1.0, 101)])
        return Curve(x, ratio(1.0, np.maximum(x, self.prevalence)), np.append(np.inf, np.linspace(0, -1, 101)))
