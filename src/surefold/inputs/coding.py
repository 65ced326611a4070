"""Columns to small integer codes, fast: every function gives codes and, for each code, one row that holds its value.

Nothing here sorts all rows. Small integers are their own codes; wide integers and packed text go through a table of
slots that is free of collisions for the few values there are; when there are many, rows vote for a slot in rounds and
those that lose go to the next round with another multiplier, so the work stays linear even if all rows differ.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Codes", "code_keys", "code_objects", "code_small_ints", "code_text", "remap", "smallest_dtype"]

Codes = NDArray[np.unsignedinteger[Any]]
Keys = NDArray[np.uint64]

_CHUNK = 1 << 16
_FEW = 384  # up to here one collision-free table of slots is kept
_SLOT_BITS = 16
_WIDEST_PACKED = 64  # characters; wider text goes through Python objects
_MULTIPLIERS = (
    0x9E3779B97F4A7C15,
    0xD6E8FEB86659FD93,
    0xA0761D6478BD642F,
    0xE7037ED1A0B428DB,
    0x8EBC6AF09C88C6E3,
    0x589965CC75374CC3,
    0x1D8E4E27C47D124F,
    0xEB44ACCAB455D165,
)


def smallest_dtype(n_values: int) -> type[np.unsignedinteger[Any]]:
    """The narrowest unsigned type that can number `n_values` values."""
    return np.uint8 if n_values <= 1 << 8 else np.uint16 if n_values <= 1 << 16 else np.uint32


def remap(codes: Codes, lookup: list[int], n_values: int) -> Codes:
    """`lookup[codes]` in the narrowest type; free when nothing moves, one cheap pass for bytes."""
    dtype = smallest_dtype(n_values)
    if codes.dtype == dtype:
        shift = lookup[0] if lookup else 0
        if all(new == old + shift for old, new in enumerate(lookup)):
            return codes if shift == 0 else codes + dtype(shift)
        if dtype is np.uint8:
            table = bytes(lookup) + bytes(256 - len(lookup))
            return np.frombuffer(bytearray(codes.tobytes().translate(table)), dtype=np.uint8)
    return np.asarray(lookup, dtype=dtype).take(codes)


def code_small_ints(values: NDArray[Any]) -> tuple[Codes, list[int]] | None:
    """Codes and their values in ascending order, if the integers span fewer than 65,536; else None."""
    low, high = int(values[0]), int(values[0])
    wide = False
    out = bytearray(len(values))
    codes = np.frombuffer(out, dtype=np.uint8)
    for start in range(0, len(values), _CHUNK):
        chunk = values[start : start + _CHUNK]
        low, high = min(low, int(chunk.min())), max(high, int(chunk.max()))
        if high - low >= 1 << 8:
            wide = True
            if high - low >= 1 << 16:
                return None
        if not wide:
            codes[start : start + _CHUNK] = chunk  # modulo 256: distinct as long as the span is below 256
    if wide:
        return _code_uint16(values, low, high)
    base = low % 256
    if base:
        codes -= np.uint8(base)
    present = _bytes_present(out, high - low)
    found = [low + p for p in present]
    if len(present) != high - low + 1:
        numbered = {p: i for i, p in enumerate(present)}
        codes = np.frombuffer(out.translate(bytes(numbered.get(b, 0) for b in range(256))), dtype=np.uint8)
    return codes, found


def _bytes_present(out: bytearray, highest: int) -> list[int]:
    seen = set(out[:4096])
    absent = set(range(highest + 1)) - seen
    if len(absent) <= 12:
        return sorted(seen | {b for b in absent if out.find(b) >= 0})
    rest = out.translate(None, delete=bytes(seen))
    while rest:
        more = set(rest[:4096])
        seen |= more
        rest = rest.translate(None, delete=bytes(more))
    return sorted(seen)


def _code_uint16(values: NDArray[Any], low: int, high: int) -> tuple[Codes, list[int]]:
    shifted = np.empty(len(values), dtype=np.uint16)
    flags = np.zeros(high - low + 1, dtype=np.bool_)
    for start in range(0, len(values), _CHUNK):
        stop = start + _CHUNK
        shifted[start:stop] = values[start:stop]
        shifted[start:stop] -= np.uint16(low % (1 << 16))
        flags[shifted[start:stop]] = True
    present = np.flatnonzero(flags)
    lookup = np.zeros(len(flags), dtype=smallest_dtype(len(present)))
    lookup[present] = np.arange(len(present))
    return lookup.take(shifted), [low + int(p) for p in present]


def code_keys(keys: Keys) -> tuple[Codes, NDArray[np.intp]]:
    """Codes of 64-bit keys, and a row that holds each."""
    few = _code_few(keys)
    return _code_many(keys) if few is None else few


def _code_few(keys: Keys) -> tuple[Codes, NDArray[np.intp]] | None:
    distinct = np.unique(keys[:4096])
    if len(distinct) > _FEW:
        return None
    slots = _Slots.of(distinct)
    codes = np.empty(len(keys), dtype=np.uint16)
    for start in range(0, len(keys), _CHUNK):
        chunk = keys[start : start + _CHUNK]
        while slots is not None:
            at = slots.at(chunk)
            missed = slots.keys.take(at) != chunk
            if not missed.any():
                codes[start : start + _CHUNK] = slots.codes.take(at)
                break
            distinct = np.concatenate([distinct, np.unique(chunk[missed])])
            slots = _Slots.of(distinct) if len(distinct) <= _FEW else None
        if slots is None:
            return None
    if len(distinct) <= 256:
        codes = codes.astype(np.uint8)
    return codes, _first_rows(codes, len(distinct))


def _first_rows(codes: Codes, n_values: int) -> NDArray[np.intp]:
    """The first row of each code, reading only as far as needed."""
    first = np.full(n_values, -1, dtype=np.intp)
    start, step = 0, 4096
    while start < len(codes) and (first < 0).any():
        chunk = codes[start : start + step]
        values, at = np.unique(chunk, return_index=True)
        new = first[values] < 0
        first[values[new]] = at[new] + start
        start, step = start + step, step * 4
    return first


class _Slots:
    """A table in which every key of a small set has a slot of its own."""

    __slots__ = ("codes", "keys", "multiplier", "shift")

    def __init__(self, multiplier: np.uint64, bits: int, distinct: Keys, at: NDArray[np.intp]) -> None:
        self.multiplier, self.shift = multiplier, np.uint64(64 - bits)
        self.codes = np.zeros(1 << bits, dtype=np.uint16)
        self.codes[at] = np.arange(len(distinct))
        self.keys = np.full(1 << bits, distinct[0], dtype=np.uint64)
        # An empty slot holds a key that lives elsewhere, so no key can match it by chance.
        self.keys[at] = distinct

    @classmethod
    def of(cls, distinct: Keys) -> _Slots | None:
        for bits in (10, 13, _SLOT_BITS):
            if len(distinct) ** 2 > 2 << bits and bits < _SLOT_BITS:
                continue
            for attempt in range(24):
                multiplier = np.uint64((_MULTIPLIERS[attempt % 8] * (2 * attempt + 1)) % (1 << 64))
                at = _slot(distinct, multiplier, np.uint64(64 - bits))
                if len(np.unique(at)) == len(distinct):
                    return cls(multiplier, bits, distinct, at)
        return None

    def at(self, keys: Keys) -> NDArray[np.intp]:
        return _slot(keys, self.multiplier, self.shift)


def _slot(keys: Keys, multiplier: np.uint64, shift: np.uint64) -> NDArray[np.intp]:
    mixed = keys * multiplier
    mixed >>= shift
    return mixed.view(np.intp)


def _code_many(keys: Keys) -> tuple[Codes, NDArray[np.intp]]:
    n = len(keys)
    codes = np.empty(n, dtype=np.uint32)
    holders: list[NDArray[np.intp]] = []
    found = 0
    todo: NDArray[np.intp] | None = None  # None: every row
    bits = min(18, max(8, n.bit_length() + 1))
    for multiplier in _MULTIPLIERS:
        left = keys if todo is None else keys[todo]
        at = _slot(left ^ (left >> np.uint64(29)), np.uint64(multiplier), np.uint64(64 - bits))
        holder = np.full(1 << bits, -1, dtype=np.int64)
        holder[at[::-1]] = np.arange(len(left) - 1, -1, -1)
        taken = np.flatnonzero(holder >= 0)
        number = np.zeros(1 << bits, dtype=np.uint32)
        number[taken] = np.arange(found, found + len(taken))
        won = left[holder[at]] == left
        rows = holder[taken]
        holders.append(rows if todo is None else todo[rows])
        found += len(taken)
        if won.all():
            codes[slice(None) if todo is None else todo] = number[at]
            todo = None
            break
        if todo is None:
            np.take(number, at, out=codes)
            todo = np.flatnonzero(~won)
        else:
            codes[todo[won]] = number[at[won]]
            todo = todo[~won]
        bits = min(26, max(bits, len(todo).bit_length() + 1)) if len(todo) * 4 > len(left) else bits
    if todo is not None:
        _, first, inverse = np.unique(keys[todo], return_index=True, return_inverse=True)
        codes[todo] = inverse + found
        holders.append(todo[first])
        found += len(first)
    return codes.astype(smallest_dtype(found), copy=False), np.concatenate(holders)


def code_text(values: NDArray[np.str_]) -> tuple[Codes, list[str]] | None:
    """Codes of fixed-width numpy text, or None where it is too wide to be packed."""
    width = values.dtype.itemsize // 4
    if width > _WIDEST_PACKED:
        return None
    if width == 0:
        return np.zeros(len(values), dtype=np.uint8), [""]
    native = np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("="))
    if width % 2:
        words: NDArray[Any] = native.view(np.uint32).reshape(len(native), width)
    else:
        words = native.view(np.uint64).reshape(len(native), width // 2)
    if words.shape[1] > 3:  # wide columns often hold short text: leave out the words that are all padding
        words = words[:, : max(1, _last_used(words) + 1)]
    keys, exact = _pack(words)
    codes, rows = code_keys(keys)
    if not exact:
        for w in range(words.shape[1]):
            column = words[:, w]
            if (column[rows].take(codes) != column).any():
                return None  # two texts share a key: the caller takes the slow, exact way
    return codes, native[rows].tolist()


def _last_used(words: NDArray[Any]) -> int:
    for w in range(words.shape[1] - 1, 0, -1):
        if words[:, w].any():
            return w
    return 0


def _pack(words: NDArray[Any]) -> tuple[Keys, bool]:
    """One 64-bit key a row, and whether it holds the whole text (short text of Latin letters) or is a mixture."""
    n, per_row = words.shape
    every_char = np.uint64(0xFF000000FF) if words.dtype == np.uint64 else np.uint64(0xFF)
    most = 4 if words.dtype == np.uint64 else 8
    keys = np.empty(n, dtype=np.uint64)
    exact = per_row <= most
    step = max(1024, _CHUNK // per_row)
    if exact:
        beyond = ~every_char
        for start in range(0, n, step):
            block = words[start : start + step]
            if np.bitwise_or.reduce(block, axis=None) & beyond:
                exact = False
                break
            into = keys[start : start + step]
            into[:] = block[:, 0]
            for w in range(1, per_row):
                into |= block[:, w].astype(np.uint64, copy=False) << np.uint64(8 * w)
    if not exact:
        for start in range(0, n, step):
            block = words[start : start + step]
            into = keys[start : start + step]
            into[:] = block[:, 0]
            for w in range(1, per_row):
                into *= np.uint64(_MULTIPLIERS[w % 8])
                into ^= into >> np.uint64(31)
                into += block[:, w].astype(np.uint64, copy=False)
    return keys, exact


class _Numbered(dict[Any, int]):
    def __missing__(self, key: object) -> int:
        self[key] = number = len(self)
        return number


def code_objects(values: Iterable[Any], n: int) -> tuple[Codes, list[Any]]:
    """Codes of Python objects by equality, and the values in order of appearance; TypeError if one has no hash."""
    numbered = _Numbered()
    codes = np.fromiter(map(numbered.__getitem__, values), dtype=np.uint32, count=n)
    return codes.astype(smallest_dtype(len(numbered)), copy=False), list(numbered)
