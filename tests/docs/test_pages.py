"""Pages that run in a second or so are run here; `make docs` runs all of them."""

from __future__ import annotations

import re

import pytest

from docs.coverage import read_ledger
from docs.executed import HERE, PRELUDES, README, blocks_of, pages_to_run, run_page
from surefold.measures.measure import REGISTERED

FAST = (
    "book/tables",
    "book/two-classes",
    "book/chance-and-averages",
    "book/roc",
    "book/confidence-intervals",
    "book/shares",
    "book/two-test-sets",
    "book/slips",
    "guides/from-proc",
    "guides/which-interval",
    "guides/reading-the-report",
    "index",
    "measures",
    "reference/json",
    "reference/exit-codes",
    "design",
    "gate",
)


@pytest.mark.parametrize("name", FAST)
def test_a_page_prints_what_it_shows(name: str) -> None:
    (page,) = pages_to_run([name])
    before = dict(REGISTERED)
    outcome = run_page(page, keep_figures=False)
    for measure in REGISTERED.keys() - before.keys():  # a page shows how to add one
        del REGISTERED[measure]
    assert outcome.faults == []
    assert outcome.blocks > 0
    made = {check.id for check in outcome.checks}
    assert made == set(read_ledger().get(name, {})), "run python -m docs.executed --record"


def test_every_page_with_code_is_run() -> None:
    """Code that would be shown without being run must say so: `no-run`, or another language."""
    run = set(pages_to_run())
    for page in HERE.rglob("*.md"):
        if "_build" in page.parts or page.parent.name == "decisions":
            continue
        has_code = any(block.info in ("python", "pycon") for block in blocks_of(page.read_text(encoding="utf-8")))
        assert page in run or not has_code, page.name


def test_a_prelude_belongs_to_a_page() -> None:
    known = {page.stem.replace("-", "_") for page in [README, *HERE.glob("*.md")]}
    assert {path.stem for path in PRELUDES.glob("*.py")} <= known


def test_every_guide_is_in_the_list() -> None:
    text = (HERE / "guides" / "index.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^[a-z][\w-]*$", text, flags=re.MULTILINE))
    guides = {page.stem for page in (HERE / "guides").glob("*.md")} - {"index"}
    assert guides == listed
    assert guides <= set(re.findall(r"\]\(([\w-]+)\.md\)", text)), "the table leaves one out"


def test_every_picture_has_words_for_those_who_do_not_see_it() -> None:
    for page in [*(HERE / "book").glob("*.md"), *(HERE / "guides").glob("*.md")]:
        text = page.read_text(encoding="utf-8")
        pictures = re.findall(r"!\[([^\]]*)\]\((figures/[^)]+)\)", text)
        assert all(len(words.split()) >= 4 for words, _ in pictures), page.name
        saved = set(re.findall(r"savefig\(\"([^\"]+)\"", text))
        assert saved == {name for _, name in pictures}, f"{page.name}: saved and shown pictures differ"
