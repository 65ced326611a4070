"""The models of which one may be the best: all but those that some other model leads by too much for chance.

Each model is asked whether any of the others leads it. What chance allows is the largest of several leads, and leads
over one model go together, so their joint distribution is drawn; it is the multiple comparison with the best of Hsu,
one-sided, with the test of each pair as it is shown. Models are only ever judged against a true best one, so asking it
of every model needs no further allowance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.estimates.quantiles import normal_quantile, normal_tail

__all__ = ["BestSet", "Leads", "best_set_of"]

Array = NDArray[np.float64]
How = Literal["max_t", "bonferroni"]

#: Draws of all leads at once, and the seed they are drawn from: the same rows always give the same set.
DRAWS, SEED = 20_000, 0


@dataclass(frozen=True)
class BestSet:
    """Of these models one is the best, as far as the rows tell; whichever it is, it was left out at most 1 time in 20.

    models:     in the order of their values, best first; `in`, `len` and iteration go over them.
    confidence: with which a best model is among them. Of several that are exactly alike each is, but perhaps not all.
    method:     "max_t", or "bonferroni" where how leads go together is not known.
    behind:     by how much each model is behind the best at most.
    """

    models: tuple[str, ...]
    confidence: float
    method: How
    behind: Mapping[str, float] = field(default_factory=dict)

    @property
    def alone(self) -> bool:
        """Whether one is left, which is then surely the best."""
        return len(self.models) == 1

    def __contains__(self, name: object) -> bool:
        return name in self.models

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        behind = {name: gap if math.isfinite(gap) else None for name, gap in self.behind.items()}
        return {
            "models": list(self.models),
            "confidence": self.confidence,
            "method": self.method,
            "alone": self.alone,
            "behind": behind,
        }


@dataclass(frozen=True, eq=False)
class Leads:
    """By how much each model leads each other one; tables are [leader, other].

    gap:     how much better the leader's value is; NaN where one of them has none.
    p:       two-sided, of the pair's own test.
    spread:  the standard error that test rests on.
    plain:   the standard error of the rows as they are, for how leads go together; None where that is not known.
    most:    gives how much the first model may lead the second at most, at a confidence, by the pair's own bounds.
    """

    gap: Array
    p: Array
    spread: Array
    plain: Array | None = None
    most: Callable[[int, int, float], float] | None = None

    @classmethod
    def of(
        cls,
        m: int,
        pairs: Mapping[tuple[int, int], tuple[float, float, float, float]],
        joint: bool,
        most: Callable[[int, int, float], float] | None = None,
    ) -> Leads:
        """From (gap, p, spread, plain) of every pair, each told one way."""
        gap, p, spread, plain = (np.full((m, m), fill) for fill in (np.nan, 1.0, np.nan, np.nan))
        for (i, j), (lead, own_p, wide, narrow) in pairs.items():
            gap[i, j], gap[j, i] = lead, -lead
            for table, value in ((p, own_p), (spread, wide), (plain, narrow)):
                table[i, j] = table[j, i] = value
        known = joint and bool(np.isfinite(plain[np.isfinite(gap)]).all())
        return cls(gap, p, spread, plain if known else None, most)

    @property
    def scores(self) -> Array:
        """Each lead as a normal score, from the p of the pair's own test: small samples are taken care of there."""
        from scipy.special import ndtri

        size = -ndtri(np.clip(self.p, 1e-300, 1.0) / 2)
        return np.where(np.isfinite(self.gap), np.sign(self.gap) * size, -np.inf)


def best_set_of(names: Sequence[str], leads: Leads, order: Sequence[str], confidence: float) -> BestSet:
    """The models that no other leads by more than the largest of the leads over them may be by chance."""
    m = len(names)
    if m == 2 or leads.plain is None:
        method: How = "bonferroni"
        limits = np.full(m, normal_quantile(1 - (1 - confidence) / (m - 1)))
    else:
        method, limits = "max_t", _drawn_limits(leads, confidence)
    most = leads.scores.max(axis=0, where=~np.eye(m, dtype=bool), initial=-np.inf)
    kept = most <= limits
    place = {name: i for i, name in enumerate(names)}
    best = tuple(name for name in order if kept[place[name]])
    behind = {name: _behind(leads, i, kept, limits) for i, name in enumerate(names)}
    return BestSet(best, confidence, method, behind)


def _behind(leads: Leads, i: int, kept: NDArray[np.bool_], limits: Array) -> float:
    """The most that a model of the set may lead this one by: no true best leads it by more, whichever model it is.

    Of the one that leads it most, the pair's own bound is taken where that is further: it allows for few rows that tell
    the two apart. Not known where a value or a standard error is not.
    """
    others = np.flatnonzero(kept & (np.arange(len(kept)) != i))
    if not len(others):
        return 0.0
    reach = leads.gap[others, i] + limits[others] * leads.spread[others, i]
    if np.isnan(reach).any():
        return math.nan
    first = int(others[reach.argmax()])
    own = -math.inf if leads.most is None else leads.most(first, i, float(normal_tail(-limits[first])))
    return float(max(reach.max(), own, 0.0))


def _drawn_limits(leads: Leads, confidence: float) -> Array:
    """For each model, what the largest lead over it stays below by chance.

    Leads over one model are drawn from the covariance of the models' values, each over the standard error of its test,
    plus an independent part where that error is larger than the rows alone make it: what an added row gives.
    """
    assert leads.plain is not None
    m = len(leads.gap)
    defined = np.isfinite(leads.gap) & np.isfinite(leads.spread) & (leads.spread > 0)
    apart = np.where(defined, leads.plain**2, 0.0)
    np.fill_diagonal(apart, 0.0)
    centring = np.eye(m) - 1 / m
    roots, vectors = np.linalg.eigh(-0.5 * centring @ apart @ centring)
    rng = np.random.default_rng(SEED)
    drawn = rng.standard_normal((DRAWS, m)) @ (vectors * np.sqrt(np.clip(roots, 0.0, None))).T
    alone = rng.standard_normal((DRAWS, m))
    scale = np.where(defined, leads.spread, np.inf)
    share = np.clip(apart / scale**2, 0.0, 1.0)
    limits = np.full(m, normal_quantile(confidence))
    for j in range(m):
        others = np.flatnonzero(defined[:, j])
        if len(others) > 1:
            made = drawn[:, others] - drawn[:, [j]]
            size = np.sqrt((made**2).mean(axis=0))
            # to the share of the variance that the rows give, whatever rounding and grouping left of it
            made *= np.divide(np.sqrt(share[others, j]), size, out=np.zeros_like(size), where=size > 0)
            made += np.sqrt(1 - share[others, j]) * alone[:, others]
            limits[j] = np.quantile(made.max(axis=1), confidence)
    return limits
