"""What all tests have in common: the flags are registered, and everything goes into JSON."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from surefold import comparison as c
from surefold.findings import FINDING_CODES

A, B = np.random.default_rng(0).normal(0.5, 1, (2, 12))
Y = np.arange(12) % 2
TABLE = np.stack([A, B, A - B], axis=1)
RESULTS: dict[str, Callable[[], Any]] = {
    "paired_t": lambda: c.paired_t(A, B),
    "paired_t_from": lambda: c.paired_t_from(0.5, 12, sd=1.2),
    "corrected_t": lambda: c.corrected_t(A, B, 90, 10),
    "five_by_two_t": lambda: c.five_by_two_t(A[:10].reshape(5, 2)),
    "five_by_two_f": lambda: c.five_by_two_f(np.zeros((5, 2))),
    "mcnemar": lambda: c.mcnemar(3, 9, n=40),
    "cochran_q": lambda: c.cochran_q(TABLE > 0),
    "bowker": lambda: c.bowker([[3, 1], [5, 9]]),
    "sign_test": lambda: c.sign_test(A, A),
    "wilcoxon": lambda: c.wilcoxon(A, B),
    "permutation": lambda: c.permutation(A, B),
    "delong_test": lambda: c.delong_test(Y, A, B),
    "delong_test_unpaired": lambda: c.delong_test_unpaired(Y, A, Y, B),
    "two_proportions": lambda: c.two_proportions(0.1, 20, 0.3, 40),
    "friedman": lambda: c.friedman(TABLE),
    "nemenyi": lambda: c.nemenyi(TABLE),
    "bonferroni_dunn": lambda: c.bonferroni_dunn(TABLE),
    "bayes_correlated_t": lambda: c.bayes_correlated_t(A, 90, 10),
    "bayes_sign": lambda: c.bayes_sign(A),
    "bayes_signed_rank": lambda: c.bayes_signed_rank(A),
}
NOT_TESTS = {
    "compare", "disagreements", "holm", "hochberg", "bonferroni", "benjamini_hochberg", "rank_differences", "gate",
    "power", "sample_size", "smallest_difference", "expected_width", "difference_curve", "gains_difference",
    "roc_difference",
}  # fmt: skip


def test_no_test_is_forgotten():
    assert set(RESULTS) == {name for name in c.__all__ if name[0].islower()} - NOT_TESTS


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_plain_and_complete(name):
    r = RESULTS[name]()
    shown = r.to_dict()
    json.dumps(shown, allow_nan=False)
    assert set(r.flags) <= set(FINDING_CODES)
    assert all(sentence[0].islower() or sentence[0].isupper() for sentence in r.assumptions)
    assert r.assumptions
    assert str(r).startswith(r.name)
    if name.startswith("bayes"):
        return
    assert 0 < r.p_value <= 1
    assert not np.isnan(r.statistic)
    assert r.effect.defined or r.effect.reason


def test_the_room_stays_light():
    code = (
        "import sys; import surefold.comparison as c; light = 'scipy' not in sys.modules; "
        "c.wilcoxon([1, 2, 3], [0, 0, 4]); c.friedman([[1, 2, 3], [2, 3, 1]]); c.nemenyi([[1, 2, 3], [2, 3, 1]]); "
        "c.delong_test([0, 1, 1], [1, 2, 3], [1, 3, 0]); print(light, 'scipy.stats' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["True", "False"]
