"""CSV bytes -> text columns, exactly: polars reads what is well formed, Python's csv module explains the rest."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.findings import Finding

from .files import without_nul

if TYPE_CHECKING:
    import polars

__all__ = [
    "CsvText",
    "checked_utf8",
    "decode",
    "is_wide",
    "line_ends",
    "locate",
    "paired_quotes",
    "parse",
    "plain",
    "records",
]

_DELIMITERS = (",", ";", "\t", "|")
_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True)
class CsvText:
    """UTF-8 bytes with what is needed to find records in them."""

    source: str
    data: bytes
    delimiter: str
    comment: str | None
    header: tuple[str, ...]
    header_lines: int  # physical lines up to and with the header
    body: int  # offset of the first byte after the header


def decode(data: bytes, source: str, encoding: str | None, findings: list[Finding]) -> bytes:
    """The bytes as UTF-8 without a byte-order mark."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            data = data[len(mark) :]
            if name == "utf-8":
                break
            findings.append(Finding.of("encoding", f"The file was read as {name.upper()}, after its byte-order mark."))
            return without_nul(_decoded(data, name, source), source)
    else:
        if encoding is not None and _codec(encoding, source) != "utf-8":
            findings.append(Finding.of("encoding", f"The file was read as {encoding}."))
            return without_nul(_decoded(data, encoding, source), source)
    return checked_utf8(data, source)


def checked_utf8(data: bytes, source: str) -> bytes:
    """The bytes, if they are UTF-8 without a NUL."""
    without_nul(data, source)
    if not data.isascii():
        _decoded(data, "utf-8", source)
    return data


def is_wide(data: bytes, encoding: str | None) -> bool:
    """Whether bytes with this beginning are no UTF-8, by their mark or by what was said."""
    if any(data.startswith(mark) for mark, name in _BOMS if name != "utf-8"):
        return True
    return encoding is not None and _codec(encoding, "") != "utf-8"


def _codec(encoding: str, source: str) -> str:
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)
    except LookupError:
        raise InputError("bad_option", f"there is no text encoding {show(encoding)}", source=source,
                         cure="say encoding='latin-1' (--encoding latin-1), 'cp1252' or another that Python knows",
                         ) from None  # fmt: skip
    return found.name


def _decoded(data: bytes, encoding: str, source: str) -> bytes:
    try:
        text = data.decode(encoding)
        return text.encode("utf-8") if encoding != "utf-8" else data
    except UnicodeError as error:
        at = getattr(error, "start", 0)
        line = data.count(b"\n", 0, at) + 1
        raise InputError(
            "bad_encoding", f"byte {show(data[at : at + 1])} is not {encoding}", lines=[line], count=1, source=source,
            cure="say the encoding, for instance encoding='latin-1' (--encoding latin-1)",
        ) from None  # fmt: skip


def locate(data: bytes, source: str, delimiter: str | None, comment: str | None, findings: list[Finding]) -> CsvText:
    """Find delimiter and header."""
    if comment is not None and (not comment or len(comment.encode()) > 5):
        raise InputError("bad_option", f"comment={show(comment)} is not one to five characters", cure="say comment='#'")
    if delimiter is not None and (len(delimiter.encode()) != 1 or delimiter in '"\r\n\0'):
        raise InputError(
            "bad_option", f"delimiter={show(delimiter)} is not one plain character", cure="say delimiter=';'"
        )
    if not data or data.isspace():
        raise InputError("empty_file", "the file holds blank space only", source=source, cure="give a header and rows")
    sample = data[: 1 << 18].decode("utf-8", errors="ignore")
    if sample.lstrip("\r\n \t").startswith("#") and comment is None:
        _refuse_comment(sample, source, delimiter)
    _refuse_json(sample, source)
    chosen = delimiter or _sniff(sample, source, comment, findings)
    for record in records(data, chosen, comment, source):
        if delimiter is not None and len(record.fields) == 1:
            _refuse_delimiter(delimiter, record.raw, sample, source, comment)
        lines, offset = 0, 0
        while lines < record.last and offset < len(data):
            offset = _line_end(data, offset)
            lines += 1
        return CsvText(source, data, chosen, comment, tuple(record.fields), record.last, offset)
    raise InputError("no_rows", "the file holds comments only", source=source, cure="give a header and rows")


def _line_end(data: bytes, offset: int) -> int:
    lf = data.find(b"\n", offset)
    lf = len(data) - 1 if lf < 0 else lf
    cr = data.find(b"\r", offset, lf + 1)
    if cr < 0 or (cr == lf - 1 and data[lf : lf + 1] == b"\n"):
        return lf + 1
    return cr + 1


def _refuse_comment(sample: str, source: str, delimiter: str | None) -> None:
    lines = [line for line in sample.splitlines() if line.strip()]
    for candidate in (delimiter,) if delimiter else _DELIMITERS:
        if len(lines) > 1 and 0 < lines[0].count(candidate) == lines[1].count(candidate):
            return  # '#id,y,p' is a header whose first name begins with '#'
    raise InputError("comment_line", f"the file opens with a comment, {show(lines[0], 40)}", lines=[1], source=source,
                     cure="say comment='#' (--comment '#')")  # fmt: skip


def _refuse_json(sample: str, source: str) -> None:
    text = sample.lstrip()
    if not re.match(r'\{\s*"|\[\s*[\[{]', text):
        return
    first, _, more = text.partition("\n")
    try:
        is_lines = isinstance(json.loads(first), dict) and bool(more.strip())
    except ValueError:
        is_lines = False
    kind, reader = ("JSON lines", "read_ndjson") if is_lines else ("JSON", "read_json")
    cure = f"write it as CSV or Parquet, in Python by polars.{reader}(path).write_csv('table.csv')"
    raise InputError("unknown_file_type", f"this is {kind}, not CSV", source=source, cure=cure)


def _refuse_delimiter(said: str, header: str, sample: str, source: str, comment: str | None) -> None:
    """A table has two columns at least: a header that the delimiter does not part is parted by another one."""
    seems = _sniff(sample, source, comment, [])
    if seems != said and seems in header:
        problem = f"the delimiter {show(said)} is not in the header {show(header.strip(), 50)}"
        cure = f"leave it out, or say delimiter={'tab' if seems == chr(9) else seems!r}"
        raise InputError(
            "bad_option", f"{problem}, which seems to be separated by {_NAMES[seems]}", source=source, cure=cure
        )


def _sniff(sample: str, source: str, comment: str | None, findings: list[Finding]) -> str:
    lines = sample.splitlines(keepends=True)
    lines = lines[:-1] if len(lines) > 1 and len(sample) >= 1 << 17 else lines
    text = [line for line in lines[:200] if line.strip() and not (comment and line.startswith(comment))]
    usual = "\t" if source.lower().removesuffix(".gz").endswith((".tsv", ".tab")) else ","
    best, chosen = (0.0, 0), usual
    for candidate in sorted(_DELIMITERS, key=lambda d: d != usual):
        try:
            widths = [len(fields) for fields in csv.reader(text, delimiter=candidate) if fields]
        except csv.Error:
            widths = [line.count(candidate) + 1 for line in text]
        if widths and widths[0] > 1:
            score = (widths.count(widths[0]) / len(widths), widths[0])
            if score > best:
                best, chosen = score, candidate
    if chosen != usual:
        sentence = f"The file is separated by {_NAMES[chosen]}, not {_NAMES[usual]}."
        findings.append(Finding.of("delimiter", sentence, delimiter=chosen))
    return chosen


@contextmanager
def _any_field_size() -> Iterator[None]:
    limit = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(limit)


@dataclass(frozen=True)
class Record:
    """The fields of one record, the physical lines it stands on, and its text."""

    fields: list[str]
    first: int
    last: int
    raw: str


def records(data: bytes, delimiter: str, comment: str | None, source: str) -> Iterator[Record]:
    """Every record that is not blank or a comment."""
    raw: list[str] = []
    at_start = True  # of a record: inside quotes a line that looks like a comment is none

    def wanted() -> Iterator[str]:
        nonlocal at_start
        for line in _lines(data):
            skip = at_start and comment is not None and line.startswith(comment)
            at_start = False
            raw.append(line)
            yield "\n" if skip else line

    reader = csv.reader(wanted(), delimiter=delimiter, strict=True)
    with _any_field_size():
        while True:
            first, at_start = reader.line_num + 1, True
            raw.clear()
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise _bad_quote(data, first, reader.line_num, str(error), source) from None
            whole = "".join(raw)
            if fields and whole.strip(" \t\r\n"):
                yield Record(fields, first, reader.line_num, whole)


def line_ends(data: bytes) -> int:
    """How many physical lines end in the bytes."""
    return data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")


def _lines(data: bytes) -> io.TextIOWrapper:
    """Physical lines, ended by LF, CR or CRLF."""
    return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="")


def _bad_quote(data: bytes, first: int, last: int, reason: str, source: str) -> InputError:
    lines = list(_lines(data))
    record = "".join(lines[first - 1 : last])
    if "end of data" in reason:
        quotes = [m.start() for m in re.finditer('"', record)]
        opened = quotes[-1 if len(quotes) % 2 else -2] if quotes else 0
        before = record[:opened]
        line = first + len(re.findall(r"\r\n|\n|\r", before))
        problem, cure = "a quote is opened and never closed", "close it, or double quotes that are part of a field"
    else:
        line, problem = last, "text follows a closing quote"
        cure = "double the quotes that are part of a quoted field"
    shown = show(lines[line - 1].rstrip("\r\n"), 50) if line <= len(lines) else ""
    return InputError("unclosed_quote", f"{problem}, in {shown}", lines=[line], count=1, source=source, cure=cure)


def parse(text: CsvText) -> polars.DataFrame:
    """All columns as text, named 0, 1, ... by position; an empty field without quotes is null.

    Where there are blank lines and comments only, there are no rows.
    """
    import polars

    body = text.data[text.body :]
    if body.endswith((b"\n\n", b"\n\r\n")):
        body = body.rstrip(b"\r\n")
    k = len(text.header)
    frame = None
    if body and plain(body, text.delimiter, text.comment):
        try:
            frame = polars.read_csv(
                body,
                has_header=False,
                schema={str(i): polars.String for i in range(k)},
                separator=text.delimiter,
                quote_char='"',
            )
        except (polars.exceptions.PolarsError, OSError, ValueError):
            frame = None
        if frame is not None and not _complete(frame, body, text.delimiter, k):
            frame = None
    return _slow(text) if frame is None else frame


def plain(body: bytes, delimiter: str, comment: str | None) -> bool:
    """Whether every reader agrees on what the bytes mean: no lone CR, mark or blank line, quotes only around fields."""
    if comment is not None and comment.encode() in body:
        return False
    if body[:1] in b"\r\n" or body.startswith(codecs.BOM_UTF8) or _odd_line_start(body):
        return False
    if b"\r" in body and body.count(b"\r") != body.count(b"\r\n"):
        return False
    if b'"' not in body:
        return True
    quotes = paired_quotes(body, delimiter)
    return quotes is not None and len(quotes) % 2 == 0


def paired_quotes(body: bytes, delimiter: str, inside: bool = False) -> NDArray[np.int64] | None:
    """Where quotes stand, if by turns they open a field where it begins and close it where it ends; else None.

    A doubled quote closes the field and opens it again. `inside` says that the text begins inside quotes.
    """
    quotes = np.flatnonzero(np.frombuffer(body, dtype=np.uint8) == 34)
    is_edge = np.zeros(256, dtype=bool)
    is_edge[list(b'\r\n"' + delimiter.encode())] = True
    edge = is_edge[np.frombuffer(b"\n" + body + b"\n", dtype=np.uint8)]
    opening, closing = quotes[int(inside) :: 2], quotes[1 - int(inside) :: 2]
    return quotes if edge[opening].all() and edge[closing + 2].all() else None


def _odd_line_start(body: bytes) -> bool:
    """Whether a line is blank, or holds spaces or tabs only."""
    text = np.frombuffer(body, dtype=np.uint8)
    starts = np.flatnonzero(text[:-1] == 10) + 1
    first = text[starts]
    if ((first == 10) | (first == 13)).any():
        return True
    may = body[:1] in (b" ", b"\t") or bool(((first == 32) | (first == 9)).any())
    return may and re.search(rb"(?:^|\n)[ \t]+(?:\r?\n|\Z)", body) is not None


def _complete(frame: polars.DataFrame, body: bytes, delimiter: str, k: int) -> bool:
    """Whether every row had all its fields: the last is always there, or the delimiters add up."""
    import polars

    if k > 1 and frame.to_series(k - 1).null_count() == 0:
        return not body.endswith(delimiter.encode())  # an empty field too many, which polars overlooks there
    inside = 0
    if b'"' in body:
        counted = frame.select(polars.all().str.count_matches(delimiter, literal=True).sum())
        inside = sum(int(v or 0) for v in counted.row(0))
    if b'"' not in body and body.count(b"\n") + (not body.endswith(b"\n")) != frame.height:
        return False
    return body.count(delimiter.encode()) == (k - 1) * frame.height + inside


def _quoted(record: Record, delimiter: str) -> list[bool]:
    """Which fields stand in quotes: `""` is empty text, nothing at all is missing."""
    field = re.compile(rf'("(?:[^"]|"")*"|[^{re.escape(delimiter)}\r\n]*)(?:{re.escape(delimiter)}|[\r\n]*$)')
    flags: list[bool] = []
    at = 0
    while len(flags) < len(record.fields) and (found := field.match(record.raw, at)):
        flags.append(found.group(1).startswith('"'))
        at = found.end()
    return flags


def _slow(text: CsvText) -> polars.DataFrame:
    import polars

    k = len(text.header)
    columns: list[list[str | None]] = [[] for _ in range(k)]
    every = records(text.data, text.delimiter, text.comment, text.source)
    next(every)
    bad: list[tuple[int, int, list[str]]] = []
    count = 0
    try:
        for row, record in enumerate(every, start=1):
            fields, line = record.fields, record.first
            if len(fields) != k:
                count += 1
                if not bad or (len(bad) < 3 and (len(fields) > k) == (len(bad[0][2]) > k)):
                    bad.append((row, line, fields))
                continue
            quoted = _quoted(record, text.delimiter) if "" in fields and '""' in record.raw else [False] * k
            for column, field, in_quotes in zip(columns, fields, quoted, strict=True):
                column.append(field if field or in_quotes else None)
    except InputError:  # a quote out of place; what is wrong before it is told first, as where rows are read in parts
        if not bad:
            raise
    if bad:
        fields = bad[0][2]
        code = "long_row" if len(fields) > k else "short_row"
        shown = show(text.delimiter.join(fields), 50)
        raise InputError(
            code, f"{len(fields)} fields where the header has {k}, in {shown}", rows=[b[0] for b in bad], count=count,
            lines=[b[1] for b in bad], source=text.source, cure="correct the row, or put quotes around the field",
        )  # fmt: skip
    return polars.DataFrame(
        {str(i): c for i, c in enumerate(columns)}, schema={str(i): polars.String for i in range(k)}
    )
