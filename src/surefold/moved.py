"""Modules that stand in another room now still import by their earlier path, and pickles that name it still load."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType

__all__ = ["moved"]


class _Earlier(Loader):
    """Asked last, of names that no other finder knows: it hands out the module itself, under both names."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in self.places else None

    def exec_module(self, module: ModuleType) -> None:
        sys.modules[module.__name__] = import_module(self.places[module.__name__])


_EARLIER = _Earlier()


def moved(room: str, place: str, names: str, prefix: str = "") -> None:
    """Let the modules `names` of `place` be imported from `room` as well, where each name began with the prefix.

    >>> moved("surefold.comparison", "surefold.significance", "paired_cases paired_folds")
    >>> from surefold.comparison.paired_cases import mcnemar
    >>> mcnemar.__module__
    'surefold.significance.paired_cases'
    """
    _EARLIER.places |= {f"{room}.{prefix}{name}": f"{place}.{name}" for name in names.split()}
    if _EARLIER not in sys.meta_path:
        sys.meta_path.append(_EARLIER)
