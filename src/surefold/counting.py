"""Numbers with their nouns."""

from __future__ import annotations

__all__ = ["counted", "verb"]


def counted(number: int, noun: str) -> str:
    """A number with its noun.

    >>> counted(1, "fit"), counted(1200, "fit")
    ('1 fit', '1,200 fits')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def verb(number: float, one: str = "is", many: str = "are") -> str:
    """The verb that agrees with a number.

    >>> verb(1), verb(2, "was", "were")
    ('is', 'were')
    """
    return one if number == 1 else many
