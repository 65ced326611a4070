"""axe finds nothing to complain about, in light and in dark, with everything unfolded."""

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.conftest import Opener

#: Rows of a table are alike: three of each are looked at, which takes a tenth of the time.
FEW_ROWS = "all => all.forEach(body => Array.from(body.rows).slice(3).forEach(row => row.remove()))"


@pytest.mark.parametrize("kind", ["several", "many", "comparison", "study", "selection", "ranks", "curve", "gate"])
def test_axe_finds_nothing(open_page: Opener, pages: dict[str, Path], kind: str) -> None:
    # axe is injected, which the page's policy rightly forbids
    page = open_page(pages[kind], bypass_csp=True).page
    page.eval_on_selector_all("details", "all => all.forEach(d => { d.open = true })")
    page.eval_on_selector_all("tbody", FEW_ROWS)
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    page.emulate_media(color_scheme="dark")  # only colours change
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(20, 22, 26)"
    found = Axe().run(page, options={"runOnly": ["color-contrast"]})
    assert found.violations_count == 0, found.generate_report()


def test_axe_would_find_something(open_page: Opener, pages: dict[str, Path]) -> None:
    opened = open_page(pages["one"], bypass_csp=True)
    opened.page.evaluate("document.querySelector('label[for=slider]').remove()")
    assert Axe().run(opened.page).violations_count > 0
