"""Checks that what the pages link to is there: `python -m docs.links`.

Relative links to files, anchors within pages (`page.md#heading`), and pictures. A picture that a block of the page
itself saves counts as there: it is drawn when the page is run.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from docs.executed import HERE, blocks_of

__all__ = ["anchor_of", "anchors_of", "broken_links", "main", "pages"]

ROOT = HERE.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*$")
INLINE_CODE = re.compile(r"`[^`\n]*`")
ELSEWHERE = ("http://", "https://", "mailto:")


def pages() -> list[Path]:
    """Every page of the site, and those at the top of the repository."""
    inside = [page for page in HERE.rglob("*.md") if "_build" not in page.parts]
    return [*sorted(ROOT.glob("*.md")), *sorted(inside)]


def prose_of(text: str) -> list[str]:
    """The lines outside code."""
    lines = text.splitlines()
    for block in blocks_of(text):
        lines[block.start : block.end + 1] = [""] * (block.end + 1 - block.start)
    return [INLINE_CODE.sub("", line) for line in lines]


def anchor_of(heading: str) -> str:
    """The anchor of a heading, but for the number that a repeated one gets.

    >>> anchor_of("Example 22.14: `weights`")
    'example-2214-weights'
    """
    return re.sub(r"[^\w\- ]", "", heading.replace("`", "")).strip().lower().replace(" ", "-")


def anchors_of(text: str) -> set[str]:
    """The anchors that headings make, as MyST and GitHub name them.

    >>> sorted(anchors_of("# One row\\n\\n## What's *below*, then?"))
    ['one-row', 'whats-below-then']
    """
    found: set[str] = set()
    lines = text.splitlines()
    for block in blocks_of(text):
        lines[block.start : block.end + 1] = [""] * (block.end + 1 - block.start)
    for line in lines:
        heading = HEADING.match(line)
        if heading:
            name = anchor_of(heading[1])
            repeated = sum(other == name or other.startswith(f"{name}-") for other in found if name in found)
            found.add(f"{name}-{repeated}" if name in found else name)
    return found


def broken_links(page: Path) -> Iterator[str]:
    """What a page links to and is not there, with the line."""
    text = page.read_text(encoding="utf-8")
    saved = set(re.findall(r"savefig\(\"([^\"]+)\"", text))
    for number, line in enumerate(prose_of(text), start=1):
        for target in LINK.findall(line):
            if target.startswith(ELSEWHERE):
                continue
            path, _, anchor = unquote(target).partition("#")
            goal = (page.parent / path).resolve() if path else page
            if path in saved:
                continue
            if not goal.exists():
                yield f"{page.relative_to(ROOT)}:{number}: {target} is not there"
            elif anchor and goal.suffix == ".md" and anchor not in anchors_of(goal.read_text(encoding="utf-8")):
                yield f"{page.relative_to(ROOT)}:{number}: {target}: no heading makes that anchor"


def main() -> int:
    every = pages()
    faults = [fault for page in every for fault in broken_links(page)]
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(every)} pages, {len(faults)} broken links")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
