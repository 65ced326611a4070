"""What is odd about the labels themselves: looked for on the distinct labels, never on all rows."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

import numpy as np

from surefold.errors import InputError, show
from surefold.findings import Finding

from .coding import Codes
from .kinds import Label
from .label_set import LabelSet, Rows

__all__ = ["label_findings", "refuse_nul"]

MANY_CLASSES = 100
#: Labels are taken to be off by one if that explains so much more than chance does, on no fewer rows than these.
SHIFTED, FEWEST_SHIFTED = 0.2, 10
_INTEGER = re.compile(r"[+-]?\d{1,9}")
_MOST_COMPARED = 20_000  # beyond it the labels are ids, and comparing them says nothing
_BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
_WHOLE = re.compile(r"([+-]?\d+)\.0*")
_READS_AS_MISSING = {"nan", "none", "null", "<na>", "na", "n/a", "#n/a", "nat"}


def refuse_nul(labels: LabelSet, rows: Rows) -> None:
    """A NUL inside a label is the sign of a file or buffer misread."""
    held = [i for i, v in enumerate(labels.labels) if isinstance(v, str) and "\0" in v]
    if held:
        at, count = rows.first(_occurs(labels, held))
        raise InputError(
            "nul_byte",
            f"the label {show(labels.labels[held[0]])} holds a NUL byte",
            rows=at,
            count=count,
            cure="remove it, or read the file in its own encoding with encoding= (--encoding)",
        )


def _occurs(labels: LabelSet, codes: list[int]) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    mask = np.isin(labels.truth, codes)
    return mask if labels.predicted is None else mask | np.isin(labels.predicted, codes)


def label_findings(labels: LabelSet, rows: Rows) -> list[Finding]:
    """Findings about the list of labels."""
    found: list[Finding] = []
    if len(labels.labels) > MANY_CLASSES:
        found.append(
            Finding.of("many_classes", f"There are {len(labels.labels):,} classes.", classes=len(labels.labels))
        )
    found += _off_by_one(labels)
    if labels.kind == "text" and len(labels.labels) <= _MOST_COMPARED:
        texts = [str(v) for v in labels.labels]
        found += _near_equal(texts, labels)
        found += _empty(texts, labels, rows)
        found += _on_text(texts)
    return found


def _off_by_one(labels: LabelSet) -> list[Finding]:
    """Classes counted from 0 on one side and from 1 on the other: looked for where a label is called that is not true.

    Agreement is held against what chance gives: the share of rows that answers with the same counts would hit.
    """
    calls = labels.predicted
    if calls is None or all(labels.in_truth) or len(labels.labels) > _MOST_COMPARED:
        return []
    if not all(_INTEGER.fullmatch(str(v)) for v in labels.labels):
        return []
    numbers = np.array([int(v) for v in labels.labels])
    truth, called = numbers[labels.truth], numbers[calls]
    weight = np.ones(len(truth)) if labels.times is None else labels.times.astype(float)
    rows = float(weight.sum())
    if rows < FEWEST_SHIFTED:
        return []

    def beyond_chance(step: int) -> tuple[float, float]:
        agree = float(weight[called - truth == step].sum()) / rows
        first, second = (np.bincount(codes, weight, len(numbers)) / rows for codes in (labels.truth, calls))
        place = {v: i for i, v in enumerate(numbers.tolist())}
        chance = sum(first[i] * second[place[v + step]] for v, i in place.items() if v + step in place)
        return agree, (agree - chance) / max(1 - chance, 1e-9)

    as_given, plain = beyond_chance(0)
    for step, word in ((1, "higher"), (-1, "lower")):
        shifted, better = beyond_chance(step)
        outside = called.max() > truth.max() if step == 1 else called.min() < truth.min()
        if outside and better > max(SHIFTED, plain + SHIFTED):
            text = (
                f"Predictions are one {word} than the truth in {shifted:.0%} of the rows and equal to it in "
                f"{as_given:.0%}: is one of them counted from 0 and the other from 1?"
            )
            return [Finding.of("labels_off_by_one", text, step=step, shifted=shifted, equal=as_given)]
    return []


def _near_equal(texts: list[str], labels: LabelSet) -> list[Finding]:
    alike: dict[str, list[str]] = {}
    for text in texts:
        alike.setdefault(_normal(text), []).append(text)
    groups = [group for group in alike.values() if len(group) > 1]
    if not groups:
        return []
    number = {text: i for i, text in enumerate(texts)}
    shown = "; ".join(" / ".join(f"{show(t, 40)} ({_count(labels, number[t]):,})" for t in g) for g in groups[:5])
    more = f" and {len(groups) - 5:,} more" if len(groups) > 5 else ""
    hint = " Spaces go with strip_labels=True (--strip-labels)." if _spaces_only(groups) else ""
    hint += " Case is overlooked with ignore_case=True (--ignore-case)." if _case_differs(groups) else ""
    sentence = f"Labels that are almost the same are counted as different classes: {shown}{more}.{hint}"
    return [Finding.of("near_equal_labels", sentence, groups=groups[:20])]


def _normal(text: str) -> str:
    plain = unicodedata.normalize("NFC", " ".join(text.split()).casefold())
    whole = _WHOLE.fullmatch(plain)
    return whole.group(1) if whole else plain


def _spaces_only(groups: Sequence[list[str]]) -> bool:
    return any(text != text.strip() for group in groups for text in group)


def _case_differs(groups: Sequence[list[str]]) -> bool:
    return any(len({t.casefold().strip() for t in group}) < len({t.strip() for t in group}) for group in groups)


def _count(labels: LabelSet, code: int) -> int:
    columns: list[Codes] = [labels.truth] if labels.predicted is None else [labels.truth, labels.predicted]
    if labels.times is not None:
        return sum(int(labels.times[c == code].sum()) for c in columns)
    return sum(int(np.count_nonzero(c == code)) for c in columns)


def _empty(texts: list[str], labels: LabelSet, rows: Rows) -> list[Finding]:
    if "" not in texts:
        return []
    at, count = rows.first(_occurs(labels, [texts.index("")]))
    places = f", first at {', '.join(f'{r:,}' for r in at)}" if at else ""
    sentence = f"The label is empty text in {count:,} row{'s' * (count > 1)}{places}; shown as (empty)."
    return [Finding.of("empty_label", sentence, rows=at, count=count)]


def _on_text(texts: list[str]) -> list[Finding]:
    found: list[Finding] = []
    reordering = [t for t in texts if _BIDI.search(t)]
    if reordering:
        shown = ", ".join(ascii(t)[:60] for t in reordering[:3])
        found.append(Finding.of("bidi_in_label", f"Labels hold characters that reorder text: {shown}."))
    if all(_DATE.fullmatch(t) for t in texts):
        found.append(
            Finding.of("dates_as_labels", f"The labels look like dates, as in {show(texts[0])}; each is a class.")
        )
    numeric = [t for t in texts if _NUMBER.fullmatch(t.strip())]
    words = [t for t in texts if t.strip() and not _NUMBER.fullmatch(t.strip())]
    if numeric and words:
        sentence = f"Text labels mix numbers such as {show(numeric[0], 40)} and words such as {show(words[0], 40)}."
        found.append(Finding.of("mixed_kinds_of_text", sentence))
    gone: list[Label] = [t for t in texts if t.strip().casefold() in _READS_AS_MISSING]
    if gone:
        shown = ", ".join(show(t) for t in gone[:3])
        sentence = f"The label {shown} reads like a missing value and is kept as a class of its own."
        found.append(Finding.of("missing_as_text", sentence, labels=gone))
    return found
