"""Laws that the value of every measure obeys. A new measure is tested by being in the catalogue."""

import numpy as np
import pytest

import surefold as sf
from surefold import Confusion, Measure, catalogue
from surefold.estimates.of_table import TableEstimates

approx = pytest.approx
ALL = list(catalogue.of_labels)

#: What relabelling in any order may change: these read the order of the labels, or a matrix in that order.
ORDERED = {"kappa_linear", "kappa_quadratic", "expected_cost"}

#: With three classes or more, one row put right can lower these; `test_the_exceptions...` shows it.
#: Chance agreement is computed from how often each class is called, and putting a row right moves that too.
MAY_FALL = {"kappa", "kappa_linear", "kappa_quadratic", "mcc"}


def costs(k: int) -> np.ndarray:
    """A right answer is free, and each kind of error has a price of its own."""
    return (1.0 + np.arange(k * k).reshape(k, k)) * (1 - np.eye(k))


def chosen(name: str, k: int) -> Measure:
    return catalogue[name].with_options(costs=costs(k)) if name == "expected_cost" else catalogue[name]


def classes_for(name: str) -> tuple[int, ...]:
    return (2,) if name == "squared_loss" else (2, 4)  # undefined beyond two classes


def values(name: str, counts, labels=None) -> np.ndarray:
    """One value, or one a class."""
    table = Confusion(counts, labels)
    m, estimates = chosen(name, table.classes), TableEstimates(table)
    found = estimates.per_class(m) if m.is_per_class else (estimates.overall(m),)
    return np.array([e.value for e in found])


def from_rows(name: str, y_true, y_pred, k: int, **rows) -> list[sf.Estimate]:
    """The estimates by the public door, one or one a class."""
    a = sf.assess(y_true, y_pred, labels=list(range(k)), **rows)
    if catalogue[name].is_per_class:
        return [a.per_class[c][name] for c in range(k)]
    return [a.measure(name, costs=costs(k)) if name == "expected_cost" else a[name]]


def rows_of(k: int, n: int = 90, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Truth and answers in which every cell occurs."""
    rng = np.random.default_rng(seed)
    truth = np.concatenate([np.repeat(np.arange(k), k), rng.integers(0, k, n)])
    answer = np.concatenate([np.tile(np.arange(k), k), rng.integers(0, k, n)])
    return truth, np.where(rng.random(len(truth)) < 0.4, truth, answer)


def tables(k: int, count: int = 30, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).integers(1, 25, size=(count, k, k)).astype(float)


EVERY = [(name, k) for name in ALL for k in classes_for(name)]
every_measure = pytest.mark.parametrize(("name", "k"), EVERY)


def test_no_measure_is_left_out():
    assert {name for name, _ in EVERY} == set(catalogue.of_labels)
    assert set(catalogue.of_labels) >= ORDERED | MAY_FALL
    for name, k in EVERY:  # a law on NaN would hold whatever the formula
        assert np.isfinite(values(name, tables(k)[0])).all(), name


@every_measure
def test_the_order_of_rows_does_not_matter(name, k):
    truth, answer = rows_of(k)
    shuffled = np.random.default_rng(2).permutation(len(truth))
    before, after = from_rows(name, truth, answer, k), from_rows(name, truth[shuffled], answer[shuffled], k)
    for a, b in zip(before, after, strict=True):
        assert (a.value, a.low, a.high, a.se, a.n) == (b.value, b.low, b.high, b.se, b.n)


@every_measure
def test_renaming_labels_moves_class_values_and_leaves_overall_ones(name, k):
    rng = np.random.default_rng(3)
    for counts in tables(k, 10):
        order = rng.permutation(k)
        moved = counts[np.ix_(order, order)]
        if catalogue[name].is_per_class:
            assert values(name, moved) == approx(values(name, counts)[order])
        elif name not in ORDERED:
            assert values(name, moved) == approx(values(name, counts))


@every_measure
def test_names_of_labels_do_not_matter(name, k):
    counts = tables(k)[0]
    assert values(name, counts, [f"class {c}" for c in range(k)]).tolist() == values(name, counts).tolist()


@pytest.mark.parametrize("name", ["kappa_linear", "kappa_quadratic"])
def test_weighted_kappas_read_the_order_but_not_its_direction(name):
    counts = tables(4)[0]
    assert values(name, counts[::-1, ::-1]) == approx(values(name, counts))
    order = [1, 0, 2, 3]
    assert values(name, counts[np.ix_(order, order)]) != approx(values(name, counts))


def test_expected_cost_is_relabelled_with_its_matrix():
    counts, order = tables(4)[0], [2, 0, 3, 1]
    there = Confusion(counts[np.ix_(order, order)]).measure("expected_cost", costs=costs(4)[np.ix_(order, order)])
    here = Confusion(counts).measure("expected_cost", costs=costs(4))
    assert (there.value, *there.interval) == approx((here.value, *here.interval))


@every_measure
def test_a_weight_is_a_repetition(name, k):
    truth, answer = rows_of(k)
    weights = np.random.default_rng(4).integers(1, 5, len(truth))
    weighted = from_rows(name, truth, answer, k, sample_weight=weights)
    repeated = from_rows(name, np.repeat(truth, weights), np.repeat(answer, weights), k)
    assert [e.value for e in weighted] == approx([e.value for e in repeated])


@every_measure
def test_weight_zero_is_removal(name, k):
    truth, answer = rows_of(k)
    weights = np.random.default_rng(5).uniform(0.2, 3, len(truth))
    kept = np.arange(len(truth)) % 3 > 0
    weights[~kept] = 0
    zeroed = from_rows(name, truth, answer, k, sample_weight=weights)
    removed = from_rows(name, truth[kept], answer[kept], k, sample_weight=weights[kept])
    for a, b in zip(zeroed, removed, strict=True):
        assert (a.value, a.low, a.high, a.se, a.n) == approx((b.value, b.low, b.high, b.se, b.n))


@every_measure
def test_ten_times_the_rows_have_the_same_value(name, k):
    for counts in tables(k, 5):
        assert values(name, 10 * counts) == approx(values(name, counts))


@every_measure
def test_parts_merged_equal_the_whole(name, k):
    truth, answer = rows_of(k)
    parts = [
        Confusion.of(sf.Predictions.of(truth[half], answer[half], labels=list(range(k))))
        for half in (slice(0, 40), slice(40, None))
    ]
    whole = Confusion.of(sf.Predictions.of(truth, answer, labels=list(range(k))))
    assert parts[0] + parts[1] == whole
    assert values(name, (parts[0] + parts[1]).counts).tolist() == values(name, whole.counts).tolist()


@every_measure
def test_a_stack_of_tables_equals_the_loop(name, k):
    m = chosen(name, k)
    stack = tables(k, 12).reshape(3, 4, k, k)
    table = Confusion(stack)
    weights = None if m.weigh is None else m.weigh(k, m.settings)
    whole = m(table.one_vs_rest if m.is_per_class else table.margins(weights))
    assert whole.shape == ((3, 4, k) if m.is_per_class else (3, 4))
    for i in range(3):
        for j in range(4):
            assert whole[i, j] == approx(values(name, stack[i, j]) if m.is_per_class else values(name, stack[i, j])[0])


# The chance term of the measures that may fall moves too: see the counter-examples below.
@pytest.mark.parametrize(("name", "k"), [(name, k) for name, k in EVERY if k == 2 or name not in MAY_FALL])
def test_putting_a_row_right_never_makes_it_worse(name, k):
    m = catalogue[name]
    sign = {"higher": 1, "lower": -1, "neither": 0}[m.better]
    rng = np.random.default_rng(6)
    compared = 0
    for t in range(60):
        counts = rng.integers(0, (3, 12)[t % 2], size=(k, k)).astype(float)
        wrong = np.argwhere((counts > 0) & ~np.eye(k, dtype=bool))
        if len(wrong) == 0:
            continue
        i, j = wrong[rng.integers(len(wrong))]
        righted = counts.copy()
        righted[i, j] -= 1
        righted[i, i] += 1
        before, after = values(name, counts), values(name, righted)
        both = ~(np.isnan(before) | np.isnan(after))
        compared += both.sum()
        with np.errstate(invalid="ignore"):  # infinity less infinity
            gain = np.where(before == after, 0.0, sign * (after - before))
        assert (gain[both] >= -1e-12).all(), (counts, i, j)
        if m.better == "neither":
            assert before[both] == approx(after[both])  # prevalence does not depend on the answers
    assert compared > 30


@pytest.mark.parametrize(
    ("name", "before", "value_before", "after", "value_after"),
    [
        # n = 4, true 3 0 1; called 1 1 2, then 2 0 2: by chance 5/16 and then 8/16 agree, right 0 and 1 of 4
        ("kappa", [[0, 1, 2], [0, 0, 0], [1, 0, 0]], -5 / 11, [[1, 0, 2], [0, 0, 0], [1, 0, 0]], (4 - 8) / (16 - 8)),
        # n = 6, true 5 0 1; called 0 5 1, then 1 4 1: right 1 and 2
        (
            "mcc",
            [[0, 5, 0], [0, 0, 0], [0, 0, 1]],
            (6 * 1 - 1) / (36 - 26),
            [[1, 4, 0], [0, 0, 0], [0, 0, 1]],
            (6 * 2 - 6) / ((36 - 26) * (36 - 18)) ** 0.5,
        ),
        # n = 8, true 1 7 0; steps off 2 + 3 + 2 = 7, by chance (1x2 + 2x3 + 7x3 + 7x3)/8 with called 3 2 3
        (
            "kappa_linear",
            [[0, 0, 1], [3, 2, 2], [0, 0, 0]],
            1 - 7 * 8 / (1 * 2 + 2 * 3 + 7 * 3 + 7 * 3),
            [[0, 0, 1], [3, 3, 1], [0, 0, 0]],
            1 - 6 * 8 / (1 * 3 + 2 * 2 + 7 * 3 + 7 * 2),
        ),
        # the same table with squared steps: 4 + 3 + 2 = 9, then 8
        (
            "kappa_quadratic",
            [[0, 0, 1], [3, 2, 2], [0, 0, 0]],
            1 - 9 * 8 / (1 * 2 + 4 * 3 + 7 * 3 + 7 * 3),
            [[0, 0, 1], [3, 3, 1], [0, 0, 0]],
            1 - 8 * 8 / (1 * 3 + 4 * 2 + 7 * 3 + 7 * 2),
        ),
    ],
)
def test_the_exceptions_are_real(name, before, value_before, after, value_after):
    assert values(name, before)[0] == approx(value_before)
    assert values(name, after)[0] == approx(value_after)
    assert value_after < value_before


@every_measure
def test_a_perfect_table_has_the_best_value_there_is(name, k):
    m, perfect = chosen(name, k), np.diag(np.arange(3.0, 3 + k))
    found = values(name, perfect)
    low, high = m.limits(Confusion(perfect).margins())
    if name == "lift":
        assert found == approx(perfect.sum() / perfect.diagonal())  # 1 / prevalence is the most there can be
    elif m.better == "higher":
        assert (found == high).all()
    elif m.better == "lower":
        assert (found == low).all()
