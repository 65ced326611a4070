"""Raw data -> checked, coded predictions; everything after this room may trust what it gets."""

from __future__ import annotations

from surefold.inputs.kinds import Label
from surefold.inputs.predictions import Predictions

__all__ = ["Label", "Predictions"]
