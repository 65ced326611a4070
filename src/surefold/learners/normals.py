"""Normal densities, one a class: independent features, or a full covariance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from surefold.learners.class_sums import Floats

__all__ = ["FullNormals", "IndependentNormals", "Normals", "normalised", "row_max", "row_sums"]

LOG_2_PI = float(np.log(2 * np.pi))


@dataclass(frozen=True, eq=False)
class Normals:
    """Densities of k classes over d features. All arrays may have leading axes, one entry a split.

    `variance` is that of each feature, (..., k, d); `log_norm` the log density at the mean. `least_share` is the
    smallest eigenvalue of the correlations (one for independent features) and `least_direction` its eigenvector.
    """

    mean: Floats
    variance: Floats
    log_norm: Floats
    least_share: Floats
    least_direction: Floats

    def log_density(self, X: Floats) -> Floats:
        """One row a row of X, one column a class."""
        out = np.empty((len(X), len(self.mean)))
        with np.errstate(over="ignore", invalid="ignore"):
            for c in range(len(self.mean)):
                out[:, c] = self.log_norm[c] - 0.5 * row_sums(self.squares(c, X))
        return out

    def squares(self, c: int, X: Floats) -> Floats:
        """Squared distances from the mean of class c, in parts whose sum is Mahalanobis' for each row."""
        raise NotImplementedError

    def log_det(self) -> Floats:
        """Log determinants in the parts that taking rows away can shrink one by one: (..., k, parts)."""
        raise NotImplementedError

    def at(self, split: int) -> Normals:
        """The normals of one split."""
        raise NotImplementedError


@dataclass(frozen=True, eq=False)
class IndependentNormals(Normals):
    """Each feature has its own normal density within a class."""

    @classmethod
    def of(cls, mean: Floats, variance: Floats) -> IndependentNormals:
        """From means and variances, features being independent."""
        with np.errstate(divide="ignore", invalid="ignore"):
            log_norm = -0.5 * (LOG_2_PI + np.log(variance)).sum(axis=-1)
        return cls(mean, variance, log_norm, np.ones(mean.shape[:-1]), mean)

    def squares(self, c: int, X: Floats) -> Floats:
        """Squared distances from the mean of class c in standard deviations, a column a feature."""
        away = X - self.mean[c]
        away *= away
        with np.errstate(divide="ignore"):
            away *= 1 / self.variance[c]
        return np.asarray(away)

    def log_det(self) -> Floats:
        """The log of each variance."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log(self.variance))

    def at(self, split: int) -> Normals:
        """The normals of one split."""
        return IndependentNormals(
            self.mean[split], self.variance[split], self.log_norm[split], self.least_share, self.least_direction
        )


@dataclass(frozen=True, eq=False)
class FullNormals(Normals):
    """A covariance a class. `whiten` turns deviations into independent ones of variance one."""

    covariance: Floats
    whiten: Floats

    @classmethod
    def of(cls, mean: Floats, covariance: Floats) -> FullNormals:
        """From means and covariances."""
        variance = np.diagonal(covariance, axis1=-2, axis2=-1)
        sd = np.sqrt(np.where(variance > 0, variance, 1.0))
        # Correlations, so that the units of a feature do not matter; eigenvalues, so that a singular one is answered.
        share, direction = np.linalg.eigh(covariance / (sd[..., :, None] * sd[..., None, :]))
        with np.errstate(divide="ignore", invalid="ignore"):
            whiten = direction / (np.sqrt(share)[..., None, :] * sd[..., :, None])
            log_norm = -0.5 * (LOG_2_PI + np.log(share)).sum(axis=-1) - np.log(sd).sum(axis=-1)
        return cls(mean, variance, log_norm, share[..., 0], direction[..., 0], covariance, whiten)

    def squares(self, c: int, X: Floats) -> Floats:
        """Squared Mahalanobis distances from the mean of class c, as one column."""
        away = (X - self.mean[c]) @ self.whiten[c]
        return np.asarray(np.einsum("ij,ij->i", away, away)[:, None])

    def log_det(self) -> Floats:
        """The log determinant of each covariance."""
        return np.asarray(-2 * self.log_norm[..., None] - self.mean.shape[-1] * LOG_2_PI)

    def at(self, split: int) -> Normals:
        """The normals of one split."""
        return FullNormals(
            self.mean[split],
            self.variance[split],
            self.log_norm[split],
            self.least_share,
            self.least_direction,
            self.covariance[split],
            self.whiten[split],
        )


def row_max(values: Floats) -> Floats:
    """values.max(axis=1), twenty times as fast for few columns."""
    if values.shape[1] > 16:
        return np.asarray(values.max(axis=1))
    top = values[:, 0].copy()
    for column in values.T[1:]:
        np.maximum(top, column, out=top)
    return top


def row_sums(values: Floats) -> Floats:
    """values.sum(axis=1), four times as fast for few columns."""
    return values @ np.ones(values.shape[1])


def normalised(joint: Floats) -> Floats:
    """Probabilities from log prior plus log density, which is overwritten."""
    joint -= row_max(joint)[:, None]
    np.exp(joint, out=joint)
    joint /= row_sums(joint)[:, None]
    return joint
