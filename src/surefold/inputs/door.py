"""What the door needs to know, as values: how labels are read, which columns hold what, how rows are read.

With a source columns are names; without one they are the values themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from surefold.errors import InputError, show

from .kinds import Label
from .raw import raw_column

__all__ = ["ONLY", "Answers", "Columns", "Door", "OfClasses", "Reading"]

C = TypeVar("C")

#: The name of a model that nobody named.
ONLY = ""


@dataclass(frozen=True)
class Door:
    """How labels are read: which there are, which is positive, and how they are matched; checked when made.

    `threshold` makes labels of scores: positive from there on.

    >>> Door(pos_label="spam", strip_labels=True).pos_label
    'spam'
    """

    labels: tuple[Label, ...] | None = None
    pos_label: Label | None = None
    threshold: float | None = None
    drop_missing: bool = False
    strip_labels: bool = False
    ignore_case: bool = False
    cast_labels: bool = False

    def __post_init__(self) -> None:
        t = self.threshold
        if t is not None and not (isinstance(t, int | float | np.number) and t == t):
            raise InputError("bad_option", f"threshold={show(t)} is no number", cure="say threshold=0.5")

    @classmethod
    def of(cls, labels: Sequence[Label] | None = None, **options: Any) -> Door:
        """The same from labels in any form that a column may have; a set of them has no order."""
        return cls(None if labels is None else _listed(labels), **options)

    @property
    def matching(self) -> dict[str, Any]:
        """What is left out, and how labels are matched, by the names that the door has for it."""
        names = ("drop_missing", "strip_labels", "ignore_case", "cast_labels")
        return {name: getattr(self, name) for name in names}


def _listed(labels: Any) -> tuple[Any, ...]:
    if isinstance(labels, tuple):
        return labels
    raw = raw_column(labels, "labels")
    values: list[Any] = raw.data if isinstance(raw.data, list) else raw.data.tolist()
    if raw.categories is not None:
        values = [raw.categories[code] for code in values]
    if raw.missing is not None:
        values = [None if gone else value for value, gone in zip(values, raw.missing, strict=True)]
    return tuple(values)


class OfClasses(tuple[str, ...]):
    """Columns of one model's scores, one a class, where a single column may stand as well.

    >>> str(OfClasses(["p_cat", "p_dog"]))
    'p_cat, p_dog'
    """

    __slots__ = ()

    @classmethod
    def named(cls, columns: str | Sequence[str]) -> str | OfClasses:
        """One column by its name, or several."""
        return cls(map(str, columns)) if isinstance(columns, list | tuple) else str(columns)

    def __str__(self) -> str:
        return ", ".join(self)


@dataclass(frozen=True)
class Answers(Generic[C]):
    """One model's answers: labels, scores (one column, or one a class), or both."""

    pred: C | None = None
    scores: tuple[C, ...] = ()


@dataclass(frozen=True)
class Columns(Generic[C]):
    """What holds the truth, each model's answers, weights, groups (by factor) and what rows are sliced by.

    >>> str(Columns.of_one("y", "called", ("p",)))
    'truth=y  pred=called  score=p'
    """

    truth: C | None
    models: Mapping[str, Answers[C]] = field(default_factory=dict)
    weights: C | None = None
    groups: Mapping[str, C] = field(default_factory=dict)
    by: Mapping[str, C] = field(default_factory=dict)
    guessed: bool = False

    @classmethod
    def of_one(
        cls,
        truth: C | None,
        pred: C | None = None,
        scores: Sequence[C] = (),
        *,
        weights: C | None = None,
        groups: C | None = None,
        by: Mapping[str, C] | None = None,
    ) -> Columns[C]:
        """Of one model, which needs no name."""
        named = {} if groups is None else {"groups": groups}
        return cls(truth, {ONLY: Answers(pred, tuple(scores))}, weights, named, by or {})

    @property
    def only(self) -> Answers[C]:
        """The answers of the one model there is."""
        (answers,) = self.models.values()
        return answers

    @property
    def group(self) -> C | None:
        """What names the group of each row; one factor is all that is read."""
        if len(self.groups) > 1:
            problem = f"groups by {len(self.groups)} factors were given"
            raise InputError("bad_option", problem, cure="give one column that names the group of every row")
        return next(iter(self.groups.values()), None)

    def __str__(self) -> str:
        parts = [f"truth={self.truth}"]
        for answers in self.models.values():
            parts += [f"pred={answers.pred}"] if answers.pred is not None else []
            parts += [f"score={','.join(map(str, answers.scores))}"] if answers.scores else []
        return "  ".join(parts)


@dataclass(frozen=True)
class Reading:
    """How rows of files or frames are read: on which engine, within which memory, and how text is written."""

    engine: str | None = None
    cluster: Any = None
    memory: str | float | None = None
    progress: bool | None = None
    delimiter: str | None = None
    encoding: str | None = None
    comment: str | None = None
    decimal: str = "."

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Reading:
        """From what was said, which may hold other options too."""
        return cls(**{name: options[name] for name in cls.__dataclass_fields__ if name in options})
