"""Bits flipped and ends cut off a finished store, and its log: the same bytes, or a refusal; never another number."""

from __future__ import annotations

import random
import shutil
import signal
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

from surefold import RunError
from surefold.resampling.fold import Failure, Held
from surefold.resampling.store import Store

from .kills import _die
from .stage import Case, Child, Figure, scaled, stage, within


def figures() -> list[Figure]:
    found = []
    with stage(folds=5, repeats=1, rows=40, seconds=0.0) as case:
        reference = case.reference()
        case.run()
        whole = case.store.read_bytes()
        with Store(case.store, read_only=True) as store:
            run = store.read_run("run")
            assert run is not None
            truth = {task: _content(outcome) for task, outcome in store.outcomes("run", run.facts["key"])}
        rng = random.Random(17)
        flips = [_flipped(whole, rng) for _ in range(scaled(1000, 20))]
        found += _campaign("bit flips", case, flips, truth, reference)
        lengths = [rng.randrange(len(whole)) for _ in range(scaled(100, 5))]
        found += _campaign("truncations", case, [whole[:length] for length in lengths], truth, reference)
        blocks = [_overwritten(whole, rng) for _ in range(scaled(100, 5))]
        found += _campaign("overwritten blocks", case, blocks, truth, reference)
        main, log = _left_by_a_kill(case)
        logs = [_flipped(log, rng) for _ in range(scaled(200, 5))]
        found += _campaign("bit flips in the log of a killed run", case, [main] * len(logs), truth, reference, logs)
    return found


def _content(outcome: Any) -> tuple[bytes, bytes]:
    assert isinstance(outcome, Held)
    assert outcome.scores is not None
    return outcome.predicted.tobytes(), outcome.scores.tobytes()


def _flipped(content: bytes, rng: random.Random) -> bytes:
    at, bit = rng.randrange(len(content)), rng.randrange(8)
    return content[:at] + bytes([content[at] ^ (1 << bit)]) + content[at + 1 :]


def _overwritten(content: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(content) // 512) * 512
    return content[:at] + rng.choice([bytes(512), rng.randbytes(512)]) + content[at + 512 :]


def _left_by_a_kill(case: Case) -> tuple[bytes, bytes]:
    """A store whose last folds are in its log only."""
    case.clear()

    def work() -> None:
        write, count = Store.write_fold, [0]

        def wrapped(self: Store, *arguments: Any) -> None:
            write(self, *arguments)
            count[0] += 1
            if count[0] == case.tasks:
                _die()

        Store.write_fold = wrapped  # type: ignore[method-assign,assignment]
        case.run()

    assert Child(work, case.folder).wait() == -signal.SIGKILL
    return case.store.read_bytes(), Path(f"{case.store}-wal").read_bytes()


def _campaign(
    name: str, case: Case, contents: list[bytes], truth: dict[Any, Any], reference: str, logs: list[bytes] | None = None
) -> list[Figure]:
    told: Counter[str] = Counter()
    bad: list[str] = []
    for i, content in enumerate(contents):
        for step in (_read, _resume):
            for ending in ("-wal", "-shm", "-journal"):
                Path(f"{case.store}{ending}").unlink(missing_ok=True)
            case.store.write_bytes(content)
            if logs is not None:
                Path(f"{case.store}-wal").write_bytes(logs[i])
            try:
                with within(20):
                    told[step(case, truth, reference)] += 1
            except RunError as error:
                told[f"refused {error.code}"] += 1
            except Exception:
                bad.append(traceback.format_exc())
                shutil.copy(case.store, case.folder / f"bad{len(bad)}")
    for text in bad[:3]:
        print(text)
    part = "damage"
    refused = sum(count for word, count in told.items() if word.startswith("refused"))
    wrong = told.pop("wrong", 0)
    same = f"{told['read same']} reads gave the same bytes or less, {told['resumed same']} resumed to the same bytes"
    return [
        Figure(part, name, f"{len(contents)}: {same}, {refused} refused", "", True),
        Figure(part, f"{name}: wrong numbers", f"{wrong}", "0", wrong == 0),
        Figure(part, f"{name}: errors without words, or hangs", f"{len(bad)}", "0", not bad),
    ]


def _read(case: Case, truth: dict[Any, Any], reference: str) -> str:
    with Store(case.store, read_only=True) as store:
        for name in store.run_names():
            run = store.read_run(name)
            if run is None:
                continue
            for task, outcome in store.outcomes(name, run.facts["key"]):
                if isinstance(outcome, Failure) or (outcome is not None and _content(outcome) != truth.get(task)):
                    return "wrong"
    return "read same"


def _resume(case: Case, truth: dict[Any, Any], reference: str) -> str:
    return "resumed same" if case.run() == reference else "wrong"
