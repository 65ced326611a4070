"""Bounds by score: hand arithmetic, a published figure, and the closed form for accuracies."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold.comparison.gate import gate
from surefold.comparison.paired_labels import MOST_CLASSES, label_pairs
from surefold.evidence.held import Held
from surefold.inputs.predictions import Predictions
from surefold.measures import catalogue
from surefold.significance.bounds import quantile
from surefold.significance.paired_cases import mcnemar
from surefold.significance.score_bounds import RowDifferences, ScoreBounds


def _models(only_first, only_second, both, *, groups=None, weights=None):
    """Rows of one class each that only the first, only the second, or both get right."""
    n = only_first + only_second + both
    truth = np.arange(n) % 2
    first = np.where(np.arange(n) < only_first + both, truth, 1 - truth)
    second = np.where((np.arange(n) >= only_first), truth, 1 - truth)
    made = {
        name: Predictions.of(truth, y, pos_label=1, groups=groups, sample_weight=weights)
        for name, y in (("a", first), ("b", second))
    }
    return Held(made)


def _bounds(measure, models):
    """Of the first model less the second."""
    by_score = label_pairs(catalogue[measure], models.cells()).by_score
    assert by_score is not None
    found = by_score(0, 1)
    assert isinstance(found, ScoreBounds)
    return found


def _closed_form(b, c, n, at):
    """Tango's score of (b - c)/n against `at`: the restricted maximum is the root of a quadratic."""
    rest = n - b - c
    a2, a1, a0 = -2.0 * n, (b + c) * (1 - at) - 2 * c * at - 2 * rest * at, c * at * (1 - at)
    q = (-a1 - math.sqrt(a1 * a1 - 4 * a2 * a0)) / (2 * a2)
    return (b - c - n * at) / math.sqrt(n * (2 * q + at - at * at))


def test_tango_s_own_example():
    # 44 pairs, 1 for the second and none for the first, margin .1: (44 x .1 - 1) / sqrt(44 x .1 x .9), printed as 1.709
    rows = RowDifferences(np.array([0.0, -1.0]), np.array([43.0, 1.0]))
    assert rows.score(-0.1) == pytest.approx(3.4 / math.sqrt(44 * 0.1 * 0.9))
    assert round(rows.score(-0.1), 3) == 1.709


def test_no_difference_by_hand():
    # At 0 the added row makes it (9 - 1) / sqrt(9 + 1 + 1)
    rows = _bounds("accuracy", _models(9, 1, 40)).rows
    assert rows.score(0.0) == pytest.approx(8 / math.sqrt(11))
    assert rows.centre == pytest.approx(8 / 51)
    assert rows.mass.sum() == pytest.approx(51)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(5, 60), st.floats(-0.6, 0.6).filter(lambda x: abs(x) > 1e-3))
@settings(max_examples=60, deadline=None)
def test_of_accuracies_it_is_the_closed_form_with_one_row_added(b, c, both, at):
    rows = _bounds("accuracy", _models(b, c, both)).rows
    assert rows.score(at) == pytest.approx(_closed_form(b + 0.5, c + 0.5, b + c + both + 1, at), abs=1e-7)


@pytest.mark.parametrize("name", ["accuracy", "f1", "mcc", "kappa", "f1_macro", "kappa_linear", "recall"])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_variance_at_the_difference_found_is_that_of_compare(name, weighted):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 80)
    answers = [np.where(rng.random(80) < q, truth, 1 - truth) for q in (0.8, 0.7)]
    weights = rng.uniform(0.5, 2, 80) if weighted else None
    models = Held({str(i): Predictions.of(truth, y, pos_label=1, sample_weight=weights) for i, y in enumerate(answers)})
    rows, moments = _bounds(name, models).rows, label_pairs(catalogue[name], models.cells())
    assert rows.centre == pytest.approx(moments.centres[0] - moments.centres[1])
    assert rows.variance == pytest.approx(moments.variance[0, 1])
    assert rows.variance_at(rows.centre) == pytest.approx(rows.variance)


def test_mcnemar_has_the_same_bounds():
    # 5 only the first, 1 only the second, of 50: bisection of the closed form gives the ends
    ends = []
    for sign in (1, -1):
        inside, outside = 4 / 51, float(-sign)
        for _ in range(80):
            half = (inside + outside) / 2
            too_far = sign * _closed_form(5.5, 1.5, 51, half) > 1.959963984540054
            inside, outside = (inside, half) if too_far else (half, outside)
        ends.append(inside)
    effect = mcnemar(5, 1, n=50).effect
    assert effect.method == "one_row_score"
    assert effect.interval == pytest.approx(tuple(ends), abs=1e-9)


def test_a_bound_is_where_the_score_is_the_quantile():
    found = _bounds("mcc", _models(7, 3, 50))
    low, high = found.at(0.95)
    assert found.rows.score(low) == pytest.approx(1.6449, abs=1e-3)
    assert found.rows.score(high) == pytest.approx(-1.6449, abs=1e-3)
    assert found.at(0.99)[0] < low < found.value < high < found.at(0.99)[1]


def test_bounds_turn_with_the_models():
    there, back = (_bounds("f1", _models(*pair, 60)) for pair in ((9, 2), (2, 9)))
    assert there.at(0.95)[0] == pytest.approx(-back.at(0.95)[1], abs=0.01)  # not exact: the classes of the rows change


def test_groups_widen_the_bounds():
    plain, grouped = (_bounds("accuracy", _models(20, 10, 70, groups=g)) for g in (None, np.arange(100) // 10))
    assert plain.inflation == pytest.approx(1)
    assert grouped.inflation > 1
    assert grouped.at(0.95)[0] < plain.at(0.95)[0]
    assert quantile(0.95, grouped.df) == pytest.approx(1.833, abs=1e-3)  # t with 9 degrees of freedom


def test_outside_the_margin_by_hand():
    # No disagreement in 70 rows and the added one: at .05 the closed form, on both sides alike
    found = _bounds("accuracy", _models(0, 0, 70))
    z = _closed_form(0.5, 0.5, 71, -0.05)
    assert found.outside_p(0.05) == pytest.approx(0.5 * math.erfc(z / math.sqrt(2)))
    assert found.outside_p(0.05) < 0.05 < found.outside_p(0.03)


def test_what_rows_cannot_say():
    rows = RowDifferences(np.array([0.0, 0.5]), np.array([3.0, 1.0]))
    assert rows.variance_at(0.7) == 0
    assert rows.score(0.7) == -math.inf
    assert not RowDifferences(np.zeros(1), np.ones(1)).can_move
    many = np.arange(MOST_CLASSES + 1)
    models = Held({name: Predictions.of(many, many) for name in "ab"})
    by_score = label_pairs(catalogue["accuracy"], models.cells()).by_score
    assert by_score is not None
    assert by_score(0, 1) is None


def test_many_weighted_rows_are_joined_without_moving_the_bounds(monkeypatch):
    rng = np.random.default_rng(8)
    truth = rng.integers(0, 2, 3000)
    answers = {name: np.where(rng.random(3000) < q, truth, 1 - truth) for name, q in (("a", 0.9), ("b", 0.88))}
    weights = rng.uniform(0.2, 3, 3000)
    models = Held({n: Predictions.of(truth, y, sample_weight=weights) for n, y in answers.items()})
    whole = _bounds("accuracy", models)
    monkeypatch.setattr("surefold.significance.score_bounds.MOST_VALUES", 300)
    joined = _bounds("accuracy", models)
    assert len(joined.rows.values) <= 304  # and the added row's four
    assert joined.rows.centre == pytest.approx(whole.rows.centre)
    assert joined.inflation >= 1
    assert joined.at(0.95) == pytest.approx(whole.at(0.95), abs=2e-5)


def test_a_row_of_weight_zero_is_no_row() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 300)
    first, second = (np.where(rng.random(300) < right, truth, 1 - truth) for right in (0.8, 0.85))
    weights = rng.integers(0, 4, 300).astype(float)
    kept = weights > 0
    with_them = gate(truth, first, second, margin=0.02, sample_weight=weights)
    without = gate(truth[kept], first[kept], second[kept], margin=0.02, sample_weight=weights[kept])
    assert with_them.bounds == pytest.approx(without.bounds)


def test_few_rows_that_differ_are_not_averaged_with_the_many_that_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 2000)
    first = np.where(rng.random(2000) < 0.9, truth, 1 - truth)
    second = np.where(rng.random(2000) < 0.99, first, 1 - first)  # twenty rows or so differ
    weights = rng.gamma(2, size=2000)
    whole = gate(truth, first, second, margin=0.02, sample_weight=weights)
    monkeypatch.setattr("surefold.significance.score_bounds.MOST_VALUES", 300)
    joined = gate(truth, first, second, margin=0.02, sample_weight=weights)
    assert joined.bounds == pytest.approx(whole.bounds, abs=1e-4)
