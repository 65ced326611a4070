"""An experiment as it was asked for: plain values that a store keeps, and the run that follows from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from types import UnionType
from typing import Any

from surefold.cli.features import Features, feature_names, read_features, read_times
from surefold.cli.models import BUILT_IN, build_models, split_name
from surefold.errors import InputError, RunError
from surefold.findings import Finding
from surefold.inputs.columns import Columns, predictions_from_table
from surefold.inputs.positive import positive_unknown
from surefold.inputs.predictions import Predictions
from surefold.inputs.tables import Table, read_table
from surefold.measures import catalogue
from surefold.measures.catalogue import of_all_classes
from surefold.measures.score_measure import ScoreMeasure
from surefold.report.resampled_json import plain_values
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import cross_validate, evaluate_plan, holdout, leave_one_out
from surefold.resampling.resampled import Resampled
from surefold.resampling.samples import bootstrap_plan
from surefold.resampling.study import Study
from surefold.show.of.splits import Result

__all__ = ["Experiment", "prepared"]

FORMAT = 1


@dataclass(frozen=True)
class Experiment:
    """What `surefold evaluate` was asked, in values that JSON can hold. `plan` has `scheme` and its options.

    `named` is whether the features were named one by one, so that none of them is left out; None: if there are any.
    """

    data: str
    target: str
    models: list[str]
    plan: dict[str, Any]
    features: list[str] = field(default_factory=list)
    drop: list[str] = field(default_factory=list)
    named: bool | None = None
    categorical: list[str] = field(default_factory=list)
    groups: str | None = None
    time: str | None = None
    weight: str | None = None
    pos_label: str | None = None
    seed: int = 0
    confidence: float = 0.95
    impute: bool = False
    measures: list[str] | None = None
    reading: dict[str, Any] = field(default_factory=dict)
    folder: str = ""
    sha256: str = ""
    noticed: list[dict[str, Any]] = field(default_factory=list)
    running: dict[str, Any] = field(default_factory=dict)

    def command(self) -> dict[str, Any]:
        """Everything needed to start again."""
        first = None if self.measures is None else self.measures[0]
        return {"command": "evaluate", "format": FORMAT, "measure": first, **asdict(self)}

    @classmethod
    def from_command(cls, command: Mapping[str, Any]) -> Experiment:
        """From the command that a run was started by; RunError where this version does not know it."""
        known = cls.__dataclass_fields__
        if command.get("command") != "evaluate" or command.get("format") != FORMAT:
            raise RunError("store_version", "the run was started by a command that this version does not know",
                           cure="use the version of surefold that started it")  # fmt: skip
        told = {name: value for name, value in command.items() if name in known}
        odd = next((name for name, value in told.items() if not _SHAPES[name](value)), None)
        odd = odd or next((name for name in ("data", "target", "models", "plan") if name not in told), None)
        if odd is not None:
            raise RunError("store_damaged", f"the store keeps a call whose {odd!r} is none of ours",
                           cure="start the run again, in another store")  # fmt: skip
        return cls(**told)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_optional_text(value: Any) -> bool:
    return value is None or isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _has(kinds: type | UnionType, *names: str) -> Callable[[Any], bool]:
    """Whether a value is a mapping with values of these types under none but these names."""

    def holds(value: Any) -> bool:
        return isinstance(value, dict) and all(k in names and isinstance(v, kinds) for k, v in value.items())

    return holds


#: What each value of a stored call may be: it may come from anywhere, and is passed on by name.
_SHAPES: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("data", "target", "folder", "sha256"), _is_text),
    **dict.fromkeys(("groups", "time", "weight", "pos_label"), _is_optional_text),
    **dict.fromkeys(("models", "features", "drop", "categorical"), _are_texts),
    "measures": lambda value: value is None or (_are_texts(value) and bool(value)),
    "seed": lambda value: isinstance(value, int),
    "confidence": lambda value: isinstance(value, float | int),
    "impute": lambda value: isinstance(value, bool),
    "named": lambda value: value is None or isinstance(value, bool),
    "plan": lambda value: _has(str | int | float, "scheme", "folds", "repeats", "stratified", "min_class", "test",
                               "samples")(value) and isinstance(value.get("scheme"), str),
    "reading": _has(str | None, "delimiter", "encoding", "comment", "decimal"),
    "running": _has(int | float | None, "fold_timeout", "max_memory", "retries"),
    "noticed": lambda value: isinstance(value, list),
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Ready:
    """An experiment with its file read and its models made: nothing is left but to run."""

    experiment: Experiment
    table: Table
    labels: Predictions
    features: Features
    models: dict[str, Any]

    def run(self, options: Mapping[str, Any]) -> Result:
        """Run it; what was noticed about the file travels with the result."""
        e = self.experiment
        options = {**options, "command": e.command()}
        if e.plan["scheme"] == "bootstrap":
            result: Result = self._bootstrap(options)
        else:
            study = self._study(options)
            result = study if len(study) > 1 else next(iter(study.models.values()))
        return _with_findings(result, (*self.table.findings, *self.features.findings))

    def _study(self, options: Mapping[str, Any]) -> Study:
        e, p = self.experiment, self.labels
        asked = {name: value for name, value in e.plan.items() if name != "scheme"}
        y, common = self.table.column(e.target), {**self._about_rows, "random_state": e.seed, **options}
        X, models, scheme = self.features.frame, self.models, e.plan["scheme"]
        if scheme == "holdout":
            found: Any = holdout(models, X, y, groups=p.groups, **asked, **common)
        elif scheme == "leave_one_out":
            found = leave_one_out(models, X, y, **common)
        elif scheme == "5x2":
            found = cross_validate(models, X, y, cv="5x2", groups=p.groups, **common)
        elif scheme == "leave_pair_out":
            found = cross_validate(models, X, y, leave_pair_out=True, groups=p.groups, **common)
        else:
            times = None if e.time is None else read_times(self.table, e.time)
            found = cross_validate(models, X, y, groups=p.groups, times=times, nested=scheme == "nested", **asked,
                                   **common)  # fmt: skip
        if not isinstance(found, Study):
            raise AssertionError("models by name make a study")
        return found

    def _bootstrap(self, options: Mapping[str, Any]) -> Bootstrapped:
        e, p = self.experiment, self.labels
        common = dict(self._about_rows)
        confidence = common.pop("confidence")
        data = Dataset.of(self.features.frame, self.table.column(e.target), groups=p.groups, **common)
        plan = bootstrap_plan(data.codes, samples=e.plan["samples"], groups=p.groups, random_state=e.seed,
                              labels=data.labels)  # fmt: skip
        found = evaluate_plan(self.models, data, plan, confidence=confidence, shortcut=False, **options)
        if not isinstance(found, Study):
            raise AssertionError("models by name make a study")
        measure = "error_rate" if e.measures is None else catalogue[e.measures[0]].name
        return Bootstrapped(next(iter(found.models.values())), measure)

    @property
    def _about_rows(self) -> dict[str, Any]:
        e, p = self.experiment, self.labels
        positive = None if e.pos_label is None else p.pos_label
        return {"sample_weight": p.weights, "pos_label": positive, "confidence": e.confidence}


def prepared(e: Experiment) -> Ready:
    """Read the file and make the models; InputError before anything is fitted if that cannot be done."""
    for name in e.measures or ():
        catalogue[name]  # an unknown one is refused with a suggestion
    table = read_table(e.data, **e.reading)
    taken = [name for name in (e.target, e.groups, e.time, e.weight) if name is not None]
    names = feature_names(table, taken, e.features, e.drop)
    p = _labels(table, e)
    _refuse_without_positive(p, e.measures or ())
    named = bool(e.features) if e.named is None else e.named
    features = read_features(table, names, e.categorical, leave_out=not named)
    if not e.impute and any(split_name(text)[1] in BUILT_IN for text in e.models):
        features.refuse_missing(table)
    models = build_models(e.models, features, impute=e.impute, weighted=e.weight is not None)
    if e.plan["scheme"] == "bootstrap" and len(models) > 1:
        raise InputError("bad_model", "--bootstrap takes one model", cure="run it once a model, with one --seed")
    kept = [finding for finding in p.findings if finding.code != "positive_class_not_said"] + [*features.findings]
    full = replace(
        e,
        data=os.path.abspath(e.data) if e.data != "-" else "-",
        sha256=table.sha256,
        features=names,
        drop=[],
        named=named,
        folder=os.getcwd(),
        noticed=[plain_values(finding.to_dict()) for finding in kept],
    )
    return Ready(full, table, p, features, models)


def _labels(table: Table, e: Experiment) -> Predictions:
    try:
        return predictions_from_table(
            table, Columns(e.target, e.target), pos_label=e.pos_label, weight=e.weight, group=e.groups
        )
    except InputError as error:
        if error.code != "missing_label":
            raise
        raise InputError(error.code, error.problem, rows=error.rows, count=error.count, lines=error.lines,
                         source=error.source, cure="give each row its label, or leave those rows out of the file"
                         ) from None  # fmt: skip


def _refuse_without_positive(p: Predictions, names: Sequence[str]) -> None:
    """A measure of one class that was asked for by name needs that class to be said, before anything is fitted."""
    for name in names if p.positive is None else ():
        measure = catalogue[name]
        of_two = isinstance(measure, ScoreMeasure) and measure.reads != "matrix" and not measure.twin
        if measure.is_per_class or of_two:
            instead = f"ask for {of_all_classes(measure.name)}"
            raise positive_unknown(p.labels, p.truth, measure.name, instead=instead)


def _with_findings(result: Result, findings: Sequence[Finding]) -> Result:
    def told(r: Resampled) -> Resampled:
        return replace(r, noticed=(*findings, *(each for each in r.noticed if each not in findings)))

    if not findings:
        return result
    if isinstance(result, Study):
        return Study(result.plan, {name: told(each) for name, each in result.models.items()})
    if isinstance(result, Bootstrapped):
        return Bootstrapped(told(result.resampled), result.measure)
    return told(result)
