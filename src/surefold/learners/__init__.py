"""Classifiers with scikit-learn's interface."""

from .adaboost import AdaBoost
from .bagging import Bagging
from .forest import RandomForest
from .full_bayes import FullBayes
from .naive_bayes import NaiveBayes
from .stacking import Stacking
from .tree import DecisionTree

__all__ = ["AdaBoost", "Bagging", "DecisionTree", "FullBayes", "NaiveBayes", "RandomForest", "Stacking"]
