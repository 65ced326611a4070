"""Evidence: what some models said of some rows, and all that can be asked of it.

Rows that are held (`Held`) and rows counted in parts (`Counted`) answer alike, so that what is made of them is written
once: measures, intervals, comparisons, thresholds, curves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from surefold.evidence.cuts import Cuts
from surefold.evidence.slicing import Sliceable
from surefold.findings import Finding
from surefold.inputs.kinds import Label
from surefold.inputs.predictions import Predictions
from surefold.measures.score_measure import Moved
from surefold.tallies.against_rest import AgainstRest
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion
from surefold.tallies.label_cells import LabelCells
from surefold.tallies.moves import Family, Moves
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import RowMove, ScoreMatrix

if TYPE_CHECKING:
    from surefold.evidence.held import Held

__all__ = ["Evidence", "Part", "Tabled", "Weights", "removed_classes"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tabled:
    """The table of one model's labels, what each group put into it, and the classes that weights removed."""

    confusion: Confusion
    clusters: Clusters | None = None
    removed: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Weights:
    """What weights are worth: `effective` rows, (sum w)^2 / sum w^2, which they add up to once multiplied by `scale`.

    `vary`: whether some row weighs more than another.

    >>> Weights.of(np.array([1.0, 1.0, 2.0]))  # 4^2 / 6 rows; 4 / 6
    Weights(effective=2.6666666666666665, scale=0.6666666666666666, vary=True)
    """

    effective: float
    scale: float = 1.0
    vary: bool = False

    @classmethod
    def of(cls, weights: Array) -> Weights:
        """From one weight a row."""
        scale = float(weights.sum() / (weights @ weights))
        return cls(scale * float(weights.sum()), scale, bool(np.ptp(weights) > 1e-9 * weights.max()))


@dataclass(frozen=True)
class Part:
    """The rows of one level of a column that rows are sliced by, or all but those."""

    column: str
    level: Any
    rest: bool = False


class Evidence(Protocol):
    """Some models' answers for the same rows. `positive` is a place in `labels`; `n` counts rows, whatever they weigh.

    `factors` name what rows are grouped by, and are empty where rows are independent. `costs_a_pass` is whether
    `moves`, and in groups `cut` and `folds`, read the rows again: then everything is best asked for at once. Without
    `has_rows` they refuse.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        ...

    @property
    def labels(self) -> tuple[Label, ...]:
        """Every label there is, in order."""
        ...

    @property
    def positive(self) -> int | None:
        """Which of them is the positive one, if one is."""
        ...

    @property
    def n(self) -> int:
        """Rows, whatever they weigh."""
        ...

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What the door noticed."""
        ...

    @property
    def weights(self) -> Weights:
        """What the weights of rows are worth."""
        ...

    @property
    def factors(self) -> tuple[str, ...]:
        """What rows are grouped by."""
        ...

    @property
    def by(self) -> Mapping[str, Any]:
        """The columns that rows may be sliced by."""
        ...

    @property
    def has_labels(self) -> bool:
        """Whether there are labels, or some could be made of the scores."""
        ...

    @property
    def has_scores(self) -> bool:
        """Whether there are scores."""
        ...

    @property
    def costs_a_pass(self) -> bool:
        """Whether rows are read again for what is asked of groups."""
        ...

    @property
    def has_rows(self) -> bool:
        """Whether rows can be asked again at all."""
        ...

    def table(self, model: str) -> Tabled:
        """The table of a model's labels; InputError where none could be made of its scores."""
        ...

    def scores(self, model: str) -> ScoreGroups | None:
        """The tally of a model's scores, positive class against the rest; None where that class is not known."""
        ...

    def ends(self, model: str) -> AgainstRest | None:
        """Between which tallies scores lie that were cut to their leading bits; None where they are as they were."""
        ...

    def matrix(self, model: str) -> ScoreMatrix | CountedMatrix | None:
        """A model's scores, one column a class; None where there is one column."""
        ...

    def cells(self) -> LabelCells:
        """The truth and every model's call: rows, or cells of rows that are alike."""
        ...

    def tallies(self) -> Iterator[ScoreGroups]:
        """Of one model's scores after the other, with weights that add up to the effective rows."""
        ...

    def matrices(self) -> Iterator[ScoreMatrix | CountedMatrix]:
        """The same where there is one column of scores a class."""
        ...

    def of_rows(self, model: int, move: RowMove) -> Array | RowMove:
        """What each row of a model's matrix moves a measure by, as `moves` takes it."""
        ...

    def lookup(self, model: int, moved: Moved) -> Array:
        """What is given at each score of a model's tally, as `moves` looks it up."""
        ...

    def moves(self, families: Sequence[Family], classes: int) -> Moves:
        """What rows move measures by, added up over the rows of each class (one, or the negative and the positive)."""
        ...

    def cut(self, model: str, thresholds: Array) -> Cuts:
        """The table at each threshold, with the squares of the weights and what groups put into it."""
        ...

    def folds(self, model: str, k: int, seed: int | np.random.Generator | None) -> list[ScoreGroups]:
        """The scores dealt into k tallies at random, whole groups to each."""
        ...

    def part(self, part: Part) -> Evidence:
        """The same of some rows alone."""
        ...

    def sliceable(self) -> Sliceable:
        """The models' labels, as rows or cells, with what they may be sliced by."""
        ...

    def all_rows(self) -> Held:
        """The rows, held; InputError where they are more than memory holds."""
        ...

    def predictions(self, model: str) -> Predictions:
        """The rows themselves, for drawing; InputError where they are not held."""
        ...

    def close(self) -> None:
        """Let go of the engine; what is asked for later starts it anew."""
        ...


def removed_classes(truth: NDArray[Any], weights: Array | None) -> frozenset[int]:
    """Classes whose rows all have weight zero."""
    if weights is None:
        return frozenset()
    weighed = np.bincount(truth, weights=weights)
    return frozenset(np.flatnonzero((np.bincount(truth) > 0) & (weighed == 0)).tolist())
