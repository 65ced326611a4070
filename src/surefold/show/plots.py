"""`x.plot()` of any result, and several models on one pair of axes: what is drawn is described in `show.charts`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from surefold.show.charts.catalogue import chart_of, charts_of, curves_of, models_of
from surefold.show.write.figure import draw, drawn_apart, drawn_together
from surefold.show.write.style import Looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from surefold.assessment import Assessment
    from surefold.curves.curve import Curve

__all__ = ["plot", "plot_curves", "plot_panels", "plot_roc"]

#: Curves that several models may share axes for, those that have bands, and models whose bands can be told apart.
CURVES = ("roc", "precision_recall", "gains", "lift", "reliability", "cost", "decision")
BANDED, MOST_BANDS = ("roc", "precision_recall", "gains", "lift", "decision"), 3
#: What is asked of a chart and not of its looks.
ASKED = ("band", "confidence", "rows", "model", "threshold")


def plot(result: object, what: Any = None, ax: Any = None, **options: Any) -> Any:
    """Draw a result: its first chart, or the one named, on `ax` or on a figure of its own that shows.

    Axes may also stand where the name does.
    """
    if what is not None and not isinstance(what, str):
        what, ax = None, what
    if what in CURVES and (models := models_of(result)):
        return plot_curves(models, what, ax, **options)
    asked = {name: options.pop(name) for name in ASKED if name in options}
    return draw(chart_of(result, what, **asked), ax, Looks.of(options))


def plot_panels(result: object, what: str | None = None, ax: Any = None, **options: Any) -> Any:
    """Draw one chart of a result and return its axes; or without a name all of them, and return a list of axes."""
    if what is not None:
        return plot(result, what, ax, **options)
    return drawn_apart([chart_of(result, name) for name in charts_of(result)], Looks.of(options))


def plot_curves(
    models: Mapping[str, Assessment | Curve], what: str = "roc", ax: Axes | None = None, **options: Any
) -> Axes:
    """Draw one curve of several models on one pair of axes, each with its name, and return the axes.

    `what` is "roc", "precision_recall", "gains", "lift", "reliability", "cost" or "decision". `band=False` leaves the
    bands away, which more than three models do by themselves; other options are those of `plot` of a curve.

    >>> from surefold import assess
    >>> good = assess([0, 1, 1, 0], y_score=[0.1, 0.9, 0.8, 0.2])
    >>> poor = assess([0, 1, 1, 0], y_score=[0.1, 0.3, 0.8, 0.6])
    >>> plot_curves({"good": good, "poor": poor}, "roc").get_xlabel()
    'False-positive rate (share of the negatives)'
    """
    asked = {name: options.pop(name) for name in ASKED if name in options}
    if what in BANDED:
        asked.setdefault("band", len(models) <= MOST_BANDS)
    return drawn_together(curves_of(models, what, **asked), ax, Looks.of(options))


def plot_roc(models: Mapping[str, Assessment | Curve], ax: Axes | None = None, **options: Any) -> Axes:
    """Draw the ROC curves of several models on one pair of axes, each with its name, area and band.

    >>> from surefold import assess
    >>> ax = plot_roc({"good": assess([0, 1, 1, 0], y_score=[0.1, 0.9, 0.8, 0.2])})
    >>> ax.get_legend().get_texts()[-1].get_text().split(":")[0]
    'good'
    """
    return plot_curves(models, "roc", ax, **options)
