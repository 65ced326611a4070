"""A number with its uncertainty."""

from __future__ import annotations

import math
from dataclasses import Field, dataclass, field, fields
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from surefold.numbers import texts

__all__ = ["CUT", "Estimate", "SameFigures", "TestResult"]

#: Flag of the interval of a difference that its test cut: the end at 0 is not part of it.
CUT = "cut_at_test"


class SameFigures:
    """Results are equal where all their fields are; what is undefined (NaN) in both is the same in both.

    Dataclasses made so by themselves until Python 3.12, as long as both held one and the same NaN.

    >>> Estimate(0.5, 0.4, 0.6, se=float("nan")) == Estimate(0.5, 0.4, 0.6, se=float("nan"))
    True
    """

    __dataclass_fields__: ClassVar[dict[str, Field[object]]]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SameFigures) or type(other) is not type(self):
            return NotImplemented
        return all(_same(getattr(self, f.name), getattr(other, f.name)) for f in fields(self) if f.compare)

    def __hash__(self) -> int:
        return hash(tuple(str(getattr(self, f.name)) for f in fields(self) if f.compare))


def _same(first: object, second: object) -> bool:
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return bool(np.array_equal(np.asarray(first), np.asarray(second), equal_nan=True))
    return first is second or bool(first == second) or (first != first and second != second)


@dataclass(frozen=True, eq=False)
class Estimate(SameFigures):
    """A value, its interval, how it was made and what is weak about it.

    >>> e = Estimate(22 / 30, 0.5556, 0.8582, se=0.0807, confidence=0.95, method="wilson", n=30)
    >>> print(e, f"{e:.2f}", round(float(e), 3))
    0.73 [0.56, 0.86] 0.73 [0.56, 0.86] 0.733

    `se` is always the delta-method standard error. `pessimistic` is the one-sided bound that C4.5 judges a node by:
    the bad end of the interval that is missed on that side with chance 0.25 (of a bare share, read as an error rate,
    the upper one). `reason` says why a value is undefined; then there is no interval either.
    """

    value: float
    low: float
    high: float
    se: float = math.nan
    confidence: float = 0.95
    method: str = ""
    n: float = math.nan
    flags: tuple[str, ...] = ()
    name: str = ""
    reason: str = ""
    pessimistic: float = field(default=math.nan, repr=False)
    statistic: float | None = field(default=None, repr=False)
    p_value: float | None = field(default=None, repr=False)
    df: float | None = field(default=None, repr=False)

    def __float__(self) -> float:
        return float(self.value)

    def __round__(self, ndigits: int | None = None) -> float:
        return round(float(self.value), ndigits)  # without digits an int, as of a float

    def __lt__(self, other: object) -> bool:
        return float(self.value) < self._number(other)

    def __le__(self, other: object) -> bool:
        return float(self.value) <= self._number(other)

    def __gt__(self, other: object) -> bool:
        return float(self.value) > self._number(other)

    def __ge__(self, other: object) -> bool:
        return float(self.value) >= self._number(other)

    @staticmethod
    def _number(other: object) -> float:
        """What the value is held against: a number. Which of two estimates is larger is a question for a test."""
        if isinstance(other, Real):
            return float(other)
        if isinstance(other, Estimate):
            raise TypeError(
                "an estimate is ordered against a number; compare() says which of two models is better, "
                "and float(e) is the bare value"
            )
        raise TypeError(f"an estimate is ordered against a number, not a {type(other).__name__}")

    @property
    def defined(self) -> bool:
        """Whether there is a value; `reason` says why not."""
        return not math.isnan(self.value)

    @property
    def interval(self) -> tuple[float, float]:
        """Both ends, as a pair."""
        return (self.low, self.high)

    @property
    def width(self) -> float:
        """How wide the interval is."""
        return self.high - self.low

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __format__(self, spec: str) -> str:
        value, low, high = texts(self.value, self.low, self.high, spec)
        value = value if self.defined else f"undefined ({self.reason})"
        if math.isnan(self.low) and math.isnan(self.high):
            return value
        mark = " (incomplete)" if "incomplete" in self.flags else ""
        return f"{value} {self._bracketed(low, high)}{mark}"

    def _bracketed(self, low: str, high: str) -> str:
        """Both ends in brackets, a round one where 0 itself is left out."""
        is_cut = CUT in self.flags
        first, last = "(" if is_cut and self.low == 0 else "[", ")" if is_cut and self.high == 0 else "]"
        return f"{first}{low}, {high}{last}"

    @property
    def texts(self) -> tuple[str, str, str]:
        """The value and the ends of its interval, each as it is shown."""
        value, low, high = texts(self.value, self.low, self.high)
        return value if self.defined else "undefined", low, high

    @property
    def bounds_text(self) -> str:
        """The interval as it is shown, or nothing where there is none."""
        _, low, high = self.texts
        return "" if math.isnan(self.low) and math.isnan(self.high) else self._bracketed(low, high)

    def __str__(self) -> str:
        return format(self, "")

    def __repr__(self) -> str:
        name = f"{self.name} " if self.name else ""
        facts = ", ".join([f"{self.confidence * 100:g}%", self.method or "given", f"n = {self.n:g}", *self.flags])
        return f"<{name}{self} ({facts})>"

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is undefined is None and `reason` says why."""
        shown: dict[str, Any] = {
            "value": _finite(self.value),
            "low": _finite(self.low),
            "high": _finite(self.high),
            "se": _finite(self.se),
            "confidence": self.confidence,
            "method": self.method,
            "n": _finite(self.n),
            "flags": list(self.flags),
            "pessimistic": _finite(self.pessimistic),
        }
        if self.reason:
            shown["reason"] = self.reason
        for extra in ("value", "low", "high"):
            if math.isinf(getattr(self, extra)):
                shown.setdefault("infinite", []).append(extra)
        for extra in ("statistic", "p_value", "df"):
            if getattr(self, extra) is not None:
                shown[extra] = _finite(getattr(self, extra))
        return shown


@dataclass(frozen=True, eq=False)
class TestResult(SameFigures):
    """What a test found: the effect with its interval, the statistic, p, and what it rests on."""

    __test__ = False  # not a test case, whatever its name says to pytest

    name: str
    effect: Estimate
    statistic: float
    p_value: float
    assumptions: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    df: float | tuple[float, float] | None = None

    def __str__(self) -> str:
        if not self.effect.defined and self.effect.reason and math.isfinite(self.statistic):
            return f"{self.name}: statistic {self.statistic:.4g}, p = {self.p_value:.3g} ({self.effect.reason})"
        return f"{self.name}: {self.effect}, p = {self.p_value:.3g}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, those that one kind of test adds among them."""
        shown: dict[str, Any] = {
            "name": self.name,
            "effect": self.effect.to_dict(),
            "statistic": _finite(self.statistic),
            "p_value": _finite(self.p_value),
            "df": self.df,
            "assumptions": list(self.assumptions),
            "flags": list(self.flags),
        }
        return shown | {f.name: _plain(getattr(self, f.name)) for f in fields(self) if f.name not in shown}


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return _finite(value) if isinstance(value, float) else value
