"""Warnings of differences that a few rows decide, and of margins that a few rows would cost."""

from __future__ import annotations

import math

from surefold.comparison.gate_result import GateStatus
from surefold.findings import Finding
from surefold.significance.bounds import Bounds, OpenBounds
from surefold.significance.wins_and_losses import FEW_ROWS, WinsAndLosses

__all__ = ["FEW_TURNED", "few_row_findings", "strictly"]

#: A margin that fewer rows would cost, if they were turned round, is too small for the rows at hand. Where few rows
#: decide, nine in ten of the draws in which gates passed wrongly carried this.
FEW_TURNED = 3.0


def few_row_findings(bounds: Bounds | None, margin: float | None) -> tuple[Finding, ...]:
    """What a difference, or a margin that it is held against, rests on; nothing where many rows decide.

    >>> from surefold.significance.wins_and_losses import Powers
    >>> counts = Powers(2e-4, 0.0, 2e-8, reversal=1e-4).counts()  # one row won and one lost, of 100
    >>> for finding in few_row_findings(WinsAndLosses(0.0, counts), 0.02):
    ...     print(finding.sentence)
    The difference rests on about 2 rows.
    2 reversed rows in all would cost the margin of 0.02.
    """
    inner = bounds.inner if isinstance(bounds, OpenBounds) else bounds
    if not isinstance(inner, WinsAndLosses):
        return ()
    found = []
    if inner.deciding < FEW_ROWS:
        rows = round(inner.deciding)
        about = "no row: the models differ nowhere" if rows == 0 else f"about {rows} row{'s' if rows > 1 else ''}"
        sentence = f"The difference rests on {about}."
        found.append(Finding.of("few_rows_decide", sentence, rows=round(inner.deciding, 2)))
    if margin:
        turned = inner.turned_rows(margin)
        if turned < FEW_TURNED:
            rows = max(1, math.ceil(turned - 1e-9))
            many = "1 reversed row" if rows == 1 else f"{rows} reversed rows in all"
            sentence = f"{many} would cost the margin of {margin:g}."
            found.append(Finding.of("margin_of_few_rows", sentence, rows=rows))
    return tuple(found)


def strictly(status: GateStatus, warnings: tuple[Finding, ...], strict: bool) -> tuple[GateStatus, GateStatus | None]:
    """A strict gate cannot tell where there is a warning; and what it would have said."""
    if not strict or not warnings or status == "cannot_tell":
        return status, None
    return "cannot_tell", status
