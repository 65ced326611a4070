"""Types of what people give. Each is read and checked at a door; these say to a type checker what makes sense there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Costs", "Features", "RandomState", "Seed", "Shaped", "Values"]


class Shaped(Protocol):
    """What has rows and columns: a matrix of any package, a data frame."""

    @property
    def shape(self) -> tuple[int, ...]:
        """How many rows, and how many columns."""


#: One value a row: labels, weights, groups, figures; a list, an array, a column of a frame.
Values = ArrayLike | Sequence[object]
#: Rows by columns: an array, a frame, a list of rows.
Features = ArrayLike | Sequence[object] | Shaped
#: What errors cost: a table of true by predicted classes, or what an error of each class costs.
Costs = Features | Mapping[Any, object]
#: What draws start from: a whole number, a generator, or nothing.
Seed = int | np.random.Generator | None
#: The same where scikit-learn is at work as well.
RandomState = Seed | np.random.RandomState
