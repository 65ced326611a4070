"""Racing: candidates run fold by fold, and one that is significantly behind the leader runs no more."""

from __future__ import annotations

from collections.abc import Mapping

from surefold.selection.score import Floats
from surefold.significance.paired_folds import corrected_t

__all__ = ["FIRST_LOOK", "behind"]

#: Folds before the first candidate may be dropped: fewer say too little about how much they vary.
FIRST_LOOK = 4


def behind(
    values: Mapping[str, Floats], n_train: Floats, n_test: Floats, *, sign: int, folds: int, level: float
) -> dict[str, float]:
    """The candidates that the corrected t finds worse than the leader, one-sided at `level`, and p of each.

    Degrees of freedom are the folds seen less one, at most those of one repeat. The leader is the best so far and it is
    looked at after every fold, so among equal candidates some are dropped by chance; that does no harm, because the
    one that would win is seldom among them (`docs/decisions/0010-selection.md`).

    >>> import numpy as np
    >>> good, poor = np.array([0.9, 0.8, 0.9, 0.9]), np.array([0.5, 0.4, 0.6, 0.5])
    >>> behind({"a": good, "b": poor}, np.full(4, 90.0), np.full(4, 10.0), sign=1, folds=10, level=0.05).keys()
    dict_keys(['b'])
    """
    means = {name: sign * float(each.mean()) for name, each in values.items()}
    leader = max(means, key=means.__getitem__)
    best = sign * values[leader]
    df = max(min(len(best), folds) - 1, 1)
    found = {}
    for name, each in values.items():
        if name == leader or means[name] >= means[leader]:
            continue
        p = corrected_t(best, sign * each, n_train, n_test, df, alternative="greater").p_value
        if p < level:
            found[name] = p
    return found
