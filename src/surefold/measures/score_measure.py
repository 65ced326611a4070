"""Measures of scores: a formula on the score tally plus its facts, as for labels.

Beside its formula a measure says what one more row moves it by. Intervals, what groups of rows do to them and
differences between models are all made from that, wherever the rows are; nothing else knows a measure by its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from surefold.docstrings import first_line
from surefold.errors import InputError
from surefold.measures.loss_sums import LossSums
from surefold.measures.measure import Better, Measure, Range, ScoreReads
from surefold.tallies.class_counts import CountedMatrix
from surefold.tallies.runs import Run
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix
from surefold.tallies.walks import Sum, has_probabilities, usual

__all__ = [
    "SCORE_REGISTERED",
    "Average",
    "AverageMove",
    "IntervalKind",
    "Line",
    "Moved",
    "ScoreMeasure",
    "score_measure",
]

Array = NDArray[np.float64]
#: Which row an interval adds, on which scale its bounds are made, and which row a difference adds.
IntervalKind = Literal[
    "area",
    "precision",
    "bounded",
    "log",
    "skill",
    "share",
    "bins",
    "profile",
    "shift",
    "smirnov",
    "rate",
    "part",
    "chi2",
    "z",
    "drawn",
]

#: Every measure of scores, in the order of its files.
SCORE_REGISTERED: dict[str, ScoreMeasure] = {}


class Moved(NamedTuple):
    """A number for a positive and one for a negative at each score of a tally.

    Of moves: by how much one more unit of weight there moves a measure. Weighted by the rows they add up to 0.
    """

    positive: Array
    negative: Array

    def at(self, place: NDArray[Any], is_positive: NDArray[np.bool_]) -> Array:
        """The numbers of rows, each of which stands at a place of the tally."""
        return np.asarray(np.where(is_positive, self.positive[place], self.negative[place]))


@dataclass(frozen=True)
class Line:
    """times * of + plus: all that is known of the other measure is known of this one.

    `rows` makes scores of two classes out of one column of scores a class: the scores, and which rows are positive.
    """

    of: ScoreMeasure
    times: float = 1.0
    plus: float = 0.0
    rows: Callable[[ScoreMatrix], tuple[Array, NDArray[np.bool_]]] | None = None


@dataclass(frozen=True, eq=False)
class AverageMove:
    """What a row moves a mean over classes by: of each class against the rest what its score does, as it weighs.

    `slope` is what a row of each class moves the weights of the values by.
    """

    tallies: tuple[ScoreGroups, ...]
    moved: tuple[Moved, ...]
    weights: Array
    slope: Array

    def over(self, scale: float) -> AverageMove:
        """Of a unit of weights that are multiplied with a scale."""
        return replace(self, weights=self.weights / scale, slope=self.slope / scale)

    def of(self, m: ScoreMatrix) -> Array:
        """A number a row."""
        found: Array = self.slope[m.truth]
        for c, (t, moved) in enumerate(zip(self.tallies, self.moved, strict=True)):
            found += self.weights[c] * moved.at(t.places(m.scores[:, c]), m.truth == c)
        return found


@dataclass(frozen=True)
class Average:
    """The mean of a two-class measure over pairs of classes, or over each class against the rest; by rows or evenly.

    Undefined where a class has no row.
    """

    of: ScoreMeasure
    pairs: bool
    by_rows: bool

    def held(self, m: ScoreMatrix | CountedMatrix) -> bool:
        """Whether all is there that it reads: the rows, or whole scores of each class against the rest."""
        return isinstance(m, ScoreMatrix) or not (self.pairs or m.quantised)

    def whole(self, m: ScoreMatrix | CountedMatrix) -> ScoreMatrix:
        """The matrix with its rows; InputError where they were counted in parts."""
        if isinstance(m, CountedMatrix):
            what = "reads whole rows of scores" if self.pairs else "needs scores that are not cut to their leading bits"
            problem = (
                f"a mean over {'pairs of ' if self.pairs else ''}classes {what}, and those take more than memory= holds"
            )
            cure = "give more memory= (--memory), or ask of one class: its column, with pos_label= (--pos-label)"
            raise InputError("bad_option", problem, cure=cure)
        return m

    def value(self, m: ScoreMatrix | CountedMatrix) -> float:
        """The mean; NaN where a class has no row."""
        if not self.pairs and (m.class_weights > 0).all() and m.classes > 1:
            return self.fitted(m)[0]
        m = self.whole(m)
        rows = m.class_weights
        if m.classes < 2 or not (rows > 0).all():
            return np.nan
        parts = [(self.weight(rows, c), self.of(ScoreGroups.of(*held))) for c, _, held in self._parts(m)]
        weights, values = zip(*parts, strict=True)
        return float(np.average(values, weights=weights))

    def moves(self, m: ScoreMatrix) -> Array:
        """What one more unit of weight on each row moves it by."""
        return self.value_and_moves(m)[1]

    def fitted(self, m: ScoreMatrix | CountedMatrix, added: ScoreMatrix | None = None) -> tuple[float, AverageMove]:
        """The mean over each class against the rest, and what rows move it by; with a few rows more."""
        if self.pairs or not self.held(m):
            m = self.whole(m)
        tallies, rows = [m.one_vs_rest(c) for c in range(m.classes)], m.class_weights
        if added is not None:
            tallies, rows = [_with(t, added, c) for c, t in enumerate(tallies)], rows + added.class_weights
        values, weights = np.array([self.of(t) for t in tallies]), rows if self.by_rows else np.ones(m.classes)
        value = float(np.average(values, weights=weights))
        slope = (values - value if self.by_rows else np.zeros(m.classes)) / weights.sum()
        return value, AverageMove(tuple(tallies), tuple(map(self.of.moved, tallies)), weights / weights.sum(), slope)

    def value_and_moves(self, m: ScoreMatrix) -> tuple[float, Array]:
        """The mean, and what one more unit of weight on each row moves it by."""
        if not self.pairs:
            value, move = self.fitted(m)
            return value, move.of(m)
        rows = m.class_weights
        total, value, found, slope = 0.0, 0.0, np.zeros(m.n), np.zeros(m.classes)
        for classes, kept, (scores, is_positive, weights) in self._parts(m):
            t, weight = ScoreGroups.of(scores, is_positive, weights), self.weight(rows, classes)
            one = self.of(t)
            found[kept] += weight * self.of.moved(t).at(t.places(scores), is_positive)
            total += weight
            value += weight * one
            if self.by_rows:
                slope[list(classes)] += one
        if self.by_rows:  # a row also moves the weights of the values that its class is in
            found += (slope - 2 * (m.classes - 1) * value / total)[m.truth]
        return value / total, found / total

    def weight(self, rows: Array, classes: tuple[int, ...]) -> float:
        """What the value of these classes counts: their rows, or 1."""
        return float(rows[list(classes)].sum()) if self.by_rows else 1.0

    def _parts(self, m: ScoreMatrix) -> Iterator[tuple[tuple[int, ...], NDArray[np.bool_], Any]]:
        """For each value: the classes whose rows weigh it, which rows it is of, and their scores, truth and weights."""
        for c in range(m.classes):
            for other in range(m.classes) if self.pairs else (c,):
                if self.pairs and other == c:
                    continue
                kept = (m.truth == c) | (m.truth == other) if self.pairs else np.ones(m.n, dtype=bool)
                weights = None if m.weights is None else m.weights[kept]
                classes = (c, other) if self.pairs else (c,)
                yield classes, kept, (m.scores[kept, c], m.truth[kept] == c, weights)


def _with(t: ScoreGroups, added: ScoreMatrix, c: int) -> ScoreGroups:
    """The tally of a class against the rest with a few rows more."""
    scores = np.concatenate([t.score, t.score, added.scores[:, c]])
    is_positive = np.concatenate([np.ones(len(t.score)), np.zeros(len(t.score)), added.truth == c]).astype(bool)
    weights = np.ones(added.n) if added.weights is None else added.weights
    return ScoreGroups.of(scores, is_positive, np.concatenate([t.positive, t.negative, weights]))


@dataclass(frozen=True)
class ScoreMeasure(Measure):
    """A measure that reads scores.

    reads:    "ranking" takes any scores of two classes (a `ScoreGroups`), "probabilities" scores that are P(positive),
              from 0 to 1, "matrix" one column of scores a class (a `ScoreMatrix`).
    interval: how its interval, and that of a difference, is made.
    moves:    what one more unit of weight moves it by: a `Moved` of a tally, a number a row of a matrix; None: unknown.
    loss:     of a mean over the rows, what is averaged, of a tally or a matrix; the moves follow from it.
    line:     another measure that this one is a line of. Then all of the above comes from there.
    average:  the two-class measure whose mean over the classes this is.
    two:      what it is where there are two classes: a line of a measure of the positive class.
    twin:     what it is called where there is one column of scores a class.
    monotone: it can only get better when a positive's score rises or a negative's falls, so it lies between its values
              at the ends of what scores may have been.
    span_of:  its least and greatest value with these options, where that is less than the range.
    of_draws: its values on many draws of a tally at once: blocks of the positives and of the negatives at each score.
    needs:    options of which one has to be given: the place that is asked about.
    ends:     its least and greatest value where each score of a tally stands for several unknown ones, if that is more.
    """

    interval: IntervalKind = "drawn"
    moves: Callable[..., Any] | None = None
    loss: Callable[..., Any] | None = None
    line: Line | None = None
    average: Average | None = None
    two: Line | None = None
    twin: str = ""
    monotone: bool = False
    span_of: Callable[[Mapping[str, Any]], Range] | None = None
    ends: Callable[[ScoreGroups], tuple[float, float]] | None = None
    of_draws: Callable[..., Array] | None = None
    needs: tuple[str, ...] = ()

    def __call__(self, tally: Any) -> float:  # type: ignore[override]
        return float(self.formula(tally, **self.settings))

    @property
    def needs_options(self) -> bool:
        """Whether none of the options was given of which it needs one."""
        return bool(self.needs) and all(self.settings[option] is None for option in self.needs)

    @property
    def span(self) -> Range:
        """The least and the greatest value with the options that are set."""
        return self.range if self.span_of is None else self.span_of(self.settings)

    @property
    def needs_probabilities(self) -> bool:
        """Whether scores have to lie from 0 to 1."""
        if self.line is not None:
            return self.line.of.needs_probabilities
        return self.reads == "probabilities" or (self.reads == "matrix" and self.interval in ("bounded", "log"))

    @property
    def source_measure(self) -> ScoreMeasure:
        """The measure that this one is a line of, with its options; or this one."""
        if self.line is None:
            return self
        shared = {name: value for name, value in self.settings.items() if name in self.line.of.options}
        return self.line.of.with_options(**shared)

    @property
    def of_two(self) -> Line | None:
        """What it is where there are two classes: a mean of areas, which both have alike, or as was said."""
        if self.average is not None and self.average.of.interval == "area":
            return Line(self.average.of)
        if self.two is not None and self.span[1] < self.range[1]:  # options that scale it
            return replace(self.two, times=self.two.times * self.span[1] / self.range[1])
        return self.two

    @property
    def has_moves(self) -> bool:
        """Whether it is known what a row moves it by."""
        known = self.source_measure
        return known.moves is not None or known.loss is not None

    def moved(self, t: ScoreGroups) -> Moved:
        """What one more unit of weight at each score moves it by; the measure has to be defined there."""
        known, times = self.source_measure, 1.0 if self.line is None else self.line.times
        if known.loss is not None:
            losses = known.losses(t)
            mean = float(t.positive @ losses.positive + t.negative @ losses.negative) / t.total
            found = Moved((losses.positive - mean) / t.total, (losses.negative - mean) / t.total)
        elif known.moves is not None:
            found = known.moves(t, **known.settings)
        else:
            raise AssertionError(f"it is not known what a row moves {self.name} by")
        return found if times == 1.0 else Moved(times * found.positive, times * found.negative)

    def losses(self, t: ScoreGroups | Run) -> Moved:
        """What a positive and a negative at each score lose."""
        if self.loss is None:
            raise AssertionError(f"{self.name} is no mean of losses")
        return Moved(*self.loss(t, **self.settings))

    def loss_sums(self, t: ScoreGroups) -> LossSums:
        """The sums over all rows of what they lose; of a log loss also with the other label."""
        return self.summed.of(t)

    @property
    def summed(self) -> Sum[LossSums]:
        """What a tally keeps them by."""
        flipped = self.interval == "log"
        return Sum(
            ("losses", self.name, *self.settings.items()),
            lambda t: LossSums.walk(lambda run: self.losses(run), t, flipped=flipped),
            has_probabilities,
        )

    def row_losses(self, m: ScoreMatrix) -> Array:
        """What each row of a matrix loses."""
        if self.loss is None:
            raise AssertionError(f"{self.name} is no mean of losses")
        return np.asarray(self.loss(m, **self.settings), dtype=np.float64)


def score_measure(
    *,
    reads: ScoreReads,
    range: Range,
    better: Better,
    text: str,
    undefined: str,
    source: str,
    aliases: tuple[str, ...] = (),
    options: Mapping[str, Any] | None = None,
    interval: IntervalKind = "drawn",
    moves: Callable[..., Any] | None = None,
    loss: Callable[..., Any] | None = None,
    line: Line | None = None,
    average: Average | None = None,
    two: Line | None = None,
    twin: str = "",
    monotone: bool = False,
    span_of: Callable[[Mapping[str, Any]], Range] | None = None,
    ends: Callable[[ScoreGroups], tuple[float, float]] | None = None,
    of_draws: Callable[..., Array] | None = None,
    needs: tuple[str, ...] = (),
) -> Callable[[Callable[..., float]], ScoreMeasure]:
    """Register a formula as a measure of scores; its name and meaning are the function's name and docstring."""
    if line is not None:
        interval = line.of.interval
    if average is not None:
        interval, moves = average.of.interval, average.moves

    def register(formula: Callable[..., float]) -> ScoreMeasure:
        facts = (reads, range, better, text, undefined, source, first_line(formula), aliases)
        new = ScoreMeasure(
            formula.__name__, formula, *facts, options=options or {}, settings=options or {}, interval=interval,
            moves=moves, loss=loss, line=line, average=average, two=two, twin=twin, monotone=monotone, span_of=span_of,
            ends=ends, of_draws=of_draws, needs=needs,
        )  # fmt: skip
        if new.name in SCORE_REGISTERED:
            raise AssertionError(f"two measures are called {new.name}")
        SCORE_REGISTERED[new.name] = new
        if loss is not None and reads == "probabilities":
            usual(new.summed, shown=True)
        return new

    return register
