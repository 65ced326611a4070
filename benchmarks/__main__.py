"""Run every benchmark, print the ratios and write docs/benchmarks.md.

python -m benchmarks [NAME ...] [--no-write]
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from itertools import chain
from pathlib import Path

import numpy
import sklearn

import surefold
from benchmarks import comparing, crisp, first_use, learners, one_sort, resampling, scores, slicing, startup
from benchmarks.bench import Result, run

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def _table(results: list[Result]) -> list[str]:
    lines = [
        "| bench | work | ratio | at least | ours, s | peer, s | memory | peer |",
        "|---|---|---:|---:|---:|---:|---:|---|",
    ]
    for r in results:
        ratio = f"{r.ratio:,.{0 if r.ratio >= 10 else 2}f}x" + ("" if r.reached else " (missed)")
        lines.append(
            f"| {r.bench.name} | {r.bench.work} | {ratio} | {r.bench.at_least:,.4g}x | {r.our_seconds:.4f} "
            f"| {r.peer_seconds:.2f} | {r.peak_over_input:.1f} | {r.bench.peer} |"
        )
    return lines


def _starts(limits: list[startup.Limit]) -> list[str]:
    lines = ["| limit | measured | at most |", "|---|---:|---:|"]
    return lines + [f"| {what} | {seconds:.4f} | {most:.3f} |" for what, seconds, most in limits]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*", help="only benchmarks whose name starts with one of these")
    parser.add_argument("--no-write", action="store_true", help="do not rewrite docs/benchmarks.md")
    options = parser.parse_args()
    results = []
    kinds = (crisp, scores, one_sort, comparing, slicing, resampling, learners, first_use)
    for bench in chain.from_iterable(kind.benches() for kind in kinds):
        if options.names and not bench.name.startswith(tuple(options.names)):
            continue
        print(f"{bench.name} …", file=sys.stderr, flush=True)
        results.append(run(bench))
    limits = [] if options.names else [*startup.limits(), *resampling.limits()]
    limits += one_sort.limits() if not options.names or {"small", "cli"} & set(options.names) else []
    limits += first_use.limits() if not options.names or "first" in options.names else []
    versions = (
        f"surefold {surefold.__version__}, scikit-learn {sklearn.__version__}, numpy {numpy.__version__}, "
        f"Python {platform.python_version()}, {os.cpu_count()} cores."
    )
    body = [versions, "", *_table(results)] + (["", *_starts(limits)] if limits else [])
    print("\n".join(body))
    if not options.names and not options.no_write:
        head = [
            "# Benchmarks",
            "",
            "Made by `make bench`: ours and the peer's by turns in one process on the same data, best of three.",
            "",
        ]
        PAGE.write_text("\n".join(head + body) + "\n", encoding="utf-8")
    missed = [r.bench.name for r in results if not r.reached] + [what for what, s, most in limits if s > most]
    if missed:
        print(f"missed: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
