"""A real browser, and pages that tests open in it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

import surefold as sf
from surefold.learners import DecisionTree, NaiveBayes
from surefold.studies import Benchmark, learning_curve
from tools.browser import ARGUMENTS, CURE, find


@pytest.fixture(name="browser", scope="session")
def _browser() -> Iterator[Browser]:
    path = find()
    assert path, f"there is no Chromium. {CURE}"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


class Opened:
    """A page with everything it asked for, said, and tried."""

    def __init__(self, page: Page, file: Path, state: str = "", has_script: bool = True) -> None:
        self.page, self.file = page, file
        self.requests: list[str] = []
        self.said: list[str] = []
        self.dialogs: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", self._trap)
        page.goto(file.as_uri() + state)
        if has_script:
            page.wait_for_selector("html[data-ready]", state="attached")

    def _trap(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def text(self, id: str) -> str:
        return self.page.inner_text(f"#{id}")

    def assert_quiet(self) -> None:
        """It asked for itself alone, ran into no error, and opened no dialog."""
        assert [url.split("#")[0] for url in self.requests] == [self.file.as_uri()]
        assert self.said == []
        assert self.dialogs == []


Opener = Callable[..., Opened]


@pytest.fixture(name="contexts", scope="session")
def _contexts(browser: Browser) -> Iterator[dict[str, BrowserContext]]:
    """One a set of options: making them takes longer than most tests."""
    made: dict[str, BrowserContext] = {}
    yield made
    for context in made.values():
        context.close()


@pytest.fixture(name="open_page")
def _open_page(browser: Browser, contexts: dict[str, BrowserContext]) -> Iterator[Opener]:
    opened_pages = []

    def opened(file: Path, width: int = 1280, state: str = "", **options: Any) -> Opened:
        key = repr(sorted(options.items()))
        if key not in contexts:
            contexts[key] = browser.new_context(reduced_motion="reduce", **options)
        page = contexts[key].new_page()
        opened_pages.append(page)
        page.set_viewport_size({"width": width, "height": 900})
        return Opened(page, file, state, options.get("java_script_enabled", True))

    yield opened
    for page in opened_pages:
        page.close()


def two_classes(n: int = 400, seed: int = 0) -> tuple[Any, Any]:
    """Labels and probabilities that say something about them."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.3).astype(int)
    return truth, 1 / (1 + np.exp(-(rng.normal(size=n) + 1.6 * truth - 1.2)))


def three_classes(n: int = 300) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    codes = rng.integers(0, 3, n)
    shares = rng.dirichlet([1, 1, 1], n)
    shares[np.arange(n), codes] += 0.7
    return np.array(["ant", "bee", "cat"])[codes], shares / shares.sum(axis=1, keepdims=True)


@pytest.fixture(name="plain", scope="session")
def _plain() -> sf.Assessment:
    truth, scores = two_classes()
    return sf.assess(truth, y_score=scores, costs={"fp": 1, "fn": 5})


@pytest.fixture(name="results", scope="session")
def _results() -> dict[str, Any]:
    """One result of each kind that has sections of its own."""
    truth, scores = two_classes(150, seed=1)
    rng = np.random.default_rng(2)
    X = np.column_stack([scores, rng.normal(size=150)])
    shared: dict[str, Any] = {"folds": 4, "random_state": 0, "pos_label": 1}
    answers = {"logistic": scores, "blurred": scores + rng.normal(0, 0.4, 150), "noise": rng.random(150)}
    models = {"bayes": NaiveBayes(), "tree": DecisionTree(max_depth=2)}
    figures = rng.normal([0.8, 0.82, 0.7, 0.81], 0.02, (12, 4))
    return {
        "comparison": sf.compare(truth, answers, measure="roc_auc", margin=0.01, pos_label=1),
        "gate": sf.gate(truth, answers["noise"], scores, measure="roc_auc", margin=0.01, pos_label=1),
        "study": sf.cross_validate(models, X, truth, repeats=2, **shared),
        "selection": sf.select(
            {"bayes": NaiveBayes(), "tree": (DecisionTree(), {"max_depth": [1, 3]})}, X, truth, **shared
        ),
        "ranks": Benchmark.of_table(figures, models=["a", "b", "c", "d"], measure="accuracy").compare(),
        "curve": learning_curve(models, X, truth, sizes=[20, 60, 110], **shared),
        "bootstrap": sf.bootstrap(NaiveBayes(), X, truth, samples=30, random_state=0),
    }


@pytest.fixture(name="pages", scope="session")
def _pages(tmp_path_factory: pytest.TempPathFactory, plain: sf.Assessment, results: dict[str, Any]) -> dict[str, Path]:
    """One page of each kind."""
    folder = tmp_path_factory.mktemp("pages")
    truth, scores = two_classes(250, seed=3)
    other = sf.assess(truth, y_score=scores**2)
    names, matrix = three_classes()
    many = sf.assess(names, y_score=matrix)
    labels = sf.assess(["c1"] * 10 + ["c2"] * 10 + ["c3"] * 10, ["c1"] * 10 + ["c2"] * 7 + ["c3"] * 8 + ["c1"] * 5)
    made: dict[str, Any] = {
        "one": plain,
        "several": {"first": plain, "second": other, "three": many, "labels only": labels},
        "many": many,
        "labels": labels,
        **results,
    }
    return {name: sf.report(results, folder / f"{name}.html") for name, results in made.items()}
