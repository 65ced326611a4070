"""Figures of runs over splits: every value a dot, every number on them an attribute of the result."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure
from sklearn.svm import SVC

from surefold.errors import MissingExtraError, UnknownNameError
from surefold.learners import NaiveBayes
from surefold.numbers import number
from surefold.resampling.bootstrapped import Bootstrapped, bootstrap
from surefold.resampling.evaluate import cross_validate, holdout
from surefold.resampling.fold import Failure
from surefold.resampling.study import Study
from surefold.show.write.style import DARK, LIGHT, theme_of

RNG = np.random.default_rng(7)
Y = np.array(["no", "yes"] * 30)
X = RNG.normal(size=(60, 2)) + 1.5 * (Y == "yes")[:, None]


def run(**options):
    return cross_validate(NaiveBayes(), X, Y, random_state=0, pos_label="yes", **{"folds": 5, **options})


def dots(ax):
    return [line for line in ax.lines if getattr(line, "surefold_curve", False)]


def written(ax):
    return [text.get_text() for text in ax.texts]


def in_legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def lacking(r, split):
    predicted, scores = r.held.predicted.copy(), r.held.scores.copy()
    part = slice(int(r.plan.test_starts[split]), int(r.plan.test_starts[split + 1]))
    predicted[part], scores[part] = -1, np.nan
    failures = {split: Failure("raised", "ValueError: x")}
    return replace(r, held=replace(r.held, predicted=predicted, scores=scores), failures=failures)


@pytest.mark.parametrize("dark", [False, True])
def test_a_dot_a_fold_and_a_row_a_repeat(dark):
    r = run(repeats=3)
    ax = r.plot("error_rate", dark=dark)
    ax.figure.canvas.draw()
    assert [len(line.get_xdata()) for line in dots(ax)] == [5, 5, 5]
    np.testing.assert_array_equal(np.concatenate([line.get_xdata() for line in dots(ax)]), r.values("error_rate"))
    assert str(r["error_rate"]) in written(ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["repeat 1", "repeat 2", "repeat 3", "mean of all"]
    assert (ax.get_xlabel(), ax.get_title()) == ("Error rate", "Error rate by split")
    assert in_legend(ax) == ["a split", "mean, with its interval"]
    assert theme_of(ax) is (DARK if dark else LIGHT)


def test_equal_values_do_not_hide_each_other():
    ax = run(folds=10).plot()
    (line,) = dots(ax)
    places = list(zip(line.get_xdata(), line.get_ydata(), strict=True))
    assert len(set(places)) == 10


def test_one_split_and_repeated_holdout():
    once = holdout(NaiveBayes(), X, Y, random_state=0).plot()
    assert [line.get_gid() for line in once.lines if len(line.get_xdata()) == 1] == ["surefold-value"]
    often = holdout(NaiveBayes(), X, Y, random_state=0, repeats=4).plot("accuracy")
    assert [len(line.get_xdata()) for line in dots(often)] == [4]


def test_nested_shows_the_outer_folds():
    r = run(nested=True, folds=4)
    assert [len(line.get_xdata()) for line in dots(r.plot())] == [4]
    study = Study(r.plan, {"a": r})
    assert [len(line.get_xdata()) for line in dots(study.plot())] == [4]


def test_missing_folds_are_in_the_title():
    bad = lacking(run(), 2)
    ax = bad.plot()
    assert ax.get_title().endswith("(incomplete)")
    assert sum(len(line.get_xdata()) for line in dots(ax)) == 4
    study = Study(bad.plan, {"good": run(), "bad": bad}).plot()
    assert "(incomplete)" in [t.get_text() for t in study.get_yticklabels()][1]


@pytest.mark.parametrize("dark", [False, True])
def test_a_study_has_a_row_a_model_and_says_what_is_undefined(dark):
    study = cross_validate({"naive $x$": NaiveBayes(), "svm": SVC()}, X, Y, folds=4, random_state=0, pos_label="yes")
    ax = study.plot("brier", dark=dark)
    ax.figure.canvas.draw()
    assert len(dots(ax)) == 1
    assert any(text.startswith("undefined: ") for text in written(ax))
    assert not any(text.get_parse_math() for text in (*ax.texts, *ax.get_yticklabels(), ax.title))
    assert len(dots(study.plot())) == 2


@pytest.mark.parametrize("dark", [False, True])
def test_the_sampling_distribution_counts_every_sample(dark):
    b = bootstrap(NaiveBayes(), X, Y, samples=40, random_state=0)
    ax = b.plot(dark=dark)
    ax.figure.canvas.draw()
    assert sum(bar.get_height() for bar in ax.patches) == 40
    assert in_legend(ax)[-1].split() == [".632+", number(b.point632plus.value)]
    assert in_legend(ax)[0].split() == ["mean", number(float(b.distribution().mean()))]
    assert ax.get_xlabel() == "Error rate on all rows"


def test_measures_without_632plus_get_632_and_missing_samples_are_counted():
    b = bootstrap(NaiveBayes(), X, Y, samples=10, random_state=0)
    assert any(text.startswith(".632 ") for text in in_legend(b.plot("mcc")))
    bad = Bootstrapped(lacking(b.resampled, 3))
    assert bad.plot().get_ylabel() == "Samples (1 missing)"
    constant = replace(b.resampled, held=replace(b.resampled.held, predicted=b.resampled.held.truth.astype(np.int32)))
    ax = Bootstrapped(constant).plot()
    assert sum(bar.get_height() for bar in ax.patches) == 10


def test_axes_of_ones_own():
    ax = Figure(facecolor="black").add_subplot(facecolor="none")
    assert run().plot(ax=ax) is ax
    with pytest.raises(UnknownNameError, match="accuracy"):
        run().plot("acuracy")


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for draw in (run().plot, bootstrap(NaiveBayes(), X, Y, samples=2, random_state=0).plot):
        with pytest.raises(MissingExtraError, match=r"pip install matplotlib$"):
            draw()
