"""NaiveBayes: normal and independent features within each class."""

from __future__ import annotations

import numpy as np

from surefold.learners.class_sums import ClassSums
from surefold.learners.normal_bayes import NormalBayes
from surefold.learners.normals import IndependentNormals, Normals

__all__ = ["NaiveBayes"]


class NaiveBayes(NormalBayes):
    """Bayes' rule with a normal density for each feature in each class, as if features were independent.

    Variances are maximum likelihood: squared deviations over the number of rows of the class, not one less.

    `priors`: the probability of each class before anything is seen, in sorted order of the labels; by default the
    shares of the classes among the rows. `shrinkage`, from 0 to 1, draws the variances of each class towards those
    pooled over the classes; at 1 all classes share them (a linear classifier). `ridge` adds that share of a feature's
    variance over all rows to its variance in each class, whatever the units; a feature that never varies is given
    `ridge` itself, and has no say.

    Once fitted: `classes_`, `class_count_` (weights added up), `class_prior_`, `means_` and `variances_` (as used, with
    shrinkage and ridge), one row a class.

    A class in which a feature does not vary is refused unless shrinkage or ridge gives it a variance.

    >>> model = NaiveBayes().fit([[1.0], [3.0], [6.0], [8.0]], ["a", "a", "b", "b"])
    >>> model.means_.tolist(), model.variances_.tolist()
    ([[2.0], [7.0]], [[1.0], [1.0]])
    >>> model.predict([[4.0], [5.0]]).tolist()
    ['a', 'b']

    Source: Duda, Hart & Stork (2001), Pattern Classification, sections 2.6 and 3.2.
    """

    _full = False
    _singular_cure = "pass ridge=1e-6 or shrinkage=0.1, or leave the feature out"

    def _normals(self, sums: ClassSums) -> Normals:
        variance = sums.covariance
        if self.shrinkage:
            variance = (1 - self.shrinkage) * variance + self.shrinkage * sums.pooled[..., None, :]
        if self.ridge:
            variance = variance + self.ridge * sums.overall[..., None, :]
        there = sums.count[..., None] > 0
        return IndependentNormals.of(sums.mean, np.where(there, np.maximum(variance, 0.0), 1.0))

    def _show_spread(self, normals: Normals) -> None:
        self.variances_ = normals.variance
