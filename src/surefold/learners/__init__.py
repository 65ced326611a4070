"""Classifiers with scikit-learn's interface."""

from surefold.learners.adaboost import AdaBoost
from surefold.learners.bagging import Bagging
from surefold.learners.forest import RandomForest
from surefold.learners.full_bayes import FullBayes
from surefold.learners.naive_bayes import NaiveBayes
from surefold.learners.stacking import Stacking
from surefold.learners.tree import DecisionTree
from surefold.moved import moved

__all__ = ["AdaBoost", "Bagging", "DecisionTree", "FullBayes", "NaiveBayes", "RandomForest", "Stacking"]

moved(__name__, "surefold.learners.trees", "histogram kernel nodes options split text walk", prefix="tree_")
moved(
    __name__,
    "surefold.learners.trees",
    "binning compiling many_trees out_of_bag permuted plain_growing plain_split pruning random_bits splitmix "
    "training_rows walking when_to_compile",
)
