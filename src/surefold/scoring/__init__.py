"""Fitted models of scikit-learn, asked: scorers for its searches, assessments of its estimators and of its folds."""
