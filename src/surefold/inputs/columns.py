"""Which columns of a table hold truth, prediction and scores; and the Predictions they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.findings import Finding

from .predictions import Predictions
from .scores import parse_numbers
from .tables import Table

if TYPE_CHECKING:
    import polars

__all__ = [
    "Columns",
    "as_in_column",
    "class_names",
    "find_columns",
    "number_column",
    "predictions_from_table",
    "score_table",
]

_TRUTH = ("y_true", "ytrue", "truth", "true", "true_label", "true_class", "actual", "actuals", "ground_truth", "gold",
          "actual_class", "actual_label",
          "observed", "reference", "target", "label", "class", "y", "outcome", "response")  # fmt: skip
_PRED = ("y_pred", "ypred", "y_hat", "yhat", "pred", "prediction", "predictions", "predicted", "predicted_label",
         "predicted_class", "pred_label", "pred_class", "estimate", "output", "model")  # fmt: skip
_SCORE = ("y_score", "yscore", "score", "scores", "y_prob", "y_proba", "prob", "proba", "probability", "probabilities",
          "confidence", "s", "p", "p1", "p_1", "prob_1", "proba_1", "score_1", "logit", "decision")  # fmt: skip
_SCORE_PREFIX = re.compile(r"(p|prob|proba|probability|score|y_score|y_prob|y_proba)[_. ]")


@dataclass(frozen=True)
class Columns:
    """The columns in use; `scores` has one name, or one a class."""

    truth: str
    predicted: str | None = None
    scores: tuple[str, ...] = ()
    guessed: bool = False

    def __str__(self) -> str:
        parts = [f"truth={self.truth}"]
        parts += [f"pred={self.predicted}"] if self.predicted is not None else []
        parts += [f"score={','.join(self.scores)}"] if self.scores else []
        return "  ".join(parts)


def find_columns(
    table: Table, truth: str | None = None, pred: str | None = None, score: str | Sequence[str] | None = None
) -> Columns:
    """The columns that were said, and for those that were not a guess by name, then by content."""
    said_scores = () if score is None else tuple(score) if isinstance(score, list | tuple) else (score,)
    if truth is not None and (pred is not None or said_scores):
        for name in (truth, *((pred,) if pred is not None else ()), *said_scores):
            table.name_of(name)
        return Columns(truth, pred, said_scores)
    taken = {table.name_of(n) for n in (truth, pred, *said_scores) if n is not None}
    free = [c for c in dict.fromkeys(table.columns) if c not in taken]
    if truth is None:
        truth = _by_name(table, free, _TRUTH, "truth", "--truth")
        if truth is None:
            raise _no_guess(table, "truth", "--truth")
        free.remove(truth)
    guessed_pred, guessed_scores = pred, said_scores
    if pred is None and not said_scores:
        guessed_pred = _by_name(table, free, _PRED, "pred", "--pred")
        guessed_scores = _score_columns(table, [c for c in free if c != guessed_pred])
        if guessed_pred is None and not guessed_scores:
            guessed_pred = _by_content(table, truth, free)
        if guessed_pred is None and not guessed_scores:
            raise _no_guess(table, "prediction or score", "--pred or --score")
    spelled = [None if c is None else _unpadded(table, c) for c in (truth, guessed_pred, *guessed_scores)]
    return Columns(spelled[0] or truth, spelled[1], tuple(s for s in spelled[2:] if s is not None), guessed=True)


def _unpadded(table: Table, column: str) -> str:
    """The name without the spaces around it, unless another column has that name."""
    stripped = column.strip()
    return stripped if sum(c.strip() == stripped for c in table.columns) == 1 else column


def _by_name(table: Table, free: list[str], known: Sequence[str], what: str, flag: str) -> str | None:
    folded: dict[str, list[str]] = {}
    for column in free:
        folded.setdefault(_folded(column), []).append(column)
    for name in known:
        found = folded.get(name, [])
        if len(found) == 1:
            return found[0]
        if found:
            listed = " or ".join(show(f) for f in found)
            raise InputError("unknown_column", f"{listed} could hold the {what}", source=table.path,
                             cure=f"say which with {flag}")  # fmt: skip
    return None


def _folded(column: str) -> str:
    return re.sub(r"[\s.\-]+", "_", column.strip().casefold())


def _score_columns(table: Table, free: list[str]) -> tuple[str, ...]:
    named = [c for n in _SCORE for c in free if _folded(c) == n]
    if named:
        return (named[0],)
    numeric = [c for c in free if table.columns.count(c) == 1 and _looks_like_scores(table.column(c))]
    prefixed = [c for c in numeric if _SCORE_PREFIX.match(_folded(c))]
    if prefixed:
        return tuple(prefixed)
    return tuple(numeric) if len(numeric) == 1 else ()


def _looks_like_scores(column: polars.Series) -> bool:
    """Numbers, and not all of them whole, in the first thousand rows."""
    import polars

    head = column.head(1000)
    if not (head.dtype == polars.String or head.dtype.is_numeric()):
        return False
    if head.dtype == polars.String:
        head = head.str.strip_chars().str.replace(",", ".", literal=True)
    numbers = head.cast(polars.Float64, strict=False)
    if numbers.null_count() > head.null_count() or numbers.is_nan().any():
        return False
    values = numbers.drop_nulls().to_numpy()
    return bool(len(values) and (np.rint(values) != values).any())


def _by_content(table: Table, truth: str, free: list[str]) -> str | None:
    """The one other column all of whose values occur in the truth."""
    if table.columns.count(table.name_of(truth)) > 1:
        return None
    known = set(table.column(truth).unique().to_list())
    alike = [
        c for c in free if table.columns.count(c) == 1 and known & (seen := set(table.column(c).head(1000).to_list()))
        and len(seen - known) <= len(known)
    ]  # fmt: skip
    if len(alike) > 1:
        listed = " or ".join(show(a) for a in alike[:6])
        raise InputError("unknown_column", f"{listed} could hold the prediction", source=table.path,
                         cure="say which with --pred")  # fmt: skip
    return alike[0] if alike else None


def _no_guess(table: Table, what: str, flag: str) -> InputError:
    problem = f"no column could be guessed for the {what}; there are {table.listed()}"
    if all(re.fullmatch(r"\s*[+-]?\d*\.?\d+\s*", c) for c in table.columns):
        problem += " (is the header line missing?)"
    return InputError("unknown_column", problem, source=table.path, cure=f"say which with {flag}")


def predictions_from_table(
    table: Table,
    columns: Columns,
    *,
    pos_label: Any = None,
    weight: str | None = None,
    group: str | None = None,
    labels: Sequence[Any] | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
    threshold: float | None = None,
) -> Predictions:
    """Predictions from columns of a table; complaints name the file, the column and the lines."""
    truth = table.column(columns.truth)
    predicted = None if columns.predicted is None else table.column(columns.predicted)
    score_name = ", ".join(repr(s) for s in columns.scores)
    try:
        made = Predictions.of(
            truth,
            predicted,
            y_score=score_table(table, columns.scores) if columns.scores else None,
            labels=None if labels is None else [as_in_column(v, truth) for v in labels],
            pos_label=as_in_column(pos_label, truth),
            sample_weight=None if weight is None else number_column(table, weight),
            groups=None if group is None else table.column(group),
            threshold=threshold,
            drop_missing=drop_missing,
            strip_labels=strip_labels,
            ignore_case=ignore_case,
            cast_labels=cast_labels,
            names=(f"column {columns.truth!r}", f"column {columns.predicted!r}", f"column {score_name}"),
        )
    except InputError as error:
        if columns.guessed and columns.predicted is not None and columns.scores:
            # The score column was our guess, and labels are there: go on without it, and say so.
            without = predictions_from_table(
                table, replace(columns, scores=()), pos_label=pos_label, weight=weight, group=group, labels=labels,
                drop_missing=drop_missing, strip_labels=strip_labels, ignore_case=ignore_case, cast_labels=cast_labels,
            )  # fmt: skip
            text = f"Column {score_name} looks like scores and was not used: {error.problem}."
            return replace(without, findings=(*without.findings, Finding.of("scores_not_used", text)))
        raise table.locate(error) from None
    findings = [*table.findings]
    if columns.guessed:
        findings.append(Finding.of("guessed_columns", f"{columns}; override with --truth/--pred/--score"))
    return replace(made, findings=(*findings, *made.findings))


def as_in_column(value: Any, column: polars.Series) -> Any:
    """Text typed on a command line as the kind of value the column holds."""
    if not isinstance(value, str):
        return str(value) if value is not None and str(column.dtype) == "String" else value
    if column.dtype.is_integer() or column.dtype.is_float():
        return int(value) if re.fullmatch(r"[+-]?\d+", value.strip()) else value
    if str(column.dtype) == "Boolean":
        return {"true": True, "1": True, "false": False, "0": False}.get(value.strip().casefold(), value)
    return value


def score_table(table: Table, names: Sequence[str]) -> Any:
    """Columns of scores as numbers: an array of one, of several a frame with names less what all of them begin with."""
    arrays = [_score_column(table, name) for name in names]
    if len(arrays) == 1:
        return arrays[0]
    import polars

    return polars.DataFrame(dict(zip(class_names(names), arrays, strict=True)))


def class_names(columns: Sequence[str]) -> list[str]:
    """What columns of one model's scores are called, less what all of them begin with.

    >>> class_names(["p_cat", "p_dog"])
    ['cat', 'dog']
    """
    first, last = min(columns), max(columns)  # what these two share, all share
    shared = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))
    prefix = first[: max(first.rfind(c, 0, shared) for c in "_. ") + 1]
    return [name.removeprefix(prefix) for name in columns]


def _score_column(table: Table, name: str) -> NDArray[np.floating[Any]]:
    """A column of scores, in single precision where it came so: what that rounds away is told by the door."""
    import polars

    numbers = number_column(table, name)
    return numbers.astype(np.float32) if table.column(name).dtype == polars.Float32 else numbers


def number_column(table: Table, name: str) -> NDArray[np.float64]:
    """A column as float64 with NaN where it is blank; InputError with the rows that are no number."""
    import polars

    column = table.column(name)
    title = f"column {name!r}"
    if column.dtype != polars.String:
        if not (column.dtype.is_numeric() or column.dtype == polars.Boolean):
            problem = f"{title} holds {column.dtype} values, not numbers"
            raise InputError("number_format", problem, rows=[1], count=table.n, cure="choose a column of numbers")
        return column.cast(polars.Float64).fill_null(float("nan")).to_numpy()
    plain = column
    if table.decimal == ",":
        plain = column.str.replace_all(".", "?", literal=True).str.replace(",", ".", literal=True)
    numbers = plain.cast(polars.Float64, strict=False).fill_null(float("nan")).to_numpy().copy()
    odd = np.flatnonzero(~np.isfinite(numbers))
    if len(odd):
        numbers[odd] = parse_numbers(column.gather(odd).to_list(), title, table.decimal, (odd + 1).tolist(), table.n)
    return numbers
