"""What a Parquet file takes once it is unpacked, from its footer and the headers of its pages: nothing is unpacked.

The footer says how many rows there are and how large each column of each row group is unpacked. A column of few
different values is small in pages and large in rows, so rows times width count too; and a footer may lie, so the sizes
that the pages themselves declare, by which memory is taken, count as well.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, Any

from surefold.errors import InputError, show

from .files import MOST_BYTES

__all__ = ["Footer", "read_footer", "readable", "unfolds_too_far"]

#: A footer beyond this is nothing that a table of predictions needs.
_MOST_FOOTER = 64 << 20
_DEEPEST = 16
#: Bytes that a value takes in memory, by its physical type: bool, ints, int96, floats, text (a view of 16 bytes).
_WIDTHS = {0: 1, 1: 4, 2: 8, 3: 12, 4: 4, 5: 8, 6: 16, 7: 16}
_HEADER_BYTES = (1 << 9, 1 << 20)  # of a page: as most are, and with long statistics
#: Up to here any file may unfold, and beyond it to so many times its size: the rest is refused, or read in parts.
_FREE_BYTES = 1 << 30
_MOST_RATIO = 200


@dataclass(frozen=True)
class Footer:
    """Rows of each row group, and what each column of it takes unpacked."""

    rows: tuple[int, ...]
    columns: tuple[Mapping[str, int], ...]

    @property
    def bytes(self) -> int:
        """What the whole table takes."""
        return sum(sum(group.values()) for group in self.columns)

    def between(self, start: int, stop: int) -> dict[str, int]:
        """What each column takes while these rows are read: row groups are unpacked whole."""
        found: dict[str, int] = {}
        first = 0
        for rows, columns in zip(self.rows, self.columns, strict=True):
            if first < stop and first + rows > start:
                for name, size in columns.items():
                    found[name] = found.get(name, 0) + size
            first += rows
        return found


def read_footer(file: IO[bytes], source: str) -> Footer:
    """The footer of a Parquet file; InputError where it is none that can be read."""
    try:
        return _read(file)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, struct.error, RecursionError) as error:
        problem = f"the Parquet file cannot be read (its footer is damaged: {error or type(error).__name__})"
        raise InputError("truncated_file", problem, source=source, cure="write it again") from None


def unfolds_too_far(footer: Footer, size: int) -> bool:
    """Whether a file of this size would take more memory, read whole, than such a file may."""
    return footer.bytes > min(MOST_BYTES, max(_FREE_BYTES, _MOST_RATIO * size))


@contextmanager
def readable(source: str) -> Iterator[None]:
    """Tell what polars says of a damaged file in one line; it panics at some, which is no `Exception`."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            "truncated_file", f"the Parquet file cannot be read ({show(reason)})", source=source, cure="write it again"
        ) from None


def _read(file: IO[bytes]) -> Footer:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - 8))
    end = file.read(8)
    if len(end) < 8 or end[4:] != b"PAR1":
        raise ValueError("it does not end as Parquet does")
    length = int.from_bytes(end[:4], "little")
    if length > min(size - 12, _MOST_FOOTER):
        raise ValueError(f"it says that it has {length:,} bytes")
    file.seek(size - 8 - length)
    groups = _Thrift(file.read(length)).struct().get(4, [])
    rows, columns = [], []
    for group in groups:
        count = int(group[3])
        if count < 0:
            raise ValueError(f"a row group of {count:,} rows")
        rows.append(count)
        columns.append(_unpacked(file, group[1], size))
    return Footer(tuple(rows), tuple(columns))


def _unpacked(file: IO[bytes], chunks: Iterable[Mapping[int, Any]], size: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for chunk in chunks:
        facts = chunk[3]
        name = facts[3][0].decode("utf-8", "replace")
        taken = max(int(facts[6]), int(facts[5]) * _WIDTHS.get(facts[1], 16), _of_pages(file, facts, size))
        found[name] = found.get(name, 0) + taken
    return found


def _of_pages(file: IO[bytes], facts: Mapping[int, Any], size: int) -> int:
    """What the pages of a column declare to take unpacked."""
    place = min(place for place in (facts.get(11), facts[9]) if place)
    stop = min(place + int(facts[7]), size)
    total = 0
    while place < stop:
        header, length = _page_header(file, place)
        if int(header[2]) < 0 or int(header[3]) < 0:
            raise ValueError("a page of less than no bytes")
        total += int(header[2])
        place += length + int(header[3])
    return total


def _page_header(file: IO[bytes], place: int) -> tuple[Mapping[int, Any], int]:
    short, long = _HEADER_BYTES
    for length in (short, long):
        file.seek(place)
        page = _Thrift(file.read(length))
        try:
            return page.struct(), page.at
        except (IndexError, ValueError):
            if length == long:
                raise
    raise AssertionError("unreachable")  # pragma: no cover


class _Thrift:
    """Values in Thrift's compact protocol: structs by the numbers of their fields."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.depth = 0

    def struct(self) -> dict[int, Any]:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError("it is nested too deep")
        found: dict[int, Any] = {}
        number = 0
        while (head := self._byte()) != 0:
            step, kind = head >> 4, head & 15
            number = number + step if step else self._zigzag()
            found[number] = kind == 1 if kind in (1, 2) else self._value(kind)
        self.depth -= 1
        return found

    def _value(self, kind: int) -> Any:
        if kind in (1, 2, 3):
            return self._byte()
        if kind in (4, 5, 6):
            return self._zigzag()
        if kind == 7:
            return self._bytes(8)
        if kind == 8:
            return self._bytes(self._varint())
        if kind in (9, 10):
            head = self._byte()
            count = self._varint() if head >> 4 == 15 else head >> 4
            if count > len(self.data):
                raise ValueError("it has a list longer than itself")
            return [self._value(head & 15) for _ in range(count)]
        if kind == 12:
            return self.struct()
        raise ValueError(f"it has a value of unknown kind {kind}")

    def _byte(self) -> int:
        found = self.data[self.at]
        self.at += 1
        return found

    def _bytes(self, count: int) -> bytes:
        found = self.data[self.at : self.at + count]
        if len(found) < count:
            raise ValueError("it ends early")
        self.at += count
        return found

    def _varint(self) -> int:
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            if byte < 128:
                return found
            shift += 7
            if shift > 63:
                raise ValueError("it has a number of more than 64 bits")

    def _zigzag(self) -> int:
        found = self._varint()
        return (found >> 1) ^ -(found & 1)
