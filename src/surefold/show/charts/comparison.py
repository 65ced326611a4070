"""A comparison drawn: every difference with its interval, and every model by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from surefold.assessment import Assessment, assess
from surefold.comparison.result import Comparison, Comparisons, Difference
from surefold.phrases import STATUS_NAMES, measure_title
from surefold.show.chart import range_of
from surefold.show.names import label_text, shorter
from surefold.show.of.comparison import shown_pairs
from surefold.show.row_chart import AnyChart, Kind, Legend, Row, RowChart, axis_of

__all__ = ["charts", "forest_chart", "values_chart"]

#: Pairs that are drawn.
MOST_DRAWN = 30
#: Characters of a name where two stand in a row of a chart.
LONGEST = 15
#: How a pair is marked by what was told of it.
KINDS: dict[str, Kind] = {"better": "better", "worse": "worse", "practically_equal": "equal", "cannot_tell": "open"}
LEGEND: Legend = (
    ("better", "the first is better"),
    ("worse", "the first is worse"),
    ("equal", "practically equal"),
    ("open", "cannot tell"),
)


def forest_chart(c: Comparison, pairs: Sequence[Difference] | None = None, key: str = "forest") -> RowChart | None:
    """First less second, a row a pair, around no difference; the margin is shaded."""
    shown = [d for d in (shown_pairs(c) if pairs is None else pairs) if d.effect.defined][:MOST_DRAWN]
    if not shown:
        return None
    short = dict(zip(c.values, shorter([label_text(name, 200) for name in c.values], LONGEST), strict=True))
    rows = [
        Row(
            f"{short[d.first]} − {short[d.second]}",
            d.single,
            str(d.effect),
            KINDS[d.status],
            wide=d.together,
        )
        for d in shown
    ]
    margin = c.margin or 0.0
    axis = axis_of(f"Difference of {measure_title(c.measure)}", rows, (-margin, 0.0, margin))
    counts = {status: sum(d.status == status for d in c.differences) for status in STATUS_NAMES}
    told = counts["better"] + counts["worse"]
    together = "each for its pair alone" if c.adjust == "none" else "for all pairs at once"
    sentence = (
        f"First less second with {c.confidence * 100:g}% intervals, {together}; {c.better} is better. "
        f"{told:,} of {len(c.differences):,} pairs {'is' if told == 1 else 'are'} told apart (filled); the others are "
        "hollow."
    )
    if any(d.together is not None for d in shown):
        sentence += " The thick pale bar is that interval; the thin one would be the pair's if it were the only one."
    if c.margin is not None:
        sentence += f" The shade is the margin, {c.margin:g}."
    if len(shown) < len(c.differences):
        sentence += f" {len(shown):,} pairs are drawn."
    table = tuple((f"{label_text(d.first)} − {label_text(d.second)}", *d.effect.texts) for d in shown)
    return RowChart(
        key,
        "Differences",
        sentence,
        axis,
        tuple(rows),
        ((0.0, "no difference"),),
        (-c.margin, c.margin) if c.margin else None,
        header=("First − second", "Difference", "low", "high"),
        rows=table,
        legend=LEGEND if not c.margin else (("shade", f"margin of {c.margin:g}"), *LEGEND),
    )


def values_chart(c: Comparison, key: str = "values") -> RowChart | None:
    """The models from best to worst, each with its own interval."""
    there = [(name, c.values[name]) for name in c.order if c.values[name].defined][:MOST_DRAWN]
    if not there:
        return None
    title = measure_title(c.measure)
    names = shorter([label_text(name, 200) for name, _ in there], 30)
    rows = [Row(name, e, str(e)) for name, (_, e) in zip(names, there, strict=True)]
    axis = axis_of(f"{title} ({c.better} is better)", rows, limits=range_of(c.measure))
    best, value = there[0]
    sentence = (
        f"{label_text(best)} has the best {title}, {value}. Intervals are each for its model alone: that two of them "
        f"overlap does not say that the models are alike."
    )
    table = tuple((label_text(name), *e.texts) for name, e in there)
    return RowChart(
        key, f"{title} of each model", sentence, axis, tuple(rows), header=("Model", title, "low", "high"), rows=table
    )


def charts(c: Comparison | Comparisons) -> dict[str, Callable[..., AnyChart | None]]:
    """Differences, the models' own values, and where rows are at hand their curves; of several measures the first."""
    one = next(iter(c.values())) if isinstance(c, Comparisons) else c
    return {"differences": lambda: forest_chart(one), "values": lambda: values_chart(one)}


def models(c: Comparison | Comparisons) -> dict[str, Assessment]:
    """The models as assessments, where their rows are held: their curves may share axes."""
    one = next(iter(c.values())) if isinstance(c, Comparisons) else c
    each = {} if one.models is None else one.models.each
    return {name: assess(p, confidence=one.confidence) for name, p in each.items()}
