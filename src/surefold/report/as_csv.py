"""An assessment as CSV that a spreadsheet opens without running anything in it."""

from __future__ import annotations

import csv
import io

from surefold.assessment import Assessment
from surefold.report.rows import COLUMNS, flat_rows
from surefold.report.safe import cell

__all__ = ["assessment_csv"]


def assessment_csv(a: Assessment) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in flat_rows(a):
        writer.writerow("" if value is None else cell(value) for value in row)
    return out.getvalue()
