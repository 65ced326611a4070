"""What a comparison says: every pair's difference, the test, and a verdict in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from surefold.estimates.estimate import Estimate, TestResult

__all__ = ["Comparison", "Difference", "status_of"]

Status = Literal["better", "worse", "cannot_tell"]


def status_of(test: TestResult, p: float, lower_is_better: bool, level: float) -> Status:
    """What an effect and its adjusted p say of the first model."""
    if not test.effect.defined or p > level or test.effect.value == 0:
        return "cannot_tell"
    return "better" if (test.effect.value > 0) != lower_is_better else "worse"


@dataclass(frozen=True)
class Difference:
    """First minus second on the same rows."""

    first: str
    second: str
    measure: str
    test: TestResult
    adjusted_p: float
    status: Status

    @property
    def effect(self) -> Estimate:
        return self.test.effect

    def __str__(self) -> str:
        words = {"better": "is better than", "worse": "is worse than", "cannot_tell": "cannot be told from"}
        if not self.effect.defined:
            return f"{self.first} cannot be told from {self.second}: {self.effect.reason}."
        p = "< 0.0001" if self.adjusted_p < 0.0001 else f"= {self.adjusted_p:.3f}"
        gap = f"{self.measure} differs by {self.effect}, {self.test.name} p {p}"
        return f"{self.first} {words[self.status]} {self.second}: {gap}."

    def to_dict(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "second": self.second,
            "measure": self.measure,
            "test": self.test.to_dict(),
            "adjusted_p": self.adjusted_p,
            "status": self.status,
        }


@dataclass(frozen=True)
class Comparison:
    """Every pair of models on one measure, on the same rows. Made by `compare`."""

    measure: str
    values: dict[str, Estimate]
    differences: tuple[Difference, ...]

    @property
    def verdict(self) -> str:
        """One sentence a pair."""
        return "\n".join(map(str, self.differences))

    def __getitem__(self, pair: tuple[str, str]) -> Difference:
        for difference in self.differences:
            if (difference.first, difference.second) == pair:
                return difference
        raise KeyError(pair)

    def __str__(self) -> str:
        from surefold.report.text import comparison_text

        return comparison_text(self)

    def to_dict(self) -> dict[str, Any]:
        return {
            "kind": "comparison",
            "measure": self.measure,
            "values": {name: estimate.to_dict() for name, estimate in self.values.items()},
            "differences": [difference.to_dict() for difference in self.differences],
            "verdict": self.verdict,
        }
