"""Which of several models differ over several data sets: ranks, pairs, probabilities, and the answer in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from surefold._version import heading
from surefold.benchmarking.table import ValueTable
from surefold.benchmarking.wins import TiesBy, WinTieLoss, win_tie_loss
from surefold.comparison.best_set import BestSet, Leads, best_set_of
from surefold.comparison.ranks import Rank, ranks_of, sure_wins
from surefold.errors import UnknownNameError
from surefold.resampling.frames import Flavour, frame_of
from surefold.resampling.study import Study
from surefold.shown import Shown
from surefold.significance.bayesian import Posterior, bayes_signed_rank
from surefold.significance.many import FEW_DATA_SETS, Friedman
from surefold.significance.paired_values import SignTest
from surefold.significance.signed_ranks import SignedRanks

if TYPE_CHECKING:
    pass

__all__ = ["POST_HOC_NAMES", "SMALL_ROPE", "ManyComparison", "PostHoc", "RankWinner", "RankedPair", "Status"]

PostHoc = Literal["nemenyi", "holm", "bonferroni_dunn"]
Status = Literal["better", "worse", "cannot_tell"]
#: With a rope below this share of the standard deviation of the differences, up to .08 of models that are no better get
#: a probability of .95 of being better; from there on .063 in the worst design tried.
SMALL_ROPE = 0.15
#: How the tests after Friedman's are called in sentences; two models have one test alone.
POST_HOC_NAMES = {"nemenyi": "Nemenyi", "holm": "Holm", "bonferroni_dunn": "Bonferroni-Dunn", "wilcoxon": "Wilcoxon"}


@dataclass(frozen=True)
class RankedPair:
    """Two models over all data sets. `rank_difference` is the first's average rank less the second's: below 0, better.

    `status` is what the first is, and only ever other than "cannot_tell" where the test of all models rejects.
    """

    first: str
    second: str
    rank_difference: float
    p_value: float
    adjusted_p: float
    status: Status

    @property
    def swapped(self) -> RankedPair:
        """The same pair, the other model first."""
        other: dict[Status, Status] = {"better": "worse", "worse": "better", "cannot_tell": "cannot_tell"}
        return replace(
            self, first=self.second, second=self.first, rank_difference=-self.rank_difference, status=other[self.status]
        )


@dataclass(frozen=True)
class RankWinner:
    """The model with the best average rank. Being the best of several, it looks better than it is.

    `cannot_be_told_from` are those it was compared with and could not be told from; with a control others were not.
    """

    model: str
    average_rank: float
    tied_with: tuple[str, ...]
    cannot_be_told_from: tuple[str, ...]
    flags: tuple[str, ...] = ("selected_from_m",)

    def __str__(self) -> str:
        return self.model


@dataclass(frozen=True, eq=False)
class ManyComparison(Shown):
    """Models over data sets, by ranks. Made by `Benchmark.compare`.

    `friedman` is None for two models, which have `wilcoxon` and `sign_test` instead. `critical_difference` is None
    where the method has no single one: Holm's steps, or two models.
    """

    table: ValueTable
    control: str | None
    post_hoc: str
    rope: float
    confidence: float
    pairs: tuple[RankedPair, ...]
    friedman: Friedman | None = None
    wilcoxon: SignedRanks | None = None
    sign_test: SignTest | None = None
    critical_difference: float | None = None
    ties: TiesBy = "equal"
    dropped: Mapping[str, str] = field(default_factory=dict)
    studies: Mapping[str, Study] = field(default_factory=dict, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)
    _posteriors: dict[tuple[str, str], Posterior] = field(default_factory=dict, init=False, repr=False)

    # what there is

    @property
    def measure(self) -> str:
        """The measure that models are ranked by."""
        return self.table.measure

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models."""
        return self.table.models

    @property
    def datasets(self) -> tuple[str, ...]:
        """The names of the data sets."""
        return self.table.datasets

    @property
    def flags(self) -> tuple[str, ...]:
        """What makes the tests shaky, by the codes of findings."""
        tests = (self.friedman, self.wilcoxon)
        few = ("few_data_sets",) if len(self.datasets) < FEW_DATA_SETS else ()
        return tuple(dict.fromkeys([*few, *(flag for test in tests if test is not None for flag in test.flags)]))

    @property
    def differs(self) -> bool:
        """Whether the test of all models at once (two models: Wilcoxon's) finds that they are not all alike."""
        p = self.friedman.f_p_value if self.friedman is not None else self.pairs[0].adjusted_p
        return p <= 1 - self.confidence

    @cached_property
    def average_ranks(self) -> dict[str, float]:
        """1 is the best there could be."""
        return dict(zip(self.models, self.table.ranks.mean(axis=0).tolist(), strict=True))

    @property
    def order(self) -> tuple[str, ...]:
        """The models, best average rank first."""
        return tuple(sorted(self.models, key=self.average_ranks.__getitem__))

    @property
    def p_values(self) -> dict[tuple[str, str], float]:
        """Adjusted for all pairs that were compared, by (first, second)."""
        return {(pair.first, pair.second): pair.adjusted_p for pair in self.pairs}

    def __getitem__(self, names: tuple[str, str]) -> RankedPair:
        """The pair, in either order."""
        for pair in self.pairs:
            if (pair.first, pair.second) == names:
                return pair
            if (pair.second, pair.first) == names:
                return pair.swapped
        known = [f"{pair.first}, {pair.second}" for pair in self.pairs]
        raise UnknownNameError("pair", ", ".join(map(str, names)), known)

    @cached_property
    def cliques(self) -> tuple[tuple[str, ...], ...]:
        """Largest groups of neighbours in rank that cannot be told apart; with a control, those not told from it."""
        alike = {frozenset((p.first, p.second)) for p in self.pairs if p.status == "cannot_tell"}
        order = self.order
        if self.control is not None:
            group = tuple(m for m in order if m == self.control or frozenset((m, self.control)) in alike)
            return (group,) if len(group) > 1 else ()
        found, reached = [], 0
        for start in range(len(order)):
            stop = start + 1
            while stop < len(order) and all(frozenset((each, order[stop])) in alike for each in order[start:stop]):
                stop += 1
            if stop > max(reached, start + 1):
                found.append(order[start:stop])
                reached = stop
        return tuple(found)

    @property
    def bayes(self) -> dict[tuple[str, str], Posterior]:
        """Of every pair, how probable it is that the first is worse, the same within the rope, or better."""
        return {(p.first, p.second): self.posterior(p.first, p.second) for p in self.pairs}

    def posterior(self, first: str, second: str) -> Posterior:
        """The Bayesian signed ranks of one pair; each is worked out when it is first asked for."""
        if (first, second) not in self._posteriors:
            sign = -1.0 if self.table.better == "lower" else 1.0
            difference = sign * (self.table.column(first) - self.table.column(second))
            found = bayes_signed_rank(difference, self.rope)
            small = ("liberal_test",) if self.rope < SMALL_ROPE * float(np.std(difference, ddof=1)) else ()
            self._posteriors[first, second] = replace(found, flags=(*found.flags, *small))
        return self._posteriors[first, second]

    @cached_property
    def win_tie_loss(self) -> WinTieLoss:
        """Every model against every other, counted over the data sets."""
        return win_tie_loss(self.table, self.ties, self.rope, self.studies, self.confidence, self.options)

    @property
    def winner(self) -> RankWinner:
        """The best average rank; of two models, the one that the test calls better."""
        ranks = self.average_ranks
        best = next(
            (
                p.first if p.status == "better" else p.second
                for p in self.pairs
                if self.friedman is None and p.status != "cannot_tell"
            ),
            self.order[0],
        )
        tied = tuple(m for m in self.order if m != best and abs(ranks[m] - ranks[best]) < 1e-9)
        alike = [p for p in self.pairs if p.status == "cannot_tell" and best in (p.first, p.second)]
        untold = {p.second if p.first == best else p.first for p in alike}
        told = tuple(m for m in self.order if m in untold)
        return RankWinner(best, ranks[best], tied, told)

    @property
    def no_ranks(self) -> str | None:
        """Why no places and no best set are told; None where they are."""
        if len(self.models) < 3:
            return "two models have one difference, and no ranks"
        return None if self.control is None else f"only the pairs with {self.control} were tested: leave control out"

    @cached_property
    def ranks(self) -> dict[str, Rank] | None:
        """The places that each model may have over data sets like these, best first; `value` is its average rank.

        They re-read the adjusted verdicts of all pairs and hold at once. None where `no_ranks` says why.
        """
        if self.no_ranks is not None:
            return None
        told = {(p.first, p.second): {"better": 1, "worse": -1}.get(p.status, 0) for p in self.pairs}
        averages = [self.average_ranks[name] for name in self.order]
        return ranks_of(self.order, averages, sure_wins(self.order, told), higher=False)

    @cached_property
    def best_set(self) -> BestSet | None:
        """The models of which one may have the best average rank; `behind` is in average ranks.

        Where the test of all models finds nothing, all of them may. None where `no_ranks` says why.
        """
        if self.no_ranks is not None:
            return None
        m, n = len(self.models), len(self.datasets)
        spread = math.sqrt(m * (m + 1) / (6 * n))  # of a difference of two average ranks, as Friedman's test has it
        place = {name: i for i, name in enumerate(self.models)}
        pairs = {
            (place[p.first], place[p.second]): (
                -p.rank_difference,
                p.p_value if self.differs else 1.0,
                spread,
                spread,
            )
            for p in self.pairs
        }
        return best_set_of(self.models, Leads.of(m, pairs, joint=False), self.order, self.confidence)

    # telling

    @property
    def verdict(self) -> str:
        """In sentences: whether models differ, which are best and cannot be told apart, which are worse."""
        from surefold.benchmarking.verdict import verdict_of_many

        return verdict_of_many(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values ready for JSON."""
        bayes = self.bayes
        winner = self.winner
        pairs = [
            {
                "first": p.first,
                "second": p.second,
                "rank_difference": p.rank_difference,
                "p_value": p.p_value,
                "adjusted_p": p.adjusted_p,
                "status": p.status,
                "bayes": bayes[p.first, p.second].to_dict(),
            }
            for p in self.pairs
        ]
        return {
            **heading("many_comparison"),
            **self.table.to_dict(),
            "confidence": self.confidence,
            "control": self.control,
            "post_hoc": self.post_hoc,
            "rope": self.rope,
            "average_ranks": self.average_ranks,
            "friedman": None if self.friedman is None else self.friedman.to_dict(),
            "wilcoxon": None if self.wilcoxon is None else self.wilcoxon.to_dict(),
            "sign_test": None if self.sign_test is None else self.sign_test.to_dict(),
            "differs": self.differs,
            "critical_difference": self.critical_difference,
            "pairs": pairs,
            "cliques": [list(group) for group in self.cliques],
            "ranks": None if self.ranks is None else {name: rank.to_dict() for name, rank in self.ranks.items()},
            "best_set": None if self.best_set is None else self.best_set.to_dict(),
            "win_tie_loss": self.win_tie_loss.to_dict(),
            "winner": {
                "model": winner.model,
                "average_rank": winner.average_rank,
                "tied_with": list(winner.tied_with),
                "cannot_be_told_from": list(winner.cannot_be_told_from),
                "flags": list(winner.flags),
            },
            "dropped": dict(self.dropped),
            "verdict": self.verdict,
            "flags": list(self.flags),
        }

    def to_frame(self, flavour: Flavour = "polars") -> Any:
        """One row a pair: ranks, p, probabilities, and wins, ties and losses of the first."""
        counts, bayes = self.win_tie_loss, self.bayes
        rows = []
        for p in self.pairs:
            posterior, (wins, ties, losses) = bayes[p.first, p.second], counts[p.first, p.second]
            rows.append(
                {
                    "first": p.first,
                    "second": p.second,
                    "rank_difference": p.rank_difference,
                    "p_value": p.p_value,
                    "adjusted_p": p.adjusted_p,
                    "status": p.status,
                    "worse": posterior.worse,
                    "same": posterior.same,
                    "better": posterior.better,
                    "wins": wins,
                    "ties": ties,
                    "losses": losses,
                }
            )
        return frame_of(rows, flavour)

    def plot_wins(self, ax: Any = None, **options: Any) -> Any:
        """Wins, ties and losses of the model of the row against that of the column: `plot("wins")`."""
        from surefold.show.plots import plot

        return plot(self, "wins", ax, **options)

    __repr__ = Shown.__str__
