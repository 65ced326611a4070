"""Curves as figures. `plot_curve` is what `curve.plot()` calls; reliability diagrams are drawn here as well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from surefold.curves.cost_curve import CostCurve, ExpectedCost
from surefold.curves.curve import Curve, Kind
from surefold.curves.decision import Decision
from surefold.curves.gains import Gains, GainsCounts, Lift
from surefold.curves.precision_recall import PrecisionRecall
from surefold.curves.roc import Roc
from surefold.errors import UnknownNameError
from surefold.estimates.auc import auc_estimate
from surefold.estimates.average_precision import average_precision_estimate
from surefold.estimates.bands import Band
from surefold.numbers import number
from surefold.show.write.style import DASHES, Theme, count, legend, literal, named, new_axes, plain, write

__all__ = ["plot_curve", "plot_reliability"]

#: Below the diagonal there is room for a legend when a curve stays above it.
ROOMY = 0.65
SQUARE, TALL, WIDE = (5.2, 5.2), (5.2, 5.7), (6.4, 4.7)


@dataclass
class Drawing:
    """One curve on its way onto the axes: what was asked for, and the pens to do it with."""

    curve: Any
    ax: Any
    theme: Theme
    label: str
    band: Kind | None
    confidence: float
    style: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        place = count(self.ax)
        chosen = {
            "color": self.theme.colours[place % len(self.theme.colours)],
            "linestyle": DASHES[place % len(DASHES)],
        }
        self.style = {"linewidth": 1.9, **chosen, **self.style}
        self.is_first = place == 0

    def line(self, x: Any, y: Any, label: str, **more: Any) -> None:
        text = f"{literal(self.label)}: {label}" if self.label else label
        (drawn,) = self.ax.plot(x, y, **{**self.style, **more}, zorder=3)
        drawn.surefold_curve = True
        named(self.ax, drawn, text)

    def guide(self, x: Any, y: Any, label: str, dash: Any = (0, (4, 3))) -> None:
        """A line to compare with, drawn once however many curves there are."""
        if self.is_first:
            (drawn,) = self.ax.plot(x, y, color=self.theme.faint, linewidth=1.2, linestyle=dash, zorder=2)
            named(self.ax, drawn, label)

    def fill(self, step: str | None = None) -> None:
        """The band, if one is wanted."""
        if self.band is None:
            return
        band: Band = self.curve.band(self.confidence, self.band)
        shade = {"color": self.style["color"], "alpha": 0.18, "linewidth": 0, "zorder": 1}
        if step is None:
            drawn = self.ax.fill(*band.polygon, **shade)[0]
        else:
            drawn = self.ax.fill_between(band.low_x, band.low_y, band.high_y, step=step, **shade)
        if self.is_first:
            how = "whole curve" if band.kind == "simultaneous" else "each point"
            named(self.ax, drawn, f"{band.confidence:.0%} band, {how}".replace("%", " %"))

    def limits(self, x: tuple[float, float] = (0, 1), y: tuple[float, float] = (0, 1)) -> None:
        for (low, high), fit in ((x, self.ax.set_xlim), (y, self.ax.set_ylim)):
            room = 0.015 * (high - low)
            fit(low - room, high + room)


def plot_curve(
    curve: Curve,
    ax: Any = None,
    *,
    label: object = "",
    title: object = "",
    band: Kind | bool = True,
    confidence: float = 0.95,
    dark: bool = False,
    show_legend: bool = True,
    shade: bool = False,
    **style: Any,
) -> Any:
    """Draw a curve with what it is compared with, and its band; the axes come back.

    `label` names the model; several curves may share one `ax`. `band` is "pointwise", "simultaneous", True for what
    suits the curve (simultaneous for ROC) or False. `shade` fills the area under the curve. `style` goes to
    matplotlib's `plot`. On axes of your own the colours follow their background; `dark` is for a new figure.
    """
    draw, size, kind = _way(curve)
    ax, theme = new_axes(ax, dark, size, f"plotting a {curve.name}")
    wanted: Kind | None = (kind if band else None) if isinstance(band, bool) else band
    drawing = Drawing(curve, ax, theme, str(label), wanted, confidence, style)
    if np.isnan(curve.x[-1] + curve.y[-1]):
        _undefined(drawing, "a class has no rows")
    else:
        draw(drawing)
        if shade:
            ax.fill_between(curve.x, curve.y, color=drawing.style["color"], alpha=0.15, linewidth=0, zorder=0)
    write(ax, theme, curve.x_name, curve.y_name, title)
    if show_legend:
        legend(ax, theme, "lower right" if isinstance(curve, Roc | Gains) and curve.area > ROOMY else None)
    return ax


def _undefined(d: Drawing, reason: str) -> None:
    d.limits()
    text = d.ax.text(0.5, 0.5, f"undefined: {reason}", ha="center", transform=d.ax.transAxes)
    plain(text, d.theme)


def _roc(d: Drawing) -> None:
    d.fill()
    fewer = d.curve.decimated()
    d.line(fewer.x, fewer.y, f"AUC {auc_estimate(d.curve.tally, confidence=d.confidence)}")
    d.guide((0, 1), (0, 1), "random")
    d.limits()
    d.ax.set_aspect("equal")


def _precision_recall(d: Drawing) -> None:
    d.fill(step="pre")
    fewer = d.curve.decimated()
    area = average_precision_estimate(d.curve.tally, confidence=d.confidence)
    d.line(fewer.x, fewer.y, f"average precision {area}", drawstyle="steps-pre")
    d.guide((0, 1), (d.curve.prevalence,) * 2, f"prevalence {number(d.curve.prevalence)}")
    d.limits()
    d.ax.set_aspect("equal")


def _gains(d: Drawing) -> None:
    d.fill()
    fewer = d.curve.decimated()
    d.line(fewer.x, fewer.y, f"area over random {number(d.curve.area_between)}")
    d.guide(d.curve.perfect.x, d.curve.perfect.y, "perfect order", dash=(0, (1, 1.5)))
    d.guide((0, 1), (0, 1), "random order")
    d.limits()
    d.ax.set_aspect("equal")


def _gains_counts(d: Drawing) -> None:
    fewer, total, positives = d.curve.decimated(), d.curve.tally.total, d.curve.tally.positives
    d.line(fewer.x, fewer.y, f"{positives:,g} positives of {total:,g} rows")
    d.guide((0, positives, total), (0, positives, positives), "perfect order", dash=(0, (1, 1.5)))
    d.guide((0, total), (0, positives), "random order")
    d.limits((0, total), (0, positives))


def _lift(d: Drawing) -> None:
    d.fill()
    fewer = d.curve.decimated()
    tenth = d.curve.at(0.1)
    d.line(fewer.x, fewer.y, f"lift {number(tenth, '.2f')} in the first tenth")
    d.guide(d.curve.perfect.x, d.curve.perfect.y, "perfect order", dash=(0, (1, 1.5)))
    d.guide((0, 1), (1, 1), "random order")
    d.limits(y=(0, max(1 / d.curve.prevalence, float(np.nanmax(d.curve.y)))))


def _decision(d: Drawing) -> None:
    d.fill()
    d.line(d.curve.x, d.curve.y, "the scores")
    d.guide(d.curve.x, d.curve.treat_all, "call every row", dash=(0, (1, 1.5)))
    d.guide((0, 1), (0, 0), "call none")
    best = max(float(d.curve.y.max()), float(d.curve.treat_all.max()), 1e-3)
    d.limits(y=(-0.15 * best, 1.1 * best))


def _cost_curve(d: Drawing) -> None:
    d.guide(d.curve.trivial.x, d.curve.trivial.y, "all or none, whichever is cheaper")
    if d.is_first:
        fpr, fnr = d.curve.lines
        some = np.unique(np.linspace(0, len(fpr) - 1, min(len(fpr), 30)).astype(int))
        d.ax.plot((0, 1), (fpr[some], fnr[some]), color=d.theme.grid, linewidth=0.7, zorder=1)
    d.line(d.curve.x, d.curve.y, f"least cost, area {number(d.curve.area)}")
    d.limits(y=(0, min(0.5, max(3 * float(d.curve.y.max()), 0.05))))


def _expected_cost(d: Drawing) -> None:
    x, y = d.curve.x[1:][::-1], d.curve.y[1:][::-1]
    d.line(x, y, "expected cost", drawstyle="steps-pre")
    best = d.curve.best
    least = d.curve.at(best.threshold)
    (dot,) = d.ax.plot([best.threshold], [least], "o", color=d.style["color"], markersize=6, zorder=4)
    named(d.ax, dot, f"least: {number(least)} at threshold {number(best.threshold)}")
    low, high = float(min(y.min(), 0.0)), float(y.max())
    d.limits((float(x[0]), float(x[-1])) if x[-1] > x[0] else (x[0] - 0.5, x[0] + 0.5), (low, high * 1.05 or 1.0))


Way = tuple[Callable[[Drawing], None], tuple[float, float], Kind | None]
WAYS: dict[type[Curve], Way] = {
    Roc: (_roc, SQUARE, "simultaneous"),
    PrecisionRecall: (_precision_recall, TALL, "pointwise"),
    Gains: (_gains, SQUARE, "pointwise"),
    GainsCounts: (_gains_counts, WIDE, None),
    Lift: (_lift, WIDE, "pointwise"),
    Decision: (_decision, WIDE, "pointwise"),
    CostCurve: (_cost_curve, WIDE, None),
    ExpectedCost: (_expected_cost, WIDE, None),
}


def _way(curve: Curve) -> Way:
    for kind, way in WAYS.items():
        if isinstance(curve, kind):
            return way
    raise UnknownNameError("plot of a", type(curve).__name__, [kind.__name__ for kind in WAYS])


def plot_reliability(
    curve: Any, ax: Any = None, *, label: object = "", title: object = "", dark: bool = False, show_legend: bool = True
) -> Any:
    """A reliability diagram: mean score of each bin against the share of positives in it, with intervals.

    Takes a `Reliability`, or anything with arrays `mean_score, share, low, high, n`; where it has its `tally` too, bars
    along the floor show how the scores spread.
    """
    ax, theme = new_axes(ax, dark, TALL, "plotting a reliability diagram")
    d = Drawing(curve, ax, theme, str(label), None, getattr(curve, "confidence", 0.95))
    d.guide((0, 1), (0, 1), "calibrated")
    there = np.asarray(curve.n, dtype=float) > 0
    if not there.any():
        _undefined(d, getattr(curve, "reason", "") or "there are no rows")
    else:
        names = ("mean_score", "share", "low", "high")
        score, share, low, high = (np.asarray(getattr(curve, name), dtype=float)[there] for name in names)
        _spread(d)
        ends = np.maximum([share - low, high - share], 0)
        ax.errorbar(score, share, yerr=ends, fmt="none", ecolor=d.style["color"], elinewidth=1.2, capsize=2.5, zorder=2)
        shown = f"share of positives, {d.confidence:.0%} interval".replace("%", " %")
        d.line(score, share, shown, marker="o", markersize=4.5, linewidth=1)
    d.limits()
    ax.set_aspect("equal")
    write(ax, theme, "Mean score of the bin", "Share of positives in the bin", title)
    if show_legend:
        legend(ax, theme)
    return ax


def _spread(d: Drawing) -> None:
    """How the scores of the first curve spread, as bars along the floor."""
    tally = getattr(d.curve, "tally", None)
    if tally is None or not d.is_first:
        return
    rows, ends = np.histogram(tally.score, bins=20, range=(0, 1), weights=tally.positive + tally.negative)
    colour = d.style["color"]
    bars = d.ax.bar(ends[:-1], 0.12 * rows / rows.max(), width=0.05, align="edge", color=colour, alpha=0.25, zorder=1)
    named(d.ax, bars[0], f"spread of the scores (highest bar: {rows.max():,.0f} rows)")
