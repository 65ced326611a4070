"""The second pass: what each row moves measures of scores by, looked up in the merged tallies and multiplied together.

The tally of all rows says what a positive and a negative at each score move a measure by. Differences between models
need the products of what the same row does to each; rows in groups need the sums of each group. Both add up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.labels import Label
from surefold.inputs.parts import Batch, Roles, read_batch
from surefold.inputs.tables import Table
from surefold.tallies.ordering import order_bits
from surefold.tallies.partial import GROUP, plain_label
from surefold.tallies.score_counts import cut_bits

if TYPE_CHECKING:
    import polars

__all__ = ["Lookup", "Moves", "RowMoves"]

Array = NDArray[np.float64]

SIZE, POSITIVE = "size", "positive"


@dataclass(frozen=True, eq=False)
class Lookup:
    """Where the scores of one column stand in the merged tally: its order bits, rising, and how many are kept."""

    bits: NDArray[np.uint64]
    level: int

    def places(self, scores: Array) -> NDArray[np.intp]:
        return np.searchsorted(self.bits, cut_bits(order_bits(scores), self.level))


@dataclass(frozen=True, eq=False)
class RowMoves:
    """The job of the second pass.

    `tables[f][m]` says for measure f and score column m what a positive and what a negative at each place move it by;
    `powers[f]` is the power of the row's weight that multiplies it. `positive` are the labels taken as positive.
    """

    roles: Roles
    lookups: tuple[Lookup, ...]
    tables: tuple[tuple[tuple[Array, Array], ...], ...]
    powers: tuple[float, ...]
    positive: frozenset[Label]
    scale: float = 1.0  # weights are multiplied by this first

    @property
    def columns(self) -> tuple[str, ...]:
        return self.roles.columns

    def of(self, table: Table) -> Moves:
        return self.of_batch(read_batch(table, self.roles))

    def of_batch(self, batch: Batch) -> Moves:
        is_positive = _is_positive(batch.truth, self.positive)
        weights = np.ones(batch.n) if batch.weights is None else batch.weights * self.scale
        places = [look.places(s) for look, s in zip(self.lookups, batch.scores, strict=True)]
        products, sums = [], []
        for family, power in zip(self.tables, self.powers, strict=True):
            factor = weights if power == 1 else weights**power
            rows = np.stack([
                np.where(is_positive, up[place], down[place]) * factor
                for (up, down), place in zip(family, places, strict=False)
            ])  # fmt: skip
            if len(rows) > 1:
                rows -= rows.mean(axis=0)  # what all models share would only cost digits
            products.append(np.stack([rows[:, held] @ rows[:, held].T for held in (is_positive, ~is_positive)]))
            sums.append(rows)
        groups = None if batch.groups is None else _by_group(batch.groups, sums, weights, is_positive)
        return Moves(tuple(products), groups)


@dataclass(frozen=True, eq=False)
class Moves:
    """`products[f][c]`: sums over the rows of class c (positives first) of the products of every two columns' moves.

    `groups` has for each group the summed moves (`f0m0`, ...), its weight and that of its positives.
    """

    products: tuple[Array, ...]
    groups: polars.DataFrame | None = None

    def __add__(self, other: Moves) -> Moves:
        import polars

        products = tuple(a + b for a, b in zip(self.products, other.products, strict=True))
        if self.groups is None or other.groups is None:
            return Moves(products)
        held = [g for g in (self.groups, other.groups) if g.height] or [self.groups]
        both = polars.concat(held, how="vertical_relaxed")
        return Moves(products, both.group_by(GROUP).agg(polars.exclude(GROUP).sum()))

    @property
    def nbytes(self) -> int:
        return sum(p.nbytes for p in self.products) + (0 if self.groups is None else int(self.groups.estimated_size()))

    def sums(self, family: int, columns: int) -> list[Array]:
        """What each group moves each column by."""
        if self.groups is None:
            raise AssertionError("there are no groups")
        return [self.groups.get_column(f"f{family}m{m}").to_numpy() for m in range(columns)]

    def sizes(self) -> tuple[Array, Array]:
        """The weight of each group, and that of its positives."""
        if self.groups is None:
            raise AssertionError("there are no groups")
        return self.groups.get_column(SIZE).to_numpy(), self.groups.get_column(POSITIVE).to_numpy()


def _is_positive(truth: polars.Series, positive: frozenset[Label]) -> NDArray[np.bool_]:
    mask: NDArray[np.bool_] = np.zeros(len(truth), dtype=np.bool_)
    for value in truth.unique().to_list():
        if plain_label(value) in positive:
            mask |= (truth == value).to_numpy()
    return mask


def _by_group(
    groups: polars.Series, families: Sequence[Array], weights: Array, is_positive: NDArray[np.bool_]
) -> polars.DataFrame:
    import polars

    columns: dict[str, Any] = {GROUP: groups, SIZE: weights, POSITIVE: weights * is_positive}
    for f, rows in enumerate(families):
        columns |= {f"f{f}m{m}": row for m, row in enumerate(rows)}
    frame = polars.DataFrame(columns).filter(polars.col(SIZE) > 0)
    return frame.group_by(GROUP).agg(polars.exclude(GROUP).sum())
