"""Draws how data flow through the rooms of the package: `python -m docs.flow` writes docs/images/flow.svg.

Boxes are pale with dark text, and lines of a middle grey, so that the drawing can be read on light and on dark pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

__all__ = ["drawing", "main"]

WIDTH, HEIGHT = 906, 398
BOX = 156, 62
LINE = "#8a8f98"


@dataclass(frozen=True)
class Box:
    """A room: where its box is (column, row), what is in it, and whether people bring it or get it."""

    column: float
    row: float
    title: str
    words: str
    colour: str = "#dfeaf6"

    @property
    def x(self) -> float:
        return 15 + self.column * 180

    @property
    def y(self) -> float:
        return 15 + self.row * 102


BROUGHT, GOT = "#f4ead2", "#dcefdd"
BOXES = {
    "predictions": Box(0, 0, "predictions", "labels, scores, files", BROUGHT),
    "inputs": Box(1, 0, "inputs", "checked once"),
    "tallies": Box(2, 0, "tallies", "counts that add up"),
    "measures": Box(3, 0, "measures", "tally to number"),
    "estimates": Box(4, 0, "estimates", "number to interval"),
    "engines": Box(2, 1, "engines", "files, Dask, Spark"),
    "curves": Box(3, 1, "curves", "tally to points"),
    "assessment": Box(4, 1, "assessment", "all about one model"),
    "rows": Box(0, 2, "rows, a model", "X, y, estimator", BROUGHT),
    "resampling": Box(1, 2, "resampling", "held-out answers"),
    "comparison": Box(3, 2, "comparison", "which is better"),
    "verdict": Box(4, 2, "verdict", "sentences, findings"),
    "learners": Box(0, 3, "learners", "Bayes, trees, forests"),
    "studies": Box(1, 3, "studies", "choose, vary, repeat"),
    "shown": Box(4, 3, "report, plots, cli", "what a person sees", GOT),
}
#: From, to, and the sides that an arrow leaves and enters: right, left, top, bottom.
ARROWS = [
    ("predictions", "inputs", "rl"),
    ("inputs", "tallies", "rl"),
    ("tallies", "measures", "rl"),
    ("measures", "estimates", "rl"),
    ("engines", "tallies", "tb"),
    ("tallies", "curves", "rl"),
    ("curves", "assessment", "rl"),
    ("estimates", "assessment", "bt"),
    ("rows", "resampling", "rl"),
    ("learners", "rows", "tb"),
    ("resampling", "inputs", "tb"),
    ("resampling", "studies", "bt"),
    ("resampling", "comparison", "rl"),
    ("curves", "comparison", "bt"),
    ("assessment", "verdict", "bt"),
    ("comparison", "verdict", "rl"),
    ("verdict", "shown", "bt"),
    ("studies", "shown", "rl"),
]
SIDES = {"r": (1, 0.5), "l": (0, 0.5), "t": (0.5, 0), "b": (0.5, 1)}


def drawing() -> str:
    """The drawing as SVG."""
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        'font-family="system-ui, sans-serif" aria-label="How data flow from predictions, or rows and a model, to a '
        'verdict and a report">',
        f'<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker></defs>',
    ]
    parts += [_arrow(BOXES[start], BOXES[end], sides) for start, end, sides in ARROWS]
    parts += [_box(box) for box in BOXES.values()]
    return "\n".join([*parts, "</svg>", ""])


def _box(box: Box) -> str:
    middle = box.x + BOX[0] / 2
    return (
        f'<rect x="{box.x:g}" y="{box.y:g}" width="{BOX[0]}" height="{BOX[1]}" rx="8" fill="{box.colour}"/>'
        f'<text x="{middle:g}" y="{box.y + 27:g}" text-anchor="middle" font-size="15.5" font-weight="600" '
        f'fill="#10233a">{escape(box.title)}</text>'
        f'<text x="{middle:g}" y="{box.y + 47:g}" text-anchor="middle" font-size="13" '
        f'fill="#33465c">{escape(box.words)}</text>'
    )


def _arrow(start: Box, end: Box, sides: str) -> str:
    (x1, y1), (x2, y2) = _corner(start, sides[0]), _corner(end, sides[1])
    if x1 == x2 or y1 == y2:
        path = f"M{x1:g} {y1:g}L{x2:g} {y2:g}"
    else:
        half = (x1 + x2) / 2
        path = f"M{x1:g} {y1:g}H{half:g}V{y2:g}H{x2:g}"
    return f'<path d="{path}" fill="none" stroke="{LINE}" stroke-width="2" marker-end="url(#tip)"/>'


def _corner(box: Box, side: str) -> tuple[float, float]:
    across, down = SIDES[side]
    return box.x + across * BOX[0], box.y + down * BOX[1]


def main() -> None:
    (Path(__file__).parent / "images" / "flow.svg").write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
