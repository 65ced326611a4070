"""Names and files that the README uses."""

import shutil
from pathlib import Path

import polars as pl
from sklearn.datasets import load_iris, load_wine

import surefold
from surefold.costs.example import simulated_oil_slicks
from surefold.learners import DecisionTree, FullBayes, NaiveBayes

shutil.copy(Path(surefold.__path__[0]) / "data" / "breast_cancer.csv", "predictions.csv")
table = pl.read_csv("predictions.csv")
y_true, y_pred, p, q = (table[name] for name in ("diagnosis", "logistic", "p_logistic", "p_naive_bayes"))
old, new = table["naive_bayes"], table["logistic"]
iris = load_iris()
X, y = iris.data, iris.target
pl.DataFrame(X, schema=["a", "b", "c", "d"]).with_columns(species=pl.Series(iris.target_names[y])).write_csv("iris.csv")
model, tree = NaiveBayes(), DecisionTree()
models = {"naive": NaiveBayes(), "full": FullBayes(ridge=0.1), "tree": DecisionTree(max_depth=3)}
datasets = {"iris": iris, "wine": load_wine(), "half": (X[::2], y[::2]), "rest": (X[1::2], y[1::2])}
X2, y2 = simulated_oil_slicks(600, share=0.1, random_state=0)
