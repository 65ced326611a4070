"""What cells of a notebook show: drawings that are XML, can be read on any paper, and need no kernel to be seen."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import surefold as sf
from surefold.comparison.difference_curves import roc_difference
from surefold.show.write.palette import LOOKS
from surefold.show.write.svg_heat import STRONGEST

RNG = np.random.default_rng(3)
TRUTH = (np.arange(120) % 3 == 0).astype(int)
FIRST, SECOND = (1 / (1 + np.exp(-RNG.normal(size=120) - ahead * TRUTH)) for ahead in (1.5, 0.5))
EVIL = '<b>"&$x$'


def assessed() -> sf.Assessment:
    return sf.assess(TRUTH, y_score=FIRST, pos_label=1)


def many(k: int) -> sf.Assessment:
    labels = [f"{EVIL}{i}" for i in range(k)]
    truth = np.arange(10 * k) % k
    return sf.assess([labels[c] for c in truth], [labels[(c + (i % 7 == 0)) % k] for i, c in enumerate(truth)])


CELLS: dict[str, Callable[[], Any]] = {
    "confusion": lambda: assessed().confusion,
    "per_class": lambda: assessed().per_class,
    "roc": lambda: assessed().roc,
    "precision_recall": lambda: assessed().precision_recall,
    "gains": lambda: assessed().gains,
    "lift": lambda: assessed().lift,
    "calibration": lambda: assessed().calibration,
    "decision": lambda: assessed().decision,
    "cost": lambda: assessed().cost,
    "assessment": assessed,
    "labels": lambda: many(4),
    "classes": lambda: many(4).per_class,
    "cells": lambda: many(4).confusion,
    "thirty": lambda: many(30).confusion,
    "plan": lambda: sf.sample_size("mcnemar", difference=0.02, disagreement=0.1),
    "difference": lambda: roc_difference(TRUTH, FIRST, SECOND, names=(EVIL, "b"), draws=100),
}


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_is_xml_under_60_kb_without_script(name: str) -> None:
    fragment = CELLS[name]()._repr_html_()
    tree = ET.fromstring(fragment.replace("&nbsp;", " "))
    assert len(fragment) < 60_000
    assert not {part.tag.split("}")[-1] for part in tree.iter()} & {"script", "b" if EVIL in fragment else "script"}
    if name not in ("per_class", "classes", "thirty"):
        assert "<svg" in fragment
    if name in ("cells", "difference"):
        assert "&lt;b&gt;" in fragment


def test_the_cell_of_an_assessment_has_its_confusion_matrix() -> None:
    a = assessed()
    fragment = a._repr_html_()
    for count in np.asarray(a.confusion).ravel().tolist():
        assert f">{count:g}</text>" in fragment
    assert "Predicted class" in fragment


def test_the_key_of_a_curve_names_every_line() -> None:
    fragment = assessed().decision._repr_html_()
    for label in ("call every row", "call none", "the scores", "95 % band, each point"):
        assert label in fragment


# on any paper


def light_of(colour: str) -> float:
    colour = colour if len(colour) == 7 else "#" + "".join(2 * c for c in colour[1:])
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, two: str) -> float:
    low, high = sorted((light_of(one), light_of(two)))
    return (high + 0.05) / (low + 0.05)


def over(colour: str, paper: str, opacity: float) -> str:
    mixed = [opacity * int(colour[i : i + 2], 16) + (1 - opacity) * int(paper[i : i + 2], 16) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(part):02x}" for part in mixed)


@pytest.mark.parametrize(("paper", "ink"), [("#ffffff", "#000000"), ("#111111", "#e0e0e0")])
def test_colours_are_seen_and_texts_read_on_light_and_dark_paper(paper: str, ink: str) -> None:
    for kind, look in LOOKS.items():
        for colour in re.findall(r'"(#[0-9a-f]{3,6})"', look):
            assert contrast(colour, paper) >= 3 or colour in ("#fff", "#888"), kind  # lines: WCAG asks for 3
    assert contrast(over("#0072b2", paper, STRONGEST), ink) >= 4.5  # texts in cells
    assert not any("fill=" in LOOKS[kind] for kind in ("tick", "axis", "words", "figure", "name s2"))  # in the ink


# in a script


def test_a_script_without_a_screen_draws_and_shows() -> None:
    code = (
        "import matplotlib; matplotlib.use('agg'); import surefold as sf; from matplotlib import pyplot; "
        "a = sf.assess([0, 1, 1, 0, 1, 0], y_score=[.1, .9, .8, .3, .4, .6]); a.plot(); a.confusion.plot(); "
        "a.plot('per_class'); sf.plot_roc({'a': a, 'b': a}); pyplot.show(); print(len(pyplot.get_fignums()))"
    )
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert (ran.stdout.strip(), ran.returncode) == ("4", 0), ran.stderr
