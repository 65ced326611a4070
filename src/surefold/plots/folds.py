"""Values of the splits as dots, with their mean and its interval: one model by repeat, or several models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, RunError
from surefold.estimates.estimate import Estimate
from surefold.measures import catalogue
from surefold.numbers import number
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study
from surefold.show.write.style import Theme, literal, new_axes, plain, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_folds", "plot_study"]

#: More rows than this get no name each.
MOST_NAMED = 25
#: How far dots with equal values stand apart, and how far at most, in rows.
STEP, REACH = 0.13, 0.4


def plot_folds(r: Resampled, measure: str | None = None, ax: Any = None, *, dark: bool = False) -> Any:
    """A dot a split, a row a repeat; below them the mean over all, with its default interval."""
    name = _measure(measure)
    values, e = r.values(name), _estimate(r, name)
    repeats = r.plan.repeat[r.outer]
    groups = {int(repeat): values[repeats == repeat] for repeat in np.unique(repeats)}
    if r.plan.folds == 1 or len(groups) > 4 * MOST_NAMED:  # each repeat is one value: they belong in one row
        groups = {0: values}
    rows = len(groups)
    ax, theme = new_axes(ax, dark, (6.4, min(1.9 + 0.4 * (rows + 1), 12.0)), "plotting the values of folds")
    for place, each in enumerate(groups.values()):
        _dots(ax, theme, each, place, theme.colours[0])
        if rows > 1:
            _mean_tick(ax, theme, each, place)
    _interval(ax, theme, e, rows + 0.15, theme.colours[1])
    names = [f"repeat {k + 1}" for k in groups] if rows > 1 else ["folds" if r.plan.folds > 1 else "splits"]
    title = f"{literal(r.name)}: {r.plan.repeats} x {r.folds} folds" if rows > 1 else literal(r.name)
    legend = f"dots: {'folds' if r.plan.folds > 1 else 'splits'}; {'grey: mean of a repeat; ' if rows > 1 else ''}"
    shown = f"{name}\n{legend}diamond: mean and {_level(r.confidence)} interval"
    _finish(ax, theme, [*names, "mean"], [*range(rows), rows + 0.15], shown, _with_missing(title, r.complete))
    return ax


def plot_study(s: Study, measure: str | None = None, ax: Any = None, *, dark: bool = False) -> Any:
    """A row a model: a dot a split, the mean, and its default interval. Overlap of intervals is no test."""
    name = _measure(measure)
    ax, theme = new_axes(ax, dark, (6.4, min(1.9 + 0.62 * len(s), 12.0)), "plotting a study")
    for place, r in enumerate(s.models.values()):
        colour = theme.colours[place % len(theme.colours)]
        try:
            values = r.values(name)
        except (InputError, RunError) as error:
            _interval(ax, theme, _undefined(name, error.problem), place, colour)
            continue
        _dots(ax, theme, values, place - 0.2, colour, reach=0.2)
        _interval(ax, theme, _estimate(r, name), place + 0.22, colour)
    names = [literal(model, 24) + ("" if r.complete else "\n(incomplete)") for model, r in s.items()]
    splits = f"{s.plan.repeats} x {s.plan.folds} folds" if s.plan.repeats > 1 else f"{len(s.plan):,} splits"
    title = _with_missing(f"{len(s)} models over the same {splits}", s.complete)
    level = _level(next(iter(s.models.values())).confidence)
    shown = (
        f"{name}\ndots: {'folds' if s.plan.folds > 1 else 'splits'}; diamond: mean and {level} interval, a model alone"
    )
    _finish(ax, theme, names, list(range(len(s))), shown, title)
    return ax


def _measure(measure: str | None) -> str:
    return catalogue["accuracy" if measure is None else measure].name


def _estimate(r: Resampled, name: str) -> Estimate:
    try:
        return r[name]
    except (InputError, RunError) as error:
        return _undefined(name, error.problem)


def _undefined(name: str, why: str) -> Estimate:
    nan = float("nan")
    return Estimate(nan, nan, nan, name=name, reason=why)


def _level(confidence: float) -> str:
    return f"{confidence * 100:g} %"


def _with_missing(title: str, complete: bool) -> str:
    return title if complete else f"{title} (incomplete)"


def _dots(ax: Any, theme: Theme, values: NDArray[np.float64], place: float, colour: str, reach: float = REACH) -> None:
    """One dot a value; equal ones stand above and below each other, so that none hides another."""
    there = values[~np.isnan(values)]
    if not there.size:
        return
    span = float(np.ptp(there)) or 1.0
    bins = np.round(there / span * 60).astype(int)
    offset, step = np.zeros(len(there)), STEP
    for each in np.unique(bins):
        where = np.flatnonzero(bins == each)
        own = min(STEP, 2 * reach / max(len(where) - 1, 1))
        offset[where] = (np.arange(len(where)) - (len(where) - 1) / 2) * own
        step = min(step, own)
    size = 5.0 if len(there) <= 10 and step == STEP else 3.6
    alpha = 0.6 if theme.paper == "#ffffff" else 0.8
    (drawn,) = ax.plot(there, place + offset, "o", color=colour, markersize=size, alpha=alpha, markeredgewidth=0,
                       zorder=3)  # fmt: skip
    drawn.surefold_curve = True


def _mean_tick(ax: Axes, theme: Theme, values: NDArray[np.float64], place: float) -> None:
    there = values[~np.isnan(values)]
    if there.size:
        ax.plot([there.mean()] * 2, [place - 0.34, place + 0.34], color=theme.faint, linewidth=1.2, zorder=2)


def _interval(ax: Axes, theme: Theme, e: Estimate, place: float, colour: str) -> None:
    """The mean as a diamond on its interval, and both written beside it."""
    if not e.defined:
        text = ax.text(0.02, place, f"undefined: {literal(e.reason, 60)}", transform=ax.get_yaxis_transform(),
                       va="center", fontsize="small")  # fmt: skip
        plain(text, theme, faint=True)
        return
    if e.low == e.low:
        ax.plot([e.low, e.high], [place, place], color=colour, linewidth=2.6, solid_capstyle="butt", zorder=3)
        for end in (e.low, e.high):
            ax.plot([end, end], [place - 0.1, place + 0.1], color=colour, linewidth=1.6, zorder=3)
    ax.plot([e.value], [place], "D", color=colour, markersize=6.5, markeredgecolor=theme.paper, zorder=4)
    shown = f"{number(e.value)}" if e.low != e.low else f"{e}"
    text = ax.annotate(
        shown, (e.value, place), xytext=(0, -8), textcoords="offset points", ha="center", va="top", fontsize="small",
        zorder=5, bbox={"facecolor": theme.paper, "edgecolor": "none", "alpha": 0.75, "pad": 0.8},
    )  # fmt: skip
    plain(text, theme)


def _finish(ax: Axes, theme: Theme, names: list[str], places: list[float], measure: str, title: str) -> None:
    some = range(len(names)) if len(names) <= MOST_NAMED else [*range(0, len(names) - 1, 10), len(names) - 1]
    ax.set_yticks([places[i] for i in some], [names[i] for i in some])
    for text in ax.get_yticklabels():
        plain(text, theme)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.set_ylim(places[-1] + 0.85, places[0] - 0.6)
    low, high = ax.get_xlim()
    room = 0.06 * (high - low)
    ax.set_xlim(low - room, high + room)
    write(ax, theme, measure, "", title)
