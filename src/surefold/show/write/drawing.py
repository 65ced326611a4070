"""Any chart as SVG."""

from __future__ import annotations

from surefold.show.row_chart import AnyChart, RowChart
from surefold.show.write.svg import svg_chart
from surefold.show.write.svg_rows import svg_rows

__all__ = ["svg"]


def svg(chart: AnyChart, page: bool = True) -> str:
    """The drawing: with classes for the page's style sheet, or with its own colours."""
    return svg_rows(chart, page) if isinstance(chart, RowChart) else svg_chart(chart, page)
