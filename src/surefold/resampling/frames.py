"""Results of studies as data frames."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from surefold.errors import MissingExtraError, UnknownNameError
from surefold.estimates.estimate import Estimate

__all__ = ["Flavour", "estimate_columns", "frame_of"]

Flavour = Literal["polars", "pandas"]


def estimate_columns(e: Estimate, name: str) -> dict[str, Any]:
    """The columns of an estimate, its value called `name`; what is undefined is None."""
    numbers = {name: e.value, "low": e.low, "high": e.high, "se": e.se, "n": float(e.n)}
    shown = {key: None if math.isnan(value) else value for key, value in numbers.items()}
    return {**shown, "confidence": e.confidence, "method": e.method, "flags": ", ".join(e.flags)}


def frame_of(rows: Sequence[Mapping[str, Any]], flavour: Flavour) -> Any:
    """Rows of plain values as a polars or a pandas DataFrame."""
    if flavour == "polars":
        import polars as pl

        return pl.DataFrame(list(rows), infer_schema_length=None)
    if flavour == "pandas":
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("pandas", "dev", "a pandas frame") from error
        return pd.DataFrame(list(rows))
    raise UnknownNameError("kind of frame", flavour, ("polars", "pandas"))
