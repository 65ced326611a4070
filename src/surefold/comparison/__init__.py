"""Which is better."""

from surefold.comparison.compare import compare
from surefold.comparison.paired_cases import disagreements, mcnemar
from surefold.comparison.result import Comparison, Difference

__all__ = ["Comparison", "Difference", "compare", "disagreements", "mcnemar"]
