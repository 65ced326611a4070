"""What a selection comes to: the model to ship, and what it is worth on rows that chose nothing."""

from __future__ import annotations

import numpy as np

from surefold.estimates.estimate import Estimate
from surefold.selection.result import Selection
from surefold.verdict.doubt import worst
from surefold.verdict.sentences import Quantity, Sentence
from surefold.verdict.verdict import Badge, Status, Tone, Verdict

__all__ = ["verdict_of_selection"]


def verdict_of_selection(s: Selection) -> Verdict:
    """The chosen model, the figure to quote, what the search promised; against the commonest class where that is asked.

    A nested figure is of the search, which may choose other models in other folds: the act says so. Status is "better"
    where the whole interval of accuracy or error rate lies beyond always answering the commonest class, "worse" where
    it lies before it, and "cannot_tell" otherwise, also of levels whose figure flatters.
    """
    e, best = s.estimate, s.best.name
    evidence = {
        "decider": s.measure,
        "best": best,
        "params": dict(s.best.params),
        "estimate": e.to_dict(),
        "claimed": s.claimed.to_dict(),
        "selected_from": len(s),
    }
    values = {"best": best, "m": f"{len(s):,}", "measure": s.measure.replace("_", " "), "estimate": e}
    if s.layout.final.overlaps:
        return Verdict("cannot_tell", Sentence("select trained", values), evidence=evidence)
    if not e.defined:
        return Verdict("cannot_tell", Sentence("select undefined", values | {"reason": e.reason}), evidence=evidence)
    flatters = s.level.errs_of(len(s)) == "too good"
    how = () if len(s) == 1 or not s.optimism.defined or flatters else (_optimism(s),)
    doubt = (
        Sentence("select flatters", values) if flatters else worst(f for f in s.findings if f.code != "selected_from_m")
    )
    act = _act(s, values)
    key = "select flattering" if flatters else "select nested" if s.outer else "select one" if len(s) == 1 else "select"
    status: Status = "cannot_tell"
    badge = Badge(Sentence("badge chosen", values), "open")
    beyond = _beyond_commonest(s, e)
    if beyond is not None:
        status, label, share, rival = beyond
        evidence |= {"majority_share": share, "majority_label": label}
        values |= {"rival": Quantity(label, "class"), "rival_value": rival}
        how = (Sentence("how rival", values), *how)
        if flatters and status == "better":
            status = "cannot_tell"
        word = {"better": "better than", "worse": "worse than"}.get(status, "like")
        tones: dict[str, Tone] = {"better": "good", "worse": "bad"}
        badge = Badge(Sentence(f"badge {word} constant", values), tones.get(status, "open"))
    return Verdict(status, Sentence(key, values), act, doubt, how, evidence, badge)


def _optimism(s: Selection) -> Sentence:
    """Whether the search promised too much, by the sign of what it was off."""
    e = s.optimism
    return Sentence("how promised" if e.low > 0 else "how kept", {"claimed": s.claimed, "gap": e})


def _act(s: Selection, values: dict[str, object]) -> Sentence:
    """The model to ship; of a nested search also how often the outer folds chose it."""
    if not s.outer:
        return Sentence("act ship best", values)
    times, folds = s.stability.get(s.best.name, 0), len(s.outer)
    often, most = next(iter(s.stability.items()))
    more = {"times": f"{times:,}" if times else "none", "folds": f"{folds:,}", "often": often, "most": f"{most:,}"}
    key = "act ship often" if 2 * times > folds else "act ship seldom" if often == s.best.name else "act ship other"
    return Sentence(key, values | more)


def _beyond_commonest(s: Selection, e: Estimate) -> tuple[Status, object, float, float] | None:
    """Where the interval lies beside always answering the commonest class; None for other measures."""
    if s.measure not in ("accuracy", "error_rate"):
        return None
    held = s.held_out.held
    counts = np.bincount(held.truth, held.weights, minlength=len(held.labels))
    commonest, share = int(counts.argmax()), float(counts.max() / counts.sum())
    rival = share if s.measure == "accuracy" else 1 - share
    low, high = (e.low, e.high) if s.measure == "accuracy" else (-e.high, -e.low)
    at = rival if s.measure == "accuracy" else -rival
    status: Status = "better" if low > at else "worse" if high < at else "cannot_tell"
    return status, held.labels[commonest], share, rival
