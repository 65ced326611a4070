"""Which class is the positive one: said, or plain from {0, 1}, {-1, 1} and bools; never guessed from the alphabet."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.findings import Finding

from .coding import Codes
from .kinds import Label
from .label_set import LabelSet, rows_of_each, value_counts
from .labels import encode_labels

__all__ = ["Positive", "find_positive", "positive_unknown", "rarest"]

#: Pairs (negative, positive) that need no saying. The text forms are what a CSV file holds.
_PLAIN_PAIRS: tuple[tuple[Label, Label], ...] = (
    (0, 1),
    (-1, 1),
    (False, True),
    ("0", "1"),
    ("-1", "1"),
    ("False", "True"),
    ("false", "true"),
    ("FALSE", "TRUE"),
)


@dataclass(frozen=True)
class Positive:
    """The positive class (None: not known), the labels (a missing partner may have been added), what to say."""

    index: int | None
    labels: tuple[Label, ...]
    findings: tuple[Finding, ...] = ()


def find_positive(labels: LabelSet, pos_label: Any, *, with_scores: bool, by_text: bool = False) -> Positive:
    """The positive class, said or plain.

    `with_scores` adds the absent partner of a lone 0 or 1, as scores speak of two classes; `by_text` lets 1 mean '1'.
    """
    if pos_label is not None:
        return _said(labels, pos_label, by_text)
    known = labels.labels
    in_truth = tuple(v for v, seen in zip(known, labels.in_truth, strict=True) if seen)
    guessable = in_truth if len(in_truth) == 2 and not labels.declared else ()
    pair = _plain_pair(known) or _plain_pair(guessable)
    if pair is not None:
        if with_scores and len(known) == 1:
            known = pair
        if pair[1] not in known:
            return Positive(None, known)
        sentence = f"The positive class was taken to be {pair[1]!r}; say another with pos_label= (--pos-label)."
        return Positive(_index(known, pair[1]), known, (Finding.of("positive_class_assumed", sentence),))
    if len(known) == 2:
        there = value_counts(known, labels.truth, times=labels.times)
        sentence = (
            f"No positive class was said for {there}: measures are given per class. "
            f"To have the rest, {_how(known[_rarest(2, labels.truth, labels.times)])}."
        )
        return Positive(None, known, (Finding.of("positive_class_not_said", sentence),))
    return Positive(None, known)


def _index(labels: tuple[Label, ...], label: Label) -> int:
    return next(i for i, v in enumerate(labels) if v == label and type(v) is type(label))


def _plain_pair(labels: tuple[Label, ...]) -> tuple[Label, Label] | None:
    if len(labels) > 2:
        return None
    kinds = {type(v) for v in labels}
    for pair in _PLAIN_PAIRS:
        if kinds == {type(pair[0])} and set(labels) <= set(pair):
            return pair
    return None


def rarest(counts: Iterable[float]) -> int:
    """Which class to suggest as the positive one: the one with the fewest rows, if any; of equals the last."""
    order = sorted((not count, count, -i) for i, count in enumerate(counts))
    return -order[0][-1]


def _rarest(k: int, truth: Codes, times: NDArray[np.int64] | None) -> int:
    return rarest(rows_of_each(k, truth, times))


def _how(label: Label) -> str:
    flag = str(label) if str(label).isalnum() else repr(str(label))
    return f"say pos_label={show(label)} (--pos-label {flag if len(flag) <= 60 else flag[:59] + '…'})"


def _said(labels: LabelSet, pos_label: Any, by_text: bool) -> Positive:
    known = labels.labels
    said = encode_labels([pos_label], "pos_label")
    if said.missing is not None:
        raise InputError("unknown_label", "pos_label is a missing value", cure=_how(known[-1]))
    wanted = str(said.values[0]) if by_text and labels.kind == "text" else said.values[0]
    for i, label in enumerate(known):
        if label == wanted and isinstance(label, str) == isinstance(wanted, str):
            return Positive(i, known)
    if len(known) == 1 and type(wanted) is type(known[0]):
        both = tuple(sorted([known[0], wanted]))
        return Positive(both.index(wanted), both)
    problem = (
        f"pos_label={show(pos_label)} is not a label; there are {value_counts(known, labels.truth, times=labels.times)}"
    )
    said_text = str(wanted)
    if any(isinstance(v, str) and v.strip() == said_text.strip() and v != said_text for v in known):
        raise InputError("unknown_label", problem, cure="strip the spaces with strip_labels=True (--strip-labels)")
    near = [v for v in known if str(v) == str(wanted)]
    near = near or [v for v in known if str(v) in get_close_matches(str(wanted), [str(k) for k in known], n=1)]
    raise InputError("unknown_label", problem, cure=_how(near[0] if near else known[-1]))


def positive_unknown(
    labels: tuple[Label, ...],
    truth: Codes,
    what: str,
    times: NDArray[np.int64] | None = None,
    instead: str = "pass one column of scores a class",
) -> InputError:
    """Scores of one class were given, or a measure of one was asked for, and nobody said which."""
    problem = f"{what} needs a positive class, and none was said for {value_counts(labels, truth, times=times)}"
    cure = _how(labels[_rarest(len(labels), truth, times)])
    if len(labels) != 2:
        cure += f" to assess one class against the rest, or {instead}"
    return InputError("positive_class_unknown", problem, cure=cure)
