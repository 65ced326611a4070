"""Resampled: one model over a plan, with every held-out prediction kept, so that anything can be asked afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from surefold.assessment import Assessment, assess
from surefold.errors import InputError, RunError, UnknownNameError, refuse_unknown
from surefold.estimates.cross_validated import (
    Repeats,
    corrected_interval,
    naive_interval,
    repeated,
)
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import checked_confidence
from surefold.findings import Finding
from surefold.flavours import Flavour
from surefold.given import Features, Values
from surefold.inputs.labels import Label
from surefold.measures import catalogue
from surefold.measures.measure import Measure
from surefold.resampling.dataset import Dataset
from surefold.resampling.fold import Failure
from surefold.resampling.fold_values import FoldValues, HeldOut, fold_values, positive_for
from surefold.resampling.hidden_shares import hidden_variance
from surefold.resampling.intervals import nested_cv_interval, pairs_interval, pooled_interval, pooled_predictions
from surefold.resampling.plan import Plan
from surefold.resampling.row_losses import loss_name, row_losses
from surefold.shown import Shown

if TYPE_CHECKING:
    from surefold.verdict.verdict import Verdict

__all__ = ["INTERVAL_METHODS", "DataOptions", "Resampled"]

INTERVAL_METHODS = ("auto", "corrected", "corrected_one_row", "t", "normal", "pooled", "nested", "pairs")

#: Plans with one test of each row or one test set: the rows themselves say how sure one may be.
POOLED_KINDS = ("leave_one_out", "leave_one_group_out")
#: Random splits of the same rows count as no more than so many folds.
MOST_INDEPENDENT = 10
HEADLINES = ("error_rate", "accuracy", "balanced_accuracy", "f1", "mcc", "roc_auc", "brier", "log_loss")
HEADLINES_MANY = (
    "error_rate",
    "accuracy",
    "balanced_accuracy",
    "f1_macro",
    "mcc",
    "roc_auc_hand_till",
    "brier_multiclass",
    "log_loss_multiclass",
)


class DataOptions(TypedDict, total=False):
    """What may be known of rows beside `X` and `y`; see `cross_validate`."""

    labels: Sequence[Label] | None
    pos_label: Label | None
    sample_weight: Values | None
    groups: Values | None


@dataclass(frozen=True, eq=False)
class Resampled(Shown):
    """One model over a plan. Made by `cross_validate`, `holdout`, `leave_one_out`, or read back from a store.

    `values` are one a split, in the order of `plan`; `interval` puts them into one estimate; `assess` treats the
    held-out predictions of a repeat as the one test set that they are.
    """

    name: str
    plan: Plan
    held: HeldOut = field(repr=False)
    positive: int | None = None
    groups: NDArray[np.intp] | None = field(default=None, repr=False)
    fit_seconds: NDArray[np.float64] = field(default_factory=lambda: np.empty(0), repr=False)
    score_seconds: NDArray[np.float64] = field(default_factory=lambda: np.empty(0), repr=False)
    failures: Mapping[int, Failure] = field(default_factory=dict)
    notes: Mapping[int, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    noticed: tuple[Finding, ...] = field(default=(), repr=False)
    seed: int = 0
    model: Mapping[str, str] = field(default_factory=dict, repr=False)
    versions: Mapping[str, str] = field(default_factory=dict, repr=False)
    confidence: float = 0.95
    shortcut: bool = False
    flavour: Flavour = field(default="polars", repr=False)

    @classmethod
    def from_cv_results(
        cls,
        results: Mapping[str, Any],
        X: Features,
        y: Values,
        *,
        name: str | None = None,
        confidence: float = 0.95,
        **options: Unpack[DataOptions],
    ) -> Resampled:
        """What scikit-learn's `cross_validate` fitted, to be asked for anything, with no refit.

        `results` is what it returned with `return_estimator=True, return_indices=True`; `X` and `y` are the same as
        there. `options` are those of our own `cross_validate` that are about the rows: `labels`, `pos_label`,
        `sample_weight` and `groups`.
        """
        from surefold.scoring.from_cv import resampled_of

        return resampled_of(results, Dataset.of(X, y, **options), name=name, confidence=confidence)

    # what there is

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes, in order."""
        return self.held.labels

    @property
    def pos_label(self) -> Label | None:
        """The positive class; None where none was said."""
        return None if self.positive is None else self.labels[self.positive]

    @property
    def fingerprint(self) -> str:
        """Of the splits: two models are compared only where it is the same."""
        return self.plan.fingerprint

    @property
    def complete(self) -> bool:
        """Whether every split was fitted."""
        return not self.failures

    @property
    def status(self) -> str:
        """ "complete", or "incomplete" with what is missing and why."""
        if self.complete:
            return "complete"
        first = min(self.failures)
        where = f"{self.plan.name_of(first)} {self.failures[first]}"
        verb = "is" if len(self.failures) == 1 else "are"
        return f"incomplete: {len(self.failures)} of {len(self.plan)} folds {verb} missing ({where})"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was noticed about data, plan and fits."""
        from surefold.verdict.resampled import findings_of_resampled

        return findings_of_resampled(self)

    @property
    def verdict(self) -> Verdict:
        """What the result says, in sentences."""
        from surefold.verdict.resampled import verdict_of_resampled

        return verdict_of_resampled(self)

    def with_positive(self, pos_label: Label) -> Resampled:
        """The same answers with another positive class."""
        if pos_label not in self.labels:
            raise UnknownNameError("label", pos_label, self.labels)
        return replace(self, positive=self.labels.index(pos_label))

    # asking

    def values(self, measure: str, *, pos_label: Label | None = None, **options: Any) -> NDArray[np.float64]:
        """The measure of each split, NaN where it is undefined or the fold is missing (`failures` says which).

        Of nested cross-validation these are the outer splits, of a bootstrap the samples.
        """
        return self._values(measure, pos_label, options).values[self.outer]

    def mean(self, measure: str, *, incomplete: bool = False, **options: Any) -> float:
        """The mean over the splits; refused where some are missing or undefined, unless `incomplete=True`."""
        return float(np.mean(self._all_values(measure, options, incomplete)))

    def variance(self, measure: str, ddof: int = 1, *, incomplete: bool = False, **options: Any) -> float:
        """Over the splits, dividing by their number less `ddof`: 1 as in worked examples, 0 as in some formulas."""
        found = self._all_values(measure, options, incomplete)
        if len(found) <= ddof:
            problem = f"the variance of {len(found)} value is undefined"
            raise InputError("not_for_this_plan", problem, cure="use more folds or repeats")
        return float(np.var(found, ddof=ddof))

    def runs(self, measure: str, *, ddof: int = 1, **options: Any) -> Repeats:
        """Mean and variance of each repeat: their means are what repeating the whole procedure reports."""
        found = self._all_values(measure, options, False)
        repeat = self.plan.repeat[self.outer]
        return repeated([found[repeat == r] for r in np.unique(repeat)], ddof=ddof)

    def __getitem__(self, measure: str) -> Estimate:
        return self.interval(measure)

    def interval(
        self,
        measure: str,
        method: str = "auto",
        *,
        confidence: float | None = None,
        ddof: int = 1,
        pos_label: Label | None = None,
        **options: Any,
    ) -> Estimate:
        """The measure with an interval.

        "corrected" allows for training sets that overlap and is the default over folds. It is about new rows, whose
        classes have other shares: stratified folds hide what that does, and it is added. "t" and "normal" take folds as
        independent, as textbooks print them, and are flagged; "corrected_one_row" has the same variance and is not
        symmetric near the limits; "pooled" takes all held-out rows as one test set, the default for one split or
        leave-one-out; "nested" needs `nested=True`; "pairs" is for leave-pair-out.
        """
        refuse_unknown("interval method", method, INTERVAL_METHODS)
        level = checked_confidence(self.confidence if confidence is None else confidence)
        positive = positive_for(measure, self.labels, self.positive_of(pos_label))
        pos_label = None if positive is None else self.labels[positive]
        told = loss_name(measure, self.labels, positive)
        chosen = self._default_method(measure) if method == "auto" else method
        if chosen == "pooled":
            return pooled_interval(self, measure, level, pos_label, options)
        if chosen == "pairs":
            return pairs_interval(self, measure, level)
        if chosen == "nested":
            return nested_cv_interval(self, measure, level, pos_label)
        found = self._values(measure, pos_label, options)
        used = np.flatnonzero(self.outer)
        values = found.values[used]
        undefined = np.isnan(values)
        flags = self.flags
        if undefined.any():
            reason, n = self._why_undefined(found, self.outer), int((~undefined).sum())
            if not self.complete and (undefined == self._missing[used]).all() and n > 1:
                values, used, flags = values[~undefined], used[~undefined], ("incomplete", *flags)
            else:
                nan = float("nan")
                return Estimate(nan, nan, nan, nan, level, chosen, n, flags, told, reason)
        if chosen in ("corrected", "corrected_one_row"):
            e = corrected_interval(
                values,
                self.plan.train_sizes[used],
                self.plan.test_sizes[used],
                folds=len(values) if self.plan.repeats == 1 else self.folds,
                df=self.degrees_of_freedom(len(values)),
                shape="one_row" if chosen == "corrected_one_row" else "t",
                confidence=level,
                limits=self._limits(told, options),
                hidden=self._hidden(measure, pos_label, options),
            )
        else:
            e = naive_interval(values, distribution=chosen, ddof=ddof, confidence=level)  # type: ignore[arg-type]
        if self._at_chance(told, e):
            flags = (*flags, "near_chance")
        return replace(e, name=told, flags=tuple(dict.fromkeys((*flags, *e.flags))))

    @property
    def headlines(self) -> tuple[str, ...]:
        """The measures that tables show."""
        many = len(self.labels) > 2 or self.positive is None
        names = [name for name in (HEADLINES_MANY if many else HEADLINES) if name in catalogue]
        kept = [name for name in names if name in catalogue.of_labels]
        if self.held.scores is not None and (len(self.labels) > 2 or self.positive is not None):
            probable = self.held.score_kind == "probability"
            kept += [
                name
                for name, m in catalogue.of_scores.items()
                if name in names and (m.reads == "ranking" or probable) and (m.reads != "matrix" or probable)
            ]
        return tuple(kept)

    def assess(self, repeat: int = 0, *, pos_label: Label | None = None, **options: Any) -> Assessment:
        """Held-out predictions of one repeat as one test set: curves, thresholds, costs, every measure of `assess`.

        Scores of different fits need not be on one scale, so ranks are blurred a little: `pooled_folds` says so. A row
        that was tested several times counts as a group of its answers.
        """
        splits = np.flatnonzero((self.plan.repeat == repeat) & self.outer)
        if splits.size == 0:
            known = sorted(set(self.plan.repeat.tolist()))
            raise UnknownNameError("repeat", repeat, known)
        self.refuse_missing("an assessment of all rows")
        p = pooled_predictions(self, splits, pos_label)
        if len(splits) > 1:
            text = f"Predictions of {len(splits)} fits were pooled into one test set."
            p = replace(p, findings=(Finding.of("pooled_folds", text),))
        return assess(p, **options)

    # telling

    def to_dict(self) -> dict[str, Any]:
        """Everything but the predictions, as plain values ready for JSON."""
        from surefold.report.as_json import resampled_to_dict

        return resampled_to_dict(self)

    def to_frame(self, flavour: Flavour | None = None) -> Any:
        """One row a split: repeat, fold, sizes, seconds and the headline measures; a frame of the library of `y`."""
        from surefold.report.frame import resampled_to_frame

        return resampled_to_frame(self, flavour or self.flavour)

    def plot(self, measure: Any = None, ax: Any = None, **options: Any) -> Any:
        """The values of the splits as dots, a row a repeat, with mean and interval: accuracy or the one named."""
        from surefold.show.plots import plot

        return plot(self, measure, ax, **options)

    __repr__ = Shown.__str__

    # inside

    def positive_of(self, pos_label: Label | None) -> int | None:
        """The place of a label among the classes; that of the positive one where none is said."""
        if pos_label is None:
            return self.positive
        if pos_label not in self.labels:
            raise UnknownNameError("label", pos_label, self.labels)
        return self.labels.index(pos_label)

    def named(self, measure: str) -> Measure:
        """The measure of that name."""
        return catalogue[measure]

    def _limits(self, measure: str, options: Mapping[str, Any]) -> tuple[float, float]:
        least, greatest = catalogue.with_options(measure, options).range
        return float(least), float(greatest)

    def _values(self, measure: str, pos_label: Label | None, options: Mapping[str, Any]) -> FoldValues:
        return fold_values(self.held, measure, self.positive_of(pos_label), options)

    def _all_values(self, measure: str, options: dict[str, Any], incomplete: bool) -> NDArray[np.float64]:
        pos_label = options.pop("pos_label", None)
        found = self._values(measure, pos_label, options)
        outer = self.outer
        values = found.values[outer]
        undefined = np.isnan(values)
        if not incomplete:
            self.refuse_missing(f"the mean of {measure}")
            if undefined.any():
                problem = (
                    f"{measure} is undefined in {undefined.sum()} of {len(values)} "
                    f"folds ({self._why_undefined(found, outer)})"
                )
                raise InputError("undefined_folds", problem, cure=self._undefined_cure)
        values = values[~undefined]
        if values.size == 0:
            raise InputError("undefined_folds", f"{measure} is undefined in every fold", cure=self._undefined_cure)
        return values

    @property
    def _undefined_cure(self) -> str:
        return (
            "interval(..., method='pooled') takes all held-out rows together; leave_pair_out=True is the fair way "
            "for an AUC; incomplete=True averages what is there"
        )

    def refuse_missing(self, what: str) -> None:
        """`RunError` where splits are missing that `what` needs."""
        if not self.complete:
            problem = f"{what} was asked of a result that is {self.status}"
            cure = (
                "run the same call again with its store, which runs only what is missing; mean and "
                "variance take incomplete=True"
            )
            raise RunError("incomplete", problem, cure=cure)

    def _why_undefined(self, found: FoldValues, outer: NDArray[np.bool_]) -> str:
        for i in np.flatnonzero(outer & np.isnan(found.values)).tolist():
            if i in self.failures:
                return self.status
            return f"{self.plan.name_of(i)}: {found.reasons.get(i, 'no value')}"
        return ""

    @property
    def _missing(self) -> NDArray[np.bool_]:
        missing = np.zeros(len(self.plan), dtype=bool)
        missing[list(self.failures)] = True
        return missing

    @property
    def outer(self) -> NDArray[np.bool_]:
        """The splits that figures are about: not the inner ones of nested folds, nor the model of all rows."""
        if self.plan.kind == "nested":
            return np.asarray(self.plan.fold < self.folds)
        if self.plan.kind == "bootstrap":
            return np.arange(len(self.plan)) < len(self.plan) - 1  # the last is the model of all rows
        return np.ones(len(self.plan), dtype=bool)

    @property
    def folds(self) -> int:
        """How many folds a repeat has."""
        return int(self.plan.options["folds"]) if self.plan.kind == "nested" else self.plan.folds

    def degrees_of_freedom(self, values: int) -> float:
        """Folds - 1, because repeats of the same rows add little; of random splits their number - 1, at most 9.

        Two or three folds would leave one or two degrees of freedom, however often they are repeated; with values
        enough they count as six, as the tests over 5 x 2 folds have it.
        """
        folds = {1: MOST_INDEPENDENT, 2: 6, 3: 6}.get(self.folds, self.folds)
        return max(min(folds, values) - 1, 1)

    def _default_method(self, measure: str) -> str:
        if self.plan.overlaps:
            return "normal"
        if self.plan.kind == "leave_pair_out":
            return "pairs" if self.named(measure).name == "roc_auc" else "pooled"
        if len(self.plan) == 1 or self.plan.kind in POOLED_KINDS or (self.plan.test_sizes == 1).all():
            return "pooled"
        if self.plan.kind == "nested" and row_losses(self.held, measure, self.positive) is not None:
            return "nested"
        return "corrected"

    @property
    def flags(self) -> tuple[str, ...]:
        """What makes every figure shaky, by the codes of findings."""
        found = ("optimistic",) if self.plan.overlaps else ()
        if any("neighbors." in text or "KNeighbors" in text for text in self.model.values()):
            found = (*found, "neighbour_learner")
        return found

    def _at_chance(self, name: str, e: Estimate) -> bool:
        """Whether the interval reaches the error of always answering the commonest class, or lies beyond it."""
        if name not in ("error_rate", "accuracy"):
            return False
        commonest = float(np.bincount(self.held.truth).max() / len(self.held.truth))
        return e.high >= 1 - commonest if name == "error_rate" else e.low <= commonest

    def _hidden(self, measure: str, pos_label: Label | None, options: Mapping[str, Any]) -> float:
        """What stratified folds take out of the variance of their values."""
        if not self.plan.options.get("stratified"):
            return 0.0
        found = hidden_variance(self.held, measure, self.positive_of(pos_label), options)
        return found / float(self.plan.test_sizes[self.outer].mean())

    def places(self, splits: NDArray[Any]) -> NDArray[np.int64]:
        """Places in `test_rows` of some splits."""
        if len(splits) == len(self.plan):
            return np.arange(len(self.plan.test_rows))
        return np.flatnonzero(np.isin(self.plan.split_of_test, splits))
