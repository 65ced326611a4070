"""Names that the page on learners uses."""

from sklearn.datasets import load_iris
from sklearn.svm import SVC

from surefold.learners import NaiveBayes

X, y = load_iris(return_X_y=True)
X, y = X[50:, :2], y[50:]
model = SVC(kernel="poly", degree=2)
bayes = NaiveBayes()
