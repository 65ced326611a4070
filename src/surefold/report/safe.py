"""Text from strangers made safe to show: in a terminal, in markdown, in a spreadsheet, in XML.

Labels, column names and file names may hold anything. A terminal must not obey them, a table must stay aligned, and a
spreadsheet must not run them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

__all__ = ["cell", "cut", "label_text", "markdown_cell", "pad", "plain", "spaced", "text_table", "width", "xml_text"]

#: Characters that reorder the text around them.
BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
LONGEST = 40
#: Marks that could start markup, a tag, a mention or a new cell, as what shows them.
_MARKDOWN = {ord(mark): f"&#{ord(mark)};" for mark in "\\`*|~@<>&#"} | {ord("["): "&#91;", ord("_"): "\\_"}


def plain(text: object) -> str:
    r"""The text with control, reordering and unprintable characters shown as escapes.

    >>> plain("a\x1b[31m\u202eb")
    'a\\x1b[31m\\u202eb'
    """
    out = str(text)
    if out.isascii() and out.isprintable():
        return out
    return "".join(_escaped(c) if _must_escape(c) else c for c in out)


def _must_escape(c: str) -> bool:
    # Cc control, Cs surrogate, Zl/Zp line and paragraph separators; other format characters are left to join emoji.
    return c in BIDI or unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")


def _escaped(c: str) -> str:
    code = ord(c)
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def label_text(label: object, longest: int = LONGEST) -> str:
    """A label as tables show it: safe, cut to a column's width, and visible when empty."""
    return "(empty)" if label == "" else cut(plain(label), longest)


def spaced(text: str) -> str:
    """The text with spaces shown where a page would swallow them: at its ends, and all but one of several.

    >>> spaced(" a b "), spaced("a   b")
    ('␣a b␣', 'a ␣␣b')
    """
    shown = re.sub(r"(?<= ) ", "␣", text)
    return re.sub(r"^ | $", "␣", shown)


def width(text: str) -> int:
    """How many columns a terminal gives the text.

    >>> width("abc"), width("日本"), width("e\u0301")
    (3, 4, 1)
    """
    if text.isascii():
        return len(text)
    return sum(_columns(c) for c in text)


def _columns(c: str) -> int:
    if unicodedata.combining(c) or unicodedata.category(c) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1


def cut(text: str, longest: int) -> str:
    """The text in at most so many columns, with an ellipsis where it was cut."""
    if width(text) <= longest:
        return text
    kept, used = [], 0
    for c in text:
        used += _columns(c)
        if used > longest - 1:
            break
        kept.append(c)
    return "".join(kept) + "…"


def pad(text: str, columns: int, right: bool = False) -> str:
    """The text filled up with spaces to so many columns."""
    space = " " * max(0, columns - width(text))
    return space + text if right else text + space


def text_table(rows: Sequence[Sequence[str]], right: Iterable[int] = (), gap: str = "  ") -> str:
    """Rows of cells in aligned columns; those in `right` are aligned to the right."""
    flush = set(right)
    widths = [max(width(row[c]) for row in rows if c < len(row)) for c in range(max(map(len, rows)))]
    lines = (gap.join(pad(text, widths[c], c in flush) for c, text in enumerate(row)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def cell(value: object) -> object:
    r"""A value for a CSV meant for people: text that a spreadsheet would run gets a quote in front.

    >>> cell("=cmd()"), cell(-0.5), cell("-0.5"), cell("@x")
    ("'=cmd()", -0.5, '-0.5', "'@x")
    """
    if not isinstance(value, str) or not value.startswith(("=", "+", "-", "@", "\t", "\r", "\n", "'")):
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def markdown_cell(text: object) -> str:
    """Text that cannot break out of a markdown table, nor become a tag or a link."""
    return plain(text).translate(_MARKDOWN).replace("://", "&#58;//")


def xml_text(text: object) -> str:
    """Text that may stand in XML 1.0, in an element or an attribute."""
    out = plain(text)
    out = "".join(c if c not in "\ufffe\uffff" else "\ufffd" for c in out)
    return (
        out.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;").replace("'", "&#39;")
    )
