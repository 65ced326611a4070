"""Draw the picture of the README: both bundled classifiers' ROC curves with their bands.

Run: .venv/bin/python tools/make_readme_picture.py
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

import surefold as sf

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "images" / "roc.png"


def main() -> None:
    with (ROOT / "src" / "surefold" / "data" / "breast_cancer.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    truth = [row["diagnosis"] for row in rows]
    ax = None
    for name in ("logistic", "naive_bayes"):
        scores = np.array([float(row[f"p_{name}"]) for row in rows])
        a = sf.assess(truth, y_score=scores, pos_label="malignant")
        ax = a.roc.plot(ax, label=name.replace("_", " "))
    OUT.parent.mkdir(exist_ok=True)
    ax.figure.savefig(OUT, dpi=110)


if __name__ == "__main__":
    main()
