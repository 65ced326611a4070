"""Names that the page on resampling uses."""

from sklearn.datasets import load_breast_cancer

from surefold.learners import DecisionTree, NaiveBayes

X, y = load_breast_cancer(return_X_y=True)
X, y = X[:150, :4], y[:150]
model = bayes = NaiveBayes()
tree = DecisionTree(max_depth=3)
