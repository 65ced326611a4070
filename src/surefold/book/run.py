"""Runs what one example needs of its page, prints its figures beside the printed ones, and keeps its pictures."""

from __future__ import annotations

import io
import shutil
import tempfile
import warnings
from collections.abc import Sequence
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

from surefold.book.checks import Check, taken
from surefold.book.pages import Entry, Page, page
from surefold.book.slices import Statement, leant_on, statements_of
from surefold.errors import MissingExtraError

__all__ = ["Shown", "code_of", "run_entry"]


@dataclass
class Shown:
    """What an example printed, the checks it made, and where its pictures were put."""

    text: str = ""
    checks: list[Check] = field(default_factory=list)
    pictures: list[Path] = field(default_factory=list)
    without_pictures: str = ""


def run_entry(entry: Entry, folder: Path) -> Shown:
    """Run the sections of the entry's page that are about it. Pictures are put in the folder, over no other file."""
    statements, wanted = code_of(page(entry.page), entry.check)
    shown, out = Shown(), io.StringIO()
    names: dict[str, object] = {"__name__": "__page__"}
    taken()
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (Path(place) / "figures").mkdir()
        with chdir(place):
            for number in leant_on(statements, wanted):
                _execute(statements[number], names, out if number in wanted else io.StringIO(), shown)
        shown.pictures = [_kept(picture, folder) for picture in sorted((Path(place) / "figures").iterdir())]
    shown.checks = [check for check in taken() if check.id == entry.check]
    shown.text = out.getvalue()
    return shown


def code_of(page: Page, check: str) -> tuple[list[Statement], set[int]]:
    """The statements of a page, and the places of those that check this entry or draw pictures beside such checks."""
    blocks = [fence for fence in page.fences if fence.info == "python"]
    statements = statements_of([fence.text for fence in blocks])
    spans = page.spans_of(check)
    near = {n for n, fence in enumerate(blocks) if any(fence.start in span for span in spans)}
    wanted = {
        place
        for place, each in enumerate(statements)
        if each.calls(check) or (each.block in near and "savefig(" in each.source)
    }
    return statements, wanted


def _execute(each: Statement, names: dict[str, object], out: io.StringIO, shown: Shown) -> None:
    try:
        with redirect_stdout(out):
            exec(compile(each.source, f"<block {each.block + 1}>", "exec"), names)
    except (MissingExtraError, ModuleNotFoundError) as error:  # matplotlib is an extra
        shown.without_pictures = str(error)
    except NameError:
        if not shown.without_pictures:
            raise


def _kept(picture: Path, folder: Path) -> Path:
    """The picture under its own name, or the first that is free: roc.png, roc-2.png, ..."""
    number = 1
    while True:
        place = folder / (picture.name if number == 1 else f"{picture.stem}-{number}{picture.suffix}")
        try:
            with place.open("xb") as file, picture.open("rb") as made:
                shutil.copyfileobj(made, file)
        except FileExistsError:
            if place.is_file() and place.read_bytes() == picture.read_bytes():
                return place
            number += 1
        else:
            return place


def found(entries: Sequence[Entry], words: str) -> list[Entry]:
    """The entries that somebody looks for: a bare number is that of an example, where there is one, and
    entries whose place has the words come before those whose text has them."""
    hits = [entry for entry in entries if entry.matches(words)]
    examples = [entry for entry in hits if entry.where.casefold() == f"example {words.casefold().strip()}"]
    placed = [entry for entry in hits if words.casefold() in entry.where.casefold()]
    return examples or placed or hits
