"""JSON lines and arrays of objects, by name and by content: the same figures as from CSV, and errors with lines."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import surefold as sf
from surefold.cli.main import main
from surefold.errors import InputError

RNG = np.random.default_rng(3)
Y = RNG.choice(["no", "yes"], 80).tolist()
P = [y if RNG.random() < 0.8 else "no" for y in Y]
S = np.round(RNG.random(80) * 0.6 + 0.4 * (np.array(Y) == "yes"), 3).tolist()
ROWS = [{"y": y, "p": p, "s": s} for y, p, s in zip(Y, P, S, strict=True)]
LINES = "".join(json.dumps(row) + "\n" for row in ROWS)
TEXTS = {
    "rows.jsonl": LINES.encode(),
    "rows.ndjson": LINES.replace("\n", "\r\n\r\n").encode(),  # blank lines between
    "rows.json": json.dumps(ROWS, indent=1).encode(),
    "rows.txt": LINES.encode(),  # by its content
    "rows.json.gz": gzip.compress(json.dumps(ROWS).encode()),
    "marked.jsonl": b"\xef\xbb\xbf" + LINES.encode(),
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_figures_are_those_of_the_arrays(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(TEXTS[name])
    a = sf.assess(path, truth="y", pred="p", score="s", pos_label="yes")
    assert a.overall == sf.assess(Y, P, y_score=S, pos_label="yes").overall
    c = sf.compare(path, ["p", "y"], truth="y")
    found, wanted = c["p", "y"].effect, sf.compare(Y, {"p": P, "y": Y})["p", "y"].effect
    assert (found.value, found.low, found.high) == pytest.approx((wanted.value, wanted.low, wanted.high))


def test_the_command_reads_them_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("rows.jsonl", "rows.json"):
        path = tmp_path / name
        path.write_bytes(TEXTS[name])
        asked = [
            "assess",
            str(path),
            "--truth",
            "y",
            "--pred",
            "p",
            "--pos-label",
            "yes",
            "--format",
            "json",
            "--quiet",
        ]
        assert main(asked) == 0
        assert (
            json.loads(capsys.readouterr().out)["overall"]["f1"]["value"]
            == sf.assess(Y, P, pos_label="yes")["f1"].value
        )


def test_several_files_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS[:30]))
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS[30:]))
    a = sf.assess(tmp_path, truth="y", pred="p", pos_label="yes")
    assert a["f1"] == sf.assess(Y, P, pos_label="yes")["f1"]


def table_of(text: str, tmp_path: Path) -> Any:
    from surefold.inputs.tables import read_table

    path = tmp_path / "t.jsonl"
    path.write_text(text)
    return read_table(path)


def test_kinds_and_gaps(tmp_path: Path) -> None:
    t = table_of('{"i": 1, "f": 1, "b": true, "m": 1}\n{"f": 0.5, "b": null, "m": "x"}\n', tmp_path)
    assert t.column("i").to_list() == [1, None]
    assert t.column("f").to_list() == [1.0, 0.5]
    assert t.column("b").to_list() == [True, None]
    assert t.column("m").to_list() == ["1", "x"]  # of several kinds: text
    assert t.column("b").dtype == pl.Boolean


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"y": 1}\n{"y": 1,}\n', r"cannot be read: .*file line 2"),
        ('{"y": 1}\n[1, 2]\n', "line 2 is .*, no object"),
        ("[{}, 3]", "element 2 of the array is 3, no object"),
        ("[]", "0 rows"),
        ("{}", "no row names a value"),
        ("y,p\n1,1\n", r"cannot be read.*one object a line"),  # its name says JSON
    ],
)
def test_what_is_wrong_says_where(text: str, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        table_of(text, tmp_path)
