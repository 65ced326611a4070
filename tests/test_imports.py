"""Imports point one way: a room may import from rooms before it, never from one after it."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

PACKAGE = "surefold"
SOURCE = Path(__file__).parents[1] / "src" / PACKAGE

ROOMS = (
    "_version",
    "counting",
    "docstrings",
    "moved",
    "errors",
    "numbers",
    "phrases",
    "shown",
    "findings",
    "flavours",
    "given",
    "inputs",
    "tallies",
    "measures",
    "engines",
    "evidence",
    "curves",
    "estimates",
    "assessment",
    "significance",
    "planning",
    "resampling",
    "scoring",
    "learners",
    "comparison",
    "selection",
    "costs",
    "benchmarking",
    "studies",
    "verdict",
    "show",
    "plots",
    "report",
    "tracking",
    "testing",
    "book",
    "cli",
    "__main__",
)
RANK = {room: place for place, room in enumerate(ROOMS)}
TOP = "__init__"  # the public door: it may import anything, and no room imports it
DATA = "data"  # bundled data: only the command line opens it
NO_CODE = "demo"  # files only
HEAVY = ("sklearn", "numba", "matplotlib", "polars", "pandas", "scipy", "click", "narwhals")

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
IMPORTS = (ast.Import, ast.ImportFrom)


@dataclass(frozen=True)
class Module:
    """One source file: its dotted name below the package (`""` for the package itself) and its tree."""

    name: str
    is_package: bool
    tree: ast.Module

    @property
    def room(self) -> str:
        return self.name.split(".")[0] or TOP

    @property
    def package(self) -> list[str]:
        """What a single leading dot means in this file."""
        parts = [PACKAGE, *filter(None, self.name.split("."))]
        return parts if self.is_package else parts[:-1]


def module(name: str, source: str, is_package: bool = False) -> Module:
    return Module(name, is_package, ast.parse(source))


def modules_of(folder: Path) -> dict[str, Module]:
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = list(path.relative_to(folder).with_suffix("").parts)
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found[name] = module(name, path.read_text(encoding="utf-8"), is_package)
    return found


def targets(node: ast.AST, where: Module) -> Iterator[str]:
    """Dotted names, below the package, that one node imports (`""` is the package itself)."""
    names: list[list[str]] = []
    if isinstance(node, ast.Import):
        names = [alias.name.split(".") for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        base = node.module.split(".") if node.module else []
        if node.level:
            base = where.package[: len(where.package) - node.level + 1] + base
        names = [[*base, alias.name] for alias in node.names]
    elif isinstance(node, ast.Call):
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        first = node.args[0] if node.args else None
        if called in ("import_module", "__import__") and isinstance(first, ast.Constant):
            name = str(first.value)
            dots = len(name) - len(name.lstrip("."))
            base = where.package[: len(where.package) - dots + 1] if dots else []
            names = [base + name.lstrip(".").split(".")]
    for parts in names:
        if parts[0] == PACKAGE:
            yield ".".join(parts[1:])


def is_door(node: ast.AST) -> bool:
    """A method whose body is imports and then one return, after an optional docstring."""
    if not isinstance(node, ast.FunctionDef):
        return False
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    *before, last = body or [ast.Pass()]
    hands_on = isinstance(last, ast.Return) and last.value is not None
    return bool(before) and hands_on and all(isinstance(line, IMPORTS) for line in before)


def is_for_types(node: ast.AST) -> bool:
    """`if TYPE_CHECKING:`, which never runs: a door names the type that it hands back."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def outside_doors(tree: ast.Module) -> Iterator[ast.AST]:
    """Every node of a file that can run, without those inside a door."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        children = node.orelse if isinstance(node, ast.If) and is_for_types(node) else ast.iter_child_nodes(node)
        waiting += [child for child in children if not (isinstance(node, ast.ClassDef) and is_door(child))]


def room_of(target: str) -> str:
    """The room of an import; a name that is no room (`from surefold import assess`) is asked of the package itself."""
    first = target.split(".")[0]
    return first if first in RANK or first in (DATA, NO_CODE) else TOP


def refusal(where: Module, target: str) -> str | None:
    """Why this module may not import that target, or None if it may."""
    here, there = where.room, room_of(target)
    if here in (TOP, there):
        return None
    if there == NO_CODE:
        return "holds files, not code"
    if there == DATA:
        return None if here in ("cli", "__main__") else "is opened by cli alone"
    if there == TOP:
        return "is the public door: import from the room itself"
    if here not in RANK or RANK[there] > RANK[here]:
        return f"comes after {here}"
    return None


def upward_imports(where: Module) -> list[str]:
    """One sentence for each import that points the wrong way."""
    found = []
    for node in outside_doors(where.tree):
        for target in targets(node, where):
            why = refusal(where, target)
            if why:
                place = f"{where.name.replace('.', '/')}:{getattr(node, 'lineno', 0)}"
                found.append(f"{place} imports {PACKAGE}.{target}, which {why}")
    return sorted(found)


def run_on_import(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes that run when the file is imported: no function bodies, nothing under TYPE_CHECKING."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.If) and is_for_types(node):
            waiting += node.orelse
        elif not isinstance(node, (*FUNCTIONS, ast.Lambda)):
            waiting += ast.iter_child_nodes(node)


def cycle_in(modules: dict[str, Module]) -> list[str]:
    """The first import cycle between these modules at import time, as a path, or an empty list."""
    edges: dict[str, set[str]] = {name: set() for name in modules}
    for name, where in modules.items():
        for node in run_on_import(where.tree):
            for target in targets(node, where):
                owner = target if target in modules else target.rpartition(".")[0]
                if owner in modules and owner != name:
                    edges[name].add(owner)
    done: set[str] = set()

    def walk(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return []
        for following in sorted(edges[name]):
            found = walk(following, [*path, name])
            if found:
                return found
        done.add(name)
        return []

    return next((found for name in sorted(edges) if (found := walk(name, []))), [])


def test_imports_point_one_way() -> None:
    wrong = [line for where in modules_of(SOURCE).values() for line in upward_imports(where)]
    assert not wrong, "\n".join(wrong)


def test_every_module_is_in_a_known_room() -> None:
    unknown = {where.room for where in modules_of(SOURCE).values()} - {*ROOMS, TOP, DATA}
    assert not unknown, f"not in the list of rooms: {sorted(unknown)}"


def test_no_cycle_inside_a_room() -> None:
    everything = modules_of(SOURCE)
    for room in ROOMS:
        inside = {name: where for name, where in everything.items() if where.room == room}
        assert cycle_in(inside) == [], f"import cycle in {room}"


def test_import_surefold_is_light() -> None:
    code = (
        f"import sys, {PACKAGE}; assert {PACKAGE}.__file__; print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == []


def test_from_labels_to_verdict_nothing_heavy_is_loaded() -> None:
    heavy = ("sklearn", "numba", "matplotlib", "polars", "pandas", "click", "scipy.stats")
    code = (
        f"import sys, {PACKAGE} as sf; a = sf.assess([0, 1, 1], [0, 1, 0]); str(a), a.verdict; "
        f"print(*[name for name in {heavy!r} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == []


# The test of the test.


@pytest.mark.parametrize(
    "source",
    [
        "from surefold.report import html",
        "import surefold.report.html",
        "from ..report.html import page",
        "from .. import report",
        "from surefold import assess",
        "import surefold",
        "def later():\n    from surefold.report import html\n    return html",
        "if TYPE_CHECKING:\n    pass\nelse:\n    from surefold.report import html",
        "import importlib\nhtml = importlib.import_module('surefold.report.html')",
        "from surefold.data import iris",
    ],
)
def test_an_upward_import_is_caught(source: str) -> None:
    assert len(upward_imports(module("measures.rates", source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import math\nfrom numpy import array",
        "from surefold.errors import InputError",
        "from surefold.measures.measure import measure",
        "from .measure import measure",
        "from ..tallies import ratio",
        "from surefold import tallies",
        "if TYPE_CHECKING:\n    from surefold.report import html",
    ],
)
def test_an_import_of_an_earlier_room_passes(source: str) -> None:
    assert upward_imports(module("measures.rates", source)) == []


def test_a_single_dot_in_a_package_file_means_that_package() -> None:
    assert upward_imports(module("measures", "from .report import page", is_package=True)) == []
    assert upward_imports(module("measures", "from ..report import page", is_package=True)) != []


def test_the_package_itself_may_import_anything() -> None:
    assert upward_imports(module("", "from surefold.report import html", is_package=True)) == []


def test_only_the_command_line_opens_the_bundled_data() -> None:
    source = "from surefold.data import iris"
    assert upward_imports(module("cli.demo", source)) == []
    assert upward_imports(module("report.html", source)) != []


DOOR = '''
class Assessment:
    def report(self, path):
        """Write the report."""
        from surefold.report import write
        return write(self, path)

    @property
    def verdict(self):
        from surefold.verdict import verdict
        return verdict(self)
'''
NOT_DOORS = {
    "work between import and return": """
class Assessment:
    def report(self, path):
        from surefold.report import write
        path = str(path)
        return write(self, path)
""",
    "a branch": """
class Assessment:
    def report(self, path):
        if path:
            from surefold.report import write
        return write(self, path)
""",
    "no return": """
class Assessment:
    def report(self, path):
        from surefold.report import write
        write(self, path)
""",
    "not a method": """
def report(a, path):
    from surefold.report import write
    return write(a, path)
""",
}


def test_a_door_passes() -> None:
    assert upward_imports(module("assessment", DOOR)) == []


@pytest.mark.parametrize("shape", NOT_DOORS)
def test_what_is_not_a_door_is_caught(shape: str) -> None:
    assert len(upward_imports(module("assessment", NOT_DOORS[shape]))) == 1


def test_a_cycle_is_caught_and_a_late_import_is_none() -> None:
    first = module("curves.roc", "from surefold.curves.gains import lift")
    second = module("curves.gains", "from .roc import auc")
    late = module("curves.gains", "def lift():\n    from .roc import auc\n    return auc")
    typed = module("curves.gains", "if TYPE_CHECKING:\n    from .roc import auc")
    assert cycle_in({"curves.roc": first, "curves.gains": second}) == ["curves.gains", "curves.roc", "curves.gains"]
    assert cycle_in({"curves.roc": first, "curves.gains": late}) == []
    assert cycle_in({"curves.roc": first, "curves.gains": typed}) == []
