"""LaTeX and CSV of every result: what stands in them is the result's, and nobody's text is a command."""

import csv
import io
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

import surefold as sf
from surefold.benchmarking.result import Benchmark
from surefold.learners import NaiveBayes
from surefold.report.records import records
from surefold.show.write.latex import MARKS, latex_text
from surefold.shown import Shown

EVIL = "\\input{/etc/passwd} 50% $x_1$ & #2 ~^ {a} [b] <i> |"
X, Y = load_iris(return_X_y=True)
TRUTH = (np.arange(90) % 3 == 0).astype(int)
RNG = np.random.default_rng(0)


def results() -> dict[str, Shown]:
    scores = {name: RNG.random(90) * 0.7 + gap * TRUTH for name, gap in ((EVIL, 0.4), ("b", 0.1), ("=cmd()", 0.2))}
    models = {EVIL: NaiveBayes(), "tree": DecisionTreeClassifier(random_state=0)}
    study = sf.cross_validate(models, X, Y, folds=5, random_state=0)
    return {
        "assessment": sf.assess(TRUTH, y_score=scores[EVIL], pos_label=1),
        "comparison": sf.compare(TRUTH, scores, measure="roc_auc"),
        "gate": sf.gate(TRUTH, scores["b"], scores[EVIL], measure="roc_auc", names=("b", EVIL)),
        "study": study,
        "run": study[EVIL],
        "bootstrap": sf.bootstrap(NaiveBayes(), X, Y, samples=20, random_state=0),
        "ranks": Benchmark.of_table(RNG.random((8, 3)), models=[EVIL, "b", "c"], measure="accuracy").compare(),
        "selection": sf.select(models, X, Y, folds=4, random_state=0),
    }


@pytest.fixture(scope="module")
def made() -> dict[str, Shown]:
    return results()


KINDS = ("assessment", "comparison", "gate", "study", "run", "bootstrap", "ranks", "selection")


def is_read(text: str) -> None:
    """Braces and environments close, every row has as many cells as its head, and no command comes from a name."""
    bare = re.sub(r"\\[{}$&#%_]", "", text)
    assert bare.count("{") == bare.count("}")
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == text.count(r"\toprule")
    assert "\\input" not in text
    for table in re.findall(r"\\toprule\n(.*?)\n\\bottomrule", text, re.DOTALL):
        lines = [line for line in table.split("\n") if line != r"\midrule"]
        cells = {len(re.findall(r"(?<!\\)&", line)) for line in lines}
        assert len(cells) == 1
        assert all(line.endswith(r"\\") for line in lines)


@pytest.mark.parametrize("kind", KINDS)
def test_every_result_is_latex(made: dict[str, Shown], kind: str) -> None:
    text = made[kind].to_latex()
    is_read(text)
    assert "nan" not in text
    assert "None" not in text


@pytest.mark.parametrize("kind", KINDS)
def test_every_result_is_csv(made: dict[str, Shown], kind: str) -> None:
    columns, rows = records(made[kind])
    rows = list(rows)
    read = list(csv.reader(io.StringIO(made[kind].to_csv())))
    assert tuple(read[0]) == tuple(columns)
    assert len(read) - 1 == len(rows) > 0
    assert {len(line) for line in read} == {len(columns)}
    assert not any(cell.startswith(("=", "@")) for line in read for cell in line)


def test_the_best_of_several_models_is_bold(made: dict[str, Shown]) -> None:
    c = made["comparison"]
    assert isinstance(c, sf.Comparison)
    bold = [line for line in c.to_latex().split("\n") if line.startswith(r"\textbf") and line.endswith(r"\\")]
    assert len(bold) == 1
    assert rf"\textbf{{{c.values[c.order[0]].texts[0]}}}" in bold[0]


@given(st.text(max_size=40))
def test_no_character_is_a_command(text: str) -> None:
    found = latex_text(text)
    for mark, shown in sorted(MARKS.items(), key=lambda item: -len(item[1])):
        if mark not in "'":
            found = found.replace(shown, "")
    assert not set(found) & set("\\{}$&#%_~^")
