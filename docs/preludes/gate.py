"""Names that the page on gates uses: a new model that is clearly better than the old one."""

import numpy as np

rng = np.random.default_rng(0)
y_true = np.where(rng.random(400) < 0.4, "yes", "no")
turned = np.where(y_true == "yes", "no", "yes")
old_pred, new_pred = (np.where(rng.random(400) < right, y_true, turned) for right in (0.75, 0.92))
