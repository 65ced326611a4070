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
            "nul_byte", f"the label {show(labels.labels[held[0]])} holds a NUL byte", rows=at, count=count,
            cure="remove it, or read the file in its own encoding with encoding= (--encoding)",
        )  # fmt: skip


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
    if labels.kind == "text" and len(labels.labels) <= _MOST_COMPARED:
        texts = [str(v) for v in labels.labels]
        found += _near_equal(texts, labels)
        found += _empty(texts, labels, rows)
        found += _on_text(texts)
    return found


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
    sentence = f"Labels that are almost the same are counted as different classes: {shown}{more}.{hint}"
    return [Finding.of("near_equal_labels", sentence, groups=groups[:20])]


def _normal(text: str) -> str:
    plain = unicodedata.normalize("NFC", " ".join(text.split()).casefold())
    whole = _WHOLE.fullmatch(plain)
    return whole.group(1) if whole else plain


def _spaces_only(groups: Sequence[list[str]]) -> bool:
    return any(text != text.strip() for group in groups for text in group)


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
