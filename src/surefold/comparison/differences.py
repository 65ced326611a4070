"""Differences of measures of scores between models on the same rows: from what rows move each model by, to moments.

One way for rows that are held and for rows counted in parts: both give a tally of each model's scores and, in one pass,
the sums and products of moves.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.added_rows import ADDED, QUARTER, flipped, flipped_rows
from surefold.comparison.pair_moments import PairMoments
from surefold.estimates.auc import few_of_a_class, few_weighted_errors, missing_class
from surefold.estimates.average_precision import FEW_POSITIVES
from surefold.estimates.grouping import Design, distances
from surefold.estimates.multiclass_auc import enlarged_matrix
from surefold.evidence.evidence import Evidence
from surefold.measures.score_measure import Average, Moved, ScoreMeasure
from surefold.significance.paired_auc import no_variance
from surefold.tallies.moves import Family, Moves
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["has_differences", "score_pairs", "score_pairs_of"]

Array = NDArray[np.float64]


#: A measure asks once for what rows move models by, of so many classes, and is sent the sums.
Asking = Generator[tuple[list[Family], int], Moves, PairMoments]


def has_differences(measure: ScoreMeasure) -> bool:
    """Whether its moves are known, which row a difference gains, and which way is better."""
    return measure.has_moves and measure.interval in ADDED and measure.better != "neither"


def score_pairs(measure: ScoreMeasure, e: Evidence, *, added: bool = True) -> PairMoments | None:
    """The differences of every pair, or None where a measure has to be drawn; `added=False` leaves the row out."""
    return score_pairs_of([measure], e, added=added)[0]


def score_pairs_of(measures: Sequence[ScoreMeasure], e: Evidence, *, added: bool = True) -> list[PairMoments | None]:
    """The same of several measures, for all of which the rows are gone over once."""
    found: list[PairMoments | None] = [None] * len(measures)
    asking: dict[int, list[tuple[int, Asking, int, int]]] = {}
    families: dict[int, list[Family]] = {}
    for i, measure in enumerate(measures):
        if not has_differences(measure):
            continue
        made = _made(measure, e, added)
        try:
            asked, classes = next(made)
        except StopIteration as done:  # undefined, whatever rows move it by
            found[i] = done.value
            continue
        before = families.setdefault(classes, [])
        asking.setdefault(classes, []).append((i, made, len(before), len(before) + len(asked)))
        before += asked
    for classes, each in asking.items():
        moves = e.moves(families[classes], classes)
        for i, made, start, end in each:
            try:
                made.send(moves.part(start, end))
            except StopIteration as done:
                found[i] = done.value
    return found


def _made(measure: ScoreMeasure, e: Evidence, added: bool) -> Asking:
    if measure.average is not None:
        return (yield from _averages(measure, measure.average, e, added))
    known = measure.source_measure
    read = (_of_matrices if measure.reads == "matrix" else _of_tallies)(known, e)
    reasons = tuple(one.reason for one in read)
    if all(reasons):
        return _undefined(measure, reasons, read[0].n)
    found = yield from _moments(known, read, added)
    times = 1.0 if measure.line is None else measure.line.times
    return found if times == 1.0 else _times(found, times)


@dataclass(frozen=True, eq=False)
class _Read:
    """What one model's scores say: its value, and where the moves of its rows and those of flipped rows are found.

    `rows` are the effective rows of each class, `most` is the most that a row loses.
    """

    value: float
    reason: str
    moved: Array
    far: Array | None
    most: float
    rows: tuple[float, ...]
    n: float
    flags: tuple[str, ...] = ()


def _of_tallies(measure: ScoreMeasure, e: Evidence) -> list[_Read]:
    found = []
    for i, t in enumerate(e.tallies()):
        value, n, reason = measure(t), t.total, ""
        moved = far = Moved(np.zeros(len(t.score)), np.zeros(len(t.score)))
        flips, most = ADDED[measure.interval].gains == "flipped", 0.0
        if np.isnan(value):
            infinite = measure.needs_probabilities and bool(np.isinf(t.score).any())
            reason = "a score is infinite, and so no probability" if infinite else missing_class(t)
        else:
            moved = measure.moved(t)
            if flips:
                far = flipped(measure, t)
                held = (t.positive > 0, t.negative > 0)
                ends = [n * x[there].max(initial=0.0) for x, there in zip(moved, held, strict=True)]
                ends += [x[there].max(initial=0.0) for x, there in zip(far, held[::-1], strict=True)]
                most = value + float(max(ends))
        away = e.lookup(i, Moved(*(x / np.sqrt(n) for x in far))) if flips else None
        first, second = t.squares
        rows = tuple(x**2 / s if s > 0 else 0.0 for x, s in ((t.negatives, second.sum()), (t.positives, first.sum())))
        found.append(_Read(value, reason, e.lookup(i, moved), away, most, rows, n, _flags(measure, t, rows)))
    return found


def _of_matrices(measure: ScoreMeasure, e: Evidence) -> list[_Read]:
    found = []
    for m in e.matrices():
        value, n = measure(m), float(m.n if m.weights is None else m.weights.sum())
        reason = "a score is infinite, and so no probability" if np.isnan(value) else ""
        losses = np.zeros(m.n) if reason else measure.row_losses(m)
        far, most = None, 0.0
        if ADDED[measure.interval].gains == "flipped":
            other = losses if reason else flipped_rows(measure, m)
            far, most = (other - value) / np.sqrt(n), float(max(losses.max(initial=0.0), other.max(initial=0.0)))
        found.append(_Read(value, reason, (losses - value) / n, far, most, (n,), n))
    return found


def _moments(measure: ScoreMeasure, read: list[_Read], added: bool) -> Asking:
    rule, rows, n = ADDED[measure.interval], read[0].rows, read[0].n
    families = [Family(tuple(one.moved for one in read))]
    far = tuple(one.far for one in read if one.far is not None) if added else ()
    moves = yield [*families, *([Family(far, weight=0.5)] if far else [])], len(rows)
    apart, design = moves.products[0][:, 0], Design.of(moves[0], by_class=measure.reads == "ranking")
    across, values = distances(apart.sum(axis=0)), np.array([one.value for one in read])
    if rule.to == "classes":
        held = [(distances(x), m) for x, m in zip(apart, rows, strict=True)]
    else:
        held = [(across, rows[-1] if rule.to == "positives" else n)]
    ends, difference = measure.span[1] - measure.span[0], np.subtract.outer(values, values)
    most = ends if np.isfinite(ends) else max(one.most for one in read)
    away = distances(moves.products[1][:, 0].sum(axis=0)) if far else None
    plain, variance = np.zeros_like(across), np.zeros_like(across)
    for x, m in held:
        bare = x * m / (m - rule.less) if m > rule.less else np.full_like(x, np.nan)
        plain += bare
        variance += rule.variance(x, m, difference, away, most) if added else bare
    return PairMoments(
        np.array([np.nan if one.reason else one.value for one in read]),
        values * (n / (n + rule.weight) if added and rule.gains == "one" else 1.0),
        variance * design.effect,
        plain * design.effect,
        (-ends, ends),
        n,
        min(design.groups, n) if rule.gains == "flipped" else design.groups,  # t with one less than the rows
        tuple(one.reason for one in read),
        tuple(sorted({flag for one in read for flag in one.flags})),
        rule.method if added else rule.plain,
        rule.name if added else rule.plain_name,
        no_variance(min(rows)) if rule.plain == "delong" and not added else "",
    )


def _flags(measure: ScoreMeasure, t: ScoreGroups, rows: tuple[float, ...]) -> tuple[str, ...]:
    few = {
        "few_of_a_class": measure.interval == "area" and few_of_a_class(min(rows)),
        "few_positives": measure.interval == "precision" and rows[1] < FEW_POSITIVES - 1e-9,
        "few_weighted_errors": measure.reads == "ranking" and min(rows) > 0 and few_weighted_errors(t),
        "quantised_scores": t.quantised,
    }
    return tuple(flag for flag, there in few.items() if there)


def _averages(measure: ScoreMeasure, average: Average, e: Evidence, added: bool) -> Asking:
    """A quarter row of each class: half of it each model ranks as its own above all, half below all."""
    values, columns, rights, wrongs, rows, n = [], [], [], [], np.zeros(0), 0.0
    for m in e.matrices():
        rows, n = m.class_weights, float(m.n if m.weights is None else m.weights.sum())
        if m.classes < 2 or not (rows > 0).all():
            return _undefined(measure, ("needs rows of every class",) * len(e.names), n)
        value, moved = average.value_and_moves(m)
        values.append(value)
        columns.append(moved)
        at_ends = average.moves(enlarged_matrix(m)[0])[m.n :]
        rights.append(at_ends[: m.classes])
        wrongs.append(at_ends[m.classes :])
    moves = yield [Family(tuple(columns))], 1
    plain, design = distances(moves.products[0][0, 0]), Design.of(moves)
    right, wrong = np.stack(rights), np.stack(wrongs)
    one_way = ((right[:, None] - wrong[None]) ** 2).sum(axis=-1)
    variance = plain + QUARTER * (one_way + one_way.T) / 2 if added else plain
    return PairMoments(
        np.array(values),
        np.array(values),
        variance * design.effect,
        plain * design.effect,
        (-1.0, 1.0),
        n,
        design.groups,
        flags=("few_of_a_class",) if few_of_a_class(float(rows.min())) else (),
        method="quarter_row" if added else "delta",
    )


def _times(found: PairMoments, times: float) -> PairMoments:
    """The same of a measure that is a line of the one these are of."""
    low, high = found.limits
    return replace(
        found, values=times * found.values, centres=times * found.centres, variance=times**2 * found.variance,
        plain=times**2 * found.plain, limits=(times * low, times * high),
    )  # fmt: skip


def _undefined(measure: ScoreMeasure, reasons: tuple[str, ...], n: float) -> PairMoments:
    nothing, ends = np.full(len(reasons), np.nan), measure.span[1] - measure.span[0]
    whole = np.full((len(reasons), len(reasons)), np.nan)
    return PairMoments(nothing, nothing, whole, whole, (-ends, ends), n, reasons=reasons)
