"""Which file describes which kind of result: a new kind is one file here, and its line."""

from __future__ import annotations

from importlib import import_module

from surefold.show.blocks import Document

__all__ = ["HOMES", "document_of"]

#: By the name of a class, the module here whose `document` describes it: one kind of result loads no other.
HOMES = {
    "Assessment": "assessment",
    "Comparison": "comparison",
    "Comparisons": "comparison",
    "Gate": "gate",
    "Slices": "slices",
    "SlicesOfMeasures": "slices",
    "SliceGate": "slices",
    "ComparedSlices": "slices",
    "Resampled": "runs",
    "Study": "runs",
    "Bootstrapped": "bootstrap",
    "Selection": "selection",
    "Benchmark": "benchmark",
    "ManyComparison": "benchmark",
    "ValueTable": "benchmark",
    "CostStudy": "costs",
    "StudyCurve": "curves",
    "PruningCurves": "pruning",
    "BiasVariance": "bias_variance",
}


def document_of(result: object, **asked: object) -> Document:
    """The description of a result; `asked` is what a command was asked to show beside the usual."""
    for kind in type(result).__mro__:
        if kind.__name__ in HOMES and kind.__module__.startswith("surefold."):
            found: Document = import_module(f"surefold.show.of.{HOMES[kind.__name__]}").document(result, **asked)
            return found
    raise TypeError(f"{type(result).__name__} is no result that can be shown")
