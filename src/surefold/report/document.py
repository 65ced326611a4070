"""The document: models and sections in reading order, before anything is drawn.

A section is there only when it has something to say. To add one: a function that makes a `Section` (or None) of what
there is, and a template in page/sections that reads its `data`; `own.html.j2` draws words, charts and tables.
To report another kind of result: a module in sections with `contents(result)`, and its line in `contents.HOMES`.
Sections at "panel" and "beside" follow the model and class that are chosen; others stand as they were written.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from surefold._version import __version__, heading
from surefold.assessment import Assessment
from surefold.errors import InputError
from surefold.report.sections.assessed import (
    measures_section,
    models_section,
    operating_point_section,
    probabilities_section,
    ranking_section,
    verdict_section,
)
from surefold.report.sections.contents import Contents, contents_of
from surefold.report.sections.copied import again
from surefold.report.sections.method import method_section
from surefold.report.sections.section import Section
from surefold.report.sections.views import Model, model_of, model_of_part
from surefold.show.names import label_text, plain

__all__ = ["Document", "Source", "document_of"]

TITLE = "Classifier report"
LONGEST_TITLE = 120
MADE_BY = "assess, compare, gate, cross_validate, bootstrap, select, benchmark or another of the studies"


@dataclass(frozen=True)
class Source:
    """Where the rows came from and what was asked: a file, its SHA-256, and the command."""

    file: str = ""
    sha256: str = ""
    command: str = ""


@dataclass(frozen=True, eq=False)
class Document:
    """A title, the models, the sections, and what made them. There may be no model: ranks over data sets have none."""

    title: str
    models: tuple[Model, ...] = field(repr=False)
    sections: tuple[Section, ...] = field(repr=False)
    source: Source = Source()
    own: Contents | None = field(default=None, repr=False)
    confidence: float = 0.95

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the script reads and the download holds. No row of the data is in it."""
        told = None if self.own is None or self.own.told is None else self.own.told.said
        command = again(self.source.command, self.models[0].a if len(self.models) == 1 else None)
        return {
            **heading("report"),
            "title": self.title,
            "source": {key: plain(value) for key, value in vars(self.source).items()} | {"again": command},
            "made_with": versions(),
            "confidence": self.confidence,
            **({} if told is None else {"result": told}),
            **({} if self.own is None else {"sections": _tables(self.own.sections)}),
            "models": [model.said for model in self.models],
        }


def _tables(sections: Sequence[Section]) -> dict[str, Any]:
    """The tables of a result's own sections, as they are shown."""
    return {
        section.id: {caption: table.to_dict() for _, caption, table in section.data["tables"]} for section in sections
    }


def versions() -> dict[str, str]:
    return {"surefold": __version__, "python": platform.python_version(), "numpy": np.__version__}


def document_of(
    result: Any,
    *,
    title: str = "",
    source: Source | None = None,
    more: Sequence[Section] = (),
) -> Document:
    """The document of a result, or of several assessments under their names; `more` sections come before the method."""
    own = None if isinstance(result, Assessment) else contents_of(result)
    if own is None:
        each = _assessments(result)
        names = {name: "a" if result is a else f"results[{name!r}]" for name, a in each.items()}
        models = tuple(model_of(name, a, names[name]) for name, a in each.items())
    else:
        models = tuple(model_of_part(name, part) for name, part in own.parts.items())
    confidence = models[0].told.confidence if own is None else own.confidence
    said = source or Source()
    first, *others = _verdicts(models, own)
    makers = (operating_point_section, ranking_section, probabilities_section)
    sections: list[Section | None] = [
        first,
        models_section(models, () if own is None else own.sections),
        *others,
        *(make(models) for make in makers),
    ]
    sections += [] if own is None else own.sections
    sections += [measures_section(models), *more, method_section(models, own, confidence, said, versions())]
    named = "Standard input" if title == "-" else title
    shown = label_text(named, LONGEST_TITLE) if named else TITLE if own is None else own.title
    return Document(shown, models, tuple(s for s in sections if s is not None), said, own, confidence)


def _verdicts(models: Sequence[Model], own: Contents | None) -> list[Section]:
    """What is said of the result; what is said of a model of it follows, under the model's name."""
    if own is None or own.told is None:
        return [verdict_section(models[0].told, name=models[0].name if len(models) > 1 else "")]
    first = verdict_section(own.told, follows=False, title="Verdict" if own.told.status else "In short")
    each = [verdict_section(models[0].told, id="each-model", title="Each model", name=models[0].name)] if models else []
    return [first, *each]


def _assessments(given: Any) -> dict[str, Assessment]:
    if isinstance(given, Assessment):
        return {"model": given}
    if not isinstance(given, Mapping):
        problem = f"a report is made of results, and this is a {type(given).__name__}"
        raise InputError("bad_option", problem, cure=f"give what {MADE_BY} returned, or {{'name': assess(...), ...}}")
    if not given:
        raise InputError("bad_option", "there is no assessment to report", cure="give at least one")
    wrong = next((type(a).__name__ for a in given.values() if not isinstance(a, Assessment)), None)
    if wrong is not None:
        problem = f"several results on one page are assessments, and one of these is a {wrong}"
        raise InputError("bad_option", problem, cure='give what assess() returned, or {"name": assess(...), ...}')
    return dict(given)
