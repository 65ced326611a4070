"""The earlier path of `surefold.selection`."""

from surefold.selection.select import plan_selection, select

__all__ = ["plan_selection", "select"]
