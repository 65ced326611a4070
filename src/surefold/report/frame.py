"""An assessment as a data frame."""

from __future__ import annotations

from typing import Any

from surefold.assessment.result import Assessment, Frame
from surefold.errors import MissingExtraError, UnknownNameError
from surefold.report.rows import COLUMNS, flat_rows

__all__ = ["assessment_to_frame"]


def assessment_to_frame(a: Assessment, flavour: Frame = "polars") -> Any:
    """One row a measure, as a polars or a pandas DataFrame."""
    rows = list(flat_rows(a))
    if flavour == "polars":
        import polars as pl

        numbers = {"value", "low", "high", "se", "confidence", "n"}
        schema = {name: pl.Float64 if name in numbers else pl.String for name in COLUMNS}
        return pl.DataFrame(rows, schema=schema, orient="row")
    if flavour == "pandas":
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError("pandas", "dev", "a pandas frame") from error
        return pd.DataFrame(rows, columns=list(COLUMNS))
    raise UnknownNameError("kind of frame", flavour, ("polars", "pandas"))
