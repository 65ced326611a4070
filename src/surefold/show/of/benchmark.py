"""What several models over several data sets show: values and average ranks, the tests, pairs, groups."""

from __future__ import annotations

from collections.abc import Sequence

from surefold.benchmarking.comparison import POST_HOC_NAMES, ManyComparison, RankedPair
from surefold.benchmarking.result import Benchmark
from surefold.benchmarking.table import ValueTable
from surefold.benchmarking.verdict import overall_text
from surefold.numbers import number, p_said, p_text
from surefold.show.blocks import Block, Cell, Column, Document, Name, Table, Text
from surefold.show.names import label_text
from surefold.show.of.ranks import ranks_blocks
from surefold.verdict.many import card_of_many

__all__ = ["document"]

#: With more pairs than this, those of the best model and of pairs that differ are shown.
MOST_PAIRS = 45
#: Warnings about data sets that are told in full.
MOST_TOLD = 5


def document(result: Benchmark | ManyComparison | ValueTable) -> Document:
    """Values of a benchmark or a table; ranks, tests and pairs of a comparison."""
    if isinstance(result, ManyComparison):
        return _compared(result)
    if isinstance(result, ValueTable):
        return Document.of(None, [Text.of(f"{result.measure}{_direction(result)}"), _values(result)])
    b, table = result, result.table()
    heading = f"{len(b.models)} models over {len(b.datasets)} data set{'s' if len(b.datasets) > 1 else ''}"
    blocks: list[Block | None] = [Text.of(f"{heading}: {b.measure}{_direction(table)}")]
    if not b.complete:
        blocks.append(Text.of(f"INCOMPLETE: {b.status}", tone="warn"))
    if b.given is not None:
        blocks.append(_values(table))
    else:
        cells = [[e if e.defined else "missing" for e in (b.estimate(d, m) for m in b.models)] for d in b.datasets]
        blocks.append(_across(b.datasets, b.models, cells, _rank_row(table)))
        level = f"{b.confidence * 100:g}%"
        blocks.append(Text.of(f"Means over folds with {level} intervals. b.compare() says which models differ."))
    warnings = [finding for finding in b.findings if finding.severity != "note"]
    if len(warnings) > MOST_TOLD:
        blocks.append(Text.of(f"… and {len(warnings) - MOST_TOLD} more warnings: b.findings", tone="quiet"))
    return Document.of(None, blocks, warnings[:MOST_TOLD])


def _compared(c: ManyComparison) -> Document:
    counts = c.win_tie_loss
    head = [
        Column("model", "name"),
        Column("average rank", "number"),
        *(Column(x, "number") for x in ("wins", "ties", "losses")),
        *([Column("clear wins", "number")] if counts.clear is not None else []),
    ]
    rows: list[list[Cell]] = []
    for model in c.order:
        name = Name(model, " (control)" if model == c.control else "")
        row: list[Cell] = [name, f"{c.average_ranks[model]:.2f}", *map(str, counts.totals(model))]
        if counts.clear is not None:
            row.append(str(int(counts.clear[c.models.index(model)].sum())))
        rows.append(row)
    heading = f"{len(c.models)} models over {len(c.datasets)} data sets: {c.measure}{_direction(c.table)}"
    blocks: list[Block | None] = [
        Text.of(heading),
        Table.of(head, rows),
        *ranks_blocks(c),
        Text.of(*_how_counted(c)),
        Text.of(*_tests(c)),
        _pairs(c),
    ]
    if c.cliques:
        what = "Cannot be told from the control" if c.control is not None else "Cannot be told apart"
        blocks.append(Text.of(*(f"{what}: {', '.join(map(label_text, group))}" for group in c.cliques)))
    return Document.of(card_of_many(c), blocks)


def _direction(table: ValueTable) -> str:
    return "" if table.better == "neither" else f" ({table.better} is better)"


def _values(table: ValueTable) -> Table:
    cells = [["missing" if value != value else number(value) for value in row] for row in table.values.tolist()]
    return _across(table.datasets, table.models, cells, _rank_row(table))


def _rank_row(table: ValueTable) -> list[str] | None:
    """Average ranks over the data sets that have every value."""
    if table.better == "neither":
        return None
    ranks = table.ranks
    ranks = ranks[~(ranks != ranks).any(axis=1)]
    return [f"{rank:.2f}" for rank in ranks.mean(axis=0).tolist()] if len(ranks) else None


def _across(
    datasets: Sequence[str], models: Sequence[str], cells: Sequence[Sequence[Cell]], last: list[str] | None
) -> Table:
    """Data sets down, models across, average ranks below."""
    rows: list[Sequence[Cell]] = [[Name(d), *row] for d, row in zip(datasets, cells, strict=True)]
    rows += [["average rank", *last]] if last is not None else []
    return Table.of([Column("data set", "name"), *(Column(label_text(model, 24)) for model in models)], rows)


def _how_counted(c: ManyComparison) -> list[str]:
    counts = c.win_tie_loss
    tie = f"a difference of at most {c.rope:g}" if c.ties == "rope" else "equal values"
    lines = [f"Wins, ties and losses are over the others and all data sets; ties: {tie}."]
    if counts.tested:
        lines.append(f"Clear wins: by the corrected t over the folds of {counts.tested} data sets.")
    return lines


def _tests(c: ManyComparison) -> list[str]:
    lines = [f"{overall_text(c)}."]
    if c.friedman is not None:
        f = c.friedman
        lines.append(f"Friedman's chi-squared({f.df:g}) = {number(f.statistic, '.2f')}, {p_said(f.p_value)}.")
    if c.sign_test is not None:
        s = c.sign_test
        lines.append(f"Sign test: {s.wins} wins, {s.ties} ties, {s.losses} losses, {p_said(s.p_value)}.")
    if c.wilcoxon is not None:
        lines.append(f"Shift of {c.measure} (Hodges-Lehmann, better is above 0): {c.wilcoxon.effect}.")
    level = f"{c.confidence * 100:g}%"
    if c.critical_difference is not None:
        name = POST_HOC_NAMES[c.post_hoc]
        lines.append(f"Critical difference of average ranks: {c.critical_difference:.3f} ({name}, {level}).")
    return lines


def _pairs(c: ManyComparison) -> Table:
    """A row a pair; of very many, those of the best model and those that differ."""
    best, shown = c.winner.model, list(c.pairs)
    if len(shown) > MOST_PAIRS:
        shown = [p for p in shown if best in (p.first, p.second)]
    counts = c.win_tie_loss
    head = (
        Column("first", "name"),
        Column("second", "name"),
        Column("rank difference", "number"),
        Column(f"p ({POST_HOC_NAMES[c.post_hoc]})", "number"),
        Column("worse", "number"),
        Column("same", "number"),
        Column("better", "number"),
        Column("wins-ties-losses", "number", drop=1),
        Column("", "words"),
    )
    rows = [_pair_row(p, counts[p.first, p.second], c.posterior(p.first, p.second)) for p in shown]
    notes = [
        f"worse, same, better: probabilities by Bayesian signed ranks; same is a difference of at most {c.rope:g}."
    ]
    if any("liberal_test" in c.posterior(p.first, p.second).flags for p in shown):
        notes.append("So small a rope beside the differences makes probabilities near 1 too sure. [liberal_test]")
    left = len(c.pairs) - len(shown)
    notes.append(f"{left} pairs without {label_text(best)} are not shown: to_frame() has all." if left else "")
    return Table(head, tuple(rows), "", tuple(note for note in notes if note), stub=2)


def _pair_row(p: RankedPair, counts: tuple[int, int, int], posterior: object) -> tuple[Cell, ...]:
    chances = (f"{getattr(posterior, side):.3f}" for side in ("worse", "same", "better"))
    told = {"better": "first is better", "worse": "second is better", "cannot_tell": ""}[p.status]
    names = (Name(p.first), Name(p.second))
    return (*names, number(p.rank_difference, ".2f"), p_text(p.adjusted_p), *chances, "-".join(map(str, counts)), told)
