"""`python -m tests.validity`: simulate, print, write docs/validity.md, and fail if a gate fails."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from . import (
    bands,
    benchmark,
    clusters,
    comparison,
    degenerate,
    difference_bands,
    differences,
    families,
    folds,
    gates,
    grouped_probabilities,
    page_costs,
    power,
    probabilities,
    proportions,
    ranking,
    ranks,
    ratios,
    score_differences,
    selection,
    tables,
    weights,
)
from .page import Section, gate_grid, page

PAGE = Path(__file__).parents[2] / "docs" / "validity.md"

PARTS: dict[str, Callable[[bool], Section]] = {
    "proportions": proportions.run,
    "named": tables.run_named,
    "random": tables.run_random,
    "ratios": ratios.run,
    "weights": weights.run,
    "clusters": clusters.run,
    "degenerate": degenerate.run,
    "ranking": ranking.run,
    "probabilities": probabilities.run,
    "grouped_probabilities": grouped_probabilities.run,
    "bands": bands.run,
    "folds": folds.run,
    "comparison": comparison.run,
    "differences": differences.run,
    "score_differences": score_differences.run,
    "difference_bands": difference_bands.run,
    "families": families.run,
    "gates": gates.run,
    "page_costs": page_costs.run,
    "power": power.run,
    "benchmark": benchmark.run,
    "selection": selection.run,
    "ranks": ranks.run,
}


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.validity", description="Simulate coverage of the intervals.")
    parser.add_argument("--quick", action="store_true", help="a smoke run of about a minute; the page is not written")
    parser.add_argument("--only", choices=PARTS, help="run one part; the page is not written")
    chosen = parser.parse_args(arguments)
    sections = []
    for name in [chosen.only] if chosen.only else PARTS:
        print(f"{name} …", end=" ", file=sys.stderr, flush=True)
        start = time.perf_counter()
        section = PARTS[name](chosen.quick)
        section.seconds = time.perf_counter() - start
        sections.append(section)
        print(f"{section.seconds:.0f} s", file=sys.stderr, flush=True)
        print(section.markdown(), end="\n\n", flush=True)
    gates = [gate for section in sections for gate in section.gates]
    print(gate_grid(gates).markdown())
    if not (chosen.only or chosen.quick or "VALIDITY_SEED" in os.environ):
        PAGE.write_text(page(sections, chosen.quick), encoding="utf-8")
        print(f"wrote {PAGE}", file=sys.stderr)
    failed = [gate.name for gate in gates if not gate.passed]
    print(f"{len(gates) - len(failed)} of {len(gates)} gates passed", *failed, sep="\n  ", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
