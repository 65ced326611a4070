"""slices(): one measure by slices of the rows, each against all the others, however the rows come in."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from surefold.assessment.assess import assess
from surefold.comparison.judging import checked_margin, rows_to_tell
from surefold.comparison.slices.label_sides import label_sides
from surefold.comparison.slices.result import Slice, Slices, SlicesOfMeasures, SliceStatus
from surefold.comparison.slices.score_sides import score_sides
from surefold.comparison.slices.sides import Sides
from surefold.comparison.slices.tails import Against
from surefold.counting import counted
from surefold.errors import InputError, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import checked_confidence
from surefold.evidence.evidence import Evidence
from surefold.evidence.held import Held
from surefold.evidence.slicing import Sliceable, Way, ways_of
from surefold.findings import Finding
from surefold.inputs.kinds import Label
from surefold.inputs.levels import Bins, By, named_columns
from surefold.inputs.options import Given, ReadingOptions, UnbinnedOptions, refuse_unknown
from surefold.inputs.streams import Source
from surefold.measures.catalogue import catalogue, listed_names
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.significance.multiplicity import checked_adjustment

if TYPE_CHECKING:
    from surefold.assessment.result import Assessment

__all__ = ["SliceQuestion", "bins_of", "by_slices", "distinct_ways", "sizes_of", "slices"]

Array = NDArray[np.float64]
#: Past this many slices a step-down over all of them finds little, and `benjamini_hochberg` may be wanted.
MANY = 100


class SliceOptions(ReadingOptions, UnbinnedOptions, total=False):
    """What `slices` can be told beside the question: which columns of a source hold what, options of the measure."""

    truth: str | None
    pred: str | None
    score: str | Sequence[str] | None
    weights: str | None


class SlicesOptions(SliceOptions, total=False):
    """All that `slices` can be told beside the measure."""

    y_score: Given | None
    labels: Sequence[Label] | None
    pos_label: Label | None
    sample_weight: Given | None
    groups: Given | None
    threshold: float | None
    pairs: bool
    bins: Bins | Mapping[str, Bins] | None
    margin: float | None
    adjust: str
    min_rows: int
    confidence: float
    drop_missing: bool
    strip_labels: bool
    ignore_case: bool
    cast_labels: bool


@dataclass(frozen=True)
class SliceQuestion:
    """How rows are sliced, and what is asked of the slices; checked when made."""

    pairs: bool = False
    bins: Mapping[str, Bins] = field(default_factory=dict)
    margin: float | None = None
    adjust: str = "holm"
    min_rows: int = 5
    confidence: float = 0.95

    def __post_init__(self) -> None:
        object.__setattr__(self, "confidence", checked_confidence(self.confidence))
        object.__setattr__(self, "margin", checked_margin(self.margin))
        checked_adjustment(self.adjust)
        if isinstance(self.min_rows, bool) or not isinstance(self.min_rows, int | np.integer) or self.min_rows < 1:
            raise InputError("bad_option", f"min_rows={show(self.min_rows)}", cure="give a whole number, 1 or more")


@overload
def slices(
    y_true: Given | Source,
    y_pred: Given | None = None,
    *,
    by: By,
    measure: str | None = None,
    **options: Unpack[SlicesOptions],
) -> Slices: ...
@overload
def slices(
    y_true: Given | Source,
    y_pred: Given | None = None,
    *,
    by: By,
    measure: list[str] | tuple[str, ...],
    **options: Unpack[SlicesOptions],
) -> SlicesOfMeasures: ...
def slices(
    y_true: Given | Source,
    y_pred: Given | None = None,
    *,
    by: By,
    measure: str | list[str] | tuple[str, ...] | None = None,
    y_score: Given | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    sample_weight: Given | None = None,
    groups: Given | None = None,
    threshold: float | None = None,
    pairs: bool = False,
    bins: Bins | Mapping[str, Bins] | None = None,
    margin: float | None = None,
    adjust: str = "holm",
    min_rows: int = 5,
    confidence: float = 0.95,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
    **options: Unpack[SliceOptions],
) -> Slices | SlicesOfMeasures:
    """Where does it fail? One measure in each slice of the rows, against all the other rows.

    `by` is {name: column}, a data frame, or one column; a column of True and False is a mask. Text has a slice a value;
    of more than 20 numbers each quarter is one, unless `bins` says into how many parts, where (edges), or {column:
    either}; `bins=0` makes every number a slice. `pairs=True` adds every pair of levels of two columns: all of them are
    tested on all rows, and p allows for that. Slices with fewer rows than `min_rows` are shown and not tested.

    Each slice has its own interval, one that holds for all slices at once, and its difference from the rest. p is
    adjusted for their number; `adjust="benjamini_hochberg"` lists more of many, of which about one in twenty may be
    false. With a `margin` slices are also told alike. A path, or a frame of Dask or Spark, may stand for `y_true`: then
    `by` names columns, as do `truth=`, `pred=`, `score=`, `weights=` and `groups=`.

    >>> truth, region = [1] * 200, ["north"] * 100 + ["south"] * 100
    >>> found = slices(truth, [1] * 98 + [0] * 2 + [1] * 80 + [0] * 20, by={"region": region}, pos_label=1)
    >>> found["south"].status, str(found["south"].estimate), [s.name for s in found.below]
    ('below', '0.800 [0.708, 0.873]', ['region = south'])
    """
    refuse_unknown("slices", options, SliceOptions)
    of_measure = {name: value for name, value in options.items() if name in UnbinnedOptions.__annotations__}
    of_source: dict[str, Any] = {name: value for name, value in options.items() if name not in of_measure}
    a = assess(
        y_true,
        y_pred,
        y_score=y_score,
        labels=labels,
        pos_label=pos_label,
        sample_weight=sample_weight,
        groups=groups,
        threshold=threshold,
        confidence=confidence,
        by=by,
        drop_missing=drop_missing,
        strip_labels=strip_labels,
        ignore_case=ignore_case,
        cast_labels=cast_labels,
        **of_source,
    )
    q = SliceQuestion(pairs, margin=margin, adjust=adjust, min_rows=min_rows, confidence=confidence)
    return by_slices(a, (), measure, bins, of_measure, q)


def by_slices(
    a: Assessment,
    columns: Sequence[Any],
    measure: str | Sequence[str] | None,
    bins: Bins | Mapping[str, Bins] | None,
    options: Mapping[str, Any],
    question: SliceQuestion,
) -> Slices | SlicesOfMeasures:
    """The slices of an assessment by some columns; by all that it knows of where none is said."""
    e, names = _sliceable_by(a, columns)
    q = replace(question, bins=bins_of(bins, names))
    several = measure is not None and not isinstance(measure, str)
    of_two = a.scores is not None and a.scores.tally is not None
    default = "accuracy" if a.estimates is not None else "roc_auc" if of_two else "roc_auc_hand_till"
    found: dict[str, Slices] = {}
    made: dict[bool, _Sliced] = {}
    for name in [default] if measure is None else listed_names(measure):
        asked = _Measured(name, catalogue.with_options(name, options), options)
        of_scores = isinstance(asked.chosen, ScoreMeasure)
        if of_scores not in made:
            made[of_scores] = _Sliced.of(e.all_rows() if of_scores else e, names, q)
        one = _measured(a, made[of_scores], asked, q)
        found[one.measure] = one
    return SlicesOfMeasures(found) if several else next(iter(found.values()))


@dataclass(frozen=True, eq=False)
class _Measured:
    """A measure by the name that was asked for, with its options."""

    name: str
    chosen: Measure
    options: Mapping[str, Any]


def bins_of(bins: Bins | Mapping[str, Bins] | None, names: Sequence[str]) -> Mapping[str, Bins]:
    """Of each column by its name; what holds for all numbers under no name."""
    if not isinstance(bins, Mapping):
        return {} if bins is None else {"": bins}
    for name in bins:
        if name not in names:
            known = ", ".join(map(show, names))
            problem = f"bins names {show(name)}, and rows are sliced by {known}"
            raise InputError("bad_option", problem, cure="name one of them")
    return bins


def _sliceable_by(a: Assessment, columns: Sequence[Any]) -> tuple[Evidence, list[str]]:
    """The evidence with all columns that were asked for, and their names."""
    e = a.evidence
    if e is None:
        cure = "assess the rows again, with by= naming what to slice by, and with threshold= where labels were cut"
        raise InputError("bad_option", "the rows of this assessment are not here any more", cure=cure)
    given: dict[str, Any] = {}
    names: list[str] = []
    for column in columns:
        if isinstance(column, str):
            if column not in e.by:
                known = ", ".join(map(show, e.by)) or "none was named"
                cure = "name it when the rows are read, as assess(..., by=...), or pass {name: column}"
                raise InputError("unknown_column", f"rows cannot be sliced by {show(column)} ({known})", cure=cure)
            names.append(column)
            continue
        more = named_columns(column)
        given |= more
        names += more
    names = names or list(e.by)
    if not names:
        cure = "pass a column with a value for each row, as a.by({'region': region}), or assess(..., by=...)"
        raise InputError("bad_option", "nothing was named to slice by", cure=cure)
    if given:
        if not isinstance(e, Held):
            cure = "name their columns when the rows are read: assess(path, by=['region', 'age'])"
            raise InputError("bad_option", "rows of files are sliced by columns of theirs", cure=cure)
        e = e.sliced_by(given)
    return e, list(dict.fromkeys(names))


@dataclass(frozen=True, eq=False)
class _Sliced:
    """Evidence with the ways in which it is sliced, made once for all measures."""

    e: Evidence
    known: Sliceable
    ways: Sequence[Way]
    rows: Array
    findings: Sequence[Finding]

    @classmethod
    def of(cls, e: Evidence, names: Sequence[str], q: SliceQuestion) -> _Sliced:
        """By these columns."""
        known = e.sliceable()
        known = replace(known, columns={name: known.columns[name] for name in names})
        ways, findings = distinct_ways(ways_of(known, q.bins, q.pairs), known)
        sizes = [sizes_of(way, known) for way in ways]
        return cls(e, known, ways, np.concatenate(sizes) if sizes else np.zeros(0), (*findings, *e.findings))


def _measured(a: Assessment, sliced: _Sliced, asked: _Measured, q: SliceQuestion) -> Slices:
    """One measure."""
    e, chosen, whole = sliced.e, asked.chosen, a.measure(asked.name, **asked.options)
    if isinstance(e, Held) and isinstance(chosen, ScoreMeasure):
        inside, outside = score_sides(asked.name, e, sliced.ways, asked.options)
    else:
        cells = sliced.known.cells
        if cells is None:
            raise InputError("bad_option", f"{chosen.name} needs labels", cure="give labels, or threshold= for scores")
        if chosen.is_per_class:
            cells = cells.one_against_rest(a._positive(chosen))
        if chosen.needs_options and a.costs is not None:
            chosen = chosen.with_options(costs=a.costs)
        inside, outside = label_sides(chosen, cells, sliced.ways, 0)
    return judged_slices(whole, chosen, (inside, outside), (sliced.ways, sliced.rows, e.n), q, sliced.findings)


def sizes_of(way: Way, known: Sliceable) -> Array:
    """How many rows are in each slice."""
    held = way.codes >= 0
    times = None if known.times is None else known.times[held]
    return np.bincount(way.codes[held], weights=times, minlength=len(way)).astype(float)


def distinct_ways(ways: Sequence[Way], known: Sliceable) -> tuple[list[Way], list[Finding]]:
    """Ways without slices that are empty, or that hold exactly the rows of an earlier one."""
    seen: dict[float, list[tuple[Way, int]]] = {}
    found: list[Way] = []
    findings = []
    twice, empty = [], []
    for way in ways:
        sizes, kept = sizes_of(way, known), []
        for i, size in enumerate(sizes.tolist()):
            alike = seen.setdefault(size, [])
            if size == 0:
                empty.append(way.names[i])
            elif len(way.columns) > 1 and any(np.array_equal(w.codes == j, way.codes == i) for w, j in alike):
                twice.append(way.names[i])
            else:
                alike.append((way, i))
                kept.append(i)
        if len(kept) < len(way):
            place = np.full(len(way) + 1, -1)
            place[kept] = np.arange(len(kept))
            way = Way(way.columns, tuple(way.names[i] for i in kept), place[way.codes])
        found.append(way)
    if twice:
        text = f"{counted(len(twice), 'slice')} with exactly the rows of another: counted once."
        findings.append(Finding.of("slices_alike", text, slices=[" & ".join(names) for names in twice[:20]]))
    if empty:
        text = f"{counted(len(empty), 'slice')} without a row."
        findings.append(Finding.of("empty_slice", text, slices=[" & ".join(names) for names in empty[:20]]))
    return [way for way in found if len(way)], findings


def judged_slices(
    whole: Estimate,
    chosen: Measure,
    sides: tuple[Sides, Sides],
    of: tuple[Sequence[Way], Array, int],
    q: SliceQuestion,
    findings: Sequence[Finding],
) -> Slices:
    """Which count, intervals for all of them at once, each against its rest, and the worst."""
    (inside, outside), (ways, rows, n) = sides, of
    if inside.estimates is None:
        raise AssertionError("slices have estimates")
    plain = inside.estimates(q.confidence)
    defined = np.isfinite(inside.value)
    counts = defined & (rows >= q.min_rows) & (rows < n)
    count = int(counts.sum())
    level = q.confidence ** (1 / max(count, 1))
    miss = 1 - q.confidence
    wide = inside.estimates(level)
    against, gap = Against(inside, outside), _differences(inside, outside, wide, level)
    p, equal = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    adjust = checked_adjustment(q.adjust)
    if count:
        p[counts] = against.p()[counts]
        adjusted = np.full(len(rows), np.nan)
        adjusted[counts] = adjust(p[counts])
        if q.margin is not None:
            equal[counts] = adjust(against.outside_p(q.margin)[counts])
    spread, df = against.spread, against.df
    names = [(way.columns, levels) for way in ways for levels in way.names]
    found = []
    for i, (columns, levels) in enumerate(names):
        size = int(rows[i])
        if not counts[i]:
            status, reason = _uncounted(plain[i], rows[i], n, q.min_rows)
            found.append(Slice(columns, levels, size, plain[i], status, reason=reason))
            continue
        known = bool(against.tested[i])
        reason = "" if known else _untested(chosen, outside, i)
        equal_p = None if q.margin is None else float(equal[i])
        status = _status(float(inside.value[i] - outside.value[i]), float(adjusted[i]), equal_p, miss)
        needed = None
        if status == "cannot_tell" and known:
            apart = float(inside.value[i] - outside.value[i])
            freedom = math.inf if not np.isfinite(df[i]) else float(df[i])
            needed = rows_to_tell(apart, float(spread[i]), float(n), miss / count, q.margin, freedom)
        difference = gap[i] if np.isfinite(outside.value[i]) else None
        told = (float(p[i]), float(adjusted[i]), equal_p, needed, reason)
        found.append(Slice(columns, levels, size, plain[i], status, wide[i], difference, *told))
    worst = _worst(inside, counts, chosen.better, q.confidence, whole)
    noticed = [*findings, *_many(count, found, q)]
    return Slices(
        whole.name or chosen.name,
        chosen.better,
        whole,
        tuple(found),
        worst,
        q.adjust,
        level,
        q.confidence,
        q.margin,
        int(q.min_rows),
        n,
        tuple({(f.code, f.sentence): f for f in noticed}.values()),
        inside,
    )


def _uncounted(e: Estimate, rows: float, n: int, least: int) -> tuple[SliceStatus, str]:
    if not e.defined:
        return "undefined", e.reason
    if rows >= n:
        return "no_rest", "the slice is all rows"
    return "too_few", f"fewer than {least} rows"


def _untested(chosen: Measure, outside: Sides, i: int) -> str:
    if outside.scale == "none":
        return f"differences of {chosen.name} between slices have not been measured, so it is not tested"
    if not np.isfinite(outside.value[i]):
        return f"{chosen.name} of the rest is undefined"
    return "how much it varies is unknown"


def _status(apart: float, p: float, equal_p: float | None, miss: float) -> SliceStatus:
    if equal_p is not None and equal_p <= miss:
        return "alike"
    if not p <= miss or apart == 0:
        return "cannot_tell"
    return "above" if apart > 0 else "below"


def _differences(inside: Sides, outside: Sides, wide: Sequence[Estimate], level: float) -> list[Estimate]:
    """Slice less rest: the ends of the two intervals at this level, squared and added."""
    value = inside.value - outside.value
    low, high = np.full(len(value), np.nan), np.full(len(value), np.nan)
    if outside.scale != "none":
        with np.errstate(invalid="ignore"):
            rest_low, rest_high = outside.bounds(level)
            own_low, own_high = (np.array([getattr(e, end) for e in wide]) for end in ("low", "high"))
            low = value - np.hypot(inside.value - own_low, rest_high - outside.value)
            high = value + np.hypot(own_high - inside.value, outside.value - rest_low)
    least, greatest = outside.limits
    span = greatest - least
    with np.errstate(invalid="ignore"):
        se = np.sqrt(inside.variance + outside.variance)
    rows = inside.rows + outside.rows
    return [
        Estimate(float(v), max(float(a), -span), min(float(b), span), float(s), level, "square_and_add", float(r))
        for v, a, b, s, r in zip(value, low, high, se, rows, strict=True)
    ]


def _worst(
    inside: Sides, counts: NDArray[np.bool_], better: str, confidence: float, whole: Estimate
) -> Estimate | None:
    """The worst slice's value, whichever it is. Only the flattered end allows for the choice: the true worst is one of
    them, so its other end is no better than the worst of theirs.
    """
    count = int(counts.sum())
    if not count or better == "neither" or inside.estimates is None:
        return None
    sign = -1.0 if better == "lower" else 1.0
    value = float((sign * inside.value[counts]).min()) * sign
    at = np.flatnonzero(counts)

    def ends(level: float) -> tuple[list[float], list[float]]:
        found = [e for i, e in enumerate(inside.estimates(level) if inside.estimates else ()) if counts[i]]
        return [e.low for e in found], [e.high for e in found]

    plain, wide = ends(confidence), ends(1 - (1 - confidence) / count)
    low, high = (min(plain[0]), min(wide[1])) if better == "higher" else (max(wide[0]), max(plain[1]))
    worst = int(at[np.argmin(sign * inside.value[counts])])
    own = inside.estimates(confidence)[worst]
    method = f"{own.method}, worst of {count:,}"
    return replace(own, low=min(low, value), high=max(high, value), method=method, name=whole.name)


def _many(count: int, found: Sequence[Slice], q: SliceQuestion) -> list[Finding]:
    """What is to be known of slices that do not count, and of very many."""
    said = []
    few = [s for s in found if s.status == "too_few"]
    if few:
        text = f"{counted(len(few), 'slice')} of fewer than {counted(q.min_rows, 'row')}: shown, not tested."
        said.append(Finding.of("small_slice", text, slices=[s.name for s in few[:20]]))
    undefined = [s for s in found if s.status == "undefined"]
    if undefined:
        text = f"{counted(len(undefined), 'slice')} without a value, as {undefined[0].name}: {undefined[0].reason}."
        said.append(Finding.of("undefined_slice", text, slices=[s.name for s in undefined[:20]]))
    whole = [s.name for s in found if s.status == "no_rest"]
    if whole:
        text = f"{whole[0]} holds all rows, so there is no rest to hold it against."
        said.append(Finding.of("slice_of_all", text, slices=whole))
    if q.adjust == "benjamini_hochberg" and any(s.told for s in found):
        text = "Of the slices listed as below or above the rest, about 1 in 20 may be false: that is what p allows for."
        said.append(Finding.of("false_among_listed", text))
    elif count > MANY and q.adjust == "holm":
        text = f"p allows for {count:,} slices, so only large differences are told."
        said.append(Finding.of("many_slices", text))
    return said
