"""What slices come to: where it is worse than elsewhere, and whether every slice is good enough."""

from __future__ import annotations

import math
from typing import Any

from surefold.comparison.slices.compared import ComparedSlices
from surefold.comparison.slices.gate import SliceBound, SliceGate
from surefold.comparison.slices.result import Slice, Slices
from surefold.counting import counted
from surefold.numbers import number
from surefold.phrases import ADJUSTMENT_NAMES, measure_words
from surefold.verdict.compared import listed
from surefold.verdict.doubt import worst
from surefold.verdict.sentences import Quantity, Sentence
from surefold.verdict.verdict import Badge, Verdict

__all__ = ["verdict_of_compared", "verdict_of_slice_gate", "verdict_of_slices"]

#: Slices that a sentence names.
MOST = 4


def _capital(words: str) -> str:
    return words[:1].upper() + words[1:]


def _told(slices: tuple[Slice, ...]) -> str:
    """Their names, each with its value and that of the rest."""
    return listed([f"{s.name} ({s.estimate.texts[0]} against {_rest(s)})" for s in slices], MOST)


def _rest(s: Slice) -> str:
    return "?" if s.difference is None else number(s.estimate.value - s.difference.value)


def verdict_of_slices(s: Slices) -> Verdict:
    """Where it is worse than the rest; where nothing is, what would tell."""
    n, side = len(s.counted), "above" if s.better == "lower" else "below"
    words = measure_words(s.measure)
    evidence = {"decider": s.measure, "slices": {one.name: one.status for one in s.slices}}
    if not n or s.worst_slice is None:
        return Verdict("cannot_tell", Sentence("slices none"), None, worst(s.findings), (), evidence)
    values: dict[str, Any] = {
        "measure": words,
        "side": side,
        "n": f"{n:,}",
        "whole": s.whole,
        "slice": s.worst_slice.name,
        "worst": s.worst,
        "margin": "" if s.margin is None else number(s.margin, "g"),
    }
    adjusted = ADJUSTMENT_NAMES.get(s.adjust, "not adjusted")
    how = (
        Sentence("how slices", {"test": _test(s), "adjusted": adjusted, "n": f"{n:,}"}),
        Sentence("how slice intervals", {"level": f"{s.level * 100:.4g}%"}),
    )
    listing = next((f for f in s.findings if f.code == "false_among_listed"), None)
    doubt = worst([listing]) if listing is not None else Sentence("doubt worst slice", values)
    if s.worse:
        first = s.worse[0]
        rows = counted(first.rows, "row")
        told = values | {"k": f"{len(s.worse):,}", "list": _told(s.worse), "measure": _capital(words)}
        act = Sentence("act slice", {"slice": first.name, "estimate": first.estimate, "rows": rows})
        badge = Badge(Sentence("badge slices", told), "bad")
        return Verdict("worse", Sentence("slices told", told), act, doubt, how, evidence, badge)
    if all(one.status == "alike" for one in s.counted):
        badge = Badge(Sentence("badge slices alike", values), "good")
        answer = Sentence("slices alike", values | {"measure": _capital(words)})
        return Verdict("practically_equal", answer, None, doubt, how, evidence, badge)
    badge = Badge(Sentence("badge slices open", values), "open")
    doubt = Sentence("doubt slice all good", values)
    return Verdict("cannot_tell", Sentence("slices open", values), _more(s), doubt, how, evidence, badge)


def _test(s: Slices) -> str:
    shares = s.sides is not None and s.sides.share is not None
    return "Fisher's mid-p" if shares else "the tail of one side's interval at the centre of the other"


def _more(s: Slices) -> Sentence | None:
    """What would tell the slice that is furthest on the bad side."""
    sign = -1.0 if s.better == "lower" else 1.0
    apart = [(sign * one.difference.value, one) for one in s.counted if one.difference is not None]
    gap, one = min(apart, key=lambda pair: pair[0], default=(0.0, None))
    if one is None or not gap < 0 or one.rows_needed is None or math.isinf(one.rows_needed):
        return None
    more = Quantity(max(one.rows_needed - s.rows, 0.0), "about")
    return Sentence("act slice rows", {"slice": one.name, "estimate": one.estimate, "more": more})


def verdict_of_compared(c: ComparedSlices) -> Verdict:
    """Where a model got worse comes first; then where it got better."""
    n, words = len(c.slices), measure_words(c.whole.measure)
    evidence = {"decider": c.whole.measure, "slices": {one.name: one.difference.status for one in c.slices}}
    if not n:
        return Verdict("cannot_tell", Sentence("compared none"), None, worst(c.findings), (), evidence)
    tests = listed(sorted({one.difference.test.name for one in c.slices}))
    adjusted = ADJUSTMENT_NAMES.get(c.adjust, "not adjusted")
    how = (Sentence("how compared", {"tests": tests, "adjusted": adjusted, "n": f"{n:,}"}),)
    values: dict[str, Any] = {"measure": words, "n": f"{n:,}"}
    told = c.worse or c.better
    if not told:
        badge = Badge(Sentence("badge compared open"), "open")
        return Verdict("cannot_tell", Sentence("compared open", values), None, worst(c.findings), how, evidence, badge)
    first = max(told, key=lambda one: abs(one.difference.effect.value))
    side = "worse" if c.worse else "better"
    values |= {"first": first.difference.first, "second": first.difference.second, "k": f"{len(told):,}"}
    values |= {"list": listed([f"{one.name} ({one.difference.effect})" for one in told], MOST)}
    values |= {"slice": first.name, "difference": first.difference.effect}
    badge = Badge(Sentence(f"badge compared {side}", values), "bad" if c.worse else "good")
    answer, act = Sentence(f"compared {side}", values), Sentence("act compared", values)
    return Verdict("worse" if c.worse else "better", answer, act, worst(c.findings), how, evidence, badge)


def verdict_of_slice_gate(g: SliceGate) -> Verdict:
    """Passed, failed or open, and which slices hold it up."""
    held = f"{'at least' if g.kind == 'at_least' else 'at most'} {number(g.limit, 'g')}"
    words, n = measure_words(g.measure), len(g.each)
    values: dict[str, Any] = {"measure": words, "held": held, "n": f"{n:,}", "level": f"{g.confidence * 100:g}%"}
    evidence = {"decider": g.measure, "limit": g.limit, "slices": {one.name: one.status for one in g.each}}
    how = (Sentence("how slice gate", values),)
    doubt = _left_out(g)
    if g.overall is not None and g.overall.status == g.status and g.status != "passed" and not (g.failing or g.open):
        return g.overall.verdict
    if not g.each:
        return Verdict("cannot_tell", Sentence("slice gate none", values), None, doubt, how, evidence)
    if g.failing:
        told = values | {"measure": _capital(words), "k": f"{len(g.failing):,}", "list": _named(g.failing)}
        return Verdict("failed", Sentence("slice gate failed", told), None, doubt, how, evidence)
    if g.open:
        told = values | {"list": _named(g.open), "hold": "hold" if len(g.open) > 1 else "holds"}
        return Verdict(g.status, Sentence("slice gate open", told), _needed(g.open[0]), doubt, how, evidence)
    sign = -1.0 if g.better == "lower" else 1.0
    bound = 0 if g.better == "higher" else 1
    least = min(g.each, key=lambda one: sign * one.bounds[bound])
    told = values | {"slice": least.name, "estimate": least.estimate, "bound": number(least.bounds[bound])}
    return Verdict(g.status, Sentence("slice gate passed", told), None, doubt, how, evidence)


def _named(each: tuple[SliceBound, ...]) -> str:
    return listed([f"{one.name} ({one.estimate})" for one in each], MOST)


def _needed(one: SliceBound) -> Sentence | None:
    if one.more_rows is None:
        return None
    if math.isinf(one.more_rows):
        return Sentence("act slice gate never", {"slice": one.name})
    return Sentence("act slice gate", {"slice": one.name, "more": Quantity(one.more_rows, "about")})


def _left_out(g: SliceGate) -> Sentence | None:
    if not g.left_out:
        return worst(g.findings)
    few, many = len(g.left_out) == 1, listed(list(g.left_out), MOST)
    left = f"{many} {'is' if few else 'are'} left out: no value, or fewer than {counted(g.slices.min_rows, 'row')}"
    return Sentence("doubt slices left out", {"left": left})
