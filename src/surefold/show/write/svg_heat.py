"""Tables of shaded cells as SVG."""

from __future__ import annotations

from surefold.show.heat_chart import HeatChart
from surefold.show.names import shorter, width, xml_text
from surefold.show.write.palette import look
from surefold.show.write.svg import WIDTH

__all__ = ["svg_heat"]

#: Room for the names at the left, and below.
FOOT, HEAD, WIDEST = 40, 8, 96
#: The strongest shade: text in the paper's ink has a contrast of 4.5 on it, be the paper white or black.
STRONGEST = 0.85


def svg_heat(chart: HeatChart, page: bool = True) -> str:
    """Cells of one size, each with its text where there is room for it."""
    k = max(len(chart.names), 1)
    left = 20 + min(6.2 * max((width(name) for name in chart.names), default=0), WIDEST)
    cell = min((WIDTH - left - 8) / k, 56.0)
    height = HEAD + cell * k + FOOT
    label = xml_text(f"{chart.title}. {chart.sentence}")
    size = f'viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{label}"'
    opening = f'<svg class="chart" {size} data-chart="{chart.key}">'
    if not page:
        more = f'width="{WIDTH}" height="{height:.0f}" font-family="sans-serif" font-size="11" fill="currentColor"'
        opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} {more}>'
    parts = [opening]
    for i, row in enumerate(chart.values.tolist()):
        y = HEAD + cell * i
        for j, value in enumerate(row):
            strength = STRONGEST * (value - chart.low) / (1 - chart.low)
            box = f'x="{left + cell * j:.1f}" y="{y:.1f}" width="{cell:.1f}" height="{cell:.1f}"'
            parts.append(
                f'<rect {box} fill="#0072b2" fill-opacity="{strength:.2f}" stroke="#888" stroke-opacity=".3"/>'
            )
            if chart.texts and cell >= 24:
                shown = chart.texts[i][j].split("\n")[0] if cell < 34 else chart.texts[i][j]
                parts += _lines(shown, left + cell * (j + 0.5), y + cell / 2)
        if cell >= 11:
            parts.append(_text(chart.names[i], left - 5, y + cell / 2 + 4, "end", page))
    room = int(cell / 6.2)
    for j, name in enumerate(shorter(chart.names, room) if room > 2 else ()):
        if name:
            parts.append(_text(name, left + cell * (j + 0.5), HEAD + cell * k + 14, "middle", page))
    parts.append(_text(chart.across, left + cell * k / 2, height - 8, "middle", page))
    turned = f'transform="rotate(-90 10 {HEAD + cell * k / 2:.0f})" x="10" y="{HEAD + cell * k / 2:.0f}"'
    parts.append(f'<text {look("axis", page)} {turned} text-anchor="middle">{xml_text(chart.down)}</text>')
    return "".join([*parts, "</svg>"])


def _lines(text: str, x: float, y: float) -> list[str]:
    lines = text.split("\n")
    top = y + 4 - 6 * (len(lines) - 1)
    return [
        f'<text x="{x:.1f}" y="{top + 12 * i:.1f}" text-anchor="middle">{xml_text(line)}</text>'
        for i, line in enumerate(lines)
    ]


def _text(words: str, x: float, y: float, anchor: str, page: bool) -> str:
    return f'<text {look("tick", page)} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{xml_text(words)}</text>'
