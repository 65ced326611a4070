"""One fold: every way in which a model can answer badly is a `Failure` with words; good answers come home in order."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC

from surefold.resampling import fold
from surefold.resampling.dataset import Dataset
from surefold.resampling.fold import Failure, Held, run_fold
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.plan import Plan
from tests.resampling import odd_models as odd

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2)) + np.repeat([[0.0], [2.0]], 20, axis=0)
Y = np.repeat(["no", "yes"], 20)


def run(model: Any, X: Any = X, y: Any = Y, split: int = 0, **options: Any) -> Held | Failure:
    data = Dataset.of(X, y, **options)
    plan = k_fold_plan(data.codes, folds=4, random_state=3, labels=data.labels)
    return run_fold(model, data, plan, split, 3)


def held(*arguments: Any, **options: Any) -> Held:
    found = run(*arguments, **options)
    assert isinstance(found, Held), found
    return found


@pytest.mark.parametrize(
    ("model", "kind", "words"),
    [
        (odd.Raises(), "raised", "ZeroDivisionError: no luck today"),
        (odd.RaisesUnspeakably(), "raised", "UnspeakableError: (an error that cannot be shown)"),
        (odd.Exits(), "exited", "sys.exit(3)"),
        (odd.Mutates(), "raised", "read-only"),
        (odd.TooFew(), "bad_answer", "predict gave shape (9,) for 10 rows; (10,) was expected"),
        (odd.FlatProbabilities(), "bad_answer", "predict_proba gave shape (10,); (10, 2) was expected"),
        (odd.NoClasses(), "bad_answer", "has predict_proba but no classes_"),
        (odd.OtherClasses(), "bad_answer", "classes_ gave 0 at place 1, no class of y (2 such)"),
        (odd.TwiceTheSame(), "bad_answer", "names a class twice"),
        (odd.Unsure(), "bad_answer", "NaN in 1 of 10 test rows (first: test row 1)"),
        (odd.Percent(), "bad_answer", "no probability (10 such rows)"),
        (odd.NotOne(), "bad_answer", "add up to 0.5, not to 1"),
        (odd.Strange(), "bad_answer", "predict gave 'what?' for test row 1, no class of y (10 such)"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, object) and not isinstance(value, str) else None,
)
def test_bad_answers_are_failures_with_words(model: Any, kind: str, words: str):
    found = run(model)
    assert isinstance(found, Failure)
    assert found.kind == kind
    assert words in found.message
    assert "\n" not in str(found)
    assert ("Traceback" in found.traceback or "File" in found.traceback) == (kind != "bad_answer")


def test_running_out_of_memory_is_told_apart(monkeypatch):
    def fault(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(odd.Raises, "fault", fault)
    found = run(odd.Raises())
    assert isinstance(found, Failure)
    assert (found.kind, found.message) == ("memory", "MemoryError")
    assert str(found) == "ran out of memory: MemoryError"


def test_a_column_of_labels_is_flattened_and_noted():
    one, two = held(odd.Column()), held(odd.Odd())
    assert one.notes == {"column_vector": True}
    assert np.array_equal(one.predicted, two.predicted)


def test_decision_values_where_there_are_no_probabilities():
    found = held(odd.Decides())
    assert found.score_kind == "decision"
    assert found.scores is not None
    assert found.scores.shape == (10,)
    assert ((found.scores > 0) == (found.predicted == 1)).all()


def test_labels_where_there_is_neither():
    found = held(odd.LabelsOnly())
    assert (found.scores, found.score_kind) == (None, "none")
    assert "neither" in found.notes["no_scores"]


def test_the_order_of_classes_is_ours():
    one, two = held(odd.Odd()), held(odd.Backwards())
    assert np.array_equal(one.predicted, two.predicted)
    assert one.scores is not None
    assert two.scores is not None
    np.testing.assert_allclose(one.scores, two.scores, atol=1e-15)
    declared = held(odd.Odd(), labels=["yes", "no"])
    assert declared.scores is not None
    np.testing.assert_array_equal(declared.scores[:, ::-1], one.scores)


@pytest.mark.parametrize(
    "y",
    [np.repeat([0, 1], 20), np.repeat([False, True], 20), np.repeat([-5, 12], 20), np.repeat([0.0, 1.0], 20)],
    ids=["ints", "bools", "negative", "floats"],
)
def test_labels_of_every_kind(y: Any):
    one, two = held(odd.Odd()), held(odd.Odd(), y=y)
    assert np.array_equal(one.predicted, two.predicted)
    assert one.scores is not None
    assert np.array_equal(one.scores, two.scores)  # type: ignore[arg-type]


def test_answers_in_another_kind_than_the_labels(monkeypatch):
    wanted = held(odd.Odd(), y=np.repeat([0, 1], 20)).predicted
    before = odd.Odd.predict
    for kind in (float, bool, object, np.int8):
        monkeypatch.setattr(odd.Odd, "predict", lambda self, X, kind=kind: before(self, X).astype(kind))
        assert np.array_equal(held(odd.Odd(), y=np.repeat([0, 1], 20)).predicted, wanted)
    monkeypatch.setattr(odd.Odd, "predict", lambda self, X: before(self, X) + 0.5)
    assert "predict gave 0.5" in run(odd.Odd(), y=np.repeat([0, 1], 20)).message  # type: ignore[union-attr]
    monkeypatch.setattr(odd.Odd, "predict", lambda self, X: [[1, 2]] * len(X))
    assert "shape (10, 2)" in run(odd.Odd(), y=np.repeat([0, 1], 20)).message  # type: ignore[union-attr]


def _three() -> tuple[Any, Any, Plan]:
    y = np.array(["a"] * 18 + ["b"] * 18 + ["c"] * 4)
    tests = [np.r_[0:6, 18:24, 36:40], np.r_[6:18, 24:36]]
    return X, y, Plan.of("given", 40, tests=tests)


def test_a_class_that_was_not_trained():
    X, y, plan = _three()
    data = Dataset.of(X, y)
    found = run_fold(odd.Odd(), data, plan, 0, 1)
    assert isinstance(found, Held)
    assert found.scores is not None
    assert (found.scores[:, 2] == 0).all()
    decided = run_fold(odd.Decides(), data, plan, 0, 1)
    assert isinstance(decided, Held)
    assert decided.scores is not None
    assert np.isneginf(decided.scores[:, 2]).all()
    assert (decided.scores[:, :2].argmax(axis=1) == decided.predicted).all()
    full = run_fold(odd.Decides(), data, plan, 1, 1)
    assert isinstance(full, Held)
    assert full.scores is not None
    assert full.scores.shape == (24, 3)


def test_decision_values_of_pairs_of_classes_are_no_scores():
    X, y, plan = _three()
    data = Dataset.of(X, y)
    for model in (odd.PairsOfClasses(), SVC(decision_function_shape="ovo")):
        found = run_fold(model, data, plan, 1, 1)  # of three classes, pairs are three too: the shape would fit
        assert isinstance(found, Held)
        assert found.scores is None
        assert "decision_function" in found.notes["no_scores"]
    found = run_fold(SVC(), data, plan, 1, 1)
    assert isinstance(found, Held)
    assert found.score_kind == "decision"


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame])
def test_frames_reach_the_model_as_frames(kind: Any):
    frame = kind({"p": X[:, 0], "q": X[:, 1]})
    assert np.array_equal(held(odd.LikesFrames(), X=frame).scores, held(odd.Odd()).scores)  # type: ignore[arg-type]


def test_sparse_features_and_lists_of_text():
    dense = np.abs(X)
    one, two = (held(MultinomialNB(), X=each) for each in (dense, sp.csr_matrix(dense)))
    assert np.array_equal(one.predicted, two.predicted)
    texts = [f"{label} word{i % 7}" for i, label in enumerate(Y)]
    found = held(make_pipeline(CountVectorizer(), MultinomialNB()), X=texts)
    assert (found.predicted == np.repeat([0, 1], [5, 5])).all()


def test_fortran_order_changes_no_bit():
    one, two = (held(LogisticRegression(), X=order(X)) for order in (np.ascontiguousarray, np.asfortranarray))
    assert np.array_equal(one.scores, two.scores)  # type: ignore[arg-type]


def test_weights_reach_fit():
    weights = np.arange(1.0, 41.0)
    data = Dataset.of(X, Y, sample_weight=weights)
    plan = k_fold_plan(data.codes, folds=4, random_state=3)
    found = run_fold(odd.Weighs(), data, plan, 2, 0)
    assert isinstance(found, Held)
    assert found.scores is not None
    assert found.scores[0, 0] == pytest.approx(1 / weights[plan.train(2)].sum())
    assert "unexpected keyword" in run(odd.Odd(), sample_weight=weights).message  # type: ignore[union-attr]


def test_what_is_printed_and_warned_is_kept_up_to_a_limit(capsys):
    found = held(odd.Talks())
    assert found.notes["warned"] == 100_000
    assert len(found.notes["warnings"]) == fold.MOST_WARNINGS
    assert found.notes["warnings"]["UserWarning: warning 3"] == 2000
    assert len(found.notes["output"]) == fold.MOST_OUTPUT + 1
    assert found.notes["output"].startswith("much ado\n")
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


def test_seeds_go_by_repeat_and_fold_and_the_global_state_is_put_back():
    before = np.random.get_state()[1].copy()  # type: ignore[index]  # noqa: NPY002
    a, b, again = (held(odd.Random(), split=i) for i in (0, 1, 0))
    assert np.array_equal(before, np.random.get_state()[1])  # type: ignore[index]  # noqa: NPY002
    assert np.array_equal(a.scores, again.scores)  # type: ignore[arg-type]
    assert not np.array_equal(a.scores, b.scores)  # type: ignore[arg-type]
    data = Dataset.of(X, Y)
    same_rows = k_fold_plan(data.codes, folds=4, random_state=3)
    other_name = Plan.of("given", 40, tests=[same_rows.test(0)], fold=[5])
    assert not np.array_equal(a.scores, run_fold(odd.Random(), data, other_name, 0, 3).scores)  # type: ignore[union-attr,arg-type]
    assert not np.array_equal(a.scores, run_fold(odd.Random(), data, same_rows, 0, 4).scores)  # type: ignore[union-attr,arg-type]


def test_models_with_an_open_seed_are_seeded():
    one, two, three = (held(SGDClassifier(), split=split).scores for split in (0, 0, 1))
    assert np.array_equal(one, two)  # type: ignore[arg-type]
    assert not np.array_equal(one, three)  # type: ignore[arg-type]
