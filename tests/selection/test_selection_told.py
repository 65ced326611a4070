"""A selection as it is told: findings, verdict, card, store; and what is refused before any fit."""

import json
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.errors import InputError, RunError, UnknownNameError
from surefold.learners import NaiveBayes
from surefold.selection.card import chosen_model

X, Y = load_wine(return_X_y=True)


NAMES = np.array(["barolo", "grignolino", "barbera"])[Y]


TREE = (DecisionTreeClassifier(), {"max_depth": [1, 2, 4, None]})


MODELS = {"bayes": NaiveBayes(), "tree": TREE}


def choose(**options: Any) -> sf.Selection:
    return sf.select(options.pop("models", MODELS), X, NAMES, random_state=0, **{"folds": 5, **options})


@pytest.fixture(scope="module")
def nested() -> sf.Selection:
    return choose(strategy="nested", outer_folds=4)


def test_findings_of_a_search() -> None:
    grid = {"max_depth": [1, 2, 3]}
    codes = [f.code for f in choose(models=(DecisionTreeClassifier(), grid), strategy="quick").findings]
    assert "grid_not_used" in codes
    s = choose(models={"knn": (KNeighborsClassifier(), {"n_neighbors": [5, 15, 500]})})
    codes = [f.code for f in s.findings]
    assert "candidate_failed" in codes  # there are no 500 rows to be near
    assert s["knn: n_neighbors=500"].reason
    assert not s["knn: n_neighbors=500"].in_play
    stump = choose(models=(DecisionTreeClassifier(), {"max_depth": [1, 2, 3]}))
    assert dict(stump.best.params) == {"max_depth": 3}
    assert "grid_edge" in [f.code for f in stump.findings]
    limitless = choose(models=(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3, None]}))
    assert "grid_edge" not in [f.code for f in limitless.findings]  # None lies beyond 3


def test_when_every_candidate_fails_the_first_reason_is_told() -> None:
    with pytest.raises(RunError, match="every fit of knn"):
        choose(models={"knn": (KNeighborsClassifier(), {"n_neighbors": [500]})})


def test_a_measure_of_scores_leaves_out_models_without() -> None:
    from sklearn.svm import LinearSVC

    data, target = load_breast_cancer(return_X_y=True)
    line = Pipeline([("scale", StandardScaler()), ("svm", LinearSVC())])
    s = sf.select({"svm": line, "tree": DecisionTreeClassifier(max_depth=3)}, data, target, measure="brier", folds=3,
                  random_state=0)  # fmt: skip
    assert s.best.name == "tree"
    assert "brier" in s["svm"].reason or "probab" in s["svm"].reason


def test_a_measure_that_cannot_choose_is_refused_before_any_fit() -> None:
    with pytest.raises(InputError, match="no better end"):
        choose(measure="calibration_slope")
    with pytest.raises(UnknownNameError):
        choose(measure="acuracy")
    with pytest.raises(InputError, match="positive class"):
        choose(measure="f1")


def test_too_few_rows_of_a_class_is_told_with_a_cure_that_is_there() -> None:
    y = np.array(["a"] * 170 + ["b"] * 8)
    with pytest.raises(InputError, match="use fewer folds") as error:
        sf.select(NaiveBayes(), X, y, random_state=0)
    assert "min_class" not in str(error.value)


def test_telling(nested: sf.Selection, capsys: pytest.CaptureFixture[str]) -> None:
    text = str(nested)
    for part in ("Nested cross-validation", "claimed by the search", "on rows that chose nothing", "Rows:", "Answer"):
        assert part in text
    assert repr(nested) == text
    told = json.dumps(nested.to_dict(), allow_nan=False)
    assert json.loads(told)["best"] == nested.best.name
    frame = nested.to_frame()
    assert frame.height == 5
    assert frame["chosen"].sum() == 1
    assert frame["accuracy"][0] == pytest.approx(nested.picked.top.estimate.value)
    assert nested.to_frame("pandas").shape == frame.shape
    assert nested.verdict.status == "better"
    assert str(nested.verdict.mark) == "better than always answering 'grignolino'"
    choose(strategy="quick", progress=True)
    assert "Quick attempt: 2 candidates by accuracy, 3 fits" in capsys.readouterr().err


def test_the_verdict_of_a_level_that_flatters_is_held_back() -> None:
    s = choose(strategy="standard")
    assert s.verdict.status == "cannot_tell"
    assert "on the rows that chose" in str(s.verdict)


def test_nothing_to_learn_is_not_called_better() -> None:
    rng = np.random.default_rng(0)
    s = sf.select(MODELS, rng.normal(size=(120, 4)), rng.integers(2, size=120), folds=5, random_state=0)
    assert s.verdict.status == "cannot_tell"
    assert "cannot be told from always answering" in str(s.verdict.mark)


def test_the_card_fits_the_model_again() -> None:
    tree = {"tree": (DecisionTreeClassifier(random_state=1), {"max_depth": [1, 3]})}
    s = choose(models=tree)
    card = json.loads(json.dumps(s.card, allow_nan=False))
    again = chosen_model(card, tree).fit(X, NAMES)
    assert (again.predict(X) == s.estimator.predict(X)).all()
    assert card["data"]["fingerprint"] == s.data.fingerprint
    assert card["plans"]["search"]["fingerprint"] == s.layout.final.fingerprint
    assert card["chosen"]["params"] == {"max_depth": 3}
    assert card["optimism"]["value"] == pytest.approx(s.optimism.value)
    with pytest.raises(InputError, match="the same names"):
        chosen_model(card, {"bush": tree["tree"]})
    with pytest.raises(InputError, match="is a surefold"):
        chosen_model({**card, "chosen": {**card["chosen"], "params": {}}}, {"tree": NaiveBayes()})
    with pytest.raises(InputError, match="no card"):
        chosen_model({}, tree)
    with pytest.raises(InputError, match="as text only"):
        chosen_model({**card, "chosen": {**card["chosen"], "params_are_plain": False}}, tree)


def test_the_fit_on_all_rows_can_be_left_out() -> None:
    s = choose(strategy="quick", refit=False)
    assert s.estimator is None
    assert s.fits == 2
    assert s.card["fitted_on"] is None


def test_a_store_keeps_every_fit(tmp_path: Any) -> None:
    """The same call again fits nothing but the shipped model, and another seed or grid is told apart."""
    kept = choose(strategy="nested", outer_folds=3, store=tmp_path / "runs.db")
    plain = choose(strategy="nested", outer_folds=3)
    again = sf.select(MODELS, X, NAMES, strategy="nested", folds=5, outer_folds=3, store=tmp_path / "runs.db")
    told = [{k: v for k, v in s.to_dict().items() if k != "table"} for s in (kept, plain, again)]
    assert told[0] == told[1] == told[2]  # the last took its seed from the store
    seconds = [[row["fit_seconds"] for row in s.table] for s in (kept, again)]
    assert seconds[0] == seconds[1]  # read back, not timed again
    with pytest.raises(RunError, match="random_state"):
        sf.select(
            MODELS, X, NAMES, folds=5, random_state=1, strategy="nested", outer_folds=3, store=tmp_path / "runs.db"
        )
