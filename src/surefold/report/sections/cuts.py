"""The thresholds that the page can move over: counts at each, and intervals, so that the script makes none."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.assessment import Assessment
from surefold.estimates.intervals import table_intervals
from surefold.estimates.sample import Sample
from surefold.measures import catalogue
from surefold.report.figures.thinning import hull_places, spread_places
from surefold.report.sections.packed import packed
from surefold.tallies.confusion import Confusion
from surefold.tallies.ratio import ratio

__all__ = ["BOUNDED", "SHARES", "Cuts", "cost_with_bounds", "cuts_of", "precision_elsewhere"]

Array = NDArray[np.float64]

#: Bounds are held in thousandths, as they are shown. Costs are made of two rates, whose bounds have a digit more, and a
#: precision elsewhere of the ratio, whose bounds are logarithms.
RATES = ("recall", "specificity")
SHARES = ("precision", "recall", "specificity", "f1", "mcc")
LOGGED = "positive_likelihood_ratio"
BOUNDED = (*SHARES, "lift", LOGGED)
#: Thresholds a model has at most; fewer where rows come in groups, because each takes a pass over the rows.
MOST, MOST_GROUPED = 224, 96
#: What stands for a bound that is undefined, zero on a log scale, or infinite.
UNDEFINED, NOTHING, ENDLESS = -99_999, -99_998, 99_999


@dataclass(frozen=True, eq=False)
class Cuts:
    """Thresholds, highest first; `shown` writes each with four digits, or more where fewer would not cut the same rows.

    `start` is the place to stand at first, and `standing` the threshold as it is said there.
    """

    threshold: Array
    shown: tuple[str, ...]
    tp: Array
    fp: Array
    positives: float
    negatives: float
    bounds: dict[str, tuple[Array, Array]]
    distinct: int
    start: int
    standing: str

    def __len__(self) -> int:
        return len(self.threshold)

    def values(self, place: int) -> dict[str, float]:
        """The measures at one threshold."""
        tp, fp = float(self.tp[place]), float(self.fp[place])
        fn, tn = self.positives - tp, self.negatives - fp
        precision, share = float(ratio(tp, tp + fp)), float(ratio(tp, tp + fp + fn))
        n, called = self.positives + self.negatives, tp + fp
        both = n * (tp + tn) - (self.positives * called + self.negatives * (n - called))
        spread = (n**2 - (self.positives**2 + self.negatives**2)) * (n**2 - (called**2 + (n - called) ** 2))
        return {
            "precision": precision,
            "recall": float(ratio(tp, tp + fn)),
            "specificity": float(ratio(tn, tn + fp)),
            "f1": 2 * share / (1 + share),
            "mcc": float(ratio(both, math.sqrt(spread))),
            "lift": float(ratio(precision, self.prevalence)),
        }

    @property
    def prevalence(self) -> float:
        return float(ratio(self.positives, self.positives + self.negatives))

    def cost(
        self, place: int, costs: Mapping[str, float], prevalence: float | None = None
    ) -> tuple[float, float, float]:
        """Mean cost of a row and its bounds; at the prevalence of these rows, or another."""
        values, tp, fp = self.values(place), float(self.tp[place]), float(self.fp[place])
        rates = [(values[name], *self.stored(name, place)) for name in ("recall", "specificity")]
        found, low, high = cost_with_bounds(
            rates[0], rates[1], self.prevalence if prevalence is None else prevalence, costs
        )
        if prevalence is None:  # by the counts themselves, as the library has it
            price = {"tp": 0.0, "tn": 0.0, **costs}
            paid = tp * price["tp"] + (self.positives - tp) * price["fn"]
            paid += fp * price["fp"] + (self.negatives - fp) * price["tn"]
            exact = paid / (self.positives + self.negatives)
            return exact, exact - (found - low), exact + (high - found)
        return found, low, high

    def stored(self, name: str, place: int) -> tuple[float, float]:
        """The bounds as the page holds them; those of the rates are rounded down, though not past what is shown."""
        low, high = (float(bound[place]) for bound in self.bounds[name])
        code, read = CODES.get(name, (_thousandths, _from_thousandths))
        return read(code(low)), read(code(high))

    def to_dict(self) -> dict[str, Any]:
        """For the script."""
        whole = all(float(v).is_integer() for v in (*self.tp, *self.fp, self.positives, self.negatives))
        scale = 1 if whole else 1000
        counts = {
            name: packed(round(float(v) * scale) for v in column) for name, column in (("tp", self.tp), ("fp", self.fp))
        }
        coded = {
            name: [packed(map(CODES.get(name, (_thousandths,))[0], b.tolist())) for b in self.bounds[name]]
            for name in BOUNDED
        }
        return {
            "threshold": " ".join(self.shown),
            **counts,
            "scale": scale,
            "positives": self.positives,
            "negatives": self.negatives,
            "bounds": coded,
            "start": self.start,
            "standing": self.standing,
            "distinct": self.distinct,
        }


def cuts_of(a: Assessment, most: int = MOST) -> Cuts:
    """The thresholds of one class against the rest."""
    t = a.tally
    grouped = a.scores is not None and a.scores.rows is not None
    threshold, tp, fp = np.append(np.inf, t.score), np.append(0.0, t.tp), np.append(0.0, t.fp)
    if len(t.score) and t.score[0] == np.inf:  # nothing lies above an infinite score
        threshold, tp, fp = threshold[1:], tp[1:], fp[1:]
    x, y = ratio(fp, t.negatives), ratio(tp, t.positives)
    start = _start(a, threshold, tp, fp)
    named = [start, int(np.argmax(y - x)), int(np.searchsorted(-threshold, -0.5, side="right")) - 1]
    always = np.append(hull_places(x, y), np.maximum(named, 0)).astype(np.intp)
    kept = spread_places(x, y, min(most, MOST_GROUPED) if grouped else most, always)
    kept = np.unique(np.append(kept, start))
    below = np.append(threshold[1:], -np.inf)[kept]
    cuts = Cuts(
        threshold[kept],
        tuple(_written(s, b) for s, b in zip(threshold[kept].tolist(), below.tolist(), strict=True)),
        tp[kept],
        fp[kept],
        t.positives,
        t.negatives,
        {},
        len(t.score),
        place := int(np.searchsorted(kept, start)),
        "0.5" if below[place] < 0.5 <= threshold[start] else "",
    )
    cuts.bounds.update(_one_by_one(a, cuts) if grouped or t.is_weighted else _at_once(a, cuts))
    return cuts


def _start(a: Assessment, threshold: Array, tp: Array, fp: Array) -> int:
    """Where to stand at first: where the given labels were cut, at 0.5, or calling as many as there are positives."""
    if a.estimates is not None and a.positive is not None and len(a.labels) == 2:
        margins = a.confusion.margins()
        right, called = float(margins.tp[a.positive]), float(margins.called[a.positive])
        same = np.flatnonzero(np.isclose(tp, right) & np.isclose(fp, called - right))
        if len(same):
            return int(same[0])
    if a.scores is not None and a.scores.are_probabilities:
        return max(int(np.searchsorted(-threshold, -0.5, side="right")) - 1, 0)
    return int(np.argmin(np.abs(tp + fp - tp[-1])))


def _written(score: float, below: float) -> str:
    """At most the score, above the next lower one, and hardly less than it: so that it calls the same rows.

    >>> _written(0.51234567, 0.47), _written(0.51236, 0.51), _written(0.3, 0.1), _written(float("inf"), 0.9)
    ('0.5123', '0.51236', '0.3', 'Infinity')
    """
    if math.isinf(score):
        return "Infinity" if score > 0 else "-Infinity"
    for digits in range(4, 17):
        text = f"{score:.{digits}g}"
        if below < float(text) <= score:
            return text
    return repr(score)


def _at_once(a: Assessment, cuts: Cuts) -> dict[str, tuple[Array, Array]]:
    """Bounds at every threshold in one pass, as plain rows allow."""
    tp, fp = cuts.tp, cuts.fp
    fn, tn = cuts.positives - tp, cuts.negatives - fp
    sample = Sample.of(Confusion(np.stack([np.stack([tn, fp], -1), np.stack([fn, tp], -1)], -2)))
    found = {}
    for name in BOUNDED:
        m = catalogue.of_labels[name]
        bounds = table_intervals(m, sample, a.confidence)
        low, high, value = ((b[..., 1] if m.is_per_class else b) for b in (bounds.low, bounds.high, bounds.value))
        unknown = np.isnan(value)
        found[name] = (np.where(unknown, np.nan, low), np.where(unknown, np.nan, high))
    return found


def _one_by_one(a: Assessment, cuts: Cuts) -> dict[str, tuple[Array, Array]]:
    """The same, asking the assessment at every threshold: weights and groups have inference of their own."""
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in BOUNDED}
    for threshold, called in zip(cuts.threshold.tolist(), (cuts.tp + cuts.fp).tolist(), strict=True):
        moved = a.at(threshold if called > 0 else math.inf)
        for name, bounds in found.items():
            bounds.append(moved[name].interval)
    columns = {name: np.array(bounds).T for name, bounds in found.items()}
    return {name: (low, high) for name, (low, high) in columns.items()}


def _ten_thousandths(value: float) -> int:
    """A bound rounded down, but kept where its three decimals are."""
    if math.isnan(value):
        return UNDEFINED
    shown = round(float(f"{value:.3f}") * 1000)
    return min(max(math.floor(value * 10_000), 10 * shown - 5), 10 * shown + 4)


def _from_share(stored: int) -> float:
    return math.nan if stored == UNDEFINED else stored / 10_000


def _thousandths(value: float) -> int:
    if math.isnan(value):
        return UNDEFINED
    return ENDLESS * 1000 if math.isinf(value) else round(float(f"{value:.3f}") * 1000)


def _from_thousandths(stored: int) -> float:
    return {UNDEFINED: math.nan, ENDLESS * 1000: math.inf}.get(stored, stored / 1000)


def _logged(value: float) -> int:
    if math.isnan(value):
        return UNDEFINED
    if value <= 0:
        return NOTHING
    return ENDLESS if math.isinf(value) else round(math.log10(value) * 10_000)


def _from_log(stored: int) -> float:
    ends = {UNDEFINED: math.nan, NOTHING: 0.0, ENDLESS: math.inf}
    return ends[stored] if stored in ends else 10 ** (stored / 10_000)


CODES: dict[str, tuple[Callable[[float], int], Callable[[int], float]]] = {
    **dict.fromkeys(RATES, (_ten_thousandths, _from_share)),
    LOGGED: (_logged, _from_log),
}


# what the script also does, here as its measure


def cost_with_bounds(
    recall: tuple[float, float, float],
    specificity: tuple[float, float, float],
    prevalence: float,
    costs: Mapping[str, float],
) -> tuple[float, float, float]:
    """Mean cost of a row and its bounds, from (value, low, high) of recall and specificity at a known prevalence.

    The two rates are of different rows, so their margins are squared and added (Zou & Donner 2008, Stat. Med. 27:1693).

    >>> [round(v, 4) for v in cost_with_bounds((0.8, 0.7, 0.9), (0.9, 0.85, 0.95), 0.5, {"fp": 1, "fn": 5})]
    [0.55, 0.2988, 0.8012]
    """
    p, price = prevalence, {"tp": 0.0, "tn": 0.0, **costs}
    found = p * (recall[0] * price["tp"] + (1 - recall[0]) * price["fn"])
    found += (1 - p) * ((1 - specificity[0]) * price["fp"] + specificity[0] * price["tn"])
    slopes = (p * (price["tp"] - price["fn"]), (1 - p) * (price["tn"] - price["fp"]))
    down = up = 0.0
    for slope, (value, low, high) in zip(slopes, (recall, specificity), strict=True):
        ends = sorted((slope * (low - value), slope * (high - value)))
        down, up = math.hypot(down, ends[0]), math.hypot(up, ends[1])
    return found, found - down, found + up


def precision_elsewhere(likelihood_ratio: float, prevalence: float) -> float:
    """Precision where positives are this common: the odds there times the likelihood ratio of a call.

    >>> round(precision_elsewhere(9.0, 0.1), 3)  # odds 1/9 x 9 = 1
    0.5
    """
    if math.isinf(likelihood_ratio):
        return 1.0
    odds = likelihood_ratio * prevalence
    return float(ratio(odds, odds + 1 - prevalence))
