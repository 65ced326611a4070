"""learning_curve: what more training rows buy, and what they cost in seconds and in size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.mean import mean_interval
from surefold.estimates.quantiles import checked_confidence
from surefold.given import Features, RandomState, Values
from surefold.inputs.labels import Label
from surefold.measures import catalogue
from surefold.resampling.classifier import Models
from surefold.resampling.dataset import Dataset
from surefold.resampling.drawing import Draws
from surefold.resampling.evaluate import RunOptions, adopted_seed
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.models import as_models
from surefold.resampling.options import whole
from surefold.resampling.plan import Plan, Rows
from surefold.resampling.run_study import run_study
from surefold.studies.study_curve import Design, StudyCurve, curve_point, findings_of

__all__ = ["SIZES", "LearningCurve", "learning_curve", "nested_order"]

#: Shares of the training part, four to the factor of ten.
SIZES = (0.1, 0.18, 0.32, 0.56, 1.0)
_SUBSETS = 0x73697A65


class LearningCurve(StudyCurve):
    """A measure, seconds and sizes against the number of training rows. Made by `learning_curve`."""

    kind = "learning_curve"
    x_name = "training rows"
    x_column = "training_rows"

    def scaling(self, model: str | None = None) -> Estimate:
        """The exponent b of seconds ~ rows^b that fitting shows: the slope of log seconds on log rows, over the splits.

        1 is linear, 2 quadratic. Small fits are mostly overhead, and pull it down: ask it of sizes that matter.
        """
        points = self.points(model)
        if len(points) < 2:
            raise InputError("bad_option", "one size has no slope", cure="give two sizes or more")
        rows = np.log([point.x for point in points])
        seconds = np.log(np.maximum(np.stack([point.fits for point in points]), 1e-9))
        away = rows - rows.mean()
        slopes = away @ seconds / (away @ away)
        return mean_interval(slopes[~np.isnan(slopes)], confidence=self.confidence)


def learning_curve(
    model: Models,
    X: Features,
    y: Any,
    *,
    sizes: Sequence[float | int] = SIZES,
    folds: int = 10,
    repeats: int = 1,
    measure: str = "error_rate",
    groups: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    confidence: float = 0.95,
    random_state: RandomState = None,
    **options: Unpack[RunOptions],
) -> LearningCurve:
    """The measure on held-out rows against the number of training rows, for one model or several by name.

    Rows are held out in folds; of each training part the first so many rows, in a random order that keeps the shares of
    the classes, are trained on. `sizes` are shares of a training part (0.5) or numbers of rows (50). Smaller sets are
    part of larger ones and every size is tested on the same rows, so sizes are compared pairwise: see `change`.

    The intervals are corrected for the rows that folds share; the correction goes by the whole training parts that
    the sets are drawn from. Beside the measure stand the seconds of fitting and of predicting (speed), how the former
    grow (`scaling`), and leaves, depth, rules, coefficients or members where models have them. Seconds depend on
    the hardware, and several jobs on few cores make them longer.

    >>> from surefold.learners import NaiveBayes
    >>> X = [[0.1 * i + (1.5 if i % 2 else 0.0)] for i in range(40)]
    >>> curve = learning_curve(NaiveBayes(), X, [i % 2 for i in range(40)], sizes=[8, 36], random_state=0)
    >>> curve.x
    [8.0, 36.0]
    """
    level = checked_confidence(confidence)
    name = catalogue[measure].name
    data = Dataset.of(X, y, labels=labels, pos_label=pos_label, groups=groups)
    plan, rows = _plan(data, sizes, folds, repeats, groups, adopted_seed(random_state, options))
    study = run_study(as_models(model), data, plan, level, options)
    count = len(rows)
    pool = data.n - plan.test_sizes[::count].astype(float)
    design = Design(name, folds, pool, plan.test_sizes[::count].astype(float), level)
    models = {
        key: tuple(
            curve_point(float(rows[s]), each, np.arange(s, len(plan), count), design, pos_label) for s in range(count)
        )
        for key, each in study.items()
    }
    return LearningCurve(design, models, plan, findings_of(study, name))


def _plan(
    data: Dataset, sizes: Sequence[Any], folds: int, repeats: int, groups: Values, seed: int
) -> tuple[Plan, Rows]:
    """Split (fold, size) trains on the first rows of the fold's training part; sizes next to each other."""
    dealt = k_fold_plan(data.codes, folds=folds, repeats=repeats, groups=groups, random_state=seed, labels=data.labels)
    rows = _rows(sizes, data.n - int(dealt.test_sizes.max()), len(data.labels))
    tests, trains = [], []
    for split in dealt:
        order = split.train[nested_order(data.codes[split.train], Draws(seed, _SUBSETS, split.repeat, split.fold))]
        tests += [split.test] * len(rows)
        trains += [np.sort(order[:count]) for count in rows]
    plan = Plan.of(
        "learning_curve",
        data.n,
        tests=tests,
        trains=trains,
        repeat=np.repeat(dealt.repeat, len(rows)),
        fold=np.repeat(dealt.fold, len(rows)) * len(rows) + np.tile(np.arange(len(rows)), len(dealt)),
        options={"folds": folds, "repeats": repeats, "sizes": rows.tolist()},
        random_state=seed,
        findings=dealt.findings,
    )
    return plan, rows


def _rows(sizes: Sequence[Any], most: int, classes: int) -> Rows:
    if isinstance(sizes, str) or not hasattr(sizes, "__len__") or len(sizes) == 0:
        raise InputError("bad_option", f"sizes is {show(sizes)}", cure="give shares such as 0.5, or numbers of rows")
    least = max(2, classes)
    found = []
    for size in sizes:
        if isinstance(size, (float, np.floating)):
            if not 0 < size <= 1:
                problem = f"a size is {show(float(size))}"
                raise InputError("bad_option", problem, cure="give shares of the training rows, above 0 and up to 1.0")
            found.append(max(least, round(float(size) * most)))
        else:
            found.append(whole("a size", size, least=least, most=most))
    return np.unique(np.array(found, dtype=np.int64))


def nested_order(codes: NDArray[Any], draws: Draws) -> Rows:
    """Places in random order, so that the first so many hold the classes in their shares, and each class early on.

    >>> codes = np.array([0] * 6 + [1] * 3)
    >>> order = nested_order(codes, Draws(0, 1))
    >>> codes[order].tolist()[:2], codes[order[:6]].tolist().count(0)
    ([0, 1], 4)
    """
    shuffled = draws.order(len(codes))
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    totals = np.bincount(codes)
    of_row = codes[by_class]
    rank = np.arange(len(codes)) - (np.cumsum(totals) - totals)[of_row]
    place = np.where(rank == 0, -1.0, (rank + 0.5) / totals[of_row])
    return by_class[np.argsort(place, kind="stable")]
