"""What a stored run was made from: its plan again, and what differs from another."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.resampling.plan import Plan
from surefold.resampling.store import Run

__all__ = ["changes", "plan_arrays", "stored_plan", "version_changes", "with_versions"]

_PLAN_ARRAYS = ("test_rows", "test_starts", "repeat", "fold", "train_rows", "train_starts")


def plan_arrays(plan: Plan) -> dict[str, NDArray[Any]]:
    """The arrays of a plan, as a store keeps them: in the smallest integers that hold them."""
    kind = np.int32 if max(plan.n, len(plan.test_rows)) < 2**31 else np.int64
    found = {name: getattr(plan, name) for name in _PLAN_ARRAYS}
    return {f"plan_{name}": rows.astype(kind) for name, rows in found.items() if rows is not None}


def stored_plan(run: Run) -> Plan:
    """The plan of a run that was stored; `TypeError` where its facts are not those of a plan."""
    facts = run.facts["plan"]
    if not isinstance(facts["kind"], str) or not isinstance(facts["random_state"], int | None):
        raise TypeError("a plan has a kind and a seed")
    arrays = {name: run.arrays.get(f"plan_{name}") for name in _PLAN_ARRAYS}
    rows = {name: None if array is None else array.astype(np.int64) for name, array in arrays.items()}
    return Plan(
        facts["kind"],
        int(run.facts["rows"]),
        options=facts["options"],
        random_state=facts["random_state"],
        overlaps=facts["overlaps"],
        **rows,  # type: ignore[arg-type]
    )


def changes(stored: Run, facts: Mapping[str, Any], models: Mapping[str, Mapping[str, str]]) -> list[str]:
    """What differs, each as a phrase, apart from versions."""
    before = stored.facts
    found = []
    if before["rows"] != facts["rows"]:
        found.append(f"the data had {before['rows']:,} rows and now have {facts['rows']:,}")
    if before["columns"] != facts["columns"]:
        found.append(_columns(before["columns"], facts["columns"]))
    if before["labels"] != facts["labels"]:
        found.append(f"the classes were {before['labels'][:6]} and now are {facts['labels'][:6]}")
    if before["data"] != facts["data"] and not found:
        found.append("values of the data differ")
    if before["plan"]["kind"] != facts["plan"]["kind"]:
        found.append(f"the plan was {before['plan']['kind']} and now is {facts['plan']['kind']}")
    elif before["plan"]["fingerprint"] != facts["plan"]["fingerprint"]:
        named = _pairs("plan: ", before["plan"]["options"], facts["plan"]["options"])
        named += _pairs(
            "", {"random_state": before["plan"]["random_state"]}, {"random_state": facts["plan"]["random_state"]}
        )
        found += named or ["the splits differ"]
    elif before["seed"] != facts["seed"]:
        found += _pairs("", {"random_state": before["seed"]}, {"random_state": facts["seed"]})
    for name, described in models.items():
        if name in stored.models:
            found += _pairs(f"model {name}: ", _apart(stored.models[name])[0], _apart(described)[0])
    return found


def version_changes(stored: Run, facts: Mapping[str, Any], models: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Which versions differ, of what every model rests on and of what those models rest on that are there already."""
    shared = sorted(stored.facts["versions"].keys() & facts["versions"].keys())
    before, now = ({name: each["versions"][name] for name in shared} for each in (stored.facts, facts))
    found = _pairs("version of ", before, now)
    for name, described in models.items():
        if name in stored.models:
            found += _pairs("", _apart(stored.models[name])[1], _apart(described)[1])
    return list(dict.fromkeys(found))


def with_versions(described: Mapping[str, str], versions: Mapping[str, str]) -> dict[str, str]:
    """The facts of a model with the versions it rests on, which belong to it: models may be added to a run later."""
    return {**described, **{f"version of {name}": version for name, version in versions.items()}}


def _apart(described: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts of a model: class and parameters, and versions."""
    rest = {name: value for name, value in described.items() if not name.startswith("version of ")}
    return rest, {name: value for name, value in described.items() if name not in rest}


def _pairs(what: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    return [
        f"{what}{name} was {_short(before.get(name))} and now is {_short(now.get(name))}"
        for name in dict.fromkeys([*before, *now])
        if before.get(name) != now.get(name)
    ]


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:59] + "…"


def _columns(before: list[str], now: list[str]) -> str:
    gone = [c for c in before if c not in now]
    new = [c for c in now if c not in before]
    parts = [f"without {', '.join(gone[:5])}"] if gone else []
    parts += [f"with {', '.join(new[:5])}"] if new else []
    return f"the columns now are {' and '.join(parts)}" if parts else "the columns stand in another order"
