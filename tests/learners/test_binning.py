"""Bytes for values: exact for few distinct values, bins of equal weight for many."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold.learners.trees.binning import BINS, Binned


def column(values, **options):
    return Binned.of(np.asarray(values, dtype=float)[:, None], **options)


def test_few_values_have_a_bin_each():
    b = column([3.5, -1.0, 3.5, 2.0])
    assert b.bins[0].tolist() == [2, 0, 2, 1]
    assert b.low[0, :3].tolist() == b.high[0, :3].tolist() == [-1.0, 2.0, 3.5]


def test_exactly_255_values_are_still_exact_and_256_are_not():
    exact, binned = column(np.arange(255)[::-1]), column(np.arange(256))
    assert exact.bins[0].tolist() == list(range(254, -1, -1))
    assert binned.bins[0].max() == BINS - 1
    assert (np.diff(binned.bins[0].astype(int)) <= 1).all()


def test_many_values_fall_into_bins_of_nearly_equal_weight():
    values = np.random.default_rng(0).normal(size=51_000)
    sizes = np.bincount(column(values).bins[0], minlength=256)
    assert sizes[255] == 0
    assert set(sizes[:255].tolist()) <= {199, 200, 201}  # 51,000 / 255 = 200


def test_a_frequent_value_keeps_a_bin_of_its_own():
    rng = np.random.default_rng(1)
    values = np.where(rng.random(20_000) < 0.9, 0.0, rng.normal(size=20_000))
    b = column(values)
    zero = b.bins[0][values == 0][0]
    assert (values[b.bins[0] == zero] == 0).all()
    assert len(np.unique(b.bins[0])) > 200  # the other 2,000 rows are not squeezed into what is left


def test_missing_is_byte_255_and_takes_no_value_s_place():
    b = column([np.nan, 1.0, np.nan, 0.0])
    assert b.bins[0].tolist() == [255, 1, 255, 0]
    assert column([np.nan, np.nan]).bins[0].tolist() == [255, 255]


def test_weights_are_repetition_and_zero_weight_has_no_say():
    rng = np.random.default_rng(2)
    values, weights = rng.normal(size=600), rng.integers(0, 4, 600).astype(float)
    weighted = column(values, weights=weights)
    repeated = column(np.repeat(values, weights.astype(int)))
    assert np.array_equal(weighted.low, repeated.low, equal_nan=True)
    assert np.array_equal(weighted.high, repeated.high, equal_nan=True)
    assert np.repeat(weighted.bins[0], weights.astype(int)).tolist() == repeated.bins[0].tolist()


def test_threads_change_nothing():
    X = np.random.default_rng(3).normal(size=(10_000, 12))
    assert (Binned.of(X).bins == Binned.of(X, jobs=3).bins).all()


def test_categories_are_their_level_numbers():
    b = Binned.of(np.array([[2.0, 7.0], [255.0, 8.0]]), np.array([True, False]))
    assert b.bins.tolist() == [[2, 255], [0, 1]]


@settings(deadline=None, max_examples=60)
@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.sampled_from([0.0, 1.0, -1.0])), min_size=1, max_size=400))
def test_bins_keep_the_order_and_hold_their_values(values):
    b = column(values)
    x, bins = np.array(values), b.bins[0].astype(int)
    assert (b.low[0, bins] <= x).all()
    assert (x <= b.high[0, bins]).all()
    used = np.unique(bins)
    assert (b.high[0, used[:-1]] < b.low[0, used[1:]]).all()
    if len(np.unique(x)) <= 255:
        assert len(used) == len(np.unique(x))


@pytest.mark.parametrize("heavy", [0, 1, 5, 40])
def test_never_more_bins_than_bytes(heavy):
    rng = np.random.default_rng(heavy)
    values = np.concatenate([rng.normal(size=3000), np.repeat(np.arange(heavy) + 0.5, 200)])
    assert column(values).bins[0].max() < BINS
