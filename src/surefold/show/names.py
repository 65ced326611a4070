"""Text from strangers made safe to show: in a terminal, in markdown, in a spreadsheet, in XML.

Labels, column names and file names may hold anything. A terminal must not obey them, a table must stay aligned, and a
spreadsheet must not run them.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence

__all__ = [
    "cell",
    "csv_text",
    "cut",
    "json_plain",
    "label_text",
    "markdown_cell",
    "pad",
    "plain",
    "plain_lines",
    "shorter",
    "spaced",
    "text_table",
    "width",
    "xml_text",
]

#: Beside the first control characters: the others, what reorders the text around it, ends of lines and paragraphs, and
#: halves of characters. Other format characters are left to join emoji.
_BEYOND = "\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_UNSAFE = re.compile(f"[\x00-\x1f{_BEYOND}]")
_UNSAFE_IN_JSON = re.compile(f"[{_BEYOND}]")
LONGEST = 40
#: What a cell of a spreadsheet holds, with a quote in front.
MOST_IN_A_CELL = 32_766
#: What a formula begins with, also where keyboards have wide signs.
_STARTS = ("=", "+", "-", "@", "'", "\uff1d", "\uff0b", "\uff0d", "\uff20")
#: Marks that could start markup, a tag, a mention or a new cell, as what shows them.
_MARKDOWN = {ord(mark): f"&#{ord(mark)};" for mark in "\\`*|~@<>&#"} | {ord("["): "&#91;", ord("_"): "\\_"}


def plain(text: object) -> str:
    r"""The text with control, reordering and unprintable characters shown as escapes.

    >>> plain("a\x1b[31m\u202eb")
    'a\\x1b[31m\\u202eb'
    """
    out = str(text)
    return out if out.isascii() and out.isprintable() else _UNSAFE.sub(_escaped, out)


def plain_lines(text: str) -> str:
    """The same of text that may have several lines."""
    return "\n".join(map(plain, text.split("\n")))


def _escaped(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


def json_plain(text: str) -> str:
    r"""JSON that a terminal may be shown, and that is read as the same.

    >>> json_plain('{"a\x7f": "\u202e"}')
    '{"a\\u007f": "\\u202e"}'
    """
    return text if text.isascii() and "\x7f" not in text else _UNSAFE_IN_JSON.sub(_in_json, text)


def _in_json(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


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
    if text.isascii():
        return text if len(text) <= longest else f"{text[: longest - 1]}…"
    used = end = 0
    for place, c in enumerate(text, 1):  # no further than needed: a label may have millions of characters
        used += _columns(c)
        if used > longest:
            return f"{text[:end]}…"
        end = place if used < longest else end
    return text


def shorter(names: Sequence[str], room: int) -> list[str]:
    """Names that stand together, each in at most so many columns, and no two alike that were not.

    Long ones lose their ends; where they would look alike the beginning that they share, or else their middles.

    >>> shorter(["boosted trees, shallow", "boosted trees, deep", "bayes"], 12)
    ['…shallow', '…deep', 'bayes']
    >>> shorter(["a model with a long name", "bayes"], 12)
    ['a model wit…', 'bayes']
    """
    long = [name for name in dict.fromkeys(names) if width(name) > room]
    if not long:
        return list(names)
    shared = 0
    while len(long) > 1 and len({name[: shared + 1] for name in long}) == 1:
        shared += 1
    word = max((name.rfind(" ", 0, shared) + 1 for name in long), default=0)
    ways: tuple[Callable[[str, int], str], ...] = (
        lambda name, i: cut(name, room),
        lambda name, i: cut(f"…{name[word:]}", room),
        lambda name, i: cut(f"…{name[shared:]}", room),
        lambda name, i: f"{name[: room // 2]}…{name[room // 2 + 1 - room :]}",
        lambda name, i: f"{cut(name, room - 4)}{i}",
    )
    for way in ways:
        found = {name: way(name, i) if name in long else name for i, name in enumerate(dict.fromkeys(names), 1)}
        if len(set(found.values())) == len(found):
            break
    return [found[name] for name in names]


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


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV for people, which a spreadsheet opens without running anything in it; None is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow("" if value is None else cell(value) for value in row)
    return out.getvalue()


def cell(value: object) -> object:
    r"""A value for a CSV meant for people: safe to show, no longer than a spreadsheet holds, and never run by one.

    Text that would be run gets a quote in front.

    >>> cell("=cmd()"), cell(-0.5), cell("-0.5"), cell("@x"), cell("a\r=1+1")
    ("'=cmd()", -0.5, '-0.5', "'@x", 'a\\x0d=1+1')
    """
    if not isinstance(value, str):
        return value
    text = plain(value[:MOST_IN_A_CELL])
    if len(value) > MOST_IN_A_CELL or len(text) > MOST_IN_A_CELL:
        text = f"{text[: MOST_IN_A_CELL - 40]}… ({len(value):,} characters)"
    if not text.startswith(_STARTS):
        return text
    try:
        float(text)
    except ValueError:
        return f"'{text}"
    return text


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
