"""Paired differences by `compare`: does the interval hold the true difference, with and without groups of rows?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from scipy.special import ndtr

from surefold.comparison.compared import Models, Question, pair_results
from surefold.evidence.held import Held
from surefold.inputs.predictions import Predictions
from surefold.measures import catalogue
from surefold.tallies.margins import Margins

from .coverage import Array, standard_error
from .page import Gate, Grid, Section, share
from .tables import SEED

LABEL_MEASURES = ("accuracy", "f1", "f1_macro", "mcc", "balanced_accuracy", "kappa")
SCORE_MEASURES = ("roc_auc", "average_precision", "brier", "log_loss")
WANTED = 0.935

TEXT = """
Two models answer the same rows. Labels: 2 to 5 classes, 40 to 1,000 rows, accuracies from .55 to .97; answers from
independent to nearly the same, or one model's errors and a few more. The population is a table of (truth, first,
second), so the true difference is exact. Scores: normal with other means and spreads, correlated from 0 to .9 within a
class; for the losses the truth comes from 600,000 rows. With groups, each group has its own table (Dirichlet around the
population's; the strength is the correlation within a group), or its own shift of the scores. R = {draws:,} (standard
error {se:.3f}). *Size* is the share of p <= .05 where the true difference is 0. Cells in which a flag (`rare_class`,
`few_of_a_class`, `few_positives`, `few_clusters`) fires in most draws are counted apart.
"""


@dataclass
class Cell:
    """One measure in one design."""

    measure: str
    where: str
    grouped: bool
    truth: float
    draws: int = 0
    held: int = 0
    rejected: int = 0
    flagged: int = 0
    widths: list[float] = field(default_factory=list)

    def count(self, models: Held, positive: bool) -> None:
        against = models.one_against_rest(0) if positive else models
        (result,) = pair_results(catalogue[self.measure], Models(against), [(0, 1)], {}, Question())
        test, e = result.test, result.test.effect
        self.draws += 1
        self.held += bool(e.low <= self.truth <= e.high)
        self.rejected += test.p_value <= 0.05
        self.flagged += bool(test.flags)
        self.widths.append(e.high - e.low)

    @property
    def coverage(self) -> float:
        return self.held / self.draws

    @property
    def is_flagged(self) -> bool:
        return self.flagged > self.draws / 2


# labels


def joint(k: int, rng: np.random.Generator) -> Array:
    """P(truth, first, second): each right with its own chance in each class, answers shared to some degree."""
    shares = np.maximum(rng.dirichlet(np.full(k, 3.0)), 0.04)
    shares /= shares.sum()
    together = rng.choice([0.0, 0.3, 0.7, 0.95])
    answers = []
    for _ in range(2):
        right = np.clip(rng.uniform(0.55, 0.97) + rng.normal(0, 0.06, k), 0.3, 0.99)
        wrong = rng.dirichlet(np.ones(k), k) * (1 - np.eye(k))
        wrong = wrong / wrong.sum(axis=1, keepdims=True)
        answers.append(wrong * (1 - right[:, None]) + np.diag(right))
    kind = rng.random()
    if kind < 0.15:  # the second errs where the first does, and in a few rows more
        return shares[:, None, None] * _nested(answers[0], float(rng.choice([0.01, 0.03])))
    if kind < 0.5:
        answers[1] = answers[0]  # exchangeable: no true difference
    first, second = answers
    # with chance `together` both give the same answer, drawn from what the two have in common
    common = np.minimum(first, second)
    mass = common.sum(axis=1, keepdims=True)
    same = common / mass
    rest = [(x - together * mass * same) / (1 - together * mass) for x in answers]
    table = np.empty((k, k, k))
    for c in range(k):
        both = together * mass[c, 0]
        table[c] = both * np.diag(same[c]) + (1 - both) * np.outer(rest[0][c], rest[1][c])
    return shares[:, None, None] * table


def _nested(first: Array, more: float) -> Array:
    """P(first, second | truth) where the second repeats the first, but turns a small share of right answers wrong."""
    k = len(first)
    table = np.stack([np.diag(row) for row in first])
    for c in range(k):
        moved = more * first[c, c]
        table[c, c, c] -= moved
        table[c, c, (c + 1) % k] += moved
    return table


def of_population(measure: str, table: Array) -> float:
    """The measure of a population's k x k table."""
    m = Margins(np.diagonal(table), table.sum(axis=1), table.sum(axis=0), np.ones(len(table), dtype=bool))
    chosen = catalogue[measure]
    return float(chosen(m.one_vs_rest)[0] if chosen.is_per_class else chosen(m))


def models_of_labels(cells: Array, k: int, groups: Array | None) -> Held:
    truth, first, second = cells // (k * k), cells // k % k, cells % k
    labels = tuple(range(k))
    made = {
        name: Predictions(truth.astype(np.uint8), x.astype(np.uint8), None, labels, groups=groups, positive=0)
        for name, x in (("a", first), ("b", second))
    }
    return Held(made)


def label_cells(designs: int, draws: int, grouped: bool, seed: int) -> Iterator[Cell]:
    rng = np.random.default_rng((seed, grouped))
    for _ in range(designs):
        k = int(rng.choice([2, 2, 3, 5]))
        table = joint(k, rng)
        flat = table.ravel()
        if grouped:
            groups, per = int(rng.choice([12, 20, 40])), int(rng.choice([5, 10, 20]))
            n, strength = groups * per, float(rng.choice([0.05, 0.2, 0.4]))
            codes = np.repeat(np.arange(groups), per)
            where = f"{k} classes, {groups} groups of {per}, correlation {strength:g}"
        else:
            n, codes, strength = int(rng.choice([40, 80, 150, 300, 1000])), None, 0.0
            where = f"{k} classes, n = {n}"
        names = [m for m in LABEL_MEASURES if k == 2 or m != "f1"]
        first, second = table.sum(axis=2), table.sum(axis=1)
        cells = [
            Cell(m, where, grouped, of_population(m, first) - of_population(m, second)) for m in names
        ]  # fmt: skip
        for _ in range(draws):
            if codes is None:
                drawn = rng.choice(len(flat), n, p=flat)
            else:
                own = rng.dirichlet(np.maximum(flat, 1e-12) * (1 - strength) / strength, groups)
                drawn = np.concatenate([rng.choice(len(flat), per, p=p) for p in own])
            models = models_of_labels(drawn, k, codes)
            if len(np.unique(models.first.truth)) < k:
                continue  # a class that is not there is another population
            for cell in cells:
                cell.count(models, positive=catalogue[cell.measure].is_per_class)
        yield from cells


# scores


def score_design(rng: np.random.Generator, grouped: bool) -> tuple[str, Callable[[np.random.Generator], Held], Array]:
    """Where, how to draw, and (mean, spread) of the two models among positives."""
    gaps = rng.choice([0.5, 1.0, 1.7, 2.4], 2)
    if rng.random() < 0.4:
        gaps[1] = gaps[0]
    spreads = rng.choice([0.7, 1.0, 1.5], 2) if gaps[0] != gaps[1] else np.repeat(rng.choice([0.7, 1.0, 1.5]), 2)
    correlation = float(rng.choice([0.0, 0.5, 0.9]))
    root = np.linalg.cholesky(np.array([[1, correlation], [correlation, 1.0]]))
    shift = float(rng.choice([0.3, 0.6, 1.0])) if grouped else 0.0
    if grouped:
        groups, per = int(rng.choice([15, 30, 60])), int(rng.choice([4, 10]))
        whole = bool(rng.random() < 0.5)  # whether all rows of a group are of one class
        where = f"{groups} groups of {per}, shift {shift:g}{', one class a group' if whole else ''}"
        codes = np.repeat(np.arange(groups), per)
    else:
        m, n = [(12, 12), (20, 20), (15, 120), (50, 50), (40, 400), (200, 200)][int(rng.integers(6))]
        where, codes = f"{m}/{n}", None
    where = f"{where}, gaps {gaps[0]:g} {gaps[1]:g}, spreads {spreads[0]:g} {spreads[1]:g}, correlation {correlation:g}"

    def draw(r: np.random.Generator, large: int = 0) -> Held:
        own: Array | None = None
        if codes is None or large:
            counts = (large, large * n // m) if large and codes is None else (large, large) if large else (m, n)
            y = np.repeat([True, False], counts)
        else:
            own = codes
            y = np.repeat(np.arange(groups) % 3 == 0, per) if whole else np.tile(np.arange(per) % 2 == 0, groups)
        z = r.normal(size=(len(y), 2)) @ root.T
        if codes is not None:  # the rows of a group and class move together, in both models partly
            if large:
                u = r.normal(size=(len(y), 2)) @ root.T * shift
            else:
                drawn = r.normal(size=(2, groups, 2)) @ root.T * shift
                u = drawn[y.astype(int), codes]
            z = z + u
        scores = np.where(y[:, None], gaps + z * spreads, z)
        made = {}
        for name, s in zip("ab", scores.T, strict=True):
            p = 1 / (1 + np.exp(-(s - 0.5)))
            made[name] = Predictions(y.astype(np.uint8), None, p, (0, 1), groups=own, positive=1)
        return Held(made)

    total = 1 + shift**2
    areas = ndtr(gaps / np.sqrt(total * (1 + spreads**2)))
    share_ = np.array([areas[0] - areas[1]])
    return where, draw, share_


def score_cells(designs: int, draws: int, grouped: bool, seed: int) -> Iterator[Cell]:
    rng = np.random.default_rng((seed, 7, grouped))
    for _ in range(designs):
        where, draw, area = score_design(rng, grouped)
        whole = draw(np.random.default_rng((seed, 11)), large=300_000)  # type: ignore[call-arg]
        prevalence = float((draw(rng).first.truth == 1).mean())
        cells = []
        for measure in SCORE_MEASURES:
            truth = float(area[0]) if measure == "roc_auc" else _of_large(measure, whole, prevalence)
            cells.append(Cell(measure, where, grouped, truth))
        for _ in range(draws):
            models = draw(rng)
            for cell in cells:
                cell.count(models, positive=False)
        yield from cells


def _of_large(measure: str, models: Held, prevalence: float) -> float:
    """A difference in a large sample, its classes weighed to the prevalence of the design."""
    from surefold.tallies.score_groups import ScoreGroups

    is_positive = models.first.truth == 1
    weights = np.where(is_positive, prevalence / is_positive.mean(), (1 - prevalence) / (1 - is_positive.mean()))
    values = [catalogue[measure](ScoreGroups.of(p.scores, is_positive, weights)) for p in models.each.values()]  # type: ignore
    return float(values[0] - values[1])


# the part


def run(quick: bool) -> Section:
    draws = 200 if quick else 1_000
    designs = 4 if quick else 24
    cells = [
        *label_cells(designs, draws, False, SEED),
        *label_cells(designs // 2, draws, True, SEED),
        *score_cells(designs, draws, False, SEED),
        *score_cells(designs // 2, draws, True, SEED),
    ]
    section = Section("differences", "Paired differences", TEXT.format(draws=draws, se=standard_error(0.95, draws)))
    rows = []
    for grouped in (False, True):
        for measure in (*LABEL_MEASURES, *SCORE_MEASURES):
            mine = [c for c in cells if c.measure == measure and c.grouped == grouped]
            clean = [c for c in mine if not c.is_flagged]
            noted = [c for c in mine if c.is_flagged]
            if not clean:
                continue
            worst = min(clean, key=lambda c: c.coverage)
            null = [c.rejected / c.draws for c in clean if abs(c.truth) < 1e-9]
            name = f"{measure}{' with groups' if grouped else ''}"
            rows.append((
                name, str(len(clean)), share(worst.coverage, WANTED),
                share(sum(c.coverage for c in clean) / len(clean)),
                share(max(null)) if null else "–", share(min((c.coverage for c in noted), default=np.nan)),
            ))  # fmt: skip
            told, dots = f"{share(worst.coverage)} ({worst.where})", [(c.coverage, c.is_flagged) for c in mine]
            held = worst.coverage >= WANTED
            section.gates.append(Gate(f"{name}: interval of the difference", f"≥ {share(WANTED)}", told, held, dots))
            if null:
                gate = Gate(f"{name}: size of its test", "≤ .06", share(max(null)), max(null) <= 0.06)
                section.gates.append(gate)
    section.grids.append(
        Grid(
            "Coverage of the true difference",
            ("measure", "cells", "minimum", "mean", "largest size", "minimum where flagged"),
            rows,
        )
    )
    return section
