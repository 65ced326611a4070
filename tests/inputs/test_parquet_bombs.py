"""Parquet files that are small on the disk and large in memory: refused from the footer, or read in parts."""

import io
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import surefold as sf
from surefold.cli.at_scale import wants_parts
from surefold.cli.main import main
from surefold.errors import InputError
from surefold.inputs import parquet_footer, streams
from surefold.inputs.parquet_footer import Footer, read_footer, unfolds_too_far
from surefold.inputs.streams import open_stream
from surefold.inputs.tables import read_table

TEXT = pa.large_string()


def footer_of(path: Path) -> Footer:
    with open(path, "rb") as file:
        return read_footer(file, str(path))


@pytest.fixture(name="bomb", scope="module")
def _bomb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """1.2 GB in well under a megabyte: a note of a million letters on each of 1,200 rows."""
    path = tmp_path_factory.mktemp("bomb") / "bomb.parquet"
    labels = pa.array(["a", "b"] * 50, TEXT)
    notes = pa.array(["x" * 1_000_000] * 100, TEXT)
    rows = pa.table({"y": labels, "p": labels, "s": np.tile([0.9, 0.2], 50), "note": notes})
    with pq.ParquetWriter(path, rows.schema, compression="zstd", use_dictionary=False) as writer:
        for _ in range(12):
            writer.write_table(rows)
    yield path
    path.unlink()


def test_it_is_refused_where_all_rows_are_held(bomb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert bomb.stat().st_size < 1e6
    told = r"1,200 rows that take 1\.2 GB once they are unpacked, from a file of 0\.\d MB"
    with pytest.raises(InputError, match=told) as caught:
        read_table(bomb)
    assert caught.value.code == "too_large"
    assert main(["evaluate", str(bomb), "--target", "y", "--model", "tree"]) == 2
    assert "[too_large]" in capsys.readouterr().err


def test_it_is_answered_where_rows_are_counted_in_parts(bomb: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert wants_parts(str(bomb), None, None, None)
    for words in (["assess", "--pred", "p"], ["assess", "--score", "s", "--pos-label", "a"]):
        assert main([words[0], str(bomb), "--truth", "y", *words[1:], "-q"]) == 0
        assert "1,200 rows" in capsys.readouterr().out
    with pytest.raises(InputError, match=r"rows 1 to 1,200 of 'note' take 1\.2 GB") as caught:
        sf.assess(str(bomb), truth="y", pred="note")
    assert caught.value.code == "too_large"


def test_a_column_that_is_too_large_to_look_at_is_still_there(bomb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    head = open_stream(bomb).head
    assert head.columns == ("y", "p", "s", "note")
    assert head.n == 1000
    assert head.column("note").null_count() == 1000
    assert head.column("note").dtype == pl.String
    assert head.column("y").null_count() == 0
    monkeypatch.setattr(streams, "MOST_OF_A_HEAD", 0)
    assert open_stream(bomb).head.n == 1000


@pytest.mark.parametrize("writer", ["polars", "polars, plain", "pyarrow", "pyarrow, version 2", "pyarrow, dictionary"])
def test_rows_times_width_counts_where_pages_are_tiny(tmp_path: Path, writer: str) -> None:
    """Ten million bytes of numbers, and as many rows of one word, whatever they take on the disk."""
    n, path = 1_250_000, tmp_path / "f.parquet"
    columns = {"x": np.zeros(n), "word": pl.repeat("yes", n, eager=True), "flag": np.ones(n, dtype=bool)}
    frame = pl.DataFrame(columns)
    if writer == "polars":
        frame.write_parquet(path)
    elif writer == "polars, plain":
        frame.write_parquet(path, compression="uncompressed", row_group_size=100_000, statistics="full")
    else:
        version = "2.0" if "2" in writer else "1.0"
        pq.write_table(frame.to_arrow(), path, use_dictionary="dictionary" in writer, data_page_version=version)
    footer = footer_of(path)
    assert sum(footer.rows) == n
    sizes = footer.between(0, n)
    assert list(sizes) == ["x", "word", "flag"]
    assert 8 * n <= sizes["x"] <= 8.1 * n
    assert 16 * n <= sizes["word"] <= 16.1 * n
    assert n <= sizes["flag"] <= 1.1 * n
    assert footer.bytes == sum(sizes.values())
    assert not unfolds_too_far(footer, path.stat().st_size)
    assert read_table(path).n == n


def test_a_footer_that_lies_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    frame = pl.DataFrame({"note": ["x" * 100_000] * 100})
    frame.write_parquet(path, use_pyarrow=True, pyarrow_options={"use_dictionary": False})
    honest = footer_of(path)
    assert honest.bytes > 10_000_000
    size = pq.ParquetFile(path).metadata.row_group(0).column(0).total_uncompressed_size
    written = bytes(varint(size << 1))
    data = path.read_bytes()
    start = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    assert data.count(written, start) >= 1
    lie = bytes(varint(1 << 7 * (len(written) - 1)))  # the least number of as many bytes
    path.write_bytes(data[:start] + data[start:].replace(written, lie))
    assert pq.ParquetFile(path).metadata.row_group(0).column(0).total_uncompressed_size < size / 2
    assert footer_of(path).bytes > 10_000_000


def varint(number: int) -> Iterator[int]:
    while number >= 128:
        yield number & 127 | 128
        number >>= 7
    yield number


def test_damaged_footers_are_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "f.parquet"
    pl.DataFrame({"y": ["a", "b"] * 50, "s": np.arange(100.0)}).write_parquet(path)
    whole = path.read_bytes()
    start = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    rng = np.random.default_rng(3)
    told = set()
    for _ in range(400):
        data = bytearray(whole)
        for at in rng.integers(start, len(whole), 3):
            data[at] = rng.integers(256)
        try:
            found = read_footer(io.BytesIO(data), "f.parquet")
            assert found.bytes >= 0
        except InputError as error:
            told.add(error.code)
    assert told == {"truncated_file"}
    for damaged in (b"PAR1", whole[:-1], whole[:-8] + b"\xff\xff\xff\x7fPAR1", b"PAR1" + b"\x1c" * 100 + whole[-8:]):
        with pytest.raises(InputError, match="its footer is damaged"):
            read_footer(io.BytesIO(damaged), "f.parquet")


def test_what_is_free_and_what_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    footer = Footer((1,), ({"x": 100},))
    monkeypatch.setattr(parquet_footer, "_FREE_BYTES", 50)
    assert unfolds_too_far(footer, 0)
    assert not unfolds_too_far(footer, 1)  # 200 times its size
    monkeypatch.setattr(parquet_footer, "MOST_BYTES", 99)
    assert unfolds_too_far(footer, 1)
