"""A page of the book as a notebook: its words as they are, its code to be run."""

from __future__ import annotations

import json
import re

from surefold.book.pages import Page

__all__ = ["notebook_of"]

FOLDED = re.compile(r"^</?details>\s*$|^<summary>(.*)</summary>\s*$")
FIRST = "from pathlib import Path\n\nPath('figures').mkdir(exist_ok=True)  # where the pictures of this page go"


def notebook_of(page: Page) -> str:
    """The page as the JSON of a Jupyter notebook, in format 4.5; what code printed is left to be printed again.

    >>> text = "# X\\n\\n```python\\nprint(1)\\n```\\n\\n```text\\n1\\n```\\n\\nEnd.\\n"
    >>> cells = json.loads(notebook_of(Page("x", text)))["cells"]
    >>> [cell["cell_type"] for cell in cells], cells[2]["source"]
    (['markdown', 'code', 'code', 'markdown'], 'print(1)')
    """
    lines, cells, at = page.text.splitlines(), [], 0
    fences, after_code = page.fences, False
    for fence in fences:
        between = _words(lines[at : fence.start])
        printed = fence.info == "text" and after_code and not between
        if between:
            cells.append(("markdown", between))
        if fence.info == "python":
            cells.append(("code", fence.text))
        elif not printed:
            cells.append(("markdown", "\n".join(lines[fence.start : fence.end + 1])))
        after_code, at = fence.info == "python", fence.end + 1
    if rest := _words(lines[at:]):
        cells.append(("markdown", rest))
    if any("figures/" in text for kind, text in cells if kind == "code"):
        cells.insert(1, ("code", FIRST))
    elif any(kind == "code" for kind, _ in cells):
        cells.insert(1, ("code", "import surefold"))
    shown = [_cell(number, kind, text) for number, (kind, text) in enumerate(cells)]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": shown, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


def _words(lines: list[str]) -> str:
    """Text without the marks that fold it, and with links to other pages as their words."""
    kept = []
    for line in lines:
        folded = FOLDED.match(line)
        kept.append(line if folded is None else f"**{folded[1]}**" if folded[1] else "")
    return re.sub(r"(?<!!)\[([^\]]+)\]\([^)#:]+\.md[^)]*\)", r"\1", "\n".join(kept)).strip("\n")


def _cell(number: int, kind: str, text: str) -> dict[str, object]:
    cell: dict[str, object] = {"id": f"cell-{number}", "cell_type": kind, "metadata": {}, "source": text}
    return cell | {"execution_count": None, "outputs": []} if kind == "code" else cell
