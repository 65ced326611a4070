"""What a comparison says: every pair's difference, the test, and a verdict in words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold._version import heading
from surefold.comparison.best_set import BestSet, Leads, best_set_of
from surefold.comparison.ranks import Rank, ranks_of, sure_wins
from surefold.errors import UnknownNameError
from surefold.estimates.estimate import Estimate, SameFigures, TestResult
from surefold.findings import Finding
from surefold.flavours import Flavour
from surefold.inputs.levels import Bins, By
from surefold.numbers import p_said
from surefold.shown import Shown

if TYPE_CHECKING:
    from surefold.comparison.difference_curves import DifferenceCurve
    from surefold.comparison.slices.compared import ComparedSlices
    from surefold.evidence.held import Held
    from surefold.verdict.verdict import Verdict

__all__ = ["Comparison", "Comparisons", "Difference", "Status", "Winner", "about_rows", "status_of"]

Status = Literal["better", "practically_equal", "worse", "cannot_tell"]


def status_of(
    test: TestResult, p: float, lower_is_better: bool, level: float, *, equal_p: float | None = None
) -> Status:
    """What an effect, its adjusted p, and the adjusted p of lying outside the margin say of the first model.

    Inside the margin comes first: a difference that is sure and too small to matter is no reason to switch.
    """
    if not test.effect.defined:
        return "cannot_tell"
    if equal_p is not None and equal_p <= level:
        return "practically_equal"
    if p > level or test.effect.value == 0:
        return "cannot_tell"
    return "better" if (test.effect.value > 0) != lower_is_better else "worse"


@dataclass(frozen=True, eq=False)
class Difference(SameFigures):
    """First minus second on the same rows.

    adjusted_p:  the test's p, adjusted for the number of pairs.
    equal_p:     the adjusted p of "they differ by the margin or more"; None without a margin.
    rows_needed: about how many rows in all would tell, if the difference stays what it is; None where it is told,
                 infinite where no number of rows would.
    smallest:    the smallest difference these rows would find four times in five.
    findings:    that few rows decide, or would cost the margin.
    spread:      the standard error that the test rests on, an added row among its rows.
    together:    the interval that goes with the status, made at the level that all pairs share; None of a pair that
                 was not told with others, whose own interval it is.
    reach:       gives the bounds from below and from above, each at a confidence, that hold far from `effect` too.
    """

    first: str
    second: str
    measure: str
    test: TestResult
    adjusted_p: float
    status: Status
    margin: float | None = None
    equal_p: float | None = None
    rows_needed: float | None = None
    smallest: float | None = None
    rows: float = math.nan
    findings: tuple[Finding, ...] = ()
    spread: float = math.nan
    together: Estimate | None = None
    reach: Callable[[float], tuple[float, float]] | None = field(default=None, repr=False, compare=False)

    @property
    def effect(self) -> Estimate:
        """First minus second, with the interval that goes with the status: of several pairs it holds for all at once.

        It leaves out 0 just where p tells the pair, and lies inside the margin just where they are practically equal.
        Its `confidence` is that of this interval by itself.
        """
        return self.test.effect if self.together is None else self.together

    @property
    def single(self) -> Estimate:
        """First minus second, with the interval that this pair would have if it were the only one."""
        return self.test.effect

    def surely(self, better: str, level: float) -> int:
        """1 where the first model is surely better, whatever the margin says, -1 where it is worse, 0 otherwise."""
        if not self.effect.defined or self.adjusted_p > level or self.effect.value == 0:
            return 0
        return 1 if (self.effect.value > 0) == (better == "higher") else -1

    @property
    def turned(self) -> Difference:
        """The same pair the other way round: second minus first."""
        test = replace(self.test, effect=_turned(self.single), statistic=-self.test.statistic)
        status: Status = {"better": "worse", "worse": "better"}.get(self.status, self.status)  # type: ignore[assignment]
        together = None if self.together is None else _turned(self.together)
        return replace(
            self, first=self.second, second=self.first, test=test, status=status, together=together, reach=None
        )

    @property
    def more_rows(self) -> float | None:
        """How many more rows than there are would tell."""
        return None if self.rows_needed is None else max(self.rows_needed - self.rows, 0.0)

    def __str__(self) -> str:
        if not self.effect.defined:
            return f"{self.first} cannot be told from {self.second}: {self.effect.reason}."
        why = f" ({self.effect.reason})" if self.effect.reason else ""
        gap = f"{self.measure} differs by {self.effect}{why}, {self.test.name} {p_said(self.adjusted_p)}"
        if self.status == "practically_equal" and self.margin is not None and self.equal_p is not None:
            inside = f"inside the margin of {self.margin:g} ({p_said(self.equal_p)})"
            return f"{self.first} and {self.second} are practically equal: {gap}, {inside}.{self._few()}"
        words = {"better": "is better than", "worse": "is worse than"}.get(self.status, "cannot be told from")
        return f"{self.first} {words} {self.second}: {gap}.{self._few()}{self._needed()}"

    def _few(self) -> str:
        return "".join(f" {finding.sentence}" for finding in self.findings)

    def _needed(self) -> str:
        """What would tell, where this does not."""
        if self.status != "cannot_tell" or self.rows_needed is None or self.more_rows is None:
            return ""
        if math.isinf(self.rows_needed):
            return " No number of rows is likely to tell: say by a margin how small a difference does not matter."
        return f" About {about_rows(self.more_rows)} more rows would tell, if the difference stays what it is."

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the pair, its test, the adjusted p and what follows."""
        told = {"margin": self.margin, "equal_p": self.equal_p, "smallest": self.smallest}
        endless = self.rows_needed is not None and math.isinf(self.rows_needed)
        return {
            "first": self.first,
            "second": self.second,
            "measure": self.measure,
            "effect": self.effect.to_dict(),
            "test": self.test.to_dict(),
            "adjusted_p": self.adjusted_p,
            "status": self.status,
            **told,
            "rows_needed": None if endless else self.rows_needed,
            "findings": [finding.to_dict() for finding in self.findings],
            "sentence": str(self),
        }


def _turned(e: Estimate) -> Estimate:
    return replace(e, value=-e.value, low=-e.high, high=-e.low)


def about_rows(rows: float) -> str:
    """Two digits are all that a guess of rows is good for."""
    if rows < 10:
        return f"{math.ceil(rows)}"
    digits = 10 ** (math.floor(math.log10(rows)) - 1)
    rounded = math.ceil(rows / digits) * digits
    return f"{rounded:,}" if rounded < 1e12 else f"{rounded:.0e}"


@dataclass(frozen=True)
class Winner:
    """The best of m models: its value looks better than it is, because it was picked on these rows.

    `corrected` is the interval that holds for all m models at once, the winner among them.
    """

    name: str
    models: int
    estimate: Estimate
    corrected: Estimate

    def __str__(self) -> str:
        told = f"{self.name} has the best {self.estimate.name} of {self.models}: {self.estimate}"
        return f"{told}; allowing for the choice {self.corrected}."

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the model, its value, and the interval that allows for the choice."""
        return {
            "name": self.name,
            "models": self.models,
            "estimate": self.estimate.to_dict(),
            "corrected": self.corrected.to_dict(),
        }


@dataclass(frozen=True)
class Comparison(Shown):
    """Models on one measure, on the same rows or splits: every pair, or each against a control."""

    measure: str
    values: dict[str, Estimate]
    differences: tuple[Difference, ...]
    better: str = "higher"
    control: str | None = None
    margin: float | None = None
    confidence: float = 0.95
    winner: Winner | None = None
    adjust: str = "holm"
    findings: tuple[Finding, ...] = ()
    models: Held | None = field(default=None, repr=False, compare=False)
    counted: int | None = field(default=None, repr=False)  # rows that are not held, but were counted in parts
    joint: bool = field(default=False, repr=False)  # whether the standard errors of pairs are of one covariance
    flavour: Flavour = field(default="polars", repr=False)

    @property
    def verdict(self) -> Verdict:
        """Who is better, or the set of which the best is one; each pair has a sentence of its own in `differences`."""
        from surefold.verdict.compared import verdict_of_comparison

        return verdict_of_comparison(self)

    @property
    def order(self) -> tuple[str, ...]:
        """The models from best to worst value; undefined ones last."""
        sign = -1.0 if self.better == "higher" else 1.0

        def place(name: str) -> tuple[bool, float]:
            value = float(self.values[name])
            return math.isnan(value), sign * value

        return tuple(sorted(self.values, key=place))

    @property
    def wins(self) -> NDArray[np.int64]:
        """What was told of each pair, in the order of `values`: 1 the row's model is better, -1 worse, 0 neither."""
        names = list(self.values)
        table = np.zeros((len(names), len(names)), dtype=np.int64)
        for d in self.differences:
            told = {"better": 1, "worse": -1}.get(d.status, 0)
            i, j = names.index(d.first), names.index(d.second)
            table[i, j], table[j, i] = told, -told
        return table

    @property
    def no_ranks(self) -> str | None:
        """Why there are no ranks and no best set; None where there are."""
        if len(self.values) < 3:
            return "two models have one difference, and no ranks"
        return None if self.control is None else f"only the pairs with {self.control} were tested: leave control out"

    @cached_property
    def ranks(self) -> dict[str, Rank] | None:
        """The places that each model may have, best first: from 1 + those surely better to m - those surely worse.

        All hold at once, as the adjusted verdicts do. None with fewer than three models or a control: see `no_ranks`.
        """
        if self.no_ranks is not None:
            return None
        told = {(d.first, d.second): d.surely(self.better, 1 - self.confidence) for d in self.differences}
        values = [float(self.values[name]) for name in self.order]
        return ranks_of(self.order, values, sure_wins(self.order, told), self.better == "higher")

    @cached_property
    def best_set(self) -> BestSet | None:
        """The models of which one may be the best, and by how much the others are behind it at most.

        It asks less than the verdicts of all pairs, so it is smaller than those not surely beaten. None where there are
        no ranks.
        """
        if self.no_ranks is not None:
            return None
        names, sign = list(self.values), 1.0 if self.better == "higher" else -1.0
        pairs = {(names.index(d.first), names.index(d.second)): d for d in self.differences}

        def most(i: int, j: int, confidence: float) -> float:
            d = pairs.get((i, j)) or pairs[j, i]
            low, high = (math.inf, -math.inf) if d.reach is None else d.reach(confidence)
            return high if (d.first == names[i]) == (sign > 0) else -low

        told = {p: (sign * d.effect.value, d.test.p_value, d.spread, d.effect.se) for p, d in pairs.items()}
        return best_set_of(names, Leads.of(len(names), told, self.joint, most), self.order, self.confidence)

    def __getitem__(self, pair: tuple[str, str]) -> Difference:
        if not (isinstance(pair, tuple) and len(pair) == 2):
            raise UnknownNameError("pair of models", pair, [f"{d.first}, {d.second}" for d in self.differences])
        for difference in self.differences:
            if (difference.first, difference.second) == pair:
                return difference
            if (difference.second, difference.first) == pair:
                return difference.turned
        for name in pair:
            if name not in self.values:
                raise UnknownNameError("model", name, self.values)
        raise UnknownNameError("pair of models", ", ".join(pair), [f"{d.first}, {d.second}" for d in self.differences])

    def difference_curve(
        self, first: str, second: str, kind: Literal["roc", "gains"] = "roc", confidence: float | None = None
    ) -> DifferenceCurve:
        """One model's curve less another's, with a band."""
        from surefold.comparison.difference_curves import difference_curve

        return difference_curve(self, first, second, kind, confidence)

    def by(
        self,
        *columns: By,
        bins: Bins | Mapping[str, Bins] | None = None,
        pairs: bool = False,
        min_rows: int = 5,
    ) -> ComparedSlices:
        """Where did a model get worse? Every pair in every slice of the rows, p adjusted for all of them together.

        `columns` are {name: column}, frames or arrays with a value for each row; `bins` and `pairs` are as in `slices`.

        >>> from surefold import compare
        >>> truth, old, new = [1] * 120, [1] * 100 + [0] * 20, [1] * 60 + [0] * 40 + [1] * 20
        >>> found = compare(truth, {"new": new, "old": old}).by({"half": ["a"] * 60 + ["b"] * 60})
        >>> found["a"].difference.status, found["b"].difference.status
        ('cannot_tell', 'worse')
        """
        from surefold.comparison.slices.compared import compared_by

        return compared_by(self, columns, bins, pairs, min_rows)

    def to_frame(self, flavour: Flavour | None = None) -> Any:
        """One row a pair: the difference, its interval and test; a frame of the library that the truth came from."""
        from surefold.report.frame import differences_frame

        return differences_frame(self, flavour or self.flavour)

    def to_dict(self) -> dict[str, Any]:
        """Plain values ready for JSON."""
        return {
            **heading("comparison"),
            "measure": self.measure,
            "better": self.better,
            "control": self.control,
            "margin": self.margin,
            "confidence": self.confidence,
            "adjust": self.adjust,
            "values": {name: estimate.to_dict() for name, estimate in self.values.items()},
            "differences": [difference.to_dict() for difference in self.differences],
            "order": list(self.order),
            "ranks": None if self.ranks is None else {name: rank.to_dict() for name, rank in self.ranks.items()},
            "best_set": None if self.best_set is None else self.best_set.to_dict(),
            "winner": None if self.winner is None else self.winner.to_dict(),
            "findings": [finding.to_dict() for finding in self.findings],
            "verdict": self.verdict.to_dict(),
        }


@dataclass(frozen=True)
class Comparisons(Shown, Mapping[str, Comparison]):
    """The same models on several measures. Made by `compare` when it is given a list of them."""

    each: dict[str, Comparison]

    def __getitem__(self, measure: str) -> Comparison:
        if measure in self.each:
            return self.each[measure]
        from surefold.measures import catalogue

        name = catalogue[measure].name
        if name not in self.each:
            raise UnknownNameError("measure of this comparison", measure, self.each)
        return self.each[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.each)

    def __len__(self) -> int:
        return len(self.each)

    @property
    def verdict(self) -> Verdict:
        """What the first measure says; the others stand below it."""
        from surefold.verdict.compared import verdict_of_comparisons

        return verdict_of_comparisons(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values: each comparison under the name of its measure."""
        return {
            **heading("comparisons"),
            "measures": {name: comparison.to_dict() for name, comparison in self.each.items()},
        }
