"""Bagging: votes, signs, out-of-bag errors; trees on the fast road and any other classifier on the plain one."""

import pickle
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.decomposition import PCA
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import check_estimator

from surefold.errors import InputError, UnknownNameError
from surefold.learners import Bagging, DecisionTree
from surefold.learners.trees.many_trees import seeds_of
from surefold.learners.trees.out_of_bag import OutOfBag
from surefold.learners.trees.training_rows import TrainingRows

#: A weight multiplies a row once it is drawn; repeated rows are drawn by themselves.
NOT_REPETITION = {"check_sample_weight_equivalence_on_dense_data": "a weight is not repetition of rows"}


def two_classes():
    X, y = load_iris(return_X_y=True)
    return PCA(2).fit_transform(X), np.where(y == 1, 1, -1)


def counts_of(bag, n):
    """How often each member drew each row of n."""
    rows = TrainingRows.of(np.zeros((n, 1)), np.zeros(1, bool), np.zeros(n, int), np.array([0]), None, None)
    return [rows.drawn(int(s)) for s in seeds_of(bag.random_state, bag.n_estimators)]


# out of bag, by hand


def test_out_of_bag_votes_by_hand():
    bag = OutOfBag(np.array([0, 1, 2, 1]), 3, np.ones(4))
    bag.add(np.array([-1, 1, 0, 0]))  # rows 2-4 vote: right, wrong, wrong
    assert (bag.path("voted")[-1], bag.coverage[-1]) == (2 / 3, 3 / 4)
    assert bag.path("printed")[-1] == 2 / 4  # the first row falls to the first class, which is its own
    bag.add(np.array([2, -1, 2, 1]))  # row 1 wrong; row 3 ties 0 and 2, row 4 ties 0 and 1: the first class wins
    assert (bag.path("voted")[-1], bag.coverage[-1]) == (3 / 4, 1.0)
    bag.add(np.array([-1, -1, 2, 1]))
    assert bag.path("voted").tolist() == [2 / 3, 3 / 4, 1 / 4] == [*bag.path("voted")[:2], bag.path("printed")[-1]]
    assert bag.votes.tolist() == [[0, 0, 1], [0, 1, 0], [1, 0, 2], [1, 2, 0]]
    assert str(bag.estimate(0.95)) == "0.25 [0.01, 0.81]"  # exact: 1 of 4


def test_weights_weigh_errors_out_of_bag():
    bag = OutOfBag(np.array([0, 1]), 2, np.array([3.0, 1.0]))
    bag.add(np.array([1, 1]))
    assert bag.path("voted").tolist() == [3 / 4]


def test_no_votes_at_all_are_undefined_and_not_zero():
    bag = OutOfBag(np.array([0, 1, 1]), 2, np.ones(3))
    bag.add(np.array([-1, -1, -1]))
    assert np.isnan(bag.path("voted")).all()
    assert bag.path("printed").tolist() == [2 / 3]
    with pytest.raises(UnknownNameError, match="voted"):
        bag.path("vote")  # type: ignore[arg-type]


# trees


def test_each_tree_is_the_one_grown_from_its_sample():
    X, y = load_iris(return_X_y=True)
    bag = Bagging(DecisionTree(leaf_size=3), n_estimators=5, random_state=7).fit(X, y)
    for member, counts in zip(bag.estimators_, counts_of(bag, 150), strict=True):
        alone = DecisionTree(leaf_size=3).fit(X, y, sample_weight=counts)
        assert (alone.predict_proba(X) == member.predict_proba(X)).all()
        assert alone.n_leaves == member.n_leaves
        assert 80 < (counts > 0).sum() < 110  # .632 of 150 is 95


@pytest.mark.parametrize(
    "options", [{}, {"prune": "pessimistic"}, {"smoothing": "m_estimate", "m": 5}, {"max_features": 2}]
)
def test_votes_and_out_of_bag_errors_are_those_of_the_members(options):
    X, y = load_iris(return_X_y=True)
    bag = Bagging(DecisionTree(**options), n_estimators=12, random_state=1).fit(X, y)
    answers = np.array([m.predict(X) for m in bag.estimators_])
    votes = np.array([(answers == c).sum(axis=0) for c in range(3)]).T
    assert (bag.votes(X) == votes).all()
    assert (bag.predict(X) == votes.argmax(axis=1)).all()
    assert bag.predict_proba(X) == pytest.approx(votes / 12)
    staged = list(bag.staged_predict(X))
    assert (staged[0] == answers[0]).all()
    assert (staged[-1] == bag.predict(X)).all()
    unused = np.array(counts_of(bag, 150)) == 0
    by_hand = np.array([((answers == c) & unused).sum(axis=0) for c in range(3)]).T
    assert (bag.oob_votes_ == by_hand).all()
    voted = by_hand.sum(axis=1) > 0
    assert bag.oob_error_ == pytest.approx((by_hand.argmax(axis=1) != y)[voted].mean())
    assert bag.oob_error("printed") == pytest.approx((by_hand.argmax(axis=1) != y).mean())
    assert bag.oob_coverage_ == voted.mean()
    assert len(bag.oob_errors_) == 12


def test_average_adds_up_shares():
    X, y = load_iris(return_X_y=True)
    bag = Bagging(DecisionTree(leaf_size=20, smoothing="laplace"), voting="average", random_state=1).fit(X, y)
    mean = np.mean([m.predict_proba(X) for m in bag.estimators_], axis=0)
    assert bag.predict_proba(X) == pytest.approx(mean)
    assert list(bag.staged_predict_proba(X))[-1] == pytest.approx(mean)
    plain = Bagging(DecisionTree(leaf_size=20), voting="average", random_state=1).fit(X, y)
    assert plain.predict_proba(X) == pytest.approx(np.mean([m.predict_proba(X) for m in plain.estimators_], axis=0))


def test_threads_and_seeds():
    X, y = load_breast_cancer(return_X_y=True)
    one, two, other = (Bagging(random_state=s, n_jobs=j).fit(X, y) for s, j in ((3, 1), (3, 2), (4, 1)))
    assert (one.votes(X) == two.votes(X)).all()
    assert one.oob_error_ == two.oob_error_
    assert (one.oob_votes_ != other.oob_votes_).any()
    generator = [Bagging(random_state=np.random.default_rng(5)).fit(X, y).oob_error_ for _ in range(2)]
    assert generator[0] == generator[1]


def test_a_row_of_weight_zero_is_never_drawn():
    X, y = load_iris(return_X_y=True)
    weights = (y != 2).astype(float)
    bag = Bagging(random_state=0).fit(X, y, sample_weight=weights)
    assert (bag.predict(X) != 2).all()
    assert bag.oob_error_ == 0.0  # the first two are easy to tell apart, and the third weighs nothing


def test_sample_size_is_what_is_drawn():
    X, y = load_iris(return_X_y=True)
    small = Bagging(n_estimators=3, sample_size=20, random_state=0).fit(X, y)
    assert [m.tree_.rows[0] for m in small.estimators_] == [20, 20, 20]
    assert [m.tree_.rows[0] for m in Bagging(sample_size=0.5).fit(X, y).estimators_] == [75] * 10


# the vote as a sign


def test_signs_and_losses_by_hand():
    X, y = two_classes()
    for members in (3, 8):
        bag = Bagging(SVC(kernel="poly", degree=2, coef0=0, C=1), n_estimators=members, random_state=2).fit(X, y)
        decision = sum(m.predict(X) for m in bag.estimators_)
        assert (bag.decision(X) == decision).all()
        losses = bag.sign_losses(X, y)
        assert losses.squared == pytest.approx(((y - np.sign(decision)) ** 2).mean())
        assert losses.squared == pytest.approx(4 * losses.zero_one + losses.tied)
        assert losses.tied == (decision == 0).mean()
        assert losses.tied == 0 or members == 8  # only an even number can tie
        assert (bag.predict(X)[decision == 0] == -1).all()  # the first class


def test_the_worked_bagging_of_support_vectors_has_its_pattern():
    # printed for K = 3, 5, 8, 10, 15: zero-one .02 to .047, squared .10 to .187
    X, y = two_classes()
    svm = SVC(kernel="poly", degree=2, coef0=0, C=1)
    losses = [
        Bagging(svm, n_estimators=k, random_state=seed, oob=False).fit(X, y).sign_losses(X, y)
        for k in (3, 5, 8, 10, 15)
        for seed in range(3)
    ]
    assert all(0.0 <= loss.zero_one <= 0.10 for loss in losses)
    assert 0.015 < np.mean([loss.zero_one for loss in losses]) < 0.07


def test_a_sign_needs_two_classes():
    X, y = load_iris(return_X_y=True)
    bag = Bagging(random_state=0).fit(X, y)
    with pytest.raises(InputError, match="two classes"):
        bag.decision(X)
    X, y = two_classes()
    with pytest.raises(InputError, match="150 rows and y 3"):
        Bagging(random_state=0).fit(X, y).sign_losses(X, y[:3])


# other classifiers


@pytest.mark.parametrize("base", [GaussianNB(), KNeighborsClassifier(3), LogisticRegression(max_iter=1000)])
def test_other_classifiers_vote_too(base):
    X, y = load_iris(return_X_y=True)
    bag = Bagging(base, n_estimators=7, random_state=0).fit(X, y)
    answers = np.array([m.predict(X) for m in bag.estimators_])
    votes = np.array([(answers == c).sum(axis=0) for c in range(3)]).T
    assert (bag.predict(X) == votes.argmax(axis=1)).all()
    assert bag.oob_error_ < 0.1
    assert 0.9 < bag.oob_coverage_ <= 1
    soft = Bagging(base, n_estimators=7, random_state=0, voting="average").fit(X, y)
    assert soft.predict_proba(X) == pytest.approx(np.mean([m.predict_proba(X) for m in bag.estimators_], axis=0))


def test_processes_give_the_same_votes():
    X, y = load_iris(return_X_y=True)
    one, two = (Bagging(GaussianNB(), 4, random_state=0, n_jobs=j).fit(X, y) for j in (1, 2))
    assert (one.votes(X) == two.votes(X)).all()


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_frames_stay_frames(frame):
    X, y = load_iris(return_X_y=True)
    table = frame({f"c{j}": X[:, j] for j in range(4)})
    bag = Bagging(GaussianNB(), 3, random_state=0).fit(table, y)
    assert bag.feature_names_in_.tolist() == ["c0", "c1", "c2", "c3"]
    assert bag.estimators_[0].feature_names_in_.tolist() == ["c0", "c1", "c2", "c3"]
    assert (bag.predict(table) == Bagging(GaussianNB(), 3, random_state=0).fit(X, y).predict(X)).all()
    text = frame({"colour": ["red", "blue"] * 20, "size": list(range(40))})
    answers = ["a", "b"] * 20
    assert Bagging(DecisionTree(categorical="auto"), random_state=0).fit(text, answers).score(text, answers) == 1.0


def test_a_sample_of_one_class_is_drawn_again():
    X, y = np.arange(12.0)[:, None], [0] * 11 + [1]
    bag = Bagging(LogisticRegression(), 8, random_state=0).fit(X, y)  # would refuse a single class
    assert all(len(m.classes_) == 2 for m in bag.estimators_)


def test_scikit_learn_s_checks_pass():
    for bag in (Bagging(n_estimators=4), Bagging(GaussianNB(), n_estimators=3)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(bag, on_fail=None, on_skip=None, expected_failed_checks=NOT_REPETITION)
        failed = {r["check_name"]: r["exception"] for r in results if r["status"] == "failed"}
        assert not failed
        assert len(results) > 50


def test_pickle():
    X, y = load_iris(return_X_y=True)
    for base in (None, GaussianNB()):
        bag = Bagging(base, 3, random_state=0).fit(X, y)
        again = pickle.loads(pickle.dumps(bag))
        assert (again.votes(X) == bag.votes(X)).all()
        assert again.oob_error_ == bag.oob_error_


# refusals


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        ({"n_estimators": 0}, "bad_option", "n_estimators is 0"),
        ({"voting": "loud"}, "bad_option", "voting is 'loud'"),
        ({"sample_size": 0.0}, "bad_option", "sample_size is 0.0"),
        ({"sample_size": 0}, "bad_option", "sample_size is 0"),
        ({"estimator": 3}, "bad_model", "estimator is 3"),
        ({"estimator": DecisionTree(leaf_size=0)}, "bad_option", "leaf_size is 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, code, said):
    with pytest.raises(InputError, match=said) as error:
        Bagging(**options).fit([[1.0], [2.0]], [0, 1])
    assert error.value.code == code


def test_weights_for_a_model_without_weights_are_refused():
    with pytest.raises(InputError, match="KNeighborsClassifier does not take sample_weight"):
        Bagging(KNeighborsClassifier(1)).fit([[1.0], [2.0]], [0, 1], sample_weight=[1, 2])
    X, y = load_iris(return_X_y=True)
    bag = Bagging(GaussianNB(), 5, random_state=0).fit(X, y, sample_weight=np.where(y == 2, 0.0, 1.5))
    assert set(bag.predict(X).tolist()) == {0, 1}


def test_without_votes_kept_their_error_is_refused():
    bag = Bagging(oob=False).fit([[1.0], [2.0]], [0, 1])
    with pytest.raises(InputError, match="oob=True"):
        _ = bag.oob_error_
