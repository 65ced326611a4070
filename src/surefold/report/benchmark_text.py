"""What a terminal shows of several models over several data sets."""

from __future__ import annotations

from surefold.benchmarking.comparison import POST_HOC_NAMES, ManyComparison, RankedPair
from surefold.benchmarking.result import Benchmark
from surefold.benchmarking.table import ValueTable
from surefold.benchmarking.verdict import overall_text
from surefold.numbers import number, p_said, p_text
from surefold.report.safe import label_text, plain, text_table, width

__all__ = ["benchmark_text", "many_comparison_text", "table_text"]

#: Columns of a terminal that a table may take.
WIDEST = 116
#: With more pairs than this, those of the best model and of pairs that differ are shown.
MOST_PAIRS = 45
#: Warnings about data sets that are told in full.
MOST_TOLD = 5


def benchmark_text(b: Benchmark) -> str:
    """Data sets by models with intervals, average ranks, what is missing, and what to know."""
    table = b.table()
    missing = "" if b.complete else f"\nINCOMPLETE: {plain(b.status)}"
    heading = f"{_counted(b)}: {b.measure}{_direction(table)}{missing}"
    if b.given is not None:
        cells, shown = _values(table), ""
    else:
        cells = [[_cell(str(e), e.defined) for e in (b.estimate(d, m) for m in b.models)] for d in b.datasets]
        shown = f"Means over folds with {b.confidence * 100:g}% intervals. b.compare() says which models differ."
    parts = [heading, _table(b.datasets, b.models, cells, _rank_row(table)), *([shown] if shown else [])]
    warnings = [plain(finding) for finding in b.findings if finding.severity == "warning"]
    if warnings:
        more = [f"… and {len(warnings) - MOST_TOLD} more: b.findings"] if len(warnings) > MOST_TOLD else []
        parts.append("\n".join([*warnings[:MOST_TOLD], *more]))
    return "\n\n".join(parts)


def table_text(table: ValueTable) -> str:
    """Values alone, with average ranks below."""
    heading = f"{table.measure}{_direction(table)}"
    return f"{heading}\n\n{_table(table.datasets, table.models, _values(table), _rank_row(table))}"


def many_comparison_text(c: ManyComparison) -> str:
    """Ranks of the models, the test of all, pairs with p and probabilities, groups, and the verdict."""
    counts = c.win_tie_loss
    order = c.order
    head = ["model", "average rank", "wins", "ties", "losses", *(["clear wins"] if counts.clear is not None else [])]
    cells = [head]
    for model in order:
        name = label_text(model) + (" (control)" if model == c.control else "")
        row = [name, f"{c.average_ranks[model]:.2f}", *map(str, counts.totals(model))]
        if counts.clear is not None:
            row.append(str(int(counts.clear[c.models.index(model)].sum())))
        cells.append(row)
    heading = f"{len(c.models)} models over {len(c.datasets)} data sets: {c.measure}{_direction(c.table)}"
    parts = [heading, text_table(cells, right=range(1, 6)), _how_counted(c), "\n".join(_tests(c)), _pairs(c)]
    if c.cliques:
        what = "Cannot be told from the control" if c.control is not None else "Cannot be told apart"
        parts.append("\n".join(f"{what}: {', '.join(map(label_text, group))}" for group in c.cliques))
    return "\n\n".join([*parts, f"Verdict: {_lines(c.verdict)}"])


def _counted(b: Benchmark) -> str:
    return f"{len(b.models)} models over {len(b.datasets)} data set{'s' if len(b.datasets) > 1 else ''}"


def _direction(table: ValueTable) -> str:
    return "" if table.better == "neither" else f" ({table.better} is better)"


def _values(table: ValueTable) -> list[list[str]]:
    return [["missing" if value != value else number(value) for value in row] for row in table.values.tolist()]


def _cell(text: str, defined: bool) -> str:
    return text if defined else "missing"


def _rank_row(table: ValueTable) -> list[str] | None:
    """Average ranks over the data sets that have every value."""
    if table.better == "neither":
        return None
    ranks = table.ranks
    ranks = ranks[~(ranks != ranks).any(axis=1)]
    return [f"{rank:.2f}" for rank in ranks.mean(axis=0).tolist()] if len(ranks) else None


def _table(rows: tuple[str, ...], columns: tuple[str, ...], cells: list[list[str]], last: list[str] | None) -> str:
    """Data sets down, models across, in as many tables as fit beside each other."""
    names = ["data set", *map(label_text, rows), *(["average rank"] if last is not None else [])]
    first = max(map(width, names))
    blocks: list[list[list[str]]] = []
    used = WIDEST
    for j, model in enumerate(columns):
        column = [label_text(model), *(row[j] for row in cells), *([last[j]] if last is not None else [])]
        room = max(map(width, column)) + 2
        if used + room > WIDEST:
            blocks.append([names])
            used = first
        blocks[-1].append(column)
        used += room
    return "\n\n".join(text_table(list(zip(*block, strict=True))) for block in blocks)


def _how_counted(c: ManyComparison) -> str:
    counts = c.win_tie_loss
    tie = f"a difference of at most {c.rope:g}" if c.ties == "rope" else "equal values"
    clear = f".\nClear wins: by the corrected t over the folds of {counts.tested} data sets" if counts.tested else ""
    return f"Wins, ties and losses are over the others and all data sets; ties: {tie}{clear}."


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


def _pairs(c: ManyComparison) -> str:
    """A row a pair; of very many, those of the best model and those that differ."""
    best = c.winner.model
    shown = list(c.pairs)
    if len(shown) > MOST_PAIRS:
        shown = [p for p in shown if best in (p.first, p.second)]
    counts = c.win_tie_loss
    head = ["first", "second", "rank difference", f"p ({POST_HOC_NAMES[c.post_hoc]})", "worse", "same", "better",
            "wins-ties-losses", ""]  # fmt: skip
    cells = [head, *(_pair_row(p, counts[p.first, p.second], c.posterior(p.first, p.second)) for p in shown)]
    note = f"worse, same, better: probabilities by Bayesian signed ranks; same is a difference of at most {c.rope:g}."
    if any("liberal_test" in c.posterior(p.first, p.second).flags for p in shown):
        note += "\nSo small a rope beside the differences makes probabilities near 1 too sure. [liberal_test]"
    left = len(c.pairs) - len(shown)
    more = f"\n{left} pairs without {label_text(best)} are not shown: to_frame() has all." if left else ""
    return f"{text_table(cells, right=range(2, 8))}\n{note}{more}"


def _pair_row(p: RankedPair, counts: tuple[int, int, int], posterior: object) -> list[str]:
    chances = [f"{getattr(posterior, side):.3f}" for side in ("worse", "same", "better")]
    told = {"better": "first is better", "worse": "second is better", "cannot_tell": ""}[p.status]
    chance = p_text(p.adjusted_p)
    row = [label_text(p.first), label_text(p.second), number(p.rank_difference, ".2f"), chance, *chances]
    return [*row, "-".join(map(str, counts)), told]


def _lines(text: str) -> str:
    return "\n".join(map(plain, text.split("\n")))
