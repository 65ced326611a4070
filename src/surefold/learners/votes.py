"""VotingEnsemble: what bagging and forests share. Each member answers, and the majority decides."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.given import Features, Values
from surefold.learners.trees.out_of_bag import Convention, OutOfBag

__all__ = ["SignLosses", "VotingEnsemble"]

Floats = NDArray[np.float64]


class SignLosses(NamedTuple):
    """Losses of a vote by sign, as shares of the rows: a tie has sign 0, which is not wrong but costs 1 squared."""

    zero_one: float
    squared: float
    tied: float


class VotingEnsemble(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Majority vote; ties go to the class that comes first in `classes_`."""

    classes_: NDArray[Any]
    _out_of_bag: OutOfBag | None

    @abstractmethod
    def _votes(self, X: Features) -> Floats:
        """Votes (or shares, added up) of all members for each row and class."""

    @abstractmethod
    def _votes_by_member(self, X: Features) -> Iterator[Floats]:
        """The votes of one member at a time."""

    # asking

    def predict(self, X: Features) -> NDArray[Any]:
        """The class with the most votes."""
        best = self._asked(X).argmax(axis=1)
        answers: NDArray[Any] = self.classes_[best]
        return answers

    def predict_proba(self, X: Features) -> Floats:
        """The share of the votes that each class has, one column a class in the order of `classes_`."""
        votes = self._asked(X)
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def votes(self, X: Features) -> Floats:
        """The votes themselves: how many members give each row each class."""
        return self._asked(X)

    def _asked(self, X: Features) -> Floats:
        check_is_fitted(self)
        return self._votes(X)

    def staged_predict_proba(self, X: Features) -> Iterator[Floats]:
        """`predict_proba` with the first member alone, the first two, and so on."""
        check_is_fitted(self)
        votes: Any = 0.0
        for members, more in enumerate(self._votes_by_member(X), start=1):
            votes = votes + more
            yield votes / members

    def staged_predict(self, X: Features) -> Iterator[NDArray[Any]]:
        """`predict` with the first member alone, the first two, and so on."""
        for shares in self.staged_predict_proba(X):
            yield self.classes_[shares.argmax(axis=1)]

    # the vote as a sign, for two classes

    def decision(self, X: Features) -> Floats:
        """Votes for the second class less those for the first: with labels -1 and +1, the sum of the answers."""
        check_is_fitted(self)
        if len(self.classes_) != 2:
            problem = f"a sign needs two classes, and there are {len(self.classes_)}"
            raise InputError("bad_option", problem, cure="use votes(X), one column a class")
        votes = self._votes(X)
        return np.asarray(votes[:, 1] - votes[:, 0])

    def sign_losses(self, X: Features, y: Values) -> SignLosses:
        """Losses of the sign of `decision` against labels as -1 and +1: squared is 4 x zero-one + tied."""
        sign = np.sign(self.decision(X))
        truth = np.where(np.asarray(y) == self.classes_[1], 1, -1)
        if len(truth) != len(sign):
            problem = f"X has {len(sign):,} rows and y {len(truth):,}"
            raise InputError("length_mismatch", problem, cure="give one label a row")
        wrong, tied = float(np.mean(sign * truth < 0)), float(np.mean(sign == 0))
        return SignLosses(wrong, float(np.mean((truth - sign) ** 2)), tied)

    # out of bag

    def _bag(self) -> OutOfBag:
        check_is_fitted(self)
        if self._out_of_bag is None:
            raise InputError("bad_option", "no votes were kept out of bag", cure="fit with oob=True")
        return self._out_of_bag

    @property
    def oob_votes_(self) -> NDArray[np.int32]:
        """For each row and class, the votes of the members that were not fitted to the row."""
        return self._bag().votes

    @property
    def oob_coverage_(self) -> float:
        """The share of the rows that have such a vote."""
        return self._bag().coverage[-1]

    @property
    def oob_coverages_(self) -> Floats:
        """The same after each member."""
        return np.array(self._bag().coverage)

    @property
    def oob_error_(self) -> float:
        """The error of those votes over the rows that have one; NaN if none has."""
        return self.oob_error()

    @property
    def oob_errors_(self) -> Floats:
        """The same after each member."""
        return self.oob_path()

    @property
    def oob_member_errors_(self) -> Floats:
        """The error of each member by itself on the rows that it was not fitted to; NaN where there are none."""
        return np.array(self._bag().alone)

    def oob_error(self, convention: Convention = "voted") -> float:
        """The error out of bag; with "printed" a row without a vote counts as the first class."""
        return float(self.oob_path(convention)[-1])

    def oob_path(self, convention: Convention = "voted") -> Floats:
        """The error out of bag by number of members."""
        return self._bag().path(convention)

    def oob_estimate(self, confidence: float = 0.95) -> Estimate:
        """The error over rows with a vote, with its interval."""
        return self._bag().estimate(confidence)
