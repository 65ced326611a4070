"""The campaign of `python -m tests.faults`, a part a test."""

import pytest

from .__main__ import PARTS


@pytest.mark.parametrize("part", PARTS)
def test_part(part):
    figures = PARTS[part]()
    print()
    for figure in figures:
        print(figure)
    assert all(figure.passed for figure in figures)
