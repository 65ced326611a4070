"""Every pair of a comparison as a line: the difference with its interval, the margin, and what was told of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from surefold.comparison.result import Comparison, Difference, Status
from surefold.show.write.style import Theme, legend, literal, named, new_axes, plain, write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["plot_differences", "shown_pairs"]

#: More pairs than this cannot be read.
MOST = 45
#: Inches a line takes: much with few of them, little with many.
ROOMY, TIGHT = 0.46, 0.23
#: Names longer than this lose their middle.
LONGEST = 26
#: The interval that decides is wide and pale, that of the pair by itself thin and dark.
WIDE: dict[str, float] = {"linewidth": 7.0, "alpha": 0.3, "zorder": 2.5}
THIN: dict[str, float] = {"linewidth": 1.7, "zorder": 3.0}
#: Colour (its place in the palette, or None for grey), marker and words of each status.
STATUSES: dict[Status, tuple[int | None, str, str]] = {
    "better": (0, "^", "the first is better"),
    "worse": (1, "v", "the first is worse"),
    "practically_equal": (2, "s", "practically equal"),
    "cannot_tell": (None, "o", "cannot tell"),
}


def plot_differences(
    comparison: Comparison,
    ax: Any = None,
    *,
    title: object = "",
    dark: bool = False,
    show_legend: bool = True,
    **style: Any,
) -> Any:
    """A line a pair: first minus second, its interval, and at the right the p adjusted for the number of pairs.

    Colour and marker say what was told of the first model; the margin, if there is one, is the shaded strip. Of more
    than 45 pairs those with the largest difference for their interval's width are drawn. `style` goes to matplotlib's
    `plot` of the markers.
    """
    c = comparison
    pairs = shown_pairs(c.differences)
    few = len(pairs) <= 12
    names = [_name(d, few) for d in pairs]
    longest = max(len(line) for name in names for line in name.split("\n"))
    size_of_figure = 5.4 + min(0.075 * longest, 4.6), 2.2 + (ROOMY if few else TIGHT) * len(pairs)
    ax, theme = new_axes(ax, dark, size_of_figure, "plotting differences")
    size = "medium" if few else "small" if len(pairs) <= 28 else "x-small"
    if c.margin is not None:
        strip = ax.axvspan(-c.margin, c.margin, color=theme.colours[2], alpha=0.14, linewidth=0, zorder=0)
        named(ax, strip, f"margin of {c.margin:g}")
    ax.axvline(0, color=theme.ink, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)
    for place, d in enumerate(pairs):
        _line(ax, theme, d, place, size, {"markersize": 9.5 if few else 7.0, **style})
    for status, (_, _, words) in STATUSES.items():
        if any(d.status == status and d.effect.defined for d in pairs):
            _key(ax, theme, status, words)
    ax.set_yticks(range(len(pairs)), names, fontsize=size)
    for text in ax.get_yticklabels():
        plain(text, theme)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.set_ylim(len(pairs) - 0.4, -1.15)
    _widen(ax, c, pairs)
    head = ax.text(1.015, -0.75, "adjusted p", transform=ax.get_yaxis_transform(), va="center", fontsize=size)
    plain(head, theme, faint=True)
    side = "right" if c.better == "higher" else "left"
    level = f"{c.confidence * 100:g} %"
    about = f"the first is better to the {side}; {level} intervals"
    if len(c.differences) > 1:
        about += ", each pair by itself" if c.adjust == "none" else ": thick for all pairs at once, thin for each alone"
    write(ax, theme, f"{c.measure}, first − second\n{about}", "")
    heading = literal(title, 60) if title else _title(c, pairs)
    plain(ax.set_title(heading, fontsize="medium"), theme)
    if show_legend:
        _legend(ax, theme)
    return ax


def shown_pairs(differences: Sequence[Difference], most: int = MOST) -> tuple[Difference, ...]:
    """All, or the `most` with the largest difference for their width, in the order they came."""
    if len(differences) <= most:
        return tuple(differences)

    def size(place: int) -> float:
        e = differences[place].effect
        clear = e.defined and e.width > 0 and math.isfinite(e.width)
        return -abs(e.value) / e.width if clear else 0.0

    kept = sorted(range(len(differences)), key=size)[:most]
    return tuple(differences[i] for i in sorted(kept))


def _name(d: Difference, few: bool) -> str:
    """Both models on one line or, where they are long and there is room, on two."""
    first, second = (_shortened(x) for x in (d.first, d.second))
    return f"{first}\n− {second}" if few and len(first) + len(second) > LONGEST else f"{first} − {second}"


def _shortened(name: str) -> str:
    """A long name without its middle: names that differ often differ at the end.

    >>> _shortened("gradient boosting, depth 4, seed 17")
    'gradient boosti…4, seed 17'
    """
    whole = literal(name, 400)
    return whole if len(whole) <= LONGEST else f"{whole[: LONGEST - 11]}…{whole[-10:]}"


def _title(c: Comparison, pairs: tuple[Difference, ...]) -> str:
    against = f" against {literal(c.control, LONGEST)}" if c.control is not None else ""
    total = len(c.differences)
    if len(pairs) < total:
        return f"{len(c.values)} models{against}: the {len(pairs)} clearest of {total:,} differences"
    return f"{len(c.values)} models{against}: {total} difference{'s' if total > 1 else ''}"


def _colour(theme: Theme, status: Status) -> str:
    place = STATUSES[status][0]
    return theme.faint if place is None else theme.colours[place]


def _line(ax: Any, theme: Theme, d: Difference, place: int, size: str, style: dict[str, Any]) -> None:
    e, across = d.effect, ax.get_yaxis_transform()
    if not e.defined:
        text = ax.text(0.02, place, f"undefined: {literal(e.reason, 70)}", transform=across, va="center", fontsize=size)
        plain(text, theme, faint=True)
        return
    colour = _colour(theme, d.status)
    for shown, gid, pen in ((e, "difference-interval", WIDE), (d.single, "difference-alone", THIN)):
        if math.isfinite(shown.low) and math.isfinite(shown.high):
            (bar,) = ax.plot(shown.interval, [place] * 2, color=colour, solid_capstyle="butt", **pen)
            bar.set_gid(gid)
    dots = {"color": colour, "marker": STATUSES[d.status][1], "markeredgecolor": theme.paper, **style}
    (dot,) = ax.plot([e.value], [place], linestyle="none", **dots, zorder=4)
    dot.surefold_curve = True
    p = "< 0.001" if d.adjusted_p < 0.001 else f"{d.adjusted_p:.3f}"
    text = ax.text(1.015, place, p, transform=across, va="center", fontsize=size)
    plain(text, theme, faint=d.status == "cannot_tell")


def _key(ax: Axes, theme: Theme, status: Status, words: str) -> None:
    colour = _colour(theme, status)
    (key,) = ax.plot([], [], color=colour, marker=STATUSES[status][1], linewidth=1.7,
                     markersize=8, markeredgecolor=theme.paper)  # fmt: skip
    named(ax, key, words)


def _widen(ax: Axes, c: Comparison, pairs: tuple[Difference, ...]) -> None:
    """Every interval, zero and the margin, with a little room."""
    ends = [x for d in pairs for e in (d.effect, d.single) for x in (e.value, *e.interval) if math.isfinite(x)]
    ends += [0.0, *([] if c.margin is None else [-c.margin, c.margin])]
    low, high = min(ends), max(ends)
    room = 0.04 * (high - low or 1.0)
    ax.set_xlim(low - room, high + room)


def _legend(ax: Any, theme: Theme) -> None:
    """Below the axis and its name, however tall the axes are."""
    legend(ax, theme)
    box = ax.get_legend()
    if box is None:
        return
    tall = ax.figure.get_figheight() * ax.get_position().height
    box.set_bbox_to_anchor((0.0, -0.86 / max(tall, 0.5)), transform=ax.transAxes)
