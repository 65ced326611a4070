"""bootstrap(): models of samples drawn with replacement, and what their errors say of the model of all rows."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, RunError, UnknownNameError, refuse_unknown
from surefold.estimates.bootstrapped import BootstrapLosses, Per
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.optimism import point632
from surefold.estimates.quantiles import checked_confidence
from surefold.findings import Finding
from surefold.given import Features
from surefold.inputs.labels import Label
from surefold.measures import catalogue
from surefold.resampling.classifier import Classifier
from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import RunOptions, adopted_seed, evaluate_plan
from surefold.resampling.fold_values import HeldOut, fold_values
from surefold.resampling.options import RandomState
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.resampling.row_losses import loss_limits, loss_name, row_losses, unrelated_loss
from surefold.resampling.samples import bootstrap_plan, expected_distinct_share, in_bag_counts
from surefold.shown import Shown
from surefold.significance.paired_folds import paired_t

if TYPE_CHECKING:
    from surefold.verdict.verdict import Verdict

__all__ = ["KINDS", "BootstrapStudy", "Bootstrapped", "bootstrap"]

Kind = Literal["on_all", "out_of_bag", "apparent", "point632", "point632plus"]
KINDS: tuple[Kind, ...] = ("on_all", "out_of_bag", "apparent", "point632", "point632plus")


@overload
def bootstrap(
    model: Classifier,
    X: ArrayLike,
    y: ArrayLike,
    *,
    samples: int = ...,
    measure: str = ...,
    stratified: bool = ...,
    groups: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    labels: Sequence[Label] | None = ...,
    pos_label: Label | None = ...,
    confidence: float = ...,
    random_state: RandomState = ...,
    **options: Unpack[RunOptions],
) -> Bootstrapped: ...


@overload
def bootstrap(
    model: Mapping[str, Any],
    X: ArrayLike,
    y: ArrayLike,
    *,
    samples: int = ...,
    measure: str = ...,
    stratified: bool = ...,
    groups: ArrayLike | None = ...,
    sample_weight: ArrayLike | None = ...,
    labels: Sequence[Label] | None = ...,
    pos_label: Label | None = ...,
    confidence: float = ...,
    random_state: RandomState = ...,
    **options: Unpack[RunOptions],
) -> BootstrapStudy: ...


def bootstrap(
    model: Any,
    X: Features,
    y: Any,
    *,
    samples: int = 50,
    measure: str = "error_rate",
    stratified: bool = False,
    groups: Any = None,
    sample_weight: Any = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    confidence: float = 0.95,
    random_state: RandomState = None,
    **options: Unpack[RunOptions],
) -> Bootstrapped | BootstrapStudy:
    """Train on samples drawn with replacement; test on all rows, and on those left out.

    Several models, by name, are trained on the same samples, so that they can be compared sample by sample.

    >>> from surefold.learners import NaiveBayes
    >>> X = [[1.0], [1.2], [1.1], [0.9], [2.0], [3.1], [2.9], [3.3], [1.5], [2.2]]
    >>> b = bootstrap(NaiveBayes(), X, ["a"] * 5 + ["b"] * 5, samples=20, random_state=3)
    >>> b.on_all.value < b.out_of_bag.value
    True
    """
    name = catalogue[measure].name  # a wrong name is told before anything is fitted
    data = Dataset.of(X, y, labels=labels, pos_label=pos_label, sample_weight=sample_weight, groups=groups)
    plan = bootstrap_plan(
        data.codes,
        samples=samples,
        stratified=stratified,
        groups=groups,
        random_state=adopted_seed(random_state, options),
        labels=data.labels,
    )
    found = evaluate_plan(model, data, plan, confidence=confidence, shortcut=False, **options)
    if isinstance(found, Resampled):
        return Bootstrapped(found, name)
    return BootstrapStudy({each: Bootstrapped(one, name) for each, one in found.items()})


@dataclass(frozen=True, eq=False)
class Bootstrapped(Shown):
    """Every prediction of every sample's model for every row, and of the model of all rows for its own.

    `on_all` is what some books report, and flatters; `out_of_bag` comes out too bad; `point632` and `point632plus` lie
    between. Each is an `Estimate` of `measure`; `estimate` gives them for another.
    """

    resampled: Resampled
    measure: str = "error_rate"
    _cache: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def plan(self) -> Plan:
        """The samples that were drawn."""
        return self.resampled.plan

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.resampled.name

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in order."""
        return self.resampled.labels

    @property
    def samples(self) -> int:
        """How many samples were drawn."""
        return len(self.plan) - 1

    @property
    def complete(self) -> bool:
        """Whether every sample was fitted."""
        return self.resampled.complete

    @property
    def status(self) -> str:
        """ "complete", or what is missing."""
        return self.resampled.status

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What should be known of the rows and the fits."""
        return self.resampled.findings

    @property
    def confidence(self) -> float:
        """The confidence of every interval."""
        return self.resampled.confidence

    @cached_property
    def in_bag(self) -> NDArray[np.int64]:
        """Samples x rows: how often each row was drawn."""
        return in_bag_counts(self.plan)

    @property
    def distinct_share(self) -> float:
        """The share of all rows that a sample holds, on average; `expected_distinct_share` is what it tends to."""
        return float((self.in_bag > 0).mean())

    @property
    def expected_distinct_share(self) -> float:
        """The share of rows that a sample is expected to hold: 1 - (1 - 1/n)^n."""
        return expected_distinct_share(self.plan.n)

    # the five estimates

    @property
    def on_all(self) -> Estimate:
        """Tested on all rows, 63 % of which were trained on: as printed in books, and optimistic."""
        return self.estimate("on_all")

    @property
    def out_of_bag(self) -> Estimate:
        """Tested on the rows left out of the sample."""
        return self.estimate("out_of_bag")

    @property
    def apparent(self) -> Estimate:
        """The model of all rows on those rows."""
        return self.estimate("apparent")

    @property
    def point632(self) -> Estimate:
        """The .632 estimate: .368 of the resubstitution error and .632 of the out-of-bag error."""
        return self.estimate("point632")

    @property
    def point632plus(self) -> Estimate:
        """The .632+ estimate, which leans on the out-of-bag error the more the model overfits."""
        return self.estimate("point632plus")

    def estimate(
        self, kind: Kind, measure: str | None = None, *, per: Per = "sample", confidence: float | None = None
    ) -> Estimate:
        """One of the five, of any measure; `per="row"` averages over the samples of each row first (Efron's way)."""
        refuse_unknown("bootstrap estimate", kind, KINDS)
        name = loss_name(self.measure if measure is None else measure, self.labels, self.resampled.positive)
        level = checked_confidence(self.confidence if confidence is None else confidence)
        key = (kind, name, per, level)
        if key not in self._cache:
            self._cache[key] = replace(self._estimate(kind, name, per, level), name=name)
        found: Estimate = self._cache[key]
        return found

    def __getitem__(self, measure: str) -> Estimate:
        """.632+ of a measure that is a mean over rows, .632 of any other."""
        name = loss_name(measure, self.labels, self.resampled.positive)
        is_mean = row_losses(self.resampled.held, name, self.resampled.positive) is not None
        return self.estimate("point632plus" if is_mean else "point632", name)

    @property
    def verdict(self) -> Verdict:
        """What the result says, in sentences."""
        from surefold.verdict.resampled import verdict_of_bootstrap

        return verdict_of_bootstrap(self)

    def values(self, measure: str | None = None, *, on: Literal["all", "out_of_bag"] = "all") -> NDArray[np.float64]:
        """The measure of each sample's model, on all rows or on those left out of it; NaN where it is undefined."""
        name = self.measure if measure is None else measure
        held = self.resampled.held
        if on == "out_of_bag":
            held = self._left_out
        elif on != "all":
            raise UnknownNameError("rows", on, ("all", "out_of_bag"))
        return fold_values(held, name, self.resampled.positive, {}).values[: self.samples]

    def distribution(self, measure: str | None = None) -> NDArray[np.float64]:
        """The sampling distribution: the measure of each sample's model on all rows."""
        return self.values(measure)

    # telling

    def to_dict(self) -> dict[str, Any]:
        """Everything but the predictions, as plain values ready for JSON."""
        from surefold.report.as_json import bootstrap_to_dict

        return bootstrap_to_dict(self)

    def plot(self, measure: Any = None, ax: Any = None, **options: Any) -> Any:
        """A histogram of the sampling distribution of a measure, with the estimates marked; or "estimates"."""
        from surefold.show.plots import plot

        return plot(self, measure, ax, **options)

    __repr__ = Shown.__str__

    # inside

    @cached_property
    def _left_out(self) -> HeldOut:
        """Only the answers for rows that the sample did not hold; the apparent split stays whole."""
        held, plan = self.resampled.held, self.plan
        keep = np.concatenate([(self.in_bag == 0).ravel(), np.ones(plan.n, dtype=bool)])
        sizes = np.add.reduceat(keep, plan.test_starts[:-1])
        if (sizes == 0).any():
            i = int(np.flatnonzero(sizes == 0)[0])
            problem = f"sample {i + 1} holds every row, so none was left out"
            raise InputError("undefined_folds", problem, cure="draw from more rows")
        return replace(held.part(keep), starts=np.concatenate([[0], np.cumsum(sizes)]))

    def _estimate(self, kind: Kind, name: str, per: Per, level: float) -> Estimate:
        r = self.resampled
        if self.samples in r.failures:
            problem = f"the model of all rows is missing: {r.status}"
            raise RunError("incomplete", problem, cure="run the same call again with its store")
        flipped = name == "accuracy"
        losses = (
            None if r.held.weights is not None else row_losses(r.held, "error_rate" if flipped else name, r.positive)
        )
        flags = () if r.complete else ("incomplete",)
        if losses is None or r.held.weights is not None:
            e = self._of_samples(kind, name, level)
        else:
            e = self._of_rows(kind, name, losses, per, level)
            e = _flipped(e) if flipped else e
        return replace(e, flags=(*flags, *e.flags))

    def _of_rows(self, kind: Kind, name: str, losses: NDArray[np.float64], per: Per, level: float) -> Estimate:
        n, there = self.plan.n, np.array([i not in self.resampled.failures for i in range(self.samples)])
        each = losses.reshape(-1, n)
        apparent = self.resampled.held.part(slice(-n, None))
        found = BootstrapLosses.of(
            each[:-1][there],
            self.in_bag[there],
            each[-1],
            no_information_rate=unrelated_loss(apparent, name, self.resampled.positive),
            limits=loss_limits(name),
        )
        if kind == "on_all":
            return found.on_all(confidence=level)
        if kind == "apparent":
            return found.apparent_error(confidence=level)
        return getattr(found, kind)(per=per, confidence=level)  # type: ignore[no-any-return]

    def _of_samples(self, kind: Kind, name: str, level: float) -> Estimate:
        """For measures that are no mean over rows: figures of whole samples, with the percentiles of the samples."""
        every = fold_values(self.resampled.held, name, self.resampled.positive, {}).values
        apparent = float(every[-1])
        on_all, left_out = every[:-1], self.values(name, on="out_of_bag")
        on_all, left_out = on_all[~np.isnan(on_all)], left_out[~np.isnan(left_out)]
        if not left_out.size or not on_all.size or np.isnan(apparent):
            nan = float("nan")
            return Estimate(
                nan, nan, nan, nan, level, "percentile", 0, (), reason=f"{name} is undefined in the samples"
            )
        if kind == "point632plus":
            problem = f".632+ is for losses of single rows, and {name} is none"
            cure = "ask for point632, or for error_rate, brier or log_loss"
            raise InputError("not_for_this_plan", problem, cure=cure)
        spread = on_all if kind in ("on_all", "apparent") else left_out
        value = {
            "on_all": float(on_all.mean()),
            "apparent": apparent,
            "out_of_bag": float(left_out.mean()),
            "point632": float(np.asarray(point632(apparent, float(left_out.mean())))),
        }[kind]
        low, high = np.quantile(spread, [(1 - level) / 2, (1 + level) / 2]) + (value - spread.mean())
        least, greatest = catalogue[name].range
        flags = ("known_to_mislead",) + (("optimistic",) if kind in ("on_all", "apparent") else ())
        se = float(spread.std(ddof=1)) if len(spread) > 1 else float("nan")
        bounds = float(np.clip(min(low, value), least, greatest)), float(np.clip(max(high, value), least, greatest))
        return Estimate(value, *bounds, se, level, "percentile", len(spread), flags)


@dataclass(frozen=True, eq=False)
class BootstrapStudy:
    """Models by name, all trained on the same samples."""

    models: Mapping[str, Bootstrapped]

    def __getitem__(self, name: str) -> Bootstrapped:
        if name not in self.models:
            raise UnknownNameError("model", name, self.models)
        return self.models[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.models)

    def __len__(self) -> int:
        return len(self.models)

    def items(self) -> ItemsView[str, Bootstrapped]:
        """Names and what was found of each."""
        return self.models.items()

    def paired_t(
        self,
        first: str,
        second: str,
        measure: str | None = None,
        *,
        on: Literal["all", "out_of_bag"] = "all",
        confidence: float = 0.95,
    ) -> TestResult:
        """The books' paired t over the samples, first minus second. More samples narrow it and more rows do not, so it
        is flagged, and rejects too often."""
        found = paired_t(self[first].values(measure, on=on), self[second].values(measure, on=on), confidence=confidence)
        flags = ("naive_samples", *(("optimistic",) if on == "all" else ()))
        told = ("samples are independent, which they are not: they are drawn from the same rows", found.assumptions[-1])
        return replace(found, effect=replace(found.effect, flags=flags), assumptions=told, flags=flags)

    def __str__(self) -> str:
        return "\n\n".join(str(each) for each in self.models.values())

    __repr__ = __str__


def _flipped(e: Estimate) -> Estimate:
    """An error rate as an accuracy."""
    return replace(e, value=1 - e.value, low=1 - e.high, high=1 - e.low, pessimistic=1 - e.pessimistic)
