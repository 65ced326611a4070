"""Scores as log odds for what is fitted to them: single scores where they are few, else some hundred nodes.

A sum over rows of a smooth function of the log odds needs no rows. In cells of the log odds the moments of the rows
against Chebyshev's polynomials are taken once; sums over the cell's ten Chebyshev nodes, weighted by what reproduces
these moments, then are the sums over its rows, but for what a polynomial of degree 9 leaves of the function. For a
logistic curve of slope b that is (4 pi / (b width))^-10: 1e-14 at a slope of 2 in cells a quarter wide. Weights of
nodes may be negative.

Source: Mason & Handscomb (2003), Chebyshev Polynomials, chapters 5 and 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from surefold.measures.recalibration import Fit, fit_line, fit_shift, log_odds
from surefold.tallies.runs import Run
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["Odds"]

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

    @classmethod
    def of(cls, t: ScoreGroups) -> Odds:
        """Of a tally whose scores are probabilities, fine enough for the slope that they have; made once."""
        if "odds" not in t.ledger:
            found = cls.of_scores(t) if t.most_scores <= FEW else cls.at_nodes(t)
            steep = 1.0
            if t.most_scores > FEW and t.positives > 0 and t.negatives > 0:
                steep = abs(float(found.line(added=True).slope)) / _STEEP
            if steep > 1:  # no more cells than would hold the slope of scores that nearly separate the classes
                found = cls.at_nodes(t, _CELLS * 2 ** min(int(np.ceil(np.log2(steep))), 6))
            t.ledger["odds"] = found
        kept: Odds = t.ledger["odds"]
        return kept

    @classmethod
    def of_scores(cls, t: ScoreGroups) -> Odds:
        """Every distinct score by itself."""
        return cls(log_odds(t.score, t.clip), t.positive, t.negative, t.squares)

    @classmethod
    def at_nodes(cls, t: ScoreGroups, cells: int = _CELLS) -> Odds:
        """The nodes of the cells that hold scores, so many cells in a unit of log odds."""
        low, high = (int(np.floor(x * cells)) for x in log_odds(np.array(t.ends), t.clip))
        sums = np.zeros((4 if t.is_weighted else 2, _NODES, high - low + 1))
        for run in t.runs():
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
        return fit_line(self.x, self.positive, self.negative, self.squares, added=added)

    def shift(self, *, added: bool = False) -> Fit:
        """The intercept with the slope held at 1."""
        return fit_shift(self.x, self.positive, self.negative, self.squares, added=added)


def _add_moments(sums: Array, run: Run, cells: int, low: int) -> None:
    """Add the moments of a run to sums[class, degree, cell]; of the squared weights too where rows are weighted."""
    x = log_odds(run.score, run.clip)
    x *= cells
    cell = np.floor(x)
    x -= cell
    x *= 2
    x -= 1  # -1 to 1 within the cell
    starts = np.flatnonzero(np.append(True, cell[1:] != cell[:-1]))
    at = cell[starts].astype(np.intp) - low
    columns = [*run.sides[0], *run.sides[1]] if len(sums) == 4 else [run.positive, run.negative]
    weights = [columns[i] for i in ((0, 2, 1, 3) if len(sums) == 4 else (0, 1))]
    before, degree, twice = np.ones_like(x), x, 2 * x
    for k in range(_NODES):
        now = before if k == 0 else degree
        if k > 1:
            now = twice * degree
            now -= before
            before, degree = degree, now
        for side, weight in zip(sums, weights, strict=True):
            side[k, at] += np.add.reduceat(now * weight, starts)
