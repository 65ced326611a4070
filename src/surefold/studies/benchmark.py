"""The earlier path of `surefold.benchmarking`: here `benchmark` names a function and a module, so the module stays."""

from surefold.benchmarking.benchmark import BenchmarkOptions, benchmark

__all__ = ["BenchmarkOptions", "benchmark"]
