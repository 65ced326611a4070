"""Does a column name rows? A customer number says who a row is, not what it is like, and models learn it by heart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import show
from surefold.findings import Finding

__all__ = ["is_numbering", "named", "names_rows", "row_names_finding", "share_once"]

#: Words or whole numbers that are all different are taken for names of rows from this many rows on.
MANY = 20
#: From this share of values on that occur once, words are taken for names of rows.
ONCE = 0.5


def names_rows(values: NDArray[Any]) -> bool:
    """Whether words are mostly different, or whole numbers all are. Measurements have fractions.

    >>> names_rows(np.array([f"c{i}" for i in range(40)])), names_rows(np.array(["a", "b"] * 20))
    (True, False)
    >>> names_rows(np.arange(40) * 7), names_rows(np.arange(40) / 3)
    (True, False)
    """
    if len(values) < MANY:
        return False
    if values.dtype.kind in "iuf":
        whole = np.isfinite(values) & (np.floor(values) == values)
        return bool(whole.all()) and len(np.unique(values)) == len(values)
    return values.dtype.kind in "OUT" and share_once(values.tolist()) > ONCE


def share_once(words: list[Any]) -> float:
    """The share of rows whose word no other row has; missing ones are no words, and numbers among them end it.

    >>> share_once(["a", "b", "b", None]), share_once([1, "b"])
    (0.25, 0.0)
    """
    if not all(isinstance(word, str) or word is None or word != word for word in words):
        return 0.0
    counts = Counter(word for word in words if isinstance(word, str))
    return sum(count == 1 for count in counts.values()) / len(words)


def is_numbering(values: NDArray[Any]) -> bool:
    """Whether whole numbers that are all different leave no gap, as row numbers do.

    >>> is_numbering(np.arange(130, 100, -1)), is_numbering(np.arange(30) * 7)
    (True, False)
    """
    return values.dtype.kind in "iuf" and names_rows(values) and bool(np.ptp(values) == len(values) - 1)


def row_names_finding(columns: Sequence[str]) -> Finding:
    """That these columns look like names of rows."""
    text = f"Most rows have a value of their own in {named(columns)}: if that names rows, leave it out (--drop)."
    return Finding.of("like_row_names", text, columns=list(columns))


def named(columns: Sequence[str]) -> str:
    """The first columns by name.

    >>> named(["id"]), named(list("abcdef"))
    ("column 'id'", "columns 'a', 'b', 'c', 'd', 'e', …")
    """
    shown = ", ".join(map(show, columns[:5])) + (", …" if len(columns) > 5 else "")
    return f"column{'' if len(columns) == 1 else 's'} {shown}"
