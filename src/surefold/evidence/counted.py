"""Evidence of rows that need not fit in memory: their parts are counted, and gone over again where groups need that."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from surefold.engines.rows import Job, Rows, memory_bytes
from surefold.errors import InputError
from surefold.evidence.again import ByGroup, ContentsJob, CutJob, Folds, FoldsJob, OneColumn
from surefold.evidence.cuts import Cuts, Entries
from surefold.evidence.evidence import Part, Tabled, Weights, removed_classes
from surefold.evidence.first_pass import FirstPass, first_pass
from surefold.evidence.gathered import gathered
from surefold.evidence.held import Held
from surefold.evidence.sliced import Sliced
from surefold.evidence.slicing import Sliceable
from surefold.findings import Finding
from surefold.inputs.door import Columns, Door
from surefold.inputs.kinds import Label
from surefold.inputs.parts import Roles
from surefold.inputs.predictions import Predictions
from surefold.measures.calibration import effective_scale
from surefold.measures.score_measure import Moved
from surefold.tallies.against_rest import AgainstRest
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion
from surefold.tallies.label_cells import GroupedCells, LabelCells
from surefold.tallies.moves import Family, Moves, MovesJob, Places
from surefold.tallies.partial import BY, GROUP, ROWS, SQUARES, TRUTH, WEIGHT, plain_label
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import RowMove
from surefold.tallies.sparse import DENSE_CLASSES, SparseCounts

if TYPE_CHECKING:
    import polars

__all__ = ["Counted", "Engine"]

Array = NDArray[np.float64]
Codes = NDArray[np.intp]

#: Bytes that an entry of a group, a class and a threshold takes while entries are added up.
ENTRY_BYTES = 96
NO_ROWS = "the rows are not here any more"


class Engine:
    """Rows that can be gone over after they were closed: then the engine is started anew, and closed again."""

    def __init__(self, rows: Rows) -> None:
        self.rows, self._open = rows, True

    def reduce(self, job: Job, what: str = "rows") -> Any:
        """What a job makes of every part, added up."""
        if self._open:
            return self.rows.reduce(job, what)
        with closing(self.rows.again()) as rows:
            return rows.reduce(job, what)

    def gathered(self, columns: Columns[str], door: Door, memory: str | float | None) -> Held | None:
        """The rows themselves; None where memory does not hold them."""
        if self._open:
            found = gathered(self.rows, columns, door, memory)
        else:
            with closing(self.rows.again()) as rows:
                found = gathered(rows, columns, door, memory)
        return found if isinstance(found, Held) else None

    def close(self) -> None:
        """Let go of it."""
        if self._open:
            self._open = False
            self.rows.close()


@dataclass(frozen=True, eq=False)
class Counted:
    """Rows that were counted. One that was pickled has its counts and no rows."""

    counts: FirstPass = field(repr=False)
    asked: tuple[Columns[str], Door, str | float | None] = field(repr=False)
    engine: Engine | None = field(repr=False)

    costs_a_pass = True

    @classmethod
    def of(cls, rows: Rows, columns: Columns[str], door: Door, memory: str | float | None = None) -> Counted:
        """The first pass over the rows."""
        return cls(first_pass(rows, columns, door, memory), (columns, door, memory), Engine(rows))

    def __getstate__(self) -> dict[str, Any]:
        return {"counts": self.counts, "asked": self.asked, "engine": None}

    # what it is of

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(self.counts.doors)

    @property
    def first(self) -> Predictions:
        """The door's word on the first model: one row a cell."""
        return next(iter(self.counts.doors.values()))

    @property
    def labels(self) -> tuple[Label, ...]:
        """Every label there is, in order."""
        return self.first.labels

    @property
    def positive(self) -> int | None:
        """Which of them is the positive one, if one is."""
        return self.first.positive

    @property
    def n(self) -> int:
        """Rows, whatever they weigh."""
        return self.counts.partial.n

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the door noticed."""
        return self.counts.findings

    @property
    def factors(self) -> tuple[str, ...]:
        """What rows are grouped by."""
        return () if self.counts.roles.group is None else ("groups",)

    @property
    def by(self) -> Mapping[str, str]:
        """The columns that rows may be sliced by."""
        return self.asked[0].by

    @property
    def has_labels(self) -> bool:
        """Whether every model has labels."""
        return all(p.predicted is not None for p in self.counts.doors.values())

    @property
    def has_scores(self) -> bool:
        """Whether every model has scores."""
        return bool(self.counts.roles.scores)

    @property
    def has_rows(self) -> bool:
        """Whether the rows can be gone over again."""
        return self.engine is not None

    @cached_property
    def weights(self) -> Weights:
        """What the weights of rows are worth."""
        cells = self.counts.partial.cells
        if WEIGHT not in cells.columns:
            return Weights(float(self.n))
        weight, squares = (cells.get_column(name).to_numpy() for name in (WEIGHT, SQUARES))
        total, squared, rows = float(weight.sum()), float(squares.sum()), float(self.n)
        return Weights(total**2 / squared, total / squared, rows * squared > total**2 * (1 + 1e-12))

    # what it says

    def table(self, model: str) -> Tabled:
        """The table of a model's labels."""
        p, m = self.counts.doors[model], self.names.index(model)
        if p.predicted is None:
            cure = "give y_pred=, or a threshold= for the scores (--threshold)"
            raise InputError("bad_option", "the scores are no probabilities, so no labels could be made", cure=cure)
        cells, k = self.counts.partial.cells, len(p.labels)
        weighted = WEIGHT in cells.columns
        weight = cells.get_column(WEIGHT if weighted else ROWS).to_numpy().astype(float)
        columns = [weight, *([cells.get_column(SQUARES).to_numpy()] if weighted else [])]
        sums = [SparseCounts.collect(k, p.truth, p.predicted, column) for column in columns]
        tables = [t.dense() if k <= DENSE_CLASSES else t for t in sums]
        squares = tables[1] if weighted else None
        confusion = Confusion(tables[0], p.labels, squares=squares, declared=p.declared)
        return Tabled(confusion, self._clusters(p, m), removed_classes(p.truth, weight if weighted else None))

    def _clusters(self, p: Predictions, m: int) -> Clusters | None:
        held = self.counts.partial.clusters
        if held is None or p.predicted is None:
            return None
        k = len(p.labels)
        true = self._codes(held, TRUTH, p.truth)
        called = self._codes(held, f"call{m}", p.predicted)
        group = (held.get_column(GROUP).rank("dense") - 1).to_numpy().astype(np.int64)
        weight = held.get_column(WEIGHT if WEIGHT in held.columns else ROWS).to_numpy().astype(float)
        pair, where = np.unique((group * k + true) * k + called, return_inverse=True)
        summed = np.bincount(where, weights=weight, minlength=len(pair)).astype(float)
        return Clusters(int(group.max()) + 1, k, pair // (k * k), pair // k % k, pair % k, summed)

    def _codes(self, frame: polars.DataFrame, column: str, known: NDArray[Any]) -> Codes:
        """The codes of values in a frame, by those that the door gave to the cells."""
        names = self.counts.partial.cells.get_column(column)
        lookup = dict(zip(names.to_list(), known.tolist(), strict=True))
        return frame.get_column(column).replace_strict(list(lookup), list(lookup.values())).to_numpy().astype(np.intp)

    def scores(self, model: str) -> ScoreGroups | None:
        """The tally of a model's scores, positive class against the rest."""
        found = self.ends(model)
        return None if found is None else self._tallies[self.names.index(model)]

    def ends(self, model: str) -> AgainstRest | None:
        """Between which tallies scores lie that were cut to their leading bits."""
        p, partial = self.counts.doors[model], self.counts.partial
        counts = partial.scores[self.names.index(model)] if partial.scores else None
        if counts is None or p.positive is None:
            return None
        return AgainstRest(counts, frozenset({True}) if self.counts.said else self._positive)

    def matrix(self, model: str) -> CountedMatrix | None:
        """None: there is one column of scores a model."""
        return None

    def cells(self) -> LabelCells:
        """The truth and every model's call."""
        return self._cells

    @cached_property
    def _cells(self) -> LabelCells:
        first, doors = self.first, self.counts.doors.values()
        called = [p.predicted for p in doors if p.predicted is not None]
        if len(called) < len(doors):
            cure = "give labels, or a threshold= that divides the scores"
            raise InputError("bad_option", "no labels could be made from the scores", cure=cure)
        partial = self.counts.partial

        def coded(frame: polars.DataFrame) -> tuple[Codes, list[Codes]]:
            """The truth and every model's answer in rows of another frame."""
            calls = [self._codes(frame, f"call{m}", known) for m, known in enumerate(called)]
            return self._codes(frame, TRUTH, first.truth), calls

        weighted, clusters, grouped = WEIGHT in partial.cells.columns, partial.clusters, None
        if clusters is not None:
            group = (clusters.get_column(GROUP).rank("dense") - 1).to_numpy().astype(np.intp)
            each = clusters.get_column(WEIGHT if weighted else ROWS).to_numpy().astype(float)
            grouped = GroupedCells(group, *coded(clusters), each)
        entries = partial.cells
        if partial.weighed is not None:
            keys = [c for c in partial.weighed.columns if c not in (ROWS, WEIGHT, SQUARES)]
            entries = partial.weighed.sort(keys)
        rows = entries.get_column(ROWS).to_numpy().astype(np.int64)
        weight, squares = (entries.get_column(c).to_numpy() if weighted else None for c in (WEIGHT, SQUARES))
        truth, calls = coded(entries)
        return LabelCells(first.labels, truth, calls, rows, weight, squares, first.declared, grouped)

    def sliceable(self) -> Sliceable:
        """Cells of what rows are sliced by, their group, the truth and every call."""
        partial, by = self.counts.partial, self.asked[0].by
        if partial.sliced is None:
            return Sliceable({})
        frame = partial.sliced.sort([c for c in partial.sliced.columns if c not in (ROWS, WEIGHT, SQUARES)])
        columns = {name: frame.get_column(f"{BY}{i}").alias(name) for i, name in enumerate(by)}
        rows = frame.get_column(ROWS).to_numpy()
        if not self.has_labels:
            return Sliceable(columns, None, rows.astype(float), partial.by_text)
        first, weighted = self.first, WEIGHT in frame.columns
        truth = self._codes(frame, TRUTH, first.truth)
        doors = enumerate(self.counts.doors.values())
        calls = [self._codes(frame, f"call{m}", p.predicted) for m, p in doors if p.predicted is not None]
        weight, squares = (frame.get_column(c).to_numpy() if weighted else None for c in (WEIGHT, SQUARES))
        grouped = None
        if GROUP in frame.columns:
            group = (frame.get_column(GROUP).rank("dense") - 1).to_numpy().astype(np.intp)
            each = rows.astype(float) if weight is None else weight
            grouped = GroupedCells(group, truth, calls, each)
        facts = (rows.astype(np.int64), weight, squares, first.declared, grouped)
        return Sliceable(columns, LabelCells(first.labels, truth, calls, *facts), rows.astype(float), partial.by_text)

    def all_rows(self) -> Held:
        """All rows, gathered in one more pass, as far as memory goes."""
        found = self._engine.gathered(*self.asked)
        if found is None:
            problem = "slices of scores need all rows at once, and they are more than memory= holds"
            cure = "give more memory= (--memory), or slice measures of labels, which are counted"
            raise InputError("bad_option", problem, cure=cure)
        return replace(found, by_text=self.counts.partial.by_text)

    def tallies(self) -> Iterator[ScoreGroups]:
        """Of one model's scores after the other, scaled to the effective rows."""
        for t in self._tallies:
            yield t.scaled(effective_scale(t))

    def matrices(self) -> Iterator[CountedMatrix]:
        """The same where there is one column of scores a class."""
        raise AssertionError("one column of scores a class was expected")

    def of_rows(self, model: int, move: RowMove) -> RowMove:
        """Made into numbers where the rows are."""
        return move

    def lookup(self, model: int, moved: Moved) -> Array:
        """A table of class and group of the counts."""
        at = self._counts_of(model).places_in(self._tallies[model])
        return np.stack([moved.negative[at], moved.positive[at]])

    def moves(self, families: Sequence[Family], classes: int) -> Moves:
        """What rows move measures by, added up."""
        counts = [self._counts_of(m).counts for m in range(len(self.names))]
        places = tuple(Places(c.bits, c.level) for c in counts)
        scale = effective_scale(self._tallies[0])
        job = MovesJob(self._roles, places, tuple(families), self._positive, scale)
        found: Moves = self._again(job, "moves")
        return found

    def cut(self, model: str, thresholds: Array) -> Cuts:
        """The table at each threshold, and what groups put into it."""
        t = self.scores(model)
        if t is None:
            raise AssertionError("thresholds cut scores of a positive class")
        if not self.factors:
            return Cuts.of(t, thresholds)
        memory = memory_bytes(self.asked[2])
        # At one threshold a group has four cells at most, which is what its labels would take.
        lots = math.ceil(self.n * ENTRY_BYTES / memory) if len(thresholds) > 1 else 1

        def entries() -> Iterator[Entries]:
            for lot in range(lots):
                found: ByGroup = self._again(CutJob(self._column(model), thresholds, lot, lots), "thresholds")
                if found.frame.height:
                    yield found.entries()

        return Cuts.of(t, thresholds, entries)

    def folds(self, model: str, k: int, seed: int | np.random.Generator | None) -> list[ScoreGroups]:
        """The scores dealt into k tallies, whole groups to each."""
        t = self.scores(model)
        if t is None:
            raise AssertionError("scores of a positive class were expected")
        if not self.factors:
            return t.dealt(k, seed)
        column, known = self._column(model), self._counts_of(self.names.index(model)).counts
        found: ByGroup = self._again(ContentsJob(column), "groups")
        place = found.contents().dealt(k, seed)
        job = FoldsJob(column, found.names(), place, known.most, t.clip, t.is_weighted)
        folds: Folds = self._again(job, "folds")
        return [counts.tally(frozenset({True})) for _, counts in sorted(folds.parts.items())]

    def part(self, part: Part) -> Counted:
        """The same of some rows alone."""
        columns, door, memory = self.asked
        return Counted.of(Sliced(self._engine.rows, columns.by[part.column], part), columns, door, memory)

    def predictions(self, model: str) -> Predictions:
        """InputError: no row is held."""
        cure = "use method='auto', or pass arrays"
        raise InputError("bad_option", "rows counted in parts cannot be drawn from: none is held", cure=cure)

    def close(self) -> None:
        """Let go of the engine; what is asked for later starts it anew."""
        if self.engine is not None:
            self.engine.close()

    # inside

    @property
    def _roles(self) -> Roles:
        """What is read again: the columns, with one of scores a model."""
        return replace(self.counts.roles, by=())

    @cached_property
    def _positive(self) -> frozenset[Label]:
        """The labels of the positive class as the files have them."""
        p = self.first
        named = zip(self.counts.partial.cells.get_column(TRUTH).to_list(), p.truth.tolist(), strict=True)
        return frozenset(plain_label(value) for value, code in named if code == p.positive)

    @cached_property
    def _tallies(self) -> tuple[ScoreGroups, ...]:
        return tuple(self._counts_of(m).tally() for m in range(len(self.names)))

    def _counts_of(self, model: int) -> AgainstRest:
        found = self.ends(self.names[model])
        if found is None:
            raise AssertionError("scores of a positive class were expected")
        return found

    def _column(self, model: str) -> OneColumn:
        m = self.names.index(model)
        roles = replace(self._roles, predicted=(), scores=(self._roles.scores[m],))
        return OneColumn(roles, self._positive, self._counts_of(m).counts.a_hair_outside)

    @property
    def _engine(self) -> Engine:
        if self.engine is None:
            cure = "assess them again: groups are more than counts can tell"
            raise InputError("bad_option", NO_ROWS, cure=cure)
        return self.engine

    def _again(self, job: Job, what: str) -> Any:
        return self._engine.reduce(job, what)
