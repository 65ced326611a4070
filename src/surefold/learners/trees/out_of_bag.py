"""OutOfBag: the votes of each member on the rows it was not fitted to, and the error that they make.

A row with no vote yet can be counted in two ways. "voted" leaves it out, and says what share of the rows that concerns;
"printed" follows the pseudo-code of the textbook, in which a row without votes falls to the first class.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.estimates.proportion import clopper_pearson, wilson
from surefold.estimates.share_intervals import FEW

__all__ = ["Convention", "OutOfBag"]

Convention = Literal["voted", "printed"]
Floats = NDArray[np.float64]


class OutOfBag:
    """Votes added one member at a time; ties go to the first class.

    >>> bag = OutOfBag(np.array([0, 1, 1]), 2, np.ones(3))
    >>> bag.add(np.array([-1, 1, 0]))  # the first row was in the bag
    >>> bag.path("voted").tolist(), bag.path("printed").round(3).tolist(), bag.coverage
    ([0.5], [0.333], [0.6666666666666666])
    """

    def __init__(self, codes: NDArray[np.integer[Any]], classes: int, weights: Floats) -> None:
        self._codes = codes.astype(np.intp)
        self._weights = weights
        self._total = float(weights.sum())
        self._best = np.full(len(codes), -1, dtype=np.intp)
        self._voted = self._wrong = 0.0
        self._wrong_as_first = float(weights[self._codes != 0].sum())
        self.votes = np.zeros((len(codes), classes), dtype=np.int32)
        self.coverage: list[float] = []
        self._errors: list[float] = []
        self._printed: list[float] = []
        self.alone: list[float] = []  # the error of each member by itself

    def add(self, answers: NDArray[np.integer[Any]]) -> None:
        """The class that one more member gives each row; -1 where it was fitted to the row."""
        rows = np.flatnonzero(answers >= 0)
        answer, truth, w = answers[rows].astype(np.intp), self._codes[rows], self._weights[rows]
        total = float(w.sum())
        self.alone.append(float(w[answer != truth].sum()) / total if total > 0 else np.nan)
        before = self._best[rows]
        self.votes[rows, answer] += 1
        first = before < 0
        mine, best = self.votes[rows, answer], self.votes[rows, before]
        wins = first | (mine > best) | ((mine == best) & (answer < before))
        after = np.where(wins, answer, before)
        self._best[rows] = after
        wrong = after != truth
        self._voted += float(w[first].sum())
        self._wrong += float((w * (wrong.astype(int) - (~first & (before != truth)))).sum())
        self._wrong_as_first += float((w * (wrong.astype(int) - (np.maximum(before, 0) != truth))).sum())
        self.coverage.append(self._voted / self._total)
        self._errors.append(self._wrong / self._voted if self._voted > 0 else np.nan)
        self._printed.append(self._wrong_as_first / self._total)

    def path(self, convention: Convention) -> Floats:
        """The error after each member; NaN while no row has a vote, unless such rows count as the first class."""
        if convention not in ("voted", "printed"):
            raise UnknownNameError("convention", convention, ("voted", "printed"))
        return np.array(self._errors if convention == "voted" else self._printed)

    def estimate(self, confidence: float) -> Estimate:
        """The error over rows with a vote, with its interval."""
        n = float(((self._best >= 0) & (self._weights > 0)).sum())
        errors = min(max(self._errors[-1] * n, 0.0), n)
        exact = errors <= FEW or n - errors <= FEW
        return (clopper_pearson if exact else wilson)(errors, n, confidence=confidence)
