"""Models by name: the built-in ones, prepared inside the pipeline so that nothing leaks, and code that was named."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from surefold.cli.features import Features
from surefold.errors import InputError, show
from surefold.resampling.models import check_model, weight_argument
from surefold.show.names import plain

__all__ = ["BUILT_IN", "build_models", "code_named", "listed_models", "refuse_untrusted", "split_name"]

#: Names of built-in models and what each is.
BUILT_IN = {
    "bayes": "naive Bayes, a normal density a feature and class",
    "full-bayes": "Bayes with a full normal density a class",
    "tree": "scikit-learn's decision tree",
    "forest": "scikit-learn's random forest",
    "logistic": "scikit-learn's logistic regression, features scaled",
    "knn": "scikit-learn's five nearest neighbours, features scaled",
    "svm": "scikit-learn's support vector machine, features scaled",
    "boosting": "scikit-learn's histogram gradient boosting",
    "majority": "always the commonest class",
}
_SCALED = ("logistic", "knn", "svm")
#: Models that learn from sparse columns as fast as there are words, so that a column may have any number of levels.
_SPARSE = ("logistic", "tree", "forest")
#: So many levels of a column have a column of their own in the other models; the rarer ones count as one.
LEVELS = 255
_PICKLES = (".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle")
#: What a normal density gets of a feature's variance where a column may not vary within a class.
RIDGE = 1e-3


def listed_models() -> str:
    """The built-in models, one a line, for help."""
    return "\n".join(f"  {name:<11} {what}" for name, what in BUILT_IN.items())


def split_name(text: str) -> tuple[str, str]:
    """What `--model` was given as (name, specification): `forest`, `mine=package.module:factory`, `module:factory`."""
    name, found, what = text.partition("=")
    if not found:
        name = what = text
    if not name.strip() or not what.strip():
        raise InputError("bad_model", f"--model {show(text)}", cure="write --model NAME or --model name=module:factory")
    return name.strip(), what.strip()


def code_named(specifications: Sequence[str]) -> list[str]:
    """What is no built-in model among these, and so is made by importing and calling code."""
    return [what for _, what in map(split_name, specifications) if what not in BUILT_IN]


def refuse_untrusted(specifications: Sequence[str], trusted: Sequence[str], store: str) -> None:
    """InputError where models that a store names are made by code that this call does not name too."""
    foreign = [what for what in code_named(specifications) if what not in trusted]
    if foreign:
        problem = f"{store} names code that makes its models, {', '.join(map(show, foreign))}, and it was not run"
        flags = shlex.join(word for what in foreign for word in ("--trust", what))
        raise InputError("untrusted_code", problem, cure=f"if you know that code, say {plain(flags)}")


def build_models(
    specifications: Sequence[str], features: Features, *, impute: bool = False, weighted: bool = False
) -> dict[str, Any]:
    """Models by name."""
    models: dict[str, Any] = {}
    for text in specifications:
        name, what = split_name(text)
        if name in models:
            raise InputError("bad_model", f"two models are called {show(name)}",
                             cure=f"name one of them: --model other={what}")  # fmt: skip
        model = _built_in(what, features, impute) if what in BUILT_IN else _from_code(what)
        if weighted and weight_argument(model) is None:
            raise InputError("bad_model", f"--weight was given, and {name}'s fit does not take weights",
                             cure="use a model that does, or leave --weight out")  # fmt: skip
        check_model(model, name)
        models[name] = model
    return models


# built in


def _built_in(name: str, features: Features, impute: bool) -> Any:
    from sklearn.pipeline import Pipeline

    model = _makers()[name](_is_awkward(features))
    steps = _preparation(features, scaled=name in _SCALED, sparse=name in _SPARSE, impute=impute)
    return Pipeline([("prepare", steps), ("model", model)]) if steps is not None else model


def _is_awkward(features: Features) -> bool:
    """Whether columns may fail to vary within a class: categories, and columns that never vary at all."""
    return bool(features.text or features.constant)


def _makers() -> Mapping[str, Callable[[bool], Any]]:
    from sklearn.dummy import DummyClassifier
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    from surefold.learners import FullBayes, NaiveBayes

    return {
        "bayes": lambda awkward: NaiveBayes(ridge=RIDGE if awkward else 0.0),
        "full-bayes": lambda awkward: FullBayes(ridge=RIDGE if awkward else 0.0),
        "tree": lambda _: DecisionTreeClassifier(),
        "forest": lambda _: RandomForestClassifier(),
        "logistic": lambda _: LogisticRegression(max_iter=1000),
        "knn": lambda _: KNeighborsClassifier(),
        "svm": lambda _: SVC(),
        "boosting": lambda _: HistGradientBoostingClassifier(),
        "majority": lambda _: DummyClassifier(strategy="most_frequent"),
    }


def _preparation(features: Features, *, scaled: bool, sparse: bool, impute: bool) -> Any:
    """What is learnt from the training part before the model is; None where there is nothing to do."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import Pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers: list[tuple[str, Any]] = []
    words: list[tuple[str, Any]] = []
    if impute:
        numbers.append(("impute", SimpleImputer(strategy="median", keep_empty_features=True)))
        filled = SimpleImputer(strategy="most_frequent", missing_values=None, keep_empty_features=True)
        words.append(("impute", filled))
    if scaled:
        numbers.append(("scale", StandardScaler()))
    # a level seen once can only be learnt by heart: such levels are one, and so are those that come up later
    rare = {"handle_unknown": "infrequent_if_exist", "min_frequency": 2}
    words.append(("encode", OneHotEncoder(**rare, sparse_output=sparse, max_categories=None if sparse else LEVELS)))
    if not features.text and not numbers:
        return None
    parts = []
    if features.numeric:
        parts.append(("numbers", Pipeline(numbers) if numbers else "passthrough", list(features.numeric)))
    if features.text:
        parts.append(("words", Pipeline(words), list(features.text)))
    return ColumnTransformer(parts)


# code that was named


def _from_code(what: str) -> Any:
    """The model that `module:factory` makes; the module is looked for in the current folder, then as installed."""
    if what.lower().endswith(_PICKLES):
        raise InputError("pickle", f"{what}: a pickled model could run any code when loaded, so none is",
                         cure="write a function that makes the model, and say --model name=module:function"
                         )  # fmt: skip
    if ":" not in what:
        near = get_close_matches(what, BUILT_IN, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError("bad_model", f"there is no built-in model {show(what)}{hint}",
                         cure=f"choose one of {', '.join(BUILT_IN)}, or say module:factory")  # fmt: skip
    module_name, _, path = what.partition(":")
    if not re.fullmatch(r"\w+(\.\w+)*", module_name) or not re.fullmatch(r"\w+(\.\w+)*", path):
        raise InputError("bad_model", f"{show(what)} is not of the form module:factory",
                         cure="write the module with dots and without .py, as in --model mine=my_models:make"
                         )  # fmt: skip
    made = _call(_looked_up(_imported(module_name), module_name, path), what)
    if isinstance(made, type) or not hasattr(made, "fit"):
        kind = f"the class {made.__name__}" if isinstance(made, type) else f"a {type(made).__name__}"
        raise InputError("bad_model", f"{what} returned {kind}, not a classifier",
                         cure="return an unfitted classifier with fit and predict")  # fmt: skip
    return made


def _imported(name: str) -> Any:
    here = os.getcwd()
    if here not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            problem = f"there is no module {show(name)} in {here} or among the installed packages"
            raise InputError("bad_model", problem, cure="check the name, or change to the folder it is in") from None
        raise _raised(f"importing {name}", error) from error
    except Exception as error:
        raise _raised(f"importing {name}", error) from error


def _looked_up(module: Any, name: str, path: str) -> Any:
    found = module
    for part in path.split("."):
        if not hasattr(found, part):
            public = [each for each in vars(module) if not each.startswith("_")]
            near = get_close_matches(part, public, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise InputError("bad_model", f"module {name} has no {show(part)}{hint}",
                             cure="name a function that returns the model")  # fmt: skip
        found = getattr(found, part)
    if not callable(found):
        raise InputError("bad_model", f"{name}:{path} is a {type(found).__name__}, not a function",
                         cure="name a function that returns the model")  # fmt: skip
    return found


def _call(factory: Callable[[], Any], what: str) -> Any:
    try:
        return factory()
    except Exception as error:
        raise _raised(f"{what}()", error) from error


def _raised(what: str, error: Exception) -> InputError:
    text = str(error).strip().split("\n")[0][:200]
    return InputError("bad_model", f"{what} raised {type(error).__name__}: {plain(text)}",
                      cure="mend it; --debug shows the traceback")  # fmt: skip
