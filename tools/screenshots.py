"""Take the pictures of the report that the docs show: light, dark, narrow, and one of many classes.

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
#: Name, page, width, height, colours.
SHOTS = (
    ("report-light", "tumours", 1360, 1180, "light"),
    ("report-dark", "tumours", 1360, 1180, "dark"),
    ("report-narrow", "tumours", 390, 1400, "light"),
    ("report-classes", "digits", 1360, 1180, "light"),
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


def main(folder: Path = OUT) -> None:
    path = find()
    if path is None:
        sys.exit(f"There is no Chromium. {CURE}")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, sync_playwright() as playwright:
        pages: dict[str, Path] = {
            "tumours": sf.report(tumours(), Path(made) / "tumours.html", title="285 held-out breast tumours"),
            "digits": sf.report(digits(), Path(made) / "digits.html", title="Handwritten digits"),
        }
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        for name, page, width, height, colours in SHOTS:
            scheme: Any = colours
            opened = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            opened.goto(pages[page].as_uri())
            if opened.locator("#class").is_visible():
                opened.select_option("#class", "8")
            opened.click("#to-cost")
            opened.evaluate("document.activeElement.blur()")
            opened.wait_for_timeout(300)
            opened.screenshot(path=folder / f"{name}.png")
            print(folder / f"{name}.png")
            opened.close()
        browser.close()


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
