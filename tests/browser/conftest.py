"""A real browser, and pages that tests open in it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

import surefold as sf
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

    def __init__(self, page: Page, file: Path) -> None:
        self.page, self.file = page, file
        self.requests: list[str] = []
        self.said: list[str] = []
        self.dialogs: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", self._trap)
        page.goto(file.as_uri())

    def _trap(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def text(self, id: str) -> str:
        return self.page.inner_text(f"#{id}")

    def assert_quiet(self) -> None:
        """It asked for itself alone, ran into no error, and opened no dialog."""
        assert self.requests == [self.file.as_uri()]
        assert self.said == []
        assert self.dialogs == []


Opener = Callable[..., Opened]


@pytest.fixture(name="open_page")
def _open_page(browser: Browser) -> Iterator[Opener]:
    contexts = []

    def opened(file: Path, **options: Any) -> Opened:
        width = options.pop("width", 1280)
        context = browser.new_context(viewport={"width": width, "height": 900}, reduced_motion="reduce", **options)
        contexts.append(context)
        return Opened(context.new_page(), file)

    yield opened
    for context in contexts:
        context.close()


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


@pytest.fixture(name="pages", scope="session")
def _pages(tmp_path_factory: pytest.TempPathFactory, plain: sf.Assessment) -> dict[str, Path]:
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
    }
    return {name: sf.report(results, folder / f"{name}.html") for name, results in made.items()}
