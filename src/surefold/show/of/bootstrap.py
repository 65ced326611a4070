"""What a bootstrap shows: the five estimates of each measure, and how many rows a sample holds."""

from __future__ import annotations

from collections.abc import Sequence

from surefold.measures import catalogue
from surefold.phrases import BOOTSTRAP_NAMES
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.show.blocks import Block, Document, Text, estimates_table
from surefold.show.of.runs import heading_of, seconds_text
from surefold.show.of.splits import bootstrap_estimates

__all__ = ["document"]


def document(b: Bootstrapped, *, measures: Sequence[str] | None = None, chart: bool = False) -> Document:
    """The card is about the .632+ estimate."""
    blocks: list[Block | None] = [heading_of(b.resampled)]
    if not b.complete:
        blocks.append(Text.of(f"INCOMPLETE: {b.status.removeprefix('incomplete: ')}", tone="warn"))
    for measure in measures or (b.measure,):
        named = {BOOTSTRAP_NAMES[kind]: e for kind, e in bootstrap_estimates(b, measure).items()}
        blocks.append(estimates_table(named, b.confidence, catalogue[measure].name))
    share = f"A sample holds {b.distinct_share:.3f} of the rows; {b.expected_distinct_share:.3f} are expected."
    return Document.of(b.verdict, [*blocks, Text.of(share), seconds_text(b.resampled)], b.findings)
