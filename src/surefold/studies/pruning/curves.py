"""pruning_curves: how small should a tree be? Training and held-out error against what keeps a tree small."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from surefold.comparison.family import Family
from surefold.comparison.result import Difference
from surefold.errors import InputError, UnknownNameError, show
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.mean import mean_interval
from surefold.estimates.quantiles import checked_confidence
from surefold.given import Features, RandomState, Values
from surefold.inputs.labels import Label
from surefold.learners.tree import DecisionTree
from surefold.resampling.classifier import Classifier
from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import RunOptions, adopted_seed
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.models import check_model, fresh
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.resampling.run_study import run_study
from surefold.significance.paired_folds import corrected_t
from surefold.studies.pruning.alpha import AlphaChosen
from surefold.studies.pruning.result import PruningCurves, PruningPoint
from surefold.studies.row_means import mean_over_rows
from surefold.studies.study_curve import Design, findings_of

__all__ = ["PARAMETERS", "PruningCurves", "PruningPoint", "pruning_curves"]

#: What is varied where nothing else is said, of those that the tree has.
PARAMETERS: Mapping[str, tuple[Any, ...]] = {
    "leaf_size": (1, 2, 4, 8, 16, 32, 64),
    "max_depth": (1, 2, 3, 4, 6, 8, 12),
    "purity": (0.6, 0.7, 0.8, 0.9, 0.95, 1.0),
}
#: Parameters that do nothing unless another is set with them.
_WITH: Mapping[str, Mapping[str, Any]] = {
    "ccp_alpha": {"prune": "cost_complexity"},
    "prune_confidence": {"prune": "pessimistic"},
    "bound": {"prune": "pessimistic"},
}
#: The figures of training rows flatter a tree, always.
_TRAINED_ON = ("optimistic",)


def pruning_curves(
    X: Features,
    y: Values,
    *,
    estimator: Classifier | None = None,
    parameters: Mapping[str, Sequence[Any]] | None = None,
    folds: int = 10,
    repeats: int = 1,
    groups: Values | None = None,
    labels: Sequence[Label] | None = None,
    confidence: float = 0.95,
    random_state: RandomState = None,
    **options: Unpack[RunOptions],
) -> PruningCurves:
    """Error rates of a tree, held out and on its own training rows, against each parameter that keeps it small.

    `parameters` maps names to values, such as {"leaf_size": [1, 5, 25]}; each is varied alone, all else as `estimator`
    has it (a `DecisionTree` by default). Of a `DecisionTree`, no pruning, pessimistic pruning by Wilson's bound and by
    that of C4.5, and cost-complexity pruning with its alpha chosen inside the training rows stand side by side as
    well, with their paired differences. Everything runs over the same folds, one fit a fold and value: the fitted tree
    answers for the rows held out and for those it was grown from.

    Held-out intervals are corrected for training rows that folds share. Training errors are averaged over the fits
    that had the row, and their intervals are about rows alone. Other options are those of `cross_validate`.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X = [[i % 7, i % 5] for i in range(60)]
    >>> found = pruning_curves(
    ...     X,
    ...     [int(i % 7 > 3) for i in range(60)],
    ...     estimator=DecisionTreeClassifier(),
    ...     parameters={"max_depth": [1, 2]},
    ...     folds=3,
    ...     random_state=0,
    ... )
    >>> found.best.name, found.best.held_out.value
    ('max_depth = 1', 0.0)
    """
    level = checked_confidence(confidence)
    tree = DecisionTree() if estimator is None else estimator
    check_model(tree, "estimator")
    varied = _values(tree, parameters)
    data = Dataset.of(X, y, labels=labels, groups=groups)
    seed = adopted_seed(random_state, options)
    dealt = k_fold_plan(data.codes, folds=folds, repeats=repeats, groups=groups, random_state=seed, labels=data.labels)
    plan = _with_training_rows(dealt)
    models = {_key(name, v): _set(tree, name, v) for name, values in varied.items() for v in values}
    ways = _ways(tree)
    study = run_study(
        {**models, **{_key("prune", way): each for way, each in ways.items()}}, data, plan, level, options
    )
    design = Design("error_rate", folds, dealt.train_sizes.astype(float), dealt.test_sizes.astype(float), level)
    held = np.zeros((len(dealt), data.n), dtype=bool)
    held[dealt.split_of_test, dealt.test_rows] = True

    def point(name: str, value: object) -> PruningPoint:
        return _point(name, value, study[_key(name, value)], held, design)

    compared = {way: point("prune", way) for way in ways}
    return PruningCurves(
        type(tree).__name__,
        {name: tuple(point(name, v) for v in values) for name, values in varied.items()},
        compared,
        _differences(compared, design),
        design,
        plan,
        tuple(f for f in (*dealt.findings, *findings_of(study, "error_rate")) if f.code != "rows_not_tested"),
    )


def _values(tree: Any, parameters: Mapping[str, Sequence[Any]] | None) -> dict[str, list[Any]]:
    known = tree.get_params(deep=True) if hasattr(tree, "get_params") else {}
    if parameters is None:
        found = {name: list(values) for name, values in PARAMETERS.items() if name in known}
        if not found:
            problem = f"{type(tree).__name__} has none of {', '.join(PARAMETERS)}"
            raise InputError("bad_option", problem, cure="say parameters={name: values}")
        return found
    if not isinstance(parameters, Mapping):
        raise InputError("bad_option", f"parameters is {show(parameters)}", cure="give {'leaf_size': [1, 5, 25]}")
    for name, values in parameters.items():
        if name not in known:
            raise UnknownNameError(f"parameter of {type(tree).__name__}", name, known)
        if isinstance(values, str) or not hasattr(values, "__len__") or len(values) == 0:
            raise InputError("bad_option", f"{name} is {show(values)}", cure="give a list of values")
        if len({repr(v) for v in values}) < len(values):
            raise InputError("bad_option", f"a value of {name} stands there twice", cure="give each value once")
    return {name: list(values) for name, values in parameters.items()}


def _key(name: str, value: object) -> str:
    return f"{name}={value!r}"


def _set(tree: Any, name: str, value: object) -> Any:
    beside = {key: v for key, v in _WITH.get(name, {}).items() if key in tree.get_params()}
    return fresh(tree).set_params(**{**beside, name: value})


def _ways(tree: Any) -> dict[str, Any]:
    """Ways of pruning, where the tree has them."""
    if not isinstance(tree, DecisionTree):
        return {}
    plain = fresh(tree).set_params(prune=None, ccp_alpha=0.0)
    by_bound = {bound: fresh(plain).set_params(prune="pessimistic", bound=bound) for bound in ("wilson", "c45")}
    return {
        "none": plain,
        "pessimistic": by_bound["wilson"],
        "pessimistic_c45": by_bound["c45"],
        "cost_complexity": AlphaChosen(fresh(plain)),
    }


def _with_training_rows(dealt: Plan) -> Plan:
    """The same splits, each of which answers for all rows."""
    return Plan.of(
        "pruning_curves",
        dealt.n,
        tests=[np.arange(dealt.n)] * len(dealt),
        trains=[dealt.train(i) for i in range(len(dealt))],
        repeat=dealt.repeat,
        fold=dealt.fold,
        options={key: dealt.options[key] for key in ("folds", "repeats")},
        random_state=dealt.random_state,
        overlaps=True,
    )


def _point(name: str, value: object, each: Resampled, held: NDArray[np.bool_], design: Design) -> PruningPoint:
    level, nan = design.confidence, math.nan
    if not each.complete:
        none = Estimate(nan, nan, nan, nan, level, "corrected_t", 0, (), "error_rate", each.status)
        return PruningPoint(name, value, none, none, {}, np.full(len(held), nan))
    wrong = (each.held.predicted != each.held.truth).reshape(held.shape).astype(float)
    values = np.where(held, wrong, 0).sum(axis=1) / held.sum(axis=1)
    trained = np.where(held, nan, wrong)
    repeats = each.plan.repeat
    by_repeat = np.stack([np.nanmean(trained[repeats == r], axis=0) for r in np.unique(repeats)])
    notes = [each.notes.get(i, {}).get("size", {}) for i in range(len(held))]
    sizes = {
        what: replace(mean_interval([note[what] for note in notes], confidence=level), name=what)
        for what in notes[0]
        if all(what in note for note in notes)
    }
    training = mean_over_rows("error_rate", by_repeat, (0.0, 1.0), level, _TRAINED_ON)
    return PruningPoint(name, value, design.interval(values, (0.0, 1.0)), training, sizes, values)


def _differences(ways: Mapping[str, PruningPoint], design: Design) -> tuple[Difference, ...]:
    there = {way: point for way, point in ways.items() if point.held_out.defined}
    pairs = list(combinations(there, 2))
    if not pairs:
        return ()
    df = max(design.folds - 1, 1)

    def tested(i: int, level: float) -> TestResult:
        first, second = (there[way].values for way in pairs[i])
        return corrected_t(first, second, design.pool, design.tested, df, confidence=level)

    tests = [tested(i, design.confidence) for i in range(len(pairs))]
    told = Family(design.confidence).tell(tests, lambda i, level: tested(i, level).effect, lower_is_better=True)
    return tuple(
        Difference(a, b, "error_rate", test, one.p, one.status, together=one.effect)
        for (a, b), test, one in zip(pairs, tests, told, strict=True)
    )
