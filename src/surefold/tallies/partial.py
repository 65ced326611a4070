"""What one part of the rows puts into every tally; parts add up to the whole.

Labels are counted by their values, not by codes, because a part does not know the labels of the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError, show
from surefold.inputs.kinds import matched_text
from surefold.inputs.labels import Label
from surefold.inputs.parts import Batch, Roles, read_batch
from surefold.inputs.tables import Table
from surefold.tallies.ordering import order_bits
from surefold.tallies.score_counts import ScoreCounts, cut_bits

if TYPE_CHECKING:
    import polars

__all__ = ["Partial", "Plan", "one_type", "plain_label"]

#: More true classes than this and none said to be positive: scores of one class cannot be assessed, so none are held.
MOST_CLASSES = 16
#: Up to this many combinations of labels are counted in an array.
_MOST_COUNTED = 1 << 16
#: So many texts are looked for one by one, if the first rows hold no more.
_FEW_TEXTS, _LOOKED_AT = 8, 1000
ROWS, WEIGHT, SQUARES = "rows", "weight", "squares"
TRUTH, GROUP, SCORE = "truth", "group", "score"
#: Rows of unequal weight that are compared are counted by cell and weight, in at most so many entries in all.
MOST_WEIGHED = 4096
#: Leading bits of a weight: its exponent and eleven of the mantissa, which keep whole weights to 4,096 apart.
_WEIGHT_BITS = 23
EACH, BY = "each", "by"


@dataclass(frozen=True)
class Plan:
    """What is counted of every part: the first pass over the rows.

    `threshold` makes labels of the scores where there are none. `most` is how many groups of scores a tally may hold.
    """

    roles: Roles
    positive: str | None = None  # the positive label as text, if one was said
    threshold: float | None = None
    most: int = 1 << 62
    strip: bool = False
    fold: bool = False
    most_sliced: int = 1 << 62  # cells of slices

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are read."""
        return self.roles.columns

    def of(self, table: Table) -> Partial:
        """The partial tally of one table of rows."""
        return replace(Partial.of(read_batch(table, self.roles), self), by_text=table.text is not None)


@dataclass(frozen=True, eq=False)
class Partial:
    """Counts of some rows.

    `cells` has a row for each combination of truth and answers (`call0`, `call1`, ...) that occurs, with how many rows
    have it, their weight and its squares; `clusters` the same for each group. `scores` is one tally a score column.
    `weighed` has the cells of several models once more, divided by the leading `weight_bits` of the rows' weights.
    `sliced` has the cells, in groups where rows are grouped, divided by all that rows are sliced by (`by0`, ...).
    `infinite` and `outside` are rows whose score is infinite, and below 0 or above 1.
    """

    n: int
    cells: polars.DataFrame
    clusters: polars.DataFrame | None = None
    scores: tuple[ScoreCounts | None, ...] = ()
    infinite: tuple[int, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    outside: tuple[int, ...] = ()
    weighed: polars.DataFrame | None = None
    weight_bits: int = _WEIGHT_BITS
    sliced: polars.DataFrame | None = None
    by_text: bool = False  # numbers that rows are sliced by came as text
    bools_as_ints: frozenset[str] = frozenset()  # columns of the cells that are bools in some parts and ints in others

    @classmethod
    def of(cls, batch: Batch, plan: Plan) -> Partial:
        """What one batch of rows adds."""
        import polars

        calls = list(batch.predicted)
        if not calls:
            cut = 0.5 if plan.threshold is None else plan.threshold
            calls = [polars.Series(s >= cut) for s in batch.scores]
        weighted = batch.weights is not None
        columns = {TRUTH: batch.truth} | {f"call{i}": c for i, c in enumerate(calls)}
        if weighted:
            columns[WEIGHT] = polars.Series(batch.weights)
        frame = polars.DataFrame([s.alias(name) for name, s in columns.items()])
        keys = [name for name in columns if name != WEIGHT]
        counted = [polars.len().cast(polars.Int64).alias(ROWS)]
        if weighted:
            w = polars.col(WEIGHT)
            counted += [w.sum().alias(WEIGHT), (w * w).sum().alias(SQUARES)]
        cells = _small_cells(frame, keys, batch.weights)
        if cells is None:
            cells = frame.group_by(keys).agg(counted)
        clusters = None
        if batch.groups is not None:
            by_group = frame.with_columns(batch.groups.alias(GROUP))
            if weighted:
                by_group = by_group.filter(polars.col(WEIGHT) > 0)  # a row of weight zero is no row
            clusters = by_group.group_by([GROUP, *keys]).agg(counted)
        sliced = None
        if batch.by:
            more = [column.alias(f"{BY}{i}") for i, column in enumerate(batch.by)]
            more += [] if batch.groups is None else [batch.groups.alias(GROUP)]
            divided = frame.with_columns(more)
            if weighted:
                divided = divided.filter(polars.col(WEIGHT) > 0)
            sliced = _held(divided.group_by([*(s.name for s in more), *keys]).agg(counted), plan.most_sliced)
        scores = _score_counts(batch, plan, cells)
        infinite, outside = tuple(_infinite(s) for s in batch.scores), tuple(_outside(s) for s in batch.scores)
        weighed, bits = None, _WEIGHT_BITS
        if batch.weights is not None and len(calls) > 1:
            bits_of = polars.Series(EACH, cut_bits(order_bits(batch.weights), bits))
            held = frame.with_columns(bits_of).filter(polars.col(WEIGHT) > 0)
            weighed, bits = _fitted(held.group_by([*keys, EACH]).agg(counted), bits)
        return cls(batch.n, cells, clusters, scores, infinite, batch.dropped, outside, weighed, bits, sliced)

    def __add__(self, other: Partial) -> Partial:
        if not isinstance(other, Partial):
            return NotImplemented
        both = (self.clusters, other.clusters)
        weighed, bits = None, min(self.weight_bits, other.weight_bits)
        if self.weighed is not None and other.weighed is not None:
            weighed, bits = _fitted(_added([_cut(w, bits) for w in (self.weighed, other.weighed)]), bits)
        return Partial(
            self.n + other.n,
            _added([self.cells, other.cells]),
            None if both[0] is None or both[1] is None else _added([both[0], both[1]]),
            tuple(None if a is None or b is None else a + b for a, b in zip(self.scores, other.scores, strict=True)),
            tuple(a + b for a, b in zip(self.infinite, other.infinite, strict=True)),
            Counter(self.dropped) + Counter(other.dropped),
            tuple(a + b for a, b in zip(self.outside, other.outside, strict=True)),
            weighed,
            bits,
            None if self.sliced is None or other.sliced is None else _added([self.sliced, other.sliced]),
            self.by_text or other.by_text,
            self.bools_as_ints | other.bools_as_ints | _bools_beside_ints(self.cells, other.cells),
        )

    @property
    def nbytes(self) -> int:
        """How much there is to send."""
        frames = [f for f in (self.cells, self.clusters, self.weighed, self.sliced) if f is not None]
        return int(sum(f.estimated_size() for f in frames)) + sum(s.nbytes for s in self.scores if s is not None)


def _held(sliced: polars.DataFrame, most: int) -> polars.DataFrame:
    """The cells of slices, as far as memory goes."""
    if sliced.height > most:
        problem = f"what rows are sliced by divides them into more than {most:,} cells, more than memory= holds"
        cure = "slice by fewer columns, by columns of fewer values, or give more memory= (--memory)"
        raise InputError("bad_option", problem, cure=cure)
    return sliced


def _small_cells(
    frame: polars.DataFrame, keys: Sequence[str], weights: NDArray[np.float64] | None
) -> polars.DataFrame | None:
    """The cells of labels that are few, by counting; several times as fast as grouping. None: not so."""
    import polars

    if not frame.height:
        return None
    code, size, known = np.zeros(1, dtype=np.int64), 1, []
    for key in keys:
        coded = _few_labels(frame.get_column(key))
        if coded is None or size * len(coded[1]) > _MOST_COUNTED:
            return None
        code, size = code * len(coded[1]) + coded[0], size * len(coded[1])
        known.append(coded[1])
    rows = np.bincount(code, minlength=size)
    held = np.flatnonzero(rows)
    columns: dict[str, Any] = {}
    rest = held
    for key, labels in reversed(list(zip(keys, known, strict=True))):
        columns[key] = labels.gather(rest % len(labels))
        rest = rest // len(labels)
    columns = {key: columns[key] for key in keys} | {ROWS: rows[held]}
    if weights is not None:
        columns[WEIGHT] = np.bincount(code, weights=weights, minlength=size)[held]
        columns[SQUARES] = np.bincount(code, weights=weights * weights, minlength=size)[held]
    return polars.DataFrame(columns)


def _few_labels(column: polars.Series) -> tuple[NDArray[Any], polars.Series] | None:
    """The label of each row as a number, and what they stand for: whole numbers that span little, or a few texts."""
    import polars

    if column.dtype in (polars.Int64, polars.Boolean):
        values = column.to_numpy()
        low, high = int(values.min()), int(values.max())
        if high - low >= _MOST_COUNTED:
            return None
        named = polars.Series(np.arange(low, high + 1), dtype=polars.Int64).cast(column.dtype)
        return (values - low if low else values), named
    if column.dtype != polars.String:
        return None
    texts = column.head(_LOOKED_AT).unique().drop_nulls().sort()
    if len(texts) > _FEW_TEXTS:
        return None
    code, found = np.zeros(len(column), dtype=np.int64), 0
    for number, text in enumerate(texts):
        held = (column == text).to_numpy()
        found += int(np.count_nonzero(held))
        if number:
            code += number * held
    return (code, texts) if found == len(column) else None


def _score_counts(batch: Batch, plan: Plan, cells: polars.DataFrame) -> tuple[ScoreCounts | None, ...]:
    """One tally a score column, by true class, or by "is the positive one" where that was said."""
    if not batch.scores:
        return ()
    held = cells.get_column(TRUTH).unique()
    names = [plain_label(v) for v in held.to_list()]
    if plan.positive is not None:
        said = plan.positive
        ups = [v for v, name in zip(held.to_list(), names, strict=True) if _is(name, said, plan)]
        codes = np.zeros(batch.n, dtype=np.uint8)
        for value in ups:
            codes |= (batch.truth == value).to_numpy().astype(np.uint8)
        classes: tuple[Label, ...] = (False, True)
    elif len(names) > MOST_CLASSES:
        return (None,) * len(batch.scores)
    else:
        classes = tuple(sorted(names, key=lambda v: (isinstance(v, str), v)))
        codes = np.zeros(batch.n, dtype=np.uint8)
        for value, name in zip(held.to_list(), names, strict=True):
            if place := classes.index(name):
                codes[(batch.truth == value).to_numpy()] = place
    facts = (codes, classes, batch.weights, plan.most)
    return tuple(ScoreCounts.of(s, *facts, clip) for s, clip in zip(batch.scores, batch.clips, strict=True))


def plain_label(value: Any) -> Label:
    """A value of a column of labels as it is known by: text, an int or a bool."""
    return value if isinstance(value, bool | int | str) else str(value)


def _is(label: Label, said: str, plan: Plan) -> bool:
    """Whether a label is the one that was said; True is 1, which other parts may have in its place."""
    if isinstance(label, str):
        return matched_text(label, plan.strip, plan.fold) == said
    truths = {matched_text(truth, plan.strip, plan.fold): str(int(truth)) for truth in (True, False)}
    return str(int(label)) == truths.get(said, said)


def _infinite(scores: NDArray[np.float64]) -> int:
    if not scores.size or (np.isfinite(scores.min()) and np.isfinite(scores.max())):
        return 0
    return int(np.isinf(scores).sum())


def _outside(scores: NDArray[np.float64]) -> int:
    if not scores.size or (scores.min() >= 0 and scores.max() <= 1):
        return 0
    return int(np.count_nonzero((scores < 0) | (scores > 1)))


def _fitted(weighed: polars.DataFrame, bits: int) -> tuple[polars.DataFrame, int]:
    """Weights cut to as many leading bits as leave few enough entries, as scores are: the same for any split."""
    while weighed.height > MOST_WEIGHED and bits > 1:
        bits -= 1
        weighed = _cut(weighed, bits)
    return weighed, bits


def _cut(weighed: polars.DataFrame, bits: int) -> polars.DataFrame:
    import polars

    cut = weighed.with_columns(polars.Series(EACH, cut_bits(weighed.get_column(EACH).to_numpy(), bits)))
    return _added([cut])


def _added(frames: Sequence[polars.DataFrame]) -> polars.DataFrame:
    """Sums over the rows that have the same keys."""
    import polars

    whole = _stacked(frames)
    keys = [name for name in whole.columns if name not in (ROWS, WEIGHT, SQUARES)]
    return whole.group_by(keys).agg(polars.exclude(keys).sum())


def _stacked(frames: Sequence[polars.DataFrame]) -> polars.DataFrame:
    """All rows; columns of different types are brought to one."""
    import polars

    frames = [frame for frame in frames if frame.height] or frames[:1]  # of a part without rows the types mean nothing
    schema = {}
    for name in frames[0].columns:
        kinds = {frame.schema[name] for frame in frames}
        schema[name] = one_type(name, kinds)
    return polars.concat([frame.cast(schema) for frame in frames])  # type: ignore[arg-type]


def _bools_beside_ints(first: polars.DataFrame, second: polars.DataFrame) -> frozenset[str]:
    import polars

    if not (first.height and second.height):
        return frozenset()
    kinds = {name: {first.schema[name], second.schema[name]} for name in first.columns}
    return frozenset(name for name, two in kinds.items() if polars.Boolean in two and len(two) > 1)


def one_type(name: str, kinds: set[Any]) -> Any:
    """The type in which columns of these types meet; InputError where they cannot."""
    import polars

    if len(kinds) == 1:
        return next(iter(kinds))
    if all(kind == polars.String or isinstance(kind, polars.Enum) for kind in kinds):
        return polars.String
    if kinds <= {polars.Int64, polars.Int128}:
        return polars.Int128
    if kinds <= {polars.Int64, polars.Int128, polars.Boolean}:
        return polars.Int64
    if name == GROUP or name.startswith(BY):
        return _group_type(kinds)
    listed = " in one part and ".join(sorted(show(str(kind)).strip("'") for kind in kinds))
    what = "the truth" if name == TRUTH else "a prediction"
    raise InputError("mixed_label_types", f"{what} is {listed} in another", cure="give all files one type of labels")


def _group_type(kinds: set[Any]) -> Any:
    """Numbers meet as numbers; the text "7" and the number 7 may be one group or two, which only the user knows."""
    import polars

    for fraction in (polars.Float64, polars.Float32):  # 0.1 in double and in single precision are not equal
        if kinds <= {polars.Int64, polars.Int128, fraction}:
            return fraction
    if kinds <= {polars.Int64, polars.Int128, polars.Boolean}:
        return polars.Int64
    listed = " in one part and ".join(sorted(str(kind) for kind in kinds))
    cure = "write the groups of all files with one type, and not some as CSV, which has text alone"
    raise InputError("mixed_group_types", f"groups are {listed} in another", cure=cure)
