"""Files and labels far larger than what is needed of them: refused or shown without being held whole, or many times."""

import io
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import surefold as sf
from surefold.cli.main import main
from surefold.errors import InputError
from surefold.inputs.streams import open_stream
from surefold.inputs.tables import read_table
from surefold.report.records import csv_of


def peak(work: Callable[[], Any]) -> float:
    """Megabytes that were held at once."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("beginning", "line"), [
    ("", 1), ("y,p\na,a\nb,b\n", 4), ("y,p\n" + "a,b\n" * 2_000_000, 2_000_002),
])  # fmt: skip
def test_a_sparse_file_is_refused_at_its_first_hole(tmp_path: Path, beginning: str, line: int) -> None:
    path = tmp_path / "sparse.csv"
    path.write_text(beginning)
    os.truncate(path, 2 << 30)

    def refused() -> None:
        with pytest.raises(InputError) as caught:
            read_table(path)
        assert caught.value.code == "nul_byte"
        assert caught.value.lines == (line,)

    def refused_in_parts() -> None:
        with pytest.raises(InputError) as caught:
            [part.read() for part in open_stream(path, part_bytes=1 << 20).parts]
        assert caught.value.code == "nul_byte"

    assert peak(refused) < 32
    assert peak(refused_in_parts) < 32


@pytest.mark.parametrize(
    ("beginning", "code"),
    [
        (b"\x1f\x8b\x08", "truncated_file"),
        (b"\xff\xfey\0,\0p\0\n\0", "nul_byte"),
        (b"PAR1", "truncated_file"),
    ],
)
def test_a_hole_after_any_beginning_is_refused_without_holding_it(tmp_path: Path, beginning: bytes, code: str) -> None:
    path = tmp_path / "sparse"
    path.write_bytes(beginning)
    os.truncate(path, 1 << 30)

    def refused() -> None:
        with pytest.raises(InputError) as caught:
            read_table(path)
        assert caught.value.code == code

    assert peak(refused) < 32


def test_standard_input_without_end_is_refused_at_its_first_hole(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open("/dev/zero", "rb") as zeros:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(zeros))
        assert main(["assess", "-"]) == 2
    assert "[nul_byte]" in capsys.readouterr().err


def test_wide_text_is_still_read(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_bytes("y,p\na,b\n".encode("utf-16-le"))
    assert read_table(path, encoding="utf-16-le").n == 1
    with pytest.raises(InputError) as caught:
        read_table(path)
    assert caught.value.code == "bad_encoding"


def test_a_label_of_ten_million_characters_is_cut_in_csv() -> None:
    label = "x" * 10_000_000
    a = sf.assess([label, "b"] * 9, [label, "b"] * 8 + ["b", label])
    assert a["accuracy"].value == 16 / 18  # what is counted on the way is kept, and not measured below
    text = ""

    def write() -> None:
        nonlocal text
        text = csv_of(a)

    assert peak(write) < 40
    assert len(text) < 3e6
    assert "(10,000,000 characters)" in text
