"""Files that the page on scale uses: five days of two models' answers."""

from pathlib import Path

import numpy as np
import polars

rng = np.random.default_rng(0)
Path("days").mkdir()
for day in range(5):
    n = 4000
    y = rng.random(n) < 0.3
    patient = rng.integers(0, 200, n)
    shared = rng.normal(size=n) + 0.3 * rng.normal(size=200)[patient]
    old, new = (1 / (1 + np.exp(1 - 1.4 * y - shared - rng.normal(size=n))) for _ in range(2))
    columns = {"y": y.astype(int), "label": (new > 0.5).astype(int), "p": new, "p_old": old, "p_new": new}
    columns |= {"patient": patient, "w": rng.integers(1, 4, n)}
    polars.DataFrame(columns).write_parquet(f"days/{day}.parquet")
