"""Ratios by the delta method: the normal interval of their logarithm, by whatever road the rows come in."""

from __future__ import annotations

from math import exp, inf, sqrt
from pathlib import Path

import pytest

from surefold import Confusion, assess

approx = pytest.approx

Z = 1.959963984540054
TWO = Confusion([[13, 7], [3, 7]], labels=[0, 1])  # TP 7, FN 3, FP 7, TN 13
#: The ratio, and the standard error of its logarithm.
BY_HAND = {
    "diagnostic_odds_ratio": (13 * 7 / (7 * 3), sqrt(1 / 13 + 1 / 7 + 1 / 3 + 1 / 7)),  # Woolf
    "positive_likelihood_ratio": ((7 / 10) / (7 / 20), sqrt(1 / 7 - 1 / 10 + 1 / 7 - 1 / 20)),  # Katz
    "negative_likelihood_ratio": ((3 / 10) / (13 / 20), sqrt(1 / 3 - 1 / 10 + 1 / 13 - 1 / 20)),
    # log(TP n / (called x positives)), by the multinomial: 7 rows raise it by 1/7 - 1/14 - 1/10, 7 by -1/14, 3 by -1/10
    "lift": ((7 / 14) / (10 / 30), sqrt(7 * (1 / 7 - 1 / 14 - 1 / 10 + 1 / 30) ** 2 + 7 * (1 / 30 - 1 / 14) ** 2
                                        + 3 * (1 / 30 - 1 / 10) ** 2 + 13 / 30**2)),
}  # fmt: skip


@pytest.mark.parametrize("name", BY_HAND)
def test_the_delta_interval_is_that_of_the_logarithm(name: str, tmp_path: Path) -> None:
    y = [0] * 20 + [1] * 10
    p = [0] * 13 + [1] * 7 + [0] * 3 + [1] * 7
    path = tmp_path / "rows.csv"
    path.write_text("y,p\n" + "".join(f"{a},{b}\n" for a, b in zip(y, p, strict=True)))
    ratio, error = BY_HAND[name]
    found = [
        TWO.measure(name, pos_label=1, method="delta"),
        assess(y, p).measure(name, method="delta"),
        assess(str(path), truth="y", pred="p", pos_label=1).measure(name, method="delta"),
    ]
    for e in found:
        assert (e.value, e.low, e.high) == approx((ratio, ratio * exp(-Z * error), ratio * exp(Z * error)))


def test_the_published_digits() -> None:
    odds, likelihood = (TWO.measure(name, pos_label=1, method="delta") for name in [*BY_HAND][:2])
    assert (round(odds.low, 3), round(odds.high, 3)) == (0.845, 22.230)
    assert (round(likelihood.low, 3), round(likelihood.high, 3)) == (0.972, 4.117)


def test_the_logarithm_of_nothing_says_nothing() -> None:
    nothing_missed = Confusion([[13, 7], [0, 7]], labels=[0, 1])
    for name in ("negative_likelihood_ratio", "diagnostic_odds_ratio"):  # 0 and infinite
        e = nothing_missed.measure(name, pos_label=1, method="delta")
        assert (e.low, e.high) == (0, inf)
