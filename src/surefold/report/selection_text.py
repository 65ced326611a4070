"""What a terminal shows of a selection, and the sentence it comes down to."""

from __future__ import annotations

import numpy as np

from surefold.errors import show
from surefold.estimates.estimate import Estimate
from surefold.numbers import duration, number
from surefold.report.rows import METHOD_NAMES
from surefold.report.safe import label_text, markdown_cell, plain, text_table
from surefold.selection.pick import Entry
from surefold.selection.result import Selection
from surefold.verdict.verdict import Verdict

__all__ = ["selection_markdown", "selection_text", "verdict_of_selection"]

#: Candidates that a table shows.
MOST_SHOWN = 15
_NAMES = {**METHOD_NAMES, "bias_corrected": "bootstrap, choice repeated", "difference": "difference of two"}
#: Columns a candidate's name may take.
LONGEST = 58


def selection_text(s: Selection) -> str:
    """What was chosen, the figures beside each other, the candidates, what rows did what, and the verdict."""
    parts = [_heading(s), _claims(s), _candidates(s), _rules(s), "\n".join(map(plain, s.words))]
    if s.findings:
        parts.append("\n".join(plain(finding) for finding in s.findings))
    parts.append(f"Verdict: {plain(s.verdict)}")
    return "\n\n".join(part for part in parts if part)


def _heading(s: Selection) -> str:
    how = {"best": "the best", "one_se": "the simplest within one standard error", "simplest": "the simplest not worse"}
    return (
        f"{s.level.title}: {label_text(s.best.name, 100)}, {how[s.rule]} of {len(s):,} by {s.measure} "
        f"({s.data.rows:,} rows, seed {s.seed})"
    )


def _claims(s: Selection) -> str:
    cells = [[s.measure, "value", f"{s.confidence * 100:g}% interval", "method", ""]]
    for name, e in s.claims.items():
        level = "" if e.confidence == s.confidence else f"at {e.confidence:.4g}"
        notes = plain(", ".join(filter(None, [level, e.reason, *e.flags])))
        value = e.texts[0]
        cells.append([name, value, e.bounds_text, _NAMES.get(e.method, e.method), notes])
    return f"{text_table(cells, right=(1,))}\n{_optimism(s)}"


def _optimism(s: Selection) -> str:
    e = s.optimism
    if not e.defined:
        return f"Optimism of the search: unknown ({plain(e.reason)})."
    return f"Optimism of the search: {e} (claimed less found, better counted as positive)."


def _candidates(s: Selection) -> str:
    raced = any(e.dropped_at for e in s.picked.entries)
    cells = [["candidate", s.measure, "fits", "a fit", *(["dropped after"] if raced else []), ""]]
    cells += [
        [label_text(e.name, LONGEST), str(e.estimate) if e.estimate.defined else "undefined", f"{e.fits:,}",
         _seconds(e), *([_dropped(e)] if raced else []), _mark(s, e)]
        for e in s.picked.entries[:MOST_SHOWN]
    ]  # fmt: skip
    left = len(s.picked.entries) - MOST_SHOWN
    more = f"\n({left:,} more candidates are not shown; table and to_frame() have them)" if left > 0 else ""
    return text_table(cells, right=(2, 3)) + more


def _seconds(e: Entry) -> str:
    return "–" if np.isnan(e.fit_seconds) else duration(e.fit_seconds)


def _dropped(e: Entry) -> str:
    return "" if e.dropped_at is None else f"fold {e.dropped_at}"


def _mark(s: Selection, e: Entry) -> str:
    if e.candidate is s.best:
        return "chosen"
    return plain(e.reason) if e.reason and e.dropped_at is None else ""


def _rules(s: Selection) -> str:
    if len(s) == 1:
        return ""
    simplest = "cannot be told from one set of rows" if s.simplest is None else label_text(s.simplest.name, LONGEST)
    lines = [
        f"Best figure: {label_text(s.top.name, LONGEST)}",
        f"Simplest within one standard error of it: {label_text(s.one_se.name, LONGEST)}",
        f"Simplest that no test finds worse: {simplest}",
        f"(simple by {s.picked.ordered_by})",
    ]
    often = s.stability
    if s.outer:
        told = "; ".join(f"{label_text(name, LONGEST)} {n:,}" for name, n in list(often.items())[:3])
        lines.append(f"Chosen in {len(s.outer)} outer folds: {told}{'; …' if len(often) > 3 else ''}")
    return "\n".join(lines)


def selection_markdown(s: Selection) -> str:
    """For a pull request or a note: the verdict, the figures, the candidates, the words and the findings."""
    claims = [f"| {name} | {markdown_cell(e)} | {_NAMES.get(e.method, e.method)} | {' '.join(e.flags)} |"
              for name, e in s.claims.items()]  # fmt: skip
    rows = [
        f"| {markdown_cell(label_text(e.name, LONGEST))} | {markdown_cell(e.estimate)} | {e.fits} | {_dropped(e)} |"
        for e in s.picked.entries[:MOST_SHOWN]
    ]
    blocks = [
        f"**{markdown_cell(s.verdict)}**",
        "\n".join(["| figure | value | method | flags |", "|---|---:|---|---|", *claims]),
        "\n".join([f"| candidate | {s.measure} | fits | dropped after |", "|---|---:|---:|---:|", *rows]),
        "\n".join(f"- {markdown_cell(line)}" for line in (_optimism(s), *s.words, *s.findings)),
    ]
    return "\n\n".join(blocks) + "\n"


def verdict_of_selection(s: Selection) -> Verdict:
    """The chosen model, the figure to quote, what the search claimed; against the commonest class where that is asked.

    A nested figure is of the search, which may choose other models in other folds: the sentence says so.
    Status is "better" where the whole interval of accuracy or error rate lies beyond always answering the commonest
    class, "worse" where it lies before it, and "cannot_tell" otherwise, also of levels whose figure flatters.
    """
    e, name = s.estimate, label_text(s.best.name, 100)
    evidence = {"best": s.best.name, "params": dict(s.best.params), "estimate": e.to_dict(),
                "claimed": s.claimed.to_dict(), "selected_from": len(s)}  # fmt: skip
    told = f"{s.measure} {e}"
    if s.layout.final.overlaps:
        return Verdict(
            "cannot_tell", f"Cannot tell how good {name} is: rows that were trained on were tested.", evidence
        )
    if not e.defined:
        return Verdict("cannot_tell", f"Cannot tell how good {name} is: {e.reason}.", evidence)
    flatters = s.level.errs_of(len(s)) == "too good"
    claim = " ".join(filter(None, [_of_the_search(s), _claim(s, flatters)]))
    if s.outer:
        name = "The search"
    share = _beyond_commonest(s, e)
    if share is None:
        return Verdict("cannot_tell", f"{name}: {told}. {claim}".rstrip(), evidence)
    against, rival = share
    evidence |= {"majority_share": rival[1], "majority_label": rival[0]}
    words = f"always answering {show(rival[0])} ({s.measure} {rival[2]:.3f})"
    if flatters and against == "better":
        return Verdict("cannot_tell", f"Cannot tell: {name} with {told} is ahead of {words}, but {claim}", evidence)
    verb = {"better": "beats", "worse": "does not beat", "cannot_tell": "is not shown to beat"}[against]
    return Verdict(against, f"{name} {verb} {words}: {told}. {claim}".rstrip(), evidence)  # type: ignore[arg-type]


def _of_the_search(s: Selection) -> str:
    """What a nested search chose on all rows, and whether the outer folds, whose figure it is, chose that too."""
    if not s.outer:
        return ""
    times, folds = s.stability.get(s.best.name, 0), len(s.outer)
    chosen = f"On all rows it chose {label_text(s.best.name, 100)}"
    if 2 * times > folds:
        return f"{chosen}, as in {times:,} of {folds:,} outer folds."
    often, most = next(iter(s.stability.items()))
    seldom = f"only {times:,} of {folds:,} outer folds" if times else "no outer fold"
    rival = "" if often == s.best.name else f" ({label_text(often, 60)} was chosen in {most:,} of {folds:,})"
    return f"{chosen}, which {seldom} chose{rival}: the figure is of the search, not of that model."


def _claim(s: Selection, flatters: bool) -> str:
    if flatters:
        return f"The figure is that of a choice among {len(s):,}, on the rows that chose."
    if len(s) == 1 or not s.optimism.defined:
        return ""
    return f"The search claimed {number(s.claimed.value)}; its optimism is {s.optimism}."


def _beyond_commonest(s: Selection, e: Estimate) -> tuple[str, tuple[object, float, float]] | None:
    """Where the interval lies beside always answering the commonest class; None for other measures."""
    if s.measure not in ("accuracy", "error_rate"):
        return None
    held = s.held_out.held
    counts = np.bincount(held.truth, held.weights, minlength=len(held.labels))
    commonest, share = int(counts.argmax()), float(counts.max() / counts.sum())
    rival = share if s.measure == "accuracy" else 1 - share
    low, high = (e.low, e.high) if s.measure == "accuracy" else (-e.high, -e.low)
    at = rival if s.measure == "accuracy" else -rival
    status = "better" if low > at else "worse" if high < at else "cannot_tell"
    return status, (held.labels[commonest], share, rival)
