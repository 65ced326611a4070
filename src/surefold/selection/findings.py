"""What is odd or weak about a selection."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from surefold.counting import counted
from surefold.findings import Finding
from surefold.resampling.resampled import Resampled
from surefold.selection.candidates import Candidate, Family
from surefold.selection.levels import Level
from surefold.selection.pick import Picked
from surefold.selection.result import Figures
from surefold.selection.search import Searched
from surefold.selection.splits import Layout

__all__ = ["selection_findings"]

#: Which class is the positive one does not matter to a measure that treats them alike.
_ABOUT_POSITIVE = ("positive_class_assumed", "positive_class_not_said")
MOST_FAILED = 3


def selection_findings(
    level: Level,
    layout: Layout,
    families: Mapping[str, Family],
    candidates: Sequence[Candidate],
    final: Searched,
    picked: Picked,
    figures: Figures,
    held_out: Resampled,
    needs_positive: bool,
) -> tuple[Finding, ...]:
    """About data and fits first, then about the choice."""
    about_fits = [*final.findings, *(() if layout.tests is None else held_out.findings)]
    kept = {str(f): f for f in about_fits if needs_positive or f.code not in _ABOUT_POSITIVE}
    about_choice = _about_choice(level, layout, families, candidates, final, picked, figures)
    return (*kept.values(), *about_choice)


def _about_choice(
    level: Level,
    layout: Layout,
    families: Mapping[str, Family],
    candidates: Sequence[Candidate],
    final: Searched,
    picked: Picked,
    figures: Figures,
) -> Iterator[Finding]:
    unused = [name for name, family in families.items() if family.grids]
    if unused and not level.tuned:
        text = f"{level.title} leaves parameters as they are: the {'grid' if len(unused) == 1 else 'grids'} of "
        yield Finding.of(
            "grid_not_used", f"{text}{', '.join(unused)} {'was' if len(unused) == 1 else 'were'} not used."
        )
    if layout.final.overlaps:
        yield Finding.of("optimistic", "Rows that were trained on were tested: the figure flatters the model.")
    m = len(candidates)
    if m > 1:
        better = (
            "; the estimate comes from rows that chose nothing"
            if layout.tests is not None
            else ("; nested cross-validation or fresh rows give one that is not")
        )
        claimed = f"The claimed {figures.claimed.name} {figures.claimed}"
        text = f"{claimed} is that of a choice among {m:,} candidates, so it flatters"
        yield Finding.of("selected_from_m", f"{text}{better}.", m=m)
    yield from _failed(final)
    if final.dropped:
        text = (
            f"The race dropped {len(final.dropped):,} of {m:,} candidates: their figures are over the folds they ran."
        )
        yield Finding.of("raced", text, dropped=len(final.dropped), candidates=m)
    yield from _at_the_edge(families, picked) if level.tuned else ()


def _failed(final: Searched) -> Iterator[Finding]:
    told = list(final.unusable.items())
    for name, why in told[:MOST_FAILED]:
        yield Finding.of("candidate_failed", f"{name} could not be chosen: {why}.", candidate=name)
    if len(told) > MOST_FAILED:
        left = [name for name, _ in told[MOST_FAILED:]]
        yield Finding.of(
            "candidate_failed", f"{counted(len(left), 'more candidate')} could not be chosen.", candidates=left
        )


def _at_the_edge(families: Mapping[str, Family], picked: Picked) -> Iterator[Finding]:
    """A chosen number that is the least or the greatest of three or more: the best may lie beyond."""
    chosen = picked.chosen.candidate
    for grid in families[chosen.family].grids:
        for key, values in grid.items():
            numbers = _numbers(values)
            value = chosen.params.get(key)
            if len(numbers) < 3 or isinstance(value, bool) or not isinstance(value, (int, float)):
                continue
            if None in values and value == max(numbers):
                continue  # None stands for no limit, which is beyond the greatest
            if value in (min(numbers), max(numbers)):
                end = "least" if value == min(numbers) else "greatest"
                text = f"{chosen.name}: {key}={value!r} is the {end} value searched; better ones may lie beyond."
                yield Finding.of("grid_edge", text, parameter=key, value=value)


def _numbers(values: Any) -> list[float]:
    if not isinstance(values, list):
        return []
    return sorted({v for v in values if isinstance(v, (int, float)) and not isinstance(v, bool)})
