"""What a selection shows: what was chosen, claim beside estimate, the candidates, and what rows did what."""

from __future__ import annotations

import numpy as np

from surefold.numbers import duration
from surefold.selection.pick import Entry
from surefold.selection.result import Selection
from surefold.show.blocks import Block, Column, Document, Name, Table, Text, estimates_table
from surefold.show.names import label_text

__all__ = ["document"]

#: Candidates that a table shows, and the columns that a candidate's name may take.
MOST_SHOWN, LONGEST = 15, 58
_HOW = {"best": "the best", "one_se": "the simplest within one standard error", "simplest": "the simplest not worse"}


def document(s: Selection) -> Document:
    """The card quotes the figure of rows that chose nothing."""
    heading = (
        f"{s.level.title}: {label_text(s.best.name, 100)}, {_HOW[s.rule]} of {len(s):,} by {s.measure} "
        f"({s.data.rows:,} rows, seed {s.seed})"
    )
    blocks: list[Block | None] = [
        Text.of(heading),
        estimates_table(s.claims, s.confidence, s.measure),
        Text.of(_optimism(s)),
        _candidates(s),
        _rules(s),
        Text.of(*s.words),
    ]
    return Document.of(s.verdict, blocks, s.findings)


def _optimism(s: Selection) -> str:
    e = s.optimism
    if not e.defined:
        return f"Optimism of the search: unknown ({e.reason})."
    return f"Optimism of the search: {e} (claimed less found, better counted as positive)."


def _candidates(s: Selection) -> Table:
    head = (
        Column("candidate", "name"),
        Column(s.measure),
        Column("fits", "number", drop=2),
        Column("a fit", "number", drop=1),
        Column("dropped after" if any(e.dropped_at for e in s.picked.entries) else ""),
        Column("", "broken"),
    )
    rows = [
        (
            Name(e.name),
            e.estimate,
            f"{e.fits:,}",
            "–" if np.isnan(e.fit_seconds) else duration(e.fit_seconds),
            "" if e.dropped_at is None else f"fold {e.dropped_at}",
            _mark(s, e),
        )
        for e in s.picked.entries[:MOST_SHOWN]
    ]
    left = len(s.picked.entries) - MOST_SHOWN
    more = f"({left:,} more candidates are not shown; table and to_frame() have them)" if left > 0 else ""
    return Table.of(head, rows, "", more)


def _mark(s: Selection, e: Entry) -> str:
    if e.candidate is s.best:
        return "chosen"
    return e.reason if e.reason and e.dropped_at is None else ""


def _rules(s: Selection) -> Text | None:
    if len(s) == 1:
        return None
    simplest = "cannot be told from one set of rows" if s.simplest is None else label_text(s.simplest.name, LONGEST)
    often = ""
    if s.outer:
        told = "; ".join(f"{label_text(name, LONGEST)} {n:,}" for name, n in list(s.stability.items())[:3])
        often = f"Chosen in {len(s.outer)} outer folds: {told}{'; …' if len(s.stability) > 3 else ''}"
    return Text.of(
        f"Best figure: {label_text(s.top.name, LONGEST)}",
        f"Simplest within one standard error of it: {label_text(s.one_se.name, LONGEST)}",
        f"Simplest that no test finds worse: {simplest}",
        f"(simple by {s.picked.ordered_by})",
        often,
    )
