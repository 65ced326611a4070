"""Pictures of every plot in light and dark: `python -m tools.pictures FOLDER [NAME ...]`.

They are for looking at: a name on a line, a legend in its frame, words that are nowhere over data.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from sklearn.datasets import load_iris
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.benchmarking.result import Benchmark
from surefold.comparison.difference_curves import roc_difference
from surefold.costs.example import SLICK_COSTS, simulated_oil_slicks
from surefold.learners import Bagging, DecisionTree, FullBayes, NaiveBayes
from surefold.show.charts.catalogue import ANY_MEASURE, charts_of
from surefold.show.plots import plot

__all__ = ["pictures", "results"]

RNG = np.random.default_rng(0)
TRUTH = (np.arange(400) % 5 < 2).astype(int)
SHARED = RNG.normal(size=400)
NAMES = ("logistic regression, all columns", "logistic regression, ten columns", "naive Bayes", "$boosted$ trees")
SCORES = {
    name: 1 / (1 + np.exp(0.5 - (0.8 * SHARED + 0.6 * RNG.normal(size=400) + ahead * TRUTH)))
    for name, ahead in zip(NAMES, (1.3, 1.2, 0.5, 1.25), strict=True)
}
X, Y = load_iris(return_X_y=True)
SEPALS, VERSICOLOR = X[:, :2], np.where(Y == 1, "versicolor", "other")


def _of_classes(k: int) -> sf.Assessment:
    names = np.array([f"class number {i}" if i % 3 else f"c{i}" for i in range(k)])
    truth = RNG.integers(0, k, 60 * k)
    answers = np.where(RNG.random(60 * k) < 0.7, truth, RNG.integers(0, k, 60 * k))
    return sf.assess(names[truth], names[answers])


def results() -> Iterator[tuple[str, Callable[[], Any]]]:
    """A result of every kind that draws itself, by name, made when it is asked for."""
    values = RNG.normal(size=(25, 9)) + 0.22 * np.arange(9)[::-1]
    table = Benchmark.of_table(values, models=[f"learner {i}, quite long a name" for i in range(9)], measure="accuracy")
    models = {"tree": DecisionTreeClassifier(random_state=0), "bayes": NaiveBayes(), "stump": DecisionTree(max_depth=1)}
    slicks = simulated_oil_slicks(600, share=0.1)
    first = SCORES[NAMES[0]]
    yield "assessment", lambda: sf.assess(TRUTH, y_score=first, pos_label=1)
    yield "costs-given", lambda: sf.assess(TRUTH, y_score=first, pos_label=1, costs={"fp": 1, "fn": 5})
    yield "classes-4", lambda: _of_classes(4)
    yield "classes-12", lambda: _of_classes(12)
    yield "classes-30", lambda: _of_classes(30)
    yield "comparison", lambda: sf.compare(TRUTH, SCORES, measure="roc_auc", margin=0.02)
    yield "gate", lambda: sf.gate(TRUTH, SCORES[NAMES[2]], first, measure="roc_auc", margin=0.02)
    yield "difference-curve", lambda: roc_difference(TRUTH, first, SCORES[NAMES[2]], names=("regression", "$bayes$"))
    yield "run", lambda: sf.cross_validate(NaiveBayes(), X, Y, folds=10, repeats=5, random_state=0)
    yield "study", lambda: sf.cross_validate(models, X, Y, folds=10, random_state=0)
    yield "bootstrap", lambda: sf.bootstrap(NaiveBayes(), X, Y, samples=100, random_state=0)
    grid = (DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, None], "min_samples_leaf": [1, 5]})
    options: dict[str, Any] = {"strategy": "nested", "folds": 6, "outer_folds": 3, "race": True, "random_state": 0}
    yield "selection", lambda: sf.select({"bayes": NaiveBayes(), "tree": grid}, X, Y, **options)
    yield "benchmark", lambda: table
    yield "ranks-control", lambda: table.compare(control="learner 3, quite long a name", post_hoc="bonferroni_dunn")
    tried: dict[str, Any] = {"pos_label": "slick", "folds": 4, "random_state": 0}
    two = {name: models[name] for name in ("tree", "bayes")}
    yield "cost-study", lambda: sf.cost_sensitive(two, *slicks, SLICK_COSTS, **tried)
    yield "learning", lambda: sf.learning_curve(models, X, Y, sizes=[12, 24, 48, 96, 120], folds=5, random_state=0)
    yield "noise", lambda: sf.noise_curve(models["tree"], X, Y, shares=[0, 0.1, 0.2, 0.4], folds=5, random_state=0)
    varied: dict[str, Any] = {"param": "C", "grid": [0.1, 1, 10, 100], "samples": 6, "random_state": 0}
    yield "bias-variance", lambda: sf.bias_variance(SVC(), SEPALS, VERSICOLOR, **varied)
    yield "bias-variance-one", lambda: sf.bias_variance(NaiveBayes(), SEPALS, VERSICOLOR, samples=6, random_state=0)
    small: dict[str, Any] = {"parameters": {"leaf_size": [1, 8, 64], "criterion": ["gini", "entropy"]}, "folds": 3}
    yield "pruning", lambda: sf.pruning_curves(X, Y, estimator=DecisionTree(), random_state=0, **small)
    yield "members", lambda: sf.ensemble_curve(Bagging(n_estimators=20), X, Y, folds=5, random_state=0)
    yield "power", lambda: sf.sample_size("mcnemar", difference=0.02, disagreement=0.1)
    yield "width", lambda: sf.sample_size("proportion", value=0.9, width=0.05)


def _own() -> Iterator[tuple[str, Callable[[bool], Any]]]:
    """What is drawn of models and plans, and several models on one pair of axes."""
    each = {name: sf.assess(TRUTH, y_score=score, pos_label=1) for name, score in SCORES.items()}
    tree = DecisionTree(max_depth=3).fit(X, Y)
    three = Bagging(n_estimators=8, random_state=0).fit(SEPALS, VERSICOLOR)
    yield "several-roc", lambda dark: sf.plot_roc(each, dark=dark)
    yield "several-precision-recall", lambda dark: sf.plot_curves(each, "precision_recall", dark=dark)
    yield "several-reliability", lambda dark: sf.plot_curves(dict(list(each.items())[:2]), "reliability", dark=dark)
    yield "comparison-roc", lambda dark: sf.compare(TRUTH, SCORES, measure="roc_auc").plot("roc", dark=dark)
    yield "tree", lambda dark: tree.plot(dark=dark)
    yield "boundary", lambda dark: sf.plot_boundary(three, SEPALS, VERSICOLOR, members=True, dark=dark)
    yield "regions", lambda dark: sf.plot_boundary(NaiveBayes().fit(SEPALS, Y), SEPALS, Y, dark=dark)
    yield "densities", lambda dark: sf.plot_densities(FullBayes().fit(SEPALS, Y), SEPALS, Y, dark=dark)
    yield "plan", lambda dark: sf.cross_validate(NaiveBayes(), X, Y, folds=5, random_state=0).plan.plot(dark=dark)


def _plot(result: object, what: str, dark: bool) -> Any:
    return plot(result, what, dark=dark)


def pictures(folder: Path, only: tuple[str, ...] = ()) -> list[Path]:
    """Write a picture of each chart in light and in dark; `only` are beginnings of names."""
    from matplotlib import pyplot

    folder.mkdir(parents=True, exist_ok=True)
    made = []

    def keep(name: str, draw: Callable[[bool], Any]) -> None:
        for dark in (False, True):
            drawn = draw(dark)
            figure = drawn[0].figure if isinstance(drawn, list) else getattr(drawn, "figure", drawn)
            made.append(folder / f"{name}{'-dark' if dark else ''}.png")
            figure.savefig(made[-1])
            pyplot.close(figure)

    def wanted(name: str) -> bool:
        return not only or name.startswith(only)

    for name, make in results():
        if not wanted(name):
            continue
        result = make()
        for what in charts_of(result):
            if what != ANY_MEASURE:
                keep(f"{name}-{what}", partial(_plot, result, what))
    for name, draw in _own():
        if wanted(name):
            keep(name, draw)
    return made


if __name__ == "__main__":
    mpl.use("agg")
    for made_at in pictures(Path(sys.argv[1]), tuple(sys.argv[2:])):
        print(made_at)
