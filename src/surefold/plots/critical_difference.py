"""The critical-difference diagram: models on an axis of average ranks, those that cannot be told apart joined."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from surefold.benchmarking.comparison import POST_HOC_NAMES, ManyComparison
from surefold.benchmarking.verdict import overall_text
from surefold.errors import InputError
from surefold.show.write.style import Theme, literal, new_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["bar_levels", "plot_critical_difference", "short_names"]

#: More models than this make no diagram that can be read.
MOST = 40
#: Heights in rows of names: of the critical difference above the axis, between bars, and before the first name.
ABOVE, STEP, BEFORE = 1.75, 0.42, 0.75
INCHES_A_ROW = 0.27


def plot_critical_difference(c: ManyComparison, ax: Any = None, *, dark: bool = False, title: object = "") -> Any:
    """Draw the average ranks, the best at the right; bars join what cannot be told apart.

    With a control the bar joins those that cannot be told from it, and where the test has one critical difference a
    band reaches that far to either side of the control.
    """
    k = len(c.models)
    if k > MOST:
        raise InputError(
            "bad_option", f"{k} models do not fit a diagram", cure="compare fewer; to_frame() has them all"
        )
    bars = bar_levels([tuple(c.average_ranks[m] for m in group) for group in c.cliques])
    levels = 1 + max((level for _, _, level in bars), default=-1)
    first = -(BEFORE + STEP * levels)
    rows = math.ceil(k / 2)
    floor = first - (rows - 1) - 2.3
    ceiling = ABOVE + 0.9 if c.critical_difference is not None else 1.1
    width = (7.6 if k <= 12 else 8.6) + 0.06 * max(0, 2 * max(map(len, short_names(c.models).values())) - 24)
    is_ours = ax is None
    ax, theme = new_axes(ax, dark, (width, 0.5 + INCHES_A_ROW * (ceiling - floor)), "plotting a critical difference")
    ax.set_axis_off()
    ends = _axis(ax, theme, c)
    _names(ax, theme, c, first)
    _bars(ax, theme, c, bars)
    if c.critical_difference is not None:
        ends = _difference(ax, theme, c, ends, -(BEFORE + STEP * levels))
    room = 0.02 * (ends[1] - ends[0])
    ax.set_xlim(ends[1] + room, ends[0] - room)
    ax.set_ylim(floor, ceiling)
    _caption(ax, theme, c, title, floor)
    if is_ours:  # names stand outside the axis, and the figure makes room for them
        ax.figure.set_layout_engine("constrained", w_pad=0.1, h_pad=0.08)
    return ax


def bar_levels(groups: list[tuple[float, ...]]) -> list[tuple[float, float, int]]:
    """Ends of each bar and the level it is drawn on, so that bars on one level stand apart.

    >>> bar_levels([(1.0, 2.0), (1.5, 3.0), (2.5, 4.0)])
    [(1.0, 2.0, 0), (1.5, 3.0, 1), (2.5, 4.0, 0)]
    """
    used: list[float] = []  # where the last bar of each level ends
    found = []
    for low, high in sorted((min(group), max(group)) for group in groups):
        level = next((i for i, end in enumerate(used) if low > end + 0.12), len(used))
        used[level : level + 1] = [high]
        found.append((low, high, level))
    return found


def short_names(models: Sequence[str], longest: int = 32) -> dict[str, str]:
    """Each name on one short line; where two would look alike, they lose their middle and not their end.

    >>> short_names(["boosted trees, shallow", "boosted trees, deep", "bayes"], 12).values()
    dict_values(['booste…allow', 'booste… deep', 'bayes'])
    """
    shown = {model: literal(model, longest) for model in models}
    cut, half = list(shown.values()), longest // 2
    for model, text in shown.items():
        if cut.count(text) > 1:
            whole = literal(model, 10 * len(model) + 10)
            shown[model] = f"{whole[:half]}…{whole[half + 1 - longest :]}"
    return shown


def _axis(ax: Axes, theme: Theme, c: ManyComparison) -> tuple[float, float]:
    """Ranks from 1 to the number of models, by whole numbers; its ends."""
    k = len(c.models)
    ax.plot([1, k], [0, 0], color=theme.ink, linewidth=1.4, solid_capstyle="butt", zorder=3)
    for rank in range(1, k + 1):
        ax.plot([rank, rank], [0, 0.22], color=theme.ink, linewidth=1.2, zorder=3)
        if rank < k:
            ax.plot([rank + 0.5] * 2, [0, 0.12], color=theme.faint, linewidth=0.9, zorder=3)
        plain(ax.text(rank, 0.32, str(rank), ha="center", va="bottom", fontsize="small"), theme)
    return 1.0, float(k)


def _names(ax: Any, theme: Theme, c: ManyComparison, first: float) -> None:
    """The better half on the right, the rest on the left; the outermost highest, so that no lines cross."""
    k, order, names = len(c.models), c.order, short_names(c.models)
    right = math.ceil(k / 2)
    sides = [(order[:right], 1.0, "left"), (order[right:][::-1], float(k), "right")]
    for models, edge, align in sides:
        for row, model in enumerate(models):
            rank, y = c.average_ranks[model], first - row
            is_control = model == c.control
            colour = theme.colours[0] if is_control else theme.faint
            (line,) = ax.plot([rank, rank, edge], [0, y, y], color=colour, linewidth=1.6 if is_control else 1.1,
                              solid_joinstyle="miter", zorder=2)  # fmt: skip
            line.surefold_curve = True
            ax.plot([rank], [0], "o", color=colour if is_control else theme.ink, markersize=3.6, zorder=4)
            shown = f"{rank:.2f}  {names[model]}" if align == "left" else f"{names[model]}  {rank:.2f}"
            text = ax.annotate(shown, (edge, y), xytext=(5 if align == "left" else -5, 0), textcoords="offset points",
                               ha=align, va="center", fontsize="small", annotation_clip=False)  # fmt: skip
            plain(text, theme)
            if is_control:
                text.set_fontweight("bold")


def _bars(ax: Axes, theme: Theme, c: ManyComparison, bars: list[tuple[float, float, int]]) -> None:
    colour = theme.colours[1] if c.differs else theme.faint
    for low, high, level in bars:
        y, over = -(0.42 + STEP * level), 0.008 * (len(c.models) - 1)
        (bar,) = ax.plot([low - over, high + over], [y, y], color=colour, linewidth=4.6, solid_capstyle="butt",
                         zorder=5)  # fmt: skip
        bar.set_gid("surefold-clique")


def _difference(
    ax: Axes, theme: Theme, c: ManyComparison, ends: tuple[float, float], floor: float
) -> tuple[float, float]:
    """The critical difference to scale above the axis: from its left end, or to either side of the control."""
    reach = float(c.critical_difference or 0.0)
    k = float(len(c.models))
    level = f"{c.confidence * 100:g} %"
    name = f"critical difference {reach:.2f} ({POST_HOC_NAMES[c.post_hoc]}, {level})"
    if c.control is None:
        low, high = k - reach, k
    else:
        middle = c.average_ranks[c.control]
        low, high = middle - reach, middle + reach
        near, far = max(low, 1.0), min(high, k)
        shade = ax.fill_between([near, far], floor, ABOVE, color=theme.colours[0], alpha=0.12, linewidth=0, zorder=1)
        shade.set_gid("surefold-band")
        name = f"control ± {name}"
    (bar,) = ax.plot([low, high], [ABOVE, ABOVE], color=theme.ink, linewidth=1.6, solid_capstyle="butt", zorder=3)
    bar.set_gid("surefold-critical-difference")
    for end in (low, high):
        ax.plot([end, end], [ABOVE - 0.16, ABOVE + 0.16], color=theme.ink, linewidth=1.6, zorder=3)
    at = high if c.control is None else (max(low, 1.0) + min(high, k)) / 2
    text = ax.text(at, ABOVE + 0.24, name, ha="left" if c.control is None else "center", va="bottom", fontsize="small")
    plain(text, theme)
    return min(ends[0], low), max(ends[1], high)


def _caption(ax: Axes, theme: Theme, c: ManyComparison, title: object, floor: float) -> None:
    bars = "bars join models that cannot be told apart"
    if c.control is not None:
        bars = f"the bar joins those that cannot be told from {literal(c.control, 24)}"
    if not c.cliques:
        bars = "every two models differ" if c.control is None else f"all differ from {literal(c.control, 24)}"
    lines = [f"Average rank of {c.measure} over {len(c.datasets)} data sets, better to the right; {bars}",
             f"{overall_text(c)}" + ("" if c.differs else ": no difference is shown")]  # fmt: skip
    middle = (1 + len(c.models)) / 2
    text = ax.text(middle, floor + 0.1, "\n".join(lines), ha="center", va="bottom", fontsize="small", linespacing=1.4)
    plain(text, theme, faint=True)
    if title:
        plain(ax.set_title(literal(title, 60)), theme)
