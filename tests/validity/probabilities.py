"""Probabilities: losses and calibration, for calibrated and miscalibrated scores, plain and weighted rows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import expit, ndtr, ndtri, softmax, stdtrit

from surefold.estimates.calibration import ece_bounds, shift_bounds, slope_cutoff
from surefold.estimates.losses import (
    DOMINATES,
    RARE,
    bounded_mean_bounds,
    log_mean_bounds,
    one_row_share,
    skill_bounds,
    t_bounds,
)
from surefold.measures.calibration import ece_of_bins
from surefold.measures.proper import Loss, flipped_log_losses, row_losses
from surefold.measures.recalibration import fit_line, fit_shift, log_odds, slope_deviance
from surefold.measures.score_bins import bin_scores
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.score_matrix import ScoreMatrix

from .coverage import CONFIDENCE, Array, Cell, cell_of, holds, standard_error
from .page import Gate, Grid, Section, least_and_mean, share
from .tables import SEED, WANTED, honesty_gate, unflagged_gate, weak_cells

#: Points of a population: rows are drawn from these, so that its figures are sums, not estimates.
POINTS = 20_001
BASES = (0.5, 0.1)
KINDS = ("weak", "medium", "sharp", "very sharp", "overconfident", "underconfident", "shifted", "heavy tails")
SIZES = (30, 100, 300, 1000)
WEIGHTS = ("lognormal .5", "lognormal 1", "0/1/2", "positives x 4")
MEANS = ("brier", "log_loss", "brier_skill", "calibration_error_in_the_large")
LOSSES: tuple[Loss, ...] = ("brier", "log_loss")
FITS = ("calibration_slope", "calibration_intercept, shift", "calibration_intercept, line")
RULES = ("one row", "t", "BCa")

TEXT = """
Two classes with {bases} positives; the true log odds are normal with standard deviation .5 (*weak*), 1.2 (*medium*), 3
(*sharp*) or 6 (*very sharp*) and the scores are the truth; or the scores are *overconfident* (log odds x 2.5),
*underconfident* (x 0.4), *shifted* (+ 1.2), or the log odds have *heavy tails* (t with 3 d.f., scores x 1.5). With n
from {least} to {most} that makes {cells} cells, R = {draws:,} each (standard error {se:.4f}); {fits:,} for what has to
be fitted. The rules for slope, intercept and calibration error were chosen on these kinds of scores (other draws), so
{fresh} *fresh* designs, drawn at random after the rules were fixed, stand beside them.

*Flagged* is `one_row_dominates` for the log loss, `rare_class` (a class with fewer than ten rows) or no value for
skill, slope and intercept. With weights it is also `few_weighted_errors`, for the Brier score (its loss rests on fewer
than ten rows) and in the large (fewer than ten effective rows of a class). A draw without a value (one class only; for
the intercept of a line also separated classes) is a miss among *all draws* and left out of *draws with an interval*.

Slope: the profile likelihood of the fit with one row a parameter added (Firth's penalty), its cutoff raised where rows
vary more than the model says. Intercept: the same fit, t with the larger of the two standard errors. BCa has {boot:,}
draws, the same counts for every sample of a cell, and the first {boot_rows:,} samples.
"""


@dataclass(frozen=True, eq=False)
class Population:
    """Equally likely points: the chance of the positive class, and the log odds of the score."""

    name: str
    chance: Array
    odds: Array

    @property
    def score(self) -> Array:
        return np.asarray(expit(self.odds))


def population(base: float, kind: str) -> Population:
    spread = {"weak": 0.5, "sharp": 3.0, "underconfident": 3.0, "very sharp": 6.0, "heavy tails": 1.0}.get(kind, 1.2)
    times = {"overconfident": 2.5, "underconfident": 0.4, "heavy tails": 1.5}.get(kind, 1.0)
    found = _population(base, spread, kind, times, 1.2 if kind == "shifted" else 0.0)
    return replace(found, name=f"{kind}, {base:.0%} positive")


def _population(base: float, spread: float, kind: str, times: float, shift: float) -> Population:
    u = (np.arange(POINTS) + 0.5) / POINTS
    wide = spread * (stdtrit(3, u) if kind == "heavy tails" else -np.log(-np.log(u)) if kind == "skewed" else ndtri(u))
    low, high = -60.0, 60.0
    for _ in range(60):  # the shift that gives the base rate
        middle = (low + high) / 2
        low, high = (middle, high) if expit(middle + wide).mean() < base else (low, middle)
    true = middle + wide
    name = f"{kind}, spread {spread:.2f}, odds x {times:.2f} {shift:+.2f}, {base:.0%} positive"
    return Population(name, np.asarray(expit(true)), true * times + shift)


@dataclass(frozen=True, eq=False)
class Drawn:
    """Samples (first axis) of rows, with weights scaled to the effective number of rows."""

    score: Array
    odds: Array
    truth: Array
    weight: Array
    square: Array


def draw(p: Population, n: int, draws: int, kind: str, rng: np.random.Generator) -> Drawn:
    place = rng.integers(POINTS, size=(draws, n))
    truth = rng.random((draws, n)) < p.chance[place]
    if kind == "":
        weight = np.ones((draws, n))
    elif kind == "0/1/2":
        weight = rng.integers(0, 3, size=(draws, n)).astype(float)
    else:
        spread = {"lognormal .5": 0.5, "lognormal 1": 1.0}.get(kind, 0.3)
        weight = rng.lognormal(0, spread, size=(draws, n)) * np.where(truth & (kind == WEIGHTS[3]), 4.0, 1.0)
    weight = weight * (weight.sum(1) / (weight**2).sum(1))[:, None]
    return Drawn(p.score[place], p.odds[place], truth, weight, weight if kind == "" else weight**2)


def losses(p: Population, heavier: float = 1.0) -> tuple[dict[str, float], Array, Array]:
    """The population's figures, where positives weigh `heavier`, and the weight of its positives and negatives."""
    up, down = heavier * p.chance, 1 - p.chance
    total, both = (up + down).sum(), np.ones(POINTS, dtype=bool)
    mean: dict[str, float] = {
        loss: float((up @ row_losses(loss, p.score, both) + down @ row_losses(loss, p.score, ~both)) / total)
        for loss in LOSSES
    }
    q = up.sum() / total
    mean["brier_skill"] = 1 - mean["brier"] / (q * (1 - q))
    mean["calibration_error_in_the_large"] = float((up + down) @ p.score / total - q)
    return mean, up, down


def cover_means(p: Population, d: Drawn, name: str, heavier: float = 1.0) -> list[Cell]:
    """The shipped interval of everything that is a mean, or a ratio of means, of the rows."""
    truth, _, _ = losses(p, heavier)
    squared, log = _losses("brier", d.score, d.truth), _losses("log_loss", d.score, d.truth)
    flipped = _losses("log_loss", d.score, ~d.truth)
    bounds = {
        "brier": bounded_mean_bounds(squared, d.weight, d.square),
        "log_loss": log_mean_bounds(log, flipped, d.weight, d.square),
        "brier_skill": skill_bounds(squared, d.truth.astype(float), d.weight, d.square),
        "calibration_error_in_the_large": bounded_mean_bounds(
            d.score - d.truth, d.weight, d.square, limits=(-1.0, 1.0)
        ),
    }
    one, never = one_class(d), np.zeros(len(log), dtype=bool)
    rare = rare_class(d)
    flagged = {"log_loss": one_row_share(log, d.weight, d.weight) > DOMINATES, "brier_skill": rare}
    if d.square is not d.weight:  # `few_weighted_errors`
        carried = d.weight * squared
        flagged |= {"brier": carried.sum(1) ** 2 < RARE * (carried**2).sum(1), "calibration_error_in_the_large": rare}
    none = {"brier_skill": one}
    return [
        _cell(name, m, holds(low, high, truth[m]), flagged.get(m, never), none.get(m, never), high - low)
        for m, (low, high) in bounds.items()
    ]


def _losses(loss: Loss, score: Array, truth: Array) -> Array:
    return row_losses(loss, score.ravel(), truth.ravel()).reshape(truth.shape)


def one_class(d: Drawn) -> Array:
    """Whether all rows that weigh anything are of one class."""
    positive, negative = (d.weight * d.truth).sum(1), (d.weight * ~d.truth).sum(1)
    return np.asarray((positive <= 0) | (negative <= 0))


def rare_class(d: Drawn) -> Array:
    """Whether a class has fewer than ten effective rows, as `rare_flags` says."""
    worth = []
    for of_class in (d.truth, ~d.truth):
        total, squares = (d.weight * of_class).sum(1), (d.square * of_class).sum(1)
        worth.append(np.where(squares > 0, total**2 / np.where(squares > 0, squares, 1.0), 0.0))
    return np.asarray(np.minimum(*worth) < RARE - 1e-9)


def separated(d: Drawn) -> Array:
    """Whether one threshold tells the classes apart, or one class is missing."""
    weighs = d.weight > 0
    up, down = weighs & d.truth, weighs & ~d.truth
    least = [np.where(x, d.score, np.inf).min(1) for x in (up, down)]
    most = [np.where(x, d.score, -np.inf).max(1) for x in (up, down)]
    return np.asarray((least[0] >= most[1]) | (least[1] >= most[0]))


def _cell(name: str, measure: str, held: Array, flagged: Array, undefined: Array, width: Array) -> Cell:
    """A draw without a value has no interval, so it is a miss, and the reason stands in place of a flag."""
    width = np.where(undefined | ~np.isfinite(width), np.nan, width)
    parts = held & ~undefined, flagged | undefined, undefined, undefined, width
    return cell_of(name, measure, np.stack([x.astype(float) for x in parts]))


def cover_fits(p: Population, d: Drawn, name: str, heavier: float = 1.0) -> list[Cell]:
    """Slope and intercept; a slope is in its interval when its deviance is within the cutoff."""
    _, up, down = losses(p, heavier)
    odds = log_odds(p.score)
    line, shift = fit_line(odds, up, down), fit_shift(odds, up, down)
    x, y, n = log_odds(d.score), d.truth.astype(float), d.weight.sum(1)
    positive, negative = d.weight * y, d.weight * (1 - y)
    squares = d.square * y, d.square * (1 - y)
    drawn, moved = (solve(x, positive, negative, squares, added=True) for solve in (fit_line, fit_shift))
    deviance = slope_deviance(x, positive, negative, np.full(len(x), float(line.slope)), drawn)
    one, rare = one_class(d), rare_class(d)
    inside = [deviance <= slope_cutoff(drawn, n, CONFIDENCE)]
    widths, undefined = [np.sqrt(drawn.information[..., 1, 1])], [one, np.zeros_like(one), separated(d)]
    for fit, target in ((moved, shift), (drawn, line)):
        low, high = shift_bounds(fit, n, CONFIDENCE)
        if fit is moved:  # with one class only the intercept is infinite, and so is that end of the interval
            low, high = np.where(positive.sum(1) <= 0, -np.inf, low), np.where(negative.sum(1) <= 0, np.inf, high)
        inside.append(holds(low, high, float(target.intercept)))
        widths.append(high - low)
    return [_cell(name, m, inside[i], rare, undefined[i], widths[i]) for i, m in enumerate(FITS)]


def bca(values: Array, draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """BCa of the mean of each row of values; every sample is redrawn by the same counts."""
    n = values.shape[1]
    counts = rng.multinomial(n, np.full(n, 1 / n), size=draws) / n
    means = np.sort(values @ counts.T, axis=1)
    centre = values.mean(1, keepdims=True)
    below = ((means < centre).sum(1) + (means <= centre).sum(1)) / 2
    z0 = ndtri(np.clip(below / draws, 0.5 / draws, 1 - 0.5 / draws))
    off = values - centre
    second = (off**2).sum(1)
    skew = np.where(second > 0, (off**3).sum(1) / (6 * np.where(second > 0, second, 1.0) ** 1.5), 0.0)
    ends = []
    for p in ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2):
        z = z0 + ndtri(p)
        at = ndtr(z0 + z / (1 - skew * z)) * (draws - 1)
        ends.append(np.take_along_axis(means, np.round(at).astype(int)[:, None], axis=1)[:, 0])
    return ends[0], ends[1]


def rivals(p: Population, d: Drawn, rows: int, boot: int, rng: np.random.Generator) -> dict[tuple[str, str], float]:
    truth, _, _ = losses(p)
    found: dict[tuple[str, str], float] = {}
    for measure in LOSSES:
        each = _losses(measure, d.score, d.truth)
        found[measure, "t"] = float(holds(*t_bounds(each, d.weight, d.square), truth[measure]).mean())
        found[measure, "BCa"] = float(holds(*bca(each[:rows], boot, rng), truth[measure]).mean())
    return found


def cover_many(classes: int, kind: str, n: int, draws: int, rng: np.random.Generator) -> list[Cell]:
    """Brier and log loss of many classes."""
    spread, times = {"weak": (0.7, 1.0), "sharp": (2.5, 1.0), "overconfident": (1.2, 2.5), "zeros": (2.5, 1.0)}[kind]
    true = rng.normal(0, spread, size=(POINTS, classes)) + np.linspace(1.5, -1.5, classes)
    chance, score = softmax(true, axis=1), softmax(times * true, axis=1)
    if kind == "zeros":  # classes below 1 % are ruled out, and now and then one of them is true
        score = np.where(score < 0.01, 0.001 / classes, score)
        score /= score.sum(1, keepdims=True)
    place = rng.integers(POINTS, size=draws * n)
    truth = (rng.random(len(place))[:, None] > np.cumsum(chance[place], axis=1)[:, :-1]).sum(1)
    everything = range(classes)
    m = ScoreMatrix(score[place], truth, tuple(everything))
    flipped = flipped_log_losses(m).reshape(draws, n)
    name, cells, ones = f"{classes} classes, {kind}, n={n}", [], np.ones((draws, n))
    for loss in LOSSES:
        target = sum(float(chance[:, c] @ row_losses(loss, score, np.full(POINTS, c))) / POINTS for c in everything)
        each = row_losses(loss, m.scores, truth).reshape(draws, n)
        if loss == "brier":
            low, high = bounded_mean_bounds(each, ones, ones, limits=(0.0, 2.0))
            flagged = np.zeros(draws)
        else:
            low, high = log_mean_bounds(each, flipped, ones, ones)
            flagged = (one_row_share(each, ones, ones) > DOMINATES).astype(float)
        zero = np.zeros(draws)
        parts = np.stack([holds(low, high, target).astype(float), flagged, zero, zero, high - low])
        cells.append(cell_of(name, f"{loss}_multiclass", parts))
    return cells


def cover_ece(
    p: Population, n: int, norm: str, draws: int, rng: np.random.Generator
) -> tuple[float, float, float, float]:
    """Coverage, the truth, and the mean of the plain and of the debiased value."""
    order = np.argsort(-p.score)
    whole = ScoreGroups(p.score[order], p.chance[order], 1 - p.chance[order])
    target, inside, values = ece_of_bins(bin_scores(whole, 15), norm), 0, np.zeros(2)
    for _ in range(draws):
        place = rng.integers(POINTS, size=n)
        t = ScoreGroups.of(p.score[place], rng.random(n) < p.chance[place])
        b = bin_scores(t, 15)
        low, high = ece_bounds(b, norm, CONFIDENCE)
        inside += int(low - 1e-9 <= target <= high + 1e-9)
        values += ece_of_bins(b, norm), ece_of_bins(b, norm, debiased=True)
    return inside / draws, target, *(values / draws)


def at_random(count: int) -> list[tuple[Population, int]]:
    """Designs that nobody chose: base rate, spread, tails, slope and shift of the scores, and n."""
    rng = np.random.default_rng([SEED, 24])
    found = []
    for _ in range(count):
        base, n = float(rng.uniform(0.05, 0.6)), round(float(np.exp(rng.uniform(np.log(40), np.log(1000)))))
        spread, times = (float(np.exp(rng.uniform(np.log(low), np.log(high)))) for low, high in ((0.4, 5), (0.4, 2.5)))
        kind = ("normal", "heavy tails", "skewed")[int(rng.integers(3))]
        found.append((_population(base, spread, kind, times, float(rng.normal(0, 0.6))), n))
    return found


def first(d: Drawn, count: int) -> Drawn:
    """The first samples."""
    return Drawn(*(getattr(d, x)[:count] for x in ("score", "odds", "truth", "weight", "square")))


def run(quick: bool) -> Section:
    draws, fits, boot, boot_rows = (400, 100, 200, 200) if quick else (4000, 1000, 1000, 2000)
    sizes, count = ((30, 300), 6) if quick else (SIZES, 40)
    cells: dict[str, list[Cell]] = {name: [] for name in (*MEANS, *FITS)}
    fresh: dict[str, list[Cell]] = {name: [] for name in cells}
    by_rule: dict[tuple[str, str], list[float]] = {(m, r): [] for m in LOSSES for r in RULES}
    places = [(population(b, k), n) for b in BASES for k in KINDS for n in sizes]
    for at, (p, n) in enumerate(places + at_random(count)):
        rng = np.random.default_rng([SEED, 20, at])
        d, name = draw(p, n, draws, "", rng), f"{p.name}, n={n}"
        for cell in (*cover_means(p, d, name), *cover_fits(p, first(d, fits), name)):
            (cells if at < len(places) else fresh)[cell.measure].append(cell)
        if at < len(places):
            for (measure, rule), found in rivals(p, d, boot_rows, boot, rng).items():
                by_rule[measure, rule].append(found)
    for measure in LOSSES:
        by_rule[measure, "one row"] = [c.coverage for c in cells[measure]]
    weighted = _weighted(quick)
    many = [
        cell
        for at, (classes, kind, n) in enumerate(
            (c, k, n) for c in (3, 10) for k in ("weak", "sharp", "overconfident", "zeros") for n in sizes[:3]
        )
        for cell in cover_many(classes, kind, n, draws // 2, np.random.default_rng([SEED, 22, at]))
    ]
    rows = [(str(m), *(least_and_mean(by_rule[m, r], WANTED) for r in RULES)) for m in LOSSES]
    of_many = {name: [c for c in many if c.measure == name] for name in sorted({c.measure for c in many})}
    ece_grid, worst_ece = _ece_grid(quick)
    grids = [
        Grid("Brier and log loss, minimum / mean over the cells", ("", *RULES), rows),
        _overview("Every figure, shipped: minimum / mean over the cells", cells),
        _overview(f"The same on {count} fresh designs", fresh),
        _by_kind(cells),
        _overview("Weighted rows, shipped", weighted),
        _overview("Many classes, shipped", of_many),
        ece_grid,
    ]
    gates = [unflagged_gate(f"{name}: unflagged draws", [*cells[name], *fresh[name]]) for name in cells]
    gates.append(_honesty("probabilities: flag honesty", [c for v in (cells, fresh) for f in v.values() for c in f]))
    gates += [unflagged_gate("many classes: unflagged draws", many), _honesty("many classes: flag honesty", many)]
    heavy = [c for found in weighted.values() for c in found]
    gates.append(unflagged_gate("weighted probabilities: unflagged draws", heavy))
    gates.append(_honesty("weighted probabilities: flag honesty", heavy))
    gates.append(Gate("calibration error", "≥ .930", f"minimum {share(worst_ece)}", worst_ece >= 0.93))
    weak = [line for found in (*cells.values(), *fresh.values(), many) for line in weak_cells("probabilities", found)]
    weak += [line for found in weighted.values() for line in weak_cells("weighted probabilities", found)]
    text = TEXT.format(
        bases=" or ".join(f"{b:.0%}" for b in BASES), least=min(sizes), most=max(sizes), cells=len(places), draws=draws,
        se=standard_error(0.95, draws), fits=fits, boot=boot, boot_rows=boot_rows, fresh=count,
    )  # fmt: skip
    return Section("probabilities", "Brier, log loss and calibration", text, grids, gates, weak)


def _honesty(name: str, cells: list[Cell]) -> Gate:
    """Flag honesty among the draws that have an interval; a value that is undefined says so itself."""
    with_interval = [
        replace(c, coverage=c.coverage / (1 - c.no_interval), draws=max(1, round(c.draws * (1 - c.no_interval))))
        for c in cells
        if c.no_interval < 0.9
    ]
    return honesty_gate(name, with_interval)


def _weighted(quick: bool) -> dict[str, list[Cell]]:
    draws, fits = (300, 60) if quick else (2000, 500)
    found: dict[str, list[Cell]] = {name: [] for name in (*MEANS, *FITS)}
    for at, (base, kind, weights, n) in enumerate(
        (b, k, w, n) for b in BASES for k in ("weak", "sharp", "overconfident", "heavy tails") for w in WEIGHTS
        for n in ((100,) if quick else (100, 300))
    ):  # fmt: skip
        p, heavier = population(base, kind), 4.0 if weights == WEIGHTS[3] else 1.0
        d = draw(p, n, draws, weights, np.random.default_rng([SEED, 21, at]))
        name = f"{p.name}, n={n}, weights {weights}"
        for cell in (*cover_means(p, d, name, heavier), *cover_fits(p, first(d, fits), name, heavier)):
            found[cell.measure].append(cell)
    return found


def _overview(title: str, cells: dict[str, list[Cell]]) -> Grid:
    rows = [
        (
            name,
            least_and_mean((c.coverage for c in found), WANTED),
            least_and_mean((c.coverage / (1 - c.no_interval) for c in found if c.no_interval < 0.9), WANTED),
            least_and_mean((c.unflagged for c in found if c.flagged <= 0.5), WANTED),
            f"{np.mean([c.flagged for c in found]):.0%}",
            min(found, key=lambda c: c.coverage).design,
        )
        for name, found in cells.items()
    ]
    return Grid(title, ("", "all draws", "draws with an interval", "unflagged draws", "flagged", "worst cell"), rows)


def _by_kind(cells: dict[str, list[Cell]]) -> Grid:
    rows = [
        (kind, *(least_and_mean((c.coverage for c in found if c.design.startswith(f"{kind},")), WANTED)
                 for found in cells.values()))
        for kind in KINDS
    ]  # fmt: skip
    return Grid("By kind of scores, minimum / mean", ("", *cells), rows)


def _ece_grid(quick: bool) -> tuple[Grid, float]:
    draws, sizes = (60, (200,)) if quick else (400, (50, 200))
    rows, least = [], 1.0
    for at, (base, kind, n) in enumerate((b, k, n) for b in BASES for k in KINDS for n in sizes):
        if kind in ("medium", "very sharp"):
            continue
        p = population(base, kind)
        found = [
            cover_ece(p, n, norm, draws, np.random.default_rng([SEED, 23, at, i]))
            for i, norm in enumerate(("l1", "l2"))
        ]
        least = min(least, *(f[0] for f in found))
        rows.append((f"{p.name}, n={n}", *(f"{share(c, 0.93)} ({t:.3f}: {a:.3f}, {b:.3f})" for c, t, a, b in found)))
    note = "In brackets: the true error, and the mean of the plain and of the debiased value."
    return Grid(f"Expected calibration error, 15 bins, R = {draws}", ("", "l1", "l2"), rows, note), least
