"""Findings about the rows as a whole: too few, one class, rare classes, weights, groups."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from surefold.assessment import Assessment
from surefold.errors import show
from surefold.estimates.calibration import calibration_finding
from surefold.estimates.of_scores import ScoreEstimates
from surefold.estimates.of_table import FEW_CLUSTERS, RARE, TableEstimates
from surefold.findings import Finding
from surefold.measures.proper import clipping_finding
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.sparse import DENSE_CLASSES

__all__ = ["SHOWN_CLASSES", "findings_of"]

FEW_ROWS = 30
SHOWN_CLASSES = 50
MANY_REPEATS = 0.05


def findings_of(a: Assessment) -> tuple[Finding, ...]:
    """What the door noticed, then what a careful reader would say of these rows before looking at any measure."""
    said = {finding.code for finding in a.noticed}
    about_labels = iter(()) if a.estimates is None else _about_rows(a, a.estimates)
    about_scores = iter(()) if a.scores is None else _about_scores(a, a.scores)
    return (*a.noticed, *(finding for finding in (*about_labels, *about_scores) if finding.code not in said))


def _about_scores(a: Assessment, scores: ScoreEstimates) -> Iterator[Finding]:
    t, held = scores.tally, scores.matrix or scores.tally
    clipped = clipping_finding(held) if scores.are_probabilities and held is not None else None
    if clipped is not None:
        yield clipped
    if t is None or t.positives == 0 or t.negatives == 0:
        return
    if t.ends[0] == t.ends[1]:
        yield Finding.of("constant_scores", f"All scores are {t.ends[0]:g}: nothing can be ranked by them.")
        return
    yield from _repeated(t, scores)
    area = a["roc_auc"]
    if area.high < 0.5:
        sentence = f"The area under the ROC curve is {area}, below one half: check the positive class."
        yield Finding.of("worse_than_random", sentence, roc_auc=area.to_dict())
    run = calibration_finding(t, a.confidence) if scores.are_probabilities and scores.matrix is None else None
    if run is not None:
        yield run


def _repeated(t: ScoreGroups, scores: ScoreEstimates) -> Iterator[Finding]:
    """Scores with many digits that nearly all differ, and yet some rows have the very same one and class."""
    if t.is_weighted or scores.grouped or t.quantised or t.distinct < t.total / 3:
        return
    repeated = 0.0
    for run in t.runs():
        repeats = np.maximum(run.positive - 1, 0) + np.maximum(run.negative - 1, 0)
        score = run.score[repeats > 0]
        with np.errstate(over="ignore", invalid="ignore"):  # of numbers that large no decimals are left
            scaled = np.where(np.isfinite(score), score, 0.0) * 1e4
            fine = abs(scaled - np.rint(scaled)) > 1e-6  # more than four decimals
        repeated += float(repeats[repeats > 0][fine].sum())
    share = repeated / t.total
    if share > MANY_REPEATS:
        sentence = (
            f"{share:.0%} of the rows repeat another row's score and class to the last digit. Intervals take rows as "
            "independent: if these are copies, say which belong together with groups= (--groups)."
        )
        yield Finding.of("repeated_rows", sentence, share=share)


def _about_rows(a: Assessment, estimates: TableEstimates) -> Iterator[Finding]:
    labels = a.labels
    margins = estimates.confusion.margins()
    present = np.flatnonzero(margins.actual > 0)
    if a.n == 1:
        yield Finding.of("single_row", "There is one row: nothing can be told from it.")
    elif a.n < FEW_ROWS:
        yield Finding.of("few_rows", f"There are {a.n} rows: expect wide intervals.", rows=a.n)
    for c in sorted(estimates.removed):
        sentence = f"All rows of class {show(labels[c])} have weight zero."
        yield Finding.of("weight_removes_class", sentence, label=labels[c])
    if len(present) == 1:
        label = labels[present[0]]
        sentence = f"The truth holds one class only, {show(label)}: what needs two classes is undefined."
        yield Finding.of("single_class", sentence, label=label)
    called = np.flatnonzero(margins.called > 0)
    if len(called) == 1 and a.n > 1 and len(present) > 1:
        label = labels[called[0]]
        yield Finding.of("constant_prediction", f"Every row was called {show(label)}.", label=label)
    if not (margins.called * margins.actual).any():
        sentence = "No label of the truth was ever predicted: are truth and prediction written differently?"
        yield Finding.of("no_shared_label", sentence)
    yield from _rare(a, estimates)
    if len(labels) > SHOWN_CLASSES:
        held = "only the cells that occur are held; " if len(labels) > DENSE_CLASSES else ""
        sentence = f"There are {len(labels):,} classes: {held}tables show the {SHOWN_CLASSES} worst and best."
        yield Finding.of("many_classes", sentence, classes=len(labels))
    effective = float(estimates.sample.margins().total)
    if estimates.confusion.is_weighted and effective < a.n * (1 - 1e-9):
        sentence = f"Weights vary: {a.n:,} rows are worth {effective:,.1f} for intervals."
        yield Finding.of("weighted", sentence, rows=a.n, effective_rows=effective)
    yield from _grouped(a, estimates)


def _rare(a: Assessment, estimates: TableEstimates) -> Iterator[Finding]:
    labels, rows, averaged = a.labels, estimates.sample.rows, estimates.sample.averaged
    rare = np.flatnonzero((rows < RARE - 1e-9) & averaged & (rows > 0))
    if len(rare) == 0:
        return
    some = ", ".join(f"{show(labels[c])} ({rows[c]:g})" for c in rare[:3]) + (", …" if len(rare) > 3 else "")
    which = "class has" if len(rare) == 1 else "classes have"
    sentence = f"{len(rare):,} {which} fewer than {RARE} true rows: {some}. Figures that depend on them are shaky."
    evidence = {str(labels[c]): float(rows[c]) for c in rare[:50]}
    yield Finding.of("rare_class", sentence, rows=evidence, classes=len(rare))


def _grouped(a: Assessment, estimates: TableEstimates) -> Iterator[Finding]:
    clusters = estimates.clusters
    if clusters is None:
        return
    if clusters.groups == a.n:
        yield Finding.of("one_group_each", "Every row is its own group, so grouping changes nothing.", groups=a.n)
        return
    if clusters.groups == 1:
        yield Finding.of("few_clusters", "All rows are of one group: nothing tells how much groups differ.", groups=1)
        return
    accuracy = a["accuracy"]
    sentence = f"{a.n:,} rows come in {clusters.groups:,} groups: for accuracy they are worth {accuracy.n:,.1f} rows."
    yield Finding.of("grouped", sentence, groups=clusters.groups, effective_rows=accuracy.n)
    if clusters.effective_groups < FEW_CLUSTERS:
        sentence = f"Groups are few, or a few hold most rows: worth {clusters.effective_groups:.1f} of one size."
        yield Finding.of("few_clusters", sentence, groups=clusters.groups)
