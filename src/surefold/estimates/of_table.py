"""From a table to estimates: values, intervals, reasons and flags."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefold.errors import InputError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.estimates.intervals import TABLE_METHODS, Intervals, table_intervals
from surefold.estimates.quantiles import checked_confidence
from surefold.estimates.replicate import DRAWN_METHODS, Replicates
from surefold.estimates.sample import Sample
from surefold.estimates.share_intervals import SHARE_METHODS, few, misleads
from surefold.inputs.labels import Label
from surefold.inputs.positive import rarest
from surefold.measures import catalogue
from surefold.measures.catalogue import of_all_classes
from surefold.measures.measure import Measure
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion

__all__ = ["TableEstimates", "measure_table", "positive_index"]

RARE = 10
FEW_CLUSTERS = 10
#: Where kinds of error are weighed differently, fewer wrong rows than this show too few of the kinds.
FEW_WRONG = 20


def positive_index(confusion: Confusion, pos_label: Label | None, name: str = "this measure") -> int:
    """Which class a two-class measure is about: the one said, or the larger of 0/1, -1/+1, False/True."""
    if pos_label is not None:
        return confusion.index(pos_label)
    labels = set(confusion.labels)
    if len(labels) == 2 and not any(isinstance(label, str) for label in labels) and labels in ({0, 1}, {-1, 1}):
        return confusion.labels.index(max(confusion.labels, key=int))
    rows = confusion.margins().actual.tolist()
    counts = ", ".join(f"{label!r} {n:g}" for label, n in zip(confusion.labels[:6], rows, strict=False))
    more = ", …" if len(confusion.labels) > 6 else ""
    cure = f"say which class is the positive one, e.g. pos_label={confusion.labels[rarest(rows)]!r}"
    if len(labels) > 2:
        cure += f", or ask for {of_all_classes(name)}"
    problem = f"{name} is about one class, and which one was not said (rows: {counts}{more})"
    raise InputError("positive_class_unknown", problem, cure=cure)


@dataclass(frozen=True, eq=False)
class TableEstimates:
    """Every measure of one table on demand.

    removed: classes whose rows all have weight zero.
    noted:   flags of every figure, for what is weak about the labels themselves.
    """

    confusion: Confusion
    clusters: Clusters | None = None
    confidence: float = 0.95
    removed: frozenset[int] = frozenset()
    noted: tuple[str, ...] = ()
    sample: Sample = field(init=False)
    _behind: dict[int | None, float] = field(default_factory=dict, init=False, repr=False)
    _known: dict[Hashable, Intervals] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        checked_confidence(self.confidence)
        object.__setattr__(self, "sample", Sample.of(self.confusion, self.clusters))

    def overall(self, measure: Measure, method: str = "auto", replicates: Replicates | None = None) -> Estimate:
        """A measure of the whole table."""
        found = self._intervals(measure, method, replicates)
        return self.estimate_at(measure, found, (), None)

    def per_class(
        self, measure: Measure, method: str = "auto", replicates: Replicates | None = None
    ) -> tuple[Estimate, ...]:
        """A measure of each class against the rest."""
        found = self._intervals(measure, method, replicates)
        return tuple(self.estimate_at(measure, found, (c,), c) for c in range(self.confusion.classes))

    def of_class(
        self, measure: Measure, c: int, method: str = "auto", replicates: Replicates | None = None
    ) -> Estimate:
        """A measure of one class against the rest."""
        return self.estimate_at(measure, self._intervals(measure, method, replicates), (c,), c)

    def replicates(self, draws: int, random_state: int | np.random.Generator | None) -> Replicates:
        """Bootstrap tables that every measure can share."""
        return Replicates.draw(self.sample, draws, random_state)

    def _intervals(self, measure: Measure, method: str, replicates: Replicates | None) -> Intervals:
        if method in DRAWN_METHODS:
            if replicates is None:
                raise AssertionError("bootstrap methods need replicates")
            return replicates.intervals(measure, self.sample, self.confidence, method)
        if method not in ("auto", "exact", *SHARE_METHODS, *TABLE_METHODS):
            raise UnknownNameError("interval method", method, (*SHARE_METHODS, *TABLE_METHODS, *DRAWN_METHODS))
        # Of the whole, of one class and of every class: the same intervals, made once.
        key = (measure.name, *((name, repr(value)) for name, value in measure.settings.items()), method)
        if key not in self._known:
            self._known[key] = table_intervals(measure, self.sample, self.confidence, method)
        return self._known[key]

    def estimate_at(self, measure: Measure, found: Intervals, at: tuple[int, ...], c: int | None) -> Estimate:
        """The value and interval that stand at a place of arrays, with what is to be said of this table."""
        value, n, method = float(found.value[at]), float(found.n[at]), str(found.method[at])
        undefined = bool(np.isnan(value))
        return Estimate(
            value,
            np.nan if undefined else float(found.low[at]),
            np.nan if undefined else float(found.high[at]),
            float(found.se[at]) if np.isfinite(value) else np.nan,
            self.confidence,
            method,
            n,
            () if undefined else self._flags(measure, value, found, at, c),
            measure.name,
            self._reason(measure, c) if undefined else "",
            pessimistic=np.nan if undefined else float(found.pessimistic[at]),
        )

    def _flags(
        self, measure: Measure, value: float, found: Intervals, at: tuple[int, ...], c: int | None
    ) -> tuple[str, ...]:
        flags, n, method = list(self.noted), float(found.n[at]), str(found.method[at])
        least, greatest = found.limits
        slack = 1e-12 * (greatest - least) if np.isfinite(greatest - least) else 0.0
        if value <= least + slack or value >= greatest - slack:
            flags.append("degenerate")
        if measure.is_share:
            share = value if measure.of_share is None else value / (2 - value)
            is_few = bool(few(share * n, n))
            if method == "clopper_pearson" and is_few:
                flags.append("few_errors")
            if misleads(method, is_few):
                flags.append("known_to_mislead")
        else:
            if self._is_rare(c, measure.given == "predicted"):
                flags.append("rare_class")
            if measure.given == "true" and self._is_rare(c, True):
                flags.append("rarely_called")
        if self.confusion.is_weighted and self._few_weighted(measure, c):
            flags.append("few_weighted_errors")
        if measure.weigh is not None and self._wrong < FEW_WRONG - 1e-9:
            flags.append("few_errors")
        if method in ("delta", *DRAWN_METHODS):
            flags.append("known_to_mislead")
        if found.undefined_share is not None and found.undefined_share[at] > 0:
            flags.append("undefined_replicates")
        if self.clusters is not None and self._groups_behind(self.clusters, c, found.groups[at]) < FEW_CLUSTERS - 1e-9:
            flags.append("few_clusters")
        return tuple(flags)

    def _groups_behind(self, clusters: Clusters, c: int | None, worth: float) -> float:
        """The groups that the measure rests on, those that hold an error, or those that hold the class: the fewest."""
        if c not in self._behind:
            wrong = clusters.true != clusters.predicted
            if c is not None:
                of_class = (clusters.true == c) | (clusters.predicted == c)
                wrong &= of_class
            holding = [clusters.groups_with(wrong)] + ([] if c is None else [clusters.groups_with(of_class)])
            self._behind[c] = min(clusters.effective_groups, *holding)
        return min(self._behind[c], worth)

    @property
    def _wrong(self) -> float:
        margins = self.sample.margins()
        return float(margins.total - margins.correct)

    def _few_weighted(self, measure: Measure, c: int | None) -> bool:
        """Whether errors or successes are worth fewer than ten rows once their weights are looked at alone."""
        sample = self.sample
        whole, squared = sample.margins(), sample.squared_margins
        if not measure.is_share:
            top, bottom, top2, bottom2 = whole.correct, whole.total, squared.correct, squared.total
        elif c is None:
            top, bottom, top2, bottom2 = *measure.shares(whole), *measure.shares(squared)
        else:
            parts = (*measure.shares(sample.one_vs_rest), *measure.shares(sample.squared_one_vs_rest))
            top, bottom, top2, bottom2 = (part[c] for part in parts)
        if np.isclose(top, top2) and np.isclose(bottom, bottom2):
            return False  # weights that do not vary here
        worth = [float(x * x / x2) if x2 > 0 else 0.0 for x, x2 in ((top, top2), (bottom - top, bottom2 - top2))]
        return min(worth) < RARE - 1e-9

    def _is_rare(self, c: int | None, called: bool) -> bool:
        """Whether class c or the rest, or any class, has fewer than ten rows, or was `called` for fewer than ten."""
        rows = self.sample.called if called else self.sample.rows
        if c is None:
            return bool((rows[self.sample.averaged] < RARE - 1e-9).any())
        return min(float(rows[c]), float(rows.sum() - rows[c])) < RARE - 1e-9

    def _reason(self, measure: Measure, c: int | None) -> str:
        """Why there is no value, in words that name the class."""
        labels, rows = self.confusion.labels, self.sample.margins().actual
        if measure.needs_options:
            missing = [option for option, value in measure.settings.items() if value is None]
            return f"{', '.join(missing)} was not given"
        for removed in sorted(self.removed):
            if c in (None, removed) or (rows > 0).sum() == 1:
                return f"the weights remove class {labels[removed]!r}"
        present = np.flatnonzero(rows > 0)
        if c is None and measure.average_of is not None:
            each = measure.average_of(self.sample.one_vs_rest)
            culprit = int(np.flatnonzero(np.isnan(each) & self.sample.averaged)[0])
            why = measure.average_of.undefined.format(label=repr(labels[culprit]))
            return f"{measure.average_of.name} of class {labels[culprit]!r} is undefined: {why}"
        if len(present) == 1 and (c is None or c == present[0]):
            return f"the truth holds one class only, {labels[present[0]]!r}"
        return measure.undefined.format(label="" if c is None else repr(labels[c]))


def measure_table(
    confusion: Confusion,
    name: str,
    *,
    pos_label: Label | None = None,
    confidence: float = 0.95,
    method: str = "auto",
    draws: int = 10_000,
    random_state: int | np.random.Generator | None = None,
    options: Mapping[str, Any] | None = None,
    clusters: Clusters | None = None,
    removed: frozenset[int] = frozenset(),
) -> Estimate:
    """One measure of one table."""
    measure = catalogue.with_options(name, options or {})
    if measure.needs_options:
        raise measure.lacking
    estimates = TableEstimates(confusion, clusters, confidence, removed)
    replicates = estimates.replicates(draws, random_state) if method in DRAWN_METHODS else None
    if measure.is_per_class:
        return estimates.of_class(measure, positive_index(confusion, pos_label, measure.name), method, replicates)
    return estimates.overall(measure, method, replicates)
