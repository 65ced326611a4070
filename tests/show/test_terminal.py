"""The terminal: no line is wider than it, no number is lost where it is narrow, and nobody's text is obeyed."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import surefold as sf
from surefold.show.names import width
from surefold.show.of.catalogue import document_of
from surefold.show.write.terminal import Look, terminal
from tests.show.results import RESULTS, made

NUMBER = re.compile(r"[−]?\d[\d,]*\.\d+")
#: Names that try to be obeyed: escape codes, reordering, markup, formulas, and one that does not end.
HOSTILE = ("\x1b[31mred\x1b[0m", "\u202eabc", "<script>alert(1)</script>", "=cmd()", "a|b\nc", "日本語" * 9, "x" * 400)


@pytest.mark.parametrize("columns", [40, 60, 80, 120, 200])
@pytest.mark.parametrize("name", RESULTS)
def test_no_line_is_wider_than_the_terminal(name: str, columns: int) -> None:
    for line in terminal(document_of(made(name)), Look(columns)).splitlines():
        assert width(line) <= columns, line


@pytest.mark.parametrize("name", RESULTS)
def test_every_number_of_the_wide_text_is_in_the_narrow_one(name: str) -> None:
    wide, narrow = (set(NUMBER.findall(terminal(document_of(made(name)), Look(c)))) for c in (200, 60))
    assert wide <= narrow


@pytest.mark.parametrize("name", RESULTS)
def test_no_markup_no_nan_and_no_code_of_ours_in_the_card(name: str) -> None:
    text = terminal(document_of(made(name)), Look(80))
    assert "\x1b" not in text
    assert not re.search(r"\b(nan|None|inf)\b", text)
    assert "\n\n\n" not in text
    assert not re.search(r"[ \t]$", text, flags=re.MULTILINE)


def test_colours_only_surround_what_is_the_same_without_them() -> None:
    for name in RESULTS:
        document = document_of(made(name))
        plain, painted = terminal(document, Look(80)), terminal(document, Look(80, colour=True))
        assert "\x1b[" in painted
        assert re.sub(r"\x1b\[[\d;]*m", "", painted) == plain
        assert all(line.count("\x1b[0m") * 2 == line.count("\x1b[") for line in painted.splitlines())


@pytest.mark.parametrize("hostile", HOSTILE)
def test_names_of_strangers_are_not_obeyed(hostile: str) -> None:
    rng = np.random.default_rng(0)
    truth = np.where(rng.random(60) < 0.5, hostile, "other")
    answers = {hostile: truth, "other": np.where(rng.random(60) < 0.8, truth, "other")}
    for result in (sf.assess(truth, answers["other"], labels=["other", hostile]), sf.compare(truth, answers)):
        for look in (Look(60), Look(60, colour=True)):
            text = terminal(document_of(result), look)
            assert "\u202e" not in text
            assert "\x1b[31mred" not in text
            plain = re.sub(r"\x1b\[[\d;]*m", "", text)
            assert all(c == "\n" or c.isprintable() for c in plain)
            assert max(map(width, plain.splitlines())) <= 60


def test_marks_have_a_plain_form() -> None:
    document = document_of(made("labels"))
    assert terminal(document, Look(80, signs=False)).startswith("+ better than")
    assert terminal(document, replace(Look(80), signs=True)).startswith("▲ better than")
