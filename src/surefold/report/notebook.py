"""What a notebook shows: the verdict, the measures, and static charts. No script, because untrusted ones do not run."""

from __future__ import annotations

from surefold.assessment import Assessment
from surefold.report.figures.chart import Chart
from surefold.report.figures.curves import precision_recall_chart, roc_chart
from surefold.report.figures.probabilities import reliability_chart
from surefold.report.safe import plain, xml_text
from surefold.report.sections.section import Table
from surefold.report.sections.tables import confusion_matrix, measure_table

__all__ = ["assessment_html"]

#: Findings and rows of a table that are shown; the rest is in the report.
MOST_FINDINGS, MOST_ROWS = 8, 40


def assessment_html(a: Assessment) -> str:
    """An assessment as a static fragment of at most 60 KB."""
    parts = [f"<p><b>{xml_text(a.verdict.sentence)}</b></p>", _table(measure_table(a))]
    charts = _charts(a)
    if charts:
        parts.append("".join(chart.svg(page=False) for chart in charts))
    matrix = confusion_matrix(a)
    if matrix is not None and not charts:
        parts.append(_table(matrix))
    found = a.findings
    if found:
        lines = [f"<li>{xml_text(plain(finding))}</li>" for finding in found[:MOST_FINDINGS]]
        if len(found) > MOST_FINDINGS:
            lines.append(f"<li>and {len(found) - MOST_FINDINGS} more</li>")
        parts.append(f"<ul>{''.join(lines)}</ul>")
    return f"<div>{''.join(parts)}</div>"


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
