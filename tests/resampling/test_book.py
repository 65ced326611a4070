"""The worked figures of cross-validation and the bootstrap that textbooks print."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

import surefold as sf
from surefold.learners import FullBayes
from surefold.resampling.samples import expected_distinct_share, share_of_distinct_rows

SEPALS, SPECIES = load_iris(return_X_y=True)
SEPALS = SEPALS[:, :2]


def test_ten_runs_of_five_folds_on_iris_sepals() -> None:
    """Printed: mean error .232, mean of the variances .00521, both varying by less than 1e-3.

    The book's shuffle is unknown. Over 300 seeds the mean of ten unstratified runs was .2302 with a standard deviation
    of .0044, and the mean variance .0060 with .0013: four standard deviations are .018 and .0051.
    """
    runs = sf.cross_validate(FullBayes(), SEPALS, SPECIES, folds=5, repeats=10, stratified=False, random_state=0).runs(
        "error_rate"
    )
    assert len(runs.means) == 10
    assert runs.mean == pytest.approx(0.232, abs=0.018)
    assert runs.mean_variance == pytest.approx(0.00521, abs=0.0051)
    assert runs.variance_of_means < 1e-3
    assert runs.variance_of_variances < 1e-3


def test_bootstrap_tested_on_all_rows_of_iris_sepals() -> None:
    """Printed: mean .213, variance 4.8e-4 over 50 samples.

    Over 60 seeds the mean was .2122 with a standard deviation of .0027, the variance 4.4e-4 with 0.9e-4.
    """
    b = sf.bootstrap(FullBayes(), SEPALS, SPECIES, samples=50, random_state=0)
    assert b.on_all.value == pytest.approx(0.213, abs=4 * 0.0027)
    assert b.distribution().var(ddof=1) == pytest.approx(4.8e-4, abs=4 * 0.9e-4)
    assert "optimistic" in b.on_all.flags
    assert b.apparent.value < b.on_all.value < b.point632.value < b.out_of_bag.value
    assert b.distinct_share == pytest.approx(expected_distinct_share(150), abs=0.01)


def test_share_of_distinct_rows() -> None:
    """1 - (1 - 1/n)^n: 3/4 for two rows, .632 for many."""
    assert expected_distinct_share(2) == 1 - (1 / 2) ** 2
    assert expected_distinct_share(10**6) == pytest.approx(0.632, abs=5e-4)
    b = sf.bootstrap(FullBayes(), SEPALS, SPECIES, samples=30, random_state=1)
    assert share_of_distinct_rows(b.plan) == b.distinct_share


def test_point_632_is_the_mean_over_samples_as_printed() -> None:
    """Accuracy = mean over samples of .632 x out-of-sample + .368 x resubstitution."""
    b = sf.bootstrap(FullBayes(), SEPALS, SPECIES, samples=20, measure="accuracy", random_state=2)
    out_of_sample = b.values(on="out_of_bag")
    model = FullBayes().fit(SEPALS, SPECIES)
    resubstitution = np.mean(model.predict(SEPALS) == SPECIES)
    assert b.point632.value == pytest.approx(np.mean(0.632 * out_of_sample + 0.368 * resubstitution))


@pytest.mark.parametrize(
    ("method", "confidence", "printed"),
    [
        ("normal", 0.95, (0.153, 0.313)),
        ("normal", 0.99, (0.128, 0.338)),
        ("t", 0.95, (0.120, 0.347)),
        ("t", 0.99, (0.045, 0.421)),
    ],
)
def test_intervals_over_five_folds_as_printed(
    method: str, confidence: float, printed: tuple[float, float], errors_by_fold: sf.Resampled
) -> None:
    e = errors_by_fold.interval("error_rate", method, confidence=confidence)
    assert e.interval == pytest.approx(printed, abs=0.0006)
    assert e.flags == ("naive_folds",)


def test_mean_and_variance_of_five_folds_as_printed(errors_by_fold: sf.Resampled) -> None:
    """Errors 8, 4, 7, 11, 5 of 30: mean 7/30; squares about it 1, 9, 0, 16, 4 sum to 30."""
    assert errors_by_fold.values("error_rate").tolist() == [8 / 30, 4 / 30, 7 / 30, 11 / 30, 5 / 30]
    assert errors_by_fold.mean("error_rate") == pytest.approx(7 / 30)
    assert errors_by_fold.variance("error_rate") == pytest.approx(30 / 900 / 4)  # .00833
    assert errors_by_fold.variance("error_rate", ddof=0) == pytest.approx(30 / 900 / 5)
