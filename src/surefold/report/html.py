"""The page: one file that holds all it needs, asks for nothing, and runs only its own script."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import secrets
import stat
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import BaseLoader, Environment, StrictUndefined, TemplateNotFound
from markupsafe import Markup

from surefold._version import __version__
from surefold.errors import InputError
from surefold.report.document import Document, Source, document_of
from surefold.report.figures.intervals import interval_mark
from surefold.report.sections.packed import deflated

__all__ = ["check_writable", "json_for_script", "page_of", "report_of", "write_page"]

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
    environment.globals["svg"] = lambda chart: Markup(chart.svg())
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


def check_writable(path: str | os.PathLike[str]) -> Path:
    """The path of a report that can be written, or a refusal; asked before the work starts."""
    try:
        place = Path(path)
    except TypeError:
        problem = f"the path of a report is {path!r}"
        raise InputError("cannot_write", problem, cure="say the path of a file, such as 'report.html'") from None
    if str(place) == "-" or "\0" in str(place):
        problem = f"{str(place)!r} is no path of a file, and a report is a file"
        raise InputError("cannot_write", problem, cure="say the path of a file, such as report.html")
    folder = place.parent
    if not folder.is_dir():
        raise InputError("cannot_write", f"there is no folder {str(folder)!r}", cure="make it, or say another path")
    if place.exists() and not stat.S_ISREG(place.stat().st_mode):
        raise InputError("cannot_write", f"{str(place)!r} is no regular file", cure="say the path of a file")
    try:
        with tempfile.TemporaryFile(dir=place.resolve().parent):
            pass
    except OSError as error:
        problem = f"nothing can be written to the folder of {str(place)!r} ({error.strerror or error})"
        raise InputError("cannot_write", problem, cure="say a path in a folder that you may write to") from None
    return place


def write_page(page: str, path: Path) -> None:
    """All or nothing: written beside, flushed to the disk, then put in place. A link stays and its file is replaced."""
    place = path.resolve()
    beside = place.with_name(f".report-{secrets.token_hex(8)}.html")
    try:
        handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(page)
            file.flush()
            os.fsync(file.fileno())
        if place.exists():
            os.chmod(beside, stat.S_IMODE(place.stat().st_mode))
        os.replace(beside, place)
    except OSError as error:
        beside.unlink(missing_ok=True)
        problem = f"the report could not be written to {str(path)!r} ({error.strerror or error})"
        raise InputError("cannot_write", problem, cure="make room or say another path") from None
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
