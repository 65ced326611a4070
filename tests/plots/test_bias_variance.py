"""The figure of a bias-variance decomposition."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.svm import SVC

from surefold.learners import NaiveBayes
from surefold.show.charts.lines import is_even_in_logs
from surefold.show.write.style import DARK, LIGHT, theme_of
from surefold.studies import bias_variance

X, Y = load_iris(return_X_y=True)
X, Y = X[:, :2], np.where(Y == 1, "versicolor", "rest")


def texts(ax) -> list[str]:
    return [t.get_text() for t in ax.get_legend().get_texts()]


@pytest.mark.parametrize("dark", [False, True])
def test_lines_over_a_grid(dark: bool) -> None:
    r = bias_variance(SVC(), X, Y, param="C", grid=[10, 0.1, 1], samples=4, random_state=0)
    ax = r.plot(dark=dark)
    ax.figure.canvas.draw()
    assert theme_of(ax) is (DARK if dark else LIGHT)
    assert texts(ax) == ["95 % interval", "loss", "bias", "variance"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("C", "Squared loss", "log")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["0.1", "1", "10"]
    loss, bias, variance = ax.lines[:3]
    assert loss.get_ydata().tolist() == [r[c].loss.value for c in (0.1, 1, 10)]
    assert np.allclose(bias.get_ydata() + variance.get_ydata(), loss.get_ydata())
    assert len({line.get_color() for line in (loss, bias, variance)}) == 3
    assert len({line.get_marker() for line in (loss, bias, variance)}) == 3
    assert ax.get_ylim()[0] <= 0
    bare = r.plot(intervals=False, show_legend=False)
    assert bare.get_legend() is None


def test_words_are_set_out_evenly() -> None:
    r = bias_variance(SVC(), X, Y, param="kernel", grid=["linear", "rbf"], samples=3, loss="domingos", random_state=0)
    ax = r.plot(title="kernels")
    ax.figure.canvas.draw()
    assert [t.get_text() for t in ax.get_xticklabels()] == ["linear", "rbf"]
    assert texts(ax)[3] == "net variance"
    assert ax.get_ylabel() == "Zero-one loss"
    assert ax.get_ylim()[0] <= min(point["net_variance"].low for point in r)


def test_one_model_is_columns() -> None:
    ax = bias_variance(NaiveBayes(), X, Y, samples=3, random_state=0).plot()
    ax.figure.canvas.draw()
    assert [t.get_text() for t in ax.get_yticklabels()] == ["loss", "bias", "variance"]
    assert ax.get_xlabel() == "Squared loss"


def test_which_axis() -> None:
    assert is_even_in_logs([1, 10, 100])
    assert is_even_in_logs([51, 92, 164, 287, 512])
    assert is_even_in_logs([1, 20])
    assert not is_even_in_logs([10, 30, 50, 70, 100])
    assert not is_even_in_logs([-1, 100])
    assert not is_even_in_logs([5])
