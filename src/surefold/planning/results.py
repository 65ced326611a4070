"""What planning says: rows, power, a difference or a width, with the facts they rest on and a sentence."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from surefold._version import heading
from surefold.planning.design import Design, percent

if TYPE_CHECKING:
    from surefold.verdict.verdict import Verdict

__all__ = ["ExpectedWidth", "Planned", "Power", "SampleSize", "SmallestDifference"]


@dataclass(frozen=True)
class Planned(ABC):
    """Common to all: `n` rows to collect and the design, which holds the facts."""

    n: int
    design: Design = field(repr=False)

    @property
    def kind(self) -> str:
        """The kind of study, as it was asked for."""
        return self.design.kind

    @property
    def method(self) -> str:
        """The test or the interval that is planned for."""
        return self.design.method

    @property
    def confidence(self) -> float:
        """The confidence of the test or the interval."""
        return self.design.confidence

    @property
    def facts(self) -> dict[str, Any]:
        """What the figure rests on."""
        found = self.design.facts()
        if self.design.width is not None:
            found["width"] = self.design.width
        return {k: v for k, v in found.items() if v is not None} | {"design_effect": self.design.design_effect}

    @property
    def parts(self) -> dict[str, int]:
        """How the rows are made up: of both sets, or of both classes; empty where there is one kind of row."""
        return self.design.parts(self.n)

    @property
    def flags(self) -> tuple[str, ...]:
        """What is weak about the plan: the codes that the later result would carry."""
        return self.design.flags(self.design.worth(self.n))

    def _repr_html_(self) -> str:
        from surefold.report.notebook import figure_html

        return figure_html(self)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Power, or width, against rows, with a mark at what was asked."""
        from surefold.show.plots import plot

        return plot(self, None, ax, **options)

    @property
    def verdict(self) -> Verdict:
        """What to collect, or what the rows at hand are good for."""
        from surefold.verdict.studied import verdict_of_plan

        return verdict_of_plan(self)

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Plain values, with the sentence."""

    def _by(self) -> str:
        effect = f", {self.design.design_effect:g} rows for one" if self.design.design_effect > 1 else ""
        return f"({self.method}, {percent(self.confidence)} confidence{effect})"

    def _rows(self) -> str:
        return self.design.rows_text(self.n)

    def _shown(self, what: str) -> dict[str, Any]:
        return {**heading(what), "design": self.kind, "n": self.n, "parts": self.parts}

    def _rest(self) -> dict[str, Any]:
        rest = {"confidence": self.confidence, "method": self.method, "facts": self.facts, "flags": list(self.flags)}
        return rest | {"sentence": str(self)}


@dataclass(frozen=True)
class SampleSize(Planned):
    """The fewest rows that will do. `power` is what was asked and `reached` what n rows give; for widths both are."""

    power: float | None = None
    reached: float = 0.0

    @property
    def value(self) -> int:
        """The rows to collect, by the name that every answer has."""
        return self.n

    def __int__(self) -> int:
        return self.n

    def __float__(self) -> float:
        return float(self.n)

    def __str__(self) -> str:
        verb = "gives" if self.n == 1 else "give"
        if self.power is None:
            width = self.design.width or 0.0
            return f"{self._rows()} {verb} an interval {width:.4g} wide on average {self.design.goal} {self._by()}."
        return f"{self._rows()} {verb} {_chance(self.power)} to {self.design.goal} {self._by()}."

    def to_dict(self) -> dict[str, Any]:
        """Plain values: rows, what was asked, and the power or width that is reached."""
        asked = {"width": self.design.width} if self.power is None else {"power": self.power}
        return self._shown("sample_size") | asked | {"reached": self.reached} | self._rest()


@dataclass(frozen=True)
class Power(Planned):
    """The chance that n rows show what is there."""

    value: float = 0.0

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self._rows()} give {_chance(self.value)} to {self.design.goal} {self._by()}."

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the power, and what it was asked for."""
        return self._shown("power") | {"power": self.value} | self._rest()


@dataclass(frozen=True)
class SmallestDifference(Planned):
    """The smallest difference, or margin, that n rows show with this power; `design` is the one with it."""

    value: float = 0.0
    power: float = 0.8

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return (
            f"The smallest {self.design.sought_name} that can be shown is {self.value:.4g}: {self._rows()} give "
            f"{_chance(self.power)} to {self.design.goal} {self._by()}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the difference, the power, and what was asked."""
        return self._shown("smallest_difference") | {"difference": self.value, "power": self.power} | self._rest()


@dataclass(frozen=True)
class ExpectedWidth(Planned):
    """How wide the interval of n rows is on average."""

    value: float = 0.0

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self._rows()} give an interval {self.value:.4g} wide on average {self.design.goal} {self._by()}."

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the width, and what it was asked for."""
        rest = self._rest()
        rest["facts"] = {name: value for name, value in rest["facts"].items() if name != "width"}
        return self._shown("expected_width") | {"width": self.value} | rest


def _chance(power: float) -> str:
    if power > 0.9995:
        return "a chance above 99.9 %"
    return f"a chance of {percent(power)}" if power >= 0.001 else "a chance below 0.1 %"
