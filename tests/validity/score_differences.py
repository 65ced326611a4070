"""Differences of scores: coverage, gates at the true difference, width beside the oracle's, flags; what is missed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from surefold.significance.wins_and_losses import FEW_ROWS

from .page import Gate, Grid, Section, share
from .score_designs import MANY, Pair, all_real, all_simulated
from .score_moves import MEASURES, Apart, apart
from .tables import SEED

#: Coverage and rate of wrong passes that are wanted, with no allowance for luck.
WANTED, MOST = 0.935, 0.06
#: Cells in which fewer of the rows that decide are to be expected are only asked for flags.
EXPECTED = 4.0
FLAGGED, LOUD = 0.9, 0.05

TEXT = """
Two models on the same rows: simulated pairs (nested and opposite ones that agree but for 1 to 20 confident errors,
alike, independent, tempered, noisier, blind in a subgroup, heavy tails, rounded scores, near perfect) and real ones
(logistic regression twice, random forest twice, boosting, neighbours, naive Bayes, fitted on a third of breast cancer,
digits, Hastie 10.2 and a set with wrong labels; rows are drawn with replacement from the other two thirds, whose
difference is the truth). R = {losses:,} of losses (standard error {se_losses:.4f}) and {ranks:,} of areas and average
precision ({se_ranks:.4f}), a batch of the shipped rule that a test holds equal to `compare`.

*Gate* is how often a gate at 95 % whose limit is the true difference passes, or fails: the larger of the two, in
either direction; "practically equal" asks the same bounds. *Rival* is the interval from the variance alone (t's without
its correction, DeLong's). *Rows* is how many rows that decide are to be expected, n (mean x²)²/mean x⁴ of the
population. *Width* is the median width over that of the central 95 % of the differences drawn. Cells with at least
{expected:g} such rows are held to {wanted:.3f} and {most:.2f}, with no allowance for luck; of {cells} cells a few miss
by luck alone, and each that does is listed.
"""


@dataclass(frozen=True)
class Found:
    """What one measure did on one pair."""

    measure: str
    pair: Pair
    expected: float
    coverage: float
    gate: float
    width: float
    rival: float
    rival_gate: float
    rival_width: float
    flagged: float
    warned: float
    wrong_unwarned: float
    median: float

    @property
    def fails(self) -> bool:
        return self.coverage < WANTED or self.gate > MOST


def truth(measure: str, pair: Pair, rng: np.random.Generator) -> tuple[float, float]:
    """The population's difference, and the rows that decide in one row of it."""
    drawn = pair.draw(rng, 1, MANY)
    found = apart(measure, drawn)
    return float(found.value[0]), float(found.counts.deciding[0]) / drawn[0].shape[1]


def samples(measure: str, pair: Pair, draws: int, rng: np.random.Generator) -> Iterator[Apart]:
    """Samples in which the measure is defined, a cache-sized number at a time."""
    size = max(20, 300_000 // pair.n)
    for start in range(0, draws, size):
        y, first, second = pair.draw(rng, min(size, draws - start), pair.n)
        kept = (y.sum(axis=1) > 1) & (y.sum(axis=1) < pair.n - 1)
        yield apart(measure, (y[kept], first[kept], second[kept]))


def tried(measure: str, pair: Pair, draws: int, place: int) -> Found:
    rng = np.random.default_rng([SEED, 81, place, MEASURES.index(measure)])
    value, deciding = truth(measure, pair, rng)
    columns: dict[str, list[np.ndarray]] = {}
    for one in samples(measure, pair, draws, rng):
        low, high = one.ends(0.975)
        under, over = one.ends(0.95)
        rival, sided = one.normal_ends(0.975), one.normal_ends(0.95)
        few = one.counts.deciding < FEW_ROWS
        # a margin as small as what three turned rows would cost is one that such a gate warns of
        warned = few | (np.abs(value) < 3 * one.counts.turned)
        for name, column in {
            "value": one.value, "inside": (low <= value) & (value <= high), "passes": under > value,
            "fails": over < value, "width": high - low, "rival": (rival[0] <= value) & (value <= rival[1]),
            "rival_passes": sided[0] > value, "rival_fails": sided[1] < value, "rival_width": rival[1] - rival[0],
            "few": few, "warned": warned, "k": one.counts.deciding,
        }.items():  # fmt: skip
            columns.setdefault(name, []).append(column)
    x = {name: np.concatenate(parts) for name, parts in columns.items()}
    wrong = ~x["inside"]
    oracle = float(np.subtract(*np.quantile(x["value"], [0.975, 0.025]))) or np.nan  # none where no sample differs
    return Found(
        measure, pair, deciding * pair.n, float(x["inside"].mean()), float(max(x["passes"].mean(), x["fails"].mean())),
        float(np.median(x["width"])) / oracle, float(x["rival"].mean()),
        float(max(x["rival_passes"].mean(), x["rival_fails"].mean())), float(np.median(x["rival_width"])) / oracle,
        float(x["few"].mean()), float(x["warned"].mean()), float((wrong & ~x["warned"]).mean()),
        float(np.median(x["k"])),
    )  # fmt: skip


def summary(measure: str, cells: list[Found], rival: bool) -> tuple[str, ...]:
    cover = np.array([c.rival if rival else c.coverage for c in cells])
    gate = np.array([c.rival_gate if rival else c.gate for c in cells])
    wide = [c.rival_width if rival else c.width for c in cells]
    return (
        f"{measure}, " + ("variance alone" if rival else "**rows won and lost**"), str(len(cells)),
        f"{share(float(cover.min()), WANTED)} / {share(float(cover.mean()))}", str(int((cover < WANTED).sum())),
        share(float(gate.max())), str(int((gate > MOST).sum())), f"{np.nanmedian(wide):.2f} / {np.nanmax(wide):.2f}",
    )  # fmt: skip


def run(quick: bool) -> Section:
    draws = {name: (300 if quick else 2000 if name in ("log_loss", "brier") else 1000) for name in MEASURES}
    pairs = all_simulated(quick) + all_real(quick)
    cells = [tried(m, pair, draws[m], place) for place, pair in enumerate(pairs) for m in MEASURES]
    grids, gates, weak = [], [], []
    bands = {
        "ten or more rows decide": (10.0, np.inf),
        "4 to 10 rows decide": (EXPECTED, 10.0),
        "fewer than four": (0.0, EXPECTED),
    }
    head = ("", "cells", "coverage", f"below {WANTED}", "gate, most", f"above {MOST}", "width: median / most")
    for title, (least, most) in bands.items():
        rows = []
        for m in MEASURES:
            held = [c for c in cells if c.measure == m and least <= c.expected < most]
            if held:
                rows += [summary(m, held, rival=False), summary(m, held, rival=True)]
        grids.append(Grid(f"Where {title}", head, rows))
    families = sorted({c.pair.family for c in cells})
    by_family: list[tuple[str, ...]] = []
    for family in families:
        held = [c for c in cells if c.pair.family == family and c.expected >= EXPECTED]
        if held:
            by_family.append((
                family, str(len(held)), f"{share(min(c.coverage for c in held), WANTED)} / "
                f"{share(float(np.mean([c.coverage for c in held])))}", share(max(c.gate for c in held)),
                f"{np.nanmedian([c.width for c in held]):.2f}",
                share(min(c.rival for c in held), WANTED), share(max(c.rival_gate for c in held)),
            ))  # fmt: skip
    family_head = ("family", "cells", "coverage", "gate, most", "width", "variance alone: coverage", "its gate, most")
    grids.append(Grid(f"By family, {EXPECTED:g} or more rows expected", family_head, by_family))
    failing = sorted((c for c in cells if c.fails), key=lambda c: c.coverage)
    missed = [
        (c.measure, c.pair.where, f"{c.expected:.1f}", share(c.coverage, WANTED), share(c.gate), f"{c.width:.2f}",
         f"{c.flagged:.0%}", f"{c.warned:.0%}")
        for c in failing
    ]  # fmt: skip
    cell_head = ("measure", "pair", "rows", "coverage", "gate", "width", "few_rows_decide", "or margin warned of")
    grids.append(Grid(f"Every cell below {WANTED} or above {MOST}", cell_head, missed))
    for m in MEASURES:
        held = [c for c in cells if c.measure == m and c.expected >= EXPECTED]
        below, above = [c for c in held if c.coverage < WANTED], [c for c in held if c.gate > MOST]
        worst, loosest = min(held, key=lambda c: c.coverage), max(held, key=lambda c: c.gate)
        gates.append(Gate(
            f"difference of {m}, {EXPECTED:g} rows or more expected: interval", f"≥ {WANTED}",
            f"{len(below)} of {len(held)} below, minimum {share(worst.coverage)} ({worst.pair.where})",
            not below, [(c.coverage, c.flagged >= 0.5) for c in cells if c.measure == m],
        ))  # fmt: skip
        gates.append(Gate(
            f"difference of {m}, the same: gates, tests, equality", f"≤ {MOST}",
            f"{len(above)} of {len(held)} above, most {share(loosest.gate)} ({loosest.pair.where})",
            not above,
        ))  # fmt: skip
        weak += [
            f"The difference of {m} of two models ({c.pair.where}) is covered in {share(c.coverage)} of the samples, "
            f"and a gate at it passes or fails in {share(c.gate)}; {c.expected:.1f} rows that decide are expected."
            for c in failing if c.measure == m and c.expected >= EXPECTED
        ][:2]  # fmt: skip
    clean = [c for c in cells if c.median >= 12]
    loud = sorted((c for c in clean if c.flagged > LOUD), key=lambda c: -c.flagged)
    often = f"{len(loud)} of {len(clean)} above"
    gates.append(Gate(
        "few_rows_decide where the median of the rows is 12 or more", f"in ≤ {LOUD} of the draws of every cell",
        often + (f", most {share(loud[0].flagged)} ({loud[0].measure}, {loud[0].pair.where})" if loud else ""),
        not loud,
    ))  # fmt: skip
    few = [c for c in failing if c.expected < EXPECTED]
    silent = [c for c in few if c.warned < FLAGGED]
    weak.append(
        f"Where fewer than {EXPECTED:g} rows that decide are expected, {len(few)} of "
        f"{sum(c.expected < EXPECTED for c in cells)} cells miss, and {len(silent)} of them carry a warning in fewer "
        f"than {FLAGGED:.0%} of the samples: rows of a kind that did not occur are seen by no rule."
    )
    n = draws["log_loss"], draws["roc_auc"]
    text = TEXT.format(
        losses=n[0], ranks=n[1], se_losses=(0.05 * 0.95 / n[0]) ** 0.5, se_ranks=(0.05 * 0.95 / n[1]) ** 0.5,
        expected=EXPECTED, wanted=WANTED, most=MOST, cells=len(cells),
    )  # fmt: skip
    return Section("score_differences", "Differences of scores between two models", text, grids, gates, weak)
