"""The page in a real browser: quiet, quick, moved by hand and keyboard, and readable without script."""

import json
import re
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
import pytest
from click.testing import CliRunner
from playwright.sync_api import Browser, expect

import surefold as sf
from surefold.cli.main import cli, main
from surefold.report.document import document_of
from surefold.report.html import page_of, write_page
from surefold.report.sections.assessed import verdict_section
from surefold.report.sections.contents import Part
from surefold.report.sections.section import Section
from surefold.report.sections.told import Told
from surefold.report.sections.views import model_of_part
from tests.browser.conftest import Opened, Opener, three_classes, two_classes

KINDS = ("one", "several", "many", "labels")
RESULTS = ("comparison", "gate", "study", "selection", "ranks", "curve", "bootstrap")


@pytest.mark.parametrize("kind", [*KINDS, *RESULTS])
def test_it_asks_for_nothing_says_nothing_and_fits_every_width(
    open_page: Opener, pages: dict[str, Path], kind: str
) -> None:
    opened = open_page(pages[kind])
    for width in (360, 768, 1280, 1600):
        opened.page.set_viewport_size({"width": width, "height": 900})
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    for button in ("to-half", "to-cost", "to-youden", "to-top", "theme"):
        if opened.page.locator(f"#{button}").is_visible():
            opened.page.click(f"#{button}")
    opened.assert_quiet()


@pytest.mark.parametrize("kind", ["several", "fifty"])
def test_it_is_there_within_half_a_second(
    open_page: Opener, pages: dict[str, Path], plain: sf.Assessment, tmp_path: Path, kind: str
) -> None:
    file = pages[kind] if kind in pages else sf.report({f"model {i}": plain for i in range(50)}, tmp_path / "r.html")
    times = []
    for _ in range(3):
        page = open_page(file).page
        times.append(float(page.get_attribute("html", "data-ready") or "inf"))  # unpacked, drawn and listening
    assert min(times) < 500


def test_the_slider_moves_matrix_dot_and_cost(open_page: Opener, pages: dict[str, Path]) -> None:
    opened = open_page(pages["one"])
    page = opened.page

    def seen() -> tuple[str, ...]:
        places = "dots => dots.map(d => d.getAttribute('cx') + ' ' + d.getAttribute('cy'))"
        dots = page.eval_on_selector_all(".dot", places)
        return opened.text("tp"), opened.text("m-cost"), opened.text("threshold-out"), *dots

    before = seen()
    assert len(before) == 3 + 4
    page.focus("#slider")
    for _ in range(40):
        page.keyboard.press("ArrowRight")
    after = seen()
    assert all(a != b for a, b in zip(before, after, strict=True))
    assert float(after[2]) > float(before[2])  # to the right and up the threshold rises
    page.keyboard.press("ArrowUp")
    assert float(opened.text("threshold-out")) > float(after[2])
    page.keyboard.press("Home")  # everything is called: no negative is left, no positive missed
    assert (opened.text("fn"), opened.text("tn"), opened.text("m-recall")) == ("0", "0", "1.000")
    page.keyboard.press("End")
    assert (opened.text("tp"), opened.text("fp"), opened.text("m-precision")) == ("0", "0", "–")
    assert "calls 0 rows" in (page.get_attribute("#slider", "aria-valuetext") or "")
    expect(page.locator("#spoken")).to_contain_text("calls 0 rows")
    opened.assert_quiet()


def test_a_screen_reader_is_told_politely(open_page: Opener, pages: dict[str, Path]) -> None:
    page = open_page(pages["one"]).page
    assert page.get_attribute("#spoken", "aria-live") == "polite"
    for chart in page.locator("svg.chart").all():
        assert chart.get_attribute("role") == "img"
        assert len(chart.get_attribute("aria-label") or "") > 40
    assert page.locator("figure details tbody tr").count() > 50


def test_models_are_chosen_by_name(open_page: Opener, pages: dict[str, Path]) -> None:
    opened = open_page(pages["several"])
    page = opened.page
    first, curve = opened.text("verdict-sentence"), page.get_attribute("[data-chart=roc] .line", "d")
    page.select_option("#model", label="second")
    assert opened.text("verdict-sentence") != first
    assert page.get_attribute("[data-chart=roc] .line", "d") != curve
    page.select_option("#model", label="labels only")
    assert not page.is_visible("#ranking")
    assert not page.is_visible("#operating-point")
    assert page.is_visible("table[data-table=confusion]")
    page.select_option("#model", label="first")
    assert opened.text("verdict-sentence") == first
    assert page.get_attribute("[data-chart=roc] .line", "d") == curve
    opened.assert_quiet()


def test_what_was_typed_stays_while_models_are_looked_through(open_page: Opener, pages: dict[str, Path]) -> None:
    opened = open_page(pages["several"])
    page = opened.page
    assert opened.text("model-name") == "first"
    page.fill("#cost-fn", "7")
    page.fill("#prevalence", "2.5")
    page.fill("#typed", "0.31")
    page.keyboard.press("Enter")
    page.select_option("#model", label="second")
    assert opened.text("model-name") == "second"
    typed = [page.input_value(f"#{id}") for id in ("cost-fn", "prevalence", "typed")]
    assert typed == ["7", "2.5", "0.31"]
    assert "At a prevalence of 2.5%" in opened.text("prevalence-said")
    assert opened.text("said-costs") == "1 a false positive, 7 a false negative"


def test_what_cannot_be_meant_is_said_and_the_last_good_value_used(open_page: Opener, pages: dict[str, Path]) -> None:
    opened = open_page(pages["one"])
    page = opened.page
    page.fill("#prevalence", "40")
    wanted = opened.text("m-cost"), opened.text("b-cost")
    for id, bad, used in (("prevalence", "150", "40%"), ("prevalence", "-5", "40%"), ("cost-fn", "-5", "5"),
                          ("top", "", "10%")):  # fmt: skip
        good = page.input_value(f"#{id}")
        page.fill(f"#{id}", bad)
        assert page.get_attribute(f"#{id}", "aria-invalid") == "true"
        assert opened.text("entry-problem").endswith(f"until then {used} is used.")
        assert (opened.text("m-cost"), opened.text("b-cost")) == wanted
        page.fill(f"#{id}", "40" if id == "prevalence" else good)
        assert not page.is_visible("#entry-problem")
    page.fill("#prevalence", "0")
    assert opened.text("b-lift") == "no positives there"  # rows are called, and none of them can be one


def test_what_is_said_copied_and_printed_names_the_prevalence(open_page: Opener, pages: dict[str, Path]) -> None:
    opened = open_page(pages["one"])
    page = opened.page
    assert not page.is_visible("#prevalence-said")
    page.fill("#prevalence", "2")
    expect(page.locator("#spoken")).to_contain_text("At a prevalence of 2%")
    expect(page.locator("#spoken")).to_contain_text(f"precision {opened.text('m-precision')},")
    assert page.text_content("#as-python").endswith("# at the prevalence of the rows, not 2%")  # type: ignore[union-attr]
    page.emulate_media(media="print")
    assert opened.text("prevalence-said").startswith("At a prevalence of 2% (rows: 2")


def test_classes_are_chosen_one_against_the_rest(open_page: Opener, pages: dict[str, Path]) -> None:
    opened = open_page(pages["many"])
    page = opened.page
    assert page.eval_on_selector_all("#class option", "all => all.map(o => o.textContent)") == ["ant", "bee", "cat"]
    assert "called ant" in page.inner_text("#matrix")
    before = opened.text("tp")
    page.select_option("#class", label="cat")
    assert "called cat" in page.inner_text("#matrix")
    assert opened.text("tp") != before


def test_it_goes_dark_and_light(open_page: Opener, pages: dict[str, Path]) -> None:
    page = open_page(pages["one"]).page
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.click("#theme")
    dark = page.evaluate(paper)
    assert (light, dark) == ("rgb(255, 255, 255)", "rgb(20, 22, 26)")
    page.click("#theme")
    assert page.evaluate(paper) == light
    assert open_page(pages["one"], color_scheme="dark").page.evaluate(paper) == dark
    assert page.evaluate("document.cookie") == ""
    assert page.context.storage_state()["origins"] == []


@pytest.mark.parametrize("width", [360, 1280])
def test_the_slider_stays_in_view(open_page: Opener, pages: dict[str, Path], width: int) -> None:
    page = open_page(pages["one"], width=width).page
    page.evaluate("document.querySelector('[data-figure=lift]').scrollIntoView()")
    box = page.locator("#slider").bounding_box()
    assert box is not None
    assert 0 <= box["y"] <= 900


def test_without_script_all_figures_are_there(open_page: Opener, pages: dict[str, Path], plain: sf.Assessment) -> None:
    opened = open_page(pages["one"], java_script_enabled=False)
    page = opened.page
    shown = page.inner_text("main")
    assert str(plain.verdict) in shown
    assert f"{plain['roc_auc'].value:.3f}" in shown
    assert not page.is_visible("#slider")
    assert page.is_visible("[data-chart=roc] .line")
    assert opened.text("m-recall") == f"{float(plain['recall']):.3f}"  # labels were made at 0.5, where it stands
    assert "threshold does not move" in page.inner_text("noscript")


def test_in_print_no_control_is_left(open_page: Opener, pages: dict[str, Path]) -> None:
    page = open_page(pages["one"], color_scheme="dark").page
    page.emulate_media(media="print")
    assert not page.is_visible("#slider")
    assert not page.is_visible("#theme")
    assert page.is_visible("[data-chart=lift]")
    assert page.is_visible("#matrix")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert len(page.pdf()) > 10_000


def test_the_figures_can_be_taken_away(open_page: Opener, pages: dict[str, Path], plain: sf.Assessment) -> None:
    opened = open_page(pages["one"])
    with opened.page.expect_download() as waiting:
        opened.page.click("#download")
    taken = json.loads(Path(waiting.value.path()).read_text(encoding="utf-8"))
    assert waiting.value.suggested_filename == "classifier-report.json"
    at = taken["models"][0]["views"][0]["cuts"]["threshold"]
    assert at[0] == "Infinity"  # which no number of JSON is
    assert at[1:] == sorted(at[1:], reverse=True)
    assert at[1] == pytest.approx(plain.tally.score[0], abs=1e-4)
    area = next(h for h in taken["models"][0]["headlines"] if h["name"] == "ROC AUC")
    assert area["estimate"] == [plain["roc_auc"].value, plain["roc_auc"].low, plain["roc_auc"].high]
    opened.assert_quiet()


def test_code_is_copied_or_selected(open_page: Opener, pages: dict[str, Path], plain: sf.Assessment) -> None:
    opened = open_page(pages["one"], permissions=["clipboard-read", "clipboard-write"])
    page = opened.page
    page.click("[data-copy=as-python]")
    expect(page.locator("[data-copy=as-python]")).to_have_text("Copied")
    code = page.evaluate("navigator.clipboard.readText()")
    assert str(eval(code, {"a": plain})) == str(plain.at(0.5)["expected_cost"])
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.click("[data-copy=as-python]")
    expect(page.locator("[data-copy=as-python]")).to_contain_text("Selected")
    assert page.evaluate("String(getSelection())").strip() == code
    assert not page.is_visible("[data-copy=as-command]")  # these rows came from Python


def test_the_python_of_one_class_of_many_runs(open_page: Opener, tmp_path: Path) -> None:
    names, matrix = three_classes()
    truth = [int(code) for code in np.unique(names, return_inverse=True)[1]]  # labels are whole numbers, in a list
    a = sf.assess(truth, y_score=matrix)
    opened = open_page(a.report(tmp_path / "r.html"))
    opened.page.select_option("#class", label="2")
    opened.page.fill("#cost-fn", "4")
    opened.page.click("#to-cost")
    code = opened.page.text_content("#as-python")
    found = eval(code or "", {"sf": sf, "y_true": truth, "y_score": matrix.tolist()})
    assert opened.text("m-cost") == f"{float(found):.3f}"


def test_the_command_that_is_copied_gives_the_same(open_page: Opener, tmp_path: Path) -> None:
    truth, scores = two_classes(120)
    file, page = tmp_path / "my rows.csv", tmp_path / "r.html"
    lines = ["answer,p", *(f"{'yes' if y else 'no'},{s:.4f}" for y, s in zip(truth, scores, strict=True))]
    file.write_text("\n".join(lines), encoding="utf-8")
    asked = ["assess", str(file), "--truth", "answer", "--score", "p", "--pos-label", "yes", "--threshold", "0.37"]
    assert main([*asked, "--costs", "fp=1,fn=5,tp=-1", "--quiet", "--report", str(page)]) == 0
    opened = open_page(page)
    assert opened.text("threshold-out") == "0.37"
    assert opened.text("said-costs") == "1 a false positive, 5 a false negative, -1 a true positive"
    opened.page.fill("#cost-fp", "2")
    opened.page.click("#to-youden")
    words = shlex.split(opened.page.text_content("#as-command") or "")
    assert words[:1] + words[-4::2] == ["surefold", "--threshold", "--costs"]
    ran = CliRunner().invoke(cli, [*words[1:], "--format", "json"])
    cost = json.loads(ran.stdout)["overall"]["expected_cost"]
    assert opened.text("m-cost") == f"{cost['value']:.3f}"


# the address


def state(opened: Opened) -> dict[str, str]:
    return dict(parse_qsl(opened.page.evaluate("location.hash").removeprefix("#")))


def test_the_address_says_where_the_reader_stands_and_brings_another_there(
    open_page: Opener, pages: dict[str, Path]
) -> None:
    first = open_page(pages["several"])
    page = first.page
    assert page.evaluate("location.hash") == ""  # nothing was moved yet
    page.select_option("#model", label="second")
    page.fill("#cost-fn", "7")
    page.fill("#prevalence", "2.5")
    page.click("#to-cost")
    expect(page).to_have_url(re.compile(r"#.*prev=2\.5"))
    said = state(first)
    assert said == {"model": "second", "t": first.text("threshold-out"), "fn": "7", "prev": "2.5"}
    shown = ("tp", "fp", "threshold-out", "m-precision", "b-precision", "m-cost", "b-cost", "verdict-sentence")
    second = open_page(pages["several"], state=page.evaluate("location.hash"))
    assert [second.text(id) for id in shown] == [first.text(id) for id in shown]
    assert second.page.input_value("#prevalence") == "2.5"
    assert second.page.locator("#model option:checked").inner_text() == "second"
    first.assert_quiet()
    second.assert_quiet()


def test_an_address_without_a_place_leads_back_to_the_start(open_page: Opener, pages: dict[str, Path]) -> None:
    opened = open_page(pages["several"])
    ids = ("tp", "threshold-out", "m-cost", "verdict-sentence")
    wanted = [opened.text(id) for id in ids]
    opened.page.evaluate("location.hash = '#model=second&t=0.2&fn=1e15&prev=3'")
    expect(opened.page.locator("#said-costs")).to_have_text("1 a false positive, 1e+15 a false negative")
    opened.page.go_back()
    expect(opened.page.locator("#said-costs")).to_have_text("1 a false positive, 5 a false negative")
    assert [opened.text(id) for id in ids] == wanted


def test_moving_leaves_no_trail_to_go_back_over(open_page: Opener, pages: dict[str, Path]) -> None:
    page = open_page(pages["one"]).page
    before = page.evaluate("history.length")
    for button in ("to-youden", "to-cost", "to-half"):
        page.click(f"#{button}")
        page.wait_for_timeout(300)
    assert "t=0.5" in page.evaluate("location.hash")
    assert page.evaluate("history.length") == before


def test_a_class_and_an_unseen_threshold_are_found_by_the_address(open_page: Opener, pages: dict[str, Path]) -> None:
    opened = open_page(pages["many"], state="#class=cat&t=0.4321")
    assert "called cat" in opened.page.inner_text("#matrix")
    assert opened.text("threshold-out") == "0.4321"
    opened.page.evaluate("location.hash = '#class=bee&t=Infinity'")
    expect(opened.page.locator("#tp")).to_have_text("0")
    assert "called bee" in opened.page.inner_text("#matrix")
    assert opened.text("threshold-out") == "∞"


NONSENSE = ("#model=9999&t=zebra&fp=-3&fn=1e999&prev=101", "#verdict", "#t=", "#t=NaN", "#class=nobody",
            "#model=__proto__&t=x", "#%", "#t=%E0%A4%A")  # fmt: skip


def test_what_an_address_cannot_mean_changes_nothing(open_page: Opener, pages: dict[str, Path]) -> None:
    def shown(opened: Opened) -> list[str]:
        return [opened.text(id) for id in ("tp", "threshold-out", "m-cost", "b-precision", "verdict-sentence")]

    wanted = shown(open_page(pages["several"]))
    odd = open_page(pages["several"], state=NONSENSE[0])
    assert shown(odd) == wanted
    for said in NONSENSE[1:]:
        odd.page.evaluate("said => new Promise(done => { onhashchange = done; location.hash = said; })", said)
        assert shown(odd) == wanted, said
    odd.assert_quiet()


def test_the_link_is_copied_whole(open_page: Opener, pages: dict[str, Path]) -> None:
    opened = open_page(pages["one"], permissions=["clipboard-read", "clipboard-write"])
    opened.page.click("#to-youden")
    opened.page.click("[data-copy=as-link]")
    expect(opened.page.locator("[data-copy=as-link]")).to_have_text("Copied")
    link = opened.page.evaluate("navigator.clipboard.readText()")
    assert link == f"{pages['one'].as_uri()}#t={opened.text('threshold-out')}"


def test_a_browser_that_cannot_unpack_the_page_shows_it_as_it_was_written(
    open_page: Opener, pages: dict[str, Path], browser: Browser
) -> None:
    written = open_page(pages["one"], java_script_enabled=False).page.inner_text("#operating-point")
    old = browser.new_page()
    old.add_init_script("delete window.DecompressionStream")
    old.goto(pages["one"].as_uri())
    expect(old.locator("#too-old")).to_be_visible()
    assert old.inner_text("#operating-point") == written
    assert not old.is_visible("#slider")
    old.close()


# pages of other results


def test_a_comparison_keeps_its_verdict_while_models_are_chosen(
    open_page: Opener, pages: dict[str, Path], results: dict[str, Any]
) -> None:
    opened = open_page(pages["comparison"])
    page, c = opened.page, results["comparison"]
    winner = str(c.verdict.answer)
    assert winner == opened.text("result-verdict-sentence")
    assert opened.text("model-name") == "logistic"
    before, forest = opened.text("verdict-sentence"), page.inner_html("[data-chart=comparison-forest]")
    page.select_option("#model", label="noise")
    assert opened.text("model-name") == "noise"
    assert opened.text("verdict-sentence") != before
    assert opened.text("result-verdict-sentence") == winner
    assert page.inner_html("[data-chart=comparison-forest]") == forest  # it is of no one model
    rows = page.locator("[data-table=comparison-0] tbody tr")
    shown = [rows.nth(i).locator("td").all_inner_texts()[:2] for i in range(rows.count())]
    assert shown == [str(d.effect).split(" ", 1) for d in c.differences]
    opened.assert_quiet()


def test_models_of_a_study_have_their_figures_over_the_splits(
    open_page: Opener, pages: dict[str, Path], results: dict[str, Any]
) -> None:
    opened = open_page(pages["study"])
    study = results["study"]
    for name in study:
        opened.page.select_option("#model", label=name)
        assert opened.text("verdict-sentence") == str(study[name].verdict)
        accuracy = study[name]["accuracy"]
        shown = opened.page.locator("#headlines li").first.inner_text().split("\n")
        assert shown[:3] == ["Accuracy", *str(accuracy).split(" ", 1)]
    opened.assert_quiet()


def test_links_lead_to_sections_that_are_there(open_page: Opener, pages: dict[str, Path]) -> None:
    page = open_page(pages["selection"]).page
    links = page.eval_on_selector_all("nav a", "all => all.map(a => a.getAttribute('href'))")
    assert "#selection" in links
    assert [page.locator(link).count() for link in links] == [1] * len(links)


def test_links_lead_to_what_can_be_seen_on_a_phone(open_page: Opener, pages: dict[str, Path]) -> None:
    page = open_page(pages["selection"], width=360).page
    foot = "document.querySelector('.control').getBoundingClientRect().bottom"
    for name in ("operating-point", "ranking", "probabilities"):
        page.click(f"nav a[href^='#{name}']")
        box = page.locator(f"#{name}-title").bounding_box()
        assert box is not None
        covered = page.evaluate(foot) if name != "operating-point" else 0
        assert max(covered, 0) <= box["y"] <= 400, name


@pytest.mark.parametrize("width", [360, 1280])
def test_a_message_without_a_space_stays_on_the_page(open_page: Opener, tmp_path: Path, width: int) -> None:
    part = Part(Told("x" * 400), None, "y" * 400)
    document = document_of(sf.assess([0, 1] * 9, [0, 1] * 9))
    odd = replace(document, models=(model_of_part("m", part),), sections=(
        verdict_section(Told("x" * 400)), Section("measures", "Measures", "measures.html.j2", "below",
                                                  {"tables": [], "why": "y" * 400})))  # fmt: skip
    file = tmp_path / "r.html"
    write_page(page_of(odd), file)
    assert open_page(file, width=width).page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("kind", ["ranks", "selection"])
def test_results_are_whole_without_script_and_in_print(open_page: Opener, pages: dict[str, Path], kind: str) -> None:
    page = open_page(pages[kind], java_script_enabled=False).page
    page.emulate_media(media="print")
    section = "#comparison" if kind == "ranks" else "#selection"
    assert page.is_visible(f"{section} svg")
    assert page.is_visible(f"{section} .own-table table")
    assert not page.is_visible("nav")
