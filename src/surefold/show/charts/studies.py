"""Learning and noise curves drawn: a line a model."""

from __future__ import annotations

import math
from collections.abc import Callable

from surefold.errors import UnknownNameError
from surefold.numbers import number
from surefold.phrases import measure_title
from surefold.show.chart import Axis, Chart, Line, nice_axis, range_of
from surefold.show.charts.lines import MOST_LINES, lines_chart
from surefold.show.names import label_text
from surefold.show.row_chart import AnyChart
from surefold.studies.ensemble_curve import EnsembleCurve
from surefold.studies.study_curve import PER_ROWS, CurvePoint, StudyCurve

__all__ = ["study_curve_chart"]

FROM_ZERO = ("error_rate", "brier", "log_loss")


#: Of times: the words, and that both axes are in logarithms, where a straight line of slope b is a cost of rows^b.
SECONDS = {"fit_seconds": "Seconds to fit", "predict_seconds": f"Seconds to predict {PER_ROWS:,} rows"}


def charts(result: StudyCurve | EnsembleCurve) -> dict[str, Callable[..., AnyChart | None]]:
    """The measure, seconds and sizes against what was varied; or both errors against the members."""
    if isinstance(result, EnsembleCurve):
        return {"errors": lambda: members_chart(result)}
    sizes = dict.fromkeys(size for points in result.models.values() for size in points[0].size)
    return {
        what: lambda what=what, model=None: study_curve_chart(result, what, model)
        for what in ("measure", *SECONDS, *sizes)
    }


def study_curve_chart(curve: StudyCurve, what: str = "measure", model: str | None = None) -> Chart:
    """A line a model that has it, or of one model alone."""
    measured = what == "measure"
    title = measure_title(curve.measure) if measured else SECONDS.get(what, _capital(what.replace("_", " ")))
    wanted = {name: curve[name] for name in ([model] if model is not None else curve.models)}
    having = {name: points for name, points in wanted.items() if all(_has(point, what) for point in points)}
    if not having:
        raise UnknownNameError(
            f"figure of {model}", what, ["measure", *SECONDS, *curve[model or next(iter(wanted))][0].size]
        )
    lines = {name: [point[what] for point in points] for name, points in having.items()}
    ends = "; ".join(
        f"{label_text(name)} goes from {number(each[0].value)} to {number(each[-1].value)}"
        for name, each in list(lines.items())[:MOST_LINES]
    )
    shown = f"{title} on held-out rows" if measured else title
    sentence = f"{shown} by {curve.x_name}, with {curve.confidence * 100:g}% intervals: {ends}."
    if len(lines) > MOST_LINES:
        sentence += f" {len(lines) - MOST_LINES:,} more models are in the table."
    return lines_chart(
        "curve",
        f"{title} by {curve.x_name}",
        (_capital(curve.x_name), title),
        curve.x,
        lines,
        sentence,
        from_zero=curve.measure in FROM_ZERO if measured else what not in SECONDS,
        limits=range_of(curve.measure) if measured else (0.0, math.inf),
        log=what in SECONDS,
    )


def _has(point: CurvePoint, what: str) -> bool:
    return what == "measure" or what in SECONDS or what in point.size


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def members_chart(curve: EnsembleCurve) -> Chart:
    """Means over the folds as lines; the held-out folds thin behind."""
    x = curve.members.astype(float)
    top = float(max(curve.test.max(), curve.train.max()))
    folds = [Line(f"fold{i}", "faint", x, fold) for i, fold in enumerate(curve.test)]
    means = [
        Line(f"line{i}", f"series s{i}", x, errors.mean(axis=0), f"{name}, mean of {len(errors)} folds")
        for i, (name, errors) in enumerate((("test", curve.test), ("training", curve.train)))
    ]
    sentence = (
        f"With {len(x):,} members the mean error is {number(float(curve.test[:, -1].mean()))} on held-out rows and "
        f"{number(float(curve.train[:, -1].mean()))} on those trained on."
    )
    axes = _whole("Members", len(x)), nice_axis("Error rate", 0, top)
    return Chart("members", "Error by members", sentence, *axes, (*folds, *means))


def _whole(name: str, most: int) -> Axis:
    """An axis of whole numbers from 1."""
    step = max(1, round(most / 5))
    at = sorted({1.0, *(float(v) for v in range(step, most + 1, step))})
    return Axis(name, 1.0, float(max(most, 2)), tuple(f"{v:g}" for v in at), tuple(at))
