"""A tree in words: its questions, its rules, and the whole of it as an indented outline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from .tree_nodes import Tree

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
        return f"{name} {'<=' if left else '>'} {short(threshold)}"

    def questions(self) -> list[str]:
        """The question of every node; a leaf has none."""
        return ["" if leaf else self.question(i) for i, leaf in enumerate(self.tree.is_leaf.tolist())]

    def answer(self, node: int) -> str:
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


def short(number: Any) -> str:
    """A threshold as it is read best: six digits, no trailing zeros."""
    return f"{float(number):.6g}"
