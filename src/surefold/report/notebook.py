"""What a notebook shows: the verdict, the measures, and static charts. No script, because untrusted ones do not run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from surefold.assessment import Assessment
from surefold.findings import Finding
from surefold.report.sections.contents import contents_of
from surefold.report.sections.section import Table
from surefold.report.sections.tables import confusion_matrix, measure_table
from surefold.show.chart import Chart
from surefold.show.charts.probabilities import reliability_chart
from surefold.show.charts.ranking import precision_recall_chart, roc_chart
from surefold.show.names import plain, xml_text
from surefold.show.write.drawing import svg

__all__ = ["assessment_html", "result_html"]

#: Findings and rows of a table that are shown; the rest is in the report.
MOST_FINDINGS, MOST_ROWS = 8, 40


def assessment_html(a: Assessment) -> str:
    """An assessment as a static fragment of at most 60 KB."""
    parts = [f"<p><b>{xml_text(a.verdict.sentence)}</b></p>", _table(measure_table(a))]
    charts = _charts(a)
    if charts:
        parts.append("".join(svg(chart, page=False) for chart in charts))
    matrix = confusion_matrix(a)
    if matrix is not None and not charts:
        parts.append(_table(matrix))
    return f"<div>{''.join([*parts, _known(a.findings)])}</div>"


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
