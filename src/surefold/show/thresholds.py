"""Thresholds in as few digits as call the same rows."""

from __future__ import annotations

import math

__all__ = ["decimal", "shown"]


def decimal(score: float, below: float) -> tuple[int, int] | None:
    """A decimal at most the score, above the next lower one, and hardly less than it: it calls the same rows.

    Given as a whole number and how many of its digits are decimals: at least four digits, and no more than needed.

    >>> decimal(0.51239, 0.47), decimal(0.51239, 0.5123), decimal(0.3, 0.1), decimal(-41256.0, -50000.0)
    ((5123, 4), (51239, 5), (3000, 4), (-4126, -1))
    """
    for digits in range(4, 16):
        mantissa, exponent = f"{score:.{digits - 1}e}".split("e")
        whole, decimals = int(mantissa.replace(".", "")), digits - 1 - int(exponent)
        if float(f"{whole}e{-decimals}") > score:
            whole -= 1
        if below < float(f"{whole}e{-decimals}"):
            return whole, decimals
    return None


def shown(score: float, below: float) -> str:
    """The threshold as it is written.

    >>> shown(0.51239, 0.47), shown(0.3, 0.1), shown(float("inf"), 0.9), shown(0.1 + 0.2, 0.3)
    ('0.5123', '0.3', 'Infinity', '0.30000000000000004')
    """
    if math.isinf(score):
        return "Infinity" if score > 0 else "-Infinity"
    found = decimal(score, below)
    return repr(score) if found is None else f"{float(f'{found[0]}e{-found[1]}'):.15g}"
