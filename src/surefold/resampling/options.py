"""What the makers of plans are asked for, checked: whole numbers, shares of the rows, one of a few words, seeds."""

from __future__ import annotations

import math
import operator
import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np

from surefold.errors import InputError, show
from surefold.given import RandomState

__all__ = ["RandomState", "one_of", "recorded_seed", "rows_asked", "seed_of", "truth_value", "whole"]

_LARGEST_SEED = 2**63 - 1


def whole(name: str, value: Any, *, least: int, most: int | None = None) -> int:
    """The option as an int; bools, fractions and what is out of range are refused.

    >>> whole("folds", 1, least=2)
    Traceback (most recent call last):
    ...
    surefold.errors.InputError: folds is 1. To fix: give a whole number, 2 or more. [bad_option]
    """
    try:
        number = None if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = None
    if number is None or number < least or (most is not None and number > most):
        reach = f"{least} or more" if most is None else f"{least} to {most:,}"
        raise InputError("bad_option", f"{name} is {show(value)}", cure=f"give a whole number, {reach}")
    return number


def rows_asked(name: str, value: object, n: int) -> int:
    """A part of n rows, said as a share between 0 and 1 or as a number of rows, in rows: at least one, never all.

    >>> rows_asked("test", 0.3, 150), rows_asked("test", 40, 150), rows_asked("test", 0.001, 150)
    (45, 40, 1)
    """
    if n < 2:
        raise InputError("bad_plan", f"{n} row cannot be both trained on and tested", cure="give at least two rows")
    if isinstance(value, (float, np.floating)):
        if not 0 < value < 1:
            cure = f"give a share between 0 and 1, or a whole number of rows from 1 to {n - 1:,}"
            raise InputError("bad_option", f"{name} is {show(float(value))}", cure=cure)
        return min(max(math.floor(n * float(value) + 0.5), 1), n - 1)
    return whole(name, value, least=1, most=n - 1)


def one_of(name: str, value: object, allowed: Sequence[str]) -> str:
    """The option, if it is one of the words allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise InputError("bad_option", f"{name} is {show(value)}", cure=f"give {' or '.join(map(repr, allowed))}")
    return value


def truth_value(name: str, value: object) -> bool:
    """The option as a bool; 1, "yes" and the like are refused, because they are often another option misplaced."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError("bad_option", f"{name} is {show(value)}", cure="give True or False")
    return bool(value)


def seed_of(random_state: RandomState) -> int:
    """The seed that a plan is drawn from and records: as given, drawn from a generator, or fresh where None."""
    if random_state is None:
        return secrets.randbits(63)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_LARGEST_SEED, endpoint=True))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(_LARGEST_SEED, dtype=np.int64))
    return whole("random_state", random_state, least=0, most=_LARGEST_SEED)


def recorded_seed(random_state: RandomState) -> int | None:
    """For plans that draw nothing: the seed as given, for whoever fits models by it; None stays None."""
    return None if random_state is None else seed_of(random_state)
