"""Writes tests/references/comparison_tests.json: `python tests/references/comparison_tests.py`.

Needs statsmodels and MLstatkit, which nothing else here does. Made with statsmodels 0.15.0 and MLstatkit 0.1.91.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

SHARES = [(4, 30, 1250, 5000), (7, 34, 1, 34), (0, 10, 3, 12), (56, 70, 48, 80), (10, 10, 20, 25), (9, 10, 3, 10)]
#: Not their score interval: of 56/70 and 48/80 it is .0526 to .3440, where Newcombe (1998) prints .0528 to .3382.
INTERVALS = {"wald": "wald", "newcombe": "newcomb", "agresti_caffo": "agresti-caffo"}
P_VALUES = [[0.01, 0.04, 0.03], [0.2, 0.001, 0.04, 0.04, 0.9, 0.013], [0.5], [1.0, 0.6, 0.7]]


def main() -> None:
    shares = import_module("statsmodels.stats.proportion")
    tables = import_module("statsmodels.stats.contingency_tables")
    many = import_module("statsmodels.stats.multitest")
    signs = import_module("statsmodels.stats.descriptivestats")
    delong = import_module("MLstatkit").Delong_test
    answer: dict[str, Any] = {"two_proportions": [], "cochran_q": [], "bowker": [], "adjusted": [], "sign_test": []}
    for a, n, b, m in SHARES:
        bounds = {}
        for ours, theirs in INTERVALS.items():
            ends = shares.confint_proportions_2indep(a, n, b, m, method=theirs, compare="diff")
            bounds[ours] = [float(end) for end in ends]
        tests = {}
        if 0 < a < n and 0 < b < m:
            tests["unpooled"] = shares.test_proportions_2indep(a, n, b, m, method="wald", compare="diff")
        tests["pooled"] = shares.proportions_ztest([a, b], [n, m])
        found = {name: [float(x) for x in tuple(t)[:2]] for name, t in tests.items()}
        answer["two_proportions"].append({"given": [a, n, b, m], "bounds": bounds, "tests": found})
    rng = np.random.default_rng(1)
    for rows, models in ((12, 3), (40, 4), (200, 3), (25, 2)):
        correct = (rng.random((rows, models)) < np.linspace(0.6, 0.8, models)).astype(int)
        q = tables.cochrans_q(correct)
        answer["cochran_q"].append({"given": correct.tolist(), "found": [q.statistic, q.pvalue]})
    for k in (2, 3, 5):
        table = rng.integers(1, 20, (k, k))
        b = tables.SquareTable(table, shift_zeros=False).symmetry()
        answer["bowker"].append({"given": table.tolist(), "found": [b.statistic, b.pvalue, int(b.df)]})
    for p in P_VALUES:
        methods = {"holm": "holm", "hochberg": "simes-hochberg", "benjamini_hochberg": "fdr_bh"}
        found = {ours: many.multipletests(p, method=theirs)[1].tolist() for ours, theirs in methods.items()}
        answer["adjusted"].append({"given": p, "found": found})
    for n in (7, 20, 45):
        d = rng.normal(0.3, 1, n).round(1)
        answer["sign_test"].append({"given": d.tolist(), "found": float(signs.sign_test(d)[1])})
    answer["delong"] = []
    for n in (40, 300):
        y = np.arange(n) % 3 == 0
        s = rng.normal(size=(2, n)) + rng.normal(size=n) + 1.5 * y
        s = s.round(1)
        z, p, _, _, a, b, _ = delong(y.astype(int), s[0], s[1])
        given = [y.astype(int).tolist(), s[0].tolist(), s[1].tolist()]
        answer["delong"].append({"given": given, "found": [-float(z), float(p), float(a), float(b)]})  # theirs: b - a
    path = Path(__file__).with_suffix(".json")
    path.write_text(json.dumps(answer) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
