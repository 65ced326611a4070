"""Names that the page on comparing uses."""

import numpy as np

rng = np.random.default_rng(0)
y_true = rng.integers(0, 2, 300)
labels_a, labels_b = (np.where(rng.random(300) < right, y_true, 1 - y_true) for right in (0.85, 0.88))
scores_a, scores_b = (np.clip(rng.normal(0.3 + 0.4 * y_true, 0.2), 0, 1) for _ in range(2))
