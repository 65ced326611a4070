"""Differences by drawing: rows (or whole groups) swap their two answers, or are drawn again with replacement.

Both work for any measure. Swapping is a test of "the two models are exchangeable"; the bootstrap gives an interval for
measures that have no other, and is flagged, because it misses where rows are few.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.judging import PairResult
from surefold.estimates.estimate import Estimate, TestResult
from surefold.evidence.held import Held
from surefold.inputs.predictions import Predictions
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.significance.bounds import DrawnBounds
from surefold.significance.pairs import no_effect, tied_ranks
from surefold.tallies.margins import Margins
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

__all__ = ["How", "drawn_differences", "drawn_results", "swap_p", "swapped"]

Array = NDArray[np.float64]
How = Literal["swap", "bootstrap"]
Value = Callable[[Any, Array], float]

#: Cells times classes squared that a draw of tables may take; above it rows are drawn one by one.
_MOST_CELLS = 1 << 16
_BLOCK = 256


def drawn_differences(
    measure: Measure, models: Held, pair: tuple[str, str], how: How, draws: int, rng: np.random.Generator
) -> Array:
    """The difference in each of many draws. Of labels without weights or groups no row is touched again."""
    a, b = (models.predictions(name) for name in pair)
    if not isinstance(measure, ScoreMeasure) and a.weights is None and a.groups is None:
        found = _from_tables(measure, a, b, how, draws, rng)
        if found is not None:
            return found
    return _from_rows(measure, a, b, how, draws, rng)


def swap_p(seen: float, drawn: Array) -> float:
    """The share of draws, the data among them, whose difference is as large as the one seen."""
    there = drawn[np.isfinite(drawn)]
    if seen == 0 or not len(there):
        return 1.0
    return float((1 + np.count_nonzero(abs(there) >= abs(seen) * (1 - 1e-12))) / (len(there) + 1))


def swapped(chosen: Measure, models: Held, result: PairResult, draws: int, rng: np.random.Generator) -> PairResult:
    """The p of swapping the two answers of rows at random in place of the normal one."""
    if not result.test.effect.defined:
        return result
    drawn = drawn_differences(chosen, models, result.names, "swap", draws, rng)
    assumptions = ("under no difference the two answers of a row may be swapped",)
    p = swap_p(result.test.effect.value, drawn)
    return result.tested(name="swap permutation", p_value=p, assumptions=assumptions)


def drawn_results(
    chosen: Measure,
    models: Held,
    pairs: Sequence[tuple[int, int]],
    values: Mapping[str, Estimate],
    confidence: float,
    draws: int,
    random_state: int | np.random.Generator | None,
    *,
    swap: bool,
) -> list[PairResult]:
    """Every pair by the paired bootstrap; p by swapping where that was asked for."""
    rng = np.random.default_rng(0 if random_state is None else random_state)
    name, found = f"{chosen.name} difference", []
    for i, j in pairs:
        names = (models.names[i], models.names[j])
        value = float(values[names[0]]) - float(values[names[1]])
        if not math.isfinite(value):
            which = " and ".join(f"{values[x].reason or 'it is undefined'} for {x}" for x in names
                                 if not math.isfinite(values[x].value))  # fmt: skip
            effect = no_effect(which, name, confidence, models.n)
            found.append(PairResult(names, _test("paired bootstrap", effect, 1.0)))
            continue
        drawn = drawn_differences(chosen, models, names, "bootstrap", draws, rng)
        drawn = drawn[np.isfinite(drawn)]
        spread = float(drawn.std()) if len(drawn) else math.inf
        bounds = DrawnBounds(value, value, spread, method="percentile", drawn=drawn, rows=models.n)
        low, high = bounds.at((1 + confidence) / 2)
        bounds = replace(bounds, spread=max(spread, (high - low) / 4))
        flags = ("known_to_mislead",) if len(drawn) == draws else ("known_to_mislead", "undefined_replicates")
        effect = Estimate(value, low, high, spread, confidence, bounds.method, models.n, flags, name)
        test = _test("paired bootstrap", effect, bounds.p())
        if swap:
            p = swap_p(value, drawn_differences(chosen, models, names, "swap", draws, rng))
            test = _test("swap permutation", effect, p)
        found.append(PairResult(names, test, bounds))
    return found


def _test(name: str, effect: Estimate, p: float) -> TestResult:
    statistic = effect.value / effect.se if effect.se > 0 else 0.0
    return TestResult(name, effect, statistic, p, ("rows are independent",), effect.flags)


# labels, by the table of both models' answers


def _from_tables(
    measure: Measure, a: Predictions, b: Predictions, how: How, draws: int, rng: np.random.Generator
) -> Array | None:
    if a.predicted is None or b.predicted is None:
        raise AssertionError("labels are drawn here")
    k = len(a.labels)
    cell = (a.truth.astype(np.int64) * k + a.predicted) * k + b.predicted
    distinct, counts = np.unique(cell, return_counts=True)
    if len(distinct) * k * k > _MOST_CELLS:
        return None
    true, first, second = distinct // (k * k), distinct // k % k, distinct % k
    to_first, to_second = np.zeros((2, len(distinct), k * k))
    to_first[np.arange(len(distinct)), true * k + first] = 1.0
    to_second[np.arange(len(distinct)), true * k + second] = 1.0
    averaged = _averaged(a)
    found = []
    for start in range(0, draws, _BLOCK):
        many = min(_BLOCK, draws - start)
        if how == "swap":
            moved = rng.binomial(counts, 0.5, (many, len(counts))).astype(float)
            tables = ((counts - moved) @ to_first + moved @ to_second, moved @ to_first + (counts - moved) @ to_second)
        else:
            drawn = rng.multinomial(a.n, counts / a.n, many).astype(float)
            tables = (drawn @ to_first, drawn @ to_second)
        values = [_of_tables(measure, t.reshape(many, k, k), averaged) for t in tables]
        found.append(values[0] - values[1])
    return np.concatenate(found)


def _of_tables(measure: Measure, counts: Array, averaged: NDArray[np.bool_]) -> Array:
    weights = None if measure.weigh is None else measure.weigh(counts.shape[-1], measure.settings)
    loss = None if weights is None else np.einsum("...ij,ij->...", counts, weights)
    diagonal = np.diagonal(counts, axis1=-2, axis2=-1)
    margins = Margins(diagonal, counts.sum(axis=-1), counts.sum(axis=-2), averaged, loss, weights)
    return np.asarray(measure(margins.one_vs_rest)[..., 1] if measure.is_per_class else measure(margins), dtype=float)


def _averaged(p: Predictions) -> NDArray[np.bool_]:
    k = len(p.labels)
    return np.ones(k, dtype=bool) if p.declared else np.bincount(p.truth, minlength=k) > 0


# anything, row by row


def _from_rows(
    measure: Measure, a: Predictions, b: Predictions, how: How, draws: int, rng: np.random.Generator
) -> Array:
    units = np.arange(a.n) if a.groups is None else a.groups
    many = int(units.max()) + 1
    weights = np.ones(a.n) if a.weights is None else a.weights
    answers = [_answers(measure, p, how) for p in (a, b)]
    value = _valued(measure, a)
    fixed = [_prepared(measure, a, x) for x in answers]
    found = np.empty(draws)
    for i in range(draws):
        if how == "bootstrap":
            w = weights * np.bincount(rng.integers(0, many, many), minlength=many)[units]
            found[i] = value(fixed[0], w) - value(fixed[1], w)
        else:
            swapped = (rng.random(many) < 0.5)[units]
            if answers[0].ndim == 2:
                swapped = swapped[:, None]
            mixed = (np.where(swapped, answers[1], answers[0]), np.where(swapped, answers[0], answers[1]))
            first, second = (value(_prepared(measure, a, x), weights) for x in mixed)
            found[i] = first - second
    return found


def _answers(measure: Measure, p: Predictions, how: How) -> NDArray[Any]:
    if not isinstance(measure, ScoreMeasure):
        return np.asarray(p.predicted)
    scores = np.asarray(p.scores)
    if how == "swap" and measure.reads == "ranking":
        return tied_ranks(scores)  # scores of two models need not be on one scale, ranks are
    return scores


def _prepared(measure: Measure, p: Predictions, answers: NDArray[Any]) -> Any:
    """What does not change from one set of weights to the next: the order of scores."""
    if isinstance(measure, ScoreMeasure) and answers.ndim == 1:
        scores, where = np.unique(-answers, return_inverse=True)
        return -scores, where, p.truth == p.positive
    return answers


def _valued(measure: Measure, p: Predictions) -> Value:
    """The measure of prepared answers with weights."""
    if not isinstance(measure, ScoreMeasure):
        k, averaged = len(p.labels), _averaged(p)
        truth = p.truth.astype(np.int64) * k

        def of_labels(answers: Any, w: Array) -> float:
            counts = np.bincount(truth + answers, weights=w, minlength=k * k).reshape(k, k).astype(float)
            return float(_of_tables(measure, counts, averaged))

        return of_labels
    if measure.reads == "matrix":
        return lambda answers, w: measure(ScoreMatrix(answers[w > 0], p.truth[w > 0], p.labels, w[w > 0], clip=p.clip))

    def of_scores(prepared: Any, w: Array) -> float:
        scores, where, is_positive = prepared
        positive = np.bincount(where, weights=w * is_positive, minlength=len(scores)).astype(float)
        negative = np.bincount(where, weights=w * ~is_positive, minlength=len(scores)).astype(float)
        kept = positive + negative > 0
        return measure(ScoreGroups(scores[kept], positive[kept], negative[kept], clip=p.clip))

    return of_scores
