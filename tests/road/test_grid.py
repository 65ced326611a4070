"""Every measure over every road: the same rows as arrays, one file, three files and a Dask frame, to 1e-9 or refused.

A tenth of the grid runs with the other tests, all of it with `make grid` (SUREFOLD_GRID=all).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefold as sf
from surefold.assessment import Assessment
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.measures import catalogue
from surefold.report.sections.cuts import cuts_of
from tests.road.made_rows import EXTRAS, MATRICES, facts_of, matrix_of, parts_in, rows_of_three, rows_of_two

ALL = os.environ.get("SUREFOLD_GRID") == "all"
#: Where rows are cut: one file, and three of which one holds a single row.
FILES: dict[str, tuple[int, ...]] = {"one file": (), "three files": (80, 81)}
ROADS = [*FILES, "Dask frame"]
#: Why figures of arrays are not given of parts; each a sentence.
REFUSED = (
    "needs whole rows of the scores, which parts add up without",
    "rows counted in parts cannot be drawn from: none is held",
)
OPTIONS: dict[str, list[dict[str, Any]]] = {
    "ece": [{"bins": 5}, {"norm": "l2"}, {"norm": "max"}, {"strategy": "mass"}],
    "fbeta": [{"beta": 2.0}],
    "balanced_accuracy": [{"adjusted": True}],
    "brier": [{"scaled": True}],
    "kappa": [{"weights": "linear"}],
    "h_measure": [{"severity_ratio": 2.0}],
    "hosmer_lemeshow": [{"bins": 5}],
    "calibration_intercept": [{"fitted": "line"}],
    "expected_cost": [{"costs": [[0, 1], [4, 0]]}],
}
WAYS: list[tuple[Any, dict[str, Any]]] = [
    ("youden", {}), ("cost", {"costs": {"fp": 1, "fn": 3}}), ("fbeta", {"beta": 2}), ("share", {"share": 0.3}),
    ("recall_at_precision", {"precision": 0.6}), ("precision_at_recall", {"recall": 0.7}),
]  # fmt: skip


def facts(e: Estimate) -> list[float]:
    return [e.value, e.low, e.high, e.se, e.n, e.pessimistic]


def measured(a: Assessment, name: str, **options: Any) -> Any:
    """The figures, or the reason for refusing them."""
    try:
        return facts(a.measure(name, **options))
    except InputError as error:
        return f"{error.code}: {error.problem}"
    except sf.UnknownNameError:
        return "unknown name"


def assessed(a: Assessment) -> dict[str, Any]:
    """Every measure as it is, by `delta`, with options, and of each class."""
    found: dict[str, Any] = {}
    for name in catalogue:
        found |= {name: measured(a, name), f"{name} by delta": measured(a, name, method="delta")}
        found |= {f"{name} {options}": measured(a, name, **options) for options in OPTIONS.get(name, [])}
    each = {f"{name} of {c}": facts(a.per_class[c][name]) for name in ("precision", "recall", "f1") for c in a.labels}
    return found | each | {"flags": [e.flags for e in a.overall.values()]}


def moved(a: Assessment) -> dict[str, Any]:
    cuts = {threshold: a.at(threshold) for threshold in (0.3, 0.7, -np.inf, np.inf)}
    return {f"{name} at {t}": measured(b, name) for t, b in cuts.items() for name in catalogue.of_labels}


def chosen(a: Assessment) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for by, options in WAYS:
        best = a.best_threshold(by, **options)
        found[by] = [best.point.threshold, *best.point.counts.ravel()]
        honest = best.cross_fitted
        found[f"{by}, apart"] = best.why if honest is None else [*honest.thresholds, *honest.point.counts.ravel()]
    return found


def cut(a: Assessment) -> dict[str, Any]:
    cuts = cuts_of(a)
    found: dict[str, Any] = {"thresholds": cuts.threshold.tolist(), "shares": list(cuts.shares)}
    return found | {name: np.concatenate(bounds).tolist() for name, bounds in cuts.bounds.items()}


ASKED = {"assess": assessed, "at": moved, "best_threshold": chosen, "report cut": cut}


def differing(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    """What is not the same to 1e-9, and refused for none of the reasons allowed."""
    assert there.keys() == here.keys()
    answered = [sum(isinstance(value, list) for value in found.values()) for found in (there, here)]
    assert answered[1] >= answered[0] / 2 > 0
    found = []
    for name, first in there.items():
        second = here[name]
        if isinstance(first, str) or isinstance(second, str):
            allowed = isinstance(second, str) and any(why in second for why in REFUSED)
            same = isinstance(first, str) and isinstance(second, str)  # refused on both, in words that name columns
            if not (allowed or same):
                found.append(f"{name}: {first} from arrays, {second}")
        elif name == "flags":
            found += [f"{name}: {a} from arrays, {b}" for a, b in zip(first, second, strict=True) if a != b]
        elif len(first) != len(second) or not np.allclose(second, first, rtol=1e-9, atol=1e-12, equal_nan=True):
            found.append(f"{name}: {first} from arrays, {second}")
    return found


@contextmanager
def source_of(road: str, frame: polars.DataFrame, folder: Path) -> Iterator[Any]:
    if road in FILES:
        yield parts_in(folder, frame, FILES[road])
        return
    import dask.dataframe
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address="127.0.0.1:0") as here,
        Client(here),
    ):
        yield dask.dataframe.from_pandas(frame.to_pandas(), npartitions=3)


@pytest.fixture(scope="module")
def arrays() -> Callable[[str, str], dict[str, Any]]:
    """What arrays give, each once."""
    known: dict[tuple[str, str], dict[str, Any]] = {}

    def found(what: str, extra: str) -> dict[str, Any]:
        if (what, extra) not in known:
            frame = rows_of_two()
            a = sf.assess(frame["y"], frame["a"], y_score=frame["p_a"], **facts_of(frame, extra))
            known[what, extra] = ASKED[what](a)
        return known[what, extra]

    return found


#: In each tenth: every kind of question, every kind of rows, every road.
TENTH = [("assess", "both", "three files"), ("at", "groups", "one file"), ("best_threshold", "both", "three files"),
         ("report cut", "weights", "Dask frame")]  # fmt: skip
GRID = [(what, extra, road) for what in ASKED for extra in EXTRAS for road in ROADS]


@pytest.mark.parametrize(("what", "extra", "road"), GRID if ALL else TENTH)
def test_two_classes(what: str, extra: str, road: str, arrays: Any, tmp_path: Path) -> None:
    frame = rows_of_two()
    with source_of(road, frame, tmp_path) as source:
        a = sf.assess(source, truth="y", pred="a", score="p_a", **EXTRAS[extra])
        wrong = differing(arrays(what, extra), ASKED[what](a))
    assert not wrong, "\n".join(wrong[:20])


TENTH_OF_THREE = [("both", "three files"), ("groups", "Dask frame")]


@pytest.mark.parametrize(("extra", "road"), [(e, r) for e in EXTRAS for r in ROADS] if ALL else TENTH_OF_THREE)
def test_three_classes_with_a_column_of_scores_each(extra: str, road: str, tmp_path: Path) -> None:
    frame = rows_of_three()
    there = assessed(sf.assess(frame["y"], frame["a"], y_score=matrix_of(frame, "a"), **facts_of(frame, extra)))
    with source_of(road, frame, tmp_path) as source:
        here = assessed(sf.assess(source, truth="y", pred="a", score=MATRICES["a"], **EXTRAS[extra]))
    wrong = differing(there, here)
    assert not wrong, "\n".join(wrong[:20])


@settings(max_examples=60 if ALL else 6, deadline=None)
@given(cuts=st.sets(st.integers(1, 239), max_size=6), extra=st.sampled_from(list(EXTRAS)), threshold=st.floats(0, 1))
def test_rows_may_be_split_anywhere(cuts: set[int], extra: str, threshold: float, tmp_path_factory: Any) -> None:
    frame = rows_of_two()
    there = sf.assess(frame["y"], y_score=frame["p_a"], **facts_of(frame, extra))
    source = parts_in(tmp_path_factory.mktemp("split"), frame, tuple(sorted(cuts)))
    here = sf.assess(source, truth="y", score="p_a", **EXTRAS[extra])
    for name in ("mcc", "recall", "roc_auc", "log_loss"):
        for first, second in ((there, here), (there.at(threshold), here.at(threshold))):
            np.testing.assert_allclose(facts(second[name]), facts(first[name]), rtol=1e-9, atol=1e-12)
    best = [str(a.best_threshold("cost", costs={"fp": 1, "fn": 2})) for a in (there, here)]
    assert best[0] == best[1]
