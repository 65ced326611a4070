"""The cards of results that word their verdict in lines: the first is the answer, what weakens it the doubt."""

from __future__ import annotations

from collections.abc import Sequence

from surefold.benchmarking.comparison import ManyComparison
from surefold.costs.study import CostStudy
from surefold.numbers import number
from surefold.verdict.doubt import worst
from surefold.verdict.sentences import Quantity, Sentence
from surefold.verdict.verdict import Badge, Status, Tone, Verdict

__all__ = ["card_of_costs", "card_of_many"]


def card_of_many(c: ManyComparison) -> Verdict:
    """Models over data sets: whether any differ, who is best, and what weakens that."""
    lines = c.verdict.split("\n")
    weak = [line for line in lines if line.endswith("]")]
    rest = [line for line in lines if line not in weak]
    told = any(pair.status != "cannot_tell" for pair in c.pairs)
    answer, act, more = rest[0], None, rest[1:]
    if told and c.control is None and c.friedman is not None:
        best = c.winner.model
        act = Sentence("act use", {"better": best})
        answer, more = " ".join(rest[1:3]), [rest[0], *rest[3:]]
    badge = Badge(Sentence("badge differ" if told else "badge open pair"), "good" if told else "open")
    doubt = _plain(weak[:1])[0] if weak else None
    status: Status = "differ" if told else "cannot_tell"
    how = _plain([*more, *weak[1:]])
    return Verdict(status, Sentence("plain", {"words": answer}), act, doubt, how, {}, badge)


def _plain(lines: Sequence[str]) -> tuple[Sentence, ...]:
    return tuple(Sentence("plain", {"words": line}) for line in lines)


def card_of_costs(found: CostStudy) -> Verdict:
    """What to use, what it costs against always giving one answer, and what cannot be told from it."""
    best, spec = found.best, found.digits
    values = {
        "best": best.name,
        "cost": format(best.cost, spec),
        "rival": Quantity(found.constant, "class"),
        "rival_cost": number(found.constant_cost, spec),
    }
    cheaper = bool(best.cost.high < found.constant_cost)
    dearer = bool(best.cost.low > found.constant_cost)
    values["share"] = Quantity(1 - best.cost.value / found.constant_cost, "share") if found.constant_cost else ""
    kind: tuple[str, Tone] = ("cheaper", "good") if cheaper else ("dearer", "bad") if dearer else ("costs open", "open")
    badge = Badge(Sentence(f"badge {kind[0]}", values), kind[1], cheaper)
    run = sum(cell.cost.defined for cell in found.table)
    doubt = worst(found.findings)
    if run > 2:
        doubt = Sentence("doubt cheapest", {"run": f"{run:,}"})
    how = (Sentence("plain", {"words": found.verdict}),)
    status: Status = "better" if cheaper else "worse" if dearer else "cannot_tell"
    dear, rivals = best.cost.value >= found.constant_cost, found.rivals
    act = Sentence("act rival", values) if dear else Sentence("act use", {"better": best.name})
    if rivals and not dear:
        act = Sentence("act use or", {"better": best.name, "n": f"{len(rivals):,}"})
    return Verdict(status, Sentence("study costs", values), act, doubt, how, {}, badge)
