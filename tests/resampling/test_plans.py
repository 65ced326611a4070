"""Holdout, three parts, shuffle-split, bootstrap, time order, and plans from splitters."""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import model_selection as sk

from surefold import InputError
from surefold.resampling import samples as samples_module
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.holdout import apportioned, holdout_plan, three_way
from surefold.resampling.in_time import time_order_plan
from surefold.resampling.plan import Plan
from surefold.resampling.samples import (
    bootstrap_plan,
    expected_distinct_share,
    in_bag_counts,
    share_of_distinct_rows,
    shuffle_split_plan,
)
from surefold.resampling.splitter import plan_from_splitter
from surefold.resampling.training import training_findings

seeds = st.integers(0, 2**63 - 1)
IRIS = np.repeat([0, 1, 2], 50)


@contextmanager
def refused(code: str, *parts: str) -> Iterator[None]:
    with pytest.raises(InputError) as caught:
        yield
    assert caught.value.code == code, str(caught.value)
    for part in parts:
        assert part in str(caught.value)


def counts(codes: Any, rows: Any) -> list[int]:
    return list(map(int, np.bincount(np.asarray(codes)[rows], minlength=max(codes) + 1)))


# holdout


def test_a_third_of_iris_keeps_the_shares():
    plan = holdout_plan(IRIS, test=0.3, random_state=0)
    assert (plan.kind, len(plan), plan.train_rows) == ("holdout", 1, None)
    assert counts(IRIS, plan.test(0)) == [15, 15, 15]
    assert counts(IRIS, plan.train(0)) == [35, 35, 35]
    assert dict(plan.options) == {"test": 0.3, "repeats": 1, "stratified": True}


def test_rows_may_be_said_as_a_number():
    plan = holdout_plan(IRIS, test=20, stratified=False, random_state=0)
    assert plan.test_sizes.tolist() == [20]
    assert plan.options["test"] == 20


def test_largest_remainders():
    # 11 of 40 rows: quotas 30/40, 8/40, 2/40 of 11 are 8.25, 2.2, 0.55; the last has the largest remainder
    assert apportioned(np.array([30, 8, 2]), 11).tolist() == [8, 2, 1]
    # the least one row for a class of two comes from the class that is furthest over its quota
    assert apportioned(np.array([100, 2, 2]), 5).tolist() == [3, 1, 1]
    # a class of one row stays in training, and a class of two is never all tested
    assert apportioned(np.array([10, 2, 1]), 9).tolist() == [8, 1, 0]
    # more classes than rows: no class is promised one
    assert apportioned(np.array([4, 3, 2]), 2).tolist() == [1, 1, 0]
    # all but one row: training cannot keep one of each; quotas are 3.56, 2.67 and 1.78
    assert apportioned(np.array([4, 3, 2]), 8).tolist() == [3, 3, 2]


@settings(deadline=None, max_examples=100)
@given(totals=st.lists(st.integers(0, 30), min_size=1, max_size=6).filter(lambda t: sum(t) > 1), data=st.data())
def test_apportioned_rows_add_up_and_respect_classes(totals, data):
    n = np.array(totals)
    rows = data.draw(st.integers(1, int(n.sum()) - 1))
    given_rows = apportioned(n, rows)
    assert given_rows.sum() == rows
    assert (given_rows >= 0).all()
    assert (given_rows <= n).all()
    two = n >= 2
    if two.sum() <= rows <= (n[two] - 1).sum():
        assert (given_rows[two] >= 1).all()
        assert (given_rows[two] < n[two]).all()
        assert (given_rows[~two] == 0).all()


def test_repeats_of_a_holdout_are_their_own_streams():
    few, many = (holdout_plan(IRIS, repeats=r, random_state=3) for r in (2, 5))
    assert [s.test.tolist() for s in few] == [s.test.tolist() for s in many][:2]
    assert many.repeat.tolist() == [0, 1, 2, 3, 4]
    assert many.fold.tolist() == [0] * 5
    assert len({tuple(s.test.tolist()) for s in many}) == 5
    assert holdout_plan(IRIS, random_state=3).fingerprint != holdout_plan(IRIS, random_state=4).fingerprint


@settings(deadline=None, max_examples=40)
@given(sizes=st.lists(st.integers(1, 8), min_size=6, max_size=14), seed=seeds, share=st.floats(0.2, 0.6))
def test_a_holdout_of_groups_takes_whole_groups(sizes, seed, share):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    plan = holdout_plan(len(groups), test=share, groups=groups, random_state=seed)
    assert not set(groups[plan.train(0)]) & set(groups[plan.test(0)])
    assert abs(len(plan.test(0)) - share * len(groups)) <= max(sizes) + 1


def test_a_holdout_of_groups_tests_about_what_was_asked_even_if_one_group_is_large():
    groups = [0] * 90 + [1] * 10
    for seed in range(10):
        assert holdout_plan(100, test=0.3, groups=groups, random_state=seed).test_sizes.tolist() == [10]


def test_three_parts():
    parts = three_way(IRIS, random_state=1)
    assert counts(IRIS, parts.train) == [30, 30, 30]
    assert counts(IRIS, parts.validation) == counts(IRIS, parts.test) == [10, 10, 10]
    assert sorted([*parts.train, *parts.validation, *parts.test]) == list(range(150))
    assert parts.selection.train(0).tolist() == parts.train.tolist()
    assert parts.selection.test(0).tolist() == parts.validation.tolist()
    assert parts.final.train(0).tolist() == sorted([*parts.train, *parts.validation])
    assert parts.final.test(0).tolist() == parts.test.tolist()
    assert parts.selection.random_state == parts.final.random_state == 1
    assert "train 90, validation 30, test 30" in repr(parts)
    assert three_way(IRIS, random_state=1).test.tolist() == parts.test.tolist()


def test_three_parts_each_get_one_of_a_class_of_three():
    codes = [0] * 27 + [1] * 3
    parts = three_way(codes, validation=5, test=20, random_state=0)
    assert [counts(codes, rows) for rows in (parts.train, parts.validation, parts.test)] == [[4, 1], [4, 1], [19, 1]]


def test_three_parts_of_groups_and_without_strata():
    groups = np.repeat(np.arange(15), 10)
    parts = three_way(IRIS, groups=groups, random_state=1)
    assert not set(groups[parts.train]) & (set(groups[parts.validation]) | set(groups[parts.test]))
    assert not set(groups[parts.validation]) & set(groups[parts.test])
    assert parts.final.options["groups"] == 15
    assert [len(p) for p in (parts.train, parts.validation, parts.test)] == [90, 30, 30]
    plain = three_way(10, validation=3, test=2, stratified=False, random_state=0)
    assert [len(p) for p in (plain.train, plain.validation, plain.test)] == [5, 3, 2]


def test_holdout_refuses():
    shares: list[Any] = [0.0, 1.0, -0.1, math.nan, 2.5]
    rows: list[Any] = [0, 150, True, "0.3"]
    for test in shares:
        with refused("bad_option", "test is", "between 0 and 1"):
            holdout_plan(IRIS, test=test)
    for test in rows:
        with refused("bad_option", "test is", "1 to 149"):
            holdout_plan(IRIS, test=test)
    with refused("bad_plan", "two rows"):
        holdout_plan(1)
    with refused("bad_plan", "leave none to train on"):
        three_way(IRIS, validation=0.5, test=0.5)
    with refused("too_few_groups", "3 parts need as many groups, and there are 2"):
        three_way(IRIS, groups=[0, 1] * 75)
    with refused("one_class_in_training", "fold 1 would train on class 'b' only"):
        holdout_plan([0, 0, 1, 1], test=2, groups=[0, 0, 1, 1], labels=("a", "b"), stratified=False, random_state=0)


# shuffle-split


def test_shuffle_split_is_many_holdouts():
    plan, held = shuffle_split_plan(IRIS, splits=3, random_state=8), holdout_plan(IRIS, repeats=3, random_state=8)
    assert plan.kind == "shuffle_split"
    assert plan.fingerprint == held.fingerprint
    assert dict(plan.options) == {"test": 0.3, "splits": 3, "stratified": True}
    with refused("bad_option", "splits is 0"):
        shuffle_split_plan(IRIS, splits=0)


# bootstrap


def test_a_bootstrap_plan_tests_all_rows_and_ends_with_the_apparent_split():
    plan = bootstrap_plan(IRIS, samples=4, random_state=0)
    plan.check()
    assert (plan.kind, len(plan), plan.overlaps, plan.findings) == ("bootstrap", 5, True, ())
    assert all(split.test.tolist() == list(range(150)) for split in plan)
    assert plan.train_sizes.tolist() == [150] * 5
    assert plan.train(4).tolist() == list(range(150))
    assert len(set(plan.train(0).tolist())) < 150
    assert plan.fold.tolist() == [0, 1, 2, 3, 4]
    assert dict(plan.options) == {"samples": 4, "stratified": False, "redrawn": 0}


def test_in_bag_counts_leave_the_apparent_split_out():
    plan = bootstrap_plan(IRIS, samples=6, random_state=0)
    bag = in_bag_counts(plan)
    assert bag.shape == (6, 150)
    assert (bag.sum(axis=1) == 150).all()
    assert bag[2].tolist() == [plan.train(2).tolist().count(i) for i in range(150)]
    assert share_of_distinct_rows(plan) == pytest.approx(np.mean([len(set(plan.train(i))) / 150 for i in range(6)]))
    with refused("not_for_this_plan", "a k_fold plan"):
        in_bag_counts(k_fold_plan(IRIS, random_state=0))


@pytest.mark.parametrize(("n", "share"), [(1, 1), (2, 3 / 4), (3, 19 / 27), (10, 1 - 0.9**10)])
def test_the_expected_share_by_hand(n, share):
    assert expected_distinct_share(n) == pytest.approx(share, rel=1e-14)


def test_the_expected_share_falls_to_632():
    assert expected_distinct_share(10**12) == pytest.approx(1 - 1 / math.e, abs=1e-12)


@pytest.mark.parametrize("n", [5, 40, 400])
def test_the_share_of_distinct_rows_is_what_is_expected(n):
    samples = 400
    share = share_of_distinct_rows(bootstrap_plan(n, samples=samples, random_state=11))
    # A sample's share has variance below (e - 2) / e^2 / n (its limit; smaller for small n): four standard errors.
    assert share == pytest.approx(expected_distinct_share(n), abs=4 * math.sqrt((math.e - 2) / math.e**2 / n / samples))


def test_every_row_is_as_likely_as_any_other():
    bag = in_bag_counts(bootstrap_plan(20, samples=2000, random_state=5)).sum(axis=0)
    # Each is binomial(40,000, 1/20): mean 2,000, s.d. 43.6; of 20 the furthest stays within four of them.
    assert np.abs(bag - 2000).max() < 4 * 43.6


def test_a_stratified_bootstrap_draws_each_class_by_itself():
    codes = [0] * 7 + [1] * 3
    plan = bootstrap_plan(codes, samples=20, stratified=True, random_state=0)
    assert all(counts(codes, plan.train(i)) == [7, 3] for i in range(21))
    assert len({tuple(plan.train(i).tolist()) for i in range(20)}) > 15


def test_a_bootstrap_of_groups_draws_whole_groups():
    groups = np.array([0, 0, 0, 1, 1, 2, 3, 3, 4, 4])
    plan = bootstrap_plan([0, 1] * 5, samples=20, groups=groups, random_state=0)
    for bag in in_bag_counts(plan):
        assert all(len(set(bag[groups == g])) == 1 for g in range(5))
        assert sum(bag[groups == g][0] for g in range(5)) == 5
    assert plan.options["groups"] == 5


def test_samples_of_one_class_are_drawn_again_and_counted():
    # Each sample of two rows has one class with probability 1/2, so 50 samples take about 50 redraws.
    plan = bootstrap_plan([0, 1], samples=50, random_state=0)
    assert all(plan.train(i).tolist() == [0, 1] for i in range(51))
    assert 20 < plan.options["redrawn"] < 100


def test_redraws_are_bounded(monkeypatch):
    monkeypatch.setattr(samples_module, "_REDRAWS", 0)
    with refused("one_class_in_training", "would train on class"):
        bootstrap_plan([0, 1], samples=50, random_state=0)


def test_a_class_that_samples_miss_is_said():
    [finding] = bootstrap_plan([0] * 5 + [1] * 5 + [2], samples=50, random_state=0).findings
    assert (finding.code, finding.evidence["classes"]) == ("class_not_trained", [2])
    assert 5 < finding.evidence["splits"] < 35  # (10/11)^11 = .35 of 50


def test_bootstrap_seeds_and_refusals():
    few, many = (bootstrap_plan(IRIS, samples=s, random_state=2) for s in (3, 6))
    assert all(few.train(i).tolist() == many.train(i).tolist() for i in range(3))
    assert bootstrap_plan(IRIS, random_state=2).fingerprint == bootstrap_plan(IRIS, random_state=2).fingerprint
    assert few.fingerprint != bootstrap_plan(IRIS, samples=3, random_state=3).fingerprint
    with refused("bad_option", "drop one of the two"):
        bootstrap_plan(IRIS, stratified=True, groups=IRIS)
    with refused("one_class_in_training", "all 4 rows are of class 0"):
        bootstrap_plan([0] * 4)
    with refused("bad_option", "samples is 0"):
        bootstrap_plan(IRIS, samples=0)
    with refused("bad_plan", "one row"):
        bootstrap_plan(1)
    with refused("too_few_groups"):
        bootstrap_plan(IRIS, groups=[0] * 150)


# time order


def pairs(plan: Plan) -> list[tuple[list[int], list[int]]]:
    return [(split.train.tolist(), split.test.tolist()) for split in plan]


def test_time_order_by_hand():
    assert pairs(time_order_plan(6, folds=2)) == [([0, 1], [2, 3]), ([0, 1, 2, 3], [4, 5])]
    assert pairs(time_order_plan(7, folds=2, test_size=2, max_train=2)) == [([1, 2], [3, 4]), ([3, 4], [5, 6])]


@pytest.mark.parametrize("gap", [0, 2])
@pytest.mark.parametrize("size", [None, 3])
@pytest.mark.parametrize("most", [None, 5])
def test_time_order_is_scikit_learns(gap, size, most):
    theirs = sk.TimeSeriesSplit(n_splits=4, gap=gap, test_size=size, max_train_size=most)
    expected = [(train.tolist(), test.tolist()) for train, test in theirs.split(np.zeros(33))]
    assert pairs(time_order_plan(33, folds=4, gap=gap, test_size=size, max_train=most)) == expected


def test_rows_are_put_in_order_and_equal_times_stay_on_one_side():
    times = [5, 1, 3, 3, 4, 2, 3, 6]  # in order: rows 1, 5, 2, 3, 6, 4, 0, 7 with times 1 2 3 3 3 4 5 6
    # folds of two start at places 4 and 6; place 4 is inside the run of threes, which starts at place 2
    assert pairs(time_order_plan(8, folds=2, times=times)) == [([1, 5], [2, 3, 6, 4]), ([1, 5, 2, 3, 6, 4], [0, 7])]


@settings(deadline=None, max_examples=60)
@given(times=st.lists(st.integers(0, 30), min_size=8, max_size=60), folds=st.integers(1, 4))
def test_no_training_row_is_as_late_as_a_tested_one(times, folds):
    try:
        plan = time_order_plan(len(times), folds=folds, times=times)
    except InputError:
        assert len(set(times)) < len(times), "only equal times stand in the way"
        return
    when = np.array(times)
    for split in plan:
        assert when[split.train].max() < when[split.test].min()


def test_dates_of_any_kind_can_be_times():
    days = [date(2024, 1, d) for d in (3, 1, 4, 2)]
    expected = pairs(time_order_plan(4, folds=1, times=[3, 1, 4, 2]))
    assert pairs(time_order_plan(4, folds=1, times=days)) == expected
    assert pairs(time_order_plan(4, folds=1, times=np.array(days, dtype="M8[D]"))) == expected
    assert (
        pairs(time_order_plan(4, folds=1, times=["2024-01-03", "2024-01-01 23:59", "2024-01-04", "2024-01-02"]))
        == expected
    )


def test_time_order_refuses():
    with refused("bad_plan", "leave none of 5 rows to train on"):
        time_order_plan(5, folds=5)
    with refused("bad_plan", "equal time stay together"):
        time_order_plan(6, folds=2, times=[1, 1, 1, 1, 2, 2])
    with refused("length_mismatch", "times has shape (2,)"):
        time_order_plan(6, times=[1, 2], folds=2)
    years = np.array(["2024", "NaT", "2025", "NaT"], dtype="M8[Y]")
    for times in ([1.0, math.nan, 2.0, math.nan], years, [1, None, 2, None]):
        with refused("bad_option", "times is missing", "rows 2, 4"):
            time_order_plan(4, times=times, folds=1)
    with refused("bad_option", "cannot be put in order"):
        time_order_plan(3, times=[1, "2024", 2], folds=1)
    with refused("bad_option", "text that is not a date, as in '9'", "2024-01-31"):
        time_order_plan(3, times=np.array(["9", "10", "11"]), folds=1)
    with refused("one_class_in_training", "fold 1 would train on class 0 only"):
        time_order_plan([0, 0, 1, 1], folds=1)
    with refused("bad_option", "gap is -1"):
        time_order_plan(9, gap=-1)


# splitters


def test_a_number_means_our_own_folds():
    plan = plan_from_splitter(5, None, IRIS, random_state=3)
    assert plan.fingerprint == k_fold_plan(IRIS, folds=5, random_state=3).fingerprint
    assert plan_from_splitter(plan, None, IRIS) is plan


@pytest.mark.parametrize("shuffle", [False, True])
def test_repeats_are_found_and_training_rows_dropped(shuffle):
    if shuffle:
        theirs: Any = sk.RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
    else:
        theirs = sk.StratifiedKFold(n_splits=5)
    plan = plan_from_splitter(theirs, np.zeros((150, 2)), IRIS, IRIS)
    repeats = 3 if shuffle else 1
    assert (plan.kind, plan.repeats, plan.folds, plan.train_rows) == ("splitter", repeats, 5, None)
    assert plan.is_partition
    assert plan.findings == ()
    assert plan.fold.tolist() == list(range(5)) * repeats
    for split, (train, test) in zip(plan, theirs.split(np.zeros(150), IRIS), strict=True):
        assert split.train.tolist() == train.tolist()
        assert split.test.tolist() == test.tolist()


def test_a_description_of_the_splitter_is_kept_without_addresses():
    class Odd:
        def split(self, X, y, groups):
            yield from sk.KFold(2).split(X)

    plan = plan_from_splitter(Odd(), None, [0, 1, 0, 1])
    assert plan.options["splitter"] == "Odd"
    assert "0x" not in plan.options["repr"]
    plan = plan_from_splitter(sk.KFold(3), None, [0, 1] * 3)
    assert dict(plan.options) == {"splitter": "KFold", "repr": "KFold(n_splits=3, random_state=None, shuffle=False)"}
    long = plan_from_splitter(sk.PredefinedSplit(np.arange(400) % 2), None, [0, 1, 1, 0] * 100)
    assert len(long.options["repr"]) <= 200


def test_a_splitter_without_a_seed_is_given_one():
    theirs = sk.KFold(3, shuffle=True)
    first, again = (plan_from_splitter(theirs, None, [0, 1] * 9, random_state=4) for _ in range(2))
    assert first.fingerprint == again.fingerprint
    assert theirs.random_state is None
    fresh = plan_from_splitter(theirs, None, [0, 1] * 9)
    assert fresh.random_state is not None
    again = plan_from_splitter(theirs, None, [0, 1] * 9, random_state=fresh.random_state)
    assert again.fingerprint == fresh.fingerprint
    assert plan_from_splitter(sk.KFold(3), None, [0, 1] * 9).random_state is None


def test_pairs_of_numbers_or_masks():
    mask = np.array([True, False, True, False])
    plan = plan_from_splitter(((m, ~m) for m in (mask, ~mask)), None, [0, 0, 1, 1])
    assert pairs(plan) == [([0, 2], [1, 3]), ([1, 3], [0, 2])]
    assert plan.train_rows is None
    assert dict(plan.options) == {"splitter": "pairs"}


def test_training_on_some_of_the_others_is_kept():
    plan = plan_from_splitter([([0, 1, 1], [2, 3]), ([2, 3], [0, 1])], None, [0, 1, 0, 1])
    assert pairs(plan) == [([0, 1, 1], [2, 3]), ([2, 3], [0, 1])]


def test_e9_overlap_is_refused():
    with refused("train_test_overlap", "fold 2, row 1"):
        plan_from_splitter([([0, 1], [2, 3]), ([1, 2, 3], [0, 1])], None, [0, 1, 0, 1])


def test_e10_rows_that_are_not_tested_or_unevenly():
    plan = plan_from_splitter([([0, 1], [2, 3]), ([0, 1, 3], [2])], None, [0, 1, 0, 1])
    [finding] = plan.findings
    assert finding.code == "rows_not_tested"
    assert finding.evidence["never"] == 2
    assert finding.evidence["coverage"] == [{"times": 0, "rows": 2}, {"times": 1, "rows": 1}, {"times": 2, "rows": 1}]
    assert "2 of 4 rows are never tested; the others are tested 1 to 2 times" in finding.sentence
    assert plan.fold.tolist() == [0, 1]
    uneven = plan_from_splitter([([0, 1], [2, 3]), ([2, 3], [0, 1]), ([0, 1, 3], [2])], None, [0, 1, 0, 1])
    assert "Some rows are tested more often" in uneven.findings[0].sentence
    shuffled = plan_from_splitter(sk.ShuffleSplit(4, test_size=0.5, random_state=0), None, [0, 1] * 10)
    assert (shuffled.repeats, shuffled.folds) == (1, 4)


def test_blocks_that_do_not_each_partition_are_no_repeats():
    # four tests of two rows of four: as many as two repeats have, but rows 0 and 1 fill the first
    tests = [[0, 1], [1, 0], [2, 3], [3, 2]]
    plan = plan_from_splitter([(sorted({0, 1, 2, 3} - set(t)), t) for t in tests], None, [0, 1, 0, 1])
    assert plan.repeats == 1
    assert plan.findings == ()  # each row twice


def test_a_repeat_that_tests_a_row_twice_is_no_partition():
    tests = [[0, 1], [1, 0], [2, 3], [3, 2]]  # each row twice in two repeats, and never once in each
    assert not Plan.of("x", 4, tests=tests, repeat=[0, 0, 1, 1], fold=[0, 1, 0, 1]).is_partition
    assert Plan.of("x", 4, tests=tests, repeat=[0, 1, 0, 1], fold=[0, 0, 1, 1]).is_partition


def test_groups_that_a_splitter_ignores_are_said():
    plan = plan_from_splitter(sk.KFold(2), None, [0, 1, 0, 1], groups=["a", "b", "a", "b"])
    assert [f.code for f in plan.findings] == ["groups_straddle"]
    assert plan.findings[0].evidence == {"splits": 2, "most_groups": 2}
    heeded = plan_from_splitter(sk.GroupKFold(2), None, [0, 1] * 4, groups=[0, 0, 1, 1, 2, 2, 3, 3])
    assert heeded.findings == ()


@pytest.mark.parametrize(
    ("cv", "code", "part"),
    [
        (True, "bad_option", "cv is True"),
        (None, "bad_option", "cv is None"),
        ("kfold", "bad_option", "cv is 'kfold'"),
        (1, "bad_option", "folds is 1"),
        ([], "bad_plan", "no split"),
        ([1, 2], "bad_plan", "split 1 of cv is 1, not a pair"),
        ([([0.5], [1])], "bad_plan", "a part of split 1 of cv is [0.5]"),
        ([([0, 1], [4])], "bad_plan", "row 4"),
        ([([0, 1], [-1])], "bad_plan", "row -1"),
        ([([0, 1], [2, 2])], "bad_plan", "tests row 2 twice"),
        ([([0, 1], [])], "bad_plan", "tests no row"),
        ([([True, False], [2])], "bad_plan", "a mask in split 1 of cv has shape (2,)"),
        (sk.KFold(9), "bad_plan", "KFold does not split these rows"),
        (sk.GroupKFold(2), "bad_plan", "GroupKFold does not split"),
        ([([0, 2], [1, 3])], "one_class_in_training", "fold 1 would train on class 0 only"),
    ],
    ids=str,
)
def test_splitters_are_refused(cv, code, part):
    with refused(code, part):
        plan_from_splitter(cv, None, [0, 1, 0, 1])


def test_a_plan_of_other_rows_is_refused():
    with refused("bad_plan", "of 4 rows and there are 150"):
        plan_from_splitter(k_fold_plan(4, folds=2, random_state=0), None, IRIS)


# training findings


@settings(deadline=None, max_examples=80)
@given(codes=st.lists(st.integers(0, 4), min_size=5, max_size=25), data=st.data())
def test_missing_classes_are_found_the_slow_way_too(codes, data):
    n, y = len(codes), np.array(codes)
    some = st.lists(st.integers(0, n - 1), min_size=1, max_size=n - 1, unique=True)
    tests = data.draw(st.lists(some, min_size=1, max_size=4))
    trains = [sorted(set(range(n)) - set(test)) for test in tests]
    lacking = [set(codes) - set(y[train]) for train in trains]
    for plan in (Plan.of("x", n, tests=tests), Plan.of("x", n, tests=tests, trains=trains)):
        if any(len(set(y[train])) < 2 for train in trains):
            first = next(i for i, train in enumerate(trains) if len(set(y[train])) < 2)
            with refused("one_class_in_training", f"fold {first + 1} would train"):
                training_findings(plan, y, ())
        elif any(lacking):
            [finding] = training_findings(plan, y, ())
            assert finding.evidence["splits"] == sum(map(bool, lacking))
            assert finding.evidence["classes"] == sorted(set().union(*lacking))
        else:
            assert training_findings(plan, y, ()) == ()


def test_every_public_name_is_there():
    import surefold.resampling as rooms

    assert all(getattr(rooms, name) is not None for name in rooms.__all__)
    assert set(rooms.__all__) <= set(dir(rooms))
    with pytest.raises(AttributeError, match="no_plan"):
        rooms.no_plan  # noqa: B018
