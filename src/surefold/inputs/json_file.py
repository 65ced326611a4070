"""Rows as JSON: an object a line (JSON lines), or an array of objects."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from surefold.errors import InputError, show

if TYPE_CHECKING:
    import polars

__all__ = ["JSON_ENDINGS", "is_json", "json_frame"]

JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
#: An object with a name in quotes, or an array of such: no CSV begins so.
_BEGINS = re.compile(rb'\s*(\{\s*("|\})|\[\s*(\{|\]))')
_BOM = b"\xef\xbb\xbf"


def is_json(beginning: bytes, name: str = "") -> bool:
    """Whether a file is JSON, by its first bytes; or by its name, whatever it begins with.

    >>> is_json(b'{"y": 1}'), is_json(b'[{"y": 1}]'), is_json(b"y,p"), is_json(b"y,p", "a.jsonl")
    (True, True, False, True)
    """
    named = name.lower().removesuffix(".gz").endswith(JSON_ENDINGS)
    return named or _BEGINS.match(beginning.removeprefix(_BOM)) is not None


def json_frame(data: bytes, path: str) -> polars.DataFrame:
    """The rows as a frame; a name that a row lacks is missing there. `InputError` where a line is no object."""
    import polars

    rows = _rows(data.removeprefix(_BOM), path)
    if not rows:
        raise InputError("no_rows", "the file has 0 rows", source=path, cure="give at least one row")
    names = dict.fromkeys(name for row in rows for name in row)
    if not names:
        raise InputError(
            "unknown_column", "no row names a value", source=path, cure='write {"truth": ..., "pred": ...}'
        )
    columns = [_column(name, [row.get(name) for row in rows]) for name in names]
    return polars.DataFrame(columns)


def _column(name: str, values: list[object]) -> polars.Series:
    """Values of one kind as they are; of several kinds, or lists and objects, as their text."""
    import polars

    kinds = {type(value) for value in values if value is not None}
    if kinds <= {int, float}:
        kinds = {float} if float in kinds else kinds
    if len(kinds) <= 1 and kinds <= {bool, int, float, str}:
        return polars.Series(name, values, strict=False)
    texts = [value if value is None or isinstance(value, str) else json.dumps(value) for value in values]
    return polars.Series(name, texts, dtype=polars.String)


def _rows(data: bytes, path: str) -> list[dict[str, object]]:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1:,} is not UTF-8"
        raise InputError("bad_encoding", problem, source=path, cure="save it as UTF-8") from None
    if text.lstrip().startswith("["):
        found = _parsed(text, 1, path)
        numbered = list(enumerate(found if isinstance(found, list) else [], start=1))
        return [_object(row, f"element {i:,} of the array", path) for i, row in numbered]
    lines = [(i, line) for i, line in enumerate(text.split("\n"), start=1) if line.strip()]
    return [_object(_parsed(line, i, path), f"line {i:,}", path) for i, line in lines]


def _parsed(text: str, line: int, path: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        at = line + getattr(error, "lineno", 1) - 1
        problem = f"the JSON cannot be read: {getattr(error, 'msg', 'it is nested too deep')}"
        cure = "write one object a line, or one array of objects"
        raise InputError("unknown_file_type", problem, lines=[at], source=path, cure=cure) from None


def _object(row: object, where: str, path: str) -> dict[str, object]:
    if not isinstance(row, dict):
        cure = 'write objects with the names of the columns: {"truth": ..., "pred": ...}'
        raise InputError("unknown_file_type", f"{where} is {show(row, 40)}, no object", source=path, cure=cure)
    return row
