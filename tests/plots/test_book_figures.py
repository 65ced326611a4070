"""Figures that textbooks draw in one call: densities, boundaries beside and over each other, plans, cuts, members."""

import numpy as np
import pytest
from matplotlib.contour import ContourSet
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA
from sklearn.svm import SVC

import surefold as sf
from surefold.errors import InputError, UnknownNameError
from surefold.learners import AdaBoost, Bagging, DecisionTree, FullBayes, NaiveBayes
from surefold.plots.plan import TESTED, TRAINED, uses_of
from surefold.resampling import bootstrap_plan, k_fold_plan
from surefold.resampling.models import seeded

X, SPECIES = load_iris(return_X_y=True)
SEPALS = X[:, :2]
PCS = PCA(2).fit_transform(X)
VERSICOLOR = np.where(SPECIES == 1, 1, -1)


def texts(ax) -> list[str]:
    return [t.get_text() for t in ax.get_legend().get_texts()]


@pytest.mark.parametrize("model", [FullBayes(), NaiveBayes()])
def test_ellipses_lie_one_and_two_deviations_from_the_mean(model) -> None:
    model.fit(SEPALS, SPECIES)
    ax = sf.plot_densities(model, SEPALS, SPECIES, test=range(0, 150, 5), names=("length", "width"))
    ax.figure.canvas.draw()
    lines = {line.get_gid(): line.get_xydata() for line in ax.lines if "sd|" in str(line.get_gid())}
    assert len(lines) == 6
    for k in range(3):
        full = model.covariances_[k] if hasattr(model, "covariances_") else np.diag(model.variances_[k])
        for spread in (1, 2):
            away = lines[f"{spread} sd|{k}"] - model.means_[k]
            assert np.einsum("ij,jk,ik->i", away, np.linalg.inv(full), away) == pytest.approx(spread**2)
    assert texts(ax) == ["0", "1", "2", "pale: trained on"]
    tested = [c for c in ax.collections if c.get_alpha() == 1.0]
    assert [np.shape(c.get_offsets())[0] for c in tested] == [10, 10, 10]


def test_densities_of_what_has_none_are_refused() -> None:
    with pytest.raises(InputError, match="no means"):
        sf.plot_densities(SVC().fit(SEPALS, SPECIES), SEPALS, SPECIES)
    with pytest.raises(InputError, match="two features"):
        sf.plot_densities(FullBayes().fit(X, SPECIES), X, SPECIES)
    with pytest.raises(InputError, match="150 rows and y has 3"):
        sf.plot_densities(FullBayes().fit(SEPALS, SPECIES), SEPALS, SPECIES[[0, 50, 100]])


def test_boundaries_side_by_side_and_together() -> None:
    models = {f"C = {C}": SVC(C=C).fit(PCS, VERSICOLOR) for C in (0.1, 1, 10, 100)}
    figure = sf.plot_boundaries(models, PCS, VERSICOLOR, resolution=40, title="$four$")
    assert [ax.get_title() for ax in figure.axes] == list(models)
    figure.canvas.draw()
    (ax,) = sf.plot_boundaries(models, PCS, VERSICOLOR, together=True, resolution=40).axes
    assert sum(isinstance(c, ContourSet) for c in ax.collections) == 4
    assert texts(ax) == ["-1", "1", *models]
    with pytest.raises(InputError, match="1 to 6"):
        sf.plot_boundaries({}, PCS, VERSICOLOR)


def test_members_in_panels() -> None:
    bags = {"3": Bagging(SVC(), 3, random_state=0).fit(PCS, VERSICOLOR)}
    (ax,) = sf.plot_boundaries(bags, PCS, VERSICOLOR, members=True, resolution=40).axes
    assert sum(isinstance(c, ContourSet) for c in ax.collections) == 4  # three members and their vote


def test_a_plan_is_drawn_as_it_is() -> None:
    plan = k_fold_plan(SPECIES, folds=5, random_state=0)
    uses = uses_of(plan, in_order=True)
    for i in range(5):
        assert np.flatnonzero(uses[i] == TESTED).tolist() == sorted(plan.test(i).tolist())
    assert ((uses == TESTED).sum(axis=0) == 1).all()
    sorted_uses = uses_of(plan)
    assert (np.diff(np.flatnonzero(sorted_uses[2] == TESTED)) == 1).all()  # side by side
    ax = plan.plot()
    ax.figure.canvas.draw()
    assert texts(ax) == ["trained on", "tested"]
    assert np.array_equal(np.asarray(ax.images[0].get_array()), sorted_uses)
    assert [t.get_text() for t in ax.get_yticklabels()] == [f"fold {i}" for i in range(1, 6)]
    assert k_fold_plan(SPECIES, folds=5, repeats=10, random_state=0).plot(dark=True).images
    left_out = sf.holdout(NaiveBayes(), SEPALS, SPECIES, test=30, random_state=0).plan.plot(in_order=True)
    assert (np.asarray(left_out.images[0].get_array()) == TRAINED).sum() == 120
    with pytest.raises(InputError, match="do not fit"):
        bootstrap_plan(SPECIES, samples=150, random_state=0).plot()


def test_cuts_are_marked_with_n_f_and_e() -> None:
    tree = DecisionTree(prune="pessimistic", bound="c45").fit(SEPALS, SPECIES)
    assert tree.grown_.n_leaves > tree.n_leaves
    ax = tree.plot(pruning=True, max_depth=5)
    ax.figure.canvas.draw()
    cut = {int(str(line.get_gid()).split("|")[1]) for line in ax.lines if str(line.get_gid()).startswith("cut|")}
    ends = tree.grown_.ends()
    pruned = {d.node for d in tree.pruning_ if d.pruned}
    top = {node for node in pruned if not any(other < node < ends[other] for other in pruned)}
    assert cut <= top
    assert cut
    root = tree.pruning_[-1]
    shown = [t.get_text() for t in ax.texts]
    assert any(f"N {root.rows}  f {root.error:.3f}  e {root.pessimistic:.3f}" in text for text in shown)
    with pytest.raises(InputError, match="prune"):
        DecisionTree().fit(SEPALS, SPECIES).plot(pruning=True)


def test_errors_of_an_ensemble_by_members() -> None:
    boost = AdaBoost(n_estimators=15)
    curve = sf.ensemble_curve(boost, PCS, VERSICOLOR, folds=3, random_state=1)
    assert curve.train.shape == curve.test.shape == (3, 15)
    train, test = curve.plan.train(0), curve.plan.test(0)
    first = seeded(boost, np.random.SeedSequence([1, 0])).fit(PCS[train], VERSICOLOR[train])  # the first fold by hand
    for rows, errors in ((train, curve.train[0]), (test, curve.test[0])):
        assert errors[-1] == np.mean(first.predict(PCS[rows]) != VERSICOLOR[rows])
    assert curve.at(15) == pytest.approx(curve.test[:, -1].mean())
    assert curve.at(1, "train") == pytest.approx(curve.train[:, 0].mean())
    ax = curve.plot(title="boosting")
    ax.figure.canvas.draw()
    assert texts(ax) == ["test, mean of 3 folds", "training, mean of 3 folds"]
    assert np.asarray(ax.lines[-1].get_ydata()).tolist() == curve.train.mean(axis=0).tolist()


def test_an_ensemble_that_stops_keeps_its_last_error() -> None:
    easy = AdaBoost(DecisionTree(), n_estimators=4, resample=False)
    curve = sf.ensemble_curve(easy, [[0.0], [1.0]] * 6, [0, 1] * 6, folds=2)
    assert curve.test.tolist() == [[0.0], [0.0]]
    with pytest.raises(InputError, match="staged_predict"):
        sf.ensemble_curve(SVC(), PCS, VERSICOLOR)
    with pytest.raises(InputError, match="1 to 1"):
        curve.at(2)
    with pytest.raises(UnknownNameError):
        curve.at(1, "tests")


def test_the_area_of_a_curve_is_shaded() -> None:
    roc = sf.assess([1, 0, 1, 1, 0], y_score=[0.9, 0.8, 0.8, 0.8, 0.1]).roc
    shaded = roc.plot(band=False, shade=True).collections
    assert len(shaded) == 1 + len(roc.plot(band=False).collections)
    points = shaded[0].get_paths()[0].vertices
    assert {(0.5, 1.0), (0.5, 0.0)} <= {tuple(p) for p in points.tolist()}
