"""The page as text: whole, small, safe, and with the library's numbers in it."""

import base64
import hashlib
import html
import json
import re
import subprocess
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import surefold as sf
from surefold.errors import InputError
from surefold.estimates.of_scores import ScoreEstimates
from surefold.report.document import Source, document_of
from surefold.report.html import json_for_script, page_of
from surefold.report.sections.cut_codes import stored
from surefold.report.sections.cuts import cost_with_bounds, cuts_of, precision_elsewhere
from surefold.report.sections.packed import ALPHABET, packed, unpacked
from surefold.report.sections.section import Section, Table
from surefold.report.sections.views import model_of
from surefold.tallies.score_groups import ScoreGroups

KB = 1024


def scored(n: int = 500, seed: int = 0, prevalence: float = 0.25) -> sf.Assessment:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < prevalence
    return sf.assess(truth.astype(int), y_score=1 / (1 + np.exp(-(rng.normal(size=n) + 1.4 * truth - 1.5))))


def tallied(positive: Any, negative: Any, score: Any) -> sf.Assessment:
    """An assessment of counts at scores, however many rows they are."""
    t = ScoreGroups(np.asarray(score, float), np.asarray(positive, float), np.asarray(negative, float))
    return sf.Assessment(None, int(t.total), 1, scores=ScoreEstimates(t, None, 0.95), labels=(0, 1))


@pytest.fixture(name="page", scope="module")
def _page() -> str:
    return page_of(document_of(scored()))


def data_of(page: str) -> dict[str, Any]:
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert text is not None
    found: dict[str, Any] = json.loads(text[1])
    return found | {"models": [json.loads(zlib.decompress(base64.b64decode(model))) for model in found["models"]]}


def size_of(page: str) -> int:
    """What the first model's data take on the page."""
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert text is not None
    return len(json.loads(text[1])["models"][0])


class Reader(HTMLParser):
    """Tags with their attributes, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


# the policy


def test_the_policy_comes_first_and_names_the_very_style_and_script(page: str) -> None:
    head = page.split("<head>\n", 1)[1]
    assert head.startswith('<meta http-equiv="Content-Security-Policy"')
    policy = html.unescape(re.search(r'content="([^"]+)"', head)[1])  # type: ignore[index]
    hashes = []
    for tag in ("style", "script"):
        found = re.search(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
        assert found is not None
        hashes.append(base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode())
    assert policy == (
        f"default-src 'none'; img-src data:; style-src 'sha256-{hashes[0]}'; script-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )


def test_nothing_is_linked_or_inline(page: str) -> None:
    tags = read(page).tags
    assert {tag for tag, _ in tags}.isdisjoint({"img", "link", "iframe", "object", "embed", "form", "base"})
    for tag, attributes in tags:
        assert not any(name.startswith("on") or name == "style" for name in attributes), (tag, attributes)
        assert "src" not in attributes
    assert [attributes["href"] for tag, attributes in tags if tag == "a"] == ["#verdict", "#glossary"]
    assert "http://" not in page
    assert "https://" not in page


def test_the_script_builds_the_page_from_text_alone() -> None:
    script = (Path(sf.__file__).parent / "report" / "page" / "script.js").read_text(encoding="utf-8")
    for banned in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch(",
                   "XMLHttpRequest", "localStorage", "sessionStorage", ".style", "import("):  # fmt: skip
        assert banned not in script, banned


@pytest.mark.parametrize("mark", ["<", ">", "&", "\u2028", "\u2029", "</script>", "<!--"])
def test_no_mark_of_markup_is_left_in_the_data(mark: str) -> None:
    text = json_for_script({"label": mark})
    assert mark not in text
    assert json.loads(text) == {"label": mark}


def test_a_label_that_is_markup_stays_text() -> None:
    evil = "</script><script>alert(1)</script>"
    a = sf.assess([evil, "ok"] * 10, [evil, "ok"] * 9 + ["ok", evil], pos_label=evil)
    page = page_of(document_of({evil: a}, title=evil, source=Source(evil, "", evil)))
    reader = read(page)
    assert sum(tag == "script" for tag, _ in reader.tags) == 2
    assert any(evil in words for words in reader.words)
    assert evil in data_of(page)["source"]["file"]


def test_labels_that_reorder_or_break_lines_are_shown_escaped() -> None:
    a = sf.assess(["\u202eevil", "a\nb", ""] * 5, ["\u202eevil", "a\nb", ""] * 5)
    page = page_of(document_of(a))
    assert "\u202e" not in page
    assert "\\u202eevil" in page
    assert "a\\x0ab" in page
    assert "<bdi>(empty)</bdi>" in page
    assert "<bdi>\\u202eevil</bdi>" in page


def test_a_long_label_is_cut_in_view_and_whole_in_the_data() -> None:
    long = "y" * 10_000
    page = page_of(document_of(sf.assess([long, "b"] * 9, [long, "b"] * 9)))
    assert data_of(page)["models"][0]["labels_in_full"] == [long]
    shown = page.split('<script type="application/json"')[0]
    assert "y" * 61 not in shown


# sizes


def test_sizes_of_page_and_data() -> None:
    for n in (30, 400, 3000, 40_000):
        page = page_of(document_of(scored(n)))
        data = size_of(page)
        assert data <= 20 * KB, (n, data)
        assert len(page.encode()) - data <= 100 * KB


def test_ten_million_rows_make_no_larger_page() -> None:
    rng = np.random.default_rng(1)
    score = np.sort(rng.random(200_000))[::-1]
    share = 0.02 + 0.6 * score
    rows = rng.poisson(50, len(score))
    positive = rng.binomial(rows, share)
    a = tallied(positive, rows - positive, score)
    assert a.n > 9_900_000
    page = page_of(document_of(a))
    assert len(page.encode()) < 120 * KB
    cuts = cuts_of(a)
    assert len(cuts) <= 1024
    assert size_of(page) <= 20 * KB


def test_fifty_models_stay_under_two_megabytes() -> None:
    few = [scored(400, seed) for seed in range(5)]
    page = page_of(document_of({f"model {i}": few[i % 5] for i in range(50)}))
    assert len(page.encode()) <= 2 * KB * KB
    assert page.count("<option") == 50 + 1


# numbers


def test_the_headlines_are_the_librarys(page: str) -> None:
    a = scored()
    model = data_of(page)["models"][0]
    named = {it["name"]: it for it in model["headlines"]}
    assert list(named) == ["Accuracy", "ROC AUC", "Brier"]
    assert named["Accuracy"]["estimate"] == [a["accuracy"].value, a["accuracy"].low, a["accuracy"].high]
    assert model["verdict"] == a.verdict.sentence
    measures = {row[0]: row[1:3] for row in model["tables"]["measures"]["rows"]}
    assert measures["MCC"] == [a["mcc"].texts[0], a["mcc"].bounds_text]


def test_every_threshold_has_the_librarys_counts_and_bounds() -> None:
    a = scored(300, 4)
    cuts = cuts_of(a)
    for i in range(0, len(cuts), 7):
        moved = a.at(float(cuts.shown[i]))
        counts = np.asarray(moved.confusion.counts)
        assert (counts[1, 1], counts[0, 1]) == (cuts.tp[i], cuts.fp[i])
        for name, (low, high) in cuts.bounds.items():
            assert (low[i], high[i]) == pytest.approx(moved[name].interval, nan_ok=True)


@given(st.floats(-1, 1))
def test_a_rounded_bound_still_shows_the_same_three_decimals(bound: float) -> None:
    held = stored("recall", bound)
    assert abs(held / 10_000 - bound) <= 1.01e-4
    assert (held + 5) // 10 == round(float(f"{bound:.3f}") * 1000)  # the script's rule


def test_hull_corners_are_kept_so_any_least_cost_is_there() -> None:
    rng = np.random.default_rng(7)
    a = scored(20_000, 5)
    kept = set(cuts_of(a).threshold.tolist())
    assert set(a.roc.hull.threshold.tolist()) <= kept
    for price in rng.uniform(0.1, 20, 20):
        assert a.best_threshold("cost", costs={"fp": 1, "fn": float(price)}, folds=2).point.threshold in kept


def test_infinite_scores_have_their_thresholds() -> None:
    a = sf.assess([1, 0, 1, 0, 1, 0], y_score=[np.inf, -np.inf, 3, 2, 1, 0], threshold=2)
    cuts = cuts_of(a)
    assert cuts.shown == ("Infinity", "3", "2", "1", "0", "-Infinity")
    assert cuts.tp.tolist() == [1, 2, 2, 3, 3, 3]
    page_of(document_of(a))


def test_cost_bounds_by_hand() -> None:
    # cost = .2 x .1 x 10 + .8 x .25 x 1 = .4; margins .2 x 10 x (.05, .1) and .8 x (.05, .05)
    cost, low, high = cost_with_bounds((0.9, 0.8, 0.95), (0.75, 0.7, 0.8), (0.2, 0.2, 0.2), {"fp": 1, "fn": 10})
    assert cost == pytest.approx(0.4)
    assert low == pytest.approx(0.4 - np.hypot(2 * 0.05, 0.8 * 0.05))
    assert high == pytest.approx(0.4 + np.hypot(2 * 0.1, 0.8 * 0.05))


def test_cost_bounds_by_hand_where_the_prevalence_is_an_estimate() -> None:
    # a positive costs 1 and a negative .25: .75 a unit of prevalence, .1 down and .15 up; the slopes of the rates grow
    # to sqrt(.2^2 + .15^2) = .25 and sqrt(.8^2 + .1^2) = sqrt(.65)
    cost, low, high = cost_with_bounds((0.9, 0.8, 0.95), (0.75, 0.7, 0.8), (0.2, 0.1, 0.35), {"fp": 1, "fn": 10})
    assert cost == pytest.approx(0.4)
    assert 0.4 - low == pytest.approx(np.sqrt((2.5 * 0.05) ** 2 + 0.65 * 0.05**2 + (0.75 * 0.1) ** 2))
    assert high - 0.4 == pytest.approx(np.sqrt((2.5 * 0.1) ** 2 + 0.65 * 0.05**2 + (0.75 * 0.15) ** 2))


def test_a_cost_is_never_below_the_least_nor_above_the_greatest_price() -> None:
    nothing_known = (0.5, 0, 1)
    # cost .5 x .5 = .25; margins sqrt(.5^2 + .5^2) x .5 of recall and .5 x .5 of prevalence, together .433
    cost, low, high = cost_with_bounds(nothing_known, nothing_known, nothing_known, {"fp": 0, "fn": 1})
    assert (cost, low, high) == pytest.approx((0.25, 0, 0.25 + np.sqrt(0.125 + 0.0625)))
    cost, low, high = cost_with_bounds(nothing_known, nothing_known, nothing_known, {"fp": 0, "fn": 0, "tp": -1})
    assert (cost, low, high) == pytest.approx((-0.25, -0.25 - np.sqrt(0.125 + 0.0625), 0))


def test_the_cost_of_one_answer_for_all_is_as_unsure_as_its_accuracy() -> None:
    # all rows are called: a row costs 1 where it is a negative, so the cost is 1 - accuracy and so are its bounds
    a = sf.assess([1] * 111 + [0] * 89, y_score=[0.6] * 200, pos_label=1)
    cuts = cuts_of(a)
    cost, low, high = cuts.cost(cuts.start, {"fp": 1, "fn": 1})
    accuracy = a["accuracy"]
    assert cost == pytest.approx(1 - 0.555)
    assert low <= 1 - accuracy.high + 1e-3  # with a little more, for recall and specificity, which are not known either
    assert high >= 1 - accuracy.low - 1e-3
    assert high - low == pytest.approx(accuracy.high - accuracy.low, rel=0.15)


@pytest.mark.parametrize("threshold", [0.3, 0.7, float("inf")])
@pytest.mark.parametrize("kind", ["plain", "weighted", "grouped"])
def test_costs_are_about_as_unsure_as_the_librarys(threshold: float, kind: str) -> None:
    rng = np.random.default_rng(3)
    truth = (rng.random(400) < 0.35).astype(int)
    scores = 1 / (1 + np.exp(-(rng.normal(size=400) + 1.4 * truth - 0.8)))
    kinds: dict[str, dict[str, Any]] = {
        "plain": {},
        "weighted": {"sample_weight": rng.random(400)},
        "grouped": {"groups": np.arange(400) // 4},
    }
    extra = kinds[kind]
    a = sf.assess(truth, y_score=scores, threshold=threshold, costs={"fp": 1, "fn": 10}, **extra)
    cuts = cuts_of(a)
    cost, low, high = cuts.cost(cuts.start, {"fp": 1, "fn": 10})
    wanted = a["expected_cost"]
    assert cost == pytest.approx(wanted.value)
    assert high - low == pytest.approx(wanted.high - wanted.low, rel=0.2)


# where it opens


def test_it_opens_at_the_threshold_that_was_used_however_many_rows_there_are() -> None:
    # every score calls one row more: with a million rows, counts one off are the same to one part in a million
    n = 1_000_000
    score = (np.arange(n) + 0.25) / n
    a = sf.assess((np.arange(n) % 2).astype(np.int8), y_score=score)
    cuts = cuts_of(a)
    assert cuts.standing == "0.5"
    assert cuts.threshold[cuts.start] == score[n // 2]
    assert cuts.tp[cuts.start] + cuts.fp[cuts.start] == n // 2
    given = sf.assess((np.arange(n) % 2).astype(np.int8), (score >= 0.25).astype(np.int8), y_score=score)
    assert cuts_of(given).threshold[cuts_of(given).start] == score[n // 4]


@pytest.mark.parametrize("scale", [1.0, 1e-9, 1e-11, "mixed"])
def test_it_opens_at_the_threshold_that_was_used_whatever_weights_are(scale: Any) -> None:
    rng = np.random.default_rng(8)
    truth = (rng.random(300) < 0.4).astype(int)
    scores = rng.beta(2 + truth, 3)
    weights = np.where(rng.random(300) < 0.5, 1e6, 1e-3) if scale == "mixed" else rng.random(300) * scale
    for labels in (None, (scores >= 0.5).astype(int)):
        cuts = cuts_of(sf.assess(truth, labels, y_score=scores, sample_weight=weights))
        assert cuts.threshold[cuts.start] == scores[scores >= 0.5].min()
        assert cuts.standing == "0.5"


def test_it_opens_at_the_number_that_the_analyst_set() -> None:
    truth, scores = [0, 0, 1, 1, 0, 1], [0.1, 0.36, 0.372, 0.8, 0.9, 0.95]
    cuts = cuts_of(sf.assess(truth, y_score=scores, threshold=0.37))
    assert (cuts.standing, cuts.threshold[cuts.start], cuts.fits) == ("0.37", 0.372, True)


def test_labels_that_no_threshold_gives_are_said_to_be_so() -> None:
    truth, scores = [0, 0, 1, 1, 0, 1], [0.1, 0.36, 0.372, 0.8, 0.9, 0.95]
    a = sf.assess(truth, [1, 1, 1, 0, 0, 0], y_score=scores, pos_label=1)  # one right, two wrong, and not from the top
    assert not cuts_of(a).fits
    assert "No one threshold of these scores gives the labels" in page_of(document_of(a))
    assert cuts_of(sf.assess(truth, [0, 0, 1, 1, 1, 1], y_score=scores, pos_label=1)).fits


def test_precision_where_positives_are_rarer() -> None:
    # recall .8, false-positive rate .1: the ratio is 8; 1 positive to 99 others gives 8 / 107
    assert precision_elsewhere(8.0, 0.01) == pytest.approx(8 / 107)
    assert precision_elsewhere(np.inf, 0.01) == 1.0
    assert precision_elsewhere(0.0, 0.01) == 0.0


def test_packed_numbers_come_back() -> None:
    rng = np.random.default_rng(0)
    values = [0, -1, 31, -32, 1_000_000, *rng.integers(-99_999, 99_999, 500).tolist()]
    assert unpacked(packed(values)) == values
    assert len(set(ALPHABET)) == 64


# what is there, and when


def test_sections_appear_only_with_something_to_say() -> None:
    def ids(*results: Any) -> list[str]:
        return [section.id for section in document_of(*results).sections]

    labels = sf.assess(["a", "b", "c"] * 5, ["a", "b", "c"] * 5)
    assert ids(labels) == ["verdict", "measures", "method"]
    whole = ["verdict", "operating-point", "ranking", "probabilities", "measures", "method"]
    assert ids(scored()) == whole
    assert ids({"a": scored(), "b": labels}) == [whole[0], "models", *whole[1:]]
    one_class = sf.assess([1, 1, 1], y_score=[0.2, 0.5, 0.7], labels=[0, 1])
    assert ids(one_class) == ["verdict", "measures", "method"]


def test_a_section_of_ones_own_stands_before_the_method() -> None:
    a = scored()
    chart = model_of("m", a).views[0].charts["roc"]
    table = Table.of(("Pair", "Difference"), [("a - <b>", "0.1")])
    own = Section("comparison", "Comparison", "charts.html.j2", "below", {"charts": [chart], "table": table})
    document = document_of(a, more=[own])
    assert [section.id for section in document.sections][-2:] == ["comparison", "method"]
    part = page_of(document).split('id="comparison"')[1].split("</section>")[0]
    assert "a - &lt;b&gt;" in part
    assert "<svg" in part


def test_scores_that_are_no_probabilities_have_no_reliability() -> None:
    a = sf.assess([0, 1] * 30, y_score=np.arange(60.0))
    page = page_of(document_of(a))
    assert 'data-chart="reliability"' not in page
    assert 'data-chart="scores"' in page


def test_many_classes_have_views_of_the_commonest() -> None:
    rng = np.random.default_rng(2)
    truth = np.minimum(rng.geometric(0.12, 900) - 1, 29)
    scores = rng.dirichlet(np.ones(30), 900)
    scores[np.arange(900), truth] += 0.5
    a = sf.assess(truth, y_score=scores / scores.sum(axis=1, keepdims=True), labels=list(range(30)))
    model = model_of("m", a)
    commonest = sorted(np.argsort(-np.bincount(truth), kind="stable")[:12].tolist())
    assert [view.label for view in model.views] == [str(c) for c in commonest]
    assert model.views[3].a["roc_auc"] == sf.assess(truth == 3, y_score=a.scores.matrix.scores[:, 3])["roc_auc"]  # type: ignore[union-attr]
    assert "30 classes" in data_of(page_of(document_of(a)))["models"][0]["tables"]["confusion"]["note"]


def test_groups_reach_the_intervals_of_one_class_of_many() -> None:
    rng = np.random.default_rng(6)
    truth, scores = rng.integers(0, 3, 90).repeat(4), rng.dirichlet(np.ones(3), 90).repeat(4, axis=0)
    plain = model_of("m", sf.assess(truth, y_score=scores)).views[0]
    grouped = model_of("m", sf.assess(truth, y_score=scores, groups=np.arange(90).repeat(4))).views[0]
    width = [view.cuts.bounds["recall"][1] - view.cuts.bounds["recall"][0] for view in (plain, grouped)]
    assert np.median(width[1]) > 1.5 * np.median(width[0])  # four copies of a row are worth one


def test_the_same_answers_make_the_same_bytes() -> None:
    assert page_of(document_of(scored())) == page_of(document_of(scored()))


@pytest.mark.parametrize("wrong", [{}, {"a": 1}, {"a": sf}])
def test_what_is_no_assessment_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="assess"):
        document_of(wrong)


# notebooks


def test_a_notebook_shows_static_charts_and_no_script() -> None:
    many = sf.assess(np.arange(300) % 60, np.arange(300) % 59)
    for a in (scored(5000), sf.assess(["a", "b"] * 9, ["a", "b"] * 9), many, sf.assess([0, 1] * 9, y_score=range(18))):
        fragment = a._repr_html_()
        assert len(fragment.encode()) <= 60 * KB
        assert "<script" not in fragment
        assert "<b>" in fragment
    fragment = scored()._repr_html_()
    assert fragment.count("<svg") == 3  # two curves and the confusion matrix
    assert f"{scored()['roc_auc'].value:.3f}" in fragment


def test_the_way_to_a_verdict_does_not_load_the_page() -> None:
    code = (
        "import sys, surefold as sf; a = sf.assess([0, 1, 1], [0, 1, 0]); str(a), a.verdict; a._repr_html_(); "
        "print(*[name for name in ('jinja2', 'markupsafe', 'surefold.report.html') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []
