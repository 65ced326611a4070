"""`python -m tests.validity`: simulate, print, write docs/validity.md, and fail if a gate fails.

Parts run side by side, each in a process of its own, the longest first. What a part found is kept in `.validity` under
a fingerprint of the code that it covers: a run that breaks off goes on, and only what changed is simulated again.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from .dots import dot_plot
from .page import gate_grid, page
from .running import PARTS, sections, tell

DOCS = Path(__file__).parents[2] / "docs"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.validity", description="Simulate coverage of the intervals.")
    parser.add_argument("--quick", action="store_true", help="a smoke run of some minutes; the page is not written")
    parser.add_argument("--only", choices=PARTS, nargs="+", help="run some parts; the page is not written")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="parts at a time (default: one a core)")
    parser.add_argument("--fresh", action="store_true", help="simulate again what was kept")
    chosen = parser.parse_args(arguments)
    names = [name for name in PARTS if not chosen.only or name in chosen.only]
    found = {}
    for section in sections(names, chosen.quick, chosen.jobs, chosen.fresh):
        found[section.name] = section
        print(section.markdown(), end="\n\n", flush=True)
    ordered = [found[name] for name in names]
    gates = [gate for section in ordered for gate in section.gates]
    print(gate_grid(gates).markdown())
    if not (chosen.only or chosen.quick or "VALIDITY_SEED" in os.environ):
        (DOCS / "validity.svg").write_text(dot_plot(ordered), encoding="utf-8")
        (DOCS / "validity.md").write_text(page(ordered, chosen.quick), encoding="utf-8")
        tell("wrote docs/validity.md and docs/validity.svg")
    failed = [gate.name for gate in gates if not gate.passed]
    print(f"{len(gates) - len(failed)} of {len(gates)} gates passed", *failed, sep="\n  ", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
