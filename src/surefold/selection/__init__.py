"""Choosing a model, and what the figure of the chosen one is worth."""

from surefold.selection.result import Selection
from surefold.selection.select import plan_selection, select
from surefold.selection.words import SelectionPlan

__all__ = ["Selection", "SelectionPlan", "plan_selection", "select"]
