"""What a cost study shows: the table, what could not be run, what to know."""

from __future__ import annotations

import math

from surefold.costs.study import CostCell, CostStudy
from surefold.estimates.estimate import Estimate
from surefold.numbers import number, p_text
from surefold.show.blocks import Block, Cell, Column, Document, Name, Table, Text
from surefold.show.names import label_text
from surefold.show.of.splits import plan_text
from surefold.verdict.many import card_of_costs

__all__ = ["document"]


def document(found: CostStudy) -> Document:
    """What the errors cost, a line a model and method, then reasons, notes and findings."""
    blocks: list[Block | None] = [Text.of(*_heading(found)), _table(found), Text.of(*_notes(found))]
    return Document.of(card_of_costs(found), blocks, found.findings)


def _heading(found: CostStudy) -> list[str]:
    many = len(found.models) > 1
    head = f"Expected cost of a row{'' if many else f', {found.models[0]}'}: {plan_text(found.study.plan)}"
    prices = [
        f"{label_text(true)} answered {label_text(said)} {number(cost, 'g')}"
        for true, row in zip(found.labels, found.matrix.tolist(), strict=True)
        for said, cost in zip(found.labels, row, strict=True)
        if cost != 0
    ]
    shown = "; ".join(prices[:6]) + (f"; and {len(prices) - 6} more" if len(prices) > 6 else "")
    return [head, f"Costs: {shown}"]


def _table(found: CostStudy) -> Table:
    two, dear = len(found.labels) == 2, label_text(found.costly, 16)
    many = len(found.models) > 1
    head = [
        *([Column("model", "name")] if many else []),
        Column("method"),
        Column("expected cost"),
        Column("accuracy"),
        Column(f"recall of {dear}"),
        *([Column(f"threshold on {dear}")] if two else []),
        Column("cost less plain"),
        Column("p (Holm)", "number"),
    ]
    rows = []
    for cell in found.table:
        first: list[Cell] = [*([Name(cell.model)] if many else []), cell.method]
        figures = ["not run"] if cell.reason else _figures(cell, found.digits, two)
        rows.append((*first, *figures, *[""] * (len(head) - len(first) - len(figures))))
    return Table(tuple(head), tuple(rows), stub=2 if many else 1)


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


def _shown(e: Estimate, spec: str = "") -> str:
    return format(e, spec) if e.defined else "undefined"


def _notes(found: CostStudy) -> list[str]:
    lines = [f"Not run: {c.name} ({c.reason})" for c in found.table if c.reason]
    lines += [f"Undefined: {c.name} ({c.cost.reason})" for c in found.table if not c.reason and not c.cost.defined]
    always = number(found.constant_cost, found.digits)
    lines.append(f"Always answering {label_text(found.constant)} would cost {always} a row.")
    if len(found.labels) > 2 and {"class_weight", "instance_weight", "duplicate"} & set(found.methods):
        lines.append("Weights of many classes are Breiman's sums: they cannot say which wrong answer is the dear one.")
    return lines
