"""Numbers at the door of a test: pairs, tables, alternatives, and what a tail says about them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, refuse_unknown, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import checked_seed
from surefold.given import Seed, Values

__all__ = [
    "Alternative",
    "Pairs",
    "checked_alternative",
    "checked_number",
    "checked_numbers",
    "checked_pairs",
    "drawing",
    "no_effect",
    "no_spread",
    "oriented",
    "p_of_tails",
    "pairs_of",
    "tied_ranks",
]

Array = NDArray[np.float64]
Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")

#: Differences this small beside the numbers they are of are what rounding leaves of none.
_ROUNDING = 1e-13
#: A chance too small for a float is small, not none.
_LEAST = float(np.finfo(float).tiny)


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two columns of numbers for the same folds, rows or data sets, and first minus second.

    Differences that rounding alone makes are zero: 0.3 - (0.1 + 0.2) is a tie. `rounding` is how far apart two
    differences may be and count as equal.
    """

    first: Array
    second: Array
    difference: Array
    rounding: float

    def __len__(self) -> int:
        return len(self.difference)

    @property
    def mean(self) -> float:
        """The mean of the differences."""
        return float(self.difference.mean())

    @property
    def spread(self) -> float:
        """The standard deviation, by one less than the pairs; zero where all differences are equal, or there is one."""
        away = self.difference - self.mean
        most = float(np.abs(away).max())
        if len(self) == 1 or most <= self.rounding:
            return 0.0
        away /= most  # squares of very large or small differences would not fit
        return most * math.sqrt(float(away @ away) / (len(self) - 1))


def checked_pairs(a: Values, b: Values, names: tuple[str, str] = ("a", "b")) -> Pairs:
    """Two equally long columns of finite numbers."""
    indexes: list[Any] = [index for column in (a, b) if hasattr(index := getattr(column, "index", None), "equals")]
    if len(indexes) == 2 and len(indexes[0]) == len(indexes[1]) and not indexes[0].equals(indexes[1]):
        cure = "put both in the same order; if they are, drop the indexes with .to_numpy()"
        raise InputError("different_rows", f"the indexes of {names[0]} and {names[1]} differ", cure=cure)
    x, y = checked_numbers(a, names[0]), checked_numbers(b, names[1])
    if len(x) != len(y):
        problem = f"{names[0]} has {len(x):,} numbers, {names[1]} has {len(y):,}"
        raise InputError("length_mismatch", problem, cure="give both for the same folds, rows or data sets")
    return pairs_of(x, y)


def pairs_of(x: Array, y: Array) -> Pairs:
    """Pairs of two columns that are checked already."""
    rounding = _ROUNDING * float(max(np.abs(x).max(), np.abs(y).max()))
    difference = x - y
    return Pairs(x, y, np.where(np.abs(difference) <= rounding, 0.0, difference), rounding)


def checked_numbers(values: object, name: str, dimensions: int = 1) -> Array:
    """Finite numbers in one list, or in a table with `dimensions=2`."""
    cure = "give a list or array of numbers" if dimensions == 1 else "give a table of numbers"
    if np.ma.isMaskedArray(values):
        values = np.ma.filled(values.astype(float), np.nan)
    if "128" in str(getattr(values, "dtype", "")):  # whole numbers of polars that numpy has no type for
        values = list(cast("Iterable[object]", values))
    try:
        found = np.asarray(values)
        if found.dtype.kind not in "biufO" or (found.dtype.kind == "O" and any(isinstance(x, str) for x in found.flat)):
            raise TypeError
        x = found.astype(float)
    except (OverflowError, TypeError, ValueError):
        raise InputError("not_an_array", f"{name} is not made of numbers: {show(values)}", cure=cure) from None
    if x.ndim != dimensions:
        code = "not_an_array" if x.ndim == 0 else "bad_shape"
        raise InputError(code, f"{name} has shape {x.shape}", cure=cure)
    if not x.size:
        raise InputError("no_rows", f"{name} is empty", cure="give at least one number")
    bad = ~(np.isfinite(x) if dimensions == 1 else np.isfinite(x).all(axis=1))
    if bad.any():
        rows = (np.flatnonzero(bad)[:3] + 1).tolist()
        count = int(bad.sum())
        cure = "leave those out on both sides, or use a measure that is defined everywhere"
        raise InputError("missing_value", f"{name} is missing or not finite", rows=rows, count=count, cure=cure)
    return x


def checked_number(value: Any, name: str, least: float, most: float = math.inf, cure: str = "") -> float:
    """One finite number within limits."""
    try:
        x = float(value)
    except (OverflowError, TypeError, ValueError):
        x = math.nan
    if not (math.isfinite(x) and least <= x <= most):
        raise InputError("bad_option", f"{name}={show(value)}", cure=cure or f"give a number of at least {least:g}")
    return x


def drawing(random_state: Seed) -> np.random.Generator:
    """Where draws come from; without a seed from 0, so that the same call gives the same p.

    >>> drawing(None).random() == np.random.default_rng(0).random()
    True
    """
    seed = checked_seed(random_state)
    return np.random.default_rng(0 if seed is None else seed)


def checked_alternative(alternative: str) -> None:
    """`UnknownNameError` of what is no alternative."""
    refuse_unknown("alternative", alternative, ALTERNATIVES)


def p_of_tails(upper: float, lower: float, alternative: Alternative) -> float:
    """p from P(statistic >= seen) and P(statistic <= seen): one of them, or twice the smaller; above 0, not above 1."""
    chosen = {"greater": upper, "less": lower}.get(alternative, 2 * min(upper, lower))
    return min(1.0, max(float(chosen), _LEAST))


def tied_ranks(values: Array, rounding: float = 0.0) -> Array:
    """Ranks from 1, mean ranks for ties; values that differ by `rounding` or less are tied.

    >>> tied_ranks(np.array([5.0, 1.0, 5.0])).tolist()
    [2.5, 1.0, 2.5]
    """
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(values[order]) > rounding))
    sizes = np.diff(np.append(starts, len(values)))
    ranks = np.empty(len(values))
    ranks[order] = np.repeat(starts + (sizes + 1) / 2, sizes)
    return ranks


def oriented(d: Array) -> tuple[Array, bool]:
    """The differences in rising order, turned so that the larger side is positive; and whether they were turned.

    What draws at random starts from here, so that neither the order of the pairs nor which comes first matters.
    """
    up, down = np.sort(d), np.sort(-d)
    apart = np.flatnonzero(up != down)
    lead = math.fsum(up / (np.abs(up).max() or 1.0)) or (float(up[apart[0]] - down[apart[0]]) if len(apart) else 0.0)
    return (down, True) if lead < 0 else (up, False)


def no_spread(value: float, n: int) -> str:
    """Why differences that are all equal to `value` have no interval."""
    if n == 1:
        return "the only difference has no spread to make an interval of"
    alike = f"all {n} pairs are identical" if value == 0 else f"all {n} differences are equal"
    return f"{alike}, so there is no spread to make an interval of"


def no_effect(reason: str, name: str = "", confidence: float = 0.95, n: float = math.nan) -> Estimate:
    """No value and no interval, and why."""
    return Estimate(math.nan, math.nan, math.nan, confidence=confidence, n=n, name=name, reason=reason)
