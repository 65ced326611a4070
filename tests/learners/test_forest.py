"""RandomForest: the worked examples, out-of-bag errors under both conventions, and scikit-learn's beside it."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

from surefold.errors import InputError
from surefold.learners import Bagging, DecisionTree, RandomForest

#: A weight multiplies a row once it is drawn; repeated rows are drawn by themselves.
NOT_REPETITION = {"check_sample_weight_equivalence_on_dense_data": "a weight is not repetition of rows"}


def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X, (y > np.median(y)).astype(int)


SETS = {"iris": load_iris, "wine": load_wine, "breast": load_breast_cancer, "digits": load_digits, "diabetes": None}


def rows_of(name):
    return diabetes() if SETS[name] is None else SETS[name](return_X_y=True)


# the worked examples


def test_iris_out_of_bag_by_number_of_trees():
    """Printed for K = 1..10. Over 300 seeds our mean lies within 1.6 standard deviations of each printed figure."""
    printed = np.array([0.433, 0.293, 0.187, 0.120, 0.113, 0.107, 0.073, 0.060, 0.047, 0.047])
    X, y = load_iris(return_X_y=True)
    forests = [RandomForest(10, max_features=2, leaf_size=3, random_state=s).fit(X, y) for s in range(40)]
    paths = np.array([f.oob_path("printed") for f in forests])
    spread = np.array([0.027, 0.028, 0.027, 0.027, 0.023, 0.019, 0.018, 0.016, 0.014, 0.013])  # of one forest
    mean = paths.mean(axis=0)
    assert (np.abs(mean - printed) < 2 * spread).all()  # the printed forest could be one of ours
    assert (np.diff(mean) < 0).all()
    # 1 - e^-1 of the rows have no vote from one tree, and two thirds of those are not of the first class: .421
    assert mean[0] == pytest.approx(0.421 + 0.368 * 0.06, abs=5 * 0.027 / np.sqrt(40))
    # counted honestly, one tree is about as good out of bag as ten
    honest = np.array([f.oob_path() for f in forests]).mean(axis=0)
    assert ((honest > 0.04) & (honest < 0.08)).all()
    training = np.array([[1 - (p == y).mean() for p in f.staged_predict(X)] for f in forests])
    assert 0.02 < training[:, 0].mean() < 0.04
    assert training.max() < 0.09
    assert training[:, -1].mean() < 0.03  # printed .027; ours falls to about .011


def test_the_principal_components_example_counts_one_tree_s_votes():
    """Printed: training error .02, out-of-bag .4933 with K = 5, one of two columns a split.

    Under the printed convention five trees give .16 (never above .26 in 300 seeds): only (1 - 1/e)^5 = .10 of the rows
    have no vote. One tree gives .46 with standard deviation .04, of which .4933 is an ordinary draw. So the printed
    figure is not what the pseudo-code gives for five trees, and looks as if the votes of one had been counted.
    """
    X, y = load_iris(return_X_y=True)
    X, y = PCA(2).fit_transform(X), np.where(y == 1, "c1", "c2")
    forests = [RandomForest(5, max_features=1, leaf_size=3, random_state=s).fit(X, y) for s in range(40)]
    paths = np.array([f.oob_path("printed") for f in forests])
    assert abs(paths[:, 0].mean() - 0.4933) < 2 * paths[:, 0].std()
    assert paths[:, 4].max() < 0.35
    assert np.mean([f.oob_error_ for f in forests]) == pytest.approx(0.105, abs=0.02)
    assert np.mean([1 - f.score(X, y) for f in forests]) < 0.03


# what out of bag means


def test_coverage_grows_as_it_must():
    X, y = load_digits(return_X_y=True)
    forest = RandomForest(20, random_state=0).fit(X, y)
    expected = 1 - (1 - np.exp(-1)) ** np.arange(1, 21)
    assert forest.oob_coverages_ == pytest.approx(expected, abs=0.03)
    assert forest.oob_coverage_ == forest.oob_coverages_[-1]
    assert forest.oob_errors_[-1] == forest.oob_error_
    assert forest.oob_votes_.sum() == pytest.approx(20 * len(y) * np.exp(-1), rel=0.02)
    estimate = forest.oob_estimate()
    assert estimate.low < forest.oob_error_ < estimate.high


def test_each_tree_alone_out_of_bag():
    X, y = load_iris(return_X_y=True)
    forest = RandomForest(6, random_state=0).fit(X, y)
    assert forest.oob_member_errors_[0] == forest.oob_errors_[0]  # one tree is the forest of one
    bag = Bagging(SVC(), 6, random_state=0).fit(X, y)
    for each in (forest, bag):
        votes = each.oob_votes_.sum()
        wrong = votes - each.oob_votes_[np.arange(150), y].sum()
        shares = each.oob_member_errors_
        assert len(shares) == 6
        assert shares.min() <= wrong / votes <= shares.max()  # the mean by rows lies between the members


@pytest.mark.parametrize("name", ["breast", "digits"])
def test_the_error_out_of_bag_is_near_that_of_ten_folds(name):
    X, y = rows_of(name)
    forest = RandomForest(200, random_state=1, n_jobs=2).fit(X, y)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    held_out = 1 - cross_val_score(RandomForest(200, random_state=2, n_jobs=2), X, y, cv=folds).mean()
    assert forest.oob_error_ == pytest.approx(held_out, abs=0.015)


# beside scikit-learn


@pytest.mark.parametrize("name", list(SETS))
def test_as_accurate_as_scikit_learn(name):
    """Ten folds, paired: the difference is within three standard errors and three points."""
    X, y = rows_of(name)
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    pairs = [
        (DecisionTree(), DecisionTreeClassifier(random_state=0)),
        (Bagging(n_estimators=20, random_state=0), BaggingClassifier(DecisionTreeClassifier(), 20, random_state=0)),
        (RandomForest(50, random_state=0), RandomForestClassifier(50, random_state=0)),
    ]
    for ours, theirs in pairs[: 1 if name == "digits" else 3]:
        differences = cross_val_score(ours, X, y, cv=folds) - cross_val_score(theirs, X, y, cv=folds)
        se = differences.std(ddof=1) / np.sqrt(10)
        assert differences.mean() > -(3 * se + 0.005)
        assert abs(differences.mean()) < 0.04


# the forest itself


def test_votes_are_those_of_the_trees():
    X, y = load_wine(return_X_y=True)
    forest = RandomForest(15, random_state=0).fit(X, y)
    answers = np.array([t.predict(X) for t in forest.estimators_])
    votes = np.array([(answers == c).sum(axis=0) for c in range(3)]).T
    assert (forest.votes(X) == votes).all()
    assert forest.predict_proba(X) == pytest.approx(votes / 15)
    assert (list(forest.staged_predict(X))[-1] == forest.predict(X)).all()
    assert "x" in forest.estimators_[0].rules()


def test_average_voting_adds_up_leaf_shares():
    X, y = load_wine(return_X_y=True)
    forest = RandomForest(15, leaf_size=30, voting="average", random_state=0).fit(X, y)
    assert forest.predict_proba(X) == pytest.approx(np.mean([t.predict_proba(X) for t in forest.estimators_], axis=0))
    assert list(forest.staged_predict_proba(X))[-1] == pytest.approx(forest.predict_proba(X))


def test_all_columns_at_every_split_is_bagging():
    X, y = load_wine(return_X_y=True)
    forest = RandomForest(10, max_features=None, random_state=3).fit(X, y)
    assert (forest.votes(X) == Bagging(n_estimators=10, random_state=3).fit(X, y).votes(X)).all()


def test_threads_and_seeds():
    X, y = load_digits(return_X_y=True)
    one, two, other = (RandomForest(10, random_state=s, n_jobs=j).fit(X, y) for s, j in ((3, 1), (3, 2), (4, 1)))
    assert (one.votes(X) == two.votes(X)).all()
    assert (one.oob_errors_ == two.oob_errors_).all()
    assert (one.votes(X) != other.votes(X)).any()


def test_missing_values_categories_and_text_together():
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame({"colour": rng.choice(["red", "green", "blue", "grey"], n), "size": rng.normal(size=n)})
    y = np.where((frame["colour"].isin(["red", "grey"])) ^ (frame["size"] > 0.3), "yes", "no")
    frame.loc[rng.random(n) < 0.1, "size"] = np.nan
    forest = RandomForest(60, categorical="auto", random_state=0).fit(frame, y)
    assert forest.oob_error_ < 0.12  # a tenth of the sizes are gone, and half of those rows cannot be known
    assert forest.estimators_[0].tree_.is_categorical.any()


def test_class_weights_shift_the_vote():
    X, y = diabetes()
    plain = RandomForest(50, leaf_size=20, random_state=0).fit(X, y)
    tilted = RandomForest(50, leaf_size=20, class_weight={0: 1, 1: 5}, random_state=0).fit(X, y)
    assert tilted.predict(X).mean() > plain.predict(X).mean() + 0.1
    balanced = RandomForest(50, class_weight="balanced", random_state=0).fit(X, y)
    assert 0.2 < balanced.oob_error_ < 0.4


# importance


def test_importance_knows_noise_from_signal():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 5))
    y = (X[:, 0] + 0.5 * X[:, 1] > 0).astype(int)
    frame = pd.DataFrame(X, columns=["strong", "weak", "n1", "n2", "n3"])
    forest = RandomForest(80, random_state=0, n_jobs=2).fit(frame, y)
    found = forest.permutation_importance(frame, y, random_state=0)
    assert found.mean[0] > 0.15 > found.mean[1] > 0.03
    assert (np.abs(found.mean[2:]) < 0.02).all()
    assert (found.se > 0).all()
    assert [line.split()[0] for line in str(found).splitlines()[:2]] == ["strong", "weak"]
    assert forest.feature_importances_.argsort()[::-1][:2].tolist() == [0, 1]
    assert forest.feature_importances_.sum() == pytest.approx(1)
    again = forest.permutation_importance(frame, y, random_state=0)
    assert (again.mean == found.mean).all()


def test_importance_of_one_tree_by_hand():
    # the tree asks only about column 0, so that shuffling it is all that can hurt, and column 1 is exactly zero
    rng = np.random.default_rng(1)
    X = np.column_stack([np.repeat([0.0, 1.0], 100), np.zeros(200)])
    y = np.repeat([0, 1], 100)
    order = rng.permutation(200)
    X, y = X[order], y[order]
    found = RandomForest(30, random_state=0).fit(X, y).permutation_importance(X, y, random_state=1)
    assert found.mean[0] == pytest.approx(0.5, abs=0.03)  # a shuffled coin is wrong half the time
    assert found.mean[1] == 0.0


def test_importance_asks_for_the_rows_of_the_fit():
    X, y = load_iris(return_X_y=True)
    forest = RandomForest(5, random_state=0).fit(X, y)
    for other in (y[::-1], y[:100]):
        with pytest.raises(InputError, match="not the rows"):
            forest.permutation_importance(X[: len(other)], other)
    with pytest.raises(InputError, match="oob=True"):
        RandomForest(5, oob=False).fit(X, y).permutation_importance(X, y)


# scikit-learn's contract


def test_scikit_learn_s_checks_pass():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(RandomForest(5), on_fail=None, on_skip=None, expected_failed_checks=NOT_REPETITION)
    failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
    assert not failed
    assert len(results) > 50


def test_pickle():
    X, y = load_iris(return_X_y=True)
    forest = RandomForest(5, random_state=0, voting="average").fit(X, y)
    before = forest.predict_proba(X)
    again = pickle.loads(pickle.dumps(forest))
    assert (again.predict_proba(X) == before).all()
    assert again.oob_error_ == forest.oob_error_
    assert len(again.estimators_) == 5
    assert again.trees_[-1].n_leaves == forest.trees_[4].n_leaves


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_estimators": 0}, "n_estimators is 0"),
        ({"voting": "x"}, "voting is 'x'"),
        ({"leaf_size": 0}, "leaf_size is 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, said):
    with pytest.raises(InputError, match=said) as error:
        RandomForest(**options).fit([[1.0], [2.0]], [0, 1])
    assert error.value.code == "bad_option"


def test_without_votes_kept_their_error_is_refused():
    with pytest.raises(InputError, match="oob=True"):
        RandomForest(3, oob=False).fit([[1.0], [2.0]], [0, 1]).oob_path()


def test_importance_without_unused_rows_is_undefined():
    X, y = [[1.0], [2.0]], [0, 1]
    forests = (RandomForest(1, random_state=s).fit(X, y) for s in range(100))
    forest = next(f for f in forests if f.oob_coverage_ == 0)  # both rows drawn
    assert np.isnan(forest.oob_error_)
    assert np.isnan(forest.permutation_importance(X, y).mean).all()
