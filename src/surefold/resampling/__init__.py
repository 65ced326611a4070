"""Rows -> splits -> held-out predictions, kept: train once, ask anything.

The makers of plans, for `cross_validate(..., cv=plan)` and for whoever wants the row numbers; each is loaded when it is
first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from surefold.resampling.folds import five_by_two_plan as five_by_two_plan
    from surefold.resampling.folds import k_fold_plan as k_fold_plan
    from surefold.resampling.folds import leave_one_out_plan as leave_one_out_plan
    from surefold.resampling.folds import leave_pair_out_plan as leave_pair_out_plan
    from surefold.resampling.folds import nested_plan as nested_plan
    from surefold.resampling.grouped import leave_one_group_out_plan as leave_one_group_out_plan
    from surefold.resampling.holdout import holdout_plan as holdout_plan
    from surefold.resampling.holdout import three_way as three_way
    from surefold.resampling.in_time import time_order_plan as time_order_plan
    from surefold.resampling.plan import Plan as Plan
    from surefold.resampling.plan import Split as Split
    from surefold.resampling.samples import bootstrap_plan as bootstrap_plan
    from surefold.resampling.samples import expected_distinct_share as expected_distinct_share
    from surefold.resampling.samples import shuffle_split_plan as shuffle_split_plan
    from surefold.resampling.shortcuts import HoldsOut as HoldsOut
    from surefold.resampling.splitter import plan_from_splitter as plan_from_splitter

_HOMES = {
    "Plan": "plan",
    "Split": "plan",
    "holdout_plan": "holdout",
    "three_way": "holdout",
    "k_fold_plan": "folds",
    "five_by_two_plan": "folds",
    "nested_plan": "folds",
    "leave_one_out_plan": "folds",
    "leave_pair_out_plan": "folds",
    "leave_one_group_out_plan": "grouped",
    "time_order_plan": "in_time",
    "shuffle_split_plan": "samples",
    "bootstrap_plan": "samples",
    "expected_distinct_share": "samples",
    "plan_from_splitter": "splitter",
    "HoldsOut": "shortcuts",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'surefold.resampling' has no attribute {name!r}")
    return getattr(import_module(f"surefold.resampling.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
