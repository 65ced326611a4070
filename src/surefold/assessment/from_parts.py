"""assess_files(): an assessment of rows that need not fit in memory, from tallies of their parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.assessment.assess import assess_files
from surefold.assessment.result import Assessment
from surefold.engines.rows import Rows
from surefold.errors import InputError
from surefold.estimates.of_table import TableEstimates
from surefold.estimates.of_tallies import TalliedScores, clipped
from surefold.findings import Finding
from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion
from surefold.tallies.partial import GROUP, ROWS, SQUARES, TRUTH, WEIGHT, Partial, Plan, plain_label
from surefold.tallies.sparse import DENSE_CLASSES, SparseCounts

if TYPE_CHECKING:
    import polars

__all__ = [
    "Counted",
    "assess_files",
    "assess_rows",
    "dropped_finding",
    "first_pass",
    "noticed_in_headers",
    "through_the_door",
]


def assess_rows(rows: Rows, **options: Any) -> Assessment:
    """The same of rows that an engine has opened."""
    return assess_files(rows, **options)


def noticed_in_headers(rows: Rows, names: Sequence[str | None]) -> list[Finding]:
    """What reading the beginnings of all files told, and which columns were matched but for spaces."""
    asked = [name for name in names if name is not None]
    for name in asked:
        rows.head.column(name)  # it takes note of a header that is spelled differently
    return [*rows.head.findings, *([] if rows.stream is None else rows.stream.header_findings(asked))]


@dataclass(frozen=True, eq=False)
class Counted:
    """Merged tallies and what the door says of the labels in them."""

    partial: Partial
    door: Predictions  # of the distinct cells, each of which stands for many rows
    findings: tuple[Finding, ...]
    said: bool  # the positive class was said, so scores were counted by it

    @property
    def cells(self) -> polars.DataFrame:
        return self.partial.cells

    def codes(self, values: polars.Series, known: NDArray[Any], names: polars.Series) -> NDArray[np.intp]:
        """The codes of values of a column, by those of the cells."""
        lookup = dict(zip(names.to_list(), known.tolist(), strict=True))
        return values.replace_strict(list(lookup), list(lookup.values())).to_numpy().astype(np.intp)

    def positive(self) -> frozenset[Label]:
        """The labels that the score tally takes as positive."""
        return frozenset({True}) if self.said else self.truly()

    def truly(self) -> frozenset[Label]:
        """The labels of the positive class as the files have them."""
        named = zip(self.cells.get_column(TRUTH).to_list(), self.door.truth.tolist(), strict=True)
        return frozenset(plain_label(value) for value, code in named if code == self.door.positive)

    def table(self, confidence: float) -> TableEstimates | None:
        p = self.door
        if p.predicted is None:
            return None
        k = len(p.labels)
        weighted = WEIGHT in self.cells.columns
        counts = self.cells.get_column(WEIGHT if weighted else ROWS).to_numpy().astype(float)
        table = SparseCounts.collect(k, p.truth, p.predicted, counts)
        squares = None
        if weighted:
            squares = SparseCounts.collect(k, p.truth, p.predicted, self.cells.get_column(SQUARES).to_numpy())
        dense = k <= DENSE_CLASSES
        confusion = Confusion(
            table.dense() if dense else table,
            p.labels,
            squares=None if squares is None else squares.dense() if dense else squares,
            declared=p.declared,
        )
        return TableEstimates(confusion, self._clusters(), confidence, self._removed())

    def _clusters(self) -> Clusters | None:
        held, p = self.partial.clusters, self.door
        if held is None or p.predicted is None:
            return None
        k = len(p.labels)
        true = self.codes(held.get_column(TRUTH), p.truth, self.cells.get_column(TRUTH))
        called = self.codes(held.get_column("call0"), p.predicted, self.cells.get_column("call0"))
        group = (held.get_column(GROUP).rank("dense") - 1).to_numpy().astype(np.int64)
        weight = held.get_column(WEIGHT if WEIGHT in held.columns else ROWS).to_numpy().astype(float)
        order = np.lexsort((called, true, group))
        facts = (group[order], true[order], called[order], weight[order])
        return Clusters(int(group.max()) + 1, k, *facts)

    def _removed(self) -> frozenset[int]:
        """Classes whose rows all have weight zero."""
        if WEIGHT not in self.cells.columns:
            return frozenset()
        weighed = np.bincount(self.door.truth, weights=self.cells.get_column(WEIGHT).to_numpy())
        return frozenset(np.flatnonzero((np.bincount(self.door.truth) > 0) & (weighed == 0)).tolist())

    def scores(self, confidence: float, column: int = 0) -> TalliedScores | None:
        if not self.partial.scores:
            return None
        counts = self.partial.scores[column]
        if counts is None:
            raise AssertionError("the door asks for a positive class where there are many classes")
        tally = clipped(counts.tally(self.positive()), counts)
        two = len(self.door.labels) == 2
        return TalliedScores(tally, None, confidence, two, counts=counts, positive=self.positive())


def first_pass(rows: Rows, plan: Plan) -> Partial:
    """Count every part; where parts hold labels of different kinds, say which files they are in."""
    try:
        found: Partial = rows.reduce(plan)
    except InputError as error:
        stream = rows.stream
        if error.code != "mixed_label_types" or stream is None:
            raise
        told = [stream.kinds_of(name) for name in (plan.roles.truth, *plan.roles.predicted)]
        problem = next((text for text in told if text), error.problem)
        cure = "write all files with one type of labels, and not some as CSV, which has text alone"
        raise InputError(error.code, problem, source=rows.source, cure=cure) from None
    return found


def through_the_door(
    partial: Partial,
    source: str,
    names: Sequence[str],
    *,
    has_labels: bool,
    threshold: float | None = None,
    pos_label: Any = None,
    column: int = 0,
    **door: Any,
) -> Counted:
    """The distinct cells as predictions: labels, kinds, the positive class and findings come from the door itself."""
    if partial.n == 0:
        dropped = partial.dropped.get("", 0)
        problem = f"every one of the {dropped:,} rows misses a value" if dropped else "there are 0 data rows"
        raise InputError("no_rows", problem, source=source, cure="check the columns")
    keys = [c for c in partial.cells.columns if c not in (ROWS, WEIGHT, SQUARES)]
    partial = replace(partial, cells=partial.cells.sort(keys))
    cells = partial.cells
    if WEIGHT in cells.columns and float(cells.get_column(WEIGHT).sum()) == 0:
        raise InputError("zero_weights", f"the weight is zero in all {partial.n:,} rows", source=source,
                         cure="give some row a weight")  # fmt: skip
    times = cells.get_column(ROWS).to_numpy().astype(np.int64)
    counts = partial.scores[column] if partial.scores else None
    call = cells.get_column(f"call{column}")
    score: Any = None
    if has_labels:
        score = None if not partial.scores else np.full(len(times), 0.5)
    else:
        score = _standing_for(call.to_numpy(), counts.low if counts else 0.0, counts.high if counts else 1.0, threshold)
    try:
        p = Predictions.of(
            cells.get_column(TRUTH),
            call if has_labels else None,
            y_score=score,
            pos_label=pos_label,
            threshold=threshold if not has_labels else None,
            names=(names[0], names[1], names[2] if len(names) > 2 else "y_score"),
            times=times,
            **door,
        )
    except InputError as error:
        cure = error.cure.removesuffix(", or pass one column of scores a class")  # which needs all rows
        raise InputError(error.code, error.problem, cure=cure, source=source) from None
    findings = [f for f in p.findings if f.code != "single_row" or partial.n == 1]
    for key, name in ((TRUTH, names[0]), (f"call{column}", names[1])):
        if key in partial.bools_as_ints:
            text = f"{name} mixes bools and numbers; True was read as 1 and False as 0."
            findings.append(Finding.of("bool_as_int", text))
    findings = [*dropped_finding(partial), *findings]
    if counts is not None:
        findings += _score_findings(counts, partial.infinite[column], partial.outside[column], names[-1])
    return Counted(partial, p, tuple(findings), pos_label is not None)


def _standing_for(called: NDArray[np.bool_], low: float, high: float, threshold: float | None) -> NDArray[np.float64]:
    """Scores that are called what the rows of each cell were called."""
    if threshold is not None:
        return np.where(called, threshold, np.nextafter(threshold, -np.inf))
    if low > -1e-6 and high < 1 + 1e-6:
        return np.where(called, 0.5, 0.0)
    farthest = low if low < 0 else high  # no probabilities: by this one the door says what they may be
    return np.full(len(called), farthest)


def dropped_finding(partial: Partial) -> list[Finding]:
    """That rows were left out, because that was asked for."""
    counts: Mapping[str, int] = partial.dropped
    dropped = counts.get("", 0)
    if not dropped:
        return []
    parts = ", ".join(f"{count:,} without column {name!r}" for name, count in counts.items() if name)
    sentence = f"{dropped:,} of {partial.n + dropped:,} rows were left out: {parts}."
    return [Finding.of("dropped_missing", sentence, dropped=dropped)]


def _score_findings(counts: Any, infinite: int, outside: int, name: str) -> list[Finding]:
    found = []
    if infinite:
        text = f"{name} is infinite in {infinite:,} rows: ranks are fine, probabilities are not."
        found.append(Finding.of("infinite_scores", text))
    if counts.a_hair_outside:
        text = f"{outside:,} values of {name} were a hair outside 0 to 1 and were set to 0 or 1."
        found.append(Finding.of("rounded_probabilities", text))
    return found
