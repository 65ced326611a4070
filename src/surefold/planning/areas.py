"""Plans for areas under the ROC curve: one against a fixed value or to a width, and two on the same rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from surefold.errors import InputError
from surefold.estimates.auc import few_of_a_class
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.quantiles import beta_quantile, normal_quantile, normal_tail
from surefold.planning.binormal import FORMS, AreaMoments, PairMoments
from surefold.planning.design import Design, Facts, told_apart
from surefold.significance.paired_auc import ADDED, PairedAreas
from surefold.significance.wins_and_losses import bounds_of, shrunk

__all__ = ["AucDesign", "PairedAucDesign"]

_UNIT = (0.0, 1.0)
_POSITIVES = "give the share of the rows that are positive, between 0 and 1, such as positives_share=0.2"
_AREA = "give an area between 0 and 1, neither of them, such as 0.85"
#: With more effective rows than this a Beta distribution is normal, and its tails are no longer worth a series.
_NORMAL_FROM = 1e8
#: With fewer than these the width is averaged over that many areas, as it is curved in the area.
_NARROW_FROM, _PLACES = 1e4, 40


@dataclass(frozen=True, kw_only=True)
class _Areas(Design):
    least: ClassVar[int] = 4

    positives_share: float

    def classes(self, n: int) -> tuple[float, float]:
        """Positives and negatives among n rows, never fewer than one; parts of rows keep the power smooth."""
        m = min(max(n * self.positives_share, 1.0), n - 1.0)
        return m, n - m

    def parts(self, n: int) -> dict[str, int]:
        m = min(max(round(n * self.positives_share), 1), n - 1)
        return {"positives": m, "negatives": n - m}

    def flags(self, n: int) -> tuple[str, ...]:
        return ("few_of_a_class",) if few_of_a_class(min(self.classes(n))) else ()

    def rows_text(self, rows: int) -> str:
        parts = self.parts(rows)
        return f"{rows:,} rows, {parts['positives']:,} of them positive,"


def _interval(area: float, classes: tuple[float, float], form: str, confidence: float) -> tuple[float, float]:
    """The one-row interval around an area with the spread that such scores have on average."""
    centre, variance = AreaMoments.of(area, form).expected(*classes).one_row()
    rows = effective_rows(centre, variance, _UNIT)
    low, high = beta_interval(centre, rows, area, _UNIT, confidence, 0.0)
    return float(low), float(high)


@lru_cache(maxsize=1024)
def _edge(null: float, end: float, classes: tuple[float, float], form: str, confidence: float) -> float:
    """The area nearest to `null`, towards `end`, whose interval leaves it out; `end` itself if there is none."""
    inside, outside = null, end
    for _ in range(50):
        middle = (inside + outside) / 2
        if middle in (inside, outside):
            break
        low, high = _interval(middle, classes, form, confidence)
        inside, outside = (middle, outside) if low <= null <= high else (inside, middle)
    return outside


@dataclass(frozen=True, kw_only=True)
class AucDesign(_Areas):
    """An area `value` whose one-row interval is to be so wide, or to leave out `null`."""

    kind: ClassVar[str] = "auc"
    known: ClassVar[tuple[str, ...]] = (
        "value",
        "width",
        "null",
        "positives_share",
        "form",
        "direction",
        "design_effect",
    )

    value: float
    null: float | None = None
    form: str = "binormal"

    @classmethod
    def of(cls, facts: Facts, confidence: float) -> Self:
        """One area against `null`, or with an interval of `width`."""
        value, common = facts.inside("value", _AREA), cls._common(facts, confidence)
        if facts.one_goal("width", "null") == "width":
            width = facts.above_zero("width", "give the full width of the interval, above 0, such as width=0.05")
            return cls(value=value, width=width, **common)
        null = facts.inside("null", _AREA)
        facts.different(value, null, "value = null")
        return cls(value=value, null=null, **common)

    @classmethod
    def _common(cls, facts: Facts, confidence: float) -> dict[str, Any]:
        share = facts.inside("positives_share", _POSITIVES)
        form, effect = facts.choice("form", FORMS), facts.design_effect()
        return {"confidence": confidence, "design_effect": effect, "positives_share": share, "form": form}

    @classmethod
    def around(cls, facts: Facts, confidence: float) -> tuple[Callable[[float], Design], float]:
        """Areas above or below `null`, at each distance from it."""
        null, common = facts.inside("null", _AREA), cls._common(facts, confidence)
        sign = 1 if facts.choice("direction", ("above", "below")) == "above" else -1
        return lambda d: cls(value=null + sign * d, null=null, **common), (1 - null if sign > 0 else null) * (1 - 1e-9)

    @property
    def method(self) -> str:
        """The one-row interval, and how scores are thought to be spread."""
        return f"one-row interval, {self.form} scores"

    @property
    def goal(self) -> str:
        """An area to be told from another, or known within a width."""
        if self.null is None:
            return f"around an area of {self.value:.4g}"
        value, null = told_apart(self.value, self.null)
        return f"tell an area under the ROC curve of {value} from {null}"

    @property
    def difference(self) -> float:
        """How far the area is from `null`; NaN where a width is planned."""
        return math.nan if self.null is None else abs(self.value - self.null)

    def facts(self) -> dict[str, Any]:
        """The area, `null`, the share of positives and the form of the scores."""
        return {"value": self.value, "null": self.null, "positives_share": self.positives_share, "form": self.form}

    @cached_property
    def _moments(self) -> AreaMoments:
        return AreaMoments.of(self.value, self.form)

    def power_at(self, n: int) -> float:
        """P(the area seen is one whose interval leaves out `null`), that area being Beta with the right variance."""
        if self.null is None:
            return math.nan
        classes = self.classes(n)
        rows = self.value * (1 - self.value) / self._moments.variance(*classes) - 1
        low, high = (_edge(self.null, end, classes, self.form, self.confidence) for end in _UNIT)
        return self._tail(high, rows, upper=True) + self._tail(low, rows, upper=False)

    def _tail(self, edge: float, rows: float, upper: bool) -> float:
        from scipy.special import betainc

        if edge in _UNIT or rows <= 0:  # no area is far enough away
            return 0.0
        if rows > _NORMAL_FROM:
            z = (edge - self.value) / math.sqrt(self.value * (1 - self.value) / (rows + 1))
            return float(normal_tail(z if upper else -z))
        a, b = self.value * rows, (1 - self.value) * rows
        return float(betainc(b, a, 1 - edge) if upper else betainc(a, b, edge))

    def width_at(self, n: int) -> float:
        """The mean over areas that may be seen; with many rows, the width around the area itself."""
        seen = [self.value]
        rows = self.value * (1 - self.value) / self._moments.variance(*self.classes(n)) - 1
        if 0 < rows < _NARROW_FROM:
            places = (np.arange(_PLACES) + 0.5) / _PLACES
            seen = [float(beta_quantile(p, self.value * rows, (1 - self.value) * rows)) for p in places]
        classes = self.classes(n)
        ends = [_interval(min(max(area, 1e-9), 1 - 1e-9), classes, self.form, self.confidence) for area in seen]
        return sum(high - low for low, high in ends) / len(ends)

    def guess(self, power: float) -> float:
        """From the variance of the area on a million rows."""
        rows = 1e6
        spread = self._moments.variance(*self.classes(int(rows))) * rows
        if self.null is None:
            return (2 * self.z / (self.width or 1.0)) ** 2 * spread
        return ((self.z + max(normal_quantile(power), 0)) / self.difference) ** 2 * spread


@dataclass(frozen=True, kw_only=True)
class PairedAucDesign(_Areas):
    """Two areas of the same rows whose scores correlate within each class, compared as `compare` does."""

    kind: ClassVar[str] = "paired_auc"
    known: ClassVar[tuple[str, ...]] = (
        "first",
        "second",
        "correlation",
        "positives_share",
        "direction",
        "design_effect",
    )

    first: float
    second: float
    correlation: float

    @classmethod
    def of(cls, facts: Facts, confidence: float) -> Self:
        """Two areas on the same rows, and how their scores correlate."""
        first, second = facts.inside("first", _AREA), facts.inside("second", _AREA)
        facts.different(first, second, "first = second")
        return cls(first=first, second=second, **cls._common(facts, confidence))

    @classmethod
    def _common(cls, facts: Facts, confidence: float) -> dict[str, Any]:
        cure = (
            "give how the two scores correlate among rows of one class, above -1 and below 1, such as correlation=0.5"
        )
        correlation = facts.number("correlation", -1, 1, cure=cure)
        if abs(correlation) == 1:
            raise InputError("bad_option", f"correlation={correlation:g}", cure=cure)
        share, effect = facts.inside("positives_share", _POSITIVES), facts.design_effect()
        common = {"confidence": confidence, "design_effect": effect}
        return common | {"positives_share": share, "correlation": correlation}

    @classmethod
    def around(cls, facts: Facts, confidence: float) -> tuple[Callable[[float], Design], float]:
        """Second areas above or below the first, at each distance from it."""
        first, common = facts.inside("first", _AREA), cls._common(facts, confidence)
        sign = 1 if facts.choice("direction", ("above", "below")) == "above" else -1
        most = (1 - first if sign > 0 else first) * (1 - 1e-9)
        return lambda d: cls(first=first, second=first + sign * d, **common), most

    @property
    def method(self) -> str:
        """What the difference is judged by, and the shape of the scores."""
        return "rows won and lost, binormal scores"

    @property
    def goal(self) -> str:
        """Two areas to be told apart, and how their scores correlate."""
        first, second = told_apart(self.first, self.second)
        return (
            f"tell an area under the ROC curve of {first} from one of {second} on the same rows, "
            f"scores correlating by {self.correlation:.3g}"
        )

    @property
    def difference(self) -> float:
        """How far apart the areas are."""
        return abs(self.first - self.second)

    def facts(self) -> dict[str, Any]:
        """Both areas, the correlation and the share of positives."""
        facts = {"first": self.first, "second": self.second, "correlation": self.correlation}
        return facts | {"positives_share": self.positives_share}

    @cached_property
    def _moments(self) -> PairMoments:
        return PairMoments.of(self.first, self.second, self.correlation)

    def power_at(self, n: int) -> float:
        """The difference seen is normal; how far its bounds reach is taken as it is on average."""
        m, k = self.classes(n)
        found = self._moments
        if min(m, k) <= 1:
            return 0.0
        counts = found.counts(m, k)
        pair = PairedAreas(found.difference, m, k, *found.spreads(m, k))
        beside = self.z * math.sqrt(pair.variance(shrunk(ADDED, counts.deciding)))
        below, above = (max(abs(float(x)), beside) for x in bounds_of(counts, 0.0, (1 + self.confidence) / 2))
        spread, apart = math.sqrt(found.variance(m, k)), found.difference
        if spread == 0:
            return 1.0 if apart > below or -apart > above else 0.0
        return float(normal_tail((below - apart) / spread) + normal_tail((above + apart) / spread))

    def guess(self, power: float) -> float:
        """From the variance of the difference on a million rows."""
        rows = 1e6
        spread = self._moments.variance(*self.classes(int(rows))) * rows
        return ((self.z + max(normal_quantile(power), 0)) / self.difference) ** 2 * spread
