"""A file read in parts is the file read whole, wherever it is cut and whatever stands in it."""

import os
from pathlib import Path
from typing import Any

import polars
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import surefold as sf
from surefold.errors import InputError
from surefold.inputs.csv_cuts import _last_record, stretches
from surefold.inputs.streams import open_stream
from surefold.inputs.tables import read_table

#: Everything that means something in a CSV file, and a little that does not.
PIECES = (
    "a",
    "bb",
    ",",
    '"',
    '""',
    '","',
    "\n",
    "\r\n",
    "\r",
    "#",
    "\n#",
    " ",
    "é",
    '"a\nb"',
    '"a""b",',
    "a,b\n",
    "1,2\n",
)
#: Records of two fields, of which some are odd and all are good.
GOOD = (
    "a,b\n",
    '"a\nb",c\n',
    '5" pipe,a\n',
    'a,the 5" one\r\n',
    '"say ""so""",b\n',
    '"",a\n',
    ',"x\r\n\r\ny"\n',
    "\n",
    "é,ü\r",
    '#the 5" one\n',
    '#a,"b\n',
    'a#,b"\n',
    '" a", b\n',
)


def told(read: Any) -> Any:
    """The rows, or what was wrong: the code, and the line where a part and the whole both know it."""
    try:
        return read().rows()
    except InputError as error:
        return error.code, error.lines[:1], error.problem


def check(folder: Path, text: str, size: int, comment: str | None) -> None:
    path = folder / "a.csv"
    path.write_bytes(text.encode())

    def in_parts() -> polars.DataFrame:
        parts = open_stream(path, part_bytes=size, comment=comment, delimiter=",").parts
        assert [p.stop for p in parts[:-1]] == [p.start for p in parts[1:]]
        return polars.concat([part.read().frame for part in parts])

    whole = told(lambda: read_table(path, comment=comment, delimiter=",").frame)
    parts = told(in_parts)
    if whole[0] == "no_rows":
        assert parts[0] == "no_rows"
    else:
        assert parts == whole


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cuts")


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(GOOD), min_size=1, max_size=12), st.integers(1, 60))
def test_good_records_are_the_same_in_parts(folder: Path, records: list[str], size: int) -> None:
    check(folder, "x,y\n" + "".join(records), size, "#")


@settings(max_examples=500, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.integers(1, 40), st.sampled_from([None, "#"]))
@example(['"a""b",', "1,2\n"], 1, None)
def test_whatever_stands_in_a_file_both_ways_say_the_same(
    folder: Path, pieces: list[str], size: int, comment: str | None
) -> None:
    check(folder, "x,y\n" + "".join(pieces), size, comment)


def test_every_place_of_a_cut(folder: Path) -> None:
    text = "x,y\n" + "".join(GOOD) * 2
    for size in range(1, len(text)):
        check(folder, text, size, "#")


@pytest.mark.parametrize("stray", ['y,p\n0,0\n#5" pipe\n', 'y,p,note\n0,0,5" pipe\n', 'y,p,note\n1,1,"open\n'])
def test_each_byte_is_looked_at_once_after_a_stray_quote(
    stray: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Counted, not timed: the bytes given to the search for ends of records are those of the file."""
    path = tmp_path / "a.csv"
    record = "0,1,x\n" if "note" in stray else "0,1\n"
    path.write_text(stray + record * 20_000)
    seen: list[int] = []

    def counted(block: bytes, *more: Any) -> tuple[int, bool]:
        seen.append(len(block))
        return _last_record(block, *more)

    monkeypatch.setattr("surefold.inputs.csv_cuts._last_record", counted)
    start = stray.index("\n") + 1
    found = list(stretches(str(path), start, os.path.getsize(path), 1000, ",", "#"))
    assert sum(seen) == os.path.getsize(path) - start
    assert len(found) == (1 if "open" in stray else len(seen))


def test_a_stray_quote_is_text_in_parts_too(tmp_path: Path) -> None:
    rows = [f'{i % 2},{i % 2},"two\nlines {i}"\n' for i in range(70_000)]  # 1.5 MB
    rows[1000] = '1,0,the 5" pipe\n'
    path = tmp_path / "a.csv"
    path.write_text("y,p,note\n" + "".join(rows))
    parts = sf.assess(path, truth="y", pred="p", memory="1MB")
    whole = read_table(path)
    assert parts.confusion == sf.assess(whole.column("y"), whole.column("p")).confusion


@pytest.mark.parametrize("last", ["1,0,", "1,0,\n", "1,0,,"])
def test_an_empty_field_too_many_is_told_at_the_end_of_a_file_too(tmp_path: Path, last: str) -> None:
    (tmp_path / "a.csv").write_text(f"y,p\n1,1\n{last}")
    for read in (read_table, lambda path: open_stream(path).parts[0].read()):
        with pytest.raises(InputError) as caught:
            read(tmp_path / "a.csv")
        assert (caught.value.code, caught.value.lines) == ("long_row", (3,))


def test_comments_and_blank_lines_may_fill_a_part(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y,p\n0,0\n" + '#a "quoted" word\n' * 40_000 + "1,1\n" + "\n" * 400_000)
    a = sf.assess(path, truth="y", pred="p", comment="#", memory="1MB")
    assert (a.n, a["accuracy"].value) == (2, 1)
    path.write_text("y,p\n" + "#\n" * 400_000)
    with pytest.raises(InputError, match="no_rows"):
        sf.assess(path, truth="y", pred="p", comment="#", memory="1MB")


def test_a_header_may_be_longer_than_what_is_looked_at_first(tmp_path: Path) -> None:
    """A megabyte is looked at first: here the header is longer, in one line, in quotes, or after comments."""
    wide, quoted, late = tmp_path / "wide.csv", tmp_path / "quoted.csv", tmp_path / "late.csv"
    wide.write_text("y,p," + "ü" * 700_000 + "\n0,0,a\n1,1,b\n")
    quoted.write_text('y,p,"' + "c\n" * 700_000 + '"\n0,0,a\n1,1,b\n')
    late.write_text("#\n" * 700_000 + "y,p\n0,0\n1,1\n")
    for path in (wide, quoted, late):
        stream = open_stream(path, comment="#")
        assert stream.columns == read_table(path, comment="#").columns
        assert [part.read().n for part in stream.parts] == [2]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "utf-32-be", "ascii"])
def test_other_encodings_are_the_same_in_parts(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.csv"
    mark = "\ufeff" if encoding == "utf-32-be" else ""
    path.write_bytes(f"{mark}y,p\n{'0,0' if encoding == 'ascii' else 'é,é'}\n".encode(encoding))
    said = encoding if encoding == "ascii" else None
    assert open_stream(path, encoding=said).parts[0].read().frame.rows() == read_table(path, encoding=said).frame.rows()
    path.write_text("y,p\né,é\n")
    for read in (open_stream, read_table):
        with pytest.raises(InputError, match="bad_encoding"):
            read(path, encoding="ascii")


def test_a_mark_within_a_file_is_text(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("y,p\n0,0\n\ufeffb,1\n")
    parts = open_stream(path, part_bytes=1).parts
    assert [part.read().frame.rows() for part in parts] == [[("0", "0")], [("\ufeffb", "1")]]


def test_a_fault_is_put_at_its_line_in_parts(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b'"x\n",y\r' + b'"a\nb",c\r' * 50 + b"d,\xff\n" + b"a,b\n" * 50)
    lines = []
    for read in (lambda: read_table(path), lambda: [part.read() for part in open_stream(path, part_bytes=20).parts]):
        with pytest.raises(InputError, match="bad_encoding") as caught:
            read()
        lines.append(caught.value.lines)
    assert lines[0] == lines[1]
