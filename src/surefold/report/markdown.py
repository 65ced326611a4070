"""Results as markdown, for a pull request or a note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from surefold.assessment.result import PER_CLASS_HEADLINES, Assessment
from surefold.estimates.estimate import Estimate
from surefold.numbers import count
from surefold.report.of_splits import Result, bootstrap_estimates, estimates_of, parts_of, plan_text
from surefold.report.resampled_text import BOOTSTRAP_NAMES, repeats_sentence
from surefold.report.rows import METHOD_NAMES
from surefold.report.safe import label_text, markdown_cell
from surefold.report.text import shown_classes
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.verdict.resampled import verdict_of_bootstrap

__all__ = ["assessment_markdown", "estimates_table", "markdown_table", "resampled_markdown"]


def assessment_markdown(a: Assessment) -> str:
    """Verdict, measures, classes, table and findings."""
    blocks = [f"**{markdown_cell(a.verdict)}**", _measures(a)]
    if a.estimates is not None:
        blocks.append(_classes(a))
        if a.confusion.classes <= 20:
            blocks.append(_confusion(a))
    if a.findings:
        blocks.append("\n".join(f"- {markdown_cell(finding)}" for finding in a.findings))
    return "\n\n".join(blocks) + "\n"


def markdown_table(header: list[str], rows: list[list[str]]) -> str:
    """A table of cells that were made safe; numbers to the right."""
    rule = ["---", *("---:" for _ in header[1:])]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (header, rule, *rows))


def resampled_markdown(result: Result, measures: Sequence[str] | None = None) -> str:
    """Verdicts, plan, measures (one table a model) and findings; missing folds are said first."""
    parts = parts_of(result)
    blocks = []
    if not result.complete:
        blocks.append(f"**INCOMPLETE: {markdown_cell(result.status.removeprefix('incomplete: '))}**")
    blocks.append(markdown_cell(plan_text(result.plan)))
    for r in parts:
        blocks.append(f"### {markdown_cell(label_text(r.name))}{'' if r.complete else ' (incomplete)'}")
        if isinstance(result, Bootstrapped):
            blocks.append(f"**{markdown_cell(verdict_of_bootstrap(result))}**")
            for measure in measures or (result.measure,):
                found = bootstrap_estimates(result, measure)
                named = {f"{measure} {BOOTSTRAP_NAMES[kind]}": e for kind, e in found.items()}
                blocks.append(estimates_table(named, result.confidence))
        else:
            blocks += [f"**{markdown_cell(r.verdict)}**", estimates_table(estimates_of(r, measures), r.confidence)]
        repeats = "" if isinstance(result, Bootstrapped) else repeats_sentence(r)
        if repeats:
            blocks.append(markdown_cell(repeats))
    if result.findings:
        blocks.append("\n".join(f"- {markdown_cell(finding)}" for finding in result.findings))
    return "\n\n".join(blocks) + "\n"


def _measures(a: Assessment) -> str:
    return estimates_table({name: a[name] for name in a.headlines}, a.confidence)


def estimates_table(
    found: Mapping[str, Estimate], confidence: float, title: str = "measure", *, code: bool = True
) -> str:
    """A row an estimate; names are shown as code unless they were made safe as text."""
    rows = []
    for name, e in found.items():
        interval = e.bounds_text
        value = e.texts[0] if e.defined else f"undefined: {markdown_cell(e.reason)}"
        notes = " ".join(f"`{flag}`" for flag in e.flags)
        rows.append([f"`{name}`" if code else name, value, interval, METHOD_NAMES.get(e.method, e.method), notes])
    return markdown_table([title, "value", f"{confidence:.0%} interval", "method", "flags"], rows)


def _classes(a: Assessment) -> str:
    actual = a.confusion.margins().actual
    rows = []
    for c in shown_classes(a):
        each = a.per_class[a.labels[c]]
        measures = [markdown_cell(each[name]) for name in PER_CLASS_HEADLINES]
        rows.append([markdown_cell(label_text(a.labels[c])), count(actual[c]), *measures])
    return markdown_table(["class", "rows", *PER_CLASS_HEADLINES], rows)


def _confusion(a: Assessment) -> str:
    names = [markdown_cell(label_text(label)) for label in a.labels]
    rows = [[name, *map(count, line)] for name, line in zip(names, a.confusion.counts.tolist(), strict=True)]
    return markdown_table(["true \\ predicted", *names], rows)
