"""Percentile, basic and BCa intervals: seeded, equal to their definitions, and near scipy's on the rows themselves."""

import numpy as np
import pytest
from scipy import stats

import surefold as sf
from surefold import Confusion, InputError, UnknownNameError, catalogue
from surefold.estimates.of_table import TableEstimates

approx = pytest.approx
TABLE = Confusion([[40, 10, 2], [6, 30, 9], [1, 4, 20]])
METHODS = ("percentile", "basic", "bca")


def replicate_values(table: Confusion, name: str, draws: int, seed: int) -> np.ndarray:
    every = TableEstimates(table)
    return every.replicates(draws, seed).values(catalogue[name], every.sample)


@pytest.mark.parametrize("method", METHODS)
def test_a_seed_gives_the_same_interval_and_another_seed_another(method):
    first, again, other = (TABLE.measure("kappa", method=method, draws=500, random_state=s) for s in (1, 1, 2))
    assert first == again
    assert first.interval != other.interval
    assert first.method == method
    assert "known_to_mislead" in first.flags
    generators = [TABLE.measure("kappa", method=method, draws=500, random_state=np.random.default_rng(3)) for _ in "ab"]
    assert generators[0] == generators[1]


def test_percentile_and_basic_are_what_their_names_say():
    drawn = replicate_values(TABLE, "f1_macro", 800, 5)
    low, high = np.quantile(drawn, [0.025, 0.975])
    value = float(TABLE.measure("f1_macro"))
    percentile = TABLE.measure("f1_macro", method="percentile", draws=800, random_state=5)
    basic = TABLE.measure("f1_macro", method="basic", draws=800, random_state=5)
    assert percentile.interval == approx((low, high))
    assert basic.interval == approx((2 * value - high, 2 * value - low))


def efrons_ends(drawn: np.ndarray, value: float, acceleration: float) -> np.ndarray:
    bias = stats.norm.ppf((np.mean(drawn < value) + np.mean(drawn <= value)) / 2)
    z = stats.norm.ppf([0.025, 0.975])
    return np.asarray(np.quantile(drawn, stats.norm.cdf(bias + (bias + z) / (1 - acceleration * (bias + z)))))


def test_bca_of_a_share_by_hand():
    # rows are right or wrong: Efron's a is the skewness of that over 6 sqrt(n), (1 - 2p) / (6 sqrt(n p (1 - p)))
    table, p, n = Confusion([[57, 1], [2, 0]]), 57 / 60, 60
    acceleration = (1 - 2 * p) / (6 * np.sqrt(n * p * (1 - p)))
    drawn = replicate_values(table, "accuracy", 4000, 6)
    ends = efrons_ends(drawn, p, acceleration)
    bca = table.measure("accuracy", method="bca", draws=4000, random_state=6)
    assert bca.interval == approx(tuple(ends), abs=1e-12)
    assert bca.low < np.quantile(drawn, 0.025) - 0.01  # the correction is there, and to the left


def test_bca_takes_the_acceleration_that_the_jackknife_gives():
    # leaving out one row of each cell; its skewness agrees with the influence values' to order 1/n
    table, name = Confusion([[180, 4], [8, 12]]), "kappa"
    counts = table.counts
    drawn, value = replicate_values(table, name, 4000, 6), float(table.measure(name))
    left_out = np.array([catalogue[name](Confusion(counts - one).margins()) for one in np.eye(4).reshape(4, 2, 2)])
    rows = counts.ravel()
    about = (rows @ left_out) / rows.sum() - left_out
    acceleration = (rows @ about**3) / (6 * (rows @ about**2) ** 1.5)
    bca = table.measure(name, method="bca", draws=4000, random_state=6)
    assert bca.interval == approx(tuple(efrons_ends(drawn, value, acceleration)), abs=0.006)
    assert abs(efrons_ends(drawn, value, 0.0) - bca.interval).max() > 0.01  # so that acceleration is seen


@pytest.mark.parametrize("method", METHODS)
def test_near_scipys_bootstrap_of_the_rows(method):
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 60)
    answer = np.where(rng.random(60) < 0.75, truth, 1 - truth)

    def kappa(y, p, axis=-1):
        right = (y == p).mean(axis=axis)
        chance = y.mean(axis=axis) * p.mean(axis=axis) + (1 - y).mean(axis=axis) * (1 - p).mean(axis=axis)
        return (right - chance) / (1 - chance)

    theirs = stats.bootstrap(
        (truth, answer), kappa, paired=True, vectorized=True, n_resamples=6000, method=method, rng=rng
    ).confidence_interval
    ours = sf.measure("kappa", truth, answer, method=method, draws=6000, random_state=1)
    # a 2.5 % quantile of 6,000 draws has a Monte-Carlo error of about .03 se; two of them differ by .13 at 3 sigma
    assert ours.interval == approx(tuple(theirs), abs=0.2 * ours.se)


def test_replicates_are_multinomial_draws_of_the_cells():
    every = TableEstimates(TABLE)
    tables = np.concatenate([t.counts for t in every.replicates(4000, 7).tables()])
    n, share = 122, TABLE.counts / 122
    assert (tables.sum(axis=(1, 2)) == n).all()
    assert tables.mean(axis=0) == approx(TABLE.counts, abs=0.5)
    assert tables.var(axis=0) == approx(n * share * (1 - share), rel=0.15, abs=0.1)


def test_undefined_replicates_are_left_out_and_flagged():
    # one row of class 0: it is missing from about 1/e of the replicates, where recall of 0 does not exist
    table = Confusion([[1, 0], [2, 20]])
    e = table.measure("recall_macro", method="percentile", draws=2000, random_state=1)
    assert "undefined_replicates" in e.flags
    assert e.low <= e.value <= e.high
    drawn = replicate_values(table, "recall_macro", 2000, 1)
    assert np.isnan(drawn).mean() == approx((1 - 1 / 23) ** 23, abs=0.04)
    assert "undefined_replicates" not in TABLE.measure("recall_macro", method="percentile", draws=500).flags


def test_every_measure_of_an_assessment_from_the_same_replicates():
    truth, answer = [0, 1, 1, 0, 1, 1, 0, 0, 1, 0] * 5, [0, 1, 0, 0, 1, 1, 1, 0, 1, 0] * 5
    a = sf.assess(truth, answer, costs={"fp": 1, "fn": 5}, random_state=9)
    every = a.bootstrap("percentile", draws=400)
    assert set(every) == set(a.overall)
    for name, e in every.items():
        assert e.method == "percentile"
        assert e == a.measure(name, method="percentile", draws=400) or name == "prevalence"
    assert every["accuracy"].low == approx(1 - every["error_rate"].high)
    with pytest.raises(UnknownNameError, match="bootstrap interval"):
        a.bootstrap("wilson")


def test_per_class_bca():
    e = TABLE.measure("recall", 1, method="bca", draws=3000, random_state=2)
    two = Confusion([[30, 15], [13, 64]])  # class 1 against the rest: the same rows of class 1
    other = two.measure("recall", 0, method="bca", draws=3000, random_state=2)
    assert e.value == approx(30 / 45)
    assert other.value == approx(30 / 45)
    assert e.interval == approx(other.interval, abs=0.02)


def test_grouped_rows_are_redrawn_whole():
    truth = np.repeat([0, 1], 30)
    answer = np.where(np.arange(60) % 5 == 0, 1 - truth, truth)
    pairs = np.repeat(np.arange(60), 2)
    alone = sf.measure("accuracy", truth, answer, method="percentile", draws=3000, random_state=1)
    doubled = sf.measure(
        "accuracy", truth[pairs], answer[pairs], groups=pairs, method="percentile", draws=3000, random_state=1
    )
    assert doubled.interval == approx(alone.interval, abs=0.02)


@pytest.mark.parametrize("draws", [99, 0, 1.5, "many"])
def test_draws_are_checked(draws):
    with pytest.raises(InputError, match="draws") as error:
        TABLE.measure("kappa", method="bca", draws=draws)
    assert error.value.code == "bad_option"


def test_methods_are_checked():
    with pytest.raises(UnknownNameError, match="did you mean 'wilson'"):
        TABLE.measure("accuracy", method="wilsen")
    with pytest.raises(InputError, match="wilson is an interval for shares, and kappa is none") as error:
        TABLE.measure("kappa", method="wilson")
    assert error.value.code == "bad_option"
