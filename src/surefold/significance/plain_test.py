"""What a test of plain numbers says of itself, and every test by its name: a function with `@plain_test` is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, Literal, TypeVar

__all__ = ["PlainTest", "plain_test", "plain_tests"]

#: What a test is given: two columns of numbers that belong together; differences, or two columns, over folds; ten
#: differences of five times two halves; counts of rows; shares and rows; truth and scores; a column a model.
Reads = Literal["pairs", "folds", "halves", "counts", "shares", "scores", "columns"]
F = TypeVar("F", bound=Callable[..., Any])

_REGISTERED: dict[str, PlainTest] = {}


@dataclass(frozen=True)
class PlainTest:
    """A test of plain numbers with its facts.

    reads:  what it is given; tests of "pairs" are held to the laws of pairs.
    null:   what is so where nothing differs, in a few words.
    source: where it was published.
    """

    function: Callable[..., Any]
    reads: Reads
    null: str
    source: str


def plain_test(*, reads: Reads, null: str, source: str) -> Callable[[F], F]:
    """Register a function as a test: it becomes a name of `surefold.significance`, its facts stand in the reference."""

    def register(function: F) -> F:
        name = function.__name__
        if name in _REGISTERED:
            raise AssertionError(f"two tests are called {name}")
        _REGISTERED[name] = PlainTest(function, reads, null, source)
        return function

    return register


@cache
def plain_tests() -> Mapping[str, PlainTest]:
    """Every test of plain numbers, by its name.

    >>> plain_tests()["mcnemar"].null
    'rows that one of two classifiers got right are split evenly'
    """
    room = import_module("surefold.significance")
    for found in iter_modules(room.__path__):
        import_module(f"{room.__name__}.{found.name}")
    return dict(sorted(_REGISTERED.items()))
