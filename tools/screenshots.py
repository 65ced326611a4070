"""Take the pictures of the report that the docs show: light, dark, narrow, many classes, and other results.

Run: .venv/bin/python -m tools.screenshots [FOLDER]
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

import surefold as sf
from tools.browser import ARGUMENTS, CURE, find

ROOT = Path(__file__).parents[1]
OUT = ROOT / "docs" / "images"
#: Name, page, section at the top of the picture (none: the page's own top), width, height, colours.
SHOTS = (
    ("report-light", "tumours", "", 1360, 1180, "light"),
    ("report-dark", "tumours", "", 1360, 1180, "dark"),
    ("report-narrow", "tumours", "", 390, 1400, "light"),
    ("report-classes", "digits", "", 1360, 1180, "light"),
    ("report-comparison", "comparison", "comparison", 1360, 1460, "light"),
    ("report-selection", "selection", "selection", 1360, 1000, "light"),
    ("report-ranks", "ranks", "", 1360, 1060, "dark"),
)


def tumours() -> dict[str, sf.Assessment]:
    """The bundled predictions of two classifiers."""
    with (ROOT / "src" / "surefold" / "data" / "breast_cancer.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    truth = [row["diagnosis"] for row in rows]
    return {
        name: sf.assess(
            truth,
            [row[name] for row in rows],
            y_score=[float(row[f"p_{name}"]) for row in rows],
            pos_label="malignant",
            costs={"fp": 1, "fn": 10},
        )
        for name in ("logistic", "naive_bayes")
    }


def digits() -> sf.Assessment:
    """Naive Bayes on handwritten digits, ten classes."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split
    from sklearn.naive_bayes import GaussianNB

    data = load_digits()
    x, held, y, truth = train_test_split(data.data, data.target, test_size=0.5, stratify=data.target, random_state=0)
    model = GaussianNB(var_smoothing=0.05).fit(x, y)
    return sf.assess(truth, y_score=model.predict_proba(held), labels=list(range(10)))


def learners() -> dict[str, Any]:
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from surefold.learners import DecisionTree, RandomForest

    return {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "naive bayes": GaussianNB(),
        "neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier()),
        "tree": DecisionTree(max_depth=4),
        "forest": RandomForest(n_estimators=50, random_state=0),
    }


def comparison() -> sf.Comparison:
    """Five models on the same held-out tumours, of which four features are known."""
    from sklearn.datasets import load_breast_cancer

    X, y = load_breast_cancer(return_X_y=True)
    X, names = X[:, 4:8], learners()
    scores = {name: model.fit(X[:240], y[:240]).predict_proba(X[240:])[:, 1] for name, model in names.items()}
    return sf.compare(y[240:], scores, measure="roc_auc", margin=0.01, pos_label=1)


def selection() -> Any:
    from sklearn.datasets import load_breast_cancer

    from surefold.learners import DecisionTree

    X, y = load_breast_cancer(return_X_y=True)
    X, names = X[:, 4:8], learners()
    searched = {
        "logistic": (names["logistic"], {"logisticregression__C": [0.01, 1.0, 100.0]}),
        "tree": (DecisionTree(), {"max_depth": [1, 2, 4, 8]}),
        "neighbours": (names["neighbours"], {"kneighborsclassifier__n_neighbors": [1, 5, 15]}),
    }
    return sf.select(searched, X, y, folds=5, random_state=0, pos_label=1)


def ranks() -> Any:
    """The same learners over small data sets of scikit-learn and parts of the digits."""
    import numpy as np
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

    sets = {name: load(return_X_y=True) for name, load in
            (("iris", load_iris), ("wine", load_wine), ("tumours", load_breast_cancer))}  # fmt: skip
    X, y = load_digits(return_X_y=True)
    for a, b in ((1, 8), (3, 5), (4, 9), (2, 7), (8, 9), (3, 8), (5, 6)):
        rows = np.flatnonzero((y == a) | (y == b))[::3]
        sets[f"{a} or {b}"] = (X[rows], y[rows])
    return sf.benchmark(learners(), sets, folds=5, random_state=0).compare()


def main(folder: Path = OUT) -> None:
    path = find()
    if path is None:
        sys.exit(f"There is no Chromium. {CURE}")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        pages: dict[str, Path] = {
            "tumours": sf.report(tumours(), Path(made) / "tumours.html", title="285 held-out breast tumours"),
            "digits": sf.report(digits(), Path(made) / "digits.html", title="Handwritten digits"),
            "comparison": sf.report(
                comparison(), Path(made) / "comparison.html", title="Five models of breast tumours"
            ),
            "selection": sf.report(selection(), Path(made) / "selection.html", title="Which model of breast tumours?"),
            "ranks": sf.report(ranks(), Path(made) / "ranks.html", title="Five models over ten data sets"),
        }
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        for name, page, section, width, height, colours in SHOTS:
            scheme: Any = colours
            opened = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            opened.goto(pages[page].as_uri())
            opened.wait_for_selector("html[data-ready]", state="attached")
            if opened.locator("#class").is_visible():
                opened.select_option("#class", "8")
            if opened.locator("#to-cost").count():
                opened.click("#to-cost")
            opened.evaluate("document.activeElement.blur()")
            opened.mouse.move(0, 0)
            if section:
                opened.evaluate("id => document.getElementById(id).scrollIntoView()", section)
            opened.wait_for_timeout(300)
            opened.screenshot(path=folder / f"{name}.png")
            print(folder / f"{name}.png")
            opened.close()
        browser.close()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
