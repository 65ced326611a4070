"""Loss, bias and variance drawn: lines against what was varied, or rows where nothing was."""

from __future__ import annotations

from collections.abc import Callable

from surefold.show.chart import Chart
from surefold.show.charts.lines import lines_chart
from surefold.show.names import label_text
from surefold.show.row_chart import AnyChart, Row, RowChart, axis_of
from surefold.studies.bias_variance import BiasVariance

__all__ = ["charts", "parts_chart", "parts_of"]

PARTS = ("loss", "bias", "variance")
PARTS_DOMINGOS = ("loss", "bias", "net_variance")
NAMES = {"squared": "Squared loss", "kohavi_wolpert": "Zero-one loss", "domingos": "Zero-one loss"}


def parts_of(found: BiasVariance) -> list[str]:
    shown = list(PARTS_DOMINGOS if found.kind == "domingos" else PARTS)
    return [*shown, "noise"] if any(point.noise.value for point in found.points) else shown


def parts_chart(found: BiasVariance) -> Chart | RowChart:
    parts = parts_of(found)
    if len(found) == 1:
        only = found.points[0]
        rows = [Row(part.replace("_", " "), only[part], str(only[part])) for part in parts]
        sentence = f"Loss of {label_text(found.model)} and its parts, with intervals: " + "; ".join(
            f"{row.name} {row.words}" for row in rows
        )
        table = tuple((row.name, *only[part].texts) for row, part in zip(rows, parts, strict=True))
        return RowChart(
            "parts",
            NAMES[found.kind],
            f"{sentence}.",
            axis_of(NAMES[found.kind], rows, (0.0,)),
            tuple(rows),
            header=("Part", "Value", "low", "high"),
            rows=table,
        )
    lines = {part.replace("_", " "): [point[part] for point in found.points] for part in parts}
    best = found.best
    sentence = (
        f"Loss of {label_text(found.model)} and its parts against {label_text(found.param)}; the loss is least at "
        f"{label_text(best.value)}, {best.loss}."
    )
    return lines_chart(
        "parts",
        NAMES[found.kind],
        (label_text(found.param), NAMES[found.kind]),
        [point.value for point in found.points],
        lines,
        sentence,
        from_zero=True,
    )


def charts(found: BiasVariance) -> dict[str, Callable[..., AnyChart | None]]:
    """The loss and its parts."""
    return {"parts": lambda: parts_chart(found)}
