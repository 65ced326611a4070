"""A tree in words: its questions, its rules, and the whole of it as an indented outline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from surefold.learners.trees.nodes import Tree

__all__ = ["Wording"]


@dataclass(frozen=True, eq=False)
class Wording:
    """How to say things about a tree: names of columns, of the levels of categories, and of classes.

    `levels` holds, for each categorical column, the text of each level number; 255 is a missing value.
    """

    tree: Tree
    columns: list[str]
    levels: dict[int, dict[int, str]]
    classes: list[str]

    def question(self, node: int, left: bool = True) -> str:
        """What is true of rows that go left, or right, from a node."""
        t = self.tree
        column = int(t.column[node])
        name = self.columns[column]
        if t.is_categorical[node]:
            goes = t.sets[t.set_number[node]] != 0
            shown = [level for b, level in self.levels[column].items() if goes[b] == left]
            return f"{name} is {shown[0]}" if len(shown) == 1 else f"{name} in {{{', '.join(shown)}}}"
        threshold = t.threshold[node]
        if np.isinf(threshold):
            return f"{name} is {'not ' if left else ''}missing"
        return f"{name} {'<=' if left else '>'} {threshold:.{self._digits[column]}g}"

    @cached_property
    def _digits(self) -> dict[int, int]:
        """How many digits tell the thresholds of each column apart, and from the values they lie between."""
        t = self.tree
        inner = np.flatnonzero(~t.is_leaf & ~t.is_categorical)
        return {
            column: digits_for(t.threshold[inner[t.column[inner] == column]])
            for column in np.unique(t.column[inner]).tolist()
        }

    def questions(self) -> list[str]:
        """The question of every node; a leaf has none."""
        return ["" if leaf else self.question(i) for i, leaf in enumerate(self.tree.is_leaf.tolist())]

    def answer(self, node: int) -> str:
        """The class that a node answers."""
        return self.classes[int(self.tree.answer[node])]

    def leaf(self, node: int) -> str:
        """A leaf's answer, rows and share of errors."""
        t = self.tree
        rows = int(t.rows[node])
        return f"{self.answer(node)}  ({rows:,} row{'s' if rows != 1 else ''}, error {t.error[node]:.3f})"

    def outline(self, deepest: int | None = None) -> str:
        """The tree, one line a branch, indented by depth."""
        return "\n".join(self._branches(0, 0, deepest)) if len(self.tree) > 1 else self.leaf(0)

    def _branches(self, node: int, depth: int, deepest: int | None) -> Iterator[str]:
        t = self.tree
        waiting: list[tuple[int, int, str]] = [(node, depth, "")]
        while waiting:
            node, depth, condition = waiting.pop()
            cut_short = deepest is not None and depth >= deepest and not t.is_leaf[node]
            if condition:
                end = f": {self.leaf(node)}" if t.is_leaf[node] or cut_short else ""
                yield f"{'|   ' * (depth - 1)}{condition}{end}{' …' if cut_short else ''}"
            if not t.is_leaf[node] and not cut_short:
                waiting.append((int(t.right[node]), depth + 1, self.question(node, left=False)))
                waiting.append((node + 1, depth + 1, self.question(node)))

    def rules(self) -> str:
        """One rule a leaf: if the questions on the way are answered so, then the class."""
        t = self.tree
        found = []
        waiting: list[tuple[int, dict[tuple[int, bool], str]]] = [(0, {})]
        while waiting:
            node, conditions = waiting.pop()
            if t.is_leaf[node]:
                condition = f"if {' and '.join(conditions.values())} then " if conditions else ""
                found.append(f"{condition}{self.leaf(node)}")
                continue
            for left, child in ((False, int(t.right[node])), (True, node + 1)):
                key = (int(t.column[node]), left or bool(t.is_categorical[node]))  # a later bound implies the earlier
                waiting.append((child, {**conditions, key: self.question(node, left=left)}))
        return "\n".join(found)


def digits_for(thresholds: NDArray[np.float64]) -> int:
    """Six, or as many as keep each number within a hundredth of the least gap, and write large ones out.

    >>> digits_for(np.array([2.45, 4.95])), digits_for(np.array([1_700_000_500.0, 1_700_001_500.0]))
    (6, 10)
    """
    known = np.unique(thresholds[np.isfinite(thresholds)])
    gap = min(float(np.diff(known).min()) if len(known) > 1 else np.inf, 100.0)
    before_the_point = len(str(int(np.abs(known).max()))) if len(known) else 1
    for digits in range(max(6, before_the_point), 17):
        if all(abs(float(f"{x:.{digits}g}") - x) <= gap / 100 for x in known.tolist()):
            return digits
    return 17
