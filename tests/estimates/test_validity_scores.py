"""The batch that the validity suite makes of differences of scores is what `compare` gives."""

import numpy as np
import pytest

from surefold.comparison.compare import compare
from tests.validity.score_designs import real, simulated
from tests.validity.score_moves import MEASURES, apart

PAIRS = (
    simulated("nested", 80, 0.5, 4),
    simulated("rounded", 120, 0.3),
    simulated("alike", 60, 0.5),
    real("digits above four", ("forest", "another forest"), 90),
)


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: p.family)
def test_a_batch_gives_what_compare_gives(measure, pair):
    drawn = pair.draw(np.random.default_rng(3), 4, pair.n)
    found = apart(measure, drawn)
    low, high = found.ends(0.975)
    for i, (y, first, second) in enumerate(zip(*drawn, strict=True)):
        effect = compare(y.astype(int), {"a": first, "b": second}, measure=measure).differences[0].effect
        assert (found.value[i], low[i], high[i]) == pytest.approx((effect.value, effect.low, effect.high), abs=2e-8)
        assert ("few_rows_decide" in effect.flags) == (found.counts.deciding[i] < 5)
