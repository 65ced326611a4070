"""Text from strangers, in every place that shows it: nothing runs, nothing is asked for."""

from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import surefold as sf
from surefold.cli.main import main
from surefold.report.document import Source
from surefold.report.html import report_of
from surefold.studies import Benchmark, bias_variance, learning_curve
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


SECTIONS = {f"#{name}" for name in ("verdict", "models", "each-model", "operating-point", "ranking", "probabilities",
            "comparison", "gate", "stability", "selection", "figures", "costs", "measures", "method", "glossary",
            "operating-point-title")}  # fmt: skip


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
    links = page.eval_on_selector_all("a", "all => all.map(a => a.getAttribute('href'))")
    assert set(links) <= SECTIONS
    inline = "all => all.flatMap(e => e.getAttributeNames()).filter(n => n.startsWith('on') || n === 'style')"
    assert page.eval_on_selector_all("*", inline) == []


def test_there_are_thirty() -> None:
    assert len(set(PAYLOADS)) >= 30


BATCHES = [PAYLOADS[i::8] for i in range(8)]


@pytest.mark.parametrize("batch", BATCHES, ids=range(len(BATCHES)))
def test_payloads_in_every_slot_run_nothing(open_page: Opener, tmp_path: Path, batch: list[str]) -> None:
    models = {}
    for payload in batch:
        models[payload] = sf.assess([payload, "ok"] * 20, [payload, "ok"] * 18 + ["ok", payload] * 2,
                                    y_score=[8, 3] * 18 + [2, 7] * 2, pos_label=payload,
                                    groups=[f"{payload} {i // 4}" for i in range(40)])  # fmt: skip
        scores = [[7, 2, 1], [1, 7, 2], [2, 1, 7]] * 8
        models[f"three {payload}"] = sf.assess([payload, "b", "c"] * 8, y_score=scores, labels=[payload, "b", "c"])
    said = " ".join(batch)
    source = Source(f"{said}.csv", said, f"surefold assess {said}")
    opened = open_page(report_of(models, tmp_path / "r.html", title=batch[0], source=source))
    _tried(opened)
    _harmless(opened)


def test_the_address_runs_nothing(open_page: Opener, pages: dict[str, Path]) -> None:
    opened = open_page(pages["several"])
    for payload in PAYLOADS:
        said = "&".join(f"{key}={quote(payload)}" for key in ("model", "class", "t", "fp", "fn", "prev", "x"))
        for state in (said, f"t=0.4&{payload}", quote(payload)):
            opened.page.evaluate("state => { location.hash = state; }", state)
    opened.page.click("#to-youden")  # what the page writes there itself
    opened.page.wait_for_timeout(300)
    _tried(opened)
    _harmless(opened)


def test_names_in_the_address_the_page_writes_run_nothing(open_page: Opener, tmp_path: Path) -> None:
    models = {text: sf.assess([0, 1] * 20, y_score=np.linspace(0, 1, 40)) for text in PAYLOADS[:8]}
    page = sf.report(models, tmp_path / "r.html")
    opened = open_page(page)
    opened.page.select_option("#model", index=3)
    opened.page.wait_for_timeout(300)
    state = opened.page.evaluate("location.hash")
    again = open_page(page, state=state)
    assert again.page.locator("#model option:checked").get_attribute("value") == "3"
    for it in (opened, again):
        _harmless(it)


@pytest.mark.parametrize("payload", PAYLOADS[:4], ids=range(4))
def test_columns_and_findings_of_a_file_run_nothing(open_page: Opener, tmp_path: Path, payload: str) -> None:
    name = payload.replace('"', "").replace(",", "")
    file = tmp_path / f"{name.replace('/', '_')}.csv"
    lines = [f'"{name} truth","{name} pred"', *(f'"{name}","{name}"' for _ in range(9)), "ok,ok", f'ok,"{name} "']
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    page = tmp_path / "r.html"
    chosen = ["--truth", f"{name} truth", "--pred", f"{name} pred"]
    assert main(["assess", str(file), *chosen, "--quiet", "--report", str(page)]) == 0
    opened = open_page(page)
    _tried(opened)
    _harmless(opened)
    assert name[:6] in opened.page.inner_text("#findings")  # near_equal_labels names them


# results with names, values and messages from strangers


class Hostile(ClassifierMixin, BaseEstimator):
    """Answers the first class, takes any text as a parameter, and fails with it where `fails`."""

    def __init__(self, text: str = "", fails: bool = False) -> None:
        self.text, self.fails = text, fails

    def fit(self, X: Any, y: Any) -> Self:
        if self.fails and X[0, 0] > 0:
            raise ValueError(self.text)
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.repeat(self.classes_[:1], len(X))


def hostile_results(payloads: list[str]) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    truth, X = np.repeat([0, 1], 12), rng.normal(size=(24, 1))
    named = {text: Hostile(text, i % 2 == 0) for i, text in enumerate(payloads)}
    shared: dict[str, Any] = {"random_state": 0, "retries": 0}
    whole = {text: Hostile(text) for text in payloads}
    table = rng.random((len(payloads), len(payloads)))
    return {
        "gate": sf.gate(truth, rng.random(24), rng.random(24), measure="roc_auc", pos_label=1,
                        names=(payloads[0], payloads[1])),
        "alone": sf.gate(np.where(truth, payloads[0], payloads[1]), None, np.where(truth[::-1], *payloads[:2]),
                         measure="recall", pos_label=payloads[0], at_least=0.5, names=("none", payloads[-1] + "!")),
        "comparison": sf.compare(truth, {text: rng.random(24) for text in payloads}, measure="roc_auc", pos_label=1,
                                 control=payloads[0]),
        "study": sf.cross_validate(named, X, truth, folds=3, **shared),
        "selection": sf.select({payloads[0]: (Hostile(), {"text": payloads, "fails": [False, True]})}, X, truth,
                               folds=2, **shared),
        "ranks": Benchmark.of_table(table, models=payloads, datasets=payloads[::-1], measure=payloads[0]).compare(),
        "missing": Benchmark.of_table(np.where(table < 0.1, np.nan, table), models=payloads, datasets=payloads),
        "parts": bias_variance(Hostile(), X, truth, samples=2, param="text", grid=payloads, **shared),
        "curve": learning_curve(whole, X, truth, folds=2, sizes=[4, 8], **shared),
        "costs": sf.cost_sensitive(whole, X, truth, costs={"fp": 1, "fn": 2}, pos_label=1, folds=2, **shared),
    }  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("batch", [PAYLOADS[::2], PAYLOADS[1::2]], ids=range(2))
def test_names_values_and_messages_of_results_run_nothing(
    open_page: Opener, tmp_path: Path, batch: list[str], browser: Any
) -> None:
    fragments = []
    for kind, result in hostile_results(batch).items():
        opened = open_page(sf.report(result, tmp_path / f"{kind}.html", title=batch[-1]))
        _tried(opened)
        _harmless(opened)
        if hasattr(result, "_repr_html_"):
            fragments.append(result._repr_html_())
    _notebook_is_harmless(browser, fragments)


def test_a_message_of_a_failed_fold_is_shown_as_text(open_page: Opener, tmp_path: Path) -> None:
    study = hostile_results(["<img src=x onerror=alert(1)>", "other"])["study"]
    opened = open_page(study.report(tmp_path / "r.html"))
    assert "ValueError: <img src=x onerror=alert(1)>" in opened.page.inner_text("#stability")
    _harmless(opened)


def test_a_notebook_runs_nothing_even_without_a_policy(browser: Any) -> None:
    fragments = []
    for payload in PAYLOADS:
        a = sf.assess([payload, "ok"] * 9, [payload, "ok"] * 8 + ["ok", payload], pos_label=payload)
        fragments.append(a._repr_html_())
    _notebook_is_harmless(browser, fragments)


def _notebook_is_harmless(browser: Any, fragments: list[str]) -> None:
    """Each by itself, where nothing but its own escaping stands in the way."""
    page = browser.new_page()
    seen: list[str] = []

    def trap(dialog: Any) -> None:
        seen.append(dialog.message)
        dialog.dismiss()

    page.on("dialog", trap)
    page.on("request", lambda request: seen.append(request.url))
    for fragment in fragments:
        page.set_content(f"<!doctype html>{fragment}")
        assert page.locator("script, iframe, img, object, a").count() == 0, fragment[:300]
    page.wait_for_timeout(30)
    assert seen == []
    page.close()
