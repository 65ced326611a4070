"""Charts of scores as probabilities: reliability with its bins, and the scores of each class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from surefold.assessment import Assessment
from surefold.curves.reliability import Reliability
from surefold.numbers import count
from surefold.show.chart import UNIT, Chart, Dots, Line, Mark, Strokes, Words, nice_axis, rows_of
from surefold.show.charts.ranking import written
from surefold.show.charts.thinning import stepped
from surefold.show.row_chart import AnyChart
from surefold.show.thresholds import shown
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["bins_chart", "charts", "reliability_chart", "scores_chart"]

Array = NDArray[np.float64]

#: Bins of the small histogram under the diagram, and of the scores by class.
BINS = 25
#: Scores beyond this are drawn at it: the span of the axis must be a number too.
LARGEST = 1e300
#: How much of the diagram's height the small histogram may take.
STRIP = 0.16


def bins_chart(found: Reliability) -> Chart:
    """Share of positives over mean score with an interval each; below, where the scores are.

    Anything with arrays `mean_score, share, low, high, n` is drawn; without its `tally` nothing stands below.
    """
    chart = Chart("reliability", "Reliability", "", UNIT, UNIT, square=True)
    chart = chart.named("Mean score of the bin", "Share of positives in the bin")
    there = np.asarray(found.n, dtype=float) > 0
    perfect = Line("perfect", "reference", np.array([0.0, 1.0]), np.array([0.0, 1.0]), "calibrated")
    if not there.any():
        why = f"undefined: {getattr(found, 'reason', '') or 'there are no rows'}"
        gone = Words("undefined", 0.5, 0.5, why, "middle", in_frame=True, told=False)
        return replace(chart, marks=(perfect,), words=(gone,))
    x, y, low, high = (
        np.asarray(part, dtype=float)[there] for part in (found.mean_score, found.share, found.low, found.high)
    )
    level = getattr(found, "confidence", 0.95)
    marks: tuple[Mark, ...] = (
        *_strip(getattr(found, "tally", None)),
        perfect,
        Strokes("whiskers", "whisker", x, low, high),
        Line("line", "line", x, y, f"share of positives, {level * 100:g} % interval"),
        Dots("points", "point", x, y, shape=1),
    )
    words = (Words("perfect", 0.97, 0.2, "dotted: as scored", "end"),)
    return replace(chart, marks=marks, words=words)


def _strip(tally: ScoreGroups | None) -> tuple[Line, ...]:
    """How the scores are spread, along the foot."""
    if tally is None:
        return ()
    positive, negative = _binned(tally, 0.0, 1.0)
    counts = positive + negative
    edges, tall = stepped(np.linspace(0, 1, BINS + 1), np.append(0.0, counts / max(counts.max(), 1e-300) * STRIP))
    label = f"spread of the scores (highest: {count(float(counts.max()))} rows)"
    return (Line("bars", "bar", np.append(edges, 1.0), np.append(tall, 0.0), label),)


def reliability_chart(a: Assessment) -> Chart:
    """The reliability diagram of an assessment, told and with its table."""
    r = a.calibration
    inside = int(((r.low <= r.mean_score) & (r.mean_score <= r.high)).sum())
    sentence = (
        f"In {inside} of {len(r)} bins of equal mass the mean score lies within the {r.confidence * 100:g}% interval "
        f"of the share of positives. Over all rows the mean score exceeds that share by {r.in_the_large()}. "
        "Bars at the foot: how many rows have such scores."
    )
    columns = map(written, (r.mean_score, r.share, r.low, r.high))
    head = ("Mean score", "Share of positives", "low", "high", "Rows")
    return replace(bins_chart(r), sentence=sentence, header=head, rows=rows_of(*columns, _counts(r.n)))


def scores_chart(a: Assessment, threshold: float | None = None) -> Chart:
    """How the scores of the positives and of the rest are spread."""
    t = a.tally
    finite = np.clip(t.score[np.isfinite(t.score)], -LARGEST, LARGEST)
    probabilities = len(finite) > 0 and finite[-1] >= 0 and finite[0] <= 1
    low, high = (0.0, 1.0) if probabilities or len(finite) == 0 else (float(finite[-1]), float(finite[0]))
    x = replace(UNIT, name="Score") if probabilities else nice_axis("Score", low, high)
    positive, negative = _binned(t, x.low, x.high)
    shares = [counts / max(counts.sum(), 1e-300) for counts in (positive, negative)]
    y = nice_axis("Share of the class", 0.0, max(float(s.max()) for s in shares) * 1.02)
    edges = np.linspace(x.low, x.high, BINS + 1)
    middle = [_at_most(_median(t, which)) for which in (t.positive, t.negative)]
    sentence = (
        f"Half of the positives score {middle[0]} or more, half of the others {middle[1]} or more. "
        "Solid: the positive class; dashed: the others; upright: the threshold."
    )
    marks = []
    for name, kind, share in (("negative", "other", shares[1]), ("positive", "line", shares[0])):
        px, py = stepped(edges, np.concatenate([[0.0], share]))
        label = "positive class" if name == "positive" else "others"
        marks.append(Line(name, f"{kind} filled", np.append(px, edges[-1]), np.append(py, 0.0), label))
    rows = rows_of(_brief(edges[:-1]), _brief(edges[1:]), _counts(positive), _counts(negative))
    head = ("From", "To", "Positives", "Others")
    return Chart("scores", "Scores by class", sentence, x, y, tuple(marks), cursor=threshold, header=head, rows=rows)


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


def charts(found: Reliability) -> dict[str, Callable[..., AnyChart | None]]:
    """The diagram."""
    return {"reliability": lambda: bins_chart(found)}
