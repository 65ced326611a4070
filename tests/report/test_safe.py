"""Text from strangers: terminals do not obey it, tables stay aligned, spreadsheets do not run it."""

import csv
import io
import json
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefold.report.as_json import to_json
from surefold.show.names import (
    cell,
    csv_text,
    cut,
    label_text,
    markdown_cell,
    pad,
    plain,
    plain_lines,
    text_table,
    width,
    xml_text,
)


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("plain", "plain"),
        ("red\x1b[31m", "red\\x1b[31m"),
        ("two\nlines", "two\\x0alines"),
        ("\u202eevil", "\\u202eevil"),
        ("a\u2028b", "a\\u2028b"),
        ("\x9b31m", "\\x9b31m"),
        ("\ud800", "\\ud800"),
        ("日本 👩‍🔬", "日本 👩‍🔬"),
    ],
)
def test_control_and_reordering_characters_are_shown_as_escapes(raw, shown):
    assert plain(raw) == shown


@given(st.text())
def test_what_is_shown_has_nothing_a_terminal_obeys(text):
    shown = plain(text)
    assert all(c.isprintable() or c in "\u200b\u200c\u200d\ufeff" or ord(c) > 0x9F for c in shown)
    assert not any(c in shown for c in "\x1b\x9b\n\r\t\u202e\u2066\x00")


@given(st.text(), st.integers(2, 30))
def test_cut_never_exceeds_its_width_and_keeps_the_start(text, longest):
    shown = cut(plain(text), longest)
    assert width(shown) <= longest
    assert shown == plain(text) or plain(text).startswith(shown[:-1])


def test_an_empty_label_is_visible_and_a_long_one_is_cut():
    assert label_text("") == "(empty)"
    assert label_text("x" * 10_000) == "x" * 39 + "…"


def test_wide_characters_stay_aligned():
    lines = text_table([["日本", "1"], ["abcd", "22"]], right=(1,)).splitlines()
    assert width(lines[0]) == width(lines[1])
    assert pad("日", 4) == "日  "


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_spreadsheets_do_not_run_labels(start):
    assert str(cell(f"{start}cmd()")).startswith(("'", "\\"))


@pytest.mark.parametrize("value", [-0.5, "-0.5", "+1e3", "spam", 7, None])
def test_numbers_and_plain_text_stay_as_they_are(value):
    assert cell(value) is value


@given(st.text())
def test_csv_cells_survive_a_round_trip_as_a_terminal_would_show_them(text):
    ((shown,),) = csv.reader(io.StringIO(csv_text([[text]]), newline="")) if text else (("",),)
    assert shown in (plain(text), f"'{plain(text)}")
    assert not shown.startswith(("=", "@", "\uff1d", "\uff20"))


@given(st.lists(st.lists(st.text(st.sampled_from("=1+-@'\"\t\r\n,;\x1b\x85\u2028\u202e a")), min_size=2), min_size=1))
def test_nothing_in_a_cell_begins_another_row_or_cell(rows):
    text = csv_text(rows)
    assert text.count("\n") == len(text.splitlines()) == len(rows)  # whatever else ends a line
    for line, row in zip(csv.reader(io.StringIO(text, newline="")), rows, strict=True):
        assert len(line) == len(row)
        for shown in line:
            assert shown == "" or shown[0] not in "=@+-" or float(shown) is not None


def test_a_cell_holds_no_more_than_a_spreadsheet_takes():
    told = str(cell("=" + "x" * 10_000_000))
    assert len(told) <= 32_767
    assert told.startswith("'=xxx")
    assert told.endswith("… (10,000,001 characters)")
    assert len(str(cell("\u202e" * 32_766))) <= 32_767  # escapes are longer than what they stand for
    assert cell("x" * 32_766) == "x" * 32_766


@given(st.text())
def test_json_is_read_as_it_was_and_shows_nothing_a_terminal_obeys(text):
    told = to_json({text: [text]})
    assert json.loads(told) == {text: [text]}
    assert plain_lines(told) == told


@given(st.text())
def test_xml_text_always_parses_to_what_a_terminal_would_show(text):
    parsed = ET.fromstring(f'<a b="{xml_text(text)}">{xml_text(text)}</a>')
    shown = plain(text).replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
    assert (parsed.text or "") == shown
    assert parsed.get("b") == shown


@pytest.mark.parametrize("text", ["a|b", "<script>", "[x](http://e)", "`code`", "![i](u)", "**b**", "@all", "#1"])
def test_markdown_cells_hold_no_markup(text):
    shown = markdown_cell(text)
    assert not any(mark in shown.replace("&#", "") for mark in "|<>[`*@")
    assert "://" not in shown
