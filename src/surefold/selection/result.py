"""Selection: the model that was chosen, what it is worth, what the search claimed, and the table behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from surefold._version import heading
from surefold.counting import counted
from surefold.errors import UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.findings import Finding
from surefold.inputs.labels import Label
from surefold.resampling.frames import Flavour, estimate_columns, frame_of
from surefold.resampling.resampled import Resampled
from surefold.selection.bias_corrected import BiasCorrected
from surefold.selection.candidates import Candidate
from surefold.selection.card import (
    CARD_FORMAT,
    described_candidate,
    described_plan,
    plain_value,
    threshold_of,
)
from surefold.selection.levels import Level
from surefold.selection.pick import Entry, Picked
from surefold.selection.score import Score
from surefold.selection.search import Searched
from surefold.selection.splits import Layout
from surefold.selection.words import words_of
from surefold.shown import Shown

if TYPE_CHECKING:
    from surefold.verdict.verdict import Verdict

__all__ = ["DataFacts", "Figures", "OuterFold", "Selection", "unknown"]


@dataclass(frozen=True)
class DataFacts:
    """What a card says of the data."""

    rows: int
    columns: tuple[str, ...]
    labels: tuple[Label, ...]
    pos_label: Label | None
    fingerprint: str

    def to_dict(self) -> dict[str, Any]:
        """The facts as plain values."""
        return {
            "rows": self.rows,
            "columns": list(self.columns),
            "labels": plain_value(list(self.labels)),
            "pos_label": plain_value(self.pos_label),
            "fingerprint": self.fingerprint,
        }


@dataclass(frozen=True)
class OuterFold:
    """One outer fold of a nested search: who was chosen without it, what that search claimed, what the fold says."""

    repeat: int
    fold: int
    chosen: str
    claimed: float
    found: float


@dataclass(frozen=True)
class Figures:
    """What the search claims of the chosen model, what can be believed, and the difference.

    `bonferroni` is the claim with an interval for all candidates at once; `bias_corrected` the claim freed of the
    choice by the bootstrap, None where nothing was chosen or nothing held out; `optimism` is positive where the search
    flatters.
    """

    claimed: Estimate
    estimate: Estimate
    optimism: Estimate
    bonferroni: Estimate
    bias_corrected: Estimate | None = None


@dataclass(frozen=True, eq=False)
class Selection(Shown):
    """What `select` chose. `estimate` is the figure to quote; `claimed` is what the search saw, and flattering.

    `held_out` has the predictions that the estimate is made from: any other measure can be asked of it, without a fit.
    `estimator` is the chosen model, fitted on all rows.
    """

    level: Level
    score: Score = field(repr=False)
    candidates: tuple[Candidate, ...] = field(repr=False)
    layout: Layout = field(repr=False)
    searches: tuple[Searched, ...] = field(repr=False)
    picked: Picked = field(repr=False)
    figures: Figures
    held_out: Resampled = field(repr=False)
    estimator: Any = field(repr=False)
    fits: int
    planned_fits: int
    data: DataFacts
    seed: int
    rule: str
    confidence: float
    noticed: tuple[Finding, ...] = field(default=(), repr=False)
    outer: tuple[OuterFold, ...] = field(default=(), repr=False)
    redrawn: BiasCorrected | None = field(default=None, repr=False)

    # who

    @property
    def strategy(self) -> str:
        """The name of the level of care that was taken."""
        return self.level.name

    @property
    def measure(self) -> str:
        """The measure that the choice was made by."""
        return self.score.measure

    @property
    def best(self) -> Candidate:
        """The chosen candidate: its `name`, `family` and `params`. By the rule that was asked for."""
        return self.picked.chosen.candidate

    @property
    def top(self) -> Candidate:
        """The candidate with the best figure, whatever the rule."""
        return self.picked.top.candidate

    @property
    def one_se(self) -> Candidate:
        """The simplest candidate within one standard error of the best."""
        return self.picked.one_se.candidate

    @property
    def simplest(self) -> Candidate | None:
        """The simplest candidate that no test finds worse than the best; None where one set of rows cannot tell."""
        return None if self.picked.simplest is None else self.picked.simplest.candidate

    def __getitem__(self, name: str) -> Entry:
        """What a candidate did."""
        for entry in self.picked.entries:
            if entry.name == name:
                return entry
        raise UnknownNameError("candidate", name, [entry.name for entry in self.picked.entries])

    def __len__(self) -> int:
        return len(self.candidates)

    # how good

    @property
    def estimate(self) -> Estimate:
        """What the chosen model is worth on new rows, as honest as the level allows."""
        return self.figures.estimate

    @property
    def claimed(self) -> Estimate:
        """The best score of the search: what would be claimed without thinking of the choice."""
        return self.figures.claimed

    @property
    def bonferroni(self) -> Estimate:
        """The best score with an interval for all candidates at once."""
        return self.figures.bonferroni

    @property
    def bias_corrected(self) -> Estimate | None:
        """The best score less what choosing it adds, by bootstrap; None where that was not asked for."""
        return self.figures.bias_corrected

    @property
    def optimism(self) -> Estimate:
        """How much better the search made the model look than held-out rows say; NaN, with a reason, where unknown."""
        return self.figures.optimism

    @property
    def stability(self) -> dict[str, int]:
        """How often each candidate was chosen: over outer folds, else over draws of the bias correction."""
        if self.outer:
            found: dict[str, int] = {}
            for fold in self.outer:
                found[fold.chosen] = found.get(fold.chosen, 0) + 1
        else:
            found = {} if self.redrawn is None else {name: n for name, n in self.redrawn.times_chosen.items() if n}
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    @property
    def claims(self) -> dict[str, Estimate]:
        """What the search claims beside what can be believed, by name, for a table."""
        shown = {"claimed by the search": self.claimed, "the same, all candidates at once": self.bonferroni}
        if self.bias_corrected is not None:
            shown["corrected for the choice"] = self.bias_corrected
        if self.layout.tests is not None:
            shown["on rows that chose nothing"] = self.estimate
        if len(self.candidates) == 1:
            del shown["the same, all candidates at once"]
        return shown

    # what it took

    @property
    def fits_saved(self) -> int:
        """Fits that a race did without."""
        return self.planned_fits - self.fits

    @property
    def words(self) -> tuple[str, ...]:
        """Which rows did what, how reliable the estimate is, which way it errs, and what it cost."""
        spent = f"Cost: {counted(self.fits, 'fit')}"
        if self.fits_saved:
            spent += f" of {self.planned_fits:,}; the race did without {self.fits_saved:,}"
        return (*words_of(self.level, self.layout, len(self.candidates)), f"{spent}.")

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What should be known of the search and its data."""
        return self.noticed

    @property
    def verdict(self) -> Verdict:
        """What the selection says, in three lines."""
        from surefold.verdict.selected import verdict_of_selection

        return verdict_of_selection(self)

    # telling

    @property
    def table(self) -> list[dict[str, Any]]:
        """One row a candidate, best first: the measure with its interval, fits, seconds, where a race dropped it."""
        return [
            {
                "candidate": e.name,
                "model": e.candidate.family,
                "params": plain_value(dict(e.candidate.params)),
                **estimate_columns(e.estimate, self.measure),
                "fits": e.fits,
                "fit_seconds": plain_value(e.fit_seconds),
                "predict_seconds": plain_value(e.predict_seconds),
                "size": dict(e.size),
                "dropped_at": e.dropped_at,
                "reason": e.reason or e.estimate.reason,
                "chosen": e.candidate is self.best,
            }
            for e in self.picked.entries
        ]

    @property
    def card(self) -> dict[str, Any]:
        """Plain values that say what was chosen, from which data, how, and how good it is. JSON can hold it."""
        f = self.figures
        return {
            **heading("model_card"),
            "card_format": CARD_FORMAT,
            "chosen": described_candidate(self.best),
            "fitted_on": "all rows" if self.estimator is not None else None,
            "data": self.data.to_dict(),
            "strategy": self.strategy,
            "measure": self.measure,
            "costs": plain_value(self.score.options["costs"].tolist()) if "costs" in self.score.options else None,
            "rule": self.rule,
            "seed": self.seed,
            "plans": {"search": described_plan(self.layout.final), "test": described_plan(self.layout.tests)},
            "selected_from": len(self.candidates),
            "estimate": f.estimate.to_dict(),
            "claimed": f.claimed.to_dict(),
            "bias_corrected": None if f.bias_corrected is None else f.bias_corrected.to_dict(),
            "optimism": f.optimism.to_dict(),
            "threshold": threshold_of(self.searches[0].results[self.best.name], self.score),
            "fits": self.fits,
            "words": list(self.words),
            "versions": dict(self.held_out.versions),
        }

    def to_dict(self) -> dict[str, Any]:
        """Everything but the predictions and the model, as plain values ready for JSON."""
        simplest = None if self.simplest is None else self.simplest.name
        return {
            **self.card,
            "kind": "selection",
            "confidence": self.confidence,
            "best": self.best.name,
            "top": self.top.name,
            "one_se": self.one_se.name,
            "simplest": simplest,
            "simple_by": self.picked.ordered_by,
            "bonferroni": self.figures.bonferroni.to_dict(),
            "fits_saved": self.fits_saved,
            "stability": self.stability,
            "outer_folds": [
                {
                    "repeat": o.repeat,
                    "fold": o.fold,
                    "chosen": o.chosen,
                    "claimed": plain_value(o.claimed),
                    "found": plain_value(o.found),
                }
                for o in self.outer
            ],
            "table": [plain_value(row) for row in self.table],
            "verdict": plain_value(self.verdict.to_dict()),
            "findings": [plain_value(finding.to_dict()) for finding in self.findings],
        }

    def to_frame(self, flavour: Flavour = "polars") -> Any:
        """The table as a data frame; parameters as text."""
        rows = []
        for row in self.table:
            told = ", ".join(f"{key}={value}" for key, value in row["params"].items())
            rows.append({key: value for key, value in row.items() if key != "size"} | {"params": told})
        return frame_of(rows, flavour)

    __repr__ = Shown.__str__


def unknown(name: str, confidence: float, reason: str) -> Estimate:
    """An estimate that is not there, and why."""
    nan = math.nan
    return Estimate(nan, nan, nan, nan, confidence, "", nan, (), name, reason)
