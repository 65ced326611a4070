"""Thresholds by each rule, checked against every threshold there is; and what choosing them costs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefold.curves.thresholds import Choice, best_threshold, cross_fitted, least_cost_classes, two_costs
from surefold.errors import InputError, UnknownNameError
from surefold.tallies.score_groups import ScoreGroups

# Falling scores with labels + - + + -: at .9: tp 1 fp 0; at .8: 1, 1; at .7: 2, 1; at .6: 3, 1; at .2: 3, 2
SCORES = np.array([0.9, 0.8, 0.7, 0.6, 0.2])
POSITIVE = np.array([True, False, True, True, False])
T = ScoreGroups.of(SCORES, POSITIVE)


@pytest.mark.parametrize(
    ("choice", "threshold"),
    [
        (Choice("youden"), 0.6),  # 3/3 - 1/2 = .5, as is .9 (1/3 - 0 = .333)
        (Choice("cost", costs={"fp": 1, "fn": 1}), 0.6),  # one error
        (Choice("cost", costs={"fp": 10, "fn": 1}), 0.9),  # two missed, cost 2, against 10
        (Choice("cost", costs={"fp": 1, "fn": 5, "tp": 0, "tn": 0}), 0.6),  # one false alarm
        (Choice("fbeta", beta=1), 0.6),  # 6 / (6 + 1)
        (Choice("recall_at_precision", precision=1.0), 0.9),
        (Choice("recall_at_precision", precision=0.7), 0.6),  # 3 of 4
        (Choice("precision_at_recall", recall=0.3), 0.9),
        (Choice("precision_at_recall", recall=0.5), 0.6),  # .75 against 2/3 at .7
        (Choice("share", share=0.4), 0.8),  # two of five rows
        (Choice("share", share=1.0), 0.2),
    ],
)
def test_each_rule_by_hand(choice, threshold):
    assert best_threshold(T, choice).threshold == threshold


def test_nothing_positive_is_a_threshold_too():
    point = best_threshold(T, Choice("cost", costs={"fp": 100, "fn": 1, "tp": 5}))
    assert point.threshold == np.inf
    assert (point.tp, point.fp, point.fn, point.tn) == (0, 0, 3, 2)


def test_prior_moves_the_threshold_of_least_cost():
    # at even prices every error counts 1: with 1 % positives a false alarm is 99 times as common as a miss
    costs = {"fp": 1, "fn": 1}
    assert best_threshold(T, Choice("cost", costs=costs, prior=0.01)).threshold == 0.9
    assert best_threshold(T, Choice("cost", costs=costs, prior=0.99)).threshold == 0.6


rows = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=2, max_size=30).filter(
    lambda r: len({p for _, p in r}) == 2
)


@given(rows, st.floats(0.1, 9), st.floats(0.1, 9))
def test_least_cost_against_every_threshold(data, fp, fn):
    scores, positive = np.array([s for s, _ in data], float), np.array([p for _, p in data])
    point = best_threshold(ScoreGroups.of(scores, positive), Choice("cost", costs={"fp": fp, "fn": fn}))
    costs = [
        fp * ((scores >= c) & ~positive).sum() + fn * ((scores < c) & positive).sum() for c in [*set(scores), np.inf]
    ]
    assert fp * point.fp + fn * point.fn == pytest.approx(min(costs))
    assert point.counts.sum() == len(data)


def test_chosen_and_judged_on_other_rows_costs_more():
    rng = np.random.default_rng(0)
    gaps = []
    for seed in range(40):
        positive = rng.random(60) < 0.4
        t = ScoreGroups.of(rng.normal(size=60) + positive, positive)
        choice = Choice("cost", costs={"fp": 1, "fn": 2})
        own, honest = best_threshold(t, choice), cross_fitted(t, choice, random_state=seed).point
        gaps.append(honest.fp + 2 * honest.fn - own.fp - 2 * own.fn)
        assert honest.counts.sum() == 60
    assert np.mean(gaps) > 1
    assert min(gaps) >= 0  # one threshold for all rows can only do better when it is chosen on them


def test_cross_fitting_is_seeded_and_refuses_weights():
    choice = Choice("youden")
    first, again = (cross_fitted(T, choice, folds=3, random_state=1) for _ in range(2))
    assert first.point == again.point
    weighted = ScoreGroups.of(SCORES, POSITIVE, np.arange(1.0, 6))
    with pytest.raises(InputError, match="weighted"):
        cross_fitted(weighted, choice)


def test_least_expected_cost_by_hand():
    # costs[true][called]
    costs = [[0, 1, 1], [5, 0, 1], [1, 1, 0]]
    p = [[0.6, 0.3, 0.1], [0.1, 0.2, 0.7]]
    # row 1: a: .3 x 5 + .1 = 1.6; b: .6 + .1 = .7; c: .6 + .3 = .9 -> b
    # row 2: a: .2 x 5 + .7 = 1.7; b: .1 + .7 = .8; c: .1 + .2 = .3 -> c
    assert least_cost_classes(p, costs).tolist() == [1, 2]
    zero_one = 1 - np.eye(3)
    assert least_cost_classes(p, zero_one).tolist() == np.argmax(p, axis=1).tolist()


def test_what_cannot_be_is_refused():
    with pytest.raises(UnknownNameError, match="youden"):
        Choice("yuden")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="precision="):
        Choice("recall_at_precision")
    with pytest.raises(InputError, match="share"):
        Choice("share", share=1.5)
    with pytest.raises(InputError, match="price both errors"):
        two_costs({"false_positive": 1})
    with pytest.raises(InputError, match="one column a class"):
        least_cost_classes([0.1, 0.9], [[0, 1], [1, 0]])
    with pytest.raises(InputError, match="no threshold reaches"):
        best_threshold(ScoreGroups.of(SCORES, ~POSITIVE), Choice("recall_at_precision", precision=0.99))
