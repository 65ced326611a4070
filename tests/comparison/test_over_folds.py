"""Studies compared over their splits."""

from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import surefold as sf
from surefold.comparison import corrected_t, five_by_two_f, holm, paired_t
from surefold.errors import UnknownNameError

RNG = np.random.default_rng(0)
Y = np.arange(120) % 2
X = RNG.normal(size=(120, 3)) + Y[:, None]


def study(**how: Any) -> sf.Study:
    models = {"good": LogisticRegression(), "bayes": GaussianNB(), "guess": DummyClassifier(strategy="most_frequent")}
    return sf.cross_validate(models, X, Y, random_state=0, **{"folds": 10, "repeats": 3, **how})


def test_the_corrected_t_with_folds_less_one() -> None:
    s = study()
    c = s.compare("accuracy")
    a, b = s["good"].values("accuracy"), s["guess"].values("accuracy")
    by_hand = corrected_t(a, b, 108, 12, df=9)
    found = c["good", "guess"]
    assert found.test.statistic == pytest.approx(by_hand.statistic)
    assert found.test.p_value == pytest.approx(by_hand.p_value)
    assert found.test.df == 9
    assert found.status == "better"
    assert c["good", "bayes"].status == "cannot_tell"
    assert found.adjusted_p >= found.test.p_value
    assert str(found).startswith("good is better than guess")


def test_lower_is_better_for_errors_and_swap_flips_the_sign() -> None:
    s = study()
    error, right = s.compare("error_rate")["good", "guess"], s.compare("accuracy")["good", "guess"]
    assert error.status == right.status == "better"
    assert error.effect.value == pytest.approx(-right.effect.value)
    models = {"guess": DummyClassifier(strategy="most_frequent"), "good": LogisticRegression()}
    other = sf.cross_validate(models, X, Y, folds=10, repeats=3, random_state=0)
    swapped = other.compare("accuracy")["guess", "good"]
    assert swapped.effect.value == pytest.approx(-right.effect.value)
    assert swapped.test.p_value == pytest.approx(right.test.p_value)


def test_the_plan_picks_the_test() -> None:
    s = sf.cross_validate({"a": LogisticRegression(), "b": GaussianNB()}, X, Y, cv="5x2", random_state=0)
    d = s.values("accuracy")
    by_hand = five_by_two_f((d[:, 0] - d[:, 1]).reshape(5, 2))
    assert s.compare("accuracy")["a", "b"].test.p_value == by_hand.p_value
    with pytest.raises(sf.InputError, match="5x2"):
        study().compare(test="five_by_two_t")


def test_tests_by_name_are_flagged() -> None:
    s = study(repeats=1)
    found = s.compare("error_rate", test="paired_t")["good", "guess"].test
    assert found.p_value == paired_t(s["good"].values("error_rate"), s["guess"].values("error_rate")).p_value
    assert "naive_folds" in found.flags
    assert "naive_folds" in s.compare(test="wilcoxon")["good", "guess"].test.flags
    with pytest.raises(sf.UnknownNameError, match="corrected_t"):
        s.compare(test="corected_t")


def test_a_model_against_itself() -> None:
    s = sf.cross_validate({"a": GaussianNB(), "b": GaussianNB()}, X, Y, folds=5, random_state=0)
    found = s.compare()["a", "b"]
    assert found.test.p_value == 1
    assert found.status == "cannot_tell"


def test_against_a_control_and_neighbours() -> None:
    models = {"guess": DummyClassifier(), "near": KNeighborsClassifier(), "bayes": GaussianNB()}
    c = sf.cross_validate(models, X, Y, random_state=0).compare(control="guess")
    assert [(d.first, d.second) for d in c.differences] == [("near", "guess"), ("bayes", "guess")]
    assert "neighbour_learner" in c["near", "guess"].test.flags


def test_refusals() -> None:
    two = {"a": GaussianNB(), "b": LogisticRegression()}
    for plan in (sf.holdout(two, X, Y, random_state=0), sf.leave_one_out(two, X, Y)):
        with pytest.raises(sf.InputError, match=r"sf\.compare"):
            plan.compare()
    with pytest.raises(sf.InputError, match="nothing to be compared with"):
        sf.cross_validate({"a": GaussianNB()}, X, Y, random_state=0).compare()
    with pytest.raises(sf.UnknownNameError, match="model"):
        study().compare(control="nobody")


def test_p_is_adjusted_as_asked() -> None:
    s = study(folds=5, repeats=1)
    raw = np.array([d.test.p_value for d in s.compare("accuracy").differences])
    by_name = {"bonferroni": np.minimum(3 * raw, 1), "none": raw, "holm": holm(raw)}
    for name, wanted in by_name.items():
        found = s.compare("accuracy", adjust=name)
        assert found.adjust == name
        assert [d.adjusted_p for d in found.differences] == pytest.approx(wanted)
    with pytest.raises(UnknownNameError, match="bonferroni"):
        s.compare("accuracy", adjust="bonferoni")


@pytest.mark.parametrize(
    ("how", "test"), [({}, "corrected_t"), ({}, "wilcoxon"), ({"cv": "5x2"}, "five_by_two_f"), ({}, "paired_t")]
)
def test_identical_models_have_no_interval_and_say_why(how: dict[str, Any], test: str) -> None:
    plan: dict[str, Any] = how or {"folds": 5}
    twins = sf.cross_validate({"one": GaussianNB(), "other": GaussianNB()}, X, Y, random_state=0, **plan)
    found = twins.compare("accuracy", test=test).differences[0]
    assert (found.effect.value, found.test.p_value, found.status) == (0, 1, "cannot_tell")
    assert np.isnan(found.effect.interval).all()
    assert found.effect.reason == "identical in every fold"
    assert "differs by 0.000 (identical in every fold), " in str(found)
    shown = found.to_dict()["test"]["effect"]
    assert (shown["low"], shown["high"]) == (None, None)
    assert "infinite" not in shown
