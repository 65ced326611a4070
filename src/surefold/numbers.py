"""Numbers for people: the only place that decides how many digits a figure is shown with.

Digits follow the interval: two significant digits of its half-width, so that nothing is shown that is not known.
"""

from __future__ import annotations

import math

__all__ = [
    "MINUS",
    "about",
    "amount",
    "count",
    "counted_rows",
    "decimals",
    "duration",
    "number",
    "p_said",
    "p_text",
    "percent",
    "texts",
]

MINUS = "\N{MINUS SIGN}"
MOST_DECIMALS = 7
#: What a bound inside a range must not be written as: the ends of shares, of correlations and of differences.
ENDS = (-1.0, 0.0, 1.0)


def decimals(low: float, high: float) -> int:
    """The fewest decimals at which the half-width of an interval has two digits, at most seven.

    >>> decimals(0.36, 0.99), decimals(0.941, 0.983), decimals(0.60206, 0.60292)
    (2, 3, 5)
    """
    half, d = (high - low) / 2, 0
    while d < MOST_DECIMALS and half * 10.0**d < 10:
        d += 1
    return d


def number(value: float, spec: str = "") -> str:
    """A number with nothing known of how sure it is: three digits, or the format that is asked for.

    Infinity is shown by its sign, NaN as a dash, the minus sign as one, and there is no negative zero.

    >>> number(0.12345), number(1234.5), number(0.029042), number(-0.5, ".1f"), number(0.99996)
    ('0.123', '1,234', '0.0290', '−0.5', '0.99996')
    >>> number(float("inf")), number(float("nan")), number(-0.0001, ".3f"), number(0.0)
    ('∞', '–', '0.000', '0.000')
    """
    if math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    if spec:
        return _signed(format(value, spec))
    size = abs(value)
    if size >= 1e15 or 0 < size < 1e-4:
        return _signed(f"{value:.3g}")
    return _inside(value, 3 if size <= 1 and (size >= 0.1 or size == 0) else max(0, 2 - math.floor(math.log10(size))))


def texts(value: float, low: float, high: float, spec: str = "") -> tuple[str, str, str]:
    """A value and the ends of its interval, with as many digits as the interval's width allows.

    Ends that are a factor of ten apart, as those of odds ratios are, get three digits each.

    >>> texts(0.602, 0.6019, 0.6028), texts(0.83, 0.36, 0.99), texts(869.565, 102.3, 7391.2)
    (('0.60200', '0.60190', '0.60280'), ('0.83', '0.36', '0.99'), ('870', '102', '7,390'))
    """
    half = (high - low) / 2
    if spec or not half > 0:
        return number(value, spec), number(low, spec), number(high, spec)
    if high > 10 * low > 0 and high > 1:
        return _three(value), _three(low), _three(high)
    d = decimals(low if math.isfinite(low) else value, high if math.isfinite(high) else value)
    return _inside(value, d), _inside(low, d), _inside(high, d)


def p_text(p: float) -> str:
    """A p-value: two digits or more, as far as 0.0001.

    >>> p_text(0.312), p_text(0.04962), p_text(0.00031), p_text(1e-9), p_text(float("nan"))
    ('0.312', '0.0496', '0.0003', '< 0.0001', '–')
    """
    return "–" if math.isnan(p) else "< 0.0001" if p < 0.0001 else f"{p:.3f}" if p >= 0.1 else f"{p:.4f}"


def p_said(p: float) -> str:
    """A p-value as part of a sentence: "p = 0.0312", "p < 0.0001".

    >>> p_said(0.0312), p_said(1e-9)
    ('p = 0.0312', 'p < 0.0001')
    """
    text = p_text(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def percent(share: float, low: float = math.nan, high: float = math.nan) -> str:
    """A share in a sentence.

    >>> percent(0.5412), percent(0.0028), percent(0.96842, 0.941, 0.983), percent(0.9999)
    ('54%', '0.28%', '96.8%', '99.990%')
    """
    if math.isnan(share):
        return "–"
    if high > low:
        d = max(0, decimals(low, high) - 2)
    else:
        size = round(100 * min(abs(share), abs(1 - share)), 9)
        d = 0 if size >= 10 or size == 0 else min(5, 1 - math.floor(math.log10(size)))
    return f"{_inside(100 * share, d)}%"


def count(value: float) -> str:
    """A count, or a sum of weights, for people.

    >>> count(1200), count(12.345), count(0.0001234)
    ('1,200', '12.35', '0.000123')
    """
    if abs(value) >= 1e15:
        return f"{value:.4g}"
    if float(value).is_integer():
        return f"{value:,.0f}"
    return f"{value:,.2f}" if abs(value) >= 1 else f"{value:.3g}"


def counted_rows(rows: float) -> str:
    """A number of rows, or the weight of some.

    >>> counted_rows(1), counted_rows(1285), counted_rows(2.5)
    ('1 row', '1,285 rows', 'rows of weight 2.50')
    """
    if not float(rows).is_integer():
        return f"rows of weight {count(rows)}"
    return f"{count(rows)} row{'' if rows == 1 else 's'}"


def about(rows: float) -> str:
    """Two digits are all that a guess of rows is good for.

    >>> about(3.2), about(123), about(98_700)
    ('4', '130', '99,000')
    """
    if rows < 10:
        return f"{math.ceil(rows)}"
    digits = 10 ** (math.floor(math.log10(rows)) - 1)
    rounded = math.ceil(rows / digits) * digits
    return f"{rounded:,}" if rounded < 1e12 else f"{rounded:.0e}"


def amount(value: float) -> str:
    """A number of any size for people: three decimals, or three digits where these would say nothing.

    >>> amount(0.12345), amount(0.00001234), amount(3.77e306), amount(0.0)
    ('0.123', '1.23e-05', '3.77e+306', '0.000')
    """
    odd = math.isfinite(value) and value != 0 and not 0.001 <= abs(value) < 1e6
    return f"{value:.3g}" if odd else number(value, ".3f")


def duration(seconds: float) -> str:
    """Seconds for people.

    >>> duration(0.00042), duration(3.21), duration(7384)
    ('0.4 ms', '3.2 s', '2 h 3 min')
    """
    if seconds < 1:
        return f"{seconds * 1000:.1f} ms" if seconds < 0.01 else f"{seconds * 1000:.0f} ms"
    if seconds < 120:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"


def _signed(text: str) -> str:
    return text.replace("-", MINUS) if any(c in "123456789" for c in text) else text.lstrip("-")


def _inside(value: float, d: int) -> str:
    """With so many decimals, or more where it would read as an end that it does not reach."""
    if not math.isfinite(value) or abs(value) >= 1e15:
        return number(value)
    for more in range(d, MOST_DECIMALS + 1):
        rounded = round(value, more)
        if rounded not in ENDS or rounded == value:
            return _signed(f"{value:,.{more}f}")
    return _signed(f"{value:,.{d}f}")


def _three(value: float) -> str:
    """Three significant digits, without an exponent where it can be read without one."""
    if not math.isfinite(value) or value == 0 or not 1e-4 <= abs(value) < 1e15:
        return number(value)
    rounded = float(f"{value:.3g}")
    return _signed(f"{rounded:,.{max(0, 2 - math.floor(math.log10(abs(rounded))))}f}")
