"""What a result shows, described once: no markup, no width, no colour, and estimates that are not yet text.

A `Document` is a card (the verdict), then blocks in reading order, then what to know and how we know. Writers in
`show.write` walk over it; a description in `show.of` is all that a new kind of result needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.phrases import METHOD_NAMES, phrase_of
from surefold.verdict.verdict import Verdict

__all__ = ["Block", "Cell", "Column", "Document", "Heading", "Lines", "Name", "Table", "Text", "estimates_table"]


@dataclass(frozen=True)
class Name:
    """A stranger's text: the name of a model, a class, a file. It is the only thing that writers cut."""

    text: object
    more: str = ""  # our own words after it

    def __str__(self) -> str:
        return f"{self.text}{self.more}"


#: What a cell may hold. Text is ours; a stranger's is a `Name`.
Cell = Estimate | Name | str | int | float | None


@dataclass(frozen=True)
class Column:
    """What stands in a column, and how soon it goes where room is short: 0 never, 2 before 1.

    words: text that may be broken into lines. `code` is ours, for machines; people read the words beside it.
    """

    title: str
    kind: Literal["name", "number", "text", "words", "broken", "code"] = "text"
    drop: int = 0


@dataclass(frozen=True)
class Table:
    """Rows of cells under columns, with words below; `stub` columns stay where a table is cut into several.

    `best` is the row of the best of several, which writers that can set in bold.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()
    stub: int = 1
    best: int | None = None

    @classmethod
    def of(cls, columns: Sequence[Column], rows: Iterable[Sequence[Cell]], title: str = "", *notes: str) -> Table:
        """A table of any rows; notes that say nothing are left out."""
        return cls(tuple(columns), tuple(tuple(row) for row in rows), title, tuple(note for note in notes if note))


@dataclass(frozen=True)
class Text:
    """A paragraph, or a list of lines that belong together."""

    lines: tuple[str, ...]
    tone: Literal["plain", "quiet", "warn"] = "plain"

    @classmethod
    def of(cls, *lines: str, tone: Literal["plain", "quiet", "warn"] = "plain") -> Text:
        """A text of these lines; those that say nothing are left out."""
        return cls(tuple(line for line in lines if line), tone)


@dataclass(frozen=True)
class Lines:
    """What is drawn with characters: never broken, and only where characters stand below each other."""

    text: str


@dataclass(frozen=True)
class Heading:
    """Words above what follows."""

    text: str
    level: int = 1


Block = Table | Text | Lines | Heading


@dataclass(frozen=True)
class Document:
    """What a result says: the card, the blocks, what to know; `title` only where several stand below each other."""

    verdict: Verdict | None
    blocks: tuple[Block, ...]
    findings: tuple[Finding, ...] = ()
    title: str = ""
    parts: tuple[Document, ...] = field(default=())

    @classmethod
    def of(
        cls, verdict: Verdict | None, blocks: Iterable[Block | None], findings: Sequence[Finding] = (), title: str = ""
    ) -> Document:
        """A document of these blocks, without those that are not there."""
        return cls(verdict, tuple(b for b in blocks if b is not None), tuple(findings), title)


def estimates_table(
    found: Mapping[Any, Estimate],
    confidence: float,
    title: str = "",
    *,
    names: bool = False,
    extra: Mapping[Any, str] | None = None,
) -> Table:
    """A row an estimate: value, interval, method, and what is weak about it in words, its codes last."""
    head = (
        Column(title, "name" if names else "text"),
        Column("value", "number"),
        Column(f"{confidence * 100:g}% interval"),
        Column("method", drop=1),
        Column("", "words"),
        Column("", "code", drop=2),
    )
    rows = []
    for name, e in found.items():
        level = "" if e.confidence == confidence else f"at {e.confidence:.4g}"
        said = [*filter(None, [level, e.reason, (extra or {}).get(name, "")]), *map(phrase_of, e.flags)]
        shown = Name(name) if names else str(name)
        method = METHOD_NAMES.get(e.method, e.method.replace("_", " "))
        rows.append((shown, e.texts[0], e.bounds_text, method, "; ".join(said), " ".join(e.flags)))
    return Table.of(head, rows)
