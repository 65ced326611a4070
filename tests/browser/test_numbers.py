"""What the script shows is what the library says, at every threshold of the page."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import surefold as sf
from surefold.estimates.estimate import Estimate
from surefold.numbers import number
from surefold.report.sections.cuts import cuts_of, precision_elsewhere
from surefold.report.sections.views import model_of
from surefold.show.write.svg import Frame
from tests.browser.conftest import Opened, Opener, three_classes, two_classes

WALK = """() => {
  const slider = document.getElementById("slider"), found = [];
  const text = (id) => document.getElementById(id).textContent;
  for (let i = Number(slider.max); i >= 0; i -= 1) { // the highest threshold, which is at the right, first
    slider.value = i;
    slider.dispatchEvent(new Event("input"));
    const here = {threshold: text("threshold-out")};
    for (const name of ["tp", "fn", "fp", "tn"]) here[name] = [text(name), text(name + "-row"), text(name + "-column")];
    for (const name of ["precision", "recall", "specificity", "f1", "mcc", "lift", "cost"])
      here[name] = [text("m-" + name), text("b-" + name)];
    found.push(here);
  }
  return found;
}"""
NAMES = ("precision", "recall", "specificity", "f1", "mcc", "lift")


def walked(opened: Opened) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = opened.page.evaluate(WALK)
    return found


UNDEFINED = {"precision": "nothing called", "lift": "nothing called", "mcc": "all or none called"}


def said(e: Estimate) -> list[str]:
    if not e.defined:
        return ["–", UNDEFINED[e.name]]
    return [number(e.value, ".3f"), f"{number(e.low, '.3f')} to {number(e.high, '.3f')}"]


def threshold_of(text: str) -> float:
    return float("inf") if text == "∞" else float(text)


def grouped() -> sf.Assessment:
    truth, scores = two_classes(300, seed=8)
    return sf.assess(truth, y_score=scores, groups=np.arange(300) // 3)


def sixteenths() -> sf.Assessment:
    """Recalls such as 1/16 = 0.0625 lie half-way between three decimals, where Python rounds to the even side."""
    truth = np.repeat([1, 0], [16, 48])
    return sf.assess(truth, y_score=np.random.default_rng(2).beta(2 + truth, 3))


def any_numbers() -> sf.Assessment:
    truth, scores = two_classes(200, seed=4)
    return sf.assess(truth, y_score=np.log(scores / (1 - scores)) * 40)


@pytest.mark.parametrize("make", [grouped, sixteenths, any_numbers])
def test_measures_at_every_threshold(open_page: Opener, tmp_path: Path, make: Any) -> None:
    a = make()
    _same_everywhere(a, walked(open_page(a.report(tmp_path / "r.html"))))


def test_measures_at_every_threshold_of_a_plain_page(
    open_page: Opener, pages: dict[str, Path], plain: sf.Assessment
) -> None:
    found = walked(open_page(pages["one"]))
    assert len(found) == 401  # every score of 400 rows, and above them
    _same_everywhere(plain, found)


def _same_everywhere(a: sf.Assessment, found: list[dict[str, Any]]) -> None:
    positive = a.positive
    assert positive is not None
    for here in found:
        moved = a.at(threshold_of(here["threshold"]))
        counts = np.asarray(moved.confusion.counts)
        order = [positive, 1 - positive]
        (tp, fn), (fp, tn) = counts[np.ix_(order, order)].tolist()
        assert [here[name][0] for name in ("tp", "fn", "fp", "tn")] == [f"{v:,.0f}" for v in (tp, fn, fp, tn)]
        assert here["tp"][1] == f"{100 * tp / (tp + fn):.1f}%"
        for name in NAMES:
            assert here[name] == said(moved[name]), (here["threshold"], name)


def test_weighted_rows_to_the_digit_that_is_stored(open_page: Opener, tmp_path: Path) -> None:
    truth, scores = two_classes(120, seed=6)
    weights = np.random.default_rng(1).integers(1, 5, 120) / 4  # quarters are stored exactly
    a = sf.assess(truth, y_score=scores, sample_weight=weights)
    for here in walked(open_page(a.report(tmp_path / "r.html"))):
        moved = a.at(threshold_of(here["threshold"]))
        for name in NAMES:
            value, bounds = here[name]
            assert bounds == said(moved[name])[1], (here["threshold"], name)
            if moved[name].defined:  # the library rescales weights first, so a last half may fall to the other side
                assert float(value) == pytest.approx(moved[name].value, abs=5.01e-4)


def test_one_class_of_many(open_page: Opener, pages: dict[str, Path]) -> None:
    names, matrix = three_classes()
    opened = open_page(pages["many"])
    opened.page.select_option("#class", label="bee")
    alone = sf.assess((names == "bee").astype(int), y_score=matrix[:, 1])
    _same_everywhere(alone, walked(opened))


def test_costs_and_prevalence_of_ones_own(open_page: Opener, pages: dict[str, Path], plain: sf.Assessment) -> None:
    opened = open_page(pages["one"])
    opened.page.fill("#cost-fp", "2")
    opened.page.fill("#cost-fn", "30")
    opened.page.fill("#prevalence", "2.5")
    cuts = cuts_of(plain)
    for i, here in enumerate(walked(opened)):
        cost = cuts.cost(i, {"fp": 2, "fn": 30}, 0.025)
        assert here["cost"] == [number(cost[0], ".3f"), f"{number(cost[1], '.3f')} to {number(cost[2], '.3f')}"]
        # the odds of a positive, 1 to 39, times recall over the false-positive rate
        ratio = plain.at(threshold_of(here["threshold"]))["positive_likelihood_ratio"]
        if ratio.defined:
            assert here["precision"][0] == number(precision_elsewhere(ratio.value, 0.025), ".3f")
            low, high = map(float, here["precision"][1].split(" to "))
            assert low == pytest.approx(precision_elsewhere(ratio.low, 0.025), abs=6e-4)
            assert high == pytest.approx(precision_elsewhere(ratio.high, 0.025), abs=6e-4)
        assert here["f1"] == ["–", "for these rows only"]


def test_at_the_prevalence_of_the_rows_the_cost_is_the_librarys(
    open_page: Opener, pages: dict[str, Path], plain: sf.Assessment
) -> None:
    cuts = cuts_of(plain)
    for i, here in enumerate(walked(open_page(pages["one"]))):
        cost, low, high = cuts.cost(i, {"fp": 1, "fn": 5})
        assert here["cost"] == [number(cost, ".3f"), f"{number(low, '.3f')} to {number(high, '.3f')}"]
        assert here["cost"][0] == number(float(plain.at(threshold_of(here["threshold"]))["expected_cost"]), ".3f")


def test_buttons_go_where_the_library_would(open_page: Opener, pages: dict[str, Path], plain: sf.Assessment) -> None:
    opened = open_page(pages["one"])

    def after(button: str) -> tuple[str, str]:
        opened.page.click(f"#{button}")
        return opened.text("tp"), opened.text("fp")

    def best(by: Any, **options: Any) -> tuple[str, str]:
        point = plain.best_threshold(by, **options).point
        return f"{point.tp:g}", f"{point.fp:g}"

    assert after("to-cost") == best("cost")
    assert after("to-youden") == best("youden")
    at_half = plain.roc.at(threshold=0.5)
    assert after("to-half") == (f"{at_half.tp:g}", f"{at_half.fp:g}")
    opened.page.fill("#cost-fn", "1")
    opened.page.fill("#cost-fp", "9")
    assert after("to-cost") == best("cost", costs={"fp": 9, "fn": 1})
    opened.page.fill("#top", "25")
    called = sum(map(int, after("to-top")))
    assert called == pytest.approx(100, abs=2)  # a quarter of 400


def test_a_typed_threshold_cuts_the_same_rows(open_page: Opener, tmp_path: Path) -> None:
    truth, scores = two_classes(90, seed=11)
    a = sf.assess(truth, y_score=scores)  # few enough that every score has its place
    opened = open_page(a.report(tmp_path / "r.html"))
    for typed in ("0.3", "0.52", "0.871", "0.01", "0.999"):
        opened.page.fill("#typed", typed)
        opened.page.keyboard.press("Enter")
        point = a.roc.at(threshold=float(typed))
        assert (opened.text("tp"), opened.text("fp")) == (f"{point.tp:g}", f"{point.fp:g}")
        assert opened.text("threshold-out") == typed


def test_the_dots_lie_on_the_curves(open_page: Opener, pages: dict[str, Path], plain: sf.Assessment) -> None:
    opened = open_page(pages["one"])
    opened.page.click("#to-youden")
    point = plain.best_threshold("youden").point
    chart = model_of("x", plain).views[0].charts["roc"]
    wanted = (
        float(Frame(chart).x(point.fp / (point.fp + point.tn))),
        float(Frame(chart).y(point.tp / (point.tp + point.fn))),
    )
    dot = opened.page.locator("[data-chart=roc] .dot")
    assert (float(dot.get_attribute("cx") or 0), float(dot.get_attribute("cy") or 0)) == pytest.approx(wanted, abs=0.06)
