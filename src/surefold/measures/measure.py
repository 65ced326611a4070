"""A measure is a formula plus its facts.

The formula is written once, on arrays with leading batch axes, and gives the value, bootstrap values and (by complex
step) its own derivative. It must therefore be smooth arithmetic: no abs, no max, no branches on the data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from surefold.docstrings import first_line
from surefold.errors import InputError
from surefold.tallies.margins import Margins, OneVsRest
from surefold.tallies.ratio import ratio

__all__ = ["Better", "Given", "Measure", "Parts", "measure", "proportion"]

Array = NDArray[Any]
Better = Literal["higher", "lower", "neither"]
Reads = Literal["one_vs_rest", "margins"]
ScoreReads = Literal["ranking", "probabilities", "matrix"]
Given = Literal["true", "predicted"]
Parts = tuple[Array, Array]
Range = tuple[float, float]

#: Every measure written in this package, in the order of its files. `catalogue` is the public view of it.
REGISTERED: dict[str, Measure] = {}


@dataclass(frozen=True)
class Measure:
    """A formula with its facts.

    reads:      "one_vs_rest" gives a value for each class (and for the positive one), "margins" one for the table.
    parts:      for shares, the formula as (numerator, denominator), both sums of cells; exact intervals need them.
    of_share:   for a rising function of a share (F1 of the Jaccard share), that function.
    variants:   {(option, value): name} where an option picks another measure (kappa with weights="linear").
    options:    the options the formula takes, with their defaults.
    weigh:      for measures that weigh kinds of error, the k x k weights from (k, options).
    average_of: for macro, micro and weighted averages, the per-class measure they average.
    given:      "predicted" for measures of how far calls can be trusted, which rare calls make shaky.
    """

    name: str
    formula: Callable[..., Any]
    reads: Reads | ScoreReads
    range: Range
    better: Better
    text: str
    undefined: str
    source: str
    meaning: str
    aliases: tuple[str, ...] = ()
    parts: Callable[..., Parts] | None = None
    of_share: Callable[[Array], Array] | None = None
    variants: Mapping[tuple[str, Any], str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    weigh: Callable[[int, Mapping[str, Any]], NDArray[np.float64]] | None = None
    range_of: Callable[[Margins, Mapping[str, Any]], Range] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    average_of: Measure | None = None
    given: Given = "true"

    def __call__(self, table: OneVsRest | Margins) -> Array:
        """The value for each class (one-vs-rest) or for the table."""
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            return np.asarray(self.formula(table, **self.settings))

    def shares(self, table: OneVsRest | Margins) -> Parts:
        """Numerator and denominator of the share this measure is, or is a rising function of."""
        if self.parts is None:
            raise AssertionError(f"{self.name} is not a share")
        top, bottom = self.parts(table, **self.settings)
        return np.asarray(top), np.asarray(bottom)

    @property
    def module(self) -> str:
        """The module that the formula is written in."""
        return (self.parts or self.formula).__module__

    @property
    def is_share(self) -> bool:
        """Whether it is a share of rows, or a rising function of one."""
        return self.parts is not None

    @property
    def is_per_class(self) -> bool:
        """Whether there is a value for each class."""
        return self.reads == "one_vs_rest"

    @property
    def is_ratio(self) -> bool:
        """Whether it runs from 0 to infinity."""
        return self.range == (0.0, np.inf)

    @property
    def needs_options(self) -> bool:
        """Whether an option without a default was left out (a cost matrix)."""
        return any(value is None for value in self.settings.values())

    @property
    def lacking(self) -> InputError:
        """What to raise where options were left out that it needs, of several one."""
        missing = [option for option, value in self.settings.items() if value is None]
        named = " or ".join(f"{option}=" for option in missing)
        return InputError("bad_option", f"{self.name} needs {named}", cure=f"give {missing[0]}=")

    def with_options(self, **options: Any) -> Self:
        """The same measure with its options set.

        >>> from surefold.measures import catalogue
        >>> catalogue["fbeta"].with_options(beta=0.5).settings
        {'beta': 0.5}
        """
        for option in options:
            if option not in self.options:
                known = ", ".join(self.options) or "none"
                problem = f"{self.name} has no option {option!r} (it has: {known})"
                raise InputError("bad_option", problem, cure="leave it out or see `surefold measures`")
        if not options:
            return self
        return replace(self, settings={**self.settings, **options})

    def limits(self, margins: Margins) -> Range:
        """The least and the greatest possible value on a table with these classes."""
        if self.range_of is None or self.needs_options:
            return self.range
        return self.range_of(margins, self.settings)

    def to_dict(self) -> dict[str, Any]:
        """The facts, as plain values."""
        return {
            "name": self.name,
            "aliases": list(self.aliases),
            "meaning": self.meaning,
            "formula": self.text,
            "range": [None if np.isinf(end) else end for end in self.range],
            "better": self.better,
            "per_class": self.is_per_class,
            "undefined": self.undefined,
            "options": [*self.options, *sorted({option for option, _ in self.variants})],
            "source": self.source,
        }


def measure(
    *,
    reads: Reads,
    range: Range,
    better: Better,
    text: str,
    undefined: str,
    source: str,
    aliases: tuple[str, ...] = (),
    variants: Mapping[tuple[str, Any], str] | None = None,
    options: Mapping[str, Any] | None = None,
    weigh: Callable[[int, Mapping[str, Any]], NDArray[np.float64]] | None = None,
    range_of: Callable[[Margins, Mapping[str, Any]], Range] | None = None,
    average_of: Measure | None = None,
    given: Given = "true",
) -> Callable[[Callable[..., Array]], Measure]:
    """Register a formula as a measure; its name and meaning are the function's name and docstring."""

    def register(formula: Callable[..., Array]) -> Measure:
        return _add(
            Measure(
                formula.__name__,
                formula,
                reads,
                range,
                better,
                text,
                undefined,
                source,
                first_line(formula),
                aliases,
                variants=variants or {},
                options=options or {},
                weigh=weigh,
                range_of=range_of,
                settings=options or {},
                average_of=average_of,
                given=given,
            )
        )

    return register


def proportion(
    *,
    reads: Reads,
    better: Better,
    text: str,
    undefined: str,
    source: str,
    aliases: tuple[str, ...] = (),
    of_share: Callable[[Array], Array] | None = None,
    average_of: Measure | None = None,
) -> Callable[[Callable[..., Parts]], Measure]:
    """Register a share, written as (numerator, denominator), or a rising function of one."""

    def register(parts: Callable[..., Parts]) -> Measure:
        def formula(table: OneVsRest | Margins, **settings: Any) -> Array:
            share = ratio(*parts(table, **settings))
            return share if of_share is None else of_share(share)

        return _add(
            Measure(
                parts.__name__,
                formula,
                reads,
                (0.0, 1.0),
                better,
                text,
                undefined,
                source,
                first_line(parts),
                aliases,
                parts=parts,
                of_share=of_share,
                average_of=average_of,
            )
        )

    return register


def _add(new: Measure) -> Measure:
    if new.name in REGISTERED:
        raise AssertionError(f"two measures are called {new.name}")
    REGISTERED[new.name] = new
    return new
