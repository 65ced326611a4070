"""Files of predictions: CSV and JSON (also gzipped) and Parquet, read once, with every complaint put at its line."""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from surefold.errors import InputError, show
from surefold.findings import Finding

from .csv_file import CsvText, decode, locate, parse, plain, records
from .files import read_bytes
from .json_file import is_json, json_frame
from .parquet_footer import read_footer, readable, unfolds_too_far

if TYPE_CHECKING:
    import polars

__all__ = ["Table", "read_table"]


@dataclass(eq=False)
class Table:
    """Columns of a file. Those of a CSV file are text, whatever they look like."""

    path: str
    columns: tuple[str, ...]
    sha256: str
    frame: polars.DataFrame = field(repr=False)  # columns named 0, 1, ... by position
    findings: tuple[Finding, ...] = ()
    decimal: str = "."
    text: CsvText | None = field(default=None, repr=False)  # None: not from CSV
    _lines: list[int] | None = field(default=None, repr=False)

    @property
    def n(self) -> int:
        """How many data rows there are."""
        return self.frame.height

    @property
    def head(self) -> Table:
        """All rows, where of rows that are elsewhere only the first are."""
        return self

    @property
    def source(self) -> str:
        """The file, in words."""
        return str(self.path)

    def name_of(self, name: str) -> str:
        """The column as its header spells it; spaces around it do not matter."""
        _refuse_no_name(name, self.path)
        exact = [c for c in self.columns if c == name]
        near = exact or [c for c in self.columns if c.strip() == name.strip()]
        if len(near) > 1:
            raise InputError(
                "duplicate_column",
                f"column {show(name)} stands in the header {len(near)} times",
                source=self.path,
                cure="rename one of them",
            )
        if near:
            return near[0]
        folded = {c.strip().casefold(): c for c in self.columns}
        close = [folded[f] for f in get_close_matches(name.strip().casefold(), list(folded), n=1)]
        hint = f"; did you mean {show(close[0])}?" if close else ""
        raise InputError(
            "unknown_column",
            f"there is no column {show(name)}{hint}",
            source=self.path,
            cure=f"choose one of {self.listed()}",
        )

    def column(self, name: str) -> polars.Series:
        """One column by name."""
        spelled = self.name_of(name)
        if spelled != name and not any(f.evidence.get("column") == spelled for f in self.findings):
            text = f"Column {name!r} was matched to the header {spelled!r}."
            self.findings = (*self.findings, Finding.of("header_spaces", text, column=spelled))
        return self.frame.to_series(self.columns.index(spelled)).alias(spelled)

    def facts(self, rows: int) -> dict[str, Any]:
        """What the figures are of."""
        return {"file": {"path": str(self.path), "sha256": self.sha256, "rows": self.n}}

    def close(self) -> None:
        """Nothing is held open."""

    def kept(self, rows: polars.Series) -> Table:
        """Some of the rows, which then have no lines."""
        return replace(self, frame=self.frame.filter(rows), text=None, _lines=None)

    def listed(self, most: int = 12) -> str:
        """The columns in words, as many as one can read."""
        names = ", ".join(show(c, 40) for c in self.columns[:most])
        return names if len(self.columns) <= most else f"{names} and {len(self.columns) - most:,} more"

    def line_of(self, row: int) -> int | None:
        """The physical line of the file on which a data row (1-based) begins; None where files have no lines."""
        if self.text is None or not 1 <= row <= self.n:
            return None
        if self._lines is None:
            body = self.text.data[self.text.body :].rstrip(b"\r\n")
            if b'"' not in body and plain(body, self.text.delimiter, self.text.comment):
                self._lines = []
            else:
                every = records(self.text.data, self.text.delimiter, self.text.comment, self.path)
                self._lines = [record.first for record in every][1:]
        return self._lines[row - 1] if self._lines else self.text.header_lines + row

    def locate(self, error: InputError) -> InputError:
        """An error about rows of this table, told with the file and the lines."""
        lines = [line for line in map(self.line_of, error.rows) if line is not None]
        return error if error.source else error.located(self.path, lines)


def _refuse_no_name(name: object, path: str) -> None:
    if not isinstance(name, str):
        problem = f"a column of {path} is said by its name, not by the {type(name).__name__} {show(name, 40)}"
        raise InputError("bad_option", problem, cure="give one name, as text")


def read_table(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    comment: str | None = None,
    decimal: str = ".",
) -> Table:
    """Read a CSV, JSON or Parquet file; `-` reads CSV or JSON from standard input."""
    if decimal not in {".", ","}:
        raise InputError("bad_option", f"decimal={show(decimal)} is neither '.' nor ','", cure="say decimal=','")
    delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
    file = read_bytes(path, wide=encoding is not None and ("16" in encoding or "32" in encoding))
    if file.data[:4] == b"PAR1":
        return _parquet(file.data, file.path, file.sha256, decimal)
    if is_json(file.data[:4096], "" if file.path == "standard input" else str(file.path)):
        rows = json_frame(file.data, file.path)
        names = tuple(rows.columns)
        return Table(file.path, names, file.sha256, rows.rename({c: str(i) for i, c in enumerate(names)}), (), decimal)
    findings: list[Finding] = []
    data = decode(file.data, file.path, encoding, findings)
    text = locate(data, file.path, delimiter, comment, findings)
    frame = parse(text)
    if not frame.height:
        raise InputError(
            "no_rows", "the file has a header and 0 data rows", source=file.path, cure="give at least one row"
        )
    return Table(file.path, text.header, file.sha256, frame, tuple(findings), decimal, text)


def _parquet(data: bytes, path: str, sha256: str, decimal: str) -> Table:
    import polars

    footer = read_footer(io.BytesIO(data), path)
    if unfolds_too_far(footer, len(data)):
        rows, size = sum(footer.rows), len(data) / 1e6
        unpacked = f"{footer.bytes / 1e9:.1f} GB once they are unpacked"
        problem = f"{rows:,} rows that take {unpacked}, from a file of {size:.1f} MB"
        raise InputError(
            "too_large",
            problem,
            source=path,
            cure="keep only the columns that are needed; assess, compare and gate read it in parts "
            "(engine='local', --engine local)",
        )
    with readable(path):
        frame = polars.read_parquet(io.BytesIO(data))
    if frame.height == 0:
        raise InputError("no_rows", "the file has 0 data rows", source=path, cure="give at least one row")
    columns: Sequence[Any] = frame.columns
    return Table(path, tuple(columns), sha256, frame.rename({c: str(i) for i, c in enumerate(columns)}), (), decimal)
