"""Which statements of a page a check leans on, so that one example runs without the rest, and its figures are traced.

Top-level statements are taken as they are: one that binds a name, or calls a method of it, may change what it holds.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Statement", "leant_on", "statements_of"]


@dataclass(frozen=True)
class Statement:
    """One statement of a block: the names it binds anew, those it may change, those it reads, and its imports."""

    block: int
    source: str
    binds: frozenset[str]
    changes: frozenset[str]
    reads: frozenset[str]
    imports: frozenset[str] = frozenset()
    is_function: bool = False

    def calls(self, id: str) -> bool:
        """Whether it holds a check of that id."""
        return f'"{id}"' in self.source and any(f"{name}(" in self.source for name in CHECKS)


CHECKS = ("beside", "holds")


def statements_of(blocks: Sequence[str]) -> list[Statement]:
    """The statements of blocks of code, in order.

    >>> first, second = statements_of(["import numpy as np\\nx = np.ones(3)"])
    >>> first.imports, sorted(second.binds), sorted(second.reads)
    (frozenset({'numpy'}), ['x'], ['np'])
    """
    found: list[Statement] = []
    imported: set[str] = set()
    for number, text in enumerate(blocks):
        found += [_statement(number, text, node, imported) for node in ast.parse(text).body]
    return found


def leant_on(statements: Sequence[Statement], wanted: set[int]) -> list[int]:
    """The places of the wanted statements and of all that they need, in order.

    >>> code = ["a = 1", "b = 2", "c = a + 1", "print(c)"]
    >>> leant_on(statements_of(code), {3})
    [0, 2, 3]
    """
    while True:
        kept = _backwards(statements, wanted)
        later = {  # what a function reads when it is called may be bound after it
            place
            for function in kept
            if statements[function].is_function
            for place in range(function + 1, max(wanted))
            if statements[place].binds & statements[function].reads
        }
        if later <= set(kept):
            return kept
        wanted = wanted | later


def _backwards(statements: Sequence[Statement], wanted: set[int]) -> list[int]:
    needs: set[str] = set()
    kept = []
    for place in range(len(statements) - 1, -1, -1):
        each = statements[place]
        if place in wanted or needs & (each.binds | each.changes):
            kept.append(place)
            needs = (needs - each.binds) | each.reads
    return kept[::-1]


def _statement(number: int, text: str, node: ast.stmt, imported: set[str]) -> Statement:
    source = ast.get_source_segment(text, node) or ""
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        imported |= names
        homes = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
        return Statement(number, source, frozenset(names), frozenset(), frozenset(), frozenset(homes))
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return Statement(number, source, frozenset({node.name}), frozenset(), _read(node), is_function=True)
    binds: set[str] = set()
    if isinstance(node, ast.Assign):
        binds = set().union(*(_bound(target) for target in node.targets))
    stored = _bound(node)
    touched = {base for n in ast.walk(node) if (base := _touched(n))} - imported
    return Statement(number, source, frozenset(binds), frozenset((stored | touched) - binds), _read(node))


def _bound(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _read(node: ast.AST) -> frozenset[str]:
    return frozenset(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))


def _touched(node: ast.AST) -> str:
    """The name whose method is called, or into which something is put."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        node = node.func.value
    elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
        node = node.value
    else:
        return ""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""
