"""How many errors more a leaf is charged with by the programs C4.5 and J48 (WEKA).

Both are written for the exact binomial limit and come near it: with errors they take a normal approximation corrected
for continuity, below one error they go straight from none to one, and at the upper end to nothing.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from surefold.estimates.quantiles import normal_quantile

__all__ = ["added_errors"]

#: C4.5 reads the normal deviation off this table, by straight lines: .6925 at a chance of .25, where it is .6745.
CHANCES = (0.0, 0.001, 0.005, 0.01, 0.05, 0.10, 0.20, 0.40, 1.0)
DEVIATIONS = (4.0, 3.09, 2.58, 2.33, 1.65, 1.28, 0.84, 0.25, 0.0)


def added_errors(errors: float, n: float, chance: float, program: Literal["c45_program", "j48"]) -> float:
    """What is added to the errors of n rows, as the program has it.

    >>> round((1 + added_errors(1, 16, 0.25, "c45_program")) / 16, 3)  # .157 in Quinlan (1993), C4.5, ch. 4
    0.157
    """
    if errors < 1:
        none = n * (1 - float(chance ** (1 / n)))
        return none if errors == 0 else none + errors * (added_errors(1.0, n, chance, program) - none)
    if errors + 0.5 >= n:
        return max(n - errors, 0.0) * (0.67 if program == "c45_program" else 1.0)
    z = float(np.interp(chance, CHANCES, DEVIATIONS)) if program == "c45_program" else normal_quantile(1 - chance)
    near, z2 = errors + 0.5, z * z
    return n * (near + z2 / 2 + math.sqrt(z2 * (near * (1 - near / n) + z2 / 4))) / (n + z2) - errors
