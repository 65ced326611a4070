"""Section D of BAD_INPUTS.md: one test a row, named by it; then columns and fuzz."""

from __future__ import annotations

import gzip
import io
import os
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from surefold.errors import InputError
from surefold.inputs import Predictions
from surefold.inputs import files as files_module
from surefold.inputs.columns import Columns, find_columns, predictions_from_table
from surefold.inputs.tables import Table, read_table


@pytest.fixture
def write(tmp_path: Path) -> Any:
    def to_file(data: bytes | str, name: str = "p.csv") -> Path:
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return to_file


def predictions(path: Path, columns: Columns | None = None, *, decimal: str = ".", **options: Any) -> Predictions:
    table = read_table(path, decimal=decimal)
    return predictions_from_table(table, columns or find_columns(table), **options)


def refusal(code: str, call: Any, *args: Any, **options: Any) -> InputError:
    with pytest.raises(InputError) as caught:
        call(*args, **options)
    assert caught.value.code == code, str(caught.value)
    assert caught.value.source
    return caught.value


def codes(p: Predictions | Table) -> set[str]:
    return {f.code for f in p.findings}


def test_d1_utf8_bom(write: Any) -> None:
    assert read_table(write(b"\xef\xbb\xbfy,pred\n1,0\n")).columns == ("y", "pred")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_d2_utf16(write: Any, encoding: str) -> None:
    text = ("\ufeff" if encoding == "utf-16-be" else "") + "y,pred\né,é\n"
    table = read_table(write(text.encode(encoding)))
    assert table.column("y").to_list() == ["é"]
    assert "encoding" in codes(table)


def test_d2_utf16_without_bom(write: Any) -> None:
    path = write("y,pred\n1,0\n".encode("utf-16-le"))
    assert "--encoding utf-16-le" in str(refusal("bad_encoding", read_table, path))
    assert read_table(path, encoding="utf-16-le").columns == ("y", "pred")


def test_d3_latin1(write: Any) -> None:
    path = write("y,pred\na,a\né,é\n".encode("latin-1"))
    error = refusal("bad_encoding", read_table, path)
    assert error.lines == (3,)
    assert "--encoding latin-1" in str(error)
    assert read_table(path, encoding="latin-1").column("y").to_list() == ["a", "é"]


@pytest.mark.parametrize("encoding", ["no-such", "rot13", "zlib"])
def test_d3_unknown_encoding(write: Any, encoding: str) -> None:
    refusal("bad_option", read_table, write("y,p\n1,0\n"), encoding=encoding)


def test_d4_long_row(write: Any) -> None:
    error = refusal("long_row", read_table, write("y,s\n1,.5\n0,.5,7\n"))
    assert (error.rows, error.lines) == ((2,), (3,))
    assert "3 fields where the header has 2, in '0,.5,7'" in str(error)


def test_d5_short_row(write: Any) -> None:
    error = refusal("short_row", read_table, write('y,s\n"1,2",.5\n0\n'))
    assert (error.rows, error.lines) == ((2,), (3,))


def test_d6_duplicate_columns(write: Any) -> None:
    path = write("y,y,pred,extra,extra\n1,0,1,a,b\n0,0,1,a,b\n")
    refusal("duplicate_column", predictions, path, Columns("y", "pred"))
    assert predictions(write("y,pred,extra,extra\n1,1,a,b\n0,0,a,b\n"), Columns("y", "pred")).n == 2


@pytest.mark.parametrize("data", ["y,pred\n", "y,pred", "y,pred\n\n\n", "y,pred\r\n  \r\n"])
def test_d7_header_only(write: Any, data: str) -> None:
    assert "0 data rows" in str(refusal("no_rows", read_table, write(data)))


@pytest.mark.parametrize("data", [b"", b" \n\t\n", gzip.compress(b"", mtime=0), b"\xef\xbb\xbf"])
def test_d8_empty_file(write: Any, data: bytes) -> None:
    refusal("empty_file", read_table, write(data))


def test_d10_semicolon_and_decimal_comma(write: Any) -> None:
    path = write("y;s\n1;0,9\n0;0,1\n")
    error = refusal("decimal_comma", predictions, path)
    assert "--decimal ," in str(error)
    assert (error.rows, error.lines) == ((1, 2), (2, 3))
    p = predictions(path, decimal=",")
    assert p.scores is not None
    assert p.scores.tolist() == [0.9, 0.1]
    assert "delimiter" in codes(p)


def test_d11_tabs(write: Any) -> None:
    table = read_table(write("y\tpred\n1\t0\n"))
    assert table.columns == ("y", "pred")
    assert "delimiter" in codes(table)
    assert "delimiter" not in codes(read_table(write("y\tpred\n1\t0\n", "p.tsv")))


def test_d11_a_delimiter_can_be_said(write: Any) -> None:
    assert read_table(write("a|b,c\n1|2,3\n"), delimiter="|").columns == ("a", "b,c")
    with pytest.raises(InputError, match="bad_option"):
        read_table(write("a,b\n1,2\n"), delimiter="::")


def test_d12_newline_in_quotes(write: Any) -> None:
    table = read_table(write('y,s\n"a\nb",.5\n"c\n\nd",x\n"e",.1\n'))
    assert table.column("y").to_list() == ["a\nb", "c\n\nd", "e"]
    assert [table.line_of(r) for r in (1, 2, 3)] == [2, 4, 7]
    error = refusal("number_format", predictions_from_table, table, Columns("y", scores=("s",)), pos_label="e")
    assert (error.rows, error.lines) == ((2,), (4,))


def test_d13_unclosed_quote(write: Any) -> None:
    assert refusal("unclosed_quote", read_table, write('y,s\na,.5\n"b,.5\nc,.5\nd,.5\n')).lines == (3,)
    assert refusal("unclosed_quote", read_table, write('y,s\n"a\nb","c\nd\n')).lines == (3,)


def test_d13_text_after_a_closing_quote(write: Any) -> None:
    assert refusal("unclosed_quote", read_table, write('y,s\n"a"b,.5\n')).lines == (2,)


def test_d13_quotes_inside_are_literal(write: Any) -> None:
    assert read_table(write('y,s\n5" pipe,1\n"say ""hi""",2\n')).column("y").to_list() == ['5" pipe', 'say "hi"']


def test_d14_nul(write: Any) -> None:
    assert refusal("nul_byte", read_table, write(b"y,pred\na,a\nb\0,b\nccccc,ccccc\n")).lines == (3,)


def test_d17_true_false_in_mixed_case(write: Any) -> None:
    p = predictions(write("y,pred\nTrue,true\nfalse,False\n"))
    assert p.labels == ("False", "True", "false", "true")
    assert "near_equal_labels" in codes(p)


def test_d17_text_is_left_as_it_is(write: Any) -> None:
    assert predictions(write("y,pred\n007,007\nNA,NA\nTrue,1e5\n")).labels == ("007", "1e5", "NA", "True")


def test_d18_mixed_kinds(write: Any) -> None:
    assert "mixed_kinds_of_text" in codes(predictions(write("y,pred\n1,1\nb,b\n2.0,2.0\n")))


def test_d19_header_with_space(write: Any) -> None:
    p = predictions(write("y, s\n1,.5\n0,.25\n"), Columns("y", scores=("s",)))
    assert p.scores is not None
    assert "header_spaces" in codes(p)


def test_d20_infinities(write: Any) -> None:
    p = predictions(write("y,s\n1,inf\n0,.5\n0,-Infinity\n"))
    assert p.scores is not None
    assert p.scores.tolist() == [np.inf, 0.5, -np.inf]
    assert "infinite_scores" in codes(p)
    assert refusal("number_format", predictions, write("y,s\n1,.5\n0,1e400\n")).lines == (3,)


@pytest.mark.parametrize("blank", ["", " ", '""', "nan"])
def test_d21_blank_score(write: Any, blank: str) -> None:
    path = write(f"y,s\n1,.5\n0,{blank}\n1,.7\n")
    assert refusal("missing_score", predictions, path).lines == (3,)
    p = predictions(path, drop_missing=True)
    assert p.rows is not None
    assert p.rows.tolist() == [1, 3]


def test_d21_blank_label_is_missing_and_quoted_blank_is_empty_text(write: Any) -> None:
    assert refusal("missing_label", predictions, write("y,pred\na,a\n,b\n")).lines == (3,)
    for end in ("\n", "\r", "\n\n"):  # the fast reader and the slow one
        p = predictions(write(f'y,pred{end}a,a{end}"",a{end}'))
        assert p.labels == ("", "a")


def test_d22_thousands(write: Any) -> None:
    error = refusal("number_format", predictions, write('y,s\n1,.5\n0,"1,234.5"\n'))
    assert error.lines == (3,)
    assert "thousands" in str(error)


@pytest.mark.parametrize("ends", [("\r\n", "\r", "\n"), ("\r", "\r", "\r"), ("\r\n", "\r\n", "\r\n")])
def test_d23_line_ends(write: Any, ends: tuple[str, str, str]) -> None:
    table = read_table(write(f"y,s{ends[0]}1,.5{ends[1]}0,x{ends[2]}"))
    assert table.column("y").to_list() == ["1", "0"]
    assert refusal("number_format", predictions_from_table, table, Columns("y", scores=("s",))).lines == (3,)


def test_d24_blank_lines_are_no_rows(write: Any) -> None:
    table = read_table(write("\n\ny,s\n\n1,.5\n   \n0,x\n\n\n"))
    assert table.n == 2
    assert refusal("number_format", predictions_from_table, table, Columns("y", scores=("s",))).lines == (7,)


def test_d25_comment(write: Any) -> None:
    path = write("# made by x\ny,s\n1,.5\n# half way\n0,.25\n")
    assert "--comment '#'" in str(refusal("comment_line", read_table, path))
    table = read_table(path, comment="#")
    assert table.columns == ("y", "s")
    assert [table.line_of(1), table.line_of(2)] == [3, 5]
    assert read_table(write("#id,y\n1,2\n")).columns == ("#id", "y")


def test_d26_gz(write: Any) -> None:
    assert read_table(write(gzip.compress(b"y,pred\n1,0\n"), "p.csv.gz")).n == 1


@pytest.mark.parametrize("cut", [1, 5, 9, 40])
def test_d27_truncated_gz(write: Any, cut: int) -> None:
    refusal("truncated_file", read_table, write(gzip.compress(b"y,pred\n" + b"1,0\n" * 5000)[:-cut], "p.csv.gz"))


def test_d27_damaged_gz(write: Any) -> None:
    data = bytearray(gzip.compress(b"y,pred\n" + b"1,0\n" * 5000))
    data[-6] ^= 255
    refusal("truncated_file", read_table, write(bytes(data), "p.csv.gz"))


def test_d29_bomb(write: Any) -> None:
    refusal("compressed_too_far", read_table, write(gzip.compress(b"y,pred\n" + b"0" * (80 << 20)), "p.csv.gz"))


def test_d29_too_large(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files_module, "MOST_BYTES", 8)
    refusal("too_large", read_table, write("y,pred\n1,0\n"))


def test_d30_only_local_regular_files(tmp_path: Path, write: Any) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "a directory" in str(refusal("not_a_file", read_table, tmp_path))
    assert "a named pipe" in str(refusal("not_a_file", read_table, tmp_path / "pipe"))
    assert "nothing is fetched" in str(refusal("not_a_file", read_table, "https://example.org/p.csv"))
    assert "a device" in str(refusal("not_a_file", read_table, "/dev/null"))
    write("y,p\n1,0\n", "predictions.csv")
    assert "did you mean" in str(refusal("not_a_file", read_table, tmp_path / "prediction.csv"))
    refusal("not_a_file", read_table, "a\0b")
    (tmp_path / "link.csv").symlink_to(tmp_path / "predictions.csv")
    assert read_table(tmp_path / "link.csv").n == 1


def test_d31_parquet(tmp_path: Path) -> None:
    frame = pl.DataFrame({"y": [1, 0, 1], "pred": [1, 1, 1], "score": [0.9, 0.6, 0.7]})
    frame.write_parquet(tmp_path / "p.parquet")
    p = predictions(tmp_path / "p.parquet", pos_label="1", labels=["0", "1"])
    assert p.labels == (0, 1)
    assert p.positive == 1
    assert p.scores is not None
    assert p.scores.tolist() == [0.9, 0.6, 0.7]


def test_d31_damaged_parquet(tmp_path: Path, write: Any) -> None:
    frame = pl.DataFrame({"y": [1, 0, 1]})
    frame.write_parquet(tmp_path / "p.parquet")
    refusal("truncated_file", read_table, write((tmp_path / "p.parquet").read_bytes()[:-9], "q.parquet"))
    frame.clear().write_parquet(tmp_path / "p.parquet")
    refusal("no_rows", read_table, tmp_path / "p.parquet")


def test_d32_npy(tmp_path: Path) -> None:
    np.save(tmp_path / "o.npy", np.array([1, "a"], dtype=object), allow_pickle=True)
    refusal("pickle", read_table, tmp_path / "o.npy")
    np.save(tmp_path / "i.npy", np.array([1, 2]))
    refusal("unknown_file_type", read_table, tmp_path / "i.npy")


@pytest.mark.parametrize("name", ["m.pkl", "m.pickle", "m.joblib", "M.PKL", "m.pkl.gz"])
def test_d33_pickles_are_not_opened(write: Any, name: str) -> None:
    refusal("pickle", read_table, write("y,pred\n1,0\n", name))


def test_d33_pickle_by_content(write: Any) -> None:
    refusal("pickle", read_table, write(b"\x80\x04\x95\x00"))


def test_d33_other_files(write: Any) -> None:
    assert "a spreadsheet" in str(refusal("unknown_file_type", read_table, write(b"PK\x03\x04rest", "p.xlsx")))
    refusal("unknown_file_type", read_table, write(b"%PDF-1.7"))


def test_d34_changed_while_read(write: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("y,pred\n1,0\n")
    real = os.fstat

    def before(descriptor: int) -> os.stat_result:
        status = real(descriptor)
        path.write_bytes(b"y,pred\n1,0\n0,0\n")
        return status

    monkeypatch.setattr(os, "fstat", before)
    refusal("changed_file", read_table, path)


def test_sha256_is_of_the_file(write: Any) -> None:
    import hashlib

    packed = gzip.compress(b"y,pred\n1,0\n")
    assert read_table(write(packed)).sha256 == hashlib.sha256(packed).hexdigest()


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"y,pred\n1,0\n0,\n")))
    table = read_table("-")
    assert table.path == "standard input"
    assert refusal("missing_label", predictions_from_table, table, find_columns(table)).lines == (3,)


def test_long_lines(write: Any) -> None:
    label = "x" * 300_000
    assert read_table(write(f'y,pred\n{label},a\n"{label}""",a\n\nb,b\n')).column("y").to_list()[0] == label


def test_unknown_column(write: Any) -> None:
    error = refusal("unknown_column", read_table(write("truth,pred\n1,0\n")).column, "Truht")
    assert "did you mean 'truth'?" in str(error)
    assert "'truth', 'pred'" in str(error)


@pytest.mark.parametrize(
    ("header", "row", "expected"),
    [
        ("id,y_true,y_pred", "1,a,a", Columns("y_true", "y_pred", (), True)),
        ("Actual,Predicted,Score", "a,b,0.3", Columns("Actual", "Predicted", ("Score",), True)),
        ("label,prob", "1,0.3", Columns("label", None, ("prob",), True)),
        ("target,p_a,p_b,p_c", "a,0.3,0.3,0.4", Columns("target", None, ("p_a", "p_b", "p_c"), True)),
        ("target,logreg", "1,0.25", Columns("target", None, ("logreg",), True)),
        ("target,logreg", "cat,cat", Columns("target", "logreg", (), True)),
    ],
)
def test_columns_are_guessed(write: Any, header: str, row: str, expected: Columns) -> None:
    assert find_columns(read_table(write(f"{header}\n{row}\n{row}\n"))) == expected


def test_the_guess_is_echoed(write: Any) -> None:
    p = predictions(write("y_true,y_pred\n1,0\n0,0\n"))
    sentence = next(f.sentence for f in p.findings if f.code == "guessed_columns")
    assert sentence == "truth=y_true  pred=y_pred; override with --truth/--pred/--score"


def test_columns_that_were_said_are_no_guess(write: Any) -> None:
    table = read_table(write("a,b,c\n1,0,0.5\n"))
    assert find_columns(table, "a", "b", "c") == Columns("a", "b", ("c",))
    assert find_columns(table, "a", score="c") == Columns("a", None, ("c",))
    refusal("unknown_column", find_columns, table, "a", "x")


@pytest.mark.parametrize(
    ("data", "part"),
    [
        ("churned,model\nno,yes\n", "say which with --truth"),
        ("1,0\n0,1\n", "is the header line missing?"),
        ("y,m1,m2\na,a,a\nb,b,b\n", "'m1' or 'm2' could hold the prediction"),
        ("y,Y,pred\na,a,a\n", "'y' or 'Y' could hold the truth"),
        ("y,other\na,zzz\n", "--pred or --score"),
    ],
)
def test_no_guess(write: Any, data: str, part: str) -> None:
    assert part in str(refusal("unknown_column", find_columns, read_table(write(data))))


def test_score_columns_are_matched_to_labels_by_name(write: Any) -> None:
    p = predictions(write("truth,p_b,p_a,p_c\na,.3,.5,.2\nb,.8,.1,.1\nc,.2,.2,.6\n"))
    assert p.scores is not None
    assert p.scores[0].tolist() == [0.5, 0.3, 0.2]


def test_errors_name_column_file_and_lines(write: Any) -> None:
    path = write("y,pred,w,g\na,a,1,x\nb,b,-1,x\n")
    error = refusal("negative_weight", predictions, path, Columns("y", "pred"), weight="w")
    assert str(error).startswith(f"{path}: ")
    assert error.lines == (3,)
    p = predictions(path, Columns("y", "pred"), group="g")
    assert p.groups is not None
    assert p.groups.tolist() == [0, 0]


def test_whole_numbers_meet_with_cast_labels(write: Any) -> None:
    path = write("y,pred\n1,1.0\n0,0.0\n")
    assert "near_equal_labels" in codes(predictions(path, Columns("y", "pred")))
    p = predictions(path, Columns("y", "pred"), cast_labels=True)
    assert p.labels == ("0", "1")
    assert p.pos_label == "1"


@given(st.binary(max_size=60) | st.text('ab,;"\n\r\t# 1.', max_size=40).map(str.encode))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@example(b'y,"\n')
@example(b"\r")
@example(b"\x01\r\x01\n\t")
@example(b'1\r#\n""')
@example(b'a,b\n"\r"\n')
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "fuzz.csv"
    path.write_bytes(data)
    for options in ({}, {"comment": "#"}, {"encoding": "latin-1", "decimal": ","}):
        try:
            table = read_table(path, **options)
            assert table.n >= 1
            assert len(table.columns) == table.frame.width
            lines = [table.line_of(r) or 0 for r in range(1, table.n + 1)]
            assert lines == sorted(set(lines))
            assert lines[0] > 1
            predictions_from_table(table, find_columns(table))
        except InputError:
            continue


_FIELD = st.text(st.sampled_from('ab,;"\n\r\té '), max_size=5)


@given(st.lists(st.tuples(_FIELD, _FIELD), min_size=1, max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_was_written_quoted_is_read_back(tmp_path: Path, rows: list[tuple[str, str]]) -> None:
    def quoted(text: str) -> str:
        return '"' + text.replace('"', '""') + '"'

    path = tmp_path / "quoted.csv"
    path.write_bytes("".join(f"{quoted(a)},{quoted(b)}\n" for a, b in [("left", "right"), *rows]).encode())
    table = read_table(path, delimiter=",")
    assert table.column("left").to_list() == [a for a, _ in rows]
    assert table.column("right").to_list() == [b for _, b in rows]


def test_labels_and_positive_class_typed_for_a_parquet_file(tmp_path: Path) -> None:
    pl.DataFrame({"y": [True, False], "pred": [True, True], "t": ["a", "b"]}).write_parquet(tmp_path / "p.parquet")
    p = predictions(tmp_path / "p.parquet", Columns("y", "pred"), pos_label="false")
    assert p.pos_label is False
    error = refusal("number_format", predictions, tmp_path / "p.parquet", Columns("y", scores=("t",)))
    assert error.lines == ()
    q = predictions(tmp_path / "p.parquet", Columns("y", scores=("pred",)))
    assert q.scores is not None
    assert q.scores.tolist() == [1.0, 1.0]


def test_numbers_given_as_pos_label_meet_the_text_of_a_file(write: Any) -> None:
    assert predictions(write("y,pred\n1,2\n2,2\n"), pos_label=2).pos_label == "2"


def test_options_of_the_reader(write: Any) -> None:
    for options in ({"decimal": "x"}, {"comment": ""}, {"delimiter": '"'}):
        with pytest.raises(InputError, match="bad_option"):
            read_table(write("y,pred\n1,0\n"), **options)
