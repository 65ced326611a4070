"""Figures of pruning curves."""

import pytest
from matplotlib.figure import Figure
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from surefold.errors import UnknownNameError
from surefold.learners import DecisionTree
from surefold.show.write.style import DARK, LIGHT, theme_of
from surefold.studies.pruning.curves import PruningCurves, pruning_curves

X, Y = load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def found() -> PruningCurves:
    return pruning_curves(X, Y, estimator=DecisionTree(), parameters={"leaf_size": [1, 8, 64], "criterion": ["gini",
                          "entropy"]}, folds=3, random_state=0)  # fmt: skip


@pytest.mark.parametrize("dark", [False, True])
def test_all_panels(found: PruningCurves, dark: bool) -> None:
    panels = found.plot(dark=dark)
    panels[0].figure.canvas.draw()
    assert [ax.get_xlabel() for ax in panels] == ["leaf_size", "criterion", "Error rate"]
    assert all(theme_of(ax) is (DARK if dark else LIGHT) for ax in panels)
    assert len({ax.get_ylim() for ax in panels[:2]}) == 1
    held_out, training = panels[0].lines[:2]
    assert held_out.get_ydata().tolist() == [p.held_out.value for p in found["leaf_size"]]
    assert training.get_ydata().tolist() == [p.training.value for p in found["leaf_size"]]
    assert panels[0].get_xscale() == "log"
    assert [t.get_text() for t in panels[1].get_xticklabels()] == ["gini", "entropy"]
    leaves = [f"({p.leaves:.0f} leaves)" for p in found["prune"]]
    assert [
        t.get_text().split(" ", 1)[1][-len(n) :] for t, n in zip(panels[2].get_yticklabels()[::2], leaves, strict=True)
    ] == leaves


def test_one_panel(found: PruningCurves) -> None:
    ax = found.plot("leaf_size")
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["95 % interval", "held out", "training"]
    best = found.best_of("leaf_size")
    assert found.plot()[0].get_title() == f"least held out: {best.held_out.value:.3f} at {best.value}"
    given = Figure().add_subplot()
    assert found.plot("prune", ax=given, show_legend=False) is given
    with pytest.raises(UnknownNameError):
        found.plot("depth")


def test_what_is_undefined_is_said() -> None:
    bad = pruning_curves(X, Y, estimator=DecisionTreeClassifier(), parameters={"max_depth": [2, -3]}, folds=3,
                         random_state=0, retries=0)  # fmt: skip
    ax = bad.plot("max_depth")
    ax.figure.canvas.draw()
    assert [t.get_text() for t in ax.texts] == ["undefined"]
