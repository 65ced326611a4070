"""Laws of the complex-step derivatives that all standard errors rest on."""

import numpy as np
import pytest

from surefold import Confusion, Measure, catalogue
from surefold.measures.gradient import gradient, one_vs_rest_gradient
from surefold.tallies.confusion import Table
from surefold.tallies.margins import Margins, OneVsRest
from surefold.tallies.sparse import SparseCounts

approx = pytest.approx
TABLE = [name for name, m in catalogue.of_labels.items() if not m.is_per_class]
PER_CLASS = [name for name, m in catalogue.of_labels.items() if m.is_per_class]
STEP = 1e-4


def chosen(name: str, k: int) -> Measure:
    costs = (1.0 + np.arange(k * k).reshape(k, k)) * (1 - np.eye(k))
    return catalogue[name].with_options(costs=costs) if name == "expected_cost" else catalogue[name]


def margins(m: Measure, counts: np.ndarray) -> Margins:
    k = counts.shape[-1]
    return Table(counts).margins(np.ones(k, dtype=bool), None if m.weigh is None else m.weigh(k, m.settings))


def tables(k: int, count: int = 8) -> np.ndarray:
    return np.random.default_rng(11).integers(1, 30, size=(count, k, k)).astype(float)


def classes_for(name: str) -> int:
    return 2 if name == "squared_loss" else 4


def test_every_measure_is_differentiated():
    assert set(TABLE) | set(PER_CLASS) == set(catalogue.of_labels)


@pytest.mark.parametrize("name", TABLE)
def test_table_gradient_equals_central_differences(name):
    k = classes_for(name)
    m = chosen(name, k)
    for counts in tables(k):
        slopes = gradient(m, margins(m, counts)).dense()
        cells = np.eye(k * k).reshape(k * k, k, k) * STEP
        up, down = (m(margins(m, counts + sign * cells)) for sign in (1, -1))
        differences = ((up - down) / (2 * STEP)).reshape(k, k)
        assert slopes == approx(differences, abs=1e-8)
        assert abs(differences).max() > 1e-4  # a zero derivative would pass anything


@pytest.mark.parametrize("name", PER_CLASS)
def test_one_vs_rest_gradient_equals_central_differences(name):
    m = catalogue[name]
    for counts in tables(3):
        table = Confusion(counts).one_vs_rest
        slopes = one_vs_rest_gradient(m, table)
        cells = [table.tp, table.fp, table.fn, table.tn]
        assert slopes.shape == (4, 3)
        for cell in range(4):
            up, down = ([x + sign * STEP * (i == cell) for i, x in enumerate(cells)] for sign in (1, -1))
            differences = (m(OneVsRest(*up)) - m(OneVsRest(*down))) / (2 * STEP)
            assert slopes[cell] == approx(differences, rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("name", TABLE)
def test_influence_values_have_mean_zero(name):
    # scaling all counts changes nothing, so (Euler) the counts times the derivatives add up to 0
    k = classes_for(name)
    m = chosen(name, k)
    for counts in tables(k):
        slopes = gradient(m, margins(m, counts)).dense()
        assert float((counts * slopes).sum()) == approx(0, abs=1e-10)


@pytest.mark.parametrize("name", PER_CLASS)
def test_influence_values_of_a_class_have_mean_zero(name):
    for counts in tables(3):
        t = Confusion(counts).one_vs_rest
        slopes = one_vs_rest_gradient(catalogue[name], t)
        assert (np.stack([t.tp, t.fp, t.fn, t.tn]) * slopes).sum(axis=0) == approx(np.zeros(3), abs=1e-8)


@pytest.mark.parametrize("name", TABLE)
def test_a_stack_of_tables_equals_the_loop(name):
    k = classes_for(name)
    m, stack = chosen(name, k), tables(k, 6)
    whole = gradient(m, margins(m, stack)).dense()
    for i, counts in enumerate(stack):
        assert whole[i] == approx(gradient(m, margins(m, counts)).dense(), abs=1e-14)


@pytest.mark.parametrize("name", PER_CLASS)
def test_a_stack_of_classes_equals_the_loop(name):
    m, stack = catalogue[name], tables(3, 6)
    whole = one_vs_rest_gradient(m, Confusion(stack).one_vs_rest)
    for i, counts in enumerate(stack):
        assert whole[i] == approx(one_vs_rest_gradient(m, Confusion(counts).one_vs_rest), abs=1e-14)


@pytest.mark.parametrize("name", [n for n in TABLE if n not in ("squared_loss", "expected_cost")])
def test_classes_that_look_alike_share_a_derivative(name):
    # Above 50 classes each kind of class is differentiated once: same answer as one class at a time.
    k, rng = 60, np.random.default_rng(12)
    counts = np.diag(rng.integers(2, 4, k).astype(float))
    counts[np.arange(k), (np.arange(k) + 1) % k] += 1
    m = chosen(name, k)
    slopes = gradient(m, margins(m, counts)).dense()
    for i, j in ((0, 0), (0, 1), (5, 5), (7, 30), (59, 0)):
        moved = np.zeros((2, k, k))
        moved[0, i, j], moved[1, i, j] = STEP, -STEP
        up, down = m(margins(m, counts + moved))
        assert slopes[i, j] == approx((up - down) / (2 * STEP), abs=1e-8)


@pytest.mark.parametrize("name", TABLE)
def test_at_listed_cells_and_by_sparse_variance(name):
    k = classes_for(name)
    m, counts = chosen(name, k), tables(k)[0]
    slopes = gradient(m, margins(m, counts))
    true, predicted = np.nonzero(counts)
    assert slopes.at(true, predicted) == approx(slopes.dense()[true, predicted])
    sparse = SparseCounts.collect(k, true, predicted, counts[true, predicted])
    assert float(slopes.variance(Table(sparse))) == approx(float(slopes.variance(Table(counts))))
