"""The one-row interval: by hand, as a special case of known ones, and at the edges it was made for."""

import math

import numpy as np
import pytest
from scipy import stats

import surefold as sf
from surefold import Confusion, catalogue
from surefold.estimates import clopper_pearson
from surefold.estimates.intervals import table_intervals
from surefold.estimates.of_table import TableEstimates
from surefold.estimates.one_row import beta_interval, effective_rows, one_row_moments
from surefold.estimates.sample import Sample
from surefold.measures.added import enlarged
from surefold.measures.gradient import gradient
from surefold.tallies.confusion import Table
from surefold.tallies.margins import Margins

approx = pytest.approx
TABLE_MEASURES = [name for name, m in catalogue.of_labels.items() if not m.is_per_class]
PER_CLASS = [name for name, m in catalogue.of_labels.items() if m.is_per_class]


# independent formulas, on a plain k x k array, for the hand-made route


def macro_recall(t: np.ndarray) -> float:
    return float(np.mean(np.diag(t) / t.sum(axis=1)))


def kappa(t: np.ndarray) -> float:
    n = t.sum()
    observed, chance = np.trace(t) / n, (t.sum(axis=1) @ t.sum(axis=0)) / n**2
    return float((observed - chance) / (1 - chance))


def linear_kappa(t: np.ndarray) -> float:
    places = np.arange(len(t))
    steps = abs(places[:, None] - places)
    return float(1 - (steps * t).sum() * t.sum() / (t.sum(axis=1) @ steps @ t.sum(axis=0)))


def with_one_row(t: np.ndarray) -> np.ndarray:
    """Half right and half wrong, shared over the classes by 1/rows; the wrong half spread evenly off the diagonal."""
    k, rows = len(t), t.sum(axis=1)
    w = (1 / rows) / (1 / rows).sum()
    bigger = t + np.where(np.eye(k, dtype=bool), w[:, None] / 2, w[:, None] / (2 * (k - 1)))
    assert bigger.sum() == approx(t.sum() + 1)
    return np.asarray(bigger)


def by_hand(formula, t: np.ndarray, least: float, confidence: float = 0.95) -> tuple[float, float]:
    t = np.asarray(t, dtype=float)
    bigger = with_one_row(t)
    c, variance, step = formula(bigger), 0.0, 1e-5
    for i in range(len(t)):
        for j in range(len(t)):
            up, down = bigger.copy(), bigger.copy()
            up[i, j] += step
            down[i, j] -= step
            variance += bigger[i, j] * ((formula(up) - formula(down)) / (2 * step)) ** 2
    spread = 1 - least
    unit, v = (c - least) / spread, variance / spread**2
    rows = unit * (1 - unit) / v
    tail = (1 - confidence) / 2
    low = stats.beta.ppf(tail, rows * unit - 0.5, rows * (1 - unit) + 0.5)
    high = stats.beta.ppf(1 - tail, rows * unit + 0.5, rows * (1 - unit) - 0.5)
    return least + spread * low, least + spread * high


def test_the_added_cells_of_a_two_class_table_by_hand():
    # rows 8 and 2: w = (1/8, 1/2) / (5/8) = (.2, .8)
    margins, share = enlarged(Confusion([[7, 1], [1, 1]]).margins())
    assert share == approx([0.2, 0.8])
    assert margins.tp == approx([7 + 0.1, 1 + 0.4])
    assert margins.actual == approx([8.2, 2.8])
    assert margins.called == approx([7 + 0.1 + 1 + 0.4, 1 + 0.1 + 1 + 0.4])
    assert margins.total == approx(11)


def test_macro_recall_of_a_two_class_table_by_hand():
    # enlarged cells 7.1 1.1 / 1.4 1.4; recall 7.1/8.2 and 1.4/2.8; v = (1/4) sum r(1 - r)/rows
    r1, r2 = 7.1 / 8.2, 1.4 / 2.8
    c = (r1 + r2) / 2
    v = (r1 * (1 - r1) / 8.2 + r2 * (1 - r2) / 2.8) / 4
    n_e = c * (1 - c) / v
    low = stats.beta.ppf(0.025, n_e * c - 0.5, n_e * (1 - c) + 0.5)
    high = stats.beta.ppf(0.975, n_e * c + 0.5, n_e * (1 - c) - 0.5)
    e = Confusion([[7, 1], [1, 1]]).measure("recall_macro")
    assert e.value == approx((7 / 8 + 1 / 2) / 2)  # without the added row
    assert e.interval == approx((low, high), abs=1e-9)
    assert e.method == "one_row"
    # se is the delta one on the data themselves
    assert e.se == approx(math.sqrt((7 / 8 * 1 / 8 / 8 + 1 / 4 / 2) / 4))


@pytest.mark.parametrize(
    "table",
    [
        [[7, 1], [1, 1]],
        [[50, 3], [8, 20]],
        [[5, 0], [0, 6]],
        [[10, 0, 0], [0, 7, 3], [0, 5, 5]],
        [[88, 14, 18], [10, 40, 10], [2, 6, 12]],
    ],
)
@pytest.mark.parametrize(
    ("name", "formula", "least"),
    [("recall_macro", macro_recall, 0), ("kappa", kappa, -1), ("kappa_linear", linear_kappa, -1)],
)
@pytest.mark.parametrize("confidence", [0.95, 0.8])
def test_against_finite_differences_on_the_enlarged_table(table, name, formula, least, confidence):
    e = Confusion(table).measure(name, confidence=confidence)
    low, high = by_hand(formula, table, least, confidence)
    assert e.value == approx(formula(np.asarray(table, float)))
    assert e.low == approx(low, abs=1e-7)
    assert e.high == approx(1 if e.value == 1 else high, abs=1e-7)


@pytest.mark.parametrize("confidence", [0.5, 0.95])
def test_for_accuracy_it_is_exactly_clopper_pearson(confidence):
    for table in ([[7, 3], [7, 13]], [[5, 0], [0, 6]], [[0, 2], [9, 0]], [[10, 0, 0], [0, 7, 3], [0, 5, 5]], [[1]]):
        counts = np.asarray(table)
        e = Confusion(table).measure("accuracy", method="one_row", confidence=confidence)
        exact = clopper_pearson(int(np.trace(counts)), int(counts.sum()), confidence=confidence)
        assert e.interval == approx(exact.interval, abs=1e-9)
        assert e.method == "one_row"


def test_above_95_per_cent_more_rows_are_added_by_hand():
    # 10 rows a class, of which 8 and 7 right; r = (3.2905 / 1.95996)^2 rows at 99.9 %: r/4 right and r/4 wrong in each
    r = (stats.norm.ppf(0.9995) / stats.norm.ppf(0.975)) ** 2
    ends = []
    for rows in (1, r):
        held = 10 + rows / 2
        first, second = (8 + rows / 4) / held, (7 + rows / 4) / held
        c, v = (first + second) / 2, (first * (1 - first) + second * (1 - second)) / held / 4
        n = c * (1 - c) / v
        low = stats.beta.ppf(0.0005, n * c - 0.5, n * (1 - c) + 0.5)
        ends.append((low, stats.beta.ppf(0.9995, n * c + 0.5, n * (1 - c) - 0.5)))
    (low1, high1), (low2, high2) = ends
    e = Confusion([[8, 2], [3, 7]]).measure("balanced_accuracy", confidence=0.999)
    assert low2 < low1  # each has one of the two ends
    assert high2 < high1
    assert e.interval == approx((low2, high1), abs=1e-9)
    assert e.pessimistic == approx(Confusion([[8, 2], [3, 7]]).measure("balanced_accuracy").pessimistic)


def test_error_rate_mirrors_accuracy_and_squared_loss_is_four_times_it():
    table = Confusion([[7, 3], [7, 13]])
    right, wrong, loss = (table.measure(name, method="one_row") for name in ("accuracy", "error_rate", "squared_loss"))
    assert wrong.interval == approx((1 - right.high, 1 - right.low), abs=1e-9)
    assert loss.interval == approx((4 * wrong.low, 4 * wrong.high), abs=1e-9)


@pytest.mark.parametrize("name", TABLE_MEASURES)
def test_the_batched_route_equals_one_table_at_a_time(name):
    k = 2 if name == "squared_loss" else 3
    rng = np.random.default_rng(5)
    tables = rng.integers(1, 30, size=(6, k, k)).astype(float)
    m = _with_costs(name, k)
    stack = Table(tables)
    found = table_intervals(m, Sample(stack, stack, np.ones(k, dtype=bool)), 0.95)
    for i, table in enumerate(tables):
        e = TableEstimates(Confusion(table)).overall(m)
        batched = (found.value[i], found.low[i], found.high[i], found.se[i])
        assert batched == approx((e.value, e.low, e.high, e.se), abs=1e-9)


@pytest.mark.parametrize("name", PER_CLASS)
def test_the_batched_route_per_class(name):
    rng = np.random.default_rng(6)
    tables = rng.integers(1, 30, size=(4, 3, 3)).astype(float)
    stack = Table(tables)
    found = table_intervals(catalogue[name], Sample(stack, stack, np.ones(3, dtype=bool)), 0.95)
    for i, table in enumerate(tables):
        for c, e in enumerate(TableEstimates(Confusion(table)).per_class(catalogue[name])):
            batched = (found.value[i, c], found.low[i, c], found.high[i, c], found.se[i, c])
            assert batched == approx((e.value, e.low, e.high, e.se), abs=1e-9)


@pytest.mark.parametrize(
    "table",
    [[[20, 0], [0, 20]], [[0, 20], [20, 0]], [[1, 0], [0, 1]], [[300, 0, 0], [0, 2, 0], [0, 0, 40]], [[0, 9], [0, 9]]],
    ids=["perfect", "all wrong", "two rows", "perfect and uneven", "constant"],
)
def test_never_of_zero_width_and_never_nan_where_the_value_is_defined(table):
    table = Confusion(table)
    estimates = TableEstimates(table)
    seen = 0
    for name in catalogue.of_labels:
        m = _with_costs(name, table.classes)
        for e in estimates.per_class(m) if m.is_per_class else (estimates.overall(m),):
            if e.defined:
                assert e.low < e.high, name
                seen += 1
    assert seen > 20


def test_a_perfect_score_says_how_sure_it_is():
    # 20 of 20: the bound is that of Clopper-Pearson for a share; macro recall has two halves of ten
    perfect = Confusion([[10, 0], [0, 10]]).measure("recall_macro")
    assert perfect.high == 1
    # w = (.5, .5): recalls 10.25/10.5; v = 2 r(1 - r)/10.5 / 4 => n_e = 21, so exactly 20 of 20
    assert perfect.low == approx(0.025 ** (1 / 20), abs=1e-9)
    assert "degenerate" in perfect.flags


def test_where_rows_cannot_move_the_measure_the_interval_is_the_whole_range():
    # one true class: kappa is 0 whatever was answered, and weighted precision 1; nothing is learnt from that
    table = Confusion([[4, 2], [0, 0]])
    assert table.measure("kappa").interval == (-1, 1)
    assert table.measure("precision_weighted").interval == (0, 1)
    assert table.measure("lift", 0).interval == (0, math.inf)


@pytest.mark.parametrize("shape", [0.0, 0.5])
def test_beta_interval_scales_with_its_limits(shape):
    unit = beta_interval(0.7, 30.0, 0.71, (0.0, 1.0), 0.95, shape)
    wide = beta_interval(2 * 0.7 - 1, 30.0, 0.42, (-1.0, 1.0), 0.95, shape)
    assert [2 * float(x) - 1 for x in unit] == approx([float(x) for x in wide])
    low = stats.beta.ppf(0.025, 30 * 0.7 - shape, 30 * 0.3 + shape)
    high = stats.beta.ppf(0.975, 30 * 0.7 + shape, 30 * 0.3 - shape)
    assert [float(x) for x in unit] == approx([low, high])


def test_effective_rows_of_a_share_are_its_rows():
    p, n = 0.3, 50
    assert float(effective_rows(p, p * (1 - p) / n, (0.0, 1.0))) == approx(n)
    assert float(effective_rows(2 * p - 1, 4 * p * (1 - p) / n, (-1.0, 1.0))) == approx(n)
    assert float(effective_rows(0.5, 0.0, (0.0, 1.0))) == 0


def test_variance_by_margins_equals_the_sum_over_cells():
    rng = np.random.default_rng(9)
    counts = rng.integers(0, 9, size=(5, 5)).astype(float) + np.eye(5)
    for name in TABLE_MEASURES:
        if name == "squared_loss":
            continue
        m = _with_costs(name, 5)
        margins = Confusion(counts).margins(None if m.weigh is None else m.weigh(5, m.settings))
        slopes = gradient(m, margins)
        assert float(slopes.variance(Table(counts))) == approx(float((counts * slopes.dense() ** 2).sum())), name


def test_moments_count_the_added_row_in_the_variance():
    counts = np.array([[7.0, 1.0], [1.0, 1.0]])
    margins = Confusion(counts).margins()
    centre, variance, slopes = one_row_moments(catalogue["mcc"], margins, Table(counts))
    assert isinstance(margins, Margins)
    bigger = with_one_row(counts)
    assert float(centre) == approx(float(catalogue["mcc"](Confusion(bigger).margins())))
    assert float(variance) == approx(float((bigger * slopes.dense() ** 2).sum()))


@pytest.mark.parametrize("name", ["kappa", "f1_macro", "expected_cost"])
def test_log_and_unit_scales_are_picked_by_the_range(name):
    table = Confusion([[50, 3], [8, 20]])
    m = _with_costs(name, 2)
    e = TableEstimates(table).overall(m)
    least, greatest = m.limits(table.margins())
    assert least <= e.low < e.value < e.high <= greatest
    ratio = table.measure("lr_plus", 0)
    assert 0 < ratio.low < ratio.value < ratio.high


def test_likelihood_ratio_interval_by_hand():
    # two-class, rows 10 and 20: w = (2/3, 1/3); cells 7, 3 / 7, 13 and the added halves
    tp, fn, fp, tn = 7 + 1 / 3, 3 + 1 / 3, 7 + 1 / 6, 13 + 1 / 6
    c = (tp / (tp + fn)) / (fp / (fp + tn))
    log_variance = 1 / tp - 1 / (tp + fn) + 1 / fp - 1 / (fp + tn)  # of a ratio of two shares (Katz)
    # on s = x^.8 / (1 + x^.8): ds = .8 s (1 - s) d(log x), so n_e = 1 / (.64 s (1 - s) var(log x))
    s = c**0.8 / (1 + c**0.8)
    n = 1 / (0.64 * s * (1 - s) * log_variance)
    low = stats.beta.ppf(0.025, n * s - 0.5, n * (1 - s) + 0.5)
    high = stats.beta.ppf(0.975, n * s + 0.5, n * (1 - s) - 0.5)
    bounds = [(x / (1 - x)) ** (1 / 0.8) for x in (low, high)]
    e = Confusion([[7, 3], [7, 13]]).measure("positive_likelihood_ratio", 0)
    assert e.value == approx(2)
    assert e.interval == approx(bounds, rel=1e-9)


def test_rare_class_flag():
    assert "rare_class" in Confusion([[80, 5], [2, 7]]).measure("f1_macro").flags  # 9 rows
    assert "rare_class" not in Confusion([[80, 5], [2, 8]]).measure("f1_macro").flags  # 10 rows
    assert "rare_class" not in Confusion([[80, 5], [2, 7]]).measure("accuracy").flags  # a share says it by its width


def _with_costs(name: str, k: int) -> sf.Measure:
    if name != "expected_cost":
        return catalogue[name]
    places = np.arange(k)
    return catalogue[name].with_options(costs=abs(places[:, None] - 2 * places))
