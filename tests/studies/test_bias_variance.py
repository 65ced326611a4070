"""bias_variance: what it runs, that its parts add up, and the printed pattern of bias against variance."""

import json
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from surefold.errors import InputError, RunError, UnknownNameError
from surefold.learners import NaiveBayes
from surefold.resampling.dataset import Dataset
from surefold.studies import bias_variance, decompose
from surefold.studies.training_sets import training_sets_plan

IRIS = load_iris()
PCS = PCA(2).fit_transform(IRIS.data)
VERSICOLOR = np.where(IRIS.target == 1, 1, -1)
NAMES = IRIS.target_names[IRIS.target]
QUADRATIC = SVC(kernel="poly", degree=2, coef0=0, gamma=1)  # (x . z)², homogeneous
GRID = [0.01, 0.1, 1.0, 10.0, 100.0]


class Counted(ClassifierMixin, BaseEstimator):
    """Answers the most frequent class, and counts how often it was fitted, over all its copies."""

    fits: list[int] = []  # noqa: RUF012 - shared on purpose

    def __init__(self, shift: int = 0) -> None:
        self.shift = shift

    def fit(self, X, y):
        Counted.fits.append(len(X))
        self.classes_, count = np.unique(y, return_counts=True)
        self.answer_ = self.classes_[count.argmax() - self.shift]
        return self

    def predict(self, X):
        return np.full(len(X), self.answer_)


# which rows train and which are tested


@pytest.mark.parametrize("how", ["bootstrap", "disjoint"])
@pytest.mark.parametrize("test", ["all", "out_of_bag", 0.3, 30])
def test_training_sets(how, test) -> None:
    data = Dataset.of(PCS, NAMES)
    plan = training_sets_plan(data, samples=5, repeats=2, how=how, test=test, seed=1)
    assert (len(plan), plan.repeats) == (10, 2)
    aside = 45 if test == 0.3 else 30 if test == 30 else 0
    for split in plan:
        left_out = np.setdiff1d(np.arange(150), split.train)
        if test == "all":
            assert len(split.test) == 150
        elif test == "out_of_bag":
            assert split.test.tolist() == left_out.tolist()
        else:
            assert split.test.tolist() == plan[0].test.tolist()
            assert not np.intersect1d(split.train, split.test).size
        drawn = 150 - aside
        assert len(split.train) == (drawn if how == "bootstrap" else drawn // 5)
    if how == "disjoint":
        together = np.concatenate([plan.train(i) for i in range(5)])
        assert len(np.unique(together)) == len(together) == 150 - aside
        assert plan.train(0).tolist() != plan.train(5).tolist()


def test_more_repeats_do_not_change_the_first_bootstrap_samples() -> None:
    data = Dataset.of(PCS, NAMES)
    few, more = (training_sets_plan(data, 4, r, "bootstrap", "all", seed=3) for r in (1, 3))
    assert all(few.train(i).tolist() == more.train(i).tolist() for i in range(4))


def test_each_model_is_fitted_once_a_sample_and_no_more() -> None:
    Counted.fits.clear()
    bias_variance(Counted(), PCS, VERSICOLOR, param="shift", grid=[0, 1], samples=6, repeats=2, random_state=0)
    assert len(Counted.fits) == 2 * 6 * 2
    assert set(Counted.fits) == {150}


# what comes out


def test_a_constant_answer_is_all_bias() -> None:
    found = bias_variance(Counted(), PCS, VERSICOLOR, random_state=0)  # always -1: 50 of 150 rows are wrong
    assert found.loss.value == pytest.approx(4 * 50 / 150)
    assert found.bias.value == found.loss.value
    assert found.variance.value == 0
    assert found.variance.low == 0 < found.variance.high < 0.1
    assert list(found.noise.interval) == [0, 0]
    assert "optimistic" in found.loss.flags


@pytest.mark.parametrize("loss", ["squared", "kohavi_wolpert", "domingos"])
@pytest.mark.parametrize("test", ["all", "out_of_bag"])
def test_it_is_decompose_of_the_held_out_answers(loss, test) -> None:
    y = VERSICOLOR if loss == "squared" else NAMES
    found = bias_variance(DecisionTreeClassifier(random_state=0), PCS, y, loss=loss, test=test, random_state=5)
    plan = found.plan
    answers: Any = np.full((10, 150), None, dtype=object)
    for split in plan:
        tree = DecisionTreeClassifier(random_state=0).fit(PCS[split.train], y[split.train])
        answers[split.index, split.test] = tree.predict(PCS[split.test])
    for row in range(150):
        told = np.array([a for a in answers[:, row] if a is not None])
        if not len(told):
            assert all(np.isnan(v[row]) for v in found.only.repeats[0].by_row.values())
            continue
        one = decompose(told[:, None], [y[row]], loss=loss)
        for part, values in found.only.repeats[0].by_row.items():
            assert values[row] == pytest.approx(one.mean(part), abs=1e-12)
    parts = ("bias", "net_variance") if loss == "domingos" else ("noise", "bias", "variance")
    assert sum(found.only[part].value for part in parts) == pytest.approx(found.loss.value)
    assert found.loss.flags == (("optimistic",) if test == "all" else ())


def test_intervals_over_rows_and_repeats() -> None:
    one = bias_variance(DecisionTreeClassifier(), PCS, NAMES, loss="kohavi_wolpert", random_state=0)
    more = bias_variance(DecisionTreeClassifier(), PCS, NAMES, loss="kohavi_wolpert", random_state=0, repeats=4)
    assert one.loss.method == "one_row over rows"
    assert more.loss.method == "one_row over rows and repeats"
    rows = np.stack([d.by_row["loss"] for d in more.only.repeats])
    expected = rows.mean(axis=0).var(ddof=1) / 150 + rows.mean(axis=1).var(ddof=1) / 4
    assert more.loss.se == pytest.approx(np.sqrt(expected))
    assert more.loss.value == pytest.approx(rows.mean())
    assert one.loss.low < one.loss.value < one.loss.high
    wide = bias_variance(DecisionTreeClassifier(), PCS, NAMES, loss="kohavi_wolpert", random_state=0, confidence=0.99)
    assert wide.loss.width > one.loss.width


def test_the_printed_pattern() -> None:
    """Bias falls with C, variance grows, and the loss is least near C = 1.

    Eight seeds of ten samples each. Of 20 seeds tried the mean bias on all rows was .277 .146 .106 .096 .093, the
    variance .044 .025 .036 .042 .044 (at C = .01 nearly everything is bias, and which rows are lost is chance), and the
    loss out of bag .335 .185 .171 .180 .190, with a standard deviation of about .02 for one seed, shared by all C.
    On all rows the loss goes on falling a little beyond 1: those rows were trained on.
    """
    on_all: list[Any] = []
    left_out: list[Any] = []
    for seed in range(8):
        for test, kept in (("all", on_all), ("out_of_bag", left_out)):
            r = bias_variance(QUADRATIC, PCS, VERSICOLOR, param="C", grid=GRID, test=test, random_state=seed)  # type: ignore[arg-type]
            kept.append([[point[part].value for point in r] for part in ("loss", "bias", "variance")])
    loss, bias, variance = np.mean(on_all, axis=0)
    assert (np.diff(bias) < 0).all()
    assert bias[0] > 2 * bias[-1]
    assert (np.diff(variance[1:]) > 0).all()
    assert variance[-1] > 1.3 * variance[1]
    assert loss[0] > 2 * loss[2]
    assert loss[2] - loss.min() < 0.01  # a fifteenth of the loss
    loss, _, variance = np.mean(left_out, axis=0)
    assert loss.argmin() == 2
    assert loss[4] - loss[2] > 0.008
    assert variance[4] > variance[2] > variance[1]


def test_a_grid() -> None:
    r = bias_variance(QUADRATIC, PCS, VERSICOLOR, param="C", grid=GRID, random_state=0)
    assert [point.value for point in r] == GRID
    assert r[1].loss is r.points[2].loss
    assert r.best.loss.value == min(point.loss.value for point in r)
    change = r.change(0.01, since=1)
    assert change.value == pytest.approx(r[0.01].loss.value - r[1].loss.value)
    assert change.low > 0  # paired, the difference is plain, though the two intervals overlap
    assert r[0.01].loss.low < r[1].loss.high
    with pytest.raises(InputError, match=r"result\.best"):
        _ = r.loss
    with pytest.raises(UnknownNameError):
        r[3]
    with pytest.raises(UnknownNameError):
        r.points[0]["wit"]


def test_laws() -> None:
    """Other names for the classes change nothing; for zero-one parts neither does their order."""
    one = bias_variance(NaiveBayes(), PCS, VERSICOLOR, random_state=2)
    named = bias_variance(NaiveBayes(), PCS, np.where(VERSICOLOR == 1, "yes", "no"), random_state=2)
    swapped = bias_variance(NaiveBayes(), PCS, -VERSICOLOR, random_state=2)
    for other in (named, swapped):
        for part in ("loss", "bias", "variance"):
            assert other.only[part].value == pytest.approx(one.only[part].value)
    twice = bias_variance(NaiveBayes(), PCS, VERSICOLOR, random_state=2)
    assert twice.to_dict() == one.to_dict()


def test_unbiased() -> None:
    plain, mended = (bias_variance(NaiveBayes(), PCS, NAMES, loss="kohavi_wolpert", random_state=0, unbiased=u)
                     for u in (False, True))  # fmt: skip
    assert mended.loss.value == pytest.approx(plain.loss.value)
    assert mended.variance.value == pytest.approx(plain.variance.value * 10 / 9)


def test_numbers_of_more_than_two_classes() -> None:
    found = bias_variance(NaiveBayes(), PCS, IRIS.target, random_state=0)  # classes 0, 1 and 2, as numbers
    assert 0 < found.loss.value < 0.2
    with pytest.raises(InputError, match="kohavi_wolpert"):
        bias_variance(NaiveBayes(), PCS, NAMES)


def test_a_store_goes_on_and_workers_agree(tmp_path) -> None:
    where = tmp_path / "runs.db"
    Counted.fits.clear()
    first = bias_variance(Counted(), PCS, VERSICOLOR, samples=4, store=where)
    again = bias_variance(Counted(), PCS, VERSICOLOR, samples=4, store=where)
    assert len(Counted.fits) == 4
    assert again.to_dict() == first.to_dict()
    here, there = (bias_variance(NaiveBayes(), PCS, NAMES, loss="domingos", samples=3, random_state=0, n_jobs=jobs)
                   for jobs in (1, 2))  # fmt: skip
    assert here.to_dict() == there.to_dict()


def test_telling() -> None:
    r = bias_variance(QUADRATIC, PCS, VERSICOLOR, param="C", grid=GRID, random_state=0)
    text = " ".join(str(r).split())
    assert "SVC: squared loss, 10 bootstrap samples, tested on all rows, also those trained on" in text
    assert f"The loss of SVC at C = {r.best.value} is {r.best.loss}" in text
    assert "noise" not in text
    json.dumps(r.to_dict(), allow_nan=False)
    frame = r.to_frame()
    assert frame.shape[0] == len(GRID) * 4
    assert_allclose(frame.filter(frame["part"] == "loss")["estimate"], [point.loss.value for point in r])
    assert r.to_frame("pandas").shape == frame.shape
    with pytest.raises(UnknownNameError):
        r.to_frame("arrow")  # type: ignore[arg-type]
    names = bias_variance(SVC(), PCS, VERSICOLOR, param="kernel", grid=["linear", "rbf"], test=30, random_state=0)
    assert "30 rows set aside" in str(names)
    assert names["rbf"].loss.n == 30
    several = bias_variance(NaiveBayes(), PCS, NAMES, loss="domingos", repeats=2, test="out_of_bag", random_state=0)
    assert ", 2 times, tested on rows that a sample leaves out" in " ".join(str(several).split())


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"samples": 1}, InputError),
        ({"repeats": 0}, InputError),
        ({"how": "jackknife"}, InputError),
        ({"test": "none"}, InputError),
        ({"test": 1.5}, InputError),
        ({"how": "disjoint", "samples": 100}, InputError),
        ({"loss": "absolute"}, UnknownNameError),
        ({"param": "C"}, InputError),
        ({"param": "ridge", "grid": []}, InputError),
        ({"param": "ridge", "grid": [0.1, 0.1]}, InputError),
        ({"param": "rigde", "grid": [0.1]}, UnknownNameError),
        ({"param": "ridge", "grid": [0.0, -1.0]}, RunError),
    ],
)
def test_refusals(options, error) -> None:
    with pytest.raises(error):
        bias_variance(NaiveBayes(), PCS, VERSICOLOR, random_state=0, **options)
