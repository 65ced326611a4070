"""Columns of whole numbers in as few characters as the page's script can read back.

Each number is told by its difference from the one before it. A difference d is written as 2d, or -2d - 1 if it is
negative, in groups of five bits, lowest first, one character a group; a character from the second half of the alphabet
says that more follow.
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["ALPHABET", "packed", "unpacked"]

ALPHABET = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"


def packed(values: Iterable[int]) -> str:
    """The column as text.

    >>> packed([0, 1, 3, 2]), packed([100])
    ('0241', 'E6')
    """
    text, before = [], 0
    for value in values:
        step = value - before
        before = value
        rest = 2 * step if step >= 0 else -2 * step - 1
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
