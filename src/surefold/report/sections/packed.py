"""Columns of whole numbers, and a model's data, in as few characters as the page's script can read back.

Each number is told by its difference from the one before it. A difference d is written as 2d, or -2d - 1 if it is
negative, in groups of five bits, lowest first, one character a group; a character from the second half of the alphabet
says that more follow.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

__all__ = ["ALPHABET", "deflated", "packed", "plainly", "unpacked"]

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"


def packed(values: Iterable[int]) -> str:
    """The column as text, by differences.

    >>> packed([0, 1, 3, 2]), packed([100])
    ('0241', 'E6')
    """
    before = [0, *values]
    return plainly(after - first for first, after in pairwise(before))


def plainly(values: Iterable[int]) -> str:
    """Numbers as they are.

    >>> plainly([0, 1, 2, -1]), plainly([100])
    ('0241', 'E6')
    """
    text = []
    for value in values:
        rest = 2 * value if value >= 0 else -2 * value - 1
        while rest > 31:
            text.append(ALPHABET[32 + rest % 32])
            rest //= 32
        text.append(ALPHABET[rest])
    return "".join(text)


def unpacked(text: str) -> list[int]:
    """The column that `packed` wrote.

    >>> unpacked(packed([5, -7, 100_000, 0]))
    [5, -7, 100000, 0]
    """
    values, before, rest, shift = [], 0, 0, 1
    for character in text:
        digit = ALPHABET.index(character)
        rest += digit % 32 * shift
        shift *= 32
        if digit < 32:
            before += -(rest + 1) // 2 if rest % 2 else rest // 2
            values.append(before)
            rest, shift = 0, 1
    return values


def deflated(value: Any) -> str:
    """JSON, deflated and in base64: every browser of today can undo it, and it takes less than half the room.

    >>> text = deflated({"name": "a" * 1000})
    >>> len(text) < 100, json.loads(zlib.decompress(base64.b64decode(text))) == {"name": "a" * 1000}
    (True, True)
    """
    text = json.dumps(value, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return base64.b64encode(zlib.compress(text.encode(), 9)).decode()
