"""Experiments built from resampling: where the loss comes from, what more rows buy, what wrong labels cost."""

from surefold.benchmarking.comparison import ManyComparison
from surefold.benchmarking.result import Benchmark
from surefold.moved import moved
from surefold.studies.benchmark import benchmark
from surefold.studies.bias_variance import BiasVariance, bias_variance
from surefold.studies.decompose import Decomposition, decompose
from surefold.studies.ensemble_curve import EnsembleCurve, ensemble_curve
from surefold.studies.learning_curve import LearningCurve, learning_curve
from surefold.studies.noise import NoiseCurve, noise_curve

__all__ = [
    "Benchmark",
    "BiasVariance",
    "Decomposition",
    "EnsembleCurve",
    "LearningCurve",
    "ManyComparison",
    "NoiseCurve",
    "benchmark",
    "bias_variance",
    "decompose",
    "ensemble_curve",
    "learning_curve",
    "noise_curve",
]

moved(__name__, "surefold.benchmarking", "compare comparison given result table verdict wins", prefix="benchmark_")
moved(
    __name__,
    "surefold.selection",
    "bias_corrected candidates card figures findings levels pick racing result score search splits words",
    prefix="selection_",
)
moved(
    __name__,
    "surefold.costs",
    "duplicated example learners shown_threshold study threshold weighted weights",
    prefix="cost_",
)
moved(__name__, "surefold.studies.pruning", "alpha curves result", prefix="pruning_")
moved(__name__, "surefold.resampling", "frames run_study")
