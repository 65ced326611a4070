"""assess(): from predictions to every measure with its interval, on one screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from surefold.errors import InputError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_table import TableEstimates, measure_table, positive_index
from surefold.estimates.replicate import DRAWN_METHODS
from surefold.findings import Finding
from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions
from surefold.measures import Measure, catalogue
from surefold.measures.cost import cost_matrix
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion

if TYPE_CHECKING:
    from surefold.verdict.verdict import Verdict

__all__ = ["Assessment", "assess", "measure"]

#: What tables show unless somebody asks for more: with a positive class, and without one.
HEADLINES = ("accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1", "mcc", "kappa")
HEADLINES_MANY = ("accuracy", "balanced_accuracy", "precision_macro", "recall_macro", "f1_macro", "mcc", "kappa")
PER_CLASS_HEADLINES = ("precision", "recall", "f1")

Frame = Literal["polars", "pandas"]


def assess(
    y_true: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    costs: Any = None,
    threshold: float | None = None,
    measures: Sequence[str] | None = None,
    confidence: float = 0.95,
    random_state: int | None = None,
) -> Assessment:
    """How good is this classifier, and how sure may one be?

    `y_true` and `y_pred` are labels, one a row (lists, arrays, columns of a data frame), or `y_true` is a `Predictions`
    made before. `costs[true][predicted]` prices the errors, in the order of the labels; for two classes
    `{"fp": 1, "fn": 5}` will do. `measures` picks what tables and exports show.

    >>> a = assess(["cat", "dog", "dog", "cat", "dog", "cat"], ["cat", "dog", "cat", "cat", "dog", "cat"])
    >>> print(a["accuracy"])
    0.833 [0.359, 0.996]
    >>> print(a.per_class["dog"]["recall"])
    0.667 [0.094, 0.992]
    """
    if isinstance(y_true, Predictions):
        p = y_true
    else:
        p = Predictions.of(
            y_true,
            y_pred,
            y_score=y_score,
            labels=labels,
            pos_label=pos_label,
            sample_weight=sample_weight,
            groups=groups,
            threshold=threshold,
        )
    confusion, clusters = Confusion.of(p), Clusters.of(p)
    prices = None if costs is None else _prices(costs, confusion, p.positive)
    removed = _removed(p)
    estimates = TableEstimates(confusion, clusters, confidence, removed)
    shown = None if measures is None else tuple(catalogue[name].name for name in measures)
    return Assessment(estimates, p.n, p.positive, p.findings, prices, shown, random_state, _flavour(y_true))


def measure(
    name: str,
    y_true: Any,
    y_pred: Any = None,
    *,
    y_score: Any = None,
    pos_label: Label | None = None,
    labels: Sequence[Label] | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    confidence: float = 0.95,
    method: str = "auto",
    draws: int = 10_000,
    random_state: int | np.random.Generator | None = None,
    **options: Any,
) -> Estimate:
    """One measure, one call.

    >>> print(measure("kappa", [1, 2, 3, 1, 2, 3], [1, 2, 3, 1, 2, 2], weights="quadratic"))
    0.857 [0.041, 1.000]
    """
    p = Predictions.of(
        y_true,
        y_pred,
        y_score=y_score,
        labels=labels,
        pos_label=pos_label,
        sample_weight=sample_weight,
        groups=groups,
    )
    return measure_table(
        Confusion.of(p),
        name,
        pos_label=None if p.positive is None else p.labels[p.positive],
        confidence=confidence,
        method=method,
        draws=draws,
        random_state=random_state,
        options=options,
        clusters=Clusters.of(p),
        removed=_removed(p),
    )


@dataclass(frozen=True, eq=False)
class Assessment:
    """Every measure of one set of predictions, with intervals, findings and a verdict. Made by `assess`.

    `noticed` are the findings of the door; `findings` adds those about the rows as a whole.
    """

    estimates: TableEstimates = field(repr=False)
    n: int
    positive: int | None
    noticed: tuple[Finding, ...] = field(default=(), repr=False)
    costs: Any = field(default=None, repr=False)
    shown: tuple[str, ...] | None = field(default=None, repr=False)
    random_state: int | None = field(default=None, repr=False)
    flavour: Frame = field(default="polars", repr=False)
    _cache: dict[str, Any] = field(default_factory=dict, repr=False)

    # asking

    def __getitem__(self, name: str) -> Estimate:
        """A measure of the whole table, or of the positive class."""
        found = catalogue[name]
        if found.name not in self._cache:
            self._cache[found.name] = self.measure(found.name)
        estimate: Estimate = self._cache[found.name]
        return estimate

    def measure(
        self,
        name: str,
        *,
        method: str = "auto",
        draws: int = 10_000,
        random_state: int | np.random.Generator | None = None,
        **options: Any,
    ) -> Estimate:
        """A measure with options, or with another interval than the default one."""
        if name == "expected_cost" and self.costs is not None:
            options.setdefault("costs", self.costs)
        asked = catalogue.with_options(name, options)
        seed = self.random_state if random_state is None else random_state
        replicates = self.estimates.replicates(draws, seed) if method in DRAWN_METHODS else None
        if asked.is_per_class:
            return self.estimates.of_class(asked, self._positive(asked), method, replicates)
        return self.estimates.overall(asked, method, replicates)

    def bootstrap(
        self,
        method: str = "bca",
        *,
        draws: int = 10_000,
        random_state: int | np.random.Generator | None = None,
    ) -> dict[str, Estimate]:
        """Every measure of `overall` with a bootstrap interval, all from the same replicates."""
        if method not in DRAWN_METHODS:
            raise UnknownNameError("bootstrap interval", method, DRAWN_METHODS)
        replicates = self.estimates.replicates(draws, self.random_state if random_state is None else random_state)
        answer = {}
        for m in map(self._with_costs, self._measures()):
            if m.is_per_class:
                answer[m.name] = self.estimates.of_class(m, self._positive(m), method, replicates)
            else:
                answer[m.name] = self.estimates.overall(m, method, replicates)
        return answer

    @property
    def overall(self) -> dict[str, Estimate]:
        """Every measure there is for these predictions, in the order of the catalogue."""
        return {m.name: self[m.name] for m in self._measures()}

    @property
    def headlines(self) -> tuple[str, ...]:
        """The measures that tables show; those of one class only where a positive class is known."""
        if self.shown is not None:
            there = {m.name for m in self._measures()}
            return tuple(name for name in self.shown if name in there)
        names = HEADLINES_MANY if self.positive is None else HEADLINES
        return names if self.costs is None else (*names, "expected_cost")

    @property
    def per_class(self) -> PerClass:
        """Measures of each class against the rest: `per_class["spam"]["recall"]`."""
        return PerClass(self)

    # parts

    @property
    def confusion(self) -> Confusion:
        return self.estimates.confusion

    @property
    def by_chance(self) -> Confusion:
        """The table that random answers with the same margins would give."""
        return self.confusion.by_chance()

    @property
    def labels(self) -> tuple[Label, ...]:
        return self.confusion.labels

    @property
    def pos_label(self) -> Label | None:
        return None if self.positive is None else self.labels[self.positive]

    @property
    def confidence(self) -> float:
        return self.estimates.confidence

    # telling

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is odd about the rows or weak about the figures, each with a stable code."""
        from surefold.verdict.checks import findings_of

        return findings_of(self)

    @property
    def verdict(self) -> Verdict:
        """Against the base rate: is this better than always answering the commonest class?"""
        from surefold.verdict.verdict import against_base_rate

        return against_base_rate(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, ready for JSON."""
        from surefold.report.as_json import assessment_to_dict

        return assessment_to_dict(self)

    @classmethod
    def from_dict(cls, d: dict[str, Any]) -> Assessment:
        """The assessment that `to_dict` described, ready to be asked again."""
        from surefold.report.as_json import assessment_from_dict

        return assessment_from_dict(d)

    def to_frame(self, flavour: Frame | None = None) -> Any:
        """One row a measure: value, low, high and how they were made; polars, or pandas if that came in."""
        from surefold.report.frame import assessment_to_frame

        return assessment_to_frame(self, flavour or self.flavour)

    def __str__(self) -> str:
        from surefold.report.text import assessment_text

        return assessment_text(self)

    # inside

    def _measures(self) -> Iterator[Measure]:
        for found in catalogue.values():
            if self.shown is not None and found.name not in self.shown:
                continue
            if found.is_per_class and self.positive is None:
                continue
            if found.needs_options and self.costs is None:
                continue
            yield found

    def _with_costs(self, asked: Measure) -> Measure:
        return asked.with_options(costs=self.costs) if "costs" in asked.options else asked

    def _positive(self, asked: Measure) -> int:
        return positive_index(self.confusion, None, asked.name) if self.positive is None else self.positive


class PerClass(Mapping[Label, "ClassMeasures"]):
    """Measures by class. Each measure is computed for all classes at once, when first asked for."""

    def __init__(self, assessment: Assessment) -> None:
        self._assessment = assessment

    def __getitem__(self, label: Label) -> ClassMeasures:
        return ClassMeasures(self._assessment, self._assessment.confusion.index(label))

    def __iter__(self) -> Iterator[Label]:
        return iter(self._assessment.labels)

    def __len__(self) -> int:
        return len(self._assessment.labels)


class ClassMeasures(Mapping[str, Estimate]):
    """The per-class measures of one class."""

    def __init__(self, assessment: Assessment, c: int) -> None:
        self._assessment, self._class = assessment, c

    def __getitem__(self, name: str) -> Estimate:
        found = catalogue[name]
        if not found.is_per_class:
            hint = f"({found.name} is a measure of the whole table: ask a[{found.name!r}])"
            raise UnknownNameError("measure of one class", name, list(self), hint)
        cache, key = self._assessment._cache, f"per class: {found.name}"
        if key not in cache:
            cache[key] = self._assessment.estimates.per_class(found)
        estimate: Estimate = cache[key][self._class]
        return estimate

    def __iter__(self) -> Iterator[str]:
        return (m.name for m in catalogue.values() if m.is_per_class)

    def __len__(self) -> int:
        return sum(m.is_per_class for m in catalogue.values())


def _prices(costs: Any, confusion: Confusion, positive: int | None) -> Any:
    if not isinstance(costs, Mapping):
        return cost_matrix(costs, confusion.classes)
    if confusion.classes != 2 or positive is None or not costs.keys() <= {"fp", "fn", "tp", "tn"}:
        cure = (
            "with two classes and a positive one give any of fp, fn, tp, tn; otherwise a matrix costs[true][predicted]"
        )
        raise InputError("cost_matrix", f"costs={dict(costs)!r} does not price these classes", cure=cure)
    matrix = np.zeros((2, 2))
    negative = 1 - positive
    for name, (true, predicted) in {
        "tp": (positive, positive),
        "fn": (positive, negative),
        "fp": (negative, positive),
        "tn": (negative, negative),
    }.items():
        matrix[true, predicted] = costs.get(name, 0.0)
    return cost_matrix(matrix, 2)


def _removed(p: Predictions) -> frozenset[int]:
    """Classes whose rows all have weight zero."""
    if p.weights is None:
        return frozenset()
    rows = np.bincount(p.truth, minlength=len(p.labels))
    weighed = np.bincount(p.truth, weights=p.weights, minlength=len(p.labels))
    return frozenset(np.flatnonzero((rows > 0) & (weighed == 0)).tolist())


def _flavour(values: Any) -> Frame:
    return "pandas" if type(values).__module__.startswith("pandas") else "polars"
