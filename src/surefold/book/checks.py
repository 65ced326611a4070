"""Sets what a source prints beside what the library gives, and tries each check: a changed figure must make it fail.

The pages of the book call `beside` for figures and `holds` for claims. Each call names an entry of the list of sources.
A check that passes whatever its figures are checks nothing; it is told apart by `can_fail`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, SupportsFloat

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Check", "beside", "differs", "drawn", "holds", "taken"]

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Check:
    """One figure or claim that was looked at, and whether a change of its figures was seen to make it fail."""

    id: str
    what: str
    passed: bool
    can_fail: bool = True


@dataclass(frozen=True)
class Differs:
    """Why a figure is not the printed one, and by how much at most."""

    why: str
    within: float


Note = Differs | float | None
_made: list[Check] = []


def taken() -> list[Check]:
    """The checks since this was last asked."""
    found = list(_made)
    _made.clear()
    return found


def differs(why: str, within: float) -> Differs:
    """A note for `beside`: ours is not the printed figure, for this reason, and not further off than `within`."""
    return Differs(why, within)


def beside(id: str, *rows: Sequence[object]) -> None:
    """Print a table of (name, printed, ours) or (name, printed, ours, note), and record each row under the id.

    `printed` is text as the source has it: its digits say how close ours must be, half a unit of the last. It may hold
    several numbers, such as the ends of an interval. A note that is a number says that the source drew at random, and
    how far apart the two may lie. `differs(why, within)` says that they are not alike; one that then agrees is a fault.

    >>> beside("demo", ("error rate", "0.267", 8 / 30), ("t", "1.28", 1.2910, differs("from rounded figures", 0.02)))
                printed  ours
    error rate  0.267    0.2667  agrees
    t           1.28     1.291   differs: from rounded figures
    >>> [(check.passed, check.can_fail) for check in taken()]
    [(True, True), (True, True)]
    """
    lines = [("", "printed", "ours", "")]
    for name, printed, ours, *notes in rows:
        note, numbers = _note(notes), _numbers(ours)
        passed, remark = _judged(str(printed), numbers, note)
        can_fail = not any(_judged(changed, numbers, note)[0] for changed in _misprints(str(printed), numbers, note))
        _made.append(Check(id, str(name), passed, can_fail))
        lines.append((str(name), str(printed), _shown(str(printed), numbers), remark))
    widths = [max(len(line[i]) for line in lines) for i in range(3)]
    for line in lines:
        cells = [text.ljust(width) for text, width in zip(line[:3], widths, strict=True)]
        print("  ".join([*cells, line[3]]).rstrip())


def holds(id: str, claim: str, test: Callable[..., object], *figures: object) -> None:
    """Print whether `test(*figures)` holds, and record it; each figure is then changed in turn, and some change of it
    must make the test fail.

    >>> holds("demo", "the variance grows", lambda before, after: after > before, 0.1, 0.2)
    holds: the variance grows
    >>> [(check.passed, check.can_fail) for check in taken()]
    [(True, True)]
    >>> holds("demo", "this cannot fail", lambda area: True, 0.7)
    holds: this cannot fail
    >>> taken()[0].can_fail
    False
    """
    seen = [_plain(figure) for figure in figures]
    found = bool(test(*seen))
    can_fail = bool(seen) and all(_some_change_fails(test, seen, place) for place in range(len(seen)))
    _made.append(Check(id, claim, found, can_fail))
    print(f"{'holds' if found else 'DOES NOT HOLD'}: {claim}")


def drawn(picture: Axes | Figure) -> list[list[list[float]]]:
    """What a picture shows, as lists of points: its lines, its marks, the tops of its bars, and the outlines it fills.

    Takes axes or a whole figure, so that a check of a figure looks at the figure.

    >>> from matplotlib.figure import Figure
    >>> ax = Figure().add_subplot()
    >>> _ = ax.plot([0, 1], [2, 3])
    >>> drawn(ax)
    [[[0.0, 2.0], [1.0, 3.0]]]
    """
    from matplotlib.collections import PathCollection, QuadMesh
    from matplotlib.patches import Rectangle

    found: list[NDArray[np.float64]] = []
    for ax in picture.axes if isinstance(picture.axes, list) else [picture.axes]:
        if ax is None:
            continue
        found += [np.asarray(line.get_xydata(), dtype=float) for line in ax.lines]
        for each in ax.collections:
            if isinstance(each, PathCollection):
                found.append(np.asarray(each.get_offsets(), dtype=float))
            elif not isinstance(each, QuadMesh):  # that is the shading behind boundaries
                outlines = (np.asarray(path.vertices, dtype=float) for path in each.get_paths())
                found += [outline for outline in outlines if len(outline)]
        bars = [bar for bar in ax.patches if isinstance(bar, Rectangle) and bar.get_width() > 0]
        tops = [(bar.get_x() + bar.get_width() / 2, bar.get_height()) for bar in bars]
        found += [np.array(tops, dtype=float)] if tops else []
    return [points.tolist() for points in found]


# judging


def _note(notes: Sequence[object]) -> Note:
    if not notes:
        return None
    return notes[0] if isinstance(notes[0], Differs) else _numbers(notes[0])[0]


def _numbers(ours: object) -> list[float]:
    if hasattr(ours, "tolist"):
        ours = ours.tolist()
    if isinstance(ours, tuple | list):
        return [number for each in ours for number in _numbers(each)]
    if not isinstance(ours, SupportsFloat):
        raise TypeError(f"{ours!r} is no number")
    return [float(ours)]


def _judged(printed: str, ours: list[float], note: Note) -> tuple[bool, str]:
    """Whether a row is as its note says, and the remark beside it."""
    texts = NUMBER.findall(printed)
    if len(texts) != len(ours):
        raise ValueError(f"{printed!r} has {len(texts)} numbers and ours has {len(ours)}")
    apart = [abs(float(text) - number) for text, number in zip(texts, ours, strict=True)]
    agrees = all(gap <= _half_unit(text) for gap, text in zip(apart, texts, strict=True))
    if isinstance(note, Differs):
        if agrees:
            return False, "AGREES, BUT WAS SAID TO DIFFER"
        near = max(apart) <= note.within
        return near, f"differs: {note.why}" if near else f"DIFFERS BY MORE THAN {note.within:.2g}"
    if note is not None:
        near = max(apart) <= note
        return near, f"near: within {note:.2g}" if near else f"NOT WITHIN {note:.2g}"
    return agrees, "agrees" if agrees else "DOES NOT AGREE"


def _misprints(printed: str, ours: list[float], note: Note) -> Iterator[str]:
    """The text with one of its numbers changed: by two units of its last digit, or by twice the room that a note gives,
    and, where there is room, to nothing at all."""
    for place, match in enumerate(NUMBER.finditer(printed)):
        text = match.group()
        room = 0.0 if note is None else note.within if isinstance(note, Differs) else note
        away = abs(float(text) - ours[place])
        step = 2 * room + 4 * _half_unit(text) + (away if math.isfinite(away) else 0.0)
        changed = [float(text) + step, float(text) - step, *([0.0] if room and not isinstance(note, Differs) else [])]
        for number in changed:
            yield f"{printed[: match.start()]}{number:.{max(_decimals(text), 0) + 1}f}{printed[match.end() :]}"


def _half_unit(text: str) -> float:
    """Half a unit of the last digit, and a trifle for binary fractions."""
    return 0.5 * 10.0 ** -_decimals(text) + 1e-9 * max(1.0, abs(float(text)))


def _decimals(text: str) -> int:
    mantissa, _, power = text.lower().partition("e")
    return len(mantissa.partition(".")[2]) - int(power or 0)


def _shown(printed: str, numbers: list[float]) -> str:
    """Our figures in the shape of the printed text, with one digit more."""
    texts = NUMBER.findall(printed)
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


# changing figures


def _plain(figure: object) -> object:
    """Estimates as numbers, sequences as arrays."""
    if hasattr(figure, "interval") and hasattr(figure, "value"):
        return float(figure.value)
    if isinstance(figure, list | tuple | np.ndarray):
        try:
            return np.asarray(figure)
        except ValueError:  # of several lengths
            return list(figure)
    return figure


def _some_change_fails(test: Callable[..., object], figures: list[object], place: int) -> bool:
    for changed in _changes(figures[place]):
        try:
            if not test(*figures[:place], changed, *figures[place + 1 :]):
                return True
        except (ArithmeticError, LookupError, TypeError, ValueError):
            return True
    return False


def _changes(figure: object) -> Iterator[object]:
    """The figure made larger, smaller, negative, nothing, or put in another order; a word made another word."""
    if isinstance(figure, bool | np.bool_):
        yield not figure
    elif isinstance(figure, int | float | np.number):
        x = float(figure)
        yield from (x + 1 + abs(x), x - 1 - abs(x), -x, 0.0, 1.5 * x, 0.5 * x, x + 0.1, x - 0.1)
    elif isinstance(figure, str):
        yield from (f"{figure}?", "")
    elif isinstance(figure, np.ndarray) and figure.dtype.kind in "iufb":
        yield from (figure[::-1], figure[:-1])
        values = figure.astype(float)
        yield from (values + 1 + np.abs(values), values - 1 - np.abs(values), -values, 0 * values)
        for spot in (0, -1):
            one = values.copy()
            one.reshape(-1)[spot : None if spot else 1] += 1 + np.abs(one).max(initial=0.0)
            yield one
    elif isinstance(figure, np.ndarray | list):
        yield from (figure[::-1], figure[:-1])
        if len(figure):
            yield np.array(["?", *list(figure)[1:]], dtype=object)
