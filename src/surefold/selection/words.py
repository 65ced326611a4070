"""A selection in words: which rows do what, how far the figure can be trusted, which way it errs, what it costs."""

from __future__ import annotations

from dataclasses import dataclass

from surefold.counting import counted
from surefold.selection.levels import Level
from surefold.selection.splits import Layout

__all__ = ["SelectionPlan", "words_of"]


def words_of(level: Level, layout: Layout, candidates: int) -> tuple[str, ...]:
    """Three sentences: the rows, the reliability, the direction."""
    final, tests = layout.final, layout.tests
    seen = int(final.train_sizes[0])
    sizes = {
        "n": f"{final.n:,}",
        "train": f"{seen if len(final) == 1 else final.n:,}",
        "validation": f"{int(final.test_sizes[0]):,}",
        "test": f"{int(final.test_sizes[0]):,}",
        "folds": _folds(final.folds, final.repeats),
        "outer": "",
    }
    uses, reliability = level.uses, level.reliability
    if tests is not None:
        sizes["test"] = f"{int(tests.test_sizes[0]):,}"
        sizes["outer"] = _folds(tests.folds, tests.repeats)
        if len(final) > 1 and not layout.is_nested:
            sizes["train"] = f"{int(tests.train_sizes[0]):,}"
    errs, why = level.errs_of(candidates), level.why_of(candidates)
    if level.name == "cross_validation" and tests is None:
        uses = "All {n} rows choose among the candidates, held out in turn in {folds}; no row is kept for a test."
        reliability = "Fair: the figure is corrected for the choice by drawing the rows again."
    rows = uses.format(**sizes)
    return (f"Rows: {rows}", f"Reliability: {reliability.format(**sizes)}", f"Direction: {_direction(errs, why)}")


def _folds(folds: int, repeats: int) -> str:
    return f"{folds} folds" if repeats == 1 else f"{repeats} x {folds} folds"


def _direction(errs: str, why: str) -> str:
    return f"the figure is likely {errs}, because {why}."


@dataclass(frozen=True, eq=False)
class SelectionPlan:
    """What a selection will do, before it does it: candidates, rows, and how many fits it costs."""

    level: Level
    layout: Layout
    candidates: tuple[str, ...]
    measure: str
    race: bool
    refit: bool

    @property
    def fits(self) -> int:
        """Fits of the whole selection, the last one on all rows with them; a race needs no more than these."""
        return self.layout.fits(len(self.candidates)) + int(self.refit)

    @property
    def words(self) -> tuple[str, ...]:
        """The plan in sentences."""
        return words_of(self.level, self.layout, len(self.candidates))

    @property
    def line(self) -> str:
        """One line for somebody who is about to wait."""
        up_to = "at most " if self.race else ""
        many = counted(len(self.candidates), "candidate")
        return f"{self.level.title}: {many} by {self.measure}, {up_to}{counted(self.fits, 'fit')}"

    def __str__(self) -> str:
        return "\n".join([self.line, *self.words])

    __repr__ = __str__
