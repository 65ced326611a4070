"""Measures of order: worked figures, two routes to one number, equality with scikit-learn, laws."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn import metrics as sk

from surefold.errors import InputError
from surefold.measures.ranking import (
    average_precision,
    average_precision_macro,
    average_precision_weighted,
    gini,
    ks,
    roc_auc,
    roc_auc_hand_till,
    roc_auc_ovo,
    roc_auc_ovo_weighted,
    roc_auc_ovr,
    roc_auc_ovr_weighted,
    top_k_accuracy,
)
from surefold.measures.score_measure import SCORE_REGISTERED
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

approx = pytest.approx

TAB22_5 = [.93, .82, .80, .77, .74, .71, .69, .67, .66, .61, .59, .55, .55, .53, .47, .30, .26, .11, .04, 2.97e-3,
           1.28e-3, 2.55e-7, 6.99e-8, 3.11e-8, 3.109e-8, 1.53e-8, 9.76e-9, 2.08e-9, 1.95e-9, 7.83e-10]  # fmt: skip
TAB22_5_POSITIVE = [2, 4, 5, 6, 8, 13, 14, 15, 16, 17]
SARTORI = [.840, .840, .795, .681, .562, .562, .521, .284, .227, .127, .104, .091, .039, .027, .027, .027, .017, .017,
           .000]  # fmt: skip
SARTORI_Y = [1, 1, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0]
Q22_5 = [.53, .86, .25, .95, .87, .86, .76, .94, .44, .86]  # fmt: skip
Q22_5_Y = [c == "+" for c in "+-++-+-+--"]


def tally(scores, is_positive, weights=None) -> ScoreGroups:
    w = None if weights is None else np.asarray(weights, dtype=float)
    return ScoreGroups.of(np.asarray(scores, dtype=float), np.asarray(is_positive, dtype=bool), w)


def pairs(scores, is_positive, weights=None) -> float:
    """The area by counting every pair."""
    s, y = np.asarray(scores, dtype=float), np.asarray(is_positive, dtype=bool)
    w = np.ones(len(s)) if weights is None else np.asarray(weights, dtype=float)
    won = (s[y][:, None] > s[~y]) + 0.5 * (s[y][:, None] == s[~y])
    return float((w[y][:, None] * w[~y] * won).sum() / (w[y].sum() * w[~y].sum()))


# worked figures


def test_table_22_5():
    y = np.isin(np.arange(1, 31), TAB22_5_POSITIVE)
    t = tally(TAB22_5, y)
    # of 10 x 20 pairs, those with the negative above; the positive at .55 is also tied with one
    above = [sum(s > p for s, c in zip(TAB22_5, y, strict=True) if not c) for p in np.array(TAB22_5)[y]]
    assert above == [1, 2, 2, 2, 3, 6, 7, 7, 7, 7]
    worst, best = 200 - sum(above) - 1, 200 - sum(above)
    assert (worst / 200, best / 200) == (0.775, 0.78)
    assert t.auc_bounds == approx((worst / 200, best / 200))
    assert roc_auc(t) == approx((worst + 0.5) / 200) == approx(0.7775)


def test_example_22_5():
    t = tally([0.9, 0.8, 0.8, 0.8, 0.1], [1, 0, 1, 1, 0])
    # (0,0) (0,1/3) (.5,1) (1,1): trapezoids 0, (1/3 + 1)/2 x .5, 1 x .5
    assert roc_auc(t) == approx((1 / 3 + 1) / 2 * 0.5 + 0.5) == approx(0.8333, abs=5e-5)
    assert gini(t) == approx(2 * 5 / 6 - 1)
    assert ks(t) == approx(max(1 / 3 - 0, 1 - 0.5))
    # positives meet precision 1/1, then 3/4 twice
    assert average_precision(t) == approx((1 + 3 / 4 + 3 / 4) / 3)


def test_question_22_5():
    # positives .53 .25 .95 .86 .94 beat 1, 0, 5, 2 + 2/2 (.86 ties .86 twice, .87 above), 5 of the five negatives
    assert roc_auc(tally(Q22_5, Q22_5_Y)) == approx((1 + 0 + 5 + 3 + 5) / 25) == approx(0.56)


def test_sartori():
    # the first four positives beat all 14 negatives, the last one 9 of them
    assert roc_auc(tally(SARTORI, SARTORI_Y)) == approx((4 * 14 + 9) / 70) == approx(65 / 70)


def test_constant_scores_are_chance():
    t = tally([1, 1, 1, 1], [1, 0, 1, 0])
    assert (roc_auc(t), gini(t), ks(t), average_precision(t)) == (0.5, 0.0, 0.0, 0.5)


@pytest.mark.parametrize("y", [[1, 1, 1], [0, 0, 0]])
@pytest.mark.parametrize("measure", [roc_auc, gini, ks, average_precision])
def test_one_class_alone_is_undefined(measure, y):
    assert np.isnan(measure(tally([1, 2, 3], y)))
    assert measure.undefined == "needs both classes"


def test_scores_the_wrong_way_round_are_not_flipped():
    t = tally([1, 2, 3, 4], [1, 1, 0, 0])
    assert (roc_auc(t), gini(t), ks(t)) == (0, -1, 0)


# two routes, scikit-learn, laws

ROWS = st.lists(
    st.tuples(st.integers(-4, 4), st.booleans(), st.sampled_from([0.25, 0.5, 1.0, 3.0])), min_size=2, max_size=40
).filter(lambda rows: len({y for _, y, _ in rows}) == 2)


def columns(rows):
    s, y, w = (np.array(column) for column in zip(*rows, strict=True))
    return s.astype(float), y.astype(bool), w.astype(float)


@settings(max_examples=150, deadline=None)
@given(ROWS)
def test_pairs_ranks_trapezoids_and_scikit_learn_agree(rows):
    s, y, w = columns(rows)
    t, weighted = tally(s, y), tally(s, y, w)
    u = stats.mannwhitneyu(s[y], s[~y], method="asymptotic").statistic
    steps = np.diff(np.append(0, t.fp)) @ (t.tp - t.positive / 2) / (t.positives * t.negatives)
    assert roc_auc(t) == approx(pairs(s, y)) == approx(u / (y.sum() * (~y).sum())) == approx(steps)
    assert roc_auc(t) == approx(sk.roc_auc_score(y, s))
    assert roc_auc(weighted) == approx(pairs(s, y, w)) == approx(sk.roc_auc_score(y, s, sample_weight=w))
    assert average_precision(t) == approx(sk.average_precision_score(y, s))
    assert average_precision(weighted) == approx(sk.average_precision_score(y, s, sample_weight=w))
    fpr, tpr, _ = sk.roc_curve(y, s, sample_weight=w)
    assert ks(weighted) == approx((tpr - fpr).max())
    assert ks(t) == approx(stats.ks_2samp(s[y], s[~y], alternative="less", method="asymp").statistic)


@settings(max_examples=60, deadline=None)
@given(ROWS)
def test_laws(rows):
    s, y, w = columns(rows)
    t = tally(s, y, w)
    for measure in (roc_auc, gini, ks, average_precision):
        assert measure(tally(np.exp(s) * 3 - 1, y, w)) == approx(measure(t))  # only order counts
        assert measure(tally(np.append(s, s), np.append(y, y))) == approx(measure(tally(s, y, np.full(len(s), 2.0))))
        half = len(s) // 2
        merged = tally(s[:half], y[:half], w[:half]) + tally(s[half:], y[half:], w[half:])
        assert measure(merged) == approx(measure(t))
        assert measure(tally(np.append(s, 0.5), np.append(y, True), np.append(w, 0.0))) == approx(measure(t))
    assert roc_auc(t.mirrored()) == approx(roc_auc(t))
    assert roc_auc(tally(-s, y, w)) == approx(1 - roc_auc(t))
    assert ks(t.mirrored()) == approx(ks(t))


# many classes


def matrix(seed: int, weighted: bool) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    k = int(rng.integers(3, 6))
    n = int(rng.integers(3 * k, 120))
    truth = np.concatenate([np.arange(k), rng.choice(k, n, p=rng.dirichlet(np.ones(k)))])
    x = rng.normal(size=(len(truth), k)) + np.eye(k)[truth] * rng.uniform(0, 2)
    p = np.exp(np.round(x, 1 if seed % 2 else 6))
    w = rng.uniform(0.1, 3, len(truth)) if weighted else None
    return ScoreMatrix(p / p.sum(axis=1, keepdims=True), truth, tuple(range(k)), w)


@pytest.mark.parametrize("weighted", [False, True])
def test_many_classes_equal_scikit_learn(weighted):
    for seed in range(40):
        m = matrix(seed, weighted)
        for ours, average in ((roc_auc_ovr, "macro"), (roc_auc_ovr_weighted, "weighted")):
            theirs = sk.roc_auc_score(m.truth, m.scores, multi_class="ovr", average=average, sample_weight=m.weights)
            assert ours(m) == approx(theirs)
        for ours, average in ((average_precision_macro, "macro"), (average_precision_weighted, "weighted")):
            theirs = sk.average_precision_score(m.truth, m.scores, average=average, sample_weight=m.weights)
            assert ours(m) == approx(theirs)
        for k in range(1, m.classes):
            theirs = sk.top_k_accuracy_score(m.truth, m.scores, k=k, sample_weight=m.weights)
            assert top_k_accuracy.formula(m, k=k) == approx(theirs)
        if not weighted:
            for ours, average in (
                (roc_auc_ovo, "macro"),
                (roc_auc_hand_till, "macro"),
                (roc_auc_ovo_weighted, "weighted"),
            ):
                assert ours(m) == approx(sk.roc_auc_score(m.truth, m.scores, multi_class="ovo", average=average))


def test_weight_two_is_twice_the_row():
    m = matrix(3, False)
    times = np.random.default_rng(1).integers(1, 4, m.n)
    repeated = ScoreMatrix(np.repeat(m.scores, times, axis=0), np.repeat(m.truth, times), m.labels)
    weighed = ScoreMatrix(m.scores, m.truth, m.labels, times.astype(float))
    for measure in SCORE_REGISTERED.values():
        if measure.reads == "matrix" and measure.formula.__module__.endswith("ranking"):
            assert measure(weighed) == approx(measure(repeated)), measure.name


def test_hand_till_by_hand():
    # column a: class a scores .6 .5 against b's .5 .1: 3.5 of 4, against c's .2: 2 of 2; and so on
    scores = np.array([[0.6, 0.2, 0.2], [0.5, 0.4, 0.1], [0.5, 0.4, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]])
    m = ScoreMatrix(scores, np.array([0, 0, 1, 1, 2]), ("a", "b", "c"))
    ab = (3.5 / 4 + 3.5 / 4) / 2  # a over b by column a; b over a by column b: .4 beats .2 and ties .4, .8 beats both
    ac = (2 / 2 + 2 / 2) / 2
    bc = (2 / 2 + 2 / 2) / 2
    bc_by_b = 2 / 2  # .4 and .8 over .3
    ac_by_a = 2 / 2  # .6 and .5 over .2
    assert bc_by_b == ac_by_a == 1
    assert roc_auc_hand_till(m) == approx((ab + ac + bc) / 3)


def test_a_class_without_rows_is_undefined():
    m = ScoreMatrix(np.eye(3), np.array([0, 1, 1]), ("a", "b", "c"))
    for measure in (roc_auc_hand_till, roc_auc_ovo_weighted, roc_auc_ovr, average_precision_macro):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert np.isnan(measure(m))
    assert top_k_accuracy(m) == approx(1)
    assert np.isnan(top_k_accuracy(ScoreMatrix(np.zeros((0, 3)), np.zeros(0, dtype=int), ("a", "b", "c"))))


def test_k_must_be_a_whole_number():
    with pytest.raises(InputError, match="k=0"):
        top_k_accuracy.formula(ScoreMatrix(np.eye(3), np.arange(3), ("a", "b", "c")), k=0)
