"""Wins, ties and losses of every model against every other over the data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.benchmarking.table import ValueTable
from surefold.errors import InputError, RunError, UnknownNameError
from surefold.resampling.study import Study

__all__ = ["TiesBy", "WinTieLoss", "win_tie_loss"]

Counts = NDArray[np.int64]
TiesBy = Literal["equal", "rope"]


@dataclass(frozen=True, eq=False)
class WinTieLoss:
    """`wins[i, j]` counts the data sets on which model i beats model j, `ties` those on which neither does.

    `clear` counts the wins that the corrected t over the folds of that data set calls better, Holm's method applied
    to its pairs; it rests on the `tested` data sets that have folds, and is None where none has.
    """

    models: tuple[str, ...]
    wins: Counts
    ties: Counts
    n: int
    ties_by: TiesBy = "equal"
    rope: float = 0.0
    clear: Counts | None = None
    tested: int = 0

    @property
    def losses(self) -> Counts:
        """losses[i, j]: on how many data sets model i lost against model j."""
        return self.wins.T

    def __getitem__(self, pair: tuple[str, str]) -> tuple[int, int, int]:
        """Wins, ties and losses of the first against the second."""
        for name in pair:
            if name not in self.models:
                raise UnknownNameError("model", name, self.models)
        i, j = (self.models.index(name) for name in pair)
        return int(self.wins[i, j]), int(self.ties[i, j]), int(self.wins[j, i])

    def totals(self, model: str) -> tuple[int, int, int]:
        """Over all others."""
        i = self.models.index(model)
        return int(self.wins[i].sum()), int(self.ties[i].sum()) - self.n, int(self.wins[:, i].sum())

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain values."""
        return {
            "models": list(self.models),
            "wins": self.wins.tolist(),
            "ties": self.ties.tolist(),
            "losses": self.losses.tolist(),
            "datasets": self.n,
            "ties_by": self.ties_by,
            "rope": self.rope if self.ties_by == "rope" else None,
            "clear_wins": None if self.clear is None else self.clear.tolist(),
            "datasets_with_folds": self.tested,
        }


def win_tie_loss(
    table: ValueTable,
    ties: TiesBy,
    rope: float,
    studies: Mapping[str, Study],
    confidence: float,
    options: Mapping[str, Any],
) -> WinTieLoss:
    """Equal values are ties, or with `ties="rope"` all that differ by no more than the rope."""
    if ties == "equal":
        ranks = table.ranks
        beats = ranks[:, :, None] < ranks[:, None, :]
    else:
        gap = table.turned[:, :, None] - table.turned[:, None, :]
        beats = gap > rope * (1 + 1e-12) + 1e-15
    wins = beats.sum(axis=0)
    clear, tested = _clear(table, studies, confidence, options)
    return WinTieLoss(
        table.models, wins, len(table.values) - wins - wins.T, len(table.values), ties, rope, clear, tested
    )


def _clear(
    table: ValueTable, studies: Mapping[str, Study], confidence: float, options: Mapping[str, Any]
) -> tuple[Counts | None, int]:
    """Wins by the test over the folds of each data set; data sets whose plan or values allow none are not counted."""
    place = {name: i for i, name in enumerate(table.models)}
    counts, tested = np.zeros((len(place), len(place)), dtype=np.int64), 0
    for study in studies.values():
        try:
            found = study.compare(table.measure, confidence=confidence, **options)
        except (InputError, RunError):
            continue
        tested += 1
        for d in found.differences:
            if d.status in ("better", "worse"):
                first, second = (d.first, d.second) if d.status == "better" else (d.second, d.first)
                counts[place[first], place[second]] += 1
    return (counts if tested else None), tested
