"""Predictive values where the class is rarer or commoner than in these rows: each class keeps its rates.

They are no part of the catalogue: without a prevalence they are precision and the negative predictive value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.docstrings import first_line
from surefold.errors import InputError, show
from surefold.measures.measure import Measure
from surefold.tallies.margins import OneVsRest
from surefold.tallies.ratio import ratio

__all__ = ["npv_at", "precision_at"]

Array = NDArray[Any]


def _precision(c: OneVsRest, prevalence: float) -> Array:
    """Share of the calls that would be right where the class is as common as said."""
    right, wrong = prevalence * ratio(c.tp, c.positives), (1 - prevalence) * ratio(c.fp, c.negatives)
    return np.asarray(ratio(right, right + wrong))


def _npv(c: OneVsRest, prevalence: float) -> Array:
    """Share of the calls for another class that would be right where the class is as common as said."""
    right, wrong = (1 - prevalence) * ratio(c.tn, c.negatives), prevalence * ratio(c.fn, c.positives)
    return np.asarray(ratio(right, right + wrong))


def _at(prevalence: float, name: str, formula: Callable[..., Array], text: str, undefined: str) -> Measure:
    if not (isinstance(prevalence, int | float | np.number) and 0 < prevalence < 1):
        problem = f"prevalence={show(prevalence)} is no share of rows"
        raise InputError("bad_option", problem, cure="give one between 0 and 1, as prevalence=0.01")
    facts = (text, undefined, "Altman & Bland (1994), BMJ 309:102", first_line(formula))
    settings = {"prevalence": float(prevalence)}
    return Measure(name, formula, "one_vs_rest", (0.0, 1.0), "higher", *facts, options=settings, settings=settings)


def precision_at(prevalence: float) -> Measure:
    """Precision (positive predictive value) at that prevalence.

    >>> c = OneVsRest(*map(np.array, (9.0, 20.0, 1.0, 80.0)))  # TP, FP, FN, TN: sensitivity .9, specificity .8
    >>> round(float(precision_at(0.1)(c)), 4)  # .9 x .1 / (.9 x .1 + .2 x .9)
    0.3333
    """
    text = "TPR p / (TPR p + FPR (1 - p)), p being the prevalence given"
    return _at(prevalence, "precision_at_prevalence", _precision, text, "nothing was called {label}")


def npv_at(prevalence: float) -> Measure:
    """The negative predictive value at that prevalence.

    >>> c = OneVsRest(*map(np.array, (9.0, 20.0, 1.0, 80.0)))
    >>> round(float(npv_at(0.1)(c)), 4)  # .8 x .9 / (.8 x .9 + .1 x .1)
    0.9863
    """
    text = "TNR (1 - p) / (TNR (1 - p) + FNR p), p being the prevalence given"
    return _at(prevalence, "npv_at_prevalence", _npv, text, "everything was called {label}")
