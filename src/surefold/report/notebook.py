"""What a notebook shows: the verdict, the measures, and static charts. No script, because untrusted ones do not run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surefold.assessment import Assessment
from surefold.assessment.per_class import PerClass
from surefold.findings import Finding
from surefold.phrases import measure_title
from surefold.report.sections.contents import contents_of
from surefold.report.sections.section import Table
from surefold.report.sections.tables import measure_table
from surefold.show.chart import Bars, Chart, Line, Mark
from surefold.show.charts.catalogue import chart_of
from surefold.show.charts.cells import confusion_chart
from surefold.show.charts.probabilities import reliability_chart
from surefold.show.charts.ranking import precision_recall_chart, roc_chart
from surefold.show.names import label_text, plain, xml_text
from surefold.show.write.drawing import svg
from surefold.show.write.palette import look
from surefold.tallies.confusion import Confusion

__all__ = ["assessment_html", "classes_html", "figure_html", "result_html"]

#: Findings and rows of a table that are shown; the rest is in the report.
MOST_FINDINGS, MOST_ROWS = 8, 40
#: Classes whose table is drawn.
MOST_DRAWN = 20


def assessment_html(a: Assessment) -> str:
    """An assessment as a static fragment of at most 60 KB: its verdict, measures, curves and confusion matrix."""
    parts = [f"<p><b>{xml_text(a.verdict.sentence)}</b></p>", _table(measure_table(a))]
    parts.append("".join(svg(chart, page=False) for chart in _charts(a)))
    if a.estimates is not None:
        parts.append(_confusion(a.confusion))
    return f"<div>{''.join([*parts, _known(a.findings)])}</div>"


def figure_html(result: object, what: str | None = None) -> str:
    """A curve, a table or a plan as its drawing, with what its lines are and what it says below."""
    if isinstance(result, Confusion):
        return f"<div>{_confusion(result)}</div>"
    chart = chart_of(result, what)
    keys = [_key(mark) for mark in chart.marks if mark.label] if isinstance(chart, Chart) else []
    legend = f"<p>{' &nbsp; '.join(keys)}</p>" if keys else ""
    told = f"<p>{xml_text(plain(chart.sentence))}</p>" if chart.sentence else ""
    return f"<div>{svg(chart, page=False)}{legend}{told}</div>"


def _key(mark: Mark) -> str:
    """A piece of the mark and its label."""
    end = "v-5h-22z" if isinstance(mark, Bars) or (isinstance(mark, Line) and mark.closed) else ""
    piece = f'<path {look(mark.kind, page=False)} d="M1 8h22{end}"/>'
    shape = f'<svg xmlns="http://www.w3.org/2000/svg" width="24" height="12" aria-hidden="true">{piece}</svg>'
    return f"{shape} {xml_text(plain(mark.label))}"


def classes_html(found: PerClass) -> str:
    """The classes with their measures, worst F1 first, and that measure drawn."""
    rows = sorted(found.items(), key=lambda pair: (not pair[1]["f1"].defined, pair[1]["f1"].value))
    names = ("precision", "recall", "f1")
    head = ("Class", *map(measure_title, names))
    cells = [
        (label_text(label), *(str(each[n]) if each[n].defined else "undefined" for n in names)) for label, each in rows
    ]
    more = f"<p>{len(rows) - MOST_ROWS:,} more classes are not shown.</p>" if len(rows) > MOST_ROWS else ""
    return f"<div>{_table(Table.of(head, cells))}{more}</div>"


def _confusion(confusion: Confusion) -> str:
    """Drawn while cells have room for their counts, and as its text from there on."""
    if confusion.classes > MOST_DRAWN:
        lines = map(xml_text, str(confusion).splitlines())
        return "<pre>" + "\n".join(lines) + "</pre>"
    return svg(confusion_chart(confusion), page=False)


def result_html(result: Any) -> str:
    """What any other result says first, its first table and its first chart, in at most 60 KB."""
    if isinstance(result, Assessment):
        return assessment_html(result)
    found = contents_of(result)
    if found is None:
        raise AssertionError(f"{type(result).__name__} is no result with a report")
    told = found.told or found.brief
    parts = []
    if told is not None:
        more = "".join(f"<li>{xml_text(sentence)}</li>" for sentence in told.more[:MOST_FINDINGS])
        parts.append(f"<p><b>{xml_text(told.sentence)}</b></p>" + (f"<ul>{more}</ul>" if more else ""))
    tables = [table for section in found.sections for _, _, table in section.data["tables"]]
    charts = [chart for section in found.sections for chart in section.data["charts"]]
    parts += [_table(table) for table in tables[:1]] + [svg(chart, page=False) for chart in charts[:1]]
    return f"<div>{''.join([*parts, _known(() if told is None else told.findings)])}</div>"


def _known(findings: Sequence[Finding]) -> str:
    """What to know, as a list."""
    if not findings:
        return ""
    lines = [f"<li>{xml_text(plain(finding))}</li>" for finding in findings[:MOST_FINDINGS]]
    if len(findings) > MOST_FINDINGS:
        lines.append(f"<li>and {len(findings) - MOST_FINDINGS} more</li>")
    return f"<ul>{''.join(lines)}</ul>"


def _charts(a: Assessment) -> list[Chart]:
    """Two: the ROC curve, and reliability, or precision-recall where scores are no probabilities."""
    if a.scores is None or a.scores.tally is None or a.scores.matrix is not None:
        return []
    t = a.tally
    if t.positives == 0 or t.negatives == 0:
        return []
    second = reliability_chart(a) if a.scores.are_probabilities else precision_recall_chart(a, a["average_precision"])
    return [roc_chart(a, a["roc_auc"]), second]


def _table(table: Table) -> str:
    head = "".join(f'<th scope="col"><bdi>{xml_text(cell)}</bdi></th>' for cell in table.head)
    rows = "".join(f"<tr>{_row(row)}</tr>" for row in table.rows[:MOST_ROWS])
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _row(cells: tuple[str, ...]) -> str:
    rest = "".join(f"<td>{xml_text(cell)}</td>" for cell in cells[1:])
    return f'<th scope="row"><bdi>{xml_text(cells[0])}</bdi></th>{rest}'
