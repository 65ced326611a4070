"""Prints the frozen answers of tests/measures/test_calibration.py: `python tests/references/logistic_recalibration.py`.

Needs statsmodels, which nothing else here does. Made with statsmodels 0.15.0.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

SCORES = [0.92, 0.85, 0.8, 0.74, 0.66, 0.61, 0.55, 0.48, 0.43, 0.37, 0.3, 0.24, 0.17, 0.11, 0.06, 0.03]
TRUTH = [1, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0]
WEIGHTS = [1, 2, 1, 3, 1, 1, 2, 1, 1, 2, 1, 1, 3, 1, 1, 2]


def main() -> None:
    sm = import_module("statsmodels.api")

    p, y, w = (np.array(x, dtype=float) for x in (SCORES, TRUTH, WEIGHTS))
    odds = np.log(p / (1 - p))
    line = sm.Logit(y, sm.add_constant(odds)).fit(disp=0, tol=1e-14)
    _show("line", line)
    _show("line, sandwich", sm.Logit(y, sm.add_constant(odds)).fit(disp=0, tol=1e-14, cov_type="HC0"))
    _show("shift", sm.Logit(y, np.ones_like(y), offset=odds).fit(disp=0, tol=1e-14))
    repeated = np.repeat(np.arange(len(y)), w.astype(int))
    _show("repeated rows", sm.Logit(y[repeated], sm.add_constant(odds[repeated])).fit(disp=0, tol=1e-14))


def _show(name: str, fit: Any) -> None:
    print(name, np.asarray(fit.params).tolist(), np.asarray(fit.bse).tolist())


if __name__ == "__main__":
    main()
