"""What is planned: a design knows its facts, the chance that its test finds what is there, and how to say so."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, TypedDict

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, UnknownNameError
from surefold.estimates.quantiles import normal_quantile
from surefold.significance.pairs import checked_number

__all__ = [
    "MOST_ROWS",
    "Design",
    "Facts",
    "PlanFacts",
    "percent",
    "smallest_difference_of",
    "smallest_rows",
    "told_apart",
]

Array = NDArray[np.float64]

#: Nobody collects more; a search that gets here says so.
MOST_ROWS = 10**12


class PlanFacts(TypedDict, total=False):
    """What may be said of a study; which kind takes which stands at `sample_size`. None counts as not said."""

    value: float | None
    null: float | None
    width: float | None
    first: float | None
    second: float | None
    ratio: float | None
    only_first: float | None
    only_second: float | None
    difference: float | None
    disagreement: float | None
    correlation: float | None
    positives_share: float | None
    form: Literal["binormal", "exponential"] | None
    direction: Literal["above", "below"] | None
    estimate: object
    se: float | None
    rows: float | None
    margin: float | None
    design: Literal["difference", "superiority", "noninferiority", "equivalence"] | None
    design_effect: float | None


class Facts:
    """What was said about a design, each fact checked as it is read. None counts as not said."""

    kind: str
    given: dict[str, object]

    def __init__(self, kind: str, given: Mapping[str, object], known: tuple[str, ...]) -> None:
        self.kind, self.given = kind, {name: value for name, value in given.items() if value is not None}
        for name in self.given:
            if name not in known:
                raise UnknownNameError(f"fact for {kind!r}", name, known)

    def __contains__(self, name: str) -> bool:
        return name in self.given

    def need(self, name: str, why: str = "") -> Any:
        """What was said of a name; `bad_option` where nothing was, with `why` as the cure."""
        if name not in self.given:
            raise InputError("bad_option", f"{self.kind!r} needs {name}=", cure=why or f"give {name}=")
        return self.given[name]

    def number(
        self, name: str, least: float, most: float = math.inf, *, cure: str, default: float | None = None
    ) -> float:
        """A number from `least` to `most`; `default` where nothing was said, if there is one."""
        value = self.need(name, cure) if default is None else self.given.get(name, default)
        return checked_number(value, name, least, most, cure)

    def share(self, name: str, cure: str = "give a share from 0 to 1") -> float:
        """A share, from 0 to 1."""
        return self.number(name, 0, 1, cure=cure)

    def inside(self, name: str, cure: str = "give a share between 0 and 1, neither of them") -> float:
        """A share that is neither 0 nor 1."""
        value = self.share(name, cure)
        if value in (0.0, 1.0):
            raise InputError("bad_option", f"{name}={value:g}", cure=cure)
        return value

    def above_zero(self, name: str, cure: str) -> float:
        """A number above 0."""
        value = self.number(name, 0, cure=cure)
        if value == 0:
            raise InputError("bad_option", f"{name}=0", cure=cure)
        return value

    def choice(self, name: str, choices: tuple[str, ...]) -> str:
        """One of some words, the first of them unless said."""
        value = self.given.get(name, choices[0])
        if value not in choices:
            raise UnknownNameError(name, value, choices)
        return str(value)

    def design_effect(self) -> float:
        """How many grouped rows are worth one; 1 unless said."""
        cure = "give how many grouped rows are worth one, 1 or more: 1 + (rows of a group - 1) x their correlation"
        return self.number("design_effect", 1, cure=cure, default=1.0)

    def different(self, a: float, b: float, names: str) -> None:
        """`bad_option` where two values that are to be told apart are the same."""
        if a == b:
            cure = "plan for a difference: no number of rows shows one of 0"
            raise InputError("bad_option", f"the difference is 0 ({names} = {a:g})", cure=cure)

    def one_goal(self, *names: str) -> str:
        """Which of some facts was said; exactly one must be."""
        said = [name for name in names if name in self.given]
        if len(said) != 1:
            together = " and ".join(f"{name}=" for name in said)
            problem = f"{self.kind!r} with {together}" if said else f"{self.kind!r} without a goal"
            cure = f"give one of {', '.join(f'{name}=' for name in names)}"
            raise InputError("bad_option", problem, cure=cure)
        return said[0]


@dataclass(frozen=True, kw_only=True)
class Design(ABC):
    """One kind of study with its facts. Rows here are worth one each; `design_effect` of them are collected for one."""

    kind: ClassVar[str]
    known: ClassVar[tuple[str, ...]]
    #: Fewer rows than this are no study of the kind.
    least: ClassVar[int] = 2
    #: How many numbers of rows are tried beyond the first that will do, to see whether the power is kept.
    looks: ClassVar[int] = 60

    confidence: float
    design_effect: float = 1.0
    width: float | None = None

    @classmethod
    @abstractmethod
    def of(cls, facts: Facts, confidence: float) -> Self:
        """From facts that say what difference is there, or what width is wanted."""

    @classmethod
    @abstractmethod
    def around(cls, facts: Facts, confidence: float) -> tuple[Callable[[float], Design], float]:
        """From facts that leave the difference open: the design for each difference, and the largest there can be."""

    @property
    @abstractmethod
    def method(self) -> str:
        """The test or the interval that is planned for."""

    @property
    @abstractmethod
    def goal(self) -> str:
        """What is hoped for, as it goes on after "a chance to", or after "an interval of that width"."""

    @property
    @abstractmethod
    def difference(self) -> float:
        """What is to be found, as a positive number."""

    @property
    def sought(self) -> float:
        """What the smallest difference is: the difference, unless a margin is what is left open."""
        return self.difference

    @property
    def sought_name(self) -> str:
        """What is sought where it is left open, in a word."""
        return "difference"

    @abstractmethod
    def facts(self) -> dict[str, Any]:
        """The facts as plain values."""

    @abstractmethod
    def power_at(self, n: int) -> float:
        """The chance that the test finds what is there."""

    def powers_at(self, rows: NDArray[Any]) -> Array:
        """The power with each of these numbers of rows."""
        return np.array([self.power_at(int(n)) for n in rows])

    def width_at(self, n: int) -> float:
        """How wide the interval is on average."""
        raise InputError(
            "bad_option", f"{self.kind!r} is planned for a test", cure="ask for its power, not for a width"
        )

    @abstractmethod
    def guess(self, power: float) -> float:
        """About how many rows it takes, for the search to start from."""

    def lookahead(self, n: int) -> int:
        """How far beyond n rows the power may still fall back: counts are whole, so it rises in teeth."""
        return 0

    def parts(self, n: int) -> dict[str, int]:
        """How n rows are made up, where that matters."""
        return {}

    def flags(self, n: int) -> tuple[str, ...]:
        """What is weak about a plan with n rows, by the codes of findings."""
        return ()

    @property
    def level(self) -> float:
        """The chance of a false alarm: 1 - confidence."""
        return 1 - self.confidence

    @property
    def z(self) -> float:
        """The two-sided critical value."""
        return normal_quantile((1 + self.confidence) / 2)

    def collected(self, n: int) -> int:
        """How many rows to collect for n that are worth one each."""
        return math.ceil(n * self.design_effect - 1e-9)

    def worth(self, rows: float) -> int:
        """How many rows that many collected ones are worth."""
        return math.floor(rows / self.design_effect + 1e-9)

    def rows_text(self, rows: int) -> str:
        """So many rows, in words."""
        return f"{rows:,} rows" if rows != 1 else "1 row"


def smallest_rows(design: Design, power: float | None = None) -> int:
    """The fewest rows that give the power from there on, or the width when no power is said.

    The power rises in teeth, so a few rows more can have less of it; what is found is the end of the last tooth that
    falls short.
    """
    if power is None:
        asked = design.width if design.width is not None else math.nan

        def enough(rows: NDArray[Any]) -> NDArray[np.bool_]:
            return np.array([design.width_at(int(n)) <= asked for n in rows])

    else:

        def enough(rows: NDArray[Any]) -> NDArray[np.bool_]:
            return design.powers_at(rows) >= power

    guess = design.guess(0.5 if power is None else power)
    n = _first(enough, design.least, int(min(max(guess, design.least), MOST_ROWS)))
    while True:
        ahead = design.lookahead(n) if power is not None else 0
        later = np.unique(np.linspace(n + 1, n + ahead, min(ahead, design.looks)).astype(np.int64))
        short = later[~enough(later)] if len(later) else later
        if not len(short):
            return n
        n = _first(enough, int(short[-1]), int(short[-1]) + 1)


def _first(enough: Callable[[NDArray[Any]], NDArray[np.bool_]], low: int, start: int) -> int:
    """A number of rows from `low` on that will do while one row less will not, by doubling steps and halving."""

    def will_do(n: int) -> bool:
        return bool(enough(np.array([n], dtype=np.int64))[0])

    if will_do(low):
        return low
    high, step = max(start, low + 1), max(1, (start - low) // 8)
    while not will_do(high):
        if high >= MOST_ROWS:
            cure = "allow a larger difference or width, or ask for less power or confidence"
            raise InputError("bad_option", f"more than {MOST_ROWS:,} rows would be needed", cure=cure)
        low, high, step = high, min(high + step, MOST_ROWS), step * 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if will_do(middle) else (middle, high)
    return high


def smallest_difference_of(make: Callable[[float], Design], most: float, n: int, power: float) -> Design:
    """The design with the smallest difference that n rows find with this power, by bisection."""

    def enough(difference: float) -> bool:
        design = make(difference)
        rows = design.worth(n)
        return rows >= design.least and design.power_at(rows) >= power

    if not enough(most):
        cure = "plan for more rows or less power, or look on the other side with direction= where there is one"
        problem = f"{n:,} rows give no difference up to {most:g} a power of {power:g}"
        raise InputError("bad_option", problem, cure=cure)
    low, high = 0.0, most
    for _ in range(60):
        middle = (low + high) / 2
        if middle in (low, high) or high - low < 1e-12 * high:
            break
        low, high = (low, middle) if enough(middle) else (middle, high)
    return make(high)


def told_apart(first: float, second: float) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to see that they differ.

    >>> told_apart(0.85, 0.9), told_apart(0.8, 0.80001)
    (('0.85', '0.9'), ('0.8', '0.80001'))
    """
    for digits in range(4, 17):
        a, b = (f"{x:.{digits}g}" for x in (first, second))
        if a != b or first == second:
            break
    return a, b


def percent(share: float) -> str:
    """A share for people.

    >>> percent(0.8), percent(0.05 + 0.1), percent(1 / 3)
    ('80 %', '15 %', '33.3 %')
    """
    return f"{float(f'{share * 100:.3g}'):g} %"
