"""Results of studies as data frames."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from surefold.estimates.estimate import Estimate
from surefold.flavours import Flavour, in_flavour

__all__ = ["Flavour", "estimate_columns", "frame_of"]


def estimate_columns(e: Estimate, name: str) -> dict[str, Any]:
    """The columns of an estimate, its value called `name`; what is undefined is None."""
    numbers = {name: e.value, "low": e.low, "high": e.high, "se": e.se, "n": float(e.n)}
    shown = {key: None if math.isnan(value) else value for key, value in numbers.items()}
    return {**shown, "confidence": e.confidence, "method": e.method, "flags": ", ".join(e.flags)}


def frame_of(rows: Sequence[Mapping[str, Any]], flavour: Flavour) -> Any:
    """Rows of plain values as a data frame."""
    import polars as pl

    return in_flavour(pl.DataFrame(list(rows), infer_schema_length=None), flavour)
