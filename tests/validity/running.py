"""The parts, simulated side by side, each in a process of its own, the longest first."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module

from .kept import fingerprint, keep, kept, seconds_before
from .page import Section

__all__ = ["PARTS", "sections", "tell"]

#: Where each part is, in the order of the page.
PARTS = {
    "proportions": "proportions.run",
    "named": "tables.run_named",
    "random": "tables.run_random",
    "ratios": "ratios.run",
    "weights": "weights.run",
    "clusters": "clusters.run",
    "one_model": "one_model.run",
    "degenerate": "degenerate.run",
    "ranking": "ranking.run",
    "operating": "operating.run",
    "probabilities": "probabilities.run",
    "grouped_probabilities": "grouped_probabilities.run",
    "bands": "bands.run",
    "folds": "folds.run",
    "comparison": "comparison.run",
    "differences": "differences.run",
    "score_differences": "score_differences.run",
    "score_extras": "score_extras.run",
    "difference_bands": "difference_bands.run",
    "families": "families.run",
    "gates": "gates.run",
    "page_costs": "page_costs.run",
    "power": "power.run",
    "benchmark": "benchmark.run",
    "selection": "selection.run",
    "ranks": "ranks.run",
    "slices": "slices.run",
}


def made(name: str, quick: bool) -> Section:
    """One part, simulated now, and kept."""
    start = time.perf_counter()
    module, _, function = PARTS[name].partition(".")
    code = fingerprint(module, quick)
    section: Section = getattr(import_module(f"tests.validity.{module}"), function)(quick)
    section.seconds = time.perf_counter() - start
    keep(section, code, quick)
    return section


def sections(names: list[str], quick: bool, jobs: int, fresh: bool) -> Iterator[Section]:
    """Every part, as they are done; those that were kept first."""
    left = []
    for name in names:
        found = None if fresh else kept(name, fingerprint(PARTS[name].partition(".")[0], quick), quick)
        if found is None:
            left.append(name)
        else:
            tell(f"{name}: kept from an earlier run of the same code")
            yield found
    left.sort(key=lambda name: -seconds_before(name, quick))
    start, done = time.perf_counter(), 0
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max(1, min(jobs, len(left))), mp_context=spawn, max_tasks_per_child=1) as pool:
        futures = {pool.submit(made, name, quick): name for name in left}
        if left:
            tell(f"{len(left)} parts to simulate, {min(jobs, len(left))} at a time: {', '.join(left)}")
        for future in as_completed(futures):
            section, done = future.result(), done + 1
            minutes = (time.perf_counter() - start) / 60
            short = [gate.name for gate in section.gates if not gate.passed]
            told = f", {len(short)} of {len(section.gates)} gates not passed" if short else ""
            tell(f"[{done} of {len(left)}, {minutes:.1f} min] {section.name}: {section.seconds:.0f} s{told}")
            yield section


def tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
