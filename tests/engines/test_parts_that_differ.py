"""Parts of one set of rows that were written differently: types, headers, and files beside the tables."""

import decimal
import os
from pathlib import Path
from typing import Any

import polars
import pytest

import surefold as sf
from surefold.engines.rows import open_rows
from surefold.errors import InputError
from tests.engines.conftest import make_rows


def codes(found: Any) -> set[str]:
    return {f.code for f in found.findings}


def told(found: Any, code: str) -> str:
    return str(next(f.sentence for f in found.findings if f.code == code))


# groups


@pytest.mark.parametrize(
    "kind",
    [polars.Float64, polars.Float32, polars.Int16, polars.UInt64, polars.Decimal(10, 2)],
    ids=str,
)
def test_a_number_is_the_same_group_whatever_its_type(kind: Any, rows: polars.DataFrame, tmp_path: Path) -> None:
    rows[:1500].write_parquet(tmp_path / "0.parquet")
    rows[1500:].with_columns(polars.col("g").cast(kind)).write_parquet(tmp_path / "1.parquet")
    a = sf.assess(tmp_path, truth="y", pred="a", score="p_a", groups="g")
    b = sf.assess(rows["y"], rows["a"], y_score=rows["p_a"], groups=rows["g"])
    for name in ("accuracy", "roc_auc"):
        assert a[name].interval == pytest.approx(b[name].interval, rel=1e-9)
    assert "60 groups" in told(a, "grouped")


def test_fractions_meet_whole_numbers(rows: polars.DataFrame, tmp_path: Path) -> None:
    groups = rows["g"].cast(polars.Float64) / 2  # 0, 0.5, 1, …
    whole = rows.with_columns(g=groups).filter(groups == groups.floor())
    rest = rows.with_columns(g=groups).filter(groups != groups.floor())
    whole[:100].with_columns(polars.col("g").cast(polars.Int64)).write_parquet(tmp_path / "0.parquet")
    polars.concat([whole[100:], rest]).write_parquet(tmp_path / "1.parquet")
    assert "60 groups" in told(sf.assess(tmp_path, truth="y", pred="a", groups="g"), "grouped")


def test_groups_that_are_text_in_some_files_are_refused(rows: polars.DataFrame, tmp_path: Path) -> None:
    rows[:1500].write_parquet(tmp_path / "0.parquet")
    rows[1500:].with_columns(polars.col("g").cast(polars.String)).write_parquet(tmp_path / "1.parquet")
    with pytest.raises(InputError, match=r"groups are Int64 in one part and String in another.*mixed_group_types"):
        sf.assess(tmp_path, truth="y", pred="a", groups="g")


# labels and scores


@pytest.mark.parametrize(("column", "code"), [("a", "missing_label"), ("p_a", "missing_score")])
def test_a_column_of_nulls_alone(column: str, code: str, rows: polars.DataFrame, tmp_path: Path) -> None:
    rows[:1500].write_parquet(tmp_path / "0.parquet")
    rows[1500:].with_columns(polars.lit(None).alias(column)).write_parquet(tmp_path / "1.parquet")
    asked: dict[str, Any] = {"truth": "y", "pred": "a", "score": "p_a"}
    with pytest.raises(InputError, match=rf"1\.parquet: .*1,500 rows, first at rows 1, 2, 3.*{code}"):
        sf.assess(tmp_path, **asked)
    a = sf.assess(tmp_path, **asked, drop_missing=True)
    b = sf.assess(rows["y"][:1500], rows["a"][:1500], y_score=rows["p_a"][:1500])
    assert a.confusion == b.confusion
    assert a["roc_auc"].interval == pytest.approx(b["roc_auc"].interval)


def test_a_part_whose_rows_are_all_dropped_has_no_say_in_types(tmp_path: Path) -> None:
    polars.DataFrame({"y": [0, 1, 1], "p": [0, 1, 0]}).write_parquet(tmp_path / "0.parquet")
    polars.DataFrame({"y": ["a", "b"], "p": [None, None]}).write_parquet(tmp_path / "1.parquet")
    a = sf.assess(tmp_path, truth="y", pred="p", drop_missing=True)
    assert (a.n, a.labels) == (3, (0, 1))


def test_whole_floats_beyond_64_bits(tmp_path: Path) -> None:
    y = [2.0**64, 1.0, 2.0**64, 1.0]
    polars.DataFrame({"y": y, "p": y[::-1]}).write_parquet(tmp_path / "a.parquet")
    assert sf.assess(tmp_path, truth="y", pred="p").labels == sf.assess(y, y[::-1]).labels == (1, 2**64)


def test_bools_in_some_files_and_numbers_in_others_are_told(tmp_path: Path) -> None:
    polars.DataFrame({"y": [0, 1, 1], "p": [0, 1, 0]}).write_parquet(tmp_path / "0.parquet")
    polars.DataFrame({"y": [0, 1], "p": [False, True]}).write_parquet(tmp_path / "1.parquet")
    a = sf.assess(tmp_path, truth="y", pred="p")
    assert float(a["accuracy"]) == 4 / 5
    assert told(a, "bool_as_int") == "column 'p' mixes bools and numbers; True was read as 1 and False as 0."


# headers and forms


def test_what_the_beginnings_of_all_files_tell(tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("y,p,q\n0,0,0\n1,1,1\n")
    (tmp_path / "1.csv").write_text("y; p;q\n0;1;1\n1;1;0\n")
    for found in (sf.assess(tmp_path, truth="y", pred="p"), sf.compare(tmp_path, ["p", "q"], truth="y")):
        assert "1.csv: The file is separated by" in told(found, "delimiter")
        assert "Column 'p' was matched to the header ' p' in" in told(found, "header_spaces")
    (tmp_path / "1.csv").write_bytes("y,p,q\n0,1,1\n".encode("utf-16"))
    assert "UTF-16" in told(sf.assess(tmp_path, truth="y", pred="p"), "encoding")


def test_spaces_in_the_header_of_the_first_file(tmp_path: Path) -> None:
    (tmp_path / "0.csv").write_text("y, p ,w \n0,0,1\n1,1,2\n")
    found = sf.assess(tmp_path, truth="y", pred="p", weights="w")
    assert [f.evidence["column"] for f in found.findings if f.code == "header_spaces"] == [" p ", "w "]


def test_spaces_in_the_header_of_a_parquet_file(tmp_path: Path) -> None:
    polars.DataFrame({"y": [0, 1, 1], "p": [0, 1, 0]}).write_parquet(tmp_path / "0.parquet")
    polars.DataFrame({"y": [0, 1], " p": [0, 1]}).write_parquet(tmp_path / "1.parquet")
    found = sf.assess(tmp_path, truth="y", pred="p")
    assert float(found["accuracy"]) == 4 / 5
    assert "header_spaces" in codes(found)


# which files


def test_files_that_do_not_look_like_tables_are_told(tmp_path: Path) -> None:
    table = polars.DataFrame({"y": [0, 1, 1], "p": [0, 1, 0]})
    table.write_parquet(tmp_path / "a.parquet")
    assert "files_passed_over" not in codes(sf.assess(tmp_path, truth="y", pred="p"))
    for name in ("b.parq", "part-0000", "_SUCCESS", ".a.parquet.crc"):
        table.write_parquet(tmp_path / name)
    found = sf.assess(tmp_path, truth="y", pred="p")
    assert found.n == 3
    assert told(found, "files_passed_over") == f"2 files passed over: {tmp_path}/b.parq, {tmp_path}/part-0000."
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(InputError, match=r"holds no CSV or Parquet file, by their names; it holds 'b\.parq'"):
        sf.assess(tmp_path, truth="y", pred="p")


def test_a_link_that_leads_nowhere_is_refused(tmp_path: Path) -> None:
    polars.DataFrame({"y": [0, 1, 1], "p": [0, 1, 0]}).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.parquet").symlink_to("gone.parquet")
    with pytest.raises(InputError, match=r"b\.parquet: the link leads to 'gone\.parquet', which is not there"):
        sf.assess(tmp_path, truth="y", pred="p")


def test_a_file_is_counted_once(tmp_path: Path) -> None:
    polars.DataFrame({"y": [0, 1, 1], "p": [0, 1, 0]}).write_parquet(tmp_path / "a.parquet")
    (tmp_path / "b.parquet").symlink_to("a.parquet")
    os.link(tmp_path / "a.parquet", tmp_path / "c.parquet")
    found = sf.assess(tmp_path, truth="y", pred="p")
    assert found.n == 3
    assert f"2 files passed over: {tmp_path}/b.parquet (the same file as {tmp_path}/a.parquet)" in told(
        found, "files_passed_over"
    )


def test_a_list_of_paths(parquet: Path) -> None:
    paths = sorted(parquet.glob("*.parquet"))
    whole = sf.assess(parquet, truth="y", pred="a")
    for given in (paths, [str(path) for path in paths], tuple(paths)):
        assert sf.assess(given, truth="y", pred="a").confusion == whole.confusion
    compared = sf.compare([str(path) for path in paths], ["a", "b"], truth="y").differences[0]
    assert compared.effect.interval == sf.compare(parquet, ["a", "b"], truth="y").differences[0].effect.interval
    twice = sf.assess([paths[0], paths[0]], truth="y", pred="a")
    assert twice.n == 500
    assert "the same file as" in told(twice, "files_passed_over")
    assert open_rows(paths).source == f"{paths[0]} and 2 more"


def test_a_list_of_text_is_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cat").write_text("")
    assert float(sf.assess(["cat", "dog"] * 5, ["cat", "dog"] * 5)["accuracy"]) == 1
    with pytest.raises(InputError, match="arrays were given"):
        sf.assess([1, 0], truth="y")


def test_decimals_of_groups_are_numbers(tmp_path: Path) -> None:
    rows = make_rows(200)
    wide = polars.Series("g", [decimal.Decimal(int(g)) for g in rows["g"]], dtype=polars.Decimal(30, 4))
    rows[:100].write_parquet(tmp_path / "0.parquet")
    rows.with_columns(wide)[100:].write_parquet(tmp_path / "1.parquet")
    a = sf.assess(tmp_path, truth="y", pred="a", groups="g")
    assert a["accuracy"].interval == pytest.approx(
        sf.assess(rows["y"], rows["a"], groups=rows["g"])["accuracy"].interval
    )
