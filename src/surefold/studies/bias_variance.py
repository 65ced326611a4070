"""bias_variance: train on many samples, and see which part of the loss is bias and which is variance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import NDArray

from surefold._version import heading
from surefold.errors import InputError, RunError, UnknownNameError, refuse_unknown, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import checked_confidence
from surefold.findings import Finding
from surefold.given import Features, RandomState, Values
from surefold.inputs.labels import Label
from surefold.resampling.classifier import Classifier
from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import RunOptions, adopted_seed
from surefold.resampling.frames import Flavour, estimate_columns, frame_of
from surefold.resampling.models import as_models, fresh
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.resampling.run_study import run_study
from surefold.shown import Shown
from surefold.studies.decompose import LOSSES, Decomposition, Loss, label_counts, of_counts
from surefold.studies.row_means import mean_over_rows
from surefold.studies.training_sets import How, Tested, training_sets_plan

if TYPE_CHECKING:
    from surefold.verdict.verdict import Verdict

__all__ = ["BiasVariance", "Parts", "bias_variance"]

Floats = NDArray[np.float64]
#: Which class is the positive one does not matter to a loss that treats them alike.
NOT_HERE = ("positive_class_assumed", "positive_class_not_said")


@dataclass(frozen=True, eq=False)
class Parts:
    """The loss of one model and its parts, each an `Estimate`. `value` is that of the parameter that was varied."""

    value: Any
    estimates: Mapping[str, Estimate]
    repeats: tuple[Decomposition, ...] = field(repr=False)

    def __getitem__(self, part: str) -> Estimate:
        if part not in self.estimates:
            raise UnknownNameError("part of the loss", part, self.estimates)
        return self.estimates[part]

    @property
    def loss(self) -> Estimate:
        """The loss on new rows: noise, bias and variance together."""
        return self["loss"]

    @property
    def bias(self) -> Estimate:
        """What a model goes wrong by whatever rows it learnt from."""
        return self["bias"]

    @property
    def variance(self) -> Estimate:
        """What it goes wrong by because it learnt from these rows."""
        return self["variance"]

    @property
    def noise(self) -> Estimate:
        """What the best of all answers would go wrong by."""
        return self["noise"]


@dataclass(frozen=True, eq=False)
class BiasVariance(Shown):
    """What `bias_variance` found: one `Parts`, or one for each value of the parameter that was varied.

    Intervals say how much the figures would move with other test rows, and, with repeats, other training samples of the
    same rows: the variances of both are added. With one repeat they are about rows alone. Tested on all rows, 63 % of
    which a bootstrap sample holds, the loss is flattered: `optimistic` says so.
    """

    model: str
    kind: Loss
    param: str | None
    points: tuple[Parts, ...]
    plan: Plan = field(repr=False)
    confidence: float = 0.95
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Parts]:
        return iter(self.points)

    def __getitem__(self, value: object) -> Parts:
        """The parts at a value of the parameter."""
        for point in self.points:
            if point.value is value or point.value == value:
                return point
        raise UnknownNameError(self.param or "value", value, [point.value for point in self.points])

    @property
    def best(self) -> Parts:
        """The point with the least loss, the first of equal ones."""
        return min(self.points, key=lambda point: point.loss.value)

    @property
    def only(self) -> Parts:
        """The parts, where one value of the parameter was tried; `bad_option` where several were."""
        if len(self.points) > 1:
            problem = f"there are {len(self.points)} values of {self.param}"
            cure = f"say which: result[{show(self.points[0].value)}].loss, or result.best"
            raise InputError("bad_option", problem, cure=cure)
        return self.points[0]

    @property
    def loss(self) -> Estimate:
        """The loss on new rows: noise, bias and variance together. Of the only value tried."""
        return self.only.loss

    @property
    def bias(self) -> Estimate:
        """What a model goes wrong by whatever rows it learnt from. Of the only value tried."""
        return self.only.bias

    @property
    def variance(self) -> Estimate:
        """What it goes wrong by because it learnt from these rows. Of the only value tried."""
        return self.only.variance

    @property
    def noise(self) -> Estimate:
        """What the best of all answers would go wrong by. Of the only value tried."""
        return self.only.noise

    def change(self, value: object, since: Any, part: str = "loss") -> Estimate:
        """The part at one value of the parameter less that at another, row by row over the same samples: paired."""
        last, first = self[value], self[since]
        last[part], first[part]  # refuses a part that is not there
        each = [a.by_row[part] - b.by_row[part] for a, b in zip(last.repeats, first.repeats, strict=True)]
        return mean_over_rows(part, np.stack(each), None, self.confidence)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of the parts, the loss first."""
        return tuple(self.points[0].estimates)

    @property
    def verdict(self) -> Verdict:
        """Which part of the loss is the larger, at the value with the least of it."""
        from surefold.verdict.studied import verdict_of_bias_variance

        return verdict_of_bias_variance(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values ready for JSON."""
        points = [
            {"value": _plain(point.value), **{part: e.to_dict() for part, e in point.estimates.items()}}
            for point in self.points
        ]
        plan = {
            "kind": self.plan.kind,
            **self.plan.options,
            "fingerprint": self.plan.fingerprint,
            "random_state": self.plan.random_state,
        }
        return {
            **heading("bias_variance"),
            "model": self.model,
            "loss_kind": self.kind,
            "param": self.param,
            "confidence": self.confidence,
            "points": points,
            "plan": plan,
            "findings": [finding.to_dict() for finding in self.findings],
            "verdict": self.verdict.to_dict(),
        }

    def to_frame(self, flavour: Flavour = "polars") -> Any:
        """One row a value and part."""
        numbers = all(isinstance(point.value, (int, float)) for point in self.points)
        rows = [
            {
                "model": self.model,
                "param": self.param,
                "value": point.value if numbers else str(point.value),
                "part": part,
                **estimate_columns(e, "estimate"),
            }
            for point in self.points
            for part, e in point.estimates.items()
        ]
        return frame_of(rows, flavour)

    __repr__ = Shown.__str__


def bias_variance(
    model: Classifier,
    X: Features,
    y: Values,
    *,
    samples: int = 10,
    loss: Loss = "squared",
    how: How = "bootstrap",
    test: Tested = "all",
    param: str | None = None,
    grid: Sequence[Any] | None = None,
    repeats: int = 1,
    unbiased: bool = False,
    labels: Sequence[Label] | None = None,
    confidence: float = 0.95,
    random_state: RandomState = None,
    **options: Unpack[RunOptions],
) -> BiasVariance:
    """Train the model on several samples of the rows and take the loss of their answers apart.

    `samples` training sets are drawn as `how` says: "bootstrap", as printed, or "disjoint" parts of the rows, which
    share none. `test`: "all" rows, as printed (flattering: flagged); "out_of_bag", each row by the samples without it;
    or a share or number of rows set aside first. `repeats` does it all again with other samples.
    `param` and `grid` vary one parameter, such as param="C", grid=[0.01, 1, 100], over the same samples.
    `loss` and `unbiased` are those of `decompose`. Other options are those of `cross_validate`: n_jobs, store, ...

    >>> from surefold.learners import NaiveBayes
    >>> X = [[1.0], [1.2], [1.1], [0.9], [1.9], [3.0], [3.1], [2.9], [1.3], [2.2]]
    >>> found = bias_variance(NaiveBayes(), X, ["a"] * 5 + ["b"] * 5, loss="kohavi_wolpert", random_state=0)
    >>> abs(found.bias.value + found.variance.value - found.loss.value) < 1e-12
    True
    """
    refuse_unknown("loss", loss, LOSSES)
    level = checked_confidence(confidence)
    data = Dataset.of(X, y, labels=labels)
    worth = _worth(data, loss)
    if isinstance(model, Mapping):
        raise InputError(
            "bad_model", "bias_variance takes one model", cure="call it once a model, with one random_state"
        )
    (name,) = as_models(model)
    models, grid = _models(model, param, grid)
    plan = training_sets_plan(data, samples, repeats, how, test, adopted_seed(random_state, options))
    study = run_study(models, data, plan, level, options)
    points: list[Parts] = []
    findings: dict[str, Finding] = {}
    truth = np.eye(len(data.labels))[data.codes]
    flags = ("optimistic",) if test == "all" else ()
    largest = 1.0 if loss != "squared" else 4.0 if worth is None else float(np.ptp(worth)) ** 2
    for value, (key, each) in zip(grid, study.items(), strict=True):
        if not each.complete:
            problem = f"{key} is {each.status}"
            cure = "mend the model; with a store, only what is missing is run again"
            raise RunError("incomplete", problem, cure=cure)
        found = tuple(of_counts(counts, truth, loss, worth, unbiased) for counts in _counts(each))
        told = {part: _estimate(part, found, largest, level, flags) for part in found[0].by_row}
        points.append(Parts(value, told, found))
        findings |= {str(f): f for f in each.noticed if f.code not in NOT_HERE}
    return BiasVariance(name, loss, param, tuple(points), plan, level, tuple(findings.values()))


def _models(model: Classifier, param: str | None, grid: Sequence[Any] | None) -> tuple[dict[str, Any], list[Any]]:
    if (param is None) != (grid is None):
        raise InputError("bad_option", "param and grid go together", cure="give both, or neither")
    if param is None or grid is None:
        return {type(model).__name__: model}, [None]
    values = list(grid)
    if not values:
        raise InputError("bad_option", "grid is empty", cure=f"give values of {param}")
    known = model.get_params(deep=True) if hasattr(model, "get_params") else {}
    if param not in known:
        raise UnknownNameError(f"parameter of {type(model).__name__}", param, known)
    models = {f"{param}={value!r}": fresh(model).set_params(**{param: value}) for value in values}
    if len(models) < len(values):
        raise InputError("bad_option", f"grid holds a value of {param} twice", cure="give each value once")
    return models, values


def _worth(data: Dataset, loss: Loss) -> Floats | None:
    """The numbers that squared loss is about: -1 and +1 for two classes, the labels themselves for more."""
    if loss != "squared" or len(data.labels) == 2:
        return None
    if all(isinstance(label, (int, float)) for label in data.labels):
        return np.array(data.labels, dtype=float)
    problem = f"squared loss needs numbers, and there are {len(data.labels)} classes of text"
    raise InputError("bad_option", problem, cure="use loss='kohavi_wolpert'")


def _counts(each: Resampled) -> Iterator[Floats]:
    """For each repeat, rows x classes: how often each class was answered."""
    plan, k = each.plan, len(each.labels)
    for r in np.unique(plan.repeat):
        splits = np.flatnonzero(plan.repeat == r)
        codes = np.full((len(splits), plan.n), -1)
        for line, i in enumerate(splits):
            codes[line, plan.test(int(i))] = each.held.predicted[plan.test_starts[i] : plan.test_starts[i + 1]]
        yield label_counts(codes, k)


def _estimate(
    part: str, found: Sequence[Decomposition], largest: float, level: float, flags: tuple[str, ...]
) -> Estimate:
    each = np.stack([d.by_row[part] for d in found])
    least = -largest if part == "net_variance" else min(0.0, float(np.nanmin(each)))
    e = mean_over_rows(part, each, (least, largest), level, flags)
    if part in ("noise", "net_noise") and e.value == 0:
        return replace(e, low=0.0, high=0.0, se=0.0, method="labels taken as certain", flags=())
    return e


def _plain(value: object) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)
