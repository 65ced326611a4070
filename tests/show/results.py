"""One fixed result of every kind, for tests of what people are shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import polars as pl
from sklearn.datasets import load_iris

import surefold as sf
from surefold.costs.cost_sensitive import cost_sensitive
from surefold.learners import FullBayes, NaiveBayes
from surefold.studies import bias_variance, learning_curve, noise_curve
from surefold.studies.pruning.curves import pruning_curves

__all__ = ["RESULTS", "made"]

IRIS, SPECIES = load_iris(return_X_y=True)
X, Y = IRIS[50:, :2], np.where(SPECIES[50:] == 1, "no", "yes")
FOLDS: dict[str, Any] = {"folds": 5, "random_state": 0}


@cache
def tumours() -> pl.DataFrame:
    with (files("surefold") / "data" / "breast_cancer.csv").open("rb") as file:
        return pl.read_csv(file)


def scored(seed: int, share: float, gap: float, n: int = 4000) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < share).astype(int)
    return truth, 1 / (1 + np.exp(-(rng.normal(size=n) + gap * truth - 3)))


def assessed(**options: Any) -> sf.Assessment:
    t = tumours()
    return sf.assess(t["diagnosis"], t["logistic"], pos_label="malignant", **options)


def rare(gap: float = 3.0, **options: Any) -> sf.Assessment:
    truth, score = scored(1, 0.01, gap)
    return sf.assess(truth, y_score=score, pos_label=1, **options)


def models(count: int, margin: float | None = None, **options: Any) -> Any:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 300)
    made = {f"model {i}": np.where(rng.random(300) < 0.93 - 0.03 * i, truth, 1 - truth) for i in range(count)}
    return sf.compare(truth, made, margin=margin, **options)


def gated(**options: Any) -> sf.Gate:
    t = tumours()
    names = ("naive_bayes", "logistic")
    found: sf.Gate = sf.gate(t["diagnosis"], t[names[0]], t[names[1]], names=names, pos_label="malignant", **options)
    return found


def studied(*learners: str) -> Any:
    known = {"naive": NaiveBayes(), "full": FullBayes()}
    return sf.cross_validate({name: known[name] for name in learners}, X, Y, pos_label="yes", **FOLDS)


def flagging_all() -> sf.Assessment:
    truth, _ = scored(1, 0.01, 3.0)
    return sf.assess(truth, np.ones_like(truth), pos_label=1, costs={"fp": 1, "fn": 2})


def alone() -> sf.Assessment:
    truth, score = scored(2, 0.4, 1.0, 300)
    return sf.assess(truth, y_score=10 * score, pos_label=1)


def many() -> Any:
    values = np.random.default_rng(5).normal(0.8, 0.05, (9, 3)) + np.array([0.06, 0.0, 0.0])
    return sf.Benchmark.of_table(values, models=["a", "b", "c"], measure="accuracy")


RESULTS: dict[str, Callable[[], Any]] = {
    "labels": assessed,
    "labels and scores": lambda: assessed(y_score=tumours()["p_logistic"]),
    "labels, grouped": lambda: assessed(groups=np.arange(285) // 3),
    "costs, cheaper": lambda: rare(costs={"fp": 1, "fn": 60}),
    "costs, dearer as it answers": flagging_all,
    "costs, not told": lambda: rare(0.1, costs={"fp": 1, "fn": 60}),
    "rare, found": rare,
    "rare, not told": lambda: rare(0.05),
    "scores alone": alone,
    "three classes": lambda: sf.assess(SPECIES, np.where(IRIS[:, 2] < 2.5, 0, np.where(IRIS[:, 2] < 4.8, 1, 2))),
    "few rows": lambda: sf.assess(["a", "b", "a", "b", "a"], ["a", "b", "a", "a", "a"]),
    "one class": lambda: sf.assess(["a"] * 9, ["a"] * 9),
    "two models": lambda: models(2),
    "two models, a margin": lambda: models(2, 0.05),
    "six models": lambda: models(6),
    "twelve models": lambda: models(12),
    "models against a control": lambda: models(4, control="model 3"),
    "gate, passed": lambda: gated(margin=0.01),
    "gate, open": lambda: gated(measure="recall", kind="superiority"),
    "gate, alone": lambda: sf.gate(
        tumours()["diagnosis"], None, tumours()["logistic"], measure="accuracy", at_least=0.99
    ),
    "folds": lambda: studied("naive")["naive"],
    "study": lambda: studied("naive", "full"),
    "bootstrap": lambda: sf.bootstrap(NaiveBayes(), X, Y, samples=25, random_state=0),
    "selection": lambda: sf.select({"naive": NaiveBayes(), "full": FullBayes()}, X, Y, pos_label="yes", **FOLDS),
    "cost study": lambda: cost_sensitive(NaiveBayes(), X, Y, {"fp": 1, "fn": 5}, pos_label="yes", random_state=0),
    "learning curve": lambda: learning_curve({"naive": NaiveBayes(), "full": FullBayes()}, X, Y, **FOLDS),
    "noise curve": lambda: noise_curve(NaiveBayes(), X, Y, shares=[0, 0.4], **FOLDS),
    "pruning": lambda: pruning_curves(X, Y, parameters={"leaf_size": [1, 4, 16]}, **FOLDS),
    "bias and variance": lambda: bias_variance(NaiveBayes(), X, Y, samples=5, test="out_of_bag", random_state=0),
    "benchmark": lambda: many().compare(),
}


@cache
def made(name: str) -> Any:
    return RESULTS[name]()
