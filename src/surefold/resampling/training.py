"""What the training parts of a plan hold: classes, and whether one is missing where it would be tested."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.findings import Finding
from surefold.resampling.options import whole
from surefold.resampling.plan import Plan, Rows

__all__ = ["Classes", "checked", "training_findings"]


@dataclass(frozen=True, eq=False)
class Classes:
    """n rows and, where they are known, the class code of each and the labels that codes stand for."""

    n: int
    codes: Rows | None
    labels: tuple[Any, ...] = ()

    @classmethod
    def of(cls, codes: Any, labels: Sequence[Any] = ()) -> Classes:
        """From class codes (whole numbers from 0, one a row), or from the number of rows alone."""
        if np.ndim(codes) == 0:
            return cls(whole("the number of rows", codes, least=1), None, tuple(labels))
        array = np.asarray(codes)
        if array.ndim != 1:
            raise InputError("bad_shape", f"class codes have {array.ndim} dimensions", cure="give one code a row")
        if array.size == 0:
            raise InputError("no_rows", "there is no row to split", cure="give at least two")
        if array.dtype.kind not in "iub" or array.min() < 0:
            raise InputError("bad_option", "class codes are not whole numbers from 0", cure="number the classes first")
        return cls(len(array), array.astype(np.int64, copy=False), tuple(labels))

    @cached_property
    def totals(self) -> Rows:
        """Rows of each code."""
        return np.bincount(self.known)

    @property
    def known(self) -> Rows:
        """The class of each row; `bad_plan` where only their number was given."""
        if self.codes is None:
            raise InputError("bad_plan", "this plan needs the class of each row", cure="give the class codes, not n")
        return self.codes

    def label(self, code: int) -> Any:
        """The label of a code."""
        return self.labels[code] if code < len(self.labels) else int(code)

    def name(self, code: int) -> str:
        """How messages call a class."""
        return show(self.label(code))


def training_findings(plan: Plan, codes: NDArray[Any], labels: Sequence[Any] = ()) -> tuple[Finding, ...]:
    """Refuse a plan with a split that trains on one class only; say where a class is missing from training.

    Costs the number of tested rows where training rows are all the others, and no more than reading the plan otherwise.
    """
    classes = Classes.of(codes, labels)
    totals = classes.totals
    present = np.flatnonzero(totals)
    splits, gone = _missing(plan, classes.known, totals)
    left = len(present) - np.bincount(splits, minlength=len(plan))
    if (left <= 1).any():
        bad = np.flatnonzero(left <= 1)
        kept = np.setdiff1d(present, gone[splits == bad[0]])
        raise _one_class(plan, classes, present, kept, bad)
    if not splits.size:
        return ()
    names = [classes.name(int(code)) for code in np.unique(gone)]
    count, first = len(np.unique(splits)), plan.name_of(int(splits[0]))
    shown = ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
    sentence = (
        f"{count:,} of {len(plan):,} splits train on no row of a class ({shown}), first {first}: "
        "rows of it that are tested there cannot be right."
    )
    missing = [classes.label(int(code)) for code in np.unique(gone)]
    return (Finding.of("class_not_trained", sentence, classes=missing, splits=count, first=first),)


def _missing(plan: Plan, codes: Rows, totals: Rows) -> tuple[Rows, Rows]:
    """Splits and the classes, present somewhere, that they do not train on; in the order of splits."""
    width = len(totals)
    if plan.train_rows is None:
        # A class is missing when all its rows are tested, so only classes no larger than a test part can be.
        small = totals <= plan.test_sizes.max()
        tested = codes[plan.test_rows]
        at = np.flatnonzero(small[tested])
        keys, rows = np.unique(plan.split_of_test[at] * np.int64(width) + tested[at], return_counts=True)
        missing = keys[rows == totals[keys % width]]
    else:
        absent = [
            i * width + np.flatnonzero((np.bincount(codes[plan.train(i)], minlength=width) == 0) & (totals > 0))
            for i in range(len(plan))
        ]
        missing = np.concatenate(absent)
    return missing // width, missing % width


def _one_class(plan: Plan, classes: Classes, present: Rows, kept: Rows, bad: Rows) -> InputError:
    """That the first of these splits would train on the classes that it keeps, one or none."""
    i = int(bad[0])
    if len(present) == 1:
        problem = (
            f"all {classes.n:,} rows are of class {classes.name(int(present[0]))}, so {plan.name_of(i)} would train"
        )
        cure = "give rows of two classes or more"
        return InputError("one_class_in_training", f"{problem} on one class only", cure=cure)
    what = f"on class {classes.name(int(kept[0]))} only" if kept.size else "on no row"
    more = f", and {len(bad) - 1:,} more of {len(plan):,} splits on one class" if len(bad) > 1 else ""
    cure = "shuffle and stratify, test fewer rows a split, or merge classes that have too few"
    return InputError("one_class_in_training", f"{plan.name_of(i)} would train {what}{more}", cure=cure)


def checked(plan: Plan, classes: Classes, *findings: Finding) -> Plan:
    """The plan with what is odd about it; refused where a split would train on one class only."""
    found = () if classes.codes is None else training_findings(plan, classes.codes, classes.labels)
    return replace(plan, findings=(*plan.findings, *findings, *found)) if found or findings else plan
