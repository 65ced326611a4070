"""What an engine says of itself, and every engine by its name: a file of this folder with an `ENGINE` is one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefold.engines.rows import Rows
    from surefold.inputs.streams import Stream

__all__ = ["Engine", "engines"]

#: The one that is used where nothing asks for another.
LOCAL = "local"


@dataclass(frozen=True)
class Engine:
    """A place where jobs are run over parts of rows.

    name:   what `engine=` and `--engine` call it.
    open:   rows from the files, or else the frame, the cluster that was said, and whether progress is shown.
    frames: the packages whose data frames it reads.
    owns:   whether a value of `cluster=` is a cluster of this kind; None of an engine that has no clusters.
    """

    name: str
    open: Callable[[Stream | None, Any, Any, bool | None], Rows]
    frames: tuple[str, ...] = ()
    owns: Callable[[Any], bool] | None = None


@cache
def engines() -> Mapping[str, Engine]:
    """Every engine by its name, `local` first.

    >>> list(engines())
    ['local', 'dask', 'spark']
    """
    room = import_module("surefold.engines")
    modules = (import_module(f"{room.__name__}.{found.name}") for found in iter_modules(room.__path__))
    found = [each for each in (getattr(module, "ENGINE", None) for module in modules) if isinstance(each, Engine)]
    return {each.name: each for each in sorted(found, key=lambda each: (each.name != LOCAL, each.name))}
