"""gate(): may the candidate replace the baseline? Passed, failed, or cannot tell, for people and pipelines."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal, Unpack, overload

import numpy as np

from surefold.comparison.compare import answers_of, asked_of, kind_of, opening
from surefold.comparison.compared import Method, Models, Question, fitted, pair_results
from surefold.comparison.family import Family
from surefold.comparison.few_rows import few_row_findings, strictly
from surefold.comparison.gate_limits import absolute_limit, alone_against, held_against, relative_limit
from surefold.comparison.gate_result import Gate, GateKind
from surefold.comparison.judging import judged
from surefold.comparison.slices.gate import SliceGate, joined_gate
from surefold.comparison.slices.result import Slices
from surefold.comparison.slices.slices import slices
from surefold.engines.rows import Rows
from surefold.errors import InputError, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import checked_confidence
from surefold.evidence import Evidence
from surefold.evidence.held import Held
from surefold.evidence.opening import opened
from surefold.inputs.door import Columns, Door, OfClasses, Reading
from surefold.inputs.kinds import Label
from surefold.inputs.levels import By
from surefold.inputs.options import Given, SeveralOptions
from surefold.inputs.predictions import Predictions
from surefold.inputs.streams import is_source
from surefold.inputs.tables import Table
from surefold.measures import catalogue
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure

__all__ = ["Gate", "gate", "gate_files", "gate_rows"]

Kind = Literal["noninferiority", "superiority"]


@dataclass(frozen=True)
class _Asked:
    """What a gate asks, and how."""

    margin: float = 0.0
    kind: Kind | None = None
    at_least: float | None = None
    at_most: float | None = None
    confidence: float = 0.95
    method: Method = "auto"
    random_state: int | np.random.Generator | None = None
    strict: bool = False

    def question(self, measure: str, options: Mapping[str, Any], baseline: object) -> tuple[Measure, GateKind, float]:
        """The measure, what is asked and the limit; InputError where no gate can be made of them."""
        if checked_confidence(self.confidence) <= 0.5:
            cure = "give more than a half, such as confidence=0.95"
            raise InputError("bad_option", f"confidence={self.confidence!r} would pass by a coin", cure=cure)
        chosen = catalogue.with_options(measure, options)
        if chosen.better == "neither":
            cure = "choose a measure of which more or less is better"
            raise InputError("bad_option", f"of {chosen.name} neither more nor less is better", cure=cure)
        if self.at_least is not None or self.at_most is not None or baseline is None:
            limit = absolute_limit(chosen, baseline, self.margin, self.kind, self.at_least, self.at_most)
            return chosen, "at_least" if chosen.better == "higher" else "at_most", limit
        kind, limit = relative_limit(chosen, self.margin, self.kind)
        if self.method == "swap":
            cure = "use method='auto', 'one_row' or 'bootstrap'"
            raise InputError("bad_option", "swapping tests that nothing differs, and gives no bound", cure=cure)
        return chosen, kind, limit


class GateCall(SeveralOptions, total=False):
    """What `gate` can be told, whatever it asks."""

    measure: str
    margin: float
    kind: Kind | None
    at_least: float | None
    at_most: float | None
    labels: Sequence[Label] | None
    pos_label: Label | None
    sample_weight: Given | None
    groups: Given | None
    threshold: float | None
    confidence: float
    method: Method
    random_state: int | np.random.Generator | None
    drop_missing: bool
    strip_labels: bool
    ignore_case: bool
    cast_labels: bool
    names: tuple[str, str]
    strict: bool


@overload
def gate(y_true: object, baseline: object, candidate: object, **options: Unpack[GateCall]) -> Gate: ...
@overload
def gate(
    y_true: object,
    baseline: object,
    candidate: object,
    *,
    by: By,
    min_slice: float,
    min_rows: int = 5,
    **options: Unpack[GateCall],
) -> SliceGate: ...
def gate(
    y_true: Any,
    baseline: Any,
    candidate: Any,
    *,
    measure: str = "accuracy",
    margin: float = 0.0,
    kind: Literal["noninferiority", "superiority"] | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    threshold: float | None = None,
    confidence: float = 0.95,
    method: Method = "auto",
    random_state: int | np.random.Generator | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
    names: tuple[str, str] = ("baseline", "candidate"),
    strict: bool = False,
    by: By | None = None,
    min_slice: float | None = None,
    min_rows: int = 5,
    **options: Unpack[SeveralOptions],
) -> Gate | SliceGate:
    """May the candidate replace the baseline, on labels or scores of the same rows?

    With a margin the question is "surely not worse by more than the margin" (`kind="noninferiority"`), without one
    "surely better" (`kind="superiority"`; with a margin: better by more than it). The gate passes where the one-sided
    bound of the difference, at `confidence`, is on the good side of the limit, fails where the bound from the other
    side is on the bad one, and else cannot tell, and says about how many rows would. So at most one gate in twenty
    passes or fails wrongly at 0.95 where four or more of the rows that decide were to be expected. Of rows of a kind
    that did not occur no rule knows: where few rows decide a difference of scores, or would cost the margin, `warnings`
    say so beside the verdict, and a `strict` gate then cannot tell. `at_least` (or
    `at_most`, where less is better) holds the candidate's own value against a limit; `baseline` is then None. Instead
    of y_true, which is then None, baseline and candidate may be checked `Predictions`. With a path, a glob, a folder,
    or a Dask or Spark frame for `y_true`, baseline and candidate are columns, as are `truth=`, `weights=` and
    `groups=`: see `gate_files`.

    With `by` and `min_slice` every slice of the rows has to be surely so good too (where less is better: so low), and a
    baseline or `at_least` is asked about all rows beside that; see `slices`.

    >>> truth = [1] * 60 + [0] * 60
    >>> old, new = [1] * 45 + [0] * 15 + [0] * 60, [1] * 58 + [0] * 62
    >>> print(gate(truth, old, new))
    Passed: candidate is surely better than baseline: accuracy differs by 0.108, with 95% confidence above 0.065; the
    limit is 0.000.
    >>> gate(truth, None, new, measure="recall", at_least=0.95).status  # 58 of 60
    'cannot_tell'
    """
    of_measure: dict[str, Any] = {**options}
    door: dict[str, Any] = {"labels": labels, "pos_label": pos_label, "threshold": threshold}
    door |= {"drop_missing": drop_missing, "strip_labels": strip_labels}
    door |= {"ignore_case": ignore_case, "cast_labels": cast_labels}
    asked = _Asked(margin, kind, at_least, at_most, confidence, method, random_state, strict)
    if by is not None or min_slice is not None:
        facts: dict[str, Any] = {
            "measure": measure,
            "sample_weight": sample_weight,
            "groups": groups,
            **door,
            **options,
        }
        sliced = _slices_of(y_true, candidate, _BySlices(by, min_slice, min_rows), facts, confidence)
        if baseline is None and at_least is None and at_most is None:
            return sliced
        overall = gate(y_true, baseline, candidate, **vars(asked), **facts, names=names)
        return joined_gate(sliced, overall)
    if is_source(y_true, of_measure):
        of_rows = {"measure": measure, "weights": of_measure.pop("weights", sample_weight), "groups": groups}
        return gate_files(y_true, baseline, candidate, **of_rows, **vars(asked), **door, **of_measure)
    if len(names) != 2:
        raise InputError("bad_option", f"names={show(names)}", cure="give two names: of the baseline and the candidate")
    base, cand = names
    if base == cand:
        raise InputError("bad_option", f"baseline and candidate are both called {show(base)}", cure="give two names")
    question = asked.question(measure, of_measure, baseline)
    named = {cand: candidate} if baseline is None else {cand: candidate, base: baseline}
    given = (y_true, labels, sample_weight, groups, threshold, *([pos_label] if baseline is None else []))
    checked = _checked(named, [*(one is not None for one in given), *list(door.values())[3:]])
    if checked is not None:
        return _gated(Models(Held(checked), pos_label=pos_label), measure, question, asked, of_measure)
    if y_true is None:
        raise InputError("bad_option", "there is no truth", cure="give y_true, or checked Predictions")
    by_name = {} if groups is None else {"groups": groups}
    columns = Columns(y_true, answers_of(named, "labels"), sample_weight, by_name)
    e = opening(None, columns, Door.of(**door))(kind_of(question[0]))
    return _gated(Models(e), measure, question, asked, of_measure)


@dataclass(frozen=True)
class _BySlices:
    """Which slices, and what each has to reach."""

    by: By | None
    least: float | None
    min_rows: int


def _slices_of(
    y_true: object, candidate: object, asked: _BySlices, facts: Mapping[str, Any], confidence: float
) -> SliceGate:
    """The candidate alone, in every slice."""
    if asked.by is None or asked.least is None:
        problem = "by= says what the slices are and min_slice= what each has to reach, and one of them is missing"
        raise InputError("bad_option", problem, cure="give both: by={'region': region}, min_slice=0.8")
    scored = kind_of(catalogue[facts["measure"]]) == "scores" or facts["threshold"] is not None
    files = is_source(y_true)
    given: dict[str, Any] = {"y_score": candidate} if scored else {"y_pred": candidate}
    if files:
        given = {"score": candidate} if scored else {"pred": candidate}
    given |= {"y_true": y_true, "by": asked.by, "min_rows": asked.min_rows, "confidence": confidence}
    found: Slices = slices(**given, **facts)
    return found.gate(**{"at_least" if found.better == "higher" else "at_most": asked.least})


class GateOptions(SeveralOptions, total=False):
    """What a gate can be told of rows of files or frames."""

    measure: str
    margin: float
    kind: Kind | None
    at_least: float | None
    at_most: float | None
    labels: Sequence[Label] | None
    pos_label: Label | None
    groups: str | None
    threshold: float | None
    confidence: float
    method: Method
    random_state: int | np.random.Generator | None
    drop_missing: bool
    strip_labels: bool
    ignore_case: bool
    cast_labels: bool


def gate_files(
    source: Any,
    baseline: str | Sequence[str] | None,
    candidate: str | Sequence[str],
    **options: Unpack[GateOptions],
) -> Gate:
    """May the candidate replace the baseline? Both are columns of files, or of a Dask or Spark frame.

    A list of columns is one column of scores a class.

    Options are those of `gate`, with `truth`, `groups` and `weights` naming columns, and those of reading (engine,
    cluster, memory, progress, delimiter, encoding, comment, decimal); `method` is "auto", "one_row" or "delta" (of
    areas also by its name, "delong").
    """
    given: dict[str, Any] = {**options}
    reading = Reading(**asked_of(Reading, given))
    with closing(opened(source, reading)) as rows:
        return gate_rows(rows, baseline, candidate, memory=reading.memory, **given)[0]


def gate_rows(
    rows: Rows | Table,
    baseline: str | Sequence[str] | None,
    candidate: str | Sequence[str],
    *,
    measure: str = "accuracy",
    truth: str | None = None,
    weights: str | None = None,
    groups: str | None = None,
    memory: str | float | None = None,
    **options: Any,
) -> tuple[Gate, Evidence]:
    """The same of rows that an engine has opened, or of a table that was read; with what it was asked of."""
    asked, door = _Asked(**asked_of(_Asked, options)), Door.of(**asked_of(Door, options))
    question = asked.question(measure, options, baseline)
    if baseline == candidate:
        problem = f"baseline and candidate are both {show(baseline)}"
        raise InputError("bad_option", problem, source=rows.source, cure="name two columns")
    named = {str(c): c for c in map(OfClasses.named, (c for c in (candidate, baseline) if c is not None))}
    columns = Columns(truth, answers_of(named, "labels"), weights, {} if groups is None else {"groups": groups})
    e = opening(rows, columns, door, Reading(memory=memory))(kind_of(question[0]))
    return _gated(Models(e), measure, question, asked, options), e


def _checked(named: Mapping[str, Any], others: Sequence[bool]) -> dict[str, Predictions] | None:
    """The models as predictions that were checked before; None where none is."""
    checked = {name: p for name, p in named.items() if isinstance(p, Predictions)}
    if not checked:
        return None
    if len(checked) < len(named) or any(others):
        problem = "checked Predictions were given together with a truth, labels, weights or options of their own"
        raise InputError("bad_option", problem, cure="pass them to Predictions.of instead, and y_true=None")
    return checked


def _gated(
    models: Models, measure: str, question: tuple[Measure, GateKind, float], asked: _Asked, options: Mapping[str, Any]
) -> Gate:
    """The candidate, the first model, against the other one; or its own value, where there is no other."""
    chosen, kind, limit = question
    e, confidence = models.e, asked.confidence
    if len(models.names) == 1:
        return _alone(models, measure, chosen, kind, limit, asked, options)
    cand, base = models.names
    chosen = fitted(chosen, e, None, options)
    q = Question(confidence=confidence, method=asked.method, random_state=asked.random_state)
    facts: Any = (confidence, options)
    values = {n: models.value(measure, chosen, n, *facts, random_state=asked.random_state) for n in models.names}
    (result,) = pair_results(chosen, models, [(0, 1)], values, q, few=math.inf)
    (difference,) = judged(chosen, [result], Family(confidence), e.n)
    status, bounds, needed = held_against(result.bounds, limit, chosen.better, confidence, e.n)
    few = few_row_findings(result.bounds, float(asked.margin))
    status, withheld = strictly(status, few, asked.strict)
    return Gate(
        status, kind, chosen.name, chosen.better, cand, base, values, difference, bounds, limit, float(asked.margin),
        confidence, e.n, needed, models.findings(chosen), few, withheld,
    )  # fmt: skip


def _alone(
    models: Models, measure: str, chosen: Measure, kind: GateKind, limit: float, asked: _Asked,
    options: Mapping[str, Any],
) -> Gate:  # fmt: skip
    """The candidate's own value against a limit."""
    e, (name,) = models.e, models.names
    of_scores = isinstance(chosen, ScoreMeasure)
    if of_scores and not e.has_scores:
        raise InputError("bad_option", f"{chosen.name} needs scores", cure="give the candidate's scores")
    # One-sided, Wilson's bound passes up to .08 of what it should not; the exact one holds what it says.
    how = "exact" if asked.method == "auto" and not of_scores and chosen.is_share else asked.method

    def at(level: float) -> Estimate:
        facts: dict[str, Any] = {"method": how, "random_state": asked.random_state}
        return models.value(measure, chosen, name, level, options, **facts)

    value, sided = at(asked.confidence), at(2 * asked.confidence - 1)
    status, bounds, needed = alone_against(value, sided, limit, chosen.better, e.n)
    told = catalogue.twin(chosen.name) if e.positive is None else chosen.name
    return Gate(
        status, kind, told, chosen.better, name, None, {name: value}, None, bounds, limit, None, asked.confidence, e.n,
        needed, models.findings(chosen),
    )  # fmt: skip
