"""Files in parts here: the same figures as all rows at once, and complaints that name file, row and line."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars
import pytest

import surefold as sf
from surefold.assessment.assess import assess_files
from surefold.engines.rows import memory_bytes, merged, most_groups, open_rows
from surefold.errors import InputError, UnknownNameError
from surefold.estimates.estimate import Estimate
from surefold.inputs.streams import open_stream

FIELDS = ("value", "low", "high", "se", "n")


def same_estimates(a: Estimate, b: Estimate, rel: float = 1e-9) -> None:
    for name in FIELDS:
        assert getattr(a, name) == pytest.approx(getattr(b, name), rel=rel, abs=1e-12, nan_ok=True), (a.name, name)
    assert (a.flags, a.method, a.reason) == (b.flags, b.method, b.reason)


def same(a: sf.Assessment, b: sf.Assessment) -> None:
    assert (a.n, a.labels, a.positive) == (b.n, b.labels, b.positive)
    assert list(a.overall) == list(b.overall)
    for name in a.overall:
        same_estimates(a[name], b[name])
    assert {str(f) for f in a.findings} == {str(f) for f in b.findings}
    assert str(a.verdict) == str(b.verdict)


def of_arrays(rows: polars.DataFrame, text: bool, **asked: Any) -> sf.Assessment:
    def column(name: str | None, kind: Any = None) -> Any:
        return None if name is None else rows[name].cast(kind) if kind is not None and text else rows[name]

    return sf.assess(
        column("y", polars.String),
        column(asked.get("pred"), polars.String),
        y_score=column(asked.get("score")),
        groups=column(asked.get("groups")),
        sample_weight=column(asked.get("weights")),
    )


@pytest.mark.parametrize("files", ["parquet", "csv"])
@pytest.mark.parametrize(
    "asked",
    [
        {"pred": "a"},
        {"score": "p_a"},
        {"pred": "a", "score": "p_a"},
        {"pred": "a", "score": "p_a", "groups": "g"},
        {"pred": "a", "score": "p_a", "weights": "w"},
        {"pred": "a", "score": "p_a", "weights": "w", "groups": "g"},
    ],
    ids=lambda asked: "-".join(asked),
)
def test_files_give_what_arrays_give(
    files: str, asked: dict[str, Any], rows: polars.DataFrame, request: pytest.FixtureRequest
) -> None:
    folder: Path = request.getfixturevalue(files)
    same(sf.assess(folder, truth="y", **asked), of_arrays(rows, files == "csv", **asked))


def test_a_path_a_glob_and_a_folder_are_the_same(parquet: Path) -> None:
    by_folder = sf.assess(str(parquet), truth="y", pred="a")
    by_glob = sf.assess(f"{parquet}/*.parquet", truth="y", pred="a")
    assert by_folder.confusion == by_glob.confusion
    assert sf.assess(parquet / "0.parquet", truth="y", pred="a").n == 500


def test_columns_are_guessed_from_the_first_rows(tmp_path: Path) -> None:
    polars.DataFrame({"y_true": ["n", "y"] * 20, "y_pred": ["n", "y"] * 20}).write_csv(tmp_path / "a.csv")
    a = sf.assess(tmp_path / "a.csv")
    assert float(a["accuracy"]) == 1
    assert {"guessed_columns", "positive_class_not_said"} <= {f.code for f in a.findings}
    assert "'n' (20), 'y' (20)" in next(f.sentence for f in a.findings if f.code == "positive_class_not_said")


def test_a_guessed_score_column_that_cannot_be_used_is_left(tmp_path: Path) -> None:
    frame = polars.DataFrame(
        {"y_true": ["a", "b", "c"] * 5, "y_pred": ["a", "b", "c"] * 5, "score": [0.1, 0.2, 0.3] * 5}
    )
    frame.write_csv(tmp_path / "a.csv")
    a = sf.assess(tmp_path / "a.csv")
    assert a.scores is None
    assert "scores_not_used" in {f.code for f in a.findings}


@pytest.mark.parametrize("kind", [int, str, bool])
def test_kinds_of_labels(kind: Callable[[int], Any], tmp_path: Path) -> None:
    y, p = [kind(v) for v in (0, 1, 1, 0, 1)], [kind(v) for v in (0, 1, 0, 0, 1)]
    if kind is bool:
        y[0] = p[0] = False
    polars.DataFrame({"y": y, "p": p}).write_parquet(tmp_path / "a.parquet")
    a, b = sf.assess(tmp_path / "a.parquet", truth="y", pred="p"), sf.assess(y, p)
    assert a.labels == b.labels
    assert [type(v) for v in a.labels] == [type(v) for v in b.labels]
    assert a.confusion == b.confusion


def test_findings_count_rows_and_not_cells(tmp_path: Path) -> None:
    y = ["yes", "no", "Yes", ""] * 25
    p = ["yes", "maybe", "Yes", ""] * 25
    polars.DataFrame({"y": y, "p": p}).write_parquet(tmp_path / "a.parquet")
    found = {f.code: f.sentence for f in sf.assess(tmp_path / "a.parquet", truth="y", pred="p").findings}
    assert "'Yes' (50) / 'yes' (50)" in found["near_equal_labels"]
    assert "'maybe' was predicted in 25 rows and never occurs in the truth." in found["unseen_label"]
    assert "empty text in 25 rows;" in found["empty_label"]


def test_pos_label_and_many_classes(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y, s = rng.choice(["a", "b", "c"], 300), np.round(rng.random(300), 2)
    polars.DataFrame({"y": y, "s": s}).write_csv(tmp_path / "a.csv")
    a = sf.assess(tmp_path / "a.csv", truth="y", score="s", pos_label="b")
    same_estimates(a["roc_auc"], sf.assess(y, y_score=s, pos_label="b")["roc_auc"])
    with pytest.raises(InputError, match=r"none was said for 'a' \(\d+\), .*positive_class_unknown"):
        sf.assess(tmp_path / "a.csv", truth="y", score="s")


def test_threshold_and_scores_that_are_no_probabilities(tmp_path: Path) -> None:
    y, s = [0, 1, 0, 1, 1], [-2.0, 3.0, 0.5, 0.4, 1.0]
    polars.DataFrame({"y": y, "s": s}).write_parquet(tmp_path / "a.parquet")
    path = tmp_path / "a.parquet"
    assert (
        sf.assess(path, truth="y", score="s", threshold=0.5).confusion
        == sf.assess(y, y_score=s, threshold=0.5).confusion
    )
    alone = sf.assess(path, truth="y", score="s")
    assert alone.estimates is None
    assert "no_labels" in {f.code for f in alone.findings}
    same_estimates(alone["roc_auc"], sf.assess(y, y_score=s)["roc_auc"])


def test_scores_a_hair_outside_and_infinite_ones(tmp_path: Path) -> None:
    y, s = [0, 1, 0, 1], [-1e-9, 1 + 1e-9, 0.2, 0.7]
    polars.DataFrame({"y": y, "s": s}).write_parquet(tmp_path / "a.parquet")
    a = sf.assess(tmp_path / "a.parquet", truth="y", score="s", groups=None)
    assert float(a["brier"]) == pytest.approx((0 + 0 + 0.2**2 + 0.3**2) / 4)
    assert "2 values" in next(f.sentence for f in a.findings if f.code == "rounded_probabilities")
    polars.DataFrame({"y": y, "s": s, "w": [5.0, 7.0, 1.0, 1.0]}).write_parquet(tmp_path / "w.parquet")
    w = sf.assess(tmp_path / "w.parquet", truth="y", score="s", weights="w")
    assert "2 values" in next(f.sentence for f in w.findings if f.code == "rounded_probabilities")  # rows, not weight
    polars.DataFrame({"y": y, "s": [-np.inf, np.inf, 0.2, 0.7]}).write_parquet(tmp_path / "b.parquet")
    b = sf.assess(tmp_path / "b.parquet", truth="y", score="s")
    assert "infinite in 2 rows" in next(f.sentence for f in b.findings if f.code == "infinite_scores")
    assert float(b["roc_auc"]) == 1


# memory


def test_quantised_scores_say_what_they_leave_open(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    n = 30_000
    y = rng.random(n) < 0.4
    s = 1 / (1 + np.exp(-(1.5 * y + rng.standard_normal(n) - 0.7)))
    g = rng.integers(300, size=n)
    polars.DataFrame({"y": y, "s": s, "g": g}).write_parquet(tmp_path / "a.parquet")
    exact = sf.assess(y, y_score=s, groups=g)
    a = sf.assess(tmp_path / "a.parquet", truth="y", score="s", groups="g", memory="1MB")
    told = next(f for f in a.findings if f.code == "quantised_scores")
    assert told.evidence["groups"] <= most_groups("1MB", 1, False) == 3906
    for name in ("roc_auc", "average_precision", "brier", "log_loss", "ks"):
        low, high = told.evidence["bounds"][name]
        assert low <= float(exact[name]) <= high
        assert a[name].low <= low <= high <= a[name].high
        assert "quantised_scores" in a[name].flags
        assert (a[name].low, a[name].high) == pytest.approx((exact[name].low, exact[name].high), abs=2e-3)
    assert "roc_auc between 0." in told.sentence
    assert a.confusion == exact.confusion  # labels are made of the scores as they are
    assert a.to_dict()["overall"]["roc_auc"]["flags"] == ["quantised_scores"]


def test_exact_as_long_as_scores_fit(parquet: Path) -> None:
    a = assess_files(parquet, truth="y", score="p_a", memory="100MB")
    assert a.scores is not None
    assert a.tally.quantised is False


@pytest.mark.parametrize("wrong", ["much", "-1GB", "10", "1XB", "nan"])
def test_memory_that_is_none(wrong: str) -> None:
    with pytest.raises(InputError, match="bad_option"):
        memory_bytes(wrong)


def test_memory_in_words() -> None:
    assert (memory_bytes("1.5gb"), memory_bytes(2e6), memory_bytes("3 MiB")) == (1.5e9, 2e6, 3 * 2**20)
    assert memory_bytes(None) > 1e8


# complaints


def test_missing_values_are_put_at_their_file_row_and_line(tmp_path: Path) -> None:
    lines = ["y,p,s"] + ["0,0,0.1", "1,1,0.9"] * 40_000
    lines[50_001] = "0,,0.4"
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError) as caught:
        sf.assess(tmp_path / "a.csv", truth="y", pred="p", memory="1MB")
    assert caught.value.code == "missing_label"
    assert (caught.value.rows, caught.value.lines) == ((50_001,), (50_002,))
    assert str(tmp_path / "a.csv") in str(caught.value)
    a = sf.assess(tmp_path / "a.csv", truth="y", pred="p", memory="1MB", drop_missing=True)
    assert a.n == 79_999
    assert "1 of 80,000 rows were left out: 1 without column 'p'." in str(a.findings[0])


def test_rows_of_a_parquet_file_are_numbered_through(tmp_path: Path) -> None:
    s = np.full(40_000, 0.25)
    s[31_234] = np.nan
    polars.DataFrame({"y": np.arange(40_000) % 2, "s": s}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"column 's' has missing scores: row 31,235"):
        sf.assess(tmp_path / "a.parquet", truth="y", score="s", memory="1MB")


def test_a_row_that_is_too_long_is_put_at_its_line(tmp_path: Path) -> None:
    lines = ["y,p"] + ["0,0", "1,1"] * 200_000
    lines[300_000] = "0,0,0"
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"3 fields where the header has 2.*row 300,000 \(file line 300,001\)"):
        sf.assess(tmp_path / "a.csv", truth="y", pred="p", memory="1MB")


def test_newlines_in_quotes_are_never_cut(tmp_path: Path) -> None:
    rows = [(f"line{i}\nbreak" if i % 3 else "plain", i % 2) for i in range(5000)]
    text = "note,y,p\n" + "".join(f'"{note}",{y},{y}\n' for note, y in rows)
    path = tmp_path / "a.csv"
    path.write_text(text)
    stream = open_stream(path, part_bytes=1000)
    assert len(stream.parts) > 50
    assert [p.stop for p in stream.parts[:-1]] == [p.start for p in stream.parts[1:]]
    assert sum(part.read().n for part in stream.parts) == 5000


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda d: None, "no CSV or Parquet file"),
        (lambda d: (d / "a.csv").write_text(""), "empty_file"),
        (lambda d: (d / "a.csv").write_text("y,p\n"), "no_rows"),
        (lambda d: (d / "a.parquet").write_bytes(b"PAR1 and no more"), "truncated_file"),
        (lambda d: (d / "a.csv").write_bytes(b"\x80\x04not text"), "pickle"),
        (
            lambda d: ((d / "a.csv").write_text("y,p\n0,0\n"), (d / "b.csv").write_text("y,q\n0,0\n")),
            r"'p' of .*a\.csv is not there",
        ),
        (lambda d: (d / "a.csv").write_text("y,p\n0,0.5\n1,0.25\n"), "looks like|unseen|not"),
    ],
)
def test_files_that_cannot_be_used(make: Callable[[Path], Any], message: str, tmp_path: Path) -> None:
    make(tmp_path)
    if message.startswith("looks"):
        found = {f.code for f in sf.assess(tmp_path, truth="y", pred="p").findings}
        assert "unseen_label" in found
        return
    with pytest.raises(InputError, match=message):
        sf.assess(tmp_path, truth="y", pred="p")


def test_what_is_no_file(tmp_path: Path) -> None:
    for source in ("s3://bucket/x.parquet", str(tmp_path / "*.csv"), str(tmp_path / "gone.csv")):
        with pytest.raises(InputError, match="not_a_file"):
            sf.assess(source, truth="y", pred="p")


def test_a_file_that_changes_is_refused(parquet: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y,p\n0,0\n1,1\n")
    rows = open_rows(path)
    path.write_text("y,p\n0,0\n1,1\n1,1\n")
    from surefold.inputs.parts import Roles
    from surefold.tallies.partial import Plan

    with pytest.raises(InputError, match="changed_file"):
        rows.reduce(Plan(Roles("y", ("p",))))


def test_gzipped_files_are_one_part(tmp_path: Path) -> None:
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"y,p\n0,0\n1,1\n"))
    assert open_stream(tmp_path / "a.csv.gz").parts[0].kind == "whole"
    assert sf.assess(tmp_path / "a.csv.gz", truth="y", pred="p").n == 2


def test_files_without_rows_are_passed_over(rows: polars.DataFrame, tmp_path: Path) -> None:
    rows[:0].write_parquet(tmp_path / "0.parquet")
    rows.write_parquet(tmp_path / "1.parquet")
    rows[:0].write_parquet(tmp_path / "2.parquet")
    (tmp_path / "_temporary").mkdir()
    (tmp_path / "_temporary" / "3.parquet").write_bytes(b"half written")
    (tmp_path / ".4.parquet").write_bytes(b"hidden")
    assert sf.assess(tmp_path, truth="y", pred="a").n == 3000
    with pytest.raises(InputError, match="0 data rows"):
        sf.assess(tmp_path / "0.parquet", truth="y", pred="a")
    (tmp_path / "head.csv").write_text("y,a\n")
    with pytest.raises(InputError, match="0 data rows"):
        sf.assess(tmp_path / "head.csv", truth="y", pred="a")


def test_columns_may_stand_in_any_order(rows: polars.DataFrame, tmp_path: Path) -> None:
    rows[:1000].write_csv(tmp_path / "a b.csv")
    rows[1000:].select(reversed(rows.columns)).with_columns(more=polars.lit(1)).write_csv(tmp_path / "c d.csv")
    whole = sf.assess(rows["y"].cast(polars.String), rows["a"].cast(polars.String))
    assert sf.assess(tmp_path, truth="y", pred="a").confusion == whole.confusion


def test_labels_that_are_text_in_some_files(rows: polars.DataFrame, tmp_path: Path) -> None:
    rows[:1000].write_parquet(tmp_path / "a.parquet")
    rows[1000:].write_csv(tmp_path / "b.csv")
    told = r"column 'y' holds numbers in .*a\.parquet and text in .*b\.csv.*mixed_label_types"
    with pytest.raises(InputError, match=told):
        sf.assess(tmp_path, truth="y", pred="a")
    with pytest.raises(InputError, match=told):
        sf.compare(tmp_path, ["a", "b"], truth="y")


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("y,p\n0,0\n1,1\n")
    (tmp_path / "b.csv").write_text("y,p\n0,0\n1,1\n")
    stream = open_stream(tmp_path)
    (tmp_path / "b.csv").unlink()
    assert stream.parts[0].read().n == 2
    with pytest.raises(InputError, match=r"b\.csv: the file is gone.*changed_file"):
        stream.parts[1].read()


def test_rows_of_csv_are_reckoned_from_its_first_lines(csv: Path, parquet: Path, tmp_path: Path) -> None:
    assert sum(part.rows for part in open_stream(parquet).parts) == 3000
    assert sum(part.rows for part in open_stream(csv).parts) == pytest.approx(3000, rel=1e-3)
    packed = tmp_path / "a.csv.gz"
    packed.write_bytes(gzip.compress(b"y,p\n0,0\n1,1\n1,1\n"))
    assert open_stream(packed).parts[0].rows == 3


def test_options_that_do_not_go_together(parquet: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'dask'"):
        sf.assess(parquet, truth="y", pred="a", engine="dusk")
    with pytest.raises(InputError, match="cluster="):
        sf.assess(parquet, truth="y", pred="a", engine="local", cluster="tcp://x:1")
    with pytest.raises(InputError, match="arrays were given"):
        sf.assess([0, 1], [0, 1], truth="y")
    with pytest.raises(InputError, match="a, b are not named like the labels"):
        sf.assess(parquet, truth="y", score=["p_a", "p_b"])
    with pytest.raises(InputError, match="neither a path nor"):
        assess_files([1, 2], truth="y")
    bad = parquet.parent / "zero.parquet"
    polars.DataFrame({"y": [0, 1], "p": [0, 1], "w": [0.0, 0.0]}).write_parquet(bad)
    with pytest.raises(InputError, match="zero in all"):
        sf.assess(bad, truth="y", pred="p", weights="w")


def test_merged_by_halves() -> None:
    assert merged(["a", "b", "c", "d", "e"]) == "abcde"


@pytest.mark.parametrize(
    ("low", "high", "guess"),
    [
        (0.0, 97.0, "a scale of 0-100?"),
        (-4.0, 4.0, "logits or decision values?"),
        (0.0, np.inf, "logits or decision values?"),
        (0.0, 700.0, "counts or decision values?"),
    ],
)
def test_scores_that_are_no_probabilities_get_the_same_guess_as_from_arrays(
    tmp_path: Path, low: float, high: float, guess: str
) -> None:
    y = np.arange(40) % 2
    s = np.where(np.arange(40) < 20, low, high) + np.arange(40) / 100
    polars.DataFrame({"y": y, "s": s}).write_parquet(tmp_path / "s.parquet")
    for a in (sf.assess(y, y_score=s), sf.assess_files(tmp_path / "s.parquet", truth="y", score="s")):
        (told,) = [f.sentence for f in a.findings if f.code == "no_labels"]
        assert guess in told
