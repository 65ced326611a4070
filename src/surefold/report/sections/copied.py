"""What a reader can copy: the call in Python, and the command that wrote the page, with the threshold left open."""

from __future__ import annotations

import shlex

from surefold.assessment import Assessment
from surefold.inputs.labels import Label
from surefold.show.names import plain

__all__ = ["again", "held", "literal"]

#: Options that a threshold replaces or forbids, and the page itself, which is not to be written over.
REPLACED = ("--threshold", "--costs", "--pred", "--report")
LONGEST = 80


def again(command: str, a: Assessment | None) -> str:
    """The command to which a threshold and costs can be added; nothing where that would not give the same rows.

    A threshold needs its scores alone: said by name, or guessed where the file has no labels.

    >>> again("surefold assess f.csv --score p --pred y --report r.html --threshold 0.4", None)
    'surefold assess f.csv --score p'
    >>> again("surefold assess f.csv", None), again("surefold demo", None)
    ('', '')
    """
    try:
        words = shlex.split(command)
    except ValueError:  # it was written by something else than the command line
        return ""
    scores = sum(word == "--score" for word in words)
    made = a is not None and any(f.code == "labels_from_scores" for f in a.noticed)
    if words[:2] != ["surefold", "assess"] or not (scores == 1 or (scores == 0 and made)):
        return ""
    kept, skip = [], False
    for word in words:
        if not skip and word not in REPLACED:
            kept.append(word)
        skip = not skip and word in REPLACED
    return plain(shlex.join(kept))


def held(expression: str, confidence: float) -> str:
    """A call that makes the assessment again, with its confidence where that is not the usual one.

    >>> held("r.assess()", 0.95), held("r.assess()", 0.9)
    ('r.assess()', 'r.assess(confidence=0.9)')
    """
    if confidence == 0.95 or not expression.endswith(")"):
        return expression
    before = expression[:-1]
    return f"{before}{'' if before.endswith('(') else ', '}confidence={confidence:.15g})"


def literal(label: Label) -> str:
    """The label as Python writes it; nothing where that is long.

    >>> literal(0), literal("0"), literal("x" * 200)
    ('0', "'0'", '')
    """
    shown = plain(repr(label.item() if hasattr(label, "item") else label))
    return shown if len(shown) <= LONGEST else ""
