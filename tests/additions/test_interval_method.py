"""An interval for a share is added by one function: all that has shares takes its name."""

from __future__ import annotations

import json

import pytest

from .conftest import Tree

#: Anscombe's interval: even on the scale where a share's variance is about the same everywhere.
METHOD = '''

@share_method(weak="few")
def arcsine(s: Array, n: Array, tail: float) -> tuple[Array, Array]:
    """The normal interval of arcsin(sqrt(share))."""
    centre = np.arcsin(np.sqrt((s + 0.375) / (n + 0.75)))
    reach = normal_quantile(1 - tail) / (2 * np.sqrt(n))
    ends = np.clip(centre - reach, 0, np.pi / 2), np.clip(centre + reach, 0, np.pi / 2)
    return np.sin(ends[0]) ** 2, np.sin(ends[1]) ** 2
'''

SCRIPT = """
    import json

    import surefold as sf

    y, p = ["a"] * 25 + ["b"] * 15, ["a"] * 20 + ["b"] * 18 + ["a"] * 2
    recall = sf.assess(y, p, pos_label="a").measure("recall", method="arcsine")
    f1 = sf.measure("f1", y, p, pos_label="a", method="arcsine")
    perfect = sf.measure("recall", ["a", "b"] * 9, ["a", "b"] * 9, pos_label="a", method="arcsine")
    try:
        sf.measure("recall", y, p, pos_label="a", method="arcsin")
    except sf.UnknownNameError as error:
        refusal = str(error)
    shown = [recall.value, recall.low, recall.high, recall.method]
    print(json.dumps([shown, [f1.low, f1.high], perfect.flags, refusal]))
"""


def test_an_interval_for_shares_is_one_function(with_code: Tree) -> None:
    recall, f1, flags, refusal = json.loads(with_code("estimates/share_intervals.py", METHOD, SCRIPT))
    # arcsin(sqrt(20.375 / 25.75)) = 1.0963, and 1.96 / (2 * 5) = 0.196 to either side
    assert recall == [0.8, pytest.approx(0.6139, abs=2e-4), pytest.approx(0.9244, abs=2e-4), "arcsine"]
    assert f1[0] < 40 / 47 < f1[1]  # 2 * 20 / (2 * 20 + 5 + 2)
    assert "known_to_mislead" in flags
    assert "did you mean 'arcsine'" in refusal
