"""How often a test rejects where nothing differs, and how that is held against a gate."""

from __future__ import annotations

from dataclasses import dataclass

from .page import share

LEVEL, MOST = 0.05, 0.06


@dataclass(frozen=True)
class Size:
    """How often a test rejected a true null in the worst of some designs."""

    test: str
    where: str
    size: float
    draws: int = 0  # none: summed over all outcomes
    flagged: bool = False

    @property
    def passed(self) -> bool:
        return self.flagged or self.size <= MOST

    def row(self) -> tuple[str, str, str]:
        text = share(self.size)
        return self.test, self.where, f"({text})" if self.flagged else text


def worst(found: list[Size]) -> list[Size]:
    """The largest size of each test, in the order they came."""
    most: dict[str, Size] = {}
    for size in found:
        if size.test not in most or size.size > most[size.test].size:
            most[size.test] = size
    return list(most.values())
