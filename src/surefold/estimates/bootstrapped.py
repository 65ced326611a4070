"""Estimates of a model's error from bootstrap samples, with intervals for the error of the model of all rows.

Models are trained on samples of n rows drawn with replacement. Tested on all rows they flatter (`on_all`, as some
books do it); tested on the rows left out they come out too bad, being trained on .632 of the rows (`out_of_bag`);
.632 and .632+ lie between. How far off each is depends on the learner and does not shrink with n, so an interval
around any one of them alone misses: for the nearest neighbour .632+ with n = 200 covers .69, for five neighbours the
out-of-bag error .71. The interval given here therefore spans them: from the low end at .632+ (.632 if the
no-information rate is not known) to the high end at the out-of-bag error, each end that of a one-row interval on the
rows tested, as if each had been tested once. That is about as wide as the corrected interval over 10 x 10 folds.

Efron and Tibshirani's standard error of the out-of-bag error (1997, their delta method after bootstrap) was tried and
left: with 50 to 200 samples its own noise makes intervals twice as wide as needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, refuse_unknown
from surefold.estimates.estimate import Estimate
from surefold.estimates.mean import mean_interval
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.optimism import point632, point632plus
from surefold.estimates.quantiles import checked_confidence, normal_quantile

__all__ = ["BootstrapLosses", "Per"]

Array = NDArray[np.float64]
Limits = tuple[float, float]
Per = Literal["sample", "row"]


@dataclass(frozen=True, eq=False)
class BootstrapLosses:
    """What the estimates need of the losses: means of samples, and sums over the rows left out, by sample and by row.

    >>> b = BootstrapLosses.of([[0, 0, 1, 0], [0, 1, 0, 1]], [[2, 2, 0, 0], [0, 0, 1, 3]], [0, 0, 0, 1])
    >>> print(b.out_of_bag(), float(b.out_of_bag(per="row")), float(b.apparent_error()), float(b.on_all()))
    0.50 [0.04, 0.93] 0.5 0.25 0.375
    """

    sample_means: Array
    sample_out: Array
    sample_loss: Array
    row_out: Array
    row_loss: Array
    squares: float
    apparent: float
    no_information_rate: float | None = None
    limits: Limits = (0.0, 1.0)

    @classmethod
    def of(
        cls,
        losses: ArrayLike,
        in_bag: ArrayLike,
        apparent: ArrayLike,
        *,
        no_information_rate: float | None = None,
        limits: Limits = (0.0, 1.0),
    ) -> BootstrapLosses:
        """From samples x rows of losses, samples x rows of counts, and the losses of the model of all rows.

        `losses[b, i]`: the model of sample b on row i, whether it was trained on it or not; `in_bag[b, i]`: how often
        sample b holds row i; `apparent[i]`: the model of all rows on row i. A loss is 0 or 1 (then its mean is the
        error rate) or any number within `limits`; `no_information_rate` is its mean over all pairs of a true label and
        a prediction.
        """
        every, drawn, own = np.asarray(losses), np.asarray(in_bag), np.asarray(apparent, dtype=float)
        if every.ndim != 2 or drawn.shape != every.shape or own.shape != every.shape[1:]:
            problem = f"losses {every.shape}, in_bag {drawn.shape} and apparent {own.shape} do not fit"
            raise InputError("bad_shape", problem, cure="give samples x rows, samples x rows and rows")
        if not every.size:
            raise InputError("no_rows", "losses is empty", cure="give at least one sample and one row")
        least, greatest = _checked_limits(limits)
        own = _checked_losses(own, (least, greatest))
        if no_information_rate is not None and not 0 <= no_information_rate < math.inf:
            cure = "give an error rate"
            raise InputError("bad_option", f"no_information_rate={no_information_rate!r}", cure=cure)
        samples, rows = every.shape
        means, out, loss = np.zeros(samples), np.zeros(samples), np.zeros(samples)
        row_out, row_loss, squares = np.zeros(rows), np.zeros(rows), 0.0
        for b in range(samples):  # one sample at a time: no float copy of the whole
            x, is_out = _checked_losses(every[b].astype(float), (least, greatest)), _checked_counts(drawn[b]) == 0
            left = np.where(is_out, x, 0.0)
            means[b], out[b], loss[b] = x.mean(), is_out.sum(), left.sum()
            row_out += is_out
            row_loss += left
            squares += float(left @ left)
        gamma = None if no_information_rate is None else float(no_information_rate)
        return cls(means, out, loss, row_out, row_loss, squares, float(own.mean()), gamma, (least, greatest))

    # --- the figures

    def on_all(self, *, confidence: float = 0.95) -> Estimate:
        """Mean over samples of the mean loss on all rows, with the normal interval over samples, as books print it.

        Flagged `optimistic`: 63 % of the rows tested were trained on. The interval says how far the mean over more
        samples of these rows could be, and nothing about new rows.
        """
        found = mean_interval(self.sample_means, "normal", confidence=confidence)
        low, high = found.low, found.high
        flags: tuple[str, ...] = ("optimistic",)
        if not found.se > 0:  # equal values, or one: what the rows say, rather than a point
            low, high = self._bounds(float(found), self.rows, confidence)
            flags = ("optimistic", "degenerate") if self._at_an_end(float(found)) else flags
        low, high = max(low, self.limits[0]), min(high, self.limits[1])
        return Estimate(float(found), low, high, found.se, confidence, "normal", found.n, flags)

    def apparent_error(self, *, confidence: float = 0.95) -> Estimate:
        """Mean loss of the model of all rows on those rows: flagged `optimistic`, and its interval with it."""
        confidence, value = checked_confidence(confidence), self.apparent
        low, high = self._bounds(value, self.rows, confidence)
        flags = ("optimistic", "degenerate") if self._at_an_end(value) else ("optimistic",)
        return Estimate(value, low, high, self._se(value, self.rows), confidence, "one_row", self.rows, flags)

    def out_of_bag(self, *, per: Per = "sample", confidence: float = 0.95) -> Estimate:
        """Mean loss on rows left out of the sample: averaged within samples first, or within rows.

        "row" is Efron's leave-one-out bootstrap: for each row the models that were not trained on it.
        """
        return self._estimate(self._left_out(per), per, confidence)

    def point632(self, *, per: Per = "sample", confidence: float = 0.95) -> Estimate:
        """.368 x apparent + .632 x out-of-bag error; `optimistic` where the model fits its own rows without a loss."""
        left_out = self._left_out(per)
        value = point632(self.apparent, left_out) if math.isfinite(left_out) else math.nan
        return self._estimate(value, per, confidence, optimistic=self.apparent == self.limits[0])

    def point632plus(self, *, per: Per = "sample", confidence: float = 0.95) -> Estimate:
        """.632+, which leans on the out-of-bag error as the learner overfits; needs the no-information rate."""
        if self.no_information_rate is None:
            cure = "give no_information_rate=, from no_information_rate(y_true, y_pred) of the model of all rows"
            raise InputError("bad_option", ".632+ needs the no-information rate", cure=cure)
        return self._estimate(self._between(per), per, confidence)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.row_out)

    # --- how they are made

    def _left_out(self, per: Per) -> float:
        """The out-of-bag error; NaN if no row was left out of any sample."""
        refuse_unknown("per", per, ("sample", "row"))
        out, loss = (self.sample_out, self.sample_loss) if per == "sample" else (self.row_out, self.row_loss)
        tested = out > 0
        return float((loss[tested] / out[tested]).mean()) if tested.any() else math.nan

    def _between(self, per: Per) -> float:
        """The error at the low end: .632+, or .632 where the no-information rate is not known."""
        left_out = self._left_out(per)
        if not math.isfinite(left_out):
            return math.nan
        if self.no_information_rate is None:
            return point632(self.apparent, left_out)
        return point632plus(self.apparent, left_out, self.no_information_rate)

    def _estimate(self, value: float, per: Per, confidence: float, *, optimistic: bool = False) -> Estimate:
        confidence = checked_confidence(confidence)
        if math.isnan(value):
            reason = "no row was left out of any sample"
            return Estimate(value, math.nan, math.nan, confidence=confidence, method="span", n=self.rows, reason=reason)
        tested = int((self.row_out > 0).sum())
        others = value, self._between(per), self._left_out(per)

        def span(level: float) -> Limits:
            return (
                self._bounds(min(others), tested, level)[0],
                self._bounds(max(others), tested, level)[1],
            )

        low, high = span(confidence)
        flags = ["degenerate"] if self._at_an_end(value) else []
        if optimistic:
            flags.append("optimistic")
        if self.no_information_rate is not None and high >= self.no_information_rate:
            flags.append("near_chance")
        se = self._se(value, tested)
        worst = span(0.5)[1]
        return Estimate(value, low, high, se, confidence, "span", tested, tuple(flags), pessimistic=worst)

    def _at_an_end(self, value: float) -> bool:
        return value in self.limits

    @cached_property
    def _left_out_moments(self) -> tuple[float, float]:
        """Mean and variance of the single losses of rows left out, all samples together."""
        n = max(float(self.row_out.sum()), 1.0)
        mean = float(self.row_loss.sum()) / n
        return mean, max(self.squares / n - mean**2, 0.0)

    def _se(self, value: float, rows: int) -> float:
        """As if each row had been tested once."""
        return math.sqrt(self._variance(value) / rows)

    def _variance(self, value: float) -> float:
        """Variance of a single loss where the mean is `value`: that of the losses left out, moved along.

        Between two limits as v(1 - v) goes, which is the variance itself if losses are 0 or 1; else as v² goes.
        """
        least, greatest = self.limits
        mean, variance = self._left_out_moments
        if math.isinf(greatest):
            return variance * ((value - least) / (mean - least)) ** 2 if mean > least else 0.0
        most = (mean - least) * (greatest - mean)
        here = max((value - least) * (greatest - value), 0.0)
        return here * (variance / most if most > 0 else 1.0)

    def _bounds(self, value: float, rows: int, confidence: float) -> Limits:
        """The one-row interval of a mean of bounded losses; without an upper limit, normal on the log scale."""
        least, greatest = self.limits
        if math.isinf(greatest):
            size = value - least
            if size <= 0:
                return least, greatest
            away = max(math.sqrt(self._variance(value) / rows), size * math.sqrt(0.5) / (rows + 0.5)) / size
            times = math.exp(min(normal_quantile((1 + confidence) / 2) * away, 700.0))
            return least + size / times, least + size * times
        centre = (rows * value + (least + greatest) / 2) / (rows + 1)
        spread = rows * (self._variance(value) + (value - centre) ** 2)
        spread += ((greatest - centre) ** 2 + (centre - least) ** 2) / 2
        effective = effective_rows(centre, spread / (rows + 1) ** 2, self.limits)
        low, high = beta_interval(centre, effective, value, self.limits, confidence)
        return min(float(low), value), max(float(high), value)


def _checked_limits(limits: Limits) -> Limits:
    least, greatest = (float(end) for end in limits)
    if not (0 <= least < greatest and math.isfinite(least)):
        cure = "give the least and the greatest possible loss, such as (0, 1) or (0, math.inf)"
        raise InputError("bad_option", f"limits={limits!r}", cure=cure)
    return least, greatest


def _checked_losses(x: Array, limits: Limits) -> Array:
    """Finite, and within the limits up to rounding."""
    if not np.isfinite(x).all():
        cure = "give a loss for every row and sample, drawn or not"
        raise InputError("undefined_folds", "a loss is not finite", cure=cure)
    if x.min() < limits[0] - 1e-9 or x.max() > limits[1] + 1e-9:
        raise InputError("bad_option", f"a loss is outside limits={limits!r}", cure="give the limits of the loss")
    return np.clip(x, *limits)


def _checked_counts(drawn: NDArray[Any]) -> NDArray[Any]:
    if not ((drawn >= 0) & (drawn == np.floor(drawn))).all():
        cure = "count how often each row was drawn"
        raise InputError("bad_option", "in_bag holds a number that is not a count", cure=cure)
    return drawn
