"""Raw data -> checked, coded predictions; everything after this room may trust what it gets."""

from __future__ import annotations

from .columns import Columns, find_columns, predictions_from_table
from .kinds import Label
from .predictions import Predictions
from .scores import labels_from_scores
from .tables import Table, read_table

__all__ = [
    "Columns",
    "Label",
    "Predictions",
    "Table",
    "find_columns",
    "labels_from_scores",
    "predictions_from_table",
    "read_table",
]
