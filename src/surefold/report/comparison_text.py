"""What a terminal shows of models on the same rows, and of a gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from surefold.comparison.result import Comparison, Comparisons, Difference
from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.numbers import p_text, texts
from surefold.report.rows import METHOD_NAMES
from surefold.report.safe import label_text, plain, text_table

if TYPE_CHECKING:
    from surefold.comparison.gate import Gate

__all__ = [
    "MOST_PAIRS",
    "STATUS_NAMES",
    "adjustment_sentence",
    "comparison_text",
    "comparisons_text",
    "gate_text",
    "hidden_sentence",
    "shown_pairs",
    "win_tie_loss",
]

#: With more pairs than this, those of the best model are shown, and how often each model won.
MOST_PAIRS = 30
STATUS_NAMES = {
    "better": "better",
    "worse": "worse",
    "practically_equal": "practically equal",
    "cannot_tell": "cannot tell",
}
ADJUSTMENT_NAMES = {
    "holm": "Holm",
    "hochberg": "Hochberg",
    "bonferroni": "Bonferroni",
    "benjamini_hochberg": "Benjamini-Hochberg",
}


def comparison_text(c: Comparison) -> str:
    """The models, their differences, what to know, and a sentence a pair."""
    return _document(c, c.findings)


def comparisons_text(several: Comparisons) -> str:
    """One measure after another; what to know about the rows is told once."""
    seen: set[str] = set()
    parts = []
    for name, c in several.items():
        new = tuple(finding for finding in c.findings if str(finding) not in seen)
        seen |= set(map(str, new))
        parts.append(f"== {name} ==\n\n{_document(c, new)}")
    return "\n\n".join(parts)


def _document(c: Comparison, findings: tuple[Finding, ...]) -> str:
    shown = shown_pairs(c)
    rows = c.counted if c.models is None else c.models.n
    parts = [] if rows is None else [f"{rows:,} rows, {len(c.values):,} models"]
    parts += [_values(c.measure, c.better, c.values, c.confidence), _differences(shown)]
    if len(shown) < len(c.differences):
        parts += [text_table(win_tie_loss(c), right=range(1, 5)), hidden_sentence(c)]
    parts += [sentence for sentence in (adjustment_sentence(c),) if sentence]
    parts += ["\n".join(map(plain, findings))] if findings else []
    sentences = [plain(d) for d in shown]
    if c.winner is not None and len(c.values) > 2:
        sentences.append(plain(c.winner))
    return "\n\n".join([*parts, "Verdict: " + "\n".join(sentences)])


def gate_text(g: Gate) -> str:
    """The status, the values, what is held against what, and the sentence."""
    head = {"passed": "PASSED", "failed": "FAILED", "cannot_tell": "CANNOT TELL"}[g.status]
    _, low, high = texts(g.effect.value, *g.bounds)
    asked = {"noninferiority": "not worse by more than", "superiority": "better by more than",
             "at_least": "at least", "at_most": "at most"}[g.kind]  # fmt: skip
    limit = g.limit if g.margin is None else g.margin
    facts = [
        ["asked", f"{asked} {limit:g}" if limit or g.margin is None else "better"],
        ["one-sided bounds", f"{low} and {high}, each {g.confidence * 100:g}%"],
        ["rows", f"{g.rows:,.0f}"],
    ]
    if g.effect.flags:
        facts.append(["flags", ", ".join(g.effect.flags)])
    parts = [f"Gate: {head}", _values(g.measure, g.better, g.values, g.confidence)]
    parts += [] if g.difference is None else [_differences([g.difference])]
    parts.append(text_table(facts))
    parts += ["\n".join(map(plain, g.findings))] if g.findings else []
    return "\n\n".join([*parts, f"Verdict: {plain(g.sentence)}"])


def shown_pairs(c: Comparison) -> list[Difference]:
    """All pairs, or those of the best model where there are too many."""
    if len(c.differences) <= MOST_PAIRS:
        return list(c.differences)
    best = c.order[0]
    return [d for d in c.differences if best in (d.first, d.second)]


def win_tie_loss(c: Comparison) -> list[list[str]]:
    """From best to worst: how many others each model is better than, equal to, worse than, or cannot be told from."""
    counts = {name: dict.fromkeys(STATUS_NAMES, 0) for name in c.values}
    turned = {"better": "worse", "worse": "better"}
    for d in c.differences:
        counts[d.first][d.status] += 1
        counts[d.second][turned.get(d.status, d.status)] += 1
    head = ["model", "better than", "equal to", "worse than", "cannot tell from"]
    keys = ("better", "practically_equal", "worse", "cannot_tell")
    return [head, *([label_text(name), *(str(counts[name][key]) for key in keys)] for name in c.order)]


def hidden_sentence(c: Comparison) -> str:
    """How many pairs are not shown, and where they are."""
    left = len(c.differences) - len(shown_pairs(c))
    best = label_text(c.order[0])
    told = f"{left:,} of {len(c.differences):,} pairs, those without {best}, are not shown"
    return f"{told}; to_frame(), CSV and JSON have all."


def adjustment_sentence(c: Comparison) -> str:
    """What was done about the number of pairs; nothing to say of one."""
    pairs, how = len(c.differences), c.adjust
    if pairs < 2:
        return ""
    if how == "none":
        return f"p is NOT adjusted for {pairs:,} pairs: one in twenty would look different by chance alone."
    return f"p is adjusted for {pairs:,} pairs ({ADJUSTMENT_NAMES[how]}); each interval is for its pair alone."


def _values(measure: str, better: str, values: dict[str, Estimate], confidence: float) -> str:
    head = [f"{measure} ({better} is better)", "value", f"{confidence * 100:g}% interval", "method", ""]
    cells = [head]
    for name, e in values.items():
        interval = e.bounds_text
        value = e.texts[0]
        notes = plain(e.reason or ", ".join(e.flags))
        cells.append([label_text(name), value, interval, METHOD_NAMES.get(e.method, e.method), notes])
    return text_table(cells, right=(1,))


def _differences(pairs: list[Difference]) -> str:
    head = ["first - second", "difference", "status", "test", "p", ""]
    return text_table([head, *(_pair_row(d) for d in pairs)])


def _pair_row(d: Difference) -> list[str]:
    pair = f"{label_text(d.first)} - {label_text(d.second)}"
    if not d.effect.defined:
        return [pair, "undefined", STATUS_NAMES[d.status], "", "", plain(d.effect.reason)]
    flags = ", ".join(dict.fromkeys((*d.effect.flags, *d.test.flags)))
    return [pair, str(d.effect), STATUS_NAMES[d.status], d.test.name, p_text(d.adjusted_p), flags]
