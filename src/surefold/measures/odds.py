"""Scores as log odds for what is fitted to them: single scores where they are few, else some hundred nodes.

A sum over rows of a smooth function of the log odds needs no rows. In cells of the log odds the moments of the rows
against Chebyshev's polynomials are taken once; sums over the cell's ten Chebyshev nodes, weighted by what reproduces
these moments, then are the sums over its rows, but for what a polynomial of degree 9 leaves of the function. For a
logistic curve of slope b that is (4 pi / (b width))^-10: 1e-14 at a slope of 2 in cells a quarter wide. Weights of
nodes may be negative.

Source: Mason & Handscomb (2003), Chebyshev Polynomials, chapters 5 and 6.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from surefold.measures.recalibration import Fit, fit_line, fit_shift, log_odds
from surefold.tallies.runs import Run
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.walks import Sum, Walk, has_both_classes, has_probabilities, usual

__all__ = ["Odds", "nodes"]

Array = NDArray[np.float64]

#: Up to so many scores, they are taken one by one.
FEW = 2048
_NODES = 10
_CELLS = 4  # in one unit of log odds
#: Steeper than this, cells are halved.
_STEEP = 2.5


@dataclass(frozen=True, eq=False)
class Odds:
    """Log odds, with the weight of the positives and of the negatives at each, and squared weights.

    >>> rng = np.random.default_rng(0)
    >>> t = ScoreGroups.of(rng.random(5000), rng.random(5000) < 0.5)
    >>> nodes, rows = Odds.of(t), Odds.of_scores(t)
    >>> len(nodes.x) < 1000, bool(abs(nodes.line().slope - rows.line().slope) < 1e-13)
    (True, True)
    """

    x: Array
    positive: Array
    negative: Array
    squares: tuple[Array, Array]
    _lines: dict[bool, Fit] = field(default_factory=dict, init=False)

    @classmethod
    def of(cls, t: ScoreGroups) -> Odds:
        """Of a tally whose scores are probabilities, fine enough for the slope that they have; made once."""
        if "odds" not in t.ledger:
            found, steep = cls.of_scores(t) if t.most_scores <= FEW else NODES.of(t), 1.0
            if t.most_scores > FEW and has_both_classes(t):
                steep = abs(float(found.line(added=True).slope)) / _STEEP
            if steep > 1:  # no more cells than would hold the slope of scores that nearly separate the classes
                found = nodes(_CELLS * 2 ** min(int(np.ceil(np.log2(steep))), 6)).of(t)
            t.ledger["odds"] = found
        kept: Odds = t.ledger["odds"]
        return kept

    @classmethod
    def of_scores(cls, t: ScoreGroups) -> Odds:
        """Every distinct score by itself."""
        return cls(log_odds(t.score, t.clip), t.positive, t.negative, t.squares)

    @classmethod
    def walk(cls, t: ScoreGroups, cells: int) -> Walk[Odds]:
        """The nodes of the cells that hold scores, so many cells in a unit of log odds."""
        low, high = (int(np.floor(x * cells)) for x in log_odds(np.array(t.ends), t.clip))
        sums = np.zeros((4 if t.is_weighted else 2, _NODES, high - low + 1))
        while (run := (yield)) is not None:
            _add_moments(sums, run, cells, low)
        order = np.arange(_NODES)
        angle = np.pi * (order + 0.5) / _NODES
        back = 2 / _NODES * np.cos(np.outer(order, angle))  # moments to weights; the first is halved
        back[0] /= 2
        held = np.flatnonzero(sums[:, 0].any(axis=0))
        x = ((low + held)[:, None] + (np.cos(angle) + 1) / 2) / cells
        first, second, *squares = (np.einsum("kc,kj->cj", side[:, held], back).ravel() for side in sums)
        return cls(x.ravel(), first, second, (squares[0], squares[1]) if squares else (first, second))

    def scaled(self, factor: float) -> Odds:
        """With every weight multiplied."""
        if factor == 1:
            return self
        first, second = (q * factor**2 for q in self.squares)
        return Odds(self.x, self.positive * factor, self.negative * factor, (first, second))

    def line(self, *, added: bool = False) -> Fit:
        """Intercept and slope of the truth's log odds on these."""
        if added not in self._lines:
            self._lines[added] = fit_line(self.x, self.positive, self.negative, self.squares, added=added)
        return self._lines[added]

    def shift(self, *, added: bool = False) -> Fit:
        """The intercept with the slope held at 1."""
        return fit_shift(self.x, self.positive, self.negative, self.squares, added=added)


def nodes(cells: int) -> Sum[Odds]:
    """The nodes of so many cells in a unit of log odds."""
    return Sum(("nodes", cells), lambda t: Odds.walk(t, cells), has_probabilities)


NODES = usual(nodes(_CELLS))


def _add_moments(sums: Array, run: Run, cells: int, low: int) -> None:
    """Add the moments of a run to sums[class, degree, cell]; of the squared weights too where rows are weighted.

    Of the polynomials only those up to degree 5 are worked out. As T_(j+k) = 2 T_j T_k - T_(j-k), the moments of the
    others follow from sums of products.
    """
    x = run.log_odds * cells
    cell = np.floor(x)
    x -= cell
    x *= 2
    x -= 1  # -1 to 1 within the cell
    starts = np.append(0, np.flatnonzero(cell[1:] != cell[:-1]) + 1)
    weights = (run.positive, run.negative, run.positive2, run.negative2)[: len(sums)]
    for of_class, (side, weight) in enumerate(zip(sums, weights, strict=True)):
        at = run.places[of_class % 2]
        first = np.unique(np.searchsorted(at, starts))
        first = first[first < len(at)]
        if len(first):
            each = None if run.labels is not None else weight.take(at)
            side[:, cell.take(at[first]).astype(np.intp) - low] += _moments(x.take(at), each, first)


def _moments(x: Array, weight: Array | None, starts: NDArray[np.intp]) -> Array:
    """The moments of each stretch of places from -1 to 1, weighted or counted."""
    degrees, twice = [np.ones_like(x), x], 2 * x
    while len(degrees) <= _NODES // 2:
        now = twice * degrees[-1]
        now -= degrees[-2]
        degrees.append(now)
    weighed = degrees if weight is None else [weight * each for each in degrees]
    found = [np.add.reduceat(each, starts) for each in weighed]
    for k in range(len(degrees), _NODES):
        found.append(2 * np.add.reduceat(weighed[(k + 1) // 2] * degrees[k // 2], starts) - found[k % 2])
    return np.stack(found)
