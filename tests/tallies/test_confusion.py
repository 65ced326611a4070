"""The confusion tally: orientation, merging, checks, and tables too large to hold whole."""

import pickle
import tracemalloc

import numpy as np
import pytest

import surefold as sf
from surefold import Confusion, InputError, Predictions, UnknownNameError
from surefold.tallies.kernels import cell_codes, count_cells
from surefold.tallies.ratio import ratio
from surefold.tallies.sparse import DENSE_CLASSES, SparseCounts

approx = pytest.approx
COUNTS = [[5, 2, 0], [1, 7, 3], [0, 4, 9]]
TABLE = Confusion(COUNTS, labels=["a", "b", "c"])


def squares_of(table: Confusion) -> list[list[float]]:
    assert isinstance(table.squares.counts, np.ndarray)
    return [[float(x) for x in row] for row in table.squares.counts]


def test_counts_are_true_by_predicted():
    # a a b b b: two a called a and b, three b called b b a
    table = Confusion.of(Predictions.of(list("aabbb"), list("abbba")))
    assert table.labels == ("a", "b")
    assert table.counts.tolist() == [[1, 1], [1, 2]]
    assert table.total == 5


def test_rows_may_be_the_predicted_classes():
    turned = Confusion(np.array(COUNTS).T, labels=["a", "b", "c"], rows="predicted")
    assert turned == TABLE
    assert Confusion(COUNTS, labels=["a", "b", "c"], rows="predicted") != TABLE
    with pytest.raises(InputError, match="rows='columns'") as error:
        Confusion(COUNTS, rows="columns")  # type: ignore[arg-type]
    assert error.value.code == "bad_option"


def test_one_vs_rest_by_hand():
    # class b: 7 right; called b and not b: 2 + 4; b and not called so: 1 + 3; the rest: 5 + 0 + 0 + 9
    assert (TABLE.tp[1], TABLE.fp[1], TABLE.fn[1], TABLE.tn[1]) == (7, 6, 4, 14)
    assert (TABLE.tp + TABLE.fp + TABLE.fn + TABLE.tn == 31).all()


def test_cells_leave_the_zeros_out():
    cells = TABLE.cells
    listed = list(zip(cells.true.tolist(), cells.predicted.tolist(), cells.value.tolist(), strict=True))
    assert listed == [(0, 0, 5), (0, 1, 2), (1, 0, 1), (1, 1, 7), (1, 2, 3), (2, 1, 4), (2, 2, 9)]
    assert cells.dense().tolist() == COUNTS


def test_default_labels_and_numpy_labels_are_plain():
    assert Confusion(COUNTS).labels == (0, 1, 2)
    labels = Confusion(COUNTS, labels=list(np.array([3, 5, 8]))).labels
    assert labels == (3, 5, 8)
    assert {type(label) for label in labels} == {int}


def test_adding_tables_of_the_same_labels():
    both = TABLE + Confusion([[1, 0, 0], [0, 1, 0], [0, 0, 1]], labels=["a", "b", "c"])
    assert both.counts.tolist() == (np.array(COUNTS) + np.eye(3)).tolist()


def test_adding_tables_over_the_union_of_labels():
    other = Confusion([[1, 2], [3, 4]], labels=["z", "b"])
    both = TABLE + other
    assert both.labels == ("a", "b", "c", "z")
    assert both.counts.tolist() == [[5, 2, 0, 0], [1, 7 + 4, 3, 3], [0, 4, 9, 0], [0, 2, 0, 1]]
    assert (other + TABLE).labels == ("z", "b", "a", "c")
    assert float((other + TABLE).measure("kappa")) == approx(float(both.measure("kappa")))


def test_adding_is_defined_for_tables_alone():
    with pytest.raises(TypeError):
        TABLE + 1  # type: ignore[operator]
    assert sum([TABLE, TABLE], start=TABLE).total == 3 * 31


def test_adding_weighted_tables_keeps_the_squares():
    truth, answer, weights = [0, 1, 1, 0], [0, 1, 0, 0], np.array([1.0, 2.0, 0.5, 3.0])
    whole = Confusion.of(Predictions.of(truth, answer, sample_weight=weights))
    parts = [
        Confusion.of(Predictions.of(truth[s], answer[s], labels=[0, 1], sample_weight=weights[s]))
        for s in (slice(0, 2), slice(2, 4))
    ]
    both = parts[0] + parts[1]
    assert both == whole
    assert squares_of(both) == squares_of(whole) == [[1 + 9, 0], [0.25, 4]]
    with_plain = both + Confusion([[2, 0], [0, 0]])
    assert with_plain.is_weighted
    assert squares_of(with_plain) == [[10 + 2, 0], [0.25, 4]]


def test_growing_past_the_dense_limit_keeps_the_squares_apart():
    half = DENSE_CLASSES // 2 + 1
    squares = np.zeros((half, half))
    squares[0, 0] = 9.0
    counts = np.zeros((half, half))
    counts[0, 0] = 3.0
    first = Confusion(counts, labels=[f"a{i}" for i in range(half)], squares=squares)
    second = Confusion(counts, labels=[f"b{i}" for i in range(half)], squares=squares)
    both = first + second
    assert both.is_sparse
    assert both.cells.value.tolist() == [3, 3]
    assert isinstance(both.squares.counts, SparseCounts)
    assert both.squares.counts.value.tolist() == [9, 9]


def test_equality_is_by_labels_and_counts():
    assert Confusion(COUNTS, labels=["a", "b", "c"]) == TABLE
    assert Confusion(COUNTS) != TABLE
    assert Confusion(np.array(COUNTS) + 1, labels=["a", "b", "c"]) != TABLE
    assert TABLE != COUNTS
    with pytest.raises(TypeError):
        hash(TABLE)


def test_index_tells_text_from_numbers():
    assert Confusion([[1, 0], [0, 1]], labels=["1", "2"]).index("2") == 1
    with pytest.raises(UnknownNameError, match="no label 2"):
        Confusion([[1, 0], [0, 1]], labels=["1", "2"]).index(2)


@pytest.mark.parametrize(
    ("counts", "labels", "what"),
    [
        ([[1, 2, 3], [4, 5, 6]], None, "2 x 3, not square"),
        ([1, 2, 3], None, "3, not square"),
        (5, None, "a single number, not square"),
        ([], None, "not square"),
        ([[1, -2], [3, 4]], None, "negative"),
        ([[1, np.nan], [3, 4]], None, "not finite"),
        ([[1, np.inf], [3, 4]], None, "not finite"),
        ([[0, 0], [0, 0]], None, "no rows"),
        ([["x", 1], [2, 3]], None, "not made of numbers"),
        ([[1, 2], [3]], None, "not made of numbers"),
        ([[1, 2], [3, 4]], ["a"], "2 classes and labels= names 1"),
        ([[1, 2], [3, 4]], ["a", "a"], "twice"),
    ],
)
def test_bad_tables(counts, labels, what):
    with pytest.raises(InputError, match=what) as error:
        Confusion(counts, labels)
    assert error.value.code == "bad_table"
    assert error.value.cure


def test_what_an_average_runs_over():
    truth, answer = ["a", "b", "a"], ["a", "c", "b"]
    found = Confusion.of(Predictions.of(truth, answer))
    declared = Confusion.of(Predictions.of(truth, answer, labels=["a", "b", "c"]))
    assert found.averaged.tolist() == [True, True, False]  # 'c' is never true
    assert declared.averaged.tolist() == [True, True, True]


def test_by_chance_keeps_the_margins():
    chance = TABLE.by_chance()
    assert chance.counts.sum(axis=1) == approx(np.sum(COUNTS, axis=1))
    assert chance.counts.sum(axis=0) == approx(np.sum(COUNTS, axis=0))
    assert chance.counts[0, 1] == approx(7 * 13 / 31)
    assert float(chance.measure("kappa")) == approx(0, abs=1e-12)


def test_tables_survive_pickling():
    weighted = Confusion.of(Predictions.of([0, 1, 1], [0, 1, 0], sample_weight=[1.0, 2.0, 0.5]))
    for table in (TABLE, weighted, Confusion(SparseCounts.collect(4, [0, 1], [0, 2], [1.0, 2.0]))):
        back = pickle.loads(pickle.dumps(table))
        assert back == table
        assert back.measure("kappa") == table.measure("kappa")


# large tables


def test_ten_thousand_classes_take_no_whole_table():
    k = 10_000
    rng = np.random.default_rng(0)
    truth = np.concatenate([np.arange(k), rng.integers(0, k, 20_000)])
    answer = np.where(rng.random(len(truth)) < 0.8, truth, rng.integers(0, k, len(truth)))
    tracemalloc.start()
    try:
        a = sf.assess(truth, answer)
        figures = [a[name] for name in ("accuracy", "f1_macro", "kappa", "mcc", "balanced_accuracy")]
        worst = a.per_class[0]["recall"]
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 100e6  # a whole table alone would take 800 MB
    assert a.confusion.is_sparse
    assert a.confusion.classes == k
    assert float(figures[0]) == approx((truth == answer).mean())
    assert all(e.low < e.value < e.high for e in figures)
    assert worst.low <= worst.value <= worst.high
    with pytest.raises(InputError, match=r"10,000 classes would take 800 MB") as error:
        _ = a.confusion.counts
    assert error.value.code == "bad_table"
    assert ".cells" in error.value.cure


def test_large_tables_add_up_too():
    k = DENSE_CLASSES + 5
    truth = np.arange(k)
    one = Confusion.of(Predictions.of(truth, truth))
    two = Confusion.of(Predictions.of(truth, np.roll(truth, 1)))
    both = one + two
    assert both.is_sparse
    assert both.total == 2 * k
    assert float(both.measure("accuracy")) == 0.5
    few = Confusion([[1, 0], [0, 1]], labels=[3, k + 7])
    grown = both + few
    assert grown.classes == k + 1
    assert grown.total == 2 * k + 2
    assert (few + both).total == grown.total


def test_the_dense_limit_is_where_it_says():
    for k, sparse in ((DENSE_CLASSES, False), (DENSE_CLASSES + 1, True)):
        assert Confusion.of(Predictions.of(np.arange(k), np.arange(k))).is_sparse is sparse


# the parts beneath


@pytest.mark.parametrize("k", [2, 16, 17, 300])
def test_counting_in_blocks_equals_counting_at_once(k):
    rng = np.random.default_rng(k)
    n = 150_000  # more than two blocks
    truth, answer = rng.integers(0, k, n).astype(np.uint16), rng.integers(0, k, n).astype(np.uint16)
    weights = rng.random(n)
    plain, weighted = np.zeros((k, k)), np.zeros((k, k))
    np.add.at(plain, (truth, answer), 1)
    np.add.at(weighted, (truth, answer), weights)
    assert (count_cells(truth, answer, k) == plain).all()
    assert count_cells(truth, answer, k, weights) == approx(weighted)


@pytest.mark.parametrize("k", [1, 15, 16, 17, 255, 256, 257, 65_535, 65_536, 70_000])
def test_cell_codes_do_not_wrap_around(k):
    last = np.array([k - 1], dtype=np.uint32)
    assert int(cell_codes(last, last, k)[0]) == k * k - 1


def test_ratio():
    with np.errstate(all="raise"):
        found = ratio([1.0, 0.0, 2.0, np.nan, -1.0], [4.0, 0.0, 0.0, 0.0, 0.0])
    assert found[0] == 0.25
    assert np.isnan(found[[1, 3]]).all()
    assert found[2] == np.inf
    assert found[4] == -np.inf
    # the derivative of x / y by y is -x / y^2
    assert ratio(3.0, 2.0 + 1e-20j).imag / 1e-20 == approx(-3 / 4)
    assert np.isnan(ratio(0.0 + 1e-20j, 0.0 + 1e-20j))


def test_sparse_counts_collect_in_any_order():
    s = SparseCounts.collect(4, [3, 0, 3, 3], [1, 0, 1, 3], [1.0, 2.0, 4.0, 8.0])
    assert (s.true.tolist(), s.predicted.tolist(), s.value.tolist()) == ([0, 3, 3], [0, 1, 3], [2, 5, 8])
    assert s.true_totals.tolist() == [2, 0, 0, 13]
    assert s.predicted_totals.tolist() == [2, 5, 0, 8]
    assert s.diagonal.tolist() == [2, 0, 0, 8]
    assert (s + s).dense().tolist() == (2 * s.dense()).tolist() == (s * 2).dense().tolist()
    swapped = s.relabelled(np.array([1, 0, 2, 3]), 5)
    assert swapped.dense()[1, 1] == 2
    assert swapped.dense()[3, 0] == 5


def test_totals_of_rows_and_columns():
    table = Confusion([[7, 3], [7, 13]], ["P", "N"])
    assert table.show(totals=True).splitlines() == [
        "true \\ predicted   P   N  total",
        "P                  7   3     10",
        "N                  7  13     20",
        "total             14  16     30",
    ]
