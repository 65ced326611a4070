"""The table of the sources: complete, current, and open where a check is missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs.coverage import BOOK, Entry, coverage_page, open_entries, read_ledger, read_sources, unlisted

DOCUMENTS, ENTRIES = read_sources()
LEDGER = read_ledger()

#: What the five documents number, so that none can be left out of the list.
NUMBERED = {
    "chapter": [
        *(f"Example 22.{i}" for i in range(1, 15)),
        *(f"Algorithm 22.{i}" for i in range(1, 6)),
        *(f"Table 22.{i}" for i in range(1, 8)),
        *(f"Figure 22.{i}" for i in range(1, 11)),
        *(f"Exercise {i}" for i in range(1, 6)),
    ],
    "tan": ["Example 4.4", "Example 4.6", "Table 4.6"],
    "slips": [f"slip {i}" for i in range(1, 12)],
}


@pytest.mark.parametrize("document", NUMBERED)
def test_everything_numbered_is_listed(document: str) -> None:
    listed = {entry.where for entry in ENTRIES if entry.document == document}
    assert set(NUMBERED[document]) <= listed


def test_every_slide_is_listed() -> None:
    spans = [re.findall(r"\d+", entry.where) for entry in ENTRIES if entry.document == "slides"]
    seen = {slide for span in spans for slide in range(int(span[0]), int(span[-1]) + 1)}
    assert seen == set(range(3, 78))  # 1 and 78 are covers, 2 is the introduction


def test_no_entry_is_open() -> None:
    assert [(e.document, e.where) for e in open_entries(ENTRIES, LEDGER)] == []


def test_no_check_is_without_an_entry() -> None:
    assert unlisted(ENTRIES, LEDGER) == []


def test_every_page_says_what_it_checks() -> None:
    for entry in ENTRIES:
        text = (BOOK / f"{entry.page}.md").read_text(encoding="utf-8")
        assert f'"{entry.check}"' in text, f"{entry.page}.md never names {entry.check}"


def test_the_page_is_current() -> None:
    written = (BOOK / "coverage.md").read_text(encoding="utf-8")
    assert written == coverage_page(DOCUMENTS, ENTRIES, LEDGER), "run python -m docs.coverage"


def test_every_page_of_the_book_is_in_its_list() -> None:
    listed = set(re.findall(r"^[a-z][\w-]*$", (BOOK / "index.md").read_text(encoding="utf-8"), flags=re.MULTILINE))
    assert {page.stem for page in BOOK.glob("*.md")} - {"index"} <= listed


ENTRY = Entry("chapter", "Example 1", "example", "a thing", "tables", "ex1")


@pytest.mark.parametrize(
    ("ledger", "is_open"),
    [
        ({}, True),
        ({"book/tables": {"ex1": [2, 2]}}, False),
        ({"book/tables": {"ex1": [1, 2]}}, True),
        ({"book/tables": {"ex1": [0, 0]}}, True),
        ({"book/roc": {"ex1": [2, 2]}}, True),
    ],
)
def test_open_and_closed(ledger: dict[str, dict[str, list[int]]], is_open: bool) -> None:
    assert (open_entries([ENTRY], ledger) == [ENTRY]) is is_open
    mark = "| open |" if is_open else "| ✓ |"
    assert mark in coverage_page({"chapter": "A chapter"}, [ENTRY], ledger)


def test_what_waits_is_pending_and_not_covered() -> None:
    waiting = Entry("chapter", "Example 1", "example", "a thing", "tables", "ex1", "stars")
    ledger = {"book/tables": {"ex1": [2, 2]}}
    assert open_entries([waiting], ledger) == []
    page = coverage_page({"chapter": "A chapter"}, [waiting], ledger)
    assert "| pending | Example 1 | example | a thing (waits for stars) |" in page
    assert "**0 of 1 entries are covered.**" in page


def test_a_check_that_nobody_lists_is_told() -> None:
    assert unlisted([ENTRY], {"book/tables": {"ex1": [1, 1], "stray": [1, 1]}, "guides/x": {"other": [1, 1]}}) == [
        "stray"
    ]


def test_the_sources_are_read_as_written(tmp_path: Path) -> None:
    path = tmp_path / "sources.toml"
    path.write_text(
        '[documents]\na = "A"\n\n[rows]\na = [["E 1", "example", "what", "page", "check"]]\n', encoding="utf-8"
    )
    assert read_sources(path) == ({"a": "A"}, [Entry("a", "E 1", "example", "what", "page", "check")])
