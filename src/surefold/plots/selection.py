"""A selection drawn: candidates with their intervals, and what the search claimed against what held-out rows say."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from surefold.errors import UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.selection.pick import Entry
from surefold.selection.result import Selection
from surefold.show.write.style import Theme, legend, literal, named, new_axes, plain, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_selection"]

WHAT = ("candidates", "optimism")
#: Candidates drawn: the best ones; more would not be told apart.
MOST_DRAWN = 25


def plot_selection(
    s: Selection,
    what: str = "candidates",
    ax: Any = None,
    *,
    title: object = "",
    dark: bool = False,
    show_legend: bool = True,
) -> Any:
    """Draw "candidates", best on top, the chosen one marked and those that a race dropped hollow; or "optimism"."""
    if what not in WHAT:
        raise UnknownNameError("figure of a selection", what, WHAT)
    lines = min(len(s.picked.entries), MOST_DRAWN) if what == "candidates" else len(s.claims) + len(s.outer) // 2
    ax, theme = new_axes(ax, dark, (7.2, max(4.7, 1.9 + 0.28 * lines)), "plotting a selection")
    if what == "candidates":
        _candidates(ax, theme, s)
    else:
        _optimism(ax, theme, s)
    write(ax, theme, s.measure.replace("_", " ").capitalize(), "", title)
    if show_legend:
        legend(ax, theme)
    return ax


def _candidates(ax: Axes, theme: Theme, s: Selection) -> None:
    shown = [e for e in s.picked.entries[:MOST_DRAWN] if e.estimate.defined]
    if s.picked.chosen not in shown:
        shown[-1] = s.picked.chosen
    for at, e in enumerate(shown):
        _dot(ax, at, e.estimate, _colour(theme, s, e), hollow=e.dropped_at is not None)
    ax.set_yticks(range(len(shown)), [literal(e.name, 44) for e in shown])
    ax.set_ylim(len(shown) - 0.5, -0.5)
    _plain_ticks(ax, theme)
    _key(ax, theme.colours[1], "chosen")
    _key(ax, theme.colours[0], "candidate")
    if any(e.dropped_at is not None for e in shown):
        _key(ax, theme.colours[0], "dropped by the race", hollow=True)
    left = len(s.picked.entries) - len(shown)
    if left > 0:
        note = ax.text(
            1.0, 1.01, f"{left} more not shown", transform=ax.transAxes, ha="right", va="bottom", size="small"
        )
        plain(note, theme, faint=True)


def _colour(theme: Theme, s: Selection, e: Entry) -> str:
    return theme.colours[1] if e.candidate is s.best else theme.colours[0]


def _optimism(ax: Axes, theme: Theme, s: Selection) -> None:
    """The figures as rows; of a nested search also every outer fold, claim and finding joined."""
    rows = list(s.claims.items())
    for at, (name, e) in enumerate(rows):
        honest = name in ("corrected for the choice", "on rows that chose nothing")
        _dot(ax, at, e, theme.colours[0 if honest else 1])
    labels, ticks = [name for name, _ in rows], [float(at) for at in range(len(rows))]
    step, y = 0.45, len(rows) - 0.2
    for fold in s.outer:
        if math.isfinite(fold.claimed) and math.isfinite(fold.found):
            ax.plot([fold.claimed, fold.found], [y, y], color=theme.faint, linewidth=1.0, zorder=2)
            ax.plot([fold.claimed], [y], marker="o", markersize=4.5, color=theme.colours[1], zorder=3)
            ax.plot([fold.found], [y], marker="o", markersize=4.5, color=theme.colours[0], zorder=3)
        y += step
    if s.outer:
        ticks.append(len(rows) - 0.2 + step * (len(s.outer) - 1) / 2)
        labels.append("outer folds")
    ax.set_yticks(ticks, labels)
    ax.set_ylim((y if s.outer else len(rows)) - 0.5 + (0.4 if s.outer else 0.0), -0.5)
    _plain_ticks(ax, theme)
    _key(ax, theme.colours[1], "claimed by the search")
    _key(ax, theme.colours[0], "free of the choice")


def _dot(ax: Axes, at: float, e: Estimate, colour: str, hollow: bool = False) -> None:
    if not math.isnan(e.low):
        low, high = (end if math.isfinite(end) else e.value for end in (e.low, e.high))
        ax.plot([low, high], [at, at], color=colour, linewidth=1.6, alpha=0.45 if hollow else 0.8, zorder=2)
    face = ax.get_facecolor() if hollow else colour
    ax.plot([e.value], [at], marker="o", markersize=6, color=colour, markerfacecolor=face, zorder=3)


def _key(ax: Axes, colour: str, label: str, hollow: bool = False) -> None:
    face = ax.get_facecolor() if hollow else colour
    (key,) = ax.plot([], [], marker="o", linestyle="none", color=colour, markerfacecolor=face, markersize=6)
    named(ax, key, label)


def _plain_ticks(ax: Axes, theme: Theme) -> None:
    ax.grid(False, axis="y")
    for text in ax.get_yticklabels():
        plain(text, theme)
