"""Candidates of a search: models by name with grids or distributions, spelled out one by one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any, Literal

import numpy as np

from surefold.errors import InputError, UnknownNameError, show
from surefold.resampling.models import check_model, describe, fresh
from surefold.resampling.options import whole

__all__ = ["Candidate", "Family", "candidates_of", "families_of"]

Search = Literal["grid", "random"]
SEARCHES = ("grid", "random")
#: Keeps the draws of parameters apart from those of plans and models.
_PARAMETERS = 0x70617261
#: Draws that may repeat an earlier one before a random search is told that there is no more to find.
_PATIENCE = 50


@dataclass(frozen=True, eq=False)
class Family:
    """A model as it was given, and the grids to search: each a mapping of parameters to values or a distribution."""

    name: str
    model: Any = field(repr=False)
    grids: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, eq=False)
class Candidate:
    """One model with its parameters set. `place` is where it stands in the list, simple ones first if the user says."""

    name: str
    family: str
    params: Mapping[str, Any]
    model: Any = field(repr=False)
    place: int = 0


def families_of(models: Any) -> dict[str, Family]:
    """What `select` was given, by name: one estimator, an (estimator, grid) pair, a list, or a mapping of these.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> list(families_of([DecisionTreeClassifier(), (DecisionTreeClassifier(), {"max_depth": [2, 4]})]))
    ['DecisionTreeClassifier', 'DecisionTreeClassifier 2']
    """
    if isinstance(models, Mapping):
        for name in models:
            if not isinstance(name, str) or not name.strip():
                raise InputError("bad_model", f"{show(name)} is no name for a model", cure="name models by text")
        named = dict(models)
    elif isinstance(models, Sequence) and not isinstance(models, str) and not _is_pair(models):
        named = _numbered(models)
    else:
        named = _numbered([models])
    if not named:
        raise InputError("bad_model", "no model was given", cure="pass {'name': model} or {'name': (model, grid)}")
    return {name: _family(name, given) for name, given in named.items()}


def _is_pair(given: object) -> bool:
    return isinstance(given, tuple) and len(given) == 2 and hasattr(given[0], "fit") and not hasattr(given[1], "fit")


def _numbered(models: Sequence[Any]) -> dict[str, Any]:
    named: dict[str, Any] = {}
    for given in models:
        model = given[0] if _is_pair(given) else given
        while hasattr(model, "steps") and len(model.steps):  # a pipeline is known by what it ends in
            model = model.steps[-1][1]
        kind, number = type(model).__name__, 2
        name = kind
        while name in named:
            name, number = f"{kind} {number}", number + 1
        named[name] = given
    return named


def _family(name: str, given: Any) -> Family:
    model, grids = given if _is_pair(given) else (given, {})
    check_model(model, name)
    listed = [grids] if isinstance(grids, Mapping) else grids
    if not isinstance(listed, Sequence) or not all(isinstance(grid, Mapping) for grid in listed):
        problem = f"the grid of {name} is {show(grids)}"
        cure = "give a mapping such as {'max_depth': [2, 4, None]}, or a list of them"
        raise InputError("bad_option", problem, cure=cure)
    checked = tuple({str(key): _values(name, str(key), values) for key, values in grid.items()} for grid in listed)
    return Family(name, model, tuple(grid for grid in checked if grid))


def _values(name: str, key: str, values: Any) -> Any:
    if hasattr(values, "rvs"):
        return values
    if isinstance(values, (str, bytes, Mapping)) or not hasattr(values, "__iter__"):
        problem = f"{key} of {name} is {show(values)}, not a list of values"
        cure = f"give {key} a list, [{show(values)}, ...], or a distribution with rvs()"
        raise InputError("bad_option", problem, cure=cure)
    listed = [value.item() if isinstance(value, np.generic) else value for value in values]
    if not listed:
        raise InputError("bad_option", f"{key} of {name} has no value", cure="give at least one")
    return listed


def candidates_of(
    families: Mapping[str, Family], *, search: str = "grid", budget: int | None = None, seed: int = 0
) -> tuple[Candidate, ...]:
    """Every candidate, in the order listed: all points of the grids, or `budget` draws a model that has one.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> found = candidates_of(families_of({"tree": (DecisionTreeClassifier(), {"max_depth": [2, 4]})}))
    >>> [c.name for c in found]
    ['tree: max_depth=2', 'tree: max_depth=4']
    """
    if search not in SEARCHES:
        raise UnknownNameError("search", search, SEARCHES)
    if search == "random":
        if budget is None:
            raise InputError("bad_option", "a random search needs a budget", cure="say how many draws: budget=20")
        budget = whole("budget", budget, least=1)
    elif budget is not None:
        raise InputError("bad_option", "budget is for a random search", cure="say search='random', or leave it out")
    found: list[Candidate] = []
    seen: set[str] = set()
    for number, family in enumerate(families.values()):
        if search == "grid" or not family.grids:
            points = _grid(family)
        else:
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_PARAMETERS, number)))
            points = _draws(family, int(budget or 0), rng)
        for params in points:
            model = _with(family, params)
            key = f"{family.name} {describe(model)}"
            if key not in seen:
                seen.add(key)
                found.append(
                    Candidate(_unused(_named(family.name, params), found), family.name, params, model, len(found))
                )
    return tuple(found)


def _grid(family: Family) -> Iterator[dict[str, Any]]:
    if not family.grids:
        yield {}
    for grid in family.grids:
        for key, values in grid.items():
            if hasattr(values, "rvs"):
                problem = f"{key} of {family.name} is a distribution, which has no grid"
                raise InputError("bad_option", problem, cure="say search='random', budget=20, or list its values")
        for point in product(*grid.values()):
            yield dict(zip(grid, point, strict=True))


def _draws(family: Family, budget: int, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Different points: of lists alone without replacement, so a budget as large as the grid is the grid."""
    lists = not any(hasattr(values, "rvs") for grid in family.grids for values in grid.values())
    sizes = [math.prod(len(values) for values in grid.values()) if lists else 0 for grid in family.grids]
    if lists and sum(sizes) <= max(10 * budget, 10_000):
        every = list(_grid(family))
        for at in sorted(rng.choice(len(every), size=min(budget, len(every)), replace=False).tolist()):
            yield every[at]
        return
    seen: set[str] = set()
    missed = 0
    while len(seen) < budget and missed < _PATIENCE:
        grid = family.grids[int(rng.integers(len(family.grids)))]
        point = {key: _drawn(values, rng) for key, values in grid.items()}
        if repr(point) in seen:
            missed += 1
            continue
        seen.add(repr(point))
        missed = 0
        yield point


def _drawn(values: Any, rng: np.random.Generator) -> Any:
    if not hasattr(values, "rvs"):
        return values[int(rng.integers(len(values)))]
    value = values.rvs(random_state=rng)
    return value.item() if isinstance(value, (np.generic, np.ndarray)) and np.ndim(value) == 0 else value


def _with(family: Family, params: Mapping[str, Any]) -> Any:
    model = fresh(family.model)
    if not params:
        return model
    if not hasattr(model, "set_params"):
        raise InputError("bad_model", f"{family.name} has no set_params, so it cannot be tuned", cure="leave its grid")
    inside = {key: fresh(value) if _is_model(value) else value for key, value in params.items()}
    try:
        return model.set_params(**inside)
    except (ValueError, AttributeError) as error:
        known = family.model.get_params(deep=True)
        unknown = [key for key in params if key not in known]
        if unknown:
            raise UnknownNameError(f"parameter of {family.name}", unknown[0], known) from error
        raise InputError(
            "bad_option", f"{family.name} does not take {show(dict(params))}: {error}", cure="correct its grid"
        ) from error


def _is_model(value: object) -> bool:
    return hasattr(value, "get_params") and not isinstance(value, type)


def _named(family: str, params: Mapping[str, Any]) -> str:
    """`tree: max_depth=2`; of a step's parameter only its own name, unless two steps share it."""
    if not params:
        return family
    short = [key.rpartition("__")[2] for key in params]
    keys = list(params) if len(set(short)) < len(short) else short
    return f"{family}: " + ", ".join(f"{key}={_value(value)}" for key, value in zip(keys, params.values(), strict=True))


def _value(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    return " ".join(show(value, 40).split()).strip("'") if isinstance(value, str) else " ".join(show(value, 40).split())


def _unused(name: str, taken: Sequence[Candidate]) -> str:
    names, number, free = {c.name for c in taken}, 2, name
    while free in names:
        free, number = f"{name} ({number})", number + 1
    return free
