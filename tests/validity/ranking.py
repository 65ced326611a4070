"""Measures of order: the area under the ROC curve and its rivals' intervals, parts of it, average precision, classes.

Areas are simulated in batches from the placements of every row, through the shipped formulas; a test holds the batch to
what single samples give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats
from scipy.special import expit, logit

from surefold.estimates.auc import AucMoments, auc_estimate, newcombe_interval
from surefold.estimates.average_precision import average_precision_estimate
from surefold.estimates.grouping import score_design
from surefold.estimates.ks import ks_estimate
from surefold.estimates.multiclass_auc import matrix_estimate
from surefold.estimates.one_row import beta_interval, effective_rows
from surefold.estimates.partial_auc import partial_area, partial_auc
from surefold.estimates.quantiles import normal_quantile
from surefold.measures.ranking import average_precision, ks, roc_auc
from surefold.measures.score_measure import SCORE_REGISTERED
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

from .coverage import CONFIDENCE, Array, holds, standard_error
from .page import Gate, Grid, Section, least_and_mean, share
from .tables import SEED

WANTED = 0.935
RULES = ("one_row", "delong", "logit_delong", "newcombe")
PUBLISHED = [(20, 20, a) for a in (0.7, 0.9, 0.95, 0.99)] + [(10, 90, 0.9), (10, 90, 0.99), (50, 50, 0.95)]
SIZES = ((8, 40), (40, 8), (15, 300), (300, 15), (100, 100))
AREAS = (0.6, 0.8, 0.95)

TEXT = """
`few_of_a_class` fires where a class has fewer than ten rows (twenty in the range, for a part of the area),
`few_positives` with fewer than twenty positives, `few_weighted_errors` where weights vary and what is won or lost rests
on fewer than ten rows' worth. R = {draws:,} for areas (standard error {se:.3f}), {slow:,} where every draw is a sample
by itself.
"""

Draw = Callable[[Array], Array]  # from uniform numbers to scores, so that a grid of them is the population


def _two_humps(u: Array) -> Array:
    """One positive in eight scores like the lowest negatives."""
    return np.asarray(np.where(u < 0.125, stats.norm.ppf(u / 0.125) * 0.7 - 2.5, stats.norm.ppf((u - 0.125) / 0.875)))


#: Shape: scores of positives and of negatives before positives are shifted, and the step scores are rounded to.
SHAPES: dict[str, tuple[Draw, Draw, float]] = {
    "normal": (stats.norm.ppf, stats.norm.ppf, 0.0),
    "wide positives": (lambda u: 3 * stats.norm.ppf(u), stats.norm.ppf, 0.0),
    "skewed up": (stats.expon.ppf, stats.expon.ppf, 0.0),
    "skewed down": (lambda u: -stats.gamma(0.7).ppf(u), lambda u: -stats.gamma(0.7).ppf(u), 0.0),
    "heavy tails": (stats.t(2).ppf, stats.t(2).ppf, 0.0),
    "two humps": (_two_humps, stats.norm.ppf, 0.0),
    "five levels": (stats.norm.ppf, stats.norm.ppf, 1.0),
    "two levels": (stats.norm.ppf, stats.norm.ppf, 50.0),
}
_GRID = (np.arange(4000) + 0.5) / 4000


@dataclass(frozen=True)
class Scores:
    """Two populations of scores with a known area between them."""

    name: str
    positive: Draw
    negative: Draw

    @property
    def population(self) -> ScoreGroups:
        """The populations at a fine grid of their quantiles."""
        scores = np.concatenate([self.positive(_GRID), self.negative(_GRID)])
        return ScoreGroups.of(scores, np.arange(len(scores)) < len(_GRID))

    def draw(self, draws: int, m: int, n: int, rng: np.random.Generator) -> tuple[Array, Array]:
        return self.positive(rng.random((draws, m))), self.negative(rng.random((draws, n)))


@cache
def scores(shape: str, area: float) -> Scores:
    """A shape shifted until the area is the one wanted."""
    up, down, step = SHAPES[shape]

    def rounded(x: Array) -> Array:
        return np.asarray(np.floor(x / step) if step else x)

    def shifted(by: float) -> Scores:
        return Scores(f"{shape}, area {share(area)}", lambda u: rounded(up(u) + by), lambda u: rounded(down(u)))

    low, high = -20.0, 20.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if shifted(middle).population.auc < area else (low, middle)
    return shifted(high)


def moments(positive: Array, negative: Array, weights: tuple[Array, Array] | None = None) -> AucMoments:
    """The moments of a batch of samples, by comparing every pair; weights as effective rows of each class."""
    draws, m = positive.shape
    n = negative.shape[1]
    w1, w0 = weights if weights is not None else (np.ones((draws, m)), np.ones((draws, n)))
    parts = []
    room = max(1, 1_000_000 // (m * n))
    for start in range(0, draws, room):
        block = slice(start, start + room)
        x, y, a, b = positive[block, :, None], negative[block, None, :], w1[block], w0[block]
        wins = (x > y) + 0.5 * (x == y)
        of_positive = np.einsum("dmn,dn->dm", wins, b) / b.sum(axis=1, keepdims=True)
        of_negative = np.einsum("dmn,dm->dn", wins, a) / a.sum(axis=1, keepdims=True)
        auc = (of_positive * a).sum(axis=1) / a.sum(axis=1)
        columns = [auc]
        for place, w in ((of_positive, a), (of_negative, b)):
            off, scale = place - auc[:, None], w.sum(axis=1) / (w**2).sum(axis=1)
            sums = [(w**2 * off**k).sum(axis=1) * scale**2 for k in (2, 1)]
            columns += [w.sum(axis=1) * scale, *sums]
        parts.append(np.stack(columns))
    auc, rows1, spread1, lean1, rows0, spread0, lean0 = np.concatenate(parts, axis=1)
    return AucMoments(auc, rows1, rows0, spread1, spread0, lean1, lean0)


def bounds(rule: str, found: AucMoments, shape: float = 0.0) -> tuple[Array, Array]:
    """Low and high of every sample; where DeLong's has no width, Newcombe's, as shipped."""
    if rule == "one_row":
        centre, variance = found.one_row()
        rows = effective_rows(centre, variance, (0.0, 1.0))
        return beta_interval(centre, rows, found.auc, (0.0, 1.0), CONFIDENCE, shape)
    low, high = newcombe_interval(found.auc, found.positives, found.negatives, CONFIDENCE)
    if rule == "newcombe":
        return low, high
    with np.errstate(invalid="ignore", divide="ignore"):
        se, z = np.sqrt(found.delong_variance()), normal_quantile((1 + CONFIDENCE) / 2)
        ends = [found.auc + sign * z * se for sign in (-1, 1)]
        if rule == "logit_delong":
            ends = [expit(logit(found.auc) + sign * z * se / (found.auc * (1 - found.auc))) for sign in (-1, 1)]
    none = ~((se > 0) & (found.auc > 0) & (found.auc < 1))
    return np.where(none, low, np.clip(ends[0], 0, 1)), np.where(none, high, np.clip(ends[1], 0, 1))


@dataclass(frozen=True)
class Found:
    """What was found in one cell."""

    where: str
    coverage: dict[str, float]
    flagged: bool
    width: dict[str, float]


def area_cell(design: Scores, m: int, n: int, draws: int, seed: list[int]) -> Found:
    truth, rng = design.population.auc, np.random.default_rng(seed)
    found = moments(*design.draw(draws, m, n, rng))
    ends = {rule: bounds(rule, found) for rule in RULES}
    coverage = {rule: float(holds(*pair, truth).mean()) for rule, pair in ends.items()}
    width = {rule: float(np.mean(high - low)) for rule, (low, high) in ends.items()}
    return Found(f"{design.name}, {m}/{n}", coverage, min(m, n) < 10, width)


def drawn_cell(design: Scores, m: int, n: int, samples: int, seed: list[int]) -> tuple[float, float]:
    """Coverage of the two bootstrap intervals, 999 draws each."""
    truth, rng, inside = design.population.auc, np.random.default_rng(seed), np.zeros(2)
    positive, negative = design.draw(samples, m, n, rng)
    is_positive = np.arange(m + n) < m
    for x, y in zip(positive, negative, strict=True):
        t = ScoreGroups.of(np.concatenate([x, y]), is_positive)
        for i, method in enumerate(("percentile", "bca")):
            e = auc_estimate(t, method=method, draws=999, random_state=int(rng.integers(2**31)))
            inside[i] += truth in e
    low, high = inside / samples
    return float(low), float(high)


# weighted rows

WEIGHTS = ("lognormal .5", "lognormal 1", "0/1/2", "high scores heavier", "low scores heavier", "positives heavier")


def weigh(kind: str, x: Array, is_positive: bool, rng: np.random.Generator) -> Array:
    if kind == "0/1/2":
        w = rng.integers(0, 3, x.shape).astype(float)
        w[:, 0] = 1.0  # a class never vanishes
        return w
    if kind.endswith("scores heavier"):
        return np.asarray(np.exp((0.7 if kind.startswith("high") else -0.5) * np.clip(x, -3, 3)))
    if kind == "positives heavier":
        return rng.lognormal(0, 0.3, x.shape) * (5.0 if is_positive else 1.0)
    return rng.lognormal(0, 0.5 if kind == "lognormal .5" else 1.0, x.shape)


def worth(positive: Array, negative: Array, weights: tuple[Array, Array]) -> Array:
    """What `few_weighted_errors` looks at: the fewest rows' worth of what is won or lost in a class, for a batch."""
    least = []
    for x, y, a, b in zip(positive, negative, *weights, strict=True):
        wins = (x[:, None] > y) + 0.5 * (x[:, None] == y)
        parts = [(w, p) for w, q in ((a, wins @ b / b.sum()), (b, a @ wins / a.sum())) for p in (q, 1 - q)]
        least.append(min((w @ p) ** 2 / max(float(w**2 @ p**2), 1e-300) for w, p in parts))
    return np.array(least)


def weighted_cell(kind: str, design: Scores, m: int, n: int, draws: int, seed: list[int]) -> tuple[Found, float, int]:
    """Coverage, and that among the draws without a flag, with their number."""
    rng = np.random.default_rng(seed)
    x, y = design.draw(draws, m, n, rng)
    truth = design.population.auc
    if kind.endswith("scores heavier"):
        u = [design.positive(_GRID), design.negative(_GRID)]
        w = np.concatenate([weigh(kind, part, True, rng) for part in u])
        truth = ScoreGroups.of(np.concatenate(u), np.arange(len(w)) < len(_GRID), w).auc
    weights = weigh(kind, x, True, rng), weigh(kind, y, False, rng)
    found = moments(x, y, weights)
    ends = {rule: bounds(rule, found, 0.5) for rule in RULES}
    inside = {rule: holds(*pair, truth) for rule, pair in ends.items()}
    clean = (np.minimum(found.positives, found.negatives) >= 10) & (worth(x, y, weights) >= 10)
    coverage = {rule: float(held.mean()) for rule, held in inside.items()}
    width = {rule: float(np.mean(high - low)) for rule, (low, high) in ends.items()}
    held = inside["one_row"][clean]
    where = f"{kind}, {design.name}, {m}/{n}"
    return (
        Found(where, coverage, bool(clean.mean() < 0.5), width),
        float(held.mean()) if len(held) else np.nan,
        len(held),
    )


# rows in groups


def group_cell(groups: int, correlation: float, one_class: bool, draws: int, seed: list[int]) -> Found:
    """Normal scores with a part that a group shares; 12 rows a group, three in ten of them positive."""
    rng, inside = np.random.default_rng(seed), np.zeros(2)
    each, area = 12, 0.85
    shift = np.sqrt(2) * stats.norm.ppf(area)
    group, few = np.repeat(np.arange(groups), each), 0
    for _ in range(draws):
        is_positive = (rng.random(groups) < 0.3)[group] if one_class else rng.random(len(group)) < 0.3
        if is_positive.all() or not is_positive.any():
            inside += 1  # undefined, with its reason
            continue
        shared = np.sqrt(correlation) * rng.normal(size=groups)[group]
        x = shared + np.sqrt(1 - correlation) * rng.normal(size=len(group)) + shift * is_positive
        t = ScoreGroups.of(x, is_positive)
        known = score_design(roc_auc, t, x, is_positive, None, group)
        inside[0] += area in auc_estimate(
            t, design_effect=float(known.effect[0, 0]), group_factor=known.factor(CONFIDENCE)
        )
        inside[1] += area in auc_estimate(t)
        few += known.groups < 10
    where = f"{groups} groups, correlation {correlation}" + (", one class a group" if one_class else "")
    return Found(where, {"grouped": inside[0] / draws, "plain": inside[1] / draws}, few >= 0.5 * draws, {})


# parts of the area, average precision


def part_cell(
    design: Scores, m: int, n: int, spans: dict[str, tuple[float, float]], draws: int, seed: list[int]
) -> Found:
    whole = design.population
    side = whole.mirrored() if "tpr" in spans else whole
    a, b = spans.get("fpr", (0.0, 0.0))
    if "tpr" in spans:
        a, b = 1 - spans["tpr"][1], 1 - spans["tpr"][0]
    truth, inside, flags, width = partial_area(side, (a, b)), 0, 0, 0.0
    is_positive = np.arange(m + n) < m
    for x, y in zip(*design.draw(draws, m, n, np.random.default_rng(seed)), strict=True):
        e = partial_auc(ScoreGroups.of(np.concatenate([x, y]), is_positive), fpr=spans.get("fpr"), tpr=spans.get("tpr"))
        inside += truth in e
        flags += "few_of_a_class" in e.flags
        width += e.width / (b - a)
    ((name, span),) = spans.items()
    where = f"{design.name}, {m}/{n}, {name} {span[0]:g}-{span[1]:g}"
    return Found(where, {"one_row": inside / draws}, flags > draws / 2, {"one_row": width / draws})


def precision_truth(design: Scores, prevalence: float) -> float:
    t = design.population
    return average_precision(ScoreGroups(t.score, t.positive * prevalence, t.negative * (1 - prevalence)))


def precision_cell(
    design: Scores, positives: int, prevalence: float, draws: int, seed: list[int]
) -> tuple[Found, float, int]:
    """Rows are drawn, so the number of positives varies; the flag is read off every draw."""
    rng, truth = np.random.default_rng(seed), precision_truth(design, prevalence)
    n, inside, clean = round(positives / prevalence), {"one_row": 0, "logit": 0}, [0, 0]
    for _ in range(draws):
        is_positive = rng.random(n) < prevalence
        u = rng.random(n)
        x = np.where(is_positive, design.positive(u), design.negative(u))
        t = ScoreGroups.of(x, is_positive)
        for method in inside:
            e = average_precision_estimate(t, method=method)
            inside[method] += truth in e
            if method == "one_row" and "few_positives" not in e.flags and e.defined:
                clean[0] += truth in e
                clean[1] += 1
    where = f"{design.name}, {positives} of {n}"
    coverage = {method: held / draws for method, held in inside.items()}
    return Found(where, coverage, clean[1] < draws / 2, {}), clean[0] / max(clean[1], 1), clean[1]


# many classes


@dataclass(frozen=True)
class Classes:
    """Class shares and how far a class's own score stands out: independent normal scores."""

    name: str
    shares: tuple[float, ...]
    shifts: tuple[float, ...]
    n: int
    skew: int = 0  # 0: normal scores; 1 or -1: exponential ones, with the long tail up or down

    def noise(self, u: Array) -> Array:
        return np.asarray(stats.norm.ppf(u) if self.skew == 0 else -self.skew * np.log1p(-u))

    def truth(self, measure: str) -> float:
        kind, p = SCORE_REGISTERED[measure].average, np.array(self.shares)
        assert kind is not None
        shifts = np.array(self.shifts)
        areas = 1 - np.exp(-shifts) / 2 if self.skew else stats.norm.cdf(shifts / np.sqrt(2))
        if measure.startswith("average_precision"):
            areas = np.array([
                precision_truth(Scores("", lambda u, d=d: self.noise(u) + d, self.noise), q)  # type: ignore[misc]
                for d, q in zip(self.shifts, self.shares, strict=True)
            ])  # fmt: skip
        if not kind.by_rows:
            return float(areas.mean())
        if not kind.pairs:
            return float(areas @ p)
        k = len(p)
        pairs = [(p[a] + p[b], (areas[a] + areas[b]) / 2) for a in range(k) for b in range(a + 1, k)]
        return float(sum(w * x for w, x in pairs) / sum(w for w, _ in pairs))

    def draw(self, rng: np.random.Generator) -> ScoreMatrix:
        k = len(self.shares)
        truth = rng.choice(k, size=self.n, p=self.shares)
        x = self.noise(rng.random((self.n, k)))
        x[np.arange(self.n), truth] += np.array(self.shifts)[truth]
        return ScoreMatrix(x, truth, tuple(range(k)))


CLASSES = (
    Classes("3 even, .76", (1 / 3,) * 3, (1.0,) * 3, 60),
    Classes("3 even, .92", (1 / 3,) * 3, (2.0,) * 3, 60),
    Classes("3 even, .98", (1 / 3,) * 3, (3.0,) * 3, 60),
    Classes("80/15/5", (0.8, 0.15, 0.05), (1.5, 1.0, 2.0), 100),
    Classes("80/15/5, larger", (0.8, 0.15, 0.05), (2.5, 2.0, 3.0), 400),
    Classes("60/30/10", (0.6, 0.3, 0.1), (2.5, 2.0, 3.0), 150),
    Classes("5 even", (0.2,) * 5, (1.0, 1.5, 2.0, 2.5, 3.0), 100),
    Classes("4 even, larger", (0.25,) * 4, (0.7, 1.0, 1.5, 2.0), 300),
    Classes("5 even, near perfect", (0.2,) * 5, (3.8,) * 5, 100),
    Classes("3 uneven, skewed up", (0.6, 0.25, 0.15), (1.0, 2.0, 3.0), 100, 1),
    Classes("3 uneven, skewed down", (0.6, 0.25, 0.15), (1.0, 2.0, 3.0), 100, -1),
    Classes("8 uneven", (0.3, 0.2, 0.15, 0.1, 0.1, 0.05, 0.05, 0.05), (2.0,) * 8, 300),
)
MEASURES = (
    "roc_auc_hand_till",
    "roc_auc_ovr",
    "roc_auc_ovr_weighted",
    "average_precision_macro",
    "average_precision_weighted",
)


def class_cell(design: Classes, draws: int, seed: list[int]) -> Iterator[tuple[str, Found, float, int]]:
    rng, inside, clean = np.random.default_rng(seed), np.zeros(len(MEASURES)), np.zeros((2, len(MEASURES)))
    truths = [design.truth(name) for name in MEASURES]
    width = np.zeros(len(MEASURES))
    for _ in range(draws):
        m = design.draw(rng)
        for i, (name, truth) in enumerate(zip(MEASURES, truths, strict=True)):
            e = matrix_estimate(SCORE_REGISTERED[name], m)
            inside[i] += truth in e
            width[i] += e.width
            if e.defined and not {"few_of_a_class", "few_positives"} & set(e.flags):
                clean[:, i] += truth in e, 1
    for i, name in enumerate(MEASURES):
        found = Found(f"{design.name}, n={design.n}", {"one_row": inside[i] / draws}, clean[1, i] < draws / 2,
                      {"one_row": width[i] / draws})  # fmt: skip
        yield name, found, float(clean[0, i] / max(clean[1, i], 1)), int(clean[1, i])


# the page


def run(quick: bool) -> Section:
    draws, slow = (300, 40) if quick else (2000, 500)
    se = standard_error(0.95, draws)
    parts = [_areas(quick, draws, slow), _weighted(quick, draws), _grouped(quick, slow), _parts(quick, slow),
             _precision(quick, slow), _classes(quick, slow), _distance(quick, slow)]  # fmt: skip
    grids = [grid for part in parts for grid in part[0]]
    gates = [gate for part in parts for gate in part[1]]
    weak = [line for part in parts for line in part[2]]
    return Section(
        "ranking", "Order: areas and average precision", TEXT.format(draws=draws, slow=slow, se=se), grids, gates, weak
    )


Part = tuple[list[Grid], list[Gate], list[str]]


def _gate(name: str, cells: list[tuple[float, int, str]]) -> Gate:
    """(coverage, draws, where) of what is not flagged: the least must be WANTED."""
    wanted = f"≥ {share(WANTED)}"
    if not cells:
        return Gate(name, wanted, "all flagged", True)
    least, _, where = min(cells)
    return Gate(name, wanted, f"minimum {share(least)} ({where})", least >= WANTED, [(c, False) for c, _, _ in cells])


def _areas(quick: bool, draws: int, slow: int) -> Part:
    published = [area_cell(scores("normal", a), m, n, draws, [SEED, 30, i]) for i, (m, n, a) in enumerate(PUBLISHED)]
    drawn = [drawn_cell(scores("normal", a), m, n, slow // 2, [SEED, 31, i]) for i, (m, n, a) in enumerate(PUBLISHED)]
    rows = [
        (f.where, *(share(f.coverage[r], WANTED) for r in RULES), *(share(d, WANTED) for d in pair))
        for f, pair in zip(published, drawn, strict=True)
    ]
    own = [
        area_cell(scores(shape, area), m, n, draws, [SEED, 32, i, j, k])
        for i, shape in enumerate(SHAPES)
        for j, area in enumerate(AREAS)
        for k, (m, n) in enumerate(SIZES)
        if not (shape == "two levels" and area > 0.9) and (not quick or k < 2)
    ]
    by_shape = [
        (shape, *(least_and_mean((f.coverage[r] for f in own if f.where.startswith(shape)), WANTED) for r in RULES))
        for shape in SHAPES
    ]
    by_size = [
        (
            f"{m}/{n}",
            *(least_and_mean((f.coverage[r] for f in own if f.where.endswith(f", {m}/{n}")), WANTED) for r in RULES),
        )
        for m, n in SIZES
    ]
    width = (
        "mean width against one row",
        *(f"{np.mean([f.width[r] / f.width['one_row'] for f in own]):.2f}" for r in RULES),
    )
    head = ("", "**one row**", *RULES[1:])
    note = f"Bootstraps: {slow // 2} samples of 999 draws. Where DeLong's interval has no width, Newcombe's stands in."
    grids = [
        Grid("Area, normal scores (bold: below .935)", (*head, "percentile", "bca"), rows, note),
        Grid(f"Area, {len(own)} cells: minimum / mean", head, [*by_shape, *by_size, width]),
    ]
    cells = [(f.coverage["one_row"], draws, f.where) for f in published + own if not f.flagged]
    few = min((f.coverage["one_row"], f.where) for f in own if f.flagged)
    rivals = ", ".join(f"{r} {share(min(f.coverage[r] for f in own))}" for r in RULES[1:])
    weak = [f"Least coverage of the other intervals for an area: {rivals}; each carries `known_to_mislead`."]
    if few[0] < WANTED:
        weak.append(f"The area with fewer than ten rows of a class covers {share(few[0])} ({few[1]}); flagged.")
    return grids, [_gate("area under the ROC curve, not flagged", cells)], weak


def _weighted(quick: bool, draws: int) -> Part:
    sizes = ((30, 30), (200, 20)) if quick else ((30, 30), (20, 200), (200, 20), (100, 100))
    rows, clean, everything = [], [], []
    for k, kind in enumerate(WEIGHTS):
        found = [
            weighted_cell(kind, scores(shape, area), m, n, draws, [SEED, 33, k, i, j, s])
            for i, shape in enumerate(("normal", "wide positives", "skewed down", "heavy tails"))
            for j, area in enumerate((0.7, 0.95))
            for s, (m, n) in enumerate(sizes)
        ]
        enough = [(held, count, f.where) for f, held, count in found if count >= draws / 3]
        rows.append((kind, *(least_and_mean((f.coverage[r] for f, _, _ in found), WANTED) for r in RULES),
                     least_and_mean((held for held, _, _ in enough), WANTED)))  # fmt: skip
        clean += enough
        everything += [(f.coverage["one_row"], f.where, 1 - count / draws) for f, _, count in found]
    title = f"Area of weighted rows, {len(everything)} cells: minimum / mean"
    grid = Grid(title, ("", "**one row**", *RULES[1:], "one row, unflagged draws"), rows)
    least, where, told = min(everything)
    weak = [
        f"Weighted areas cover {share(least)} at the least ({where}): heavy rows that were not drawn cannot be seen. "
        f"It is flagged in {told:.0%} of the draws."
    ]
    return [grid], [_gate("area of weighted rows, unflagged draws", clean)], weak


def _grouped(quick: bool, slow: int) -> Part:
    cells = [
        group_cell(groups, correlation, one_class, slow, [SEED, 34, g, c, one_class])
        for g, groups in enumerate((8, 20) if quick else (5, 8, 12, 20, 50))
        for c, correlation in enumerate((0.3,) if quick else (0.05, 0.3, 0.6))
        for one_class in (False, True)
        if groups >= 12 or not one_class
    ]
    rows = [(f.where, share(f.coverage["grouped"], WANTED), share(f.coverage["plain"], WANTED),
             "yes" if f.flagged else "–") for f in cells]  # fmt: skip
    grid = Grid("Area of rows in groups of 12", ("", "**with groups**", "without", "few groups"), rows)
    plain = min((f.coverage["plain"], f.where) for f in cells)
    weak = [f"The area of rows in groups treated as independent covers down to {share(plain[0])} ({plain[1]})."]
    gate = _gate(
        "area of rows in groups, not flagged", [(f.coverage["grouped"], slow, f.where) for f in cells if not f.flagged]
    )
    return [grid], [gate], weak


def _parts(quick: bool, slow: int) -> Part:
    spans: tuple[dict[str, tuple[float, float]], ...] = ({"fpr": (0.0, 0.1)}, {"fpr": (0.0, 0.3)}, {"tpr": (0.8, 1.0)})
    sizes = ((20, 20),) if quick else ((20, 20), (100, 100), (30, 300), (120, 240))
    cells = [
        part_cell(scores(shape, area), m, n, span, slow, [SEED, 35, i, j, s])
        for i, shape in enumerate(("normal", "wide positives", "skewed down", "two humps"))
        for j, area in enumerate((0.7, 0.9))
        for s, (m, n) in enumerate(sizes)
        for span in spans
    ]
    rows = []
    for span in spans:
        ((name, ends),) = span.items()
        here = [f for f in cells if f.where.endswith(f"{name} {ends[0]:g}-{ends[1]:g}")]
        rows.append((f"{name} {ends[0]:g} to {ends[1]:g}",
                     *(least_and_mean((f.coverage["one_row"] for f in here if f.flagged == told), WANTED) for told in (False, True))))  # fmt: skip  # noqa: E501
    grid = Grid(f"Part of the area, {len(cells)} cells: minimum / mean", ("", "not flagged", "flagged"), rows)
    few = min((f.coverage["one_row"], f.where) for f in cells if f.flagged)
    weak = [f"A part of the area that few rows fall into covers down to {share(few[0])} ({few[1]}); flagged."]
    gate = _gate(
        "part of the area, not flagged", [(f.coverage["one_row"], slow, f.where) for f in cells if not f.flagged]
    )
    return [grid], [gate], weak if few[0] < WANTED else []


def _precision(quick: bool, slow: int) -> Part:
    shapes = ("normal",) if quick else ("normal", "wide positives", "skewed down")
    cells = [
        precision_cell(scores(shape, area), positives, prevalence, slow, [SEED, 36, i, j, k])
        for i, shape in enumerate(shapes)
        for j, area in enumerate((0.7, 0.85, 0.95))
        for k, (positives, prevalence) in enumerate(((10, 0.2), (25, 0.05), (60, 0.3)))
    ]
    rows = [(f.where, *(share(f.coverage[r], WANTED) for r in ("one_row", "logit")), share(held) if n >= 30 else "–")
            for f, held, n in cells]  # fmt: skip
    grid = Grid("Average precision", ("", "**one row**", "logit", "one row, unflagged draws"), rows)
    return (
        [grid],
        [_gate("average precision, unflagged draws", [(c, n, f.where) for f, c, n in cells if n >= slow / 4])],
        [],
    )


def _classes(quick: bool, slow: int) -> Part:
    designs = CLASSES[:2] if quick else CLASSES
    found = {d: list(class_cell(d, slow // 2, [SEED, 37, i])) for i, d in enumerate(designs)}
    rows = [
        (f"{d.name}, n={d.n}", *(share(f.coverage["one_row"], WANTED) for _, f, _, _ in cells))
        for d, cells in found.items()
    ]
    grid = Grid("Many classes", ("", *MEASURES), rows)
    cells = [
        (f.coverage["one_row"], slow // 2, f"{name}, {f.where}") for each in found.values() for name, f, _, _ in each
    ]
    return [grid], [_gate("areas and average precision of many classes", cells)], []


def distance_cell(design: Scores, m: int, n: int, draws: int, seed: list[int]) -> tuple[float, int, str]:
    truth, inside, is_positive = ks(design.population), 0, np.arange(m + n) < m
    for x, y in zip(*design.draw(draws, m, n, np.random.default_rng(seed)), strict=True):
        inside += truth in ks_estimate(ScoreGroups.of(np.concatenate([x, y]), is_positive))
    return inside / draws, draws, f"{design.name}, {m}/{n}"


def _distance(quick: bool, slow: int) -> Part:
    areas = (0.5, 0.7, 0.95)
    cells = {
        (shape, area): [
            distance_cell(scores(shape, area), m, n, slow // 2, [SEED, 38, i, j, k])
            for k, (m, n) in enumerate(((20, 20),) if quick else ((20, 20), (15, 300), (300, 300)))
        ]
        for i, shape in enumerate(("normal", "skewed down", "five levels", "heavy tails"))
        for j, area in enumerate(areas)
    }
    shapes = sorted({shape for shape, _ in cells})
    rows = [(shape, *(least_and_mean(c for c, _, _ in cells[shape, a]) for a in areas)) for shape in shapes]
    grid = Grid("Kolmogorov-Smirnov distance: minimum / mean", ("", *(f"area {share(a)}" for a in areas)), rows)
    return [grid], [_gate("Kolmogorov-Smirnov distance", [cell for each in cells.values() for cell in each])], []
