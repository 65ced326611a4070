"""The schema of the JSON: every kind the library writes is held against it, key by key."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from docs.json_shapes import KINDS, SHAPES, json_schema
from tests.docs.results import RESULTS

SCHEMA = json_schema()
TYPES: dict[str, Any] = {
    "string": str,
    "number": (int, float),
    "integer": int,
    "boolean": bool,
    "null": type(None),
    "array": list,
    "object": dict,
}


def faults(value: Any, schema: dict[str, Any], where: str = "$") -> Iterator[str]:
    """What a value has against a schema; the words of JSON Schema that ours uses, and no others."""
    unknown = schema.keys() - {
        "$ref", "anyOf", "const", "type", "properties", "required", "additionalProperties", "items", "description",
    }  # fmt: skip
    assert not unknown, unknown
    if "$ref" in schema:
        yield from faults(value, SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")], where)
    if "anyOf" in schema and all(list(faults(value, each, where)) for each in schema["anyOf"]):
        yield f"{where}: none of {schema['anyOf']}"
    if "const" in schema and value != schema["const"]:
        yield f"{where}: {value!r} is not {schema['const']!r}"
    if "type" in schema and not _is_of(value, schema["type"]):
        yield f"{where}: {value!r} is no {schema['type']}"
    if isinstance(value, list) and "items" in schema:
        for i, each in enumerate(value):
            yield from faults(each, schema["items"], f"{where}[{i}]")
    if isinstance(value, dict):
        yield from _object_faults(value, schema, where)


def _is_of(value: Any, types: str | list[str]) -> bool:
    types = [types] if isinstance(types, str) else types
    if isinstance(value, bool):
        return "boolean" in types
    return any(isinstance(value, TYPES[each]) for each in types)


def _object_faults(value: dict[str, Any], schema: dict[str, Any], where: str) -> Iterator[str]:
    for key in schema.get("required", ()):
        if key not in value:
            yield f"{where}.{key} is missing"
    known, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    for key, each in value.items():
        if key in known:
            yield from faults(each, known[key], f"{where}.{key}")
        elif others is False:
            yield f"{where}.{key} is not described"
        elif isinstance(others, dict):
            yield from faults(each, others, f"{where}.{key}")


@pytest.mark.parametrize("name", RESULTS)
def test_what_is_written_is_described(name: str) -> None:
    result = json.loads(json.dumps(RESULTS[name](), allow_nan=False, default=lambda number: number.item()))
    kind = name.partition(":")[0]
    assert result["kind"] == kind
    assert list(faults(result, {"$ref": f"#/$defs/{kind}"})) == []


def test_every_kind_is_tried() -> None:
    assert {name.partition(":")[0] for name in RESULTS} == set(KINDS)


def test_every_kind_that_the_source_writes_is_described() -> None:
    """Plans have kinds too, and stand inside results."""
    plans = {"k_fold", "training_sets"}
    source = Path(__file__).parents[2] / "src" / "surefold"
    text = "".join(path.read_text("utf-8") for path in source.rglob("*.py"))
    written = set(re.findall(r"(?:\"kind\": |_shown\(|_head\(|heading\()\"(\w+)\"", text))
    assert len(written) > 20
    assert written - plans <= set(KINDS), "describe them in docs/json_shapes.py"


@pytest.mark.parametrize(
    ("value", "schema", "wrong"),
    [
        ({"a": 1}, {"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": False}, 0),
        ({"a": 1.5}, {"properties": {"a": {"type": "integer"}}}, 1),
        ({"b": 1}, {"properties": {"a": {}}, "required": ["a"], "additionalProperties": False}, 2),
        ([1, None, "x"], {"type": "array", "items": {"type": ["number", "null"]}}, 1),
        (True, {"type": "number"}, 1),
        ({"x": 1, "y": "z"}, {"additionalProperties": {"type": "number"}}, 1),
        (None, {"anyOf": [{"$ref": "#/$defs/Finding"}, {"type": "null"}]}, 0),
        ("x", {"anyOf": [{"type": "number"}, {"type": "null"}]}, 1),
        ("x", {"const": "y"}, 1),
    ],
)
def test_the_check_itself(value: Any, schema: dict[str, Any], wrong: int) -> None:
    assert len(list(faults(value, schema))) == wrong


def test_a_lost_key_and_a_new_one_are_noticed() -> None:
    result = RESULTS["power"]()
    del result["n"]
    result["rows"] = 300
    assert list(faults(result, {"$ref": "#/$defs/power"})) == ["$.n is missing", "$.rows is not described"]


def test_every_key_has_words() -> None:
    for name, (words, keys) in {**SHAPES, **KINDS}.items():
        assert words, name
        for key, told in keys.items():
            assert key == "kind" or told.partition(" ")[2].strip(), f"{name}: {key} says nothing"
