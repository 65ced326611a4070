"""A decision tree drawn: each node with its rows, its error and a bar of class shares; questions on the branches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.learners.tree import DecisionTree
from surefold.learners.trees.pruning import pessimistic_errors
from surefold.learners.trees.text import Wording
from surefold.show.write.style import Theme, literal, new_axes, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Cuts", "plot_of", "plot_tree"]

#: More boxes than this in a row of leaves cannot be read.
MOST = 64
#: Size of a box, where one unit is the distance between two leaves, and between two levels.
WIDE, HIGH, BAR = 0.86, 0.46, 0.11


class Looks(TypedDict, total=False):
    """How a tree is drawn, whatever is shown of it."""

    max_depth: int
    title: object
    dark: bool


@dataclass(frozen=True)
class Cuts:
    """What pruning saw: e of each node, and the nodes whose subtrees became leaves."""

    pessimistic: NDArray[np.float64]
    cut: frozenset[int]


@dataclass
class _Box:
    node: int
    x: float
    depth: int
    children: tuple[_Box, ...]
    cut_short: bool


def plot_of(model: DecisionTree, ax: Axes | None = None, *, pruning: bool = False, **options: Unpack[Looks]) -> Axes:
    """Draw a `DecisionTree`, or with `pruning` what it was before, and what was cut."""
    words = model.wording()
    if not pruning:
        return plot_tree(words, ax, **options)
    if model.prune != "pessimistic":
        cure = "fit DecisionTree(prune='pessimistic'): its decisions are drawn"
        raise InputError("bad_option", f"pruning=True and prune={model.prune!r}", cure=cure)
    grown = Wording(model.grown_, words.columns, words.levels, words.classes)
    e = pessimistic_errors(model.grown_, model.prune_confidence, model.bound)
    cut = frozenset(decision.node for decision in model.pruning_ if decision.pruned)
    return plot_tree(grown, ax, cuts=Cuts(e, cut), **options)


def plot_tree(
    wording: Wording,
    ax: Axes | None = None,
    *,
    max_depth: int = 4,
    title: object = "",
    dark: bool = False,
    cuts: Cuts | None = None,
) -> Axes:
    """Draw the tree down to `max_depth` splits; what lies below is marked with dots.

    With `cuts` each node has its N, f and e, and what was cut off is faint below a bar across its branches.
    """
    tree = wording.tree
    if isinstance(max_depth, bool) or not isinstance(max_depth, int) or max_depth < 0:
        raise InputError("bad_option", f"max_depth={max_depth!r}", cure="give a whole number of 0 or more")
    wording = _shortened(wording)
    places = iter(range(len(tree)))
    root = _laid_out(wording, 0, 0, max_depth, places)
    boxes = _all(root)
    leaves = sum(not b.children for b in boxes)
    if leaves > MOST:
        raise InputError("bad_option", f"{leaves} branch ends do not fit a figure",
                         cure=f"draw fewer levels: max_depth={max_depth - 1}")  # fmt: skip
    levels = max(b.depth for b in boxes) + 1
    ax, theme = new_axes(ax, dark, (max(4.5, 1.65 * leaves + 0.4), 1.35 * levels + 0.9), "plotting a tree")
    ax.set_axis_off()
    ax.set_xlim(-0.55, leaves - 0.45)
    ax.set_ylim(-levels + 0.55, 0.5)
    _draw_branches(ax, theme, wording, root)
    gone = {below.node for box in boxes if cuts and box.node in cuts.cut for below in _all(box)[1:]}
    for box in boxes:
        _draw_box(ax, theme, wording, box, cuts, box.node in gone)
        if cuts and box.node in cuts.cut and box.node not in gone:
            _draw_cut(ax, theme, box)
    _draw_key(ax, theme, wording.classes)
    if title:
        plain(ax.set_title(literal(title, 60)), theme)
    return ax


def _shortened(wording: Wording) -> Wording:
    """Names cut so that thresholds still fit beside them."""
    levels = {j: {b: literal(name, 10) for b, name in found.items()} for j, found in wording.levels.items()}
    return Wording(wording.tree, [literal(c, 18) for c in wording.columns], levels, wording.classes)


def _laid_out(wording: Wording, node: int, depth: int, deepest: int, places: Any) -> _Box:
    """Ends of branches side by side, every other node midway above its children."""
    tree = wording.tree
    if tree.is_leaf[node] or depth >= deepest:
        return _Box(node, float(next(places)), depth, (), not tree.is_leaf[node])
    left = _laid_out(wording, node + 1, depth + 1, deepest, places)
    right = _laid_out(wording, int(tree.right[node]), depth + 1, deepest, places)
    return _Box(node, (left.x + right.x) / 2, depth, (left, right), False)


def _all(box: _Box) -> list[_Box]:
    return [box, *(below for child in box.children for below in _all(child))]


def _draw_branches(ax: Axes, theme: Theme, wording: Wording, box: _Box) -> None:
    for is_left, child in zip((True, False), box.children, strict=bool(box.children)):
        ax.plot([box.x, child.x], [-box.depth, -child.depth], color=theme.faint, linewidth=1.0, zorder=1)
        question = literal(wording.question(box.node, left=is_left), 30)
        text = ax.text(child.x, -child.depth + HIGH / 2 + 0.05, question, ha="center", va="bottom", zorder=4)
        plain(text, theme)
        text.set_fontsize(7.5)
        text.set_bbox({"facecolor": theme.paper, "edgecolor": "none", "pad": 0.8})
        _draw_branches(ax, theme, wording, child)


def _draw_cut(ax: Axes, theme: Theme, box: _Box) -> None:
    """A bar across the branches of a node that became a leaf."""
    low = -box.depth - HIGH / 2 - 0.05
    ends = [box.x - WIDE / 2, box.x + WIDE / 2]
    (bar,) = ax.plot(ends, [low, low], color=theme.colours[1], linewidth=3.0, zorder=5)
    bar.set_gid(f"cut|{box.node}")
    text = ax.text(ends[1], low - 0.02, "cut", ha="right", va="top", zorder=5)
    plain(text, theme)
    text.set_fontsize(7.5)
    text.set_color(theme.colours[1])


def _draw_box(ax: Axes, theme: Theme, wording: Wording, box: _Box, cuts: Cuts | None, gone: bool) -> None:
    from matplotlib.patches import Rectangle

    tree, node = wording.tree, box.node
    left, bottom = box.x - WIDE / 2, -box.depth - HIGH / 2
    edge, line = (theme.faint, 0.9) if box.children or gone else (theme.ink, 1.2)
    ax.add_patch(Rectangle((left, bottom), WIDE, HIGH, facecolor=theme.paper, edgecolor=edge, linewidth=line, zorder=2))
    at = left
    for share, colour in _shares(wording, theme, node):
        ax.add_patch(Rectangle((at, bottom), WIDE * share, BAR, facecolor=colour, edgecolor="none", zorder=3))
        at += WIDE * share
    answer = literal(wording.answer(node), 16)
    rows = int(tree.rows[node])
    lines = f"{answer}\n{rows:,} row{'' if rows == 1 else 's'}, error {tree.error[node]:.3f}"
    if cuts is not None:
        lines = f"{answer}\nN {rows:,}  f {tree.error[node]:.3f}  e {cuts.pessimistic[node]:.3f}"
    if box.cut_short:
        below = plain(
            ax.text(box.x, bottom - 0.04, "… split further", ha="center", va="top", zorder=4), theme, faint=True
        )
        below.set_fontsize(7)
    text = ax.text(box.x, bottom + BAR + (HIGH - BAR) / 2, lines, ha="center", va="center", zorder=4, linespacing=1.35)
    plain(text, theme, faint=gone)
    text.set_fontsize(8 if cuts is None else 7)


def _shares(wording: Wording, theme: Theme, node: int) -> list[tuple[float, str]]:
    """The bar of a node: a colour a class, or, with more classes than colours, the class answered and the rest."""
    tree = wording.tree
    if len(wording.classes) > len(theme.colours):
        error = float(tree.error[node])
        return [(1 - error, theme.colours[0]), (error, theme.grid)]
    return list(zip((tree.value[node] / tree.weight[node]).tolist(), theme.colours, strict=False))


def _draw_key(ax: Axes, theme: Theme, classes: list[str]) -> None:
    from matplotlib.patches import Patch

    names, colours = [literal(name, 18) for name in classes], list(theme.colours)
    if len(names) > len(colours):
        names, colours = ["the class answered", "all others"], [theme.colours[0], theme.grid]
    patches = [Patch(facecolor=colour) for colour in colours[: len(names)]]
    box = ax.legend(patches, [str(i) for i in range(len(names))], loc="upper center", bbox_to_anchor=(0.5, 0.0),
                    fontsize="small", frameon=False, handlelength=1.2, ncols=min(len(names), 3))  # fmt: skip
    for text, name in zip(box.get_texts(), names, strict=True):
        text.set_text(name)
        plain(text, theme)
