"""How many rows a comparison needs, and what a number of rows can tell."""

from surefold.planning.power import expected_width, power, sample_size, smallest_difference
from surefold.planning.results import ExpectedWidth, Power, SampleSize, SmallestDifference

__all__ = [
    "ExpectedWidth",
    "Power",
    "SampleSize",
    "SmallestDifference",
    "expected_width",
    "power",
    "sample_size",
    "smallest_difference",
]
