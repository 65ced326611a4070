"""No command writes over what it reads or keeps, or twice to one place, however its paths are spelled.

The pairs are taken from the commands themselves, so that an option that is added to one is tested by existing.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

from surefold.cli.main import COMMANDS, main
from surefold.cli.places import Checked, Code, Keeps, Reads, Writes
from tests.cli.paths import DATA, NEEDS, SPELLINGS, command, content, fill, own_file, pairs, places, spelled, words

#: What the values of options are that are no paths, by how help writes them; one that names a file is a `Place`.
NO_PATHS = {
    "COL", "V", "NAME", "M", "A", "D", "E", "C", "SHARE", "SIZE", "ADDRESS", "MODULE:FACTORY", "fp=1,fn=5",
    "MODEL.PARAM=V,V", "COL=N,N",
}  # fmt: skip
NO_PATH_ARGUMENTS = {"words", "names", "kind"}


def test_every_path_of_every_command_is_declared() -> None:
    assert set(NEEDS) == set(COMMANDS)
    for name in COMMANDS:
        assert isinstance(command(name), Checked), name
        for param in command(name).params:
            if not isinstance(param.type, click.types.StringParamType):
                continue
            if isinstance(param, click.Argument):
                assert param.name in NO_PATH_ARGUMENTS, f"{name} {param.name}: a path has a type of cli/places.py"
            else:
                assert param.metavar in NO_PATHS, f"{name} {param.opts[0]}: a path has a type of cli/places.py"
    assert {type(param.type) for name in COMMANDS for param in places(name)} == {Reads, Writes, Keeps, Code}


# each pair

ALL_PAIRS = [
    pytest.param(name, other, output, id=f"{name} {output.name} over {other.name}") for name, other, output in pairs()
]


@pytest.fixture(name="folder")
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    fill(folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(("name", "other", "output"), ALL_PAIRS)
def test_each_pair_is_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, other: click.Parameter, output: click.Parameter
) -> None:
    before = content(folder)
    assert main(words(name, {str(output.name): own_file(other)})) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "[cannot_write]" in said.err
    assert "would" in said.err  # it says what would be lost, not that a file is there
    assert content(folder) == before


@pytest.mark.parametrize("how", SPELLINGS)
@pytest.mark.parametrize(("name", "other", "output"), [
    ("assess", "file", "report"), ("gate", "baseline_file", "report"), ("evaluate", "store", "report"),
    ("select", "data", "save"), ("select", "save", "report"), ("resume", "store", "report"),
])  # fmt: skip
def test_however_it_is_spelled(
    folder: Path, capsys: pytest.CaptureFixture[str], name: str, other: str, output: str, how: str
) -> None:
    of = next(param for param in places(name) if param.name == other)
    path = spelled(own_file(of), how)
    before = content(folder)
    assert main(words(name, {output: path})) == 2
    err = capsys.readouterr().err
    assert "[cannot_write]" in err
    assert "would" in err
    assert content(folder) == before


@pytest.mark.parametrize(("first", "second"), [
    ("new.json", "NEW.json"), ("new.json", "./new.json"), ("stra\u00dfe.json", "STRASSE.json"),
    ("\u00e9.json", "e\u0301.json"),
])  # fmt: skip
def test_two_new_files_are_one_where_case_does_not_count(
    folder: Path, capsys: pytest.CaptureFixture[str], first: str, second: str
) -> None:
    before = content(folder)
    assert main(words("select", {"save": first, "report": second})) == 2
    assert "would be written to one place" in capsys.readouterr().err
    assert content(folder) == before


@pytest.mark.parametrize(("output", "path"), [("report", "DATA.csv"), ("save", "Page.HTML"), ("store", "data.CSV")])
def test_a_new_file_is_one_that_is_there_where_case_does_not_count(
    folder: Path, capsys: pytest.CaptureFixture[str], output: str, path: str
) -> None:
    before = content(folder)
    assert main(words("select", {output: path})) == 2
    assert "[cannot_write]" in capsys.readouterr().err
    assert content(folder) == before


def test_a_store_is_no_stream(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("evaluate", {"store": "-"})) == 2
    assert "[cannot_write]" in capsys.readouterr().err
    assert not Path("-").exists()


def test_files_that_are_there_may_differ_in_case_alone(folder: Path) -> None:
    from surefold.cli.places import _identity

    for name in ("x.html", "X.html"):
        Path(name).touch()
    several = len(list(folder.glob("[xX].html")))
    assert len({_identity("x.html"), _identity("X.html")}) == several  # 2, or 1 where case does not count


@pytest.mark.parametrize("ending", ["-wal", "-shm", "-journal"])
def test_what_lies_beside_a_store_belongs_to_it(folder: Path, capsys: pytest.CaptureFixture[str], ending: str) -> None:
    assert main(words("evaluate", {"report": f"runs.db{ending}"})) == 2
    assert "would replace the store" in capsys.readouterr().err
    assert not Path(f"runs.db{ending}").exists()


@pytest.mark.parametrize(("source", "report"), [
    ("days/*.csv", "days/1.csv"), ("days", "days/1.csv"), ("days", "days/../days/deep/2.csv"),
    ("d*s/**/*.csv", "days/deep/2.csv"), ("days/*.csv", "page-link.html"),
    ("days", "days/new.csv"), ("days/*.csv", "days/new.csv"), ("days/*", "days/new.html"),
])  # fmt: skip
def test_folders_and_globs_are_known_file_by_file(
    folder: Path, capsys: pytest.CaptureFixture[str], source: str, report: str
) -> None:
    (folder / "days" / "deep").mkdir(parents=True)
    (folder / "days" / "1.csv").write_text(DATA)
    (folder / "days" / "deep" / "2.csv").write_text(DATA)
    (folder / "page-link.html").symlink_to("days/1.csv")
    before = content(folder)
    for name in ("assess", "compare"):
        assert main([name, source, *NEEDS[name], "--report", report]) == 2
        err = capsys.readouterr().err
        assert "[cannot_write]" in err
        assert "the data" in err
    assert content(folder) == before
    assert main(["assess", source, *NEEDS["assess"], "--report", "page.html", "-q"]) == 0
    assert main(["assess", "days", *NEEDS["assess"], "--report", "days/page.html", "-q"]) == 0  # no name of a table


def run(*args: str, **streams: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "surefold", *args], stderr=subprocess.PIPE, text=True, check=False,
                          **streams)  # fmt: skip


def test_standard_input_and_output_are_files_too(folder: Path) -> None:
    said = ["--truth", "y", "--pred", "a", "--report"]
    with open("file.csv") as data:
        found = run("assess", "-", *said, "file.csv", stdin=data, stdout=subprocess.PIPE)
    assert (found.returncode, found.stdout) == (2, "")
    assert "the report would replace the data" in found.stderr
    with open("file.csv", "a") as out:
        found = run("assess", "file.csv", *said, "page.html", stdout=out)
    assert found.returncode == 2
    assert "standard output would replace the data: 'file.csv'" in found.stderr
    assert (folder / "file.csv").read_text() == DATA
    with open("new.html", "w") as out:
        found = run("assess", "file.csv", *said, "new.html", stdout=out)
    assert found.returncode == 2
    assert "would be written to one place" in found.stderr
    with open("out.txt", "w") as out:
        assert run("assess", "file.csv", *said, "page.html", stdout=out).returncode == 0
    assert (folder / "out.txt").read_text() != ""


def test_a_file_of_another_kind_is_not_replaced(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither by name nor by place is it one of the call's own: it is told by how it begins."""
    before = content(folder)
    for option, other in (("report", "baseline_file.csv"), ("save", "page.html"), ("save_model", "result.json")):
        instead = {"models": "bayes", option: other, "store": "new.db"}
        if option != "save":
            instead["save"] = "new.json"
        if option == "save":
            instead["report"] = "new.html"
        assert main(words("select", instead)) == 2
        assert "is there already and is not a" in capsys.readouterr().err
    assert content(folder) == before


def test_the_plain_calls_still_work(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = content(folder)
    for name in ("assess", "compare", "gate"):
        assert main(words(name, {})) in (0, 1, 3)
        assert (folder / "page.html").read_text().startswith("<!doctype html>")
    assert main([*words("select", {"models": "tree"}), "--drop", "id", "-q"]) == 0
    changed = {Path(path).name for path, was in before.items() if Path(path).read_bytes() != was}
    assert changed == {"page.html", "result.json", "model.pkl", "runs.db"}


@pytest.mark.parametrize(
    ("source", "report"),
    [
        ("days/**/*.csv", "days/3.csv"),
        ("days/**/*.csv", "days/one/two/3.csv"),
        ("d*/*.csv", "days/3.csv"),
        ("link/*.csv", "days/3.csv"),
        ("days/*.csv", "link/3.csv"),
        ("link", "days/3.csv"),
        ("days/**", "days/3.csv"),
        ("days/[0-9].csv", "days/one/../3.csv"),
    ],
)
def test_a_new_report_is_not_put_where_a_glob_would_find_it(
    folder: Path, capsys: pytest.CaptureFixture[str], source: str, report: str
) -> None:
    (folder / "days/one/two").mkdir(parents=True)
    (folder / "days/1.csv").write_text(DATA)
    (folder / "link").symlink_to("days")
    before = content(folder)
    assert main(["assess", source, *NEEDS["assess"], "--report", report]) == 2
    assert "would stand among the data" in capsys.readouterr().err
    assert content(folder) == before


@pytest.mark.parametrize("report", ["days/one/3.csv", "days/one/two/3.csv", "other/3.csv", "3.csv", "days/3.html"])
def test_a_report_beside_a_glob_is_written(folder: Path, report: str) -> None:
    for name in ("days/one/two", "other"):
        (folder / name).mkdir(parents=True)
    (folder / "days/1.csv").write_text(DATA)
    assert main(["assess", "days/*.csv", *NEEDS["assess"], "--report", report, "-q"]) == 0
    assert (folder / report).read_text().startswith("<!doctype html>")


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "file.csv", "--target", "y", "--model", "bayes", "--store", "loop/runs.db"],
        ["resume", "loop/runs.db"],
        ["assess", "days", "--truth", "y", "--report", "loop/page.html"],
    ],
)
def test_links_that_lead_in_a_circle_are_told_as_what_they_are(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    (folder / "loop").symlink_to("loop")
    (folder / "days").mkdir()
    (folder / "days/1.csv").write_text(DATA)
    assert main([*words, "-q"]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "fault of surefold" not in err
