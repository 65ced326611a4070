"""What runs over splits showed: findings about the fits, and the verdict against the base rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np

from surefold.counting import counted, verb
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.phrases import METHOD_NAMES
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.resampling.resampled import Resampled
from surefold.verdict.doubt import worst
from surefold.verdict.sentences import Quantity, Sentence
from surefold.verdict.verdict import Badge, Verdict

__all__ = ["findings_of_resampled", "verdict_of_bootstrap", "verdict_of_resampled"]

#: Failed folds that get a finding of their own, and failures that a sentence tells in full.
MOST_FAILURES, MOST_TOLD = 5, 3
#: More rows than this nobody is told to collect.
MOST_ROWS = 1e6


def findings_of_resampled(r: Resampled) -> tuple[Finding, ...]:
    """That folds are missing comes first; then what the door and the plan noticed; then what the fits showed."""
    return (*_incomplete(r), *r.noticed, *_failed(r), *_about_fits(r))


def _incomplete(r: Resampled) -> Iterator[Finding]:
    if r.complete:
        return
    missing = sorted(r.failures)
    told = [f"{r.plan.name_of(i)} {r.failures[i]}" for i in missing[:MOST_TOLD]]
    more = f"; and {len(missing) - MOST_TOLD:,} more" if len(missing) > MOST_TOLD else ""
    sentence = f"{r.name}: {_are_missing(len(missing), len(r.plan))}: {'; '.join(told)}{more}."
    yield Finding.of("incomplete", sentence, model=r.name, missing=missing, splits=len(r.plan))


def _are_missing(missing: int, splits: int) -> str:
    return f"{missing:,} of {counted(splits, 'fold')} {verb(missing)} missing"


def _failed(r: Resampled) -> Iterator[Finding]:
    missing = sorted(i for i, failure in r.failures.items() if failure.kind != "not_run")
    for i in missing[:MOST_FAILURES]:
        failure = r.failures[i]
        tries = f" in each of {failure.attempts} attempts" if failure.attempts > 1 else ""
        evidence = {"model": r.name, "split": i, "kind": failure.kind, "attempts": failure.attempts}
        yield Finding.of("fold_failed", f"{r.name}: {r.plan.name_of(i)} {failure}{tries}.", **evidence)
    if len(missing) > MOST_FAILURES:
        left = missing[MOST_FAILURES:]
        kinds = dict(Counter(str(r.failures[i].kind) for i in left))
        told = ", ".join(f"{count:,} {kind}" for kind, count in kinds.items())
        sentence = f"{r.name}: {counted(len(left), 'more fold')} failed ({told})."
        yield Finding.of("fold_failed", sentence, model=r.name, splits=left, kinds=kinds)


def _about_fits(r: Resampled) -> Iterator[Finding]:
    again = [i for i, notes in r.notes.items() if notes.get("attempts", 1) > 1]
    if again:
        where = r.plan.name_of(again[0]) + (f" and {len(again) - 1:,} more" if len(again) > 1 else "")
        sentence = f"{r.name}: {where} failed at first and then went through."
        yield Finding.of("fold_retried", sentence, model=r.name, splits=again)
    silent = [str(notes["no_scores"]) for notes in r.notes.values() if "no_scores" in notes]
    if silent:
        sentence = f"{r.name} gives labels only ({silent[0]}): what needs scores is left out."
        yield Finding.of("labels_only", sentence, model=r.name, splits=len(silent))
    flattened = [i for i, notes in r.notes.items() if notes.get("column_vector")]
    if flattened:
        sentence = (
            f"{r.name}: predict gave a column of shape (n, 1) in {counted(len(flattened), 'fold')}; it was flattened."
        )
        yield Finding.of("column_vector", sentence, model=r.name, splits=len(flattened))
    yield from _warned(r)


def _warned(r: Resampled) -> Iterator[Finding]:
    heard: Counter[str] = Counter()
    total = folds = 0
    for notes in r.notes.values():
        if notes.get("warned"):
            total, folds = total + int(notes["warned"]), folds + 1
            heard.update({str(text): int(count) for text, count in dict(notes.get("warnings", {})).items()})
    if total:
        commonest, times = heard.most_common(1)[0] if heard else ("unknown", total)
        lines = commonest.splitlines()
        commonest = lines[0] + (" …" if len(lines) > 1 else "")
        kind = "once" if times == 1 else f"{times:,} times"
        where = f"in {folds:,} of {counted(len(r.plan), 'fold')}"
        sentence = f"{r.name}: {counted(total, 'warning')} {where}; the commonest, {kind}: "
        yield Finding.of("many_warnings", sentence + commonest, model=r.name, warnings=total, folds=folds)


def verdict_of_resampled(r: Resampled) -> Verdict:
    """Accuracy over the splits, with its default interval, against always answering the commonest class.

    The constant answer is right on its share of the tested rows, which is taken as known. The whole interval must be
    above it to say that the model beats it. A result with missing folds gets no verdict.
    """
    if not r.complete:
        return _no_verdict(r)
    if r.plan.overlaps:
        return Verdict("cannot_tell", Sentence("trained rows"))
    return _against_share(r, r["accuracy"], "Accuracy", r.findings)


def verdict_of_bootstrap(b: Bootstrapped) -> Verdict:
    """The .632+ accuracy against always answering the commonest class."""
    if not b.complete:
        return _no_verdict(b.resampled)
    try:
        accuracy = b.estimate("point632plus", "accuracy")
    except InputError as error:
        return Verdict.undefined(error.problem)
    return _against_share(b.resampled, accuracy, "Accuracy (.632+)", b.findings)


def _no_verdict(r: Resampled) -> Verdict:
    first = min(r.failures)
    values = {
        "missing": f"{len(r.failures):,}",
        "splits": counted(len(r.plan), "fold"),
        "are": verb(len(r.failures)),
        "first": f"{r.plan.name_of(first)} {r.failures[first]}",
    }
    evidence = {"missing": sorted(r.failures), "splits": len(r.plan)}
    badge = Badge(Sentence("badge incomplete"), "open")
    return Verdict("cannot_tell", Sentence("incomplete", values), Sentence("act resume"), None, (), evidence, badge)


def _against_share(r: Resampled, accuracy: Estimate, what: str, findings: Iterable[Finding]) -> Verdict:
    commonest, share = _majority(r)
    evidence = {
        "decider": "accuracy",
        "accuracy": accuracy.to_dict(),
        "majority_label": r.labels[commonest],
        "majority_share": share,
    }
    if not accuracy.defined or np.isnan(accuracy.low):
        return Verdict.undefined(accuracy.reason or "accuracy has no interval here", evidence)
    values = {
        "accuracy": Quantity(accuracy, "share"),
        "share": Quantity(share, "share"),
        "rival": Quantity(r.labels[commonest], "class"),
    }
    doubt = worst(findings)
    how = (
        Sentence(
            "how splits", {"what": f"{what} {accuracy}", "method": METHOD_NAMES.get(accuracy.method, accuracy.method)}
        ),
    )
    if accuracy.low > share:
        badge = Badge(Sentence("badge better than constant", values), "good")
        act = Sentence("act train")
        return Verdict("better", Sentence("splits better", values), act, doubt, how, evidence, badge)
    if accuracy.high < share:
        badge = Badge(Sentence("badge worse than constant", values), "bad")
        act = Sentence("act rival", values)
        return Verdict("worse", Sentence("splits worse", values), act, doubt, how, evidence, badge)
    badge = Badge(Sentence("badge like constant", values), "open")
    act = Sentence("act other model", values)
    gap, reach = accuracy.value - share, accuracy.value - accuracy.low
    if 0 < gap < reach:
        more = r.plan.n * ((reach / gap) ** 2 - 1)
        act = Sentence("act more rows", {"more": Quantity(more, "about")}) if more < MOST_ROWS else act
    return Verdict("cannot_tell", Sentence("splits open", values), act, doubt, how, evidence, badge)


def _majority(r: Resampled) -> tuple[int, float]:
    """The commonest class among the tested rows, and its share of them by weight."""
    counts = np.bincount(r.held.truth, r.held.weights, minlength=len(r.labels))
    commonest = int(counts.argmax())
    return commonest, float(counts[commonest] / counts.sum())
