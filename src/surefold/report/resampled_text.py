"""What a terminal shows of results over splits."""

from __future__ import annotations

import math
from collections.abc import Sequence

from surefold.errors import InputError, RunError
from surefold.estimates.estimate import Estimate
from surefold.measures import catalogue
from surefold.numbers import duration, number
from surefold.report.blocks import columns, room
from surefold.report.of_splits import (
    bootstrap_estimates,
    estimates_of,
    fold_values_of,
    plan_text,
    seconds_of,
    sizes_of,
)
from surefold.report.rows import METHOD_NAMES
from surefold.report.safe import label_text, plain, text_table, width
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study
from surefold.verdict.resampled import verdict_of_bootstrap

__all__ = ["BOOTSTRAP_NAMES", "bootstrap_text", "repeats_sentence", "resampled_text", "splits_line", "study_text"]

#: Columns of a terminal that a table of several models may take.
WIDEST = 116
#: Columns of the small chart of how splits are spread.
MOST_BINS = 24
#: How the five estimates of the bootstrap are called in tables.
BOOTSTRAP_NAMES = {
    "on_all": "on all rows",
    "out_of_bag": "out of bag",
    "apparent": "apparent",
    "point632": ".632",
    "point632plus": ".632+",
}
COMPARE = (
    "Each interval is for its model alone. Whether two models differ is another question: study.compare() answers "
    "it in Python, where surefold.open_run(store) opens what a command stored."
)


def resampled_text(r: Resampled, measures: Sequence[str] | None = None, chart: str = "") -> str:
    """Model and plan, the measures over the splits, the time, the repeats, what to know, and the verdict."""
    parts = [_heading(r), _measures(estimates_of(r, measures), r.confidence), *([chart] if chart else []), _seconds(r)]
    repeats = repeats_sentence(r)
    if repeats:
        parts.append(repeats)
    parts += _findings(r.findings)
    parts.append(f"Verdict: {plain(r.verdict)}")
    return "\n\n".join(parts)


def splits_line(r: Resampled, measure: str, marks: str) -> str:
    """The values of the splits in their order, or how they are spread where there are too many for a line."""
    values = [v for v in fold_values_of(r, measure).values[r.outer].tolist() if math.isfinite(v)]
    if len(values) < 3 or max(values) - min(values) <= 0:
        return ""
    low, high = min(values), max(values)
    words = f"{measure} by split, {number(low)} to {number(high)}"
    if len(values) <= room(width(words)):
        least = low - (high - low) / (len(marks) - 1)  # the least has a column too
        return f"{words}  {columns(values, marks, least)}"
    words = f"{measure} of {len(values):,} splits, spread from {number(low)} to {number(high)}"
    bins = min(room(width(words)), MOST_BINS, round(1.5 * math.sqrt(len(values))))
    counts = [0.0] * bins
    for v in values:
        counts[min(int((v - low) / (high - low) * bins), bins - 1)] += 1
    return f"{words}  |{columns(counts, marks)}|"


def study_text(s: Study, measures: Sequence[str] | None = None) -> str:
    """A row a model, a column a measure, with intervals; then the time, what to know, and a verdict a model."""
    first = next(iter(s.models.values()))
    missing = "" if s.complete else f"\nINCOMPLETE: {plain(s.status)}"
    heading = f"{len(s)} models: {plan_text(s.plan)}{_classes(first)}{missing}"
    found = {name: estimates_of(each, measures) for name, each in s.models.items()}
    verdicts = [f"{label_text(name)}: {plain(each.verdict)}" for name, each in s.models.items()]
    parts = [
        heading,
        _table(s, found),
        *_flags(found),
        _times(s),
        *([COMPARE] if len(s) > 1 else []),
        *_findings(s.findings),
        "Verdict: " + "\n".join(verdicts),
    ]
    return "\n\n".join(parts)


def bootstrap_text(b: Bootstrapped, measures: Sequence[str] | None = None) -> str:
    """The five estimates of each measure, how many rows a sample holds, what to know, and the verdict."""
    tables = []
    for measure in measures or (b.measure,):
        found = bootstrap_estimates(b, measure)
        named = {BOOTSTRAP_NAMES[kind]: e for kind, e in found.items()}
        tables.append(_measures(named, b.confidence, catalogue[measure].name))
    share = f"A sample holds {b.distinct_share:.3f} of the rows; {b.expected_distinct_share:.3f} are expected."
    parts = [_heading(b.resampled), *tables, share, _seconds(b.resampled), *_findings(b.findings)]
    return "\n\n".join([*parts, f"Verdict: {plain(verdict_of_bootstrap(b))}"])


def _heading(r: Resampled) -> str:
    text = f"{label_text(r.name)}: {plan_text(r.plan)}{_classes(r)}"
    return text if r.complete else f"{text}\nINCOMPLETE: {plain(r.status.removeprefix('incomplete: '))}"


def _classes(r: Resampled) -> str:
    text = f"; {len(r.labels):,} classes"
    return text if r.positive is None else f"{text}, positive class {label_text(r.pos_label)}"


def _measures(found: dict[str, Estimate], confidence: float, title: str = "") -> str:
    if not found:
        return "(no measure was asked for)"
    cells = [[title, "value", f"{confidence * 100:g}% interval", "method", ""]]
    for name, e in found.items():
        note = ", ".join([*([e.reason] if e.reason else []), *e.flags])
        value = e.texts[0]
        cells.append([name, value, e.bounds_text, METHOD_NAMES.get(e.method, e.method), plain(note)])
    return text_table(cells, right=(1,))


def _size(r: Resampled) -> str:
    shown = {name.replace("_", " "): f"{value:g}" for name, value in sizes_of(r).items()}
    return ", ".join(f"depth {value}" if name == "depth" else f"{value} {name}" for name, value in shown.items())


def _seconds(r: Resampled) -> str:
    found = seconds_of(r)
    if found is None and not r.shortcut:
        return "Time: no fit came to an end."
    if found is None:
        return "Time: held-out answers came from one fit in closed form; nothing was refitted."
    told = []
    for verb in ("fit", "predict"):
        median, total = duration(found[verb]["median"]), duration(found[verb]["total"])
        each = "sample" if r.plan.kind == "bootstrap" else "fold"
        told.append(f"{verb} {total}" if len(r.plan) == 1 else f"{verb} {median} a {each} (median), {total} in all")
    size = _size(r)
    return f"Time: {'; '.join(told)}" + (f"\nSize (median): {size}" if size else "")


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


def _findings(findings: Sequence[object]) -> list[str]:
    return ["\n".join(plain(finding) for finding in findings)] if findings else []


def _table(s: Study, found: dict[str, dict[str, Estimate]]) -> str:
    """Models by measures, in as many tables as fit beside each other."""
    measures = list(dict.fromkeys(name for each in found.values() for name in each))
    names = [label_text(name) + ("" if s[name].complete else " (incomplete)") for name in found]
    first = max(map(width, ["model", *names]))
    blocks: list[list[list[str]]] = []
    used = WIDEST
    for measure in measures:
        cells = [measure, *(_cell(each.get(measure)) for each in found.values())]
        room = max(map(width, cells)) + 2
        if used + room > WIDEST:
            blocks.append([["model", *names]])
            used = first
        blocks[-1].append(cells)
        used += room
    return "\n\n".join(text_table(list(zip(*block, strict=True))) for block in blocks)


def _cell(e: Estimate | None) -> str:
    return "–" if e is None else str(e) if e.defined else "undefined"


def _flags(found: dict[str, dict[str, Estimate]]) -> list[str]:
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
        lines.append(f"{plain(word)}: {'; '.join(told)}")
    return ["\n".join(lines)] if lines else []


def _times(s: Study) -> str:
    sizes = {name: _size(each) for name, each in s.models.items()}
    sized = any(sizes.values())
    cells = [["time", "fit a fold", "in all", "predict a fold", "in all", *(["size (median)"] if sized else [])]]
    for name, each in s.models.items():
        found = seconds_of(each)
        told = ["closed form" if each.shortcut else "none", "", "", ""] if found is None else [
            duration(found[verb][what]) for verb in ("fit", "predict") for what in ("median", "total")
        ]  # fmt: skip
        cells.append([label_text(name), *told, *([sizes[name]] if sized else [])])
    return text_table(cells, right=(1, 2, 3, 4))
