"""Decision regions: what is drawn of which models, and what is refused."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, GradientBoostingClassifier, RandomForestClassifier
from sklearn.svm import SVC

from surefold.errors import InputError, UnknownNameError
from surefold.learners import AdaBoost, NaiveBayes
from surefold.plots.boundary import MOST_MEMBERS, plot_boundary
from surefold.show.write.style import DARK, LIGHT, theme_of

IRIS = load_iris()
PCS = PCA(2).fit_transform(IRIS.data)
VERSICOLOR = np.where(IRIS.target == 1, "versicolor", "rest")
NAMES = IRIS.target_names[IRIS.target]


class Half:
    """Says "right" where the first feature is positive."""

    def __init__(self, at: float = 0.0) -> None:
        self.at = at

    def predict(self, X):
        return np.where(np.asarray(X)[:, 0] > self.at, "right", "left")


def texts(ax) -> list[str]:
    return [t.get_text() for t in ax.get_legend().get_texts()]


def lines(ax) -> list[Any]:
    return [c for c in ax.collections if isinstance(c, ContourSet)]


def rendered(ax) -> None:
    ax.figure.canvas.draw()


@pytest.mark.parametrize("dark", [False, True])
def test_regions_points_and_boundary(dark: bool) -> None:
    ax = plot_boundary(NaiveBayes().fit(PCS, NAMES), PCS, NAMES, dark=dark, title="$three$", resolution=80)
    rendered(ax)
    assert texts(ax) == ["setosa", "versicolor", "virginica", "boundary"]
    assert theme_of(ax) is (DARK if dark else LIGHT)
    assert ax.get_title() == "$three$"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x1", "x2")
    shown = [c.get_offsets() for c in ax.collections if hasattr(c, "get_sizes") and len(c.get_offsets()) == 50]
    assert len(shown) == 3


def test_the_boundary_is_where_the_answer_turns() -> None:
    X = np.array([[-1.0, 0.0], [2.0, 1.0], [3.0, -1.0]])
    ax = plot_boundary(Half(at=0.5), X, ["left", "right", "right"], resolution=200)
    (line,) = lines(ax)
    x = np.concatenate([np.asarray(path.vertices)[:, 0] for path in line.get_paths()])
    step = (ax.get_xlim()[1] - ax.get_xlim()[0]) / 199
    assert np.abs(x - 0.5).max() <= step


def test_decision_values_make_the_line_exact() -> None:
    model = SVC(kernel="linear", C=1).fit(PCS, IRIS.target == 0)
    ax = plot_boundary(model, PCS, IRIS.target == 0, resolution=100)
    (line,) = lines(ax)
    points = np.concatenate([path.vertices for path in line.get_paths()])
    assert np.abs(model.decision_function(points)).max() < 1e-6


def test_decision_values_that_do_not_decide_are_not_drawn() -> None:
    """This ensemble votes by label, but its decision values are means of the members' own: another boundary."""
    quadratic = SVC(kernel="poly", degree=2, coef0=0, gamma=1)
    model = BaggingClassifier(quadratic, 10, random_state=0).fit(PCS, VERSICOLOR)
    ax = plot_boundary(model, PCS, VERSICOLOR, resolution=150)
    (line,) = lines(ax)
    points = np.concatenate([np.asarray(path.vertices) for path in line.get_paths()])
    steps = np.array([np.ptp(ends) / 149 for ends in (ax.get_xlim(), ax.get_ylim())])
    around = [model.predict(points + 3 * steps * np.array(way)) for way in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    turns = (np.array(around) != around[0]).any(axis=0)
    assert turns.mean() > 0.95  # three steps away there is another answer, but at the sharpest corners


def test_members_are_thin_and_the_vote_is_bold() -> None:
    model = AdaBoost(SVC(kernel="linear"), n_estimators=5, random_state=0).fit(PCS, VERSICOLOR)
    ax = plot_boundary(model, PCS, VERSICOLOR, members=True, resolution=80)
    rendered(ax)
    *thin, bold = lines(ax)
    turning = [member for member in model.estimators_ if len(set(member.predict(ax_grid(ax)))) > 1]
    assert len(thin) == len(turning)
    assert all(line.get_linewidths()[0] < 1 < bold.get_linewidths()[0] for line in thin)
    assert texts(ax) == ["members", "rest", "versicolor", "combined"]


def ax_grid(ax) -> Any:
    x, y = (np.linspace(low, high, 80) for low, high in (ax.get_xlim(), ax.get_ylim()))
    return np.column_stack([a.ravel() for a in np.meshgrid(x, y)])


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(4, random_state=0),  # members answer codes, not labels
        GradientBoostingClassifier(n_estimators=3, random_state=0),  # members are regressors in a table
        BaggingClassifier(max_features=1, n_estimators=3, random_state=0),  # members see one feature
    ],
)
def test_ensembles_of_others(model) -> None:
    ax = plot_boundary(model.fit(PCS, NAMES), PCS, NAMES, members=True, resolution=40)
    rendered(ax)
    assert texts(ax)[0] == "members"


def test_many_members() -> None:
    model = RandomForestClassifier(MOST_MEMBERS + 5, max_depth=1, random_state=0).fit(PCS, VERSICOLOR)
    ax = plot_boundary(model, PCS, VERSICOLOR, members=True, resolution=20)
    assert texts(ax)[0] == f"members (the first {MOST_MEMBERS} of {MOST_MEMBERS + 5})"


def test_frames_keep_their_names() -> None:
    X = pd.DataFrame(PCS, columns=["first", "second"])
    ax = plot_boundary(NaiveBayes().fit(X, NAMES), X, NAMES, resolution=30)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("first", "second")
    ax = plot_boundary(NaiveBayes().fit(X, NAMES), X, NAMES, resolution=30, names=("a", "b"), show_legend=False)
    assert ax.get_xlabel() == "a"
    assert ax.get_legend() is None


def test_one_answer_has_no_boundary() -> None:
    ax = plot_boundary(Half(at=100), [[0.0, 0.0], [1.0, 1.0]], ["left", "right"], resolution=20)
    rendered(ax)
    assert lines(ax) == []


def test_an_answer_that_no_point_has() -> None:
    ax = plot_boundary(Half(), [[-1.0, 0.0], [1.0, 1.0]], ["left", "up"], resolution=20)
    rendered(ax)
    assert "right" in texts(ax)


def test_axes_of_ones_own() -> None:
    ax = Figure().add_subplot()
    assert plot_boundary(Half(), [[-1.0, 0.0], [1.0, 1.0]], ["left", "right"], ax, resolution=20) is ax


def test_refusals() -> None:
    fitted = NaiveBayes().fit(PCS, NAMES)
    for call, error in (
        (lambda: plot_boundary("model", PCS, NAMES), InputError),
        (lambda: plot_boundary(fitted, IRIS.data, NAMES), InputError),
        (lambda: plot_boundary(fitted, PCS, NAMES[:10]), InputError),
        (lambda: plot_boundary(fitted, PCS, NAMES, resolution=2), InputError),
        (lambda: plot_boundary(fitted, PCS, NAMES, members=True, resolution=20), UnknownNameError),
    ):
        with pytest.raises(error):
            call()
