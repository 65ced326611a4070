"""Names that the page on many data sets uses."""

import numpy as np
from sklearn.datasets import load_iris, load_wine

from surefold.learners import DecisionTree, NaiveBayes, RandomForest

tree, bayes, forest = DecisionTree(max_depth=3), NaiveBayes(), RandomForest(20, random_state=0)
X1, y1 = load_iris(return_X_y=True)
rng = np.random.default_rng(0)
groups = np.repeat(np.arange(40), 3)
y2 = np.repeat(rng.integers(0, 2, 40), 3)
X2 = rng.normal(size=(120, 4)) + y2[:, None]
__all__ = ["load_wine"]
