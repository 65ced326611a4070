"""Classifiers under a cost matrix: weights, copies and thresholds, compared on the same splits."""

from surefold.costs.cost_sensitive import cost_sensitive
from surefold.costs.duplicated import CostDuplicated
from surefold.costs.study import CostStudy
from surefold.costs.threshold import CostThreshold, LeastCost
from surefold.costs.weighted import CostWeighted

__all__ = ["CostDuplicated", "CostStudy", "CostThreshold", "CostWeighted", "LeastCost", "cost_sensitive"]
