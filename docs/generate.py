"""Writes the pages that are made from tables in the code: `python -m docs.generate`.

A page here is never edited by hand, and a test fails when one is not current.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from docs.api_pages import MODULES, api_page
from docs.command_page import commands_page
from docs.executed import blocks_of
from docs.json_shapes import json_page, schema_text
from docs.measure_page import measures_page
from docs.printed import printed
from surefold.errors import ERROR_CODES
from surefold.findings import FINDING_CODES

HERE = Path(__file__).parent


def codes() -> str:
    """Every stable code, in the order a reader looks it up."""
    lines = [
        "# Codes",
        "",
        "Codes are stable: scripts may rely on them. This page is written by `python -m docs.generate`.",
        "",
        "## Errors",
        "",
        "An `InputError` stops with exit code 2; it names the first three rows, how many there are, and the cure.",
        "",
        "| code | meaning |",
        "|---|---|",
        *(f"| `{code}` | {meaning} |" for code, meaning in sorted(ERROR_CODES.items())),
        "",
        "## Findings",
        "",
        "A finding never stops the answer; it travels with it.",
        "",
        "| code | severity | meaning |",
        "|---|---|---|",
        *(f"| `{code}` | {severity} | {meaning} |" for code, (severity, meaning) in sorted(FINDING_CODES.items())),
        "",
    ]
    return "\n".join(lines)


def json() -> str:
    """The page of JSON, with what its example prints."""
    text = json_page()
    (code,) = [block.text for block in blocks_of(text) if block.info == "python"]
    return text.replace("```text\n```", f"```text\n{printed(code)}\n```", 1)


#: Each page, or file that a page links to, and the function that gives its text.
PAGES: dict[str, Callable[[], str]] = {
    "codes.md": codes,
    "measures.md": measures_page,
    "reference/command-line.md": commands_page,
    "reference/json.md": json,
    "reference/surefold.schema.json": schema_text,
    **{f"reference/{module.rpartition('.')[2]}.md": partial(api_page, module) for module in MODULES},
}


def main() -> None:
    for name, text in PAGES.items():
        (HERE / name).write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
