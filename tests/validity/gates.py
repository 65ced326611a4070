"""Gates and verdicts of equality at the very boundary: how often they pass, fail or say "equal" wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri
from scipy.stats import binom, multinomial

from surefold.comparison.compare import compare
from surefold.comparison.differences import score_pairs
from surefold.comparison.gate_limits import held_against
from surefold.comparison.judging import pair_result
from surefold.comparison.pair_moments import PairMoments
from surefold.comparison.paired_labels import label_pairs
from surefold.estimates.auc import auc_estimate
from surefold.estimates.intervals import table_intervals
from surefold.estimates.proportion import share_interval
from surefold.evidence.held import Held
from surefold.inputs.predictions import Predictions
from surefold.measures import catalogue
from surefold.measures.score_measure import ScoreMeasure
from surefold.significance.bounds import quantile
from surefold.significance.score_bounds import RowDifferences
from surefold.tallies.score_groups import ScoreGroups

from .coverage import samples, true_value
from .designs import Design, population
from .page import Gate, Grid, Section, share
from .tables import SEED

LEVEL = 0.05
#: What gates and verdicts of equality are held to, with no allowance for luck.
MOST = 0.06
#: A two-sided interval at 90 % ends at the two one-sided bounds at 95 %.
SIDED = 1 - 2 * LEVEL
MEASURES = ("accuracy", "f1", "mcc", "roc_auc")
QUESTIONS = {"not worse by .05": -0.05, "better": 0.0, "better by .03": 0.03}
CANDIDATE, BASELINE = 0, 1
Z = float(ndtri(1 - LEVEL))
#: Rows that only one of two models gets right, beyond which no outcome has a chance worth summing.
MOST_APART = 45
#: Draws that are looked at for flags.
SAMPLE = 40

TEXT = """
A gate at 95 % may pass a candidate that should not pass, or fail one that should not fail, in one case of twenty. Both
happen most often at the boundary itself, so that is where it is tried: the candidate's true value is that of the
baseline less the margin ("not worse by .05"), the same ("better"), or just the margin above ("better by .03"). Two
models of the same skill in both classes (labels: right with chance .9 or .97; scores: normal, areas of .85 or .97),
half or a tenth of the rows positive, errors or scores correlated .5 or .98. With groups of ten or twenty rows each
group has its own difficulty for each model (correlation .3). R = {draws:,} (standard error {se:.4f}), for which nothing
is allowed. Where the measure is undefined the gate cannot tell, which is neither wrong.

Verdicts of `compare` with a margin are tried the same way: models that differ by just the margin must not be called
practically equal, in any pair, more than once in twenty.
"""


@dataclass(frozen=True)
class Boundary:
    """Two or more models whose true values differ from the last one's by given amounts."""

    measure: str
    n: int
    positives: float
    skill: float
    correlation: float
    gaps: tuple[float, ...] = (0.0,)
    groups: int = 0
    alike: float = 0.3

    @property
    def where(self) -> str:
        rows = f"{self.n} rows" + (f" in {self.groups} groups" if self.groups else "")
        return f"{rows}, {self.positives:.0%} positive, skill {share(self.skill)}, correlation {self.correlation:g}"

    @property
    def is_ranked(self) -> bool:
        return isinstance(catalogue[self.measure], ScoreMeasure)

    def value(self, skill: float) -> float:
        """The population's value of a model that is right with this chance, or has this area."""
        if self.is_ranked:
            return skill
        shares = [1 - self.positives, self.positives]
        return true_value(catalogue[self.measure], population(shares, skill), 1)

    @cached_property
    def skills(self) -> tuple[float, ...]:
        """Of every model, the last one of them the baseline."""
        base = self.value(self.skill)
        return (*(brentq(lambda x, g=gap: self.value(x) - base - g, 0.3, 1 - 1e-9) for gap in self.gaps), self.skill)

    def draw(self, rng: np.random.Generator) -> Held:
        k, n = len(self.skills), self.n
        truth = rng.random(n) < self.positives
        z = np.sqrt(self.correlation) * rng.normal(size=n) + np.sqrt(1 - self.correlation) * rng.normal(size=(k, n))
        codes = None
        if self.groups:
            codes = np.arange(n) % self.groups
            z = np.sqrt(self.alike) * rng.normal(size=(k, self.groups))[:, codes] + np.sqrt(1 - self.alike) * z
        made = {}
        for i, (skill, own) in enumerate(zip(self.skills, z, strict=True)):
            scores, predicted = None, None
            if self.is_ranked:
                scores = own + np.sqrt(2) * ndtri(skill) * truth
            else:
                predicted = np.where(own < ndtri(skill), truth, ~truth).astype(np.uint8)
            p = Predictions(truth.astype(np.uint8), predicted, scores, (0, 1), groups=codes, positive=1)
            made["abcde"[i]] = p
        return Held(made)


def moments_of(measure: str, models: Held) -> PairMoments:
    """What `compare`, and so `gate`, reads every pair from."""
    chosen = catalogue[measure]
    found = score_pairs(chosen, models) if isinstance(chosen, ScoreMeasure) else label_pairs(chosen, models.cells())
    if found is None:
        raise AssertionError(f"{measure} is drawn")
    return found


def status_at(measure: str, models: Held, limit: float) -> str:
    """What `gate` says of the first model against the second.

    A bound by score is on the good side of the limit just where the score at the limit is large.
    """
    moments = moments_of(measure, models)
    by_score = None if moments.by_score is None else moments.by_score(CANDIDATE, BASELINE)
    if by_score is not None:
        score, reach = by_score.score(limit), quantile(1 - LEVEL, by_score.df)
        return "passed" if score > reach else "failed" if score < -reach else "cannot_tell"
    return held_against(moments.bounds(CANDIDATE, BASELINE), limit, "higher", 1 - LEVEL, models.n)[0]


@dataclass(frozen=True)
class Rates:
    """How often a gate passed and failed where neither may happen more than once in twenty."""

    measure: str
    question: str
    where: str
    grouped: bool
    passed: float
    failed: float
    draws: int
    flagged: bool = False

    def row(self) -> tuple[str, ...]:
        return self.measure, self.question, self.where, share(self.passed), share(self.failed)


def boundaries(quick: bool) -> Iterator[tuple[str, Boundary]]:
    """Every question at its boundary."""
    sizes = (50, 200) if quick else (50, 200, 1000)
    skills = {True: (0.85, 0.97), False: (0.9, 0.97)}
    for measure, n, positives, correlation in product(MEASURES, sizes, (0.5, 0.1), (0.5, 0.98)):
        ranked = measure == "roc_auc"
        # the better the baseline, the closer the end of the range: tried where rows are plenty for the rare class
        skill = skills[ranked][n == 200]
        for question in ("not worse by .05", "better"):
            yield question, Boundary(measure, n, positives, skill, correlation, (QUESTIONS[question],))
    for measure, (n, groups), positives in product(MEASURES, ((200, 20), (1000, 50)), (0.5, 0.1)):
        for question in ("not worse by .05", "better by .03"):
            skill = skills[measure == "roc_auc"][0]
            yield question, Boundary(measure, n, positives, skill, 0.5, (QUESTIONS[question],), groups)


def gate_rates(quick: bool, draws: int) -> list[Rates]:
    found = []
    for place, (question, b) in enumerate(boundaries(quick)):
        rng = np.random.default_rng([SEED, 60, place])
        told, flagged = [], 0
        known: dict[bytes, str] = {}  # without groups the rows are a table of (truth, candidate, baseline)
        for i in range(draws):
            models = b.draw(rng)
            if i < SAMPLE:
                moments = moments_of(b.measure, models)
                flagged += bool(pair_result(b.measure, moments, models.names, (CANDIDATE, BASELINE), SIDED).test.flags)
            key = b"" if b.is_ranked or b.groups else _table(models)
            if not key or key not in known:
                known[key] = status_at(b.measure, models, b.gaps[0])
            told.append(known[key])
        passed, failed = (told.count(status) / draws for status in ("passed", "failed"))
        found.append(Rates(b.measure, question, b.where, bool(b.groups), passed, failed, draws, 2 * flagged > SAMPLE))
    return found


def _table(models: Held) -> bytes:
    first, second = models.each.values()
    if first.predicted is None or second.predicted is None:
        raise AssertionError("a table needs labels")
    return np.bincount(4 * first.truth + 2 * first.predicted + second.predicted, minlength=8).tobytes()


# accuracies over all outcomes


@dataclass(frozen=True)
class Exact:
    """The worst chance, over how often the models disagree, that a gate of accuracies passes or fails wrongly."""

    n: int
    limit: float
    score: tuple[float, float]
    normal: tuple[float, float]


def exact_rates() -> list[Exact]:
    """Summed over all numbers of rows that only one of two models gets right: no simulation error."""
    found = []
    for n, limit in product((50, 100, 200), (-0.05, -0.02, -0.01, 0.0, 0.02)):
        b, c = (x.ravel() for x in np.meshgrid(*[np.arange(min(n, MOST_APART) + 1)] * 2))
        b, c = b[b + c <= n], c[b + c <= n]
        kinds = np.array([0.0, 1.0, -1.0])
        score = np.array([
            RowDifferences(kinds, np.array([n - x - y, x + 0.5, y + 0.5])).score(limit)
            for x, y in zip(b.tolist(), c.tolist(), strict=True)
        ])  # fmt: skip
        centre = (b - c) / (n + 1)
        normal = (centre - limit) / np.sqrt(((b + c + 1) / (n + 1) - centre**2) / (n + 1))
        worst = np.zeros((2, 2))
        for least in (0.0, 0.005, 0.01, 0.02, 0.05):  # how often the model that wins less often wins
            wins = (least + max(limit, 0.0), least + max(-limit, 0.0))
            chance = multinomial.pmf(np.stack([b, c, n - b - c], axis=1), n, [*wins, 1 - sum(wins)])
            rates = [[chance[z > Z].sum(), chance[z < -Z].sum()] for z in (score, normal)]
            worst = np.maximum(worst, rates)
        (opened, shut), (by_normal_opened, by_normal_shut) = worst.tolist()
        found.append(Exact(n, limit, (opened, shut), (by_normal_opened, by_normal_shut)))
    return found


# the candidate alone


def absolute_rates(draws: int) -> list[Rates]:
    """`at_least` where the true value is the limit itself: shares over all outcomes, the rest drawn."""
    found = []
    for n in (20, 50, 200, 1000):
        k = np.arange(n + 1)
        low, high = share_interval("clopper_pearson", k, n, SIDED)
        each = []
        for p in np.arange(0.5, 0.999, 0.005):
            chance = binom.pmf(k, n, p)
            each.append((float(chance[low >= p].sum()), float(chance[high < p].sum()), p))
        often, seldom = max(each), max(each, key=lambda x: x[1])
        where = f"{n} rows, share {often[2]:.3g} (fails: {seldom[2]:.3g})"
        found.append(Rates("accuracy", "at least", where, False, often[0], seldom[1], 0))
    for n, positives, skill in product((50, 200, 1000), (0.5, 0.1), (0.8, 0.95)):
        design = Design("", population([1 - positives, positives], skill), n)
        tables = design.draw(draws, np.random.default_rng([SEED, 61, n, int(100 * positives), int(100 * skill)]))
        where = f"{n} rows, {positives:.0%} positive, skill {share(skill)}"
        for name, method in (("f1", "exact"), ("mcc", "auto")):
            measure = catalogue[name]
            limit = true_value(measure, design.population, 1)
            sides = []
            for _, sample in samples(tables):
                got = table_intervals(measure, sample, SIDED, method)
                ends = (got.low, got.high) if not measure.is_per_class else (got.low[..., 1], got.high[..., 1])
                sides.append(np.stack([ends[0] >= limit, ends[1] < limit]))
            passed, failed = np.concatenate(sides, axis=1).mean(axis=1).tolist()
            found.append(Rates(name, "at least", where, False, passed, failed, draws, n * positives < 10))
        found.append(_area(n, positives, skill, where, draws))
    return found


def _area(n: int, positives: float, area: float, where: str, draws: int) -> Rates:
    rng = np.random.default_rng([SEED, 62, n, int(100 * positives), int(100 * area)])
    m, passed, failed = round(n * positives), 0, 0
    is_positive = np.arange(n) < m
    for _ in range(draws):
        scores = rng.normal(size=n) + np.sqrt(2) * ndtri(area) * is_positive
        e = auc_estimate(ScoreGroups.of(scores, is_positive), confidence=SIDED)
        passed += e.low >= area
        failed += e.high < area
    return Rates("roc_auc", "at least", where, False, passed / draws, failed / draws, draws, m < 10)


# verdicts of compare


@dataclass(frozen=True)
class Equal:
    """How often some pair that differs by the margin was called practically equal."""

    b: Boundary
    margin: float
    wrong: float
    draws: int

    @property
    def models(self) -> int:
        return len(self.b.gaps) + 1


def equal_rates(quick: bool, draws: int) -> list[Equal]:
    found = []
    sizes = (200,) if quick else (100, 400, 1500)
    for place, (measure, n) in enumerate(product(("accuracy", "f1", "roc_auc"), sizes)):
        margin = 0.05 if n > 100 else 0.1
        two = Boundary(measure, n, 0.4, 0.85, 0.9, (-margin,))
        # two models below, two in the middle and one above: six of ten pairs at the boundary, two at twice the margin
        five = replace(two, gaps=(-margin, -margin, 0.0, margin))
        for b in (two, five):
            rng, wrong = np.random.default_rng([SEED, 63, place, len(b.gaps)]), 0
            values = np.array([b.value(s) for s in b.skills])
            for _ in range(draws):
                models = b.draw(rng)
                k = len(models.names)
                pairs = [(i, j) for i in range(k) for j in range(i + 1, k)]
                told = compare(models.each, measure=measure, margin=margin, confidence=1 - LEVEL).differences
                apart = [abs(values[i] - values[j]) >= margin - 1e-9 for i, j in pairs]
                wrong += any(d.status == "practically_equal" and far for d, far in zip(told, apart, strict=True))
            found.append(Equal(b, margin, wrong / draws, draws))
    return found


def run(quick: bool) -> Section:
    draws = 200 if quick else 2000
    gates, alone = gate_rates(quick, draws), absolute_rates(4 * draws)
    equal, exact = equal_rates(quick, draws), exact_rates()
    grids = [
        Grid("Accuracies, over all outcomes: passed / failed wrongly, by score and by the one-row interval",
             ("rows, limit", "score", "one-row interval"), list(_exact_rows(exact)),
             "The worst of models that win against each other in 0 to 5 % of the rows, besides what the limit needs."),
        Grid("Worst designs of each gate: wrongly passed, wrongly failed",
             ("measure", "question", "design", "passed", "failed"), [r.row() for r in _worst([*gates, *alone])],
             "The design is that of the larger of the two."),
        Grid("Called practically equal at the margin itself: two models, and any of the pairs of five",
             ("measure", "rows", "margin", "two models", "five models"), list(_equal_rows(equal))),
    ]  # fmt: skip
    wanted = [_exact_gate(exact), *_gate_gates(gates, alone), *_equal_gates(equal)]
    text = TEXT.format(draws=draws, se=np.sqrt(LEVEL * (1 - LEVEL) / draws))
    title = "Gates: how often they open or shut wrongly"
    return Section("gates", title, text, grids, wanted, _weak([*gates, *alone]))


def _worst(found: list[Rates]) -> list[Rates]:
    worst: dict[tuple[str, str, bool], Rates] = {}
    for r in found:
        key = (r.measure, r.question, r.grouped)
        if key not in worst or max(r.passed, r.failed) > max(worst[key].passed, worst[key].failed):
            worst[key] = r
    return list(worst.values())


def _gate_gates(gates: list[Rates], alone: list[Rates]) -> Iterator[Gate]:
    parts = {
        "gates": [r for r in gates if not r.grouped],
        "gates, rows in groups": [r for r in gates if r.grouped],
        "gates of a value alone": alone,
    }
    for name, cells in parts.items():
        for side in ("passed", "failed"):
            clean = [r for r in cells if not r.flagged]
            r = max(clean, key=lambda r: getattr(r, side))
            rate = getattr(r, side)
            yield Gate(
                f"{name}: wrongly {side}", "at most .06", f"{share(rate)} ({r.measure}, {r.where})", rate <= MOST
            )


def _exact_rows(exact: list[Exact]) -> Iterator[tuple[str, ...]]:
    for e in exact:
        both = (f"{share(passed)} / {share(failed)}" for passed, failed in (e.score, e.normal))
        yield f"{e.n}, {e.limit:g}", *both


def _exact_gate(exact: list[Exact]) -> Gate:
    e = max(exact, key=lambda e: max(e.score))
    found = f"{share(max(e.score))} ({e.n} rows, limit {e.limit:g})"
    return Gate("gates of accuracies, over all outcomes", "at most .05", found, max(e.score) <= LEVEL)


def _equal_rows(equal: list[Equal]) -> Iterator[tuple[str, ...]]:
    for two, five in zip(equal[::2], equal[1::2], strict=True):
        yield two.b.measure, str(two.b.n), share(two.margin), share(two.wrong), share(five.wrong)


def _equal_gates(equal: list[Equal]) -> Iterator[Gate]:
    for models, name in ((2, "two models"), (5, "five models, any pair")):
        e = max((e for e in equal if e.models == models), key=lambda e: e.wrong)
        found = f"{share(e.wrong)} ({e.b.measure}, {e.b.n} rows)"
        yield Gate(f"practically equal at the margin, {name}", "at most .06", found, e.wrong <= MOST)


def _weak(found: list[Rates]) -> list[str]:
    flagged = [r for r in found if r.flagged]
    if not flagged:
        return []
    passed, failed = max(flagged, key=lambda r: r.passed), max(flagged, key=lambda r: r.failed)
    return [
        f"With fewer than ten rows of a class, which is flagged, a gate passes wrongly up to {share(passed.passed)} "
        f"({passed.measure}, {passed.where}) and fails wrongly up to {share(failed.failed)} ({failed.measure}, "
        f"{failed.where})."
    ]
