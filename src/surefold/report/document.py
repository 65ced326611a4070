"""The document: models and sections in reading order, before anything is drawn.

A section is there only when it has something to say. To add one: a function that makes a `Section` (or None) of what
there is, and a template in page/sections that reads its `data`; `charts.html.j2` draws any list of charts and a table.
Sections at "panel" and "beside" follow the model and class that are chosen; others stand as they were written.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from surefold._version import __version__
from surefold.assessment import Assessment
from surefold.errors import InputError
from surefold.report.safe import label_text, plain
from surefold.report.sections.assessed import (
    measures_section,
    models_section,
    operating_point_section,
    probabilities_section,
    ranking_section,
    verdict_section,
)
from surefold.report.sections.method import method_section
from surefold.report.sections.section import Section
from surefold.report.sections.views import Model, model_of

__all__ = ["Document", "Source", "document_of"]

TITLE = "Classifier report"
LONGEST_TITLE = 120


@dataclass(frozen=True)
class Source:
    """Where the rows came from and what was asked: a file, its SHA-256, and the command."""

    file: str = ""
    sha256: str = ""
    command: str = ""


@dataclass(frozen=True, eq=False)
class Document:
    """A title, the models, the sections, and what made them."""

    title: str
    models: tuple[Model, ...] = field(repr=False)
    sections: tuple[Section, ...] = field(repr=False)
    source: Source = Source()

    @cached_property
    def data(self) -> dict[str, Any]:
        """What the script reads and the download holds. No row of the data is in it."""
        return {
            "surefold": __version__,
            "kind": "report",
            "schema_version": 1,
            "title": self.title,
            "source": {key: plain(value) for key, value in vars(self.source).items()},
            "made_with": versions(),
            "confidence": self.models[0].a.confidence,
            "models": [model.said for model in self.models],
        }


def versions() -> dict[str, str]:
    return {"surefold": __version__, "python": platform.python_version(), "numpy": np.__version__}


def document_of(
    assessed: Assessment | Mapping[str, Assessment],
    *,
    title: str = "",
    source: Source | None = None,
    more: Sequence[Section] = (),
) -> Document:
    """The document of one assessment, or of several under their names; `more` sections come before the method."""
    named = {"model": assessed} if isinstance(assessed, Assessment) else dict(assessed)
    if not named:
        raise InputError("bad_option", "there is no assessment to report", cure="give at least one")
    wrong = next((type(a).__name__ for a in named.values() if not isinstance(a, Assessment)), None)
    if wrong is not None:
        problem = f"a report is made of assessments, and one of these is a {wrong}"
        raise InputError("bad_option", problem, cure='give what assess() returned, or {"name": assess(...), ...}')
    models = tuple(model_of(name, a) for name, a in named.items())
    said = source or Source()
    makers = (
        verdict_section, models_section, operating_point_section, ranking_section, probabilities_section,
        measures_section,
    )  # fmt: skip
    sections = [section for make in makers if (section := make(models)) is not None]
    sections += [*more, method_section(models, said, versions())]
    return Document(label_text(title, LONGEST_TITLE) if title else TITLE, models, tuple(sections), said)
