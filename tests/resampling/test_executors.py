"""Where folds run: here, in watched workers, in threads or on a cluster, to the same bytes; and workers that end."""

import gc
import io
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from sklearn.linear_model import LogisticRegression

import surefold as sf
from surefold import InputError, RunError
from surefold.resampling import executors, global_seed, shared, worker
from surefold.resampling.dataset import Dataset
from surefold.resampling.executors import Pool, Work
from surefold.resampling.fold import Failure, Held
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.ledger import Task
from surefold.resampling.store import Store
from tests.resampling import odd_models as odd

for module in (odd, sys.modules[__name__]):
    cloudpickle.register_pickle_by_value(module)  # workers need not import the tests

RNG = np.random.default_rng(1)
X = RNG.normal(size=(40, 2)) + np.repeat([[0.0], [2.0]], 20, axis=0)
X[:, 0] = np.round(X[:, 0], 3)
Y = np.repeat(["no", "yes"], 20)


def validate(model: Any, X: Any = X, y: Any = Y, **options: Any) -> sf.Resampled:
    found = sf.cross_validate(model, X, y, folds=5, random_state=4, shortcut=False, progress=False, **options)
    assert isinstance(found, sf.Resampled)
    return found


def bytes_of(r: sf.Resampled) -> tuple[bytes, bytes | None]:
    return r.held.predicted.tobytes(), None if r.held.scores is None else r.held.scores.tobytes()


def bad_value(fold: int) -> float:
    """A value of the first feature that only this fold tests."""
    plan = k_fold_plan(Dataset.of(X, Y).codes, folds=5, random_state=4)
    values, counts = np.unique(X[:, 0], return_counts=True)
    return float(next(v for v in X[plan.test(fold), 0] if counts[values == v] == 1))


def workers() -> list[int]:
    """Workers that this process has."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                line = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if parent == os.getpid() and b"surefold.resampling.worker" in line:
                found.append(int(entry.name))
    return found


@pytest.fixture(autouse=True)
def nothing_is_left():
    files = len(os.listdir("/proc/self/fd"))
    yield
    assert workers() == []
    until = time.monotonic() + 5  # threads that were interrupted may still be closing what they had opened
    while _left(files) and time.monotonic() < until:
        time.sleep(0.01)
    assert not _left(files)


def _left(files: int) -> bool:
    gc.collect()  # an interrupted pool of joblib's is a cycle that holds its pipes until then
    listening = any(thread.name.startswith("surefold") for thread in threading.enumerate())
    return listening or len(os.listdir("/proc/self/fd")) > files + 1


# the same bytes everywhere


@pytest.mark.parametrize("model", [LogisticRegression(), odd.Random()], ids=lambda m: type(m).__name__)
def test_the_same_bytes_in_one_process_two_threads_and_a_store(model: Any, tmp_path: Path, monkeypatch):
    here = bytes_of(validate(model))
    assert bytes_of(validate(model, store=tmp_path / "a.db")) == here
    assert bytes_of(validate(model, store=tmp_path / "b.db", n_jobs=2)) == here
    with parallel_config("threading", n_jobs=3):
        assert bytes_of(validate(model, store=tmp_path / "c.db")) == here


def test_models_that_draw_in_threads_run_alone(monkeypatch):
    """Without the gate, three threads would draw from one another's generators."""
    here = bytes_of(validate(odd.Random()))
    with parallel_config("threading", n_jobs=3):
        for _ in range(3):
            assert bytes_of(validate(odd.Random())) == here
        drawn = [global_seed._GATE._drawn]
        validate(LogisticRegression())  # who does not draw runs side by side again
        drawn.append(global_seed._GATE._drawn)
        assert drawn == [True, False]
        raised = validate(_RaisesAfterDrawing(bad=bad_value(2)))
    assert list(raised.failures) == [2]


class _RaisesAfterDrawing(odd.Raises):
    def fault(self, X: Any, y: Any) -> None:
        np.random.rand()  # noqa: NPY002
        super().fault(X, y)


class _RunsFoldsItself(odd.Odd):
    def fault(self, X: Any, y: Any) -> None:
        self.inner = validate(odd.Random()).values("error_rate")


def test_a_model_that_runs_folds_itself():
    here = bytes_of(validate(_RunsFoldsItself()))
    with parallel_config("threading", n_jobs=2):
        assert bytes_of(validate(_RunsFoldsItself())) == here


def test_threads_that_are_interrupted_lose_nothing(tmp_path: Path, monkeypatch):
    here, write, count = bytes_of(validate(odd.Random())), Store.write_fold, iter(range(100))

    def interrupted(self: Store, *arguments: Any) -> None:
        if next(count) == 2:
            raise KeyboardInterrupt
        write(self, *arguments)

    monkeypatch.setattr(Store, "write_fold", interrupted)
    log, path = tmp_path / "log", tmp_path / "runs.db"
    with parallel_config("threading", n_jobs=2):
        with pytest.raises(KeyboardInterrupt):
            validate(odd.Random(log=str(log)), store=path)
        with Store(path, read_only=True) as store:
            run = store.read_run("run")
            assert run is not None
            assert len(list(store.outcomes("run", run.facts["key"]))) == 2
        assert bytes_of(validate(odd.Random(log=str(log)), store=path)) == here


def test_a_fold_that_can_never_run_alone_says_so(monkeypatch):
    monkeypatch.setattr(global_seed, "LONGEST_WAIT", 0.05)
    gate = global_seed._Gate()
    gate._inside, gate._drawn = 1, True
    with pytest.raises(RuntimeError, match="could not be run alone"):
        gate.run((1, 2), lambda: 0)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:distributed", "ignore::ResourceWarning")
@pytest.mark.parametrize("model", [LogisticRegression(), odd.RandomNumpy()], ids=lambda m: type(m).__name__)
def test_on_a_cluster(model: Any, tmp_path: Path):
    from distributed import Client, LocalCluster

    here = bytes_of(validate(model))
    with (
        LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster,
        Client(cluster),
        parallel_config("dask"),
    ):
        assert bytes_of(validate(model)) == here
        found = validate(odd.Raises(bad=bad_value(3)), store=tmp_path / "a.db")
        assert list(found.failures) == [3]
        with pytest.raises(InputError, match="fold_timeout and max_memory need workers of our own"):
            validate(model, fold_timeout=3)


def test_the_number_of_blas_threads_changes_nothing():
    wide = RNG.normal(size=(200, 60))
    y = (wide[:, 0] > 0).astype(int)
    one, two = (validate(LogisticRegression(), wide, y, threads=threads) for threads in (1, 2))
    np.testing.assert_allclose(one.held.scores, two.held.scores, atol=1e-12)  # type: ignore[arg-type]
    assert np.array_equal(one.held.predicted, two.held.predicted)


def test_limits_hold_until_the_last_thread_is_out():
    from threadpoolctl import threadpool_info

    def blas() -> set[int]:
        return {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"}

    before, limits = blas(), executors._Limits()
    with limits.of(1):
        with limits.of(1):
            assert blas() == {1}
        assert blas() == {1}
    assert blas() == before


@pytest.mark.parametrize(("order", "kind"), [("C", np.float64), ("F", np.float32), ("F", np.int16)])
def test_large_arrays_are_shared_and_gone_afterwards(monkeypatch, order: Any, kind: Any):
    big = np.asarray(RNG.normal(size=(3000, 300)) * 100, dtype=kind, order=order)
    y = (big[:, 0] > 0).astype(int)
    here = bytes_of(validate(odd.Odd(), big, y))
    before = set(os.listdir("/dev/shm"))
    put: list[Any] = []
    restore = shared.SharedFeatures.close
    monkeypatch.setattr(shared.SharedFeatures, "close", lambda self: put.append(self) or restore(self))  # type: ignore[func-returns-value]
    assert bytes_of(validate(odd.Odd(), big, y, n_jobs=2)) == here
    assert len(put) == 1
    assert set(os.listdir("/dev/shm")) == before


def test_without_room_to_share_features_are_sent(monkeypatch):
    def full(name: str) -> int:
        return os.open("/dev/full", os.O_WRONLY)

    big = RNG.normal(size=(1000, 200))
    monkeypatch.setattr(os, "memfd_create", full)
    data = Dataset.of(big, np.repeat([0, 1], 500))
    assert shared.SharedFeatures.of(data) == (None, data)
    monkeypatch.delattr(os, "memfd_create")
    assert shared.SharedFeatures.of(data) == (None, data)


def test_frames_go_to_workers_as_frames():
    frame = pd.DataFrame(X, columns=["p", "q"])
    assert bytes_of(validate(odd.LikesFrames(), frame, n_jobs=2)) == bytes_of(validate(odd.Odd()))


# workers that end badly


@pytest.mark.parametrize(
    ("model", "kind", "words", "options"),
    [
        (odd.Killed, "died", "ended by SIGKILL (out of memory?)", {"n_jobs": 2}),
        (odd.Segfaults, "died", "ended by SIGSEGV", {"n_jobs": 2}),
        (odd.Leaves, "died", "exit status 5", {"n_jobs": 2}),
        (odd.Hangs, "timeout", "no answer within 0.5 s", {"fold_timeout": 0.5}),
        (odd.Hoards, "memory", "", {"max_memory": 500_000_000}),
        (odd.Raises, "raised", "ZeroDivisionError: no luck today", {"n_jobs": 2}),
        (odd.Exits, "exited", "sys.exit(3)", {}),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_one_fold_fails_and_the_others_are_kept(model: Any, kind: str, words: str, options: Any, tmp_path: Path):
    whole = validate(odd.Odd())
    log, path = tmp_path / "log", tmp_path / "runs.db"
    found = validate(model(bad=bad_value(2), log=str(log)), store=path, **options)
    assert list(found.failures) == [2]
    failure = found.failures[2]
    assert (failure.kind, failure.attempts) == (kind, 2)
    assert words in failure.message
    assert not found.complete
    assert found.status.startswith("incomplete: 1 of 5 folds")
    assert "(fold 3 " in found.status
    assert log.read_text().count("fit") == 6  # once more for the one that failed
    kept = found.plan.split_of_test != 2
    assert np.array_equal(found.held.predicted[kept], whole.held.predicted[kept])
    assert np.array_equal(found.held.scores[kept], whole.held.scores[kept])  # type: ignore[index]
    again = validate(model(bad=bad_value(2), log=str(log)), store=path, retries=0, **options)
    assert list(again.failures) == [2]
    assert again.failures[2].attempts == 1
    assert log.read_text().count("fit") == 7  # the others were not run again


def test_a_worker_that_is_killed_once_costs_one_fit(tmp_path: Path):
    log, trouble = tmp_path / "log", tmp_path / "trouble"
    trouble.touch()
    model = odd.KilledOnce(bad=bad_value(1), log=str(log), trouble=str(trouble))
    found = validate(model, n_jobs=2)
    assert found.complete
    assert found.notes[1]["attempts"] == 2
    assert log.read_text().count("fit") == 6
    assert bytes_of(found) == bytes_of(validate(odd.Odd()))


def test_what_a_worker_started_ends_with_it(tmp_path: Path):
    found = validate(_HasChildren(bad=bad_value(0), log=str(tmp_path / "pid")), fold_timeout=0.5, retries=0)
    assert list(found.failures) == [0]
    child = int(next(line for line in (tmp_path / "pid").read_text().split() if line != "fit"))
    until = time.monotonic() + 5
    while Path(f"/proc/{child}").exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert not Path(f"/proc/{child}").exists()


class _HasChildren(odd.Odd):
    def fault(self, X: Any, y: Any) -> None:
        child = subprocess.Popen(["sleep", "60"])
        with open(str(self.log), "a") as log:
            log.write(f"{child.pid}\n")
        time.sleep(60)


def test_the_log_of_one_fold_is_not_that_of_the_next():
    """Compiled code may print anything; a worker that dies later is not out of memory because of it."""
    found = validate(_Prints(bad=bad_value(4)), n_jobs=2, retries=0)
    assert found.failures[4].kind == "died"
    assert found.failures[4].traceback == ""


class _Prints(odd.Killed):
    def fit(self, X: Any, y: Any) -> Any:
        if self.bad in np.asarray(X)[:, 0]:
            os.write(1, b"MemoryError, said a library\n")
        return super().fit(X, y)


def test_models_that_cannot_be_sent():
    with pytest.raises(RunError, match="Unpicklable cannot be sent to a worker process") as caught:
        validate(odd.Unpicklable(), n_jobs=2)
    assert caught.value.code == "not_picklable"
    assert "n_jobs=1" in caught.value.cure
    assert validate(odd.Unpicklable()).complete
    with pytest.raises(RunError, match=r"workers end before their first fold .*there is no such thing here") as caught:
        validate(odd.NotThere(), n_jobs=2)
    assert caught.value.code == "not_picklable"


def test_data_that_cannot_be_sent():
    rows = np.empty((40, 1), dtype=object)
    rows[:, 0] = [(j for j in range(i)) for i in range(40)]
    with pytest.raises(RunError, match="the data cannot be sent"):
        validate(odd.Odd(), rows, n_jobs=2)


def test_a_pool_that_is_closed_while_it_works():
    data = Dataset.of(X, Y)
    pool = Pool(Work({"m": odd.Hangs()}, data, k_fold_plan(data.codes, folds=5, random_state=4), 4), 2)
    pool.submit(Task("m", 0))
    pool.submit(Task("m", 1))
    assert (pool.busy, pool.room) == (2, 0)
    assert list(pool.wait(0.05)) == []
    start = time.monotonic()
    pool.close()
    assert time.monotonic() - start < 1


def test_an_answer_that_makes_no_sense_is_a_death():
    data = Dataset.of(X, Y)
    pool = Pool(Work({"m": _Babbles()}, data, k_fold_plan(data.codes, folds=5, random_state=4), 4), 1)
    pool.submit(Task("m", 0))
    found: list[tuple[Task, Held | Failure]] = []
    while not found:
        found += pool.wait(1)
    pool.close()
    assert isinstance(found[0][1], Failure)
    assert found[0][1].kind == "died"


class _Babbles(odd.Odd):
    def fault(self, X: Any, y: Any) -> None:
        for descriptor in range(3, 20):
            try:
                os.write(descriptor, (5).to_bytes(8, "little") + b"abcde")
            except OSError:
                continue


def test_messages_between_processes():
    pipe = io.BytesIO()
    worker.send(pipe, {"a": lambda: 7})
    pipe.seek(0)
    assert worker.receive(pipe)["a"]() == 7
    with pytest.raises(EOFError):
        worker.receive(pipe)
    with pytest.raises(EOFError):
        worker.receive(io.BytesIO(pipe.getvalue()[:-1]))


def test_memory_is_limited_for_a_while():
    with worker._limited_memory(300_000_000), pytest.raises(MemoryError):
        np.ones(100_000_000)
    assert np.ones(100_000_000).nbytes == 800_000_000
    with worker._limited_memory(None):
        pass


def test_workers_end_with_their_parent(tmp_path: Path):
    """Also while compiled code lets no other thread run."""
    script = f"""
import ctypes, os, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
import numpy as np, surefold as sf
from tests.resampling.odd_models import Odd
class Sleeps(Odd):
    def fault(self, X, y):
        open({str(tmp_path)!r} + f"/{{os.getpid()}}", "w").close()
        ctypes.PyDLL(None).sleep(60)  # keeps the interpreter's lock
sf.cross_validate(Sleeps(), np.arange(20.0)[:, None], [0, 1] * 10, folds=2, random_state=0, n_jobs=2)
"""
    parent = subprocess.Popen([sys.executable, "-c", script])
    until = time.monotonic() + 30
    while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < until:
        time.sleep(0.02)
    children = [file.name for file in tmp_path.iterdir()]
    assert len(children) == 2
    parent.kill()
    parent.wait()
    until = time.monotonic() + 5
    while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < until:
        time.sleep(0.01)
    assert not any(Path(f"/proc/{child}").exists() for child in children)
