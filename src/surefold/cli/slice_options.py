"""Options of commands that slice rows: by what, and how slices are tested."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

import click

from surefold.errors import InputError
from surefold.inputs.levels import Bins

__all__ = ["SliceChoice", "slice_options"]


def slice_options(*, gate: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """--by and what goes with it; a gate asks for a value of every slice, and not for differences."""
    options = [
        click.option("--by", metavar="COL", multiple=True, help="Slice rows by this column; once a column."),
        click.option(
            "--bins",
            metavar="COL=N,N",
            multiple=True,
            help="Cut numbers into N parts, at 30,60, or of one column: age=30,60.  [default: quarters]",
        ),
        click.option(
            "--min-rows",
            type=click.IntRange(1),
            default=5,
            show_default=True,
            metavar="N",
            help="Slices with fewer rows are shown and not tested.",
        ),
    ]
    if gate:
        more = click.option(
            "--min-slice", type=float, metavar="V", help="Pass only if every slice is surely V or better."
        )
        options.append(more)
    else:
        options += [
            click.option("--pairs", is_flag=True, help="Also every pair of levels of two columns."),
            click.option("--margin", type=float, metavar="D", help="A difference of slices that does not matter."),
            click.option(
                "--adjust",
                default="holm",
                show_default=True,
                metavar="A",
                help="How p is adjusted for the slices; benjamini_hochberg lists more of many.",
            ),
        ]
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


@dataclass(frozen=True)
class SliceChoice:
    """What was said of slices."""

    by: tuple[str, ...] = ()
    bins: tuple[str, ...] = ()
    min_rows: int = 5
    min_slice: float | None = None
    pairs: bool = False
    margin: float | None = None
    adjust: str = "holm"

    @property
    def cuts(self) -> Bins | Mapping[str, Bins] | None:
        """Where numbers are cut.

        >>> SliceChoice(bins=("4",)).cuts, SliceChoice(bins=("age=30,60",)).cuts
        (4, {'age': [30.0, 60.0]})
        """
        named = {name.strip(): _cut(text) for name, told, text in (b.rpartition("=") for b in self.bins) if told}
        plain = [_cut(b) for b in self.bins if "=" not in b]
        if len(plain) > 1 or (plain and named):
            problem = f"--bins {' --bins '.join(self.bins)}"
            raise InputError("bad_option", problem, cure="say it once for all columns, or column=... for each")
        return plain[0] if plain else named or None


def _cut(text: str) -> Bins:
    try:
        return [float(part) for part in text.split(",")] if "," in text or "." in text else int(text)
    except ValueError:
        raise InputError(
            "bad_option", f"--bins {text}", cure="write --bins 4, --bins 30,60 or --bins age=30,60"
        ) from None
