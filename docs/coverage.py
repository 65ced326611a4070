"""The table of the sources: every entry, its page, and whether its checks passed. `python -m docs.coverage`.

`book/sources.toml` lists the entries; `book/checks.json`, written by `python -m docs.executed --record`, says which
checks were made on which page and how many passed and were seen to be able to fail. An entry without one, or with one
that failed, is open. Open entries make the command fail, and so does a check that no entry names or that looks at
nothing of the library.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from docs.links import anchor_of
from surefold.book.pages import Entry, documents, entries, page
from surefold.book.run import code_of
from surefold.book.slices import leant_on

__all__ = ["closed", "counts", "coverage_page", "main", "open_entries", "unlisted", "untraced"]

BOOK = Path(__file__).parent / "book"
Ledger = dict[str, dict[str, list[int]]]


def counts(entry: Entry, ledger: Ledger) -> tuple[int, int]:
    """Checks of an entry passed and made on its page."""
    passed, made = ledger.get(f"book/{entry.page}", {}).get(entry.check, [0, 0])
    return passed, made


def closed(entry: Entry, ledger: Ledger) -> bool:
    passed, made = counts(entry, ledger)
    return 0 < made == passed


def read_ledger(path: Path = BOOK / "checks.json") -> Ledger:
    found: Ledger = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def open_entries(entries: Sequence[Entry], ledger: Ledger) -> list[Entry]:
    """Those without a passed check."""
    return [entry for entry in entries if not closed(entry, ledger)]


def unlisted(entries: Sequence[Entry], ledger: Ledger) -> list[str]:
    """Checks of the book's pages that no entry names."""
    named = {entry.check for entry in entries}
    made = {check for page, checks in ledger.items() if page.startswith("book/") for check in checks}
    return sorted(made - named)


def untraced(entry: Entry) -> str:
    """Why the checks of an entry look at nothing of the library, or at no figure; empty where they do.

    A check leans on surefold where what it is made of does; the checks and the data of the book are not enough. The
    check of a figure reads what was `drawn`.
    """
    statements, wanted = code_of(page(entry.page), entry.check)
    checks = {place for place in wanted if statements[place].calls(entry.check)}
    for place in sorted(checks):
        homes = {home for i in leant_on(statements, {place}) for home in statements[i].imports}
        if not any(home.partition(".")[0] == "surefold" and home != "surefold.book" for home in homes):
            return f"a check of {entry.check} never calls surefold: {statements[place].source[:80]!r}"
    if entry.kind == "figure":
        sources = [statements[i].source for place in checks for i in leant_on(statements, {place})]
        if not any("drawn(" in source for source in sources):
            return f"the checks of {entry.check} look at no figure"
    return ""


def coverage_page(titles: dict[str, str], entries: Sequence[Entry], ledger: Ledger) -> str:
    """The page, as Markdown: the sources in their order, each entry with the section that runs it."""
    done = sum(closed(entry, ledger) for entry in entries)
    lines = [
        "# The sources in their order",
        "",
        "Each section, formula, example, algorithm, table, figure, slide and exercise of the five documents, the",
        "section of the book that runs it, and how many checks passed there. A check is one figure or claim that was",
        "compared; a changed figure must make it fail. This page is written by `python -m docs.coverage` from what the",
        "pages did when they were last run. On a terminal: `surefold book 22.14`, `surefold book slide 59`.",
        "",
        f"**{done} of {len(entries)} entries are covered.**",
    ]
    for document, title in titles.items():
        own = [entry for entry in entries if entry.document == document]
        lines += ["", f"## {title}", "", "| | where | kind | what | section | checks |", "|---|---|---|---|---|--:|"]
        for entry in own:
            passed, made = counts(entry, ledger)
            mark = "✓" if closed(entry, ledger) else "open"
            number = str(passed) if passed == made else f"{passed} of {made}"
            home = page(entry.page)
            section = home.section_of(entry.check)
            anchor = "" if section == home.title else f"#{anchor_of(section)}"
            link = f"[{section}](./{entry.page}.md{anchor})"
            lines.append(f"| {mark} | {entry.where} | {entry.kind} | {entry.what} | {link} | {number} |")
    return "\n".join([*lines, ""])


def main() -> int:
    ledger = read_ledger()
    (BOOK / "coverage.md").write_text(coverage_page(documents(), entries(), ledger), encoding="utf-8")
    faults = [f"open: {entry.document}, {entry.where} ({entry.check})" for entry in open_entries(entries(), ledger)]
    faults += [f"no entry names the check {check}" for check in unlisted(entries(), ledger)]
    faults += [fault for entry in entries() if (fault := untraced(entry))]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(entries())} entries, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
