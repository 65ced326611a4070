"""How the page holds its thresholds: counts and bounds as whole numbers that the script reads back to the digit.

Bounds are told by their distance from the measure itself, which the script makes from the counts. Distances change
little from one threshold to the next, so that their differences are mostly 0 or 1 and take hardly any room. Nothing but
sums, products, quotients and square roots is used on the way, of which Python and the script make the same numbers.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.report.sections.packed import packed, plainly
from surefold.show.thresholds import decimal, shown
from surefold.tallies.ratio import ratio

__all__ = ["BOUNDED", "RATES", "SHARES", "bounds_code", "ratio_base", "stored", "threshold_code",
           "values_at"]  # fmt: skip

Array = NDArray[np.float64]

#: Bounds are held in thousandths, as they are shown. Costs are made of two rates, whose bounds have a digit more, and a
#: precision elsewhere of the ratio, whose bounds are held as shares of it, or it of them.
RATES = ("recall", "specificity")
SHARES = ("precision", "recall", "specificity", "f1", "mcc")
RATIO = "positive_likelihood_ratio"
BOUNDED = (*SHARES, "lift", RATIO)
#: What stands for a bound that is undefined, or infinite.
UNDEFINED, ENDLESS = -(2**50), 2**50
#: Whole numbers that the script can count with.
LARGEST = 2**53


def values_at(tp: Array, fp: Array, positives: float, negatives: float) -> dict[str, Array]:
    """The measures at thresholds; the script has the same, operation by operation."""
    fn, tn = positives - tp, negatives - fp
    precision, share = ratio(tp, tp + fp), ratio(tp, tp + fp + fn)
    n, called = positives + negatives, tp + fp
    others = n - called
    both = n * (tp + tn) - (positives * called + negatives * others)
    spread = (n * n - (positives * positives + negatives * negatives)) * (n * n - (called * called + others * others))
    return {
        "precision": precision,
        "recall": ratio(tp, tp + fn),
        "specificity": ratio(tn, tn + fp),
        "f1": 2 * share / (1 + share),
        "mcc": ratio(both, np.sqrt(spread)),
        "lift": ratio(precision, ratio(positives, n)),
    }


def ratio_base(tp: Array, fp: Array, positives: float, negatives: float) -> Array:
    """About the likelihood ratio, and never zero nor infinite: with half a row more in each cell."""
    return np.asarray((tp + 0.5) / (positives + 1) / ((fp + 0.5) / (negatives + 1)))


def stored(name: str, value: float, base: float = 1.0, is_high: bool = False) -> int:
    """A bound as a whole number: thousandths; ten-thousandths of a rate, rounded down, but kept where its three
    decimals are; ten-thousandths of a low ratio over the base, and of the base over a high one.

    >>> stored("f1", 0.1236), stored("recall", 0.12349), stored("recall", 0.12351), stored("lift", float("nan")) < 0
    (124, 1234, 1235, True)
    """
    if math.isnan(value):
        return UNDEFINED
    if name == RATIO:
        return round(10_000 * (ratio_of(base, value) if is_high else value / base))
    if math.isinf(value):
        return ENDLESS
    thousandths = round(float(f"{value:.3f}") * 1000)
    if name in RATES:
        return min(max(math.floor(value * 10_000), 10 * thousandths - 5), 10 * thousandths + 4)
    return thousandths


def ratio_of(base: float, high: float) -> float:
    return 0.0 if math.isinf(high) else base / high


def bounds_code(
    bounds: dict[str, tuple[Array, Array]], tp: Array, fp: Array, positives: float, negatives: float
) -> dict[str, list[str]]:
    """Every bound as a packed column of distances from its measure."""
    values, base = values_at(tp, fp, positives, negatives), ratio_base(tp, fp, positives, negatives)
    coded = {}
    for name in BOUNDED:
        units = 10_000 if name in RATES else 1000
        middle = np.zeros(len(tp)) if name == RATIO else np.floor(np.nan_to_num(values[name]) * units + 0.5)
        columns = []
        for is_high, column in enumerate(bounds[name]):
            whole = [stored(name, v, b, bool(is_high)) for v, b in zip(column.tolist(), base.tolist(), strict=True)]
            away = (v if abs(v) == ENDLESS else v - int(m) for v, m in zip(whole, middle.tolist(), strict=True))
            columns.append(packed(away))
        coded[name] = columns
    return coded


# thresholds


def threshold_code(threshold: Sequence[float], below: Sequence[float]) -> dict[str, Any]:
    """The thresholds: how many decimals each has, and by how much it is less than the one before; or their texts."""
    finite = [(s, b) for s, b in zip(threshold, below, strict=True) if math.isfinite(s)]
    ends = [sum(s == end for s in threshold) for end in (math.inf, -math.inf)]
    found = [decimal(s, b) for s, b in finite]
    steps, last = [], (0, 0)
    for it in found:
        if it is None:
            return {"texts": [shown(s, b) for s, b in zip(threshold, below, strict=True)]}
        finer = it[1] - last[1]
        before = last[0] * 10**finer if finer >= 0 else last[0] // 10**-finer
        if max(abs(before), abs(it[0])) >= LARGEST:
            return {"texts": [shown(s, b) for s, b in zip(threshold, below, strict=True)]}
        steps.append(before - it[0])
        last = it
    return {"ends": ends, "decimals": packed(it[1] for it in found if it is not None), "steps": plainly(steps)}
