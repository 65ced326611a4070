"""One small result of every kind, for the tests of what JSON holds."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars as pl
from click.testing import CliRunner
from sklearn.datasets import load_iris

import surefold as sf
from surefold.cli.main import cli
from surefold.comparison import roc_difference
from surefold.learners import DecisionTree, FullBayes, NaiveBayes
from surefold.report.document import document_of


def tumours() -> pl.DataFrame:
    with (files("surefold") / "data" / "breast_cancer.csv").open("rb") as file:
        return pl.read_csv(file)


T = tumours()
TRUTH = T["diagnosis"]
POSITIVE: dict[str, Any] = {"pos_label": "malignant"}
IRIS, SPECIES = load_iris(return_X_y=True)
X, Y = IRIS[50:, :2], np.where(SPECIES[50:] == 1, "no", "yes")
BAYES = {"naive": NaiveBayes(), "full": FullBayes()}
SEARCHED = {"bayes": NaiveBayes(), "tree": (DecisionTree(), {"max_depth": [1, 2]})}


class Undefined:
    """A classifier that fails on one fold of its own making."""

    def fit(self, X: Any, y: Any) -> Undefined:
        if X[0, 0] == IRIS[50, 0] and len(X) < 100:
            raise ValueError("this part will not do")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[0], len(X))

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def set_params(self) -> Undefined:
        return self


def command(*words: str) -> dict[str, Any]:
    found = CliRunner().invoke(cli, [*words, "--format", "json", "--quiet"], standalone_mode=False)
    assert found.exception is None, found.output
    return dict(json.loads(found.stdout))


def of_store() -> dict[str, Any]:
    with TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"
        for run in ("first", "second"):
            sf.cross_validate(NaiveBayes(), X, Y, folds=2, random_state=0, store=store, run=run)
        return command("resume", str(store))


def select(**options: Any) -> dict[str, Any]:
    return sf.select(SEARCHED, X, Y, folds=3, random_state=0, pos_label="yes", **options).to_dict()


def many(models: dict[str, Any]) -> sf.Benchmark:
    parts = {"all": (X, Y), "even": (X[::2], Y[::2]), "odd": (X[1::2], Y[1::2])}
    return sf.benchmark(models, parts, folds=3, random_state=0)


SLICED = ["first" if place % 3 else "second" for place in range(len(TRUTH))]
BY_MEAN = sf.assess(TRUTH, T["logistic"], by={"fold": SLICED, "score": T["p_logistic"]}, **POSITIVE)

#: Results by name; the name up to the colon is the kind.
RESULTS: dict[str, Callable[[], dict[str, Any]]] = {
    "assessment": lambda: sf.assess(
        TRUTH, T["logistic"], y_score=T["p_logistic"], costs={"fp": 1, "fn": 5}, **POSITIVE
    ).to_dict(),
    "assessment: labels of four classes, some of them never right": lambda: sf.assess(
        list("aabbccdd"), list("aabbddcc")
    ).to_dict(),
    "assessment: weights and groups": lambda: sf.assess(
        TRUTH,
        T["logistic"],
        sample_weight=np.linspace(1, 2, len(TRUTH)),
        groups=np.arange(len(TRUTH)) // 3,
        **POSITIVE,
    ).to_dict(),
    "assessment: scores alone": lambda: sf.assess([0, 0, 1, 1], y_score=[0.1, 0.6, 0.4, 0.9]).to_dict(),
    "assessment: perfect": lambda: sf.assess([0, 1, 1], [0, 1, 1]).to_dict(),
    "comparison": lambda: sf.compare(
        TRUTH, {"a": T["logistic"], "b": T["naive_bayes"]}, margin=0.05, **POSITIVE
    ).to_dict(),
    "comparison: scores, three models, a control": lambda: sf.compare(
        TRUTH,
        {"a": T["p_logistic"], "b": T["p_naive_bayes"], "c": 1 - T["p_logistic"]},
        control="b",
        measure="roc_auc",
        **POSITIVE,
    ).to_dict(),
    "comparison: over folds": lambda: (
        sf.cross_validate(BAYES, X, Y, folds=5, random_state=0).compare("error_rate").to_dict()
    ),
    "comparison: twice the same": lambda: sf.compare([0, 1, 1, 0], {"a": [0, 1, 1, 0], "b": [0, 1, 1, 0]}).to_dict(),
    "comparisons": lambda: sf.compare(
        TRUTH, {"a": T["logistic"], "b": T["naive_bayes"]}, measure=["mcc", "accuracy"], **POSITIVE
    ).to_dict(),
    "gate": lambda: sf.gate(TRUTH, T["naive_bayes"], T["logistic"], measure="f1", margin=0.01, **POSITIVE).to_dict(),
    "gate: alone": lambda: sf.gate(TRUTH, None, T["logistic"], measure="recall", at_least=0.93, **POSITIVE).to_dict(),
    "slices": lambda: BY_MEAN.by(measure="recall", margin=0.05, pairs=True).to_dict(),
    "slices: small and undefined": lambda: sf.slices([1, 1, 0, 0], [1, 0, 0, 0], by={"x": list("aabb")}).to_dict(),
    "slices_of_measures": lambda: BY_MEAN.by(measure=["f1", "mcc"]).to_dict(),
    "compared_slices": lambda: (
        sf.compare(TRUTH, {"a": T["logistic"], "b": T["naive_bayes"]}, measure="f1", **POSITIVE)
        .by({"fold": SLICED})
        .to_dict()
    ),
    "slice_gate": lambda: BY_MEAN.by(measure="recall").gate(at_least=0.8).to_dict(),
    "slice_gate: and a baseline": lambda: sf.gate(
        TRUTH, T["naive_bayes"], T["logistic"], margin=0.1, by={"fold": SLICED}, min_slice=0.8, **POSITIVE
    ).to_dict(),
    "difference_curve": lambda: roc_difference(TRUTH, T["p_logistic"], T["p_naive_bayes"], **POSITIVE).to_dict(),
    "resampled": lambda: sf.cross_validate(NaiveBayes(), X, Y, folds=5, repeats=2, random_state=0).to_dict(),
    "resampled: leave one out": lambda: sf.leave_one_out(NaiveBayes(), X, Y).to_dict(),
    "resampled: refitted": lambda: sf.holdout(DecisionTree(), X, Y, random_state=0, pos_label="yes").to_dict(),
    "resampled: a fold that failed": lambda: sf.cross_validate(
        Undefined(), X, Y, folds=5, random_state=0, retries=0
    ).to_dict(),
    "study": lambda: sf.cross_validate(BAYES, X, Y, folds=5, random_state=0, pos_label="yes").to_dict(),
    "bootstrap": lambda: sf.bootstrap(NaiveBayes(), X, Y, samples=10, random_state=0).to_dict(),
    "selection": lambda: select(),
    "selection: nested": lambda: select(strategy="nested", outer_folds=3),
    "selection: prices": lambda: select(costs={"fp": 1, "fn": 5}, test_size=None),
    "selection: zero": lambda: select(strategy="zero"),
    "model_card": lambda: dict(sf.select(SEARCHED, X, Y, folds=3, random_state=0).card),
    "benchmark": lambda: many({**BAYES, "tree": DecisionTree()}).to_dict(),
    "many_comparison": lambda: many({**BAYES, "tree": DecisionTree()}).compare().to_dict(),
    "many_comparison: two": lambda: many(dict(BAYES)).compare().to_dict(),
    "bias_variance": lambda: sf.bias_variance(NaiveBayes(), X, Y, loss="domingos", random_state=0).to_dict(),
    "bias_variance: by a parameter": lambda: sf.bias_variance(
        DecisionTree(), X, Y, loss="kohavi_wolpert", random_state=0, param="max_depth", grid=[1, 2]
    ).to_dict(),
    "learning_curve": lambda: sf.learning_curve(
        NaiveBayes(), X, Y, random_state=0, sizes=[0.5, 1.0], folds=3
    ).to_dict(),
    "noise_curve": lambda: sf.noise_curve(NaiveBayes(), X, Y, random_state=0, shares=[0, 0.2], folds=3).to_dict(),
    "cost_study": lambda: sf.cost_sensitive(
        NaiveBayes(), X, Y, {"fp": 1, "fn": 5}, pos_label="yes", folds=3, random_state=0
    ).to_dict(),
    "cost_study: three classes": lambda: sf.cost_sensitive(
        NaiveBayes(), IRIS, SPECIES, [[0, 1, 9], [1, 0, 1], [1, 1, 0]], folds=3, random_state=0
    ).to_dict(),
    "pruning_curves": lambda: sf.pruning_curves(
        X, Y, folds=3, random_state=0, parameters={"max_depth": [1, 2]}
    ).to_dict(),
    "sample_size": lambda: sf.sample_size("mcnemar", difference=0.02, disagreement=0.1).to_dict(),
    "sample_size: width": lambda: sf.sample_size("auc", value=0.85, width=0.05, positives_share=0.2).to_dict(),
    "power": lambda: sf.power("two_proportions", first=0.8, second=0.9, n=300).to_dict(),
    "smallest_difference": lambda: sf.smallest_difference("mcnemar", n=500, disagreement=0.1).to_dict(),
    "expected_width": lambda: sf.expected_width("proportion", n=30, value=0.9).to_dict(),
    "plan": lambda: command("plan", "mcnemar", "--difference", "0.02", "--disagreement", "0.1"),
    "plan: what rows can show": lambda: command("plan", "mcnemar", "--n", "500", "--disagreement", "0.1"),
    "demo": lambda: command("demo"),
    "runs": lambda: of_store(),
    "report": lambda: document_of({"logistic": sf.assess(TRUTH, T["logistic"], **POSITIVE)}).data,
    "report: of a study": lambda: document_of(sf.cross_validate(BAYES, X, Y, folds=5, random_state=0)).data,
}
