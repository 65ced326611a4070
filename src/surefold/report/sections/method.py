"""How every number was made: formulas, methods, versions, the command, and the words used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from surefold.findings import FINDING_CODES
from surefold.measures import catalogue
from surefold.phrases import measure_title
from surefold.report.sections.contents import Contents
from surefold.report.sections.section import Section, Table
from surefold.report.sections.views import Model, probability_names
from surefold.show.names import plain

if TYPE_CHECKING:
    from surefold.report.document import Source

__all__ = ["method_section"]

GLOSSARY = (
    ("Interval", "Where the figure would lie, with the confidence said, for all rows that these are a sample of."),
    ("Threshold", "A row is called positive when its score is at least this."),
    ("Prevalence", "The share of positives among all rows."),
    ("Recall", "The share of the positives that are called: the true-positive rate, or sensitivity."),
    ("Specificity", "The share of the negatives that are not called: 1 less the false-positive rate."),
    ("Precision", "The share of the calls that are right."),
    ("Lift", "Precision over prevalence: how many times commoner positives are among the rows called."),
    ("Band", "An interval for a curve: around the whole of it (ROC), or at any one point of it (the others)."),
    ("Wilson, exact", "Intervals of a share; the exact one (Clopper and Pearson) for three or fewer of a kind."),
    ("One-row", "An interval made as if one more row had been seen, of no particular kind, so that it never vanishes."),
    (
        "Beats constant",
        "Surely better than always giving the commonest answer, or, by scores alone, than one score for "
        "all rows. It says nothing about other models.",
    ),
    (
        "McNemar's test",
        "Of the rows that only one of two answers gets right, are there surely more of one kind? p is how "
        "often chance alone would do as much.",
    ),
    ("Same margins", "Answers drawn at random, each as often as the model gives it: what agreement is owed to chance."),
    ("Kappa", "How far agreement goes beyond that of the same margins: 0 is chance, 1 is all of it."),
    ("Youden", "The threshold with the greatest recall plus specificity."),
)
NOTES = (
    "Counts at the thresholds, and the intervals of precision, recall, specificity, F1, MCC and lift there, were made "
    "when this page was written; moving the threshold looks them up.",
    "The interval of the expected cost of a row adds the squared margins of recall, specificity and prevalence, which "
    "are uncorrelated. A prevalence that was typed is taken as known.",
    "At another prevalence than that of the rows, precision and lift and their intervals follow from the likelihood "
    "ratio of a call; F1 and MCC belong to the rows as they are and are left out.",
    "A threshold chosen on these rows looks better here than it will on others.",
)


def method_section(
    models: Sequence[Model], own: Contents | None, confidence: float, source: Source, versions: Mapping[str, str]
) -> Section:
    assessed = [model for model in models if model.a is not None]
    measures: tuple[str, ...] = () if own is None else own.measures
    names = dict.fromkeys(name for name in measures if name in catalogue)
    names |= dict.fromkeys(name for model in assessed if model.a is not None for name in model.a.headlines)
    for view in (view for model in models for view in model.views if view.probabilities is not None):
        names |= dict.fromkeys(probability_names(view.a))
    formulas = Table.of(
        ("Measure", "Formula", "Better", "Source"),
        [(measure_title(m.name), m.text, m.better, m.source) for m in map(catalogue.__getitem__, names)],
    )
    flags = [code for model in models for code in _codes(model)] + ([] if own is None else own.codes)
    codes = sorted({code for code in flags if code in FINDING_CODES})
    known = Table.of(("Code", "What it means"), [(code, FINDING_CODES[code][1]) for code in codes])
    seeds = {model.a.random_state for model in assessed if model.a is not None}
    facts: list[tuple[str, Any]] = [("Confidence", f"{confidence * 100:g}%")]
    if own is None:
        facts.append(("Seed", ", ".join("none was set" if s is None else str(s) for s in seeds)))
    else:
        facts += own.facts
    facts += [(f"Version of {name}", version) for name, version in versions.items()]
    data = {"formulas": formulas if names else None, "codes": known if codes else None, "facts": facts,
            "notes": _notes(models, own), "glossary": GLOSSARY, "command": plain(source.command)}  # fmt: skip
    return Section("method", "Method", "method.html.j2", "below", data)


def _notes(models: Sequence[Model], own: Contents | None) -> list[str]:
    notes = list(NOTES) if any(model.views for model in models) else []
    thinned = [view for model in models for view in model.views if view.cuts.distinct + 1 > len(view.cuts)]
    if thinned:
        view = thinned[0]
        notes.insert(1, (
            f"Of {view.cuts.distinct:,} distinct scores the slider has {len(view.cuts):,}: all corners of the ROC "
            "curve's hull, where every least cost lies, as far as there is room, and others spread along the curve."
        ))  # fmt: skip
    return [*(() if own is None else own.notes), *notes]


def _codes(model: Model) -> list[str]:
    flags = list(model.told.codes)
    if model.a is not None:
        flags += [flag for name in model.a.headlines for flag in model.a[name].flags]
    for view in (view for view in model.views if view.probabilities is not None):
        flags += [flag for name in probability_names(view.a) for flag in view.a[name].flags]
    return flags
