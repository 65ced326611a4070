"""What the search claims, what can be believed, and how far apart the two are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from surefold.estimates.cross_validated import corrected_interval
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import normal_quantile
from surefold.resampling.resampled import Resampled
from surefold.selection.bias_corrected import BiasCorrected
from surefold.selection.pick import Picked
from surefold.selection.result import Figures, OuterFold, unknown
from surefold.selection.score import Score
from surefold.selection.search import Searched
from surefold.selection.splits import Layout

__all__ = ["figures_of"]


def figures_of(
    layout: Layout,
    score: Score,
    final: Searched,
    picked: Picked,
    held_out: Resampled,
    outer: Sequence[OuterFold],
    redrawn: BiasCorrected | None,
    confidence: float,
) -> Figures:
    """`held_out` are the tests of what was chosen; without tests, the chosen candidate's own result in the search."""
    tried = len(final.results)
    result = final.results[picked.chosen.name]
    claimed = _marked(score.estimate(result, confidence), tried)
    at_once = _marked(score.estimate(result, 1 - (1 - confidence) / tried), tried)
    corrected = None if redrawn is None else redrawn.estimate
    if layout.tests is not None:
        estimate = score.estimate(held_out, confidence)
    elif len(layout.final) > 1 and corrected is not None:
        estimate = corrected
    else:
        estimate = claimed
    optimism = _optimism(layout, score, claimed, estimate, corrected, outer, tried, confidence)
    return Figures(claimed, estimate, optimism, at_once, corrected)


def _marked(e: Estimate, tried: int) -> Estimate:
    return replace(e, flags=tuple(dict.fromkeys(("selected_from_m", *e.flags)))) if tried > 1 else e


def _optimism(
    layout: Layout,
    score: Score,
    claimed: Estimate,
    estimate: Estimate,
    corrected: Estimate | None,
    outer: Sequence[OuterFold],
    tried: int,
    confidence: float,
) -> Estimate:
    """Claimed less found, with the sign that makes flattery positive."""
    if layout.final.overlaps:
        return unknown("optimism", confidence, "no row was held out")
    if outer:
        return _over_outer_folds(layout, score, claimed, estimate, outer, confidence)
    if layout.tests is not None:
        value = score.flattery(claimed.value, estimate.value)
        se = math.hypot(claimed.se, estimate.se)
        if not (math.isfinite(value) and math.isfinite(se)):
            return unknown(
                "optimism", confidence, claimed.reason or estimate.reason or "a figure has no standard error"
            )
        half = normal_quantile((1 + confidence) / 2) * se
        # the rows that claim and the rows that test are different ones, so their errors add up
        return Estimate(value, value - half, value + half, se, confidence, "difference", estimate.n, (), "optimism")
    if tried == 1:
        return unknown("optimism", confidence, "one candidate: nothing was chosen")
    if corrected is None or not corrected.defined:
        return unknown("optimism", confidence, "no second candidate was left to choose between")
    value = score.flattery(claimed.value, corrected.value)
    ends = sorted((score.flattery(claimed.value, corrected.low), score.flattery(claimed.value, corrected.high)))
    return Estimate(value, ends[0], ends[1], corrected.se, confidence, "bias_corrected", corrected.n, (), "optimism")


def _over_outer_folds(
    layout: Layout, score: Score, claimed: Estimate, estimate: Estimate, outer: Sequence[OuterFold], confidence: float
) -> Estimate:
    """The claim of the search over all rows less what the outer folds found, as wide as their own differences say.

    Every outer fold has a claim made without it, so its difference is one of a search that is like the final one.
    """
    tests = layout.tests
    if tests is None:
        raise AssertionError("outer folds are tests")
    gaps = np.array([score.flattery(fold.claimed, fold.found) for fold in outer])
    if np.isnan(gaps).any():
        return unknown("optimism", confidence, f"undefined in {int(np.isnan(gaps).sum())} of {len(gaps)} outer folds")
    limits = (-score.reach, score.reach) if math.isfinite(score.reach) else (-math.inf, math.inf)
    value = score.flattery(claimed.value, estimate.value)
    if math.isnan(value):
        return unknown("optimism", confidence, claimed.reason or estimate.reason)
    e = corrected_interval(
        gaps, tests.train_sizes, tests.test_sizes, folds=tests.folds, limits=limits, confidence=confidence
    )
    low, high = (value + end - e.value for end in e.interval)
    flags = tuple(flag for flag in e.flags if flag != "few_errors")
    return replace(e, value=value, low=max(low, limits[0]), high=min(high, limits[1]), name="optimism", flags=flags)
