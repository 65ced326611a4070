"""Counts of what makes code harder to read may only fall: `tests/style_ceilings.json` holds what each was last.

`python tests/test_style.py` writes what is counted now wherever that is less than what was.
"""

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "surefold"
CEILINGS = Path(__file__).parent / "style_ceilings.json"
#: Arguments that a function inside takes at most.
MOST = 5
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_any(annotation: ast.expr | None) -> bool:
    return isinstance(annotation, ast.Name) and annotation.id == "Any"


def annotations_that_say_any(tree: ast.Module) -> int:
    """Arguments, attributes and returns whose whole type is `Any`."""
    found = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign):
            found += is_any(node.annotation)
        elif isinstance(node, FUNCTIONS):
            found += is_any(node.returns)
    return found


def public(body: list[ast.stmt]) -> Iterator[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    """Classes, functions and methods that others may use, without those below a private name and overloads."""
    for node in body:
        if not isinstance(node, (ast.ClassDef, *FUNCTIONS)) or node.name.startswith("_"):
            continue
        if not any(ast.unparse(one).endswith(("overload", ".setter")) for one in node.decorator_list):
            yield node
        if isinstance(node, ast.ClassDef):
            yield from public(node.body)


def arguments(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    said = node.args
    return len(said.posonlyargs) + len(said.args) + len(said.kwonlyargs)


def inside(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """What no user calls; what belongs together is one value there."""
    return node.name.startswith("_") and not node.name.startswith("__")


def counts(texts: list[str]) -> dict[str, int]:
    """What is counted, over the texts of files."""
    trees = [ast.parse(text) for text in texts]
    functions = [node for tree in trees for node in ast.walk(tree) if isinstance(node, FUNCTIONS)]
    return {
        "annotations that say Any": sum(map(annotations_that_say_any, trees)),
        "lines kept from the formatter": sum(text.count("# fmt: " + "skip") for text in texts),
        "public definitions without a docstring": sum(
            ast.get_docstring(node) is None for tree in trees for node in public(tree.body)
        ),
        "lines that the type checker is told to ignore": sum(text.count("# type: " + "ignore") for text in texts),
        "lines of the longest function": max((node.end_lineno or 0) - node.lineno + 1 for node in functions),
        "arguments of the function with most": max(map(arguments, functions)),
        "functions inside that take more than five": sum(inside(node) and arguments(node) > MOST for node in functions),
    }


def counted() -> dict[str, int]:
    return counts([path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))])


def ceilings() -> dict[str, int]:
    read: dict[str, int] = json.loads(CEILINGS.read_text(encoding="utf-8"))
    return read


@pytest.mark.parametrize("what", ceilings())
def test_no_count_rises(what: str) -> None:
    now = counted()[what]
    assert now <= ceilings()[what], f"{what}: {now}, were {ceilings()[what]}; write the new code without"


def test_everything_that_is_counted_has_a_ceiling() -> None:
    assert counted().keys() == ceilings().keys()


def test_the_counts_count() -> None:
    text = '''
def told(a: Any, b: int, *, c: dict[str, Any]) -> Any:  # fmt: skip
    x: Any = 1
    return x

class Kept:
    """Said."""
    def shown(self): ...
    def _hidden(self): ...
    @overload
    def typed(self): ...

def _inside(a, b, c, d, *, e, f): ...
'''
    assert list(counts([text]).values()) == [3, 1, 2, 0, 3, 6, 1]


if __name__ == "__main__":
    least = {what: min(now, ceilings().get(what, now)) for what, now in counted().items()}
    CEILINGS.write_text(json.dumps(least, indent=2) + "\n", encoding="utf-8")
