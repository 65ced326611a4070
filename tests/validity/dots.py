"""The picture that opens the page: a dot for every cell's coverage, a line a family, beside the level promised."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from .page import Section

__all__ = ["dot_plot"]

PROMISED, ASKED, LEAST = 0.95, 0.935, 0.88
LEFT, WIDE, ROW, TOP = 330, 560, 24, 64
STYLE = """
text { font: 13px system-ui, sans-serif; fill: #24292f } .small { font-size: 11px; fill: #57606a }
.axis { stroke: #d0d7de } .promised { stroke: #1a7f37; stroke-width: 1.5 }
.asked { stroke: #9a6700; stroke-dasharray: 4 3 }
.held { fill: #0969da; fill-opacity: .35 }
.below { fill: #cf222e; fill-opacity: .8 } .flagged { fill: none; stroke: #57606a }
.back { fill: #ffffff }
@media (prefers-color-scheme: dark) {
 text { fill: #e6edf3 } .small { fill: #9198a1 } .axis { stroke: #3d444d } .promised { stroke: #3fb950 }
 .asked { stroke: #d29922 } .held { fill: #58a6ff; fill-opacity: .45 }
 .below { fill: #ff7b72 } .flagged { stroke: #9198a1 }
 .back { fill: #0d1117 }
}"""  # colours with 3:1 against both grounds


def dot_plot(sections: Sequence[Section]) -> str:
    """SVG: families from above in the order of the page. Filled dots were not flagged; those below the limit are red.

    Rings are cells in which most draws carry a warning. What covers less than .88 stands at the left edge.
    """
    lines = [(_family(gate.name), gate.cells) for s in sections for gate in s.gates if gate.cells]
    height = TOP + ROW * len(lines) + 40
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDE + 120} {height}" role="img" '
        'aria-label="Coverage of 95 % intervals by family">',
        f"<style>{STYLE}</style>",
        f'<rect class="back" width="{LEFT + WIDE + 120}" height="{height}"/>',
        '<text x="12" y="22">How often 95 % intervals hold the truth: a dot a simulated cell</text>',
        '<text class="small" x="12" y="42">'
        "filled: not flagged, red below .935; ring: most draws carry a warning</text>",
    ]
    for tick in (0.88, 0.90, 0.92, 0.935, 0.95, 0.97, 0.99):
        kind = {PROMISED: "promised", ASKED: "asked"}.get(tick, "axis")
        x = _across(tick)
        label = (f"{tick:.2f}" if tick != ASKED else f"{tick}").removeprefix("0")
        out.append(f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP - 8}" y2="{height - 34}"/>')
        out.append(f'<text class="small" x="{x:.1f}" y="{height - 18}" text-anchor="middle">{label}</text>')
    for place, (family, cells) in enumerate(lines):
        y = TOP + ROW * (place + 0.5)
        short = sum(c < ASKED and not flagged for c, flagged in cells)
        out.append(f'<text x="{LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(family)}</text>')
        out += [_dot(c, flagged, y, at) for at, (c, flagged) in enumerate(sorted(cells))]
        told = f"{len(cells)}, {short} below" if short else f"{len(cells)}"
        out.append(f'<text class="small" x="{LEFT + WIDE + 12}" y="{y + 4:.1f}">{told}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def _family(gate: str) -> str:
    return gate.partition(":")[0].removesuffix(", unflagged draws").removesuffix(", not flagged")


def _across(coverage: float) -> float:
    return LEFT + WIDE * (max(coverage, LEAST) - LEAST) / (1 - LEAST)


def _dot(coverage: float, flagged: bool, y: float, at: int) -> str:
    kind = "flagged" if flagged else "below" if coverage < ASKED else "held"
    shake = (np.modf(at * 0.618)[0] - 0.5) * 11  # up and down, so that dots at one place are seen apart
    return f'<circle class="{kind}" cx="{_across(coverage):.1f}" cy="{y + shake:.1f}" r="2.6"/>'
