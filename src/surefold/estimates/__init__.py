"""From a number to a number with its uncertainty."""

from surefold.estimates.auc import delong
from surefold.estimates.bootstrapped import BootstrapLosses
from surefold.estimates.cross_validated import (
    Repeats,
    corrected_interval,
    leave_pair_out_auc,
    naive_interval,
    nested_interval,
    repeated,
)
from surefold.estimates.estimate import Estimate, TestResult
from surefold.estimates.mean import mean_interval, mean_interval_from, variance_interval
from surefold.estimates.optimism import no_information_rate, point632, point632plus
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
    "BootstrapLosses",
    "Estimate",
    "Repeats",
    "TestResult",
    "agresti_coull",
    "clopper_pearson",
    "corrected_interval",
    "delong",
    "jeffreys",
    "leave_pair_out_auc",
    "mean_interval",
    "mean_interval_from",
    "naive_interval",
    "nested_interval",
    "no_information_rate",
    "pessimistic_error",
    "point632",
    "point632plus",
    "proportion_test",
    "repeated",
    "variance_interval",
    "wald",
    "wilson",
]
