"""Stacking: what the combiner is told, that nothing leaks by default, and the printed example in pattern."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_limits

from surefold.errors import InputError
from surefold.learners import NaiveBayes, Stacking

IRIS = load_iris()
PCS = PCA(2).fit_transform(IRIS.data)
VERSICOLOR = np.where(IRIS.target == 1, 1, -1)
NAMES = IRIS.target_names[IRIS.target]
BASES = [("tree", DecisionTreeClassifier(max_depth=3, random_state=0)), ("bayes", NaiveBayes())]


class Recorder(ClassifierMixin, BaseEstimator):
    """A combiner that keeps what it was trained on."""

    def fit(self, X, y):
        self.X_, self.classes_ = np.array(X), np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class Plain(ClassifierMixin, BaseEstimator):
    """Labels only."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.classes_[(np.asarray(X)[:, 0] > 0).astype(int)]


def test_labels_of_two_classes_are_minus_and_plus_one() -> None:
    model = Stacking(BASES, Recorder(), cv=None).fit(PCS, VERSICOLOR)
    expected = np.column_stack([base.fit(PCS, VERSICOLOR).predict(PCS) for _, base in BASES])
    assert np.array_equal(model.final_estimator_.X_, expected)
    assert np.array_equal(model.base_predict(PCS), expected)
    assert np.array_equal(model.combiner_inputs(PCS), expected)
    named = Stacking(BASES, Recorder(), cv=None).fit(PCS, np.where(VERSICOLOR == 1, "yes", "no"))
    assert np.array_equal(named.final_estimator_.X_, expected)
    assert set(named.base_predict(PCS).ravel()) == {"no", "yes"}


def test_labels_of_three_classes_are_indicators() -> None:
    model = Stacking(BASES, Recorder(), cv=None).fit(PCS, NAMES)
    told = model.final_estimator_.X_
    assert told.shape == (150, 6)
    assert np.array_equal(model.classes_[told[:, :3].argmax(axis=1)], model.base_predict(PCS)[:, 0])
    assert np.array_equal(told.sum(axis=1), np.full(150, 2))


def test_probabilities_decisions_and_labels() -> None:
    bases = [("bayes", GaussianNB()), ("line", SVC(kernel="linear")), ("plain", Plain())]
    told = Stacking(bases, Recorder(), cv=None, use="probabilities").fit(PCS, VERSICOLOR).final_estimator_.X_
    assert_allclose(told[:, 0], GaussianNB().fit(PCS, VERSICOLOR).predict_proba(PCS)[:, 1])
    assert_allclose(told[:, 1], SVC(kernel="linear").fit(PCS, VERSICOLOR).decision_function(PCS))
    assert set(told[:, 2]) == {-1, 1}
    many = Stacking(bases[:2], Recorder(), cv=None, use="probabilities", passthrough=True).fit(PCS, NAMES)
    told = many.final_estimator_.X_
    assert told.shape == (150, 3 + 3 + 2)
    assert np.array_equal(told[:, -2:], PCS)


def test_out_of_fold_means_out_of_fold() -> None:
    """One neighbour knows its own rows by heart: as printed the combiner sees no error of it, out of fold it does."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 2)), rng.choice([-1, 1], 200)  # labels are noise
    near = [("near", KNeighborsClassifier(1))]
    leaking = Stacking(near, Recorder(), cv=None).fit(X, y).final_estimator_.X_[:, 0]
    honest = Stacking(near, Recorder(), cv=5, random_state=0).fit(X, y).final_estimator_.X_[:, 0]
    assert (leaking == y).all()
    assert (honest == y).mean() == pytest.approx(0.5, abs=0.14)  # four standard errors of 200 coin tosses


def test_a_splitter_decides_the_folds() -> None:
    folds = KFold(3)
    told = Stacking(BASES[1:], Recorder(), cv=folds).fit(PCS[::3], NAMES[::3]).final_estimator_.X_
    X, y = PCS[::3], NAMES[::3]
    classes = np.unique(NAMES)
    for train, test in folds.split(X):
        expected = NaiveBayes().fit(X[train], y[train]).predict(X[test])  # a class may be missing there
        assert np.array_equal(classes[told[test].argmax(axis=1)], expected)
    with pytest.raises(InputError, match="exactly once"):
        Stacking(BASES, cv=ShuffleSplit(3, random_state=0)).fit(PCS, NAMES)


def test_few_rows_get_fewer_folds() -> None:
    X, y = PCS[[0, 1, 2, 50, 51, 52]], NAMES[[0, 1, 2, 50, 51, 52]]
    model = Stacking([("near", KNeighborsClassifier(1)), ("bayes", GaussianNB())], cv=5, random_state=0).fit(X, y)
    assert model.predict(X).tolist() == y.tolist()


def test_parameters_of_the_bases() -> None:
    model = Stacking(BASES)
    assert model.get_params()["tree__max_depth"] == 3
    model = clone(model).set_params(tree__max_depth=2, cv=3, bayes=GaussianNB())
    assert model.estimators[0][1].max_depth == 2
    assert isinstance(dict(model.estimators)["bayes"], GaussianNB)
    assert BASES[0][1].max_depth == 3
    model.set_params(estimators=BASES[:1])
    assert len(model.estimators) == 1
    assert "bayes" not in model.get_params()


def test_it_offers_what_the_combiner_has() -> None:
    assert hasattr(Stacking(BASES), "predict_proba")
    assert not hasattr(Stacking(BASES, SVC()), "predict_proba")
    model = Stacking(BASES, SVC(), random_state=0).fit(PCS, VERSICOLOR)
    assert model.decision_function(PCS).shape == (150,)
    probable = Stacking(BASES, random_state=0).fit(PCS, NAMES)
    assert probable.predict_proba(PCS).shape == (150, 3)
    assert set(probable.named_estimators_) == {"tree", "bayes"}


def test_laws() -> None:
    """The same seed gives the same answers; names of classes change nothing."""
    forest = [("forest", RandomForestClassifier(3)), ("bayes", NaiveBayes())]
    one, two = (Stacking(forest, random_state=5).fit(PCS, VERSICOLOR).predict_proba(PCS) for _ in range(2))
    assert np.array_equal(one, two)
    named = Stacking(forest, random_state=5).fit(PCS, np.where(VERSICOLOR == 1, "yes", "no"))
    assert_allclose(named.predict_proba(PCS), one)


def test_the_printed_example_in_pattern() -> None:
    """Linear SVM .68, forest .82, naive Bayes .74, stacked .92 in print, of one split of 100 and 50 rows.

    Medians of 50 splits here: .66, .92, .84; stacked by labels .92, as the forest (an SVM that always says "rest" and
    a weaker Bayes cannot add much to it), and .96 where the combiner sees probabilities and the two features.
    A test row is .02, and the median of 50 has a standard error of about half of that.
    """
    bases = [
        ("line", SVC(kernel="linear", C=1)),
        ("forest", RandomForestClassifier(5, max_features=1)),
        ("bayes", NaiveBayes()),
    ]
    combiner = SVC(C=1, gamma=1 / (2 * 0.2))  # exp(-|x - z|² / 2s²) with s² = .2
    found = []
    for seed in range(50):
        order = np.random.default_rng(seed).permutation(150)
        train, test = order[:100], order[100:]
        plain = Stacking(bases, combiner, random_state=seed).fit(PCS[train], VERSICOLOR[train])
        rich = Stacking(bases, combiner, use="probabilities", passthrough=True, random_state=seed)
        rich.fit(PCS[train], VERSICOLOR[train])
        truth = VERSICOLOR[test]
        each = (plain.base_predict(PCS[test]) == truth[:, None]).mean(axis=0)
        found.append([*each, np.mean(plain.predict(PCS[test]) == truth), np.mean(rich.predict(PCS[test]) == truth)])
    line, forest, bayes, plain, rich = np.median(found, axis=0)
    assert line < bayes < forest
    assert plain > max(line, bayes) + 0.02
    assert plain >= forest - 0.02 - 1e-9
    assert rich > max(line, forest, bayes)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize("options", [{"cv": None}, {"cv": 3, "use": "probabilities", "passthrough": True}])
def test_it_is_an_estimator(options) -> None:
    with threadpool_limits(1):  # a solver on many threads for a hundred rows is slow
        check_estimator(
            Stacking([("tree", DecisionTreeClassifier(max_depth=3)), ("bayes", GaussianNB())], **options),
            expected_failed_checks={
                "check_sample_weight_equivalence_on_dense_data": "a repeated row may fall into two folds"
            },
        )


def test_weights_reach_every_part() -> None:
    """As printed (no folds), a row of weight 2 is that row twice; of weight 0, it is not there."""
    X, y = PCS[::3], VERSICOLOR[::3]
    w = np.arange(len(X)) % 3
    bases = [("bayes", GaussianNB()), ("line", LogisticRegression())]
    weighed = Stacking(bases, LogisticRegression(), cv=None, use="probabilities").fit(X, y, sample_weight=w)
    again = Stacking(bases, LogisticRegression(), cv=None, use="probabilities").fit(X.repeat(w, 0), y.repeat(w))
    assert weighed.predict_proba(X) == pytest.approx(again.predict_proba(X), abs=1e-4)
    plain = Stacking(bases, LogisticRegression(), cv=None, use="probabilities").fit(X, y)
    assert np.abs(plain.predict_proba(X) - weighed.predict_proba(X)).max() > 0.01
    folded = Stacking(bases, LogisticRegression(), cv=3, random_state=0)
    assert folded.fit(X, y, sample_weight=w + 1).predict(X).shape == y.shape
    with pytest.raises(InputError, match=r"KNeighborsClassifier\.fit takes none"):
        Stacking([("near", KNeighborsClassifier())]).fit(X, y, sample_weight=w + 1)


@pytest.mark.parametrize(
    "options",
    [
        {"estimators": []},
        {"estimators": "tree"},
        {"estimators": [DecisionTreeClassifier()]},
        {"estimators": [("tree", "tree")]},
        {"estimators": [("a", NaiveBayes()), ("a", NaiveBayes())]},
        {"estimators": [("cv", NaiveBayes())]},
        {"estimators": [("a__b", NaiveBayes())]},
        {"estimators": [("pca", PCA())]},
        {"estimators": [("near", KNeighborsRegressor())]},
        {"estimators": [("near", KNeighborsClassifier)]},
        {"final_estimator": PCA()},
        {"use": "scores"},
        {"passthrough": 1},
        {"cv": 1},
    ],
)
def test_refusals(options) -> None:
    with pytest.raises(InputError):
        Stacking(**{"estimators": BASES, **options}).fit(PCS, NAMES)


def test_one_class_is_refused() -> None:
    with pytest.raises(InputError, match="second class"):
        Stacking(BASES).fit(PCS, np.ones(150))
