"""What one Python value is as a label: its kind, its plain form, whether it is missing."""

from __future__ import annotations

import datetime
import numbers
import re
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np

__all__ = ["Kind", "Label", "date_text", "is_fraction", "is_missing", "kind_of", "matched_text", "plain"]

Label = str | int | bool
Kind = Literal["bool", "int", "text"]


def is_missing(value: object) -> bool:
    """None, NaN, NA, NaT and masked are all the same to us."""
    if value is None or value is np.ma.masked:
        return True
    if isinstance(value, float | np.floating):
        return bool(value != value)
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return type(value).__name__ in {"NAType", "NaTType"}


def kind_of(t: type) -> str:
    """The kind of label that values of a type are, or why they are none."""
    if issubclass(t, bool | np.bool_):
        return "bool"
    if issubclass(t, str):
        return "text"
    if issubclass(t, np.timedelta64 | datetime.timedelta):
        return "missing" if t.__name__ == "NaTType" else "other"
    if issubclass(t, numbers.Integral):
        return "int"
    if issubclass(t, float | np.floating | Decimal | Fraction):
        return "float"
    if t is type(None) or t.__name__ in {"NAType", "NaTType", "MaskedConstant"}:
        return "missing"
    if issubclass(t, datetime.date | np.datetime64):
        return "date"
    if issubclass(t, bytes | bytearray):
        return "bytes"
    if issubclass(t, complex | np.complexfloating):
        return "complex"
    if issubclass(t, tuple | list | set | frozenset | dict | np.ndarray):
        return "container"
    return "other"


def plain(value: Any, kind: Kind) -> Label:
    """A value as the str, int or bool that names its class."""
    if kind == "bool":
        return bool(value)
    if kind == "int":
        return int(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        with suppress(OverflowError, ValueError):  # the first and the last day there is may have no other zone
            value = value.astimezone(datetime.UTC)
    if isinstance(value, datetime.date):
        return date_text(value.isoformat())
    if isinstance(value, np.datetime64):
        return date_text(str(np.datetime_as_string(value)))
    return str(bool(value)) if isinstance(value, bool | np.bool_) else str(int(value))


def matched_text(label: object, strip: bool, fold: bool) -> str:
    """A label as text, without the spaces and the case that do not tell it from others.

    >>> matched_text(" YES", strip=True, fold=True)
    'yes'
    """
    text = str(label).strip() if strip else str(label)
    return text.casefold() if fold else text


_ISO = re.compile(r"([+-]?\d+)(-\d\d)?(-\d\d)?(?:T(\d\d)(:\d\d)?(:\d\d)?(\.\d+)?)?([+-]\d\d:\d\d.*)?")


def date_text(iso: str) -> str:
    """The one ISO text of an instant, whatever unit it was held in: a day, and a time to the second unless it is zero.

    >>> date_text("2024"), date_text("2024-01-01T00:00:00.000"), date_text("2024-01-01T12:30")
    ('2024-01-01', '2024-01-01', '2024-01-01T12:30:00')
    """
    parts = _ISO.fullmatch(iso)
    if parts is None:
        return iso
    year, month, day, hour, minute, second, fraction, zone = parts.groups(default="")
    date = f"{year}{month or '-01'}{day or '-01'}"
    time = f"{hour or '00'}{minute or ':00'}{second or ':00'}{fraction.rstrip('0').rstrip('.')}"
    return f"{date}T{time}{zone}" if zone or time != "00:00:00" else date


def is_fraction(value: Any) -> bool:
    """Whether a number is not whole, or not finite."""
    if isinstance(value, np.floating):
        return bool(np.rint(value) != value or np.isinf(value))  # not by way of float, which rounds what is longer
    if isinstance(value, float):
        return not value.is_integer()
    if isinstance(value, Decimal):
        return not value.is_finite() or value != value.to_integral_value()
    return isinstance(value, Fraction) and value.denominator != 1
