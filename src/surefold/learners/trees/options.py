"""The options of trees and forests, checked when a model is fitted, and the limits that they set for growing."""

from __future__ import annotations

from math import ceil, log2, sqrt
from typing import Any, NamedTuple

import numpy as np

from surefold.errors import InputError, UnknownNameError, show

__all__ = ["EXHAUSTIVE", "Limits", "checked_count", "checked_name", "checked_number", "limits_of"]

#: Deeper than any tree.
ENDLESS = 1 << 40
#: With this many levels or fewer in a node, every division of them is tried when there are three classes or more.
EXHAUSTIVE = 10


class Limits(NamedTuple):
    """How to choose, and when to stop."""

    entropy: bool
    leaf_size: int
    purity: float
    columns: int
    depth: int
    split: int
    leaf: int
    share: float
    decrease: float


def checked_name(name: str, value: object, known: tuple[Any, ...]) -> None:
    """Refuse what is not one of the known names."""
    if not any(value is k or value == k for k in known):
        raise InputError("bad_option", f"{name} is {show(value)}", cure=f"give {' or '.join(show(k) for k in known)}")


def checked_count(name: str, value: object, least: int) -> int:
    """Refuse what is not a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError("bad_option", f"{name} is {show(value)}", cure=f"give a whole number of {least} or more")
    return int(value)


def checked_number(name: str, value: Any, low: float, high: float, above: bool = False) -> float:
    """Refuse what is not a number from `low` (not included if `above`) to `high`."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not low <= value <= high or (above and value == low):
        start = f"above {low:g}" if above else f"from {low:g}"
        span = f"{start} to {high:g}" if high != np.inf else start if above else f"of {low:g} or more"
        raise InputError("bad_option", f"{name} is {show(value)}", cure=f"give a number {span}")
    return float(value)


def _rows(name: str, value: object, rows: int, least: int) -> int:
    """A number of rows, or a share of them."""
    if isinstance(value, (float, np.floating)):
        return max(least, ceil(checked_number(name, value, 0.0, 1.0, above=True) * rows))
    return checked_count(name, value, least)


def _columns(value: object, d: int) -> int:
    if value is None:
        return d
    if isinstance(value, str):
        ways = {"sqrt": sqrt, "log2": log2}
        if value not in ways:
            raise UnknownNameError("max_features", value, ways)
        return max(1, int(ways[value](d)))
    if isinstance(value, (float, np.floating)):
        return max(1, int(checked_number("max_features", value, 0.0, 1.0, above=True) * d))
    count = checked_count("max_features", value, 1)
    if count > d:
        raise InputError("bad_option", f"max_features is {count}, and X has {d} columns", cure=f"give at most {d}")
    return count


def limits_of(model: Any, rows: int, d: int) -> Limits:
    """The limits that the options of a tree or forest set for so many rows and columns."""
    checked_name("criterion", model.criterion, ("gini", "entropy"))
    return Limits(
        model.criterion == "entropy",
        checked_count("leaf_size", model.leaf_size, 1),
        checked_number("purity", model.purity, 0.0, 1.0, above=True),
        _columns(model.max_features, d),
        ENDLESS if model.max_depth is None else checked_count("max_depth", model.max_depth, 1),
        _rows("min_samples_split", model.min_samples_split, rows, 2),
        _rows("min_samples_leaf", model.min_samples_leaf, rows, 1),
        checked_number("min_weight_fraction_leaf", model.min_weight_fraction_leaf, 0.0, 0.5),
        checked_number("min_impurity_decrease", model.min_impurity_decrease, 0.0, np.inf),
    )
