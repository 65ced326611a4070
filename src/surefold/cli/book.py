"""`surefold book`: the worked examples of the sources, listed, found, run, and opened as notebooks."""

from __future__ import annotations

from pathlib import Path

import click

from surefold.book.notebook import notebook_of
from surefold.book.pages import Entry, documents, entries, page, page_names
from surefold.book.run import found, run_entry
from surefold.cli.output import say
from surefold.cli.places import Checked
from surefold.errors import InputError, UnknownNameError

__all__ = ["book"]

#: More entries than this are listed and not run.
FEW = 3


@click.command(cls=Checked)
@click.argument("words", nargs=-1)
@click.option("--list", "only_list", is_flag=True, help="List what is found and run nothing.")
@click.option("--notebook", is_flag=True, help="Write the page as a notebook, PAGE.ipynb, over no other file.")
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), default=Path(), help="Where files go.")
def book(words: tuple[str, ...], only_list: bool, notebook: bool, folder: Path) -> int:
    """Worked examples of the five sources: their printed figures beside ours, and their pictures.

    Without words all entries are listed. A number such as 22.14, a slide, or words of the text find entries; up to
    three are run, and their pictures are written, over no other file.

    \b
    Examples:
      surefold book
      surefold book 22.14
      surefold book slide 59
      surefold book kappa --list
      surefold book boosting --notebook
    """
    sought = " ".join(words)
    if notebook:
        say(f"Notebook: {_written(sought, folder)}")
        return 0
    hits = found(entries(), sought) if sought else list(entries())
    if not hits and sought in page_names():
        hits = [entry for entry in entries() if entry.page == sought]
    if not hits:
        known = [*page_names(), *(entry.where for entry in entries())]
        raise UnknownNameError("entry of the sources", sought, known, "surefold book lists them all")
    runs = list({(entry.page, entry.check): entry for entry in hits}.values())
    if only_list or not sought or len(runs) > FEW:
        say(_listed(hits))
        return 0
    folder.mkdir(parents=True, exist_ok=True)
    held = [_shown(entry, folder) for entry in runs]
    return 0 if all(held) else 3


def _listed(hits: list[Entry]) -> str:
    """The entries under the title of their document, each with its page."""
    lines = []
    for document, title in documents().items():
        own = [entry for entry in hits if entry.document == document]
        if own:
            wide = min(max(len(entry.where) for entry in own), 44)
            lines += [title, *(f"  {entry.where:{wide}}  {entry.what} ({entry.page})" for entry in own), ""]
    lines.append(
        f"{len(hits)} entries. To run one: surefold book 22.14; to have its page: surefold book roc --notebook"
    )
    return "\n".join(lines)


def _shown(entry: Entry, folder: Path) -> bool:
    shown = run_entry(entry, folder)
    say(f"== {documents()[entry.document]}: {entry.where}: {entry.what} ==\n\n{shown.text}")
    for picture in shown.pictures:
        say(f"Picture: {picture}")
    if shown.without_pictures:
        say(f"No picture: {shown.without_pictures}")
    say(f'Page: {page(entry.page).title}, "{page(entry.page).section_of(entry.check)}" ({entry.page})\n')
    return all(check.passed for check in shown.checks)


def _written(name: str, folder: Path) -> Path:
    text, place = notebook_of(page(name)), folder / f"{name}.ipynb"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with place.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError("cannot_write", f"{place} is there already", cure="say another --folder") from None
    return place
