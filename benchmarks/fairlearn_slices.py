"""Slices side by side with fairlearn's `MetricFrame` and its bootstrap, on the same rows: false alarms, power, seconds.

fairlearn is no dependency. Install it beside, without what it depends on, and run:

    python -m pip install --no-deps --target /tmp/fairlearn fairlearn
    PYTHONPATH=/tmp/fairlearn python -m benchmarks.fairlearn_slices [RUNS]

A slice is told by fairlearn where its bootstrap interval leaves out the value of all rows; once at 95 % each, as it
prints them, and once at 95 % over the number of slices.
"""

from __future__ import annotations

import sys
import time
from importlib import import_module
from typing import Any

import numpy as np

from surefold.comparison.slices.slices import slices

DRAWS = 200
#: How many slices, rows of each, and the error of the first one; all others err in a tenth of their rows.
DESIGNS = ((20, 30, 0.1), (20, 100, 0.1), (20, 100, 0.3), (50, 100, 0.1))


def drawn(count: int, rows: int, error: float, rng: np.random.Generator) -> tuple[Any, Any, Any]:
    """Truth, calls and slice of each row."""
    region = np.repeat(np.arange(count), rows)
    truth = rng.integers(0, 2, len(region))
    wrong = rng.random(len(region)) < np.where(region == 0, error, 0.1)
    return truth, np.where(wrong, 1 - truth, truth), region.astype(str)


def ours(truth: Any, called: Any, region: Any) -> set[str]:
    """The slices that are told."""
    found = slices(truth, called, by={"r": region}, bins=0)
    return {one.levels[0] for one in found.slices if one.told}


def theirs(truth: Any, called: Any, region: Any, miss: float) -> set[str]:
    """The same by the bootstrap: intervals at 1 - miss that leave out the value of all rows."""
    from sklearn.metrics import accuracy_score

    frame = import_module("fairlearn.metrics").MetricFrame(
        metrics=accuracy_score,
        y_true=truth,
        y_pred=called,
        sensitive_features=region,
        n_boot=DRAWS,
        ci_quantiles=[miss / 2, 1 - miss / 2],
        random_state=0,
    )
    low, high = frame.by_group_ci
    out = (low > frame.overall) | (high < frame.overall)
    return set(out.index[out].astype(str))


def main() -> None:
    """Print a line a design and way."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 25
    print(f"{runs} runs of each; a false alarm is any slice told that is like the others")
    for count, rows, error in DESIGNS:
        rng = np.random.default_rng([25, count, rows, int(100 * error)])
        ways = {
            "surefold, Holm": ours,
            "fairlearn, 95 % each": lambda *x: theirs(*x, miss=0.05),
            "fairlearn, 95 % over all": lambda *x, n=count: theirs(*x, miss=0.05 / n),
        }
        alarms, hits, seconds = (dict.fromkeys(ways, 0.0) for _ in range(3))
        for _ in range(runs):
            held = drawn(count, rows, error, rng)
            for name, way in ways.items():
                start = time.process_time()
                told = way(*held)
                seconds[name] += time.process_time() - start
                alarms[name] += bool(told - {"0"}) if error != 0.1 else bool(told)
                hits[name] += "0" in told and error != 0.1
        for name in ways:
            power = f"found {hits[name] / runs:.2f}  " if error != 0.1 else ""
            told = f"false alarms {alarms[name] / runs:.2f}  {power}{seconds[name] / runs:.3f} s of processor a run"
            print(f"{count} slices of {rows}, first errs {error:.1f}: {name:25} {told}")


if __name__ == "__main__":
    main()
