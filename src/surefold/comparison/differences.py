"""Differences of measures of scores between models on the same rows: from what rows move each model by, to moments.

One way for rows that are held and for rows counted in parts: both give a tally of each model's scores and, in one pass,
the sums and products of moves.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.added_rows import ADDED, QUARTER, deleted, flipped, reversals
from surefold.comparison.pair_counts import largest_group, powers_of, won_and_lost
from surefold.comparison.pair_moments import PairMoments
from surefold.estimates.auc import few_of_a_class, few_weighted_errors, missing_class
from surefold.estimates.average_precision import FEW_POSITIVES
from surefold.estimates.grouping import Design, distances
from surefold.estimates.multiclass_auc import added_rows, enlarged_matrix
from surefold.evidence.evidence import Evidence
from surefold.measures.ranking import roc_auc
from surefold.measures.row_moves import LossMove, NoMove, row_sums
from surefold.measures.score_measure import Average, Moved, ScoreMeasure
from surefold.significance.paired_auc import no_variance
from surefold.significance.wins_and_losses import Powers, shrunk
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.moves import Family, Moves
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import RowMove, ScoreMatrix

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
    return (yield from _moments(known, read, added, 1.0 if measure.line is None else measure.line.times))


@dataclass(frozen=True, eq=False)
class _Read:
    """What one model's scores say: its value, and where the moves of its rows are found.

    far:      the moves that rows with the other label would have, of losses.
    deleted:  what is lost without each row, of average precision; `order` are then the moves of the area.
    reversal: the mean square of what a row turned round moves it by; `typical` that of one that moves an area by 1.
    rows:     the effective rows of each class.
    """

    value: float
    reason: str
    moved: Array | RowMove
    n: float
    rows: tuple[float, ...]
    far: Array | RowMove | None = None
    deleted: Array | None = None
    order: Array | None = None
    reversal: float = 0.0
    typical: float = 0.0
    flags: tuple[str, ...] = ()


def _of_tallies(measure: ScoreMeasure, e: Evidence) -> list[_Read]:
    found, rule = [], ADDED[measure.interval]
    for i, t in enumerate(e.tallies()):
        value, n, reason = measure(t), t.total, ""
        nothing = Moved(np.zeros(len(t.score)), np.zeros(len(t.score)))
        moved, reversal, typical = nothing, 0.0, 0.0
        if np.isnan(value):
            infinite = measure.needs_probabilities and bool(np.isinf(t.score).any())
            reason = "a score is infinite, and so no probability" if infinite else missing_class(t)
        else:
            moved = measure.moved(t)
            reversal, typical = reversals(measure, t, moved)
        others: dict[str, Array] = {}
        if rule.flips:
            far = nothing if reason else flipped(measure, t)
            others["far"] = e.lookup(i, Moved(*(x / n for x in far)))
        if measure.interval == "precision":
            others["deleted"] = e.lookup(i, nothing if reason else deleted(t))
            others["order"] = e.lookup(i, nothing if reason else roc_auc.moved(t))
        first, second = t.squares
        rows = tuple(x**2 / s if s > 0 else 0.0 for x, s in ((t.negatives, second.sum()), (t.positives, first.sum())))
        held = e.lookup(i, moved)
        flags = _flags(measure, t, rows)
        found.append(_Read(value, reason, held, n, rows, **others, reversal=reversal, typical=typical, flags=flags))
    return found


def _of_matrices(measure: ScoreMeasure, e: Evidence) -> list[_Read]:
    found = []
    for i, m in enumerate(e.matrices()):
        value, n = measure(m), m.total
        reason = "a score is infinite, and so no probability" if np.isnan(value) else ""
        own, turned = (LossMove(measure.name, measure.settings, value, n, side) for side in (False, True))
        moved = e.of_rows(i, NoMove() if reason else own)
        far, reversal = None, 1 / n**2  # a row that is right in place of wrong
        if ADDED[measure.interval].flips:
            far = e.of_rows(i, NoMove() if reason else turned)
            reversal = 0.0 if reason else _turned(measure, m, moved, far)
        found.append(_Read(value, reason, moved, n, (n,), far, reversal=reversal))
    return found


def _turned(
    measure: ScoreMeasure, m: ScoreMatrix | CountedMatrix, moved: Array | RowMove, far: Array | RowMove
) -> float:
    """The mean square of what a row with another label moves a mean loss by."""
    if isinstance(m, ScoreMatrix) and isinstance(moved, np.ndarray) and isinstance(far, np.ndarray):
        return float(np.average((far - moved) ** 2, weights=m.weights))
    return row_sums(measure, m, turned=True).turned / m.total**3


def _moments(measure: ScoreMeasure, read: list[_Read], added: bool, times: float) -> Asking:
    """Of the measure multiplied with `times`."""
    rule, rows, n = ADDED[measure.interval], read[0].rows, read[0].n
    families = {"moved": Family(tuple(one.moved for one in read), powers=added)}
    for name in ("far", "deleted", "order") if added else ():
        columns = tuple(x for x in (getattr(one, name) for one in read) if x is not None)
        if columns:
            families[name] = Family(columns, powers=True)
    found = yield list(families.values()), len(rows)
    moves = {name: found[f] for f, name in enumerate(families)}
    apart, design = moves["moved"].products[0], Design.of(moves["moved"], by_class=measure.reads == "ranking")
    values = np.array([one.value for one in read])
    if rule.to == "classes":
        held = [(distances(x[0]), m) for x, m in zip(apart, rows, strict=True)]
    else:
        held = [(distances(apart[:, 0].sum(axis=0)), rows[-1] if rule.to == "positives" else n)]
    ends = measure.span[1] - measure.span[0]
    difference = np.subtract.outer(values, values)
    plain = sum((rule.variance(x, m, 0 * difference, 0 * difference) for x, m in held), np.zeros_like(difference))
    moments = PairMoments(
        np.array([np.nan if one.reason else one.value for one in read]),
        values,
        plain * design.effect,
        plain * design.effect,
        (-ends, ends),
        n,
        design.groups,
        tuple(one.reason for one in read),
        tuple(sorted({flag for one in read for flag in one.flags})),
        rule.plain,
        rule.plain_name,
        no_variance(min(rows)) if rule.plain == "delong" else "",
    )
    moments = _times(moments, times)
    if not added:
        return moments
    counts = _counts(read, moves, design).counts()
    beside = np.zeros_like(plain)
    if rule.weight:
        weight = shrunk(rule.weight, counts.deciding)
        beside = sum((rule.variance(x, m, difference, weight) for x, m in held), beside)
    return won_and_lost(moments, counts.times(times), times**2 * beside * design.effect, design)


def _counts(read: list[_Read], moves: dict[str, Moves], design: Design) -> Powers:
    """The powers of every pair, of groups where rows come in groups, and how large one unlucky row may be."""
    n, rows = read[0].n, read[0].rows
    powers = powers_of(moves["deleted" if "deleted" in moves else "moved"])
    flips: tuple[Array, Array] | None = None
    if "far" in moves:
        second, _, fourth = moves["far"].products[0][:, 1:].sum(axis=0)
        flips = second / n, fourth / n
    reversal, typical = (np.add.outer(x, x) / 2 for x in np.array([[r.reversal, r.typical] for r in read]).T)
    floor = np.zeros_like(reversal)
    if typical.any():  # moves of the area times the rows of the class: differences of placements
        of_rows = moves["order" if "order" in moves else "moved"].products[0]
        second, fourth = (sum(m**p * x[p - 1] for x, m in zip(of_rows, rows, strict=True)) for p in (2, 4))
        floor = typical * np.divide(fourth, second, out=np.zeros_like(second), where=second > 0)
    least = np.where(reversal > 0, reversal, 1 / n**2)
    return replace(powers, flips=flips or powers.flips, floor=floor, reversal=least * largest_group(moves["moved"]))


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
    columns: list[Array | RowMove] = []
    values, rights, wrongs, rows, n = [], [], [], np.zeros(0), 0.0
    for i, m in enumerate(e.matrices()):
        rows, n = m.class_weights * (m.scale if isinstance(m, CountedMatrix) else 1.0), m.total
        if m.classes < 2 or not (rows > 0).all():
            return _undefined(measure, ("needs rows of every class",) * len(e.names), n)
        at_ends: Array
        if isinstance(m, ScoreMatrix):
            value, moved = average.value_and_moves(m)
            columns.append(moved)
            at_ends = average.moves(enlarged_matrix(m)[0])[m.n :]
        else:
            (value, move), (more, _) = average.fitted(m), added_rows(m)
            columns.append(e.of_rows(i, move.over(m.scale)))
            at_ends = average.fitted(m, more)[1].over(m.scale).of(more)
        values.append(value)
        rights.append(at_ends[: m.classes])
        wrongs.append(at_ends[m.classes :])
    moves = yield [Family(tuple(columns), powers=added)], 1
    plain, design = distances(moves.products[0][0, 0]), Design.of(moves)
    moments = PairMoments(
        np.array(values),
        np.array(values),
        plain * design.effect,
        plain * design.effect,
        (-1.0, 1.0),
        n,
        design.groups,
        flags=("few_of_a_class",) if few_of_a_class(float(rows.min())) else (),
        method="delta",
    )
    if not added:
        return moments
    right, wrong = np.stack(rights), np.stack(wrongs)
    turned = ((right - wrong) ** 2) @ rows / n
    counts = replace(powers_of(moves), reversal=np.add.outer(turned, turned) / 2 * largest_group(moves)).counts()
    one_way = ((right[:, None] - wrong[None]) ** 2).sum(axis=-1)
    beside = plain + shrunk(QUARTER, counts.deciding) * (one_way + one_way.T) / 2
    return won_and_lost(moments, counts, beside * design.effect, design)


def _times(found: PairMoments, times: float) -> PairMoments:
    """The same of a measure that is a line of the one these are of."""
    ends = sorted(times * end for end in found.limits)
    return replace(
        found, values=times * found.values, centres=times * found.centres, variance=times**2 * found.variance,
        plain=times**2 * found.plain, limits=(ends[0], ends[1]),
    )  # fmt: skip


def _undefined(measure: ScoreMeasure, reasons: tuple[str, ...], n: float) -> PairMoments:
    nothing, ends = np.full(len(reasons), np.nan), measure.span[1] - measure.span[0]
    whole = np.full((len(reasons), len(reasons)), np.nan)
    return PairMoments(nothing, nothing, whole, whole, (-ends, ends), n, reasons=reasons)
