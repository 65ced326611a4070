"""Tables drawn as shaded cells: the confusion matrix, and who wins against whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from surefold.benchmarking.comparison import ManyComparison
from surefold.errors import InputError
from surefold.numbers import count
from surefold.phrases import measure_title
from surefold.show.heat_chart import HeatChart
from surefold.show.names import label_text, shorter
from surefold.show.row_chart import AnyChart
from surefold.tallies.confusion import Confusion
from surefold.tallies.ratio import ratio

__all__ = ["charts", "confusion_chart", "wins_chart"]

#: With more classes than this cells have no texts.
WRITTEN = 20
MOST, MOST_MODELS = 200, 40
#: With more models than this cells hold only wins.
WRITTEN_MODELS = 10
LONGEST = 18


def confusion_chart(confusion: Confusion, rows: Literal["true", "predicted"] = "true") -> HeatChart:
    """Counts of each class answered as each; the shade is the share of the true class."""
    if rows not in ("true", "predicted"):
        raise InputError("bad_option", f"rows={rows!r}", cure="use rows='true' or rows='predicted'")
    k = confusion.classes
    if k > MOST:
        cure = "plot the table of fewer classes, or read the largest errors in the text report"
        raise InputError("bad_option", f"{k:,} classes do not fit a figure", cure=cure)
    counts = np.asarray(confusion.counts, dtype=float)
    shares = np.nan_to_num(ratio(counts, counts.sum(axis=1, keepdims=True)))
    if rows == "predicted":
        counts, shares = counts.T, shares.T
    names = tuple(shorter([label_text(label, 200) for label in confusion.labels], LONGEST))
    texts = tuple(
        tuple(f"{n:,g}" if k > 12 else f"{n:,g}\n{share * 100:.0f} %" for n, share in zip(*each, strict=True))
        for each in zip(counts.tolist(), shares.tolist(), strict=True)
    )
    right = float(np.trace(counts))
    sentence = (
        f"{count(right)} of {count(float(counts.sum()))} rows are answered with their own class, on the diagonal."
    )
    down, across = ("True class", "Predicted class") if rows == "true" else ("Predicted class", "True class")
    table = tuple((name, *map(count, row)) for name, row in zip(names, counts.tolist(), strict=True))
    return HeatChart(
        "confusion",
        "Confusion matrix",
        sentence,
        down,
        across,
        names,
        shares,
        texts if k <= WRITTEN else (),
        shade="Share of the true class",
        header=(f"{down} \\ {across.lower()}", *names),
        rows=table,
    )


def wins_chart(c: ManyComparison) -> HeatChart:
    """The model of the row against that of the column, best average rank first; the shade is wins less losses.

    Where data sets have folds, a second line counts the clear wins and losses, by the corrected t over the folds.
    """
    k = len(c.models)
    if k > MOST_MODELS:
        raise InputError("bad_option", f"{k} models do not fit a table", cure="compare fewer; to_frame() has them all")
    counts, order = c.win_tie_loss, [c.models.index(m) for m in c.order]
    wins = counts.wins[np.ix_(order, order)]

    def told(i: int, j: int) -> str:
        a, b = order[i], order[j]
        if i == j:
            return ""
        if k > WRITTEN_MODELS:
            return f"{counts.wins[a, b]}"
        clear = "" if counts.clear is None else f"\n{counts.clear[a, b]}-{counts.clear[b, a]}"
        return f"{counts.wins[a, b]}-{counts.ties[a, b]}-{counts.wins[b, a]}{clear}"

    texts = tuple(tuple(told(i, j) for j in range(k)) for i in range(k))
    names = tuple(shorter([label_text(model, 200) for model in c.order], 24))
    what = "wins-ties-losses" if k <= WRITTEN_MODELS else "wins"
    clear = counts.clear is not None and k <= WRITTEN_MODELS
    more = f"\nbelow: clear wins-losses over {counts.tested} data sets" if clear else ""
    return HeatChart(
        "wins",
        "Wins, ties and losses",
        f"The model of the row against that of the column, over {counts.n} data sets by {measure_title(c.measure)}.",
        "",
        f"Row against column: {what} over {counts.n} data sets, {measure_title(c.measure)}{more}",
        names,
        (wins - wins.T) / counts.n,
        texts,
        low=-1.0,
        scale=("loses\nall", "even", "wins\nall"),
        header=("Model", *names),
        rows=tuple((name, *row) for name, row in zip(names, texts, strict=True)),
    )


def charts(confusion: Confusion) -> dict[str, Callable[..., AnyChart | None]]:
    """The table, either way round."""
    return {"confusion": lambda rows="true": confusion_chart(confusion, rows)}
