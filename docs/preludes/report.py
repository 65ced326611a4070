"""Names that the page on the report uses."""

import numpy as np

import surefold as sf
from surefold.learners import FullBayes, NaiveBayes

rng = np.random.default_rng(0)
y_true = np.where(rng.random(200) < 0.4, "yes", "no")
scores = np.clip(rng.normal(0.3 + 0.4 * (y_true == "yes"), 0.2), 0, 1)
b = sf.assess(y_true, y_score=np.clip(scores + 0.05 * rng.normal(size=200), 0, 1), pos_label="yes")
p, q = scores, np.clip(scores + 0.1 * rng.normal(size=200), 0, 1)
X, y = np.column_stack([p, q]), y_true
models = {"naive": NaiveBayes(), "full": FullBayes()}
