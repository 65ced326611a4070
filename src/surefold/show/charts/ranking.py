"""Curves of a ranking: ROC, precision-recall, gains and lift with their bands, decision and cost curves.

`curve_chart` describes any curve; the four that stand on a page have a sentence and a table of their own beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from surefold.assessment import Assessment
from surefold.curves.cost_curve import CostCurve, ExpectedCost
from surefold.curves.curve import Curve, Kind
from surefold.curves.decision import Decision
from surefold.curves.gains import Gains, GainsCounts, Lift
from surefold.curves.precision_recall import PrecisionRecall
from surefold.curves.roc import Roc
from surefold.errors import UnknownNameError
from surefold.estimates.auc import auc_estimate
from surefold.estimates.average_precision import average_precision_estimate
from surefold.estimates.bands import Band
from surefold.estimates.estimate import Estimate
from surefold.numbers import number
from surefold.show.chart import UNIT, Axis, Chart, Line, Mark, Strokes, Words, nice_axis, rows_of
from surefold.show.charts.thinning import hull_places, spread_places, stepped
from surefold.show.row_chart import AnyChart

__all__ = ["charts", "curve_chart", "gains_chart", "lift_chart", "precision_recall_chart", "roc_chart", "written"]

Array = NDArray[np.float64]
AnyCurve = TypeVar("AnyCurve", bound=Curve)
#: A longer curve is thinned to so many points before it is drawn or given a band.
LONG, DRAWN = 50_000, 2000
TENTHS = np.linspace(0, 1, 11)
BOUNDS = ("low", "high")
#: Below this share of the rows a lift rests on a handful of them; the axis is made for what comes after.
EARLY = 0.01
#: Lines of single thresholds under a cost curve.
SINGLE = 30
ENDS = np.array([0.0, 1.0])


@dataclass(frozen=True)
class Asked:
    """What a curve is drawn with: its band, if any, the confidence of that, and its area where it is known already."""

    confidence: float = 0.95
    band: Kind | Band | None = None
    area: Estimate | None = None

    def band_of(self, curve: Curve) -> Band | None:
        return self.band if self.band is None or isinstance(self.band, Band) else curve.band(self.confidence, self.band)


def curve_chart(curve: Curve, *, band: Kind | bool = True, confidence: float = 0.95) -> Chart:
    """A curve with what it is compared with, and its band: "pointwise", "simultaneous", True for what suits the curve
    (simultaneous for ROC) or False.

    A curve of a class without rows has no marks, and words that say so.
    """
    found = next((each for kind, each in WAYS.items() if isinstance(curve, kind)), None)
    if found is None:
        raise UnknownNameError("plot of a", type(curve).__name__, [kind.__name__ for kind in WAYS])
    way, suits = found
    if np.isnan(curve.x[-1] + curve.y[-1]):
        gone = Words("undefined", 0.5, 0.5, "undefined: a class has no rows", "middle", in_frame=True, told=False)
        return _chart(curve, words=(gone,))
    wanted: Kind | None = (suits if band else None) if isinstance(band, bool) else band
    return way(curve, Asked(confidence, wanted))


def _short(curve: AnyCurve, always: bool = True) -> AnyCurve:
    if len(curve) <= LONG:
        return curve
    hull = hull_places(curve.x, curve.y) if always else np.zeros(0, dtype=np.intp)
    kept = spread_places(curve.x, np.nan_to_num(curve.y), DRAWN, hull)
    return replace(curve, x=curve.x[kept], y=curve.y[kept], threshold=curve.threshold[kept], dropped=len(curve) - DRAWN)


def _chart(curve: Curve, x: Axis = UNIT, y: Axis = UNIT, *, title: str = "", **parts: Any) -> Chart:
    names = {Roc: "roc", PrecisionRecall: "pr", Gains: "gains", Lift: "lift"}
    key = next((key for kind, key in names.items() if isinstance(curve, kind)), "curve")
    chart = Chart(key, title or curve.name[:1].upper() + curve.name[1:], "", x, y, **parts)
    return chart.named(curve.x_name, curve.y_name)


def _band_line(x: Array, y: Array, band: Band) -> Line:
    how = "whole curve" if band.kind == "simultaneous" else "each point"
    return Line("band", "band", x, y, f"{band.confidence * 100:g} % band, {how}")


def _bands(band: Band | None, high: float = np.inf) -> list[Mark]:
    if band is None:
        return []
    x, y = band.polygon
    return [_band_line(x, np.clip(y, None, high), band)]


def _level(name: str, y: float, label: str) -> Line:
    return Line(name, "reference", ENDS, np.array([y, y]), label)


def _diagonal(label: str) -> Line:
    return Line("random", "reference", ENDS, ENDS, label)


def _roc(curve: Roc, asked: Asked) -> Chart:
    short, area = _short(curve), asked.area or auc_estimate(curve.tally, confidence=asked.confidence)
    line = Line("line", "line", short.x, short.y, f"AUC {area}")
    words = (
        Words("area", 1, 0, f"area {number(area.value)}", "end", (-6, -24), True),
        Words("bounds", 1, 0, area.bounds_text, "end", (-6, -9), True),
    )
    marks = (*_bands(asked.band_of(short)), _diagonal("random"), line)
    return _chart(curve, title="ROC curve", marks=marks, words=words, square=True)


def _precision_recall(curve: PrecisionRecall, asked: Asked) -> Chart:
    short = _short(curve, always=False)
    area = asked.area or average_precision_estimate(curve.tally, confidence=asked.confidence)
    band, base = asked.band_of(short), curve.prevalence
    marks: list[Mark] = []
    if band is not None:
        x, low = stepped(band.low_x, band.low_y)
        _, high = stepped(band.high_x, band.high_y)
        marks.append(_band_line(np.append(x, x[::-1]), np.append(high, low[::-1]), band))
    x, y = stepped(short.x, short.y)
    marks += [
        _level("random", base, f"prevalence {number(base)}"),
        Line("line", "line", x, y, f"average precision {area}"),
    ]
    foot = 0.0 if base > 0.2 else base  # words keep clear of the line at random
    words = (
        Words("area", 0, foot, f"average precision {number(area.value)}", "start", (8, -24)),
        Words("bounds", 0, foot, area.bounds_text, "start", (8, -9)),
        Words("random", 1, base, "at random", "end", (-6, 13 if base > 0.08 else -5)),
    )
    return _chart(curve, title="Precision-recall curve", marks=tuple(marks), words=words, square=True)


def _gains(curve: Gains, asked: Asked) -> Chart:
    short, best = _short(curve), curve.perfect
    marks = (
        *_bands(asked.band_of(short)),
        _diagonal("random order"),
        Line("perfect", "reference", best.x, best.y, "perfect order"),
        Line("line", "line", short.x, short.y, f"area over random {number(curve.area_between)}"),
    )
    words = (Words("random", 1, 0, "dotted: perfect and random order", "end", (-6, -9), True),)
    return _chart(curve, title="Gains", marks=marks, words=words, square=True)


def _gains_counts(curve: GainsCounts, asked: Asked) -> Chart:
    short, total, positives = _short(curve), curve.tally.total, curve.tally.positives
    corners = np.array([0.0, positives, total])
    marks = (
        Line("random", "reference", np.array([0.0, total]), np.array([0.0, positives]), "random order"),
        Line("perfect", "reference", corners, np.minimum(corners, positives), "perfect order"),
        Line("line", "line", short.x, short.y, f"{positives:,g} positives of {total:,g} rows"),
    )
    return _chart(curve, nice_axis("", 0, total), nice_axis("", 0, positives), marks=marks)


def _lift(curve: Lift, asked: Asked) -> Chart:
    short = _short(curve, always=False)
    band = asked.band_of(short)
    reach = [] if band is None else [float(np.nanmax(band.at(TENTHS[1:])[1], initial=1.0))]
    late = short.y[(short.x >= EARLY) & np.isfinite(short.y)]
    y = nice_axis("", 0.0, max([float(late.max()) * 1.1 if len(late) else 1.1, 1.1, *reach]))
    seen = short.x > 0
    marks = (
        *_bands(band, y.high),
        _level("random", 1.0, "random order"),
        Line("line", "line", short.x[seen], np.clip(short.y[seen], 0, y.high),
             f"lift {number(curve.at(0.1), '.2f')} in the first tenth"),
    )  # fmt: skip
    words = (Words("random", 0, 1, "random order", "start", (6, 13 if float(y.share(1.0)) * 210 > 15 else -5)),)
    return _chart(curve, y=y, title="Lift", marks=marks, words=words)


def _decision(curve: Decision, asked: Asked) -> Chart:
    best = max(float(curve.y.max()), float(curve.treat_all.max()), 1e-3)
    y = nice_axis("", -0.15 * best, 1.1 * best)
    seen = curve.treat_all >= y.low
    marks = (
        *_bands(asked.band_of(curve)),
        Line("all", "reference", curve.x[seen], curve.treat_all[seen], "call every row"),
        _level("none", 0.0, "call none"),
        Line("line", "line", curve.x, curve.y, "the scores"),
    )
    return _chart(curve, y=y, marks=marks)


def _cost_curve(curve: CostCurve, asked: Asked) -> Chart:
    fpr, fnr = curve.lines
    some = np.unique(np.linspace(0, len(fpr) - 1, min(len(fpr), SINGLE)).astype(int))
    single = (np.array([fpr[i], fnr[i]]) for i in some)
    marks = (
        *(Line(f"single{i}", "faint", ENDS, y, "" if i else "one threshold each") for i, y in enumerate(single)),
        Line("trivial", "reference", curve.trivial.x, curve.trivial.y, "all or none, whichever is cheaper"),
        Line("line", "line", curve.x, curve.y, f"least cost, area {number(curve.area)}"),
    )
    return _chart(curve, y=nice_axis("", 0, min(0.5, max(3 * float(curve.y.max()), 0.05))), marks=marks)


def _expected_cost(curve: ExpectedCost, asked: Asked) -> Chart:
    x, y = stepped(curve.x[1:][::-1], curve.y[1:][::-1])
    best = curve.best
    least = curve.at(best.threshold)
    room = 0.0 if x[-1] > x[0] else 0.5
    marks = (
        Line("line", "line", x, y, "expected cost"),
        Strokes("least", "cursor", np.array([best.threshold]), np.array([-np.inf]), np.array([least]),
                f"least: {number(least)} at threshold {number(best.threshold)}"),
    )  # fmt: skip
    across = nice_axis("", float(x[0]) - room, float(x[-1]) + room)
    return _chart(curve, across, nice_axis("", min(float(y.min()), 0.0), float(y.max()) or 1.0), marks=marks)


Way = tuple[Callable[[Any, Asked], Chart], Kind | None]
WAYS: dict[type[Curve], Way] = {
    Roc: (_roc, "simultaneous"),
    PrecisionRecall: (_precision_recall, "pointwise"),
    Gains: (_gains, "pointwise"),
    GainsCounts: (_gains_counts, None),
    Lift: (_lift, "pointwise"),
    Decision: (_decision, "pointwise"),
    CostCurve: (_cost_curve, None),
    ExpectedCost: (_expected_cost, None),
}


# with a sentence and a table


def _about(band: Band) -> str:
    level = f"{band.confidence * 100:g}%"
    return f"The {level} band holds {'the whole curve' if band.kind == 'simultaneous' else 'at any one point'}"


def written(values: Iterable[float]) -> tuple[str, ...]:
    """Numbers as a table of figures has them."""
    return tuple(number(float(v)) for v in values)


def _with_dot(chart: Chart, sentence: str, head: tuple[str, str], *columns: Iterable[float]) -> Chart:
    rows = rows_of(*map(written, columns))
    return replace(chart, sentence=sentence, header=(*head, *BOUNDS), rows=rows, dot=(np.nan, np.nan))


def roc_chart(a: Assessment, area: Estimate) -> Chart:
    """Share of the positives found over share of the negatives called."""
    band = _short(a.roc).band(a.confidence, "simultaneous")
    found = [a.roc.at(fpr=float(f)).tpr for f in TENTHS]
    low, high = band.at(TENTHS)
    sentence = (
        f"The area is {area}; at a false-positive rate of 0.1 the true-positive rate is {number(found[1])} "
        f"[{number(float(low[1]))}, {number(float(high[1]))}]. {_about(band)}."
    )
    chart = _roc(a.roc, Asked(a.confidence, band, area))
    return _with_dot(chart, sentence, ("False-positive rate", "True-positive rate"), TENTHS, found, low, high)


def precision_recall_chart(a: Assessment, area: Estimate) -> Chart:
    """Share of the calls that are right over share of the positives found."""
    curve = a.precision_recall
    at = [a.at(curve.at(recall=float(r)).threshold)["precision"] for r in TENTHS[1:]]
    sentence = (
        f"Average precision is {area}; calling rows at random would give {number(curve.prevalence)}. "
        f"To find half of the positives, precision is {at[4]}. The {a.confidence * 100:g}% band holds at any one point."
    )
    chart = _precision_recall(curve, Asked(a.confidence, "pointwise", area))
    figures = ([getattr(e, part) for e in at] for part in ("value", *BOUNDS))
    return _with_dot(chart, sentence, ("Recall", "Precision"), TENTHS[1:], *figures)


def gains_chart(a: Assessment) -> Chart:
    """Share of the positives found over share of the rows called."""
    curve = a.gains
    band = _short(curve).band(a.confidence)
    found = [curve.at(float(s)) for s in TENTHS]
    low, high = band.at(TENTHS)
    best = float(np.interp(0.1, curve.perfect.x, curve.perfect.y))
    sentence = (
        f"The best-scored tenth of the rows holds {number(found[1])} [{number(float(low[1]))}, "
        f"{number(float(high[1]))}] of the positives; a perfect order would hold {number(best)}. "
        f"{_about(band)}."
    )
    chart = _gains(curve, Asked(a.confidence, band))
    return _with_dot(chart, sentence, ("Share of the rows", "Share of the positives"), TENTHS, found, low, high)


def lift_chart(a: Assessment) -> Chart:
    """How many times commoner positives are among the rows called."""
    curve, shares = a.lift, TENTHS[1:]
    band = _short(curve, always=False).band(a.confidence)
    found = [curve.at(float(s)) for s in shares]
    low, high = band.at(shares)
    sentence = (
        f"Positives are {number(found[0], '.2f')} [{number(float(low[0]), '.2f')}, {number(float(high[0]), '.2f')}] "
        f"times as common in the best-scored tenth as in all rows. {_about(band)}."
    )
    chart = _lift(curve, Asked(a.confidence, band))
    return _with_dot(chart, sentence, ("Share of the rows", "Lift"), shares, found, low, high)


def charts(curve: Curve) -> dict[str, Callable[..., AnyChart | None]]:
    """The curve."""
    return {"curve": lambda **asked: curve_chart(curve, **asked)}
