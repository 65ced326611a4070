"""Rows held and rows counted in parts give the same evidence."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold.engines.local import LocalRows
from surefold.errors import InputError
from surefold.evidence import Evidence, evidence
from surefold.evidence.evidence import Part
from surefold.inputs.door import ONLY, Answers, Columns
from surefold.measures import catalogue
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.moves import Family
from tests.road.made_rows import EXTRAS, columns_of, facts_of, parts_in, rows_of_two

Models = dict[str, tuple[str | None, tuple[str, ...]]]


def both(folder: Path, extra: str, models: Models, cuts: tuple[int, ...] = (50, 51)) -> Any:
    """The same evidence of arrays and of files; `models` name the columns of labels and of scores."""
    frame = rows_of_two().with_columns(region=np.array(["north", "south", "west"])[np.arange(240) % 3])
    facts, columns = facts_of(frame, extra), EXTRAS[extra]

    def answers(pred: str | None, scores: tuple[str, ...]) -> Answers[Any]:
        return Answers(None if pred is None else frame[pred], tuple(frame[c] for c in scores))

    held = {name: answers(*one) for name, one in models.items()}
    groups = {"groups": facts["groups"]} if "groups" in facts else {}
    arrays = Columns(frame["y"], held, facts.get("sample_weight"), groups, {"where": frame["region"]})
    named = {name: Answers(*one) for name, one in models.items()}
    by_name = {"groups": columns["groups"]} if groups else {}
    there = evidence(None, arrays)
    files = Columns("y", named, columns.get("weights"), by_name, {"where": "region"})
    return there, evidence(parts_in(folder, frame, cuts), files)


ONE: Models = {ONLY: ("a", ("p_a",))}
TWO_LABELS: Models = {"a": ("a", ()), "c": ("c", ())}
TWO_SCORES: Models = {"a": (None, ("p_a",)), "c": (None, ("p_c",))}


def same_scores(first: Any, second: Any) -> None:
    assert first.score.tolist() == second.score.tolist()
    sides = [(t.positive, t.negative, *t.squares) for t in (first, second)]
    for a, b in zip(*sides, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def same_tables(first: Any, second: Any) -> None:
    np.testing.assert_allclose(first.confusion.counts, second.confusion.counts, rtol=1e-12)
    np.testing.assert_allclose(first.confusion.squares.counts, second.confusion.squares.counts, rtol=1e-12)
    assert (first.clusters is None) == (second.clusters is None)
    assert first.removed == second.removed
    if first.clusters is not None:
        influence = np.array([0.3, -1.0, 2.0, 0.1])
        found = [c.variance(influence[2 * c.true + c.predicted]) for c in (first.clusters, second.clusters)]
        assert found[0] == pytest.approx(found[1], rel=1e-12)
        assert first.clusters.groups == second.clusters.groups


@pytest.mark.parametrize("extra", EXTRAS)
def test_tables_scores_cuts_and_folds_are_the_same(extra: str, tmp_path: Path) -> None:
    there, here = both(tmp_path, extra, ONE)
    assert (there.n, there.labels, there.positive, there.factors) == (here.n, here.labels, here.positive, here.factors)
    assert there.weights.effective == pytest.approx(here.weights.effective)
    assert there.weights.vary == here.weights.vary
    same_tables(there.table(ONLY), here.table(ONLY))
    same_scores(there.scores(ONLY), here.scores(ONLY))
    thresholds = np.array([np.inf, 0.9, 0.5, 0.25, -np.inf])
    cuts = [e.cut(ONLY, thresholds) for e in (there, here)]
    for place in range(len(thresholds)):
        for a, b in zip(cuts[0].table(place, 1)[:2], cuts[1].table(place, 1)[:2], strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_allclose(a, b, rtol=1e-12)
    if there.factors:
        np.testing.assert_allclose(cuts[0].groups.products, cuts[1].groups.products, rtol=1e-9, atol=1e-12)
        for place in (1, 3):  # a matrix of products says of any derivatives what the groups themselves do
            counts, _, clusters = cuts[0].table(place, 1)
            slopes = np.array([0.3, -1.0, 2.0, 0.1])
            direct = clusters.variance(slopes[2 * clusters.true + clusters.predicted])
            assert cuts[0].groups.variance(slopes)[place] == pytest.approx(direct)
            own = slopes[2 * clusters.true + clusters.predicted]
            for at_all, here_alone in zip(
                cuts[0].groups.of_table(slopes, False), clusters.of_table(own, False), strict=True
            ):
                assert at_all[place] == pytest.approx(here_alone)
            four = np.stack([slopes[[0, 2, 1, 3]], slopes[[3, 1, 2, 0]]], axis=1)  # tp, fp, fn, tn of each class
            for code in ("1111", "1010", "0101", "1100", "0011", "1110"):
                cells = np.array([digit == "1" for digit in code])
                at_all = cuts[0].groups.one_vs_rest_variance(np.stack([four] * len(thresholds)), cells)
                assert at_all[place] == pytest.approx(clusters.one_vs_rest_variance(four, cells))
                assert cuts[0].groups.groups_in(cells)[place] == pytest.approx(clusters.groups_in(cells))
            assert counts.sum() == pytest.approx(clusters.weight.sum())
    if extra != "weights":
        for a, b in zip(there.folds(ONLY, 5, 3), here.folds(ONLY, 5, 3), strict=True):
            same_scores(a, b)


@pytest.mark.parametrize("extra", EXTRAS)
def test_moves_are_the_same(extra: str, tmp_path: Path) -> None:
    there, here = both(tmp_path, extra, TWO_SCORES)
    area, loss = (catalogue[name] for name in ("roc_auc", "log_loss"))
    assert isinstance(area, ScoreMeasure)
    assert isinstance(loss, ScoreMeasure)
    found = []
    for e in (there, here):
        tallies = list(e.tallies())
        assert sum(tallies[0].positive) + sum(tallies[0].negative) == pytest.approx(e.weights.effective)
        families = [Family(tuple(e.lookup(m, which.moved(t)) for m, t in enumerate(tallies))) for which in (area, loss)]
        found.append(e.moves(families, 2))
    for a, b in zip(found[0].products, found[1].products, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-15)
    for a, b in zip(found[0].units, found[1].units, strict=True):
        np.testing.assert_allclose(np.sort(a.sums, axis=1), np.sort(b.sums, axis=1), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("extra", EXTRAS)
def test_cells_are_those_of_the_rows(extra: str, tmp_path: Path) -> None:
    found = []
    for e in both(tmp_path, extra, TWO_LABELS):
        c = e.cells()
        sums: dict[tuple[int, ...], float] = {}
        counts = c.weight if c.weight is not None else np.ones(len(c.truth)) if c.rows is None else c.rows
        keys = zip(c.truth.tolist(), *(call.tolist() for call in c.calls), strict=True)
        for key, w in zip(keys, counts.tolist(), strict=True):
            sums[key] = sums.get(key, 0.0) + w
        found.append(({k: v for k, v in sums.items() if v}, c.weighted, c.grouped is None))
    assert found[0][0] == pytest.approx(found[1][0])
    assert found[0][1:] == found[1][1:]


@pytest.mark.parametrize("rest", [False, True])
def test_a_part_is_evidence_like_any_other(rest: bool, tmp_path: Path) -> None:
    there, here = (e.part(Part("where", "south", rest)) for e in both(tmp_path, "both", ONE))
    assert there.n == here.n == (160 if rest else 80)
    same_tables(there.table(ONLY), here.table(ONLY))
    same_scores(there.scores(ONLY), here.scores(ONLY))
    for a, b in zip(there.folds(ONLY, 3, 0), here.folds(ONLY, 3, 0), strict=True):
        same_scores(a, b)


@settings(max_examples=15, deadline=None)
@given(cuts=st.sets(st.integers(1, 239), max_size=5), extra=st.sampled_from(list(EXTRAS)))
def test_rows_may_be_cut_into_parts_anywhere(cuts: set[int], extra: str, tmp_path_factory: Any) -> None:
    there, here = both(tmp_path_factory.mktemp("parts"), extra, ONE, tuple(sorted(cuts)))
    same_tables(there.table(ONLY), here.table(ONLY))
    thresholds = np.array([0.8, 0.4])
    for place in (0, 1):
        first, second = (e.cut(ONLY, thresholds).table(place, 1)[0] for e in (there, here))
        np.testing.assert_allclose(first, second, rtol=1e-12)
    if extra != "weights":
        for a, b in zip(there.folds(ONLY, 4, 1), here.folds(ONLY, 4, 1), strict=True):
            same_scores(a, b)


def test_lots_of_groups_add_up(tmp_path: Path) -> None:
    """More entries than memory holds: groups are taken lot by lot, a pass each."""
    from surefold.evidence import counted

    _, here = both(tmp_path, "both", ONE)
    thresholds = np.linspace(1, 0, 40)
    whole = here.cut(ONLY, thresholds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counted, "ENTRY_BYTES", 1e10)
        lots = replace(here).cut(ONLY, thresholds)
        entries = list(lots.lots())
        assert len(entries) > 2
        np.testing.assert_allclose(lots.groups.products, whole.groups.products, rtol=1e-9, atol=1e-12)
        assert lots.groups.groups == whole.groups.groups
        same = [cut.table(7, 1)[2] for cut in (whole, lots)]
        slopes = np.array([0.3, -1.0, 2.0, 0.1])
        first, second = (c.variance(slopes[2 * c.true + c.predicted]) for c in same)
        assert first == pytest.approx(second)


def test_rows_are_gone_over_again_after_closing_and_a_changed_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[str] = []
    before = LocalRows.reduce

    def counting(self: LocalRows, job: Any, what: str = "rows") -> Any:
        passes.append(what)
        return before(self, job, what)

    monkeypatch.setattr(LocalRows, "reduce", counting)
    there, here = both(tmp_path, "groups", ONE)
    assert passes == ["rows"]
    here.close()
    same_scores(there.folds(ONLY, 3, 0)[0], here.folds(ONLY, 3, 0)[0])
    here.cut(ONLY, np.array([0.3])).table(0, 1)
    assert passes == ["rows", "groups", "folds", "thresholds"]
    file = next(tmp_path.glob("*.parquet"))
    rows_of_two()[:9].write_parquet(file)
    with pytest.raises(InputError, match="the file changed"):
        here.folds(ONLY, 3, 0)
    file.unlink()
    with pytest.raises(InputError, match="the file is gone"):
        here.cut(ONLY, np.array([0.3])).table(0, 1)


def test_evidence_that_was_pickled_has_its_counts_and_no_rows(tmp_path: Path) -> None:
    there, here = both(tmp_path, "groups", ONE)
    again: list[Evidence] = [pickle.loads(pickle.dumps(e)) for e in (there, here)]
    for e in again:
        same_tables(e.table(ONLY), there.table(ONLY))
    again[0].folds(ONLY, 3, 0)
    with pytest.raises(InputError, match=r"rows are not here any more.*assess them again"):
        again[1].folds(ONLY, 3, 0)


def test_rows_in_parts_are_not_drawn_from(tmp_path: Path) -> None:
    there, here = both(tmp_path, "plain", ONE)
    assert there.predictions(ONLY).n == 240
    with pytest.raises(InputError, match="cannot be drawn from: none is held"):
        here.predictions(ONLY)


def test_models_of_other_rows_are_refused() -> None:
    frame = rows_of_two()
    named = {name: Answers(column) for name, column in columns_of(frame, "a", "c").items()}
    held: Any = evidence(None, Columns(frame["y"], named))
    other = replace(held.each["c"], truth=1 - held.each["c"].truth)
    with pytest.raises(InputError, match="models 'a' and 'c' were not scored on the same rows"):
        replace(held, each={"a": held.each["a"], "c": other})


def test_two_factors_are_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match=r"groups by 2 factors were given.*give one column"):
        evidence(None, Columns([0, 1], {ONLY: Answers([0, 1])}, groups={"a": [1, 2], "b": [1, 2]}))
