"""How figures look: colours that colour-blind people tell apart, dashes beside them, text shown as it is written.

Without axes to draw on, a figure is made by pyplot, so that it shows in a notebook and by `plt.show()`, and goes with
the style in force. Given axes are drawn on, and pyplot is not asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from surefold.errors import MissingExtraError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

__all__ = [
    "DARK",
    "DASHES",
    "LIGHT",
    "MARKERS",
    "Looks",
    "Theme",
    "count",
    "entries",
    "framed",
    "ink_on",
    "legend",
    "literal",
    "new_axes",
    "new_figure",
    "plain",
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

    @property
    def is_light(self) -> bool:
        """Whether ink is dark on paper that is bright."""
        return self.ink == LIGHT.ink


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
#: Markers of as many lines or classes as can be told apart.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: tuple[Any, ...] = ("-", (0, (7, 2)), (0, (2, 1.5)), (0, (7, 2, 1.5, 2)), (0, (4, 1.5)), (0, (1, 1)))


@dataclass(frozen=True)
class Looks:
    """How a chart is drawn, whatever it shows: `label` names the model, `style` goes to the first line."""

    title: object = ""
    label: str = ""
    dark: bool = False
    show_legend: bool = True
    shade: bool = False
    intervals: bool = True
    style: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, asked: dict[str, Any]) -> Looks:
        """What was asked for by these names; every other word is a style."""
        known = {each.name for each in fields(cls)} - {"style"}
        given = {name: value for name, value in asked.items() if name in known}
        if "label" in given:
            given["label"] = str(given["label"])
        return cls(**given, style={name: value for name, value in asked.items() if name not in known})

    def labelled(self, label: str) -> Looks:
        """The same for a model of that name."""
        return replace(self, label=label)


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
    figure.set_gid(OURS)
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


def ink_on(colour: ColorType) -> str:
    """Black or white, whichever is read better on a colour.

    >>> ink_on("#0072b2"), ink_on("#f0e442")
    ('#ffffff', '#101010')
    """
    from matplotlib.colors import to_rgb

    parts = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour))
    light = sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))
    return "#ffffff" if 1.05 / (light + 0.05) >= (light + 0.05) / 0.055 else "#101010"


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
    ours = (a for a in (*ax.lines, *ax.patches, *ax.collections) if str(a.get_gid() or "").startswith(f"{OURS}|"))
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
    """The legend of everything of ours on these axes, each text as it is written.

    Below the axes and their name, unless there is room inside; where a figure of somebody else has no layout that would
    make room below, matplotlib looks for the best place inside.
    """
    handles = entries(ax)
    if not handles:
        return
    labels = [str(a.get_gid()).split("|", 2)[2] for a in handles]
    columns = 2 if inside is None and max(map(len, labels)) <= LONG else 1
    if inside is None and ax.figure.get_layout_engine() is None:
        inside = "best"
    where: dict[str, Any] = (
        {"loc": inside}
        if inside
        else {"loc": "upper left", "bbox_to_anchor": (0.0, 0.0), "bbox_transform": _below(ax), "borderaxespad": 0.0}
    )
    box = ax.legend(
        handles, [str(i) for i in range(len(handles))], **where, ncols=columns, fontsize="small", handlelength=2.4,
        facecolor=theme.paper, edgecolor="none", framealpha=0.85,
    )  # fmt: skip
    if inside is None:
        _widen(ax, 0.95 + 0.083 * max(map(len, labels)))
    box.set_gid("surefold-legend")
    for text, label in zip(box.get_texts(), labels, strict=True):
        text.set_text(label)
        plain(text, theme)


def _widen(ax: Any, inches: float) -> None:
    """Room for a long entry of a legend below axes whose figure is ours."""
    if ax.figure.get_gid() == OURS and ax.figure.get_figwidth() < inches:
        ax.figure.set_figwidth(inches)


def _below(ax: Any) -> Any:
    """The lower left corner of the axes, moved down below their labels, however tall the axes are."""
    from matplotlib.transforms import ScaledTranslation

    name = ax.get_xlabel()
    down = 0.36 + (0.2 * (1 + name.count("\n")) if name else 0.0)
    return ax.transAxes + ScaledTranslation(0, -down, ax.figure.dpi_scale_trans)
