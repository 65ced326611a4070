"""An estimate as a value: read, printed, exported."""

import math

import numpy as np
import pytest

from surefold import Confusion, Estimate
from surefold.estimates import proportion_test, wilson

approx = pytest.approx


def test_reads_as_a_number_with_an_interval():
    e = wilson(16, 20)
    assert float(e) == 0.8
    assert e.interval == (e.low, e.high)
    assert e.width == approx(e.high - e.low)
    assert 0.7 in e
    assert 0.5 not in e
    assert str(e) == "0.80 [0.58, 0.92]"  # tan4.4
    assert f"{e:.1f}" == "0.8 [0.6, 0.9]"


def test_undefined_and_infinite_values_say_so():
    undefined = Confusion([[0, 3], [0, 4]]).measure("precision", 0)
    assert str(undefined) == "undefined (nothing was called 0)"
    assert undefined.to_dict()["value"] is None
    assert undefined.to_dict()["reason"] == "nothing was called 0"
    bare = Estimate(math.nan, math.nan, math.nan, reason="no rows")
    assert str(bare) == "undefined (no rows)"
    endless = Confusion([[3, 1], [0, 4]]).measure("lr_plus", 0)
    assert str(endless).startswith("∞ [")
    assert endless.to_dict()["infinite"] == ["value", "high"]
    assert endless.to_dict()["value"] is None


def test_extras_are_exported_when_there():
    assert "p_value" not in wilson(3, 9).to_dict()
    assert Estimate(1.0, 0.5, 2.0, p_value=0.2, statistic=3.0, df=4.0).to_dict()["p_value"] == 0.2


def test_test_results_are_told_and_exported():
    found = proportion_test(9, 10, 0.5)  # p = 22/1024
    assert str(found).endswith("p = 0.0215")
    assert found.to_dict()["p_value"] == approx(22 / 1024)
    assert found.to_dict()["effect"]["value"] == 0.9
    assert proportion_test(3, 5, 0.0).to_dict()["statistic"] is None  # infinite


def test_a_cost_that_is_the_same_whatever_happens_is_certain():
    e = Confusion([[3, 1], [2, 4]]).measure("expected_cost", costs=[[2, 2], [2, 2]])
    assert (e.value, e.low, e.high) == (2, 2, 2)


def test_rounds_and_compares_as_its_value_does():
    e = wilson(16, 20)
    assert round(e, 1) == 0.8
    assert round(e) == 1
    assert isinstance(round(e), int)
    assert e > 0.7
    assert e >= 0.8
    assert e < np.float64(0.9)
    assert e <= 1
    assert max(0.7, e) is e
    assert not e > 0.8
    undefined = Estimate(math.nan, math.nan, math.nan)
    assert not undefined > 0.5
    assert not undefined < 0.5
    assert e == wilson(16, 20)
    bare: object = 0.8
    assert e != bare  # an estimate is more than its value


def test_two_estimates_are_not_ordered_by_their_values():
    with pytest.raises(TypeError, match="compare\\(\\)"):
        wilson(16, 20) > wilson(15, 20)  # noqa: B015
    with pytest.raises(TypeError, match="not a str"):
        wilson(16, 20) > "0.5"  # noqa: B015
