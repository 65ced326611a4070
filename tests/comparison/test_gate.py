"""Gates: passed, failed or cannot tell, on arithmetic that fits on a line."""

import json
import math
from typing import Any

import numpy as np
import pytest

import surefold as sf
from surefold.comparison.compare import compare
from surefold.comparison.gate import Gate, gate
from surefold.errors import InputError, UnknownNameError
from surefold.estimates import clopper_pearson
from surefold.inputs.predictions import Predictions
from tests.validity.gates import Boundary, status_at

Z = 1.6448536269514722


def _rows(only_candidate, only_baseline, both, neither=0):
    """Truth, baseline and candidate with so many rows that only one, both or neither get right."""
    parts = (only_candidate, only_baseline, both, neither)
    right_c, right_b = (np.repeat(pattern, parts).astype(bool) for pattern in ((1, 0, 1, 0), (0, 1, 1, 0)))
    truth = np.arange(sum(parts)) % 2
    return truth, np.where(right_b, truth, 1 - truth), np.where(right_c, truth, 1 - truth)


@pytest.mark.parametrize(("b", "c"), [(9, 1), (6, 1), (5, 1), (1, 5), (1, 6), (0, 0)])
def test_better_by_hand(b, c):
    # (b - c) / sqrt(b + c + 1) against 1.645: 6 to 1 is 5/sqrt(8) = 1.77, 5 to 1 is 4/sqrt(7) = 1.51
    status = {(9, 1): "passed", (6, 1): "passed", (1, 6): "failed"}.get((b, c), "cannot_tell")
    score = (b - c) / math.sqrt(b + c + 1)
    assert status == ("passed" if score > Z else "failed" if score < -Z else "cannot_tell")
    g = gate(*_rows(b, c, 40))
    assert g.status == status
    assert g.kind == "superiority"
    assert bool(g) is g.passed is (status == "passed")
    assert g.exit_code == {"passed": 0, "failed": 1, "cannot_tell": 3}[status]
    assert g.difference is not None
    assert g.difference.effect.value == pytest.approx((b - c) / (40 + b + c))


def test_a_margin_asks_for_not_worse():
    # 2 to 4 of 200: the bound by score solves (b - c - nL)/sqrt(...) = 1.645, which test_one_sided holds to its root
    rows = _rows(2, 4, 194)
    assert gate(*rows, margin=0.05).kind == "noninferiority"
    assert gate(*rows, margin=0.05).passed
    assert gate(*rows, margin=0.01).status == "cannot_tell"
    assert gate(*rows, margin=0.01).limit == -0.01
    much_worse = _rows(0, 30, 170)
    assert gate(*much_worse, margin=0.05).status == "failed"
    assert gate(*much_worse, margin=0.1, kind="superiority").limit == 0.1


def test_no_disagreement_is_no_proof_of_no_difference():
    # With true chance .05 of a loss, 50 rows show none in .95^50 = 7.7 % of cases: more than one in twenty.
    assert gate(*_rows(0, 0, 50), margin=0.05).status == "cannot_tell"
    assert gate(*_rows(0, 0, 70), margin=0.05).passed  # .95^70 = 2.8 %
    same = gate(*_rows(0, 0, 200))
    assert same.status == "cannot_tell"
    assert same.bounds[0] < 0 < same.bounds[1]
    assert same.rows_needed == math.inf
    assert "No number of rows" in same.sentence


def test_the_bound_is_the_score_s():
    g = gate(*_rows(9, 1, 40))
    at_bound = g.bound
    b, c, n = 9.5, 1.5, 51
    a2, a1, a0 = (
        -2 * n,
        (b + c) * (1 - at_bound) - 2 * c * at_bound - 2 * (n - b - c) * at_bound,
        c * at_bound * (1 - at_bound),
    )
    q = (-a1 - math.sqrt(a1 * a1 - 4 * a2 * a0)) / (2 * a2)
    assert (b - c - n * at_bound) / math.sqrt(n * (2 * q + at_bound - at_bound**2)) == pytest.approx(Z, abs=1e-4)


def test_the_bound_is_the_one_that_decided():
    better, worse = _rows(30, 2, 100), _rows(2, 30, 100)
    passed, failed, untold = gate(*better), gate(*worse), gate(*_rows(3, 2, 50))
    assert passed.bound == passed.bounds[0] > 0
    assert failed.bound == failed.bounds[1] < 0
    assert untold.bound == untold.bounds[0] < 0  # what keeps it from passing
    assert f"with 95% confidence below −{-failed.bound:.3f}; the limit is 0.000" in failed.sentence
    assert failed.to_dict()["bound"] == failed.bound
    dear, cheap = gate(*worse, measure="error_rate"), gate(*better, measure="error_rate")
    assert (dear.status, cheap.status) == ("failed", "passed")
    assert (dear.bound, cheap.bound) == (dear.bounds[0], cheap.bounds[1])
    alone = gate(worse[0], None, worse[2], at_least=0.95)
    assert alone.bound == alone.bounds[1] < 0.95


def test_the_interval_of_labels_goes_with_the_bounds_and_says_so():
    rows = _rows(40, 20, 140)  # apart in more than 30 rows, where compare takes the normal interval
    g = gate(*rows)
    truth, baseline, candidate = rows
    told = compare(truth, {"candidate": candidate, "baseline": baseline}).differences[0].effect
    assert (told.method, g.effect.method) == ("one_row", "one_row_score")
    assert g.effect.low == gate(*rows, confidence=0.975).bounds[0]
    assert str(g.effect) not in g.sentence  # the bounds decide, and no other interval stands beside them
    y = np.array([0, 1] * 30)
    areas = gate(y, y + np.linspace(0, 2, 60), y + np.linspace(0, 1, 60), measure="auc")
    assert "with 95% confidence" in areas.sentence


def test_lower_is_better_is_turned():
    truth, baseline, candidate = _rows(9, 1, 40)
    accuracy, error = (gate(truth, baseline, candidate, measure=m, margin=0.02) for m in ("accuracy", "error_rate"))
    assert accuracy.status == error.status == "passed"
    assert error.limit == pytest.approx(0.02)
    assert error.bound == pytest.approx(-accuracy.bound, abs=1e-6)
    assert error.bound == error.bounds[1]
    assert "the limit is 0.02" in error.sentence
    assert gate(truth, candidate, baseline, measure="error_rate", margin=0.02).status == "failed"


def test_areas_take_the_ends_of_the_two_sided_interval():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    old, new = y + rng.normal(size=300), y + 0.8 * rng.normal(size=300)
    g = gate(y, old, new, measure="auc", margin=0.02)
    sided = compare(y, {"candidate": new, "baseline": old}, measure="roc_auc", confidence=0.9).differences[0]
    told = compare(y, {"candidate": new, "baseline": old}, measure="roc_auc").differences[0]
    assert g.measure == "roc_auc"
    assert g.bounds == (sided.effect.low, sided.effect.high)
    assert g.difference == told
    assert g.passed is (sided.effect.low > -0.02)


def test_rows_that_would_tell():
    truth, baseline, candidate = _rows(12, 6, 182)
    g = gate(truth, baseline, candidate)
    assert g.status == "cannot_tell"
    assert g.rows_needed is not None
    # (z .95 sqrt(19)/201 + z .8 of the one-row spread) / (6/200), squared, times the rows
    spread = math.sqrt((19 / 201 - (6 / 201) ** 2) / 201)
    by_hand = 200 * ((Z * math.sqrt(19) / 201 + 0.8416 * spread) / 0.03) ** 2
    assert g.rows_needed == pytest.approx(by_hand, rel=0.01)
    assert g.more_rows == g.rows_needed - 200
    three = np.tile(truth, 3), np.tile(baseline, 3), np.tile(candidate, 3)
    assert gate(*three).passed  # 400 is about what was asked for; three times the rows are enough
    assert gate(*_rows(9, 1, 40)).rows_needed is None
    assert gate(*_rows(9, 1, 40)).more_rows is None


def test_the_candidate_alone():
    truth = np.array([1] * 60 + [0] * 40)
    candidate = np.array([1] * 58 + [0] * 42)
    g = gate(truth, None, candidate, measure="recall", at_least=0.9)
    exact = clopper_pearson(58, 60, confidence=0.9)
    assert g.bounds == pytest.approx((exact.low, exact.high))
    assert g.kind == "at_least"
    assert g.status == "cannot_tell"
    assert exact.low < 0.9
    assert gate(truth, None, candidate, measure="recall", at_least=0.89).passed
    assert gate(truth, None, candidate, measure="recall", at_least=0.999).status == "failed"
    assert gate(truth, None, candidate, measure="error_rate", at_most=0.1).passed
    scores = np.linspace(0, 1, 100)[::-1]
    assert gate(truth, None, scores, measure="auc", at_least=0.9).passed
    assert gate(truth, None, scores, threshold=0.4, at_least=0.9).values["candidate"].value == 1


def test_what_makes_no_gate_is_refused():
    rows = _rows(3, 1, 20)
    truth, baseline, candidate = rows
    refused: list[tuple[dict[str, Any], str, str]] = [
        ({"margin": -0.1}, "bad_option", "margin=-0.1"),
        ({"margin": 5}, "bad_option", "runs from 0 to 1"),
        ({"margin": True}, "bad_option", "margin=True"),
        ({"margin": math.nan}, "bad_option", "margin=nan"),
        ({"confidence": 0.5}, "bad_option", "coin"),
        ({"confidence": 95}, "bad_option", "confidence=95"),
        ({"at_least": 0.9}, "bad_option", "two gates"),
        ({"method": "swap"}, "bad_option", "no bound"),
        ({"measure": "prevalence"}, "bad_option", "neither"),
        ({"names": ("x", "x")}, "bad_option", "both called"),
        ({"sample_weight": -np.ones(24)}, "negative_weight", "weight"),
        ({"sample_weight": np.zeros(24)}, "zero_weights", "weight"),
        ({"sample_weight": np.ones(3)}, "length_mismatch", "rows"),
    ]
    for options, code, words in refused:
        with pytest.raises(InputError, match=words) as caught:
            gate(truth, baseline, candidate, **options)
        assert caught.value.code == code
    with pytest.raises(UnknownNameError, match="superiority"):
        gate(*rows, kind="superority")  # type: ignore[call-overload]
    with pytest.raises(UnknownNameError, match="accuracy"):
        gate(*rows, measure="acuracy")
    alone: list[dict[str, Any]] = [
        {},
        {"at_most": 0.9},
        {"at_least": 90},
        {"at_least": 0.9, "at_most": 0.95},
        {"at_least": 0.9, "margin": 0.1},
    ]
    for options in alone:
        with pytest.raises(InputError) as caught:
            gate(truth, None, candidate, **options)
        assert caught.value.code == "bad_option"
    with pytest.raises(InputError, match="different numbers of rows"):
        gate(truth, baseline[:-1], candidate)
    with pytest.raises(InputError, match="no truth"):
        gate(None, None, candidate, at_least=0.9)


TRUTH, OTHER = [0, 1, 0, 1, 0, 1], [0, 1, 1, 1, 0, 0]
BAD = [
    ("missing_label", TRUTH, [0, 1, None, 1, 0, 1]),
    ("missing_label", [0, 1, math.nan, 1, 0, 1], OTHER),
    ("mixed_label_types", TRUTH, np.array([0, "a", 1, 1, 0, 1], dtype=object)),
    ("label_types_differ", TRUTH, ["0", "1", "0", "1", "0", "1"]),
    ("looks_like_scores", TRUTH, [0.1, 0.9, 0.3, 0.7, 0.2, 0.6]),
    ("length_mismatch", TRUTH, [0, 1]),
    ("unsupported_label_type", TRUTH, [b"0", b"1"] * 3),
    ("not_a_scalar", TRUTH, [(0,), (1,)] * 3),
    ("not_an_array", TRUTH, set(range(6))),
    ("no_rows", [], []),
]


@pytest.mark.parametrize(("code", "truth", "odd"), BAD)
@pytest.mark.parametrize("odd_is", ["candidate", "baseline"])
def test_bad_rows_of_either_model_are_refused_by_the_door(code, truth, odd, odd_is):
    other = OTHER if len(truth) else []
    baseline, candidate = (odd, other) if odd_is == "baseline" else (other, odd)
    with pytest.raises(InputError) as caught:
        gate(truth, baseline, candidate)
    assert caught.value.code == code
    assert caught.value.cure


def test_options_of_measures_reach_them():
    rng = np.random.default_rng(4)
    y = rng.integers(0, 3, 150)
    old, new = (np.where(rng.random(150) < q, y, rng.integers(0, 3, 150)) for q in (0.6, 0.8))
    linear = gate(y, old, new, measure="kappa", weights="linear")
    assert linear.measure == "kappa_linear"
    assert linear.bounds == gate(y, old, new, measure="kappa_linear").bounds
    assert gate(y, None, new, measure="kappa", weights="linear", at_least=0.2).passed
    by_delta = gate(y, old, new, measure="kappa", weights="linear", method="delta")
    told = compare(y, {"candidate": new, "baseline": old}, measure="kappa_linear", method="delta", confidence=0.9)
    assert by_delta.bounds == told.differences[0].effect.interval
    costs = [[0, 1, 5], [1, 0, 1], [5, 1, 0]]
    cheaper = gate(y, old, new, measure="expected_cost", costs=costs)
    assert cheaper.better == "lower"
    assert cheaper.effect.value < 0
    shares = rng.dirichlet(np.ones(3), 150)
    probabilities = 0.5 * shares + 0.5 * np.eye(3)[y]
    many = gate(y, shares, probabilities, measure="log_loss", labels=[0, 1, 2])
    assert many.measure == "log_loss_multiclass"
    assert many.passed


def test_what_weights_remove_cannot_be_told():
    g = gate(TRUTH, OTHER, TRUTH, measure="recall", sample_weight=[1, 0, 1, 0, 1, 0])  # no positive is left
    assert g.status == "cannot_tell"
    assert g.to_dict()["reason"]


def test_undefined_cannot_tell_and_says_why():
    g = gate([1, 1, 1], [1, 1, 0], [1, 1, 1], measure="mcc", margin=0.1)
    assert g.status == "cannot_tell"
    assert g.rows_needed is None
    assert "undefined" in g.sentence
    document = g.to_dict()
    assert document["bound"] is None
    assert document["reason"]
    no_positive = gate([0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1], measure="f1", pos_label=1, labels=[0, 1])
    assert no_positive.status == "cannot_tell"
    alone = gate([1, 1, 1], None, [0.2, 0.4, 0.9], measure="auc", at_least=0.8)
    assert alone.status == "cannot_tell"
    assert alone.to_dict()["reason"]


def test_a_margin_of_zero_says_what_it_asks():
    g = gate(*_rows(9, 1, 40), kind="noninferiority")
    assert g.kind == "noninferiority"
    assert g.passed
    assert "not inferior means superior" in g.sentence


def test_the_sentences():
    better, worse = _rows(20, 1, 100), _rows(1, 20, 100)
    wide: Any = {"margin": 0.05, "kind": "superiority"}
    by = "by more than 0.02:"
    told = [
        (gate(*better), "Passed: candidate is surely better than baseline:"),
        (gate(*worse), "Failed: candidate is surely worse than baseline:"),
        (gate(*better, margin=0.02), f"Passed: candidate is surely not worse than baseline {by}"),
        (gate(*worse, margin=0.02), f"Failed: candidate is surely worse than baseline {by}"),
        (gate(*better, **wide), "Passed: candidate is surely better than baseline by more than 0.05:"),
        (gate(*worse, **wide), "Failed: candidate is surely not better than baseline by more than 0.05:"),
        (gate(*_rows(3, 2, 50), margin=0.02), f"Cannot tell whether candidate is worse than baseline {by}"),
        (gate(*_rows(3, 2, 50)), "Cannot tell whether candidate is better than baseline:"),
        (gate(better[0], None, better[2], at_least=0.9), "Passed: The accuracy of candidate is surely at least 0.9"),
        (
            gate(worse[0], None, worse[2], at_least=0.95),
            "Failed: The accuracy of candidate is surely not at least 0.95:",
        ),
    ]
    for g, words in told:
        assert str(g).startswith(words)


def test_close_calls_show_enough_digits():
    bound = gate(*_rows(0, 0, 60)).bound
    g = gate(*_rows(0, 0, 60), margin=-bound + 0.00002)
    assert g.passed
    assert f"confidence above −{-bound:.5f}; the limit is −{-g.limit:.5f}" in g.sentence


def test_json_is_strict_and_complete():
    for g in (gate(*_rows(9, 1, 40)), gate(*_rows(0, 0, 40)), gate(*_rows(1, 0, 4), margin=0.1)):
        document = json.loads(json.dumps(g.to_dict(), allow_nan=False))
        assert document["kind"] == "gate"
        assert document["schema_version"] == 1
        assert document["status"] == g.status
        assert document["sentence"] == g.sentence
        assert document["bounds"] == list(g.bounds)


def test_weights_groups_and_missing_rows_go_through_the_door():
    truth, baseline, candidate = _rows(20, 5, 100)
    plain = gate(truth, baseline, candidate)
    ones = gate(truth, baseline, candidate, sample_weight=np.ones(len(truth)))
    assert ones.bounds == pytest.approx(plain.bounds, abs=1e-6)
    grouped = gate(truth, baseline, candidate, groups=np.arange(len(truth)) // 5)
    assert grouped.bounds[0] < plain.bounds[0]
    labels = np.array(["no", "yes"])
    named = gate(labels[truth], labels[baseline], labels[candidate], measure="f1", pos_label="yes")
    coded = gate(truth, baseline, candidate, measure="f1")
    assert named.bounds == pytest.approx(coded.bounds)
    with pytest.raises(InputError, match="which one was not said"):
        gate(labels[truth], labels[baseline], labels[candidate], measure="f1")
    holes = candidate.astype(float)
    holes[:3] = np.nan
    with pytest.raises(InputError, match="candidate"):
        gate(truth, baseline, holes)
    both = baseline.astype(float)
    both[:3] = np.nan
    assert gate(truth, both, holes, drop_missing=True).rows == len(truth) - 3


def test_checked_predictions_and_their_rows():
    truth, baseline, candidate = _rows(9, 1, 40)
    old, new = Predictions.of(truth, baseline), Predictions.of(truth, candidate)
    assert gate(None, old, new).bounds == gate(truth, baseline, candidate).bounds
    assert gate(None, None, new, at_least=0.5).passed
    with pytest.raises(InputError) as caught:
        gate(None, Predictions.of(1 - truth, baseline), new)
    assert caught.value.code == "different_rows"
    with pytest.raises(InputError, match="checked Predictions"):
        gate(None, None, new, at_least=0.5, sample_weight=np.ones(50))


def test_draws_are_repeatable_whatever_the_seed_is():
    truth, baseline, candidate = _rows(9, 3, 40)
    seeded = [
        gate(truth, baseline, candidate, method="bootstrap", random_state=s) for s in (1, 1, np.random.default_rng(1))
    ]
    assert seeded[0].bounds == seeded[1].bounds
    assert seeded[2].difference is not None
    assert seeded[2].bounds[0] >= seeded[2].difference.effect.low  # 90 % inside 95 %, of the same draws
    assert "known_to_mislead" in seeded[0].effect.flags


@pytest.mark.parametrize("measure", ["accuracy", "f1", "mcc", "roc_auc"])
@pytest.mark.parametrize("groups", [0, 12])
def test_the_validity_page_counts_what_the_gate_says(measure, groups):
    b, limit = Boundary(measure, 60, 0.4, 0.8, 0.7, (-0.05,), groups), -0.05
    told = []
    for seed in range(12):
        models = b.draw(np.random.default_rng(seed))
        candidate, baseline = models.each["a"], models.each["b"]
        g = gate(None, baseline, candidate, measure=measure, margin=0.05)
        assert g.status == status_at(measure, models, limit)
        told.append(g.status)
    assert len(b.skills) == 2
    assert b.value(b.skills[0]) - b.value(b.skills[1]) == pytest.approx(-0.05, abs=1e-6)


def test_the_class_is_where_it_is_said_to_be():
    assert isinstance(gate(*_rows(9, 1, 40)), Gate)
    assert sf.catalogue["auc"].name == "roc_auc"


def _agreeing(n, errors, seed=5):
    """Scores of two models that agree but for some confident errors of the second."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    p = np.clip(0.5 + (y - 0.5) * 0.5 + 0.05 * rng.normal(size=n), 0.02, 0.98)
    worse = p.copy()
    worse[:errors] = 0.98 - 0.96 * y[:errors]
    return y, p, worse


def test_a_gate_that_few_rows_decide_says_so_and_a_strict_one_cannot_tell():
    y, old, new = _agreeing(1000, 3)
    asked: dict[str, Any] = {"measure": "log_loss", "margin": 0.05}
    found = gate(y, old, new, **asked)
    assert found.status == "passed"
    assert [w.code for w in found.warnings] == ["few_rows_decide"]
    assert "The difference rests on about 3 rows." in found.sentence
    strict = gate(y, old, new, strict=True, **asked)
    assert (strict.status, strict.withheld, strict.exit_code) == ("cannot_tell", "passed", 3)
    assert strict.bounds == found.bounds
    assert "But, asked to be strict: The difference rests on about 3 rows." in strict.sentence
    assert strict.to_dict()["withheld"] == "passed"
    many = gate(*_agreeing(1000, 60), measure="log_loss", margin=0.5, strict=True)
    assert (many.status, many.warnings, many.withheld) == ("passed", (), None)


def test_a_margin_that_few_reversed_rows_would_cost():
    y, old, new = _agreeing(100, 0)
    found = gate(y, old, new, measure="brier", margin=0.004)
    # a row turned round: (.75² - .25²) = .5, so 100 * .004 / .5 = .8 of a row
    assert [w.code for w in found.warnings] == ["few_rows_decide", "margin_of_few_rows"]
    assert "1 reversed row would cost the margin of 0.004." in found.sentence
    assert gate(y, old, new, measure="brier", margin=0.03).warnings[-1].code == "few_rows_decide"
    equal = compare(y, {"old": old, "new": new}, measure="brier", margin=0.004).differences[0]
    assert [f.code for f in equal.findings] == ["few_rows_decide", "margin_of_few_rows"]
    assert "rests on no row: the models differ nowhere" in str(equal)
