"""A classifier against always giving one answer, on the same rows: the test and what it rests on."""

from __future__ import annotations

import math

from surefold.assessment import Assessment
from surefold.estimates.estimate import Estimate
from surefold.estimates.proportion import proportion_test
from surefold.estimates.quantiles import t_two_sided
from surefold.significance.paired_cases import mcnemar
from surefold.tallies.margins import Margins

__all__ = ["distance", "paired_p", "share_p"]


def paired_p(a: Assessment, commonest: int) -> tuple[float, str]:
    """The two-sided p of no difference between the classifier and the constant answer, and the test it is from."""
    if a.estimates is None:
        raise AssertionError("the base rate is for labels")
    sample = a.estimates.sample
    only_ours, only_constant, total = _discordant(sample.margins(), commonest)
    if not a.confusion.is_weighted and sample.clusters is None:
        return mcnemar(only_ours, only_constant, method="exact").p_value, "exact McNemar"
    ours2, constant2, total2 = _discordant(sample.squared_margins, commonest)
    centre = (only_ours - only_constant) / (total + 1)
    # One added row, half won by each side, keeps the variance from vanishing.
    won, lost, tied = ours2 + 0.5, constant2 + 0.5, total2 - ours2 - constant2
    variance = (won * (1 - centre) ** 2 + lost * (1 + centre) ** 2 + tied * centre**2) / (total + 1) ** 2
    degrees, effect = math.inf, 1.0
    if sample.clusters is not None:
        clusters = sample.clusters
        score = (clusters.true == clusters.predicted).astype(float) - (clusters.true == commonest)
        plain = (ours2 * (1 - centre) ** 2 + constant2 * (1 + centre) ** 2 + tied * centre**2) / total**2
        effect = max(1.0, clusters.variance((score - centre) / total) / plain) if plain > 0 else 1.0
        degrees = clusters.effective_groups - 1
        if degrees < 0.05:
            return 1.0, "one group, so"
    return t_two_sided(centre / math.sqrt(variance * effect), degrees), "paired t"


def distance(a: Assessment, commonest: int) -> float:
    """How far ahead the classifier is, in standard deviations of the rows that only one of the two gets right."""
    ours, constant, _ = _discordant(a.confusion.margins(), commonest)
    return (ours - constant) / math.sqrt(ours + constant) if ours + constant else 0.0


def share_p(accuracy: Estimate, share: float) -> float:
    """The exact one-sided test of accuracy against the share as if that were known: what caret prints."""
    return proportion_test(accuracy.value * accuracy.n, accuracy.n, share, alternative="greater").p_value


def _discordant(margins: Margins, commonest: int) -> tuple[float, float, float]:
    """Weight of the rows that only the classifier gets right, that only the constant answer does, and of all."""
    right = float(margins.tp[commonest])
    return float(margins.correct) - right, float(margins.actual[commonest]) - right, float(margins.total)
