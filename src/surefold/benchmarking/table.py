"""One number a data set and model: the table that several models over several data sets come down to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.counting import counted, verb
from surefold.errors import InputError, UnknownNameError, refuse_unknown
from surefold.measures.measure import Better
from surefold.resampling.frames import Flavour, frame_of
from surefold.shown import Shown
from surefold.significance.pairs import tied_ranks

__all__ = ["Missing", "ValueTable"]

Floats = NDArray[np.float64]
Missing = Literal["refuse", "drop"]
#: Values this close beside the largest of their data set are tied: what rounding leaves of none.
_ROUNDING = 1e-13


@dataclass(frozen=True, eq=False)
class ValueTable(Shown):
    """A row a data set, a column a model; NaN where there is no value, and `reasons` says why.

    >>> t = ValueTable("accuracy", "higher", ("iris", "wine"), ("a", "b"), np.array([[0.9, 0.8], [0.7, 0.7]]))
    >>> t["iris", "b"], t.ranks.tolist()
    (0.8, [[1.0, 2.0], [1.5, 1.5]])
    """

    measure: str
    better: Better
    datasets: tuple[str, ...]
    models: tuple[str, ...]
    values: Floats
    reasons: Mapping[tuple[str, str], str] = field(default_factory=dict)

    def __getitem__(self, cell: tuple[str, str]) -> float:
        dataset, model = cell
        return float(self.values[_place("data set", dataset, self.datasets), _place("model", model, self.models)])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype) if copy is not False else np.asarray(self.values, dtype=dtype)

    def column(self, model: str) -> Floats:
        """The values of one model, a number a data set."""
        return np.asarray(self.values[:, _place("model", model, self.models)])

    @property
    def missing(self) -> dict[tuple[str, str], str]:
        """The cells without a value, and why."""
        return {
            (self.datasets[i], self.models[j]): self.reasons.get((self.datasets[i], self.models[j]), "no value")
            for i, j in np.argwhere(np.isnan(self.values)).tolist()
        }

    @property
    def ranks(self) -> Floats:
        """1 for the best of a data set, mean ranks for ties; NaN in data sets with a missing value."""
        turned = self.turned
        found = np.full(turned.shape, np.nan)
        for i in np.flatnonzero(~np.isnan(turned).any(axis=1)).tolist():
            found[i] = tied_ranks(-turned[i], _ROUNDING * float(np.abs(turned[i]).max()))
        return found

    @property
    def turned(self) -> Floats:
        """The values with the sign that makes higher better."""
        if self.better == "neither":
            problem = f"neither high nor low {self.measure} is better"
            raise InputError("bad_option", problem, cure="compare by a measure that has a better end")
        return -self.values if self.better == "lower" else self.values

    def complete(self, missing: Missing = "refuse") -> tuple[ValueTable, dict[str, str]]:
        """The data sets in which every model has a value, and why the others were left out, if that was asked for."""
        refuse_unknown("treatment of missing values", missing, ("refuse", "drop"))
        lacking: dict[str, list[str]] = {}
        for (dataset, model), why in self.missing.items():
            lacking.setdefault(dataset, []).append(f"{model}: {why}")
        if not lacking:
            return self, {}
        if missing == "refuse":
            dataset, whys = next(iter(lacking.items()))
            left = len(lacking) - 1
            more = f"; {counted(left, 'more data set')} {verb(left, 'lacks', 'lack')} values" if left else ""
            problem = f"{self.measure} is missing on {dataset} ({whys[0]}){more}"
            cure = (
                "missing='drop' leaves such data sets out; with a store, the same call of benchmark "
                "again runs only the folds that are missing"
            )
            raise InputError("missing_value", problem, cure=cure)
        kept = [i for i, name in enumerate(self.datasets) if name not in lacking]
        table = replace(self, datasets=tuple(self.datasets[i] for i in kept), values=self.values[kept], reasons={})
        return table, {name: "; ".join(whys) for name, whys in lacking.items()}

    def to_frame(self, flavour: Flavour = "polars") -> Any:
        """One row a data set, one column a model."""
        rows = []
        for name, row in zip(self.datasets, self.values.tolist(), strict=True):
            shown = [None if value != value else value for value in row]
            rows.append({"data_set": name, **dict(zip(self.models, shown, strict=True))})
        return frame_of(rows, flavour)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; what is missing is None and `missing` says why."""
        return {
            "measure": self.measure,
            "better": self.better,
            "datasets": list(self.datasets),
            "models": list(self.models),
            "values": [[None if value != value else value for value in row] for row in self.values.tolist()],
            "missing": [{"dataset": d, "model": m, "reason": why} for (d, m), why in self.missing.items()],
        }

    __repr__ = Shown.__str__


def _place(kind: str, name: str, known: tuple[str, ...]) -> int:
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return known.index(name)
