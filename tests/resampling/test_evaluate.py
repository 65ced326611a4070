"""cross_validate, holdout, leave_one_out, bootstrap: the calls, their options and their refusals."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, RepeatedStratifiedKFold, TimeSeriesSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.learners import FullBayes, NaiveBayes
from surefold.resampling.folds import k_fold_plan


def data(n: int = 90, classes: int = 3, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.arange(n) % classes
    return rng.normal(size=(n, 3)) + y[:, None], np.array(["a", "b", "c"])[y]


def test_several_models_share_the_splits() -> None:
    X, y = data()
    s = sf.cross_validate({"naive": NaiveBayes(), "full": FullBayes()}, X, y, folds=5, random_state=0)
    assert isinstance(s, sf.Study)
    assert list(s) == ["naive", "full"]
    assert s["naive"].fingerprint == s["full"].fingerprint == s.fingerprint
    assert s.values("error_rate").shape == (5, 2)
    alone = sf.cross_validate(FullBayes(), X, y, folds=5, random_state=0)
    assert np.array_equal(s["full"].held.predicted, alone.held.predicted)
    with pytest.raises(sf.UnknownNameError, match="did you mean 'naive'"):
        s["naiv"]


@pytest.mark.parametrize("learner", [NaiveBayes(), FullBayes()])
@pytest.mark.parametrize("how", [{"folds": 5, "repeats": 3}, {"folds": 90, "stratified": False}])
def test_shortcut_equals_refitting(learner: Any, how: dict[str, Any]) -> None:
    X, y = data()
    quick = sf.cross_validate(learner, X, y, random_state=1, **how)
    slow = sf.cross_validate(learner, X, y, random_state=1, shortcut=False, **how)
    assert quick.shortcut
    assert not slow.shortcut
    assert np.array_equal(quick.held.predicted, slow.held.predicted)
    assert np.abs(quick.held.scores - slow.held.scores).max() < 1e-9
    assert np.isfinite(slow.fit_seconds).all()


def test_leave_one_out_shortcut_equals_refitting() -> None:
    X, y = data(60)
    quick, slow = (sf.leave_one_out(FullBayes(), X, y, shortcut=s) for s in (True, False))
    assert np.array_equal(quick.held.predicted, slow.held.predicted)
    assert quick["error_rate"].interval == slow["error_rate"].interval


def test_any_learner_may_offer_a_shortcut() -> None:
    class Memory(NaiveBayes):
        asked = 0

        def held_out_proba(self, X: Any, y: Any, test_rows: Any, test_starts: Any) -> Any:
            Memory.asked += 1
            return super().held_out_proba(X, y, test_rows, test_starts)

    X, y = data()
    assert sf.cross_validate(Memory(), X, y, random_state=0).shortcut
    assert Memory.asked == 1
    assert not sf.cross_validate(Memory(), X, y, random_state=0, sample_weight=np.ones(90)).shortcut


def test_a_shortcut_that_fails_gives_way_to_refitting() -> None:
    class Odd(NaiveBayes):
        def held_out_proba(self, X: Any, y: Any, test_rows: Any, test_starts: Any) -> Any:
            raise ValueError("not today")

    X, y = data()
    r = sf.cross_validate(Odd(), X, y, random_state=0)
    assert not r.shortcut
    assert r.complete


@pytest.mark.parametrize(
    ("cv", "kind", "splits"),
    [
        ("5x2", "5x2", 10),
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0), "splitter", 6),
        (TimeSeriesSplit(4), "splitter", 4),
        (4, "k_fold", 4),
    ],
)
def test_any_splitter(cv: Any, kind: str, splits: int) -> None:
    X, y = data()
    r = sf.cross_validate(GaussianNB(), X, y, cv=cv, random_state=0)
    assert len(r.plan) == splits
    assert r.plan.kind == kind


def test_a_plan_made_before() -> None:
    X, y = data()
    codes = np.unique(y, return_inverse=True)[1]
    plan = k_fold_plan(codes, folds=4, random_state=9)
    one, two = (sf.cross_validate(m, X, y, cv=plan) for m in (GaussianNB(), LogisticRegression()))
    assert one.fingerprint == two.fingerprint == plan.fingerprint
    with pytest.raises(sf.InputError, match="90 rows and the data have 80"):
        sf.cross_validate(GaussianNB(), X[:80], y[:80], cv=plan)


def test_groups_stay_together() -> None:
    X, y = data()
    groups = np.repeat(np.arange(30), 3)
    r = sf.cross_validate(GaussianNB(), X, y, groups=groups, folds=5, random_state=0)
    for split in r.plan:
        assert not set(groups[split.train]) & set(groups[split.test])
    r = sf.cross_validate(GaussianNB(), X, y, groups=groups, cv=GroupKFold(3))
    assert len(r.plan) == 3


def test_time_order() -> None:
    X, y = data()
    times = np.random.default_rng(0).permutation(90)
    r = sf.cross_validate(GaussianNB(), X, y, folds=4, times=times)
    for split in r.plan:
        assert times[split.train].max() < times[split.test].min()


def test_times_in_the_data_and_shuffled_rows_are_told() -> None:
    X, y = data()
    frame = pd.DataFrame(X, columns=list("uvw"))
    frame["when"] = pd.date_range("2020-01-01", periods=90)

    class Ignores(DecisionTreeClassifier):
        def fit(self, X: Any, y: Any, **more: Any) -> Any:
            return super().fit(X[list("uvw")], y)

        def predict(self, X: Any, **more: Any) -> Any:
            return super().predict(X[list("uvw")])

        def predict_proba(self, X: Any, **more: Any) -> Any:
            return super().predict_proba(X[list("uvw")])

    codes = {f.code for f in sf.cross_validate(Ignores(), frame, y, folds=3, random_state=0).findings}
    assert "time_shuffled" in codes


def test_copies_are_told() -> None:
    X, y = data()
    r = sf.cross_validate(GaussianNB(), np.vstack([X, X[:20]]), np.append(y, y[:20]), folds=3, random_state=0)
    assert [f.evidence["rows"] for f in r.findings if f.code == "copies_across_folds"] == [40]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames(frame: Any) -> None:
    X, y = data()
    plain = sf.cross_validate(LogisticRegression(), X, y, folds=3, random_state=0)
    named = frame({name: X[:, i] for i, name in enumerate("uvw")})
    r = sf.cross_validate(LogisticRegression(), named, y, folds=3, random_state=0)
    assert np.array_equal(r.held.predicted, plain.held.predicted)


def test_holdout_share_and_rows() -> None:
    X, y = data()
    assert sf.holdout(GaussianNB(), X, y, test=0.2, random_state=0).plan.test_sizes.tolist() == [18]
    assert sf.holdout(GaussianNB(), X, y, test=30, random_state=0).plan.test_sizes.tolist() == [30]


def test_seeds() -> None:
    X, y = data()
    tree = DecisionTreeClassifier(max_features=1)
    one, again, other = (sf.cross_validate(tree, X, y, folds=3, random_state=s) for s in (1, 1, 2))
    assert np.array_equal(one.held.predicted, again.held.predicted)
    assert one.fingerprint != other.fingerprint
    fresh = sf.cross_validate(tree, X, y, folds=3)
    assert fresh.seed == fresh.plan.random_state
    replay = sf.cross_validate(tree, X, y, folds=3, random_state=fresh.seed)
    assert np.array_equal(replay.held.predicted, fresh.held.predicted)


def test_missing_values_are_refused_unless_something_imputes_them() -> None:
    X, y = data()
    X[[3, 5], 1] = np.nan
    with pytest.raises(sf.InputError, match=r"2 missing or infinite values in X\[:, 1\].*rows 4, 6.*imputer"):
        sf.cross_validate(LogisticRegression(), X, y, folds=3)
    inside = make_column_transformer((SimpleImputer(), [0, 1, 2]))
    assert sf.cross_validate(make_pipeline(inside, LogisticRegression()), X, y, folds=3).complete
    assert sf.cross_validate(make_pipeline(SimpleImputer(), LogisticRegression()), X, y, folds=3).complete


def test_one_class_is_refused() -> None:
    with pytest.raises(sf.InputError, match="every row of y is 'a'"):
        sf.cross_validate(GaussianNB(), [[1.0], [2.0]], ["a", "a"])


def test_a_class_with_fewer_rows_than_folds_is_refused_before_any_fit() -> None:
    X, y = data(30, 2)
    y = np.where(np.arange(30) < 3, "rare", "common")
    with pytest.raises(sf.InputError, match=r"rare.*3"):
        sf.cross_validate(GaussianNB(), X, y, folds=10)


def test_bootstrap_refuses_unknown_measures() -> None:
    X, y = data()
    with pytest.raises(sf.UnknownNameError, match="error_rate"):
        sf.bootstrap(GaussianNB(), X, y, measure="eror_rate")


def test_bootstrap_of_several_models_shares_its_samples() -> None:
    X, y = data()
    both = sf.bootstrap({"a": GaussianNB(), "b": KNeighborsClassifier(3)}, X, y, samples=12, random_state=0)
    alone = sf.bootstrap(GaussianNB(), X, y, samples=12, random_state=0)
    assert list(both) == ["a", "b"]
    assert len(both) == 2
    assert both["a"].values().tolist() == alone.values().tolist()
    assert np.array_equal(both["a"].in_bag, both["b"].in_bag)
    for on in ("all", "out_of_bag"):
        found = both.paired_t("a", "b", on=on)
        d = both["a"].values(on=on) - both["b"].values(on=on)
        assert found.statistic == pytest.approx(d.mean() / (d.std(ddof=1) / np.sqrt(12)))
        assert found.flags == (("naive_samples", "optimistic") if on == "all" else ("naive_samples",))
    assert "a:" in str(both)
    with pytest.raises(sf.UnknownNameError, match="model"):
        both.paired_t("a", "c")


def test_bootstrap_of_other_measures() -> None:
    X, y = data()
    b = sf.bootstrap(GaussianNB(), X, y, samples=10, random_state=0)
    for kind in ("on_all", "out_of_bag", "apparent", "point632"):
        e = b.estimate(kind, "f1_macro")
        assert e.low <= e.value <= e.high
        assert "known_to_mislead" in e.flags
    with pytest.raises(sf.InputError, match="losses of single rows"):
        b.estimate("point632plus", "f1_macro")
    assert b.estimate("point632plus", "brier").value < b.estimate("out_of_bag", "brier").value + 1e-12
    assert b.estimate("out_of_bag", "accuracy").value == pytest.approx(1 - b.out_of_bag.value)
    with pytest.raises(sf.UnknownNameError, match="point632"):
        b.estimate("point623")


def test_bootstrap_point632plus_on_noise() -> None:
    """The nearest neighbour on pure noise: its own rows without an error, .632 near .32, .632+ near one half."""
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(0)
    plus, plain = [], []
    for seed in range(20):
        X, y = rng.normal(size=(50, 5)), rng.integers(0, 2, 50)
        b = sf.bootstrap(KNeighborsClassifier(1), X, y, samples=20, random_state=seed)
        plus.append(b.point632plus.value)
        plain.append(b.point632.value)
    assert np.mean(plain) == pytest.approx(0.32, abs=0.03)
    assert np.mean(plus) == pytest.approx(0.485, abs=0.04)


@pytest.mark.parametrize(
    "both",
    [
        {"times": np.arange(90), "groups": np.arange(90) // 3},
        {"leave_pair_out": True, "groups": np.arange(90) // 3, "pos_label": "a"},
        {"cv": "5x2", "repeats": 3},
        {"cv": TimeSeriesSplit(3), "nested": True},
        {"times": np.arange(90), "repeats": 2},
        {"leave_pair_out": True, "nested": True, "pos_label": "a"},
        {"cv": 5, "times": np.arange(90)},
    ],
)
def test_options_that_would_be_ignored_are_refused(both: dict[str, Any]) -> None:
    X, y = data()
    with pytest.raises(sf.InputError, match="both given"):
        sf.cross_validate(GaussianNB(), X, y, **both)


def test_a_number_as_cv_is_a_number_of_folds() -> None:
    X, y = data()
    r = sf.cross_validate(GaussianNB(), X, y, cv=3, repeats=2, random_state=0)
    assert r.fingerprint == sf.cross_validate(GaussianNB(), X, y, folds=3, repeats=2, random_state=0).fingerprint
    assert sf.cross_validate(GaussianNB(), X, y, cv=3, nested=True, random_state=0)["error_rate"].method == "nested_cv"


def test_a_mistyped_option_is_told() -> None:
    X, y = data()
    with pytest.raises(sf.UnknownNameError, match="did you mean 'n_jobs'"):
        sf.cross_validate(GaussianNB(), X, y, n_job=2)  # type: ignore[call-overload]
    with pytest.raises(sf.UnknownNameError, match="folds"):
        sf.cross_validate(GaussianNB(), X, y, fold=2)  # type: ignore[call-overload]


def test_a_rare_class_may_be_allowed() -> None:
    X, y = data()
    y = np.where(np.arange(90) < 4, "rare", "common")
    with pytest.raises(sf.InputError, match="min_class='allow' "):
        sf.cross_validate(GaussianNB(), X, y, folds=10)
    assert len(sf.cross_validate(GaussianNB(), X, y, folds=10, min_class="allow", random_state=0).plan) == 10


def test_weights_reach_the_last_step_of_a_pipeline() -> None:
    X, y = data()
    w = np.linspace(0.1, 3, 90)
    r = sf.cross_validate(make_pipeline(StandardScaler(), LogisticRegression()), X, y, sample_weight=w, cv=3)
    split = r.plan[0]
    model = make_pipeline(StandardScaler(), LogisticRegression())
    model.fit(X[split.train], y[split.train], logisticregression__sample_weight=w[split.train])
    assert [r.labels[c] for c in r.held.predicted[: len(split.test)]] == model.predict(X[split.test]).tolist()
    with pytest.raises(sf.InputError, match="does not take it"):
        sf.cross_validate(KNeighborsClassifier(), X, y, sample_weight=w)


def test_weights_go_to_the_steps_that_ask_for_them_where_scikit_learn_routes_metadata() -> None:
    X, y = data()
    w = np.random.default_rng(0).uniform(0.5, 2, 90)
    with config_context(enable_metadata_routing=True):
        last = LogisticRegression().set_fit_request(sample_weight=True)
        for asks in (True, False):
            model = make_pipeline(StandardScaler().set_fit_request(sample_weight=asks), last)
            asked: dict[str, Any] = {"sample_weight": w, "folds": 3, "random_state": 0}
            here, there = (sf.cross_validate(model, X, y, n_jobs=jobs, **asked) for jobs in (1, 2))
            split = here.plan[0]
            known = clone(model).fit(X[split.train], y[split.train], sample_weight=w[split.train])
            held = here.held.scores[: len(split.test)]
            assert held == pytest.approx(known.predict_proba(X[split.test]))
            assert np.array_equal(here.held.scores, there.held.scores)  # workers route as we do
        with pytest.raises(sf.InputError, match=r"whose steps ask for them by set_fit_request"):
            sf.cross_validate(make_pipeline(StandardScaler(), LogisticRegression()), X, y, sample_weight=w)
        search = GridSearchCV(last.set_score_request(sample_weight=True), {"C": [0.1, 1.0]}, cv=2)
        for takes in (search, LogisticRegression()):  # a model without parts is given them, whatever it asks for
            assert sf.cross_validate(takes, X, y, sample_weight=w, cv=2).complete


def test_one_dead_model_does_not_sink_the_others(told: type) -> None:
    class Dead(told):
        def fit(self, X: Any, y: Any) -> Any:
            raise ValueError("dead")

    X, y = data()
    s = sf.cross_validate({"dead": Dead(), "bayes": GaussianNB()}, X, y, folds=3, random_state=0)
    assert s["bayes"].complete
    assert len(s["dead"].failures) == 3
    assert "dead is incomplete" in s.status
    with pytest.raises(sf.RunError, match="every fit of Dead failed"):
        sf.cross_validate(Dead(), X, y, folds=3, random_state=0)


def test_texts_in_a_column() -> None:
    texts = pd.Series(["good day", "bad day", "good night", "bad night"] * 10)
    y = np.tile([1, 0], 20)
    r = sf.cross_validate(make_pipeline(CountVectorizer(), LogisticRegression()), texts, y, folds=4, random_state=0)
    assert r.mean("accuracy") == 1.0


def test_messages_about_y_fit_the_call() -> None:
    X, _ = data()
    with pytest.raises(sf.InputError, match="leave those rows out of X and y"):
        sf.cross_validate(GaussianNB(), X, [None, *["a"] * 45, *["b"] * 44])
    with pytest.raises(sf.InputError, match="cut numbers into classes"):
        sf.cross_validate(GaussianNB(), X, np.linspace(0.1, 0.9, 90))
