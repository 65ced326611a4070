"""Sets what a source prints beside what the library gives, says whether the two agree, and keeps count.

The pages of the book call `beside` for figures and `holds` for claims. Each call names an entry of
`docs/book/sources.toml`; `docs.executed` collects the calls of a page, and `docs.coverage` makes the table from them.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["Check", "beside", "holds", "taken"]

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Check:
    """One figure or claim that was looked at."""

    id: str
    what: str
    passed: bool


_made: list[Check] = []


def taken() -> list[Check]:
    """The checks since this was last asked."""
    found = list(_made)
    _made.clear()
    return found


def beside(id: str, *rows: Sequence[Any]) -> None:
    """Print a table of (name, printed, ours) or (name, printed, ours, note), and record each row under the id.

    `printed` is text as the source has it: its digits say how close ours must be, half a unit of the last. It may hold
    several numbers, such as the ends of an interval. A note that is a number says that the source drew at random, and
    how far apart the two may lie. A note that is text says why they differ; a row that then agrees is a fault.

    >>> beside("demo", ("error rate", "0.267", 8 / 30), ("t", "1.28", 1.2910, "from rounded figures"))
                printed  ours
    error rate  0.267    0.2667  agrees
    t           1.28     1.291   differs: from rounded figures
    >>> [check.passed for check in taken()]
    [True, True]
    """
    lines = [("", "printed", "ours", "")]
    for name, printed, ours, *notes in rows:
        note = notes[0] if notes else None
        passed, remark = _judged(printed, _numbers(ours), note)
        _made.append(Check(id, name, bool(passed)))
        lines.append((name, printed, _shown(printed, ours), remark))
    widths = [max(len(line[i]) for line in lines) for i in range(3)]
    for line in lines:
        cells = [text.ljust(width) for text, width in zip(line[:3], widths, strict=True)]
        print("  ".join([*cells, line[3]]).rstrip())


def holds(id: str, claim: str, found: object) -> None:
    """Print whether a claim of a source holds here, and record it.

    >>> holds("demo", "the variance grows", True)
    holds: the variance grows
    >>> [check.passed for check in taken()]
    [True]
    """
    _made.append(Check(id, claim, bool(found)))
    print(f"{'holds' if found else 'DOES NOT HOLD'}: {claim}")


def _numbers(ours: Any) -> list[float]:
    if hasattr(ours, "tolist"):
        ours = ours.tolist()
    if isinstance(ours, tuple | list):
        return [number for each in ours for number in _numbers(each)]
    return [float(ours)]


def _judged(printed: str, ours: list[float], note: object) -> tuple[bool, str]:
    """Whether a row is as its note says, and the remark beside it."""
    texts = NUMBER.findall(printed)
    if len(texts) != len(ours):
        raise ValueError(f"{printed!r} has {len(texts)} numbers and ours has {len(ours)}")
    apart = [abs(float(text) - number) for text, number in zip(texts, ours, strict=True)]
    if isinstance(note, int | float):
        near = max(apart) <= note
        return near, f"near: within {note:.2g}" if near else f"NOT WITHIN {note:.2g}"
    agrees = all(gap <= _half_unit(text) for gap, text in zip(apart, texts, strict=True))
    if note is None:
        return agrees, "agrees" if agrees else "DOES NOT AGREE"
    return not agrees, f"differs: {note}" if not agrees else "AGREES, BUT WAS SAID TO DIFFER"


def _half_unit(text: str) -> float:
    """Half a unit of the last digit, and a trifle for binary fractions."""
    return 0.5 * 10.0 ** -_decimals(text) + 1e-9 * max(1.0, abs(float(text)))


def _decimals(text: str) -> int:
    mantissa, _, power = text.lower().partition("e")
    return len(mantissa.partition(".")[2]) - int(power or 0)


def _shown(printed: str, ours: Any) -> str:
    """Our figures in the shape of the printed text, with one digit more."""
    texts, numbers = NUMBER.findall(printed), _numbers(ours)
    parts = [_written(text, number) for text, number in zip(texts, numbers, strict=True)]
    between = NUMBER.split(printed)
    return "".join(a + b for a, b in zip(between, [*parts, ""], strict=True))


def _written(text: str, number: float) -> str:
    if not math.isfinite(number):
        return str(number)
    if "e" in text.lower():
        mantissa = text.lower().partition("e")[0]
        return f"{number:.{len(mantissa.partition('.')[2]) + 1}e}"
    if "." not in text and number == round(number):
        return f"{number:.0f}"
    return f"{number:.{_decimals(text) + 1}f}"
