"""Many classes: influence by finite differences, two classes as the special case, weights and groups, the edges."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from surefold.errors import UnknownNameError
from surefold.estimates import clopper_pearson, wilson
from surefold.estimates.auc import auc_estimate
from surefold.estimates.estimate import Estimate
from surefold.estimates.grouping import NOT_GROUPED, row_design
from surefold.estimates.multiclass_auc import enlarged_matrix, matrix_estimate, share_estimate
from surefold.estimates.of_scores import ScoreEstimates
from surefold.measures.ranking import top_k_accuracy
from surefold.measures.row_moves import row_move
from surefold.measures.score_measure import SCORE_REGISTERED, ScoreMeasure
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

approx = pytest.approx
AVERAGES = {name: m.average for name, m in SCORE_REGISTERED.items() if m.average is not None}
AREAS = [name for name in AVERAGES if SCORE_REGISTERED[name].interval == "area"]


def matrix(seed: int, n: int = 90, k: int = 3, shift: float = 1.2, digits: int = 1) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % k if seed % 2 else np.sort(rng.choice(k, n, p=np.arange(1, k + 1) / (k * (k + 1) / 2)))
    x = np.round(rng.normal(size=(n, k)) + shift * np.eye(k)[truth], digits)
    return ScoreMatrix(x, truth, tuple("abcdefgh"[:k]))


def test_every_measure_of_a_matrix_has_an_interval():
    of_matrix = {
        m.name for m in SCORE_REGISTERED.values() if m.reads == "matrix" and m.formula.__module__.endswith(".ranking")
    }
    assert of_matrix == {*AVERAGES, "top_k_accuracy"}


@pytest.mark.parametrize("name", AVERAGES)
@pytest.mark.parametrize("seed", [0, 1])
def test_influence_is_the_derivative(name, seed):
    m = matrix(seed, 40)
    weights = np.random.default_rng(seed).uniform(0.5, 2, m.n)
    m, step, measure = replace(m, weights=weights), 1e-5, SCORE_REGISTERED[name]
    value, slopes = AVERAGES[name].value_and_moves(m)
    assert value == approx(measure(m))
    assert weights @ slopes == approx(0, abs=1e-12)
    for i in range(0, m.n, 5):
        values = []
        for sign in (1, -1):
            moved = weights.copy()
            moved[i] += sign * step
            values.append(measure(replace(m, weights=moved)))
        assert slopes[i] == approx((values[0] - values[1]) / (2 * step), abs=1e-7)


@pytest.mark.parametrize("name", AREAS)
@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_are_the_plain_area(name, weighted):
    m = matrix(1, 60, 2)
    s = m.scores[:, 1]
    w = np.random.default_rng(0).uniform(0.2, 2, m.n) if weighted else None
    two = replace(m, scores=np.column_stack([-s, s]), weights=w)
    e, plain = matrix_estimate(SCORE_REGISTERED[name], two), auc_estimate(ScoreGroups.of(s, m.truth == 1, w))
    assert e.value == approx(plain.value)
    assert e.interval == approx(plain.interval)
    assert e.flags == plain.flags
    assert e.n == approx(plain.n)


def test_the_added_row_by_hand():
    m = matrix(0, 60)
    rows = np.bincount(m.truth)
    bigger, squares = enlarged_matrix(m)
    share = (1 / rows) / (1 / rows).sum()
    assert bigger.weights is not None
    assert bigger.weights[60:] == approx(np.concatenate([share, share]) / 2)
    assert bigger.weights.sum() == approx(61)
    assert squares == approx(bigger.weights)
    assert bigger.scores[60].tolist() == [np.inf, -np.inf, -np.inf]
    e = matrix_estimate(SCORE_REGISTERED["roc_auc_hand_till"], m)
    c, slopes = AVERAGES["roc_auc_hand_till"].value_and_moves(bigger)
    n = c * (1 - c) / float(squares @ slopes**2)
    assert e.interval == approx([stats.beta.ppf(p, n * c, n * (1 - c)) for p in (0.025, 0.975)])


def estimate_of(measure: ScoreMeasure, m: ScoreMatrix) -> Estimate:
    """A mean over classes, or a share of the rows with what groups do to it."""
    if measure.average is not None:
        return matrix_estimate(measure, m)
    known = NOT_GROUPED if m.n == 0 else row_design(row_move(measure, m).of(m), m.weights, m.groups)
    return share_estimate(measure, m, known)


@pytest.mark.parametrize("name", [*AVERAGES, "top_k_accuracy"])
def test_edges(name):
    measure = SCORE_REGISTERED[name]
    for m in (matrix(1, 60, 3, 1000.0), matrix(1, 60, 3, -1000.0), replace(matrix(1, 60), scores=np.zeros((60, 3)))):
        e = estimate_of(measure, m)
        assert 0 <= e.low <= e.value <= e.high <= 1
        assert e.width > 0.005
        if e.value in (0, 1):
            assert "degenerate" in e.flags


@pytest.mark.parametrize("name", AVERAGES)
def test_a_class_without_rows(name):
    e = matrix_estimate(SCORE_REGISTERED[name], ScoreMatrix(np.eye(3), np.array([0, 1, 1]), ("a", "b", "c")))
    assert e.reason == "needs rows of every class, and 'c' has none"
    assert not e.defined


@pytest.mark.parametrize("name", [*AVERAGES, "top_k_accuracy"])
def test_weights_and_groups(name):
    measure, m = SCORE_REGISTERED[name], matrix(1, 90)
    plain = estimate_of(measure, m)
    assert estimate_of(measure, replace(m, weights=np.full(90, 2.0))).interval == approx(plain.interval)
    weighted = estimate_of(measure, replace(m, weights=np.random.default_rng(3).lognormal(size=90)))
    assert weighted.width > plain.width
    four = ScoreMatrix(
        np.repeat(m.scores, 4, axis=0), np.repeat(m.truth, 4), m.labels, None, np.repeat(np.arange(90), 4)
    )
    grouped = estimate_of(measure, four)
    assert grouped.se == approx(plain.se, rel=0.08)
    assert grouped.width == approx(plain.width, rel=0.25)
    few = replace(four, groups=np.repeat(np.arange(6), 60))
    if name != "top_k_accuracy":  # whose groups are told of where they are counted
        assert "few_clusters" in estimate_of(measure, few).flags


def test_flags():
    small = matrix(1, 24)
    assert "few_of_a_class" in matrix_estimate(SCORE_REGISTERED["roc_auc_ovr"], small).flags
    assert "few_positives" in matrix_estimate(SCORE_REGISTERED["average_precision_macro"], small).flags
    assert matrix_estimate(SCORE_REGISTERED["roc_auc_ovr"], matrix(1, 120)).flags == ()


def test_top_k_is_a_share():
    m = matrix(1, 60)
    first = top_k_accuracy.with_options(k=1)
    hits = 60 * first.formula(m, k=1)
    assert estimate_of(first, m).interval == approx(wilson(float(hits), 60).interval)
    sure = estimate_of(top_k_accuracy, matrix(1, 60, 3, 1000.0))
    assert sure.method == "clopper_pearson"
    assert sure.interval == approx(clopper_pearson(60, 60).interval)
    empty = ScoreMatrix(np.zeros((0, 3)), np.zeros(0, dtype=int), ("a", "b", "c"))
    assert estimate_of(top_k_accuracy, empty).reason


def test_measures_of_a_matrix_have_their_methods_by_name():
    with pytest.raises(UnknownNameError):
        ScoreEstimates(None, matrix(0), 0.95).measure("roc_auc_ovr", method="delong")
