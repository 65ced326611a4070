"""How figures look: colours that colour-blind people tell apart, dashes beside them, text shown as it is written.

Without axes to draw on, a figure is made by pyplot, so that it shows in a notebook and by `plt.show()`, and goes with
the style in force. Given axes are drawn on, and pyplot is not asked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from surefold.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

__all__ = [
    "DARK",
    "LIGHT",
    "Theme",
    "count",
    "entries",
    "framed",
    "legend",
    "literal",
    "new_axes",
    "new_figure",
    "theme_of",
    "write",
]

OURS = "surefold"
#: Legends with longer entries have one column.
LONG = 36


@dataclass(frozen=True)
class Theme:
    """Colours on one kind of paper. The palette is Okabe and Ito's, lighter on dark paper."""

    paper: str
    ink: str
    faint: str
    grid: str
    colours: tuple[str, ...]
    heat: tuple[str, str]


LIGHT = Theme(
    paper="#ffffff",
    ink="#1a1a1a",
    faint="#6b6b6b",
    grid="#e4e4e4",
    colours=("#0072b2", "#d55e00", "#009e73", "#b0578d", "#8c6d00", "#2f2f2f"),
    heat=("#ffffff", "#0072b2"),
)
DARK = Theme(
    paper="#16181c",
    ink="#eeeeee",
    faint="#a3a3a3",
    grid="#33363c",
    colours=("#56b4e9", "#ff9a5c", "#2fd0a0", "#e39cc6", "#f0e442", "#dddddd"),
    heat=("#16181c", "#2f8fca"),
)
DASHES: tuple[Any, ...] = ("-", (0, (7, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)), (0, (4, 1.5)), (0, (1, 1)))


def literal(label: object, longest: int = 32) -> str:
    r"""A label on one short line, with characters that cannot be seen written out.

    >>> literal("$x$"), literal("a\nb"), literal("")
    ('$x$', 'a\\nb', '(empty)')
    """
    text = str(label)
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)
    if not text.strip():
        return "(empty)" if not text else f"'{text[: longest - 2]}'"
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def new_axes(ax: Any, dark: bool, size: tuple[float, float], purpose: str) -> tuple[Any, Theme]:
    """The axes to draw on and the theme that suits them; a new figure unless some are given."""
    if ax is not None:
        return ax, theme_of(ax)
    figure, theme = new_figure(dark, size, purpose)
    return framed(figure.add_subplot(), theme), theme


def new_figure(dark: bool, size: tuple[float, float], purpose: str) -> tuple[Any, Theme]:
    """A figure that shows, on dark paper where that is asked for or is the style in force."""
    try:
        from matplotlib import pyplot
        from matplotlib.colors import to_hex
    except ImportError as error:
        raise MissingExtraError("matplotlib", "plot", purpose) from error
    paper = to_hex(pyplot.rcParams["figure.facecolor"])
    theme = DARK if dark else replace(LIGHT if _is_bright(paper) else DARK, paper=paper)
    figure = pyplot.figure(figsize=size, facecolor=theme.paper, dpi=110)
    figure.set_layout_engine("constrained", w_pad=0.12, h_pad=0.12)
    return figure, theme


def framed(ax: Axes, theme: Theme) -> Axes:
    """Axes of ours: paper, a grid, and a frame at the left and below."""
    ax.set_facecolor(theme.paper)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(theme.faint)
    ax.tick_params(colors=theme.ink, which="both")
    ax.grid(True, color=theme.grid, linewidth=0.8)
    ax.set_axisbelow(True)
    return ax


def _is_bright(colour: ColorType, behind: float = 1.0) -> bool:
    from matplotlib.colors import to_rgba

    red, green, blue, alpha = to_rgba(colour)
    return bool((1 - alpha) * behind + alpha * (0.299 * red + 0.587 * green + 0.114 * blue) > 0.5)


def theme_of(ax: Any) -> Theme:
    """The theme for axes made by somebody else, by how bright they are."""
    from matplotlib.colors import to_rgba

    colour = ax.get_facecolor()
    return LIGHT if _is_bright(colour if to_rgba(colour)[3] else ax.figure.get_facecolor()) else DARK


def write(ax: Any, theme: Theme, x: str, y: str, title: object = "") -> None:
    """Name both axes, and the figure if wanted."""
    for text in (ax.set_xlabel(x), ax.set_ylabel(y), *([ax.set_title(literal(title, 60))] if title else [])):
        plain(text, theme)


def plain(text: Any, theme: Theme, faint: bool = False) -> Any:
    """Text as it is written: a dollar sign starts no formula."""
    text.set_parse_math(False)
    text.set_usetex(False)
    text.set_color(theme.faint if faint else theme.ink)
    return text


def entries(ax: Any) -> list[Any]:
    """What was drawn here by surefold and has a place in the legend, in the order drawn."""
    ours = (a for a in (*ax.lines, *ax.patches, *ax.collections) if str(a.get_gid() or "").startswith(OURS))
    return sorted(ours, key=lambda a: int(str(a.get_gid()).split("|")[1]))


def named(ax: Any, artist: Any, label: str) -> Any:
    """Give an artist its place in the legend."""
    artist.set_label("_nolegend_")
    artist.set_gid(f"{OURS}|{len(entries(ax))}|{label}")
    return artist


def count(ax: Any) -> int:
    """How many curves of ours are on these axes."""
    return sum(getattr(a, "surefold_curve", False) for a in ax.lines)


def legend(ax: Any, theme: Theme, inside: str | None = None) -> None:
    """The legend of everything of ours on these axes, each text as it is written: below them, unless there is room."""
    handles = entries(ax)
    if not handles:
        return
    labels = [str(a.get_gid()).split("|", 2)[2] for a in handles]
    columns = 2 if inside is None and max(map(len, labels)) <= LONG else 1
    where = {"loc": inside} if inside else {"loc": "upper left", "bbox_to_anchor": (0.0, -0.16), "borderaxespad": 0.0}
    box = ax.legend(
        handles, [str(i) for i in range(len(handles))], **where, ncols=columns, fontsize="small", handlelength=2.4,
        facecolor=theme.paper, edgecolor="none", framealpha=0.85,
    )  # fmt: skip
    box.set_gid("surefold-legend")
    for text, label in zip(box.get_texts(), labels, strict=True):
        text.set_text(label)
        plain(text, theme)
