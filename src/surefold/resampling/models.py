"""Models: is this a classifier that can be cloned and seeded, and what exactly is it?"""

from __future__ import annotations

import copy
import hashlib
import platform
import re
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from surefold._version import __version__
from surefold.errors import InputError, show

__all__ = ["as_models", "check_model", "describe", "fresh", "seeded", "takes_weights", "trusted_tags", "versions"]

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def as_models(model: Any) -> dict[str, Any]:
    """One model or several by name -> by name."""
    if isinstance(model, Mapping):
        if not model:
            raise InputError("bad_model", "no model was given", cure="pass {'name': model, ...}")
        for name in model:
            if not isinstance(name, str) or not name.strip():
                raise InputError("bad_model", f"{show(name)} is no name for a model", cure="name models by text")
        models = dict(model)
    else:
        models = {type(model).__name__: model}
    for name, each in models.items():
        check_model(each, name)
    return models


def check_model(model: Any, name: str) -> None:
    """Refuse what is no classifier, before anything is fitted."""
    if isinstance(model, type):
        raise InputError("bad_model", f"{name} is the class {model.__name__}, not a model",
                         cure=f"make one: {model.__name__}()")  # fmt: skip
    missing = [verb for verb in ("fit", "predict") if not callable(getattr(model, verb, None))]
    if missing:
        raise InputError("bad_model", f"{name} ({type(model).__name__}) has no {' and no '.join(missing)}",
                         cure="pass a classifier with fit and predict")  # fmt: skip
    kind = _kind(model)
    if kind is not None and kind != "classifier":
        raise InputError("bad_model", f"{name} ({type(model).__name__}) is a {kind}, not a classifier",
                         cure="pass a classifier")  # fmt: skip
    try:
        fresh(model)
    except Exception as error:
        culprit = _unclonable(model)
        problem = f"{name} ({type(model).__name__}) cannot be cloned: "
        problem += f"its __init__ changes or drops the parameter {culprit!r}" if culprit else str(error).split("\n")[0]
        raise InputError("bad_model", problem, cure="store each parameter under its own name in __init__, unchanged"
                         ) from error  # fmt: skip


def _kind(model: Any) -> str | None:
    from sklearn.utils import get_tags

    try:
        kind = get_tags(model).estimator_type
    except (AttributeError, TypeError, ValueError):
        kind = getattr(model, "_estimator_type", None)
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


def fresh(model: Any) -> Any:
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


def describe(model: Any) -> dict[str, str]:
    """Class and parameters as plain text, the same in every process; what a store compares."""
    described = {"class": f"{type(model).__module__}.{type(model).__qualname__}"}
    if hasattr(model, "get_params"):
        for name, value in sorted(model.get_params(deep=True).items()):
            described[name] = _text(value)
    else:
        for name, value in sorted(vars(model).items()) if hasattr(model, "__dict__") else ():
            described[name] = _text(value)
    return described


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        content = repr(value.tolist()) if value.dtype.kind == "O" else np.ascontiguousarray(value).tobytes()
        digest = hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()[:12]
        return f"array {value.dtype.str}{value.shape} {digest}"
    if hasattr(value, "get_params") and not isinstance(value, type):
        return f"{type(value).__module__}.{type(value).__qualname__}"  # its own parameters are listed beside it
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(map(_text, value))})"
    if isinstance(value, dict):
        return f"dict({', '.join(f'{_text(k)}: {_text(v)}' for k, v in value.items())})"
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return f"{type(value).__name__} {hashlib.sha256(repr(_state(value)).encode()).hexdigest()[:12]}"
    if callable(value) and hasattr(value, "__qualname__"):
        code = getattr(value, "__code__", None)
        inside = "" if code is None else hashlib.sha256(code.co_code + repr(code.co_consts).encode()).hexdigest()[:12]
        return _ADDRESS.sub("", f"{value.__module__}.{value.__qualname__} {inside}".rstrip())
    return _ADDRESS.sub("", repr(value))


def _state(value: Any) -> Any:
    return value.get_state(legacy=False) if isinstance(value, np.random.RandomState) else value.bit_generator.state


def versions(models: Mapping[str, Any]) -> dict[str, str]:
    """Of everything that may change a prediction."""
    found = {"python": platform.python_version(), "surefold": __version__}
    packages = {"numpy", "scipy", "sklearn"}
    for model in models.values():
        parts = [model, *(model.get_params(deep=True).values() if hasattr(model, "get_params") else ())]
        packages |= {type(part).__module__.split(".")[0] for part in parts if hasattr(part, "fit")}
    for package in sorted(packages - {"__main__", "builtins", "surefold"}):
        version = getattr(sys.modules.get(package), "__version__", None)
        if isinstance(version, str):
            found[package] = version
    return found


def takes_weights(model: Any) -> bool:
    from sklearn.utils.validation import has_fit_parameter

    return bool(has_fit_parameter(model, "sample_weight"))


def trusted_tags(model: Any) -> Any:
    """scikit-learn's tags, where every part of the model comes from a library that sets them with care."""
    from sklearn.utils import get_tags

    parts = [model, *(model.get_params(deep=True).values() if hasattr(model, "get_params") else ())]
    homes = {type(part).__module__.split(".")[0] for part in parts if hasattr(part, "fit")}
    if not homes <= {"sklearn", "surefold"}:
        return None
    try:
        return get_tags(model)
    except (AttributeError, TypeError, ValueError):
        return None
