"""Models: what is refused before a fit, what is seeded, and how a model is described to a store."""

import functools
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from surefold import InputError
from surefold.resampling.models import as_models, check_model, describe, fresh, seeded, versions, weight_argument
from tests.resampling import odd_models as odd


class Changes(ClassifierMixin, BaseEstimator):
    def __init__(self, depth: int = 3) -> None:
        self.depth = depth + 1

    def fit(self, X: Any, y: Any) -> "Changes":
        return self

    def predict(self, X: Any) -> Any:
        return X


class Drops(Changes):
    def __init__(self, alpha: float = 1.0) -> None:
        pass


class Plain:
    """Not even scikit-learn's base class."""

    def __init__(self, colour: str = "red") -> None:
        self.colour = colour

    def fit(self, X: Any, y: Any) -> "Plain":
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


class Odd:
    def __init__(self, inside: int) -> None:
        self.inside = inside


class Holder(Changes):
    def __init__(self, thing: Any = None) -> None:
        self.thing = thing


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (LogisticRegression, "is the class LogisticRegression, not a model"),
        (LinearRegression(), "is a regressor, not a classifier"),
        (object(), "has no fit and no predict"),
        (StandardScaler(), "has no predict"),
        (Changes(), "changes or drops the parameter 'depth'"),
        (Drops(), "changes or drops the parameter 'alpha'"),
        ({}, "no model was given"),
        ({1: Plain()}, "1 is no name for a model"),
        ({" ": Plain()}, "is no name for a model"),
        ("logistic", "has no fit and no predict"),
        (odd.Uncopyable(), "cannot be cloned: cannot pickle 'generator' object"),
    ],
)
def test_what_is_no_model(model: Any, words: str):
    with pytest.raises(InputError, match=words) as caught:
        as_models(model)
    assert caught.value.code == "bad_model"


def test_models_by_name_and_without_scikit_learn():
    assert list(as_models(Plain())) == ["Plain"]
    assert list(as_models({"x": Plain(), "y": LogisticRegression()})) == ["x", "y"]
    check_model(Plain(), "plain")
    copied = fresh(Plain("blue"))
    assert copied.colour == "blue"
    assert describe(Plain("blue"))["colour"] == "'blue'"
    assert seeded(copied, np.random.SeedSequence(1)) is copied


def test_only_open_random_states_are_set_and_by_name():
    model = make_pipeline(RandomForestClassifier(), RandomForestClassifier(random_state=7))
    one, two = (seeded(fresh(model), np.random.SeedSequence(5)).get_params() for _ in range(2))
    name = "randomforestclassifier-1__random_state"
    assert one[name] == two[name]
    assert isinstance(one[name], int)
    assert one["randomforestclassifier-2__random_state"] == 7
    assert seeded(fresh(model), np.random.SeedSequence(6)).get_params()[name] != one[name]
    assert model.get_params()[name] is None


def test_a_changed_step_is_told_once():
    one, two = (describe(make_pipeline(StandardScaler(), LogisticRegression(C=c))) for c in (1.0, 2.0))
    assert [name for name in one if one[name] != two[name]] == ["logisticregression__C"]


def _closing_over(number: float) -> Any:
    return lambda x: x + number


@pytest.mark.parametrize(
    ("one", "two"),
    [
        (1, 2),
        (1, 1.0),
        ("a", "b"),
        (np.arange(3000), np.where(np.arange(3000) == 1500, 0, np.arange(3000))),
        (lambda x: np.sin(x), lambda x: np.cos(x)),
        (lambda x: x + 1, lambda x: x + 2),
        (lambda x: [y + 1 for y in x], lambda x: [y + 2 for y in x]),
        (_closing_over(1.0), _closing_over(2.0)),
        (lambda x, k=1: x, lambda x, k=2: x),
        (functools.partial(np.clip, a_min=0), functools.partial(np.clip, a_min=1)),
        (Odd(1), Odd(2)),
        ({"a": Odd(1)}, {"a": Odd(2)}),
        ([Odd(1)], [Odd(2)]),
        (np.random.RandomState(1), np.random.RandomState(2)),
        (np.random.default_rng(1), np.random.default_rng(2)),
        (np.random.Generator(np.random.MT19937(1)), np.random.Generator(np.random.MT19937(2))),
        ({"a", "b"}, {"a", "c"}),
        ([LogisticRegression(C=1.0)], [LogisticRegression(C=2.0)]),
        (str.upper, str.lower),
    ],
)
def test_another_parameter_is_another_description(one: Any, two: Any):
    assert describe(Holder(one)) != describe(Holder(two))
    assert describe(Holder(one)) == describe(Holder(one))


SCRIPT = """
import functools
from surefold.resampling.models import describe, versions
class Odd:
    def __init__(self, **inside): self.__dict__.update(inside)
    def fit(self, X, y): return self
    def predict(self, X): return [n in {"x", "y", "z"} for n in X]
f = lambda x: [{"some", "words", "here"} and y for y in x]
model = Odd(f=f, s={"p", "q", "r"}, o=Odd(g=functools.partial(f, 1)), b=len, t=(Odd, str.upper))
print(describe(model), versions({"m": model}))
"""


def test_a_description_is_the_same_in_every_process():
    told = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT], env={"PYTHONHASHSEED": seed, "PATH": ""}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1
    assert b"code " in told.pop()


def test_versions_of_packages_and_of_code_without_one():
    found = versions({"m": make_pipeline(StandardScaler(), LogisticRegression())})
    assert {"python", "surefold", "numpy", "scipy", "sklearn"} == set(found)
    first = versions({"m": Plain()})
    assert first["Plain"].startswith("code ")

    def predict(self: Any, X: Any) -> Any:
        return np.repeat(self.classes_[1:], len(X))

    other = type("Plain", (Plain,), {"predict": predict, "__module__": Plain.__module__, "__qualname__": "Plain"})
    assert versions({"m": other()})["Plain"] != first["Plain"]
    assert versions({"m": Plain("blue")}) == first
    assert "Plain" in versions({"m": Holder(Plain())})  # also inside another


def test_who_takes_weights():
    assert weight_argument(LogisticRegression()) == "sample_weight"
    assert weight_argument(Plain()) is None


def test_a_method_or_a_builtin_as_a_parameter_is_described():
    for value in (Plain().fit, len, np.mean, str.upper, FunctionTransformer, None):
        assert describe(Holder(value))["thing"] == describe(Holder(value))["thing"]
