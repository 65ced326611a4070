"""A selection drawn: candidates with their intervals, and what the search claimed beside what was found."""

from __future__ import annotations

import math
from collections.abc import Callable

from surefold.phrases import measure_title
from surefold.selection.pick import Entry
from surefold.selection.result import Selection
from surefold.show.chart import range_of
from surefold.show.names import cut, label_text, plain, shorter
from surefold.show.row_chart import AnyChart, Kind, Row, RowChart, axis_of

__all__ = ["candidates_chart", "charts", "claims_chart"]

#: Candidates that are drawn, and characters of a name.
MOST_DRAWN, LONGEST = 25, 34
HONEST = ("corrected for the choice", "on rows that chose nothing")


def candidates_chart(s: Selection) -> RowChart | None:
    """The best candidates with their intervals, the chosen one filled, those that a race dropped hollow."""
    shown = [e for e in s.picked.entries[:MOST_DRAWN] if e.estimate.defined]
    if not shown:
        return None
    if s.picked.chosen not in shown:
        shown[-1] = s.picked.chosen
    title = measure_title(s.measure)
    names = shorter([label_text(e.name, 200) for e in shown], LONGEST)
    rows = [Row(name, e.estimate, str(e.estimate), _kind(s, e)) for name, e in zip(names, shown, strict=True)]
    left = len(s.picked.entries) - len(shown)
    sentence = (
        f"{title} of {len(shown):,} candidates in the search, best first, with intervals each for its candidate alone; "
        f"the square is the one that was chosen, {label_text(s.best.name, 60)}."
    )
    if any(e.dropped_at is not None for e in shown):
        sentence += " The race dropped the hollow ones."
    if left > 0:
        sentence += f" {left:,} more are not drawn."
    table = tuple((plain(cut(e.name, 80)), *e.estimate.texts) for e in shown)
    return RowChart(
        "candidates",
        "Candidates",
        sentence,
        axis_of(title, rows, limits=range_of(s.measure)),
        tuple(rows),
        header=("Candidate", title, "low", "high"),
        rows=table,
        legend=(("other", "chosen"), ("value", "candidate"), ("hollow", "dropped by the race")),
    )


def _kind(s: Selection, e: Entry) -> Kind:
    return "other" if e.candidate is s.best else "hollow" if e.dropped_at is not None else "value"


def claims_chart(s: Selection) -> RowChart | None:
    there = {name: e for name, e in s.claims.items() if e.defined}
    if not there:
        return None
    title = measure_title(s.measure)
    rows = [Row(name, e, str(e), "value" if name in HONEST else "other") for name, e in there.items()]
    found = tuple(fold.found for fold in s.outer if math.isfinite(fold.found))
    if found:
        rows.append(Row("found in each outer fold", None, "", dots=found))
    sentence = "What the search claims of the chosen model (squares) beside what does not flatter it (diamonds)."
    table = tuple((name, *e.texts) for name, e in there.items())
    return RowChart(
        "optimism",
        "Claimed and found",
        f"{sentence} {optimism_words(s)}",
        axis_of(title, rows, limits=range_of(s.measure)),
        tuple(rows),
        header=("Figure", title, "low", "high"),
        rows=table,
        legend=(("other", "claimed by the search"), ("value", "free of the choice"), ("dots", "an outer fold")),
    )


def optimism_words(s: Selection) -> str:
    e = s.optimism
    if not e.defined:
        return f"Optimism of the search: unknown ({plain(e.reason)})."
    return f"Optimism of the search: {e} (claimed less found, better counted as positive)."


def charts(s: Selection) -> dict[str, Callable[..., AnyChart | None]]:
    """The candidates, and what was claimed beside what was found."""
    return {"candidates": lambda: candidates_chart(s), "optimism": lambda: claims_chart(s)}
