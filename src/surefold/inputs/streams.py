"""Files that need not fit in memory: paths, globs and folders -> parts, each read into a table of its own.

A part is a stretch of one file that any process can read by itself: rows of a Parquet file, or bytes of a CSV file cut
at the end of a record. What cannot be cut (compressed text, other encodings) is one part.
"""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from surefold.errors import InputError, show
from surefold.findings import Finding

from .csv_cuts import stretches
from .csv_file import CsvText, checked_utf8, decode, is_wide, line_ends, locate, parse
from .files import digest_of, refuse_by_content, without_nul
from .frames import ENGINES, is_frame
from .json_file import is_json
from .parquet_footer import Footer, read_footer, readable
from .tables import Table, read_table

if TYPE_CHECKING:
    import polars

__all__ = [
    "Part",
    "Source",
    "Stream",
    "files_of",
    "is_files",
    "is_source",
    "open_stream",
    "table_of",
    "table_of_columns",
    "would_be_found",
]

Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]
Kind = Literal["parquet", "csv", "whole"]

PART_ROWS = 1 << 18
PART_BYTES = 8 << 20
_HEAD_BYTES = 1 << 20
_HEAD_ROWS = 1000
_MOST_HEADER = 64 << 20
#: Bytes that columns of a Parquet file may take unpacked, where rows are read in parts and where they are looked at.
MOST_OF_A_PART = 1 << 30
MOST_OF_A_HEAD = 256 << 20
_LARGE_COLUMN = 1 << 20
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_MAGIC = re.compile(r"[*?\[]")
_ENDINGS = (".csv", ".csv.gz", ".tsv", ".txt", ".parquet", ".pq", ".tab", ".jsonl", ".ndjson")


@dataclass(frozen=True)
class Part:
    """A stretch of one file: rows from `start` to `stop` of a Parquet file, bytes of a CSV file, or all of it.

    `path` is the file as it was named, `place` where any process finds it. `rows` are those of the part: counted, or
    of CSV reckoned from the first lines.
    """

    path: str
    place: str
    kind: Kind
    start: int
    stop: int
    form: CsvForm
    state: tuple[int, int] = (0, 0)
    rows: float = 0
    heavy: Mapping[str, int] = field(default_factory=dict)  # bytes of large columns of a Parquet file, unpacked

    def read(self, columns: Sequence[str] | None = None) -> Table:
        """The table of this part, with these columns or all; InputError if the file is not what it was."""
        self._check_state()
        try:
            if self.kind == "parquet":
                table = self._parquet(columns)
            elif self.kind == "csv":
                table = self._csv()
            else:
                table = read_table(self.place, **self.form.options())
        except FileNotFoundError:
            raise self._gone() from None
        except InputError as error:
            self._check_state()  # if that is what is wrong, it comes first
            raise self.told(error) from None
        self._check_state()
        return table

    def _check_state(self) -> None:
        try:
            found = _state(self.place)
        except OSError:
            raise self._gone() from None
        if found != self.state:
            raise InputError("changed_file", "the file changed while it was read", source=self.path,
                             cure="wait until it is written, and try again")  # fmt: skip

    def _gone(self) -> InputError:
        cure = "try again when it is back; on a cluster every worker must see it under the same path"
        return InputError("changed_file", "the file is gone", source=self.path, cure=cure)

    def _parquet(self, columns: Sequence[str] | None) -> Table:
        import polars

        self._refuse_heavy(columns)
        with readable(self.path):
            rows = polars.scan_parquet(self.place, glob=False).slice(self.start, self.stop - self.start)
            if columns is not None:  # spaces around a name do not matter, and may differ from file to file
                wanted = {name.strip() for name in columns}
                rows = rows.select([name for name in rows.collect_schema().names() if name.strip() in wanted])
            frame = rows.collect()
        return table_of(frame, self.path, self.form.decimal)

    def _refuse_heavy(self, columns: Sequence[str] | None) -> None:
        wanted = None if columns is None else {name.strip() for name in columns}
        asked = {name: size for name, size in self.heavy.items() if wanted is None or name.strip() in wanted}
        if sum(asked.values()) > MOST_OF_A_PART:
            rows = f"rows {self.start + 1:,} to {self.stop:,}"
            problem = f"{rows} of {', '.join(map(show, asked))} take {sum(asked.values()) / 1e9:.1f} GB once unpacked"
            raise InputError("too_large", problem, source=self.path,
                             cure="write it with smaller row groups, or leave those columns out")  # fmt: skip

    def _csv(self) -> Table:
        form = self.form
        with open(self.place, "rb") as file:
            file.seek(self.start)
            body = file.read(self.stop - self.start)
        text = form.text(self.path, body)
        checked_utf8(text.data, self.path)
        return Table(self.path, form.header, "", parse(text), form.findings, form.decimal, text)

    def told(self, error: InputError, table: Table | None = None) -> InputError:
        """An error about rows of this part, told with the rows and lines of the whole file."""
        if table is not None and not error.source:
            error = table.locate(error)
        before, lines = self._before() if error.rows or error.lines else (0, 0)
        return InputError(
            error.code,
            error.problem,
            rows=[row + before for row in error.rows],
            count=error.count,
            cure=error.cure,
            lines=[line + lines for line in error.lines],
            source=self.path,
        )

    def _before(self) -> tuple[int, int]:
        """How many data rows and physical lines of the file stand before this part (beyond the header)."""
        if self.kind != "csv":
            return self.start, 0
        rows = lines = 0
        with open(self.place, "rb") as file:
            for start, stop in self.form.stretches(self.place, self.start, PART_BYTES):
                file.seek(start)
                body = file.read(stop - start)
                lines += line_ends(body)
                rows += parse(self.form.text(self.path, body)).height
        return rows, lines


@dataclass(frozen=True)
class CsvForm:
    """How a CSV file is written, found once from its beginning."""

    delimiter: str = ","
    comment: str | None = None
    header: tuple[str, ...] = ()
    header_lines: int = 0
    head: bytes = b""
    offset: int = 0  # of the first byte after the header
    decimal: str = "."
    encoding: str | None = None
    said_delimiter: str | None = None
    findings: tuple[Finding, ...] = ()

    def text(self, path: str, body: bytes) -> CsvText:
        """Records of this file, under its header."""
        return CsvText(path, self.head + body, self.delimiter, self.comment, self.header, self.header_lines,
                       len(self.head))  # fmt: skip

    def stretches(self, path: str, stop: int, size: int) -> Iterator[tuple[int, int]]:
        """The bytes between the header and `stop`, cut after records."""
        return stretches(path, self.offset, stop, size, self.delimiter, self.comment)

    def options(self) -> dict[str, Any]:
        return {
            "delimiter": self.said_delimiter,
            "encoding": self.encoding,
            "comment": self.comment,
            "decimal": self.decimal,
        }


@dataclass(frozen=True, eq=False)
class Stream:
    """Files with the same columns, cut into parts."""

    source: str
    parts: tuple[Part, ...]
    columns: tuple[str, ...]
    bytes: int
    head: Table = field(repr=False)  # the first rows, to guess columns by
    spaced: tuple[tuple[str, str], ...] = ()  # files, and columns whose header has other spaces there than in the first

    @property
    def files(self) -> tuple[str, ...]:
        """The files, in the order they are read."""
        return tuple(dict.fromkeys(part.path for part in self.parts))

    def header_findings(self, columns: Sequence[str]) -> list[Finding]:
        """That a column is matched, in files after the first, to a header with other spaces around it."""
        found: dict[str, Finding] = {}
        for path, spelled in self.spaced:
            name = next((c for c in columns if c.strip() == spelled.strip()), None)
            if name is not None:
                text = f"Column {name!r} was matched to the header {spelled!r} in {path}."
                found.setdefault(spelled, Finding.of("header_spaces", text, column=spelled))
        return list(found.values())

    def kinds_of(self, column: str) -> str:
        """Which files hold this column as another kind than the first, in words; empty where none does."""
        first = ""
        for path in self.files:
            kind = _kind_of(path, column)
            first = first or kind
            if kind != first:
                return f"column {column!r} holds {first} in {self.files[0]} and {kind} in {path}"
        return ""

    def facts(self, rows: int) -> dict[str, Any]:
        """What the figures are of; of a single file the same as where it is held."""
        if len(self.files) == 1:
            return {"file": {"path": self.source, "sha256": digest_of(self.parts[0].place), "rows": rows}}
        return {"file": {"path": self.source, "files": len(self.files), "bytes": self.bytes, "rows": rows}}


def _kind_of(path: str, column: str) -> str:
    """Text, numbers or true and false; CSV is always text."""
    import polars

    try:
        kind = polars.read_parquet_schema(path).get(column, polars.String())
    except (polars.exceptions.PolarsError, OSError):
        return "text"
    return "numbers" if kind.is_numeric() else "true and false" if kind == polars.Boolean else "text"


def is_files(source: object) -> bool:
    """Whether this names files: text, a path, or a list of such."""
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(one, str | os.PathLike) for one in source)
    return isinstance(source, str | os.PathLike)


def is_source(source: object, named: Iterable[str] = ()) -> bool:
    """Whether rows are elsewhere than in arrays: this names files, or is a frame of Dask or Spark.

    So is any other frame where the column of the truth is `named`; else it is taken for values. A list of text may be
    labels: it is taken for files where each is the name of a table that is there.
    """
    if isinstance(source, list | tuple):
        return is_files(source) and all(isinstance(one, os.PathLike) or _is_table(one) for one in source)
    module = type(source).__module__.partition(".")[0]
    elsewhere = is_files(source) or (module in ENGINES and hasattr(source, "columns"))
    return elsewhere or ("truth" in named and is_frame(source))


def _is_table(name: str) -> bool:
    return name.lower().endswith(_ENDINGS) and os.path.isfile(name)


def open_stream(
    source: Source,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    comment: str | None = None,
    decimal: str = ".",
    part_rows: int = PART_ROWS,
    part_bytes: int = PART_BYTES,
) -> Stream:
    """Find the files, look at the beginning of each, and cut them into parts; no row is read yet."""
    if decimal not in {".", ","}:
        raise InputError("bad_option", f"decimal={show(decimal)} is neither '.' nor ','", cure="say decimal=','")
    delimiter = {"tab": "\t", "\\t": "\t"}.get(delimiter or "", delimiter)
    given = CsvForm(comment=comment, decimal=decimal, encoding=encoding, said_delimiter=delimiter)
    parts: list[Part] = []
    first: Table | None = None
    size = 0
    noticed: dict[tuple[str, str], Finding] = {}
    spaced: list[tuple[str, str]] = []
    name, paths, passed = _found(source)
    for path in paths:
        found, head = _cut(path, given, part_rows, part_bytes)
        if head is None:
            continue  # a header and no rows, as tools that write in parts leave behind
        first = first or head
        for told in head.findings:
            elsewhere = told if head is first else replace(told, sentence=f"{path}: {told.sentence}")
            noticed.setdefault((told.code, told.sentence), elsewhere)
        theirs = set(head.columns)
        odd = {c.strip() for c in first.columns if c not in theirs}
        spaced += [(path, column) for column in head.columns if column.strip() in odd]
        missing = [c for c in first.columns if c.strip() not in {other.strip() for other in head.columns}]
        if missing:
            problem = f"{', '.join(show(c, 40) for c in missing[:3])} of {first.path} is not there"
            raise InputError("unknown_column", problem, source=path, cure="give files with the same columns")
        size += os.path.getsize(path)
        parts += found
    if first is None or not parts:
        raise InputError("no_rows", "there are 0 data rows", source=name, cure="give at least one row")
    first.findings = (*noticed.values(), *_passed_over(passed))
    return Stream(name, tuple(parts), first.columns, size, first, tuple(spaced))


def table_of(frame: polars.DataFrame, path: str, decimal: str = ".") -> Table:
    """A frame as a table that names `path` in its complaints."""
    return table_of_columns(frame.columns, frame.get_columns(), path, decimal)


def table_of_columns(
    names: Sequence[str], columns: Sequence[polars.Series], path: str, decimal: str = "."
) -> Table:  # fmt: skip
    """Columns as a table, where names may stand twice: that is an error only if such a column is asked for."""
    import polars

    frame = polars.DataFrame([column.alias(str(i)) for i, column in enumerate(columns)])
    return Table(path, tuple(names), "", frame, (), decimal)


def _found(source: Source) -> tuple[str, list[str], list[str]]:
    """What to call it, the files, and what was passed over."""
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        listed = [name]
    else:
        listed = [os.fspath(one) for one in source]
        name = listed[0] if len(listed) == 1 else f"{listed[0]} and {len(listed) - 1:,} more"
    files, passed = [], []
    for one in listed:
        more, others = _files(one)
        files += more
        passed += others
    seen: dict[tuple[int, int], str] = {}
    once = []
    for path in files:
        try:
            status = os.stat(path)
        except (OSError, ValueError):  # ValueError: no path can be spelled so
            once.append(path)  # reading it tells what is wrong
            continue
        identity = (status.st_dev, status.st_ino)
        if identity in seen:
            passed.append(f"{path} (the same file as {seen[identity]})")
        else:
            seen[identity] = path
            once.append(path)
    return name, once, passed


def _passed_over(passed: Sequence[str], most: int = 5) -> list[Finding]:
    if not passed:
        return []
    listed = ", ".join(passed[:most]) + (f" and {len(passed) - most:,} more" if len(passed) > most else "")
    text = f"{len(passed):,} file{'s' * (len(passed) > 1)} passed over: {listed}."
    return [Finding.of("files_passed_over", text, files=list(passed[:100]), count=len(passed))]


def _files(source: str) -> tuple[list[str], list[str]]:
    """The files of a path, a glob or a folder; and others in the folder, which do not look like tables."""
    if source == "-":
        raise InputError("not_a_file", "standard input cannot be read in parts", source="-",
                         cure="save it to a file, or leave out --engine, --cluster and --memory")  # fmt: skip
    if _URL.match(source):
        raise InputError("not_a_file", "this is an address, and nothing is fetched", source=source,
                         cure="download the files, or give a Dask or Spark frame")  # fmt: skip
    if os.path.isdir(source):
        seen = sorted(path for path in Path(source).rglob("*") if not _is_hidden(path, Path(source)))
        named = [path for path in seen if path.name.lower().endswith(_ENDINGS) and not path.is_dir()]
        lost = next((path for path in named if path.is_symlink() and not path.exists()), None)
        if lost is not None:
            raise InputError("not_a_file", f"the link leads to {show(os.readlink(lost))}, which is not there",
                             source=str(lost), cure="bring the file back, or remove the link")  # fmt: skip
        found = [str(path) for path in named if path.is_file()]
        taken = set(found)
        passed = [str(path) for path in seen if not path.is_dir() and str(path) not in taken]
        if not found:
            problem = "the folder holds no CSV or Parquet file"
            problem += f", by their names; it holds {show(os.path.basename(passed[0]))}" if passed else ""
            raise InputError("not_a_file", problem, source=source, cure="give a folder of .csv or .parquet files")
        return found, passed
    if os.path.exists(source) or not _MAGIC.search(source):
        return [source], []
    found = sorted(path for path in glob.glob(source, recursive=True) if not os.path.isdir(path))
    if not found:
        raise InputError("not_a_file", "no file matches this pattern", source=source, cure="check the pattern")
    return found, []


def files_of(source: str) -> list[str]:
    """The files that a path, a glob or a folder stands for."""
    return _files(source)[0]


def would_be_found(path: str, source: str) -> bool:
    """Whether a file at this path would be among those of a folder or glob, once it is there."""
    if os.path.isdir(source):
        inside = Path(os.path.realpath(path))
        folder = Path(os.path.realpath(source))
        named = inside.name.lower().endswith(_ENDINGS)
        return named and inside.is_relative_to(folder) and not _is_hidden(inside, folder)
    if os.path.exists(source) or not _MAGIC.search(source):
        return False
    parts = Path(os.path.abspath(source)).parts
    plain = next(i for i, part in enumerate(parts) if _MAGIC.search(part))
    begin = Path(os.path.realpath(os.path.join(*parts[:plain]))).parts
    return _matches(Path(os.path.realpath(path)).parts, (*begin, *parts[plain:]), len(begin))


def _matches(names: Sequence[str], patterns: Sequence[str], plain: int) -> bool:
    """Whether the names of a path are those of a pattern, whose first ones are `plain` names; `**` is any number."""
    if not names or not patterns:
        return not names and all(pattern == "**" for pattern in patterns)
    if plain == 0 and patterns[0] == "**":
        return _matches(names, patterns[1:], 0) or _matches(names[1:], patterns, 0)
    alike = names[0] == patterns[0] if plain else fnmatch.fnmatch(names[0], patterns[0])
    return alike and _matches(names[1:], patterns[1:], max(plain - 1, 0))


def _is_hidden(path: Path, folder: Path) -> bool:
    """Names that begin with a dot or underscore are what tools keep beside the data."""
    return any(name.startswith((".", "_")) for name in path.relative_to(folder).parts)


def _cut(path: str, given: CsvForm, part_rows: int, part_bytes: int) -> tuple[list[Part], Table | None]:
    """The parts of one file and the table of its first rows, if it has any rows."""
    try:
        status = os.stat(path)
        regular = stat.S_ISREG(status.st_mode)
    except (OSError, ValueError):
        regular, status = False, os.stat(".")
    if not regular or status.st_size == 0:
        read_table(path, **given.options())  # tells what is wrong with it
        raise AssertionError(f"{path} is no regular file")  # pragma: no cover
    with open(path, "rb") as file:
        beginning = file.read(_HEAD_BYTES)
    state = _state(path)
    if beginning[:4] == b"PAR1":
        return _cut_parquet(path, state, given, part_rows)
    if beginning[:2] == b"\x1f\x8b" or is_wide(beginning, given.encoding) or is_json(beginning, path):
        table = read_table(path, **given.options())
        return [Part(path, os.path.abspath(path), "whole", 0, 0, given, state, table.n)], table
    return _cut_csv(path, beginning, state, status.st_size, given, part_bytes)


def _cut_parquet(
    path: str, state: tuple[int, int], given: CsvForm, part_rows: int
) -> tuple[list[Part], Table | None]:  # fmt: skip
    import polars

    with open(path, "rb") as file:
        footer = read_footer(file, path)
    with readable(path):
        scan = polars.scan_parquet(path, glob=False)
        rows = int(scan.select(polars.len()).collect().item())
        head = _beginning(scan, footer)
    place, parts = os.path.abspath(path), []
    for start in range(0, rows, part_rows):
        stop = min(start + part_rows, rows)
        heavy = {name: size for name, size in footer.between(start, stop).items() if size > _LARGE_COLUMN}
        parts.append(Part(path, place, "parquet", start, stop, given, state, stop - start, heavy))
    return parts, table_of(head, path, given.decimal) if rows else None


def _beginning(scan: polars.LazyFrame, footer: Footer) -> polars.DataFrame:
    """The first rows. Columns that take too much room for a look at them are left empty there."""
    import polars

    sizes, schema, light, room = footer.between(0, _HEAD_ROWS), scan.collect_schema(), set(), MOST_OF_A_HEAD
    for name in sorted(schema, key=lambda name: sizes.get(name, 0)):
        room -= sizes.get(name, 0)
        light |= {name} if room >= 0 else set()
    head = scan.select([name for name in schema if name in light]).head(_HEAD_ROWS).collect()
    height = head.height if light else min(sum(footer.rows), _HEAD_ROWS)
    empty = {name: polars.Series(name, [None] * height, kind) for name, kind in schema.items() if name not in light}
    return polars.DataFrame([empty[name] if name in empty else head[name] for name in schema])


def _cut_csv(
    path: str, beginning: bytes, state: tuple[int, int], size: int, given: CsvForm, part_bytes: int
) -> tuple[list[Part], Table | None]:
    without_nul(beginning, path)
    if beginning[:1] in (b"\x80", b"P", b"\x93", b"B", b"\xfd", b"(", b"A", b"%", b"\x89", b"S"):
        refuse_by_content(beginning, path, path)
    text, mark, findings = _located(path, beginning, size, given)
    form = CsvForm(
        text.delimiter, given.comment, text.header, text.header_lines, text.data[: text.body], mark + text.body,
        given.decimal, given.encoding, given.said_delimiter, findings,
    )  # fmt: skip
    seen = text.data[text.body :]
    each, place = max(line_ends(seen), 1) / max(len(seen), 1), os.path.abspath(path)
    parts = [Part(path, place, "csv", start, stop, form, state, each * (stop - start))
             for start, stop in form.stretches(path, size, part_bytes)]  # fmt: skip
    sample = form.text(path, b"\n".join(seen.split(b"\n")[:_HEAD_ROWS]))
    try:
        head: Table | None = Table(path, form.header, "", parse(sample), findings, given.decimal, sample)
    except InputError:  # the sample may end inside quotes; the first part tells what is wrong, if anything is
        head = None
    if head is None or not head.n:
        head = next((table for table in map(Part.read, parts) if table.n), None)
    return parts, head


def _located(path: str, beginning: bytes, size: int, given: CsvForm) -> tuple[CsvText, int, tuple[Finding, ...]]:
    """The whole lines of the beginning with their header, how long the mark before them is, and what was noticed.

    More of the file is read where the header goes on, or stands after many comments.
    """
    while True:
        findings: list[Finding] = []
        is_all, is_most = len(beginning) >= size, len(beginning) >= _MOST_HEADER
        end = len(beginning) if is_all else beginning.rfind(b"\n") + 1 or beginning.rfind(b"\r") + 1
        if not end and is_most:
            raise InputError("too_large", f"the first line is longer than {_MOST_HEADER >> 20} MiB", source=path,
                             cure="give a file with a header and rows")  # fmt: skip
        if end or b"\0" in beginning:
            data = decode(beginning[: end or None], path, None, findings)
            try:
                text = locate(data, path, given.said_delimiter, given.comment, findings)
            except InputError as error:
                if is_all or is_most or error.code not in ("unclosed_quote", "no_rows", "empty_file"):
                    raise
            else:
                return text, (end or len(beginning)) - len(data), tuple(findings)
        with open(path, "rb") as file:
            beginning = file.read(2 * len(beginning))


def _state(path: str) -> tuple[int, int]:
    status = os.stat(path)
    return status.st_size, status.st_mtime_ns  # no inode: other machines may see the same file by another number
