"""What every test leaves as it found it."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _figures_are_closed() -> Iterator[None]:
    """Plots are shown by pyplot, which keeps its figures until they are closed."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
