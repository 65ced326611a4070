"""Limits that a gate holds a difference or a value against, and what bounds say of them."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from surefold.comparison.gate_result import GateStatus
from surefold.comparison.judging import POWER
from surefold.errors import InputError, refuse_unknown, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import normal_quantile
from surefold.measures.measure import Measure
from surefold.numbers import number
from surefold.significance.bounds import Bounds, quantile

__all__ = ["absolute_limit", "alone_against", "gate_status", "held_against", "relative_limit"]


def held_against(
    bounds: Bounds | None, limit: float, better: str, confidence: float, rows: float
) -> tuple[GateStatus, tuple[float, float], float | None]:
    """What the one-sided bounds of a difference say of a limit, the bounds, and about how many rows would tell."""
    if bounds is None:
        return "cannot_tell", (math.nan, math.nan), None
    low, high = bounds.at(confidence)
    status = gate_status(bounds.value, (low, high), limit, better, strict=True)
    if status != "cannot_tell":
        return status, (low, high), None
    spreads = (bounds.spread_at(limit), bounds.spread_at(bounds.value))
    return status, (low, high), rows_needed(bounds.value, limit, spreads, rows, quantile(confidence, bounds.df))


def relative_limit(
    chosen: Measure, margin: Any, kind: Literal["noninferiority", "superiority"] | None
) -> tuple[Literal["noninferiority", "superiority"], float]:
    """What is asked, and the difference candidate - baseline that has to be passed."""
    least, greatest = chosen.range
    is_number = isinstance(margin, int | float | np.number) and not isinstance(margin, bool)
    if not is_number or not 0 <= margin < greatest - least:
        reach = "" if math.isinf(greatest - least) else f", and {chosen.name} runs from {least:g} to {greatest:g}"
        cure = "give the largest loss that does not matter, as margin=0.01, or 0 to ask for better"
        raise InputError("bad_option", f"margin={show(margin)}{reach}", cure=cure)
    if kind is None:
        kind = "noninferiority" if margin > 0 else "superiority"
    refuse_unknown("kind of gate", kind, ("noninferiority", "superiority"))
    gain = float(margin) if kind == "superiority" else -float(margin)
    return kind, gain + 0.0 if chosen.better == "higher" else -gain + 0.0  # + 0.0: no negative zero


def absolute_limit(
    chosen: Measure, baseline: Any, margin: Any, kind: str | None, at_least: float | None, at_most: float | None
) -> float:
    """The value that the candidate alone has to reach."""
    right, wrong = ("at_least", "at_most") if chosen.better == "higher" else ("at_most", "at_least")
    limit = at_least if right == "at_least" else at_most
    if limit is None:
        which = "there is no baseline" if at_least is at_most is None else f"{wrong}= asks for a bad {chosen.name}"
        raise InputError("bad_option", which, cure=f"give a baseline, or {right}= for the candidate alone")
    if at_least is not None and at_most is not None:
        raise InputError("bad_option", "both at_least= and at_most= were given", cure=f"give {right}= alone")
    if baseline is not None or margin != 0 or kind is not None:
        problem = f"{right}= is about the candidate alone, and a baseline, margin or kind was given"
        raise InputError("bad_option", problem, cure="ask two gates, each one question; for this one baseline is None")
    least, greatest = chosen.range
    is_number = isinstance(limit, int | float | np.number) and not isinstance(limit, bool)
    if not is_number or not least <= limit <= greatest or math.isinf(limit):
        problem = f"{right}={show(limit)}, and {chosen.name} runs from {least:g} to {number(greatest, 'g')}"
        raise InputError("bad_option", problem, cure="give a limit in that range")
    return float(limit)


def gate_status(value: float, bounds: tuple[float, float], limit: float, better: str, *, strict: bool) -> GateStatus:
    """Passed, failed or cannot tell; `strict`: a bound on the limit itself does not pass."""
    if math.isnan(value):
        return "cannot_tell"
    low, high = bounds if better == "higher" else (-bounds[1], -bounds[0])
    least = limit if better == "higher" else -limit
    if low > least or (low == least and not strict):
        return "passed"
    return "failed" if high < least else "cannot_tell"


def alone_against(
    value: Estimate, sided: Estimate, limit: float, better: str, rows: float
) -> tuple[GateStatus, tuple[float, float], float | None]:
    """The same of a candidate's own value, whose interval at twice the confidence less one is `sided`."""
    bounds = (sided.low, sided.high)
    status = gate_status(value.value, bounds, limit, better, strict=False)
    if status != "cannot_tell":
        return status, bounds, None
    reach = normal_quantile((1 + sided.confidence) / 2)
    spread = (value.value - bounds[0] if value.value > limit else bounds[1] - value.value) / reach
    return status, bounds, rows_needed(value.value, limit, (spread, spread), rows, reach)


def rows_needed(value: float, limit: float, spreads: tuple[float, float], rows: float, reach: float) -> float | None:
    """About how many rows in all would tell four times in five: spreads draw in with the root of the rows.

    `spreads` are those at the limit and at the value; `reach` is how many of the first a bound is away.
    """
    if not math.isfinite(value):
        return None
    gap = abs(value - limit)
    if gap <= 1e-12:
        return math.inf
    needed = rows * ((reach * spreads[0] + normal_quantile(POWER) * spreads[1]) / gap) ** 2
    return float(max(math.ceil(needed), rows + 1)) if math.isfinite(needed) else None
