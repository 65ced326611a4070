"""`surefold measures`: the catalogue."""

from __future__ import annotations

import sys
from typing import Any

import click

from surefold.cli.output import output_options, say
from surefold.cli.places import Checked
from surefold.measures import Measure, catalogue
from surefold.report.as_json import to_json
from surefold.show.blocks import Column, Document, Table, Text
from surefold.show.names import csv_text, cut, markdown_cell, text_table
from surefold.show.write.terminal import terminal

__all__ = ["measures"]


@click.command(cls=Checked)
@click.argument("names", nargs=-1)
@output_options(("table", "json", "csv", "md"))
def measures(names: tuple[str, ...], shape: str, quiet: bool, debug: bool) -> None:
    """Every measure, or the NAMES asked for: formula, range, direction, source, when undefined.

    \b
    Examples:
      surefold measures
      surefold measures kappa mcc
      surefold measures --format json
    """
    chosen = [catalogue[name] for name in names] or list(catalogue.values())
    shown: dict[str, Any] = {
        "table": lambda: "\n\n".join(map(_entry, chosen)) if names else _overview(chosen),
        "json": lambda: to_json({"measures": [m.to_dict() for m in chosen]}),
        "csv": lambda: _csv(chosen),
        "md": lambda: markdown_catalogue(chosen),
    }
    say(shown[shape]())


def _range(m: Measure) -> str:
    low, high = ("-∞" if x == float("-inf") else "∞" if x == float("inf") else f"{x:g}" for x in m.range)
    return f"{low} to {high}" if m.range_of is None or m.range[1] != float("inf") else "least to greatest cost"


def _overview(chosen: list[Measure]) -> str:
    more = "Whole formulas, other names, options: surefold measures NAME"
    if sys.stdout.isatty():
        head = (Column("measure", "name"), Column("range"), Column("better"), Column("formula", drop=1))
        lines = tuple((m.name, _range(m), m.better, cut(m.text, 48)) for m in chosen)
        return terminal(Document.of(None, [Table(head, lines), Text.of(more)]))
    rows = [["measure", "formula", "range", "better", "source"]]
    rows += [[m.name, cut(m.text, 48), _range(m), m.better, cut(m.source, 44)] for m in chosen]
    return f"{text_table(rows)}\n\n{more}"


def _entry(m: Measure) -> str:
    facts = m.to_dict()
    rows = [
        ["  formula", m.text],
        ["  range", _range(m)],
        ["  better", m.better],
        ["  of", _subject(m)],
        ["  undefined", m.undefined.format(label="the class")],
    ]
    if m.aliases:
        rows.append(["  also", ", ".join(m.aliases)])
    if facts["options"]:
        rows.append(["  options", ", ".join(facts["options"])])
    rows.append(["  source", m.source])
    return f"{m.name}: {m.meaning}\n{text_table(rows)}"


def _subject(m: Measure) -> str:
    subjects = {
        "one_vs_rest": "each class against the rest",
        "margins": "the whole table",
        "ranking": "scores of two classes",
        "probabilities": "probabilities of two classes",
        "matrix": "one column of probabilities a class",
    }
    return subjects[m.reads]


def _csv(chosen: list[Measure]) -> str:
    rows: list[list[object]] = [
        ["name", "formula", "low", "high", "better", "per_class", "undefined", "aliases", "source"]
    ]
    for m in chosen:
        low, high = m.to_dict()["range"]
        undefined = m.undefined.format(label="the class")
        rows.append([m.name, m.text, low, high, m.better, m.is_per_class, undefined, " ".join(m.aliases), m.source])
    return csv_text(rows).rstrip("\n")


def markdown_catalogue(chosen: list[Measure]) -> str:
    """The catalogue as a markdown table."""
    lines = [
        "| measure | meaning | formula | range | better | undefined when | source |",
        "|---|---|---|---|---|---|---|",
    ]
    for m in chosen:
        name = f"`{m.name}`" + (f" ({', '.join(f'`{a}`' for a in m.aliases)})" if m.aliases else "")
        undefined = m.undefined.format(label="the class")
        cells = (m.meaning, m.text, _range(m), m.better, undefined, m.source)
        lines.append("| " + " | ".join([name, *map(markdown_cell, cells)]) + " |")
    return "\n".join(lines)
