"""The places that each of several models may have, and which may be the best."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from surefold.comparison.best_set import BestSet
from surefold.comparison.ranks import Rank, ordinal
from surefold.numbers import number
from surefold.show.blocks import Block, Cell, Column, Name, Table, Text
from surefold.verdict.compared import listed

if TYPE_CHECKING:
    from surefold.benchmarking.comparison import ManyComparison
    from surefold.comparison.result import Comparison

__all__ = ["best_sentence", "ranks_blocks", "ranks_table"]


def ranks_blocks(c: Comparison | ManyComparison) -> list[Block]:
    """Where each of three models or more may stand, and which may be the best; two have nothing to say."""
    if c.ranks is None or c.best_set is None:
        return []
    return [ranks_table(c.ranks, c.best_set), Text.of(best_sentence(c.best_set, len(c.ranks)), tone="quiet")]


def ranks_table(ranks: Mapping[str, Rank], best: BestSet) -> Table:
    """A row a model, best first."""
    head = (
        Column("model", "name"),
        Column("place", "number"),
        Column("places it may have"),
        Column("behind the best by at most", "number"),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, rank in ranks.items():
        gap = best.behind[name]
        rows.append((Name(name), ordinal(rank.rank), rank.reach, "" if math.isnan(gap) else number(gap, ".3f")))
    return Table.of(head, rows)


def best_sentence(best: BestSet, m: int) -> str:
    """Which models may be the best, and why fewer than may have the first place in the table."""
    level = f"{best.confidence * 100:g}% sure"
    if len(best) == m:
        return f"Any of the {m:,} models may be the best."
    who = f"The best is {listed(best.models)}" if best.alone else f"The best is one of {listed(best.models)}"
    return f"{who} ({level}). This asks only which is first, so it tells more than the places of all models at once."
