"""Measures of scores: a formula on the score tally plus its facts, as for labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from surefold.docstrings import first_line
from surefold.measures.measure import Better, Measure, Range, ScoreReads

__all__ = ["SCORE_REGISTERED", "ScoreMeasure", "score_measure"]

#: Every measure of scores, in the order of its files.
SCORE_REGISTERED: dict[str, ScoreMeasure] = {}


@dataclass(frozen=True)
class ScoreMeasure(Measure):
    """A measure that reads scores.

    reads: "ranking" takes any scores of two classes (a `ScoreGroups`), "probabilities" scores that are P(positive),
    from 0 to 1, "matrix" one column of probabilities a class (a `ScoreMatrix`).
    """

    def __call__(self, tally: Any) -> float:  # type: ignore[override]
        return float(self.formula(tally, **self.settings))

    @property
    def needs_options(self) -> bool:
        return False


def score_measure(
    *,
    reads: ScoreReads,
    range: Range,
    better: Better,
    text: str,
    undefined: str,
    source: str,
    aliases: tuple[str, ...] = (),
    options: Mapping[str, Any] | None = None,
) -> Callable[[Callable[..., float]], ScoreMeasure]:
    """Register a formula as a measure of scores; its name and meaning are the function's name and docstring."""

    def register(formula: Callable[..., float]) -> ScoreMeasure:
        facts = (reads, range, better, text, undefined, source, first_line(formula), aliases)
        new = ScoreMeasure(formula.__name__, formula, *facts, options=options or {}, settings=options or {})
        if new.name in SCORE_REGISTERED:
            raise AssertionError(f"two measures are called {new.name}")
        SCORE_REGISTERED[new.name] = new
        return new

    return register
