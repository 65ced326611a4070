"""Text from strangers, in every place that shows it: nothing runs, nothing is asked for."""

from pathlib import Path
from typing import Any

import pytest

import surefold as sf
from surefold.cli.main import main
from surefold.report.document import Source
from surefold.report.html import report_of
from tests.browser.conftest import Opened, Opener

PAYLOADS = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><img src=x onerror=alert(1)>',
    "'><svg onload=alert(1)>",
    "<svg/onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<body onload=alert(1)>",
    "<details open ontoggle=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<a href=javascript:alert(1)>x</a>",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "<object data=https://example.com/x></object>",
    "<link rel=stylesheet href=https://example.com/x.css>",
    "<img src=https://example.com/x.png>",
    "<style>@import 'https://example.com/x.css';</style>",
    "<base href=https://example.com/>",
    "<meta http-equiv=refresh content='0;url=https://example.com/'>",
    "<form action=https://example.com/><button autofocus>",
    "{{ 7 * 7 }}{% raw %}",
    "${alert(1)}`-alert(1)-`",
    "\\u003cscript\\u003ealert(1)\\u003c/script\\u003e",
    "<!--<script>alert(1)//-->",
    "]]><script>alert(1)</script>",
    "\u202e<script>alert(1)</script>",
    "\u2028alert(1)\u2029",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "\x1b[31m<b onmouseover=alert(1)>",
    "x" * 2000 + "<img src=x onerror=alert(1)>",
]


def _tried(opened: Opened) -> None:
    page = opened.page
    for selector in ("#model", "#class"):
        if page.locator(selector).is_visible():
            for i in range(page.locator(f"{selector} option").count()):
                page.select_option(selector, index=i)
    page.eval_on_selector_all("details", "all => all.forEach(d => { d.open = true })")
    page.wait_for_timeout(30)


def _harmless(opened: Opened) -> None:
    opened.assert_quiet()
    page = opened.page
    for tag in ("iframe", "object", "embed", "base", "link", "form", "img", "math"):
        assert page.locator(tag).count() == 0, tag
    assert page.locator("script").count() == 2
    assert page.locator("style").count() == 1
    assert page.eval_on_selector_all("a", "all => all.map(a => a.getAttribute('href'))") == ["#verdict"]
    inline = "all => all.flatMap(e => e.getAttributeNames()).filter(n => n.startsWith('on') || n === 'style')"
    assert page.eval_on_selector_all("*", inline) == []


def test_there_are_thirty() -> None:
    assert len(set(PAYLOADS)) >= 30


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_a_payload_in_every_slot_runs_nothing(open_page: Opener, tmp_path: Path, payload: str) -> None:
    two = sf.assess([payload, "ok"] * 20, [payload, "ok"] * 18 + ["ok", payload] * 2,
                    y_score=[8, 3] * 18 + [2, 7] * 2, pos_label=payload)  # fmt: skip
    scores = [[7, 2, 1], [1, 7, 2], [2, 1, 7]] * 8
    three = sf.assess([payload, "b", "c"] * 8, y_score=scores, labels=[payload, "b", "c"])
    source = Source(f"{payload}.csv", payload, f"surefold assess {payload}")
    path = report_of({payload: two, "three": three}, tmp_path / "r.html", title=payload, source=source)
    opened = open_page(path)
    _tried(opened)
    _harmless(opened)


@pytest.mark.parametrize("payload", PAYLOADS[:6], ids=range(6))
def test_columns_and_findings_of_a_file_run_nothing(open_page: Opener, tmp_path: Path, payload: str) -> None:
    name = payload.replace('"', "").replace(",", "")
    file = tmp_path / "data.csv"
    lines = [f'"{name} truth","{name} pred"', *(f'"{name}","{name}"' for _ in range(9)), "ok,ok", f'ok,"{name} "']
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    page = tmp_path / "r.html"
    chosen = ["--truth", f"{name} truth", "--pred", f"{name} pred"]
    assert main(["assess", str(file), *chosen, "--quiet", "--report", str(page)]) == 0
    opened = open_page(page)
    _tried(opened)
    _harmless(opened)
    assert name[:6] in opened.page.inner_text("#findings")  # near_equal_labels names them


@pytest.mark.parametrize("payload", PAYLOADS, ids=range(len(PAYLOADS)))
def test_a_notebook_runs_nothing_even_without_a_policy(browser: Any, payload: str) -> None:
    a = sf.assess([payload, "ok"] * 9, [payload, "ok"] * 8 + ["ok", payload], pos_label=payload)
    page = browser.new_page()
    seen: list[str] = []

    def trap(dialog: Any) -> None:
        seen.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", trap)
    page.on("request", lambda request: seen.append(request.url))
    page.set_content(f"<!doctype html>{a._repr_html_()}")
    page.wait_for_timeout(30)
    assert seen == []
    assert page.locator("script, iframe, img, object, a").count() == 0
    page.close()
