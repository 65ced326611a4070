"""Classifiers with scikit-learn's interface."""

from .full_bayes import FullBayes
from .naive_bayes import NaiveBayes

__all__ = ["FullBayes", "NaiveBayes"]
