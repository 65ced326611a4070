"""The runner of the pages: what it runs, what it compares, and that a page that is wrong does not pass."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from docs.executed import Outcome, blocks_of, matches, record, run_page, run_pages
from surefold.book.checks import holds, taken


def page_of(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


def run(folder: Path, text: str) -> Outcome:
    return run_page(page_of(folder, text))


RIGHT = "Two and two:\n\n```python\nprint(2 + 2)\n```\n\n```text\n4\n```\n"


# what is run


def test_output_is_compared_to_the_letter(tmp_path: Path) -> None:
    assert run(tmp_path, RIGHT).faults == []
    (fault,) = run(tmp_path, RIGHT.replace("\n4\n", "\n5\n")).faults
    assert "page.md:3" in fault
    assert "5\nand the code prints\n4" in fault


def test_output_that_is_not_shown_is_a_fault(tmp_path: Path) -> None:
    assert len(run(tmp_path, "```python\nprint(1)\n```\n").faults) == 1
    assert run(tmp_path, "```python\nx = 1\n```\n").faults == []


def test_output_that_is_shown_and_not_printed_is_a_fault(tmp_path: Path) -> None:
    assert len(run(tmp_path, "```python\nx = 1\n```\n\n```text\n1\n```\n").faults) == 1


def test_words_between_part_a_text_fence_from_the_code(tmp_path: Path) -> None:
    text = "```python\nx = 1\n```\n\nA file looks like this:\n\n```text\na,b\n```\n"
    assert run(tmp_path, text).faults == []


def test_blocks_share_one_namespace_and_pages_do_not(tmp_path: Path) -> None:
    assert run(tmp_path, "```python\nx = 3\n```\n\n```python\nprint(x)\n```\n\n```text\n3\n```\n").faults == []
    (fault,) = run(tmp_path, "```python\nprint(x)\n```\n").faults
    assert "NameError" in fault


def test_an_error_is_told_with_its_line_and_stops_the_page(tmp_path: Path) -> None:
    outcome = run(tmp_path, "\n```python\n1 / 0\n```\n\n```python\nprint(1)\n```\n")
    assert outcome.blocks == 1
    assert "page.md:2" in outcome.faults[0]
    assert "ZeroDivisionError" in outcome.faults[0]


def test_warnings_are_errors(tmp_path: Path) -> None:
    (fault,) = run(tmp_path, "```python\nimport warnings\n\nwarnings.warn('old')\n```\n").faults
    assert "UserWarning: old" in fault


def test_code_of_other_tools_is_not_run(tmp_path: Path) -> None:
    outcome = run(tmp_path, "```python no-run\nimport not_there\n```\n\n```r\nroc(y, s)\n```\n")
    assert (outcome.blocks, outcome.faults) == (0, [])


def test_doctests_are_run(tmp_path: Path) -> None:
    text = "```python\nx = 2\n```\n\n```pycon\n>>> y = x + 1\n>>> y\n3\n```\n\n```python\nassert y == 3\n```\n"
    assert run(tmp_path, text).faults == []
    (fault,) = run(tmp_path, text.replace("\n3\n", "\n4\n")).faults
    assert "Expected:\n    4\nGot:\n    3" in fault


def test_commands_are_run_and_their_exit_codes_shown(tmp_path: Path) -> None:
    text = (
        "```console\n$ surefold --version\nsurefold, version …\n\n$ surefold asess x\n…\n…\n\n…\n\n$ echo $?\n2\n```\n"
    )
    outcome = run(tmp_path, text)
    assert outcome.blocks == 1
    assert outcome.faults == []
    assert len(run(tmp_path, text.replace("\n2\n", "\n0\n")).faults) == 1


def test_only_our_commands_are_run(tmp_path: Path) -> None:
    assert run(tmp_path, "```console\n$ rm -rf something\n```\n").blocks == 0
    with pytest.raises(ValueError, match="no command of surefold"):
        run(tmp_path, "```console\n$ surefold --version\n$ ls\n```\n")


def test_it_runs_in_a_folder_of_its_own_and_keeps_pictures(tmp_path: Path) -> None:
    code = "from pathlib import Path\n\nPath('figures/a.png').write_bytes(b'x')\nPath('left.txt').write_text('x')"
    assert run(tmp_path, f"```python\n{code}\n```\n").faults == []
    assert sorted(str(p.relative_to(tmp_path)) for p in tmp_path.rglob("*") if p.is_file()) == [
        "figures/a.png",
        "page.md",
    ]


def test_update_writes_what_was_printed(tmp_path: Path) -> None:
    page = page_of(tmp_path, RIGHT.replace("\n4\n", "\n5\n") + "\n```python\nprint('new')\n```\n\nThe end.\n")
    assert len(run_page(page, update=True).faults) == 2
    assert run_page(page).faults == []
    text = page.read_text(encoding="utf-8")
    assert [block.text for block in blocks_of(text)] == ["print(2 + 2)", "4", "print('new')", "new"]
    assert text.endswith("The end.\n")


def test_update_keeps_what_stands_for_anything(tmp_path: Path) -> None:
    page = page_of(tmp_path, "```python\nprint('took 1.5 s')\nprint('new')\n```\n\n```text\ntook … s\nold\n```\n")
    run_page(page, update=True)
    assert blocks_of(page.read_text(encoding="utf-8"))[1].text == "took … s\nnew"


def test_pages_in_processes_of_their_own_come_in_order(tmp_path: Path) -> None:
    pages = []
    for name, shown in (("one", 4), ("two", 5)):
        (tmp_path / name).mkdir()
        pages.append(page_of(tmp_path / name, RIGHT.replace("\n4\n", f"\n{shown}\n")))
    outcomes = list(run_pages(pages, jobs=2))
    assert [outcome.page for outcome in outcomes] == pages
    assert [len(outcome.faults) for outcome in outcomes] == [0, 1]


def test_a_fence_that_is_not_closed_is_told() -> None:
    with pytest.raises(ValueError, match="line 1 is not closed"):
        blocks_of("```python\nx = 1\n")


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a … c", "a b c", True),
        ("a … c", "a b\nc", False),
        ("0.733 [0.556, 0.858]", "0.733 [0.556, 0.859]", False),
        ("a.c", "abc", False),
        ("a  ", "a", True),
        ("", "\n", True),
        ("a\n\nb", "a\nb", False),
    ],
)
def test_matches(shown: str, printed: str, same: bool) -> None:
    assert matches(shown, printed) is same


# checks


def test_a_claim_that_does_not_hold_is_a_fault(tmp_path: Path) -> None:
    code = "from surefold.book import holds\n\nholds('id', 'pigs fly', lambda height: height > 5, 0)"
    (fault,) = run(tmp_path, f"```python\n{code}\n```\n\n```text\nDOES NOT HOLD: pigs fly\n```\n").faults
    assert "pigs fly: the check failed" in fault


def test_a_check_that_cannot_fail_is_a_fault(tmp_path: Path) -> None:
    code = "from surefold.book import holds\n\nholds('id', 'pigs are pigs', lambda pigs: True, 3)"
    (fault,) = run(tmp_path, f"```python\n{code}\n```\n\n```text\nholds: pigs are pigs\n```\n").faults
    assert "no change of its figures makes it fail" in fault


def test_the_ledger_counts_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setattr("docs.executed.HERE", tmp_path)
    (tmp_path / "book").mkdir()
    taken()
    holds("one", "x", lambda a: a == 1, 1)
    holds("one", "y", lambda a: a == 1, 2)
    page = page_of(tmp_path / "book", "```python\nx = 1\n```\n")
    ledger = tmp_path / "checks.json"
    record([Outcome(page, checks=taken())], ledger)
    assert json.loads(ledger.read_text(encoding="utf-8")) == {"book/page": {"one": [1, 2]}}
    assert capsys.readouterr().out == "holds: x\nDOES NOT HOLD: y\n"
