"""The pages of the book: where they are, what is in them, and which part of them is about an example of a source."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from surefold.errors import UnknownNameError

__all__ = ["Entry", "Fence", "Page", "documents", "entries", "fences_of", "page", "page_names", "pages_folder"]

FENCE = re.compile(r"^(?P<ticks>`{3,})(?P<info>[^`]*)$")
HEADING = re.compile(r"^(#{1,3}) (.+)$")


@dataclass(frozen=True)
class Fence:
    """A fence: its first and last line in the page (of the marks), what it is, and what is in it."""

    start: int
    end: int
    info: str
    text: str


@dataclass(frozen=True)
class Entry:
    """One line of the list of sources: what a document has where, and the page and check that run it."""

    document: str
    where: str
    kind: str
    what: str
    page: str
    check: str

    def matches(self, words: str) -> bool:
        """Whether it is what somebody looks for: a number such as 22.14 or `slide 59`, or words of its text.

        >>> each = Entry("slides", "slides 57 to 60", "claim", "ensembles, bagging", "bagging", "x")
        >>> each.matches("slide 59"), each.matches("Bagging"), each.matches("slide 6")
        (True, True, False)
        >>> Entry("chapter", "Example 22.1", "", "", "", "").matches("22.14")
        False
        """
        text, sought = f"{self.where} {self.what}".casefold(), words.casefold().strip()
        slide = re.fullmatch(r"(?:slides?\s+)(\d+)", sought)
        if slide and self.document == "slides":
            span = [int(number) for number in re.findall(r"\d+", self.where)]
            return span[0] <= int(slide[1]) <= span[-1]
        return re.search(rf"(?<![\w.]){re.escape(sought)}(?![\d]|\.\d)", text) is not None


@dataclass(frozen=True)
class Page:
    """A page: its lines, its fences, and its headings by line."""

    name: str
    text: str

    @property
    def title(self) -> str:
        """The first heading."""
        return self.text.partition("\n")[0].removeprefix("# ")

    @property
    def fences(self) -> list[Fence]:
        """All fences, in order."""
        return fences_of(self.text)

    def section_of(self, check: str) -> str:
        """The heading over the first call of a check; the title where it stands above all others."""
        inside = [range(fence.start, fence.end + 1) for fence in self.fences]
        heading = self.title
        for number, line in enumerate(self.text.splitlines()):
            found = HEADING.match(line)
            if found and not any(number in span for span in inside):
                heading = found[2]
            if f'"{check}"' in line:
                return heading
        raise UnknownNameError("check", check, [])

    def spans_of(self, check: str) -> list[range]:
        """The lines of each section that makes a check of this id."""
        inside = [range(fence.start, fence.end + 1) for fence in self.fences]
        lines = self.text.splitlines()
        starts = [
            number
            for number, line in enumerate(lines)
            if HEADING.match(line) and not any(number in span for span in inside)
        ]
        spans = [range(a, b) for a, b in zip(starts, [*starts[1:], len(lines)], strict=True)]
        return [span for span in spans if any(f'"{check}"' in lines[number] for number in span)]


def fences_of(text: str) -> list[Fence]:
    """The fences of a page in order.

    >>> [fence.info for fence in fences_of("```python\\n1\\n```\\n\\n```text\\n2\\n```\\n")]
    ['python', 'text']
    """
    found: list[Fence] = []
    opened: tuple[int, str, str] | None = None
    inside: list[str] = []
    for number, line in enumerate(text.splitlines()):
        fence = FENCE.match(line)
        if opened is None and fence:
            opened, inside = (number, fence["ticks"], fence["info"].strip()), []
        elif opened is not None and fence and fence["ticks"] == opened[1] and not fence["info"].strip():
            found.append(Fence(opened[0], number, opened[2], "\n".join(inside)))
            opened = None
        elif opened is not None:
            inside.append(line)
    if opened is not None:
        raise ValueError(f"the fence of line {opened[0] + 1} is not closed")
    return found


def pages_folder() -> Path:
    """Where the pages are: beside this file once installed, in `docs/book` of a checkout."""
    installed = Path(__file__).parent / "pages"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "docs" / "book"


@cache
def page(name: str) -> Page:
    """A page by its name, such as "boosting"."""
    path = pages_folder() / f"{name}.md"
    if not re.fullmatch(r"[a-z-]+", name) or not path.is_file():
        raise UnknownNameError("page of the book", name, page_names())
    return Page(name, path.read_text(encoding="utf-8"))


def page_names() -> list[str]:
    """The names of all pages that an entry of the sources leads to, in the order of the book."""
    return list(dict.fromkeys(entry.page for entry in entries()))


@cache
def _sources() -> tuple[dict[str, str], tuple[Entry, ...]]:
    given = tomllib.loads((pages_folder() / "sources.toml").read_text(encoding="utf-8"))
    return given["documents"], tuple(Entry(document, *row) for document, rows in given["rows"].items() for row in rows)


def documents() -> dict[str, str]:
    """The short name of each source, and its title."""
    return _sources()[0]


def entries() -> tuple[Entry, ...]:
    """Every entry of every source, in the order of the sources."""
    return _sources()[1]
