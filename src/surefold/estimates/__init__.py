"""From a number to a number with its uncertainty."""

from surefold.estimates.auc import delong
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.proportion import (
    agresti_coull,
    clopper_pearson,
    jeffreys,
    pessimistic_error,
    proportion_test,
    wald,
    wilson,
)

__all__ = [
    "Estimate",
    "TestResult",
    "agresti_coull",
    "clopper_pearson",
    "delong",
    "jeffreys",
    "pessimistic_error",
    "proportion_test",
    "wald",
    "wilson",
]
