"""The only door: whatever a user has -> checked, coded, read-only arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.counting import counted, verb
from surefold.errors import InputError, show
from surefold.findings import Finding

from .coding import Codes, smallest_dtype
from .kinds import Label, matched_text
from .label_findings import label_findings, refuse_nul
from .label_set import LabelSet, Rows, join_labels
from .labels import LabelColumn, encode_labels
from .positive import Positive, find_positive, positive_unknown
from .raw import Mask, first_rows
from .scores import (
    CLIP,
    ScoreColumn,
    check_two_columns,
    labels_from_scores,
    likely_scale,
    order_columns,
    read_scores,
    refuse_columns_of_unknown_order,
)
from .weights import read_groups, read_weights

__all__ = ["Predictions", "same_index"]


#: How far outside 0 to 1 a probability may be by rounding.
DUST = 1e-6


@dataclass(frozen=True, eq=False)
class Predictions:
    """Truth, predictions and scores of the same rows. One that exists is valid; its arrays cannot be written to.

    >>> p = Predictions.of(["cat", "dog", "cat"], ["cat", "cat", "cat"], pos_label="cat")
    >>> p.labels, p.truth.tolist(), p.predicted.tolist(), p.pos_label
    (('cat', 'dog'), [0, 1, 0], [0, 0, 0], 'cat')
    """

    truth: Codes
    predicted: Codes | None
    scores: NDArray[np.float64] | None
    labels: tuple[Label, ...]
    weights: NDArray[np.float64] | None = None
    groups: NDArray[np.intp] | None = None
    rows: NDArray[np.int64] | None = None
    positive: int | None = None
    declared: bool = False
    findings: tuple[Finding, ...] = ()
    clip: float = CLIP  # of the logarithm of scores

    def __post_init__(self) -> None:
        for array in (self.truth, self.predicted, self.scores, self.weights, self.groups, self.rows):
            if array is not None:
                array.setflags(write=False)

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.truth)

    @property
    def weighing(self) -> Predictions:
        """The same without the rows of weight zero, whose scores no sum should meet: 0 times infinity is no 0."""
        if self.weights is None or self.weights.all():
            return self
        return self.kept(self.weights > 0)

    def kept(self, held: Mask | NDArray[np.intp]) -> Predictions:
        """The same of some rows; groups are numbered anew."""
        kept: dict[str, Any] = {}
        for column in ("truth", "predicted", "scores", "weights", "rows"):
            values = getattr(self, column)
            kept[column] = None if values is None else values[held]
        groups = None if self.groups is None else np.unique(self.groups[held], return_inverse=True)[1]
        return replace(self, **kept, groups=groups)

    @property
    def pos_label(self) -> Label | None:
        """The label of the positive class, if one is known."""
        return None if self.positive is None else self.labels[self.positive]

    @classmethod
    def of(
        cls,
        y_true: Any,
        y_pred: Any = None,
        *,
        y_score: Any = None,
        labels: Sequence[Any] | None = None,
        pos_label: Any = None,
        sample_weight: Any = None,
        groups: Any = None,
        threshold: float | None = None,
        drop_missing: bool = False,
        strip_labels: bool = False,
        ignore_case: bool = False,
        cast_labels: bool = False,
        names: tuple[str, str, str] = ("y_true", "y_pred", "y_score"),
        times: NDArray[np.int64] | None = None,
    ) -> Predictions:
        """Check and code one set of predictions; `names` is what messages call the first three arguments.

        With `y_score` alone, labels are made from the scores where that can be done; a finding says how, or why not.
        `times` says that each row given stands for so many: messages and findings then count those.
        """
        if y_pred is None and y_score is None:
            raise InputError(
                "bad_option", f"neither {names[1]} nor {names[2]} was given",
                cure="pass predicted labels as y_pred= (--pred) or scores as y_score= (--score)",
            )  # fmt: skip
        if threshold is not None and (y_pred is not None or y_score is None):
            raise InputError(
                "bad_option", "threshold= (--threshold) was given beside predicted labels",
                cure="leave one of them out: a threshold makes labels from scores",
            )  # fmt: skip
        if threshold is not None and not (isinstance(threshold, int | float | np.number) and threshold == threshold):
            raise InputError("bad_option", f"threshold={show(threshold)} is no number", cure="say threshold=0.5")
        columns = [(names[0], y_true), (names[1], y_pred), (names[2], y_score)]
        same_index([*columns, ("sample_weight", sample_weight), ("groups", groups)])
        truth = encode_labels(y_true, names[0], cast=cast_labels)
        predicted = None if y_pred is None else encode_labels(y_pred, names[1], cast=cast_labels)
        scores = None if y_score is None else read_scores(y_score, names[2])
        weights = None if sample_weight is None else read_weights(sample_weight)
        group_codes = None if groups is None else read_groups(groups)
        _same_length(
            [(names[0], truth), (names[1], predicted), (names[2], scores)],
            [("sample_weight", weights), ("groups", group_codes)],
        )
        findings: list[Finding] = []
        keep = _keep(truth, predicted, scores, drop_missing, findings)
        kept_rows: NDArray[np.int64] | None = None
        if keep is not None:
            kept_rows = np.flatnonzero(keep) + 1
            truth = truth.kept(keep)
            predicted = None if predicted is None else predicted.kept(keep)
            scores = None if scores is None else scores.kept(keep)
            weights = None if weights is None else weights[keep]
            group_codes = None if group_codes is None else np.unique(group_codes[keep], return_inverse=True)[1]
        rows = Rows(kept_rows, times)
        label_set = join_labels(truth, predicted, labels, rows, cast=cast_labels, strip=strip_labels, fold=ignore_case)
        pos_label = pos_label.casefold() if ignore_case and isinstance(pos_label, str) else pos_label
        refuse_nul(label_set, rows)
        if scores is not None and scores.columns is not None:  # columns are found by the names of the labels
            columns_named = tuple(matched_text(c, strip_labels, ignore_case) for c in scores.columns)
            scores = replace(scores, columns=columns_named)
        findings += [*label_set.findings, *label_findings(label_set, rows)]
        one_column = scores is not None and (scores.values.ndim == 1 or scores.values.shape[1] == 2)
        positive = find_positive(label_set, pos_label, with_scores=one_column and labels is None, by_text=cast_labels)
        findings += positive.findings
        if scores is not None and labels is None:
            refuse_columns_of_unknown_order(scores, positive.labels)
        made, values = _scored(label_set, positive, scores, predicted is None, threshold, findings, kept_rows)
        truth_codes, predicted_codes = _renumbered(label_set, positive.labels)
        result = cls(
            truth=truth_codes,
            predicted=made if predicted_codes is None else predicted_codes,
            scores=values,
            labels=positive.labels,
            weights=weights,
            groups=group_codes,
            rows=kept_rows,
            positive=positive.index,
            declared=labels is not None,
            clip=CLIP if scores is None else scores.clip,
        )
        findings += _data_findings(result, label_set)
        object.__setattr__(result, "findings", tuple(findings))
        return result


def same_index(columns: Sequence[tuple[str, Any]], *, others: bool = False) -> None:
    """Columns that name their rows, as pandas' do, must name them alike: rows are taken by place, not by name.

    With `others` they may have other names, but not the same in another order.
    """
    named = [(name, c.index) for name, c in columns if hasattr(getattr(c, "index", None), "equals")]
    for name, index in named[1:]:
        first, other = named[0]
        if len(index) == len(other) and not other.equals(index):
            shuffled = _same_names(index, other)
            if others and not shuffled:
                continue
            how = "the same names in another order" if shuffled else "other names"
            problem = f"the rows of {name} are named differently from those of {first}: {how}"
            cure = f"put them in the same order, as with column.loc[{first}.index]; if they are, pass .to_numpy()"
            raise InputError("different_rows", problem, cure=cure)


def _same_names(first: Any, second: Any) -> bool:
    return bool(first.isin(second).all() and second.isin(first).all())


def _same_length(named: list[tuple[str, LabelColumn | ScoreColumn | None]], plain: list[tuple[str, Any]]) -> None:
    lengths = {name: c.n for name, c in named if c is not None} | {n: len(a) for n, a in plain if a is not None}
    if len(set(lengths.values())) > 1:
        listed = ", ".join(f"{name} has {n:,}" for name, n in lengths.items())
        raise InputError("length_mismatch", f"different numbers of rows: {listed}", cure="pass the same rows to each")


def _keep(
    truth: LabelColumn,
    predicted: LabelColumn | None,
    scores: ScoreColumn | None,
    drop_missing: bool,
    findings: list[Finding],
) -> Mask | None:
    drop: Mask | None = None
    parts: list[str] = []
    for column, what in ((truth, "label"), (predicted, "label"), (scores, "score")):
        if column is None or column.missing is None:
            continue
        rows, count = first_rows(column.missing)
        if not drop_missing:
            raise InputError(
                f"missing_{what}", f"{column.name} has missing {what}s", rows=rows, count=count,
                cure="drop them with drop_missing=True (--drop-missing)",
            )  # fmt: skip
        parts.append(f"{count:,} without {column.name}")
        drop = column.missing if drop is None else drop | column.missing
    if drop is None:
        return None
    dropped = int(np.count_nonzero(drop))
    if dropped == truth.n:
        raise InputError("no_rows", f"every one of the {dropped:,} rows misses a value", cure="check the columns")
    sentence = f"{dropped:,} of {counted(truth.n, 'row')} {verb(dropped, 'was', 'were')} left out: {', '.join(parts)}."
    findings.append(Finding.of("dropped_missing", sentence, dropped=dropped, rows=first_rows(drop)[0]))
    return ~drop


def _scored(
    labels: LabelSet,
    positive: Positive,
    scores: ScoreColumn | None,
    needs_labels: bool,
    threshold: float | None,
    findings: list[Finding],
    rows: NDArray[np.int64] | None,
) -> tuple[Codes | None, NDArray[np.float64] | None]:
    """Predicted codes made from the scores (where they are needed and can be made), and the scores to keep."""
    if scores is None:
        return None, None
    findings += scores.findings
    known = positive.labels
    values = scores.values
    if (
        values.size
        and not (values.min() >= 0 and values.max() <= 1)
        and values.min() > -DUST
        and values.max() < 1 + DUST
    ):
        outside = int(np.count_nonzero((values < 0) | (values > 1)))
        values = np.clip(values, 0.0, 1.0)
        scores = replace(scores, values=values)
        were = verb(outside, "was", "were")
        text = f"{counted(outside, 'value')} of {scores.name} {were} a hair outside 0 to 1 and set to 0 or 1."
        findings.append(Finding.of("rounded_probabilities", text))
    if values.ndim == 2:
        values = order_columns(scores, known)
        if len(known) == 2:
            if positive.index is None:
                raise positive_unknown(known, labels.truth, scores.name, labels.times)
            findings += check_two_columns(values, scores.name, rows)
            values = np.ascontiguousarray(values[:, positive.index])
    elif positive.index is None:
        raise positive_unknown(known, labels.truth, scores.name, labels.times)
    if not needs_labels:
        return None, values
    if values.ndim == 1 and len(known) > 2:
        text = (
            f"{scores.name} speaks of {show(known[positive.index or 0])} alone, so no label could be made for each row."
        )
        findings.append(Finding.of("no_labels", text))
        return None, values
    try:
        made, note = labels_from_scores(values, threshold)
    except InputError as error:
        if error.code != "score_range":
            raise
        *_, guess, _ = likely_scale(values)
        text = f"{scores.name} goes outside 0 to 1 ({guess}), so no labels were made; to have them, {error.cure}."
        findings.append(Finding.of("no_labels", text))
        return None, values
    findings.append(note)
    codes = made.astype(smallest_dtype(len(known)))
    if values.ndim == 1:
        codes = codes if positive.index == len(known) - 1 else 1 - codes
        codes = np.zeros_like(codes) if len(known) == 1 else codes
    return codes, values


def _renumbered(labels: LabelSet, known: tuple[Label, ...]) -> tuple[Codes, Codes | None]:
    """The codes, moved up by one where a partner was put before the only label."""
    if known == labels.labels or known[0] == labels.labels[0]:
        return labels.truth, labels.predicted
    one = labels.truth.dtype.type(1)
    return labels.truth + one, None if labels.predicted is None else labels.predicted + one


def _data_findings(p: Predictions, labels: LabelSet) -> list[Finding]:
    found: list[Finding] = []
    if p.n == 1:
        found.append(Finding.of("single_row", "There is one row."))
    if sum(labels.in_truth) == 1:
        only = labels.labels[labels.in_truth.index(True)]
        found.append(
            Finding.of("single_class", f"Every row's true class is {show(only)}; what needs two is undefined.")
        )
    if p.weights is not None and p.weights.min() == 0:
        left = set(np.unique(p.truth[p.weights > 0]).tolist())
        gone = [p.labels[c] for c in np.unique(p.truth).tolist() if c not in left]
        if gone:
            listed = ", ".join(show(g) for g in gone[:5])
            found.append(Finding.of("weight_removes_class", f"All rows of {listed} have weight zero.", labels=gone))
    if p.groups is not None and p.n > 1 and int(p.groups.max()) + 1 == p.n:
        found.append(Finding.of("one_group_each", "Every row is its own group, so grouping changes nothing."))
    return found
