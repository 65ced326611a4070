"""The levels of model selection: which rows each uses for what, how far its estimate can be trusted, which way it errs.

Zero level, quick attempt, standard, train/validation/test and cross-validation are those of lecture notes; nested
cross-validation goes beyond them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from surefold.errors import UnknownNameError

__all__ = ["LEVELS", "Errs", "Level", "level_of"]

Errs = Literal["too good", "slightly too bad", "either way"]


@dataclass(frozen=True)
class Level:
    """What a level is called, whether it searches parameters, and what its estimate is worth.

    `uses` is a sentence with {train}, {validation}, {test}, {n}, {folds}, {outer} to be filled in; `chosen_errs` says
    which way the estimate errs once the same rows have chosen among several candidates.
    """

    name: str
    title: str
    tuned: bool
    uses: str
    reliability: str
    errs: Errs
    chosen_errs: Errs
    why: str
    chosen_why: str

    def errs_of(self, candidates: int) -> Errs:
        """Which way the estimate errs, with so many candidates."""
        return self.chosen_errs if candidates > 1 else self.errs

    def why_of(self, candidates: int) -> str:
        """Why it does, in a sentence."""
        return self.chosen_why if candidates > 1 else self.why


_FEWER = "the model that is shipped is trained on more rows than the one that was tested"
_SHOWN = "the best of several figures owes part of its lead to luck, and the same rows chose it"

LEVELS: Mapping[str, Level] = {
    level.name: level
    for level in (
        Level(
            "zero",
            "Zero level",
            False,
            "All {n} rows are trained on, and the same {n} rows are tested.",
            "Not reliable: a first trial.",
            "too good",
            "too good",
            "the model was tested on rows it had learnt",
            "the model was tested on rows it had learnt",
        ),
        Level(
            "quick",
            "Quick attempt",
            False,
            "{train} rows are trained on; {test} others are tested once. Parameters are left as given.",
            "Fair, as far as {test} rows go.",
            "slightly too bad",
            "too good",
            _FEWER,
            _SHOWN,
        ),
        Level(
            "standard",
            "Standard",
            True,
            "{train} rows are trained on; {test} others choose among the candidates and give the figure as well.",
            "Doubtful: the test rows took part in the search.",
            "slightly too bad",
            "too good",
            _FEWER,
            _SHOWN,
        ),
        Level(
            "train_validation_test",
            "Train/Validation/Test",
            True,
            "{train} rows are trained on, {validation} choose among the candidates, and the chosen one, trained on "
            "both, is tested once on {test} rows that nothing else has seen.",
            "The test rows chose nothing, so they flatter nothing. The choice rests on {validation} rows.",
            "slightly too bad",
            "slightly too bad",
            _FEWER,
            _FEWER,
        ),
        Level(
            "cross_validation",
            "Cross-validation",
            True,
            "{train} rows choose among the candidates, held out in turn in {folds}; the chosen one, trained on all of "
            "them, is tested once on {test} rows that nothing else has seen.",
            "The test rows chose nothing, so they flatter nothing, and the choice rests on {train} rows.",
            "slightly too bad",
            "slightly too bad",
            _FEWER,
            _FEWER,
        ),
        Level(
            "nested",
            "Nested cross-validation",
            True,
            "All {n} rows are tested, in {outer}; for each the whole search is done again in {folds} of the other "
            "rows. The model that is shipped comes from the same search over all {n} rows.",
            "Best: every row is tested, and none took part in choosing the model that it tested.",
            "slightly too bad",
            "slightly too bad",
            _FEWER,
            _FEWER,
        ),
    )
}


def level_of(strategy: str) -> Level:
    """The level of that name.

    >>> level_of("quick").title, level_of("standard").errs_of(20)
    ('Quick attempt', 'too good')
    """
    if strategy not in LEVELS:
        raise UnknownNameError("strategy", strategy, LEVELS)
    return LEVELS[strategy]
