"""The table of the sources: every entry, its page, and whether its checks passed. `python -m docs.coverage`.

`book/sources.toml` lists the entries; `book/checks.json`, written by `python -m docs.executed --record`, says which
checks were made on which page and how many passed. An entry without a check that passed, or with one that failed, is
open. Open entries make the command fail, and so does a check that no entry names.
"""

from __future__ import annotations

import json
import sys
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["Entry", "coverage_page", "entries_of", "main", "open_entries", "unlisted"]

BOOK = Path(__file__).parent / "book"
Ledger = dict[str, dict[str, list[int]]]


@dataclass(frozen=True)
class Entry:
    """One line of the table. One that `waits` for something of the library is pending: not covered, and no fault."""

    document: str
    where: str
    kind: str
    what: str
    page: str
    check: str
    waits: str = ""

    def counts(self, ledger: Ledger) -> tuple[int, int]:
        """Checks passed and made on its page."""
        passed, made = ledger.get(f"book/{self.page}", {}).get(self.check, [0, 0])
        return passed, made

    def closed(self, ledger: Ledger) -> bool:
        passed, made = self.counts(ledger)
        return 0 < made == passed and not self.waits


def read_sources(path: Path = BOOK / "sources.toml") -> tuple[dict[str, str], list[Entry]]:
    """The documents, and the entries in their order."""
    given = tomllib.loads(path.read_text(encoding="utf-8"))
    entries = [Entry(document, *row) for document, rows in given["rows"].items() for row in rows]
    return given["documents"], entries


def entries_of() -> list[Entry]:
    return read_sources()[1]


def read_ledger(path: Path = BOOK / "checks.json") -> Ledger:
    found: Ledger = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def open_entries(entries: list[Entry], ledger: Ledger) -> list[Entry]:
    """Those without a passed check, but for those that wait."""
    return [entry for entry in entries if not entry.closed(ledger) and not entry.waits]


def unlisted(entries: list[Entry], ledger: Ledger) -> list[str]:
    """Checks of the book's pages that no entry names."""
    named = {entry.check for entry in entries}
    made = {check for page, checks in ledger.items() if page.startswith("book/") for check in checks}
    return sorted(made - named)


@cache
def title_of(page: str) -> str:
    """The first heading of a page of the book."""
    return (BOOK / f"{page}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def coverage_page(documents: dict[str, str], entries: list[Entry], ledger: Ledger) -> str:
    """The page, as Markdown."""
    closed = sum(entry.closed(ledger) for entry in entries)
    lines = [
        "# Coverage of the sources",
        "",
        "This page is written by `python -m docs.coverage` from the list of all entries and from the checks that",
        "passed when the pages were last run. A check is one figure or claim that was compared. An entry without one",
        "is open; one that waits for a part of the library is pending.",
        "",
        f"**{closed} of {len(entries)} entries are covered.**",
    ]
    for document, title in documents.items():
        own = [entry for entry in entries if entry.document == document]
        lines += [
            "",
            f"## {title}",
            "",
            "| | entry | kind | what | page | checks passed |",
            "|---|---|---|---|---|--:|",
        ]
        for entry in own:
            passed, made = entry.counts(ledger)
            mark = "✓" if entry.closed(ledger) else "pending" if entry.waits else "open"
            waits = f" (waits for {entry.waits})" if entry.waits else ""
            counts = str(passed) if passed == made else f"{passed} of {made}"
            page = f"[{title_of(entry.page)}](./{entry.page}.md)"
            lines.append(f"| {mark} | {entry.where} | {entry.kind} | {entry.what}{waits} | {page} | {counts} |")
    return "\n".join([*lines, ""])


def main() -> int:
    documents, entries = read_sources()
    ledger = read_ledger()
    (BOOK / "coverage.md").write_text(coverage_page(documents, entries, ledger), encoding="utf-8")
    faults = [f"open: {entry.document}, {entry.where} ({entry.check})" for entry in open_entries(entries, ledger)]
    faults += [f"no entry names the check {check}" for check in unlisted(entries, ledger)]
    for fault in faults:
        print(fault, file=sys.stderr)
    waiting = sum(bool(entry.waits) for entry in entries)
    print(f"{len(entries)} entries, {len(faults)} faults, {waiting} wait for something")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
