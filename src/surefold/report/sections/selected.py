"""A selection: what the search claimed, what rows say that chose nothing, and the candidates."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace

from surefold.errors import InputError, RunError
from surefold.estimates.estimate import Estimate
from surefold.numbers import duration, number
from surefold.phrases import measure_title
from surefold.report.sections.contents import Contents, Part, own_section
from surefold.report.sections.plans import plan_words
from surefold.report.sections.section import Section, Table
from surefold.report.sections.tables import estimate_cells
from surefold.report.sections.told import Told
from surefold.selection.result import Selection
from surefold.show.charts.selection import candidates_chart, claims_chart
from surefold.show.names import cut, label_text, plain

__all__ = ["contents"]

#: Candidates that are listed, characters of a name, and outer folds that are listed.
MOST_LISTED, LONGEST, MOST_OUTER = 60, 34, 30


def contents(s: Selection) -> Contents:
    named = {f"{measure_title(s.measure)}, {name}": e for name, e in _quoted(s).items()}
    facts = (
        ("Chosen", label_text(s.best.name, 80)),
        ("Candidates", f"{len(s):,}"),
        ("Rows", f"{s.data.rows:,}"),
        ("Strategy", s.level.title),
        ("Fits", f"{s.fits:,}"),
    )
    verdict = s.verdict
    told = Told.of(verdict, named, facts, s.findings, s.confidence, s.words)
    return Contents(
        None,  # the page opens with the chosen model
        (_section(s),),
        lambda: {s.best.name: _part(s, told)},
        brief=told,
        title="Model selection",
        measures=(s.measure,),
        shown=(*s.claims.values(), s.optimism, *(e.estimate for e in s.picked.entries[:MOST_LISTED])),
        notes=(
            "What the search saw of its winner flatters it: of several figures the best was taken. Rows that chose "
            "nothing do not flatter. Optimism is the difference.",
        ),
        facts=(
            ("Seed", str(s.seed)),
            ("Splits of the search", plan_words(s.layout.final)),
            *(() if s.layout.tests is None else (("Rows of the test", plan_words(s.layout.tests)),)),
            ("Fingerprint of the data", s.data.fingerprint),
        ),
        confidence=s.confidence,
    )


def _quoted(s: Selection) -> dict[str, Estimate]:
    """The figure to quote first, then the claim, then their difference."""
    found = {"to quote": s.estimate, "claimed by the search": s.claimed, "optimism of the search": s.optimism}
    return {name: e for name, e in found.items() if e.defined}


def _part(s: Selection, told: Told) -> Part:
    try:
        a = s.held_out.assess(confidence=s.confidence)
    except (InputError, RunError) as error:
        return Part(told, None, f"There are no curves and no threshold to move: {plain(error.problem)}.")
    # what the rows are was said of the whole data; what is weak about the held-out answers belongs beside it
    findings = tuple({str(f): f for f in (*told.findings, *a.findings)}.values())
    return Part(replace(told, findings=findings), a, rows="Held-out rows", python="s.held_out.assess()")


def _section(s: Selection) -> Section:
    charts = [candidates_chart(s), claims_chart(s)]
    tables = [("Claimed and found", _claims_table(s)), ("Candidates", _candidates_table(s))]
    if s.outer:
        tables.append(("Outer folds", _outer_table(s)))
    if len(s.stability) > 1 or s.outer:
        rows = [(label_text(name, LONGEST), f"{n:,}") for name, n in list(s.stability.items())[:10]]
        tables.append(("How often each was chosen", Table.of(("Candidate", "Times"), rows)))
    tables.append(("Card of the chosen model", _card(s)))
    return own_section(
        "selection", "Selection", notes=_rules(s), charts=[c for c in charts if c is not None], tables=tables
    )


def _rules(s: Selection) -> list[str]:
    if len(s) == 1:
        return []
    simplest = "cannot be told from one set of rows" if s.simplest is None else label_text(s.simplest.name, 80)
    return [
        f"Best figure: {label_text(s.top.name, 80)}. Simplest within one standard error of it: "
        f"{label_text(s.one_se.name, 80)}. Simplest that no test finds worse: {simplest}. "
        f"(Simple by {s.picked.ordered_by}.)"
    ]


def _claims_table(s: Selection) -> Table:
    head = ("Figure", "Value", "Interval", "At", "Method", "To know")
    rows = []
    for name, e in {**s.claims, "optimism of the search": s.optimism}.items():
        value, bounds, method, notes = estimate_cells(e)
        rows.append((name, value, bounds, f"{e.confidence * 100:.4g}%" if bounds else "", method, notes))
    return Table.of(head, rows)


def _candidates_table(s: Selection) -> Table:
    raced = any(e.dropped_at for e in s.picked.entries)
    head = ["Candidate", measure_title(s.measure), f"{s.confidence * 100:g}% interval", "Fits", "A fit"]
    head += ["Dropped after", "Note"] if raced else ["Note"]
    rows = []
    for e in s.picked.entries[:MOST_LISTED]:
        value, bounds, _, _ = estimate_cells(e.estimate)
        seconds = "–" if math.isnan(e.fit_seconds) else duration(e.fit_seconds)
        dropped = ["" if e.dropped_at is None else f"fold {e.dropped_at}"] if raced else []
        why = "chosen" if e.candidate is s.best else plain(e.reason) if e.reason and e.dropped_at is None else ""
        rows.append((label_text(e.name, 80), value, bounds, f"{e.fits:,}", seconds, *dropped, why))
    left = len(s.picked.entries) - len(rows)
    return Table.of(head, rows, f"{left:,} more candidates are not shown; to_frame() has them." if left > 0 else "")


def _outer_table(s: Selection) -> Table:
    rows = [
        (f"{o.repeat}, {o.fold}", label_text(o.chosen, LONGEST), number(o.claimed), number(o.found))
        for o in s.outer[:MOST_OUTER]
    ]
    left = len(s.outer) - len(rows)
    return Table.of(("Repeat, fold", "Chosen", "Claimed", "Found"), rows, f"{left:,} more." if left else "")


def _card(s: Selection) -> Table:
    card = dict(s.card)
    card["chosen"] = {key: value for key, value in card["chosen"].items() if key != "all_params"}
    shown = (
        "chosen",
        "fitted_on",
        "data",
        "strategy",
        "measure",
        "costs",
        "rule",
        "seed",
        "selected_from",
        "threshold",
        "versions",
    )
    rows = [(key.replace("_", " ").capitalize(), _value(card[key])) for key in shown if card[key] not in (None, {}, [])]
    return Table.of(("Fact", "Value"), rows)


def _value(value: object) -> str:
    """Plain values in words, cut where they are long."""
    if isinstance(value, Mapping):
        there = {key: each for key, each in value.items() if each is not None and each != [] and each != {}}
        return cut("; ".join(f"{plain(key)}: {_value(each)}" for key, each in there.items()), 600)
    return cut(plain(value if isinstance(value, (str, int, float)) else json.dumps(value, default=str)), 200)
