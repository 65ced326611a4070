"""Intervals from folds and bootstrap samples: how often they hold the error of the model that is shipped."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from surefold.estimates.bootstrapped import BootstrapLosses
from surefold.estimates.cross_validated import (
    corrected_interval,
    leave_pair_out_auc,
    naive_interval,
    nested_interval,
)
from surefold.estimates.estimate import Estimate
from surefold.estimates.optimism import no_information_rate
from surefold.estimates.proportion import share_interval
from surefold.resampling.fold_values import HeldOut
from surefold.resampling.hidden_shares import hidden_variance
from surefold.tallies.score_groups import ScoreGroups

from .coverage import CONFIDENCE, Array, holds, standard_error
from .fold_designs import LEARNERS, Design, Labels, discriminant_line
from .page import Gate, Grid, Section, share
from .tables import SEED

FOLDS, REPEATS, SAMPLES, NEW_ROWS = 10, 10, 50, 5000
WANTED = 0.93
NEIGHBOURS = ("5 neighbours", "1 neighbour")

NORMALS = Design("normals", "normal", 8, 1.8)
APART = Design("far apart", "normal", 4, 3.6)
SKEWED = Design("skewed, 30 % positive", "skewed", 6, 1.2, 0.3)
SQUARES = Design("squares", "squares", 4, 0.15)
NOTHING = Design("nothing to learn", "normal", 5, 0.0)
BARE = Design("bare squares", "squares", 2, 0.05)
WEAK = Design("weak", "normal", 4, 0.8, 0.3)
ALL = (NORMALS, APART, SKEWED, SQUARES, NOTHING)

CASES = (
    *(("logistic", design, 100) for design in ALL),
    *(("discriminant", design, 100) for design in ALL),
    *(("tree", design, 100) for design in (NORMALS, SKEWED, SQUARES, NOTHING)),
    *(("5 neighbours", design, 100) for design in ALL),
    *(("1 neighbour", design, 100) for design in (NORMALS, SQUARES)),
    *((learner, NORMALS, n) for n in (40, 300) for learner in ("logistic", "tree", "5 neighbours")),
    ("logistic", APART, 40),
    *(("logistic", BARE, n) for n in (100, 300)),
)
#: Errors near the share of the rarer class, where it matters that folds are stratified; and where it does not.
STRATIFIED = (
    ("logistic", Design("weak, 15 % positive", "normal", 4, 0.8, 0.15), 100),
    ("logistic", Design("weak, 15 % positive", "normal", 4, 0.8, 0.15), 300),
    ("logistic", Design("nothing to learn, 20 % positive", "normal", 5, 0.0, 0.2), 100),
    ("logistic", WEAK, 100),
    ("logistic", Design("middling, 10 % positive", "normal", 4, 1.25, 0.1), 200),
    ("5 neighbours", Design("weak, 20 % positive", "normal", 4, 0.8, 0.2), 100),
    ("tree", Design("weak, 20 % positive", "normal", 4, 0.8, 0.2), 100),
    ("logistic", NORMALS, 100),
)
NESTED = (("logistic", NORMALS), ("logistic", SKEWED), ("5 neighbours", NORMALS), ("tree", NORMALS))

OVER_FOLDS = {
    "t, 10 folds": "t, 10 folds",
    "t, 10 x 10": "t, 10 x 10",
    "corrected 99": "corrected, 99 d.f.",
    "corrected 9": "**corrected, 9 d.f.**",
    "one-row 9": "the same, one-row",
    "corrected 1": "corrected, 1 x 10",
    "pooled": "Wilson, pooled",
}
OVER_SAMPLES = {
    "on all": "on all rows",
    "alone": ".632+, not spanned",
    "out of bag": "**out-of-bag**",
    ".632": "**.632**",
    ".632+": "**.632+**",
}

TEXT = """
A learner is tried on n rows drawn from a known population, by {repeats} times {folds} folds and by {samples} bootstrap
samples, and the interval for its error is made by the shipped functions. Each entry is the share of intervals that hold
the **error of the model trained on these rows** / the error expected over all such data sets; both are found on {new:,}
new rows. The first is what a user wants to know. R = {draws:,} (standard error {se:.3f}), half
as many for the tree, and again half at n = 300.

Populations: *normals* (8 columns, the classes 1.8 apart), *far apart* (3.6, so that errors are few), *skewed*
(exponential columns), *squares* (the class is the sign of a product of two columns, 15 % flipped, and two columns that
say nothing: no line can tell the classes apart), *bare squares* (5 % flipped, no other columns), *nothing to learn*,
and for areas *weak* (.8 apart, 30 % positive). The tree is grown in full. An interval does not know the learner:
`neighbour_learner` is flagged for neighbours where the learner is known. Gates are on learners that learn something;
what happens to the others is told below.
"""


@dataclass
class Case:
    """What happened to every rule over the draws of one learner on one population."""

    learner: str
    design: Design
    n: int
    errors: list[float] = field(default_factory=list)
    bounds: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    @property
    def where(self) -> str:
        return f"{self.learner}, {self.design.name}, n = {self.n}"

    @property
    def draws(self) -> int:
        return len(self.errors)

    @property
    def learns(self) -> bool:
        """Whether the learner does better than always answering the larger class."""
        base = 0.5 if self.design.kind == "squares" else min(self.design.positive, 1 - self.design.positive)
        return float(np.mean(self.errors)) < base - 0.03

    def add(self, rule: str, found: Estimate | tuple[float, float]) -> None:
        ends = found.interval if isinstance(found, Estimate) else found
        self.bounds.setdefault(rule, []).append(ends)

    def coverage(self, rule: str) -> tuple[float, float]:
        """Of the error of each model, and of their mean."""
        low, high = np.array(self.bounds[rule]).T
        errors = np.array(self.errors)
        return float(holds(low, high, errors).mean()), float(holds(low, high, errors.mean()).mean())

    def width(self, rule: str) -> float:
        low, high = np.clip(np.array(self.bounds[rule]).T, 0, 1)
        return float((high - low).mean())

    def row(self, rules: dict[str, str]) -> tuple[str, ...]:
        return (self.where, *("/".join(share(c, WANTED) for c in self.coverage(rule)) for rule in rules))


def fold_of(n: int, rng: np.random.Generator) -> Array:
    return rng.permutation(n) % FOLDS


def case(learner: str, design: Design, n: int, draws: int, seed: list[int]) -> Case:
    """Every rule on the same draws."""
    rng, fit, found = np.random.default_rng(seed), LEARNERS[learner], Case(learner, design, n)
    new, new_y = design.draw(NEW_ROWS, rng)
    for _ in range(draws):
        X, y = design.draw(n, rng)
        whole = np.ones((1, n))
        found.errors.append(float((fit(X, y, whole, new)[0] != new_y).mean()))
        folds = np.stack([fold_of(n, rng) for _ in range(REPEATS)])
        held_out = (folds[:, None, :] == np.arange(FOLDS)[None, :, None]).reshape(-1, n)
        wrong = (fit(X, y, 1.0 - held_out, X, held_out) != y) & held_out
        over_folds(found, wrong.sum(1) / held_out.sum(1), held_out.sum(1), int(wrong[:FOLDS].sum()))
        drawn = bootstrap_counts(y, SAMPLES, rng)
        labels = fit(X, y, whole, X)[0]
        losses = BootstrapLosses.of(
            fit(X, y, drawn.astype(float), X) != y,
            drawn,
            labels != y,
            no_information_rate=no_information_rate(y, labels),
        )
        over_samples(found, losses)
    return found


def over_folds(found: Case, values: Array, tested: Array, first: int) -> None:
    n = found.n
    sizes = n - tested, tested
    once = values[:FOLDS], n - tested[:FOLDS], tested[:FOLDS]
    found.add("t, 10 folds", naive_interval(once[0]))
    found.add("t, 10 x 10", naive_interval(values))
    found.add("corrected 99", corrected_interval(values, *sizes, folds=FOLDS, df=len(values) - 1))
    found.add("corrected 9", corrected_interval(values, *sizes, folds=FOLDS))
    found.add("one-row 9", corrected_interval(values, *sizes, folds=FOLDS, shape="one_row"))
    found.add("corrected 1", corrected_interval(*once))
    low, high = share_interval("auto", first, n, CONFIDENCE)
    found.add("pooled", (float(low), float(high)))


def over_samples(found: Case, losses: BootstrapLosses) -> None:
    plus = losses.point632plus()
    found.add("on all", losses.on_all())
    found.add("out of bag", losses.out_of_bag())
    found.add(".632", losses.point632())
    found.add(".632+", plus)
    low, high = share_interval("auto", float(plus) * found.n, found.n, CONFIDENCE)
    found.add("alone", (float(low), float(high)))


def stratified_fold_of(y: Labels, rng: np.random.Generator) -> Array:
    """Each class dealt out by itself."""
    fold, dealt = np.empty(len(y), dtype=int), 0
    for c in (True, False):
        rows = rng.permutation(np.flatnonzero(y == c))
        fold[rows] = (np.arange(len(rows)) + dealt) % FOLDS
        dealt += len(rows)
    return fold


def stratified_case(learner: str, design: Design, n: int, draws: int, seed: list[int]) -> Case:
    """Folds that all have these rows' shares of the classes: with what they hide, and without."""
    rng, fit, found = np.random.default_rng(seed), LEARNERS[learner], Case(learner, design, n)
    new, new_y = design.draw(NEW_ROWS, rng)
    for _ in range(draws):
        X, y = design.draw(n, rng)
        found.errors.append(float((fit(X, y, np.ones((1, n)), new)[0] != new_y).mean()))
        folds = np.stack([stratified_fold_of(y, rng) for _ in range(REPEATS)])
        held_out = (folds[:, None, :] == np.arange(FOLDS)[None, :, None]).reshape(-1, n)
        labels = fit(X, y, 1.0 - held_out, X, held_out)
        tested = held_out.sum(1)
        split, row = np.nonzero(held_out)
        starts = np.append(0, np.cumsum(tested))
        called = labels[split, row].astype(np.int32)
        held = HeldOut(y[row].astype(np.intp), called, None, "none", starts, (0, 1))
        values = ((labels != y) & held_out).sum(1) / tested
        hidden = hidden_variance(held, "error_rate", 1, {}) / float(tested.mean())
        found.add("stratified", corrected_interval(values, n - tested, tested, folds=FOLDS, hidden=hidden))
        found.add("stratified alone", corrected_interval(values, n - tested, tested, folds=FOLDS))
    return found


def bootstrap_counts(y: Labels, samples: int, rng: np.random.Generator) -> Array:
    """How often each row is drawn; samples with one class only are drawn again."""
    n = len(y)
    drawn = rng.multinomial(n, np.full(n, 1 / n), size=samples)
    while (bad := (drawn[:, y].sum(1) == 0) | (drawn[:, ~y].sum(1) == 0)).any():
        drawn[bad] = rng.multinomial(n, np.full(n, 1 / n), size=int(bad.sum()))
    return np.asarray(drawn)


def nested_case(learner: str, design: Design, n: int, repeats: int, draws: int, seed: list[int]) -> Case:
    """Nested cross-validation beside the corrected interval on the same folds."""
    rng, fit, found = np.random.default_rng(seed), LEARNERS[learner], Case(learner, design, n)
    new, new_y = design.draw(NEW_ROWS, rng)
    pairs = [(k, j) for k in range(FOLDS) for j in range(k, FOLDS)]  # k = j: one fold left out
    place = {pair: at for at, pair in enumerate(pairs)}
    for _ in range(draws):
        X, y = design.draw(n, rng)
        found.errors.append(float((fit(X, y, np.ones((1, n)), new)[0] != new_y).mean()))
        outer, inner, values = [], [], []
        for _ in range(repeats):
            fold = fold_of(n, rng)
            weights = np.array([(fold != k) & (fold != j) for k, j in pairs], dtype=float)
            wrong = (fit(X, y, weights, X, weights == 0) != y).astype(float)
            outer.append([wrong[place[k, k], fold == k] for k in range(FOLDS)])
            inner.append(
                [
                    np.concatenate([wrong[place[min(k, j), max(k, j)], fold == j] for j in range(FOLDS) if j != k])
                    for k in range(FOLDS)
                ]
            )
            values += [float(x.mean()) for x in outer[-1]]
        found.add("nested", nested_interval(outer, inner))
        found.add("corrected 9", corrected_interval(values, n - n / FOLDS, n / FOLDS, folds=FOLDS))
    return found


def pairs_case(design: Design, n: int, draws: int, seed: list[int]) -> Case:
    """Leave-pair-out area of the linear discriminant: all pairs, and 3 n of them."""
    rng, found = np.random.default_rng(seed), Case("discriminant", design, n)
    new, new_y = design.draw(NEW_ROWS, rng)
    for _ in range(draws):
        X, y = design.draw(n, rng)
        slope, _ = discriminant_line(X, y, np.ones((1, n)))
        found.errors.append(ScoreGroups.of(new @ slope[0], new_y).auc)
        positive, negative = np.flatnonzero(y), np.flatnonzero(~y)
        i, j = (x.ravel() for x in np.meshgrid(range(len(positive)), range(len(negative)), indexing="ij"))
        weights = np.ones((len(i), n))
        weights[np.arange(len(i)), positive[i]] = weights[np.arange(len(i)), negative[j]] = 0.0
        slopes, _ = discriminant_line(X, y, weights)
        ahead = (slopes * (X[positive[i]] - X[negative[j]])).sum(1)
        wins = np.where(ahead == 0, 0.5, ahead > 0)
        found.add("all pairs", leave_pair_out_auc(wins, i, j, len(positive), len(negative)))
        some = rng.choice(len(i), size=min(3 * n, len(i)), replace=False)
        found.add("some pairs", leave_pair_out_auc(wins[some], i[some], j[some], len(positive), len(negative)))
    return found


def run(quick: bool) -> Section:
    draws = 20 if quick else 400
    cases = CASES if not quick else [c for c in CASES if c[2] == 100 and c[1] is NORMALS]
    found = [
        case(learner, design, n, _draws(learner, n, draws), [SEED, 31, i])
        for i, (learner, design, n) in enumerate(cases)
    ]
    nested = [
        nested_case(learner, design, 100, 2 if quick else 10, _draws(learner, 1000, draws), [SEED, 32, i])
        for i, (learner, design) in enumerate(NESTED[:1] if quick else NESTED)
    ]
    pairs = [
        pairs_case(design, n, draws, [SEED, 33, i, n])
        for i, design in enumerate((NORMALS, SKEWED, APART, WEAK))
        for n in ((100,) if quick else (40, 100))
    ]
    stratified = [
        stratified_case(learner, design, n, _draws(learner, n, draws), [SEED, 34, i])
        for i, (learner, design, n) in enumerate(STRATIFIED[: 2 if quick else None])
    ]
    grids = [
        Grid("Over folds (bold: below .93)", ("", *OVER_FOLDS.values()), [c.row(OVER_FOLDS) for c in found], _WIDTHS),
        Grid("Over bootstrap samples", ("", *OVER_SAMPLES.values()), [c.row(OVER_SAMPLES) for c in found], _SPANNED),
        Grid(
            "Over stratified folds, 10 x 10",
            ("", "**with what they hide**", "folds alone", "width", "folds alone"),
            [
                (*c.row(_STRATIFIED), f"{c.width('stratified'):.3f}", f"{c.width('stratified alone'):.3f}")
                for c in stratified
            ],
            _HIDDEN,
        ),
        _width_grid(found),
        Grid(
            f"Nested cross-validation, 10 repeats (R = {nested[0].draws}, half of that for the tree)",
            ("", "nested", "corrected, 9 d.f.", "width, nested", "corrected"),
            [(*c.row(_NESTED), f"{c.width('nested'):.3f}", f"{c.width('corrected 9'):.3f}") for c in nested],
        ),
        Grid("Leave-pair-out area", ("", *_PAIRS.values()), [c.row(_PAIRS) for c in pairs], _LPO),
    ]
    text = TEXT.format(
        repeats=REPEATS, folds=FOLDS, samples=SAMPLES, new=NEW_ROWS, draws=draws, se=standard_error(0.95, draws)
    )
    asked = gates(found, nested, pairs) + _stratified_gates(stratified)
    return Section("folds", "Folds and bootstrap samples", text, grids, asked, weak(found, pairs))


_STRATIFIED = {"stratified": "with what they hide", "stratified alone": "folds alone"}
_HIDDEN = (
    "Stratified folds all have the shares of classes of these rows. A learner that mostly answers the commonest class "
    "errs as often as the others occur, which varies from data set to data set and not from fold to fold."
)


def _stratified_gates(cases: list[Case]) -> list[Gate]:
    answer = []
    for name, target in (("error of the model", 0), ("expected error", 1)):
        least, where, passed = _worst(cases, ("stratified",), target)
        told, dots = f"minimum {share(least)} ({where})", [(c.coverage("stratified")[target], False) for c in cases]
        answer.append(Gate(f"stratified folds: {name}", f"≥ {share(WANTED)}", told, passed, dots))
    return answer


_NESTED = {"nested": "nested", "corrected 9": "corrected, 9 d.f."}
_PAIRS = {"all pairs": "all pairs", "some pairs": "3 n pairs"}
_WIDTHS = "The first two columns are what books print, and are flagged `naive_folds`."
_SPANNED = (
    "*On all rows* is the books' bootstrap, flagged `optimistic`. *Not spanned* is Wilson's interval around .632+ "
    "alone; the three beside it have the interval that spans .632+ (or .632) and the out-of-bag error."
)
_LPO = "Entries are for the area of the model of these rows / the expected area."


def _draws(learner: str, n: int, draws: int) -> int:
    """Fewer where a draw takes long."""
    return max(draws // (1 + (learner == "tree")) // (1 + (n > 100)), 20)


def _width_grid(found: list[Case]) -> Grid:
    rules = {**OVER_FOLDS, **OVER_SAMPLES}
    sizes = sorted({c.n for c in found})
    rows = [
        (f"n = {n}", *(f"{np.mean([c.width(rule) for c in found if c.n == n]):.3f}" for rule in rules)) for n in sizes
    ]
    return Grid("Mean width", ("", *rules.values()), rows)


def _worst(cases: list[Case], rules: tuple[str, ...], target: int) -> tuple[float, str, bool]:
    """The least coverage, where it is, and whether every one is above the limit."""
    every = [
        (c.coverage(rule)[target], f"{rule}, {c.where}" if len(rules) > 1 else c.where, c)
        for rule in rules
        for c in cases
    ]
    if not every:
        return 1.0, "none", True
    least = min(every, key=lambda x: x[0])
    return least[0], least[1], all(v >= WANTED for v, _, _ in every)


def gates(found: list[Case], nested: list[Case], pairs: list[Case]) -> list[Gate]:
    wanted = f"≥ {share(WANTED)}"
    large = [c for c in found if c.n >= 100 and c.learns]
    stable = [c for c in large if c.learner not in NEIGHBOURS]
    near = [c for c in large if c.learner in NEIGHBOURS]
    checks = (
        ("corrected t, 9 d.f., n ≥ 100: error of the model", stable, ("corrected 9",), 0),
        ("the same: expected error", stable, ("corrected 9",), 1),
        ("the same, neighbours (flagged): error of the model", near, ("corrected 9",), 0),
        ("bootstrap, n ≥ 100: error of the model", large, ("out of bag", ".632", ".632+"), 0),
        ("nested cross-validation, n = 100", nested, ("nested",), 0),
        ("leave-pair-out area, n = 100", [c for c in pairs if c.n >= 100], ("all pairs", "some pairs"), 0),
    )
    answer = []
    for name, cases, rules, target in checks:
        least, where, passed = _worst(cases, rules, target)
        dots = [(c.coverage(rule)[target], c.learner in NEIGHBOURS) for rule in rules for c in cases]
        answer.append(Gate(name, wanted, f"minimum {share(least)} ({where})", passed, dots))
    return answer


def weak(found: list[Case], pairs: list[Case]) -> list[str]:
    def least(rule: str, target: int, cases: list[Case]) -> str:
        value, where, _ = _worst(cases, (rule,), target)
        return f"{share(value)} ({where})"

    lost = [c for c in found if c.n >= 100 and not c.learns]
    near = [c for c in found if c.learner in NEIGHBOURS]
    answer = [
        f"t over 10 x 10 folds as if they were independent covers down to {least('t, 10 x 10', 0, found)}, over one "
        f"set of 10 folds {least('t, 10 folds', 0, found)}; both carry `naive_folds`.",
        f"Pooled predictions of one set of folds with Wilson's interval: down to {least('pooled', 0, found)}.",
        f"Leave-pair-out areas of all pairs: down to {least('all pairs', 0, pairs)}.",
        f"The bootstrap tested on all rows covers down to {least('on all', 0, found)}; it carries `optimistic`.",
    ]
    if near:
        answer.append(
            f"Neighbours, corrected t with 9 d.f.: the expected error is held down to {least('corrected 9', 1, near)}; "
            "`neighbour_learner` is flagged."
        )
    if lost:
        answer.append(
            f"Learners that find nothing: corrected t with 9 d.f. holds the error of the model down to "
            f"{least('corrected 9', 0, lost)} and the expected error down to {least('corrected 9', 1, lost)}; the "
            f"bootstrap's .632+ the error of the model down to {least('.632+', 0, lost)}, with `near_chance`."
        )
    return answer
