"""Writing the page: all or nothing, where it was asked for, and refused before the work starts."""

import os
import stat
from pathlib import Path

import pytest

import surefold as sf
from surefold.cli.main import main
from surefold.errors import InputError
from surefold.report.html import write_page
from surefold.report.writing import check_writable

BUNDLED = str(Path(sf.__file__).parent / "data" / "breast_cancer.csv")
CHOSEN = ["--truth", "diagnosis", "--pred", "logistic", "--score", "p_logistic", "--pos-label", "malignant"]


@pytest.fixture(name="a", scope="module")
def _a() -> sf.Assessment:
    return sf.assess(["a", "b"] * 9, ["a", "b"] * 8 + ["b", "a"])


def test_both_doors_return_the_path(a: sf.Assessment, tmp_path: Path) -> None:
    str(a)  # loads the package of that name, which must stay callable
    first, second = (
        a.report(tmp_path / "one.html"),
        sf.report({"x": a, "y": a}, str(tmp_path / "two.html"), title="Both"),
    )
    assert first == tmp_path / "one.html"
    assert "<h1><bdi>Both</bdi></h1>" in second.read_text(encoding="utf-8")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["one.html", "two.html"]


def test_a_page_is_replaced_and_its_mode_kept(a: sf.Assessment, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    path.write_text("<!DOCTYPE html>old")
    path.chmod(0o640)
    a.report(path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(a: sf.Assessment, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "real.html"
    target.parent.mkdir()
    target.write_text("<!doctype html>old")
    link = tmp_path / "link.html"
    link.symlink_to(target)
    a.report(link)
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_full_disk_leaves_the_old_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "r.html"
    path.write_text("<!DOCTYPE html>old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InputError, match="No space left") as caught:
        write_page("new", path)
    assert caught.value.code == "cannot_write"
    assert path.read_text() == "<!DOCTYPE html>old"
    assert [p.name for p in tmp_path.iterdir()] == ["r.html"]


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        write_page("new", tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no folder"):
        check_writable(tmp_path / "absent" / "r.html")
    with pytest.raises(InputError, match="is a folder"):
        check_writable(tmp_path)
    with pytest.raises(InputError, match="cannot_write"):
        check_writable("/proc/r.html")
    assert list(tmp_path.iterdir()) == []


def test_the_command_line_writes_it_and_says_where(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "r.html"
    assert main(["assess", BUNDLED, *CHOSEN, "--costs", "fp=1,fn=5", "--report", str(page)]) == 0
    said = capsys.readouterr()
    assert f"Report: {page}" in said.err
    assert "Report" not in said.out
    text = page.read_text(encoding="utf-8")
    assert "breast_cancer.csv --truth diagnosis --pred logistic --score p_logistic --pos-label malignant" in text
    assert 'id="cost-fn" min="0" step="any" value="5"' in text


def test_the_command_line_refuses_before_it_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["assess", str(tmp_path / "absent.csv"), "--report", str(tmp_path / "no" / "r.html")]) == 2
    assert "[cannot_write]" in capsys.readouterr().err
    data = tmp_path / "data.csv"
    data.write_text("truth,pred\na,a\nb,b\n")
    assert main(["assess", str(data), "--report", str(data)]) == 2
    assert "would replace the data" in capsys.readouterr().err
    assert data.read_text() == "truth,pred\na,a\nb,b\n"


def test_the_demo_writes_its_page_never_over_another_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo"]) == 0
    assert "Report: surefold-demo.html\n" in capsys.readouterr().err
    written = (tmp_path / "surefold-demo.html").read_text(encoding="utf-8")
    assert "<bdi>naive_bayes</bdi>" in written
    assert main(["demo"]) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["surefold-demo.html"], "the same page is not written twice"
    (tmp_path / "surefold-demo.html").write_text("mine")
    (tmp_path / "surefold-demo-2.html").symlink_to("not-there")
    capsys.readouterr()
    assert main(["demo"]) == 0
    assert "Report: surefold-demo-3.html\n" in capsys.readouterr().err
    assert (tmp_path / "surefold-demo-3.html").read_text(encoding="utf-8") == written
    assert main(["demo", "--report"]) == 0
    assert (tmp_path / "surefold-demo.html").read_text() == "mine"
    assert not (tmp_path / "not-there").exists()


def test_the_demo_writes_where_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--format", "json"]) == 0
    assert list(tmp_path.iterdir()) == [], "a program that reads JSON asked for no page"
    assert main(["demo", "--format", "json", "--report", "mine.html"]) == 0
    assert "Report: mine.html\n" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["mine.html"]


def test_the_demo_needs_no_place_for_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main(["demo"]) == 0
    said = capsys.readouterr()
    assert "logistic is better than naive_bayes" in said.out
    assert "No page was written: nothing can be written in the current folder (No such file or directory)." in said.err
    assert main(["demo", "--report"]) == 2
    assert "[cannot_write]" in capsys.readouterr().err
