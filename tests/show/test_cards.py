"""Every card as plain text, in a file that people read in review: `python -m tests.show.test_cards` writes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefold.show.of.catalogue import document_of
from surefold.show.write.terminal import Look, terminal
from surefold.verdict.sentences import TEMPLATES
from tests.show.results import RESULTS, made

CARDS = Path(__file__).with_name("cards.txt")


def card(name: str) -> str:
    """The badge, the lines of the card, and how we know; nothing that takes time to be worked out again."""
    document = document_of(made(name))
    if document.verdict is None:
        return "(no card)"
    alone = type(document)(document.verdict, ())
    return terminal(alone, Look(88))


def written() -> str:
    return "".join(f"== {name} ==\n\n{card(name)}\n\n\n" for name in RESULTS)


@pytest.mark.parametrize("name", RESULTS)
def test_the_card_is_the_one_that_was_read(name: str) -> None:
    assert f"== {name} ==\n\n{card(name)}\n\n\n" in CARDS.read_text(encoding="utf-8")


@pytest.mark.parametrize("key", TEMPLATES)
def test_templates_are_short_and_plain(key: str) -> None:
    words = TEMPLATES[key].split()
    assert len(words) <= 34
    assert "_" not in TEMPLATES[key].replace("{", "").replace("}", "") or "{" in TEMPLATES[key]
    if not key.startswith(("badge", "set rest", "set worse", "set not", "finding", "plain")):
        assert TEMPLATES[key].endswith((".", "}"))


if __name__ == "__main__":
    CARDS.write_text(written(), encoding="utf-8")
