"""Options that commands share: how a file is read, which columns are learnt from, and how a run is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

import click

from surefold.cli.places import Keeps
from surefold.errors import InputError, show

__all__ = ["column_options", "experiment_facts", "reading_of", "reading_options", "refuse_truth", "run_options"]

Command = Callable[..., Any]


def reading_options(command: Command) -> Command:
    """How the file is read."""
    return _with(
        command,
        click.option("--delimiter", metavar="D", help="Field delimiter, if the guess is wrong."),
        click.option("--encoding", metavar="E", help="Text encoding, if not UTF-8."),
        click.option("--comment", metavar="C", help="Lines that start with this are skipped."),
        click.option("--decimal", type=click.Choice([".", ","]), default=".", help="Decimal mark of numbers."),
    )


def reading_of(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What `reading_options` were said, as `read_table` takes them."""
    return {name: asked[name] for name in ("delimiter", "encoding", "comment", "decimal")}


def column_options(command: Command) -> Command:
    """What the columns of a table are for, where models are to learn from it."""
    return _with(
        command,
        click.option("--features", metavar="COL", multiple=True,
                     help="Learn from this column; once a column. Default: all."),
        click.option("--drop", metavar="COL", multiple=True, help="Do not learn from this column."),
        click.option("--categorical", metavar="COL", multiple=True, help="Take the values of this column as names."),
        click.option("--groups", metavar="COL", help="Rows of a group stay together."),
        click.option("--weight", metavar="COL", help="Column with row weights."),
        click.option("--pos-label", metavar="V", help="The positive class."),
        click.option("--impute", is_flag=True,
                     help="Fill missing values inside each training part (median, commonest)."),
    )  # fmt: skip


def run_options(command: Command) -> Command:
    """How a run is seeded, spread over processes and kept."""
    return _with(
        command,
        click.option("--seed", type=int, default=0, show_default=True, metavar="S",
                     help="Of the splits and the models."),
        click.option("--jobs", type=int, metavar="N", help="Worker processes; -1 for every core."),
        click.option("--store", metavar="FILE", type=Keeps("the store"),
                     help="Keep every finished fold here; the same command goes on from it."),
        click.option("--run", default="run", show_default=True, metavar="NAME", help="Name of the run in the store."),
        click.option("--allow-version-change", is_flag=True,
                     help="Go on with a stored run under other library versions."),
        click.option("--confidence", type=float, default=0.95, show_default=True, metavar="C"),
    )  # fmt: skip


def experiment_facts(asked: Mapping[str, Any]) -> dict[str, Any]:
    """What was said of the columns, the run and the file, as an `Experiment` takes it."""
    lists = {name: list(asked[name]) for name in ("features", "drop", "categorical")}
    plain = {name: asked[name] for name in ("groups", "weight", "pos_label", "impute", "seed", "confidence")}
    return {**lists, **plain, "reading": reading_of(asked)}


def refuse_truth(truth: str | None, answers: Sequence[str | None], source: Any) -> None:
    """The truth is always right about itself, which says nothing of a model."""
    if truth is not None and truth in answers:
        raise InputError("bad_option", f"column {show(truth)} is the truth, and was named as a model's answers too",
                         source=str(source), cure="name the column that holds the answers")  # fmt: skip


def _with(command: Command, *options: Callable[[Command], Command]) -> Command:
    return reduce(lambda made, option: option(made), reversed(options), command)
