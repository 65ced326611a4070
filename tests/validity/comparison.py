"""Size of the plain tests where nothing differs, and coverage of the difference of two areas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
from scipy.stats import binom

from surefold.comparison import (
    cochran_q,
    friedman,
    mcnemar,
    nemenyi,
    permutation,
    sign_test,
    two_proportions,
    wilcoxon,
)
from surefold.estimates.estimate import TestResult

from .comparison_areas import PAIR_SIZES, PAIRS, PairCell, paired_areas, separate_areas
from .comparison_folds import FoldSizes, run_folds
from .comparison_sizes import LEVEL, Size, worst
from .coverage import Array
from .page import Gate, Grid, Section, share
from .tables import SEED

COVERS = 0.935

TEXT = """
A test at .05 should find a difference in one case of twenty where there is none: that share is its **size**. Shares
and tables of matched rows are summed over all outcomes (no simulation error); the rest is drawn, R = {draws:,}
(standard error {se:.3f}). Tests that are known to reject too often are printed in brackets; the library flags them.
Gates are at .06 for everything without a flag, three standard errors allowed.
"""


def matched_rows() -> Iterator[Size]:
    """McNemar over all splits of the disagreements among n rows of which a share q disagree."""
    for method, name in (("mid_p", "McNemar mid-p"), ("exact", "McNemar exact"), ("chi2", "McNemar chi-squared")):

        @cache
        def rejects(b: int, c: int, method: str = method) -> bool:
            return mcnemar(b, c, method=method).p_value <= LEVEL  # type: ignore[arg-type]

        for n in (20, 50, 200):
            for q in (0.05, 0.1, 0.2, 0.4):
                size = 0.0
                for apart, chance in enumerate(binom.pmf(np.arange(n + 1), n, q)):
                    if chance > 1e-9:
                        each = binom.pmf(np.arange(apart + 1), apart, 0.5)
                        size += chance * sum(p for b, p in enumerate(each) if rejects(b, apart - b))
                yield Size(name, f"n = {n}, {q:.0%} disagree", float(size))


def separate_rows() -> Iterator[Size]:
    """Two proportions over all pairs of counts: all outcomes, and those without a flag."""
    for n, m in ((20, 20), (30, 60), (50, 50), (30, 200), (100, 100)):
        found = [[two_proportions(a / n, n, b / m, m) for b in range(m + 1)] for a in range(n + 1)]
        rejects = np.array([[r.p_value <= LEVEL for r in row] for row in found])
        clean = np.array([[not r.flags for r in row] for row in found])
        for p in (0.02, 0.05, 0.1, 0.2, 0.3, 0.5):
            chance = np.outer(binom.pmf(np.arange(n + 1), n, p), binom.pmf(np.arange(m + 1), m, p))
            where = f"{n} and {m} rows, share {p:g}"
            yield Size("two proportions, unpooled", where, float((chance * rejects * clean).sum()))
            yield Size("two proportions, flagged too", where, float((chance * rejects).sum()), flagged=True)


DIFFERENCES: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_t(2, n),
    "ties and zeros": lambda rng, n: rng.integers(-2, 3, n).astype(float),
    "mostly zeros": lambda rng, n: rng.choice([-1.0, 0.0, 1.0], n, p=[0.15, 0.7, 0.15]),
}


def paired_values(draws: int) -> Iterator[Size]:
    for place, (shape, draw) in enumerate(DIFFERENCES.items()):
        for n in (8, 15, 40, 80):
            rng, zero = np.random.default_rng([SEED, 20, place, n]), np.zeros(n)
            few = draws // 4
            counts = np.zeros(4)
            for i in range(draws):
                d = draw(rng, n)
                tests: list[TestResult] = [sign_test(d, zero), wilcoxon(d, zero), wilcoxon(d, zero, "drop")]
                if i < few:
                    tests.append(permutation(d, zero, draws=499))
                for j, r in enumerate(tests):
                    counts[j] += r.p_value <= LEVEL
            names = ("sign test", "Wilcoxon, zeros split", "Wilcoxon, zeros dropped", "permutation")
            for name, count, drawn in zip(names, counts, (draws, draws, draws, few), strict=True):
                yield Size(name, f"{shape}, n = {n}", count / drawn, drawn)


def many_models(draws: int) -> Iterator[Size]:
    for n, k in ((20, 3), (50, 5), (200, 3)):
        rng = np.random.default_rng([SEED, 21, n, k])
        count = 0
        for _ in range(draws):
            hard = rng.normal(size=(n, 1))
            count += int(cochran_q(hard + rng.normal(size=(n, k)) < 1).p_value <= LEVEL)
        yield Size("Cochran's Q", f"{n} rows, {k} models", count / draws, draws)
    for n, k in ((5, 3), (8, 4), (10, 5), (20, 10)):
        for step in (0, 1):
            rng = np.random.default_rng([SEED, 22, n, k, step])
            counts = np.zeros(3)
            for _ in range(draws):
                table = rng.normal(size=(n, k))
                table = np.round(table) if step else table
                r = friedman(table)
                counts += r.p_value <= LEVEL, r.f_p_value <= LEVEL, nemenyi(table).p_value <= LEVEL
            where, few = f"{n} data sets, {k} models{', ties' if step else ''}", ", few data sets" if n < 8 else ""
            for name, times in zip(("Friedman chi-squared", "Friedman F", "Nemenyi"), counts, strict=True):
                yield Size(f"{name}{few}", where, times / draws, draws, bool(few))


def run(quick: bool) -> Section:
    draws = 200 if quick else 2000
    found = [*matched_rows(), *separate_rows(), *paired_values(draws), *many_models(draws)]
    pairs = paired_areas(draws)
    null = [c for c in pairs if c.design.is_null and min(c.m, c.n) >= 10]
    found += [Size("DeLong paired, quarter row", c.where, c.rejects, c.draws) for c in null]
    found += [Size("DeLong paired, as published", c.where, 1 - c.plain, c.draws, True) for c in null]
    unpaired, covers = separate_areas(draws)
    found += unpaired
    over_folds = run_folds(quick)
    grids = [
        Grid(
            "Size at .05: the worst design of each test",
            ("test", "worst design", "size"),
            [s.row() for s in worst(found)],
        ),
        _pair_grid(pairs),
        _fold_grid(over_folds),
    ]
    text = TEXT.format(draws=draws, se=np.sqrt(LEVEL * (1 - LEVEL) / draws))
    gates = [Gate(f"size of {s.test}", "at most .06", f"{share(s.size)} ({s.where})", s.passed)
             for s in worst([s for s in found if not s.flagged])]  # fmt: skip
    return Section("comparison", "Tests: how often they cry wolf", text, grids,
                   [*gates, *_cover_gates(pairs, covers, draws), *(f.gate() for f in over_folds)],
                   _weak(found, pairs, over_folds))  # fmt: skip


def _pair_grid(pairs: list[PairCell]) -> Grid:
    rows = []
    for design in PAIRS:
        cells = [c for c in pairs if c.design is design]
        rows.append((design.name, *(f"{share(c.quarter, COVERS)}/{share(c.plain, COVERS)}" for c in cells)))
    head = ("positives/negatives", *(f"{m}/{n}" for m, n in PAIR_SIZES))
    note = "Fewer than ten rows of a class are flagged."
    return Grid(
        "Difference of two areas on the same rows: coverage with the quarter row / of DeLong's", head, rows, note
    )


def _fold_grid(found: list[FoldSizes]) -> Grid:
    rows = [f.row() for f in found]
    note = "In brackets: flagged. Two learners on two sets of columns that are alike, so that neither can be better."
    return Grid("Size at .05 over folds", ("learner and data", *FoldSizes.head()), rows, note)


def _cover_gates(pairs: list[PairCell], covers: list[tuple[str, float]], draws: int) -> list[Gate]:
    least = min((c for c in pairs if min(c.m, c.n) >= 10), key=lambda c: c.quarter)
    where, cover = min(covers, key=lambda pair: pair[1])
    wanted = "at least .935"
    named = (
        ("paired areas, quarter row", least.where, least.quarter),
        ("separate areas, squared and added", where, cover),
    )
    return [Gate(name, wanted, f"{share(x)} ({at})", x >= COVERS) for name, at, x in named]


def _weak(found: list[Size], pairs: list[PairCell], over_folds: list[FoldSizes]) -> list[str]:
    flagged = [f"{s.test}: size {share(s.size)} ({s.where})" for s in worst(found) if s.flagged]
    few = min((c for c in pairs if min(c.m, c.n) < 10), key=lambda c: c.quarter)
    plain = min(pairs, key=lambda c: c.plain)
    wide = max((c for c in pairs if min(c.m, c.n) >= 50), key=lambda c: c.wider)
    return [
        *(f"{text}; flagged." for text in flagged),
        f"The difference of two areas with 8 rows of a class is covered {share(few.quarter)} ({few.where}); "
        f"DeLong's own interval goes down to {share(plain.plain)} ({plain.where}).",
        f"The quarter row is a high price for two models that rank almost alike: with 50 rows of a class or more its "
        f"interval is up to {wide.wider:.1f} times as wide as DeLong's ({wide.where}).",
        *(f.weak() for f in over_folds),
    ]
