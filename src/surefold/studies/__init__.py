"""Experiments built from resampling: where the loss comes from, what more rows buy, what wrong labels cost."""

from .benchmark import benchmark
from .benchmark_comparison import ManyComparison
from .benchmark_result import Benchmark
from .bias_variance import BiasVariance, bias_variance
from .decompose import Decomposition, decompose
from .learning_curve import LearningCurve, learning_curve
from .noise import NoiseCurve, noise_curve

__all__ = [
    "Benchmark",
    "BiasVariance",
    "Decomposition",
    "LearningCurve",
    "ManyComparison",
    "NoiseCurve",
    "benchmark",
    "bias_variance",
    "decompose",
    "learning_curve",
    "noise_curve",
]
