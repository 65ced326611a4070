"""The page: one file that holds all it needs, asks for nothing, and runs only its own script."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound
from markupsafe import Markup

from surefold._version import __version__
from surefold.report.document import Document, Source, document_of
from surefold.report.sections.packed import deflated
from surefold.report.writing import check_writable, replaced
from surefold.show.write.drawing import svg
from surefold.show.write.interval_mark import interval_mark

__all__ = ["json_for_script", "page_of", "report_of", "write_page"]

PAGE = files("surefold.report") / "page"


class PageFiles(BaseLoader):
    """Templates that come with the package, wherever it is installed."""

    def get_source(self, environment: Environment, template: str) -> tuple[str, str | None, Any]:
        file = PAGE.joinpath(*template.split("/"))
        if not file.is_file():
            raise TemplateNotFound(template)
        return file.read_text(encoding="utf-8"), template, lambda: True


def _environment() -> Environment:
    environment = Environment(
        loader=PageFiles(), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.globals["svg"] = lambda chart: Markup(svg(chart))
    environment.globals["mark"] = lambda estimate, scale: Markup(interval_mark(estimate, *scale))
    return environment


def page_of(document: Document) -> str:
    """The document as HTML."""
    style, script = (_lines(PAGE.joinpath(name).read_text(encoding="utf-8")) for name in ("style.css", "script.js"))
    policy = (
        f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return _environment().get_template("report.html.j2").render(
        document=document,
        first=document.models[0] if document.models else None,
        policy=policy,
        style=Markup(style),
        script=Markup(script),
        data=Markup(json_for_script(document.data | {"models": [*map(deflated, document.data["models"])]})),
        version=__version__,
    )  # fmt: skip


def _lines(text: str) -> str:
    """Without what only its authors need: indentation, and lines of comment."""
    return re.sub(r"^\s+(//.*\n)?", "", text, flags=re.MULTILINE)


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{digest}'"


def json_for_script(value: Any) -> str:
    r"""JSON that cannot end the element it stands in.

    >>> json_for_script({"label": "</script><!--"})
    '{"label":"\\u003c/script\\u003e\\u003c!--"}'
    """
    text = json.dumps(value, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    for mark in "<>&":
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


# writing


def report_of(
    result: Any,
    path: str | os.PathLike[str],
    *,
    title: str = "",
    source: Source | None = None,
) -> Path:
    """Write the report of a result, or of several assessments under their names, and return its path."""
    place = check_writable(path)
    write_page(page_of(document_of(result, title=title, source=source)), place)
    return place


def write_page(page: str, path: Path) -> None:
    """All or nothing."""
    with replaced(path) as file:
        file.write(page.encode("utf-8"))
