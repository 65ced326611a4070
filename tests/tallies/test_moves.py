"""Sums of what rows move measures by: by hand, in blocks, in parts, of powers, and one variance whoever makes it."""

import numpy as np
import pytest

from surefold.comparison import delong_test
from surefold.estimates.auc import AucMoments
from surefold.estimates.grouping import Design, distances
from surefold.evidence.held import Held
from surefold.inputs.door import Answers, Columns, Door
from surefold.measures.ranking import roc_auc
from surefold.tallies import moves as module
from surefold.tallies.moves import Family, Units, moves_of
from surefold.tallies.score_groups import ScoreGroups

approx = pytest.approx


def rows(n: int = 300, models: int = 4) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(2)
    return rng.normal(size=(models, n)), rng.integers(0, 2, n), rng.uniform(0.5, 2, n), rng.integers(0, 9, n)


def test_by_hand() -> None:
    a, b = np.array([1.0, 2.0, 0.0]), np.array([0.0, 2.0, 3.0])
    truth, weights, groups = np.array([0, 1, 1]), np.array([1.0, 2.0, 1.0]), np.array([0, 0, 1])
    found = moves_of([Family((a, b))], truth, 2, (), weights, groups)
    assert distances(found.products[0][0, 0])[0, 1] == 1.0  # the only row of class 0: 1 - 0
    assert distances(found.products[0][1, 0])[0, 1] == 9.0  # 2 (2 - 2) and 0 - 3
    (units,) = found.units
    assert units.size.tolist() == [[1, 0], [2, 1]]
    assert (units.sums[0] - units.sums[1]).tolist() == [1.0, -3.0]


def test_a_table_and_a_number_a_row_are_the_same() -> None:
    _, truth, w, g = rows(models=2)
    place = np.arange(300) % 7
    tables = np.random.default_rng(0).normal(size=(2, 2, 7))
    by_table = moves_of([Family(tuple(tables))], truth, 2, (place, place), w, g)
    by_row = moves_of([Family(tuple(t[truth, place] for t in tables))], truth, 2, (), w, g)
    assert (by_table.products[0] == by_row.products[0]).all()
    assert (by_table.units[0].sums == by_row.units[0].sums).all()


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    moved, truth, w, g = rows()
    families = [Family(tuple(moved), powers=True), Family(tuple(moved[:2]), weight=0.5)]
    whole = moves_of(families, truth, 2, (), w, g)
    monkeypatch.setattr(module, "_BLOCK", 16)
    pieces = moves_of(families, truth, 2, (), w, g)
    for a, b in zip(whole.products, pieces.products, strict=True):
        assert b == approx(a, rel=1e-12, abs=1e-12)
    assert pieces.units[0].sums == approx(whole.units[0].sums, abs=1e-12)


def test_parts_add_up() -> None:
    moved, truth, w, g = rows()
    families = [Family(tuple(moved)), Family((moved[0],))]
    whole = moves_of(families, truth, 2, (), w, g)
    first = g < 4
    parts = [
        moves_of(
            [Family(tuple(np.asarray(x)[held] for x in f.of)) for f in families], truth[held], 2, (), w[held], g[held]
        )
        for held in (first, ~first, np.zeros(300, dtype=bool))
    ]
    added = parts[0] + parts[2] + parts[1]
    assert added[0].products[0] == approx(whole[0].products[0])
    order = np.argsort(np.asarray(added.units[0].key))
    assert added.units[0].sums[:, order] == approx(whole.units[0].sums)
    assert added.units[0].size[:, order] == approx(whole.units[0].size)
    assert added[1].units[0].sums.shape == (1, 9)
    for of_all, of_parts in zip((whole[0], whole[1]), (added[0], added[1]), strict=True):
        assert Design.of(of_parts).effect == approx(Design.of(of_all).effect)


def test_third_and_fourth_powers_of_every_pair() -> None:
    moved, _, w, _ = rows(models=5)
    moved[3] = moved[2] + 1e-9 * moved[0]  # two that hardly differ, beside others that do
    found = moves_of([Family(tuple(moved), powers=True)], None, 1, (), w).products[0][0, 1:]
    for power, made in zip((2, 3, 4), found, strict=True):
        for i in range(5):
            for j in range(5):
                assert made[i, j] == approx(((w * (moved[i] - moved[j])) ** power).sum(), rel=1e-5, abs=0)


def test_a_row_of_weight_zero_is_in_no_group() -> None:
    found = moves_of([Family((np.ones(3),))], None, 1, (), np.array([1.0, 0.0, 2.0]), np.array([0, 1, 2]))
    (units,) = found.units
    assert isinstance(units, Units)
    assert np.asarray(units.key).tolist() == [0, 2]


@pytest.mark.parametrize("digits", [1, 6])
def test_one_variance_of_an_area(digits: int) -> None:
    rng = np.random.default_rng(3)
    y = np.arange(90) < 35
    a, b = (np.round(rng.normal(size=90) + shift * y, digits) for shift in (1.0, 0.6))
    t = ScoreGroups.of(a, y)
    alone = moves_of([Family((roc_auc.moved(t).at(t.places(a), y),))], y, 2).products[0][:, 0, 0, 0]
    m, n = 35, 55
    assert alone[1] * m / (m - 1) + alone[0] * n / (n - 1) == approx(AucMoments.of(t).delong_variance(), rel=1e-12)
    assert alone.sum() == approx(AucMoments.of(t).plain_variance(), rel=1e-12)
    models = Held.of(Columns(y, {"a": Answers(None, (a,)), "b": Answers(None, (b,))}), Door())
    lookups = tuple(models.lookup(i, roc_auc.moved(t)) for i, t in enumerate(models.tallies()))
    negatives, positives = (distances(x[0])[0, 1] for x in models.moves([Family(lookups)], 2).products[0])
    variance = positives * m / (m - 1) + negatives * n / (n - 1)
    assert variance == approx(delong_test(y, a, b).effect.se ** 2, rel=1e-12)


def test_models_that_never_differ_are_no_distance_apart() -> None:
    moved, truth, w, g = rows(models=3)
    found = moves_of([Family((moved[0], moved[1], moved[0].copy()))], truth, 2, (), w, g)
    assert distances(found.products[0][:, 0].sum(axis=0))[0, 2] == approx(0, abs=1e-12)
    alike = moves_of([Family((moved[0], moved[0].copy()))], truth, 2, (), w, g)
    assert (distances(alike.products[0][0, 0]) == 0).all()
