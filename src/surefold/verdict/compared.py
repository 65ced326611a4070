"""What models on the same rows come to: who is better, who cannot be told apart, and whether a gate opens."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from surefold.comparison.gate_result import Gate
from surefold.comparison.result import Comparison, Comparisons, Difference
from surefold.estimates.estimate import Estimate
from surefold.numbers import decimals, number
from surefold.phrases import ADJUSTMENT_NAMES, measure_words
from surefold.verdict.doubt import worst
from surefold.verdict.sentences import Quantity, Sentence
from surefold.verdict.verdict import Badge, Status, Verdict

__all__ = ["listed", "verdict_of_comparison", "verdict_of_comparisons", "verdict_of_gate"]

ADJUSTED = {**ADJUSTMENT_NAMES, "none": "not adjusted"}


def listed(names: Sequence[str], most: int = 6) -> str:
    """Names as a sentence has them.

    >>> listed(["a"]), listed(["a", "b", "c"]), listed(list("abcdefgh"), 3)
    ('a', 'a, b and c', 'a, b, c and 5 more')
    """
    shown = [*names[:most], f"{len(names) - most} more"] if len(names) > most else list(names)
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def verdict_of_comparisons(several: Comparisons) -> Verdict:
    """The first measure decides; the others get a line each."""
    first, *rest = several.values()
    verdict = verdict_of_comparison(first)
    more = tuple(Sentence("plain", {"words": str(verdict_of_comparison(c))}) for c in rest)
    return replace(verdict, how=(*verdict.how, *more))


def verdict_of_comparison(c: Comparison) -> Verdict:
    """Two models: better, equal or open. Several: the winner, or the set of which the best is one."""
    if len(c.differences) == 1:
        return _of_pair(c, c.differences[0])
    return _of_control(c) if c.control is not None else _of_several(c)


def _evidence(c: Comparison) -> dict[str, Any]:
    return {
        "decider": c.measure,
        "order": list(c.order),
        "pairs": {f"{d.first} - {d.second}": d.status for d in c.differences},
    }


def _of_pair(c: Comparison, d: Difference) -> Verdict:
    if not d.effect.defined:
        return Verdict.undefined(f"{d.first} and {d.second}: {d.effect.reason}", _evidence(c))
    better, other = (d.second, d.first) if d.status == "worse" else (d.first, d.second)
    values: dict[str, Any] = {
        "measure": measure_words(c.measure),
        "first": d.first,
        "second": d.second,
        "better": better,
        "other": other,
        "difference": d.effect,
        "one": c.values[d.first].texts[0],
        "two": c.values[d.second].texts[0],
        "higher": "higher" if c.better == "higher" else "lower",
        "margin": "" if d.margin is None else number(d.margin, "g"),
    }
    adjusted = f" ({ADJUSTED[c.adjust]}, {len(c.differences):,} pairs)" if len(c.differences) > 1 else ""
    how = [Sentence("how pair", {"test": d.test.name, "p": Quantity(d.adjusted_p, "p"), "adjusted": adjusted})]
    if d.smallest is not None and math.isfinite(d.smallest):
        how.append(Sentence("how smallest", {"smallest": number(d.smallest)}))
    doubt = worst(c.findings)
    evidence = _evidence(c) | {"p_value": d.adjusted_p, "difference": d.effect.to_dict()}
    if d.status in ("better", "worse"):
        values["difference"] = _upward(d.effect)
        badge = Badge(Sentence("badge apart", values), "good")
        act = Sentence("act use", values)
        return Verdict("differ", Sentence("pair told", values), act, doubt, tuple(how), evidence, badge)
    if d.status == "practically_equal":
        badge = Badge(Sentence("badge equal"), "open")
        act = Sentence("act simpler")
        return Verdict("practically_equal", Sentence("pair equal", values), act, doubt, tuple(how), evidence, badge)
    doubt = doubt or Sentence("doubt overlap" if d.margin is None else "doubt not equal", values)
    badge = Badge(Sentence("badge open pair"), "open")
    return Verdict("cannot_tell", Sentence("pair open", values), _more(d), doubt, tuple(how), evidence, badge)


def _upward(e: Estimate) -> Estimate:
    """The difference the way in which it is positive."""
    return e if e.value >= 0 else replace(e, value=-e.value, low=-e.high, high=-e.low)


def _more(d: Difference) -> Sentence | None:
    """How many more rows would tell the pair."""
    if d.more_rows is None:
        return None
    if math.isinf(d.more_rows):
        return Sentence("act margin")
    return Sentence("act more rows", {"more": Quantity(d.more_rows, "about")})


def _of_several(c: Comparison) -> Verdict:
    best, *others = c.order
    status = {other: c[best, other].status for other in others}
    behind = [name for name in others if status[name] == "better"]
    together = [best, *(name for name in others if status[name] != "better")]
    kept = together if c.best_set is None or c.margin is not None else [x for x in together if x in c.best_set]
    between = [name for name in together if name not in kept]
    values: dict[str, Any] = {
        "measure": measure_words(c.measure),
        "better": best,
        "n": f"{len(others):,}",
        "k": f"{len(c.values):,}",
        "value": c.values[best],
        "set": listed(kept),
        "names": listed(between) if between else "none",
    }
    doubt = worst(f for f in c.findings if f.code != "selected_from_m") or Sentence("doubt choice", values)
    if c.winner is not None:
        doubt = Sentence("doubt winner", values | {"corrected": c.winner.corrected})
    how = _tests(c)
    if not behind and all(each == "practically_equal" for each in status.values()):
        values |= {"n": f"{len(c.values):,}", "margin": number(c.margin or 0.0, "g")}
        badge = Badge(Sentence("badge equal"), "open")
        answer = Sentence("set equal", values)
        return Verdict("practically_equal", answer, Sentence("act simpler"), doubt, how, _evidence(c), badge)
    if len(together) == 1:
        badge = Badge(Sentence("badge best", values), "good")
        act = Sentence("act use", values)
        return Verdict("differ", Sentence("set best", values), act, doubt, how, _evidence(c), badge)
    if len(kept) == 1:
        badge = Badge(Sentence("badge best", values), "good")
        act = Sentence("act use", values)
        return Verdict("differ", Sentence("set first", values), act, doubt, how, _evidence(c), badge)
    badge = Badge(Sentence("badge set", {"n": f"{len(kept):,}"}), "open")
    more = _more(c[best, kept[1]])
    if not behind and not between:
        answer = Sentence("set all", values | {"n": f"{len(c.values):,}"})
        return Verdict("cannot_tell", answer, more, doubt, how, _evidence(c), badge)
    answer = Sentence("set open", values | {"rest": _rest(behind, between)})
    return Verdict("cannot_tell", answer, more, doubt, how, _evidence(c), badge)


def _rest(behind: list[str], between: list[str]) -> Sentence:
    """Those that the best is surely better than, and those that are not the best though no pair tells it."""
    told = []
    if len(behind) > 4:
        told.append(Sentence("set rest", {"n": f"{len(behind):,}"}))
    elif behind:
        told.append(Sentence("set worse", {"names": listed(behind), "are": "is" if len(behind) == 1 else "are"}))
    if between:
        told.append(Sentence("set not", {"names": listed(between), "are": "is" if len(between) == 1 else "are"}))
    return told[0] if len(told) == 1 else Sentence("set both", {"one": told[0], "two": told[1]})


def _of_control(c: Comparison) -> Verdict:
    control = str(c.control)
    sides: dict[str, list[str]] = {"better": [], "worse": [], "open": []}
    for name in c.values:
        if name != control:
            told = c[name, control].status
            sides[told if told in ("better", "worse") else "open"].append(name)
    values: dict[str, Any] = {"measure": measure_words(c.measure), "control": control}
    values |= {side: listed(names) if names else "none" for side, names in sides.items()}
    badge = Badge(
        Sentence("badge control", {"n": f"{len(sides['better']):,}", "control": control}),
        "good" if sides["better"] else "open",
    )
    doubt = worst(f for f in c.findings if f.code != "selected_from_m")
    status: Status = "differ" if sides["better"] or sides["worse"] else "cannot_tell"
    act = None if sides["better"] else Sentence("act keep", {"baseline": control})
    return Verdict(status, Sentence("control", values), act, doubt, _tests(c), _evidence(c), badge)


def _tests(c: Comparison) -> tuple[Sentence, ...]:
    names = sorted({d.test.name for d in c.differences if d.effect.defined})
    values = {
        "tests": listed(names) if names else "none",
        "n": f"{len(c.differences):,}",
        "adjusted": ADJUSTED[c.adjust],
    }
    return (Sentence("how pairs", values),)


def verdict_of_gate(g: Gate) -> Verdict:
    """Passed, failed or open: the bound against the limit, in words."""
    evidence = {"decider": g.measure, "bounds": list(g.bounds), "limit": g.limit, "effect": g.effect.to_dict()}
    told = g.withheld or g.status
    findings = _warned(g) or worst(g.findings)
    values: dict[str, Any] = {"claim": _claim(g), "candidate": g.candidate, "baseline": g.baseline}
    if not g.effect.defined:
        reason = Sentence("gate undefined", values | {"reason": g.effect.reason})
        return Verdict(g.status, reason, None, findings, (), evidence)
    low, high = g.bounds
    least = max(2, decimals(*g.effect.interval))
    d = next((d for d in range(least, 9) if all(f"{x:.{d}f}" != f"{g.limit:.{d}f}" for x in g.bounds)), 9)
    limit, bound, low_text, high_text = (number(x, f".{d}f") for x in (g.limit, g.bound, low, high))
    what = "value" if g.difference is None else "difference"
    values |= {
        "measure": measure_words(g.measure),
        "verb": "is" if g.difference is None else "differs by",
        "value": number(g.effect.value, f".{d}f"),
        "level": f"{g.confidence * 100:g}%",
        "limit": limit,
        "bound": bound,
        "low": low_text,
        "high": high_text,
        "side": "above" if (told == "passed") == (g.better == "higher") else "below",
        "what": what,
    }
    how = (Sentence("how gate", {"test": g.difference.test.name}),) if g.difference is not None else ()
    doubt = findings
    if g.kind == "noninferiority" and g.margin == 0:
        doubt = findings or Sentence("doubt margin zero")
    if g.withheld:
        return Verdict(g.status, Sentence("gate withheld", values | {"why": findings}), None, doubt, how, evidence)
    if g.status != "cannot_tell":
        pair = ("replace", "keep") if g.baseline is not None else ("ship", "stop")
        act = Sentence(f"act {pair[0] if g.passed else pair[1]}", values)
        return Verdict(g.status, Sentence("gate told", values), act, doubt, how, evidence)
    act = Sentence("act gate never", values)
    if g.more_rows is not None and math.isfinite(g.more_rows):
        act = Sentence("act gate rows", values | {"more": Quantity(g.more_rows, "about")})
    return Verdict(g.status, Sentence("gate open", values), act, doubt, how, evidence)


def _warned(g: Gate) -> Sentence | None:
    """That few rows decide, or would cost the margin: it speaks more against a gate than anything else."""
    if not g.warnings:
        return None
    return Sentence("finding", {"sentence": " ".join(finding.sentence for finding in g.warnings)})


def _claim(g: Gate) -> str:
    """What was asked, as far as it was told."""
    c, b, by = g.candidate, g.baseline, f" by more than {number(g.margin, 'g')}" if g.margin else ""
    surely = {"passed": " surely", "failed": " surely", "cannot_tell": ""}[g.status]
    if b is None:
        short = "not " if g.status == "failed" else ""
        the = "the" if g.status == "cannot_tell" else "The"
        held = f"{short}{g.kind.replace('_', ' ')} {number(g.limit, 'g')}"
        return f"{the} {measure_words(g.measure)} of {c} is{surely} {held}"
    if g.kind == "noninferiority" and g.margin:
        return f"{c} is{surely} {'not worse' if g.passed else 'worse'} than {b}{by}"
    if g.status == "failed":
        return f"{c} is surely {'not better' if g.margin else 'worse'} than {b}{by}"
    return f"{c} is{surely} better than {b}{by}"
