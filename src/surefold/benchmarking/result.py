"""Benchmark: several models over several data sets, with every held-out prediction kept."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold._version import heading
from surefold.benchmarking.compare import compare_table
from surefold.benchmarking.comparison import ManyComparison, PostHoc
from surefold.benchmarking.given import given_table
from surefold.benchmarking.table import Missing, ValueTable
from surefold.benchmarking.wins import TiesBy
from surefold.errors import InputError, RunError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.measures import catalogue
from surefold.resampling.frames import Flavour, estimate_columns, frame_of
from surefold.resampling.study import Study
from surefold.shown import Shown

if TYPE_CHECKING:
    pass

__all__ = ["Benchmark"]


@dataclass(frozen=True, eq=False)
class Benchmark(Shown):
    """Models by data sets. Made by `benchmark`, or from a table of published figures by `Benchmark.of_table`.

    `studies` has a `Study` a data set: any measure can be asked afterwards. `failures` says why a data set has none.
    """

    datasets: tuple[str, ...]
    models: tuple[str, ...]
    measure: str
    studies: Mapping[str, Study] = field(default_factory=dict, repr=False)
    failures: Mapping[str, str] = field(default_factory=dict)
    given: ValueTable | None = field(default=None, repr=False)
    confidence: float = 0.95

    @classmethod
    def of_table(
        cls,
        values: Any,
        models: Sequence[str] | None = None,
        datasets: Sequence[str] | None = None,
        measure: str = "value",
        better: str | None = None,
    ) -> Benchmark:
        """Figures that are there already: an array (data sets by models), {model: column}, or a data frame.

        `better` is "higher" or "lower"; where it is left out, a measure of the catalogue knows, and else higher is.

        >>> b = Benchmark.of_table({"tree": [0.9, 0.8], "bayes": [0.8, None]}, datasets=["iris", "wine"])
        >>> b.table()["iris", "bayes"], b.missing
        (0.8, {('wine', 'bayes'): 'no value was given'})
        """
        table = given_table(values, models, datasets, measure, better)
        return cls(table.datasets, table.models, table.measure, given=table)

    # what there is

    def __getitem__(self, dataset: str) -> Study:
        if dataset in self.failures:
            problem = f"{dataset} was not run: {self.failures[dataset]}"
            raise RunError("incomplete", problem, cure="mend the data or the models, and call benchmark again")
        if dataset not in self.studies:
            raise UnknownNameError("study of a data set", dataset, self.studies)
        return self.studies[dataset]

    def __iter__(self) -> Iterator[str]:
        return iter(self.datasets)

    def __len__(self) -> int:
        return len(self.datasets)

    @property
    def missing(self) -> dict[tuple[str, str], str]:
        """Cells, by data set and model, without a value of the measure, and why: folds lack it, or are not there."""
        return self.given.missing if self.given is not None else self._means(self.measure, {})[1]

    @property
    def complete(self) -> bool:
        """Whether every model has a value on every data set."""
        return not self.missing

    @property
    def status(self) -> str:
        """ "complete", or which cells are missing and why."""
        missing = self.missing
        if not missing:
            return "complete"
        (dataset, model), why = next(iter(missing.items()))
        cells = len(self.datasets) * len(self.models)
        return f"{len(missing)} of {cells} cells are incomplete; the first is {model} on {dataset} ({why})"

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was noticed about the data sets, each sentence opening with the data set."""
        found = [
            Finding.of("incomplete", f"{dataset}: no model was run: {why}.", dataset=dataset)
            for dataset, why in self.failures.items()
        ]
        for dataset, study in self.studies.items():
            found += [
                Finding(f.code, f.severity, f"{dataset}: {f.sentence}", {**f.evidence, "dataset": dataset})
                for f in study.findings
            ]
        return tuple(found)

    # asking

    def table(self, measure: str | None = None, **options: Any) -> ValueTable:
        """The mean over folds of every model on every data set; NaN, with a reason, where folds lack it. No refit."""
        if self.given is not None:
            if measure is not None and measure != self.given.measure:
                raise UnknownNameError("measure in a table of figures", measure, [self.given.measure])
            return self.given
        asked = catalogue[self.measure if measure is None else measure]
        values, reasons = self._means(asked.name, options)
        if len(reasons) == values.size:
            why = next(iter(reasons.values()))
            problem = f"{asked.name} is undefined on every data set ({why})"
            raise InputError("undefined_folds", problem, cure="ask for a measure that these models and data have")
        return ValueTable(asked.name, asked.better, self.datasets, self.models, values, reasons)

    def _means(
        self, measure: str, options: Mapping[str, Any]
    ) -> tuple[NDArray[np.float64], dict[tuple[str, str], str]]:
        """The mean over folds of every cell, and why others have none."""
        values, reasons = np.full((len(self.datasets), len(self.models)), math.nan), {}
        for i, dataset in enumerate(self.datasets):
            for j, model in enumerate(self.models):
                try:
                    values[i, j] = self[dataset][model].mean(measure, **options)
                except (InputError, RunError) as error:
                    there = dataset in self.studies and not self.studies[dataset][model].complete
                    why = self.studies[dataset][model].status if there else error.problem
                    reasons[dataset, model] = self.failures.get(dataset, why)
        return values, reasons

    def estimate(self, dataset: str, model: str, measure: str | None = None, **options: Any) -> Estimate:
        """One cell with its interval over the folds; a given table has values alone."""
        table = self.table(measure, **options) if self.given is not None else None
        asked = self.measure if measure is None else measure
        if table is not None:
            nan, why = math.nan, table.reasons.get((dataset, model), "")
            return Estimate(table[dataset, model], nan, nan, method="given", name=table.measure, reason=why)
        try:
            return self[dataset][model].interval(asked, **options)
        except (InputError, RunError) as error:
            nan, why = math.nan, self.failures.get(dataset, error.problem)
            return Estimate(nan, nan, nan, confidence=self.confidence, name=catalogue[asked].name, reason=why)

    def compare(
        self,
        measure: str | None = None,
        *,
        control: str | None = None,
        post_hoc: PostHoc | None = None,
        rope: float = 0.01,
        confidence: float = 0.95,
        missing: Missing = "refuse",
        ties: TiesBy = "equal",
        **options: Any,
    ) -> ManyComparison:
        """Which models differ over the data sets? Friedman's F on ranks, then pairs or a control by `post_hoc`.

        "nemenyi" holds all pairs against one critical difference, "bonferroni_dunn" every model and the control;
        "holm" does either in steps, and is the default with a control. Two models get Wilcoxon's signed ranks and the
        sign test instead. `rope` is the largest difference that does not matter, for the Bayesian signed ranks; with
        `ties="rope"` also for counting ties. `missing="drop"` leaves out data sets that lack a value.
        """
        table, dropped = self.table(measure, **options).complete(missing)
        studies = {name: self.studies[name] for name in table.datasets if name in self.studies}
        return compare_table(
            table,
            control=control,
            post_hoc=post_hoc,
            rope=rope,
            confidence=confidence,
            ties=ties,
            dropped=dropped,
            studies=studies,
            options=options,
        )

    # telling

    def to_frame(self, measure: str | None = None, flavour: Flavour = "polars") -> Any:
        """One row a data set and model: the measure with its interval, folds that are there, and median seconds."""
        name = self.table(measure).measure
        rows = []
        for dataset in self.datasets:
            for model in self.models:
                e = self.estimate(dataset, model, name)
                row = {"data_set": dataset, "model": model, **estimate_columns(e, name)}
                rows.append({**row, "reason": e.reason or None, **self._run_columns(dataset, model)})
        return frame_of(rows, flavour)

    def _run_columns(self, dataset: str, model: str) -> dict[str, Any]:
        if dataset not in self.studies:
            return {"rows": None, "folds": None, "fit_seconds": None}
        r = self.studies[dataset][model]
        seconds = r.fit_seconds[~np.isnan(r.fit_seconds)]
        median = float(np.median(seconds)) if seconds.size else None
        return {"rows": r.plan.n, "folds": len(r.plan) - len(r.failures), "fit_seconds": median}

    def to_dict(self, measure: str | None = None) -> dict[str, Any]:
        """Plain values ready for JSON, the same for the same run: no seconds, no predictions."""
        table = self.table(measure)
        plans = {
            name: {
                "rows": study.plan.n,
                "kind": study.plan.kind,
                "splits": len(study.plan),
                "fingerprint": study.plan.fingerprint,
                "random_state": study.plan.random_state,
            }
            for name, study in self.studies.items()
        }
        cells = [
            {"dataset": dataset, "model": model, **self.estimate(dataset, model, table.measure).to_dict()}
            for dataset in self.datasets
            for model in self.models
        ]
        return {
            **heading("benchmark"),
            "complete": self.complete,
            "status": self.status,
            "confidence": self.confidence,
            **table.to_dict(),
            "cells": cells,
            "plans": plans,
            "findings": [finding.to_dict() for finding in self.findings],
        }

    __repr__ = Shown.__str__
