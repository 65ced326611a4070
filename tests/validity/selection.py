"""The levels of model selection: what each claims against the error of the model that it ships."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from surefold.estimates.cross_validated import corrected_interval
from surefold.estimates.proportion import share_interval
from surefold.selection.bias_corrected import chosen_again, estimate_of_draws
from surefold.selection.levels import LEVELS

from .coverage import CONFIDENCE, Array, holds, standard_error
from .fold_designs import Design, Labels, discriminant
from .page import Gate, Grid, Section, least_and_mean, share
from .tables import SEED

FOLDS, OUTER, DRAWS, NEW_ROWS = 5, 10, 300, 2000
WANTED = 0.93
NEIGHBOURS = (1, 3, 7, 15, 31)
#: How many of the columns a candidate looks at; the first two matter.
COLUMNS = (1, 2, 4, 8)
#: What zero level and quick attempt take as given: 3 neighbours, and a line, of all columns.
GIVEN = (("3 neighbours", 8), ("line", 8))

DESIGNS = (
    (Design("normals", "normal", 8, 1.8), 100),
    (Design("normals", "normal", 8, 1.8), 200),
    (Design("skewed, 30 % positive", "skewed", 8, 1.2, 0.3), 100),
    (Design("squares", "squares", 8, 0.15), 200),
    (Design("nothing to learn", "normal", 8, 0.0), 100),
)

TEXT = """
{count} candidates (a line, and {ks} neighbours, each of the first {columns} columns) are searched on n rows of a known
population, at each level; every level then ships its choice, trained on all n rows, and its true error is found on
{new:,} new rows. **Claimed** is what the search says of its winner; **found** is the figure that `select` gives as its
estimate: where the level keeps rows that chose nothing, theirs. Bias is figure less true error (negative flatters),
coverage how often its 95 % interval holds the true error of the shipped model. R = {draws:,} data sets (standard error
{se:.3f}). Test and validation parts have a quarter of the rows each, searches {folds} folds, nested {outer} outer folds
with the corrected t on {df} degrees of freedom. *No test* is `cross_validation` with `test_size=None`: its figure is
the claim corrected for the choice by {boot} draws of the rows. Zero level and quick attempt take two models as given.
"""

Candidate = tuple[str, int]


@dataclass
class Case:
    """Claims, findings and true errors of the levels on one population."""

    design: Design
    n: int
    true: dict[str, list[float]] = field(default_factory=dict)
    claimed: dict[str, list[tuple[float, float, float]]] = field(default_factory=dict)
    found: dict[str, list[tuple[float, float, float]]] = field(default_factory=dict)

    @property
    def where(self) -> str:
        return f"{self.design.name}, n = {self.n}"

    @property
    def draws(self) -> int:
        return len(self.true["zero"])

    def bias(self, level: str, kind: str) -> float:
        return float(np.mean([each[0] for each in getattr(self, kind)[level]]) - np.mean(self.true[level]))

    def coverage(self, level: str, kind: str) -> float:
        _, low, high = np.array(getattr(self, kind)[level]).T
        return float(holds(low, high, np.array(self.true[level])).mean())


def candidates() -> list[Candidate]:
    """Simple ones first, as a user would list them."""
    return [(kind, d) for d in COLUMNS for kind in ("line", *(f"{k} neighbours" for k in reversed(NEIGHBOURS)))]


def answers(X: Array, y: Labels, trained: Labels, at: Array | None = None) -> dict[Candidate, Labels]:
    """Labels of every candidate for each split (splits x rows of `at`, or of X itself): one sort serves all k."""
    found: dict[Candidate, Labels] = {}
    weights = trained.astype(float)
    for d in COLUMNS:
        rows, points = X[:, :d], X[:, :d] if at is None else at[:, :d]
        found["line", d] = discriminant(rows, y, weights, points)
        apart = (rows**2).sum(1) - 2 * points @ rows.T
        if at is None:
            np.fill_diagonal(apart, -np.inf)
        order = np.argsort(apart, axis=1)
        labels = np.empty((len(NEIGHBOURS), len(trained), len(points)), dtype=bool)
        for s, mask in enumerate(trained):
            there = mask[order]
            reached, votes = np.cumsum(there, axis=1), np.cumsum(there & y[order], axis=1)
            for i, k in enumerate(NEIGHBOURS):
                last = np.argmax(reached >= k, axis=1)
                labels[i, s] = 2 * votes[np.arange(len(points)), last] > k
        for i, k in enumerate(NEIGHBOURS):
            found[f"{k} neighbours", d] = labels[i]
    return found


def parts(n: int, shares: Sequence[float], rng: np.random.Generator) -> list[Labels]:
    """Masks of random parts of these shares."""
    order, start, found = rng.permutation(n), 0, []
    for each in shares:
        mask = np.zeros(n, dtype=bool)
        mask[order[start : start + round(each * n)]] = True
        start += round(each * n)
        found.append(mask)
    return found


def folds_of(rows: Labels, folds: int, rng: np.random.Generator) -> Labels:
    """Masks of what each fold holds out of some rows."""
    where = np.flatnonzero(rows)
    number = np.full(len(rows), -1)
    number[where] = rng.permutation(len(where)) % folds
    return np.asarray(number == np.arange(folds)[:, None])


def of_share(wrong: int, rows: int) -> tuple[float, float, float]:
    low, high = share_interval("auto", wrong, rows, CONFIDENCE)
    return wrong / rows, float(low), float(high)


def of_folds(values: Array, train: Array, test: Array) -> tuple[float, float, float]:
    e = corrected_interval(values, train, test, folds=len(values))
    return e.value, e.low, e.high


def best_of(errors: dict[Candidate, float]) -> Candidate:
    return min(errors, key=errors.__getitem__)


def draw(case: Case, rng: np.random.Generator, boot: np.random.Generator) -> None:
    """One data set, every level."""
    X, y = case.design.draw(case.n, rng)
    n, every = case.n, np.ones(case.n, dtype=bool)
    test, validation = parts(n, (0.25, 0.25), rng)
    train, both = ~test & ~validation, ~test
    of_test, of_all = folds_of(both, FOLDS, rng), folds_of(every, FOLDS, rng)
    outer = folds_of(every, OUTER, rng)
    inner = [folds_of(~held, FOLDS, rng) for held in outer]
    masks = [every, both, train, *(both & ~f for f in of_test), *(~f for f in of_all), *(~f for f in outer)]
    masks += [~held & ~f for held, within in zip(outer, inner, strict=True) for f in within]
    said = answers(X, y, np.array(masks))
    wrong = {c: labels != y for c, labels in said.items()}
    new, new_y = case.design.draw(NEW_ROWS, rng)
    shipped = {c: float((labels[0] != new_y).mean()) for c, labels in answers(X, y, every[None], new).items()}

    def record(level: str, chosen: Candidate, claim: tuple[float, float, float], figure: object = None) -> None:
        case.true.setdefault(level, []).append(shipped[chosen])
        case.claimed.setdefault(level, []).append(claim)
        case.found.setdefault(level, []).append(claim if figure is None else figure)  # type: ignore[arg-type]

    def held_out(first: int, held: Labels, c: Candidate) -> Array:
        return np.array([wrong[c][first + i, f].mean() for i, f in enumerate(held)])

    # one set of rows
    given = {c: float(wrong[c][0].mean()) for c in GIVEN}
    chosen = best_of(given)
    record("zero", chosen, of_share(int(wrong[chosen][0].sum()), n))
    for level, tried in (("quick", GIVEN), ("standard", tuple(wrong))):
        chosen = best_of({c: float(wrong[c][1, test].mean()) for c in tried})
        record(level, chosen, of_share(int(wrong[chosen][1, test].sum()), int(test.sum())))
    chosen = best_of({c: float(wrong[c][2, validation].mean()) for c in wrong})
    record("train_validation_test", chosen, of_share(int(wrong[chosen][2, validation].sum()), int(validation.sum())),
           of_share(int(wrong[chosen][1, test].sum()), int(test.sum())))  # fmt: skip
    # folds
    at = 3
    values = {c: held_out(at, of_test, c) for c in wrong}
    chosen = best_of({c: float(v.mean()) for c, v in values.items()})
    sizes = both.sum() - of_test.sum(1), of_test.sum(1)
    record("cross_validation", chosen, of_folds(values[chosen], *sizes),
           of_share(int(wrong[chosen][1, test].sum()), int(test.sum())))  # fmt: skip
    at += FOLDS
    values = {c: held_out(at, of_all, c) for c in wrong}
    final = best_of({c: float(v.mean()) for c, v in values.items()})
    claim = of_folds(values[final], n - of_all.sum(1), of_all.sum(1))
    losses = np.array([sum(wrong[c][at + i] * f for i, f in enumerate(of_all)) for c in wrong], dtype=float)
    counts = boot.multinomial(n, np.full(n, 1 / n), size=DRAWS).astype(float)
    left = (counts == 0).astype(float)
    _, _, draws = chosen_again(losses @ counts.T / n, losses @ left.T / left.sum(1), -1)
    e = estimate_of_draws(draws, n, (0.0, 1.0))
    record("no test", final, claim, (e.value, e.low, e.high))
    # nested
    first = at + FOLDS
    outer_errors = []
    for o, held in enumerate(outer):
        start = first + OUTER + o * FOLDS
        chosen = best_of({c: float(held_out(start, inner[o], c).mean()) for c in wrong})
        outer_errors.append(float(wrong[chosen][first + o, held].mean()))
    record("nested", final, claim, of_folds(np.array(outer_errors), n - outer.sum(1), outer.sum(1)))


def case_of(design: Design, n: int, draws: int, seed: list[int]) -> Case:
    rng, boot, case = np.random.default_rng(seed), np.random.default_rng([*seed, 1]), Case(design, n)
    for _ in range(draws):
        draw(case, rng, boot)
    return case


TITLES = {**{name: level.title for name, level in LEVELS.items()}, "no test": "Cross-validation, no test"}
ORDER = ("zero", "quick", "standard", "train_validation_test", "cross_validation", "no test", "nested")


def run(quick: bool) -> Section:
    draws = 25 if quick else 300
    found = [case_of(design, n, draws, [SEED, 77, i]) for i, (design, n) in enumerate(DESIGNS)]
    text = TEXT.format(
        count=len(candidates()), ks=", ".join(map(str, NEIGHBOURS)), columns=", ".join(map(str, COLUMNS)),
        new=NEW_ROWS, draws=draws, se=standard_error(CONFIDENCE, draws), folds=FOLDS, outer=OUTER, df=OUTER - 1,
        boot=DRAWS,
    )  # fmt: skip
    section = Section("selection", "What a search claims", text, [_summary(found), *(_grid(case) for case in found)])
    section.gates, section.weak = gates(found), weak(found)
    return section


def _summary(found: list[Case]) -> Grid:
    """All populations in one table: the mean bias, and the least and the mean coverage."""

    def row(level: str) -> tuple[str, ...]:
        cells = []
        for kind in ("claimed", "found"):
            cells.append(f"{np.mean([case.bias(level, kind) for case in found]):+.3f}")
            cells.append(least_and_mean([case.coverage(level, kind) for case in found], WANTED))
        return (TITLES[level], *cells)

    head = ("level", "bias of the claim", "its coverage", "bias of the estimate", "its coverage")
    return Grid("All populations", head, [row(level) for level in ORDER])


def _grid(case: Case) -> Grid:
    rows = [
        (
            TITLES[level],
            share(float(np.mean(case.true[level]))),
            share(float(np.mean([c[0] for c in case.claimed[level]]))),
            f"{case.bias(level, 'claimed'):+.3f}",
            share(case.coverage(level, "claimed"), WANTED),
            share(float(np.mean([c[0] for c in case.found[level]]))),
            f"{case.bias(level, 'found'):+.3f}",
            share(case.coverage(level, "found"), WANTED),
            share(float(np.mean([c[2] - c[1] for c in case.found[level]]))),
        )
        for level in ORDER
    ]
    head = ("level", "true", "claimed", "bias", "coverage", "found", "bias", "coverage", "width")
    return Grid(case.where, head, rows)


def gates(found: list[Case]) -> list[Gate]:
    answer = []
    for level in ("nested", "cross_validation", "train_validation_test"):
        least = min(found, key=lambda c: c.coverage(level, "found"))
        value = least.coverage(level, "found")
        name = f"{TITLES[level]}: error of the model shipped"
        wanted = f"≥ {share(WANTED)}"
        answer.append(Gate(name, wanted, f"minimum {share(value)} ({least.where})", value >= WANTED))
    for level in ("zero", "standard"):
        bias = float(np.mean([c.bias(level, "claimed") for c in found]))
        answer.append(Gate(f"{TITLES[level]} flatters", "bias < −.02", f"{bias:+.3f} on average", bias < -0.02))
    return answer


def weak(found: list[Case]) -> list[str]:
    def least(level: str, kind: str) -> str:
        worst = min(found, key=lambda c: c.coverage(level, kind))
        return f"{share(worst.coverage(level, kind))} ({worst.where})"

    return [
        f"Searches: the claim of zero level holds the true error down to {least('zero', 'claimed')}, of the standard "
        f"level down to {least('standard', 'claimed')}, of cross-validation without a test down to "
        f"{least('no test', 'claimed')}; all carry `selected_from_m`. Corrected for the choice, the last covers "
        f"{least('no test', 'found')}.",
    ]
