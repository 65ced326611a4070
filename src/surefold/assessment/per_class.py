"""Measures of each class against the rest, computed for all classes at once when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from surefold.errors import UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_table import TableEstimates
from surefold.inputs.labels import Label
from surefold.measures import catalogue

__all__ = ["ClassMeasures", "PerClass"]


class PerClass(Mapping[Label, "ClassMeasures"]):
    """Measures by class: `per_class["spam"]["recall"]`."""

    def __init__(
        self, estimates: Callable[[], TableEstimates], labels: tuple[Label, ...], cache: dict[str, Any]
    ) -> None:
        self._estimates, self._labels, self._cache = estimates, labels, cache

    def __getitem__(self, label: Label) -> ClassMeasures:
        return ClassMeasures(self._estimates(), self._estimates().confusion.index(label), self._cache)

    def __iter__(self) -> Iterator[Label]:
        return iter(self._labels)

    def __len__(self) -> int:
        return len(self._labels)

    def __repr__(self) -> str:
        return f"<measures of {len(self)} classes: ask for a class, then a measure>"

    def plot(self, measure: Any = None, /, ax: Any = None, **options: Any) -> Any:
        """Draw a measure of every class with its interval, worst first: F1, or the one named."""
        from surefold.show.plots import plot

        return plot(self, measure, ax, **options)

    def _repr_html_(self) -> str:
        from surefold.report.notebook import classes_html

        return classes_html(self)


class ClassMeasures(Mapping[str, Estimate]):
    """The per-class measures of one class."""

    def __init__(self, estimates: TableEstimates, c: int, cache: dict[str, Any]) -> None:
        self._estimates, self._class, self._cache = estimates, c, cache

    def __getitem__(self, name: str) -> Estimate:
        found = catalogue[name]
        if not found.is_per_class:
            hint = f"({found.name} is a measure of the whole table: ask a[{found.name!r}])"
            raise UnknownNameError("measure of one class", name, list(self), hint)
        key = f"per class: {found.name}"
        if key not in self._cache:
            self._cache[key] = self._estimates.per_class(found)
        estimate: Estimate = self._cache[key][self._class]
        return estimate

    def __iter__(self) -> Iterator[str]:
        return (m.name for m in catalogue.of_labels.values() if m.is_per_class)

    def __len__(self) -> int:
        return sum(m.is_per_class for m in catalogue.of_labels.values())
