"""A plan as facts for the method: in words, and by its fingerprint."""

from __future__ import annotations

from surefold.resampling.plan import Plan
from surefold.show.of.splits import plan_text

__all__ = ["plan_facts", "plan_words"]


def plan_words(plan: Plan) -> str:
    """The plan in words, without its fingerprint."""
    return plan_text(plan).rsplit(", splits ", 1)[0]


def plan_facts(plan: Plan, what: str = "splits") -> tuple[tuple[str, str], ...]:
    return (what.capitalize(), plan_words(plan)), (f"Fingerprint of the {what}", plan.fingerprint)
