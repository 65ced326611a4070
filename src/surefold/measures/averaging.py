"""Macro, micro and weighted averages of per-class measures, made from those measures' own formulas.

They run over the declared labels, or over the labels that occur in the truth when none were declared. If one of those
classes has no value, neither has the average.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.measures.measure import Measure, Parts, measure, proportion
from surefold.measures.rates import f1, jaccard, precision, recall
from surefold.tallies.margins import Margins, OneVsRest
from surefold.tallies.ratio import ratio

Array = NDArray[Any]
SOURCE = "Sokolova & Lapalme (2009), Inf. Process. Manag. 45:427"
UNDEFINED = "a class has no {per_class} of its own"


def _macro(per_class: Measure) -> Callable[[Margins], Array]:
    def formula(c: Margins) -> Array:
        return np.asarray(per_class(c.one_vs_rest)[..., c.averaged].mean(axis=-1))

    return formula


def _weighted(per_class: Measure) -> Callable[[Margins], Array]:
    def formula(c: Margins) -> Array:
        rows = c.actual[..., c.averaged]
        values = per_class(c.one_vs_rest)[..., c.averaged]
        return ratio(np.where(rows.real == 0, 0.0, rows * values).sum(axis=-1), rows.sum(axis=-1))

    return formula


def _micro_parts(per_class: Measure) -> Callable[[Margins], Parts]:
    def parts(c: Margins) -> Parts:
        each = c.one_vs_rest
        averaged = OneVsRest(*(x[..., c.averaged] for x in (each.tp, each.fp, each.fn, each.tn)))
        top, bottom = per_class.shares(averaged)
        return top.sum(axis=-1), bottom.sum(axis=-1)

    return parts


def _micro(per_class: Measure) -> Callable[[Margins], Array]:
    parts, of_share = _micro_parts(per_class), per_class.of_share

    def formula(c: Margins) -> Array:
        share = ratio(*parts(c))
        return share if of_share is None else of_share(share)

    return formula


def _register(per_class: Measure, counts_each_row_once: bool) -> None:
    name, undefined = per_class.name, UNDEFINED.format(per_class=per_class.name)
    facts: dict[str, Any] = {
        "better": per_class.better,
        "undefined": undefined,
        "source": SOURCE,
        "average_of": per_class,
    }
    pooled = facts | {"undefined": "there are no rows"}
    micro_text = f"{name} of sum TP_i, sum FP_i, sum FN_i"
    micro_meaning = f"{name.capitalize()} of all classes' counts added up."
    given = {"given": "predicted"} if per_class is precision else {}
    _measure(_macro(per_class), f"{name}_macro", f"Mean of the classes' {name}, each class counting the same.",
             f"(1/k) sum of {name}_i", facts | given)  # fmt: skip
    if counts_each_row_once:
        proportion(reads="margins", text=micro_text, **pooled)(
            _named(_micro_parts(per_class), f"{name}_micro", micro_meaning)
        )
    else:
        # An error is a false positive of one class and a false negative of another: no plain share of rows.
        _measure(_micro(per_class), f"{name}_micro", micro_meaning, micro_text, pooled)
    meaning, text = f"Mean of the classes' {name}, each counting by its true rows.", f"sum of (rows_i / n) {name}_i"
    if per_class is recall:  # the rows cancel: it is micro-averaged recall, a share of rows
        proportion(reads="margins", text=text, **pooled)(_named(_micro_parts(recall), f"{name}_weighted", meaning))
    else:
        _measure(_weighted(per_class), f"{name}_weighted", meaning, text, facts)


def _measure(formula: Callable[[Margins], Array], name: str, meaning: str, text: str, facts: dict[str, Any]) -> None:
    measure(reads="margins", range=(0.0, 1.0), text=text, **facts)(_named(formula, name, meaning))


def _named(function: Callable[[Margins], Any], name: str, meaning: str) -> Callable[[Margins], Any]:
    function.__name__, function.__doc__ = name, meaning
    return function


for _per_class, _once in ((precision, True), (recall, True), (f1, False), (jaccard, False)):
    _register(_per_class, _once)
