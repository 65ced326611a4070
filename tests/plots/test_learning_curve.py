"""Figures of learning curves and noise curves."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from surefold.errors import UnknownNameError
from surefold.learners import NaiveBayes
from surefold.show.write.style import DARK, LIGHT, theme_of
from surefold.studies import LearningCurve, NoiseCurve, learning_curve, noise_curve

X, Y = load_iris(return_X_y=True)
MODELS = {"tree": DecisionTreeClassifier(), "$bayes$": NaiveBayes(), "none": DummyClassifier()}


@pytest.fixture(scope="module")
def learned() -> LearningCurve:
    return learning_curve(MODELS, X, Y, sizes=[12, 40, 120], folds=5, random_state=0)


@pytest.fixture(scope="module")
def noisy() -> NoiseCurve:
    return noise_curve({"tree": DecisionTreeClassifier()}, X, Y, shares=[0, 0.2], folds=5, random_state=0)


def texts(ax) -> list[str]:
    return [t.get_text() for t in ax.get_legend().get_texts()]


@pytest.mark.parametrize("dark", [False, True])
def test_the_measure(learned: LearningCurve, dark: bool) -> None:
    ax = learned.plot(dark=dark)
    ax.figure.canvas.draw()
    assert theme_of(ax) is (DARK if dark else LIGHT)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("Training rows", "Error rate", "log")
    assert texts(ax) == ["95 % interval", "tree", "$bayes$", "none"]
    assert not any(t.get_parse_math() for t in ax.get_legend().get_texts())
    assert ax.lines[0].get_ydata().tolist() == [point.estimate.value for point in learned["tree"]]
    assert ax.get_ylim()[0] <= 0


def test_three_lines_stand_beside_each_other(learned: LearningCurve) -> None:
    first, second, third = learned.plot().lines[:3]
    assert (first.get_xdata() < second.get_xdata()).all()
    assert np.allclose(second.get_xdata(), [12, 40, 120])
    assert (third.get_xdata() > second.get_xdata()).all()


def test_seconds_have_two_logarithmic_axes(learned: LearningCurve) -> None:
    for what, label in (("fit_seconds", "Seconds to fit"), ("predict_seconds", "Seconds to predict 1,000 rows")):
        ax = learned.plot(what)
        ax.figure.canvas.draw()
        assert (ax.get_ylabel(), ax.get_yscale(), ax.get_xscale()) == (label, "log", "log")


def test_sizes_of_those_that_have_one(learned: LearningCurve) -> None:
    ax = learned.plot("leaves")
    assert texts(ax) == ["95 % interval", "tree"]
    assert ax.get_ylabel() == "Leaves"
    with pytest.raises(UnknownNameError):
        learned.plot("leaves", model="none")
    with pytest.raises(UnknownNameError):
        learned.plot(model="forest")


def test_noise(noisy: NoiseCurve) -> None:
    ax = noisy.plot(title="noise", intervals=False)
    ax.figure.canvas.draw()
    assert (ax.get_xlabel(), ax.get_xscale()) == ("Share of wrong training labels", "linear")
    assert texts(ax) == ["tree"]
    assert noisy.plot(show_legend=False).get_legend() is None


def test_what_is_undefined_is_said() -> None:
    curve = learning_curve(NaiveBayes(), X[:, 3:].round(0), Y, sizes=[6, 120], random_state=0)
    assert not all(point.estimate.defined for point in curve.points())
    ax = curve.plot()
    ax.figure.canvas.draw()
    assert "undefined" in [t.get_text() for t in ax.texts]
