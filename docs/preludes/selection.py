"""Names that the page on selection uses."""

from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from surefold.learners import NaiveBayes

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:120, :4], y[:120]
new_rows = X[:3]
__all__ = ["DecisionTreeClassifier", "LogisticRegression", "NaiveBayes", "Pipeline", "StandardScaler"]
