"""What one Python value is as a label: its kind, its plain form, whether it is missing."""

from __future__ import annotations

import datetime
import numbers
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

import numpy as np

__all__ = ["Kind", "Label", "date_text", "is_fraction", "is_missing", "kind_of", "plain"]

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
    if isinstance(value, datetime.date):
        return date_text(value.isoformat())
    if isinstance(value, np.datetime64):
        return date_text(str(np.datetime_as_string(value)))
    return str(bool(value)) if isinstance(value, bool | np.bool_) else str(int(value))


def date_text(iso: str) -> str:
    """ISO text without what is zero: midnight is a plain date."""
    iso = iso.replace(" ", "T")
    day, _, time = iso.partition("T")
    if "." in time and time.rpartition(".")[2].isdigit():
        time = time.rstrip("0").rstrip(".")
    return day if time in {"", "00", "00:00", "00:00:00"} else f"{day}T{time}"


def is_fraction(value: Any) -> bool:
    """Whether a number is not whole, or not finite."""
    if isinstance(value, float | np.floating):
        return not float(value).is_integer()
    if isinstance(value, Decimal):
        return not value.is_finite() or value != value.to_integral_value()
    return isinstance(value, Fraction) and value.denominator != 1
