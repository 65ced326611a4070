"""A cost study as text: the table, what could not be run, what to know, and the verdict."""

from __future__ import annotations

import math

from surefold.costs.study import CostCell, CostStudy
from surefold.estimates.estimate import Estimate
from surefold.numbers import p_text
from surefold.report.of_splits import plan_text
from surefold.report.safe import label_text, plain, text_table

__all__ = ["cost_study_text"]


def cost_study_text(found: CostStudy) -> str:
    """What the errors cost, a line a model and method, then reasons, notes, findings and the verdict."""
    parts = [_heading(found), _table(found), *_notes(found)]
    if found.findings:
        parts.append("\n".join(plain(finding) for finding in found.findings))
    parts.append(f"Verdict: {plain(found.verdict)}")
    return "\n\n".join(parts)


def _heading(found: CostStudy) -> str:
    many = len(found.models) > 1
    head = f"Expected cost of a row{'' if many else f', {plain(found.models[0])}'}: {plan_text(found.study.plan)}"
    prices = [
        f"{label_text(true)} answered {label_text(said)} {cost:g}"
        for true, row in zip(found.labels, found.matrix.tolist(), strict=True)
        for said, cost in zip(found.labels, row, strict=True)
        if cost != 0
    ]
    shown = "; ".join(prices[:6]) + (f"; and {len(prices) - 6} more" if len(prices) > 6 else "")
    return f"{head}\nCosts: {shown}"


def _table(found: CostStudy) -> str:
    many, spec = len(found.models) > 1, found.digits
    dear = label_text(found.costly, 16)
    head = [*(["model"] if many else []), "method", "expected cost", "accuracy", f"recall of {dear}",
            *([f"threshold on {dear}"] if len(found.labels) == 2 else []), "cost less plain", "p (Holm)"]  # fmt: skip
    lines = [head]
    for cell in found.table:
        first = [*([label_text(cell.model, 20)] if many else []), cell.method]
        lines.append([*first, "not run"] if cell.reason else first + _figures(cell, spec, len(found.labels) == 2))
    return text_table(lines)


def _figures(cell: CostCell, spec: str, two: bool) -> list[str]:
    effect = None if cell.difference is None else cell.difference.effect
    return [
        _shown(cell.cost, spec),
        _shown(cell.accuracy),
        _shown(cell.recall),
        *([str(cell.threshold)] if two else []),
        "" if effect is None else _shown(effect, spec),
        "" if math.isnan(cell.adjusted_p) else p_text(cell.adjusted_p),
    ]


def _shown(e: Estimate, spec: str = ".3f") -> str:
    return format(e, spec) if e.defined else "undefined"


def _notes(found: CostStudy) -> list[str]:
    lines = [f"Not run: {plain(c.name)} ({plain(c.reason)})" for c in found.table if c.reason]
    lines += [f"Undefined: {plain(c.name)} ({plain(c.cost.reason)})" for c in found.table
              if not c.reason and not c.cost.defined]  # fmt: skip
    always = format(found.constant_cost, found.digits)
    lines.append(f"Always answering {label_text(found.constant)} would cost {always} a row.")
    if len(found.labels) > 2 and {"class_weight", "instance_weight", "duplicate"} & set(found.methods):
        lines.append("Weights of many classes are Breiman's sums: they cannot say which wrong answer is the dear one.")
    run = sum(cell.cost.defined for cell in found.table)
    if run > 2:
        lines.append(f"The cheapest of {run} was chosen on these rows: on new ones it will look a little worse.")
    return ["\n".join(lines)]
