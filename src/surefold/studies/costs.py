"""The earlier path of `surefold.costs`."""

from surefold.costs.cost_sensitive import METHODS, cost_sensitive

__all__ = ["METHODS", "cost_sensitive"]
