"""Laws of the intervals: every measure, every default, any table."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold import Confusion, Estimate, Measure, catalogue
from surefold.estimates.of_table import TableEstimates
from surefold.tallies.sparse import SparseCounts

approx = pytest.approx
ALL = list(catalogue.of_labels)

#: Measures that weigh kinds of error need the whole table, which is not held above a thousand classes.
NEED_THE_WHOLE_TABLE = {"kappa_linear", "kappa_quadratic", "expected_cost"}


def chosen(name: str, k: int) -> Measure:
    costs = (1.0 + np.arange(k * k).reshape(k, k)) * (1 - np.eye(k))
    return catalogue[name].with_options(costs=costs) if name == "expected_cost" else catalogue[name]


def estimates(name: str, table: Confusion, method: str = "auto", confidence: float = 0.95) -> list[Estimate]:
    m, every = chosen(name, table.classes), TableEstimates(table, confidence=confidence)
    return list(every.per_class(m, method)) if m.is_per_class else [every.overall(m, method)]


def table(k: int, seed: int = 1, least: int = 1) -> np.ndarray:
    counts = np.random.default_rng(seed).integers(least, 15, size=(k, k)).astype(float)
    return counts + 12 * np.eye(k)


def classes_for(name: str) -> int:
    return 2 if name == "squared_loss" else 3


@st.composite
def small_tables(draw):
    """Two to four classes, cells often empty: the tables on which formulas break."""
    k = draw(st.integers(2, 4))
    cells = draw(st.lists(st.one_of(st.just(0), st.integers(0, 40)), min_size=k * k, max_size=k * k))
    cells[draw(st.integers(0, k * k - 1))] += 1
    return np.array(cells, dtype=float).reshape(k, k)


@given(counts=small_tables(), method=st.sampled_from(["auto", "one_row", "delta"]))
@settings(max_examples=120, deadline=None, derandomize=True)
def test_low_value_high_in_order_and_inside_the_range(counts, method):
    tally = Confusion(counts)
    for name in ALL:
        least, greatest = chosen(name, tally.classes).limits(tally.margins())
        for e in estimates(name, tally, method):
            if not e.defined:
                assert e.reason, name
                assert math.isnan(e.se), name
                assert math.isnan(e.low) == math.isnan(e.high), name
                continue
            assert e.reason == "", name
            assert least - 1e-12 <= e.value <= greatest + 1e-12, name
            if method != "delta" or math.isfinite(e.se):
                assert least - 1e-12 <= e.low <= e.value + 1e-9, (name, e)
                assert e.value - 1e-9 <= e.high <= greatest + 1e-12, (name, e)
            if math.isfinite(e.value) and math.isfinite(e.se):
                assert e.se >= 0


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("method", ["auto", "one_row", "delta"])
def test_more_rows_make_it_narrower_and_more_confidence_wider(name, method):
    counts = table(classes_for(name))
    few, many = (estimates(name, Confusion(times * counts), method) for times in (1, 8))
    sure, surer = (estimates(name, Confusion(counts), method, confidence) for confidence in (0.8, 0.99))
    for a, b, c, d in zip(few, many, sure, surer, strict=True):
        assert b.width < a.width
        assert b.se == approx(a.se / math.sqrt(8))
        assert c.width < d.width
        assert d.low <= c.low
        assert c.high <= d.high


@pytest.mark.parametrize("name", ALL)
def test_the_interval_is_about_the_value_plus_or_minus_two_standard_errors(name):
    for e in estimates(name, Confusion(400 * table(classes_for(name)))):
        assert e.value - e.low == approx(1.96 * e.se, rel=0.08)
        assert e.high - e.value == approx(1.96 * e.se, rel=0.08)


@pytest.mark.parametrize("name", ALL)
def test_the_bootstrap_centres_on_the_value_and_spreads_by_the_standard_error(name):
    counts = 60 * table(classes_for(name))
    m, every = chosen(name, len(counts)), TableEstimates(Confusion(counts))
    drawn = every.replicates(3000, 8).values(m, every.sample)
    for i, e in enumerate(estimates(name, Confusion(counts))):
        mine = drawn[:, i] if m.is_per_class else drawn
        # bias is of order se^2; the mean of 3,000 draws has a Monte-Carlo error of se / 55
        assert abs(mine.mean() - e.value) < 0.15 * e.se
        assert mine.std() == approx(e.se, rel=0.1)


@pytest.mark.parametrize("name", ALL)
def test_pessimistic_is_the_bad_end_missed_with_chance_a_quarter(name):
    # a share's is Wilson's at a two-sided .5, other measures' the one-row bound at .5
    m = catalogue[name]
    tally = Confusion(table(classes_for(name)))
    half = estimates(name, tally, "wilson" if m.is_share else "one_row", 0.5)
    for e, h in zip(estimates(name, tally), half, strict=True):
        if m.better == "neither":
            assert math.isnan(e.pessimistic)
        else:
            assert e.pessimistic == approx(h.low if m.better == "higher" else h.high)


# tables by their cells


@pytest.mark.parametrize("name", [n for n in ALL if n != "squared_loss"])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_tables_give_what_whole_ones_give(name, weighted):
    k, rng = 30, np.random.default_rng(3)
    true, predicted = rng.integers(0, k, 700), rng.integers(0, k, 700)
    predicted = np.where(rng.random(700) < 0.6, true, predicted)
    weights = rng.uniform(0.2, 2, 700) if weighted else np.ones(700)
    sparse, sparse2 = (SparseCounts.collect(k, true, predicted, w) for w in (weights, weights**2))
    by_cells = Confusion(sparse, squares=sparse2 if weighted else None)
    whole = Confusion(sparse.dense(), squares=sparse2.dense() if weighted else None)
    assert by_cells.is_sparse
    assert not whole.is_sparse
    for a, b in zip(estimates(name, by_cells), estimates(name, whole), strict=True):
        assert b.defined
        if name in NEED_THE_WHOLE_TABLE:
            assert not a.defined
            assert "too many classes" in a.reason
        else:
            assert (a.value, a.low, a.high, a.se, a.n) == approx((b.value, b.low, b.high, b.se, b.n), rel=1e-12)
            assert (a.flags, a.method) == (b.flags, b.method)
