"""Where the positive class was not said, the same one is suggested whatever was asked."""

import pytest
from sklearn.dummy import DummyClassifier

import surefold as sf
from surefold.errors import InputError
from surefold.inputs.positive import rarest


def test_the_rarest_class_that_has_rows_and_of_equals_the_last():
    assert [rarest(counts) for counts in ([5, 3], [3, 5], [4, 4], [0, 7], [0, 0], [3, 1, 0, 1], [2.5, 0.5])] == [
        1,
        0,
        1,
        1,
        1,
        3,
        1,
    ]


@pytest.mark.parametrize(("truth", "rarer"), [(["no"] * 8 + ["yes"] * 2, "yes"), (["bad"] * 3 + ["good"] * 9, "bad")])
def test_the_rarer_class_is_suggested_wherever_one_is_asked_for(truth, rarer):
    scores = [0.5] * len(truth)
    findings = sf.assess(truth, truth).findings
    said = [f.sentence.split("To have the rest")[1] for f in findings if f.code == "positive_class_not_said"]
    assert len(said) == 1
    asks = (
        lambda: sf.assess(truth, y_score=scores),
        lambda: sf.gate(truth, truth, truth, measure="f1"),
        lambda: sf.gate(truth, None, scores, measure="auc", at_least=0.5),
        lambda: sf.compare(truth, {"a": truth, "b": truth}, measure="recall"),
        lambda: sf.measure("f1", truth, truth),
        lambda: sf.benchmark({"m": DummyClassifier()}, {"d": ([[0.0]] * len(truth), truth)}, measure="f1"),
    )
    for ask in asks:
        with pytest.raises(InputError, match="positive_class_unknown") as caught:
            ask()
        said.append(caught.value.cure)
    other = (set(truth) - {rarer}).pop()
    for text in said:
        assert "pos_label=" in text
        assert f"'{rarer}'" in text
        assert other not in text
