"""Models over many data sets: one table, ranks, tests of ranks, posteriors."""

from surefold.benchmarking.benchmark import benchmark
from surefold.benchmarking.comparison import ManyComparison
from surefold.benchmarking.result import Benchmark

__all__ = ["Benchmark", "ManyComparison", "benchmark"]
