"""Ways to learn with costs, side by side: what a row costs, and what is saved against the plain model."""

from __future__ import annotations

import math

from surefold.costs.study import CostCell, CostStudy
from surefold.estimates.estimate import Estimate
from surefold.numbers import p_text
from surefold.report.sections.contents import Contents, own_section
from surefold.report.sections.plans import plan_facts
from surefold.report.sections.section import Table
from surefold.report.sections.told import Told
from surefold.show.charts.costs import costs_chart
from surefold.show.names import cut, label_text, plain
from surefold.verdict.many import card_of_costs

__all__ = ["contents"]


def contents(found: CostStudy) -> Contents:
    facts = (
        ("Rows", f"{found.study.plan.n:,}"),
        ("Models", f"{len(found.models):,}"),
        ("Methods", f"{len(found.methods):,}"),
        ("Always answering " + label_text(found.constant, 20), f"{format(found.constant_cost, found.digits)} a row"),
    )
    told = Told.of(card_of_costs(found), {}, facts, found.findings, found.confidence)
    tables = [("Expected cost of a row", _table(found)), ("What errors cost", _prices(found))]
    asides = [f"Not run: {c.name} ({c.reason})" for c in found.table if c.reason]
    asides += [f"Undefined: {c.name} ({c.cost.reason})" for c in found.table if not c.reason and not c.cost.defined]
    run = sum(cell.cost.defined for cell in found.table)
    if run > 2:
        asides.append(f"The cheapest of {run} was chosen on these rows: on new ones it will look a little worse.")
    section = own_section("costs", "Costs", charts=[costs_chart(found)], tables=tables, asides=list(map(plain, asides)))
    return Contents(
        told,
        (section,),
        title="Learning with costs",
        measures=("expected_cost", "accuracy", "recall"),
        shown=tuple(e for c in found.table if not c.reason for e in (c.cost, c.accuracy, c.recall)),
        notes=(
            "Every way was trained and tested on the same splits. A difference from the plain model is taken split by "
            "split; its p is adjusted by Holm's method for all that were compared.",
        ),
        facts=plan_facts(found.study.plan, "splits"),
        confidence=found.confidence,
    )


def _table(found: CostStudy) -> Table:
    dear = label_text(found.costly, 16)
    two = len(found.labels) == 2
    head = [
        "Model: method",
        "Expected cost",
        "Accuracy",
        f"Recall of {dear}",
        *([f"Threshold on {dear}"] if two else []),
        "Cost less plain",
        "p (Holm)",
    ]
    return Table.of(head, [_row(found, cell, two) for cell in found.table])


def _row(found: CostStudy, cell: CostCell, two: bool) -> list[str]:
    name = cut(plain(cell.name), 60)
    if cell.reason:
        return [name, "not run", *[""] * (4 + two)]
    effect = None if cell.difference is None else cell.difference.effect
    return [
        name,
        _shown(cell.cost, found.digits),
        _shown(cell.accuracy),
        _shown(cell.recall),
        *([str(cell.threshold)] if two else []),
        "" if effect is None else _shown(effect, found.digits),
        "" if math.isnan(cell.adjusted_p) else p_text(cell.adjusted_p),
    ]


def _shown(e: Estimate, spec: str = ".3f") -> str:
    return format(e, spec) if e.defined else "undefined"


def _prices(found: CostStudy) -> Table:
    names = [label_text(label, 20) for label in found.labels]
    rows = [(name, *(f"{cost:g}" for cost in row)) for name, row in zip(names, found.matrix.tolist(), strict=True)]
    return Table.of(("True \\ answered", *names), rows)
