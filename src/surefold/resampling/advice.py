"""Advice on how to hold rows out: a share, a scheme, and the reason for each.

Rules of thumb about holdout pull both ways: more rows to train on, or more rows to test on. Here each of them is a step
up or down from a middle share, with its cause, and what the steps come to is put in numbers: how wide the interval of
an accuracy would be, and how many rows of the rarest class would be tested.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import Any, Literal

from surefold.errors import InputError, show
from surefold.estimates.share_intervals import share_interval
from surefold.resampling.options import one_of, rows_asked, truth_value, whole

__all__ = ["Advice", "advise_holdout"]

Scheme = Literal["holdout", "k_fold", "leave_one_out"]

#: Fewer rows than this are few, and fewer than the first so few that hardly one can be spared.
_TINY, _SMALL = 100, 1000
#: Tested rows of a class below which its figures are shaky.
_ENOUGH_OF_A_CLASS = 10
#: More tested rows than this show no difference that anyone would act on.
_PLENTY = 100_000
#: The accuracy that intervals are worked out for.
_ACCURACY = 0.9
_TEN_TIMES = "ten times, so that no one shuffle decides"
_LEAST, _MOST = 10, 40  # percentage points


@dataclass(frozen=True)
class Advice:
    """What to do with n rows, and why.

    `test` is the share to hold out if rows are held out once, which is `test_rows` rows. `scheme` says whether to do
    that or to cross-validate, with `folds` and `repeats`. `width` is the length of the 95 % Wilson interval of an
    accuracy of 0.9 on `test_rows` rows, `width_all` the same if all n rows are tested once, as folds do (a guide only:
    folds share training rows). `rarest_in_test` is None where the classes were not said.
    """

    n: int
    test: float
    test_rows: int
    stratified: bool
    scheme: Scheme
    folds: int
    repeats: int
    width: float
    width_all: float
    rarest_in_test: float | None
    reasons: tuple[str, ...]

    @property
    def train_rows(self) -> int:
        """The rows that are left to learn from."""
        return self.n - self.test_rows

    @property
    def call(self) -> str:
        """The call that follows the advice."""
        if self.scheme == "leave_one_out":
            return "leave_one_out(model, X, y)"
        if self.scheme == "k_fold":
            stratified = "" if self.stratified else ", stratified=False"
            return f"cross_validate(model, X, y, folds={self.folds}, repeats={self.repeats}{stratified})"
        return f"holdout(model, X, y, test={self.test:g}{'' if self.stratified else ', stratified=False'})"

    def __str__(self) -> str:
        once = f"{self.test:.0%} of {self.n:,} rows ({self.test_rows:,} to test, {self.train_rows:,} to train)"
        if self.scheme == "holdout":
            lines = [f"Hold out {once}, {'stratified' if self.stratified else 'at random'}: {self.call}"]
        else:
            how = (
                "Leave one row out at a time"
                if self.scheme == "leave_one_out"
                else f"Cross-validate with {self.folds} folds, {_times(self.repeats)}"
            )
            lines = [f"{how}: {self.call}", f"If rows can be held out only once: {once}."]
        lines += [fill(reason, 116, initial_indent="  - ", subsequent_indent="    ") for reason in self.reasons]
        return "\n".join(lines)


def advise_holdout(
    n: int,
    *,
    classes: Sequence[int] | Mapping[Any, int] | None = None,
    model: Literal["simple", "complex", "high_variance"] = "simple",
    rare: bool | None = None,
    budget: Literal["ample", "tight"] = "ample",
    stakes: Literal["usual", "high"] = "usual",
) -> Advice:
    """How many of n rows to hold out, or whether to cross-validate instead, with reasons.

    `classes` gives the rows of each class, as a list or by label. `rare` says that some class is rare; left out, it is
    read from `classes`. `model` is what is to be trained: one with few parameters, one with many (deep networks), or
    one that changes much with the sample (full trees, nearest neighbours). `budget` is the time there is for fits,
    `stakes` what a wrong verdict would cost.

    >>> print(advise_holdout(20_000, classes={"no": 14_000, "yes": 6_000}))
    Hold out 30% of 20,000 rows (6,000 to test, 14,000 to train), stratified: holdout(model, X, y, test=0.3)
      - Many rows (20,000): 25% is a middle share to start from.
      - A simple model learns from fewer rows, so more can be tested: +5 points.
      - Stratify: it costs nothing, and both parts keep the shares of the classes, which chance would not.
      - On 6,000 tested rows an accuracy of 0.9 is known to [0.892, 0.907], 0.015 from end to end.
      - About 1,800 rows of the rarest class, 'yes', would be tested.
    """
    n = whole("n", n, least=2)
    one_of("model", model, ("simple", "complex", "high_variance"))
    one_of("budget", budget, ("ample", "tight"))
    one_of("stakes", stakes, ("usual", "high"))
    rows = _rows_by_class(classes, n)
    rarest = min(rows.values()) if rows else None
    name = next((show(label) for label, count in rows.items() if count == rarest), "")
    reasons: list[str] = []
    points = _points(n, model, budget, stakes, reasons)
    if rare is None:
        is_rare = rarest is not None and rarest * points / 100 < _ENOUGH_OF_A_CLASS
    else:
        is_rare = truth_value("rare", rare)
    if is_rare:
        reasons.append(
            "A class is rare: stratify, or chance decides how much of it is trained on and tested."
            if rarest is None
            else f"The rarest class, {name}, has {_rows(rarest)}: stratify, or chance decides how many are tested."
        )
    else:
        reasons.append(
            "Stratify: it costs nothing, and both parts keep the shares of the classes, which chance would not."
        )
    test = points / 100
    test_rows = rows_asked("test", test, n)
    low, high = (float(end) for end in share_interval("wilson", _ACCURACY * test_rows, test_rows, 0.95))
    all_low, all_high = (float(end) for end in share_interval("wilson", _ACCURACY * n, n, 0.95))
    digits = 3 if high - low >= 0.01 else 4
    known = f"[{low:.{digits}f}, {high:.{digits}f}], {high - low:.{digits}f} from end to end"
    reasons.append(f"On {_rows(test_rows, 'tested ')} an accuracy of {_ACCURACY} is known to {known}.")
    if test_rows > _PLENTY:
        ends = share_interval("wilson", _ACCURACY * _PLENTY, _PLENTY, 0.95)
        reasons.append(f"With {_PLENTY:,} tested rows it would be {float(ends[1] - ends[0]):.4f}: fewer will do.")
    in_test = None if rarest is None else rarest * test_rows / n
    if in_test is not None:
        shaky = f": fewer than {_ENOUGH_OF_A_CLASS}, so figures of it are shaky" if in_test < _ENOUGH_OF_A_CLASS else ""
        reasons.append(f"About {_number(in_test)} of the rarest class, {name}, would be tested{shaky}.")
    scheme, folds, repeats = _scheme(n, rows, model, budget, is_rare, all_high - all_low, reasons)
    if stakes == "high":
        reasons.append("High stakes: where a regulation or a protocol sets the share, that comes first.")
    return Advice(
        n, test, test_rows, True, scheme, folds, repeats, high - low, all_high - all_low, in_test, tuple(reasons)
    )


def _points(n: int, model: str, budget: str, stakes: str, reasons: list[str]) -> int:
    """The share to test in percentage points, as steps from one that goes by the number of rows."""
    if n < _TINY:
        points = 10
        reasons.append(f"Very few rows ({n:,}): nearly all are needed to train, so start from 10%.")
    elif n < _SMALL:
        points = 15
        reasons.append(f"Few rows ({n:,}): training needs most of them, so start from 15%.")
    else:
        points = 25
        reasons.append(f"Many rows ({n:,}): 25% is a middle share to start from.")
    if model == "simple":
        points += 5
        reasons.append("A simple model learns from fewer rows, so more can be tested: +5 points.")
    elif model == "complex":
        points -= 10
        reasons.append("A complex model needs many rows to train: -10 points.")
    else:
        points -= 5
        reasons.append("A model of high variance overfits less with more rows to train on: -5 points.")
    if stakes == "high":
        points += 10
        reasons.append("High stakes: a larger test part gives a steadier figure: +10 points.")
    if budget == "tight":
        points -= 5
        reasons.append("A tight budget: testing costs time too, so test fewer rows: -5 points.")
    within = min(max(points, _LEAST), _MOST)
    if within != points:
        end = "little" if within > points else "much"
        reasons.append(f"That comes to {points}%; {within}% is as {end} as makes sense.")
    return within


def _scheme(
    n: int, rows: Mapping[Any, int], model: str, budget: str, is_rare: bool, width_all: float, reasons: list[str]
) -> tuple[Scheme, int, int]:
    """Whether to cross-validate, and how; with the reason."""
    rarest = min(rows.values(), default=n)
    if rarest == 1:
        reasons.append("One row of a class can be trained on or tested, not both: find more, or merge the class.")
    causes = [
        cause
        for cause, holds in (
            ("one test part of so few rows says little", n < _SMALL),
            ("too few rows of the rare class are in one test part", is_rare),
            ("a model of high variance should not be judged by one split", model == "high_variance"),
        )
        if holds
    ]
    tight = budget == "tight"
    if causes and rarest == 1:
        reasons.append(f"Folds would be better ({causes[0]}) if that class had more rows.")
        causes = []
    elif causes and tight and n >= _SMALL:
        reasons.append(f"Folds would be better ({causes[0]}), but the budget is tight: keep to one split.")
        causes = []
    if not causes:
        return "holdout", 1, 1
    gain = f"Cross-validate: {_joined(causes)}. Folds test all {n:,} rows, which makes that about {width_all:.3f}."
    folds = min(10, n, rarest)
    if n < 50 or (folds < 5 and n < _SMALL and not tight):
        why = f"only {n:,} rows" if n < 50 else f"only {_rows(rarest)} of a class"
        reasons.append(f"{gain} With {why}, leave one out: each model then trains on all rows but one.")
        return "leave_one_out", n, 1
    reasons.append(f"{gain} {folds} folds, {'once, as the budget is tight' if tight else _TEN_TIMES}.")
    return "k_fold", folds, 1 if tight else 10


def _rows_by_class(classes: Any, n: int) -> dict[Any, int]:
    if classes is None:
        return {}
    if isinstance(classes, Mapping):
        given = dict(classes)
    elif isinstance(classes, str) or not hasattr(classes, "__len__"):
        cure = "give the rows of each class, as in [50, 100] or {'no': 50, 'yes': 100}"
        raise InputError("bad_option", f"classes is {show(classes)}", cure=cure)
    else:
        given = dict(enumerate(classes))
    rows = {label: whole(f"classes[{label!r}]", count, least=1) for label, count in given.items()}
    if len(rows) < 2 or sum(rows.values()) != n:
        problem = f"classes has {len(rows)} class{'es' if len(rows) != 1 else ''} of {sum(rows.values()):,} rows in all"
        raise InputError("bad_option", f"{problem}, and n is {n:,}", cure="give two or more that add up to n")
    return rows


def _number(rows: float) -> str:
    text = f"{rows:.1f}" if rows < 10 and not math.isclose(rows, round(rows)) else f"{rows:,.0f}"
    return f"{text} row{'' if text == '1' else 's'}"


def _rows(count: int, which: str = "") -> str:
    return f"{count:,} {which}row{'' if count == 1 else 's'}"


def _joined(causes: list[str]) -> str:
    return causes[0] if len(causes) == 1 else f"{', '.join(causes[:-1])}, and {causes[-1]}"


def _times(repeats: int) -> str:
    return "once" if repeats == 1 else f"{repeats} times"
