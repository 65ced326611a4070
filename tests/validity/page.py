"""The page: sections with tables and gates, as Markdown and for the terminal."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Grid:
    """A titled table of text."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    note: str = ""
    words: bool = False  # cells are words, so all columns begin at the left

    def markdown(self) -> str:
        side = "---" if self.words else "--:"
        lines = ["| " + " | ".join(self.head) + " |", "|" + "|".join(["---"] + [side] * (len(self.head) - 1)) + "|"]
        lines += ["| " + " | ".join(row) + " |" for row in self.rows]
        title = f"**{self.title}**\n\n" if self.title else ""
        return title + "\n".join(lines) + (f"\n\n{self.note}" if self.note else "")


@dataclass(frozen=True)
class Gate:
    """What has to hold, what was found, and whether it held."""

    name: str
    wanted: str
    found: str
    passed: bool


@dataclass
class Section:
    """One part of the page."""

    name: str
    title: str
    text: str
    grids: list[Grid] = field(default_factory=list)
    gates: list[Gate] = field(default_factory=list)
    weak: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def markdown(self) -> str:
        return "\n\n".join([f"## {self.title}", self.text.strip(), *(grid.markdown() for grid in self.grids)])


def share(value: float, bold_below: float = 0.0) -> str:
    """A coverage the way the tables print it: .953, with those below a limit in bold."""
    if math.isnan(value):
        return "–"
    text = f"{value:.3f}".removeprefix("0")
    return f"**{text}**" if value < bold_below else text


def least_and_mean(values: Iterable[float], bold_below: float = 0.0) -> str:
    found = [v for v in values if not math.isnan(v)]
    return f"{share(min(found), bold_below)} / {share(sum(found) / len(found))}" if found else "–"


def gate_grid(gates: Sequence[Gate]) -> Grid:
    rows = [(g.name, g.wanted, g.found, "pass" if g.passed else "**FAIL**") for g in gates]
    return Grid("", ("gate", "wanted", "found", "state"), rows, words=True)


INTRODUCTION = """# Do the intervals cover what they say?

A 95 % interval that holds the truth 80 % of the time is worse than none. So every interval that surefold gives by
default is tried here on data whose truth is known: a population is fixed, rows are drawn from it many times, the
*shipped* code makes its interval from every draw, and we count how often that interval holds the population's value.
Nothing on this page is typed by hand: `make validity` runs the simulation (fixed seeds, about {minutes} minutes on
one core), writes this page and fails if a gate fails. `python -m tests.validity --quick` is the one-minute version,
`--only NAME` runs one part ({names}).

Coverage is printed as .953 for 95.3 %. Where two numbers stand together they are the **minimum / mean** over the
cells. The Monte-Carlo standard error of one cell with R draws is .22/√R near .95: .0049 at R = 2,000, .007 at
R = 1,000. A minimum over a hundred cells lies two to three such errors below the typical cell by luck alone; gates
allow for three. A draw in which there is no interval counts as a miss.
"""


def page(sections: Sequence[Section], quick: bool) -> str:
    minutes = max(1, round(sum(s.seconds for s in sections) / 60))
    parts = [INTRODUCTION.format(minutes=minutes, names=", ".join(f"`{s.name}`" for s in sections)).strip()]
    if quick:
        parts.append("*This copy is of a quick run: the numbers are rough.*")
    parts += ["## The gates", gate_grid([g for s in sections for g in s.gates]).markdown()]
    weak = [f"- {line}" for s in sections for line in s.weak]
    if weak:
        parts += ["## What is below nominal", "\n".join(weak)]
    parts += [s.markdown() for s in sections]
    return "\n\n".join(parts) + "\n"
