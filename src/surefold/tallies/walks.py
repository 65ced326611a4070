"""Sums over all scores of a tally, each made once: their walks go over the scores together, a block at a time.

A block is decoded once for all that walk. The first sum that a tally is asked for is made alone, which is quick. Where
a second one is asked for, others are made with it: those of the measures that a table shows, and where it is not among
these, those of every measure.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from surefold.tallies.keys import BLOCK
from surefold.tallies.runs import Run
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["Sum", "Walk", "has_both_classes", "has_probabilities", "usual"]

R = TypeVar("R")
#: Gets the blocks of a tally from the lowest score up, then None; and returns what it made of them.
Walk = Generator[None, Run | None, R]


def has_both_classes(t: ScoreGroups) -> bool:
    """Whether anything about the order of the classes can be said."""
    return t.positives > 0 and t.negatives > 0


def has_probabilities(t: ScoreGroups) -> bool:
    """Whether there are rows, and every score lies from 0 to 1."""
    if not t.most_scores:
        return False
    low, high = t.ends
    return low >= 0 and high <= 1 and t.total > 0


@dataclass(frozen=True)
class Sum(Generic[R]):
    """What is summed: the name that the tally keeps it by, and the walk that makes it.

    `fits`: whether a tally has it, asked before it is made with others.

    >>> def rows(t: ScoreGroups) -> Walk[float]:
    ...     found = 0.0
    ...     while (run := (yield)) is not None:
    ...         found += run.positive.sum() + run.negative.sum()
    ...     return float(found)
    >>> import numpy as np
    >>> Sum("rows", rows, has_both_classes).of(ScoreGroups.of(np.array([0.9, 0.4, 0.4]), np.array([True, True, False])))
    3.0
    """

    name: Hashable
    walk: Callable[[ScoreGroups], Walk[R]]
    fits: Callable[[ScoreGroups], bool]

    def of(self, t: ScoreGroups) -> R:
        """The sum of a tally, which keeps it."""
        if self.name not in t.ledger:
            together: dict[Hashable, Sum[Any]] = {self.name: self}
            if t.ledger and t.most_scores > BLOCK:
                company = _SHOWN if self.name in _SHOWN else _SHOWN | _OTHERS
                together |= {s.name: s for s in company.values() if s.name not in t.ledger and s.fits(t)}
            _made(t, together)
        kept: R = t.ledger[self.name]
        return kept


_SHOWN: dict[Hashable, Sum[Any]] = {}
_OTHERS: dict[Hashable, Sum[Any]] = {}


def usual(wanted: Sum[R], *, shown: bool = False) -> Sum[R]:
    """Have a sum made with others; `shown`: a table shows what is made of it."""
    (_SHOWN if shown else _OTHERS)[wanted.name] = wanted
    return wanted


def _made(t: ScoreGroups, sums: dict[Hashable, Sum[Any]]) -> None:
    """Walk the scores once for all of these, and keep them."""
    walks = {name: wanted.walk(t) for name, wanted in sums.items()}
    for walk in walks.values():
        next(walk)
    for run in t.runs():
        for walk in walks.values():
            walk.send(run)
    for name, walk in walks.items():
        try:
            walk.send(None)
        except StopIteration as end:
            t.ledger[name] = end.value
