"""The validity suite itself: it counts what it says it counts, on the intervals that are shipped."""

import numpy as np
import pytest

from surefold.estimates.estimate import Estimate
from surefold.estimates.of_table import TableEstimates
from surefold.estimates.sample import Sample
from surefold.measures.catalogue import catalogue
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion
from tests.validity import clusters, coverage, degenerate, designs, proportions, weights

MEASURES = ("f1_macro", "kappa", "mcc", "recall", "f1", "diagnostic_odds_ratio", "kappa_linear", "precision_macro",
            "markedness")  # fmt: skip
WARNINGS = {"rare_class", "rarely_called", "few_weighted_errors"}
DESIGN = designs.Design("80/15/5", designs.population([0.80, 0.15, 0.05], [0.9, 0.7, 0.6]), 100)


def drawn(repetitions: int = 20) -> np.ndarray:
    return DESIGN.draw(repetitions, np.random.default_rng(1))


@pytest.mark.parametrize("name", MEASURES)
def test_a_batch_gives_what_single_tables_give(name: str) -> None:
    measure, tables = catalogue[name], drawn()
    truth = coverage.true_value(measure, DESIGN.population)
    single = []
    for counts in tables:
        estimates = TableEstimates(Confusion(counts))
        single.append(estimates.of_class(measure, 0) if measure.is_per_class else estimates.overall(measure))
    (cell,) = coverage.cover(DESIGN, (name,), tables)
    assert cell.coverage == pytest.approx(np.mean([truth in e for e in single]))
    assert cell.flagged == pytest.approx(np.mean([is_flagged(name, e) for e in single]))


def is_flagged(name: str, e: Estimate) -> bool:
    told = WARNINGS | ({"few_errors"} if catalogue[name].weigh else set())
    return bool(told & set(e.flags)) or not e.defined


@pytest.mark.parametrize("name", ["accuracy", "recall", "f1", "kappa", "f1_macro"])
def test_a_weighted_batch_gives_what_single_tables_give(name: str) -> None:
    measure = catalogue[name]
    found = weights.draw(DESIGN, "wrong heavier", 15, np.random.default_rng(5))
    truth = coverage.true_value(measure, found.population)
    single = []
    for counts, squares in zip(found.tables, found.squares, strict=True):
        estimates = TableEstimates(Confusion(counts, squares=squares))
        single.append(estimates.of_class(measure, 0) if measure.is_per_class else estimates.overall(measure))
    (cell,) = coverage.cover(DESIGN, (name,), found.tables, squares=found.squares, truth=found.population)
    assert cell.coverage == pytest.approx(np.mean([truth in e for e in single]))
    assert cell.flagged == pytest.approx(np.mean([is_flagged(name, e) for e in single]))


def test_the_true_value_is_that_of_the_population() -> None:
    # 80 % at .9, 15 % at .7 and 5 % at .6
    assert coverage.true_value(catalogue["accuracy"], DESIGN.population) == pytest.approx(0.8 * 0.9 + 0.15 * 0.7 + 0.03)
    assert coverage.true_value(catalogue["recall"], DESIGN.population, 2) == pytest.approx(0.6)


def test_a_missing_interval_is_a_miss() -> None:
    low, high = np.array([0.1, np.nan, 0.6]), np.array([0.9, np.nan, 0.9])
    assert coverage.holds(low, high, 0.5).tolist() == [True, False, False]


def test_exact_coverage_by_hand() -> None:
    # Wald on one row is [0, 0] or [1, 1]: it never holds 1/2. Clopper-Pearson on one row is [0, .975] or [.025, 1].
    half = np.array([0.5])
    assert proportions.exact_coverage("wald", 1, half) == 0
    assert proportions.exact_coverage("clopper_pearson", 1, half) == 1


def test_wald_at_ninety_eight_percent() -> None:
    # Brown, Cai & DasGupta's kind of cell: all 20 right (.98^20 = .668) gives a Wald interval of no width.
    found = proportions.exact_coverage("wald", 20, np.array([0.98]))[0]
    assert found < 1 - 0.98**20 == pytest.approx(0.332, abs=5e-4)


def test_designs_are_pinned_and_of_both_kinds() -> None:
    first, again = designs.at_random(10, 3), designs.at_random(10, 3)
    assert [d.name for d in first] == [d.name for d in again]
    fewest = [d.n * d.population.sum(axis=1).min() for d in first]
    assert [f >= 15 for f in fewest] == [True, False] * 5
    assert all(d.population.sum() == pytest.approx(1) for d in first)


@pytest.mark.parametrize("kind", weights.KINDS)
def test_weights_are_scaled_as_a_sample_scales_them(kind: str) -> None:
    found = weights.draw(DESIGN, kind, 3, np.random.default_rng(2))
    table, squares = found.tables[0], found.squares[0]
    sample = Sample.of(Confusion(table * 7, squares=squares * 49))
    for ours, theirs in ((table, sample.table), (squares, sample.squares)):
        assert isinstance(theirs.counts, np.ndarray)
        np.testing.assert_allclose(theirs.counts, ours)
    assert found.population.sum() == pytest.approx(1)


def test_groups_hold_every_row_once() -> None:
    table, groups = clusters.draw(clusters.sizes(12, "unequal"), 0.2, False, np.random.default_rng(0))
    assert isinstance(groups, Clusters)
    assert groups.weight.sum() == table.total == clusters.sizes(12, "unequal").sum()


def test_a_degenerate_table_has_no_fault() -> None:
    where, table, groups = next(iter(degenerate.tables()))
    assert list(degenerate.faults(where, table, groups)) == []
