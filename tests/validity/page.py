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
    #: For the picture: the coverage of every cell, and whether most of its draws carry a warning.
    cells: Sequence[tuple[float, bool]] = ()


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

![Coverage of the default intervals by family: a dot a simulated cell](validity.svg)

A 95 % interval that holds the truth 80 % of the time is worse than none. So every interval that surefold gives by
default is tried here on data whose truth is known: a population is fixed, rows are drawn from it many times, the
*shipped* code makes its interval from every draw, and we count how often that interval holds the population's value.
The picture shows every cell; the tables are below. Nothing on this page is typed by hand: `make validity` runs the
simulation (fixed seeds, {minutes} minutes of one core, parts side by side on the cores there are), writes this page and
fails if a gate fails. A run that was broken off goes on where it was. `python -m tests.validity --quick` is a short
version, `--only NAME ...` runs some parts ({names}).

Coverage is printed as .953 for 95.3 %. Where two numbers stand together they are the **minimum / mean** over the
cells. The Monte-Carlo standard error of one cell with R draws is .22/√R near .95: .0049 at R = 2,000, .0035 at
R = 4,000. Gates make no allowance for it: a cell that misses by luck is shown as one that misses. A draw in which there
is no interval counts as a miss. *Width* beside *the oracle's* is the median width over that of the central 95 % of the
estimates drawn: no interval that holds everywhere is narrower on the whole.

**What no rule can see.** No sample tells of rows of a kind that it does not hold. Two models that differ rarely but
much look alike in a sample without those rows; heavy rows that were not drawn do not weigh; a class in three groups
does not say how groups differ. An interval wide enough for all of that would say nothing in the ordinary case, at ten
times the width. There surefold gives the interval that the rows support, and a warning that names what is thin: few
rows decide, a class was rarely called, few groups hold it, one row makes most of the loss. So where such a warning is
up, read the interval as a lower limit of how unsure one must be, and collect more rows of that kind.
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
