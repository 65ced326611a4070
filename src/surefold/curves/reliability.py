"""The reliability diagram: in bins of scores, the mean score and the share of positives with its interval."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.measures.calibration import calibration_error_in_the_large
from surefold.measures.proper import INFINITE, has_probabilities
from surefold.measures.score_bins import Bins, bin_scores
from surefold.tallies.score_groups import ScoreGroups

if TYPE_CHECKING:
    from surefold.estimates.estimate import Estimate
    from surefold.findings import Finding

__all__ = ["Reliability", "reliability"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reliability:
    """Bins with rows in them, lowest scores first. `reason` says why there are none."""

    tally: ScoreGroups = field(repr=False)
    bins: Bins | None = field(repr=False)
    confidence: float = 0.95
    simultaneous: bool = False
    reason: str = ""

    def __len__(self) -> int:
        return 0 if self.bins is None else len(self.bins.weight)

    @property
    def mean_score(self) -> Array:
        """The mean score of each bin."""
        return self._of_bins("mean_score")

    @property
    def share(self) -> Array:
        """The share of positives."""
        return self._of_bins("share")

    @property
    def n(self) -> Array:
        """Rows; their weight, where they are weighted."""
        return self._of_bins("weight")

    @property
    def low_score(self) -> Array:
        """The lowest score in the bin."""
        return self._of_bins("low")

    @property
    def high_score(self) -> Array:
        """The highest score in the bin."""
        return self._of_bins("high")

    @property
    def low(self) -> Array:
        """The lower end of the interval of the share."""
        return self.interval()[0]

    @property
    def high(self) -> Array:
        """The upper end of the interval of the share."""
        return self.interval()[1]

    def _of_bins(self, name: str) -> Array:
        return np.zeros(0) if self.bins is None else np.asarray(getattr(self.bins, name))

    # later rooms

    def interval(self) -> tuple[Array, Array]:
        """The interval of each share; with `simultaneous` all of them hold at once at the confidence."""
        from surefold.estimates.calibration import bin_share_bounds

        return bin_share_bounds(self.bins, self.confidence, self.simultaneous)

    def in_the_large(self) -> Estimate:
        """Mean score less share of positives over all rows, with its interval."""
        from surefold.estimates.losses import mean_estimate

        return mean_estimate(calibration_error_in_the_large, self.tally, confidence=self.confidence)

    def finding(self) -> Finding | None:
        """`scores_run_high` or `scores_run_low`, when the interval of calibration in the large leaves out 0."""
        from surefold.estimates.calibration import calibration_finding

        return calibration_finding(self.tally, self.confidence)

    def _repr_html_(self) -> str:
        from surefold.report.notebook import figure_html

        return figure_html(self)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the diagram with matplotlib; options are those of a curve."""
        from surefold.show.plots import plot

        return plot(self, None, ax, **options)

    def to_frame(self) -> Any:
        """A polars frame with one row a bin."""
        import polars as pl

        low, high = self.interval()
        columns = {
            "mean_score": self.mean_score,
            "share": self.share,
            "low": low,
            "high": high,
            "n": self.n,
            "low_score": self.low_score,
            "high_score": self.high_score,
        }
        return pl.DataFrame(columns)


def reliability(
    t: ScoreGroups, bins: int = 10, strategy: str = "mass", confidence: float = 0.95, *, simultaneous: bool = False
) -> Reliability:
    """The reliability diagram of P(positive): bins of equal mass, of equal "width", or cut at "quantiles".

    >>> t = ScoreGroups.of(np.array([0.1, 0.2, 0.8, 0.9]), np.array([False, True, True, True]))
    >>> r = reliability(t, bins=2)
    >>> r.mean_score.round(3).tolist(), r.share.tolist(), r.n.tolist()
    ([0.15, 0.85], [0.5, 1.0], [2.0, 2.0])
    """
    if not has_probabilities(t):
        return Reliability(t, None, confidence, simultaneous, INFINITE)
    return Reliability(t, bin_scores(t, bins, strategy), confidence, simultaneous)
