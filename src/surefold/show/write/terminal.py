"""What a terminal shows: the card first, then tables that fit, wrapped words, and colour only where it is wanted.

Nothing here obeys a stranger's text: every piece goes through `plain` before a colour is put round it.
"""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from surefold.findings import Finding
from surefold.show.blocks import Block, Document, Heading, Lines, Table, Text
from surefold.show.names import pad, plain, width
from surefold.show.write.cells import cell_text
from surefold.verdict.verdict import Badge, Verdict

__all__ = ["Look", "terminal", "wrapped"]

#: A terminal of unknown width, and the least and the most that lines of prose are given.
USUAL, LEAST, MOST_PROSE = 80, 20, 100
GAP = "  "
#: Kinds of columns whose cells may take several lines, and the columns of the terminal that they get at least.
BROKEN = {"words": 18, "broken": 12}
_CODES = {"strong": "1", "quiet": "2", "good": "1;32", "bad": "1;31", "open": "1;33", "warn": "33", "blue": "34"}
_MARKS = {"good": ("▲", "+"), "falls": ("▼", "+"), "bad": ("▼", "-"), "open": ("◆", "?")}


@dataclass(frozen=True)
class Look:
    """How wide a terminal is, whether it shows colours, and whether it can show signs beyond ASCII."""

    width: int = USUAL
    colour: bool = False
    signs: bool = True

    @classmethod
    def here(cls, width: int | None = None, colour: bool = False) -> Look:
        """As standard output is: its own width where it is a terminal, else 80 columns."""
        out = sys.stdout
        at_terminal = hasattr(out, "isatty") and out.isatty()
        found = width or (shutil.get_terminal_size((USUAL, 24)).columns if at_terminal else USUAL)
        try:
            "▲◆▼−".encode(getattr(out, "encoding", None) or "utf-8")
        except (UnicodeEncodeError, LookupError):
            return cls(max(found, LEAST), colour, signs=False)
        return cls(max(found, LEAST), colour)

    def paint(self, text: str, style: str) -> str:
        """The text in a style, where there are colours."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.colour and text and style in _CODES else text


def terminal(document: Document, look: Look | None = None) -> str:
    """The document as lines no wider than the terminal, without one at the end."""
    look = look or Look.here()
    return "\n\n".join(part for part in _parts(document, look) if part)


def _parts(document: Document, look: Look) -> list[str]:
    parts = [look.paint(f"== {plain(document.title)} ==", "strong")] if document.title else []
    if document.verdict is not None:
        parts.append(_card(document.verdict, look))
    parts += [_block(block, look) for block in document.blocks]
    parts += [_findings(document.findings, look)] if document.findings else []
    for part in document.parts:
        parts += _parts(part, look)
    if document.verdict is not None and document.verdict.how:
        how = " ".join(plain(sentence) for sentence in document.verdict.how)
        parts.append(_coloured(wrapped(f"How we know: {how}", look), look, "quiet"))
    return parts


def _card(verdict: Verdict, look: Look) -> str:
    badge: Badge = verdict.mark
    sign = _MARKS["falls" if badge.falls else badge.tone][0 if look.signs else 1]
    head = wrapped(f"{sign} {plain(badge)}", look, after="  ")
    lines = [_coloured(head, look, badge.tone), ""]
    styles = {"Answer": "strong", "Doubt": ""}
    for name, sentence in verdict.lines:
        text = wrapped(plain(sentence), look, before=" " * 8, after=" " * 8)[8:]
        label = look.paint(pad(name, 6), "warn" if name == "Doubt" else "strong")
        lines.append(f"{label}  {_coloured(text, look, styles.get(name, ''))}")
    return "\n".join(lines)


def _coloured(text: str, look: Look, style: str) -> str:
    """Each line on its own, with its indent left out, so that a pager may cut anywhere."""
    if not style:
        return text
    painted = ((line[: len(line) - len(line.lstrip())], line.lstrip()) for line in text.split("\n"))
    return "\n".join(space + look.paint(rest, style) for space, rest in painted)


def wrapped(text: str, look: Look, before: str = "", after: str = "", most: int = MOST_PROSE) -> str:
    """Prose broken at words; intervals in brackets are kept whole, words longer than a line are broken."""
    kept = re.sub(r"\[[^\[\]]{1,30}\]", lambda found: found[0].replace(" ", "\x00"), text)
    room = min(look.width, most) - (0 if text.isascii() else "\x01" in _columned(text))
    lines = textwrap.wrap(_columned(kept), room, initial_indent=before, subsequent_indent=after, break_on_hyphens=False)
    return "\n".join(lines).replace("\x00", " ").replace("\x01", "") or before


def _columned(text: str) -> str:
    """The text with a mark beside each character of two columns, which is how `textwrap` gets to count them."""
    return text if text.isascii() else "".join(c + "\x01" * (width(c) - 1) for c in text)


def _block(block: Block, look: Look) -> str:
    match block:
        case Table():
            return _table(block, look)
        case Text():
            style = {"quiet": "quiet", "warn": "warn"}.get(block.tone, "")
            return "\n".join(
                _coloured(wrapped(plain(line), look, after="  " if len(block.lines) > 1 else ""), look, style)
                for line in block.lines
            )
        case Heading():
            return look.paint(f"== {plain(block.text)} ==", "strong")
        case Lines():
            return "\n".join(map(plain, block.text.split("\n")))


def _findings(findings: Sequence[Finding], look: Look) -> str:
    """One line each, with the code at its end."""
    lines = []
    for f in findings:
        text = wrapped(f"{f.severity}: {plain(f.sentence)} [{f.code}]", look, after="  ")
        head, rest = text[: len(f.severity) + 1], text[len(f.severity) + 1 :]
        lines.append(look.paint(head, "warn" if f.severity != "note" else "quiet") + rest)
    return "\n".join(lines)


# tables


def _table(table: Table, look: Look) -> str:
    parts = [look.paint(plain(table.title), "strong")] if table.title else []
    if table.rows:
        parts.append(_fitted(table, look))
    parts += [wrapped(plain(note), look) for note in table.notes]
    return "\n".join(parts)


def _fitted(table: Table, look: Look) -> str:
    """Columns are left out, names cut, words wrapped, and at last the table is cut into several: no number is lost."""
    longest = 40
    cells = [[cell_text(cell) for cell in row] for row in table.rows]
    keep = [j for j, column in enumerate(table.columns) if column.title or any(row[j] for row in cells)]
    for drop in (2, 1):
        if _wide(table, cells, keep) <= look.width:
            break
        keep = [j for j in keep if table.columns[j].drop < drop]
    while _wide(table, cells, keep) > look.width and longest > 12 and any(c.kind == "name" for c in table.columns):
        longest -= 4
        shorter = [[cell_text(cell, longest) for cell in row] for row in table.rows]
        if any(len({row[j] for row in shorter}) < len({row[j] for row in cells}) for j in range(table.stub)):
            break  # two names would read the same
        cells = shorter
    if _wide(table, cells, keep) <= look.width:
        return _drawn(table, cells, keep, look)
    if max(_wide(table, cells, [0, j]) for j in keep if j >= table.stub) > look.width:  # even one column beside it
        first, *others = table.columns
        table = replace(table, columns=(replace(first, kind="broken"), *others))
    stub = [j for j in keep if j < table.stub]
    blocks: list[list[int]] = [[]]
    for j in (j for j in keep if j >= table.stub):
        if blocks[-1] and _wide(table, cells, [*stub, *blocks[-1], j]) > look.width:
            blocks.append([])
        blocks[-1].append(j)
    drawn: list[str] = []
    for block in blocks:  # rows of which nothing is left to say in a later part are left out of it
        said = [row for row in cells if not drawn or any(row[j] for j in block)]
        drawn.append(_drawn(table, said, [*stub, *block], look))
    return "\n\n".join(drawn)


def _widths(table: Table, cells: list[list[str]], keep: Sequence[int]) -> list[int]:
    found = []
    for j in keep:
        most = max([width(plain(table.columns[j].title)), *(width(row[j]) for row in cells)])
        found.append(min(most, BROKEN.get(table.columns[j].kind, most)))
    return found


def _wide(table: Table, cells: list[list[str]], keep: Sequence[int]) -> int:
    """How wide the table is at least: words may be broken."""
    return sum(_widths(table, cells, keep)) + len(GAP) * (len(keep) - 1)


def _drawn(table: Table, cells: list[list[str]], keep: Sequence[int], look: Look) -> str:
    widths = _widths(table, cells, keep)
    left = look.width - sum(widths) - len(GAP) * (len(keep) - 1)
    for place, j in enumerate(keep):
        if table.columns[j].kind in BROKEN:
            most = max([width(plain(table.columns[j].title)), *(width(row[j]) for row in cells)])
            more = min(most - widths[place], max(left, 0))
            widths[place], left = widths[place] + more, left - more
    head, kinds = [plain(table.columns[j].title) for j in keep], [table.columns[j].kind for j in keep]
    lines = [_coloured(line, look, "quiet") for line in _row(kinds, head, widths, look, lambda text, kind: text)]
    for row in cells:
        lines += _row(kinds, [row[j] for j in keep], widths, look, lambda text, kind: _tinted(text, kind, look))
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _tinted(text: str, kind: str, look: Look) -> str:
    return look.paint(text, {"words": "warn", "code": "quiet"}.get(kind, ""))


def _row(
    kinds: Sequence[str], row: Sequence[str], widths: Sequence[int], look: Look, tint: Callable[[str, str], str]
) -> list[str]:
    """A row as one line, or as many as its words need."""
    broken = [
        wrapped(text, replace(look, width=room)).split("\n") if kind in BROKEN and width(text) > room else [text]
        for text, kind, room in zip(row, kinds, widths, strict=True)
    ]
    lines = []
    for i in range(max(map(len, broken))):
        texts = [part[i] if i < len(part) else "" for part in broken]
        filled = [pad(text, room, kind == "number") for text, kind, room in zip(texts, kinds, widths, strict=True)]
        last = max((place for place, text in enumerate(texts) if text), default=0)
        filled[last] = filled[last].rstrip()
        lines.append(GAP.join(tint(text, kind) for text, kind in zip(filled[: last + 1], kinds, strict=False)))
    return lines
