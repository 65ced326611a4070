"""How probable is it that the first is worse, practically the same, or better? Differences are first minus second.

A difference within the region of practical equivalence, ± rope, counts as the same. `bayes_correlated_t` is for the
folds of one data set, `bayes_sign` and `bayes_signed_rank` for one difference a data set.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from surefold.errors import InputError
from surefold.estimates.cross_validated import split_sizes
from surefold.estimates.estimate import Estimate, SameFigures
from surefold.estimates.quantiles import checked_confidence, t_quantile, t_tail
from surefold.given import Seed, Values
from surefold.significance.pairs import (
    Array,
    checked_number,
    checked_numbers,
    drawing,
    no_effect,
    no_spread,
    oriented,
    pairs_of,
)
from surefold.significance.plain_test import plain_test

__all__ = ["Posterior", "bayes_correlated_t", "bayes_sign", "bayes_signed_rank"]

_BLOCK = 1 << 21


@dataclass(frozen=True, eq=False)
class Posterior(SameFigures):
    """Probabilities that the first is worse, the same within ± rope, or better; they add up to one.

    The correlated t also has the mean, scale and degrees of freedom of its Student posterior, and as `effect` its mean
    with the interval that holds `confidence` of it. `reason` says why probabilities are missing.
    """

    name: str
    worse: float
    same: float
    better: float
    rope: float
    n: int
    assumptions: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    mean: float = math.nan
    scale: float = math.nan
    df: float = math.nan
    effect: Estimate = field(default_factory=lambda: no_effect("only probabilities were asked for"))
    reason: str = ""

    def __str__(self) -> str:
        if self.reason:
            return f"{self.name}: undefined ({self.reason})"
        return f"{self.name}: worse {self.worse:.3f}, same (± {self.rope:g}) {self.same:.3f}, better {self.better:.3f}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is missing is None and `reason` says why."""
        numbers = ("worse", "same", "better", "rope", "mean", "scale", "df")
        shown: dict[str, Any] = {"name": self.name, "n": self.n}
        shown |= {x: getattr(self, x) if math.isfinite(getattr(self, x)) else None for x in numbers}
        shown |= {"assumptions": list(self.assumptions), "flags": list(self.flags)}
        shown["effect"] = self.effect.to_dict()
        return shown | ({"reason": self.reason} if self.reason else {})


@plain_test(
    reads="folds",
    null="none: it says how likely the first is worse, about the same, better",
    source="Corani & Benavoli (2015), Machine Learning 100:285-304",
)
def bayes_correlated_t(
    differences: Values, n_train: ArrayLike, n_test: ArrayLike, rope: float = 0.01, *, confidence: float = 0.95
) -> Posterior:
    """The mean difference over folds of one data set, whose differences correlate by n_test / (n_train + n_test).

    Its posterior is Student's: mean of the differences, scale √((1/J + test/train) s²), J - 1 degrees of freedom. Its
    tails are those of `corrected_t`. Equal differences put it on one point, and are flagged.

    differences: first minus second, one a split
    n_train:     rows that were learnt from, one number or one a split
    n_test:      rows that were tested, likewise
    rope:        the largest difference that does not matter
    confidence:  of the interval of the mean difference

    >>> p = bayes_correlated_t([0.02, 0.03, 0.01, 0.04, 0.0], n_train=80, n_test=20, rope=0.01)
    >>> round(p.mean, 3), round(p.scale, 4), p.df, round(p.better, 3)
    (0.02, 0.0106, 4, 0.8)
    """
    x, rope, confidence = checked_numbers(differences, "differences"), _rope(rope), checked_confidence(confidence)
    ratio, _ = split_sizes(n_train, n_test, len(x))
    name, assumptions = "Bayesian correlated t", ("folds correlate by the share that is tested", "no prior knowledge")
    pairs = pairs_of(x, np.zeros_like(x))
    mean, n, df = pairs.mean, len(x), len(x) - 1
    if n == 1:
        reason = no_spread(mean, 1)
        return Posterior(name, *(math.nan,) * 3, rope, 1, assumptions, ("no_spread",), mean, reason=reason)
    scale = math.sqrt(1 / n + ratio) * pairs.spread
    if scale == 0:
        sides = (float(mean < -rope), float(-rope <= mean <= rope), float(mean > rope))
        nan, why = math.nan, no_spread(mean, n)
        effect = Estimate(mean, nan, nan, 0.0, confidence, "student", n, ("no_spread",), "difference", why)
        return Posterior(name, *sides, rope, n, assumptions, ("no_spread",), mean, 0.0, df, effect)
    better, worse = t_tail((rope - mean) / scale, df), t_tail((rope + mean) / scale, df)
    reach = scale * t_quantile((1 + confidence) / 2, df)
    effect = Estimate(mean, mean - reach, mean + reach, scale, confidence, "student", n, (), "difference", df=float(df))
    return Posterior(
        name, worse, max(0.0, 1 - worse - better), better, rope, n, assumptions, (), mean, scale, df, effect
    )


@plain_test(
    reads="columns",
    null="none: it says how likely the first is worse, about the same, better",
    source="Benavoli and others (2017), JMLR 18(77):1-36",
)
def bayes_sign(
    differences: Values,
    rope: float = 0.01,
    prior: float = 0.6,
    draws: int = 50_000,
    random_state: Seed = None,
) -> Posterior:
    """One difference a data set: is a new one likelier to be worse, the same or better? By counts of the three.

    Shares of the three are drawn from their Dirichlet posterior, the prior being `prior` of a difference of zero; each
    probability is the share of draws in which that region has the most mass. Without `random_state` draws start from 0.

    differences:  first minus second, one a data set
    rope:         the largest difference that does not matter
    prior:        the weight of a difference of zero known beforehand
    draws:        from the posterior
    random_state: what these start from; 0 unless said

    >>> p = bayes_sign([0.05, 0.04, 0.06, 0.03, 0.002, 0.05, 0.07, 0.04])
    >>> p.better > 0.97, p.worse
    (True, 0.0)
    """
    x, rope, prior, draws = _checked(differences, rope, prior, draws)
    x, turned = oriented(x)
    counts = np.array([(x < -rope).sum(), (np.abs(x) <= rope).sum() + prior, (x > rope).sum()])
    mass = drawing(random_state).standard_gamma(counts, size=(draws, 3))
    return _most_often("Bayesian sign test", [mass], rope, len(x), turned)


@plain_test(
    reads="columns",
    null="none: it says how likely the first is worse, about the same, better",
    source="Benavoli and others (2014), ICML 32:1026-1034",
)
def bayes_signed_rank(
    differences: Values,
    rope: float = 0.01,
    prior: float = 0.6,
    draws: int = 50_000,
    random_state: Seed = None,
) -> Posterior:
    """One difference a data set: are means of two of them mostly below, within or above ± rope?

    The differences get weights drawn from a Dirichlet distribution, one each and `prior` for one more of zero; each
    probability is the share of draws in which that region has the most weight of pairs (Benavoli and others, 2014).

    differences:  first minus second, one a data set
    rope:         the largest difference that does not matter
    prior:        the weight of a difference of zero known beforehand
    draws:        from the posterior
    random_state: what these start from; 0 unless said

    >>> p = bayes_signed_rank([0.05, 0.04, 0.06, 0.03, 0.002, 0.05, 0.07, 0.04])
    >>> p.better > 0.97, p.worse
    (True, 0.0)
    """
    x, rope, prior, draws = _checked(differences, rope, prior, draws)
    x, turned = oriented(x)
    rng, n = drawing(random_state), len(x)
    place = int(np.searchsorted(x, 0.0))
    points, shape = np.insert(x, place, 0.0), np.insert(np.ones(n), place, prior)
    slack = 1e-12 * max(float(np.abs(points).max()), rope)
    # For each point, how many of the sorted points make a mean below -rope with it, and how many one up to rope.
    below = np.searchsorted(points, -2 * rope - points - 2 * slack, side="left")
    up_to = np.searchsorted(points, 2 * rope - points + 2 * slack, side="right")
    blocks, room = [], max(1, _BLOCK // (n + 1))
    for start in range(0, draws, room):
        weight = rng.standard_gamma(shape, size=(min(room, draws - start), n + 1))
        sums = np.concatenate([np.zeros((len(weight), 1)), np.cumsum(weight, axis=1)], axis=1)
        low, middle = (np.einsum("ij,ij->i", weight, sums[:, at]) for at in (below, up_to))
        blocks.append(np.stack([low, middle - low, sums[:, -1] ** 2 - middle], axis=1))
    return _most_often("Bayesian signed ranks", blocks, rope, n, turned)


def _most_often(name: str, blocks: list[Array], rope: float, n: int, turned: bool) -> Posterior:
    """How often each region has the most mass; regions with as much share the draw."""
    mass = np.concatenate(blocks)
    most = mass >= mass.max(axis=1, keepdims=True) * (1 - 1e-12)
    worse, same, better = (most / most.sum(axis=1, keepdims=True)).mean(axis=0).tolist()
    if turned:
        worse, better = better, worse
    return Posterior(name, worse, same, better, rope, n, ("data sets are independent",))


def _rope(rope: float) -> float:
    return checked_number(rope, "rope", 0, cure="give the largest difference that does not matter, 0 or more")


def _checked(differences: Values, rope: float, prior: float, draws: int) -> tuple[Array, float, float, int]:
    x = checked_numbers(differences, "differences")
    if not (isinstance(draws, int | np.integer) and draws >= 1):
        raise InputError("bad_option", f"draws={draws!r}", cure="give a whole number of at least 1")
    return x, _rope(rope), checked_number(prior, "prior", 0, cure="give the weight of the prior, 0 or more"), int(draws)
