"""Laws of bounds, for every measure: models change places, interval and one-sided bounds, p and interval, the gate."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold import catalogue
from surefold.comparison.compare import answers_of, kind_of, opening
from surefold.comparison.compared import Models, Question, pair_results
from surefold.comparison.gate import gate
from surefold.inputs.door import Columns, Door
from surefold.measures.measure import Measure
from surefold.significance.bounds import Bounds, DrawnBounds, NormalBounds, OpenBounds
from tests.road.made_rows import columns_of, facts_of, matrix_of, rows_of_three, rows_of_two

NEEDED: dict[str, dict[str, Any]] = {"expected_cost": {"costs": [[0, 1], [4, 0]]}}
EXTRAS = ("plain", "weights", "both")


def measures() -> list[Measure]:
    found = [
        catalogue.with_options(name, NEEDED.get(name, {})) for name in (*catalogue.of_labels, *catalogue.of_scores)
    ]
    return [m for m in found if m.better != "neither" and not m.needs_options]


def models_for(measure: Measure, extra: str, names: str = "ab") -> Models:
    """Two models of few rows, which differ in some."""
    if measure.name in catalogue.of_scores and catalogue.of_scores[measure.name].reads == "matrix":
        rows = rows_of_three(120)
        answers: Any = {m: matrix_of(rows, m) for m in names}
    else:
        rows = rows_of_two(120)
        of_scores = measure.name in catalogue.of_scores
        answers = {m: rows[f"p_{m}"].to_numpy() for m in names} if of_scores else columns_of(rows, *names)
    facts = facts_of(rows, extra)
    by_name = {"groups": facts["groups"]} if "groups" in facts else {}
    columns = Columns(rows["y"].to_numpy(), answers_of(answers, "labels"), facts.get("sample_weight"), by_name)
    return Models(opening(None, columns, Door())(kind_of(measure)))


def result_of(measure: Measure, models: Models, few: float) -> Any:
    asked, options = measure.name, NEEDED.get(measure.name, {})
    values = {name: models.value(asked, measure, name, 0.95, options) for name in models.names}
    (result,) = pair_results(measure, models, [(0, 1)], values, Question(draws=200, random_state=0), few)
    return result


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("few", [0, math.inf], ids=["normal", "by score"])
@pytest.mark.parametrize("measure", measures(), ids=lambda m: m.name)
def test_of_every_measure(measure: Measure, extra: str, few: float) -> None:
    models = models_for(measure, extra)
    there, back = (result_of(measure, models_for(measure, extra, names), few) for names in ("ab", "ba"))
    b: Bounds = there.bounds
    assert b is not None, "these rows are enough for every measure"
    low, high = b.at(0.975)
    assert there.test.effect.interval == pytest.approx((low, high))
    assert low <= b.value <= high
    assert b.at(0.9)[0] >= low
    assert 0 <= b.p() <= 1
    if isinstance(b, DrawnBounds):
        return
    assert back.bounds.value == pytest.approx(-b.value)
    assert back.bounds.at(0.975) == pytest.approx((-high, -low), rel=1e-6, abs=1e-9)
    assert back.bounds.p() == pytest.approx(b.p(), rel=1e-6)
    assert back.bounds.score() == pytest.approx(-b.score(), rel=1e-6)
    assert back.bounds.outside_p(0.02) == pytest.approx(b.outside_p(0.02), rel=1e-6)
    # p at the end of an interval is what the interval leaves out, and "outside" the larger of two one-sided ones
    for end, limit in zip((low, high), (-1.0, 1.0), strict=True):
        if abs(end - b.value) > 1e-9 and end != limit:
            assert b.p(end) == pytest.approx(0.05, rel=1e-4)
    assert models.e.n == 120


@pytest.mark.parametrize("measure", ["accuracy", "mcc", "recall", "f1_macro", "roc_auc", "brier", "ks"])
@pytest.mark.parametrize("extra", EXTRAS)
def test_a_gate_asks_the_bounds_of_its_interval(measure: str, extra: str) -> None:
    rows = rows_of_two(120)
    first, second = (rows[f"p_{m}" if measure in catalogue.of_scores else m].to_numpy() for m in "ab")
    asked: Any = {"measure": measure, "random_state": 0, **facts_of(rows, extra)}
    g = gate(rows["y"].to_numpy(), second, first, **asked)
    assert g.difference is not None
    effect, wider = g.difference.effect, gate(rows["y"].to_numpy(), second, first, confidence=0.975, **asked)
    assert wider.bounds == pytest.approx(effect.interval)
    if effect.low > 0 or effect.high < 0:
        assert g.difference.test.p_value <= 0.05 + 1e-9
    assert (g.status == "passed") == (g.bounds[0] > 0 if g.better == "higher" else g.bounds[1] < 0)


def test_open_bounds_by_hand() -> None:
    # .1 with a standard error of .05, which may be anything from .06 to .12: ends .06 - .098 and .12 + .098
    b = OpenBounds(NormalBounds(0.1, 0.1, 0.05), (0.06, 0.12))
    assert b.at(0.975) == pytest.approx((0.06 - 1.96 * 0.05, 0.12 + 1.96 * 0.05), abs=1e-5)
    assert b.score() == pytest.approx(0.06 / 0.05)
    assert b.p() == pytest.approx(math.erfc(0.06 / 0.05 / math.sqrt(2)))
    assert b.p(0.1) == b.p(0.07) == 1
    assert b.outside_p(0.2) == pytest.approx(0.5 * math.erfc((0.2 - 0.12) / 0.05 / math.sqrt(2)))


@given(
    st.floats(-0.5, 0.5), st.floats(1e-3, 0.2), st.floats(0, 0.1), st.floats(0, 0.1), st.floats(0.51, 0.999),
    st.sampled_from([math.inf, 5.0]),
)  # fmt: skip
@settings(max_examples=50, deadline=None)
def test_what_is_open_only_widens(
    value: float, spread: float, below: float, above: float, level: float, df: float
) -> None:
    inner = NormalBounds(value, value, spread, df)
    b = OpenBounds(inner, (value - below, value + above))
    (low, high), (inner_low, inner_high) = b.at(level), inner.at(level)
    assert low <= inner_low <= inner_high <= high
    assert b.p() >= inner.p() - 1e-12
    assert b.outside_p(0.3) >= inner.outside_p(0.3) - 1e-12
    turned = OpenBounds(NormalBounds(-value, -value, spread, df), (-value - above, -value + below))
    assert turned.at(level) == pytest.approx((-high, -low))
    assert turned.p() == pytest.approx(b.p())


def test_draws_that_are_none() -> None:
    assert DrawnBounds(0.1, 0.1, math.inf).at(0.95) == (-math.inf, math.inf)
    assert DrawnBounds(0.0, 0.0, 0.0, drawn=np.zeros(9), rows=20).at(0.95) == pytest.approx((-0.05, 0.05))
