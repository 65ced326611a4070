"""Files larger than memory: what a row, a part and a merge cost, beside polars and scikit-learn on what fits.

    python -m benchmarks.scale rows FOLDER [--memory 2GB] [--engine local|dask|spark] [--cluster ADDRESS]
    python -m benchmarks.scale peer FILE
    python -m benchmarks.scale merge [--parts 10000]

`rows` assesses a folder made by tools/make_rows.py and prints time, rows a second, peak memory and a fingerprint of the
tallies; run it once an engine and compare. `peer` reads one file whole with polars and scores it with scikit-learn.
`merge` makes partial tallies and merges them as a driver would, a tree of eight.
"""

from __future__ import annotations

import argparse
import hashlib
import pickle
import resource
import sys
import time
from contextlib import closing
from typing import Any

import numpy as np
import polars

from surefold.assessment.from_parts import assess_rows
from surefold.engines.rows import FAN_IN, memory_bytes, merged, open_rows
from surefold.inputs.parts import Roles
from surefold.inputs.streams import table_of
from surefold.tallies.partial import Partial, Plan

COLUMNS = {"truth": "y", "pred": "pred", "score": "p"}


def peak() -> float:
    """The most memory this process has held, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def rows(options: argparse.Namespace) -> None:
    start = time.perf_counter()
    how: dict[str, Any] = {"engine": options.engine, "cluster": options.cluster, "memory": options.memory}
    with closing(open_rows(options.folder, **how)) as parts:
        opened = time.perf_counter() - start
        a = assess_rows(parts, **COLUMNS, memory=options.memory)
        counted = time.perf_counter() - start - opened
        text = str(a)
        told = time.perf_counter() - start - opened - counted
    held = a.scores.counts if a.scores is not None else None  # type: ignore[attr-defined]
    arrays = (held.bits, held.sums, a.confusion.counts)
    print(text.split("\n\n")[1])
    print("\n".join(f.sentence for f in a.findings if f.code == "quantised_scores"))
    print(f"engine {options.engine}: {a.n:,} rows; start {opened:.1f} s, counting {counted:.1f} s "
          f"({a.n / counted:,.0f} rows a second), every figure and the text {told:.1f} s")  # fmt: skip
    print(f"peak {peak():,.0f} MB of {memory_bytes(options.memory) / 1e6:,.0f}; tally {held.nbytes / 1e6:.0f} MB, "
          f"{len(held.bits):,} groups, {held.level} bits")  # fmt: skip
    print("tallies", hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in arrays)).hexdigest()[:16])


def peer(options: argparse.Namespace) -> None:
    from sklearn.metrics import average_precision_score, brier_score_loss, classification_report, log_loss
    from sklearn.metrics import roc_auc_score as area

    start = time.perf_counter()
    frame = polars.read_parquet(options.folder)
    y, call, p = (frame[c].to_numpy() for c in ("y", "pred", "p"))
    print(classification_report(y, call))
    print(area(y, p), average_precision_score(y, p), brier_score_loss(y, p), log_loss(y, p))
    spent = time.perf_counter() - start
    print(f"polars and scikit-learn, no intervals: {len(y):,} rows in {spent:.1f} s ({len(y) / spent:,.0f} rows a "
          f"second), peak {peak():,.0f} MB, {peak() * 1e6 / len(y):.0f} bytes a row")  # fmt: skip


def merge(options: argparse.Namespace) -> None:
    """A driver's share: partial tallies of 20,000 rows each, with scores of four decimals, merged in a tree."""
    plan = Plan(Roles("y", ("pred",), ("p",)))
    rng = np.random.default_rng(0)
    sent = []
    started = time.perf_counter()
    for _ in range(options.distinct):
        p = np.round(rng.random(20_000), 4)
        y, call = (rng.random(20_000) < p).astype(np.int64), (p > 0.5).astype(np.int64)
        frame = polars.DataFrame({"y": y, "pred": call, "p": p})
        sent.append(pickle.dumps(plan.of(table_of(frame, "rows"))))
    made = (time.perf_counter() - started) / options.distinct
    waiting = [sent[i % len(sent)] for i in range(options.parts)]
    size = float(np.mean([len(s) for s in waiting]))
    start, merges, traffic, widest = time.perf_counter(), 0, 0, 0
    while len(waiting) > 1:
        above = []
        for first in range(0, len(waiting), FAN_IN):
            group = waiting[first : first + FAN_IN]
            traffic += sum(map(len, group))
            widest = max(widest, sum(map(len, group)))
            whole: Partial = merged([pickle.loads(s) for s in group])
            above.append(pickle.dumps(whole))
            merges += 1
        waiting = above
    spent = time.perf_counter() - start
    last = pickle.loads(waiting[0])
    assert last.n == 20_000 * options.parts
    print(f"{options.parts:,} partial tallies of {size / 1e3:.0f} kB, made in {made * 1e3:.1f} ms each")
    print(f"{merges:,} merges of {FAN_IN} in {spent:.1f} s, {spent / merges * 1e3:.1f} ms each; "
          f"{traffic / 1e6:,.0f} MB moved, at most {widest / 1e6:.1f} MB into one merge, "
          f"{len(waiting[0]) / 1e3:.0f} kB at the end; peak {peak():,.0f} MB")  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    commands = parser.add_subparsers(required=True)
    for work in (rows, peer):
        command = commands.add_parser(work.__name__)
        command.add_argument("folder")
        command.add_argument("--memory", default="2GB")
        command.add_argument("--engine", default="local")
        command.add_argument("--cluster")
        command.set_defaults(work=work)
    command = commands.add_parser("merge")
    command.add_argument("--parts", type=int, default=10_000)
    command.add_argument("--distinct", type=int, default=40)
    command.set_defaults(work=merge)
    options = parser.parse_args()
    options.work(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
