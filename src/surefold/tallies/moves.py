"""What rows move measures by, added up: multiplied with what they move others by, and summed by group.

A row enters with its weight times its move, and moves are looked up: a table says what a row of each class at each
place moves a measure by, or there is a number for each row. Parts of the rows add up to the whole, so rows held and
rows counted in parts end in the same sums. Nothing else in the package adds moves up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.inputs.labels import Label
from surefold.inputs.parts import Batch, Roles, read_batch
from surefold.inputs.tables import Table
from surefold.tallies.ordering import order_bits
from surefold.tallies.partial import GROUP, plain_label
from surefold.tallies.score_counts import cut_bits
from surefold.tallies.score_matrix import RowMove

if TYPE_CHECKING:
    import polars

__all__ = ["Family", "Moves", "MovesJob", "Places", "Units", "by_group", "is_positive", "moves_of", "pair_powers"]

Array = NDArray[np.float64]

#: Rows at a time: a block of them, for all models, stays in the cache.
_BLOCK = 1 << 15
#: Powers of the differences of two moves that `Family.powers` adds up.
_POWERS = (2, 3, 4)


@dataclass(frozen=True, eq=False)
class Family:
    """What rows move one measure of each model by: `of[model]` is a table [class, place], or a number a row (which
    of a matrix of scores in parts is made there).

    `weight` is the power of the row's weight that multiplies it; sums by group are made of the first power alone.
    `powers` asks for what third and fourth moments of differences need. `models` says at whose places
    each table is looked up, where that is not one model after the other.
    """

    of: tuple[Array | RowMove, ...]
    weight: float = 1.0
    powers: bool = False
    models: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False)
class Units:
    """Groups of rows, by one set of factors: the weight of each class in each, and what its rows move each model by.

    `sums[model, group]`, with the models of one family after those of another.
    """

    factors: frozenset[str]
    key: NDArray[Any] | polars.Series
    size: Array
    sums: Array

    def __add__(self, other: Units) -> Units:
        import polars

        parts = [u for u in (self, other) if len(u.key)] or [self]
        both = polars.concat([u._frame() for u in parts], how="vertical_relaxed")
        frame = both.group_by(GROUP).agg(polars.exclude(GROUP).sum())
        columns = frame.drop(GROUP).to_numpy().T
        k = len(self.size)
        return Units(self.factors, frame.get_column(GROUP), columns[:k], columns[k:])

    def _frame(self) -> polars.DataFrame:
        import polars

        columns: dict[str, Any] = {GROUP: self.key}
        return polars.DataFrame(columns | {str(i): x for i, x in enumerate((*self.size, *self.sums))})


@dataclass(frozen=True, eq=False)
class Moves:
    """`products[family][class, 0, a, b]`: sums over the rows of a class of (move of a) (move of b).

    Behind it, where powers were asked for, the sums of the 2nd, 3rd and 4th power of (move of a) - (move of b).

    Where a family has more than one model, each row's mean over the models was taken off first: what all share would
    only cost digits, and no difference has it.
    """

    products: tuple[Array, ...]
    units: tuple[Units, ...] = ()

    def __add__(self, other: Moves) -> Moves:
        products = tuple(a + b for a, b in zip(self.products, other.products, strict=True))
        return Moves(products, tuple(a + b for a, b in zip(self.units, other.units, strict=True)))

    def __getitem__(self, family: int) -> Moves:
        """Those of one family alone."""
        return self.part(family, family + 1)

    def part(self, start: int, end: int) -> Moves:
        """Those of some families, one after the other."""
        first, last = (sum(x.shape[-1] for x in self.products[:family]) for family in (start, end))
        return Moves(self.products[start:end], tuple(replace(u, sums=u.sums[first:last]) for u in self.units))


def moves_of(
    families: Sequence[Family],
    truth: NDArray[Any] | None,
    classes: int,
    places: Sequence[NDArray[Any]] = (),
    weights: Array | None = None,
    groups: NDArray[np.intp] | None = None,
    factor: str = "groups",
) -> Moves:
    """The sums of all families; `truth` codes the classes (None: one for all), `places[model]` says where rows stand.

    >>> rows = Family((np.array([1.0, 0.0, -1.0]), np.array([0.0, 0.0, 0.0])))
    >>> moves_of([rows], None, 1).products[0][0, 0].tolist()  # less the mean of each row: 1/2 and -1/2, twice
    [[0.5, -0.5], [-0.5, 0.5]]
    """
    n = len(places[0]) if places else len(_numbers(families[0].of[0]))
    count = 0 if groups is None else int(groups.max(initial=-1)) + 1
    products = [np.zeros((classes, 1 + (len(_POWERS) if f.powers else 0), len(f.of), len(f.of))) for f in families]
    sums = [np.zeros((len(f.of), count)) for f in families]
    size = np.zeros((classes, count))
    block = max(_BLOCK, count)  # sums by group cost as much as a block of rows does
    for c in range(classes):
        held = np.arange(n) if truth is None else np.flatnonzero(truth == c)
        for start in range(0, len(held), block):
            rows = held[start : start + block]
            w = None if weights is None else weights[rows]
            codes = None if groups is None else groups[rows]
            if codes is not None:
                size[c] += np.bincount(codes, weights=w, minlength=count)
            for family, product, summed in zip(families, products, sums, strict=True):
                moved = np.empty((len(family.of), len(rows)))
                for m, lookup in enumerate(map(_numbers, family.of)):
                    place = family.models[m] if family.models else m
                    moved[m] = lookup[rows] if lookup.ndim == 1 else lookup[c][places[place][rows]]
                if w is not None:
                    moved *= w if family.weight == 1 else w**family.weight
                if len(moved) > 1:
                    moved -= moved.mean(axis=0)
                product[c, 0] += moved @ moved.T
                if family.powers:
                    product[c, 1:] += pair_powers(moved)
                if codes is not None and family.weight == 1:
                    for m, row in enumerate(moved):
                        summed[m] += np.bincount(codes, weights=row, minlength=count)
    if groups is None:
        return Moves(tuple(products))
    kept = size.sum(axis=0) > 0
    unit = Units(frozenset([factor]), np.flatnonzero(kept), size[:, kept], np.concatenate(sums)[:, kept])
    return Moves(tuple(products), (unit,))


def _numbers(lookup: Array | RowMove) -> Array:
    if not isinstance(lookup, np.ndarray):
        raise AssertionError("a number a row was expected, which its part has to make")
    return lookup


def pair_powers(moved: Array) -> Array:
    """`[power, a, b]`: sums over the columns of the 2nd, 3rd and 4th power of (row a) - (row b).

    Not by products of powers, which would leave nothing of two models that hardly differ where others do.

    >>> pair_powers(np.array([[1.0, 2.0], [0.0, 4.0]]))[:, 0, 1].tolist()  # of 1 and -2
    [5.0, -7.0, 17.0]
    """
    k = len(moved)
    found = np.zeros((len(_POWERS), k, k))
    for a in range(k - 1):
        apart = moved[a] - moved[a + 1 :]
        squared = apart * apart
        sums = squared.sum(axis=1), np.einsum("ij,ij->i", squared, apart), np.einsum("ij,ij->i", squared, squared)
        for p, (power, total) in enumerate(zip(_POWERS, sums, strict=True)):
            found[p, a, a + 1 :] = total
            found[p, a + 1 :, a] = total if power % 2 == 0 else -total
    return found


# rows in parts


def is_positive(batch: Batch, positive: frozenset[Label]) -> NDArray[np.bool_]:
    """Which rows of a part have one of these labels."""
    found = np.zeros(batch.n, dtype=np.bool_)
    for value in batch.truth.unique().to_list():
        if plain_label(value) in positive:
            found |= (batch.truth == value).to_numpy()
    return found


@dataclass(frozen=True, eq=False)
class Places:
    """Where the scores of one column stand in the merged tally: its order bits, rising, and how many are kept."""

    bits: NDArray[np.uint64]
    level: int

    def of(self, scores: Array) -> NDArray[np.intp]:
        """Where each score stands in the tally."""
        return np.searchsorted(self.bits, cut_bits(order_bits(scores), self.level))


@dataclass(frozen=True, eq=False)
class MovesJob:
    """The job of the second pass over rows with one score a model. `positive` are the labels taken as positive."""

    roles: Roles
    places: tuple[Places, ...]
    families: tuple[Family, ...]
    positive: frozenset[Label]
    scale: float = 1.0  # weights are multiplied by this first

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads."""
        return self.roles.columns

    def of(self, table: Table) -> Moves:
        """The moves of the rows of one part, added up."""
        batch = read_batch(table, self.roles)
        truth = is_positive(batch, self.positive)
        places = [place.of(s) for place, s in zip(self.places, batch.scores, strict=True)]
        weights = None if batch.weights is None else batch.weights * self.scale
        return by_group(batch, lambda codes: moves_of(self.families, truth, 2, places, weights, codes))


def by_group(batch: Batch, moves: Callable[[NDArray[np.intp] | None], Moves]) -> Moves:
    """The moves of a part, whose groups have codes, with the names of the groups."""
    if batch.groups is None:
        return moves(None)
    found = moves((batch.groups.rank("dense") - 1).to_numpy().astype(np.intp))
    names = batch.groups.unique().sort()
    return replace(found, units=tuple(replace(u, key=names.gather(u.key)) for u in found.units))
