"""Results of every kind say what they said: figures move on purpose, with a decision note, or not at all."""

import pytest

from tests.road.frozen_cases import CASES, SLOW
from tools.freeze import FOLDER, changes, frozen, read


def test_every_case_is_frozen_and_no_other():
    assert {path.stem for path in FOLDER.glob("*.json")} == set(CASES)
    assert set(SLOW) < set(CASES)


@pytest.mark.parametrize("name", [name for name in CASES if name not in SLOW])
def test_a_result_says_what_it_said(name):
    moved = list(changes(read(name), frozen(name)))
    assert not moved, "\n".join(["python -m tools.freeze writes it anew; what moved:", *moved[:20]])


def test_what_moved_is_named():
    was = {"value": 0.5, "flags": ["weighted"], "rows": [1, 2], "low": 0.1, "n": 0.0}
    now = {"value": 0.5 * (1 + 1e-6), "flags": [], "rows": [1, 2, 3], "high": 0.9, "n": -1e-17}
    told = [
        "$.value: 0.5 before, 0.5000005 now",
        "$.flags: 1 entries before, 0 now",
        "$.rows: 2 entries before, 3 now",
        "$.low: gone",
        "$.high: new",
    ]
    assert list(changes(was, now)) == told
    assert list(changes({"a": 1.0}, {"a": 1.0 + 1e-9})) == []
    assert list(changes({"a": True}, {"a": 1})) == ["$.a: True before, 1 now"]
