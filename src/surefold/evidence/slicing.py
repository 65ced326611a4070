"""The ways in which rows are sliced: by the levels of a column, or by those of two columns together.

Entries are rows that are held, or cells of rows that are alike: every tally of a slice is a sum over them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.levels import Bins, is_numeric, levels_of
from surefold.tallies.label_cells import LabelCells

if TYPE_CHECKING:
    import polars

__all__ = ["Sliceable", "Way", "ways_of"]

Codes = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Way:
    """One way to slice: by these columns. Slice i has the levels `names[i]`; `codes` says which each entry is in.

    -1: in none of them.
    """

    columns: tuple[str, ...]
    names: tuple[tuple[str, ...], ...]
    codes: Codes

    def __len__(self) -> int:
        return len(self.names)

    def crossed(self, other: Way) -> Way:
        """The levels of both together, those that occur."""
        both = np.where((self.codes < 0) | (other.codes < 0), -1, self.codes * len(other) + other.codes)
        there, codes = np.unique(both, return_inverse=True)
        first = int(np.count_nonzero(there < 0))
        pairs = [divmod(int(code), len(other)) for code in there[first:]]
        names = tuple((*self.names[i], *other.names[j]) for i, j in pairs)
        return Way((*self.columns, *other.columns), names, np.asarray(codes - first, dtype=np.intp))


@dataclass(frozen=True, eq=False)
class Sliceable:
    """Entries with what they may be sliced by. `cells` are the models' labels, None where there are none.

    `times` is how many rows an entry stands for (None: one); `parsed`: numbers came as text, as in CSV.
    """

    columns: Mapping[str, polars.Series]
    cells: LabelCells | None = None
    times: NDArray[np.float64] | None = None
    parsed: bool = False


def ways_of(s: Sliceable, bins: Mapping[str, Bins], pairs: bool = False) -> list[Way]:
    """By each column, and by each two of them where that is asked for; bins under no name are for all numbers.

    >>> import polars
    >>> columns = {"a": polars.Series("a", ["x", "y", "x"]), "b": polars.Series("b", ["u", "u", "v"])}
    >>> [(way.columns, way.names) for way in ways_of(Sliceable(columns), {}, pairs=True)][-1]
    (('a', 'b'), (('x', 'u'), ('x', 'v'), ('y', 'u')))
    """
    single: list[Way] = []
    for name, column in s.columns.items():
        cut = bins.get(name, bins.get("") if is_numeric(column, s.parsed) else None)
        known = levels_of(column.alias(name), s.times, cut, parsed=s.parsed)
        single.append(Way((name,), tuple((level,) for level in known.names), known.codes))
    crossed: Sequence[Way] = [a.crossed(b) for a, b in combinations(single, 2)] if pairs else ()
    return [*single, *crossed]
