"""Where a function of one number is 0. Loading scipy's would take longer than all that is done with it."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["root_between"]

_STEPS = 200
#: Nothing smaller is told apart on the scales that are searched here.
_LEAST, _RELATIVE = 1e-16, 1e-15


def root_between(f: Callable[[float], float], low: float, high: float) -> float:
    """The root between two numbers at which the function has different signs, to the last digits.

    Inverse quadratic interpolation where the last three points bend little enough for it, else halving.

    >>> root_between(lambda x: x**3 - 2, 0.0, 2.0)
    1.2599210498948732

    Source: Chandrupatla (1997), Advances in Engineering Software 28:145.
    """
    a, b = low, high
    of_a, of_b = f(a), f(b)
    if of_a * of_b > 0:
        raise AssertionError("the function has the same sign at both ends")
    step = 0.5
    for _ in range(_STEPS):
        x = a + step * (b - a)
        of_x = f(x)
        if (of_x > 0) == (of_a > 0):
            c, of_c = a, of_a
        else:
            c, of_c, b, of_b = b, of_b, a, of_a
        a, of_a = x, of_x
        best, of_best = (a, of_a) if abs(of_a) < abs(of_b) else (b, of_b)
        least = (_LEAST + _RELATIVE * abs(best)) / abs(b - a)
        if least > 0.5 or of_best == 0:
            return best
        across, up = (a - b) / (c - b), (of_a - of_b) / (of_c - of_b)
        step = 0.5
        if up**2 < across and (1 - up) ** 2 < 1 - across:
            step = of_a / (of_b - of_a) * of_c / (of_b - of_c)
            step += (c - a) / (b - a) * of_a / (of_c - of_a) * of_b / (of_c - of_b)
        step = min(max(step, least), 1 - least)
    return best
