"""Models over several data sets: average ranks with the critical difference, pairs, wins, and the figures behind."""

from __future__ import annotations

from dataclasses import replace

from surefold.benchmarking.comparison import POST_HOC_NAMES, ManyComparison, RankedPair
from surefold.benchmarking.result import Benchmark
from surefold.benchmarking.table import ValueTable
from surefold.errors import InputError, RunError
from surefold.numbers import number, p_text
from surefold.phrases import measure_title
from surefold.report.sections.contents import Contents, own_section
from surefold.report.sections.section import Section, Table
from surefold.report.sections.told import Told
from surefold.show.charts.ranks import ranks_chart
from surefold.show.names import cut, label_text, plain
from surefold.verdict.many import card_of_many

__all__ = ["contents"]

#: Pairs that are listed, and data sets and models of the table of figures.
MOST_PAIRS, MOST_SETS, MOST_MODELS = 60, 100, 20
NOTES = (
    "Each data set counts once: models are ranked on it, 1 for the best, and the ranks are averaged. Friedman's test, "
    "as F by Iman and Davenport, asks whether all models are alike; only then are pairs looked at.",
    "Probabilities of pairs are by Bayesian signed ranks: that the first is worse, that both are the same within the "
    "rope, and that the first is better.",
)


def contents(result: ManyComparison | Benchmark) -> Contents:
    if isinstance(result, Benchmark):
        return _of_benchmark(result)
    facts = (
        ("Models", f"{len(result.models):,}"),
        ("Data sets", f"{len(result.datasets):,}"),
        ("Measure", measure_title(result.measure)),
    )
    told = Told.of(card_of_many(result), {}, facts, (), result.confidence)
    section = _section(result)
    figures = own_section("figures", "Figures", tables=[(measure_title(result.measure), _values(result.table, None))])
    return Contents(
        told,
        (section, figures),
        title="Models over data sets",
        measures=(result.measure,),
        notes=NOTES,
        facts=(("Test after Friedman's", POST_HOC_NAMES[result.post_hoc]), ("Rope", f"{result.rope:g}")),
        confidence=result.confidence,
    )


def _of_benchmark(b: Benchmark) -> Contents:
    """The figures; ahead of them the comparison, where every model has a value on every data set."""
    table = b.table()
    figures = own_section(
        "figures", "Figures", tables=[(f"{measure_title(table.measure)}, mean over folds", _values(table, b))]
    )
    facts = (
        ("Models", f"{len(b.models):,}"),
        ("Data sets", f"{len(b.datasets):,}"),
        ("State", cut(plain(b.status), 200)),
    )
    try:
        c = b.compare(confidence=b.confidence)
        found = contents(c)
    except (InputError, RunError) as error:
        told = Told(
            f"The models were not compared: {plain(error.problem)}.",
            "cannot_tell",
            "Cannot tell",
            facts=facts,
            findings=b.findings,
            confidence=b.confidence,
        )
        return Contents(
            told, (figures,), title="Models over data sets", measures=(table.measure,), confidence=b.confidence
        )
    if found.told is None:
        raise AssertionError("a comparison has a verdict")
    told = replace(found.told, facts=facts, findings=b.findings)
    return replace(found, told=told, sections=(found.sections[0], figures))


def _section(c: ManyComparison) -> Section:
    chart = ranks_chart(c)
    tables = [("Average ranks", _ranks(c)), ("Pairs", _pairs(c))]
    asides = [_counted(c)]
    if c.dropped:
        left_out = "; ".join(f"{plain(name)} ({plain(why)})" for name, why in list(c.dropped.items())[:10])
        asides.append(f"Left out: {left_out}.")
    return own_section("comparison", "Comparison", charts=[chart], tables=tables, asides=asides)


def _ranks(c: ManyComparison) -> Table:
    counts = c.win_tie_loss
    head = ["Model", "Average rank", "Wins", "Ties", "Losses", *(["Clear wins"] if counts.clear is not None else [])]
    rows = []
    for model in c.order:
        clear = [] if counts.clear is None else [str(int(counts.clear[c.models.index(model)].sum()))]
        name = label_text(model) + (" (control)" if model == c.control else "")
        rows.append((name, f"{c.average_ranks[model]:.2f}", *map(str, counts.totals(model)), *clear))
    return Table.of(head, rows)


def _counted(c: ManyComparison) -> str:
    counts = c.win_tie_loss
    tie = f"a difference of at most {c.rope:g}" if c.ties == "rope" else "equal values"
    clear = f" Clear wins: by the corrected t over the folds of {counts.tested:,} data sets." if counts.tested else ""
    return f"Wins, ties and losses are over the others and all data sets; ties: {tie}.{clear}"


def _pairs(c: ManyComparison) -> Table:
    best = c.winner.model
    shown = list(c.pairs)
    if len(shown) > MOST_PAIRS:
        shown = [p for p in shown if best in (p.first, p.second)][:MOST_PAIRS]
    head = (
        "First − second",
        "Ranks",
        f"p ({POST_HOC_NAMES[c.post_hoc]})",
        "Worse",
        "Same",
        "Better",
        "Wins-ties-losses",
        "Status",
    )
    left = len(c.pairs) - len(shown)
    note = f"{left:,} pairs without {label_text(best)} are not shown; to_frame() has all." if left else ""
    return Table.of(head, [_pair(c, p) for p in shown], note)


def _pair(c: ManyComparison, p: RankedPair) -> tuple[str, ...]:
    posterior = c.posterior(p.first, p.second)
    chances = (f"{v:.3f}" for v in (posterior.worse, posterior.same, posterior.better))
    told = {"better": "first is better", "worse": "second is better", "cannot_tell": "cannot tell"}[p.status]
    counts = "-".join(map(str, c.win_tie_loss[p.first, p.second]))
    pair = f"{label_text(p.first)} − {label_text(p.second)}"
    return (
        pair,
        number(p.rank_difference, ".2f"),
        p_text(p.adjusted_p),
        *chances,
        counts,
        told,
    )


def _values(table: ValueTable, b: Benchmark | None) -> Table:
    """Data sets by models; with intervals where folds are behind the figures."""
    models, sets = table.models[:MOST_MODELS], table.datasets[:MOST_SETS]
    rows = []
    for dataset in sets:
        cells = []
        for model in models:
            e = None if b is None else b.estimate(dataset, model, None if b.given is not None else table.measure)
            value = table[dataset, model]
            cells.append("missing" if value != value else str(e) if e is not None and e.defined else number(value))
        rows.append((label_text(dataset), *cells))
    left = [f"{len(table.models) - len(models):,} models"] if len(table.models) > len(models) else []
    left += [f"{len(table.datasets) - len(sets):,} data sets"] if len(table.datasets) > len(sets) else []
    note = f"{' and '.join(left)} are not shown." if left else ""
    return Table.of(("Data set", *map(label_text, models)), rows, note)
