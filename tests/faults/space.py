"""No room, and no right to write: said in words at once, nothing lost, and the same result when there is room again."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

from surefold import RunError
from surefold.resampling.store import Store

from .stage import Case, Child, Figure, in_child, stage

NOBODY = 65534


def figures() -> list[Figure]:
    return [*_file_limit(), *_small_disk(), *_read_only()]


def _try(case: Case) -> str:
    try:
        return case.run()
    except RunError as error:
        return f"{error.code}: {error}"


def _file_limit() -> list[Figure]:
    sizes = [0, 2000, 5000, 20_000, 40_000, 60_000, 80_000, 120_000]
    wrong: list[str] = []
    codes = set()
    with stage(folds=10, repeats=4, seconds=0.0) as case:
        reference = case.reference()
        for size in sizes:
            case.clear()

            def work(size: int = size) -> str:
                resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
                found = _try(case)
                resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                if found.startswith("store_full") and _try(case) != reference:  # the same process, once there is room
                    return "then: another result"
                return found

            found = in_child(work, case.folder)
            codes.add(found.split(":")[0])
            before = case.done()
            if not found.startswith("store_full") or in_child(case.run, case.folder) != reference:
                wrong.append(f"{size} bytes: {found[:200]}")
            if before - case.done():
                wrong.append(f"{size} bytes: lost")
    told = f"{len(wrong)}" + (f": {'; '.join(wrong)}" if wrong else "")
    return [
        Figure("no room", "files that may not grow beyond 0 to 120,000 bytes", f"{len(sizes)} sizes", "", True),
        Figure("no room", "not told as store_full, lost a fold, or went on to another result", told, "0", not wrong),
    ]


def _small_disk() -> list[Figure]:
    part = "no room"
    with stage(folds=10, repeats=4, seconds=0.0) as case:
        reference = case.reference()
        disk = case.folder / "disk"
        disk.mkdir()
        asked = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(disk)]
        if (
            not shutil.which("mount")
            or os.geteuid()
            or subprocess.run(asked, capture_output=True, check=False).returncode
        ):
            disk.rmdir()
            return [Figure(part, "a disk of 100 kB", "left out: this machine does not let us mount one", "", True)]
        try:
            path = disk / "runs.db"
            first = in_child(lambda: _told(lambda: case.run(store=path)), case.folder)
            subprocess.run(["mount", "-o", "remount,size=50m", str(disk)], check=True)
            second = in_child(lambda: _told(lambda: case.run(store=path)), case.folder)
        finally:
            subprocess.run(["umount", str(disk)], check=True)
            disk.rmdir()
    told = f"{first.split(':')[0]}, then {'the same result' if second == reference else second}"
    return [Figure(part, "a disk of 100 kB", told, "store_full, then the same result",
                   told == "store_full, then the same result")]  # fmt: skip


def _mounted(disk: Path) -> bool:
    asked = ["mount", "-t", "tmpfs", "-o", "size=100k", "tmpfs", str(disk)]
    if not shutil.which("mount") or os.geteuid():
        return False
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def _told(work: Any) -> str:
    try:
        return str(work())
    except RunError as error:
        return f"{error.code}: {error}"


def _read_only() -> list[Figure]:
    part = "no right to write"
    if os.geteuid():
        return [Figure(part, "another user's store", "left out: needs the superuser to become another user", "", True)]
    found = []
    with stage(folds=10, repeats=2, seconds=0.0) as case:
        case.run()
        os.chmod(case.folder, 0o777)
        store = case.folder / "locked"
        store.mkdir(mode=0o755)
        shutil.move(case.store, store / "runs.db")
        case.log.unlink()

        def as_nobody() -> str:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            start = time.perf_counter()
            refused = _told(lambda: case.run(store=store / "runs.db"))
            fresh = _told(lambda: case.run(store=store / "new.db"))
            seconds = time.perf_counter() - start
            with Store(store / "runs.db", read_only=True) as reader:
                run = reader.read_run("run")
                assert run is not None
                read = sum(outcome is not None for _, outcome in reader.outcomes("run", run.facts["key"]))
            return f"{refused.split(':')[0]} {fresh.split(':')[0]} {seconds < 1.0} {read}"

        answer = in_child(as_nobody, case.folder)
        fits = case.fits
        found.append(Figure(part, "another user's file and folder: told how, in under 1 s, folds read all the same",
                            answer, f"store_read_only store_read_only True {case.tasks}",
                            answer == f"store_read_only store_read_only True {case.tasks}"))  # fmt: skip
        found.append(Figure(part, "fits before it was told", f"{fits}", "0", fits == 0))
        # as a kill leaves it: folds in the log, which the other user may not work in
        shutil.rmtree(store)
        store.mkdir(mode=0o755)
        child = Child(lambda: case.run(store=store / "runs.db", models=None), case.folder)
        while not (store / "runs.db-wal").exists() or (store / "runs.db-wal").stat().st_size < 50_000:
            if child.poll() is not None:
                break
            time.sleep(0.001)
        if child.poll() is None:
            child.kill()

        def read_as_nobody() -> str:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            with Store(store / "runs.db", read_only=True) as reader:
                run = reader.read_run("run")
                return "" if run is None else str(sum(1 for _ in reader.outcomes("run", run.facts["key"])))

        with Store(store / "runs.db", read_only=True) as reader:
            run = reader.read_run("run")
            wanted = 0 if run is None else sum(1 for _ in reader.outcomes("run", run.facts["key"]))
        (store / "runs.db-shm").unlink(missing_ok=True)
        answer = in_child(read_as_nobody, case.folder)
        shutil.rmtree(store)
        found.append(Figure(part, "another user's store after a kill: folds read, log included", answer, f"{wanted}",
                            answer == f"{wanted}" and wanted > 0))  # fmt: skip
    return found
