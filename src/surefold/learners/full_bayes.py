"""FullBayes: normal features with a covariance of their own in each class."""

from __future__ import annotations

import numpy as np

from surefold.learners.class_sums import ClassSums
from surefold.learners.normal_bayes import NormalBayes
from surefold.learners.normals import FullNormals, Normals

__all__ = ["FullBayes"]


class FullBayes(NormalBayes):
    """Bayes' rule with a normal density of full covariance for each class: quadratic discriminant analysis.

    Covariances are maximum likelihood: scatter over the number of rows of the class, not one less, as in R's
    `qda(method = "mle")`.

    `priors`: the probability of each class before anything is seen, in sorted order of the labels; by default the
    shares of the classes among the rows. `shrinkage`, from 0 to 1, draws each covariance towards its own diagonal; at 1
    this is `NaiveBayes`. `ridge` adds that share of a feature's variance over all rows to its variance in each class,
    whatever the units; a feature that never varies is given `ridge` itself, and has no say.

    Once fitted: `classes_`, `class_count_` (weights added up), `class_prior_`, `means_` (one row a class) and
    `covariances_` (one matrix a class, as used, with shrinkage and ridge).

    A class whose covariance is singular (a feature that does not vary, features tied by a linear relation, no more rows
    than features) is refused unless shrinkage or ridge makes it regular.

    >>> X = [[0.0, 0.0], [2.0, 0.0], [0.0, 2.0], [2.0, 2.0], [5.0, 5.0], [7.0, 7.0], [5.0, 6.0], [7.0, 6.0]]
    >>> model = FullBayes().fit(X, ["a"] * 4 + ["b"] * 4)
    >>> model.covariances_.tolist()
    [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.5], [0.5, 0.5]]]
    >>> model.predict([[3.0, 3.0], [4.0, 5.0]]).tolist()
    ['a', 'b']

    Source: Duda, Hart & Stork (2001), Pattern Classification, sections 2.6 and 3.2.
    """

    _full = True
    _singular_cure = "pass ridge=1e-6 or shrinkage=0.1, leave a feature out, or use NaiveBayes"

    def _normals(self, sums: ClassSums) -> Normals:
        covariance = sums.covariance
        d = covariance.shape[-1]
        diagonal = np.arange(d)
        variance = np.maximum(covariance[..., diagonal, diagonal], 0.0)
        if self.shrinkage:
            covariance = (1 - self.shrinkage) * covariance
        if self.ridge:
            variance = variance + self.ridge * sums.overall[..., None, :]
        covariance[..., diagonal, diagonal] = variance
        covariance = np.where((sums.count > 0)[..., None, None], covariance, np.eye(d))
        return FullNormals.of(sums.mean, covariance)

    def _show_spread(self, normals: Normals) -> None:
        assert isinstance(normals, FullNormals)
        self.covariances_ = normals.covariance
