"""Charts of scores as probabilities: reliability with its bins, and the scores of each class."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefold.assessment import Assessment
from surefold.report.figures.chart import UNIT, Chart, Note, Shape, nice_axis, rows_of
from surefold.report.figures.curves import _written
from surefold.report.figures.paths import outline, polyline, rectangles, stepped, uprights
from surefold.report.sections.cut_codes import shown
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["reliability_chart", "scores_chart"]

Array = NDArray[np.float64]

#: Bins of the small histogram under the diagram, and of the scores by class.
BINS = 25
#: Scores beyond this are drawn at it: the span of the axis must be a number too.
LARGEST = 1e300
#: How much of the diagram's height the small histogram may take.
STRIP = 0.16


def reliability_chart(a: Assessment) -> Chart:
    """Share of positives over mean score, in bins of equal mass, with an interval each; below, where the scores are."""
    r = a.calibration
    low, high = r.interval()
    chart = Chart(
        "reliability",
        "Reliability",
        "",
        replace(UNIT, name="Mean score of the bin"),
        replace(UNIT, name="Share of positives in the bin"),
    )
    gap = r.in_the_large()
    inside = int(((low <= r.mean_score) & (r.mean_score <= high)).sum())
    sentence = (
        f"In {inside} of {len(r)} bins of equal mass the mean score lies within the {r.confidence * 100:g}% interval "
        f"of the share of positives. Over all rows the mean score exceeds that share by {gap}. "
        "Bars at the foot: how many rows have such scores."
    )
    x, y = chart.at_x(r.mean_score), chart.at_y(r.share)
    positive, negative = _binned(a.tally, 0.0, 1.0)
    counts = positive + negative
    edges, tall = stepped(np.linspace(0, 1, BINS + 1), np.append(0.0, counts / max(counts.max(), 1e-300) * STRIP))
    edges, tall = np.append(edges, 1.0), np.append(tall, 0.0)
    return replace(
        chart,
        sentence=sentence,
        shapes=(
            Shape("bars", "bar", outline(chart.at_x(edges), chart.at_y(tall))),
            Shape("perfect", "reference", polyline(chart.at_x([0, 1]), chart.at_y([0, 1]))),
            Shape("whiskers", "whisker", uprights(x, chart.at_y(high), chart.at_y(low))),
            Shape("line", "line", polyline(x, y)),
            Shape("points", "point", rectangles(x - 2.8, x + 2.8, y - 2.8, y + 2.8)),
        ),
        notes=(Note("perfect", float(chart.at_x(0.97)), float(chart.at_y(0.2)), "dotted: as scored", "end"),),
        header=("Mean score", "Share of positives", "low", "high", "Rows"),
        rows=rows_of(
            _written(r.mean_score), _written(r.share), _written(low), _written(high),
            tuple(f"{n:.0f}" if float(n).is_integer() else f"{n:.1f}" for n in r.n),
        ),
    )  # fmt: skip


def scores_chart(a: Assessment, threshold: float) -> Chart:
    """How the scores of the positives and of the rest are spread."""
    t = a.tally
    finite = np.clip(t.score[np.isfinite(t.score)], -LARGEST, LARGEST)
    probabilities = len(finite) > 0 and finite[-1] >= 0 and finite[0] <= 1
    low, high = (0.0, 1.0) if probabilities or len(finite) == 0 else (float(finite[-1]), float(finite[0]))
    x = replace(UNIT, name="Score") if probabilities else nice_axis("Score", low, high)
    positive, negative = _binned(t, x.low, x.high)
    shares = [counts / max(counts.sum(), 1e-300) for counts in (positive, negative)]
    y = nice_axis("Share of the class", 0.0, max(float(s.max()) for s in shares) * 1.02)
    chart = Chart("scores", "Scores by class", "", x, y, cursor=threshold)
    edges = np.linspace(x.low, x.high, BINS + 1)
    middle = [_at_most(_median(t, which)) for which in (t.positive, t.negative)]
    sentence = (
        f"Half of the positives score {middle[0]} or more, half of the others {middle[1]} or more. "
        "Solid: the positive class; dashed: the others; upright: the threshold."
    )
    shapes = []
    for name, kind, share in (("negative", "other", shares[1]), ("positive", "line", shares[0])):
        px, py = stepped(edges, np.concatenate([[0.0], share]))
        px, py = np.append(px, edges[-1]), np.append(py, 0.0)
        shapes.append(Shape(name, f"{kind} filled", polyline(chart.at_x(px), chart.at_y(py))))
    return replace(
        chart,
        sentence=sentence,
        shapes=tuple(shapes),
        header=("From", "To", "Positives", "Others"),
        rows=rows_of(
            _brief(edges[:-1]), _brief(edges[1:]), _counts(positive), _counts(negative)
        ),
    )  # fmt: skip


def _binned(t: ScoreGroups, low: float, high: float) -> tuple[Array, Array]:
    """Weight of the positives and of the others in bins of equal width; infinite scores go to the outer ones."""
    score = np.clip(t.score, -LARGEST, LARGEST)
    place = np.clip((score - low) / (high - low) * BINS, 0, BINS - 1).astype(np.intp)
    positive, negative = (np.bincount(place, weights=w, minlength=BINS) for w in (t.positive, t.negative))
    return np.asarray(positive, dtype=float), np.asarray(negative, dtype=float)


def _median(t: ScoreGroups, weight: Array) -> float:
    running = np.cumsum(weight)
    return float(t.score[int(np.searchsorted(running, running[-1] / 2))]) if running[-1] > 0 else np.nan


def _at_most(score: float) -> str:
    """A score in four digits, rounded down: so many do score that or more.

    >>> _at_most(0.99998), _at_most(1e300), _at_most(0.00001234567), _at_most(float("inf"))
    ('0.999', '1e+300', '1.234e-05', '∞')
    """
    return "–" if np.isnan(score) else shown(score, -np.inf).replace("Infinity", "∞")


def _brief(values: Array) -> tuple[str, ...]:
    return tuple(f"{v:.4g}" for v in values)


def _counts(values: Array) -> tuple[str, ...]:
    return tuple(f"{v:.0f}" if float(v).is_integer() else f"{v:.1f}" for v in values)
