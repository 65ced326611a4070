"""cost_sensitive: which way of putting costs into learning is cheapest, and by how much."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from surefold.costs.duplicated import CostDuplicated, too_many_copies
from surefold.costs.shown_threshold import Threshold, shown_threshold
from surefold.costs.study import PLAIN, CostCell, CostStudy, cost_interval, told_costs
from surefold.costs.threshold import CostThreshold, LeastCost, no_scores
from surefold.costs.weighted import CostWeighted, class_weight_parameter
from surefold.costs.weights import class_weights, cost_table, costly_class, least_cost_threshold
from surefold.counting import counted
from surefold.errors import InputError, UnknownNameError, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import checked_confidence
from surefold.findings import Finding
from surefold.given import Costs, Features, RandomState, Values
from surefold.inputs.labels import Label
from surefold.resampling.classifier import Classifier, Models
from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import RunOptions, adopted_seed
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.models import as_models, weight_argument
from surefold.resampling.run_study import run_study
from surefold.resampling.study import Study

__all__ = ["METHODS", "cost_sensitive"]

METHODS = (PLAIN, "class_weight", "duplicate", "threshold", "instance_weight", "balanced")
#: What may be asked for by name as well.
ALL_METHODS = (*METHODS, "least_cost")
#: Rows of a class in a fold below which what depends on it is shaky.
ENOUGH = 10


def cost_sensitive(
    model: Models,
    X: Features,
    y: Values,
    costs: Costs,
    *,
    methods: Sequence[str] = METHODS,
    folds: int = 10,
    repeats: int = 1,
    groups: Values | None = None,
    sample_weight: Values | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    confidence: float = 0.95,
    random_state: RandomState = None,
    **options: Unpack[RunOptions],
) -> CostStudy:
    """One model or several, each with costs put into it in several ways, all over the same stratified folds.

    `costs` is `{"fp": 1, "fn": 50}` of two classes, or a matrix `costs[true][predicted]` in the order of the labels.

    - "plain": the model as it is; every other cell is compared with it, pairwise over the folds.
    - "class_weight": its parameter of that name, by what missing a class costs.
    - "instance_weight": the same weights, handed to `fit` a row at a time.
    - "duplicate": costly rows several times, inside the training rows alone.
    - "threshold": the model as it is, its threshold chosen out of fold inside the training rows.
    - "balanced": all classes weigh the same, whatever they cost.
    - "least_cost" (not by default): the class of least expected cost, by the model's probabilities.

    What a model does not take is told in its cell, and the rest go on. Weights of two classes have the ratio of their
    costs; of more they are Breiman's sums, which cannot say which wrong answer is dear: thresholds can.
    Other options are those of `cross_validate`: n_jobs, store, ...

    >>> from surefold.learners import NaiveBayes
    >>> from surefold.costs.example import simulated_oil_slicks
    >>> X, y = simulated_oil_slicks(1000, share=0.1)
    >>> found = cost_sensitive(NaiveBayes(), X, y, {"fp": 1, "fn": 50}, pos_label="slick", folds=5, random_state=0)
    >>> found["plain"].cost.value > found["threshold"].cost.value
    True
    >>> found["class_weight"].reason
    'NaiveBayes has no class_weight'
    """
    level = checked_confidence(confidence)
    wanted = _checked_methods(methods)
    data = Dataset.of(X, y, labels=labels, pos_label=pos_label, sample_weight=sample_weight, groups=groups)
    matrix = cost_table(costs, data.labels, data.positive)
    models = as_models(model)
    for name, each in models.items():
        if data.weights is not None and weight_argument(each) is None:
            problem = f"sample_weight was given, and {name}'s fit does not take it"
            raise InputError("bad_model", problem, cure="use a model that does, or leave the weights out")
    seed = adopted_seed(random_state, options)
    plan = k_fold_plan(data.codes, folds=folds, repeats=repeats, groups=groups, random_state=seed, labels=data.labels)
    made, reasons = _made(models, wanted, matrix, data)
    study = run_study(made, data, plan, level, options)
    costly = costly_class(matrix, data.codes, data.positive)
    cells = _cells(list(models), wanted, study, reasons, matrix, costly, level)
    own = np.ones(data.n) if data.weights is None else data.weights
    always = own @ matrix[data.codes] / own.sum()
    constant = int(always.argmin())
    return CostStudy(
        matrix,
        data.labels,
        data.labels[costly],
        _compared(cells, study, matrix, level),
        study,
        data.labels[constant],
        float(always[constant]),
        level,
        (*_rare(data, folds), *_same_answers(study), *study.findings),
        made,
    )


def _checked_methods(methods: Sequence[str]) -> tuple[str, ...]:
    wanted = (methods,) if isinstance(methods, str) else tuple(methods)
    for method in wanted:
        if method not in ALL_METHODS:
            raise UnknownNameError("way of learning with costs", method, ALL_METHODS)
    if not wanted or len(set(wanted)) < len(wanted):
        raise InputError("bad_option", f"methods is {show(methods)}", cure="name one or more ways, each once")
    return wanted


def _made(
    models: Mapping[str, Any], wanted: Sequence[str], matrix: NDArray[np.float64], data: Dataset
) -> tuple[dict[str, Any], dict[tuple[str, str], str]]:
    """Classifiers by the name of their cell, and why others cannot be made."""
    k, prices = len(data.labels), tuple(map(tuple, matrix.tolist()))
    given = (prices, data.labels)
    try:
        weights, unweighable = class_weights(matrix, data.labels), ""
    except InputError as error:
        weights, unweighable = np.ones(k), error.problem
    obstacles: dict[str, Callable[[Any], str]] = {
        "instance_weight": lambda m: unweighable or _no_weights(m),
        "class_weight": lambda m: unweighable or _no_class_weight(m),
        "duplicate": lambda m: unweighable or too_many_copies(data.codes, weights),
        "balanced": lambda m: _no_class_weight(m) and _no_weights(m),
        "threshold": lambda m: no_scores(m, k),
        "least_cost": lambda m: no_scores(m, k, probabilities=True),
    }
    makers: dict[str, Callable[[Any], Any]] = {
        PLAIN: lambda m: m,
        "class_weight": lambda m: CostWeighted(m, prices, "class_weight", data.labels),
        "instance_weight": lambda m: CostWeighted(m, prices, "sample_weight", data.labels),
        "balanced": lambda m: CostWeighted(m, "balanced", "either", data.labels),
        "duplicate": lambda m: CostDuplicated(m, *given),
        "threshold": lambda m: CostThreshold(m, prices, labels=data.labels),
        "least_cost": lambda m: LeastCost(m, *given),
    }
    made, reasons = {}, {}
    for name, model in models.items():
        for method in wanted:
            why = obstacles[method](model) if method in obstacles else ""
            if why:
                reasons[name, method] = why
            else:
                made[f"{name}: {method}"] = makers[method](model)
    if not made:
        (name, method), why = next(iter(reasons.items()))
        raise InputError("bad_model", f"nothing can be made; {name} by {method}: {why}", cure='add the method "plain"')
    return made, reasons


def _no_weights(model: Classifier) -> str:
    return "" if weight_argument(model) is not None else f"the fit of {type(model).__name__} takes no sample_weight"


def _no_class_weight(model: Classifier) -> str:
    return "" if class_weight_parameter(model) is not None else f"{type(model).__name__} has no class_weight"


def _cells(
    models: Sequence[str],
    wanted: Sequence[str],
    study: Study,
    reasons: Mapping[tuple[str, str], str],
    matrix: NDArray[np.float64],
    costly: int,
    level: float,
) -> list[CostCell]:
    cells = []
    nan = math.nan
    by_costs = least_cost_threshold(matrix, costly)
    for name in models:
        for method in wanted:
            why = reasons.get((name, method), "")
            if why:
                none = Estimate(nan, nan, nan, nan, level, "", 0, (), "", why)
                cells.append(CostCell(name, method, none, none, none, Threshold(nan, nan, nan, reason=why), reason=why))
                continue
            each = study[f"{name}: {method}"]
            natural = (0.5 if each.held.score_kind == "probability" else 0.0,)
            known: dict[str, tuple[float, ...]] = {"threshold": ()}
            known["least_cost"] = () if by_costs is None else (by_costs,)
            cells.append(
                CostCell(
                    name,
                    method,
                    cost_interval(each, matrix, level),
                    each.interval("accuracy", confidence=level),
                    each.interval("recall", pos_label=each.labels[costly], confidence=level),
                    shown_threshold(each, costly, known.get(method, natural)),
                )
            )
    return cells


def _compared(
    cells: Sequence[CostCell], study: Study, matrix: NDArray[np.float64], level: float
) -> tuple[CostCell, ...]:
    """The cells, each but the plain ones with its difference to its plain model; p by Holm's method over all."""
    plain = {cell.model: study[cell.name] for cell in cells if cell.method == PLAIN and cell.cost.defined}
    asked = [cell for cell in cells if cell.method != PLAIN and cell.model in plain and cell.cost.defined]
    pairs = [(study[cell.name], plain[cell.model]) for cell in asked]
    by_name = {cell.name: (test, one) for cell, test, one in zip(asked, *told_costs(pairs, matrix, level), strict=True)}
    found = []
    for cell in cells:
        if cell.name in by_name:
            test, one = by_name[cell.name]
            cell = replace(cell, difference=replace(test, effect=one.effect), adjusted_p=one.p)
        found.append(cell)
    return tuple(found)


def _rare(data: Dataset, folds: int) -> list[Finding]:
    rows = np.bincount(data.codes, minlength=len(data.labels))
    found = []
    for label, count in zip(data.labels, rows.tolist(), strict=True):
        if 0 < count < ENOUGH * folds:
            text = f"Class {show(label)} has {counted(count, 'row')}, {count / folds:.2g} in each of {folds} folds: "
            text += "what a fold says of it rests on few. Repeats (repeats=10) steady the figures; only more rows add "
            text += "knowledge."
            found.append(Finding.of("rare_class", text, label=label, rows=count, folds=folds))
    return found


def _same_answers(study: Study) -> list[Finding]:
    """Cells that answered every held-out row alike, which nothing can tell apart."""
    groups: dict[bytes, list[str]] = {}
    for name, each in study.items():
        groups.setdefault(each.held.predicted.tobytes(), []).append(name)
    return [
        Finding.of(
            "no_disagreement",
            f"{', '.join(names[:-1])} and {names[-1]} answered every held-out row alike.",
            cells=names,
        )
        for names in groups.values()
        if len(names) > 1 and study[names[0]].complete
    ]
