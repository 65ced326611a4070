"""Rows in groups: losses and calibration with the design effect of each measure's own moves, and with another's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from surefold.estimates.grouping import NOT_GROUPED, Design, row_design, score_design
from surefold.estimates.of_scores import Scored
from surefold.measures.catalogue import catalogue
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.score_groups import ScoreGroups

from .coverage import CONFIDENCE, Array, standard_error
from .page import Gate, Grid, Section, share
from .tables import SEED

MEASURES = ("log_loss", "brier_skill", "calibration_slope", "calibration_intercept", "ece")
RULES = ("own", "another's", "none")
ROWS = 20  # of a group
POPULATION = 20_000  # groups
WANTED = 0.92

TEXT = """
Two classes, {rows} rows a group, scores to two digits. *Shifted*: a group's log odds are moved by a normal effect of
standard deviation .8 that the scores do not know, so that its rows are off the same way. *Alike in how hard*: the
scores of half of the groups are three times too sure of themselves, so that its rows lose alike, to either side. True
values are those of {population:,} groups. Each entry is the coverage with the design effect of the measure's own moves
/ with that of the mean of score - truth (of skill: of the Brier score) / with none. R = {draws:,} (standard error
{se:.3f}).
"""


def draw(groups: int, kind: str, rng: np.random.Generator) -> tuple[Array, np.ndarray, np.ndarray]:
    """Scores, truth and group of one sample."""
    group = np.repeat(np.arange(groups), ROWS)
    odds = rng.normal(0, 1.2, len(group)) - 0.5
    effect = rng.normal(0, 0.8, groups)[group] if kind == "shifted" else 0.0
    sure = np.where(rng.random(groups) < 0.5, 3.0, 1.0)[group] if kind == "alike in how hard" else 1.0
    return np.clip(expit(sure * odds).round(2), 0.01, 0.99), rng.random(len(group)) < expit(odds + effect), group


@dataclass(frozen=True)
class Found:
    """Coverage by measure and rule."""

    where: str
    inside: Array

    @property
    def row(self) -> tuple[str, ...]:
        return (self.where, *(" / ".join(share(float(x)) for x in each) for each in self.inside))


def coverage(groups: int, kind: str, draws: int, seed: list[int]) -> Found:
    measures = [m for name in MEASURES if isinstance(m := catalogue[name], ScoreMeasure)]
    everything = ScoreGroups.of(*draw(POPULATION, kind, np.random.default_rng([SEED, 31, kind == "shifted"]))[:2])
    truths = [m(everything) for m in measures]
    rng, inside = np.random.default_rng(seed), np.zeros((len(MEASURES), len(RULES)))
    for _ in range(draws):
        scores, truth, group = draw(groups, kind, rng)
        t, off = ScoreGroups.of(scores, truth), scores - truth
        for i, m in enumerate(measures):
            losses = off**2 if m.name == "brier_skill" else off
            rules: tuple[Design, ...] = (
                score_design(m, t, scores, truth, None, group),
                row_design(losses - losses.mean(), None, group),
                NOT_GROUPED,
            )
            inside[i] += [truths[i] in Scored(m, t, CONFIDENCE, rule).estimate() for rule in rules]
    return Found(f"{groups} groups, {kind}", inside / draws)


def run(quick: bool) -> Section:
    draws = 10 if quick else 400
    found = [
        coverage(groups, kind, draws, [SEED, 30, g, k])
        for k, kind in enumerate(("shifted", "alike in how hard"))
        for g, groups in enumerate((15,) if quick else (15, 40))
    ]
    least, name, where = min((float(f.inside[i, 0]), m, f.where) for f in found for i, m in enumerate(MEASURES))
    gate = Gate("losses and calibration in groups, by their own moves", f"≥ {share(WANTED)}",
                f"minimum {share(least)} ({name}, {where})", least >= WANTED)  # fmt: skip
    text = TEXT.format(rows=ROWS, population=POPULATION, draws=draws, se=standard_error(0.95, draws))
    grid = Grid("", ("", *MEASURES), [f.row for f in found])
    return Section("grouped_probabilities", "Losses and calibration in groups", text, [grid], [gate])
