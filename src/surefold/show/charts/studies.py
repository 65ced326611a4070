"""Learning and noise curves drawn: a line a model."""

from __future__ import annotations

from surefold.numbers import number
from surefold.phrases import measure_title
from surefold.show.chart import Chart, range_of
from surefold.show.charts.lines import MOST_LINES, lines_chart
from surefold.show.names import label_text
from surefold.studies.study_curve import StudyCurve

__all__ = ["study_curve_chart"]

FROM_ZERO = ("error_rate", "brier", "log_loss")


def study_curve_chart(curve: StudyCurve) -> Chart:
    """The measure against what was varied."""
    measure = measure_title(curve.measure)
    lines = {name: [point.estimate for point in points] for name, points in curve.models.items()}
    ends = "; ".join(
        f"{label_text(name)} goes from {number(each[0].value)} to {number(each[-1].value)}"
        for name, each in list(lines.items())[:MOST_LINES]
    )
    sentence = f"{measure} on held-out rows by {curve.x_name}, with {curve.confidence * 100:g}% intervals: {ends}."
    if len(lines) > MOST_LINES:
        sentence += f" {len(lines) - MOST_LINES:,} more models are in the table."
    return lines_chart(
        "curve",
        f"{measure} by {curve.x_name}",
        (curve.x_name[:1].upper() + curve.x_name[1:], measure),
        curve.x,
        lines,
        sentence,
        from_zero=curve.measure in FROM_ZERO,
        limits=range_of(curve.measure),
    )
