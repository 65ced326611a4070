"""The table of the sources: complete, current, and open where a check is missing."""

from __future__ import annotations

import re

import pytest

from docs.coverage import BOOK, coverage_page, open_entries, read_ledger, unlisted, untraced
from surefold.book.pages import Entry, documents, entries

DOCUMENTS, ENTRIES = documents(), entries()
LEDGER = read_ledger()

#: What the five documents number, so that none can be left out of the list.
NUMBERED = {
    "chapter": [
        *(f"Example 22.{i}" for i in range(1, 15)),
        *(f"Algorithm 22.{i}" for i in range(1, 6)),
        *(f"Table 22.{i}" for i in range(1, 8)),
        *(f"Figure 22.{i}" for i in (1, 2, 3, 4, 5, 6, "7 a to c", "7 d", "8 a", "8 b", "9 a", "9 b", 10)),
        *(f"Formula 22.{i}" for i in range(1, 17)),
        *(f"Exercise {i}" for i in range(1, 6)),
    ],
    "tan": ["Example 4.4", "Example 4.5", "Example 4.6", "Table 4.6", *(f"Formula 4.{i}" for i in range(11, 17))],
    "slips": [f"slip {i}" for i in range(1, 12)],
}


@pytest.mark.parametrize("document", NUMBERED)
def test_everything_numbered_is_listed(document: str) -> None:
    listed = {entry.where for entry in ENTRIES if entry.document == document}
    assert set(NUMBERED[document]) <= listed


def test_every_slide_is_listed() -> None:
    spans = [re.findall(r"\d+", entry.where.partition(",")[0]) for entry in ENTRIES if entry.document == "slides"]
    seen = {slide for span in spans for slide in range(int(span[0]), int(span[-1]) + 1)}
    assert seen == set(range(2, 78))  # 1 and 78 are covers


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


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry.document}: {entry.where}")
def test_every_check_leans_on_the_library_and_a_figures_on_what_is_drawn(entry: Entry) -> None:
    assert untraced(entry) == ""


def test_every_check_was_seen_to_fail_when_its_figures_are_changed() -> None:
    """A run counts a check only where it passed and some change of each of its figures made it fail."""
    for entry in ENTRIES:
        passed, made = LEDGER[f"book/{entry.page}"][entry.check]
        assert 0 < passed == made, entry


ENTRY = Entry("chapter", "Example 22.1", "example", "a thing", "tables", "ex22.1")


@pytest.mark.parametrize(
    ("ledger", "is_open"),
    [
        ({}, True),
        ({"book/tables": {"ex22.1": [2, 2]}}, False),
        ({"book/tables": {"ex22.1": [1, 2]}}, True),
        ({"book/tables": {"ex22.1": [0, 0]}}, True),
        ({"book/roc": {"ex22.1": [2, 2]}}, True),
    ],
)
def test_open_and_closed(ledger: dict[str, dict[str, list[int]]], is_open: bool) -> None:
    assert (open_entries([ENTRY], ledger) == [ENTRY]) is is_open
    mark = "| open |" if is_open else "| ✓ |"
    assert mark in coverage_page({"chapter": "A chapter"}, [ENTRY], ledger)


def test_a_check_that_nobody_lists_is_told() -> None:
    assert unlisted([ENTRY], {"book/tables": {"ex22.1": [1, 1], "stray": [1, 1]}, "guides/x": {"other": [1, 1]}}) == [
        "stray"
    ]
