"""The page of a gate: passed, failed or cannot tell, with the library's numbers."""

import html
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import surefold as sf
from surefold.cli.main import main
from surefold.numbers import texts
from surefold.report.document import document_of
from surefold.report.html import page_of
from surefold.show.charts.gate import held_chart

TRUTH = [1] * 60 + [0] * 60
OLD, NEW = [1] * 45 + [0] * 15 + [0] * 60, [1] * 58 + [0] * 62


def asked(**options: Any) -> Any:
    return sf.gate(TRUTH, OLD, NEW, **options)


def facts(gate: Any) -> dict[str, str]:
    section = next(s for s in document_of(gate).sections if s.id == "gate")
    return dict(section.data["tables"][0][2].rows)


@pytest.mark.parametrize(
    ("gate", "status", "opening"),
    [
        (asked(), "passed", "candidate is surely better than baseline"),
        (sf.gate(TRUTH, NEW, OLD), "failed", "candidate is surely worse than baseline"),
        (sf.gate(TRUTH, NEW, NEW), "cannot tell", "Cannot tell whether candidate is better than baseline"),
        (
            sf.gate(TRUTH, None, NEW, measure="recall", at_least=0.95),
            "cannot tell",
            "Cannot tell whether the recall of candidate",
        ),
    ],
    ids=["passed", "failed", "the same", "alone"],
)
def test_it_opens_with_the_verdict(gate: Any, status: str, opening: str) -> None:
    page = html.unescape(page_of(document_of(gate)).split('<script type="application/json"')[0])
    verdict = re.search(r'<p class="sentence">(.*?)</p>', page, re.DOTALL)
    assert verdict is not None
    words = re.sub(r"<[^>]+>", "", verdict[1]).strip()
    assert words.startswith(f"{status} {opening}")
    assert words.removeprefix(f"{status} ").split(": ", 1)[1] in gate.sentence


def test_what_was_held_against_what() -> None:
    gate = asked(margin=0.02)
    found = facts(gate)
    assert found["Asked"] == "surely not worse by more than the margin"
    assert found["Limit"] == "-0.02"
    assert found["Difference of Accuracy"] == str(gate.effect)
    assert found["One-sided 95% bounds"] == " and ".join(texts(gate.effect.value, *gate.bounds)[1:])
    chart = held_chart(gate)
    assert chart is not None
    assert chart.shade == (-0.02, chart.x.high)  # more is better: the good side is the right one
    assert chart.lines == ((-0.02, "limit -0.02"),)


def test_where_less_is_better_the_good_side_is_the_left_one() -> None:
    gate = asked(measure="error_rate", margin=0.02)
    chart = held_chart(gate)
    assert chart is not None
    assert gate.limit == 0.02
    assert chart.shade == (chart.x.low, 0.02)


def test_an_axis_stays_within_the_measure() -> None:
    gate = sf.gate(TRUTH, None, NEW, measure="recall", at_least=0.95)
    chart = held_chart(gate)
    assert chart is not None
    assert chart.x.high == 1.0


def test_more_rows_are_told() -> None:
    gate = sf.gate(TRUTH, None, NEW, measure="recall", at_least=0.93)
    assert gate.more_rows is not None
    assert facts(gate)["More rows that would tell"].startswith("about ")
    assert "More rows that would tell" not in facts(asked())


def test_an_undefined_figure_has_no_chart_and_says_why() -> None:
    gate = sf.gate([1] * 9, None, [1] * 9, measure="specificity", pos_label=1, labels=[0, 1], at_least=0.5)
    page = page_of(document_of(gate))
    assert held_chart(gate) is None
    assert html.escape(gate.effect.reason) in page


@pytest.mark.parametrize("against", [["--baseline", "old", "--margin", "0.01"], ["--at-least", "0.6"]])
def test_the_command_writes_a_page_with_the_models_behind_it(tmp_path: Path, against: list[str]) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 80)
    table = np.column_stack([truth, truth * 0.4 + rng.random(80), truth * 0.6 + rng.random(80)])
    file, page = tmp_path / "p.csv", tmp_path / "gate.html"
    np.savetxt(file, table, delimiter=",", header="y,old,new", comments="", fmt=["%d", "%.6f", "%.6f"])
    options = ["--truth", "y", "--candidate", "new", "--measure", "auc", "--pos-label", "1", "--quiet"]
    code = main(["gate", str(file), *options, *against, "--report", str(page)])
    text = html.unescape(page.read_text(encoding="utf-8"))
    assert code in (0, 1, 3)
    assert {0: ">passed<", 1: ">failed<", 3: ">cannot tell<"}[code] in text
    assert 'id="gate"' in text
    assert 'id="operating-point"' in text
    assert ('<option value="1">old</option>' in text) == ("--baseline" in against)
    assert f"surefold gate {file}" in text


def test_a_page_that_cannot_be_written_is_refused_before_the_work(tmp_path: Path, capsys: Any) -> None:
    there = tmp_path / "nowhere" / "gate.html"
    assert main(["gate", "absent.csv", "--candidate", "a", "--at-least", "0.5", "--report", str(there)]) == 2
    assert "there is no folder" in capsys.readouterr().err
