"""Weights and groups: effective rows, and the cases in which they must change nothing."""

import math

import numpy as np
import pytest
from scipy import stats

import surefold as sf
from surefold import catalogue
from surefold.estimates import clopper_pearson
from surefold.tallies.clusters import Clusters

approx = pytest.approx

RNG = np.random.default_rng(1)
TRUTH = RNG.integers(0, 3, 120)
ANSWER = np.where(RNG.random(120) < 0.7, TRUTH, RNG.integers(0, 3, 120))
NAMES = [n for n in catalogue.of_labels if n not in ("squared_loss", "expected_cost")]


def figures(name: str, truth=TRUTH, answer=ANSWER, **rows) -> sf.Estimate:
    return sf.measure(name, truth, answer, labels=[0, 1, 2], pos_label=1, **rows)


def numbers(e: sf.Estimate) -> tuple[float, ...]:
    return (e.value, e.low, e.high, e.se, e.n)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("weight", [1.0, 3.0, 0.01])
def test_equal_weights_of_any_size_change_nothing(name, weight):
    assert numbers(figures(name, sample_weight=np.full(120, weight))) == approx(numbers(figures(name)))


def test_weighted_accuracy_by_hand():
    # right: weights 1 1 2 2 4, wrong: 1 3; sum 14, squares 1+1+4+4+16+1+9 = 36, so weights are scaled by 14/36
    truth, answer, weights = [0, 0, 0, 1, 1, 0, 1], [0, 0, 0, 1, 1, 1, 0], [1, 1, 2, 2, 4, 1, 3]
    e = sf.measure("accuracy", truth, answer, sample_weight=weights)
    top, bottom, top2, bottom2 = 10 * 14 / 36, 14 * 14 / 36, 26 * (14 / 36) ** 2, 36 * (14 / 36) ** 2
    q = (top + 0.5) / (bottom + 1)  # with one row added, half of it right
    variance = ((top2 + 0.5) * (1 - q) ** 2 + (bottom2 - top2 + 0.5) * q**2) / (bottom + 1) ** 2
    n = q * (1 - q) / variance - 1  # the plain rows of that variance, less the added one
    assert e.value == approx(10 / 14)
    assert e.n == approx(n)
    assert e.interval == approx(clopper_pearson(n * 10 / 14, n).interval)
    p = 10 / 14
    assert e.se == approx(math.sqrt((26 * (1 - p) ** 2 + 10 * p**2) / 14**2))  # sum w^2 (x - p)^2 / (sum w)^2


def test_weighted_recall_takes_the_effective_rows_of_its_own_class():
    weights = RNG.uniform(0.1, 3, 120)
    own = TRUTH == 1
    right = own & (ANSWER == 1)
    p = weights[right].sum() / weights[own].sum()
    e = figures("recall", sample_weight=weights)
    assert e.value == approx(p)
    kish = weights[own].sum() ** 2 / (weights[own] ** 2).sum()
    assert e.n == approx(kish, rel=0.1)  # near Kish's figure when weights go with nothing
    assert e.interval == approx(clopper_pearson(p * e.n, e.n).interval)


@pytest.mark.parametrize("name", NAMES)
def test_one_group_each_is_no_groups_up_to_small_sample_corrections(name):
    # G/(G - 1) in the variance and (z/t)^2 in the effective rows; a class rests on its own groups, 33 or more of 120
    method = "exact" if catalogue[name].is_share else "auto"
    alone, grouped = figures(name, method=method), figures(name, groups=np.arange(120), method=method)
    assert grouped.value == alone.value
    if not catalogue[name].is_per_class or not math.isnan(grouped.se):
        assert 1 - 1e-9 <= (grouped.se / alone.se) ** 2 <= 33 / 32 + 1e-9
    z, t = stats.norm.ppf(0.975), stats.t.ppf(0.975, 32)
    wider = math.sqrt(33 / 32) * t / z
    if not catalogue[name].is_ratio:
        assert alone.width * 0.999 <= grouped.width <= alone.width * wider * 1.01


def test_one_group_each_for_accuracy_exactly():
    wrong = int((TRUTH != ANSWER).sum())
    p, n = 1 - wrong / 120, 120
    z, t = stats.norm.ppf(0.975), stats.t.ppf(0.975, 119)
    # every row its own group: the sandwich is G/(G-1) times the plain variance
    rows = n / (120 / 119) * (z / t) ** 2
    e = figures("accuracy", groups=np.arange(120))
    assert e.interval == approx(clopper_pearson(p * rows, rows).interval)


@pytest.mark.parametrize("name", NAMES)
def test_rows_doubled_in_groups_tell_what_single_rows_told(name):
    twice = np.repeat(np.arange(120), 2)
    alone = figures(name)
    doubled = figures(name, TRUTH[twice], ANSWER[twice], groups=twice)
    naive = figures(name, TRUTH[twice], ANSWER[twice])
    assert doubled.value == approx(alone.value)
    assert doubled.se == approx(alone.se, rel=0.03)  # √(G/(G - 1)), G the groups of the class: 20 or more
    if math.isfinite(alone.width):
        # t with fewer degrees of freedom where few groups hold the class, and the exact interval in place of Wilson's
        assert alone.width * 0.99 <= doubled.width <= alone.width * 1.2
        assert naive.width < 0.8 * alone.width
    # n counts what the rows are worth: half of those given
    assert doubled.n == approx(alone.n, rel=0.05)


def test_groups_never_narrow():
    # groups that balance right and wrong have a sandwich variance below the plain one: the effect is held at 1
    truth, answer = np.zeros(60, int), np.tile([0, 1], 30)
    truth[::3] = 1
    answer = np.where(np.arange(60) % 2 == 0, truth, 1 - truth)
    plain = sf.measure("accuracy", truth, answer)
    grouped = sf.measure("accuracy", truth, answer, groups=np.repeat(np.arange(30), 2))
    assert grouped.n == approx(plain.n)
    assert grouped.width > plain.width  # by (z/t)^2 alone


def test_few_clusters_are_flagged():
    assert "few_clusters" in figures("accuracy", groups=np.arange(120) % 9).flags
    assert "few_clusters" not in figures("accuracy", groups=np.arange(120) % 10).flags
    # kappa rests on every class: of the same groups those that hold few rows of one count less
    assert "few_clusters" in figures("kappa", groups=np.arange(120) % 10).flags
    assert "few_clusters" not in figures("kappa", groups=np.arange(120) % 30).flags


def test_one_group_says_nothing():
    e = figures("accuracy", groups=np.zeros(120))
    assert e.interval == approx((0, 1))
    assert figures("kappa", groups=np.zeros(120)).interval == approx((-1, 1))


@pytest.mark.parametrize("name", ["accuracy", "f1_macro", "recall", "mcc", "lr_plus"])
def test_zero_weight_removes_a_row_with_its_group(name):
    groups = np.arange(120) // 4
    weights = np.ones(120)
    gone = groups < 6  # six whole groups
    weights[gone] = 0
    zeroed = figures(name, sample_weight=weights, groups=groups)
    removed = figures(name, TRUTH[~gone], ANSWER[~gone], groups=groups[~gone])
    assert numbers(zeroed) == approx(numbers(removed))


@pytest.mark.parametrize("name", ["accuracy", "f1_macro", "recall", "mcc"])
def test_names_and_order_of_groups_do_not_matter(name):
    groups = np.arange(120) // 5
    renamed = np.array([f"patient {97 - g}" for g in groups])
    assert numbers(figures(name, groups=renamed)) == approx(numbers(figures(name, groups=groups)))


def test_cluster_robust_standard_error_by_hand():
    # groups of sizes 3 2 3 with 3 0 1 right: p = 4/8; sums of (x - c) over groups, c of the enlarged table
    right = np.array([1, 1, 1, 0, 0, 1, 0, 0])
    groups = np.array([0, 0, 0, 1, 1, 2, 2, 2])
    truth = np.array([0, 1, 0, 1, 0, 1, 0, 1])
    e = sf.measure("accuracy", truth, np.where(right, truth, 1 - truth), groups=groups)
    c, p = (4 + 0.5) / 9, 0.5
    sizes = np.array([3, 2, 3])
    sums = np.array([(right[groups == g] - c).sum() for g in range(3)]) / (1 - sizes / 8)  # as if left out
    robust = 2 / 3 * (sums**2).sum()
    plain = ((right - c) ** 2).sum()
    effect = robust / plain
    assert effect > 1
    assert e.se == approx(math.sqrt(p * (1 - p) / 8 * effect))
    assert e.n == approx(8 / effect)


def test_groups_of_one_size_get_the_usual_correction_and_unequal_ones_count_as_fewer():
    sizes = np.array([5, 5, 5, 5])
    even = Clusters(4, 2, np.arange(4), np.zeros(4, int), np.zeros(4, int), sizes.astype(float))
    assert even.effective_groups == approx(4)
    influence = np.array([0.1, -0.2, 0.3, -0.1])
    assert even.variance(influence) == approx(4 / 3 * ((5 * influence) ** 2).sum())  # G / (G - 1)
    skewed = Clusters(4, 2, np.arange(4), np.zeros(4, int), np.zeros(4, int), np.array([17.0, 1, 1, 1]))
    assert skewed.effective_groups == approx(20**2 / (17**2 + 3))


def test_weights_that_go_with_being_wrong_are_flagged_while_errors_are_few():
    truth = np.repeat([0, 1], 100)
    answer = truth.copy()
    answer[:4] = 1
    weights = np.where(truth == answer, 1.0, 4.0)
    e = figures("accuracy", truth, answer, sample_weight=weights)
    assert "few_weighted_errors" in e.flags  # four wrong rows
    assert "few_weighted_errors" not in figures("accuracy", truth, answer).flags


def test_errors_in_few_groups_are_flagged():
    truth = np.tile([0, 1], 100)
    groups = np.repeat(np.arange(40), 5)
    answer = np.where(groups < 5, 1 - truth, truth)  # all errors in five of forty groups
    assert "few_clusters" in figures("accuracy", truth, answer, groups=groups).flags
    spread = np.where(np.arange(200) % 5 == 0, 1 - truth, truth)  # one in every group
    assert "few_clusters" not in figures("accuracy", truth, spread, groups=groups).flags
