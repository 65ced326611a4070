"""What studies of learning come to: whether more rows pay, what wrong labels cost, how small a tree may be, and why."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from surefold.estimates.estimate import Estimate
from surefold.measures import catalogue
from surefold.numbers import number
from surefold.phrases import measure_words
from surefold.planning.results import ExpectedWidth, Planned, Power, SampleSize
from surefold.studies.bias_variance import BiasVariance
from surefold.studies.noise import NoiseCurve
from surefold.studies.pruning.result import PruningCurves
from surefold.studies.study_curve import CurvePoint, StudyCurve
from surefold.verdict.doubt import worst
from surefold.verdict.sentences import Quantity, Sentence
from surefold.verdict.verdict import Badge, Tone, Verdict

__all__ = ["verdict_of_bias_variance", "verdict_of_curve", "verdict_of_plan", "verdict_of_pruning"]

#: Power below which a plan is more likely than one in five to miss what is there.
ENOUGH = 0.8


def verdict_of_curve(c: StudyCurve) -> Verdict:
    """Of the model that is best at the end: whether the last step changed it, by the paired difference of that step."""
    lower = catalogue[c.measure].better == "lower"
    there = {name: points for name, points in c.models.items() if points[-1].estimate.defined}
    if not there:
        return Verdict.undefined(next(iter(c.models.values()))[-1].estimate.reason)
    best = (min if lower else max)(there, key=lambda name: there[name][-1].estimate.value)
    points, doubt = there[best], worst(c.findings)
    if len(c.models) > 1:
        doubt = doubt or Sentence("doubt curves")
    values: dict[str, Any] = {"model": best, "measure": measure_words(c.measure), "value": points[-1].estimate}
    values |= {"x": _at(c, points[-1]), "rows": c.plan.n}
    evidence = {"decider": c.measure, "best": best, c.measure: points[-1].estimate.to_dict()}
    if len(points) == 1:
        return Verdict("told", Sentence("curve point", values), None, doubt, (), evidence, _badge("told", "open"))
    noisy = isinstance(c, NoiseCurve)
    since = points[0] if noisy else points[-2]
    change = c.change(points[-1].x, since.x, best)
    evidence["change"] = change.to_dict()
    moved = 0 if math.isnan(change.low) or change.low <= 0 <= change.high else 1 if (change.value < 0) == lower else -1
    worse = moved < 0 or (moved == 0 and noisy)
    values |= {"before": _at(c, since), "change": change if lower == worse else _turned(change)}
    what = "noise" if noisy else "rows"
    how = (Sentence("how change", values | {"signed": change}),)
    said, tone = {1: ("gain", "good"), 0: ("open", "open"), -1: ("loss", "bad")}[moved]
    badge = _badge(f"{what} {said}", "open" if noisy and tone == "good" else tone, values)
    act = Sentence(f"act {what} {said}", values)
    return Verdict("told", Sentence(f"{what} {said}", values), act, doubt, how, evidence, badge)


def _at(c: StudyCurve, point: CurvePoint) -> Quantity:
    return Quantity(point.x, "share" if isinstance(c, NoiseCurve) else "count")


def _turned(e: Estimate) -> Estimate:
    return replace(e, value=-e.value, low=-e.high, high=-e.low)


def _badge(key: str, tone: str, values: dict[str, Any] | None = None) -> Badge:
    tones: dict[str, Tone] = {"good": "good", "bad": "bad", "open": "open"}
    return Badge(Sentence(f"badge {key}", values or {}), tones[tone])


def verdict_of_pruning(found: PruningCurves) -> Verdict:
    """The point of least held-out error, and the smallest tree within a standard error of it (Breiman et al. 1984)."""
    best = found.best
    near = [p for p in found.points if p.held_out.value <= best.held_out.value + best.held_out.se]
    small = min(near or [best], key=lambda p: (math.inf if math.isnan(p.leaves) else p.leaves, p is not best))
    values: dict[str, Any] = {
        "best": best.name,
        "value": best.held_out,
        "n": f"{len(found.points):,}",
        "small": small.name,
        "small_value": small.held_out,
        "leaves": "" if math.isnan(small.leaves) else number(small.leaves, ".1f"),
    }
    act = Sentence("act use", {"better": best.name}) if small is best else Sentence("act smaller tree", values)
    doubt = worst(found.findings) or Sentence("doubt pruning", values)
    evidence = {"decider": "error_rate", "best": best.name, "error_rate": best.held_out.to_dict()}
    apart = [d for d in found.differences if d.status in ("better", "worse")]
    how = (Sentence("how ways", {"n": f"{len(apart):,}", "m": f"{len(found.differences):,}"}),) if found.ways else ()
    return Verdict("told", Sentence("pruned", values), act, doubt, how, evidence, _badge("pruned", "open", values))


def verdict_of_bias_variance(found: BiasVariance) -> Verdict:
    """Of the value with the least loss: which part of it is larger, where the intervals of the parts lie apart."""
    best = found.best
    values: dict[str, Any] = {"loss": best.loss, "bias": best.bias, "variance": best.variance, "model": found.model}
    at = "" if found.param is None else f" at {found.param} = {best.value}"
    values |= {"at": at}
    evidence = {"decider": "loss", "loss": best.loss.to_dict()}
    evidence |= {"bias": best.bias.to_dict(), "variance": best.variance.to_dict()}
    doubt = worst(found.findings)
    if not best.loss.defined:
        return Verdict.undefined(best.loss.reason, evidence)
    larger = "bias" if best.bias.low > best.variance.high else "variance" if best.variance.low > best.bias.high else ""
    act, badge = Sentence(f"act {larger or 'parts'}"), _badge(f"{larger or 'parts'}", "open")
    return Verdict("told", Sentence("parts", values), act, doubt, (), evidence, badge)


def verdict_of_plan(p: Planned) -> Verdict:
    """How many rows to collect, or what those at hand are good for."""
    values: dict[str, Any] = {"said": str(p).rstrip("."), "n": f"{p.n:,}"}
    evidence = {"decider": p.method, "n": p.n}
    doubt = Sentence("doubt plan")
    if isinstance(p, SampleSize):
        act, badge = Sentence("act collect", values), _badge("collect", "open", values)
    elif isinstance(p, Power):
        is_enough = p.value >= ENOUGH
        act = Sentence("act enough" if is_enough else "act too few", values)
        badge = _badge("enough" if is_enough else "too few", "good" if is_enough else "open")
    else:
        key = "width" if isinstance(p, ExpectedWidth) else "smallest"
        act, badge = Sentence(f"act {key}", values), _badge("told", "open")
    return Verdict("told", Sentence("planned", values), act, doubt, (), evidence, badge)
