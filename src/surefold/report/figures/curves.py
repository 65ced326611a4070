"""The four charts of a ranking: ROC, precision-recall, gains and lift, each with its band."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np

from surefold.assessment import Assessment
from surefold.curves.curve import Curve, Kind
from surefold.curves.gains import Gains, Lift
from surefold.estimates.bands import Band
from surefold.estimates.estimate import Estimate
from surefold.numbers import number
from surefold.report.figures.chart import UNIT, Axis, Chart, Note, Shape, nice_axis, rows_of
from surefold.report.figures.paths import outline, polyline, stepped
from surefold.report.figures.thinning import hull_places, spread_places

__all__ = ["gains_chart", "lift_chart", "precision_recall_chart", "roc_chart"]

AnyCurve = TypeVar("AnyCurve", bound=Curve)
#: A longer curve is thinned to so many points before it is drawn or given a band.
LONG, DRAWN = 50_000, 2000
TENTHS = np.linspace(0, 1, 11)
BOUNDS = ("low", "high")
#: Below this share of the rows a lift rests on a handful of them; the axis is made for what comes after.
EARLY = 0.01


def _short(curve: AnyCurve, always: bool = True) -> AnyCurve:
    if len(curve) <= LONG:
        return curve
    hull = hull_places(curve.x, curve.y) if always else np.zeros(0, dtype=np.intp)
    kept = spread_places(curve.x, np.nan_to_num(curve.y), DRAWN, hull)
    return replace(curve, x=curve.x[kept], y=curve.y[kept], threshold=curve.threshold[kept], dropped=len(curve) - DRAWN)


def _frame(key: str, title: str, curve: type[Curve], x: Axis = UNIT, y: Axis = UNIT) -> Chart:
    return Chart(key, title, "", replace(x, name=curve.x_name), replace(y, name=curve.y_name), dot=(np.nan, np.nan))


def _band_shape(chart: Chart, band: Band) -> Shape:
    x, y = band.polygon
    return Shape("band", "band", outline(chart.at_x(x), chart.at_y(np.clip(y, chart.y.low, chart.y.high))))


def _about(band: Band) -> str:
    level = f"{band.confidence * 100:g}%"
    return f"The {level} band holds {'the whole curve' if band.kind == 'simultaneous' else 'at any one point'}"


def _written(values: Iterable[float]) -> tuple[str, ...]:
    return tuple(number(float(v)) for v in values)


def roc_chart(a: Assessment, area: Estimate) -> Chart:
    """Share of the positives found over share of the negatives called."""
    whole = a.roc
    roc, kind = _short(whole), "simultaneous"
    band = roc.band(a.confidence, _kind(kind))
    found = [whole.at(fpr=float(f)).tpr for f in TENTHS]
    low, high = band.at(TENTHS)
    chart = _frame("roc", "ROC curve", type(roc))
    sentence = (
        f"The area is {area}; at a false-positive rate of 0.1 the true-positive rate is {number(found[1])} "
        f"[{number(float(low[1]))}, {number(float(high[1]))}]. {_about(band)}."
    )
    left, top, wide, tall = chart.box
    return replace(
        chart,
        sentence=sentence,
        shapes=(
            _band_shape(chart, band),
            Shape("random", "reference", polyline(chart.at_x([0, 1]), chart.at_y([0, 1]))),
            Shape("line", "line", polyline(chart.at_x(roc.x), chart.at_y(roc.y))),
        ),
        notes=(
            Note("area", left + wide - 6, top + tall - 24, f"area {number(area.value)}", "end"),
            Note("bounds", left + wide - 6, top + tall - 9, _bounds(area), "end"),
        ),
        header=("False-positive rate", "True-positive rate", *BOUNDS),
        rows=rows_of(_written(TENTHS), _written(found), _written(low), _written(high)),
    )


def _kind(kind: str) -> Kind:
    return "simultaneous" if kind == "simultaneous" else "pointwise"


def _bounds(e: Estimate) -> str:
    return e.bounds_text


def precision_recall_chart(a: Assessment, area: Estimate) -> Chart:
    """Share of the calls that are right over share of the positives found."""
    whole = a.precision_recall
    curve = _short(whole, always=False)
    band = curve.band(a.confidence)
    points = [whole.at(recall=float(r)) for r in TENTHS[1:]]
    at = [a.at(point.threshold)["precision"] for point in points]
    chart = _frame("pr", "Precision-recall curve", type(curve))
    sentence = (
        f"Average precision is {area}; calling rows at random would give {number(whole.prevalence)}. "
        f"To find half of the positives, precision is {at[4]}. {_about(band)}."
    )
    x, y = stepped(curve.x, curve.y)
    bx, low = stepped(band.low_x, band.low_y)
    _, high = stepped(band.high_x, band.high_y)
    base = float(chart.at_y(whole.prevalence))
    left, top, wide, tall = chart.box
    under = whole.prevalence > 0.08
    foot = top + tall if whole.prevalence > 0.2 else base  # words keep clear of the line at random
    return replace(
        chart,
        sentence=sentence,
        shapes=(
            Shape(
                "band", "band",
                outline(chart.at_x(np.append(bx, bx[::-1])), chart.at_y(np.append(high, low[::-1]))),
            ),
            Shape("random", "reference", polyline([left, left + wide], [base, base])),
            Shape("line", "line", polyline(chart.at_x(x), chart.at_y(y))),
        ),
        notes=(
            Note("area", left + 8, foot - 24, f"average precision {number(area.value)}"),
            Note("bounds", left + 8, foot - 9, _bounds(area)),
            Note("random", left + wide - 6, base + (13 if under else -5), "at random", "end"),
        ),
        header=("Recall", "Precision", *BOUNDS),
        rows=rows_of(_written(TENTHS[1:]), *(_written(getattr(e, part) for e in at) for part in ("value", *BOUNDS))),
    )  # fmt: skip


def gains_chart(a: Assessment) -> Chart:
    """Share of the positives found over share of the rows called."""
    whole = a.gains
    curve = _short(whole)
    band = curve.band(a.confidence)
    found = [whole.at(float(s)) for s in TENTHS]
    low, high = band.at(TENTHS)
    chart = _frame("gains", "Gains", Gains)
    best = whole.perfect
    left, top, wide, tall = chart.box
    sentence = (
        f"The best-scored tenth of the rows holds {number(found[1])} [{number(float(low[1]))}, "
        f"{number(float(high[1]))}] of the positives; a perfect order would hold {number(best_at(best, 0.1))}. "
        f"{_about(band)}."
    )
    return replace(
        chart,
        sentence=sentence,
        shapes=(
            _band_shape(chart, band),
            Shape("random", "reference", polyline(chart.at_x([0, 1]), chart.at_y([0, 1]))),
            Shape("perfect", "reference", polyline(chart.at_x(best.x), chart.at_y(best.y))),
            Shape("line", "line", polyline(chart.at_x(curve.x), chart.at_y(curve.y))),
        ),
        notes=(Note("random", left + wide - 6, top + tall - 9, "dotted: perfect and random order", "end"),),
        header=("Share of the rows", "Share of the positives", *BOUNDS),
        rows=rows_of(_written(TENTHS), _written(found), _written(low), _written(high)),
    )


def best_at(best: Curve, share: float) -> float:
    """The y of a curve at a place, by straight lines."""
    return float(np.interp(share, best.x, best.y))


def lift_chart(a: Assessment) -> Chart:
    """How many times commoner positives are among the rows called."""
    whole = a.lift
    curve = _short(whole, always=False)
    band = curve.band(a.confidence)
    shares = TENTHS[1:]
    found = [whole.at(float(s)) for s in shares]
    low, high = band.at(shares)
    late = curve.y[(curve.x >= EARLY) & np.isfinite(curve.y)]
    most = max(float(late.max()) * 1.1 if len(late) else 1.1, 1.1, float(np.nanmax(high, initial=1.0)))
    chart = _frame("lift", "Lift", Lift, y=nice_axis("", 0.0, most))
    left, top, wide, tall = chart.box
    one = float(chart.at_y(1.0))
    below = one + 15 < top + tall
    sentence = (
        f"Positives are {number(found[0], '.2f')} [{number(float(low[0]), '.2f')}, {number(float(high[0]), '.2f')}] "
        f"times as common in the best-scored tenth as in all rows. {_about(band)}."
    )
    seen = curve.x > 0
    return replace(
        chart,
        sentence=sentence,
        shapes=(
            _band_shape(chart, band),
            Shape("random", "reference", polyline([left, left + wide], [one, one])),
            Shape(
                "line", "line",
                polyline(chart.at_x(curve.x[seen]), chart.at_y(np.clip(curve.y[seen], 0, chart.y.high))),
            ),
        ),
        notes=(Note("random", left + 6, one + (13 if below else -5), "random order"),),
        header=("Share of the rows", "Lift", *BOUNDS),
        rows=rows_of(_written(shares), _written(found), _written(low), _written(high)),
    )  # fmt: skip
