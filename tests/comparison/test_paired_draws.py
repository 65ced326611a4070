"""Swapping rows and drawing them again, by tables and row by row."""

import math

import numpy as np
import pytest

from surefold.comparison import compare
from surefold.comparison.paired_draws import drawn_differences, swap_p
from surefold.evidence.held import Held
from surefold.inputs.door import Answers, Columns, Door
from surefold.measures import catalogue
from surefold.significance.bounds import DrawnBounds


def _pair(seed=0, n=120):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    a, b = (np.where(rng.random(n) < p, y, rng.integers(0, 3, n)) for p in (0.8, 0.65))
    return y, a, b


@pytest.mark.parametrize("how", ["swap", "bootstrap"])
@pytest.mark.parametrize("measure", ["accuracy", "f1_macro", "kappa_linear"])
def test_tables_and_rows_draw_from_one_distribution(how, measure):
    y, a, b = _pair()
    answers = {"a": Answers(a), "b": Answers(b)}
    plain, by_rows = (Held.of(Columns(y, answers, w), Door()) for w in (None, np.ones(len(y))))
    drawn = [
        drawn_differences(catalogue[measure], models, ("a", "b"), how, 1500, np.random.default_rng(seed))
        for seed, models in enumerate((plain, by_rows))
    ]
    assert drawn[0].mean() == pytest.approx(drawn[1].mean(), abs=0.01)
    assert drawn[0].std() == pytest.approx(drawn[1].std(), rel=0.12)


def test_swapping_all_disagreements_by_hand():
    # 3 rows only a gets right and none only b: 2 of the 8 ways to swap are as far apart as seen
    y, a, b = [1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]
    d = compare(y, {"a": a, "b": b}, method="swap", draws=20_000, random_state=0)["a", "b"]
    assert d.test.p_value == pytest.approx(2 / 8, abs=0.015)


def test_shares_of_draws_by_hand():
    drawn = np.array([-0.2, -0.1, 0.0, 0.1, 0.3, np.nan])
    assert swap_p(0.2, drawn) == pytest.approx((1 + 2) / 6)
    assert swap_p(0.0, drawn) == 1
    # 3 of 5 draws at or below 0 and 3 at or above: 2 (1 + 3) / 6 is more than 1
    assert DrawnBounds(0.1, 0.1, 0.2, drawn=drawn[:5]).p() == 1
    assert DrawnBounds(0.3, 0.3, 0.2, drawn=np.full(99, 0.3)).p() == pytest.approx(2 / 100)
    assert DrawnBounds(0.3, 0.3, math.inf).p() == 1


def test_groups_are_swapped_and_drawn_whole():
    y, a, b = (np.repeat(x, 5) for x in _pair(1, n=60))
    groups = np.repeat(np.arange(60), 5)
    rows, whole = (
        compare(y, {"a": a, "b": b}, measure="mcc", method="bootstrap", draws=600, random_state=1, groups=g)["a", "b"]
        for g in (None, groups)
    )
    assert whole.effect.se == pytest.approx(rows.effect.se * np.sqrt(5), rel=0.15)


def test_groups_are_swapped_whole():
    """Swapped by rows, five equal rows look like five facts; swapped whole, the test is that of the 60 behind them."""
    once = _pair(2, n=60)
    y, a, b = (np.repeat(x, 5) for x in once)

    def p(truth, first, second, groups=None):
        models = {"a": first, "b": second}
        found = compare(truth, models, measure="mcc", method="swap", draws=2000, random_state=1, groups=groups)
        return found["a", "b"].test.p_value

    assert p(y, a, b, np.repeat(np.arange(60), 5)) == pytest.approx(p(*once), abs=0.03)
    assert p(y, a, b) < p(*once) / 2


def test_draws_that_never_differ_still_have_width():
    y = [0, 1] * 10
    d = compare(y, {"a": y, "b": y}, method="bootstrap", draws=50, random_state=0)["a", "b"]
    assert d.test.p_value == 1
    assert d.effect.low < 0 < d.effect.high
