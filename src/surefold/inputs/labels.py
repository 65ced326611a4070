"""Raw labels -> integer codes and plain Python labels, once.

A label is text, an int or a bool. Whole floats, Decimals and Fractions become ints; dates become ISO text; numpy
scalars become what they hold. Anything else is refused with the row it stands in.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.findings import Finding

from .coding import Codes, code_keys, code_objects, code_small_ints, code_text, remap, smallest_dtype
from .kinds import Kind, Label, date_text, is_fraction, is_missing, kind_of, plain
from .raw import Mask, Raw, first_rows, raw_column

__all__ = ["Kind", "Label", "LabelColumn", "encode_labels", "used_codes"]

_SCORES_CURE = "pass scores as y_score= (--score), or check that the columns are not swapped"


@dataclass(frozen=True)
class LabelColumn:
    """Codes into `values`, which are distinct, plain and all of one kind.

    Every value is in use, unless rows are missing: those hold any code until `kept` leaves them out.
    """

    name: str
    codes: Codes
    values: list[Label]
    kind: Kind
    missing: Mask | None = None
    categories: tuple[Label, ...] = ()  # all categories in the user's order, when the column came with one
    findings: tuple[Finding, ...] = ()

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.codes)

    @property
    def in_order(self) -> bool:
        """Whether its labels came in an order."""
        return bool(self.categories)

    def kept(self, keep: Mask) -> LabelColumn:
        """The rows where `keep` holds."""
        codes, used = used_codes(self.codes[keep])
        return replace(self, codes=codes, values=[self.values[u] for u in used], missing=None)

    def with_values(self, values: list[Label], kind: Kind) -> LabelColumn:
        """The same rows with each value replaced; values that become equal are merged."""
        numbered: dict[Label, int] = {}
        lookup = [numbered.setdefault(v, len(numbered)) for v in values]
        if len(numbered) == len(values):
            return replace(self, values=values, kind=kind)
        return replace(self, codes=remap(self.codes, lookup, len(numbered)), values=list(numbered), kind=kind)

    def as_ints(self) -> LabelColumn:
        """False and True as 0 and 1."""
        ints = self.with_values([int(v) for v in self.values], "int")
        return replace(ints, categories=tuple(int(v) for v in self.categories))

    def as_text(self) -> LabelColumn:
        """The same with its labels as text."""
        if self.kind == "text":
            return self
        text = self.with_values([str(v) for v in self.values], "text")
        return replace(text, categories=tuple(str(v) for v in self.categories))


def used_codes(codes: Codes) -> tuple[Codes, list[int]]:
    """Codes renumbered so that every one is in use, and the old number of each."""
    if len(codes) == 0:
        return codes.astype(np.uint8), []
    small = code_small_ints(codes)
    if small is not None:
        return small
    used, inverse = np.unique(codes, return_inverse=True)
    return inverse.astype(smallest_dtype(len(used))), [int(u) for u in used]


def encode_labels(values: Any, name: str, *, cast: bool = False) -> LabelColumn:
    """The codes of one column of labels; `cast` reads a column of mixed kinds as text."""
    raw = raw_column(values, name)
    if raw.categories is not None:
        column = _from_categories(raw, name, cast)
    elif isinstance(raw.data, list):
        column = _from_list(raw.data, name, cast)
    else:
        column = _from_array(raw, name)
    if raw.was_vector:
        note = Finding.of("column_vector", f"{name} came as one column of shape ({raw.n:,}, 1) and was flattened.")
        column = replace(column, findings=(*column.findings, note))
    return column


def _from_categories(raw: Raw, name: str, cast: bool) -> LabelColumn:
    assert raw.categories is not None
    assert isinstance(raw.data, np.ndarray)
    codes, used = used_codes(raw.data.astype(smallest_dtype(len(raw.categories)), copy=False))
    if not used:
        return LabelColumn(name, codes, [], "text", raw.missing)
    inner = _from_list([raw.categories[u] for u in used], name, cast, codes)
    order = remap(codes, [int(c) for c in inner.codes], len(inner.values))
    every = _from_list(raw.categories, name, cast).values if raw.in_order else []
    return replace(inner, codes=order, missing=raw.missing, categories=tuple(every))


def _from_array(raw: Raw, name: str) -> LabelColumn:
    data = raw.data
    assert isinstance(data, np.ndarray)
    kind = data.dtype.kind
    if kind == "b":
        found = code_small_ints(data.view(np.uint8))
        assert found is not None
        return LabelColumn(name, found[0], [bool(v) for v in found[1]], "bool", raw.missing)
    if kind in "iu":
        codes, ints = _code_ints(data)
        return LabelColumn(name, codes, list(ints), "int", raw.missing)
    if kind == "f":
        return _from_floats(data, name, raw.missing)
    if kind == "U":
        packed = code_text(data)
        if packed is None:
            return replace(_from_list(data.tolist(), name, False), missing=raw.missing)
        return LabelColumn(name, packed[0], list(packed[1]), "text", raw.missing)
    if kind == "M":
        return _from_dates(data, name, raw.missing)
    what = {"c": "complex numbers", "S": "bytes", "m": "time spans"}.get(kind, str(data.dtype))
    cure = f"decode them: np.char.decode({name}, 'utf-8')" if kind == "S" else "pass text, ints or bools"
    raise InputError("unsupported_label_type", f"{name} holds {what}", rows=[1], count=len(data), cure=cure)


def _code_ints(data: NDArray[Any]) -> tuple[Codes, list[int]]:
    small = code_small_ints(data)
    if small is not None:
        return small
    keys = data.astype(np.uint64 if data.dtype.kind == "u" else np.int64, copy=False)
    codes, rows = code_keys(np.ascontiguousarray(keys).view(np.uint64))
    return codes, data[rows].tolist()


def _from_floats(data: NDArray[Any], name: str, missing: Mask | None) -> LabelColumn:
    data = data if data.dtype.itemsize > 8 else data.astype(np.float64, copy=False)
    nan = np.isnan(data)
    if nan.any():
        missing = nan if missing is None else missing | nan
        data = np.where(nan, 0.0, data)
    odd = np.rint(data) != data
    infinite = np.isinf(data)
    if missing is not None:
        odd &= ~missing
        infinite &= ~missing
    if odd.any() or infinite.any():
        rows, count = first_rows(odd | infinite)
        raise _fractional(name, float(data[rows[0] - 1]), rows, count)
    if np.abs(data).max() < 2.0**62:
        codes, ints = _code_ints(data.astype(np.int64))
    elif data.dtype.itemsize > 8:  # long doubles tell numbers apart that doubles do not
        held, places = np.unique(data, return_inverse=True)
        codes, ints = places.astype(smallest_dtype(len(held))), [int(v) for v in held]
    else:
        codes, at = code_keys((data + 0.0).view(np.uint64))  # adding zero turns -0.0 into 0.0
        ints = [int(data[r]) for r in at]
    return LabelColumn(name, codes, list(ints), "int", missing)


def _fractional(name: str, value: object, rows: list[int], count: int) -> InputError:
    problem = f"{name} looks like scores, not labels: {show(value)} is no whole number"
    return InputError("looks_like_scores", problem, rows=rows, count=count, cure=_SCORES_CURE)


def _from_dates(data: NDArray[Any], name: str, missing: Mask | None) -> LabelColumn:
    nat = np.isnat(data)
    if nat.any():
        missing = nat if missing is None else missing | nat
    codes, rows = code_keys(np.ascontiguousarray(data).view(np.uint64))
    values: list[Label] = [date_text(str(np.datetime_as_string(data[r]))) for r in rows]
    return LabelColumn(name, codes, values, "text", missing).with_values(values, "text")


def _from_list(values: list[Any], name: str, cast: bool, column_codes: Codes | None = None) -> LabelColumn:
    """`column_codes` says, when `values` are categories, which of them each row of the column holds."""
    where = _Where(values, column_codes)
    try:
        codes, distinct = code_objects(values, len(values))
    except TypeError:
        values = [None if v is np.ma.masked else v for v in values]
        try:
            codes, distinct = code_objects(values, len(values))
        except TypeError:
            raise _unhashable(values, name, where) from None
    if all(type(v) is str for v in distinct):
        return LabelColumn(name, codes, list(distinct), "text")
    kinds = {kind_of(t) for t in set(map(type, values))} - {"missing"}
    absent = [is_missing(v) for v in distinct]
    for kind_of_missing in kinds & {"float", "date", "other"}:  # NaN and NaT have types of their own
        if not any(kind_of(type(v)) == kind_of_missing and not is_missing(v) for v in values):
            kinds -= {kind_of_missing}
    for refused in ("bytes", "complex", "container", "other"):
        if refused in kinds:
            raise _refused(values, name, refused, where)
    families = {"number" if k in {"int", "float", "bool"} else "text" for k in kinds}
    if len(families) > 1 and not cast:
        raise _mixed(values, name, where)
    _refuse_fractions(distinct, absent, values, name, where)
    missing = np.asarray(absent, dtype=np.bool_).take(codes) if any(absent) else None
    findings: tuple[Finding, ...] = ()
    if families == {"number"} and "bool" in kinds and len(kinds) > 1:
        findings = (Finding.of("bool_as_int", f"{name} mixes bools and numbers; True was read as 1 and False as 0."),)
    if len(families) > 1:
        findings = (Finding.of("cast_labels", f"{name} mixes kinds of labels; all were read as text."),)
    kind: Kind = "int" if families == {"number"} else "text"
    if kinds == {"bool"}:
        kind = "bool"
    labels: list[Label] = [0 if gone else plain(v, kind) for v, gone in zip(distinct, absent, strict=True)]
    present = {v: None for v, gone in zip(labels, absent, strict=True) if not gone}
    numbered = {v: i for i, v in enumerate(present)}
    lookup = [0 if gone else numbered[v] for v, gone in zip(labels, absent, strict=True)]
    return LabelColumn(
        name, remap(codes, lookup, max(len(present), 1)), list(present), kind, missing, findings=findings
    )


class _Where:
    """Finds the rows a value of a list stands in, also when the list is of categories."""

    def __init__(self, values: list[Any], column_codes: Codes | None) -> None:
        self.values, self.codes = values, column_codes

    def rows(self, positions: list[int]) -> tuple[list[int], int]:
        if self.codes is None:
            return [p + 1 for p in positions[:3]], len(positions)
        return first_rows(np.isin(self.codes, positions))


def _unhashable(values: list[Any], name: str, where: _Where) -> InputError:
    for position, value in enumerate(values):
        try:
            hash(value)
        except TypeError:
            kind = kind_of(type(value))
            return _refused(values, name, kind if kind in {"container", "bytes"} else "other", where, position)
    raise AssertionError("every value has a hash")  # pragma: no cover


def _refused(values: list[Any], name: str, kind: str, where: _Where, first: int | None = None) -> InputError:
    positions = [i for i, v in enumerate(values) if kind_of(type(v)) == kind]
    if first is not None and first not in positions:
        positions = [first]
    rows, count = where.rows(positions)
    value = values[positions[0]]
    what = f"row {rows[0]} is the {type(value).__name__} {show(value)}"
    if kind == "container":
        return InputError(
            "not_a_scalar",
            f"{name} must hold one text, int or bool a row; {what}",
            rows=rows,
            count=count,
            cure="pass one label a row, for instance the parts joined as text",
        )
    cure = "decode them, as in [v.decode() for v in labels]" if kind == "bytes" else "pass text, ints or bools"
    return InputError(
        "unsupported_label_type",
        f"{name} holds a kind of value that cannot be a label; {what}",
        rows=rows,
        count=count,
        cure=cure,
    )


def _mixed(values: list[Any], name: str, where: _Where) -> InputError:
    first: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for position, value in enumerate(values):
        if not is_missing(value):
            kind = type(value).__name__
            first.setdefault(kind, position)
            counts[kind] += 1
    if where.codes is not None:
        parts = [f"{kind} (as in row {where.rows([at])[0][0]})" for kind, at in first.items()]
    else:
        parts = [
            f"{kind} ({counts[kind]:,} row{'s' * (counts[kind] > 1)}, first row {at + 1:,})"
            for kind, at in first.items()
        ]
    return InputError(
        "mixed_label_types",
        f"{name} mixes {' and '.join(parts)}",
        rows=[where.rows([at])[0][0] for at in first.values()],
        cure="give all labels one type, or read all as text with cast_labels=True (--cast-labels)",
    )


def _refuse_fractions(distinct: list[Any], absent: list[bool], values: list[Any], name: str, where: _Where) -> None:
    odd = [v for v, gone in zip(distinct, absent, strict=True) if not gone and is_fraction(v)]
    if odd:
        held = set(odd)
        rows, count = where.rows([i for i, v in enumerate(values) if v in held])
        raise _fractional(name, odd[0], rows, count)
