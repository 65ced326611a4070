"""A measure, seconds or sizes against training rows or wrong labels: a line a model, with its interval."""

from __future__ import annotations

from typing import Any

from surefold.errors import UnknownNameError
from surefold.plots.interval_lines import interval_key, interval_line, is_even_in_logs
from surefold.show.write.style import legend, literal, new_axes, plain, write
from surefold.studies.study_curve import PER_ROWS, CurvePoint, StudyCurve

__all__ = ["plot_study_curve"]

SECONDS = {"fit_seconds": "Seconds to fit", "predict_seconds": f"Seconds to predict {PER_ROWS:,} rows"}
FROM_ZERO = ("error_rate", "brier", "log_loss")


def plot_study_curve(
    curve: StudyCurve,
    what: str = "measure",
    ax: Any = None,
    *,
    model: str | None = None,
    title: object = "",
    intervals: bool = True,
    dark: bool = False,
    show_legend: bool = True,
) -> Any:
    """Draw "measure", "fit_seconds", "predict_seconds" or a size such as "leaves", of one model or of all that have it.

    Seconds have logarithmic axes, where a straight line of slope b is a cost of rows^b.
    """
    ax, theme = new_axes(ax, dark, (6.4, 4.7), f"plotting a {curve.kind.replace('_', ' ')}")
    wanted = {name: curve[name] for name in ([model] if model is not None else curve.models)}
    having = {name: points for name, points in wanted.items() if all(_has(point, what) for point in points)}
    if not having:
        sizes = [size for points in wanted.values() for size in points[0].size]
        raise UnknownNameError("figure of this curve", what, ["measure", *SECONDS, *dict.fromkeys(sizes)])
    in_logs = curve.x_column == "training_rows" and is_even_in_logs(curve.x)
    if in_logs:
        ax.set_xscale("log")
    for place, (name, points) in enumerate(having.items()):
        estimates = [point[what] for point in points]
        interval_line(ax, theme, curve.x, estimates, literal(name), place=place, lines=len(having), in_logs=in_logs,
                      intervals=intervals, floor=0.1 if what in SECONDS else None)  # fmt: skip
        for x, e in zip(curve.x, estimates, strict=True):
            if not e.defined:
                text = ax.text(x, 0.02, "undefined", rotation=90, ha="center", transform=ax.get_xaxis_transform())
                plain(text, theme, faint=True)
    if in_logs:
        ax.set_xticks(curve.x, [f"{x:,.0f}" for x in curve.x])
        ax.minorticks_off()
    if what in SECONDS:
        ax.set_yscale("log")
    elif what != "measure" or curve.measure in FROM_ZERO:
        ax.set_ylim(bottom=0)
    unit = curve.measure.replace("_", " ") if what == "measure" else SECONDS.get(what, what.replace("_", " "))
    write(ax, theme, _capital(curve.x_name), _capital(unit), title)
    if show_legend:
        if intervals:
            interval_key(ax, theme, curve.confidence, len(having))
        legend(ax, theme)
    return ax


def _has(point: CurvePoint, what: str) -> bool:
    return what == "measure" or what in SECONDS or what in point.size


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
