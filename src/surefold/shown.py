"""What every result has to show itself by: text, markdown, a page, a cell of a notebook.

A leaf: what draws is loaded when it is asked for.
"""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any, Literal

__all__ = ["Shown", "Tracker"]

Tracker = Literal["mlflow", "wandb", "dvc"]


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

    def metrics(self) -> dict[str, float]:
        """The figures as a flat dictionary, for trackers of experiments: `f1`, `f1_low`, `f1_high` and so on.

        What is undefined is left out. Figures of several models have the model's name before them: `old.f1`.

        >>> from surefold import assess
        >>> {name: round(value, 2) for name, value in list(assess([1, 0, 1], [1, 0, 0]).metrics().items())[:3]}
        {'accuracy': 0.67, 'accuracy_low': 0.09, 'accuracy_high': 0.99}
        """
        from surefold.tracking.metrics import metrics_of

        return metrics_of(self)

    def log_to(
        self, tracker: Tracker, path: str | PathLike[str] | None = None, *, prefix: str = ""
    ) -> dict[str, float]:
        """Write the figures to a tracker of experiments, and return them.

        "mlflow" logs to the active run (or begins one), "wandb" to the run that `wandb.init` began; both get the page
        too, where a `path` for it is given. "dvc" writes `path` (metrics.json where none is given), which `metrics:` of
        dvc.yaml names. `prefix` stands before every name.
        """
        from surefold.tracking.trackers import logged

        return logged(self, tracker, path, prefix)

    def report(self, path: str | PathLike[str], *, title: str = "") -> Path:
        """Write the report, one HTML page that needs no network, and return its path."""
        from surefold.report.html import report_of

        return report_of(self, path, title=title)
