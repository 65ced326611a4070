"""What results over splits show: the plan, the measures over the splits, the time, the repeats, what to know."""

from __future__ import annotations

import math
from collections.abc import Sequence

from surefold.errors import InputError, RunError
from surefold.estimates.estimate import Estimate
from surefold.numbers import duration, texts
from surefold.phrases import METHOD_NAMES, phrase_of
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study
from surefold.show.blocks import Block, Cell, Column, Document, Lines, Name, Table, Text, estimates_table
from surefold.show.names import label_text, plain, width
from surefold.show.of.splits import chosen, estimates_of, fold_values_of, plan_text, seconds_of, sizes_of
from surefold.show.sparks import columns, marks_for, room
from surefold.verdict.verdict import Verdict

__all__ = ["document", "heading_of", "repeats_sentence", "seconds_text", "splits_line"]

#: Columns of the small chart of how splits are spread.
MOST_BINS = 24
COMPARE = "Each interval is for its model alone; study.compare() has every pair, its test and its interval."


def document(result: Resampled | Study, *, measures: Sequence[str] | None = None, chart: bool = False) -> Document:
    """One model, or several beside each other with a verdict each."""
    if isinstance(result, Study):
        return _several(result, measures)
    r = result
    named = chosen(r, measures)
    line = splits_line(r, named[0], marks_for()) if chart and named else ""
    repeats = repeats_sentence(r)
    blocks: list[Block | None] = [
        heading_of(r),
        _incomplete(r),
        _measures(estimates_of(r, measures), r.confidence),
        Lines(line) if line else None,
        seconds_text(r),
        Text.of(repeats) if repeats else None,
    ]
    return Document.of(r.verdict, blocks, r.findings)


def heading_of(r: Resampled) -> Text:
    """The model, the plan and the classes."""
    text = f"{label_text(r.name)}: {plan_text(r.plan)}; {len(r.labels):,} classes"
    return Text.of(text if r.positive is None else f"{text}, positive class {label_text(r.pos_label)}")


def _incomplete(r: Resampled) -> Text | None:
    return None if r.complete else Text.of(f"INCOMPLETE: {r.status.removeprefix('incomplete: ')}", tone="warn")


def _measures(found: dict[str, Estimate], confidence: float) -> Block:
    return estimates_table(found, confidence) if found else Text.of("(no measure was asked for)")


def splits_line(r: Resampled, measure: str, marks: str) -> str:
    """The values of the splits in their order, or how they are spread where there are too many for a line."""
    values = [v for v in fold_values_of(r, measure).values[r.outer].tolist() if math.isfinite(v)]
    if len(values) < 3 or max(values) - min(values) <= 0:
        return ""
    low, high = min(values), max(values)
    _, least_text, most_text = texts(low, low, high)
    words = f"{measure} by split, {least_text} to {most_text}"
    if len(values) <= room(width(words)):
        least = low - (high - low) / (len(marks) - 1)  # the least has a column too
        return f"{words}  {columns(values, marks, least)}"
    words = f"{measure} of {len(values):,} splits, spread from {least_text} to {most_text}"
    bins = min(room(width(words)), MOST_BINS, round(1.5 * math.sqrt(len(values))))
    counts = [0.0] * bins
    for v in values:
        counts[min(int((v - low) / (high - low) * bins), bins - 1)] += 1
    return f"{words}  |{columns(counts, marks)}|"


def _several(s: Study, measures: Sequence[str] | None) -> Document:
    first = next(iter(s.models.values()))
    heading = f"{len(s)} models: {plan_text(s.plan)}; {len(first.labels):,} classes"
    heading += "" if first.positive is None else f", positive class {label_text(first.pos_label)}"
    found = {name: estimates_of(each, measures) for name, each in s.models.items()}
    names = {name: Name(name, "" if s[name].complete else " (incomplete)") for name in found}
    shown = list(dict.fromkeys(measure for each in found.values() for measure in each))
    rows = [
        (names[model], *("–" if (e := each.get(measure)) is None else e for measure in shown))
        for model, each in found.items()
    ]
    verdicts = [f"{label_text(name)}: {each.verdict}" for name, each in s.models.items()]
    blocks: list[Block | None] = [
        Text.of(heading),
        None if s.complete else Text.of(f"INCOMPLETE: {s.status}", tone="warn"),
        Text.of(*verdicts),
        Table.of([Column("model", "name"), *map(Column, shown)], rows),
        _flags(found),
        _times(s),
        Text.of(COMPARE, tone="quiet") if len(s) > 1 else None,
    ]
    return Document.of(_compared(s), blocks, s.findings)


def _compared(s: Study) -> Verdict | None:
    """Several models end in their differences, where every fold is there."""
    try:
        return s.compare().verdict if len(s) > 1 and s.complete else None
    except (InputError, RunError):
        return None


def _flags(found: dict[str, dict[str, Estimate]]) -> Text | None:
    """What is weak or undefined, one line a kind: which models, and which measures if not all."""
    where: dict[str, dict[str, list[str]]] = {}
    for model, each in found.items():
        for measure, e in each.items():
            for word in (*([f"undefined, {e.reason}"] if e.reason and not e.defined else []), *e.flags):
                where.setdefault(word, {}).setdefault(model, []).append(measure)
    methods = sorted({METHOD_NAMES.get(e.method, e.method) for each in found.values() for e in each.values()} - {""})
    level = next((e.confidence for each in found.values() for e in each.values()), 0.95)
    lines = [f"Intervals: {level * 100:g}%, {', '.join(methods)}"] if methods else []
    for word, models in where.items():
        told = [label_text(m) + ("" if len(x) == len(found[m]) else f" ({', '.join(x)})") for m, x in models.items()]
        said = plain(word) if word.startswith("undefined, ") else f"{phrase_of(word)} [{word}]"
        lines.append(f"{said}: {'; '.join(told)}")
    return Text.of(*lines) if lines else None


def _times(s: Study) -> Table:
    sizes = {name: _size(each) for name, each in s.models.items()}
    head = [
        Column("time", "name"),
        *(Column(x, "number") for x in ("fit a fold", "in all", "predict a fold", "in all")),
        Column("size (median)" if any(sizes.values()) else "", drop=1),
    ]
    rows: list[tuple[Cell, ...]] = []
    for name, each in s.models.items():
        found = seconds_of(each)
        told = (
            ["closed form" if each.shortcut else "none", "", "", ""]
            if found is None
            else [duration(found[verb][what]) for verb in ("fit", "predict") for what in ("median", "total")]
        )
        rows.append((Name(name), *told, sizes[name]))
    return Table.of(head, rows)


def _size(r: Resampled) -> str:
    shown = {name.replace("_", " "): f"{value:g}" for name, value in sizes_of(r).items()}
    return ", ".join(f"depth {value}" if name == "depth" else f"{value} {name}" for name, value in shown.items())


def seconds_text(r: Resampled) -> Text:
    """How long fitting and predicting took, and how large the models are."""
    found = seconds_of(r)
    if found is None and not r.shortcut:
        return Text.of("Time: no fit came to an end.")
    if found is None:
        return Text.of("Time: held-out answers came from one fit in closed form; nothing was refitted.")
    told = []
    for verb in ("fit", "predict"):
        median, total = duration(found[verb]["median"]), duration(found[verb]["total"])
        each = "sample" if r.plan.kind == "bootstrap" else "fold"
        told.append(f"{verb} {total}" if len(r.plan) == 1 else f"{verb} {median} a {each} (median), {total} in all")
    size = _size(r)
    return Text.of(f"Time: {'; '.join(told)}", f"Size (median): {size}" if size else "")


def repeats_sentence(r: Resampled, measure: str = "error_rate") -> str:
    """Mean of the means and mean of the variances of the repeats; nothing where there is one, or folds are missing."""
    if r.plan.repeats < 2 or r.plan.folds < 2 or not r.complete:
        return ""
    try:
        runs = r.runs(measure)
    except (InputError, RunError):
        return ""
    spread = f"from {runs.means.min():.4f} to {runs.means.max():.4f}"
    return (
        f"{len(runs.means)} repeats: {measure} has mean {runs.mean:.4f} ({spread} by repeat); "
        f"its variance over folds is {runs.mean_variance:.2g} on average"
    )
