"""Size of the whole procedure over data sets: Friedman's F, then pairs or a control; and of Bayesian signed ranks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import f, rankdata

from surefold.benchmarking.comparison import SMALL_ROPE, PostHoc
from surefold.benchmarking.result import Benchmark
from surefold.comparison import bayes_signed_rank

from .comparison_sizes import LEVEL, Size, worst
from .coverage import Array
from .page import Gate, Grid, Section, share
from .tables import SEED

TEXT = """
A benchmark asks two questions: do any models differ (Friedman's F), and if so, which (Nemenyi, Holm, Bonferroni-Dunn).
Counted is how often **any** of the models that are equal is called different from another, by the whole procedure as
`Benchmark.compare` runs it: first where all are equal, then where one is far better and the rest are equal. For the
Bayesian signed ranks it is how often a model that is no better gets a probability of .95 or more of being better. R =
{draws:,} tables a design (standard error {se:.3f}). In brackets: flagged, as probabilities are where the rope is small
beside the differences. Tests are flagged with fewer than 8 data sets, which the section on tests has.
"""

SHAPES = ((8, 3), (15, 5), (15, 10), (40, 4))
#: The test after the F, and whether it is against a control.
PROCEDURES: dict[str, tuple[PostHoc, bool]] = {
    "F, then Nemenyi": ("nemenyi", False),
    "F, then Holm over pairs": ("holm", False),
    "F, then Holm against a control": ("holm", True),
    "F, then Bonferroni-Dunn": ("bonferroni_dunn", True),
}
KINDS = ("all equal", "all equal, ties", "one far better, the rest equal")
#: Differences of accuracy between data sets have about this spread.
SPREAD = 0.02


def drawn_tables(rng: np.random.Generator, draws: int, n: int, k: int, kind: str) -> Array:
    """Accuracies: data sets differ in how hard they are, models do not, but for the first where it is far better."""
    tables = 0.8 + 0.1 * rng.normal(size=(draws, n, 1)) + SPREAD * rng.normal(size=(draws, n, k))
    if kind == "all equal, ties":
        return np.round(tables / SPREAD) * SPREAD
    if kind == "one far better, the rest equal":
        tables[..., 0] += 20 * SPREAD
    return tables


def friedman_p(tables: Array) -> Array:
    """p of the F of many tables at once, by another route than the library's: two-way analysis of variance of ranks."""
    _, n, k = tables.shape
    ranks = rankdata(np.round(-tables, 9), axis=2)
    between = n * ((ranks.mean(axis=1) - (k + 1) / 2) ** 2).sum(axis=1)
    rest = ((ranks - (k + 1) / 2) ** 2).sum(axis=(1, 2)) - between
    with np.errstate(divide="ignore", invalid="ignore"):
        found = f.sf((n - 1) * between / rest, k - 1, (k - 1) * (n - 1))
    return np.asarray(np.where(rest < 1e-9, np.where(between > 0, 0.0, 1.0), found))


def families(draws: int) -> Iterator[Size]:
    """How often any true null is rejected by each procedure. Where the F does not reject, nothing after it may."""
    for place, kind in enumerate(KINDS):
        for n, k in SHAPES:
            tables = drawn_tables(np.random.default_rng([SEED, 30, place, n, k]), draws, n, k, kind)
            p_values = friedman_p(tables)
            _check(tables[:20], p_values[:20])
            counts = dict.fromkeys(PROCEDURES, 0)
            for table in tables[p_values <= LEVEL]:
                b = Benchmark.of_table(table)
                better = {b.models[0]} if kind == KINDS[2] else set()
                for name, (post_hoc, against) in PROCEDURES.items():
                    c = b.compare(post_hoc=post_hoc, control=b.models[1] if against else None)
                    told = [pair for pair in c.pairs if pair.status != "cannot_tell"]
                    counts[name] += any(not {pair.first, pair.second} & better for pair in told)
            for name, count in counts.items():
                yield Size(name, f"{n} data sets, {k} models, {kind}", count / draws, draws)


def _check(tables: Array, p_values: Array) -> None:
    """Both routes agree, and the library tells nothing apart where the F does not reject."""
    for table, p in zip(tables, p_values.tolist(), strict=True):
        c = Benchmark.of_table(table).compare()
        if c.differs != (p <= LEVEL) or (not c.differs and any(pair.status != "cannot_tell" for pair in c.pairs)):
            raise AssertionError(f"two routes to Friedman's F disagree: {c.friedman} and {p}")


DIFFERENCES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_t(3, n),
    "steps": lambda rng, n: rng.integers(-2, 3, n).astype(float),
}


def probabilities(draws: int) -> Iterator[Size]:
    """How often the Bayesian signed ranks give .95 to a model that is no better: without the flag, and at all."""
    for place, (shape, draw) in enumerate(DIFFERENCES.items()):
        for n in (8, 15, 40):
            for rope in (0.0, 0.2, 0.5):
                rng = np.random.default_rng([SEED, 31, place, n])
                clean = every = 0
                for _ in range(draws):
                    d = SPREAD * draw(rng, n)
                    sure = bayes_signed_rank(d, rope * SPREAD, draws=1_000, random_state=rng).better >= 1 - LEVEL
                    every += sure
                    clean += sure and rope * SPREAD >= SMALL_ROPE * d.std(ddof=1)
                where = f"{n} data sets, {shape} differences, rope {rope:g} of their spread"
                yield Size("Bayesian signed ranks, better at .95", where, clean / draws, draws)
                yield Size("Bayesian signed ranks, flagged too", where, every / draws, draws, True)


def run(quick: bool) -> Section:
    draws = 200 if quick else 2000
    found = [*families(draws), *probabilities(draws)]
    head = ("procedure", "worst design", "size")
    grids = [Grid("How often equal models are called different", head, [s.row() for s in worst(found)])]
    text = TEXT.format(draws=draws, se=np.sqrt(LEVEL * (1 - LEVEL) / draws))
    clean = worst([s for s in found if not s.flagged])
    gates = [Gate(f"size of {s.test}", "at most .06", f"{share(s.size)} ({s.where})", s.passed) for s in clean]
    sure = max((s for s in found if s.flagged), key=lambda s: s.size)
    calm = max((s for s in found if s.test == "F, then Nemenyi" and s.where.endswith(KINDS[2])), key=lambda s: s.size)
    weak = [f"{sure.test}: size {share(sure.size)} ({sure.where}); flagged.",
            "Nemenyi's test is cautious where one model is far better than the rest: equal ones among them are told "
            f"apart at most {share(calm.size)} of the time."]  # fmt: skip
    return Section("benchmark", "Many data sets: how often equal models are told apart", text, grids, gates, weak)
