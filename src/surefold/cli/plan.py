"""`surefold plan`: how many rows it takes, and what so many can show."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from surefold._version import heading
from surefold.cli.output import note, output_options, say
from surefold.cli.places import Checked
from surefold.errors import InputError, UnknownNameError
from surefold.findings import FINDING_CODES
from surefold.planning.design import Design, percent
from surefold.planning.power import KINDS, expected_width, power, sample_size, smallest_difference
from surefold.planning.results import Planned, SampleSize
from surefold.report.as_json import to_json
from surefold.show.names import csv_text, markdown_cell, text_table
from surefold.show.write.terminal import Look, wrapped

__all__ = ["plan"]

#: The powers, and the widths as parts of the one asked for, that the table shows rows for.
POWERS = (0.5, 0.8, 0.9, 0.95)
WIDTHS = (2.0, 1.0, 0.5, 0.25)
#: What says which difference is there; without it only the smallest one can be asked for.
_SAYS_DIFFERENCE = {
    "proportion": ("value",),
    "two_proportions": ("second",),
    "mcnemar": ("difference", "only_first"),
    "auc": ("value",),
    "paired_auc": ("second",),
    "pilot": ("difference", "margin"),
}
#: What the smallest difference is looked for from: the rest of the facts leave it open.
_OPEN = ("value", "second", "width", "difference")
#: Kinds that have an interval, and what would make them plans for a test instead.
_WITH_WIDTH = ("proportion", "auc", "pilot")
_OF_A_TEST = ("null", "difference", "margin", "design", "direction")
#: The share whose interval is widest.
_WIDEST = 0.5
_POSITIVES = "Share of the rows that are positive."


@click.command(cls=Checked)
@click.argument("kind")
@click.option("--n", type=int, metavar="ROWS", help="Rows at hand: what is their power, and what can they show?")
@click.option("--power", "asked", type=float, default=0.8, show_default=True, metavar="P", help="Chance to find it.")
@click.option("--confidence", type=float, default=0.95, show_default=True, metavar="C")
@click.option("--value", type=float, metavar="X", help="The share or the area that is expected.")
@click.option("--null", type=float, metavar="X", help="The share or the area to tell it from.")
@click.option("--width", type=float, metavar="W", help="Full width of the interval that is wanted.")
@click.option("--first", type=float, metavar="X", help="Share or area of the first model.")
@click.option("--second", type=float, metavar="X", help="Share or area of the second model.")
@click.option("--ratio", type=float, metavar="R", help="Rows of the second set over rows of the first.")
@click.option("--only-first", type=float, metavar="X", help="Share of rows that only the first gets right.")
@click.option("--only-second", type=float, metavar="X", help="Share of rows that only the second gets right.")
@click.option("--difference", type=float, metavar="D", help="The true difference, first minus second.")
@click.option("--disagreement", type=float, metavar="X", help="Share of rows on which one is right, the other wrong.")
@click.option("--positives", "--positives-share", "positives_share", type=float, metavar="X", help=_POSITIVES)
@click.option("--correlation", type=float, metavar="R", help="Of the two scores, among rows of one class.")
@click.option("--form", type=click.Choice(["binormal", "exponential"]), help="Shape of the scores, for one area.")
@click.option("--direction", type=click.Choice(["above", "below"]), help="Where the smallest difference lies.")
@click.option("--se", type=float, metavar="S", help="Standard error that a pilot gave.")
@click.option("--rows", type=float, metavar="N", help="Rows of that pilot.")
@click.option("--design", metavar="NAME", help="difference, superiority, noninferiority or equivalence, for a pilot.")
@click.option("--margin", type=float, metavar="D", help="Margin of those designs.")
@click.option("--design-effect", type=float, metavar="E", help="How many grouped rows are worth one.")
@output_options(("table", "json", "csv", "md"), width="--columns")
def plan(
    kind: str,
    n: int | None,
    asked: float,
    confidence: float,
    shape: str,
    quiet: bool,
    debug: bool,
    **facts: Any,
) -> None:
    """How many rows does it take to show it? With --n: what can so many rows show?

    KIND is proportion, two_proportions, mcnemar, auc, paired_auc or pilot.

    \b
    Examples:
      surefold plan mcnemar --difference 0.02 --disagreement 0.1
      surefold plan mcnemar --disagreement 0.1 --n 1000
      surefold plan proportion --value 0.9 --width 0.05
      surefold plan proportion --n 400
      surefold plan two_proportions --first 0.85 --second 0.9
      surefold plan auc --value 0.85 --width 0.05 --positives 0.2
      surefold plan paired_auc --first 0.85 --second 0.87 --correlation 0.5 --positives 0.2
      surefold plan pilot --se 0.012 --rows 500 --margin 0.02 --design noninferiority
    """
    if kind not in KINDS:
        raise UnknownNameError("kind of plan", kind, KINDS)
    said = {name: value for name, value in facts.items() if value is not None}
    _known_options(kind, said)
    of_a_width = kind in _WITH_WIDTH and not any(name in said for name in ("width", *_OF_A_TEST))
    is_open = "width" not in said and not any(name in said for name in _SAYS_DIFFERENCE[kind])
    if n is None and is_open:
        cure = "give the difference that is there or the width that is wanted; or --n, to see what so many rows show"
        raise InputError("bad_option", f"a plan for {kind} without a goal", cure=cure)
    if n is not None and of_a_width:
        if kind == "proportion" and "value" not in said:
            said["value"] = _WIDEST
            note(f"No share was said: {_WIDEST} has the widest interval; say --value for another.", quiet)
        found: list[Planned] = [expected_width(kind, n=n, confidence=confidence, **said)]
        found += _answers(kind, said, n, asked, confidence, is_open) if kind == "pilot" else []
    else:
        found = _answers(kind, said, n, asked, confidence, is_open)
    rows = [] if is_open or of_a_width else _table(kind, said, asked, confidence)
    say(_shown(found, rows, shape))
    for flag in found[0].flags:
        note(f"\n{FINDING_CODES[flag][0]}: {FINDING_CODES[flag][1]} [{flag}]", quiet)
    if shape == "table" and n is None:
        verb = "give" if "width" in said else "show"
        note(f"\nNext: the same with --n ROWS, to see what rows at hand can {verb}.", quiet)


def _known_options(kind: str, said: dict[str, Any]) -> None:
    """Refuse an option of another kind by the name it has here."""
    known = [f"--{name.replace('_', '-')}" for name in KINDS[kind].known if name != "estimate"]
    for name in said:
        if name not in KINDS[kind].known:
            raise UnknownNameError(f"option of {kind}", f"--{name.replace('_', '-')}", known)


def _answers(
    kind: str, said: dict[str, Any], n: int | None, asked: float, confidence: float, is_open: bool
) -> list[Planned]:
    """What was asked for first; with rows at hand, also the smallest difference they can show."""
    if n is None:
        return [sample_size(kind, power=asked, confidence=confidence, **said)]
    if "width" in said:
        return [expected_width(kind, n=n, confidence=confidence, **said)]
    found: list[Planned] = [] if is_open else [power(kind, n=n, confidence=confidence, **said)]
    is_margin = said.get("design") in ("noninferiority", "equivalence")
    left = {name: x for name, x in said.items() if name not in _OPEN or (is_margin and name == "difference")}
    if is_margin:
        left.pop("margin", None)
    if found and "direction" not in said and "direction" in KINDS[kind].known:
        left["direction"] = _direction(found[0].design)
    try:
        found.append(smallest_difference(kind, n=n, power=asked, confidence=confidence, **left))
    except InputError:
        if not found:  # no difference is large enough: then the power alone is the answer
            raise
    return found


def _direction(design: Design) -> str:
    """On which side of what is known the other share or area was said to lie."""
    facts = design.facts()
    known, other = (facts["null"], facts["value"]) if "null" in facts else (facts["first"], facts["second"])
    return "above" if other > known else "below"


def _table(kind: str, said: dict[str, Any], asked: float, confidence: float) -> list[SampleSize]:
    if "width" in said:
        widths = [said["width"] * part for part in WIDTHS if said["width"] * part < 1 or kind == "pilot"]
        return [sample_size(kind, confidence=confidence, **said | {"width": width}) for width in widths]
    powers = sorted({p for p in (*POWERS, asked) if p > 1 - confidence})
    return [sample_size(kind, power=p, confidence=confidence, **said) for p in powers]


def _cells(rows: Sequence[SampleSize]) -> list[list[str]]:
    """Rows against power, or width, with what the rows are made of."""
    first = "width" if rows[0].power is None else "power"
    lines = [[first, "rows", *rows[0].parts]]
    for row in rows:
        asked = f"{row.design.width:.4g}" if row.power is None else percent(row.power)
        lines.append([asked, f"{row.n:,}", *(f"{part:,}" for part in row.parts.values())])
    return lines


def _shown(found: Sequence[Planned], rows: Sequence[SampleSize], shape: str) -> str:
    sentences = [str(each) for each in found]
    if shape == "json":
        table = [{"power": r.power, "width": r.design.width, "n": r.n, "parts": r.parts} for r in rows]
        answers = [each.to_dict() for each in found]
        return to_json({**heading("plan"), "answers": answers, "table": table})
    if shape == "csv":
        return _csv(found, rows)
    if shape == "md":
        return "\n\n".join([*map(markdown_cell, sentences), *([_markdown(_cells(rows))] if rows else [])])
    if sys.stdout.isatty():
        sentences = [wrapped(sentence, Look.here()) for sentence in sentences]
    return "\n\n".join(["\n".join(sentences), *([text_table(_cells(rows), right=range(5))] if rows else [])])


def _csv(found: Sequence[Planned], rows: Sequence[SampleSize]) -> str:
    """One line an answer, then one a row of the table, in the same columns."""
    lines: list[list[object]] = [["answer", "design", "n", "power", "width", "difference", "confidence"]]
    for place, each in enumerate((*found, *rows)):
        d = each.to_dict()
        figures = (d.get(name) for name in ("design", "n", "power", "width", "difference", "confidence"))
        lines.append([d["kind"] if place < len(found) else "table", *figures])
    return csv_text(lines).rstrip("\n")


def _markdown(cells: Sequence[Sequence[str]]) -> str:
    head, *rows = (f"| {' | '.join(row)} |" for row in cells)
    return "\n".join([head, "|" + "--:|" * len(cells[0]), *rows])
