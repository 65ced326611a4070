"""The options of the Bayes classifiers, checked when a model is fitted."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.learners.class_sums import Floats

__all__ = ["checked_share", "log_priors"]


def checked_share(name: str, value: Any, most: float) -> None:
    """Refuse what is not a number from 0 to `most`."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not number or not 0 <= value <= most or value == np.inf:
        span = "from 0 to 1" if most == 1 else "of 0 or more"
        raise InputError("bad_option", f"{name} is {show(value)}", cure=f"give a number {span}")


def log_priors(priors: Any, count: Floats, classes: NDArray[Any]) -> Floats:
    """Logarithms of the given priors, or of the shares of the classes; minus infinity for a class without rows."""
    if priors is None:
        given = count / count.sum(axis=-1, keepdims=True)
    else:
        given = _given(priors, classes)
        empty = (given > 0) & (count == 0)
        if empty.any():
            c = int(np.flatnonzero(empty)[0])
            problem = f"priors gives {given[c]:g} to class {show(classes.tolist()[c])}, which has no rows"
            raise InputError("bad_option", problem, cure="give it 0, or leave priors out")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(given))


def _given(priors: Any, classes: NDArray[Any]) -> Floats:
    cure = "give one number of 0 or more for each class in sorted order, adding up to 1"
    try:
        given = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("bad_option", f"priors is {show(priors)}", cure=cure) from None
    if given.shape != (len(classes),):
        shape = f"{given.size} numbers" if given.ndim == 1 else f"the shape {given.shape}"
        raise InputError("bad_option", f"priors has {shape}, and there are {len(classes)} classes", cure=cure)
    if not (given >= 0).all():
        raise InputError("bad_option", f"priors holds {given[~(given >= 0)][0]:g}", cure=cure)
    if not abs(given.sum() - 1) <= 1e-8:
        raise InputError("bad_option", f"priors adds up to {given.sum():g}", cure=cure)
    return given
