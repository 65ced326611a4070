"""A test of plain numbers is added by one file: it is a name of its room, in the reference, and held to the laws."""

from __future__ import annotations

import json

from .conftest import Tree

#: Fisher and Yates's normal scores in the place of ranks, with the normal approximation.
TEST = '''
    """Normal scores of the differences."""

    import math

    import numpy as np

    from surefold.estimates.estimate import Estimate, TestResult
    from surefold.estimates.quantiles import checked_confidence, normal_quantile, normal_tail
    from surefold.significance.pairs import checked_alternative, checked_pairs, p_of_tails, tied_ranks
    from surefold.significance.plain_test import plain_test

    __all__ = ["normal_scores"]


    @plain_test(
        reads="pairs",
        null="the differences are symmetric about zero",
        source="Van der Waerden (1952), Indagationes Mathematicae 14:453-458",
    )
    def normal_scores(a, b, *, alternative="two-sided", confidence=0.95):
        """Are the differences symmetric about zero? Ranks are replaced by quantiles of the normal distribution.

        a:           one number a pair
        b:           likewise
        alternative: "two-sided", "greater" or "less"
        confidence:  of the interval

        >>> normal_scores([1, 2, 3], [1, 2, 3]).p_value
        1.0
        """
        checked_alternative(alternative)
        confidence, pairs = checked_confidence(confidence), checked_pairs(a, b)
        d, n = pairs.difference, len(pairs)
        level = 0.5 + tied_ranks(np.abs(d), pairs.rounding) / (2 * (n + 1))
        scores = np.sign(d) * np.array([normal_quantile(one) for one in level])
        size = math.sqrt(float(scores @ scores))
        z = float(scores.sum()) / size if size else 0.0
        reach = normal_quantile((1 + confidence) / 2) * pairs.spread / math.sqrt(n)
        effect = Estimate(pairs.mean, pairs.mean - reach, pairs.mean + reach, confidence=confidence, n=n)
        p_value = p_of_tails(float(normal_tail(z)), float(normal_tail(-z)), alternative)
        return TestResult("normal scores", effect, z, p_value, ("pairs are independent",))
'''

SCRIPT = """
    import json

    import pytest

    from docs.api_pages import api_page
    from surefold.significance import normal_scores

    page = api_page("surefold.significance")
    say = {"p": normal_scores([3, 5, 4, 6, 7, 8], [2, 4, 3, 5, 6, 9]).p_value}
    say["docs"] = page[page.index("### normal_scores") :][:900]
    laws = ["tests/laws/test_plain_tests.py", "-k", "normal_scores", "-q", "-p", "no:cacheprovider"]
    say["laws"] = int(pytest.main([*laws, "--import-mode=importlib"]))
    print(json.dumps(say))
"""


def test_a_test_of_plain_numbers_is_one_file(with_code: Tree) -> None:
    printed = with_code("significance/normal_scores.py", TEST, SCRIPT)
    say = json.loads(printed.splitlines()[-1])
    assert 0 < say["p"] < 1
    assert "Source: Van der Waerden (1952)" in say["docs"]
    assert "13 passed" in printed
    assert say["laws"] == 0
