"""Writes the pages that are made from tables in the code: `python -m docs.generate`.

A page here is never edited by hand, and a test fails when one is not current.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from surefold.cli.measures import markdown_catalogue
from surefold.errors import ERROR_CODES
from surefold.findings import FINDING_CODES
from surefold.measures import catalogue

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


def measures() -> str:
    """The catalogue."""
    lines = [
        "# Measures",
        "",
        "This page is written by `python -m docs.generate`; `surefold measures NAME` shows one with its options.",
        "Measures of one class are given for each class, and for the positive class where there is one.",
        "",
        markdown_catalogue(list(catalogue.values())),
        "",
    ]
    return "\n".join(lines)


#: Each page and the function that gives its text.
PAGES: dict[str, Callable[[], str]] = {"codes.md": codes, "measures.md": measures}


def main() -> None:
    for name, text in PAGES.items():
        (HERE / name).write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
