"""Truth and prediction -> one list of labels and codes into it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.findings import Finding

from .coding import Codes, remap
from .kinds import Kind, Label, matched_text
from .labels import LabelColumn, encode_labels
from .raw import Mask

__all__ = ["LabelSet", "Rows", "join_labels", "rows_of_each", "value_counts"]


@dataclass(frozen=True)
class Rows:
    """Says which data row (1-based) stands at a position, also after rows were dropped.

    With `times`, a position stands for so many rows, which have no numbers here.
    """

    kept: NDArray[np.int64] | None = None
    times: NDArray[np.int64] | None = None

    def first(self, mask: Mask) -> tuple[list[int], int]:
        """The numbers of the first rows of a mask, and how many rows it has in all."""
        if self.times is not None:
            return [], int(self.times[mask].sum())
        at = np.flatnonzero(mask)
        return [int(i) + 1 if self.kept is None else int(self.kept[i]) for i in at[:3]], len(at)


@dataclass(frozen=True)
class LabelSet:
    """Labels in order, the codes of both columns into them, and what was noticed on the way."""

    labels: tuple[Label, ...]
    kind: Kind
    truth: Codes
    predicted: Codes | None
    in_truth: tuple[bool, ...]  # which labels occur in the truth
    declared: bool  # the labels were listed by somebody
    findings: tuple[Finding, ...]
    times: NDArray[np.int64] | None = None  # how many rows each position stands for, if not one


def join_labels(
    truth: LabelColumn,
    predicted: LabelColumn | None,
    declared: Sequence[Any] | None,
    rows: Rows,
    *,
    cast: bool = False,
    strip: bool = False,
    fold: bool = False,
) -> LabelSet:
    """One list of labels for both columns: the declared ones in their order, else the sorted union."""
    columns = [truth] if predicted is None else [truth, predicted]
    names = None if declared is None else _declared(declared, cast)
    findings = [f for c in columns for f in c.findings]
    if names is not None:
        columns.append(names)
    columns = _one_kind(columns, cast, findings)
    if cast and columns[0].kind == "text":
        columns = [_whole_numbers(c, findings) for c in columns]
    if (strip or fold) and columns[0].kind == "text":
        columns = [_matched(c, strip, fold, findings) for c in columns]
    if names is not None:
        names = columns.pop()
    truth = columns[0]
    predicted = columns[1] if len(columns) > 1 else None
    labels = tuple(names.values) if names is not None else _union(truth, predicted)
    number = {label: i for i, label in enumerate(labels)}
    if names is not None:
        for column in columns:
            _refuse_undeclared(column, number, labels, rows)
        _note_unused(labels, columns, findings)
    codes = [remap(c.codes, [number[v] for v in c.values], len(labels)) for c in columns]
    seen = set(truth.values)
    in_truth = tuple(label in seen for label in labels)
    if predicted is not None:
        findings.extend(_unseen(labels, in_truth, predicted, codes[1], rows))
    called = codes[1] if predicted else None
    return LabelSet(labels, truth.kind, codes[0], called, in_truth, declared is not None, tuple(findings), rows.times)


def _declared(labels: Sequence[Any], cast: bool) -> LabelColumn:
    column = encode_labels(labels, "labels", cast=cast)
    if column.missing is not None:
        raise InputError("bad_option", "labels holds a missing value", cure="leave it out of labels= (--label)")
    if len(column.values) != column.n:
        repeated = column.values[int(np.bincount(column.codes).argmax())]
        raise InputError("bad_option", f"labels lists {show(repeated)} twice", cure="name each label once")
    ordered = [column.values[c] for c in column.codes]
    return replace(column, codes=np.arange(column.n).astype(column.codes.dtype), values=ordered)


def _one_kind(columns: list[LabelColumn], cast: bool, findings: list[Finding]) -> list[LabelColumn]:
    kinds = {c.kind for c in columns}
    if len(kinds) == 1:
        return columns
    if kinds == {"bool", "int"}:
        bools = " and ".join(c.name for c in columns if c.kind == "bool")
        findings.append(Finding.of("bool_as_int", f"{bools} holds bools; True was read as 1 and False as 0."))
        return [c.as_ints() if c.kind == "bool" else c for c in columns]
    if not cast:
        raise _kinds_differ(columns)
    casted = " and ".join(c.name for c in columns if c.kind != "text")
    findings.append(Finding.of("cast_labels", f"The labels of {casted} were matched by their text."))
    return [c.as_text() for c in columns]


def _kinds_differ(columns: list[LabelColumn]) -> InputError:
    first = columns[0]
    other = next(c for c in columns if c.kind != first.kind)
    problem = (
        f"{first.name} holds {_KIND_NAMES[first.kind]} such as {show(first.values[0])} and {other.name} holds "
        f"{_KIND_NAMES[other.kind]} such as {show(other.values[0])}"
    )
    ours, theirs = {str(v) for v in first.values}, {str(v) for v in other.values}
    if ours == theirs:
        problem += "; as text they match one to one"
    elif alone := sorted(ours ^ theirs):
        problem += f"; as text {_some(alone)} would have no match on the other side"
    return InputError(
        "label_types_differ",
        problem,
        rows=[1],
        count=first.n,
        cure="give both one type, or match them as text with cast_labels=True (--cast-labels)",
    )


_WHOLE = re.compile(r"[+-]?\d+\.0+")
_KIND_NAMES: dict[Kind, str] = {"bool": "bools", "int": "ints", "text": "text"}


def _some(values: Sequence[object], most: int = 5) -> str:
    shown = ", ".join(show(v, 30) for v in values[:most])
    return shown if len(values) <= most else f"{shown} and {len(values) - most:,} more"


def _whole_numbers(column: LabelColumn, findings: list[Finding]) -> LabelColumn:
    """Text such as '1.0' as '1', so that it meets an int written by another program."""
    plain: list[Label] = [re.sub(r"(?<=\d)\.0+$", "", v) if _WHOLE.fullmatch(v := str(u)) else u for u in column.values]
    if plain == column.values:
        return column
    findings.append(Finding.of("cast_labels", f"Whole numbers of {column.name} written with .0 were read without it."))
    return replace(column.with_values(plain, "text"), categories=())


def _matched(column: LabelColumn, strip: bool, fold: bool, findings: list[Finding]) -> LabelColumn:
    """Labels without the spaces and the case that were asked to be overlooked."""
    texts = [str(v) for v in column.values]
    spaced = [v for v in texts if strip and v != v.strip()]
    cased = [v for v in texts if fold and v != v.casefold()]
    for code, changed, told in (("stripped_labels", spaced, "Spaces around"), ("folded_labels", cased, "Capitals in")):
        if changed:
            what = "were stripped" if code == "stripped_labels" else "were read as small letters"
            text = f"{told} {len(changed)} label{'s' * (len(changed) > 1)} of {column.name} {what}: {_some(changed)}."
            findings.append(Finding.of(code, text, labels=changed[:20]))
    if not spaced and not cased:
        return column
    merged = column.with_values([matched_text(v, strip, fold) for v in texts], "text")
    return replace(merged, categories=tuple(dict.fromkeys(matched_text(v, strip, fold) for v in column.categories)))


def _union(truth: LabelColumn, predicted: LabelColumn | None) -> tuple[Label, ...]:
    own = set(truth.values)
    extra = [] if predicted is None else [v for v in predicted.values if v not in own]
    if not truth.in_order:
        return tuple(sorted([*truth.values, *extra]))
    used = {*own, *extra}
    listed = [v for v in truth.categories if v in used]
    categories = set(truth.categories)
    rest = [v for v in extra if v not in categories]
    return (*listed, *(rest if predicted is not None and predicted.in_order else sorted(rest)))


def _refuse_undeclared(column: LabelColumn, number: dict[Label, int], labels: tuple[Label, ...], rows: Rows) -> None:
    unknown = [v for v in column.values if v not in number]
    if not unknown:
        return
    at, count = rows.first(np.isin(column.codes, [i for i, v in enumerate(column.values) if v not in number]))
    problem = f"{column.name} holds {_some(unknown)}, not among the declared labels {_some(labels)}"
    near = get_close_matches(str(unknown[0]), [str(v) for v in labels], n=1)
    cure = "add it to labels= (--label)" + (f"; did you mean {show(near[0])}?" if near else "")
    raise InputError("unknown_label", problem, rows=at, count=count, cure=cure)


def _note_unused(labels: tuple[Label, ...], columns: Iterable[LabelColumn], findings: list[Finding]) -> None:
    used = {v for c in columns for v in c.values}
    unused = [v for v in labels if v not in used]
    if unused:
        one = len(unused) == 1
        are, stay = ("label occurs", "stays") if one else ("labels occur", "stay")
        text = f"{len(unused)} declared {are} in no row and {stay} in the tables: {_some(unused)}."
        findings.append(Finding.of("unused_label", text, labels=unused[:20]))


def _unseen(
    labels: tuple[Label, ...], in_truth: tuple[bool, ...], predicted: LabelColumn, codes: Codes, rows: Rows
) -> list[Finding]:
    held = set(predicted.values)
    unseen_codes = [i for i, v in enumerate(labels) if not in_truth[i] and v in held]
    if not unseen_codes:
        return []
    unseen = [labels[i] for i in unseen_codes]
    at, count = rows.first(np.isin(codes, unseen_codes))
    verb = "was" if len(unseen) == 1 else "were"
    places = f" (row{'s' * (count > 1)} {', '.join(f'{r:,}' for r in at)}{', …' * (count > len(at))})" if at else ""
    text = (
        f"{_some(unseen)} {verb} predicted in {count:,} row{'s' * (count > 1)}{places} and never occur"
        f"{'s' * (len(unseen) == 1)} in the truth."
    )
    return [Finding.of("unseen_label", text, labels=unseen[:20], count=count, rows=at)]


def rows_of_each(k: int, codes: Codes, times: NDArray[np.int64] | None = None) -> list[int]:
    """How many rows have each of the k labels."""
    if times is not None:
        return [int(times[codes == i].sum()) for i in range(k)]
    if k <= 8:
        return [int(np.count_nonzero(codes == i)) for i in range(k)]
    return [int(count) for count in np.bincount(codes, minlength=k)]


def value_counts(labels: Sequence[Label], codes: Codes, most: int = 6, times: NDArray[np.int64] | None = None) -> str:
    """`'no' (95), 'yes' (5)`: how often each label occurs, for messages."""
    counts = rows_of_each(len(labels), codes, times)
    order = sorted(range(len(labels)), key=lambda i: -counts[i]) if len(labels) > most else range(len(labels))
    shown = ", ".join(f"{show(labels[i], 30)} ({counts[i]:,})" for i in list(order)[:most])
    return shown if len(labels) <= most else f"{shown} and {len(labels) - most:,} more"
