"""assess(): what can be asked of an assessment, what it refuses, and why figures are missing."""

import math
import pickle

import numpy as np
import pytest

import surefold as sf
from surefold import Assessment, Estimate, InputError, Predictions, UnknownNameError, assess, catalogue
from surefold.estimates import clopper_pearson, wilson

approx = pytest.approx
# spam: 4 of 5 found; ham: 6 of 8 kept
TRUTH = ["spam"] * 5 + ["ham"] * 8
ANSWER = ["spam"] * 4 + ["ham"] + ["spam"] * 2 + ["ham"] * 6


def codes(a: Assessment) -> list[str]:
    return [f.code for f in a.findings]


def test_one_measure_by_name_or_alias():
    a = assess(TRUTH, ANSWER, pos_label="spam")
    assert float(a["accuracy"]) == approx(10 / 13)
    assert float(a["recall"]) == approx(4 / 5)
    assert a["sensitivity"] is a["recall"]
    assert float(a["precision"]) == approx(4 / 6)
    assert float(a["f1_macro"]) == approx((2 * 4 / 11 + 2 * 6 / 15) / 2)
    assert isinstance(a["kappa"], Estimate)
    with pytest.raises(UnknownNameError, match="did you mean 'accuracy'"):
        a["acuracy"]


def test_shares_get_wilson_or_the_exact_interval():
    a = assess(TRUTH * 4, ANSWER * 4, pos_label="spam")
    assert a["accuracy"].interval == approx(wilson(40, 52).interval)
    assert a["accuracy"].method == "wilson"
    few = assess(TRUTH, ANSWER, pos_label="spam")["accuracy"]
    assert few.interval == approx(clopper_pearson(10, 13).interval)
    assert few.method == "clopper_pearson"
    assert "few_errors" in few.flags


def test_f1_and_jaccard_of_a_class_go_through_their_share():
    # F = 2J / (1 + J) of the share J = TP / (TP + FP + FN)
    tally = sf.Confusion([[40, 10], [12, 60]])
    share = wilson(40, 62)
    f = tally.measure("f1", 0)
    assert tally.measure("jaccard", 0).interval == approx(share.interval)
    assert f.value == approx(80 / 102)
    assert f.interval == approx(tuple(2 * x / (1 + x) for x in share.interval))
    j = 40 / 62
    assert f.se == approx(share.se * 2 / (1 + j) ** 2)  # dF/dJ


def test_per_class():
    a = assess(TRUTH, ANSWER)
    assert list(a.per_class) == ["ham", "spam"]
    assert len(a.per_class) == 2
    assert float(a.per_class["ham"]["recall"]) == approx(6 / 8)
    assert float(a.per_class["spam"]["specificity"]) == approx(6 / 8)
    assert set(a.per_class["ham"]) == {m.name for m in catalogue.of_labels.values() if m.is_per_class}
    assert len(a.per_class["ham"]) == len(list(a.per_class["ham"]))
    with pytest.raises(UnknownNameError, match="no label 'eggs'"):
        a.per_class["eggs"]
    with pytest.raises(UnknownNameError, match=r"whole table: ask a\['kappa'\]"):
        a.per_class["ham"]["kappa"]


def test_the_positive_class_is_said():
    spam, ham = (assess(TRUTH, ANSWER, pos_label=label) for label in ("spam", "ham"))
    assert (spam.pos_label, ham.pos_label) == ("spam", "ham")
    assert spam["recall"].value == approx(0.8)
    assert ham["recall"].value == approx(0.75)
    assert spam["accuracy"] == ham["accuracy"]
    assert spam["recall"].value == spam.per_class["spam"]["recall"].value


def test_the_positive_class_is_never_guessed_from_the_alphabet():
    a = assess(TRUTH, ANSWER)
    assert a.pos_label is None
    assert "positive_class_not_said" in codes(a)
    with pytest.raises(InputError, match="recall is about one class") as error:
        a["recall"]
    assert error.value.code == "positive_class_unknown"
    assert "pos_label=" in error.value.cure
    assert "recall" not in a.overall
    assert "f1_macro" in a.overall


@pytest.mark.parametrize("pair", [(0, 1), (-1, 1), (False, True)])
def test_plain_pairs_need_no_saying(pair):
    negative, positive = pair
    a = assess([positive, positive, negative, negative, negative], [positive, negative, negative, negative, positive])
    assert a.pos_label == positive
    assert a["recall"].value == approx(1 / 2)
    assert a["specificity"].value == approx(2 / 3)
    assert "positive_class_assumed" in codes(a)


def test_typed_tables_follow_the_same_rule():
    counts = [[7, 3], [7, 13]]
    assert sf.Confusion(counts).measure("recall").value == approx(13 / 20)  # labels 0, 1: 1 is positive
    assert sf.Confusion(counts, labels=[-1, 1]).measure("recall").value == approx(13 / 20)
    assert sf.Confusion(counts, labels=[1, 0]).measure("recall").value == approx(7 / 10)
    for labels in (["no", "yes"], [1, 2]):
        with pytest.raises(InputError) as error:
            sf.Confusion(counts, labels=labels).measure("recall")
        assert error.value.code == "positive_class_unknown"
    with pytest.raises(InputError, match="f1_macro"):
        sf.Confusion(np.eye(3)).measure("f1")


def test_measure_is_one_call():
    e = sf.measure("kappa", TRUTH, ANSWER)
    assert e == assess(TRUTH, ANSWER)["kappa"]
    half = sf.measure("fbeta", TRUTH, ANSWER, pos_label="spam", beta=0.5)
    assert half.value == approx(1.25 * 4 / (1.25 * 4 + 0.25 * 1 + 2))
    assert sf.measure("balanced_accuracy", TRUTH, ANSWER, adjusted=True).value == approx(0.8 + 0.75 - 1)
    assert sf.measure("accuracy", TRUTH, ANSWER, confidence=0.8).confidence == 0.8
    assert sf.measure("accuracy", TRUTH, ANSWER, method="jeffreys").method == "jeffreys"


def test_confidence_reaches_every_interval():
    a = assess(TRUTH, ANSWER, confidence=0.8)
    assert a.confidence == 0.8
    assert all(e.confidence == 0.8 for e in a.overall.values())
    with pytest.raises(InputError, match="confidence") as error:
        assess(TRUTH, ANSWER, confidence=95)
    assert error.value.code == "bad_option"


def test_predictions_may_be_made_before():
    p = Predictions.of(TRUTH, ANSWER, pos_label="spam")
    assert assess(p)["f1"] == assess(TRUTH, ANSWER, pos_label="spam")["f1"]


def test_shown_measures():
    a = assess(TRUTH, ANSWER, measures=["kappa", "cohen_kappa", "accuracy"])
    assert set(a.overall) == {"kappa", "accuracy"}
    assert set(a.headlines) == {"kappa", "accuracy"}
    with pytest.raises(UnknownNameError):
        assess(TRUTH, ANSWER, measures=["kapa"])


def test_headlines_depend_on_a_positive_class_and_on_costs():
    assert "f1" in assess(TRUTH, ANSWER, pos_label="spam").headlines
    assert "f1_macro" in assess(TRUTH, ANSWER).headlines
    assert "expected_cost" in assess(TRUTH, ANSWER, costs=[[0, 1], [5, 0]]).headlines
    for a in (assess(TRUTH, ANSWER), assess(TRUTH, ANSWER, pos_label="ham", costs={"fp": 1, "fn": 2})):
        assert set(a.headlines) <= set(a.overall)


# costs


def test_costs_as_a_matrix_or_by_name():
    # labels ham, spam; positive spam: 2 false positives, 1 false negative of 13
    matrix = assess(TRUTH, ANSWER, pos_label="spam", costs=[[0, 1], [5, 0]])
    named = assess(TRUTH, ANSWER, pos_label="spam", costs={"fp": 1, "fn": 5})
    assert matrix["expected_cost"].value == approx((2 * 1 + 1 * 5) / 13)
    assert named["expected_cost"] == matrix["expected_cost"]
    other = assess(TRUTH, ANSWER, pos_label="ham", costs={"fp": 1, "fn": 5})  # now the 1 is a false positive
    assert other["expected_cost"].value == approx((1 * 1 + 2 * 5) / 13)
    gains = assess(TRUTH, ANSWER, pos_label="spam", costs={"fp": 1, "fn": 5, "tp": -2, "tn": 0})
    assert gains["expected_cost"].value == approx((2 + 5 - 2 * 4) / 13)
    assert gains["expected_cost"].low < gains["expected_cost"].value < gains["expected_cost"].high


def test_costs_that_do_not_fit():
    for options in (
        {"costs": {"fp": 1, "fn": 5}},  # no positive class was said
        {"costs": {"false": 1}, "pos_label": "spam"},
        {"costs": [[0, 1, 2], [1, 0, 1], [1, 1, 0]]},
        {"costs": [[0, math.nan], [1, 0]]},
    ):
        with pytest.raises(InputError) as error:
            assess(TRUTH, ANSWER, **options)
        assert error.value.code == "cost_matrix"


def test_without_costs_expected_cost_is_left_out_or_says_so():
    a = assess(TRUTH, ANSWER)
    assert "expected_cost" not in a.overall
    e = a["expected_cost"]
    assert not e.defined
    assert e.reason == "costs was not given"


# what cannot be said, and why


NEED_TWO_CLASSES = ("mcc", "balanced_accuracy_adjusted")
NEED_ANOTHER_CLASS = (
    "specificity",
    "false_positive_rate",
    "informedness",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "diagnostic_odds_ratio",
)


@pytest.mark.parametrize("answer", [["cat"] * 6, ["cat"] * 4 + ["dog"] * 2], ids=["all right", "some wrong"])
def test_a_single_class_leaves_accuracy_and_names_itself_as_the_reason(answer):
    a = assess(["cat"] * 6, answer)
    right = answer.count("cat")
    assert a["accuracy"].value == approx(right / 6)
    assert a["accuracy"].interval == approx(clopper_pearson(right, 6).interval)
    for name in NEED_TWO_CLASSES:
        assert not a[name].defined, name
        assert a[name].reason == "the truth holds one class only, 'cat'", name
    for name in NEED_ANOTHER_CLASS:
        e = a.per_class["cat"][name]
        assert not e.defined, name
        assert e.reason == "the truth holds one class only, 'cat'", name
    assert codes(a).count("single_class") == 1
    assert "'cat'" in next(f for f in a.findings if f.code == "single_class").sentence
    assert not any(math.isinf(e.value) for e in a.overall.values())


def test_kappa_of_one_class_called_right_throughout_is_undefined():
    a = assess(["cat"] * 6, ["cat"] * 6)
    for name in ("kappa", "kappa_linear", "kappa_quadratic", "squared_loss"):
        assert a[name].reason == "the truth holds one class only, 'cat'", name


def test_weights_that_remove_a_class_are_the_reason():
    a = assess([0, 0, 1, 1], [0, 1, 1, 1], sample_weight=[1, 1, 0, 0])
    for name in ("recall", "mcc", "informedness", "balanced_accuracy_adjusted"):
        assert not a[name].defined, name
        assert a[name].reason == "the weights remove class 1", name
    assert a["accuracy"].value == approx(1 / 2)
    assert codes(a).count("weight_removes_class") == 1


def test_reasons_name_the_class():
    a = assess(["a", "a", "b", "b", "c"], ["a", "a", "a", "b", "b"])
    assert a.per_class["c"]["precision"].reason == "nothing was called 'c'"
    assert a["precision_macro"].reason == "precision of class 'c' is undefined: nothing was called 'c'"
    assert not a["precision_weighted"].defined
    assert a["recall_macro"].value == approx((1 + 1 / 2 + 0) / 3)
    declared = assess(["a", "b"], ["a", "b"], labels=["a", "b", "z"])
    assert declared.per_class["z"]["recall"].reason == "no row is 'z'"
    assert declared["recall_macro"].reason == "recall of class 'z' is undefined: no row is 'z'"


def test_an_undefined_value_has_no_standard_error_and_is_never_zero():
    a = assess(["a", "a", "b"], ["a", "a", "a"])
    for label in ("a", "b"):
        for name, e in a.per_class[label].items():
            if not e.defined:
                assert math.isnan(e.value), name
                assert math.isnan(e.se), name
                assert e.flags == (), name
                assert e.reason, name
            else:
                assert e.reason == "", name


# groups, weights, tables


def test_groups_reach_every_figure():
    n = 60
    truth, answer = np.arange(n) % 2, (np.arange(n) // 3) % 2
    groups = np.arange(n) // 5
    plain, grouped = assess(truth, answer), assess(truth, answer, groups=groups)
    assert grouped["accuracy"].value == plain["accuracy"].value
    assert grouped["accuracy"].width > plain["accuracy"].width
    assert grouped["kappa"] == sf.measure("kappa", truth, answer, groups=groups)


def test_the_table_and_what_chance_would_give():
    a = assess(TRUTH, ANSWER)
    assert a.confusion.counts.tolist() == [[6, 2], [1, 4]]
    assert a.by_chance.counts[0, 0] == approx(8 * 7 / 13)
    assert a.labels == ("ham", "spam")
    assert a.n == 13


def test_figures_are_computed_once():
    a = assess(TRUTH, ANSWER)
    assert a["kappa"] is a["kappa"]
    assert a.per_class["ham"]["recall"] is a.per_class["ham"]["recall"]


def test_length_mismatch_and_unknown_labels():
    with pytest.raises(InputError) as error:
        assess([0, 1, 1], [0, 1])
    assert error.value.code == "length_mismatch"
    with pytest.raises(InputError) as error:
        assess(TRUTH, ANSWER, pos_label="eggs")
    assert error.value.code == "unknown_label"


# leaving and coming back


def test_everything_survives_pickling():
    a = assess(TRUTH, ANSWER, pos_label="spam", costs={"fp": 1, "fn": 5}, sample_weight=np.linspace(1, 2, 13))
    a["kappa"], a.per_class["ham"]["recall"]
    back = pickle.loads(pickle.dumps(a))
    assert back.confusion == a.confusion
    assert codes(back) == codes(a)
    assert back.pos_label == "spam"
    assert str(back.verdict) == str(a.verdict)
    for name, e in a.overall.items():
        assert repr(back[name]) == repr(e)
    e = a["f1"]
    assert pickle.loads(pickle.dumps(e)) == e


def test_errors_survive_pickling():
    with pytest.raises(InputError) as caught:
        assess(["a", None, "b"], ["a", "a", "b"])
    error = caught.value
    back = pickle.loads(pickle.dumps(error))
    assert str(back) == str(error)
    assert (back.code, back.rows, back.count, back.cure) == (error.code, error.rows, error.count, error.cure)
    unknown = UnknownNameError("measure", "acuracy", ["accuracy"])
    assert str(pickle.loads(pickle.dumps(unknown))) == str(unknown)


def test_a_measure_asked_for_as_an_attribute_is_told_how_to_be_asked_for():
    a = assess([0, 1, 1, 0], [0, 1, 0, 0])
    for slip, told in {
        "f1": r'a\["f1"\]',
        "auc": r'a\["auc"\]',
        "acuracy": r'a\["accuracy"\]',
        "finding": r"a\.findings",
        "zzz": r'as in a\["accuracy"\]',
    }.items():
        with pytest.raises(AttributeError, match=told):
            getattr(a, slip)
    assert not hasattr(a, "f1")
    assert not hasattr(a, "_repr_png_")


def test_a_name_may_be_spelled_as_in_a_report_of_scikit_learn():
    a = assess([0, 1, 1, 0], [0, 1, 0, 0])
    assert a["f1-score"] == a["F1 score"] == a["f1"]
    assert a["balanced accuracy"] == a["balanced_accuracy"]
