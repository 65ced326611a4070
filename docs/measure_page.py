"""The page of measures: all of them in one table, then each with its facts and an example that is run."""

from __future__ import annotations

from importlib import import_module
from itertools import groupby
from typing import Any

import numpy as np

from docs.printed import example
from surefold.measures import Measure, catalogue
from surefold.show.names import markdown_cell

__all__ = ["measures_page"]

#: Rows of a table for people, by the module that a measure is written in; other modules say it in their docstrings.
PARTS = {
    "rates": ("Rates", "Of one class against the rest, and of the whole table."),
    "agreement": ("Agreement", "Between truth and prediction, beyond chance or evenly over classes."),
    "averaging": ("Averages over classes", "Macro: each class counts the same. Micro: each row. Weighted: by rows."),
    "cost": ("Costs", "Where errors have prices."),
    "ranking": ("Ranking", "Of scores: only their order matters."),
    "operating": ("Rates at a place of the ROC curve", "Of scores: one rate where another is given."),
    "partial_area": ("Part of the area", "Of scores: over a range of one rate."),
    "severity": ("Ranking under unknown costs", "Of scores of two classes."),
    "proper": ("Proper scores", "Of probabilities: only the true ones make them least."),
    "calibration": ("Calibration", "Whether probabilities mean what they say."),
}

SET_UP = """\
import surefold as sf

two = sf.Confusion([[7, 3], [7, 13]], labels=["P", "N"])  # TP 7, FN 3, FP 7, TN 13
three = sf.Confusion([[10, 0, 0], [0, 7, 3], [0, 5, 5]])  # rows are true classes

y = [1, 0, 1, 1, 0, 1, 0, 1, 0, 0]
p = [0.53, 0.86, 0.25, 0.95, 0.87, 0.86, 0.76, 0.94, 0.44, 0.86]  # of class 1

rows = ["a", "a", "b", "b", "c", "c"]
shares = [  # of a, b and c
    [0.7, 0.2, 0.1],
    [0.4, 0.5, 0.1],
    [0.2, 0.6, 0.2],
    [0.1, 0.8, 0.1],
    [0.1, 0.4, 0.5],
    [0.35, 0.4, 0.25],
]"""

#: Options that an example sets, to show them.
SHOWN = {"fbeta": "beta=2", "expected_cost": "costs=[[0, 5], [1, 0]]", "ece": "bins=5", "mce": "bins=5"}
SHOWN |= {"ece_multiclass": "bins=5", "hosmer_lemeshow": "bins=4", "top_k_accuracy": "k=2"}
SHOWN |= {"tpr_at_fpr": "specificity=0.8", "fpr_at_tpr": "tpr=0.8", "precision_at_recall": "recall=0.6"}
SHOWN |= {"partial_auc": "fpr=(0, 0.4)"}
#: Measures of the whole table that are for two classes.
OF_TWO = ("squared_loss", "expected_cost")


def call_of(m: Measure) -> str:
    """The call that shows a measure, on the data of its kind."""
    option = f", {SHOWN[m.name]}" if m.name in SHOWN else ""
    if m.is_per_class:
        return f'print(two.measure("{m.name}", "P"{option}))'
    if m.reads == "margins":
        return f'print({"two" if m.name in OF_TWO else "three"}.measure("{m.name}"{option}))'
    if m.reads == "matrix":
        return f'print(sf.measure("{m.name}", rows, y_score=shares{option}))'
    return f'print(sf.measure("{m.name}", y, y_score=p{option}))'


def measures_page() -> str:
    """The page, as Markdown."""
    namespace: dict[str, Any] = {}
    lines = [
        "# Measures",
        "",
        f"All {len(catalogue)} measures, from the catalogue. This page is written by `python -m docs.generate`;",
        "`surefold measures NAME` shows one of them in a terminal. Measures of one class are given for each class, and",
        "for the positive class where there is one. Every value comes with an interval:",
        "[which, and why](guides/which-interval.md).",
        "",
        "Undefined is never 0: the value is NaN, and `reason` says why, in the words below.",
        "",
        "The examples below read these, small enough to check by hand:",
        "",
        *example(SET_UP, namespace),
    ]
    for module, own in groupby(catalogue.values(), key=lambda m: m.module):
        title, words = _part(module)
        measures = list(own)
        lines += ["", f"## {title}", "", words, "", *_overview(measures)]
        for m in measures:
            lines += ["", *_entry(m, namespace)]
    return "\n".join([*lines, ""])


def _part(module: str) -> tuple[str, str]:
    """The heading of a module's measures, and a sentence about them."""
    name = module.rpartition(".")[2]
    title, _, words = (import_module(module).__doc__ or "").strip().partition("\n")[0].partition(": ")
    return PARTS.get(name, (title, words))


def _overview(own: list[Measure]) -> list[str]:
    rows = [f"| [`{m.name}`](#{m.name}) | {markdown_cell(m.meaning)} | {_range(m)} | {m.better} |" for m in own]
    return ["| measure | meaning | range | better |", "|---|---|---|---|", *rows]


def _entry(m: Measure, namespace: dict[str, Any]) -> list[str]:
    undefined = m.undefined.format(label="the class")
    lines = [
        f"### {m.name}",
        "",
        m.meaning,
        "",
        f"- Formula: `{m.text}`",
        f"- Range: {_range(m)}; {'higher is better' if m.better == 'higher' else _other(m.better)}",
        f"- Undefined: {undefined}",
        f"- Source: {markdown_cell(m.source)}",
    ]
    if m.aliases:
        lines.append(f"- Also known as {', '.join(f'`{alias}`' for alias in m.aliases)}")
    options = [f"`{option}={value!r}`" for option, value in m.options.items()]
    options += [f"`{option}={value!r}` (`{name}`)" for (option, value), name in m.variants.items() if name != m.name]
    if options:
        lines.append(f"- Options: {', '.join(options)}")
    return [*lines, "", *example(call_of(m), namespace)]


def _other(better: str) -> str:
    return "lower is better" if better == "lower" else "neither end is better"


def _range(m: Measure) -> str:
    """The range in words; a cost runs between the least and the greatest price of its own table."""
    if m.range_of is not None and not np.isfinite(m.range).all():
        return "the least to the greatest price"
    low, high = ("-∞" if end == -np.inf else "∞" if end == np.inf else f"{end:g}" for end in m.range)
    return f"{low} to {high}"
