"""Assessment: every measure of one set of predictions, on demand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, Unpack, overload

import numpy as np

from surefold.assessment.per_class import PerClass
from surefold.assessment.scored import Scored
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_table import TableEstimates, positive_index
from surefold.estimates.replicate import DRAWN_METHODS
from surefold.findings import Finding
from surefold.flavours import Flavour
from surefold.given import Features
from surefold.inputs.labels import Label
from surefold.inputs.levels import Bins, By
from surefold.inputs.options import AssessOptions, Given, MeasureOptions, SlicedOptions
from surefold.measures import Measure, catalogue
from surefold.measures.prevalence import npv_at, precision_at
from surefold.measures.score_measure import ScoreMeasure
from surefold.shown import Shown
from surefold.tallies.confusion import Confusion

if TYPE_CHECKING:
    from surefold.comparison.slices.result import Slices, SlicesOfMeasures
    from surefold.resampling.classifier import Classifier
    from surefold.verdict.verdict import Verdict

__all__ = ["Assessment", "Frame"]

#: What tables show unless somebody asks for more: with a positive class, and without one.
HEADLINES = ("accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1", "mcc", "kappa")
HEADLINES_MANY = ("accuracy", "balanced_accuracy", "precision_macro", "recall_macro", "f1_macro", "mcc", "kappa")
PER_CLASS_HEADLINES = ("precision", "recall", "f1")
SCORE_HEADLINES = ("roc_auc", "average_precision", "roc_auc_hand_till", "brier", "log_loss", "brier_multiclass",
                   "log_loss_multiclass", "ece", "ece_multiclass")  # fmt: skip

#: An earlier name.
Frame = Flavour


class ByOptions(SlicedOptions, total=False):
    """What `Assessment.by` can be told beside the measure."""

    pairs: bool
    bins: Bins | Mapping[str, Bins] | None
    margin: float | None
    adjust: str
    min_rows: int


class PredictiveValues(NamedTuple):
    """What calls are worth at a prevalence."""

    positive: Estimate
    negative: Estimate


@dataclass(frozen=True, eq=False)
class Assessment(Shown, Scored):
    """Every measure of one set of predictions, with intervals, findings and a verdict. Made by `assess`.

    `noticed` are the findings of the door; `findings` adds those about the rows as a whole.
    """

    shown: tuple[str, ...] | None = field(default=None, repr=False)
    random_state: int | None = field(default=None, repr=False)
    flavour: Flavour = field(default="polars", repr=False)

    @classmethod
    def from_predictions(
        cls,
        y_true: Given,
        y_pred: Given | None = None,
        *,
        y_score: Given | None = None,
        **options: Unpack[AssessOptions],
    ) -> Assessment:
        """The same as `assess`, by the name that scikit-learn's displays have for it."""
        from surefold.assessment.assess import assess

        return assess(y_true, y_pred, y_score=y_score, **options)

    @classmethod
    def from_estimator(
        cls, estimator: Classifier, X: Features, y: Given, **options: Unpack[AssessOptions]
    ) -> Assessment:
        """Assess what a fitted model says of rows: its labels, and its probabilities or decision values.

        Columns of probabilities are taken in the order of the model's `classes_`. `options` are those of `assess`.

        >>> from sklearn.linear_model import LogisticRegression
        >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["ham", "ham", "spam", "spam"])
        >>> a = Assessment.from_estimator(model, [[0.5], [2.5], [1.0]], ["ham", "spam", "spam"], pos_label="spam")
        >>> print(a["recall"])  # one of two
        0.50 [0.01, 0.99]
        """
        from surefold.scoring.from_estimator import assessment_of

        return assessment_of(estimator, X, y, options)

    # asking

    def __getitem__(self, name: str) -> Estimate:
        """A measure of the whole table, or of the positive class."""
        found = catalogue[name]
        if found.name not in self._cache:
            self._cache[found.name] = self.measure(found.name)
        estimate: Estimate = self._cache[found.name]
        return estimate

    def __getattr__(self, name: str) -> NoReturn:
        """Only reached where there is no such attribute: `a.f1` is a slip for `a["f1"]`."""
        text = f"an Assessment has no attribute {name!r}"
        if not name.startswith("_"):
            known = {k: f'["{k}"]' for k in catalogue} | {k: f".{k}" for k in dir(type(self)) if k[0] != "_"}
            near = get_close_matches(name, known, n=1)
            told = f'["{name}"]' if name in catalogue else known[near[0]] if near else ""
            text += f": ask for a{told}" if told else '; a measure is asked for by its name, as in a["accuracy"]'
        raise AttributeError(text)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self.overall

    def __iter__(self) -> Iterator[str]:
        return iter(self.overall)

    def measure(
        self,
        name: str,
        *,
        method: str = "auto",
        draws: int = 10_000,
        random_state: int | np.random.Generator | None = None,
        **options: Unpack[MeasureOptions],
    ) -> Estimate:
        """A measure with options, or with another interval than the default one."""
        if name == "expected_cost" and self.costs is not None:
            options.setdefault("costs", self.costs)
        seed = self.random_state if random_state is None else random_state
        if isinstance(catalogue[name], ScoreMeasure):
            return self._scored().measure(name, method=method, draws=draws, random_state=seed, options=options)
        asked = catalogue.with_options(name, options)
        table = self._tabled()
        replicates = table.replicates(draws, seed) if method in DRAWN_METHODS else None
        if asked.is_per_class:
            return table.of_class(asked, self._positive(asked), method, replicates)
        return table.overall(asked, method, replicates)

    def predictive_values(self, prevalence: float) -> PredictiveValues:
        """Precision (PPV) and negative predictive value where positives are as common as said, each with its interval.

        Each class keeps its rates, so these rows may hold more positives than there are where the model is used.

        >>> from surefold import assess
        >>> a = assess([1] * 10 + [0] * 100, [1] * 9 + [0] * 81 + [1] * 20)
        >>> ppv, npv = a.predictive_values(0.01)
        >>> print(ppv, npv)  # .9 x .01 / (.9 x .01 + .2 x .99)
        0.043 [0.025, 0.063] 0.9987 [0.9941, 0.99995]
        """
        table = self._tabled()
        measures = precision_at(prevalence), npv_at(prevalence)
        return PredictiveValues(*(table.of_class(m, self._positive(m), "auto", None) for m in measures))

    def bootstrap(
        self,
        method: str = "bca",
        *,
        draws: int = 10_000,
        random_state: int | np.random.Generator | None = None,
    ) -> dict[str, Estimate]:
        """Every measure of the labels with a bootstrap interval, all from the same replicates."""
        if method not in DRAWN_METHODS:
            raise UnknownNameError("bootstrap interval", method, DRAWN_METHODS)
        table = self._tabled()
        replicates = table.replicates(draws, self.random_state if random_state is None else random_state)
        answer = {}
        for m in map(self._with_costs, self._measures()):
            if isinstance(m, ScoreMeasure):
                continue
            if m.is_per_class:
                answer[m.name] = table.of_class(m, self._positive(m), method, replicates)
            else:
                answer[m.name] = table.overall(m, method, replicates)
        return answer

    @property
    def overall(self) -> dict[str, Estimate]:
        """Every measure there is for these predictions, in the order of the catalogue."""
        return {m.name: self[m.name] for m in self._measures()}

    @property
    def headlines(self) -> tuple[str, ...]:
        """The measures that tables show; those of one class only where a positive class is known."""
        if self.shown is not None:
            there = {m.name for m in self._measures()}
            return tuple(name for name in self.shown if name in there)
        names: tuple[str, ...] = ()
        if self.estimates is not None:
            names = HEADLINES_MANY if self.positive is None else HEADLINES
            names = names if self.costs is None else (*names, "expected_cost")
        if self.scores is not None:
            names += tuple(name for name in SCORE_HEADLINES if name in self.scores.available())
        return names

    @property
    def per_class(self) -> PerClass:
        """Measures of each class against the rest: `per_class["spam"]["recall"]`."""
        return PerClass(self._tabled, self.labels, self._cache)

    @overload
    def by(self, *columns: By, measure: str | None = None, **asked: Unpack[ByOptions]) -> Slices: ...
    @overload
    def by(
        self, *columns: By, measure: list[str] | tuple[str, ...], **asked: Unpack[ByOptions]
    ) -> SlicesOfMeasures: ...
    def by(
        self,
        *columns: By,
        measure: str | list[str] | tuple[str, ...] | None = None,
        pairs: bool = False,
        bins: Bins | Mapping[str, Bins] | None = None,
        margin: float | None = None,
        adjust: str = "holm",
        min_rows: int = 5,
        **options: Unpack[SlicedOptions],
    ) -> Slices | SlicesOfMeasures:
        """Where does it fail? One measure in each slice of the rows, against all the other rows; see `slices`.

        `columns` are {name: column}, arrays, or names of columns that `assess(by=...)` was given; all of those where
        none is said.

        >>> from surefold import assess
        >>> a = assess([1] * 200, [1] * 98 + [0] * 2 + [1] * 80 + [0] * 20, pos_label=1)
        >>> print(a.by({"region": ["north"] * 100 + ["south"] * 100})["south"].words)
        below the rest
        """
        from surefold.comparison.slices.slices import SliceQuestion, by_slices

        return by_slices(
            self, columns, measure, bins, options, SliceQuestion(pairs, {}, margin, adjust, min_rows, self.confidence)
        )

    # parts

    @property
    def confusion(self) -> Confusion:
        """The table of true by predicted classes."""
        return self._tabled().confusion

    @property
    def by_chance(self) -> Confusion:
        """The table that random answers with the same margins would give."""
        return self.confusion.by_chance()

    @property
    def pos_label(self) -> Label | None:
        """The positive class; None where none was said."""
        return None if self.positive is None else self.labels[self.positive]

    # telling

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """What is odd about the rows or weak about the figures, each with a stable code."""
        from surefold.verdict.checks import findings_of

        return findings_of(self)

    @property
    def verdict(self) -> Verdict:
        """Is this better than always answering the commonest class, or, for scores alone, than chance?"""
        from surefold.verdict.assessed import verdict_of

        return verdict_of(self)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, ready for JSON."""
        from surefold.report.as_json import assessment_to_dict

        return assessment_to_dict(self)

    @classmethod
    def from_dict(cls, d: dict[str, Any]) -> Assessment:
        """The assessment that `to_dict` described, ready to be asked again."""
        from surefold.report.as_json import assessment_from_dict

        return assessment_from_dict(d)

    def to_frame(self, flavour: Flavour | None = None) -> Any:
        """One row a measure: value, low, high and how they were made; of the library that the rows came from."""
        from surefold.report.frame import assessment_to_frame

        return assessment_to_frame(self, flavour or self.flavour)

    __repr__ = Shown.__str__

    # inside

    def _tabled(self) -> TableEstimates:
        if self.estimates is None:
            cure = "give y_pred=, or a threshold= for the scores (--threshold)"
            raise InputError("bad_option", "the scores are no probabilities, so no labels could be made", cure=cure)
        return self.estimates

    def _measures(self) -> Iterator[Measure]:
        if self.estimates is not None:
            yield from self._label_measures()
        for name, scored in ({} if self.scores is None else self.scores.available(self.shown or ())).items():
            if self.shown is None or name in self.shown:
                yield scored

    def _label_measures(self) -> Iterator[Measure]:
        for found in catalogue.of_labels.values():
            if self.shown is not None and found.name not in self.shown:
                continue
            if found.is_per_class and self.positive is None:
                continue
            if self._with_costs(found).needs_options:
                continue
            yield found

    def _with_costs(self, asked: Measure) -> Measure:
        return asked.with_options(costs=self.costs) if "costs" in asked.options else asked

    def _positive(self, asked: Measure) -> int:
        return positive_index(self.confusion, None, asked.name) if self.positive is None else self.positive
