"""Files larger than memory: what a row, a part and a merge cost, beside polars and scikit-learn on what fits.

    python -m benchmarks.scale all FOLDER [--rows 2e8] [--memory 1GB] [--cap 2GB] [--engine local --engine dask ...]
    python -m benchmarks.scale rows FOLDER [--memory 1GB] [--engine local|dask|spark] [--cluster ADDRESS]
    python -m benchmarks.scale peer FILES...
    python -m benchmarks.scale merge [--parts 10000]

`all` makes the rows unless they are in the folder, runs every engine and the peer, each in a process of its own, and
prints one table: time, the most memory that the driver and its children held at once, and the fingerprint of the
tallies. `--cap` is a limit on the data of the local engine and of the peer that the system enforces; the peer gets as
many of the files as fit. `rows` assesses a folder made by tools/make_rows.py. `peer` reads files whole with polars and
scores them with scikit-learn. `merge` makes partial tallies and merges them as a driver would, a tree of eight.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import pickle
import resource
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import polars

from surefold.assessment.assess import assess_files
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
        a = assess_files(parts, **COLUMNS, memory=options.memory)
        counted = time.perf_counter() - start - opened
        text = str(a)
        told = time.perf_counter() - start - opened - counted
    held = a.scores.counts if a.scores is not None else None  # type: ignore[attr-defined]
    arrays = (held.bits, held.sums, a.confusion.counts)
    tally = hashlib.sha256(b"".join(np.ascontiguousarray(x).tobytes() for x in arrays)).hexdigest()[:16]
    if options.json:
        facts = {"rows": a.n, "start": opened, "counting": counted, "figures": told, "tally": tally}
        bounds = next((f.evidence["bounds"] for f in a.findings if f.code == "quantised_scores"), {})
        facts |= {"groups": len(held.bits), "bits": held.level, "peak": peak(), "auc": str(a["roc_auc"])}
        print(json.dumps(facts | {"auc_between": bounds.get("roc_auc")}))
        return
    print(text.split("\n\n")[1])
    print("\n".join(f.sentence for f in a.findings if f.code == "quantised_scores"))
    print(f"engine {options.engine}: {a.n:,} rows; start {opened:.1f} s, counting {counted:.1f} s "
          f"({a.n / counted:,.0f} rows a second), every figure and the text {told:.1f} s")  # fmt: skip
    print(f"peak {peak():,.0f} MB of {memory_bytes(options.memory) / 1e6:,.0f}; tally {held.nbytes / 1e6:.0f} MB, "
          f"{len(held.bits):,} groups, {held.level} bits")  # fmt: skip
    print("tallies", tally)


def peer(options: argparse.Namespace) -> None:
    from sklearn.metrics import average_precision_score, brier_score_loss, classification_report, log_loss
    from sklearn.metrics import roc_auc_score as area

    start = time.perf_counter()
    frame = polars.read_parquet(options.files)
    y, call, p = (frame[c].to_numpy() for c in ("y", "pred", "p"))
    report = classification_report(y, call)
    scores = (area(y, p), average_precision_score(y, p), brier_score_loss(y, p), log_loss(y, p))
    spent = time.perf_counter() - start
    if options.json:
        print(json.dumps({"rows": len(y), "counting": spent, "peak": peak(), "auc": f"{scores[0]:.6f}"}))
        return
    print(report, *scores)
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


def everything(options: argparse.Namespace) -> None:
    """Every engine and the peer, each in a process of its own, in one table."""
    folder = Path(options.folder)
    if not any(folder.glob("*.parquet")):
        print(f"making {options.rows:,.0f} rows in {folder} ...", flush=True)
        maker = Path(__file__).parents[1] / "tools" / "make_rows.py"
        made = [sys.executable, str(maker), str(folder), "--rows", str(options.rows), "--files", str(options.files)]
        subprocess.run(made, check=True)
    files = sorted(str(path) for path in folder.glob("*.parquet"))
    size = sum(os.path.getsize(path) for path in files)
    print(f"{len(files)} files, {size / 1e6:,.0f} MB of Parquet; memory={options.memory}, cap {options.cap}; "
          f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")  # fmt: skip
    print(f"{'':26} {'rows':>12} {'start':>6} {'count':>6} {'tell':>5} {'rows/s':>10} {'driver':>7} {'all':>7}  tally")
    for engine in options.engine or ("local", "dask", "spark"):
        command = ["rows", str(folder), "--memory", options.memory, "--engine", engine]
        command += ["--cluster", "local[2]"] if engine == "spark" else []
        found = _apart(command, options.cap if engine == "local" else None)
        _line(engine, found)
    if options.engine:
        return
    share = len(files)
    while share:
        found = _apart(["peer", *files[:share]], options.cap)
        if "rows" in found or share == 1:
            _line("polars and scikit-learn", found)
            return
        print(f"  polars and scikit-learn: {share} of {len(files)} files do not fit ({found['error']})", flush=True)
        share //= 2


def _apart(command: list[str], cap: str | None) -> dict[str, Any]:
    """Run in another process, under a limit of its data where one is said; watch what it and its children hold."""
    import psutil

    def limit() -> None:
        if cap is not None:
            most = int(memory_bytes(cap))
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))

    started = [sys.executable, "-m", "benchmarks.scale", *command, "--json"]
    with subprocess.Popen(
        started, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=limit
    ) as process:
        driver, most = psutil.Process(process.pid), 0.0
        while process.poll() is None:
            held = 0.0
            try:
                family = [driver, *driver.children(recursive=True)]
            except psutil.Error:
                break
            for member in family:
                try:
                    held += member.memory_info().rss / 2**20
                except psutil.Error:  # it ended between two looks
                    continue
            most = max(most, held)
            time.sleep(0.2)
        out, errors = process.communicate()
    if process.returncode:
        last = errors.strip().splitlines()[-1:] or [f"exit code {process.returncode}"]
        return {"error": last[0][:120]}
    return json.loads(out.strip().splitlines()[-1]) | {"all": most}


def _line(name: str, found: dict[str, Any]) -> None:
    if "error" in found:
        print(f"{name:26} failed: {found['error']}", flush=True)
        return
    times = "".join(f" {found[key]:{width}.1f}" if key in found else " " * (width + 1)
                    for key, width in (("start", 6), ("counting", 6), ("figures", 5)))  # fmt: skip
    print(f"{name:26} {found['rows']:12,}{times} {found['rows'] / found['counting']:10,.0f} {found['peak']:7,.0f} "
          f"{found['all']:7,.0f}  {found.get('tally', '')}", flush=True)  # fmt: skip
    if "groups" in found:
        between = found["auc_between"]
        told = f", between {between[0]:.9f} and {between[1]:.9f}" if between else ""
        print(f"  {found['groups']:,} groups, {found['bits']} bits, ROC AUC {found['auc']}{told}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scale", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("all")
    command.add_argument("folder")
    command.add_argument("--rows", type=float, default=2e8)
    command.add_argument("--files", type=int, default=8)
    command.add_argument("--memory", default="1GB")
    command.add_argument("--cap", default="2GB", help="of the data of the local engine and the peer")
    command.add_argument("--engine", action="append", help="only this one; may be said again")
    command.set_defaults(work=everything)
    command = commands.add_parser("rows")
    command.add_argument("folder")
    command.add_argument("--memory", default="1GB")
    command.add_argument("--engine", default="local")
    command.add_argument("--cluster")
    command.add_argument("--json", action="store_true", help="one line for `all`")
    command.set_defaults(work=rows)
    command = commands.add_parser("peer")
    command.add_argument("files", nargs="+")
    command.add_argument("--json", action="store_true", help="one line for `all`")
    command.set_defaults(work=peer)
    command = commands.add_parser("merge")
    command.add_argument("--parts", type=int, default=10_000)
    command.add_argument("--distinct", type=int, default=40)
    command.set_defaults(work=merge)
    options = parser.parse_args()
    options.work(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
