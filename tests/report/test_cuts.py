"""The thresholds of the page: bounds are those of the library, and what is packed is read back to the digit."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefold as sf
from surefold.report.sections.cut_codes import (
    BOUNDED,
    ENDLESS,
    RATES,
    UNDEFINED,
    ratio_base,
    stored,
    threshold_code,
    values_at,
)
from surefold.report.sections.cuts import MOST, cuts_of
from surefold.report.sections.packed import ALPHABET, deflated, unpacked
from surefold.report.sections.views import FEWEST_CUTS, ROOM, model_of
from surefold.show.thresholds import decimal, shown

KB = 1024
RATIO = "positive_likelihood_ratio"


def rows(n: int, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.25).astype(int)
    return truth, 1 / (1 + np.exp(-(rng.normal(size=n) + 1.5 * truth - 1.5)))


def weights(n: int) -> Any:
    found = np.random.default_rng(3).random(n)
    found[: n // 10] = 0.0
    return found


GROUPS = np.random.default_rng(4).integers(0, 40, 300)
KINDS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weighted": {"sample_weight": weights(300)},
    "groups": {"groups": GROUPS},
    "weighted groups": {"groups": GROUPS, "sample_weight": weights(300)},
    "a group of weightless rows": {"groups": np.where(np.arange(300) < 30, 99, GROUPS), "sample_weight": weights(300)},
}


@pytest.mark.parametrize("kind", KINDS)
def test_bounds_at_all_thresholds_at_once_are_those_of_each(kind: str) -> None:
    truth, scores = rows(300)
    a = sf.assess(truth, y_score=np.round(scores, 2), **KINDS[kind])
    cuts = cuts_of(a)
    for i, threshold in enumerate(cuts.threshold.tolist()):
        moved = a.at(threshold)
        for name in BOUNDED:
            found = [float(bound[i]) for bound in cuts.bounds[name]]
            assert found == pytest.approx(moved[name].interval, rel=1e-9, abs=1e-12, nan_ok=True), (threshold, name)


# reading back, as the script does


def plainly(text: str) -> list[int]:
    values, rest, shift = [], 0, 1
    for character in text:
        digit = ALPHABET.index(character)
        rest += digit % 32 * shift
        shift *= 32
        if digit < 32:
            values.append(-(rest + 1) // 2 if rest % 2 else rest // 2)
            rest, shift = 0, 1
    return values


def thresholds_of(coded: dict[str, Any]) -> list[float]:
    if "texts" in coded:
        return [float(text) for text in coded["texts"]]
    whole, decimals, found = 0, 0, []
    for wanted, step in zip(unpacked(coded["decimals"]), plainly(coded["steps"]), strict=True):
        finer = wanted - decimals
        whole = (whole * 10**finer if finer >= 0 else whole // 10**-finer) - step
        decimals = wanted
        found.append(float(f"{whole}e{-wanted}"))
    return [math.inf] * coded["ends"][0] + found + [-math.inf] * coded["ends"][1]


SCORES = st.lists(st.floats(allow_nan=False), min_size=1, max_size=30, unique=True)


@given(SCORES)
def test_a_threshold_that_is_written_calls_the_same_rows(scores: list[float]) -> None:
    order = sorted({0.0 if s == 0 else s for s in scores}, reverse=True)
    below = [*order[1:], -math.inf]
    read = thresholds_of(threshold_code(order, below))
    for score, after, text, back in zip(order, below, map(shown, order, below), read, strict=True):
        assert float(text) == back
        assert after < back <= score or back == score


def test_thresholds_by_hand() -> None:
    coded = threshold_code([math.inf, 0.75, 0.5, 0.06127], [0.75, 0.5, 0.06127, -math.inf])
    # 7500 and 5000 with four decimals; 6127 with five, 50000 - 6127 less
    assert unpacked(coded["decimals"]) == [4, 4, 5]
    assert plainly(coded["steps"]) == [0 - 7500, 2500, 50_000 - 6127]
    assert coded["ends"] == [1, 0]


def test_what_fifteen_digits_cannot_tell_is_written_out() -> None:
    close = [0.1 + 0.2, 0.3]
    assert decimal(close[0], close[1]) is None
    assert threshold_code(close, [0.3, -math.inf]) == {"texts": ["0.30000000000000004", "0.3"]}


@pytest.mark.parametrize("kind", ["plain", "weighted", "groups"])
def test_counts_and_bounds_are_read_back(kind: str) -> None:
    truth, scores = rows(300)
    cuts = cuts_of(sf.assess(truth, y_score=scores, **KINDS[kind]))
    coded = cuts.to_dict()
    assert thresholds_of(coded) == [float(text) for text in cuts.shown]
    tp, fp = (np.array(unpacked(coded[name])) / coded["scale"] for name in ("tp", "fp"))
    assert tp == pytest.approx(cuts.tp, abs=1e-4)
    values = values_at(tp, fp, coded["positives"], coded["negatives"])
    near = ratio_base(tp, fp, coded["positives"], coded["negatives"])
    for name in BOUNDED:
        for is_high, text in enumerate(coded["bounds"][name]):
            exact = cuts.bounds[name][is_high]
            for i, away in enumerate(unpacked(text)):
                if away in (UNDEFINED, ENDLESS):
                    assert not math.isfinite(exact[i])
                elif name == RATIO:
                    back = (near[i] * 10_000 / away if away else math.inf) if is_high else near[i] * away / 10_000
                    assert back == pytest.approx(exact[i], rel=1e-2, abs=1e-3)
                else:
                    units = 10_000 if name in RATES else 1000
                    middle = math.floor(values[name][i] * units + 0.5) if math.isfinite(values[name][i]) else 0
                    assert middle + away == stored(name, float(exact[i])), (name, i)


# sizes


def size(a: sf.Assessment) -> int:
    return len(deflated(model_of("a", a).said))


@pytest.mark.parametrize("n", [300, 3000, 60_000])
def test_a_model_has_a_thousand_thresholds_in_twenty_kilobytes(n: int) -> None:
    truth, scores = rows(n)
    a = sf.assess(truth, y_score=scores)
    model = model_of("a", a)
    assert len(model.views[0].cuts) == min(n + 1, MOST)
    assert len(deflated(model.said)) <= ROOM == 20 * KB


def test_where_counts_take_more_room_there_are_fewer_thresholds() -> None:
    truth, scores = rows(20_000)
    weight = np.random.default_rng(0).integers(1, 1024, 20_000) / 1024  # sums of which are exact
    model = model_of("a", sf.assess(truth, y_score=scores, sample_weight=weight))
    assert 512 < len(model.views[0].cuts) < MOST
    assert len(deflated(model.said)) <= ROOM


@pytest.mark.parametrize(("classes", "most"), [(3, 20 * KB), (5, 20 * KB), (12, 22 * KB)])
def test_many_classes_share_the_room(classes: int, most: int) -> None:
    rng = np.random.default_rng(classes)
    truth = rng.integers(0, classes, 1500)
    matrix = rng.dirichlet(np.ones(classes), 1500)
    matrix[np.arange(1500), truth] += 0.5
    model = model_of("a", sf.assess(truth, y_score=matrix / matrix.sum(axis=1, keepdims=True)))
    assert len(model.views) == classes
    assert all(len(view.cuts) >= FEWEST_CUTS for view in model.views)
    assert len(deflated(model.said)) <= most
