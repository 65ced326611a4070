"""What models on the same rows show: their values, the differences, and what was done about their number."""

from __future__ import annotations

from dataclasses import replace

from surefold.comparison.result import Comparison, Comparisons, Difference
from surefold.numbers import p_text
from surefold.phrases import ADJUSTMENT_NAMES, STATUS_NAMES, phrase_of
from surefold.show.blocks import Block, Cell, Column, Document, Heading, Name, Table, Text, estimates_table
from surefold.show.names import label_text
from surefold.show.of.ranks import ranks_blocks

__all__ = [
    "MOST_PAIRS",
    "adjustment_sentence",
    "document",
    "flags_of",
    "hidden_sentence",
    "pairs_table",
    "shown_pairs",
    "win_tie_loss",
]

#: With more pairs than this, those of the best model are shown, and how often each model won.
MOST_PAIRS = 30


def document(result: Comparison | Comparisons, *, ranks: bool = False) -> Document:
    """The card; of several measures each has its tables, and what to know about the rows is told once.

    `ranks`: nothing but the card and the places that each model may have.
    """
    if ranks:
        each = {result.measure: result} if isinstance(result, Comparison) else dict(result)
        return Document.of(result.verdict, [b for name, c in each.items() for b in (Heading(name), *ranks_blocks(c))])
    if isinstance(result, Comparison):
        return Document.of(result.verdict, _blocks(result), result.findings)
    seen: dict[str, None] = {}
    blocks: list[Block] = []
    for name, c in result.items():
        blocks += [Heading(name), *_blocks(c)]
        seen |= dict.fromkeys(map(str, c.findings))
    findings = {str(f): f for c in result.values() for f in c.findings}
    return Document.of(result.verdict, blocks, [findings[text] for text in seen])


def _blocks(c: Comparison) -> list[Block]:
    shown = shown_pairs(c)
    rows = c.counted if c.models is None else c.models.n
    heading = f"{len(c.values):,} models, {c.better} is better"
    blocks: list[Block] = [Text.of(heading if rows is None else f"{rows:,} rows, {heading}")]
    ordered = {name: c.values[name] for name in c.order}
    values = estimates_table(ordered, c.confidence, c.measure, names=True)
    blocks += [replace(values, best=0 if c.values[c.order[0]].defined else None), *ranks_blocks(c), pairs_table(shown)]
    if len(shown) < len(c.differences):
        blocks += [win_tie_loss(c), Text.of(hidden_sentence(c))]
    sentence = adjustment_sentence(c)
    return [*blocks, *([Text.of(sentence, tone="quiet")] if sentence else [])]


def shown_pairs(c: Comparison) -> list[Difference]:
    """All pairs, or those of the best model where there are too many; the better model stands first."""
    pairs = list(c.differences)
    if len(pairs) > MOST_PAIRS:
        best = c.order[0]
        pairs = [d for d in pairs if best in (d.first, d.second)]
    return pairs


def pairs_table(pairs: list[Difference]) -> Table:
    """A row a pair: the difference, what it says, and by which test."""
    head = (
        Column("first \N{MINUS SIGN} second", "name"),
        Column("difference"),
        Column("status"),
        Column("test", drop=1),
        Column("p", "number"),
        Column("", "words"),
        Column("", "code", drop=2),
    )
    rows = []
    for d in pairs:
        pair = Name(f"{label_text(d.first)} \N{MINUS SIGN} {label_text(d.second)}")
        flags = flags_of(d)
        if not d.effect.defined:
            rows.append((pair, "undefined", STATUS_NAMES[d.status], "", "", d.effect.reason, ""))
            continue
        words = "; ".join([*([d.effect.reason] if d.effect.reason else []), *map(phrase_of, flags)])
        told = (STATUS_NAMES[d.status], d.test.name, p_text(d.adjusted_p))
        rows.append((pair, str(d.effect), *told, words, " ".join(flags)))
    return Table.of(head, rows)


def flags_of(d: Difference) -> list[str]:
    """What is weak about a difference, and about its test."""
    return list(dict.fromkeys((*d.effect.flags, *d.test.flags)))


def win_tie_loss(c: Comparison) -> Table:
    """From best to worst: how many others each model is better than, equal to, worse than, or cannot be told from."""
    counts = {name: dict.fromkeys(STATUS_NAMES, 0) for name in c.values}
    turned = {"better": "worse", "worse": "better"}
    for d in c.differences:
        counts[d.first][d.status] += 1
        counts[d.second][turned.get(d.status, d.status)] += 1
    titles = ("better than", "equal to", "worse than", "cannot tell from")
    keys = ("better", "practically_equal", "worse", "cannot_tell")
    rows: list[tuple[Cell, ...]] = [(Name(name), *(str(counts[name][key]) for key in keys)) for name in c.order]
    return Table.of([Column("model", "name"), *(Column(title, "number") for title in titles)], rows)


def hidden_sentence(c: Comparison) -> str:
    """How many pairs are not shown, and where they are."""
    left = len(c.differences) - len(shown_pairs(c))
    told = f"{left:,} of {len(c.differences):,} pairs, those without {label_text(c.order[0])}, are not shown"
    return f"{told}; to_frame(), CSV and JSON have all."


def adjustment_sentence(c: Comparison) -> str:
    """What was done about the number of pairs; nothing to say of one."""
    pairs, how = len(c.differences), c.adjust
    if pairs < 2:
        return ""
    if how == "none":
        return f"p is NOT adjusted for {pairs:,} pairs: one in twenty would look different by chance alone."
    return f"p and intervals allow for all {pairs:,} pairs at once ({ADJUSTMENT_NAMES[how]})."
