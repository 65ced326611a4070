"""What follows from a result: the answer, what to do about it, and what speaks most against it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from surefold.verdict.sentences import Sentence

__all__ = ["Badge", "Status", "Tone", "Verdict"]

Status = Literal[
    "better", "worse", "cannot_tell", "practically_equal", "differ", "passed", "failed", "incomplete", "told"
]
#: Good news, bad news, or an open question: what gives a badge its colour and its mark.
Tone = Literal["good", "bad", "open"]

_TONES: dict[str, Tone] = {
    "better": "good",
    "passed": "good",
    "worse": "bad",
    "failed": "bad",
    "differ": "good",
    "practically_equal": "open",
    "told": "open",
}


@dataclass(frozen=True)
class Badge:
    """A few words, and whether they are good news; `falls` where good news is that something is lower."""

    words: Sentence
    tone: Tone
    falls: bool = False

    def __str__(self) -> str:
        return str(self.words)


@dataclass(frozen=True)
class Verdict:
    """What follows from the numbers, in three lines, with the evidence as plain values.

    answer:   plain words with the figures in them, and no p.
    act:      what to do now, or what would tell; None where there is nothing to do.
    doubt:    the one thing that speaks most against it, with its cure; None where nothing does.
    how:      the tests and methods behind it.
    badge:    a few words that say against what.
    """

    status: Status
    answer: Sentence
    act: Sentence | None = None
    doubt: Sentence | None = None
    how: tuple[Sentence, ...] = ()
    evidence: Mapping[str, Any] = field(default_factory=dict)
    badge: Badge | None = None

    @classmethod
    def undefined(
        cls, reason: str, evidence: Mapping[str, Any] | None = None, status: Status = "cannot_tell"
    ) -> Verdict:
        """No answer, and why: the reason is the answer."""
        return cls("cannot_tell", Sentence("undefined", {"reason": reason}), evidence=evidence or {})

    @property
    def sentence(self) -> str:
        """The answer as text, which a decision can rest on."""
        return str(self.answer)

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        """The card: Answer, Act and Doubt, as far as there are any."""
        named = (("Answer", self.answer), ("Act", self.act), ("Doubt", self.doubt))
        return tuple((name, str(sentence)) for name, sentence in named if sentence is not None)

    @property
    def mark(self) -> Badge:
        """The badge; one that follows from the status where none was given."""
        return self.badge or Badge(Sentence(f"badge {self.status}"), _TONES.get(self.status, "open"))

    def __str__(self) -> str:
        return self.sentence

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON."""
        return {
            "status": self.status,
            "sentence": self.sentence,
            "answer": str(self.answer),
            "act": None if self.act is None else str(self.act),
            "doubt": None if self.doubt is None else str(self.doubt),
            "badge": {"words": str(self.mark), "tone": self.mark.tone},
            "how": [str(sentence) for sentence in self.how],
            "evidence": dict(self.evidence),
        }
