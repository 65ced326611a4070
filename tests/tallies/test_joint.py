"""The joint tally of several models' calls."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefold.tallies.joint import joint_counts


@given(st.integers(1, 200), st.integers(1, 4), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_counts_are_those_of_a_loop_over_rows(n, classes, models, seed):
    rng = np.random.default_rng(seed)
    truth, *calls = rng.integers(0, classes, (models + 1, n)).astype(np.uint8)
    wanted = np.zeros((classes, models * classes, models * classes))
    for row in range(n):
        for a in range(models):
            for b in range(models):
                wanted[truth[row], a * classes + calls[a][row], b * classes + calls[b][row]] += 1
    assert (joint_counts(truth, calls, classes) == wanted).all()


def test_parts_add_up_and_a_weight_of_two_is_two_rows():
    rng = np.random.default_rng(0)
    truth, *calls = rng.integers(0, 3, (4, 100_000)).astype(np.uint8)
    whole = joint_counts(truth, calls, 3)
    parts = sum(joint_counts(truth[half], [c[half] for c in calls], 3) for half in (slice(0, 777), slice(777, None)))
    assert (whole == parts).all()
    times = rng.integers(0, 3, 100_000)
    weighted = joint_counts(truth, calls, 3, times.astype(float))
    repeated = joint_counts(np.repeat(truth, times), [np.repeat(c, times) for c in calls], 3)
    assert weighted == pytest.approx(repeated)
