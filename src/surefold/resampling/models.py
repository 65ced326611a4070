"""Models: is this a classifier that can be cloned and seeded, and what exactly is it?"""

from __future__ import annotations

import contextlib
import copy
import functools
import hashlib
import platform
import re
import sys
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any

import numpy as np

from surefold._version import __version__
from surefold.errors import InputError, is_text, show
from surefold.resampling.classifier import Classifier, Models

__all__ = ["as_models", "check_model", "describe", "fresh", "seeded", "trusted_tags", "versions", "weight_argument"]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_PLAIN_REPR: Any = object.__repr__

#: How far into functions and objects inside parameters is looked.
DEEPEST = 5


def as_models(model: Models) -> dict[str, Any]:
    """One model or several by name -> by name."""
    if isinstance(model, Mapping):
        if not model:
            raise InputError("bad_model", "no model was given", cure="pass {'name': model, ...}")
        for name in model:
            if not isinstance(name, str) or not name.strip() or not is_text(name):
                raise InputError("bad_model", f"{show(name)} is no name for a model", cure="name models by text")
        models = dict(model)
    else:
        models = {type(model).__name__: model}
    for name, each in models.items():
        check_model(each, name)
    return models


def check_model(model: Classifier, name: str) -> None:
    """Refuse what is no classifier, before anything is fitted."""
    if isinstance(model, type):
        problem = f"{name} is the class {model.__name__}, not a model"
        raise InputError("bad_model", problem, cure=f"make one: {model.__name__}()")
    missing = [verb for verb in ("fit", "predict") if not callable(getattr(model, verb, None))]
    if missing:
        problem = f"{name} ({type(model).__name__}) has no {' and no '.join(missing)}"
        raise InputError("bad_model", problem, cure="pass a classifier with fit and predict")
    kind = _kind(model)
    if kind is not None and kind != "classifier":
        problem = f"{name} ({type(model).__name__}) is a {kind}, not a classifier"
        raise InputError("bad_model", problem, cure="pass a classifier")
    try:
        fresh(model)
    except Exception as error:
        problem, cure = str(error).split("\n")[0], "make it one that copy.deepcopy can copy, or give it get_params"
        if hasattr(model, "get_params"):
            culprit, cure = _unclonable(model), "store each parameter under its own name in __init__, unchanged"
            problem = f"its __init__ changes or drops the parameter {culprit!r}" if culprit else problem
        raise InputError(
            "bad_model", f"{name} ({type(model).__name__}) cannot be cloned: {problem}", cure=cure
        ) from error


def _kind(model: Classifier) -> str | None:
    kind = getattr(model, "_estimator_type", None)
    if hasattr(model, "__sklearn_tags__"):
        from sklearn.utils import get_tags

        with contextlib.suppress(AttributeError, TypeError, ValueError):
            kind = get_tags(model).estimator_type
    return kind if isinstance(kind, str) else None


def _unclonable(model: Any) -> str | None:
    try:
        given = model.get_params(deep=False)
    except Exception as error:
        found = re.search(r"attribute '(\w+)'", str(error))
        return found.group(1) if found else None
    try:
        again = type(model)(**given).get_params(deep=False)
    except Exception:
        return None
    return next((name for name in given if again.get(name) is not given[name]), None)


def fresh(model: Classifier) -> Any:
    """An unfitted copy."""
    if hasattr(model, "get_params"):
        from sklearn.base import clone

        return clone(model)
    return copy.deepcopy(model)


def seeded(model: Any, seed: np.random.SeedSequence) -> Any:
    """The model with each `random_state` that was left open set from the seed, by name and not by order."""
    if not hasattr(model, "get_params"):
        return model
    opened = sorted(
        name
        for name, value in model.get_params(deep=True).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    )
    if opened:
        states = seed.generate_state(len(opened))
        model.set_params(**{name: int(state % (2**31 - 1)) for name, state in zip(opened, states, strict=True)})
    return model


def describe(model: Classifier) -> dict[str, str]:
    """Class and parameters as plain text, the same in every process; what a store compares."""
    described = {"class": f"{type(model).__module__}.{type(model).__qualname__}"}
    if hasattr(model, "get_params"):
        parameters = model.get_params(deep=True)
    else:
        parameters = vars(model) if hasattr(model, "__dict__") else {}
    listed = frozenset(map(id, parameters.values()))
    return described | {name: _text(value, listed) for name, value in sorted(parameters.items())}


def _text(value: object, listed: frozenset[int] = frozenset(), depth: int = 0) -> str:
    """A value as text that says all of it and is the same in every process; `listed` are models told of elsewhere."""

    def inner(part: object) -> str:
        return _text(part, listed, depth + 1)

    if isinstance(value, np.ndarray):
        content = repr(value.tolist()) if value.dtype.kind == "O" else np.ascontiguousarray(value).tobytes()
        return f"array {value.dtype.str}{value.shape} {_digest(content)}"
    if hasattr(value, "get_params") and not isinstance(value, type):
        name = f"{type(value).__module__}.{type(value).__qualname__}"
        return name if id(value) in listed or depth > DEEPEST else f"{name}({inner(value.get_params(deep=False))})"
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(map(inner, value))})"
    if isinstance(value, set | frozenset):  # whose order is another in every process
        return f"{type(value).__name__}({', '.join(sorted(map(inner, value)))})"
    if isinstance(value, dict):
        return f"dict({', '.join(f'{inner(k)}: {inner(v)}' for k, v in value.items())})"
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return f"{type(value).__name__} {_digest(repr(_state(value)))}"
    if isinstance(value, functools.partial):
        return f"partial({inner(value.func)}, {inner(value.args)}, {inner(value.keywords)})"
    if callable(value) and hasattr(value, "__qualname__"):
        code: Any = getattr(value, "__code__", None)
        name = f"{getattr(value, '__module__', None)}.{value.__qualname__}"
        known = isinstance(code, CodeType) and depth <= DEEPEST
        return f"{name} {_digest(f'{_code(code)} {_bound(value, inner)}')}" if known else name
    if getattr(type(value), "__repr__", None) is _PLAIN_REPR and hasattr(value, "__dict__") and depth <= DEEPEST:
        return f"{type(value).__module__}.{type(value).__qualname__}({inner(vars(value))})"
    return _ADDRESS.sub("", repr(value))


def _digest(content: str | bytes) -> str:
    return hashlib.sha256(content.encode("utf-8", "replace") if isinstance(content, str) else content).hexdigest()[:12]


def _code(code: CodeType) -> str:
    """What a function does, without where it stands."""
    consts = [_code(part) if isinstance(part, CodeType) else _text(part) for part in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {consts}"


def _bound(function: Any, inner: Callable[[Any], str]) -> str:
    """Defaults and what a function has closed over."""
    cells = []
    for cell in function.__closure__ or ():
        try:
            cells.append(inner(cell.cell_contents))
        except ValueError:  # not filled yet
            cells.append("")
    return f"{inner(function.__defaults__)} {inner(function.__kwdefaults__)} {cells}"


def _state(value: Any) -> Any:
    state = value.get_state(legacy=False) if isinstance(value, np.random.RandomState) else value.bit_generator.state
    inside = state.get("state")
    if isinstance(inside, dict) and isinstance(inside.get("key"), np.ndarray):  # long arrays are shown with gaps
        return {**state, "state": {**inside, "key": inside["key"].tolist()}}
    return state


def versions(models: Mapping[str, Any]) -> dict[str, str]:
    """Of everything that may change a prediction. A class of nobody's package has no version: its code stands in."""
    found = {"python": platform.python_version(), "surefold": __version__}
    parts = [part for model in models.values() for part in _parts(model)]
    packages = {"numpy", "scipy", "sklearn"} | {type(part).__module__.split(".")[0] for part in parts}
    for package in sorted(packages - {"builtins", "surefold"}):
        version = getattr(sys.modules.get(package), "__version__", None)
        if isinstance(version, str) and package != "__main__":
            found[package] = version
    for kind in sorted({type(part) for part in parts}, key=lambda kind: kind.__qualname__):
        if kind.__module__.split(".")[0] not in {*found, "builtins"}:
            found[kind.__qualname__] = f"code {_class_code(kind, set(found))}"
    return found


def _parts(model: Classifier) -> list[Any]:
    """The model and the models inside it."""
    inside = model.get_params(deep=True).values() if hasattr(model, "get_params") else ()
    return [model, *(part for part in inside if hasattr(part, "fit") and not isinstance(part, type))]


def _class_code(kind: type, versioned: set[str]) -> str:
    described = []
    for base in kind.__mro__:
        if base is object or base.__module__.split(".")[0] in versioned:
            continue
        for name, value in sorted(vars(base).items()):
            function = getattr(value, "__func__", getattr(value, "fget", value))
            if isinstance(getattr(function, "__code__", None), CodeType):
                described.append(f"{name} {_code(function.__code__)}")
    return _digest("\n".join(described))


def weight_argument(model: Classifier) -> str | None:
    """What `fit` calls the weights of rows: of a Pipeline, those of its last step; None where it takes none.

    Where scikit-learn routes metadata, a Pipeline or a search hands `sample_weight` itself to those that asked for it.
    """
    from sklearn import get_config
    from sklearn.utils.metadata_routing import get_routing_for_object
    from sklearn.utils.validation import has_fit_parameter

    if has_fit_parameter(model, "sample_weight"):
        return "sample_weight"
    if get_config()["enable_metadata_routing"] and hasattr(model, "get_metadata_routing"):
        taken = get_routing_for_object(model).consumes("fit", ["sample_weight"])
        return "sample_weight" if taken else None
    if hasattr(model, "steps"):
        name, last = model.steps[-1]
        inside = weight_argument(last)
        return None if inside is None else f"{name}__{inside}"
    return None


def trusted_tags(model: Classifier) -> Any:
    """What scikit-learn says of the part of a model that meets X first, where it can be relied on.

    A model made of others does not always pass on what those take, so only a plain model or the first step of a
    Pipeline is asked, and only one of a library that sets its tags with care.
    """
    while hasattr(model, "steps"):
        model = model.steps[0][1]
    if len(_parts(model)) != 1 or type(model).__module__.split(".")[0] not in ("sklearn", "surefold"):
        return None
    from sklearn.utils import get_tags

    try:
        return get_tags(model)
    except (AttributeError, TypeError, ValueError):
        return None
