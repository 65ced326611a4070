"""Small charts of one line for terminals: columns of eight heights, or of characters where blocks cannot be shown."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Sequence

import numpy as np

from surefold.assessment.result import Assessment
from surefold.show.names import label_text, text_table, width

__all__ = ["BLOCKS", "PLAIN", "columns", "marks_for", "room", "scores_lines"]

BLOCKS, PLAIN = "▁▂▃▄▅▆▇█", ".:-=+*%#"
WIDEST = 60


def marks_for(encoding: str | None = None) -> str:
    """Blocks where the standard output can show them, and else plain characters.

    >>> marks_for("utf-8"), marks_for("ascii"), marks_for("cp1252") == PLAIN
    ('▁▂▃▄▅▆▇█', '.:-=+*%#', True)
    """
    try:
        BLOCKS.encode(encoding or getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return PLAIN
    return BLOCKS


def columns(values: Sequence[float], marks: str, least: float = 0.0, most: float | None = None) -> str:
    """A column a value, from `least` to `most` (the greatest); nothing stands for what is at or below the least.

    >>> columns([0, 1, 4, 8], PLAIN), columns([0.8, 0.9], BLOCKS, least=0.8 - 0.1 / 7)
    (' .=#', '▁█')
    """
    top = max(values, default=0.0) if most is None else most
    span = top - least
    if span <= 0:
        return " " * len(values)
    heights = [min(int(np.ceil((v - least) / span * len(marks) - 1e-9)), len(marks)) for v in values]
    return "".join(" " if height <= 0 else marks[height - 1] for height in heights)


def room(taken: int) -> int:
    """Columns that are left on a line of the terminal."""
    return max(min(shutil.get_terminal_size().columns - taken - 3, WIDEST), 10)


def scores_lines(a: Assessment, marks: str) -> str:
    """The scores of the positives and of the others, a line each, every line to its own height."""
    if a.scores is None or a.scores.matrix is not None or a.positive is None or len(a.labels) != 2:
        return ""
    t = a.tally
    if not t.most_scores:
        return ""
    low, high = t.ends
    if math.isinf(low) or math.isinf(high):
        finite = t.score[np.isfinite(t.score)]
        if len(finite) == 0:
            return ""
        low, high = float(finite[-1]), float(finite[0])
    if low >= 0 and high <= 1:
        low, high = 0.0, 1.0
    if high <= low:
        return ""
    names = [label_text(a.labels[c], 20) for c in (a.positive, 1 - a.positive)]
    bins = room(max(map(width, names)) + 1)
    heights = np.zeros((2, bins))
    for run in t.runs():
        place = np.clip((run.score - low) / (high - low) * bins, 0, bins - 1).astype(np.intp)
        for height, weight in zip(heights, (run.positive, run.negative), strict=True):
            height += np.bincount(place, weights=weight, minlength=bins)
    cells = [[name, f"|{columns(height.tolist(), marks)}|"] for name, height in zip(names, heights, strict=True)]
    return f"scores from {low:.4g} to {high:.4g}, each class to its own height\n{text_table(cells)}"
