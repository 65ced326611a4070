"""Any chart as SVG."""

from __future__ import annotations

from surefold.show.chart import Chart
from surefold.show.heat_chart import HeatChart
from surefold.show.row_chart import AnyChart, RowChart
from surefold.show.write.svg import svg_chart
from surefold.show.write.svg_heat import svg_heat
from surefold.show.write.svg_rows import svg_rows

__all__ = ["svg"]


def svg(chart: AnyChart, page: bool = True) -> str:
    """The drawing: with classes for the page's style sheet, or with its own colours."""
    match chart:
        case RowChart():
            return svg_rows(chart, page)
        case HeatChart():
            return svg_heat(chart, page)
        case Chart():
            return svg_chart(chart, page)
