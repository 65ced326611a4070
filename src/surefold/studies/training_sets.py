"""Training sets for one question: how much does a classifier change with the rows that it happens to be given?"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from surefold.errors import InputError
from surefold.resampling.dataset import Dataset
from surefold.resampling.drawing import Draws
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.holdout import holdout_plan
from surefold.resampling.options import one_of, whole
from surefold.resampling.plan import Plan, Rows
from surefold.resampling.samples import bootstrap_plan

__all__ = ["How", "Tested", "training_sets_plan"]

How = Literal["bootstrap", "disjoint"]
Tested = Literal["all", "out_of_bag"] | float | int


def training_sets_plan(data: Dataset, samples: int, repeats: int, how: How, test: Tested, seed: int) -> Plan:
    """`samples` training sets a repeat. Split i of repeat r trains on set i.

    "bootstrap": as many rows as there are, drawn with replacement. "disjoint": the rows dealt into `samples` parts,
    each a training set. `test="all"` tests every row, also those trained on; "out_of_bag" those that were not; a share
    or a number sets that many rows aside first, the same ones in every split, and draws training sets from the rest.

    >>> data = Dataset.of(np.arange(12.0).reshape(-1, 1), [0, 1] * 6)
    >>> plan = training_sets_plan(data, samples=3, repeats=1, how="disjoint", test="out_of_bag", seed=0)
    >>> plan.train_sizes.tolist(), plan.test_sizes.tolist(), plan.times_tested.tolist()
    ([4, 4, 4], [8, 8, 8], [2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2])
    """
    samples, repeats = whole("samples", samples, least=2), whole("repeats", repeats, least=1)
    one_of("how", how, ("bootstrap", "disjoint"))
    everything = np.arange(data.n)
    if isinstance(test, str):
        one_of("test", test, ("all", "out_of_bag"))
        pool, aside = everything, None
    else:
        part = holdout_plan(data.codes, test=test, random_state=seed, labels=data.labels)
        pool, aside = part.train(0), part.test(0)
    trains = [pool[rows] for rows in _sets(data, pool, samples, repeats, how, seed)]
    tests: list[Rows] = []
    for rows in trains:
        left = np.ones(data.n, dtype=bool)
        left[rows] = False
        tests.append(everything if test == "all" else np.flatnonzero(left) if aside is None else aside)
    options: dict[str, Any] = {"samples": samples, "repeats": repeats, "how": how, "test": test}
    return Plan.of(
        "training_sets",
        data.n,
        tests=tests,
        trains=trains,
        repeat=np.repeat(np.arange(repeats), samples),
        fold=np.tile(np.arange(samples), repeats),
        options=options,
        random_state=seed,
        overlaps=test == "all",
    )


def _sets(data: Dataset, pool: Rows, samples: int, repeats: int, how: How, seed: int) -> list[Rows]:
    """Places in the pool, a list a training set."""
    codes = data.codes[pool]
    if how == "bootstrap":
        drawn = bootstrap_plan(codes, samples=samples * repeats, random_state=seed, labels=data.labels)
        return [drawn.train(i) for i in range(samples * repeats)]  # the last split, of all rows, is not wanted
    if samples * 2 > len(pool):
        problem = f"{len(pool):,} rows do not make {samples} disjoint training sets"
        raise InputError("bad_plan", problem, cure="ask for fewer samples, or use how='bootstrap'")
    state = int(Draws(seed, repeats, samples).below(2**31, 1)[0])
    dealt = k_fold_plan(codes, folds=samples, repeats=repeats, random_state=state, labels=data.labels)
    return [dealt.test(i) for i in range(len(dealt))]
