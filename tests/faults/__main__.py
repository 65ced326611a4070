"""`python -m tests.faults`: do it all, print one figure a line, write docs/faults.md, and fail if one fails."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from . import changed, damage, kills, sharing, soak, space, strangers
from .page import page
from .stage import SCALE, Figure

PAGE = Path(__file__).parents[2] / "docs" / "faults.md"
PARTS: dict[str, Callable[[], list[Figure]]] = {
    "kills": kills.figures,
    "sharing": sharing.figures,
    "damage": damage.figures,
    "space": space.figures,
    "changed": changed.figures,
    "strangers": strangers.figures,
    "soak": soak.figures,
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description="Faults on purpose.")
    parser.add_argument("--only", choices=PARTS, action="append", help="do some parts; the page is not written")
    chosen = parser.parse_args(arguments)
    figures: list[Figure] = []
    start = time.perf_counter()
    for name in chosen.only or PARTS:
        for figure in PARTS[name]():
            figures.append(figure)
            print(figure, flush=True)
        print(f"     {name}: {time.perf_counter() - start:.0f} s since the start", flush=True)
    failed = [figure for figure in figures if not figure.passed]
    if not chosen.only and SCALE >= 1:
        PAGE.write_text(page(figures, time.perf_counter() - start), encoding="utf-8")
        print(f"wrote {PAGE}")
    print(f"{len(figures) - len(failed)} of {len(figures)} figures as wanted")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
