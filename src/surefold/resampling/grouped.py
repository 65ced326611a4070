"""Groups: rows that belong together stay together, on one side of every split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.given import Values
from surefold.inputs.weights import read_groups
from surefold.resampling.drawing import Draws
from surefold.resampling.options import RandomState, recorded_seed
from surefold.resampling.plan import Plan, Rows
from surefold.resampling.training import Classes, checked

__all__ = ["Groups", "leave_one_group_out_plan"]

#: Random orders that a holdout of groups may try before it takes the one whose sizes came closest.
_TRIES = 20


@dataclass(frozen=True, eq=False)
class Groups:
    """The group of each row, numbered by first appearance, so that what groups are called changes no plan."""

    of_row: Rows
    count: int

    @classmethod
    def of(cls, groups: Values, n: int) -> Groups:
        """Groups numbered as they first appear, one a row."""
        codes = read_groups(groups)
        if len(codes) != n:
            problem = f"groups has {len(codes):,} values and there are {n:,} rows"
            raise InputError("length_mismatch", problem, cure="give one group a row")
        _, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
        number = np.empty(len(first), dtype=np.int64)
        number[np.argsort(first)] = np.arange(len(first))
        return cls(number[inverse], len(first))

    def need(self, parts: int, what: str) -> None:
        """Refuse fewer groups than parts."""
        if self.count < parts:
            cure = f"use {what}={self.count} or fewer" if what == "folds" and self.count > 1 else "give more groups"
            problem = f"{parts} {'folds' if what == 'folds' else 'parts'} need as many groups, and there"
            raise InputError("too_few_groups", f"{problem} {_are(self.count)}", cure=cure)

    def class_rows(self, codes: Rows | None) -> NDArray[np.int64]:
        """Groups x classes: the rows of each class in each group; one column where classes do not matter."""
        if codes is None:
            return np.bincount(self.of_row, minlength=self.count)[:, None]
        present, codes = np.unique(codes, return_inverse=True)
        cells = np.bincount(self.of_row * len(present) + codes, minlength=self.count * len(present))
        return cells.reshape(self.count, len(present))

    def dealt(self, folds: int, codes: Rows | None, draws: Draws | None) -> Rows:
        """A fold for each row: sizes, and class shares where codes are given, about as even as whole groups allow.

        Groups of the same make-up are dealt round; what is left goes, large before small, where it evens things most.
        """
        rows = self.class_rows(codes)
        order = np.arange(self.count) if draws is None else draws.order(self.count)
        power_of_two = np.frexp(rows.sum(axis=1))[1]  # groups of about one size stay in random order
        order = order[np.argsort(-power_of_two[order], kind="stable")]
        _, alike = np.unique(rows, axis=0, return_inverse=True)
        alike = alike.reshape(-1)[order]
        by_kind = np.argsort(alike, kind="stable")
        of_a_kind = np.bincount(alike)
        turn = np.arange(self.count) - np.repeat(np.cumsum(of_a_kind) - of_a_kind, of_a_kind)
        in_a_round = turn < np.repeat(of_a_kind // folds * folds, of_a_kind)
        part = np.full(self.count, -1, dtype=np.int64)
        part[order[by_kind[in_a_round]]] = turn[in_a_round] % folds
        _place(part, rows, order, np.full(folds, 1 / folds))
        return part[self.of_row]

    def parted(self, sizes: Sequence[int], codes: Rows | None, draws: Draws) -> Rows:
        """A part for each row, whole groups at random, near the sizes asked for and even in classes."""
        rows, wanted = self.class_rows(codes), np.asarray(sizes)
        best, nearest = np.zeros(0, dtype=np.int64), np.inf
        for _ in range(_TRIES):
            part = np.full(self.count, -1, dtype=np.int64)
            _place(part, rows, draws.order(self.count), wanted / wanted.sum())
            of_row = part[self.of_row]
            off = float((np.abs(np.bincount(of_row, minlength=len(sizes)) - wanted) / wanted).max())
            if off < nearest:
                best, nearest = of_row, off
            if off <= 0.1:
                break
        return best


def _place(part: Rows, rows: NDArray[np.int64], order: Rows, shares: NDArray[np.float64]) -> None:
    """Fill in the parts that are -1, in this order, each where the sum of squared excesses grows least.

    The sums are over classes and over rows as a whole, relative to their totals. Everything is in whole numbers, so
    that no machine's rounding decides.
    """
    cells = np.hstack([rows, rows.sum(axis=1, keepdims=True)])
    totals = cells.sum(axis=0)
    n = int(totals[-1])
    unit = 2**62 / (3 * n * n * len(totals)) * float(shares.min())
    weight = (min(2**20, max(1.0, unit)) * n * n / (totals.astype(float) ** 2 * shares[:, None])).astype(np.int64)
    weight = np.maximum(weight, 1)
    held = np.zeros((len(shares), len(totals)), dtype=np.int64)
    done = part >= 0
    np.add.at(held, part[done], cells[done])
    waiting = [int(g) for g in order if not done[g]]
    for left, g in zip(range(len(waiting), 0, -1), waiting, strict=True):
        cost = ((2 * held + cells[g]) * (cells[g] * weight)).sum(axis=1)
        empty = held[:, -1] == 0
        if empty.sum() >= left:
            cost[~empty] = np.iinfo(np.int64).max
        part[g] = at = int(cost.argmin())
        held[at] += cells[g]


def _are(count: int) -> str:
    return f"{'is' if count == 1 else 'are'} {count:,}"


def leave_one_group_out_plan(
    codes: Values, groups: Values, *, random_state: RandomState = None, labels: Sequence[Any] = ()
) -> Plan:
    """Each group tested once, by a model that saw none of it. Folds follow the first appearance of groups.

    >>> [split.test.tolist() for split in leave_one_group_out_plan([0, 1, 0, 1, 1], ["b", "b", "a", "a", "b"])]
    [[0, 1, 4], [2, 3]]
    """
    classes = Classes.of(codes, labels)
    held = Groups.of(groups, classes.n)
    held.need(2, "groups")
    starts = np.concatenate([[0], np.cumsum(np.bincount(held.of_row))]).astype(np.int64)
    plan = Plan(
        "leave_one_group_out",
        classes.n,
        np.argsort(held.of_row, kind="stable").astype(np.int64),
        starts,
        np.zeros(held.count, dtype=np.int64),
        np.arange(held.count, dtype=np.int64),
        options={"groups": held.count},
        random_state=recorded_seed(random_state),
    )
    return checked(plan, classes)
