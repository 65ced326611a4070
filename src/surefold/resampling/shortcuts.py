"""Held-out predictions without refitting: the protocol a learner may implement.

A learner whose fit is a sum over rows (class counts, means, scatter) can take the tested rows out of that sum, which
costs their number and not the size of the data. `cross_validate` and `leave_one_out` use it where a learner has it and
the training rows are all the others; the answer must be the one that refitting gives.
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from surefold.given import Features

__all__ = ["HoldsOut"]


@runtime_checkable
class HoldsOut(Protocol):
    """A learner that knows its held-out predictions in closed form.

    Split i tests the rows `test_rows[test_starts[i]:test_starts[i + 1]]` and trains on all others. The answer has a row
    for each place in `test_rows` and a column for each class of `np.unique(y)`: the probabilities that the learner,
    fitted to the other rows, gives. The class with the largest one is what `predict` would say.
    """

    def held_out_proba(
        self, X: Features, y: NDArray[Any], test_rows: NDArray[np.int64], test_starts: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Probabilities of all test rows, split after split, each as if fitted to the other rows."""
