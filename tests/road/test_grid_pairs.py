"""Every measure compared and gated over every road: the same rows as arrays, one file, three files and a Dask frame.

The same figures to 1e-9, or one sentence. A tenth runs with the other tests, all of it with `make grid`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import surefold as sf
from surefold.comparison.differences import has_differences
from surefold.comparison.result import Difference
from surefold.errors import InputError
from surefold.estimates.estimate import Estimate
from surefold.measures import catalogue
from tests.road.made_rows import EXTRAS, MODELS, facts_of, parts_in, rows_of_two
from tests.road.test_grid import ALL, ROADS, differing, source_of

NEEDED: dict[str, dict[str, Any]] = {"expected_cost": {"costs": [[0, 1], [4, 0]]}}
#: By what is asked: options, and whether arrays are asked alike.
ASKED: dict[str, dict[str, Any]] = {
    "auto": {"margin": 0.03},
    "control": {"control": "b", "adjust": "hochberg", "confidence": 0.9},
    "one_row": {"method": "one_row"},
    "delta": {"method": "delta", "margin": 0.02},
}
GATES: dict[str, dict[str, Any]] = {"better": {}, "not worse": {"margin": 0.03}, "by delta": {"method": "delta"}}
LABELS = [name for name, m in catalogue.of_labels.items() if m.better != "neither" and name not in NEEDED]
SCORES = [name for name, m in catalogue.of_scores.items() if has_differences(m) and m.reads != "matrix"]
#: Drawn from arrays, of three classes, or neither better nor worse: refused of parts, and the last two of arrays too.
REFUSED = [name for name, m in catalogue.items() if name not in (*LABELS, *SCORES, *NEEDED) and not m.needs_options]

Call = Callable[..., Any]


def facts(e: Estimate) -> list[float]:
    return [e.value, e.low, e.high, e.se, e.n]


def told(d: Difference) -> list[float]:
    numbers = (d.test.statistic, d.test.p_value, d.adjusted_p, d.equal_p, d.rows_needed, d.smallest)
    return facts(d.effect) + [np.nan if x is None else x for x in numbers]


def columns(measure: str) -> dict[str, str]:
    """Each model's column."""
    return {m: f"p_{m}" if measure in catalogue.of_scores else m for m in MODELS}


def compared(compare: Call, extra: str) -> dict[str, Any]:
    """Figures of every comparison, flags and words of the tests, or the reason for refusing them."""
    found: dict[str, Any] = {"flags": []}
    for way, options in ASKED.items():
        for names in (LABELS, SCORES):
            for name, c in compare(names, **options).items():
                found |= {f"{name} {way} {d.first} {d.second}": told(d) for d in c.differences}
                found |= {f"{name} {way} {m}": facts(e) for m, e in c.values.items()}
                found[f"{name} {way} winner"] = facts(c.winner.corrected) if c.winner else []
                found["flags"] += [(name, way, d.test.name, d.status, d.test.flags) for d in c.differences]
                found["flags"].append((name, way, c.order, [f.code for f in c.findings if f.code != "guessed_columns"]))
    for name, options in NEEDED.items():
        found |= {f"{name} {d.first} {d.second}": told(d) for d in compare(name, **options).differences}
    return found


def gated(gate: Call, extra: str) -> dict[str, Any]:
    """Bounds and all that is said of two models, and of one against a limit."""
    found: dict[str, Any] = {"flags": []}
    for name in (*LABELS, *SCORES):
        for way, options in GATES.items():
            g = gate("b", "a", measure=name, **options)
            needed = np.nan if g.rows_needed is None else g.rows_needed
            found[f"{name} {way}"] = [*g.bounds, g.limit, needed, *told(g.difference)]
            found["flags"].append((name, way, g.status, g.difference.test.name, g.effect.flags))
        limit = {"at_least": 0.3} if catalogue[name].better == "higher" else {"at_most": 0.3}
        g = gate(None, "a", measure=name, **limit)
        found[f"{name} alone"] = [*g.bounds, g.limit, *facts(g.effect)]
    return found


def of_arrays(what: str, extra: str, frame: polars.DataFrame) -> dict[str, Any]:
    about = facts_of(frame, extra)

    def compare(measure: Any, **asked: Any) -> Any:
        named = columns(measure if isinstance(measure, str) else measure[0])
        answers = {m: frame[c].to_numpy() for m, c in named.items()}
        return sf.compare(frame["y"], answers, measure=measure, **about, **asked)

    def gate(baseline: str | None, candidate: str, *, measure: str, **asked: Any) -> Any:
        named = columns(measure)
        first, second = (None if m is None else frame[named[m]].to_numpy() for m in (baseline, candidate))
        return sf.gate(frame["y"], first, second, measure=measure, names=("b", "a"), **about, **asked)

    return compared(compare, extra) if what == "compare" else gated(gate, extra)


def of_source(what: str, extra: str, source: Any) -> dict[str, Any]:
    about = {"truth": "y", **EXTRAS[extra]}

    def compare(measure: Any, **asked: Any) -> Any:
        named = columns(measure if isinstance(measure, str) else measure[0])
        return sf.compare(source, named, measure=measure, **about, **asked)

    def gate(baseline: str | None, candidate: str, *, measure: str, **asked: Any) -> Any:
        named = columns(measure)
        first = None if baseline is None else named[baseline]
        return sf.gate(source, first, named[candidate], measure=measure, **about, **asked)

    return compared(compare, extra) if what == "compare" else gated(gate, extra)


@pytest.fixture(scope="module")
def arrays() -> Callable[[str, str], dict[str, Any]]:
    """What arrays give, each once."""
    known: dict[tuple[str, str], dict[str, Any]] = {}

    def found(what: str, extra: str) -> dict[str, Any]:
        if (what, extra) not in known:
            known[what, extra] = of_arrays(what, extra, rows_of_two())
        return known[what, extra]

    return found


TENTH = [("compare", "both", "three files"), ("gate", "groups", "one file")]
GRID = [(what, extra, road) for what in ("compare", "gate") for extra in EXTRAS for road in ROADS]


@pytest.mark.parametrize(("what", "extra", "road"), GRID if ALL else TENTH)
def test_figures_are_those_of_arrays(what: str, extra: str, road: str, arrays: Any, tmp_path: Path) -> None:
    with source_of(road, rows_of_two(), tmp_path) as source:
        wrong = differing(arrays(what, extra), of_source(what, extra, source))
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("extra", list(EXTRAS) if ALL else ["both"])
def test_what_is_refused_is_one_sentence(extra: str, tmp_path: Path) -> None:
    frame = rows_of_two()
    source, about = parts_in(tmp_path, frame, (80, 81)), facts_of(frame, extra)
    for name in REFUSED:
        with pytest.raises(InputError) as caught:
            sf.compare(source, columns(name), truth="y", measure=name, **EXTRAS[extra])
        problem = caught.value.problem
        assert name in problem
        assert "\n" not in problem
        if catalogue[name].better == "neither" or getattr(catalogue[name], "reads", "") == "matrix":
            with pytest.raises(InputError) as of_arrays:
                sf.compare(frame["y"], {m: frame[c] for m, c in columns(name).items()}, measure=name, **about)
            assert of_arrays.value.problem == problem
        else:
            assert problem == f"{name} cannot be compared over parts of the rows"


@settings(max_examples=40 if ALL else 5, deadline=None)
@given(cuts=st.sets(st.integers(1, 239), max_size=6), extra=st.sampled_from(list(EXTRAS)),
       measure=st.sampled_from(["accuracy", "mcc", "recall", "kappa", "roc_auc", "average_precision", "log_loss"]),
       margin=st.sampled_from([0.0, 0.01, 0.05]))  # fmt: skip
def test_rows_may_be_split_anywhere(
    cuts: set[int], extra: str, measure: str, margin: float, tmp_path_factory: pytest.TempPathFactory
) -> None:
    frame, named = rows_of_two(), columns(measure)
    source = parts_in(tmp_path_factory.mktemp("split"), frame, tuple(sorted(cuts)))
    about, answers = facts_of(frame, extra), {m: frame[c] for m, c in named.items()}
    there = sf.compare(frame["y"], answers, measure=measure, margin=margin or None, **about)
    here = sf.compare(source, named, truth="y", measure=measure, margin=margin or None, **EXTRAS[extra])
    for first, second in zip(there.differences, here.differences, strict=True):
        np.testing.assert_allclose(told(second), told(first), rtol=1e-9, atol=1e-12)
        assert (second.status, second.test.flags) == (first.status, first.test.flags)
    gates = [
        sf.gate(frame["y"], answers["a"], answers["c"], measure=measure, margin=margin, **about),
        sf.gate(source, named["a"], named["c"], truth="y", measure=measure, margin=margin, **EXTRAS[extra]),
    ]
    np.testing.assert_allclose(gates[1].bounds, gates[0].bounds, rtol=1e-9, atol=1e-12)
    assert gates[1].status == gates[0].status
