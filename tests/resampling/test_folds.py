"""Plans with folds: what each repeat tests, seeds, refusals; cases small enough to check by hand, then laws."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from surefold import InputError
from surefold.resampling.folds import (
    five_by_two_plan,
    k_fold_plan,
    leave_one_out_plan,
    leave_pair_out_plan,
    nested_plan,
)
from surefold.resampling.grouped import Groups, leave_one_group_out_plan
from surefold.resampling.plan import Plan

codes_of_rows = st.lists(st.integers(0, 3), min_size=4, max_size=60).filter(lambda c: len(set(c)) > 1)
seeds = st.integers(0, 2**63 - 1)


def made(*allowed: str, make: Callable[[], Plan]) -> Plan:
    """The plan; a case that is refused for one of these reasons is no case."""
    try:
        return make()
    except InputError as error:
        if error.code not in allowed:
            raise
        reject()


def rows_tested(plan: Plan) -> list[list[int]]:
    return [split.test.tolist() for split in plan]


def class_counts(plan: Plan, codes: Any) -> Any:
    codes = np.asarray(codes)
    return np.array([np.bincount(codes[split.test], minlength=codes.max() + 1) for split in plan])


def same_as_explicit(plan: Plan) -> bool:
    explicit = Plan.of("x", plan.n, tests=rows_tested(plan), trains=[split.train.tolist() for split in plan])
    rows = np.arange(plan.n)
    return all(np.array_equal(explicit.train(i), np.setdiff1d(rows, plan.test(i))) for i in range(len(plan)))


# by hand


def test_unshuffled_folds_are_runs_the_first_ones_longer():
    plan = k_fold_plan([0, 1, 0, 1, 0, 1, 0], folds=3, stratified=False, shuffle=False)
    assert rows_tested(plan) == [[0, 1, 2], [3, 4], [5, 6]]
    assert (plan.kind, plan.random_state, plan.findings) == ("k_fold", None, ())
    assert dict(plan.options) == {"folds": 3, "repeats": 1, "stratified": False, "shuffle": False}


def test_unshuffled_stratified_folds_are_runs_within_each_class():
    # class 0 is rows 0 1 2 3 5, class 1 is rows 4 6 7 8: dealt round, 3 folds get 2 2 1 of one and 1 1 2 of the other
    plan = k_fold_plan([0, 0, 0, 0, 1, 0, 1, 1, 1], folds=3, shuffle=False, random_state=5)
    assert rows_tested(plan) == [[0, 1, 4], [2, 3, 6], [5, 7, 8]]
    assert plan.random_state == 5


def test_a_number_of_rows_is_enough_where_classes_do_not_matter():
    plan = k_fold_plan(10, folds=5, random_state=0)
    assert plan.is_partition
    assert plan.options["stratified"] is False


def test_as_many_folds_as_rows_is_leave_one_out():
    plan = k_fold_plan([0, 1, 0, 1], folds=4, stratified=False, shuffle=False)
    assert plan.fingerprint == leave_one_out_plan([0, 1, 0, 1]).fingerprint


def test_leave_one_out():
    plan = leave_one_out_plan([0, 0, 1, 1, 2], labels=("a", "b", "c"))
    assert rows_tested(plan) == [[0], [1], [2], [3], [4]]
    assert plan.train(4).tolist() == [0, 1, 2, 3]
    assert plan.is_partition
    [finding] = plan.findings
    assert finding.code == "class_not_trained"
    assert finding.evidence == {"classes": ["c"], "splits": 1, "first": "fold 5"}
    assert "1 of 5 splits" in finding.sentence
    assert leave_one_out_plan([0, 0, 1, 1], random_state=3).random_state == 3


def test_leave_one_group_out():
    plan = leave_one_group_out_plan([0, 1, 0, 1, 0, 1], ["z", "z", "a", "a", "z", "b"])
    assert rows_tested(plan) == [[0, 1, 4], [2, 3], [5]]
    assert (plan.kind, plan.options["groups"]) == ("leave_one_group_out", 3)


def test_leave_pair_out_takes_every_pair_the_positive_first():
    plan = leave_pair_out_plan([1, 0, 2, 1], positive=1)
    assert rows_tested(plan) == [[0, 1], [0, 2], [3, 1], [3, 2]]
    assert plan.train(0).tolist() == [2, 3]
    assert dict(plan.options) == {"positive": 1, "pairs": 4, "of": 4}
    assert plan.random_state is None


def test_leave_pair_out_says_when_the_rest_lacks_a_class():
    [finding] = leave_pair_out_plan([1, 0, 2, 1, 0], positive=1).findings
    assert (finding.code, finding.evidence["classes"], finding.evidence["splits"]) == ("class_not_trained", [2], 2)


def test_five_by_two():
    plan = five_by_two_plan([0] * 6 + [1] * 4, random_state=1)
    assert (plan.kind, len(plan), plan.repeats, plan.folds) == ("5x2", 10, 5, 2)
    assert plan.is_partition
    assert class_counts(plan, [0] * 6 + [1] * 4).tolist() == [[3, 2]] * 10


def test_nested_has_ordinary_folds_then_pairs():
    codes = [0, 1] * 8
    plan, ordinary = (
        nested_plan(codes, folds=4, repeats=2, random_state=9),
        k_fold_plan(codes, folds=4, repeats=2, random_state=9),
    )
    assert (plan.kind, plan.options["folds"], len(plan)) == ("nested", 4, 2 * (4 + 6))
    assert plan.fold.tolist() == 2 * list(range(10))
    assert plan.repeat.tolist() == [0] * 10 + [1] * 10
    for repeat in range(2):
        single = [plan.test(10 * repeat + k).tolist() for k in range(4)]
        assert single == [ordinary.test(4 * repeat + k).tolist() for k in range(4)]
        for at, (i, j) in enumerate([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], start=4):
            assert plan.test(10 * repeat + at).tolist() == single[i] + single[j]
            assert set(plan.train(10 * repeat + at).tolist()) == set(range(16)) - set(single[i]) - set(single[j])


# laws


@settings(deadline=None, max_examples=60)
@given(codes=codes_of_rows, folds=st.integers(2, 6), repeats=st.integers(1, 3), seed=seeds, shuffle=st.booleans())
def test_each_repeat_tests_each_row_once_evenly(codes, folds, repeats, seed, shuffle):
    repeats = repeats if shuffle else 1
    folds = min(folds, len(codes))
    options: dict[str, Any] = {"repeats": repeats, "shuffle": shuffle, "random_state": seed, "min_class": "allow"}
    plan = made("one_class_in_training", make=lambda: k_fold_plan(codes, folds=folds, **options))
    plan.check()
    assert plan.is_partition
    assert (len(plan), plan.repeats, plan.folds) == (folds * repeats, repeats, folds)
    counts = class_counts(plan, codes).reshape(repeats, folds, -1)
    assert (np.ptp(counts, axis=1) <= 1).all(), "classes as even as can be"
    assert (np.ptp(counts.sum(axis=2), axis=1) <= 1).all(), "and sizes too"
    assert same_as_explicit(plan)


@settings(deadline=None, max_examples=40)
@given(n=st.integers(2, 50), folds=st.integers(2, 10), seed=seeds)
def test_without_strata_sizes_differ_by_one_at_most(n, folds, seed):
    plan = k_fold_plan(n, folds=min(folds, n), random_state=seed)
    plan.check()
    assert plan.is_partition
    assert np.ptp(plan.test_sizes) <= 1


@settings(deadline=None, max_examples=60)
@given(
    rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), min_size=6, max_size=60),
    folds=st.integers(2, 4),
    seed=seeds,
    stratified=st.booleans(),
    shuffle=st.booleans(),
)
def test_groups_never_straddle(rows, folds, seed, stratified, shuffle):
    codes, groups = np.array(rows).T
    options: dict[str, Any] = {"stratified": stratified, "shuffle": shuffle, "min_class": "allow"}
    options |= {"groups": groups, "random_state": seed}
    plan = made("too_few_groups", "one_class_in_training", make=lambda: k_fold_plan(codes, folds=folds, **options))
    plan.check()
    assert plan.is_partition
    assert plan.folds == folds
    for split in plan:
        assert not set(groups[split.train]) & set(groups[split.test])


@settings(deadline=None, max_examples=40)
@given(codes=codes_of_rows, folds=st.integers(2, 5), seed=seeds)
def test_groups_of_one_row_come_out_nearly_as_even_as_rows(codes, folds, seed):
    folds = min(folds, len(codes))
    numbers = Groups.of(list(range(len(codes))), len(codes)).dealt(folds, np.asarray(codes), None)
    counts = np.array([np.bincount(np.asarray(codes)[numbers == f], minlength=4) for f in range(folds)])
    assert (np.ptp(counts, axis=0) <= 1).all()
    assert np.ptp(counts.sum(axis=1)) <= 2  # they are placed one by one, not solved for


def test_groups_of_one_class_each_are_spread_over_folds():
    # 12 groups of 5 rows, a third of them positive: each of 4 folds gets one positive group and two others
    groups = np.repeat(np.arange(12), 5)
    codes = (groups % 3 == 0).astype(int)
    plan = k_fold_plan(codes, folds=4, groups=groups, random_state=2)
    assert class_counts(plan, codes).tolist() == [[10, 5]] * 4
    assert plan.options["groups"] == 12


def test_what_groups_are_called_changes_nothing():
    codes, groups = [0, 1] * 10, np.repeat(np.arange(10), 2)
    named = [f"patient {9 - g}" for g in groups]
    first, second = (k_fold_plan(codes, folds=3, groups=g, random_state=4) for g in (groups, named))
    assert first.fingerprint == second.fingerprint


def test_repeats_of_uneven_groups_differ():
    groups = np.repeat(np.arange(12), np.arange(1, 13))
    plan = k_fold_plan(len(groups), folds=3, repeats=5, groups=groups, random_state=0)
    assert len({tuple(sorted(map(tuple, rows_tested(plan)[3 * r : 3 * r + 3]))) for r in range(5)}) > 1
    assert np.ptp(plan.test_sizes) <= 12


@settings(deadline=None, max_examples=50)
@given(ups=st.integers(2, 9), downs=st.integers(2, 9), share=st.floats(0.01, 1), seed=seeds)
def test_sampled_pairs_are_different_and_even(ups, downs, share, seed):
    codes = np.array([1] * ups + [0] * downs)
    pairs = max(1, round(share * ups * downs))
    plan = leave_pair_out_plan(codes, positive=1, pairs=pairs, random_state=seed)
    plan.check()
    assert len(plan) == pairs
    assert len(set(map(tuple, rows_tested(plan)))) == pairs
    assert (codes[plan.test_rows.reshape(-1, 2)] == [1, 0]).all()
    used = plan.times_tested
    assert np.ptp(used[:ups]) <= 1
    assert np.ptp(used[ups:]) <= 1


# seeds


MAKERS = {
    "k_fold": lambda codes, seed: k_fold_plan(codes, folds=3, repeats=2, random_state=seed),
    "grouped": lambda codes, seed: k_fold_plan(codes, folds=3, groups=np.arange(30) // 2, random_state=seed),
    "5x2": lambda codes, seed: five_by_two_plan(codes, random_state=seed),
    "nested": lambda codes, seed: nested_plan(codes, folds=3, random_state=seed),
    "pairs": lambda codes, seed: leave_pair_out_plan(codes, positive=1, pairs=50, random_state=seed),
}


@pytest.mark.parametrize("maker", MAKERS)
def test_the_seed_decides_and_is_recorded(maker):
    codes = [0, 1, 1] * 10
    make = MAKERS[maker]
    assert make(codes, 7).fingerprint == make(codes, 7).fingerprint
    assert make(codes, 7).fingerprint != make(codes, 8).fingerprint
    fresh = make(codes, None)
    assert fresh.random_state is not None
    assert 0 <= fresh.random_state < 2**63
    assert make(codes, fresh.random_state).fingerprint == fresh.fingerprint
    assert make(codes, None).fingerprint != fresh.fingerprint
    drawn = make(codes, np.random.default_rng(1))
    assert drawn.fingerprint == make(codes, np.random.default_rng(1)).fingerprint
    assert drawn.fingerprint == make(codes, drawn.random_state).fingerprint


def test_global_state_is_neither_read_nor_moved():
    state = np.random.get_state()  # noqa: NPY002
    try:
        np.random.seed(0)  # noqa: NPY002
        before = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
        first = k_fold_plan(50, random_state=3)
        assert np.random.get_state()[1].tolist() == before  # type: ignore[index]  # noqa: NPY002
        np.random.seed(1)  # noqa: NPY002
        assert k_fold_plan(50, random_state=3).fingerprint == first.fingerprint
    finally:
        np.random.set_state(state)  # noqa: NPY002


def test_a_plan_is_the_same_on_every_machine():
    # Frozen: numpy promises the raw bits of PCG64, and a plan rests on those alone.
    assert rows_tested(k_fold_plan([0, 1] * 6, folds=3, random_state=0)) == [
        [1, 6, 9, 10],
        [2, 5, 8, 11],
        [0, 3, 4, 7],
    ]


@pytest.mark.parametrize("groups", [None, np.arange(30) // 3])
def test_more_repeats_leave_the_first_as_they_were(groups):
    few, many = (k_fold_plan([0, 1, 1] * 10, folds=5, repeats=r, groups=groups, random_state=6) for r in (2, 4))
    assert rows_tested(few) == rows_tested(many)[:10]
    repeats = [rows_tested(many)[5 * r : 5 * r + 5] for r in range(4)]
    assert all(a != b for a, b in pairwise(repeats))


# findings


@pytest.mark.parametrize("codes", [[0, 0, 0, 1, 1, 1, 2, 2, 2], [2, 2, 2, 0, 0, 0, 1, 1, 1]])
def test_sorted_rows_and_unshuffled_folds_are_said(codes):
    plan = k_fold_plan(codes, folds=9, stratified=False, shuffle=False)
    assert [f.code for f in plan.findings] == ["unshuffled_sorted"]
    assert plan.findings[0].evidence == {"classes": 3}
    thirds = k_fold_plan(codes, folds=3, stratified=False, shuffle=False)
    assert [f.code for f in thirds.findings] == ["unshuffled_sorted", "class_not_trained"]
    assert thirds.findings[1].evidence["splits"] == 3


def test_sorted_rows_are_fine_when_shuffled_or_stratified_and_unsorted_ones_always():
    codes = [0] * 6 + [1] * 6
    assert k_fold_plan(codes, folds=3, shuffle=False).findings == ()
    assert k_fold_plan(codes, folds=3, random_state=0).findings == ()
    assert k_fold_plan([0, 1] * 6, folds=3, stratified=False, shuffle=False).findings == ()
    assert k_fold_plan(12, folds=3, shuffle=False).findings == ()


def test_a_class_of_one_row_is_allowed_if_asked_and_said():
    plan = k_fold_plan([0, 0, 0, 1, 1, 1, 2], folds=3, random_state=0, min_class="allow", labels=("a", "b", "c"))
    [finding] = plan.findings
    assert (finding.code, finding.evidence["classes"], finding.evidence["splits"]) == ("class_not_trained", ["c"], 1)


def test_many_missing_classes_are_counted():
    codes = [0, 0, 1, 1, 2, 3, 4, 5, 6]
    [finding] = leave_one_out_plan(codes).findings
    assert "(2, 3, 4 and 2 more)" in finding.sentence


# refusals


@contextmanager
def refused(code: str, *parts: str) -> Iterator[None]:
    with pytest.raises(InputError) as caught:
        yield
    assert caught.value.code == code, str(caught.value)
    for part in parts:
        assert part in str(caught.value)


def test_e1_a_class_with_fewer_rows_than_folds():
    with refused("too_few_of_a_class", "class 'rare' has 4 rows", "10 folds", "folds=4 or fewer", "min_class='allow'"):
        k_fold_plan([0] * 50 + [1] * 4, labels=("common", "rare"))


def test_e1_of_several_the_smallest_is_named():
    with refused("too_few_of_a_class", "class 2 has 1 row and there are 5 folds", "2 classes have fewer rows", "merge"):
        k_fold_plan([0] * 9 + [1] * 4 + [2], folds=5)


def test_e1_with_groups_counts_groups():
    with refused("too_few_of_a_class", "class 1 has 2 groups and there are 3 folds", "folds=2"):
        k_fold_plan([0] * 6 + [1] * 6, folds=3, groups=[0, 1, 2, 3, 4, 5, 6, 6, 6, 7, 7, 7])


def test_e3_a_training_part_of_one_class():
    with refused("one_class_in_training", "fold 1 would train on class 'b' only, and 1 more of 2 splits"):
        k_fold_plan([0, 0, 1, 1], folds=2, stratified=False, shuffle=False, labels=("a", "b"))
    with refused("one_class_in_training", "fold 3 would train on class 0 only."):
        leave_one_out_plan([0, 0, 1])
    with refused("one_class_in_training", "all 5 rows are of class 'a', so fold 1"):
        leave_one_out_plan([0] * 5, labels=["a"])
    with refused("one_class_in_training", "fold 2 would train on class 0 only"):
        leave_one_group_out_plan([0, 0, 1, 1, 0], [0, 0, 1, 1, 2])


def test_e6_more_folds_than_rows():
    with refused("bad_plan", "10 folds of 6 rows", "folds=6 or fewer"):
        k_fold_plan([0, 1] * 3)
    with refused("bad_plan", "two rows"):
        k_fold_plan(1, folds=2)
    with refused("bad_plan", "two rows"):
        leave_one_out_plan(1)


def test_e7_groups_missing_or_fewer_than_folds():
    with refused("too_few_groups", "5 folds need as many groups, and there are 3", "folds=3 or fewer"):
        k_fold_plan([0, 1] * 6, folds=5, groups=[0, 1, 2] * 4)
    with refused("too_few_groups", "there is 1", "give more groups"):
        leave_one_group_out_plan([0, 1], ["a", "a"])
    with refused("missing_group"):
        k_fold_plan([0, 1] * 2, folds=2, groups=["a", None, "b", "c"])
    with refused("length_mismatch", "groups has 3 values and there are 4 rows"):
        k_fold_plan([0, 1] * 2, folds=2, groups=[1, 2, 3])


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"folds": 1}, "folds is 1"),
        ({"folds": 2.0}, "folds is 2.0"),
        ({"folds": True}, "folds is True"),
        ({"folds": "10"}, "folds is '10'"),
        ({"repeats": 0}, "repeats is 0"),
        ({"stratified": 1}, "stratified is 1"),
        ({"shuffle": "no"}, "shuffle is 'no'"),
        ({"shuffle": False, "repeats": 2}, "every repeat would be the same"),
        ({"min_class": "warn"}, "min_class is 'warn'"),
        ({"random_state": -1}, "random_state is -1"),
        ({"random_state": 2**63}, "random_state is"),
        ({"random_state": 0.5}, "random_state is 0.5"),
    ],
)
def test_bad_options(options, part):
    with refused("bad_option", part):
        k_fold_plan([0, 1] * 10, **options)


def test_nested_needs_three_folds():
    with refused("bad_option", "folds is 2"):
        nested_plan([0, 1] * 5, folds=2)


def test_bad_codes():
    with refused("bad_option", "whole numbers from 0"):
        k_fold_plan([0.5, 1.0])
    with refused("bad_option", "whole numbers from 0"):
        k_fold_plan([-1, 1])
    with refused("bad_shape"):
        k_fold_plan([[0, 1]])
    with refused("no_rows"):
        k_fold_plan([])
    with refused("bad_option", "the number of rows is 0"):
        k_fold_plan(0)
    with refused("bad_plan", "needs the class of each row"):
        leave_pair_out_plan(10, positive=1)


def test_leave_pair_out_refuses():
    with refused("bad_plan", "1,000 positive and 1,000 other rows make 1,000,000 pairs", "pairs=10_000"):
        leave_pair_out_plan([0] * 1000 + [1] * 1000, positive=1)
    with refused("too_few_of_a_class", "no row of the positive class 'c'"):
        leave_pair_out_plan([0, 1], positive=2, labels="abc")
    with refused("too_few_of_a_class", "no row outside the positive class"):
        leave_pair_out_plan([1, 1], positive=1)
    with refused("one_class_in_training", "fold 1 would train on class 0 only"):
        leave_pair_out_plan([0, 0, 0, 1], positive=1)
    with refused("bad_option", "pairs is 0"):
        leave_pair_out_plan([0, 0, 1, 1], positive=1, pairs=0)


def test_an_old_random_state_is_drawn_from():
    first, second = (k_fold_plan(20, random_state=np.random.RandomState(1)) for _ in range(2))
    assert first.fingerprint == second.fingerprint
