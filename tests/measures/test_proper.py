"""Brier and log loss: by hand, beside scikit-learn, and the laws of a proper score."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
import sklearn.metrics as sk

from surefold.errors import InputError
from surefold.inputs.scores import CLIP, check_probabilities
from surefold.measures.proper import (
    brier,
    brier_multiclass,
    brier_parts,
    brier_skill,
    clipped_rows,
    clipping_finding,
    log_loss,
    log_loss_multiclass,
)
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

approx = pytest.approx


def asked(measure, **options):
    return measure.with_options(**options)


def tally(scores, truth, weights=None) -> ScoreGroups:
    w = None if weights is None else np.asarray(weights, dtype=float)
    return ScoreGroups.of(np.asarray(scores, dtype=float), np.asarray(truth, dtype=bool), w)


def matrix(scores, truth, weights=None) -> ScoreMatrix:
    scores = np.asarray(scores, dtype=float)
    w = None if weights is None else np.asarray(weights, dtype=float)
    return ScoreMatrix(scores, np.asarray(truth), tuple(range(scores.shape[1])), w)


def drawn(seed: int, classes: int = 2, n: int = 60):
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(classes, 0.7), size=n)
    truth = (rng.random(n)[:, None] > np.cumsum(p, axis=1)[:, :-1]).sum(axis=1)
    return p, truth, rng.uniform(0.1, 3, n)


FOUR = tally([0.9, 0.7, 0.4, 0.2], [1, 0, 1, 0])


# by hand


def test_brier_by_hand() -> None:
    assert brier(FOUR) == approx((0.1**2 + 0.7**2 + 0.6**2 + 0.2**2) / 4)


def test_log_loss_by_hand() -> None:
    assert log_loss(FOUR) == approx(-(log(0.9) + log(0.3) + log(0.4) + log(0.8)) / 4)


def test_skill_by_hand() -> None:
    assert brier_skill(FOUR) == approx(1 - (0.01 + 0.49 + 0.36 + 0.04) / 4 / (0.5 * 0.5))


def test_many_classes_by_hand() -> None:
    m = matrix([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], [0, 1])
    first, second = 0.5**2 + 0.3**2 + 0.2**2, 0.1**2 + 0.9**2 + 0.8**2
    assert brier_multiclass(m) == approx((first + second) / 2)
    assert asked(brier_multiclass, scaled=True)(m) == approx((first + second) / 4)
    assert log_loss_multiclass(m) == approx(-(log(0.5) + log(0.1)) / 2)


def test_two_columns_scaled_are_the_two_class_score() -> None:
    p, truth, w = drawn(3)
    both, one = matrix(p, truth, w), tally(p[:, 1], truth == 1, w)
    assert asked(brier_multiclass, scaled=True)(both) == approx(brier(one))
    assert asked(brier, scaled=True)(one) == brier(one)
    assert log_loss_multiclass(both) == approx(log_loss(one))


# parts


def test_parts_by_hand() -> None:
    # scores .8 (1 of 2 positive) and .2 (0 of 2); base rate 1/4
    parts = brier_parts(tally([0.8, 0.8, 0.2, 0.2], [1, 0, 0, 0]))
    assert parts.reliability == approx((2 * 0.3**2 + 2 * 0.2**2) / 4)
    assert parts.resolution == approx((2 * 0.25**2 + 2 * 0.25**2) / 4)
    assert parts.uncertainty == approx(0.25 * 0.75)
    assert parts.within_variance == parts.within_covariance == 0


@pytest.mark.parametrize("bins", [None, 1, 2, 5, 10, 100])
@pytest.mark.parametrize("strategy", ["width", "mass", "quantiles"])
def test_parts_add_up(bins, strategy) -> None:
    for seed in range(5):
        p, truth, w = drawn(seed)
        for t in (tally(p[:, 1], truth == 1), tally(p[:, 1].round(1), truth == 1), tally(p[:, 1], truth == 1, w)):
            assert brier_parts(t, bins, strategy).total == approx(brier(t), abs=1e-14)


def test_one_bin_resolves_nothing() -> None:
    p, truth, _ = drawn(1)
    assert brier_parts(tally(p[:, 1], truth == 1), bins=1).resolution == approx(0, abs=1e-30)


# beside scikit-learn


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("weighted", [False, True])
def test_two_classes_as_scikit_learn(seed, weighted) -> None:
    p, truth, w = drawn(seed)
    weights = w if weighted else None
    t = tally(p[:, 1], truth == 1, weights)
    assert brier(t) == approx(sk.brier_score_loss(truth, p[:, 1], sample_weight=weights))
    assert log_loss(t) == approx(sk.log_loss(truth, p[:, 1], sample_weight=weights))
    share = np.full(len(truth), np.average(truth == 1, weights=weights))  # who always says this has no skill
    unskilled = sk.brier_score_loss(truth, share, sample_weight=weights)
    assert brier_skill(t) == approx(1 - sk.brier_score_loss(truth, p[:, 1], sample_weight=weights) / unskilled)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("weighted", [False, True])
def test_many_classes_as_scikit_learn(seed, weighted) -> None:
    p, truth, w = drawn(seed, classes=4)
    weights, labels = w if weighted else None, [0, 1, 2, 3]
    m = matrix(p, truth, weights)
    assert brier_multiclass(m) == approx(sk.brier_score_loss(truth, p, labels=labels, sample_weight=weights))
    assert log_loss_multiclass(m) == approx(sk.log_loss(truth, p, labels=labels, sample_weight=weights))


# laws


def test_the_truth_has_no_loss() -> None:
    y = [1, 0, 1, 1, 0]
    t, m = tally(y, y), matrix(np.eye(3)[[0, 2, 1]], [0, 2, 1])
    assert brier(t) == log_loss(t) == brier_multiclass(m) == log_loss_multiclass(m) == 0
    assert brier_skill(t) == 1


def test_the_opposite_has_the_most() -> None:
    t, m = tally([0, 1], [1, 0]), matrix([[0.0, 1.0, 0.0]], [0])
    assert brier(t) == 1
    assert brier_multiclass(m) == 2
    assert log_loss(t) == log_loss_multiclass(m) == approx(-log(CLIP))


def test_duplicates_are_weight_two_and_zero_weight_is_no_row() -> None:
    p, truth, _ = drawn(5)
    w = np.arange(len(truth)) % 3
    again = np.repeat(np.arange(len(truth)), w)
    for f in (brier, log_loss, brier_skill):
        assert f(tally(p[:, 1], truth == 1, w)) == approx(f(tally(p[again, 1], truth[again] == 1)))
    for f in (brier_multiclass, log_loss_multiclass):
        assert f(matrix(p, truth, w)) == approx(f(matrix(p[again], truth[again])))


def test_merged_tallies() -> None:
    p, truth, w = drawn(6)
    for weights in (None, w):
        halves = [
            tally(p[s, 1], truth[s] == 1, None if weights is None else weights[s]) for s in np.split(np.arange(60), 2)
        ]
        whole = tally(p[:, 1], truth == 1, weights)
        for f in (brier, log_loss, brier_skill):
            assert f(halves[0] + halves[1]) == approx(f(whole))


def test_true_probabilities_have_the_least_expected_loss() -> None:
    true = np.linspace(0.05, 0.95, 19)
    for f in (brier, log_loss):
        expected = [f(ScoreGroups(np.array([s]), np.array([0.3]), np.array([0.7]))) for s in true]
        assert true[int(np.argmin(expected))] == approx(0.3)


# clipping and refusals


def test_clipped_rows_are_counted_and_told() -> None:
    t = tally([0.0, 0.0, 1.0, 0.5], [1, 0, 0, 1])
    assert clipped_rows(t) == 2
    found = clipping_finding(t)
    assert found is not None
    assert found.code == "clipped_probabilities"
    assert "36.04" in found.sentence
    assert log_loss(t) == approx((2 * -log(CLIP) + log(2)) / 4)
    assert clipped_rows(matrix([[0.0, 1.0], [0.5, 0.5]], [0, 1], [3.0, 1.0])) == 3
    assert clipping_finding(tally([0.2], [1])) is None


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([12.0, 80.0], "0-100"),
        ([-2.0, 3.5], "logits"),
        ([0.2, 1.0 + 1e-9], "rounding"),
        ([0.5, 700.0], "decision values"),
    ],
)
def test_scores_that_are_no_probabilities_are_refused(scores, words) -> None:
    for f in (brier, log_loss, brier_skill):
        with pytest.raises(InputError, match=words) as error:
            f(tally(scores, [0, 1]))
        assert error.value.code == "score_range"
        assert error.value.cure


def test_infinite_scores_leave_it_undefined() -> None:
    t = tally([0.2, np.inf], [0, 1])
    assert np.isnan([brier(t), log_loss(t), brier_skill(t)]).all()
    assert np.isnan(brier_parts(t).total)


def test_one_class_has_no_skill() -> None:
    assert np.isnan(brier_skill(tally([0.2, 0.3], [1, 1])))


def test_no_rows() -> None:
    t = tally([], [])
    assert np.isnan([brier(t), log_loss(t), brier_skill(t)]).all()


# the door


def test_rows_that_do_not_add_up() -> None:
    good = np.full((5, 2), 0.5)
    assert check_probabilities(good) == ()
    bad = good.copy()
    bad[3] = 0.4, 0.5
    with pytest.raises(InputError, match=r"worst is row 4 with 0\.9: row 4") as error:
        check_probabilities(bad)
    assert error.value.code == "score_sums"
    bad[3] = 0.5, 0.5002
    (finding,) = check_probabilities(bad)
    assert finding.code == "probability_sums"
    assert finding.evidence["worst_row"] == 4
    assert "not rescaled" in finding.sentence
    bad[3] = 0.5, 0.5 + 1e-8
    assert check_probabilities(bad) == ()


def test_the_door_names_rows() -> None:
    with pytest.raises(InputError, match="rows 2, 3") as error:
        check_probabilities(np.array([0.1, 30.0, 90.0]))
    assert error.value.code == "score_range"
    with pytest.raises(InputError, match="softmax"):
        check_probabilities(np.array([[0.5, 0.5], [-1.0, 2.0]]))
    assert check_probabilities(np.array([0.1, np.inf])) == ()
    with pytest.raises(InputError):
        brier_multiclass(matrix([[0.4, 0.4]], [0]))
