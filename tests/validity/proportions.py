"""Intervals for a share, by exact enumeration: no Monte-Carlo error."""

from __future__ import annotations

import numpy as np
from scipy.stats import binom

from surefold.estimates.proportion import share_interval

from .coverage import CONFIDENCE, Array, holds
from .page import Gate, Grid, Section, share

RULES = ("wald", "wilson", "clopper_pearson", "jeffreys", "agresti_coull", "auto")
TITLES = ("Wald", "Wilson", "Clopper-Pearson", "Jeffreys", "Agresti-Coull", "**default**")

TEXT = """
Accuracy, recall, precision and the other plain shares get Wilson's interval, or Clopper and Pearson's exact one with
three or fewer errors or successes. All n + 1 possible results are enumerated at {points:,} values of p from {least} to
{greatest}, so these are the coverages themselves.
"""


def exact_coverage(rule: str, n: int, p: Array) -> Array:
    """The chance that the interval holds p, at each p."""
    results = np.arange(n + 1)
    low, high = share_interval(rule, results, n, CONFIDENCE)
    answer = np.empty(len(p))
    for start in range(0, len(p), 500):
        some = p[start : start + 500, None]
        answer[start : start + 500] = (holds(low, high, some) * binom.pmf(results, n, some)).sum(axis=1)
    return answer


def run(quick: bool) -> Section:
    points = 400 if quick else 4000
    p = np.linspace(0.0005, 0.9995, points + 1)
    sizes = (10, 20, 50, 100) if quick else (10, 20, 50, 100, 300, 1000)
    found = {(rule, n): exact_coverage(rule, n, p) for rule in RULES for n in sizes}

    def row(n: int, what: str) -> tuple[str, ...]:
        values = [getattr(found[rule, n], what)() for rule in RULES]
        return (f"n = {n}, {'minimum' if what == 'min' else 'mean'}", *(share(v, 0.92) for v in values))

    over_p = Grid(
        "Over all p (bold: below .92)", ("", *TITLES), [row(n, what) for n in sizes for what in ("min", "mean")]
    )
    places = np.array([0.8, 0.9, 0.98])
    rows = []
    for n in (20, 50, 100):
        cells = ["/".join(share(v, 0.9) for v in exact_coverage(rule, n, places)) for rule in RULES]
        rows.append((f"n = {n}", *cells))
    at_p = Grid("An accuracy of .8 / .9 / .98 (bold: below .90)", ("", *TITLES), rows)

    least = min(found["auto", n].min() for n in sizes if n >= 20)
    means = [found["auto", n].mean() for n in sizes if n >= 20]
    exact = min(found["clopper_pearson", n].min() for n in sizes)
    gates = [
        Gate("shares, default: minimum, n ≥ 20", "≥ .920", share(least), bool(least >= 0.92)),
        Gate(
            "shares, default: mean, n ≥ 20",
            "in [.945, .965]",
            f"{share(min(means))} to {share(max(means))}",
            bool(min(means) >= 0.945 and max(means) <= 0.965),
        ),
        Gate("shares, Clopper-Pearson: minimum", "≥ .950", share(exact), bool(exact >= 0.95 - 1e-9)),
    ]
    weak = [
        f"Shares by the default rule dip to {share(least)} at unlucky p (n ≥ 20) while their mean is "
        f'{share(float(np.mean(means)))}: the price of not being too wide. `method="clopper_pearson"` never dips.'
    ]
    text = TEXT.format(points=len(p), least=p[0], greatest=p[-1])
    return Section("proportions", "Shares: accuracy, recall, precision", text, [over_p, at_p], gates, weak)
