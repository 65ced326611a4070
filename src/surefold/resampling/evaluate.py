"""cross_validate, holdout, leave_one_out: a learner and data in, held-out predictions out, ready to be asked."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypedDict, Unpack, overload

from surefold.errors import InputError, UnknownNameError
from surefold.estimates.quantiles import checked_confidence
from surefold.findings import Finding
from surefold.given import Features, RandomState, Values
from surefold.inputs.label_set import rows_of_each
from surefold.inputs.labels import Label
from surefold.inputs.positive import rarest
from surefold.resampling.classifier import Classifier, Models
from surefold.resampling.dataset import Dataset
from surefold.resampling.feature_checks import check_features, data_findings, refuse_all_failed
from surefold.resampling.folds import (
    five_by_two_plan,
    k_fold_plan,
    leave_one_out_plan,
    leave_pair_out_plan,
    nested_plan,
)
from surefold.resampling.gather import gathered
from surefold.resampling.holdout import holdout_plan
from surefold.resampling.in_time import time_order_plan
from surefold.resampling.models import as_models, describe, versions
from surefold.resampling.options import seed_of
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.resampling.run import Outcomes, Settings, run_models
from surefold.resampling.splitter import plan_from_splitter
from surefold.resampling.store import Store
from surefold.resampling.study import Study
from surefold.resampling.without_refits import without_refits

__all__ = ["RunOptions", "adopted_seed", "cross_validate", "evaluate_plan", "holdout", "leave_one_out"]


class RunOptions(TypedDict, total=False):
    """How to run; none of these changes what comes out.

    n_jobs: worker processes (None: 1, or what `joblib.parallel_config` says; -1: every core).
    store: a file in which every finished fold is safe at once; the same call again goes on where it stopped.
    run: the name of the run in the store, which may hold several.
    fold_timeout: seconds after which a fold is stopped.
    max_memory: bytes a fold may add to its worker.
    retries: how often a fold that failed is run again before it is recorded as missing.
    threads: threads of numerical libraries in each fit.
    progress: None shows a bar on a terminal.
    check_determinism: fit the first fold twice and compare.
    allow_version_change: go on with a stored run although library versions changed.
    command: plain values that `surefold resume` can start the run again from.
    """

    n_jobs: int | None
    store: str | os.PathLike[str] | None
    run: str
    fold_timeout: float | None
    max_memory: int | None
    retries: int
    threads: int
    progress: bool | None
    check_determinism: bool
    allow_version_change: bool
    command: Mapping[str, Any] | None


class HeldOutOptions(RunOptions, total=False):
    """What every way of holding out takes beside the model, `X` and `y`.

    sample_weight: one weight a row.
    labels:        the classes in order, where not all of them occur or another order is wanted.
    pos_label:     the class that measures of one class are about.
    confidence:    of every interval.
    random_state:  what splits and learners draw from; the seed that was used is kept.
    """

    sample_weight: Values | None
    labels: Sequence[Label] | None
    pos_label: Label | None
    confidence: float
    random_state: RandomState


class LeaveOneOutOptions(HeldOutOptions, total=False):
    """shortcut: without refitting, where the learner can."""

    shortcut: bool


class HoldoutOptions(HeldOutOptions, total=False):
    """test: a share or a number of rows. stratified: shares of the classes are kept. groups: stay together."""

    test: float | int
    stratified: bool
    groups: Values | None
    repeats: int


class CrossValidateOptions(LeaveOneOutOptions, total=False):
    """What `cross_validate` takes; its docstring says what each does."""

    folds: int
    repeats: int
    stratified: bool
    shuffle: bool
    min_class: Literal["refuse", "allow"]
    groups: Values | None
    times: Values | None
    cv: object
    nested: bool
    leave_pair_out: bool


@overload
def cross_validate(model: Classifier, X: Features, y: Values, **options: Unpack[CrossValidateOptions]) -> Resampled: ...


@overload
def cross_validate(
    model: Mapping[str, Any], X: Features, y: Values, **options: Unpack[CrossValidateOptions]
) -> Study: ...


def cross_validate(
    model: Models,
    X: Features,
    y: Values,
    *,
    folds: int = 10,
    repeats: int = 1,
    stratified: bool = True,
    shuffle: bool = True,
    min_class: Literal["refuse", "allow"] = "refuse",
    groups: Values | None = None,
    times: Values | None = None,
    cv: object = None,
    nested: bool = False,
    leave_pair_out: bool = False,
    sample_weight: Values | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    confidence: float = 0.95,
    random_state: RandomState = None,
    shortcut: bool = True,
    **options: Unpack[RunOptions],
) -> Resampled | Study:
    """Hold out every row once a repeat, and keep what was said of it.

    `model` is a classifier, or several by name over the same splits. Folds are stratified and shuffled; `groups` stay
    together; `times` put the past before the future; `cv` is any splitter of scikit-learn, a list of (train, test)
    pairs, a `Plan`, or "5x2". `nested` adds the fits that a nested interval needs, `leave_pair_out` leaves out a
    positive and a negative at a time, the fair way to an AUC on few rows. A class with fewer rows than folds is
    refused, unless `min_class="allow"`.

    >>> from surefold.learners import NaiveBayes
    >>> X = [[1.0], [1.2], [1.1], [0.9], [3.0], [3.1], [2.9], [1.3]]
    >>> r = cross_validate(NaiveBayes(), X, ["a"] * 4 + ["b"] * 4, folds=2, random_state=0)
    >>> r.values("error_rate").tolist()
    [0.25, 0.0]
    """
    more = None if repeats == 1 else repeats
    _check_together(
        cv=cv, times=times, leave_pair_out=leave_pair_out or None, nested=nested or None, repeats=more, groups=groups
    )
    data = Dataset.of(X, y, labels=labels, pos_label=pos_label, sample_weight=sample_weight, groups=groups)
    state = adopted_seed(random_state, options)
    if isinstance(cv, int) and not isinstance(cv, bool):
        folds, cv = cv, None

    def plan() -> Plan:
        named: dict[str, Any] = {"random_state": state, "labels": data.labels}
        if cv is not None:
            return _given(cv, data, X, y, groups, state)
        if times is not None:
            return time_order_plan(data.codes, folds=folds, times=times, labels=data.labels)
        if leave_pair_out:
            return leave_pair_out_plan(data.codes, positive=_positive(data), **named)
        how: dict[str, Any] = {"folds": folds, "repeats": repeats, "stratified": stratified, "groups": groups}
        how["min_class"] = min_class
        if nested:
            return nested_plan(data.codes, **how, **named)
        return k_fold_plan(data.codes, shuffle=shuffle, **how, **named)

    return evaluate_plan(model, data, plan(), confidence=confidence, shortcut=shortcut, **options)


@overload
def holdout(model: Classifier, X: Features, y: Values, **options: Unpack[HoldoutOptions]) -> Resampled: ...


@overload
def holdout(model: Mapping[str, Any], X: Features, y: Values, **options: Unpack[HoldoutOptions]) -> Study: ...


def holdout(
    model: Models,
    X: Features,
    y: Values,
    *,
    test: float | int = 0.3,
    stratified: bool = True,
    groups: Values | None = None,
    repeats: int = 1,
    sample_weight: Values | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    confidence: float = 0.95,
    random_state: RandomState = None,
    **options: Unpack[RunOptions],
) -> Resampled | Study:
    """Train on one part, test on the other: `test` is a share or a number of rows. `advise_holdout` says how much.

    >>> from surefold.learners import NaiveBayes
    >>> X = [[1.0], [1.2], [1.1], [0.9], [3.0], [3.1], [2.9], [3.3]]
    >>> r = holdout(NaiveBayes(), X, ["a"] * 4 + ["b"] * 4, test=0.5, random_state=1)
    >>> print(r["accuracy"])
    1.00 [0.40, 1.00]
    """
    data = Dataset.of(X, y, labels=labels, pos_label=pos_label, sample_weight=sample_weight, groups=groups)
    how: dict[str, Any] = {"test": test, "stratified": stratified, "groups": groups, "repeats": repeats}
    plan = holdout_plan(data.codes, **how, random_state=adopted_seed(random_state, options), labels=data.labels)
    return evaluate_plan(model, data, plan, confidence=confidence, shortcut=False, **options)


@overload
def leave_one_out(model: Classifier, X: Features, y: Values, **options: Unpack[LeaveOneOutOptions]) -> Resampled: ...


@overload
def leave_one_out(model: Mapping[str, Any], X: Features, y: Values, **options: Unpack[LeaveOneOutOptions]) -> Study: ...


def leave_one_out(
    model: Models,
    X: Features,
    y: Values,
    *,
    sample_weight: Values | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    confidence: float = 0.95,
    random_state: RandomState = None,
    shortcut: bool = True,
    **options: Unpack[RunOptions],
) -> Resampled | Study:
    """Hold out one row at a time. Learners that implement `HoldsOut` do it without refitting, to the same answer.

    >>> from surefold.learners import NaiveBayes
    >>> X = [[1.0], [1.2], [1.1], [3.0], [3.1], [2.9]]
    >>> print(leave_one_out(NaiveBayes(), X, [0, 0, 0, 1, 1, 1])["error_rate"])
    0.00 [0.00, 0.46]
    """
    data = Dataset.of(X, y, labels=labels, pos_label=pos_label, sample_weight=sample_weight)
    plan = leave_one_out_plan(data.codes, random_state=adopted_seed(random_state, options), labels=data.labels)
    return evaluate_plan(model, data, plan, confidence=confidence, shortcut=shortcut, **options)


def evaluate_plan(
    model: Models,
    data: Dataset,
    plan: Plan,
    *,
    confidence: float = 0.95,
    shortcut: bool = True,
    **options: Unpack[RunOptions],
) -> Resampled | Study:
    """Run one model or several over a plan that was made before."""
    checked_confidence(confidence)
    models = as_models(model)
    settings = _settings(options)
    if plan.n != data.n:
        problem = f"the plan is for {plan.n:,} rows and the data have {data.n:,}"
        raise InputError("bad_plan", problem, cure="make the plan from the same rows")
    seed = plan.random_state if plan.random_state is not None else 0
    results: dict[str, Resampled] = {}
    if shortcut and settings.store is None:
        for name, each in models.items():
            quick = without_refits(name, each, data, plan, seed, confidence)
            if quick is not None:
                results[name] = quick
    left = {name: each for name, each in models.items() if name not in results}
    if left:
        check_features(left, data)
        plan = replace(plan, findings=(*plan.findings, *data_findings(data, plan)))
        outcomes, findings = run_models(left, data, plan, seed, settings)
        if not results:  # answers without fits are worth keeping
            refuse_all_failed(outcomes, data)
        used = versions(left)
        for name, each in left.items():
            results[name] = resampled(
                name, outcomes[name], plan, data, seed, confidence, findings, describe(each), used
            )
    if isinstance(model, Mapping):
        return Study(plan, {name: results[name] for name in models})
    return results[next(iter(models))]


def resampled(
    name: str,
    outcomes: Outcomes,
    plan: Plan,
    data: Dataset,
    seed: int,
    confidence: float,
    findings: tuple[Finding, ...],
    described: Mapping[str, str],
    used: Mapping[str, str],
) -> Resampled:
    """Outcomes of the folds of one model, as the result people ask."""
    return Resampled(
        name,
        plan,
        positive=data.positive,
        groups=data.groups,
        noticed=(*data.findings, *plan.findings, *findings),
        seed=seed,
        model=described,
        versions=used,
        confidence=confidence,
        flavour=data.flavour,
        **gathered(outcomes, plan, data.codes, data.labels, data.weights),
    )


#: Options of `cross_validate` of which only one may say what the splits are, and what each leaves room for.
_ALONE = {
    "cv": ("groups",),
    "times": (),
    "leave_pair_out": (),
    "nested": ("repeats", "groups"),
}


def _check_together(**given: object) -> None:
    """Refuse options that would be ignored beside another."""
    said = [name for name, value in given.items() if value is not None]
    for name, allowed in _ALONE.items():
        if name == "cv" and isinstance(given["cv"], int) and not isinstance(given["cv"], bool):
            allowed = ("groups", "repeats", "nested")  # a number of folds
        others = [other for other in said if other != name and other not in allowed]
        if name in said and others:
            if others == ["cv"] and isinstance(given["cv"], int):
                continue
            problem = f"{name}= and {others[0]}= were both given, and {name} would ignore it"
            raise InputError("bad_option", problem, cure="give one of them, or a plan of your own as cv=")


#: Options that hands type from habit, and what to do instead.
_ASKED_ELSEWHERE = {
    "scoring": "leave it out: every held-out prediction is kept, so ask the result, as in r['f1'] or r.values('f1')",
    "return_estimator": "leave it out; to keep the models use scikit-learn's own, then Resampled.from_cv_results",
    "return_indices": "leave it out: r.plan has the rows of every split",
    "return_train_score": "leave it out; learning_curve and bootstrap tell how much training flatters",
    "error_score": "leave it out: a fold that fails is kept as missing, with its reason, in r.failures",
    "verbose": "leave it out; progress=True shows a bar",
    "params": "give sample_weight= and groups= by their own names",
    "fit_params": "give sample_weight= by its own name",
}


def _settings(options: RunOptions) -> Settings:
    for name in options:
        if name in _ASKED_ELSEWHERE:
            problem = f"{name}= is an option of scikit-learn's cross_validate, and not of this one"
            raise InputError("bad_option", problem, cure=_ASKED_ELSEWHERE[name])
        if name not in RunOptions.__annotations__:
            known = [*inspect.signature(cross_validate).parameters, *RunOptions.__annotations__]
            raise UnknownNameError("option", name, [each for each in known if each != "options"])
    return Settings(**options)


def _given(cv: Any, data: Dataset, X: Features, y: Values, groups: Values | None, state: int) -> Plan:
    if isinstance(cv, Plan):
        return cv
    if isinstance(cv, str):
        if cv.replace("×", "x") not in ("5x2", "5x2cv"):
            raise InputError("bad_option", f"cv={cv!r}", cure="give '5x2', a number of folds, a splitter, or pairs")
        return five_by_two_plan(data.codes, groups=groups, random_state=state, labels=data.labels)
    return plan_from_splitter(cv, X, data.codes, y, groups, random_state=state, labels=data.labels)


def _positive(data: Dataset) -> int:
    if data.positive is not None:
        return data.positive
    if len(data.labels) == 2:
        return 1
    label = data.labels[rarest(rows_of_each(len(data.labels), data.codes))]
    problem = "leave-pair-out needs to know which class is the positive one"
    raise InputError("positive_class_unknown", problem, cure=f"say pos_label={label!r}")


def adopted_seed(random_state: RandomState, options: RunOptions) -> int:
    """The seed: the one given, or that of the stored run which is to be gone on with, or a fresh one."""
    store = options.get("store")
    if random_state is None and store is not None and os.path.exists(store):
        with Store(store) as there:
            run = there.read_run(options.get("run", "run"))
        if run is not None:
            return int(run.facts["seed"])
    return seed_of(random_state)
