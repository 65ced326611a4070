"""What every result has to show itself by: text, markdown, a page, a cell of a notebook.

A leaf: what draws is loaded when it is asked for.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

__all__ = ["Shown"]


class Shown:
    """A result that people look at. What it shows is described in `surefold.show.of`, by the name of its class."""

    def __str__(self) -> str:
        from surefold.show.of.catalogue import document_of
        from surefold.show.write.terminal import terminal

        return terminal(document_of(self))

    def _repr_html_(self) -> str:
        from surefold.report.notebook import result_html

        return result_html(self)

    def plot(self, what: Any = None, /, ax: Any = None, **options: Any) -> Any:
        """Draw the result with matplotlib and return the axes; without `ax` on a figure of its own, which shows.

        `what` names one of several figures, and an unknown name is refused with those there are. `title`, `dark` and
        `show_legend=False` are options of all; every other one is a style of the first line.
        """
        from surefold.show.plots import plot

        return plot(self, what, ax, **options)

    def to_markdown(self) -> str:
        """The result as markdown, for a pull request or a note."""
        from surefold.show.of.catalogue import document_of
        from surefold.show.write.markdown import markdown

        return markdown(document_of(self))

    def to_latex(self) -> str:
        """The result as LaTeX for a paper: tables for the package booktabs, the best of several models in bold."""
        from surefold.show.of.catalogue import document_of
        from surefold.show.write.latex import latex

        return latex(document_of(self))

    def to_csv(self) -> str:
        """The result's rows as CSV, which a spreadsheet opens without running anything in it."""
        from surefold.report.records import csv_of

        return csv_of(self)

    def report(self, path: str | PathLike[str], *, title: str = "") -> Path:
        """Write the report, one HTML page that needs no network, and return its path."""
        from surefold.report.html import report_of

        return report_of(self, path, title=title)
