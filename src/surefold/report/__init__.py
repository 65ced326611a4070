"""From results to documents: text, markdown, JSON, CSV, JUnit, data frames, HTML.

`surefold.report` is also what people call to write a page: `surefold.report({"a": a, "b": b}, "report.html")`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

__all__ = ["report"]


def report(results: Any, path: str | PathLike[str], *, title: str = "") -> Path:
    """Write one HTML page about a result, or about several assessments under their names, and return its path.

    A result is what `assess`, `compare`, `gate`, `cross_validate`, `bootstrap`, `select`, `benchmark`, `bias_variance`,
    `learning_curve`, `noise_curve` or `cost_sensitive` returned.

    >>> from tempfile import TemporaryDirectory
    >>> from surefold import assess
    >>> with TemporaryDirectory() as folder:
    ...     page = report({"a": assess([0, 1, 1], [0, 1, 0])}, f"{folder}/report.html")
    ...     page.name, page.read_text(encoding="utf-8")[:15]
    ('report.html', '<!doctype html>')
    """
    from surefold.report.html import report_of

    return report_of(results, path, title=title)


class _Callable(ModuleType):
    """The package shares its name with the function, so that it can be called like it."""

    __call__ = staticmethod(report)


sys.modules[__name__].__class__ = _Callable
