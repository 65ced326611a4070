"""The reference: no public name, measure or command without its place, and facts that are those of the code."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from docs.api_pages import MODULES, api_page, markdown_of, names_of, signature_of
from docs.command_page import help_of
from docs.flow import ARROWS, BOXES, drawing
from docs.generate import PAGES
from docs.links import anchors_of
from docs.measure_page import measures_page
from surefold.cli.main import COMMANDS
from surefold.measures import catalogue

MEASURES = measures_page()


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_is_told(module: str) -> None:
    page = api_page(module)
    for name, each in names_of(module).items():
        assert f"\n### {name}\n" in page, name
        assert inspect.getdoc(each), f"{name} has no docstring"


@pytest.mark.parametrize("module", MODULES)
def test_every_link_within_a_page_has_its_heading(module: str) -> None:
    page = api_page(module)
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= anchors_of(page)


def test_names_that_differ_by_case_have_places_of_their_own() -> None:
    page = api_page("surefold")
    assert "[`gate`](#gate)" in page
    assert "[`Gate`](#gate-1)" in page


def entry_of(name: str) -> str:
    found = re.search(rf"^### {name}\n(.*?)(?=^##|\Z)", MEASURES, flags=re.MULTILINE | re.DOTALL)
    assert found, name
    return found[1]


@pytest.mark.parametrize("name", catalogue)
def test_every_measure_has_its_facts_and_an_example(name: str) -> None:
    entry, m = entry_of(name), catalogue[name]
    assert m.meaning in entry
    assert f"- Formula: `{m.text}`" in entry
    assert re.search(r"^- Range: .+; (higher|lower|neither end) is better$", entry, flags=re.MULTILINE)
    assert f"- Undefined: {m.undefined.format(label='the class')}" in entry
    assert re.search(r"^- Source: \S", entry, flags=re.MULTILINE)
    assert re.search(rf"```python\nprint\(.*\"{name}\".*\)\n```\n\n```text\n[−]?\d+(\.\d+)? \[.+\]", entry), (
        "no example"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("accuracy", 22 / 30),
        ("precision", 7 / 14),
        ("recall", 7 / 10),
        ("specificity", 13 / 20),
        ("f1", 2 * 7 / (2 * 7 + 7 + 3)),
        ("squared_loss", 4 * 10 / 30),
        ("expected_cost", (5 * 3 + 1 * 7) / 30),
        ("recall_macro", (1 + 0.7 + 0.5) / 3),
        ("roc_auc", 14 / 25),  # of 5 x 5 pairs 13 in order and 2 tied
        ("top_k_accuracy", 5 / 6),  # of the last row b and a are ahead of c
    ],
)
def test_examples_are_right_by_hand(name: str, value: float) -> None:
    shown = re.search(r"```text\n(\S+)", entry_of(name))
    assert shown
    assert float(shown[1]) == pytest.approx(value, abs=0.0051)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_is_shown(name: str) -> None:
    told = help_of(name)
    assert told[0].startswith(f"Usage: surefold {name}")
    assert any("Examples:" in line for line in told)
    assert "\n".join(told) in PAGES["reference/command-line.md"]()


def test_a_signature_is_as_one_would_type_it() -> None:
    def long(
        first: Any, /, second: int = 1, *rest: str, keyword: dict[str, float] | None = None, **options: Any
    ) -> None:
        """Has every kind of argument."""

    assert signature_of("f", long) == (
        "f(first: Any, second: int = 1, *rest: str, keyword: dict[str, float] | None = None, **options: Any)"
    )


def test_indented_text_is_shown_as_it_is() -> None:
    told = list(markdown_of("Draws a tree.\n\n    root\n      leaf"))
    assert told == ["Draws a tree.", "", "```text", "root", "  leaf", "```"]


def test_the_drawing_shows_rooms_that_are_there() -> None:
    """What people bring and get is not a room."""
    rooms = {box.title for box in BOXES.values()} - {"predictions", "rows, a model", "report, plots, cli"}
    from tests.test_imports import ROOMS

    assert rooms <= set(ROOMS)
    assert {end for start, end, _ in ARROWS} | {start for start, _, _ in ARROWS} == set(BOXES)
    assert drawing().count("<rect") == len(BOXES)
