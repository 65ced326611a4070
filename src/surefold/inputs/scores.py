"""Scores -> float64: one a row (of the positive class) or one column a class."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.findings import Finding

from .exchanged import from_tensor
from .kinds import Label, is_missing
from .raw import Mask, Raw, columns_of, raw_column

__all__ = [
    "CLIP",
    "ScoreColumn",
    "check_probabilities",
    "check_two_columns",
    "clip_of",
    "labels_from_scores",
    "likely_scale",
    "not_probabilities",
    "order_columns",
    "parse_numbers",
    "read_scores",
    "refuse_columns_of_unknown_order",
    "single_precision_findings",
]

Scores = NDArray[np.float64]

#: Probabilities below this count as this much in the logarithm, unless they came as shorter floats.
CLIP = float(np.finfo(np.float64).eps)

_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+|[+-]?\d{1,3}(\.\d{3})+,\d+")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_MISSING_TEXT = {"", "nan"}
#: How far a row of class probabilities may be from adding up to one: silently, and at all.
SUM_NOTED, SUM_REFUSED = 1e-6, 1e-3
_MOST_TIES = 2_000_000  # more rows than this are not searched for ties
#: Probabilities this far outside 0 to 1 are most likely rounding.
_ROUNDING = 1e-6


def clip_of(kind: object) -> float:
    """What a probability below it counts as in a logarithm: the eps of the floats that the scores came as.

    >>> clip_of(np.dtype("float32")), clip_of(np.dtype("float64")) == clip_of(np.dtype("int8")) == CLIP
    (1.1920928955078125e-07, True)
    """
    name = kind.name if isinstance(kind, np.dtype) else str(kind).lower()
    return float(np.finfo(name).eps) if name in ("float16", "float32") else CLIP


@dataclass(frozen=True)
class ScoreColumn:
    """Scores of shape (n,) or (n, k); rows marked missing hold NaN."""

    name: str
    values: Scores
    missing: Mask | None = None
    columns: tuple[str, ...] | None = None  # names of the k columns, when they came with names
    findings: tuple[Finding, ...] = ()
    clip: float = CLIP

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.values)

    def kept(self, keep: Mask) -> ScoreColumn:
        """Those of some rows, none of which is missing."""
        return replace(self, values=self.values[keep], missing=None)


def read_scores(values: Any, name: str = "y_score", *, decimal: str = ".") -> ScoreColumn:
    """Scores as given, parsed where they are text; what is missing is marked, what is no number is refused."""
    matrix = _matrix(values, name, decimal)
    column = _column(values, name, decimal) if matrix is None else matrix
    array = column.values
    column = replace(column, findings=(*column.findings, *_single_precision(column)))
    with np.errstate(invalid="ignore"):
        low, high = (array.min(), array.max()) if array.size else (0.0, 0.0)
    if math.isnan(low):  # minimum and maximum carry a NaN along, so two fast passes find all there is
        nan: Mask = np.isnan(array)
        missing: Mask = nan if array.ndim == 1 else np.logical_or.reduce(nan, axis=1)
        column = replace(column, missing=missing)
        low, high = np.nanmin(array[~missing], initial=0.0), np.nanmax(array[~missing], initial=0.0)
    if math.isinf(low) or math.isinf(high):
        infinite = np.isinf(array) if array.ndim == 1 else np.isinf(array).any(axis=1)
        text = f"{name} is infinite in {np.count_nonzero(infinite):,} rows: ranks are fine, probabilities are not."
        column = replace(column, findings=(*column.findings, Finding.of("infinite_scores", text)))
    return column


def _single_precision(column: ScoreColumn) -> tuple[Finding, ...]:
    array = column.values
    if column.clip == CLIP or array.ndim != 1 or len(array) > _MOST_TIES:
        return ()
    return single_precision_findings(column.name, column.clip, len(array), len(array) - len(np.unique(array)))


def single_precision_findings(name: str, clip: float, rows: int, tied: int) -> tuple[Finding, ...]:
    """Scores rounded to single precision may be tied where the model's were not."""
    if clip == CLIP or tied == 0:
        return ()
    kind = "float32" if clip == clip_of("float32") else "float16"
    text = f"{name} came as {kind}: {tied:,} rows ({tied / rows:.1%}) share a score with another; ties count half."
    return (Finding.of("single_precision_ties", text, tied=tied),)


def _column(values: Any, name: str, decimal: str) -> ScoreColumn:
    try:
        raw = raw_column(values, name)
    except InputError as error:
        if error.code in {"multilabel", "sparse_labels"}:
            raise InputError(
                "bad_shape", error.problem, cure="pass one score a row, or an array (rows, classes)"
            ) from None
        raise
    findings: tuple[Finding, ...] = ()
    array: Scores
    clip = CLIP
    if raw.categories is not None:
        assert isinstance(raw.data, np.ndarray)
        array, parsed = _from_objects([raw.categories[c] for c in raw.data], name, decimal)
        clip = _clip_of_each(raw.categories)
    elif isinstance(raw.data, list):
        array, parsed = _from_objects(raw.data, name, decimal)
        clip = _clip_of_each(raw.data)
    else:
        array, parsed = _from_array(raw, name, decimal)
        clip = clip_of(raw.data.dtype)
    if raw.missing is not None:
        array = np.where(raw.missing, np.nan, array)
    if parsed:
        findings = (Finding.of("scores_from_text", f"{name} is text; its numbers were parsed."),)
    if raw.was_vector:
        text = f"{name} came as one column of shape ({raw.n:,}, 1) and was flattened."
        findings = (*findings, Finding.of("column_vector", text))
    return ScoreColumn(name, array, findings=findings, clip=clip)


def _clip_of_each(values: Sequence[Any]) -> float:
    """The clip of numbers that came one by one: of those that differ in length the shortest counts."""
    return max((clip_of(np.dtype(t)) for t in set(map(type, values)) if issubclass(t, np.floating)), default=CLIP)


def _from_array(raw: Raw, name: str, decimal: str) -> tuple[Scores, bool]:
    data = raw.data
    assert isinstance(data, np.ndarray)
    if data.dtype.kind in "biuf":
        return data.astype(np.float64), False
    if data.dtype.kind == "U":
        return parse_numbers(data.tolist(), name, decimal), True
    raise InputError(
        "number_format", f"{name} holds {data.dtype} values, not numbers", rows=[1], count=len(data), cure="pass floats"
    )


def _from_objects(values: Sequence[Any], name: str, decimal: str) -> tuple[Scores, bool]:
    types = set(map(type, values))
    if types <= {float, int}:
        try:
            return np.array(values, dtype=np.float64), False
        except OverflowError:
            pass  # told below, with its row
    has_text = any(issubclass(t, str) for t in types)
    numbers: list[float] = []
    for row, value in enumerate(values, start=1):
        if isinstance(value, str) or is_missing(value):
            numbers.append(math.nan)
        elif isinstance(value, int | float | np.number | np.bool_ | Decimal | Fraction) and not isinstance(
            value, np.complexfloating
        ):
            numbers.append(_as_float(value, name, row))
        else:
            problem = f"{name} holds the {type(value).__name__} {show(value)}, not a number"
            raise InputError("number_format", problem, rows=[row], cure="pass one number a row")
    array = np.array(numbers, dtype=np.float64)
    if has_text:
        at = [i for i, v in enumerate(values) if isinstance(v, str)]
        array[at] = parse_numbers([values[i] for i in at], name, decimal, [i + 1 for i in at], len(values))
    return array, has_text


def _as_float(value: Any, name: str, row: int) -> float:
    try:
        return float(value)
    except OverflowError:
        problem = f"{name} holds {show(value)}, too large for a float"
        raise InputError("number_format", problem, rows=[row], cure="pass inf if infinity is meant") from None


_CORRECT = "correct the value, or leave it blank and use drop_missing=True (--drop-missing)"


def parse_numbers(
    texts: Sequence[str | None],
    name: str,
    decimal: str = ".",
    rows: Sequence[int] | None = None,
    of: int | None = None,
) -> Scores:
    """Text to float64, blank and `nan` to NaN; InputError at the first that are no number.

    They stand in `rows`, of so many in all: where none of those is a number, the column is another one's.
    """
    out = np.empty(len(texts), dtype=np.float64)
    bad: list[int] = []
    for i, text in enumerate(texts):
        plain = "" if text is None else text.strip()
        if decimal == "," and "," in plain:
            plain = "?" if "." in plain else plain.replace(",", ".")
        if _NUMBER.fullmatch(plain):
            out[i] = float(plain)
            if math.isinf(out[i]):
                bad.append(i)
        elif _INFINITY.fullmatch(plain):
            out[i] = float(plain)
        elif plain.casefold() in _MISSING_TEXT:
            out[i] = np.nan
        else:
            bad.append(i)
    if bad:
        told = _not_a_number(str(texts[bad[0]]), name, [rows[b] if rows else b + 1 for b in bad], decimal)
        if told.cure == _CORRECT and len(bad) == (of or len(texts)) > 1:
            cure = "choose a column of numbers; labels are given as y_pred= (--pred)"
            raise InputError(told.code, told.problem, rows=told.rows, count=told.count, cure=cure)
        raise told
    return out


def _not_a_number(text: str, name: str, rows: list[int], decimal: str) -> InputError:
    plain = text.strip()
    code, cure, problem = "number_format", _CORRECT, f"{name} holds {show(text)}, not a number"
    if decimal == "." and _DECIMAL_COMMA.fullmatch(plain):
        code, cure = "decimal_comma", "read it with decimal=',' (--decimal ,)"
        problem = f"{name} holds {show(text)}: a decimal comma?"
    elif plain.endswith("%"):
        cure = "write 0.12 for 12%"
    elif re.fullmatch(r"[+-]?\d{1,3}([,' ]\d{3})+(\.\d*)?", plain):
        problem, cure = f"{name} holds {show(text)}: thousands separators?", "write numbers without separators"
    elif _NUMBER.fullmatch(plain):
        problem, cure = f"{name} holds {show(text)}, too large for a float", "write inf if infinity is meant"
    return InputError(code, problem, rows=rows, count=len(rows), cure=cure)


def _matrix(values: Any, name: str, decimal: str) -> ScoreColumn | None:
    """Scores with one column a class; None if the values are one column."""
    framed = columns_of(values, name)
    if framed is not None:
        if len(framed) < 2:
            return None
        names, series = zip(*framed, strict=True)
        return _stacked(series, [f"{name}[{n!r}]" for n in names], name, decimal, names)
    if isinstance(values, list | tuple) and values and all(isinstance(v, list | tuple | np.ndarray) for v in values):
        widths = {len(np.atleast_1d(np.asarray(v, dtype=object))) for v in values}
        if widths == {1}:
            return None
        if len(widths) > 1:
            raise InputError(
                "bad_shape",
                f"{name} has rows of {min(widths)} to {max(widths)} scores",
                cure="give every class a score",
            )
        values = np.array(values, dtype=object)
    if not isinstance(values, np.ndarray) and getattr(values, "ndim", 1) == 2:
        tensor = from_tensor(values, name)
        values = tensor if tensor is not None else np.asarray(values) if hasattr(values, "__array__") else values
    if not isinstance(values, np.ndarray) or values.ndim < 2 or values.shape[1:] == (1,):
        return None
    if values.ndim > 2:
        raise InputError("bad_shape", f"{name} has shape {values.shape}", cure="pass an array (rows, classes)")
    if len(values) == 0 or values.shape[1] == 0:
        raise InputError("no_rows", f"{name} has shape {values.shape}", cure="give at least one row and one column")
    if values.dtype.kind in "biuf" and not isinstance(values, np.ma.MaskedArray):
        copy = np.array(values, dtype=np.float64, order="C")
        return ScoreColumn(name, copy, clip=clip_of(values.dtype))
    columns = [values[:, j] for j in range(values.shape[1])]
    return _stacked(columns, [f"{name}[:, {j}]" for j in range(len(columns))], name, decimal, None)


def _stacked(
    columns: Sequence[Any], titles: Sequence[str], name: str, decimal: str, names: tuple[str, ...] | None
) -> ScoreColumn:
    read = [_column(c, t, decimal) for c, t in zip(columns, titles, strict=True)]
    values = np.ascontiguousarray(np.stack([r.values for r in read], axis=1))
    return ScoreColumn(name, values, columns=names, findings=read[0].findings, clip=max(r.clip for r in read))


def order_columns(scores: ScoreColumn, labels: tuple[Label, ...]) -> Scores:
    """The columns of a score matrix in the order of the labels: by name where they have names."""
    width = scores.values.shape[1]
    listed = ", ".join(show(v, 30) for v in labels[:8])
    if width != len(labels):
        problem = f"{scores.name} has {width} columns and there are {len(labels)} labels ({listed})"
        raise InputError(
            "bad_shape", problem, cure="give one column a label, or declare the classes with labels= (--label)"
        )
    wanted = [str(v) for v in labels]
    if scores.columns is None:
        return scores.values
    if sorted(wanted) != sorted(scores.columns):
        if _unnamed(scores.columns):
            return scores.values
        names = ", ".join(scores.columns[:8])
        problem = f"several scores mean one column a class, and {names} are not named like the labels ({listed})"
        cure = (
            "for one model rename them, or pass an array in the order of the labels; "
            "for several models, compare them (surefold compare)"
        )
        raise InputError("bad_shape", problem, cure=cure)
    order = [scores.columns.index(w) for w in wanted]
    return scores.values if order == list(range(width)) else np.ascontiguousarray(scores.values[:, order])


def refuse_columns_of_unknown_order(scores: ScoreColumn, labels: tuple[Label, ...]) -> None:
    """InputError where columns have no names and labels stand in an order of their own, that of categories.

    Models give their columns in sorted order, whatever the categories of the truth: nobody can tell which one it is.
    """
    if scores.values.ndim == 1 or len(labels) != scores.values.shape[1] or labels == tuple(sorted(labels)):
        return
    if scores.columns is None or (set(scores.columns) != {str(v) for v in labels} and _unnamed(scores.columns)):
        mine, theirs = (", ".join(show(v, 30) for v in order[:8]) for order in (labels, sorted(labels)))
        problem = f"the columns of {scores.name} have no names, and the categories of the labels are in another order "
        problem += f"({mine}) than the sorted one of most models ({theirs})"
        raise InputError("bad_shape", problem, cure=f"name the columns, or say their order with labels=[{theirs}]")


def _unnamed(columns: tuple[str, ...]) -> bool:
    """Whether columns have the names that pandas and polars give to those of an array."""
    return any(columns == tuple(f"{start}{i}" for i in range(len(columns))) for start in ("", "column_"))


def labels_from_scores(scores: Scores, threshold: float | None = None) -> tuple[NDArray[np.uint32], Finding]:
    """Codes made from scores: 1 where `score >= threshold`, or the column of the largest score (the first of equals).

    The threshold is 0.5 where all scores lie in [0, 1]; elsewhere it must be said.

    >>> labels_from_scores(np.array([0.2, 0.5, 0.9]))[0]
    array([0, 1, 1], dtype=uint32)
    """
    if scores.ndim == 2:
        if threshold is not None:
            raise InputError(
                "bad_option",
                "threshold= (--threshold) was given with one column of scores a class",
                cure="leave it out: the largest score decides",
            )
        text = "No labels were given; each row got the class with the largest score."
        return scores.argmax(axis=1).astype(np.uint32), Finding.of("labels_from_scores", text)
    if threshold is None:
        outside = (scores < 0) | (scores > 1)
        if outside.any():
            at = np.flatnonzero(outside)
            *_, guess, cure = likely_scale(scores)
            problem = f"scores such as {scores[at[0]]:g} are no probabilities ({guess}), so 0.5 cannot divide them"
            raise InputError(
                "score_range",
                problem,
                rows=[int(i) + 1 for i in at[:3]],
                count=len(at),
                cure=f"say threshold= (--threshold), or {cure}",
            )
        threshold = 0.5
    text = f"No labels were given; scores of {threshold:g} and above were called positive."
    return (scores >= threshold).astype(np.uint32), Finding.of("labels_from_scores", text, threshold=threshold)


def check_probabilities(
    scores: Scores, name: str = "y_score", rows: NDArray[np.int64] | None = None
) -> tuple[Finding, ...]:
    """Refuse scores that are no probabilities; findings for what is odd and can be answered.

    `rows` are the numbers of the rows that are left, where others were dropped.

    Infinite scores pass: `read_scores` has told of them, they rank, and what needs probabilities is undefined.

    >>> check_probabilities(np.array([0.1, 0.9]))
    ()
    >>> check_probabilities(np.array([12.0, 80.0]))
    Traceback (most recent call last):
    ...
    surefold.errors.InputError: y_score runs from 12 to 80, no probabilities (a scale of 0-100?): rows 1, 2. \
To fix: divide by 100, so that 97 is 0.97. [score_range]
    """
    flat = scores if scores.ndim == 1 else scores.reshape(len(scores), -1)
    with np.errstate(invalid="ignore"):
        outside = ((flat < 0) | (flat > 1)) & np.isfinite(flat)
    if outside.any():
        at = np.flatnonzero(outside if flat.ndim == 1 else outside.any(axis=1))
        raise not_probabilities(flat, name, at)
    if flat.ndim == 1 or not len(flat):
        return ()
    with np.errstate(invalid="ignore"):
        off = np.abs(flat.sum(axis=1) - 1)
    off = np.where(np.isfinite(off), off, 0.0)
    at = np.flatnonzero(off > SUM_NOTED)
    if not len(at):
        return ()
    place = int(off.argmax())
    worst = place + 1 if rows is None else int(rows[place])
    if off[place] > SUM_REFUSED + 1e-12:
        problem = f"rows of {name} do not add up to 1; the worst is row {worst:,} with {flat[place].sum():.6g}"
        raise _sums(problem, np.flatnonzero(off > SUM_REFUSED), rows, flat.shape[1])
    count, total = len(at), float(flat[place].sum())
    text = (
        f"{count:,} rows of {name} add up to 1 only roughly; the worst is row {worst:,} with {total:.6f}. "
        "They were used as given, not rescaled."
    )
    return (Finding.of("probability_sums", text, rows=count, worst_row=worst, worst_sum=total),)


def check_two_columns(
    scores: Scores, name: str = "y_score", rows: NDArray[np.int64] | None = None
) -> tuple[Finding, ...]:
    """Refuse two columns of which the one says something else than the other: only one of them is used."""
    finite = np.isfinite(scores).all(axis=1)
    flat = scores[finite]
    if len(flat) == len(scores) and scores.min() >= 0 and scores.max() <= 1:
        return check_probabilities(scores, name, rows)
    if not len(flat):
        return ()
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.abs(scores.sum(axis=1) - np.median(flat.sum(axis=1)))
    off = np.where(finite, off, 0.0)
    at = np.flatnonzero(~(off <= 1e-6 * np.abs(flat).max()))
    if len(at):
        problem = f"the two columns of {name} are no probabilities and have no common sum, so each ranks in its own way"
        numbers = at[:3] + 1 if rows is None else rows[at[:3]]
        cure = "give probabilities, or one column: that of the positive class less the other"
        raise InputError("score_sums", problem, rows=[int(i) for i in numbers], count=len(at), cure=cure)
    return ()


def _sums(problem: str, at: NDArray[np.intp], rows: NDArray[np.int64] | None, classes: int) -> InputError:
    cure = "divide each row by its sum if the columns are shares, or "
    cure += "assess one class at a time: its column, with pos_label= (--pos-label)"
    if classes == 2:
        cure = "divide each row by its sum if the columns are shares, or pass one column, of the positive class"
    numbers = at[:3] + 1 if rows is None else rows[at[:3]]
    return InputError("score_sums", problem, rows=[int(i) for i in numbers], count=len(at), cure=cure)


def not_probabilities(scores: Scores, name: str = "y_score", at: NDArray[np.intp] | None = None) -> InputError:
    """The refusal of scores outside 0 to 1, with what they look like instead and the cure."""
    low, high, guess, cure = likely_scale(scores)
    problem = f"{name} runs from {low:.9g} to {high:.9g}, no probabilities ({guess})"
    rows = () if at is None else [int(i) + 1 for i in at[:3]]
    return InputError("score_range", problem, rows=rows, count=0 if at is None else len(at), cure=cure)


def likely_scale(scores: Scores) -> tuple[float, float, str, str]:
    """From where to where scores outside 0 to 1 run, what they may be, and how they become probabilities."""
    finite = scores[np.isfinite(scores)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (math.nan, math.nan)
    endless = bool(np.isinf(scores).any())
    if low >= -_ROUNDING and high <= 1 + _ROUNDING and not endless:
        return low, high, "rounding?", "clip them with np.clip(scores, 0, 1)"
    if low < 0 or endless:
        how = "a softmax over the columns" if scores.ndim == 2 and scores.shape[1] > 1 else "1 / (1 + exp(-score))"
        return low, high, "logits or decision values?", f"turn logits into probabilities with {how}"
    if high <= 100:
        return low, high, "a scale of 0-100?", "divide by 100, so that 97 is 0.97"
    return low, high, "counts or decision values?", "give probabilities from 0 to 1"
