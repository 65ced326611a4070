"""The pages of the Python interface: every public name with its signature and its docstring.

Docstrings are written as Markdown already, but for two things: examples, which become fences, and lists of the form
`name:  what it is`, which become lists. The examples are run as doctests, so the pages only show them.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cached_property
from importlib import import_module
from textwrap import dedent
from typing import Any, is_typeddict

from surefold.significance import plain_tests

__all__ = ["MODULES", "api_page", "markdown_of", "names_of", "signature_of"]

#: Each module with a page: what is in it, in a sentence.
MODULES = {
    "surefold": "What most people need. `import surefold as sf`; each name is loaded when it is first asked for.",
    "surefold.curves": "Curves, as an assessment gives them: `a.roc`, `a.precision_recall`, `a.gains`, `a.lift`, ...",
    "surefold.estimates": "Numbers with their uncertainty, from numbers: for figures out of a paper or another tool.",
    "surefold.significance": "Tests of plain numbers. Effects are always first minus second.",
    "surefold.planning": "How many rows a comparison needs, and what a number of rows can tell.",
    "surefold.comparison": "Which of two models or more is better. Every name of `surefold.significance` and "
    "`surefold.planning` can be imported from here too.",
    "surefold.resampling": "Makers of plans, for `cross_validate(..., cv=plan)` and for whoever wants the row numbers.",
    "surefold.learners": "Classifiers with scikit-learn's interface.",
    "surefold.studies": "Experiments built from resampling.",
}
#: What people come for, before the rest.
FIRST = ("assess", "compare", "gate", "cross_validate", "select", "report")
#: Names of a page that no `__all__` lists: results that other calls return.
ALSO: dict[str, dict[str, tuple[str, ...]]] = {
    "surefold.resampling": {
        "surefold.resampling.evaluate": ("RunOptions",),
        "surefold.resampling.bootstrapped": ("BootstrapStudy",),
    },
    "surefold.curves": {
        "surefold.curves.curve": ("Curve",),
        "surefold.curves.roc": ("Roc", "RocPoint", "running_table"),
        "surefold.curves.precision_recall": ("PrecisionRecall",),
        "surefold.curves.gains": ("Gains", "GainsCounts", "Lift"),
        "surefold.curves.reliability": ("Reliability",),
        "surefold.curves.cost_curve": ("CostCurve", "ExpectedCost"),
        "surefold.curves.decision": ("Decision",),
        "surefold.curves.thresholds": ("ThresholdChoice", "Choice"),
    },
}
_OTHERS = ("surefold.significance.", "surefold.planning.")
NAMED = re.compile(r"^(`?[\w.*]+`?):\s+(\S.*)$")
#: What every dataclass or estimator has, and says nothing of its own.
UNSAID = {"fit", "set_fit_request", "set_score_request", "get_metadata_routing"}


def names_of(module: str) -> dict[str, Any]:
    """The public names of a module, in its order, but for versions and the like."""
    home = import_module(module)
    found = {name: getattr(home, name) for name in getattr(home, "__all__", ()) if not name.startswith("__")}
    if module == "surefold.comparison":  # the page of the room where they are says what they are
        found = {name: each for name, each in found.items() if not each.__module__.startswith(_OTHERS)}
    for place, names in ALSO.get(module, {}).items():
        found |= {name: getattr(import_module(place), name) for name in names}
    # a package that can be called shares its name with the function in it
    return {name: getattr(each, name) if inspect.ismodule(each) else each for name, each in found.items()}


def api_page(module: str) -> str:
    """The page of a module, as Markdown."""
    names = names_of(module)
    names = {name: names[name] for name in FIRST if name in names} | names
    functions = {name: each for name, each in names.items() if inspect.isfunction(each)}
    classes = {name: each for name, each in names.items() if inspect.isclass(each)}
    others = {name: each for name, each in names.items() if name not in functions and name not in classes}
    lines = [f"# {module}", "", MODULES[module], "", "Written by `python -m docs.generate` from docstrings."]
    lines += ["", "| name | what |", "|---|---|"]
    anchors = _anchors([module, *functions, *others, *classes])
    lines += [
        f"| [`{name}`](#{anchors[name]}) | {first_line(each)} |"
        for name, each in {**functions, **others, **classes}.items()
    ]
    for title, members in (("Functions", functions), ("Objects", others), ("Classes", classes)):
        if members:
            lines += ["", f"## {title}"]
        for name, each in members.items():
            lines += ["", *_entry(name, each)]
    return "\n".join([*lines, ""])


def _anchors(headings: list[str]) -> dict[str, str]:
    """The anchor of each heading: names that differ by case alone are numbered.

    >>> _anchors(["gate", "Gate"])
    {'gate': 'gate', 'Gate': 'gate-1'}
    """
    found: dict[str, str] = {}
    for heading in headings:
        plain = heading.lower()
        before = sum(other.lower() == plain for other in found)
        found[heading] = f"{plain}-{before}" if before else plain
    return found


def first_line(each: Any) -> str:
    """The first sentence of a docstring, fit for a cell of a table."""
    return (inspect.getdoc(each) or "").partition("\n\n")[0].replace("\n", " ").replace("|", "\\|")


def _entry(name: str, each: Any) -> Iterator[str]:
    yield f"### {name}"
    yield ""
    if inspect.isclass(each) and _is_result(each):
        yield from markdown_of(inspect.getdoc(each) or "")
        yield from _fields(each)
        yield from _members(each)
        return
    if callable(each) and not is_typeddict(each) and each.__init__ is not Exception.__init__:
        yield from ("```python no-run", signature_of(name, each), "```", "")
    yield from markdown_of(inspect.getdoc(each) or "")
    if name in plain_tests():
        test = plain_tests()[name]
        yield from ("", f"- Null hypothesis: {test.null}", f"- Source: {test.source}")
    if inspect.isclass(each):
        yield from _members(each)


def _is_result(each: type) -> bool:
    """Whether a class is made by calls rather than by hand."""
    return is_dataclass(each) and not issubclass(each, BaseException)


def _fields(each: Any) -> Iterator[str]:
    public = [field.name for field in fields(each) if not field.name.startswith("_")]
    yield ""
    yield f"Fields: {', '.join(f'`{name}`' for name in public)}."


def _members(each: type) -> Iterator[str]:
    """Methods and properties of our own: those with a docstring one by one, the others by name."""
    silent: list[str] = []
    listed: list[str] = []
    for name, member in _own(each).items():
        function = _function_of(member)
        words = inspect.getdoc(function) if function.__doc__ else ""
        call = "" if isinstance(member, property | cached_property) else _short(function)
        if not words:
            silent.append(f"`{name}`")
            continue
        told, *rest = words.split("\n\n")
        listed.append(f"- **`{name}{call}`**: {told.replace(chr(10), ' ')}")
        for part in rest:
            if not part.startswith(">>>"):
                listed += ["", *(f"  {line}" for line in markdown_of(part))]
    if listed:
        yield from ("", *listed)
    if silent:
        yield from ("", f"Also: {', '.join(silent)}.")


def _own(each: type) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for home in reversed(each.__mro__):
        if home.__module__.startswith("surefold"):
            found |= {
                name: member
                for name, member in vars(home).items()
                if not name.startswith("_") and name not in UNSAID and _is_shown(member)
            }
    return found


def _is_shown(member: Any) -> bool:
    return isinstance(member, property | cached_property | classmethod | staticmethod) or inspect.isfunction(member)


def _function_of(member: Any) -> Any:
    if isinstance(member, property):
        return member.fget
    if isinstance(member, cached_property):
        return member.func
    return member.__func__ if isinstance(member, classmethod | staticmethod) else member


def _short(function: Any) -> str:
    """The arguments of a method by name, without types."""
    return f"({', '.join(_arguments(inspect.signature(function), types=False))})"


def _arguments(signature: inspect.Signature, *, types: bool) -> Iterator[str]:
    """The arguments as one would type them, with a bare star before those that are by keyword only."""
    by_keyword = False
    for p in signature.parameters.values():
        if p.name in ("self", "cls"):
            continue
        if p.kind is p.KEYWORD_ONLY and not by_keyword:
            yield "*"
        by_keyword = by_keyword or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        star = "*" if p.kind is p.VAR_POSITIONAL else "**" if p.kind is p.VAR_KEYWORD else ""
        typed = f": {_annotation(p.annotation)}" if types and p.annotation is not p.empty else ""
        equals = " = " if types else "="
        yield star + p.name + typed + ("" if p.default is p.empty else equals + _default(p.default))


def signature_of(name: str, each: Any) -> str:
    """The call with its types, one argument a line where it is long.

    >>> def area(width: float, *, height: "float | None" = None) -> float: ...
    >>> signature_of("area", area)
    'area(width: float, *, height: float | None = None) -> float'
    """
    try:
        signature = inspect.signature(each)
    except ValueError:
        return f"{name}(...)"
    parts = list(_arguments(signature, types=True))
    gives = signature.return_annotation
    arrow = "" if gives in (signature.empty, "None", None) else f" -> {_annotation(gives)}"
    whole = f"{name}({', '.join(parts)}){arrow}"
    if len(whole) <= 100:
        return whole
    return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){arrow}"])


def _annotation(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return re.sub(r"Unpack\[(\w+)\]", r"\1", text.strip("'\""))


def _default(value: Any) -> str:
    """A default as one would type it; one made by a factory or an object as an ellipsis."""
    text = repr(value)
    return "..." if text.startswith("<") else text


def markdown_of(docstring: str) -> Iterator[str]:
    """The docstring as Markdown lines.

    >>> list(markdown_of("Adds.\\n\\n>>> 1 + 1\\n2"))
    ['Adds.', '', '```python-console', '>>> 1 + 1', '2', '```']
    >>> list(markdown_of("a:   the first\\nb:   the second,\\n     and more"))
    ['- `a`: the first', '- `b`: the second, and more']
    """
    for place, part in enumerate(part for part in docstring.split("\n\n") if part.strip()):
        if place:
            yield ""
        lines = part.strip("\n").splitlines()
        if lines[0].startswith(">>>"):
            yield from ("```python-console", *lines, "```")
        elif NAMED.match(lines[0]) and all(NAMED.match(line) or line.startswith(" ") for line in lines):
            yield from _listed(lines)
        elif lines[0].startswith("    "):
            yield from ("```text", *dedent("\n".join(lines)).splitlines(), "```")
        else:
            yield from lines


def _listed(lines: list[str]) -> list[str]:
    found: list[str] = []
    for line in lines:
        named = NAMED.match(line)
        if named:
            found.append(f"- `{named[1].strip('`')}`: {named[2]}")
        else:
            found[-1] += f" {line.strip()}"
    return found
