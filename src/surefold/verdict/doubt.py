"""The one finding that speaks most against an answer, with its cure."""

from __future__ import annotations

from collections.abc import Iterable

from surefold.findings import Finding
from surefold.verdict.sentences import Sentence

__all__ = ["ORDER", "worst"]

#: From what speaks most against an answer to what speaks least; notes that are not here are no doubt.
ORDER = (
    "incomplete",
    "optimistic",
    "threshold_chosen_here",
    "copies_across_folds",
    "groups_straddle",
    "time_shuffled",
    "unshuffled_sorted",
    "repeated_rows",
    "no_shared_label",
    "labels_off_by_one",
    "near_equal_labels",
    "unseen_label",
    "constant_prediction",
    "worse_than_random",
    "constant_scores",
    "fold_failed",
    "few_rows",
    "few_clusters",
    "few_positives",
    "few_of_a_class",
    "rare_class",
    "rarely_called",
    "not_deterministic",
    "selected_from_m",
    "two_valued_scores",
    "class_not_trained",
)
#: These matter where a threshold or a cost is acted on.
ACTED = ("scores_run_high", "scores_run_low")


def worst(findings: Iterable[Finding], *, acted: bool = False) -> Sentence | None:
    """The finding to be told in the card; warnings that have no place in the order come last, notes not at all."""
    order = {code: place for place, code in enumerate(ORDER)} | (dict.fromkeys(ACTED, 15.5) if acted else {})
    known = [f for f in findings if f.code in order or (f.severity != "note" and f.code not in ACTED)]
    if not known:
        return None
    found = min(known, key=lambda f: order.get(f.code, len(ORDER)))
    if not found.cure or found.cure.rstrip(".").lower() in found.sentence.lower():
        return Sentence("finding", {"sentence": found.sentence})
    return Sentence("finding cured", {"sentence": found.sentence, "cure": found.cure})
