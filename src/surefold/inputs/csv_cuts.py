"""Where a CSV file may be cut: after a line that ends a record. Each byte is looked at once, whatever stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from .csv_file import paired_quotes
from .files import without_nul

__all__ = ["stretches"]

_BLOCK = 4 << 20  # what is looked at together: of each quote its place is noted, in eight bytes


def stretches(
    path: str, start: int, stop: int, size: int, delimiter: str, comment: str | None
) -> Iterator[tuple[int, int]]:
    """Bytes from `start` to `stop`, which begin and end with a record, in stretches of about this size."""
    begin = at = last = start
    inside = False
    with open(path, "rb") as file:
        file.seek(start)
        while at < stop:
            block = file.read(min(size, _BLOCK, stop - at))
            without_nul(block, path, None)  # before the rest of a line is looked for in what is no text
            block += file.readline(stop - at - len(block))
            if not block:
                break
            end, inside = _last_record(block, inside, delimiter, comment)
            last = at + end if end else last
            at += len(block)
            if begin < last < stop and at - begin >= size:
                yield begin, last
                begin = last
    if begin < stop:
        yield begin, stop


def _last_record(block: bytes, inside: bool, delimiter: str, comment: str | None) -> tuple[int, bool]:
    """Where the last record of whole lines ends (0: none does), and whether the lines end inside quotes.

    `inside` says whether they begin there.
    """
    if b'"' not in block:
        return (0 if inside else len(block)), inside
    may_skip = comment is not None and comment.encode() in block
    quotes = None if may_skip else paired_quotes(block, delimiter, inside)
    if quotes is None:
        fields = np.array(list(_fields(block, inside, delimiter, comment)), dtype=np.int64).reshape(-1, 2)
        is_open = len(fields) > 0 and fields[-1, 1] > len(block)
    else:
        is_open = (len(quotes) % 2 == 1) != inside
    if not is_open:
        return len(block), False
    if quotes is not None:
        fields = np.concatenate([[-1] * inside, quotes, [len(block) + 1]]).astype(np.int64).reshape(-1, 2)
    starts, stops = fields.T
    lines = np.flatnonzero(np.frombuffer(block, dtype=np.uint8)[: max(starts[-1], 0)] == 10)
    before = np.searchsorted(starts, lines, side="right") - 1  # the last field that begins before the line ends
    outside = lines[(before < 0) | (lines >= stops[before])]
    return (int(outside[-1]) + 1 if len(outside) else 0), True


def _fields(block: bytes, inside: bool, delimiter: str, comment: str | None) -> Iterator[tuple[int, int]]:
    """Where quoted fields begin and end, one by one: a quote opens a field only where a field begins.

    A field that goes on after the block ends beyond it.
    """
    rest = rb'[^"]*+(?:""[^"]*+)*+("?)'
    edge = re.escape(delimiter.encode())
    patterns = [rb"(?:(?<=[" + edge + rb'\r\n])|\A)"' + rest]
    if comment is not None:
        patterns.append(rb"(?:(?<=[\r\n])|\A)" + re.escape(comment.encode()) + rb"[^\r\n]*+")
    first = re.compile(rest).match(block) if inside else None
    if first is not None:
        yield -1, first.end() + (not first[1])
    every = re.compile(rb"|".join(patterns))
    for found in every.finditer(block, first.end() if first is not None else 0):
        is_open = found[0].startswith(b'"') and not found[1]
        yield found.start(), found.end() + is_open
