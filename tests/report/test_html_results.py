"""Pages of comparisons, runs over splits, selections and studies: what is there, with the library's numbers."""

import html
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

import surefold as sf
from surefold.cli.main import main
from surefold.errors import InputError
from surefold.learners import DecisionTree, NaiveBayes
from surefold.report.document import Document, document_of
from surefold.report.html import page_of
from surefold.report.sections.contents import HOMES, contents_of
from surefold.studies import Benchmark, bias_variance, learning_curve, noise_curve
from tests.resampling.odd_models import Raises

KB = 1024
FOLDS: dict[str, Any] = {"folds": 4, "random_state": 0, "pos_label": 1}


def rows(n: int = 120, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    return rng.normal(size=(n, 2)) + 0.9 * truth[:, None], truth


X, Y = rows()


def figures(models: int = 5, sets: int = 12) -> Benchmark:
    rng = np.random.default_rng(3)
    return Benchmark.of_table(
        np.round(0.8 + 0.03 * np.arange(models) + rng.normal(0, 0.02, (sets, models)), 3),
        models=[f"m{i}" for i in range(models)],
        datasets=[f"set {i}" for i in range(sets)],
        measure="accuracy",
    )


@pytest.fixture(name="results", scope="module")
def _results() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    scores = {"one": X[:, 0], "two": X[:, 0] + X[:, 1], "noise": rng.random(len(Y))}
    labels = {name: (values > 0.5).astype(int) for name, values in scores.items()}
    models = {"bayes": NaiveBayes(), "tree": DecisionTree(max_depth=2)}
    part = {"part": np.arange(len(Y)) % 3}
    slices = sf.slices(Y, labels["one"], by=part, measure="accuracy")
    return {
        "slices": slices,
        "slices of measures": sf.slices(Y, labels["one"], by=part, measure=["accuracy", "mcc"]),
        "slice gate": slices.gate(at_least=0.5),
        "comparison of scores": sf.compare(Y, scores, measure="roc_auc", margin=0.02, pos_label=1),
        "comparisons": sf.compare(Y, labels, measure=["accuracy", "mcc"]),
        "resampled": sf.cross_validate(NaiveBayes(), X, Y, repeats=3, **FOLDS),
        "study": sf.cross_validate(models, X, Y, repeats=2, **FOLDS),
        "bootstrap": sf.bootstrap(NaiveBayes(), X, Y, samples=25, random_state=0),
        "selection": sf.select({**models, "deep": (DecisionTree(), {"max_depth": [1, 4]})}, X, Y, **FOLDS),
        "ranks": figures().compare(),
        "benchmark": figures(),
        "bias and variance": bias_variance(DecisionTree(), X, Y, param="max_depth", grid=[1, 3, None], random_state=0),
        "one model's parts": bias_variance(NaiveBayes(), X, Y, loss="domingos", random_state=0),
        "learning": learning_curve(models, X, Y, sizes=[20, 80], **FOLDS),
        "noise": noise_curve(NaiveBayes(), X, Y, shares=[0, 0.2], **FOLDS),
        "costs": sf.cost_sensitive(NaiveBayes(), X, Y, costs={"fp": 1, "fn": 4}, **FOLDS),
    }


@pytest.fixture(name="documents", scope="module")
def _documents(results: dict[str, Any]) -> dict[str, Document]:
    return {name: document_of(result) for name, result in results.items()}


def shown(page: str) -> str:
    """The page without its data, with nothing escaped."""
    return html.unescape(page.split('<script type="application/json"')[0])


def table(document: Document, id: str, caption: str) -> list[list[str]]:
    section = next(s for s in document.sections if s.id == id)
    found = next(t for _, name, t in section.data["tables"] if name == caption)
    return [list(row) for row in found.rows]


def test_every_home_is_tried_here(results: dict[str, Any]) -> None:
    tried = {f"{kind.__module__}.{kind.__name__}" for result in results.values() for kind in type(result).__mro__}
    gates = {home for home, module in HOMES.items() if module == "gated"}  # in test_gated.py
    assert set(HOMES) - gates <= tried
    assert len(gates) == 2


def test_sections_of_each_kind(documents: dict[str, Document]) -> None:
    ids = {name: [section.id for section in document.sections] for name, document in documents.items()}
    desk = ["operating-point", "ranking", "probabilities"]
    last = ["measures", "method"]
    assert ids["comparison of scores"] == ["verdict", "models", "each-model", *desk, "comparison", *last]
    assert ids["comparisons"] == ["verdict", "models", "each-model", "comparison", "comparison-2", *last]
    assert ids["resampled"] == ["verdict", *desk, "stability", *last]
    assert ids["study"] == ["verdict", "models", *desk, "comparison", "stability", *last]
    assert ids["selection"] == ["verdict", *desk, "selection", *last]
    assert ids["ranks"] == ids["benchmark"] == ["verdict", "comparison", "figures", "method"]
    for name in ("bootstrap", "bias and variance", "one model's parts", "learning", "noise"):
        assert ids[name] == ["verdict", "stability", "method"]
    assert ids["costs"] == ["verdict", "costs", "method"]


def test_sizes_of_pages_and_of_what_notebooks_show(results: dict[str, Any], documents: dict[str, Document]) -> None:
    for name, document in documents.items():
        page = page_of(document)
        models = len(json.dumps(document.data["models"], separators=(",", ":")))
        assert len(page.encode()) - models <= 100 * KB, name
        fragment = results[name]._repr_html_()
        assert len(fragment.encode()) <= 60 * KB, name
        assert fragment.count("<svg") == 1, name
        assert "<table>" in fragment, name
        assert "<script" not in fragment, name


def test_pages_hold_no_link_no_style_and_no_nan(documents: dict[str, Document]) -> None:
    for name, document in documents.items():
        page = page_of(document)
        places = {f"#{name}" for name in re.findall(r'id="([^"]+)"', page)}
        assert set(re.findall(r'href="([^"]*)"', page)) <= places, name
        assert ' style="' not in page, name
        json.dumps(document.data, allow_nan=False)
        assert "nan" not in re.findall(r"[\w.]+", shown(page)), name


def test_the_same_result_makes_the_same_bytes(results: dict[str, Any]) -> None:
    for name in ("comparison of scores", "ranks", "bias and variance"):
        assert page_of(document_of(results[name])) == page_of(document_of(results[name]))


# numbers


def test_a_comparison_says_what_the_library_says(results: dict[str, Any], documents: dict[str, Document]) -> None:
    c, document = results["comparison of scores"], documents["comparison of scores"]
    page = shown(page_of(document))
    assert str(c.verdict) in page
    for told in c.differences:
        assert str(told).replace("roc_auc", "ROC AUC") in page  # as titles write it
    rows = table(document, "comparison", "Every difference")
    assert [row[:3] for row in rows] == [
        [f"{d.first} − {d.second}", d.effect.texts[0], d.effect.bounds_text] for d in c.differences
    ]
    # wins by hand: what each row of the table of wins adds up to
    for row in table(document, "comparison", "Wins, ties and losses"):
        i = list(c.values).index(row[0])
        assert [int(row[1]), int(row[3])] == [int((c.wins[i] == 1).sum()), int((c.wins[i] == -1).sum())]
        assert sum(map(int, row[1:])) == len(c.values) - 1
    alone = sf.assess(Y, y_score=X[:, 0], pos_label=1)
    assert document.models[0].a is not None
    assert document.models[0].a["roc_auc"] == alone["roc_auc"]


def test_two_models_that_cannot_be_told_apart() -> None:
    c = sf.compare([0, 1] * 20, {"a": [0, 1] * 20, "b": [0, 1] * 19 + [1, 0]})
    document = document_of(c)
    assert document.own is not None
    assert document.own.told is not None
    assert (document.own.told.status, document.own.told.sentence) == ("cannot_tell", str(c.verdict))


def test_fifty_models_stay_under_two_megabytes() -> None:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, 150)
    c = sf.compare(truth, {f"m{i}": rng.random(150) + 0.3 * truth for i in range(50)}, measure="roc_auc", pos_label=1)
    page = page_of(document_of(c))
    assert len(page.encode()) <= 2 * KB * KB
    assert "1,176 of 1,225 pairs" in page  # those without the best: 1225 - 49
    assert len(c._repr_html_().encode()) <= 60 * KB


def test_a_run_over_splits_opens_with_its_own_verdict_and_intervals(
    results: dict[str, Any], documents: dict[str, Document]
) -> None:
    r, document = results["resampled"], documents["resampled"]
    said = document.models[0].said
    assert said["verdict"] == r.verdict.sentence
    assert said["headlines"][0]["estimate"] == [r["accuracy"].value, *r["accuracy"].interval]
    pooled = document.models[0].a
    assert pooled is not None
    assert pooled["accuracy"] == r.assess()["accuracy"]  # which is another number, of the rows of one repeat
    told = {row[0]: row[1:3] for row in table(document, "stability", "Means over the splits")}
    assert told["Error rate"] == [
        r["error_rate"].texts[0],
        r["error_rate"].bounds_text,
    ]
    chart = next(s for s in document.sections if s.id == "stability").data["charts"][0]
    assert [row.name for row in chart.rows_drawn] == ["repeat 1", "repeat 2", "repeat 3", "mean of all"]
    assert np.concatenate([row.dots for row in chart.rows_drawn[:3]]).tolist() == r.values("error_rate").tolist()


def test_a_study_is_compared_by_its_default(results: dict[str, Any], documents: dict[str, Document]) -> None:
    d = results["study"].compare().differences[0]
    row = table(documents["study"], "comparison", "Every difference")[0]
    assert row[:3] == ["bayes − tree", d.effect.texts[0], d.effect.bounds_text]
    assert [model.said["verdict"] for model in documents["study"].models] == [
        str(r.verdict) for r in results["study"].models.values()
    ]


def test_missing_folds_are_told_and_nothing_is_made_up() -> None:
    study = sf.cross_validate({"whole": NaiveBayes(), "broken": Raises(bad=float(X[0, 0]))}, X, Y, retries=0, **FOLDS)
    assert not study["broken"].complete
    document = document_of(study)
    broken = document.models[1]
    assert broken.a is None
    assert broken.views == ()
    assert broken.said["verdict"] == str(study["broken"].verdict)
    told = table(document, "stability", "Missing folds")
    assert len(told) == len(study["broken"].failures)
    page = shown(page_of(document))
    assert "The models were not compared" in page
    alone = document_of(study["broken"])
    assert [section.id for section in alone.sections] == ["verdict", "stability", "measures", "method"]
    page_of(alone)


def test_five_estimates_of_a_bootstrap(results: dict[str, Any], documents: dict[str, Document]) -> None:
    b = results["bootstrap"]
    told = {row[0]: row[1] for row in table(documents["bootstrap"], "stability", "Error rate: five estimates")}
    wanted = {"on all rows": b.on_all, "out of bag": b.out_of_bag, "apparent": b.apparent, ".632": b.point632,
              ".632+": b.point632plus}  # fmt: skip
    assert told == {name: e.texts[0] for name, e in wanted.items()}
    chart = next(s for s in documents["bootstrap"].sections if s.id == "stability").data["charts"][0]
    assert sum(int(row[2]) for row in chart.rows) == 25  # every sample is in a bar


def test_a_selection_says_what_was_claimed_and_what_was_found(
    results: dict[str, Any], documents: dict[str, Document]
) -> None:
    s, document = results["selection"], documents["selection"]
    assert document.models[0].said["verdict"] == s.verdict.sentence
    told = {row[0]: row[1] for row in table(document, "selection", "Claimed and found")}
    assert told["claimed by the search"] == s.claimed.texts[0]
    assert told["on rows that chose nothing"] == s.estimate.texts[0]
    assert float(told["optimism of the search"].replace("−", "-")) == pytest.approx(
        s.claimed.value - s.estimate.value, abs=6e-3
    )
    listed = table(document, "selection", "Candidates")
    assert [row[0] for row in listed] == [e.name for e in s.picked.entries]
    assert [row[0] for row in listed if row[-1] == "chosen"] == [s.best.name]
    pooled = document.models[0].a
    assert pooled is not None
    assert pooled["accuracy"] == s.held_out.assess()["accuracy"]


def test_a_nested_race_shows_its_outer_folds_and_whom_it_dropped() -> None:
    rng = np.random.default_rng(8)
    noise = {f"deep {i}": DecisionTree(max_features=1, random_state=i) for i in range(3)}
    s = sf.select({"bayes": NaiveBayes(), **noise}, X, Y, strategy="nested", outer_folds=3, **FOLDS)
    document = document_of(s)
    told = table(document, "selection", "Outer folds")
    assert [row[1:] for row in told] == [[o.chosen, f"{o.claimed:.3f}", f"{o.found:.3f}"] for o in s.outer]
    often = {row[0]: int(row[1]) for row in table(document, "selection", "How often each was chosen")}
    assert often == s.stability
    apart = rng.normal(size=(len(Y), 2)) + 4 * Y[:, None]  # on which always answering the commonest class is hopeless
    blind = {"commonest": DummyClassifier(), "bayes": NaiveBayes(), "tree": DecisionTree(max_depth=2)}
    raced = sf.select(blind, apart, Y, race=True, **{**FOLDS, "folds": 10})
    dropped = {e.name for e in raced.picked.entries if e.dropped_at is not None}
    assert dropped  # else nothing is tried here
    listed = table(document_of(raced), "selection", "Candidates")
    assert {row[0] for row in listed if row[5].startswith("fold ")} == dropped


def test_a_control_is_named_and_joined_with_those_not_told_from_it() -> None:
    c = figures().compare(control="m0")
    chart = next(s for s in document_of(c).sections if s.id == "comparison").data["charts"][0]
    names = [row.name for row in chart.rows_drawn]
    assert "m0 (control)" in names
    joined = {names[i].removesuffix(" (control)") for group in chart.groups for i in group.rows}
    alike = {pair.first if pair.second == "m0" else pair.second for pair in c.pairs if pair.status == "cannot_tell"}
    assert joined == (alike | {"m0"} if alike else set())


def test_ranks_by_hand() -> None:
    # a is best on all six data sets, b second, c last: ranks 1, 2, 3 without exception
    b = Benchmark.of_table([[0.9, 0.8, 0.7]] * 6, models=["a", "b", "c"], measure="accuracy")
    document = document_of(b.compare())
    assert table(document, "comparison", "Average ranks") == [
        ["a", "1.00", "12", "0", "0"],
        ["b", "2.00", "6", "0", "6"],
        ["c", "3.00", "0", "0", "12"],
    ]
    chart = next(s for s in document.sections if s.id == "comparison").data["charts"][0]
    assert [row.estimate.value for row in chart.rows_drawn] == [1, 2, 3]
    # Nemenyi: 2.3437 x sqrt(3 x 4 / (6 x 6)) = 1.353: neighbours are joined, the ends are not
    assert chart.scale[1] == "critical difference 1.35"
    assert [group.rows for group in chart.groups] == [(0, 1), (1, 2)]


def test_a_benchmark_that_cannot_be_compared_still_has_its_figures() -> None:
    b = Benchmark.of_table([[0.9, None], [0.8, 0.7]], models=["a", "b"], measure="accuracy")
    document = document_of(b)
    assert [section.id for section in document.sections] == ["verdict", "figures", "method"]
    page = shown(page_of(document))
    assert "The models were not compared" in page
    assert "missing" in page


def test_curves_and_parts_are_the_librarys(results: dict[str, Any], documents: dict[str, Document]) -> None:
    curve = results["learning"]
    said = documents["learning"].own
    assert said is not None
    assert said.told is not None
    assert str(curve.change(80, model="bayes")) in said.told.sentence
    told = table(documents["learning"], "stability", "Learning curve")
    assert [row[2] for row in told] == [str(p.estimate) for points in curve.models.values() for p in points]
    parts = results["bias and variance"]
    told = table(documents["bias and variance"], "stability", "Parts of the loss")
    assert told[0] == ["1", *(str(parts[1][part]) for part in ("loss", "bias", "variance"))]


def test_costs_are_the_librarys(results: dict[str, Any], documents: dict[str, Document]) -> None:
    found = results["costs"]
    told = {row[0]: row[1] for row in table(documents["costs"], "costs", "Expected cost of a row")}
    for cell in found.table:
        assert told[cell.name] == ("not run" if cell.reason else format(cell.cost, found.digits))
    assert table(documents["costs"], "costs", "What errors cost") == [["0", "0", "1"], ["1", "4", "0"]]


# doors


def test_every_result_writes_its_page(results: dict[str, Any], tmp_path: Path) -> None:
    for name, result in results.items():
        place = result.report(tmp_path / "r.html", title=f"About {name}")
        assert f"<h1><bdi>About {html.escape(name, quote=False)}" in place.read_text(encoding="utf-8").replace(
            "&#39;", "'"
        )


@pytest.mark.parametrize("wrong", [3, "text", [1], object(), {"a": 1}, {}])
def test_what_is_no_result_is_refused(wrong: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="assess"):
        sf.report(wrong, tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []
    assert contents_of(wrong) is None


def test_a_page_about_labels_loads_no_learner() -> None:
    code = (
        "import sys, surefold as sf; c = sf.compare([0, 1, 1], {'a': [0, 1, 0], 'b': [0, 1, 1]}); c._repr_html_(); "
        "print(*[n for n in ('sklearn', 'matplotlib', 'jinja2', 'polars', 'surefold.report.html') if n in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.split() == []


@pytest.fixture(name="data", scope="module")
def _data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("data") / "rows.csv"
    lines = [f"{a:.3f},{b:.3f},{'yes' if c else 'no'}" for (a, b), c in zip(X.tolist(), Y.tolist(), strict=True)]
    file.write_text("\n".join(["a,b,y", *lines]) + "\n")
    return file


@pytest.mark.parametrize(
    "command",
    [
        ["compare", "--score", "a", "--score", "b", "--truth", "y", "--pos-label", "yes"],
        ["evaluate", "--target", "y", "--model", "bayes", "--model", "majority", "--folds", "3", "--repeats", "1"],
        ["evaluate", "--target", "y", "--model", "bayes", "--bootstrap", "10"],
        ["select", "--target", "y", "--models", "majority,bayes", "--folds", "3"],
    ],
    ids=["compare", "evaluate", "bootstrap", "select"],
)
def test_commands_write_it_and_refuse_first(
    command: list[str], data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name, *options = command
    page = tmp_path / "r.html"
    assert main([name, str(data), *options, "--report", str(page)]) == 0
    said = capsys.readouterr()
    assert f"Report: {page}" in said.err
    assert "Report:" not in said.out
    text = shown(page.read_text(encoding="utf-8"))
    assert "<h1><bdi>rows.csv</bdi></h1>" in text
    assert " ".join(options) in text
    before = data.read_bytes()
    assert main([name, str(data), *options, "--report", str(data)]) == 2
    assert "would replace the data" in capsys.readouterr().err
    assert data.read_bytes() == before
