"""benchmark: the same models over several data sets, each cross-validated, all in one store."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from typing import Any, Literal, Unpack, cast

import numpy as np

from surefold.benchmarking.result import Benchmark
from surefold.counting import counted
from surefold.errors import InputError, RunError, UnknownNameError, show
from surefold.estimates.quantiles import checked_confidence
from surefold.given import RandomState
from surefold.inputs.labels import Label
from surefold.inputs.positive import positive_unknown, rarest
from surefold.inputs.predictions import Predictions
from surefold.measures import catalogue
from surefold.measures.score_measure import ScoreMeasure
from surefold.resampling.evaluate import RunOptions, cross_validate
from surefold.resampling.fold_values import positive_for
from surefold.resampling.models import as_models
from surefold.resampling.options import seed_of
from surefold.resampling.progress import progress_bar
from surefold.resampling.store import Store
from surefold.resampling.study import Study

__all__ = ["BenchmarkOptions", "benchmark"]

#: What a data set may say of itself without stopping the others: its data, or every fit on it, failed.
_OF_THE_DATA = ("fit_failed",)


class BenchmarkOptions(RunOptions, total=False):
    """The options of a run, and those of `cross_validate` that suit every data set alike."""

    stratified: bool
    shuffle: bool
    min_class: Literal["refuse", "allow"]
    cv: Any
    shortcut: bool


def benchmark(
    models: Mapping[str, Any],
    datasets: Mapping[str, Any],
    *,
    measure: str = "accuracy",
    folds: int = 10,
    repeats: int = 1,
    pos_label: Label | Mapping[str, Label] | None = None,
    confidence: float = 0.95,
    random_state: RandomState = None,
    **options: Unpack[BenchmarkOptions],
) -> Benchmark:
    """Cross-validate every model on every data set; `Benchmark.compare` then says which differ.

    `datasets` has (X, y), (X, y, groups), or something with `.data` and `.target`, by name. `pos_label` may differ by
    data set: {"sonar": "M"}. Each data set is a run of its own name in `store`, so that the same call goes on where it
    stopped. A data set that cannot be run is named in `failures`, and the others are kept.

    >>> from surefold.learners import FullBayes, NaiveBayes
    >>> X = [[1.0, 2.0], [1.2, 2.1], [1.1, 1.8], [0.9, 2.4], [3.0, 1.0], [3.1, 0.7], [2.9, 1.3], [1.3, 0.9]]
    >>> y = ["a"] * 4 + ["b"] * 4
    >>> b = benchmark(
    ...     {"naive": NaiveBayes(), "full": FullBayes(ridge=0.1)},
    ...     {"one": (X, y), "two": (X, y[::-1])},
    ...     folds=2,
    ...     random_state=0,
    ... )
    >>> b.table("error_rate").values.shape, b.studies["one"]["naive"].mean("error_rate")
    ((2, 2), 0.125)
    """
    chosen, level = catalogue[measure].name, checked_confidence(confidence)
    if not isinstance(models, Mapping):
        raise InputError("bad_model", f"models is {show(models)}", cure="pass {'name': model, ...}")
    known = as_models(models)
    unpacked = _unpacked(datasets)
    for name in options:
        if name not in BenchmarkOptions.__annotations__:
            raise UnknownNameError("option", name, BenchmarkOptions.__annotations__)
    labels = _pos_labels(pos_label, unpacked)
    _refuse_without_positive(chosen, unpacked, labels)
    runs = _run_names(options.get("run"), unpacked)
    seed = _seed(random_state, options.get("store"), list(runs.values()))
    rest = cast(dict[str, Any], {**options, "confidence": level, "random_state": seed, "folds": folds})
    rest |= {} if repeats == 1 else {"repeats": repeats}
    studies, errors = _run(known, unpacked, runs, labels, rest)
    if not studies:
        raise next(iter(errors.values()))
    failures = {name: error.problem for name, error in errors.items()}
    return Benchmark(tuple(unpacked), tuple(known), chosen, studies, failures, confidence=level)


def _run(
    models: Mapping[str, Any],
    datasets: Mapping[str, tuple[Any, Any, Any]],
    runs: Mapping[str, str],
    labels: Mapping[str, Label | None],
    options: dict[str, Any],
) -> tuple[dict[str, Study], dict[str, InputError | RunError]]:
    """A study a data set under one bar; what is wrong with a data set is kept, what is wrong with the store is not."""
    studies: dict[str, Study] = {}
    errors: dict[str, InputError | RunError] = {}
    show_bar = options.pop("progress", None)
    own_bar = show_bar if len(datasets) == 1 else False  # one data set shows its folds
    fits = len(models) * _splits(options)
    what = f"fits of {counted(len(models), 'model')} over {counted(len(datasets), 'data set')}"
    with progress_bar(fits * len(datasets), 0, what, False if len(datasets) == 1 else show_bar) as advance:
        for name, (X, y, groups) in datasets.items():
            given = {**options, "groups": groups, "pos_label": labels[name], "run": runs[name], "progress": own_bar}
            try:
                studies[name] = cross_validate(dict(models), X, y, **given)
            except (InputError, RunError) as error:
                if isinstance(error, RunError) and error.code not in _OF_THE_DATA:
                    raise
                errors[name] = error
            advance(fits * (len(studies) + len(errors)))
    return studies, errors


def _splits(options: Mapping[str, Any]) -> int:
    """How many splits a data set has; of a splitter of somebody's own, one, which counts data sets."""
    if options.get("cv") is not None:
        return 10 if options["cv"] == "5x2" else 1
    counts = (options["folds"], options.get("repeats", 1))
    return math.prod(counts) if all(isinstance(count, int) for count in counts) else 1


def _unpacked(datasets: Any) -> dict[str, tuple[Any, Any, Any]]:
    """X, y and groups of every data set by name."""
    cure = "give {'name': (X, y), ...}, or (X, y, groups), or objects with .data and .target"
    if not isinstance(datasets, Mapping) or hasattr(datasets, "target"):
        raise InputError("not_an_array", f"datasets is {show(datasets)}, not data sets by name", cure=cure)
    if not datasets:
        raise InputError("no_rows", "no data set was given", cure=cure)
    found: dict[str, tuple[Any, Any, Any]] = {}
    for name, each in datasets.items():
        if not isinstance(name, str) or not name.strip():
            raise InputError("bad_option", f"{show(name)} is no name for a data set", cure="name data sets by text")
        if hasattr(each, "data") and hasattr(each, "target"):
            found[name] = (each.data, each.target, None)
        elif isinstance(each, tuple | list) and len(each) in (2, 3):
            found[name] = (each[0], each[1], each[2] if len(each) == 3 else None)
        else:
            raise InputError("bad_shape", f"the data set {name} is {show(each)}", cure=cure)
    return found


def _pos_labels(pos_label: Label | Mapping[str, Label] | None, datasets: Mapping[str, Any]) -> dict[str, Label | None]:
    if not isinstance(pos_label, Mapping):
        return dict.fromkeys(datasets, pos_label)
    for name in pos_label:
        if name not in datasets:
            raise UnknownNameError("data set", name, datasets)
    return {name: pos_label.get(name) for name in datasets}


def _refuse_without_positive(
    measure: str, datasets: Mapping[str, tuple[Any, Any, Any]], labels: Mapping[str, Label | None]
) -> None:
    """A measure of one class needs that class to be said of every data set, before anything is fitted."""
    lacking: dict[str, Label] = {}
    first = None
    for name, (_, y, _) in datasets.items():
        try:
            p = Predictions.of(y, y, pos_label=labels[name], names=("y", "y", "scores"))
        except InputError:
            continue  # what is wrong with a data set is told as that of its run
        asked = catalogue[catalogue.twin(measure) if len(p.labels) > 2 else measure]
        needs_one = asked.is_per_class or (isinstance(asked, ScoreMeasure) and asked.reads == "ranking")
        if needs_one and positive_for(measure, p.labels, p.positive) is None and len(p.labels) > 1:
            lacking[name] = p.labels[rarest(np.bincount(p.truth, minlength=len(p.labels)))]
            first = first or positive_unknown(p.labels, p.truth, measure)
    if first is None:
        return
    name, *others = lacking
    also = f", nor in {', '.join(map(show, others[:3]))}{' and others' if len(others) > 3 else ''}" if others else ""
    shown = dict(list(lacking.items())[:4])
    problem = f"data set {show(name)}: {first.problem}{also}"
    cure = f"say pos_label={shown!r} or the like, or choose a measure of all classes, such as accuracy"
    raise InputError("positive_class_unknown", problem, cure=cure)


def _run_names(run: str | None, datasets: Mapping[str, Any]) -> dict[str, str]:
    """Each data set is a run of its name, after the name that was given, if one was."""
    return {name: name if run is None else f"{run}: {name}" for name in datasets}


def _seed(random_state: RandomState, store: Any, runs: list[str]) -> int:
    """The seed: the one given, or that of a stored run which is to be gone on with, or a fresh one."""
    if random_state is None and isinstance(store, str | os.PathLike) and os.path.exists(store):
        with Store(store) as there:
            for name in runs:
                run = there.read_run(name)
                if run is not None:
                    return int(run.facts["seed"])
    return seed_of(random_state)
