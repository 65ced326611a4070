"""Assess classifiers, and know how sure you are."""

from surefold._version import __version__
from surefold.assessment import Assessment, assess, measure
from surefold.comparison.compare import compare
from surefold.comparison.result import Comparison
from surefold.errors import InputError, MissingExtraError, SurefoldError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.inputs.predictions import Predictions
from surefold.measures import Measure, catalogue
from surefold.tallies.confusion import Confusion

__all__ = [
    "Assessment",
    "Comparison",
    "Confusion",
    "Estimate",
    "Finding",
    "InputError",
    "Measure",
    "MissingExtraError",
    "Predictions",
    "SurefoldError",
    "UnknownNameError",
    "__version__",
    "assess",
    "catalogue",
    "compare",
    "measure",
]
