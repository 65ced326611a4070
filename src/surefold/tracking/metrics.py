"""Results as flat dictionaries of floats, as trackers of experiments want them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from surefold.assessment import Assessment
from surefold.comparison.gate_result import Gate
from surefold.comparison.result import Comparison, Comparisons
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study

__all__ = ["metrics_of"]

Named = Iterator[tuple[str, float]]
#: What trackers take in names.
_TAKEN = re.compile(r"[^\w\-./ ]+")


def metrics_of(result: object) -> dict[str, float]:
    """The figures that tables of the result show, each with its bounds; what is undefined is left out."""
    found = {_TAKEN.sub("_", name): float(value) for name, value in _figures(result)}
    return {name: value for name, value in found.items() if math.isfinite(value)}


def _figures(result: object) -> Named:
    if isinstance(result, Assessment):
        yield from _of_each("", {name: result[name] for name in result.headlines})
        yield "rows", result.n
    elif isinstance(result, Resampled):
        yield from _of_each("", {name: result.interval(name) for name in result.headlines})
    elif isinstance(result, Study):
        for name, one in result.models.items():
            yield from _of_each(f"{name}.", {measure: one.interval(measure) for measure in one.headlines})
    elif isinstance(result, Comparison):
        yield from _of_comparison(result)
    elif isinstance(result, Comparisons):
        for compared in result.values():
            yield from _of_comparison(compared)
    elif isinstance(result, Gate):
        yield from _of_gate(result)
    else:
        cure = (
            "ask an assessment, a comparison, a gate or a cross-validation; to_dict() has the figures of every result"
        )
        raise InputError("bad_option", f"a {type(result).__name__} has no flat figures", cure=cure)


def _of_each(before: str, estimates: Mapping[str, Estimate]) -> Named:
    for name, e in estimates.items():
        yield f"{before}{name}", e.value
        yield f"{before}{name}_low", e.low
        yield f"{before}{name}_high", e.high


def _of_comparison(c: Comparison) -> Named:
    for name, e in c.values.items():
        yield from _of_each(f"{name}.", {c.measure: e})
    for d in c.differences:
        pair = f"{d.first}-{d.second}."
        yield from _of_each(pair, {c.measure: d.effect})
        yield f"{pair}{c.measure}_p", d.adjusted_p


def _of_gate(g: Gate) -> Named:
    for name, e in g.values.items():
        yield from _of_each("" if name == g.candidate else f"{name}.", {g.measure: e})
    if g.difference is not None:
        yield from _of_each("", {f"{g.measure}_difference": g.difference.effect})
    yield "gate_bound", g.bound
    yield "gate_limit", g.limit
    yield "gate_passed", float(g.passed)
