"""Plan: which rows are trained on and which are tested, decided before anything is fitted.

A plan is data: row numbers, a fingerprint that two models must share before they are compared, and nothing about
models. Where the training rows are simply all the others they are not stored but derived.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.findings import Finding

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Plan", "Rows", "Split"]

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """One fit: `train` may hold a row several times (a bootstrap sample), `test` never does."""

    index: int
    repeat: int
    fold: int
    train: Rows
    test: Rows


@dataclass(frozen=True, eq=False)
class Plan:
    """Splits of n rows, one after another in flat arrays: split i tests `test_rows[test_starts[i]:test_starts[i+1]]`.

    `train_rows` is None where each split trains on every row that it does not test. `repeat` and `fold` name a split;
    seeds go by them, never by the order of work. `options` are the plain values it was made from. `overlaps` is said
    by plans that test rows they trained on, on purpose (the bootstrap tested on all rows).

    >>> plan = Plan.of("k_fold", 5, tests=[[0, 1], [2, 3, 4]])
    >>> plan[1].train.tolist(), plan[1].test.tolist(), len(plan), plan.times_tested.tolist()
    ([0, 1], [2, 3, 4], 2, [1, 1, 1, 1, 1])
    """

    kind: str
    n: int
    test_rows: Rows
    test_starts: Rows
    repeat: Rows
    fold: Rows
    train_rows: Rows | None = None
    train_starts: Rows | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    random_state: int | None = None
    overlaps: bool = False
    findings: tuple[Finding, ...] = ()

    @classmethod
    def of(
        cls,
        kind: str,
        n: int,
        *,
        tests: Sequence[Any],
        trains: Sequence[Any] | None = None,
        repeat: Any = None,
        fold: Any = None,
        options: Mapping[str, Any] | None = None,
        random_state: int | None = None,
        overlaps: bool = False,
        findings: tuple[Finding, ...] = (),
    ) -> Plan:
        """A plan from one sequence of row numbers a split, checked."""
        if len(tests) == 0:
            raise InputError("bad_plan", "the plan has no split", cure="ask for at least one")
        test_rows, test_starts = _flat(tests)
        train_rows, train_starts = (None, None) if trains is None else _flat(trains)
        count = len(tests)
        plan = cls(
            kind,
            int(n),
            test_rows,
            test_starts,
            np.zeros(count, dtype=np.int64) if repeat is None else np.asarray(repeat, dtype=np.int64),
            np.arange(count, dtype=np.int64) if fold is None else np.asarray(fold, dtype=np.int64),
            train_rows,
            train_starts,
            dict(options or {}),
            random_state,
            overlaps,
            findings,
        )
        plan.check()
        return plan

    def __post_init__(self) -> None:
        for rows in (self.test_rows, self.test_starts, self.repeat, self.fold, self.train_rows, self.train_starts):
            if rows is not None:
                rows.setflags(write=False)

    # reading

    def __len__(self) -> int:
        return len(self.test_starts) - 1

    def __getitem__(self, i: int) -> Split:
        if not 0 <= i < len(self):
            raise IndexError(i)
        test = self.test(i)
        return Split(i, int(self.repeat[i]), int(self.fold[i]), self.train(i), test)

    def __iter__(self) -> Iterator[Split]:
        return (self[i] for i in range(len(self)))

    def test(self, i: int) -> Rows:
        """The rows that split i tests."""
        return self.test_rows[self.test_starts[i] : self.test_starts[i + 1]]

    def train(self, i: int) -> Rows:
        """The rows that split i learns from."""
        if self.train_rows is not None and self.train_starts is not None:
            return self.train_rows[self.train_starts[i] : self.train_starts[i + 1]]
        left = np.ones(self.n, dtype=bool)
        left[self.test(i)] = False
        return np.flatnonzero(left)

    @cached_property
    def split_of_test(self) -> Rows:
        """For each place in `test_rows`, the split it belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.test_starts))

    @property
    def test_sizes(self) -> Rows:
        """How many rows each split tests."""
        return np.diff(self.test_starts)

    @property
    def train_sizes(self) -> Rows:
        """How many rows each split learns from."""
        return self.n - self.test_sizes if self.train_starts is None else np.diff(self.train_starts)

    @property
    def repeats(self) -> int:
        """How many times rows were dealt anew."""
        return int(np.unique(self.repeat).size)

    @property
    def folds(self) -> int:
        """Splits of one repeat (of the longest, where they differ)."""
        return int(np.bincount(self.repeat).max())

    @cached_property
    def times_tested(self) -> Rows:
        """How many splits test each row."""
        return np.bincount(self.test_rows, minlength=self.n)

    @cached_property
    def is_partition(self) -> bool:
        """Whether each repeat tests every row exactly once."""
        cells = self.n * self.repeats
        if len(self.test_rows) != cells:
            return False
        _, repeat = np.unique(self.repeat, return_inverse=True)
        keys = repeat[self.split_of_test] * np.int64(self.n) + self.test_rows
        return bool((np.bincount(keys, minlength=cells) == 1).all())

    @cached_property
    def fingerprint(self) -> str:
        """Twenty hex digits that two plans share only if they hold the same splits in the same order."""
        digest = hashlib.sha256(f"surefold plan 1 {self.n} {len(self)}".encode())
        for rows in (self.test_rows, self.test_starts, self.train_rows, self.train_starts, self.repeat, self.fold):
            digest.update(b"-" if rows is None else np.ascontiguousarray(rows, dtype="<i8").tobytes())
        return digest.hexdigest()[:20]

    def name_of(self, i: int) -> str:
        """How messages call split i: people count from one."""
        where = f"fold {int(self.fold[i]) + 1}"
        return where if self.repeats == 1 else f"{where} of repeat {int(self.repeat[i]) + 1}"

    def plot(self, ax: Axes | None = None, *, in_order: bool = False, dark: bool = False) -> Axes:
        """Draw a row a split, its trained and tested rows apart; `in_order` keeps the order of the rows."""
        from surefold.plots.plan import plot_plan

        return plot_plan(self, ax, in_order=in_order, dark=dark)

    def __repr__(self) -> str:
        options = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"<Plan {self.kind}({options}): {len(self)} splits of {self.n} rows, {self.fingerprint}>"

    # checking

    def check(self) -> None:
        """Refuse rows that are not there, empty parts, repeated test rows, and rows both trained on and tested."""
        for what, rows, starts in (
            ("tests", self.test_rows, self.test_starts),
            ("trains on", self.train_rows, self.train_starts),
        ):
            if rows is None or starts is None:
                continue
            if len(rows) and (rows.min() < 0 or rows.max() >= self.n):
                bad = int(rows[(rows < 0) | (rows >= self.n)][0])
                problem = f"the plan {what} row {bad}, and rows go from 0 to {self.n - 1}"
                raise InputError("bad_plan", problem, cure="make the plan from the same rows")
            if (np.diff(starts) == 0).any():
                i = int(np.flatnonzero(np.diff(starts) == 0)[0])
                raise InputError("bad_plan", f"{self.name_of(i)} {what} no row", cure="use fewer splits, or more rows")
        if self.train_starts is None and (self.test_sizes >= self.n).any():
            i = int(np.flatnonzero(self.test_sizes >= self.n)[0])
            raise InputError("bad_plan", f"{self.name_of(i)} leaves no row to train on", cure="test fewer rows")
        self._check_repeated_tests()
        if self.train_rows is not None and not self.overlaps:
            self._check_overlap()

    def _check_repeated_tests(self) -> None:
        keys = np.sort(self.split_of_test * np.int64(self.n) + self.test_rows)
        twice = np.flatnonzero(np.diff(keys) == 0)
        if twice.size:
            i, row = divmod(int(keys[twice[0]]), self.n)
            raise InputError("bad_plan", f"{self.name_of(i)} tests row {row} twice", cure="test each row once a split")

    def _check_overlap(self) -> None:
        shared, first = 0, ""
        for i in range(len(self)):
            both = np.intersect1d(self.train(i), self.test(i))
            shared += both.size
            if both.size and not first:
                first = f"{self.name_of(i)}, row {int(both[0])}"
        if shared:
            problem = f"rows are trained on and tested in the same split: {shared:,} (first: {first})"
            raise InputError("train_test_overlap", problem, cure="make train and test disjoint")


def _flat(parts: Sequence[Any]) -> tuple[Rows, Rows]:
    arrays = [np.asarray(part) for part in parts]
    for part in arrays:
        if part.ndim != 1 or (part.size and part.dtype.kind not in "iu"):
            problem = "a split is not a list of row numbers"
            raise InputError("bad_plan", problem, cure="give whole numbers from 0, one list a split")
    starts = np.concatenate([[0], np.cumsum([len(part) for part in arrays])]).astype(np.int64)
    rows = np.concatenate(arrays).astype(np.int64) if arrays else np.empty(0, dtype=np.int64)
    return rows, starts
