"""How large a fitted model is, read from the attributes that learners have in common."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["size_of"]

#: What is counted, and the names it goes by: attributes or methods without arguments.
_NAMES = {
    "leaves": ("n_leaves_", "get_n_leaves", "n_leaves"),
    "depth": ("depth_", "get_depth", "max_depth_", "depth"),
    "rules": ("n_rules_", "rules_"),
    "support_vectors": ("n_support_",),
}
#: What stands for a model that only wraps another.
_WITHIN = ("model_", "estimator_", "best_estimator_")
_ADDED = ("leaves", "rules", "support_vectors", "coefficients")


def size_of(model: object) -> dict[str, int]:
    """Leaves, depth, rules, support vectors, coefficients that are not zero, and members of an ensemble, if any.

    Of an ensemble the members' leaves and the like are added up, and the greatest depth counts. What cannot be read is
    left out: a size never costs a fit.

    >>> from types import SimpleNamespace as Fitted
    >>> size_of(Fitted(estimators_=[Fitted(n_leaves_=3, depth_=2), Fitted(n_leaves_=5, depth_=4)]))
    {'members': 2, 'leaves': 8, 'depth': 4}
    """
    try:
        return _size(model, 0)
    except Exception:
        return {}


def _size(model: object, level: int) -> dict[str, int]:
    if level > 5:
        return {}
    steps = getattr(model, "steps", None)
    if steps:
        return _size(steps[-1][1], level + 1)
    found = {what: number for what, names in _NAMES.items() if (number := _first(model, names)) is not None}
    members = getattr(model, "estimators_", None)
    if not found and members is not None and len(members):
        return _ensemble(members, level)
    coefficients = getattr(model, "coef_", None)
    if isinstance(coefficients, np.ndarray) and "support_vectors" not in found:
        found["coefficients"] = int(np.count_nonzero(coefficients))
    if not found:
        inside = next((part for name in _WITHIN if hasattr(part := getattr(model, name, None), "predict")), None)
        return {} if inside is None else _size(inside, level + 1)
    return found


def _ensemble(members: Any, level: int) -> dict[str, int]:
    parts = [_size(member, level + 1) for member in np.ravel(np.array(members, dtype=object))]
    found = {"members": len(parts)}
    for what in (*_ADDED, "depth"):
        if parts and all(what in part for part in parts):
            numbers = [part[what] for part in parts]
            found[what] = max(numbers) if what == "depth" else sum(numbers)
    return found


def _first(model: object, names: tuple[str, ...]) -> int | None:
    for name in names:
        value = getattr(model, name, None)
        value = value() if callable(value) else value
        if value is None or isinstance(value, str):
            continue
        if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
            return int(value)
        if isinstance(value, (list, tuple)):
            return len(value)
        if isinstance(value, np.ndarray) and value.dtype.kind in "iu":
            return int(value.sum())
    return None
