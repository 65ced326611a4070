"""compare_files(): models compared on rows that need not fit in memory, from tallies of their parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, overload

import numpy as np

from surefold.assessment.from_parts import Counted, through_the_door
from surefold.comparison.compare import ADJUSTMENTS
from surefold.comparison.judging import PairTest, checked_margin, judged, pair_test
from surefold.comparison.pair_moments import PairMoments
from surefold.comparison.paired_cases import mid_p
from surefold.comparison.result import Comparison, Comparisons
from surefold.comparison.tallied_labels import JointCells, tallied_label_pairs
from surefold.comparison.tallied_scores import TWO_PASSES, TwoPasses, tallied_score_pairs
from surefold.comparison.winner import winner_of
from surefold.engines.rows import Rows, most_groups, open_rows
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_table import measure_table, positive_index
from surefold.estimates.of_tallies import TalliedScores, group_job, groupings_of
from surefold.estimates.quantiles import checked_confidence
from surefold.findings import Finding
from surefold.inputs.columns import find_columns
from surefold.inputs.labels import Label
from surefold.inputs.parts import Roles, as_said
from surefold.measures import catalogue
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.partial import GROUP, ROWS, SQUARES, TRUTH, WEIGHT, Partial, Plan

__all__ = ["FileModels", "compare_files", "compare_rows", "count_models"]

METHODS = ("auto", "one_row", "delta")
Kind = Literal["labels", "scores"]


@overload
def compare_files(
    source: Any, models: Sequence[str] | Mapping[str, str], *, measure: str | None = None, **options: Any
) -> Comparison: ...
@overload
def compare_files(
    source: Any, models: Sequence[str] | Mapping[str, str], *, measure: Sequence[str], **options: Any
) -> Comparisons: ...
def compare_files(
    source: Any,
    models: Sequence[str] | Mapping[str, str],
    *,
    truth: str | None = None,
    kind: Kind | None = None,
    measure: str | Sequence[str] | None = None,
    engine: str | None = None,
    cluster: Any = None,
    memory: str | float | None = None,
    progress: bool | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    comment: str | None = None,
    decimal: str = ".",
    **options: Any,
) -> Comparison | Comparisons:
    """Compare models whose labels or scores are columns of files, or of a Dask or Spark frame, of any number of rows.

    `models` are columns, or {name: column}. Without `measure` labels are compared by accuracy and scores by the area
    under the ROC curve; `kind` says which they are where a measure does not. Labels need one pass over the rows,
    scores two. Other options are those of `compare` (control, margin, groups, weights, labels, pos_label, threshold,
    confidence, adjust, method "auto", "one_row" or "delta").
    """
    form = {"delimiter": delimiter, "encoding": encoding, "comment": comment, "decimal": decimal}
    with closing(open_rows(source, engine=engine, cluster=cluster, memory=memory, progress=progress, **form)) as rows:
        return compare_rows(rows, models, truth=truth, kind=kind, measure=measure, memory=memory, **options)


def compare_rows(
    rows: Rows,
    models: Sequence[str] | Mapping[str, str],
    *,
    truth: str | None = None,
    kind: Kind | None = None,
    measure: str | Sequence[str] | None = None,
    control: str | None = None,
    margin: float | None = None,
    confidence: float = 0.95,
    adjust: str = "holm",
    method: str = "auto",
    threshold: float | None = None,
    memory: str | float | None = None,
    **door: Any,
) -> Comparison | Comparisons:
    """The same of rows that an engine has opened."""
    confidence, margin = checked_confidence(confidence), checked_margin(margin)
    if method not in METHODS:
        raise UnknownNameError("method for rows that are not held", method, METHODS)
    if adjust not in ADJUSTMENTS:
        raise UnknownNameError("adjustment", adjust, ADJUSTMENTS)
    asked = [measure] if isinstance(measure, str) else list(measure or ())
    if not asked:
        asked = ["roc_auc" if kind == "scores" and threshold is None else "accuracy"]
    of_scores = {isinstance(catalogue[name], ScoreMeasure) for name in asked}
    if len(of_scores) > 1:
        cure = "ask for measures of scores and of labels one after the other"
        raise InputError("bad_option", "some measures are of labels and some of scores", cure=cure)
    as_scores = of_scores == {True}
    if as_scores:
        threshold = None
    found = count_models(
        rows, models, truth=truth, as_scores=as_scores or threshold is not None, threshold=threshold, memory=memory,
        confidence=confidence, **door,
    )  # fmt: skip
    if control is not None and control not in found.names:
        raise UnknownNameError("model", control, found.names)
    each = {}
    for name in asked:
        chosen = catalogue[name]
        if chosen.needs_options or chosen.better == "neither":
            raise InputError("bad_option", f"models cannot be compared by {chosen.name} here", cure="choose another")
        each[chosen.name] = found.compared(chosen, control, margin, confidence, adjust, added=method != "delta")
    return next(iter(each.values())) if measure is None or isinstance(measure, str) else Comparisons(each)


@dataclass(frozen=True, eq=False)
class FileModels:
    """Several models' merged tallies: of their labels together, or of the scores of each."""

    names: tuple[str, ...]
    n: int
    counted: tuple[Counted, ...]
    cells: JointCells | None
    passes: TwoPasses | None
    pos_label: Label | None
    findings: tuple[Finding, ...]

    def compared(
        self,
        chosen: Measure,
        control: str | None,
        margin: float | None,
        confidence: float,
        adjust: str,
        *,
        added: bool = True,
    ) -> Comparison:
        """Every pair, or each model against a control."""
        names = self.names
        pairs = list(combinations(range(len(names)), 2))
        if control is not None:
            pairs = [(i, names.index(control)) for i in range(len(names)) if names[i] != control]
        at = self._values(chosen)
        values = {name: at(name, confidence) for name in names}
        tests = self._tests(chosen, pairs, confidence, added)
        lower = chosen.better == "lower"
        differences = judged(
            chosen.name, tests, lower_is_better=lower, margin=margin, confidence=confidence, rows=self.n,
            adjust=ADJUSTMENTS[adjust],
        )  # fmt: skip
        return Comparison(
            chosen.name, values, differences, better=chosen.better, control=control, margin=margin,
            confidence=confidence, winner=winner_of(values, lower, confidence, at), adjust=adjust,
            findings=self.findings,
        )  # fmt: skip

    def _tests(self, chosen: Measure, pairs: list[tuple[int, int]], confidence: float, added: bool) -> list[PairTest]:
        moments: PairMoments
        cells = self.cells
        if isinstance(chosen, ScoreMeasure):
            if chosen.name not in TWO_PASSES or self.passes is None:
                cure = f"compare by one of {', '.join(TWO_PASSES)}, or by a measure of labels"
                raise InputError("bad_option", f"{chosen.name} cannot be compared over parts of the rows", cure=cure)
            moments = tallied_score_pairs(chosen.name, self.passes, added=added)
        else:
            if cells is None:
                raise AssertionError("differences of labels need labels")
            against = cells.one_against_rest(self._positive(chosen)) if chosen.is_per_class else cells
            moments = tallied_label_pairs(chosen, against, added=added)
        tests = [pair_test(chosen.name, moments, self.names, pair, confidence) for pair in pairs]
        if not added:
            return [(n, replace(t, flags=(*t.flags, "known_to_mislead")), s, df) for n, t, s, df in tests]
        if (
            chosen.name in ("accuracy", "error_rate")
            and cells is not None
            and not cells.weighted
            and cells.group is None
        ):
            first, second = ([cells.only_right(*pair) for pair in some] for some in (pairs, [p[::-1] for p in pairs]))
            return [
                (n, replace(t, name="McNemar mid-p", p_value=p), s, df)
                for (n, t, s, df), p in zip(tests, mid_p(np.array(first), np.array(second)).tolist(), strict=True)
            ]
        return tests

    def _positive(self, chosen: Measure) -> int:
        first = self.counted[0].door
        if first.positive is not None:
            return first.positive
        if self.cells is None:
            raise AssertionError("labels were counted")
        return positive_index(self.cells.table(0), self.pos_label, chosen.name)

    def _values(self, chosen: Measure) -> Callable[[str, float], Estimate]:
        """Each model's value at any confidence."""

        def of_scores(name: str, level: float) -> Estimate:
            if self.passes is None:
                raise AssertionError("scores were counted")
            return replace(self.passes.models[self.names.index(name)], confidence=level).measure(chosen.name)

        def of_labels(name: str, level: float) -> Estimate:
            m, cells = self.names.index(name), self.cells
            if cells is None:
                raise AssertionError("labels were counted")
            said = cells.labels[self._positive(chosen)] if chosen.is_per_class else None
            return measure_table(cells.table(m), chosen.name, pos_label=said, confidence=level, options={},
                                 clusters=cells.clusters(m))  # fmt: skip

        return of_scores if isinstance(chosen, ScoreMeasure) else of_labels


def count_models(
    rows: Rows,
    models: Sequence[str] | Mapping[str, str],
    *,
    truth: str | None = None,
    as_scores: bool = False,
    threshold: float | None = None,
    memory: str | float | None = None,
    confidence: float = 0.95,
    weights: str | None = None,
    groups: str | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    cast_labels: bool = False,
) -> FileModels:
    """The first pass over the rows of several models, checked by the door."""
    named = dict(models) if isinstance(models, Mapping) else {name: name for name in models}
    if len(named) < 2:
        raise InputError("bad_option", f"models to compare: {len(named)}", source=rows.source,
                         cure="name two or more columns")  # fmt: skip
    head = rows.head
    columns = find_columns(head, truth=truth, score=list(named.values()))
    of = head.name_of
    answers = tuple(of(column) for column in named.values())
    roles = Roles(
        of(columns.truth),
        () if as_scores else answers,
        answers if as_scores else (),
        None if weights is None else of(weights),
        None if groups is None else of(groups),
        drop_missing,
    )
    said = as_said(pos_label, head.column(columns.truth))
    text = None if said is None else str(said).strip() if strip_labels else str(said)
    most = most_groups(memory, len(answers), weights is not None)
    partial: Partial = rows.reduce(Plan(roles, text, threshold, most, strip_labels))
    declared = None if labels is None else [as_said(v, head.column(columns.truth)) for v in labels]
    door: dict[str, Any] = {"pos_label": said, "strip_labels": strip_labels, "cast_labels": cast_labels}

    def each(known: Sequence[Label] | None) -> tuple[Counted, ...]:
        return tuple(
            through_the_door(
                partial, rows.source, (f"column {columns.truth!r}", f"model {name!r}", f"model {name!r}"),
                has_labels=not as_scores, threshold=threshold, column=m, labels=known, **door,
            )
            for m, name in enumerate(named)
        )  # fmt: skip

    counted = each(declared)
    findings = {f.code: f for c in reversed(counted) for f in c.findings}
    if len({c.door.labels for c in counted}) > 1:  # a label that some model alone predicts
        union = sorted({v for c in counted for v in c.door.labels}, key=lambda v: (isinstance(v, str), v))
        counted = tuple(replace(c, door=replace(c.door, declared=labels is not None)) for c in each(union))
    names = tuple(named)
    if as_scores and threshold is None:
        for code in ("labels_from_scores", "no_labels"):
            findings.pop(code, None)
        scored = tuple(_scored(c, m, confidence) for m, c in enumerate(counted))
        passes = TwoPasses(scored, roles, counted[0].truly(), lambda job: rows.reduce(job, "products"))
        if groups is not None:
            passes = replace(passes, models=tuple(_grouped(m, i, passes, rows)
                                                  for i, m in enumerate(scored)))  # fmt: skip
        for name, m in zip(names, passes.models, strict=True):
            told = m.finding()
            if told is not None:
                findings.setdefault(told.code, replace(told, sentence=f"Model {name!r}: {told.sentence}"))
        return FileModels(names, partial.n, counted, None, passes, said, tuple(findings.values()))
    return FileModels(names, partial.n, counted, _joint(counted), None, said, tuple(findings.values()))


def _scored(c: Counted, m: int, confidence: float) -> TalliedScores:
    found = c.scores(confidence, m)
    if found is None:
        raise AssertionError("scores were counted")
    return found


def _grouped(m: TalliedScores, column: int, passes: TwoPasses, rows: Rows) -> TalliedScores:
    """What groups do to one model's own measures."""
    if m.tally is None or m.counts is None or not (m.tally.positives > 0 and m.tally.negatives > 0):
        return replace(m, groupings={})
    roles = replace(passes.roles, scores=(passes.roles.scores[column],))
    job = group_job(roles, m.tally, m.counts, passes.positive, m.are_probabilities)
    return replace(m, groupings=groupings_of(rows.reduce(job, "groups")))


def _joint(counted: tuple[Counted, ...]) -> JointCells:
    """The cells of all models together, in the codes of the door."""
    first, cells = counted[0], counted[0].partial.cells
    calls = []
    for c in counted:
        if c.door.predicted is None:
            cure = "give labels, or a threshold= that divides the scores"
            raise InputError("bad_option", "no labels could be made from the scores", cure=cure)
        calls.append(c.door.predicted.astype(np.intp))
    rows = cells.get_column(ROWS).to_numpy().astype(np.int64)
    weighted = WEIGHT in cells.columns
    weight = cells.get_column(WEIGHT).to_numpy() if weighted else rows.astype(float)
    squares = cells.get_column(SQUARES).to_numpy() if weighted else weight
    facts: dict[str, Any] = {}
    held = first.partial.clusters
    if held is not None:
        facts = {
            "group": (held.get_column(GROUP).rank("dense") - 1).to_numpy().astype(np.intp),
            "group_truth": first.codes(held.get_column(TRUTH), first.door.truth, cells.get_column(TRUTH)),
            "group_calls": np.stack([
                c.codes(held.get_column(f"call{m}"), calls[m], cells.get_column(f"call{m}"))
                for m, c in enumerate(counted)
            ]),
            "group_weight": held.get_column(WEIGHT if weighted else ROWS).to_numpy().astype(float),
        }  # fmt: skip
    truth = first.door.truth.astype(np.intp)
    labels = first.door.labels
    return JointCells(labels, truth, np.stack(calls), rows, weight, squares, weighted, first.door.declared, **facts)
