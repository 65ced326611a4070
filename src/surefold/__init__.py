"""Assess classifiers, and know how sure you are.

The public names, in the order data flows. Each is loaded when it is first asked for, so that importing surefold costs
nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from surefold._version import __version__

if TYPE_CHECKING:
    from surefold.assessment import Assessment as Assessment
    from surefold.assessment import assess as assess
    from surefold.assessment import measure as measure
    from surefold.assessment.assess import assess_files as assess_files
    from surefold.benchmarking.benchmark import benchmark as benchmark
    from surefold.benchmarking.comparison import ManyComparison as ManyComparison
    from surefold.benchmarking.result import Benchmark as Benchmark
    from surefold.comparison.compare import compare as compare
    from surefold.comparison.compare import compare_files as compare_files
    from surefold.comparison.gate import Gate as Gate
    from surefold.comparison.gate import gate as gate
    from surefold.comparison.gate import gate_files as gate_files
    from surefold.comparison.result import Comparison as Comparison
    from surefold.comparison.slices.result import Slices as Slices
    from surefold.comparison.slices.slices import slices as slices
    from surefold.costs.cost_sensitive import cost_sensitive as cost_sensitive
    from surefold.curves.thresholds import least_cost_classes as least_cost_classes
    from surefold.errors import InputError as InputError
    from surefold.errors import MissingExtraError as MissingExtraError
    from surefold.errors import RunError as RunError
    from surefold.errors import SurefoldError as SurefoldError
    from surefold.errors import UnknownNameError as UnknownNameError
    from surefold.estimates.estimate import Estimate as Estimate
    from surefold.findings import Finding as Finding
    from surefold.inputs.predictions import Predictions as Predictions
    from surefold.measures.catalogue import catalogue as catalogue
    from surefold.measures.measure import Measure as Measure
    from surefold.planning.power import expected_width as expected_width
    from surefold.planning.power import power as power
    from surefold.planning.power import sample_size as sample_size
    from surefold.planning.power import smallest_difference as smallest_difference
    from surefold.plots.boundaries import plot_boundaries as plot_boundaries
    from surefold.plots.boundary import plot_boundary as plot_boundary
    from surefold.plots.densities import plot_densities as plot_densities
    from surefold.report import report as report
    from surefold.resampling.advice import advise_holdout as advise_holdout
    from surefold.resampling.bootstrapped import Bootstrapped as Bootstrapped
    from surefold.resampling.bootstrapped import bootstrap as bootstrap
    from surefold.resampling.evaluate import cross_validate as cross_validate
    from surefold.resampling.evaluate import holdout as holdout
    from surefold.resampling.evaluate import leave_one_out as leave_one_out
    from surefold.resampling.plan import Plan as Plan
    from surefold.resampling.resampled import Resampled as Resampled
    from surefold.resampling.stored import open_run as open_run
    from surefold.resampling.study import Study as Study
    from surefold.scoring.scorer import scorer as scorer
    from surefold.scoring.scorer import scorers as scorers
    from surefold.selection.result import Selection as Selection
    from surefold.selection.select import plan_selection as plan_selection
    from surefold.selection.select import select as select
    from surefold.show.plots import plot_curves as plot_curves
    from surefold.show.plots import plot_roc as plot_roc
    from surefold.studies.bias_variance import bias_variance as bias_variance
    from surefold.studies.ensemble_curve import ensemble_curve as ensemble_curve
    from surefold.studies.learning_curve import learning_curve as learning_curve
    from surefold.studies.noise import noise_curve as noise_curve
    from surefold.studies.pruning.curves import pruning_curves as pruning_curves
    from surefold.tallies.confusion import Confusion as Confusion

#: Where each public name lives.
_HOMES = {
    "SurefoldError": "errors",
    "InputError": "errors",
    "RunError": "errors",
    "UnknownNameError": "errors",
    "MissingExtraError": "errors",
    "Finding": "findings",
    "Predictions": "inputs.predictions",
    "Confusion": "tallies.confusion",
    "Measure": "measures.measure",
    "catalogue": "measures.catalogue",
    "least_cost_classes": "curves.thresholds",
    "Estimate": "estimates.estimate",
    "assess": "assessment",
    "measure": "assessment",
    "Assessment": "assessment",
    "assess_files": "assessment.assess",
    "Plan": "resampling.plan",
    "advise_holdout": "resampling.advice",
    "cross_validate": "resampling.evaluate",
    "holdout": "resampling.evaluate",
    "leave_one_out": "resampling.evaluate",
    "bootstrap": "resampling.bootstrapped",
    "open_run": "resampling.stored",
    "Resampled": "resampling.resampled",
    "Study": "resampling.study",
    "Bootstrapped": "resampling.bootstrapped",
    "compare": "comparison.compare",
    "compare_files": "comparison.compare",
    "Comparison": "comparison.result",
    "gate": "comparison.gate",
    "Gate": "comparison.gate",
    "gate_files": "comparison.gate",
    "slices": "comparison.slices.slices",
    "Slices": "comparison.slices.result",
    "power": "planning.power",
    "sample_size": "planning.power",
    "smallest_difference": "planning.power",
    "expected_width": "planning.power",
    "benchmark": "benchmarking.benchmark",
    "Benchmark": "benchmarking.result",
    "ManyComparison": "benchmarking.comparison",
    "bias_variance": "studies.bias_variance",
    "learning_curve": "studies.learning_curve",
    "noise_curve": "studies.noise",
    "cost_sensitive": "costs.cost_sensitive",
    "ensemble_curve": "studies.ensemble_curve",
    "pruning_curves": "studies.pruning.curves",
    "scorer": "scoring.scorer",
    "scorers": "scoring.scorer",
    "select": "selection.select",
    "plan_selection": "selection.select",
    "Selection": "selection.result",
    "plot_boundary": "plots.boundary",
    "plot_boundaries": "plots.boundaries",
    "plot_densities": "plots.densities",
    "plot_roc": "show.plots",
    "plot_curves": "show.plots",
    "report": "report",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'surefold' has no attribute {name!r}")
    value = getattr(import_module(f"surefold.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
