"""What a result gives a page: what is said at the top, sections of its own, and assessments of its models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

from surefold.assessment import Assessment
from surefold.estimates.estimate import Estimate
from surefold.report.sections.section import Section
from surefold.report.sections.told import Told

__all__ = ["Contents", "Part", "contents_of", "own_section"]

#: By the name of a class, the module here that knows it: a page about one kind of result loads no other.
HOMES = {
    "surefold.comparison.gate_result.Gate": "gated",
    "surefold.report.sections.gated.GateOfModels": "gated",
    "surefold.comparison.result.Comparison": "compared",
    "surefold.comparison.result.Comparisons": "compared",
    "surefold.comparison.slices.result.Slices": "sliced",
    "surefold.comparison.slices.result.SlicesOfMeasures": "sliced",
    "surefold.comparison.slices.gate.SliceGate": "sliced",
    "surefold.resampling.resampled.Resampled": "resampled",
    "surefold.resampling.study.Study": "resampled",
    "surefold.resampling.bootstrapped.Bootstrapped": "bootstrapped",
    "surefold.selection.result.Selection": "selected",
    "surefold.benchmarking.comparison.ManyComparison": "ranked",
    "surefold.benchmarking.result.Benchmark": "ranked",
    "surefold.studies.bias_variance.BiasVariance": "bias_variance",
    "surefold.studies.study_curve.StudyCurve": "study_curves",
    "surefold.costs.study.CostStudy": "costs",
}


@dataclass(frozen=True, eq=False)
class Part:
    """A model of the result: what is said of it, and its assessment, or why there is none.

    `curves` says what its curves are of, where that is not what its figures are of; `python` is a call that makes the
    assessment again.
    """

    told: Told | None
    a: Assessment | None
    why: str = ""
    rows: str = "All rows"
    curves: str = ""
    python: str = "a"


@dataclass(frozen=True, eq=False)
class Contents:
    """`told` is of the result as a whole; without it the page opens with its first model.

    `make_parts` is called when the page is written: a notebook shows `brief` instead of what is said of models.
    """

    told: Told | None
    sections: tuple[Section, ...] = ()
    make_parts: Callable[[], Mapping[str, Part]] = field(default=dict, repr=False)
    brief: Told | None = None
    title: str = ""
    measures: tuple[str, ...] = ()
    shown: tuple[Estimate, ...] = field(default=(), repr=False)
    notes: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    confidence: float = 0.95

    @cached_property
    def parts(self) -> Mapping[str, Part]:
        return self.make_parts()

    @property
    def codes(self) -> list[str]:
        """Codes of findings and flags that the sections show."""
        told = [] if self.told is None else self.told.codes
        return [*told, *(flag for e in self.shown for flag in e.flags)]


def contents_of(result: Any) -> Contents | None:
    """What the result gives a page; None of what is no result of ours."""
    for kind in type(result).__mro__:
        home = HOMES.get(f"{kind.__module__}.{kind.__name__}")
        if home is not None:
            found: Contents = import_module(f"surefold.report.sections.{home}").contents(result)
            return found
    return None


def own_section(
    id: str,
    title: str,
    *,
    notes: Sequence[str] = (),
    charts: Sequence[Any] = (),
    tables: Sequence[tuple[str, Any]] = (),
    asides: Sequence[str] = (),
) -> Section:
    """Words, charts, tables by caption, and words about them."""
    data = {
        "notes": [note for note in notes if note],
        "charts": list(charts),
        "tables": [(f"{id}-{i}", caption, table) for i, (caption, table) in enumerate(tables)],
        "asides": [aside for aside in asides if aside],
    }
    return Section(id, title, "own.html.j2", "below", data)
