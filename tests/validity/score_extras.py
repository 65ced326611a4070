"""Differences of scores with weights, in groups, of many classes and over several pairs, through the shipped road."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, softmax

from surefold.comparison.compare import compare
from surefold.evidence.held import Held
from surefold.inputs.predictions import Predictions
from surefold.significance.bounds import Bounds, OpenBounds
from surefold.significance.wins_and_losses import WinsAndLosses

from .gates import moments_of
from .page import Gate, Grid, Section, share
from .tables import SEED

Array = NDArray[np.float64]
WANTED, MOST, EXPECTED = 0.935, 0.06, 4.0
TWO = ("log_loss", "brier", "roc_auc", "average_precision")
MANY = ("log_loss_multiclass", "brier_multiclass", "roc_auc_ovr")
KINDS = ("nested", "opposite", "alike", "independent", "tempered")
#: Confident errors that are expected in a sample of nested and opposite models, and the share of groups that are such.
RARE, RARE_GROUPS = 10, 0.13
POPULATION = 200_000

TEXT = """
Two models on the same rows whose difference is read from rows won and lost: nested and opposite ones that agree but for
{rare} confident errors (in groups: an eighth of them), alike, independent and tempered ones. *Weighted*: weights
lognormal with a spread of .7, or four
times as heavy for positives; 300 rows. *In groups*: 60 groups of 5 rows, or of 2 to 20, that share their difficulty
for each model; in one design whole groups are of one class. *Many classes*: four classes, 300 rows, softmax of noisy
log odds. The truth is the difference in a population of {population:,} rows. R = {draws:,} (standard error {se:.4f}).
*Gate* is how often a one-sided 95 % bound passes the true difference, the larger of both sides; *width* the median over
that of the central 95 % of the differences drawn; *rows* how many rows that decide are to be expected. Cells in
which these are {expected:g} or more are held to {wanted:.3f} and {most:.2f}.

*Several pairs*: four models of one skill, each with noise of its own; how often `compare` calls any of the six pairs
different after Holm's adjustment at 95 %.
"""

Draw = Callable[[np.random.Generator], Held]


@dataclass(frozen=True)
class Extra:
    """A way to draw rows that two or more models score."""

    family: str
    kind: str
    n: int = 300
    weights: str = ""
    groups: str = ""
    classes: int = 2
    models: int = 2

    @property
    def where(self) -> str:
        return ", ".join(x for x in (self.kind, self.weights, self.groups) if x)

    @property
    def measures(self) -> tuple[str, ...]:
        return TWO if self.classes == 2 else MANY

    def draw(self, rng: np.random.Generator, n: int) -> Held:
        codes = self._codes(rng, n)
        together = 0 if codes is None else int(codes.max()) + 1
        if self.classes > 2:
            truth = rng.integers(self.classes, size=n)
            base = rng.normal(size=(n, self.classes)) + 1.5 * np.eye(self.classes)[truth]
            scores = [softmax(z, axis=1) for z in self._models(rng, base, truth)]
            weights = None
        else:
            whole = self.groups.startswith("one class")
            drawn = rng.random(together if whole else n) < 0.4
            truth = np.asarray(drawn[codes] if whole else drawn, dtype=np.intp)
            z = 1.2 * rng.normal(size=n) + 1.44 * (truth - 0.5)
            if codes is not None:
                z = z + 0.7 * rng.normal(size=together)[codes]
            hit = None if codes is None else (rng.random(together)[codes] < RARE_GROUPS)
            found = [m[:, 0] for m in self._models(rng, z[:, None], truth, hit)]
            scores = [expit(m) for m in found]
            weights = self._weights(rng, truth)
        labels = tuple(range(self.classes))
        made = {
            "abcd"[i]: Predictions(
                truth.astype(np.uint8), None, s, labels, weights=weights, groups=codes,
                positive=1 if self.classes == 2 else None,
            )
            for i, s in enumerate(scores)
        }  # fmt: skip
        return Held(made)

    def _codes(self, rng: np.random.Generator, n: int) -> NDArray[np.intp] | None:
        if not self.groups:
            return None
        if "equal" in self.groups:
            return np.arange(n) // 5
        sizes = rng.integers(2, 21, size=n)
        codes = np.repeat(np.arange(n), sizes)[:n]
        return np.asarray(codes)

    def _weights(self, rng: np.random.Generator, truth: NDArray[np.intp]) -> Array | None:
        if not self.weights:
            return None
        spread = rng.lognormal(0, 0.7, size=len(truth)) if self.weights == "lognormal" else np.ones(len(truth))
        return (
            np.where(truth, 4.0, 1.0) * rng.lognormal(0, 0.2, size=len(truth))
            if "positives" in self.weights
            else spread
        )

    def _models(
        self, rng: np.random.Generator, z: Array, truth: NDArray[np.intp], hit: NDArray[np.bool_] | None = None
    ) -> list[Array]:
        if self.models > 2:
            return [z + 0.7 * rng.normal(size=z.shape) for _ in range(self.models)]
        n, k = z.shape
        chance = rng.random((n, 1))
        first = np.asarray(chance < RARE / self.n) if hit is None else hit[:, None]
        second = np.asarray(chance > 1 - RARE / self.n)
        wrong = -2 - np.abs(rng.normal(size=(n, 1)))
        spoilt = wrong * np.eye(k)[truth] if k > 1 else np.where(truth[:, None], wrong, -wrong)
        if self.kind == "nested":
            return [z, np.where(first, spoilt, z + 0.05 * rng.normal(size=z.shape))]
        if self.kind == "opposite":
            return [np.where(first, spoilt, z), np.where(second, spoilt, z)]
        if self.kind == "alike":
            return [z, z + 0.15 * rng.normal(size=z.shape)]
        if self.kind == "tempered":
            return [z, 1.4 * z]
        return [z + 0.8 * rng.normal(size=z.shape), z + 0.8 * rng.normal(size=z.shape)]


def extras(quick: bool) -> list[Extra]:
    kinds = KINDS[:2] if quick else KINDS
    found = [Extra("weighted", kind, weights=w) for w in ("lognormal", "positives x 4") for kind in kinds]
    found += [
        Extra("in groups", kind, groups=g)
        for g in ("equal sizes", "sizes 2 to 20", "one class, equal sizes")
        for kind in kinds
    ]
    return found + [Extra("many classes", kind, classes=4) for kind in kinds]


@dataclass(frozen=True)
class Found:
    """What one measure did on one design."""

    measure: str
    extra: Extra
    coverage: float
    gate: float
    width: float
    deciding: float
    flagged: float

    @property
    def counts(self) -> bool:
        return not self.deciding < EXPECTED

    @property
    def fails(self) -> bool:
        return self.coverage < WANTED or self.gate > MOST


def _deciding(bounds: Bounds) -> float:
    inner = bounds.inner if isinstance(bounds, OpenBounds) else bounds
    return inner.deciding if isinstance(inner, WinsAndLosses) else np.nan


def tried(extra: Extra, draws: int, place: int) -> Iterator[Found]:
    rng = np.random.default_rng([SEED, 130, place])
    big = extra.draw(np.random.default_rng([SEED, 131, place]), POPULATION)
    whole = {m: moments_of(m, big).bounds(0, 1) for m in extra.measures}
    rows: dict[str, list[tuple[float, ...]]] = {m: [] for m in extra.measures}
    for _ in range(draws):
        models = extra.draw(rng, extra.n)
        for m in extra.measures:
            bounds = moments_of(m, models).bounds(0, 1)
            value = bounds.value
            if np.isnan(value):
                continue
            low, high = bounds.at(0.975)
            under, over = bounds.at(0.95)
            t = whole[m].value
            flagged = "few_rows_decide" in bounds.flags or "few_of_a_class" in bounds.flags
            rows[m].append((value, low <= t <= high, under > t, over < t, high - low, flagged))
    for m, found in rows.items():
        value, inside, passed, failed, width, loud = np.array(found, dtype=float).T
        oracle = float(np.subtract(*np.quantile(value, [0.975, 0.025])))
        yield Found(
            m, extra, float(inside.mean()), float(max(passed.mean(), failed.mean())), float(np.median(width)) / oracle,
            _deciding(whole[m]) * extra.n / POPULATION, float(loud.mean()),
        )  # fmt: skip


def several(draws: int) -> list[tuple[str, float]]:
    """How often any of six pairs of equal models is told apart."""
    extra, any_told = Extra("several pairs", "equal skill", models=4), dict.fromkeys(TWO, 0)
    rng = np.random.default_rng([SEED, 132])
    for _ in range(draws):
        models = extra.draw(rng, extra.n)
        for m in TWO:
            found = compare(models.each, measure=m).differences
            any_told[m] += any(d.adjusted_p is not None and d.adjusted_p < 0.05 for d in found)
    return [(m, count / draws) for m, count in any_told.items()]


def run(quick: bool) -> Section:
    draws = 40 if quick else 1000
    cells = [c for place, extra in enumerate(extras(quick)) for c in tried(extra, draws, place)]
    pairs = several(draws // 2)
    text = TEXT.format(
        rare=RARE,
        population=POPULATION,
        draws=draws,
        se=0.218 / draws**0.5,
        expected=EXPECTED,
        wanted=WANTED,
        most=MOST,
    )
    section = Section("score_extras", "Differences of scores: weights, groups, classes, pairs", text)
    rows: list[tuple[str, ...]] = []
    for family in dict.fromkeys(c.extra.family for c in cells):
        mine = [c for c in cells if c.extra.family == family]
        rows += [_row(family, m, [c for c in mine if c.measure == m]) for m in dict.fromkeys(c.measure for c in mine)]
        asked = [c for c in mine if c.counts]
        if asked:
            least, most = min(asked, key=lambda c: c.coverage), max(asked, key=lambda c: c.gate)
            told = f"minimum {share(least.coverage)} ({least.measure}, {least.extra.where})"
            name = f"differences of scores, {family}"
            section.gates.append(
                Gate(
                    name,
                    f"≥ {share(WANTED)}",
                    told,
                    least.coverage >= WANTED,
                    [(c.coverage, c.flagged >= 0.5) for c in mine],
                )
            )
            told = f"{share(most.gate)} ({most.measure}, {most.extra.where})"
            section.gates.append(Gate(f"{name}: gate", f"at most {share(MOST)}", told, most.gate <= MOST))
    head = ("family and measure", "cells", "coverage: minimum / mean", "gate, most", "width: median / most")
    section.grids.append(Grid("By family", head, rows))
    failing = sorted((c for c in cells if c.fails), key=lambda c: c.coverage)
    section.grids.append(
        Grid(
            f"Every cell below {share(WANTED)} or above {share(MOST)}",
            ("measure", "where", "rows", "coverage", "gate", "width", "flagged"),
            [
                (c.measure, f"{c.extra.family}: {c.extra.where}", f"{c.deciding:.1f}", share(c.coverage, WANTED),
                 share(c.gate), f"{c.width:.2f}", f"{c.flagged:.0%}")
                for c in failing
            ],
        )
    )  # fmt: skip
    section.grids.append(
        Grid(f"Any of six pairs of equal models told apart (R = {draws // 2:,})", ("measure", "share"),
             [(m, share(p)) for m, p in pairs])
    )  # fmt: skip
    worst = max(pairs, key=lambda pair: pair[1])
    told = f"{share(worst[1])} ({worst[0]})"
    section.gates.append(Gate("several pairs: any told apart", f"at most {share(MOST)}", told, worst[1] <= MOST))
    return section


def _row(family: str, measure: str, cells: list[Found]) -> tuple[str, ...]:
    cover = [c.coverage for c in cells]
    wide = [c.width for c in cells]
    return (
        f"{family}: {measure}", str(len(cells)), f"{share(min(cover), WANTED)} / {share(float(np.mean(cover)))}",
        share(max(c.gate for c in cells)), f"{np.nanmedian(wide):.2f} / {np.nanmax(wide):.2f}",
    )  # fmt: skip
