"""One model's curve less another's on the same rows: where is the first surely above, and do the curves cross?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold._version import heading
from surefold.comparison.compare import answers_of, compare
from surefold.comparison.difference_bands import CurveKind, PairedScores, difference_bands
from surefold.comparison.result import Comparison
from surefold.curves.curve import Curve, share_of_one
from surefold.curves.gains import Gains
from surefold.curves.roc import Roc
from surefold.errors import InputError, UnknownNameError, refuse_unknown, show
from surefold.estimates.auc import few_of_a_class
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import checked_confidence, checked_draws, checked_seed, normal_quantile, t_quantile
from surefold.estimates.score_draws import seed_of
from surefold.evidence.held import Held
from surefold.inputs.door import Columns, Door
from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["Crossing", "DifferenceCurve", "DifferencePoint", "difference_curve", "gains_difference", "roc_difference"]

Array = NDArray[np.float64]
Stretch = tuple[float, float]

KINDS: dict[str, type[Roc] | type[Gains]] = {"roc": Roc, "gains": Gains}
Y_NAMES = {"roc": "Difference of the true-positive rates", "gains": "Difference of the shares of positives found"}
FEW_CLUSTERS = 10
#: Stretches of x that a sentence names.
MOST_TOLD = 3


@dataclass(frozen=True)
class DifferencePoint:
    """The difference at one x, its own limits, and those that hold at all x at once."""

    x: float
    difference: float
    low: float
    high: float
    band_low: float
    band_high: float

    def __str__(self) -> str:
        return f"{self.difference:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class Crossing:
    """Where the band leaves 0 out, and where the sample's curves change places.

    above, below: stretches of x on which the first is surely above, or below, the second.
    changes:      x at which the difference of the sample changes sign; chance alone makes some.

    True where the curves surely cross: above on one stretch and below on another.
    """

    above: tuple[Stretch, ...]
    below: tuple[Stretch, ...]
    changes: tuple[float, ...]

    def __bool__(self) -> bool:
        return bool(self.above and self.below)

    def to_dict(self) -> dict[str, Any]:
        """Where one is above, where it is below, and where the sign changes, as plain values."""
        told = {"above": [list(s) for s in self.above], "below": [list(s) for s in self.below]}
        return {"surely": bool(self), **told, "changes": list(self.changes)}


@dataclass(frozen=True, eq=False)
class DifferenceCurve:
    """First minus second at each x: TPR at the same false-positive rate, or share found in the same share of the rows.

    `low` and `high` are limits at one x, `band_low` and `band_high` those that hold at all x at once. `area` is the
    difference of the two areas with its own interval, which is much the sharper question where curves do not cross.
    """

    first: str
    second: str
    kind: CurveKind
    x: Array = field(repr=False)
    difference: Array = field(repr=False)
    low: Array = field(repr=False)
    high: Array = field(repr=False)
    band_low: Array = field(repr=False)
    band_high: Array = field(repr=False)
    area: Estimate
    curves: tuple[Curve, Curve] = field(repr=False)
    confidence: float = 0.95
    draws: int = 1_000
    seed: int = 0
    n: float = float("nan")
    flags: tuple[str, ...] = ()

    method = "paired bootstrap, greatest t, one row added"

    @property
    def x_name(self) -> str:
        """What runs along the curve."""
        return KINDS[self.kind].x_name

    @property
    def y_name(self) -> str:
        """What the difference is of."""
        return Y_NAMES[self.kind]

    def at(self, x: float) -> DifferencePoint:
        """The difference at an x from 0 to 1, with its limits there."""
        x = share_of_one("x", x)
        first, second = (float(np.interp(x + 1e-12, c.x, c.y)) for c in self.curves)
        limits = (float(np.interp(x, self.x, y)) for y in (self.low, self.high, self.band_low, self.band_high))
        low, high, band_low, band_high = limits
        d = first - second  # the limits are drawn between places, and a step between two of them belongs inside
        return DifferencePoint(x, d, min(low, d), max(high, d), min(band_low, d), max(band_high, d))

    @cached_property
    def crosses(self) -> Crossing:
        """Where the first is surely above or below; true where the curves surely cross."""
        above, below = _stretches(self.x, self.band_low > 0), _stretches(self.x, self.band_high < 0)
        there = np.flatnonzero(np.abs(self.difference) > 1e-12)
        x, d = self.x[there], self.difference[there]
        turn = np.flatnonzero(np.sign(d[1:]) != np.sign(d[:-1]))
        share = d[turn] / (d[turn] - d[turn + 1])
        return Crossing(above, below, tuple((x[turn] + share * (x[turn + 1] - x[turn])).tolist()))

    @property
    def verdict(self) -> str:
        """What the band shows, and the areas."""
        level = f"{self.confidence * 100:g} %"
        what = "false-positive rates" if self.kind == "roc" else "shares of the rows"
        c, finds = self.crosses, "finds more positives"
        area = f"The area differs by {self.area}."
        if not (c.above or c.below):
            shown = f"At no {what[:-1] if self.kind == 'roc' else 'share of the rows'} is it sure which of {self.first}"
            return f"{shown} and {self.second} {finds}: the {level} band holds 0 everywhere. {area}"
        told = []
        for stretches, better, other in ((c.above, self.first, self.second), (c.below, self.second, self.first)):
            if stretches:
                told.append(f"{better} {finds} than {other} at {what} {_listed(stretches)}")
        opening = "The curves cross: " if c else ""
        return f"{opening}{', and '.join(told)}; elsewhere the {level} band holds 0. {area}"

    def __str__(self) -> str:
        return self.verdict

    def to_frame(self) -> Any:
        """A polars frame with one row an x."""
        import polars as pl

        x_column = KINDS[self.kind].columns[0]
        return pl.DataFrame({x_column: self.x, **{name: getattr(self, name) for name in _COLUMNS}})

    def _repr_html_(self) -> str:
        from surefold.report.notebook import figure_html

        return figure_html(self)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the difference with both bands."""
        from surefold.show.plots import plot

        return plot(self, None, ax, **options)

    def to_dict(self) -> dict[str, Any]:
        """Points, band, crossings and the difference of the areas, as plain values ready for JSON."""
        return {
            **heading("difference_curve"),
            "curve": self.kind,
            "first": self.first,
            "second": self.second,
            "x": self.x.tolist(),
            **{name: getattr(self, name).tolist() for name in _COLUMNS},
            "area": self.area.to_dict(),
            "crosses": self.crosses.to_dict(),
            "confidence": self.confidence,
            "method": self.method,
            "draws": self.draws,
            "random_state": self.seed,
            "n": self.n,
            "flags": list(self.flags),
            "verdict": self.verdict,
        }


_COLUMNS = ("difference", "low", "high", "band_low", "band_high")


def _stretches(x: Array, held: NDArray[np.bool_]) -> tuple[Stretch, ...]:
    """Runs of places at which something holds.

    >>> _stretches(np.array([0, 0.1, 0.2, 0.3, 0.4]), np.array([False, True, True, False, True]))
    ((0.1, 0.2), (0.4, 0.4))
    """
    edges = np.diff(np.concatenate([[False], held, [False]]).astype(int))
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    return tuple((float(x[a]), float(x[b])) for a, b in zip(starts, ends, strict=True))


def _listed(stretches: Sequence[Stretch]) -> str:
    """The longest in words, in order.

    >>> _listed([(0.1, 0.2), (0.3, 0.3), (0.4, 0.9)]), _listed([(i / 10, i / 10) for i in range(5)])
    ('0.1 to 0.2, 0.3 and 0.4 to 0.9', '0, 0.1, 0.2 and 2 shorter stretches')
    """
    longest = sorted(sorted(stretches, key=lambda s: s[0] - s[1])[:MOST_TOLD])
    shown = [f"{a:.3g} to {b:.3g}" if b > a else f"{a:.3g}" for a, b in longest]
    rest = len(stretches) - len(shown)
    shown += [f"{rest} shorter stretch{'es' if rest > 1 else ''}"] if rest else []
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def difference_curve(
    compared: Comparison | Held,
    first: str,
    second: str,
    kind: CurveKind = "roc",
    confidence: float | None = None,
    *,
    draws: int = 1_000,
    random_state: int | np.random.Generator | None = None,
) -> DifferenceCurve:
    """The ROC or gains curve of one model less that of another, with a band for each x and one for all x at once.

    Models are those of a comparison of scores. Rows (or whole groups) are drawn again `draws` times, both models
    together; `random_state` is a seed, 0 unless said, and is kept with the result.
    """
    models = compared.models if isinstance(compared, Comparison) else compared
    if confidence is None:
        confidence = compared.confidence if isinstance(compared, Comparison) else 0.95
    confidence = checked_confidence(confidence)
    refuse_unknown("kind of difference curve", kind, KINDS)
    if models is None:
        cure = "compare scores of the same rows: compare(y_true, {'a': scores, 'b': scores})"
        raise InputError("bad_option", "this comparison keeps no scores of rows", cure=cure)
    for name in (first, second):
        if name not in models.names:
            raise UnknownNameError("model", name, models.names)
    if first == second:
        raise InputError("bad_option", f"{show(first)} less itself", cure="name two different models")
    pair = {name: models.predictions(name) for name in (first, second)}
    for name, p in pair.items():
        if p.scores is None or p.scores.ndim != 1 or p.positive is None:
            problem = f"model {show(name)} has no single score a row, which a {KINDS[kind].name} needs"
            raise InputError("bad_option", problem, cure="compare scores of one positive class, with pos_label=")
    return _made(pair, kind, confidence, checked_draws(draws), _seed(random_state))


def _seed(random_state: int | np.random.Generator | None) -> int:
    if random_state is None:
        return 0
    checked_seed(random_state)
    return int(random_state) if isinstance(random_state, int | np.integer) else seed_of(random_state)


def _made(pair: dict[str, Predictions], kind: CurveKind, confidence: float, draws: int, seed: int) -> DifferenceCurve:
    rows = _rows(pair)
    area = _area(pair, confidence)
    flags: tuple[str, ...] = ()
    t_over_z = 1.0
    if rows.groups is not None:
        alone = _area({name: replace(p, groups=None) for name, p in pair.items()}, confidence)
        rows = replace(rows, design_effect=(area.se / alone.se) ** 2 if alone.se > 0 else 1.0)
        p = (1 + confidence) / 2
        t_over_z = t_quantile(p, max(rows.groups_worth - 1, 1.0)) / normal_quantile(p)
        flags = ("grouped", "few_clusters") if rows.groups_worth < FEW_CLUSTERS - 1e-9 else ("grouped",)
    if few_of_a_class(min(rows.positives, rows.negatives)):
        flags = (*flags, "few_of_a_class")
    if np.ptp(rows.weights) > 1e-9 * rows.weights.max():
        flags = (*flags, "weighted")
    tallies = [ScoreGroups.of_predictions(p) for p in pair.values()]
    first, second = (KINDS[kind].of(t) for t in tallies)
    found = difference_bands(
        rows,
        kind,
        ((first.x, first.y), (second.x, second.y)),
        confidence=confidence,
        draws=draws,
        seed=seed,
        t_over_z=t_over_z,
    )
    if kind == "gains":
        area = _of_gains(area, tallies[0].negatives / tallies[0].total)
    lines = (found.x, found.difference, found.low, found.high, found.band_low, found.band_high)
    one, other = pair
    return DifferenceCurve(
        one, other, kind, *lines, area, (first, second), confidence, draws, seed, float(rows.n), flags
    )


def _area(pair: dict[str, Predictions], confidence: float) -> Estimate:
    return compare(pair, measure="roc_auc", confidence=confidence).differences[0].effect


def _rows(pair: dict[str, Predictions]) -> PairedScores:
    p, other = pair.values()
    if p.scores is None or other.scores is None:
        raise AssertionError("scores were checked to be there")
    weights = np.ones(p.n) if p.weights is None else p.weights
    kept = weights > 0
    is_positive = np.asarray(p.truth == p.positive)[kept]
    if is_positive.all() or not is_positive.any():
        problem = "the difference of two curves is undefined: one of the classes has no rows"
        raise InputError("bad_option", problem, cure="ask for it on rows of both classes")
    groups = None if p.groups is None else np.unique(p.groups[kept], return_inverse=True)[1]
    return PairedScores(is_positive, (p.scores[kept], other.scores[kept]), weights[kept], groups)


def _of_gains(area: Estimate, negatives: float) -> Estimate:
    """The area under a gains curve is 1/2 + (share of negatives) (AUC - 1/2); the share is taken as known."""
    value, low, high, se = (x * negatives for x in (area.value, area.low, area.high, area.se))
    return replace(area, value=value, low=low, high=high, se=se, name="gains area difference")


def roc_difference(
    y_true: Any,
    s1: Any,
    s2: Any,
    *,
    pos_label: Label | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    confidence: float = 0.95,
    names: tuple[str, str] = ("first", "second"),
    draws: int = 1_000,
    random_state: int | np.random.Generator | None = None,
) -> DifferenceCurve:
    """True-positive rate of the first scores less that of the second, at every false-positive rate.

    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]  # at FPR 0 the first finds 3 of 4, the second 2; from 1/2 on 4 and 3
    >>> d = roc_difference(y, [1, 2, 3, 5, 4, 6, 7, 8], [1, 5, 3, 6, 4, 2, 7, 8])
    >>> d.at(0).difference, d.at(0.5).difference, d.area.value
    (0.25, 0.25, 0.25)
    """
    door = {"pos_label": pos_label, "sample_weight": sample_weight, "groups": groups}
    return _of_scores("roc", y_true, (s1, s2), names, door, confidence, draws, random_state)


def gains_difference(
    y_true: Any,
    s1: Any,
    s2: Any,
    *,
    pos_label: Label | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    confidence: float = 0.95,
    names: tuple[str, str] = ("first", "second"),
    draws: int = 1_000,
    random_state: int | np.random.Generator | None = None,
) -> DifferenceCurve:
    """Share of the positives found by the first scores less that by the second, in every share of the rows.

    >>> y = [0, 0, 0, 0, 1, 1, 1, 1]  # of the best half the first has 3 of the 4 positives, the second 2
    >>> d = gains_difference(y, [1, 2, 3, 5, 4, 6, 7, 8], [1, 5, 3, 6, 4, 2, 7, 8])
    >>> d.at(0.5).difference, d.area.value
    (0.25, 0.125)
    """
    door = {"pos_label": pos_label, "sample_weight": sample_weight, "groups": groups}
    return _of_scores("gains", y_true, (s1, s2), names, door, confidence, draws, random_state)


def _of_scores(
    kind: CurveKind,
    y_true: Any,
    scores: tuple[Any, Any],
    names: tuple[str, str],
    door: dict[str, Any],
    confidence: float,
    draws: int,
    random_state: int | np.random.Generator | None,
) -> DifferenceCurve:
    if len(names) != 2 or str(names[0]) == str(names[1]):
        raise InputError("bad_option", f"names={show(names)}", cure="give two different names")
    first, second = map(str, names)
    door_of = Door(pos_label=door["pos_label"])
    by_name = {} if door["groups"] is None else {"groups": door["groups"]}
    answers = answers_of(dict(zip((first, second), scores, strict=True)), "scores")
    models = Held.of(Columns(y_true, answers, door["sample_weight"], by_name), door_of)
    return difference_curve(models, first, second, kind, confidence, draws=draws, random_state=random_state)
