"""Runs: the same answer from wherever it was stopped, and a refusal with words where something changed in between."""

import contextlib
import io
import os
import re
import sqlite3
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

import surefold as sf
from surefold import InputError, RunError
from surefold.resampling import run as run_module
from surefold.resampling.dataset import Dataset
from surefold.resampling.executors import Work
from surefold.resampling.fold import Failure, Held
from surefold.resampling.folds import k_fold_plan
from surefold.resampling.ledger import InMemory, Task
from surefold.resampling.models import versions
from surefold.resampling.progress import progress_bar
from surefold.resampling.run import Settings
from surefold.resampling.runs import stored_plan
from surefold.resampling.store import Store
from surefold.resampling.store_ledger import RunLedger
from tests.resampling import odd_models as odd

RNG = np.random.default_rng(2)
X = np.round(RNG.normal(size=(60, 2)) + np.repeat([[0.0], [2.0]], 30, axis=0), 4)
Y = np.repeat(["no", "yes"], 30)


def validate(model: Any, X: Any = X, y: Any = Y, **options: Any) -> Any:
    options = {"folds": 5, "random_state": 4, "shortcut": False, "progress": False, **options}
    return sf.cross_validate(model, X, y, **options)


def bytes_of(r: sf.Resampled) -> tuple[bytes, bytes]:
    assert r.held.scores is not None
    return r.held.predicted.tobytes(), r.held.scores.tobytes()


def fits(log: Path) -> int:
    return log.read_text().count("fit") if log.exists() else 0


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "log"


# failures


def test_a_model_that_always_fails_is_refused_with_its_first_traceback():
    with pytest.raises(
        RunError, match="every fit of Raises failed; the first raised ZeroDivisionError: no luck"
    ) as caught:
        validate(odd.Raises())
    assert caught.value.code == "fit_failed"
    (note,) = caught.value.__notes__
    assert note.count("Traceback") == 1
    assert note.endswith("ZeroDivisionError: no luck today\nand a second line\n")


def test_one_fold_is_missing_until_its_trouble_is_gone(tmp_path: Path, path: Path, log: Path):
    trouble = tmp_path / "trouble"
    trouble.touch()
    plan = validate(odd.Odd()).plan
    model = odd.RaisesWhileThere(bad=float(X[plan.test(3)[0], 0]), log=str(log), trouble=str(trouble))
    first = validate(model, store=path)
    assert list(first.failures) == [3]
    assert fits(log) == 6
    with pytest.raises(RunError, match="incomplete"):
        first.mean("error_rate")
    trouble.unlink()
    again = validate(model, store=path)
    assert again.complete
    assert fits(log) == 7
    assert bytes_of(again) == bytes_of(validate(odd.Odd()))
    assert bytes_of(validate(model, store=path)) == bytes_of(again)
    assert fits(log) == 7


def test_a_fold_that_works_at_the_second_try(monkeypatch):
    ledger = InMemory([Task("m", 0)], 2)
    assert ledger.claim() == Task("m", 0)
    assert ledger.record(Task("m", 0), Failure("raised", "x"))
    assert ledger.claim() == Task("m", 0)
    held = Held(np.zeros(1, dtype=np.int32), None, "none", 0.0, 0.0)
    assert not ledger.record(Task("m", 0), held)
    assert held.notes == {"attempts": 2}
    ledger.give_back(Task("m", 0))
    assert ledger.claim() == Task("m", 0)
    assert not ledger.others_at_work()
    assert not ledger.needs_own_process(Task("m", 0))


def test_missing_values_are_told_before_any_fit(log: Path):
    holes = X.copy()
    holes[[4, 9, 17], 1] = np.nan
    words = r"X has 3 missing .*values in .*1.*, and LogisticRegression does not take"
    with pytest.raises(InputError, match=words) as caught:
        validate(LogisticRegression(), holes)
    assert caught.value.rows == (5, 10, 18)


def test_weights_are_refused_by_a_model_that_takes_none():
    with pytest.raises(InputError, match="sample_weight was given, and Odd's fit does not take it"):
        validate(odd.Odd(), sample_weight=np.ones(60))
    assert validate(odd.Weighs(), sample_weight=np.ones(60)).complete


# the same bytes, whatever happened


def test_seeds_go_by_repeat_and_fold_not_by_order(monkeypatch, path: Path):
    wanted = bytes_of(validate(odd.Random(), repeats=2))
    for ledger in (InMemory, RunLedger):
        before = ledger.claim

        def last_first(self: Any, before: Any = before) -> Task | None:
            waiting = list(self._waiting)
            self._waiting.clear()
            self._waiting.extend(waiting[::-1])
            found: Task | None = before(self)
            return found

        monkeypatch.setattr(ledger, "claim", last_first)
    assert bytes_of(validate(odd.Random(), repeats=2)) == wanted
    assert bytes_of(validate(odd.Random(), repeats=2, store=path)) == wanted


def test_a_model_gives_the_same_alone_and_in_a_study():
    study = validate({"a": odd.Random(), "b": odd.Odd(), "c": odd.Random()})
    assert bytes_of(study["a"]) == bytes_of(study["c"]) == bytes_of(validate(odd.Random()))
    assert bytes_of(study["b"]) == bytes_of(validate(odd.Odd()))


def test_a_run_that_is_stopped_anywhere_goes_on_to_the_same_bytes(path: Path, log: Path, monkeypatch):
    wanted = bytes_of(validate(odd.Random()))
    write = Store.write_fold
    for stop_at in range(3):

        def stop(self: Store, *arguments: Any, left: list[int] = [stop_at]) -> None:  # noqa: B006 - a counter
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            write(self, *arguments)

        monkeypatch.setattr(Store, "write_fold", stop)
        with pytest.raises(KeyboardInterrupt) as caught:
            validate(odd.Random(log=str(log)), store=path)
        assert "folds are safe in" in caught.value.__notes__[0]
        monkeypatch.setattr(Store, "write_fold", write)
    assert fits(log) == 6  # 0 kept, 1 kept, 2 kept: and each time one that was not
    found = validate(odd.Random(log=str(log)), store=path)
    assert bytes_of(found) == wanted
    assert fits(log) == 8


def test_without_a_seed_the_stored_one_is_gone_on_with(path: Path, log: Path):
    first = validate(odd.Random(log=str(log)), random_state=None, store=path)
    second = validate(odd.Random(log=str(log)), random_state=None, store=path)
    assert bytes_of(first) == bytes_of(second)
    assert first.seed == second.seed
    assert fits(log) == 5
    other = validate(odd.Random(log=str(log)), random_state=None, store=path, run="other")
    assert other.seed != first.seed


def test_the_store_knows_its_plan(path: Path):
    found = validate(odd.Odd(), store=path)
    with Store(path, read_only=True) as store:
        run = store.read_run("run")
    assert run is not None
    plan = stored_plan(run)
    assert plan.fingerprint == found.plan.fingerprint
    assert (plan.kind, plan.options) == (found.plan.kind, dict(found.plan.options))


def test_splitters_with_numbers_of_numpy_are_stored(path: Path):
    cv = StratifiedKFold(n_splits=np.int64(3), shuffle=True, random_state=np.int32(1))
    assert validate(odd.Odd(), cv=cv, store=path).complete
    assert validate(odd.Odd(), cv=cv, store=path, command={"n": np.float64(1), "p": Path("x")}).complete


def test_a_full_disk_and_then_a_larger_one(path: Path, log: Path):
    import resource

    wanted = bytes_of(validate(odd.Random(), repeats=8))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (0, 30_000, 60_000, 90_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        try:
            with pytest.raises(RunError, match="could not be written") as caught:
                validate(odd.Random(), repeats=8, store=path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert caught.value.code == "store_full"
        assert "make room" in caught.value.cure
    assert bytes_of(validate(odd.Random(), repeats=8, store=path)) == wanted  # in the very same process


# what changed


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"X": X + 1e-9}, "values of the data differ"),
    ({"X": X[:50], "y": Y[:50]}, "the data had 60 rows and now have 50"),
    ({"y": np.repeat(["no", "ja"], 30)}, r"the classes were \['no', 'yes'\] and now are \['ja', 'no'\]"),
    ({"folds": 6}, "plan: folds was 5 and now is 6"),
    ({"random_state": 5}, "random_state was 4 and now is 5"),
    ({"model": LogisticRegression(C=2.0)}, r"model m: C was 1\.0 and now is 2\.0"),
    ({"model": odd.Odd()}, "model m: class was sklearn.linear_model._logistic.LogisticRegression and now is"),
    ({"cv": "5x2"}, "the plan was k_fold and now is"),
    ({"groups": np.repeat(np.arange(20), 3)}, "values of the data differ"),
]


@pytest.mark.parametrize(("change", "words"), CHANGES, ids=lambda value: value if isinstance(value, str) else "")
def test_a_changed_run_is_refused_and_told_what_changed(change: dict[str, Any], words: str, path: Path):
    given: dict[str, Any] = {"model": LogisticRegression(), "X": X, "y": Y, **change}
    validate({"m": LogisticRegression()}, store=path)
    before = path.read_bytes()
    with pytest.raises(RunError, match=words) as caught:
        validate({"m": given.pop("model")}, store=path, **given)
    assert caught.value.code == "changed_run"
    assert "name another run" in caught.value.cure
    with Store(path, read_only=True) as store:
        assert store.run_names() == ["run"]
    assert path.read_bytes() == before
    assert validate({"m": LogisticRegression()}, store=path).complete


def test_columns_that_changed_are_named(path: Path):
    import pandas as pd

    validate(odd.Odd(), pd.DataFrame(X, columns=["p", "q"]), store=path)
    with pytest.raises(RunError, match="the columns now are without q and with r"):
        validate(odd.Odd(), pd.DataFrame(X, columns=["p", "r"]), store=path)
    with pytest.raises(RunError, match="the columns stand in another order"):
        validate(odd.Odd(), pd.DataFrame(X[:, ::-1], columns=["q", "p"]), store=path)


def test_other_versions_are_refused_unless_allowed(path: Path, log: Path, monkeypatch):
    first = validate(odd.Odd(log=str(log)), store=path)
    monkeypatch.setattr("surefold.resampling.run.versions", lambda models: {**versions(models), "numpy": "9.9"})
    with pytest.raises(RunError, match=rf"version of numpy was {np.__version__} and now is 9\.9") as caught:
        validate(odd.Odd(log=str(log)), store=path)
    assert "allow_version_change" in caught.value.cure
    found = validate(odd.Odd(log=str(log)), store=path, allow_version_change=True)
    assert bytes_of(found) == bytes_of(first)
    assert "version_changed" in [finding.code for finding in found.noticed]
    assert fits(log) == 5


def test_code_without_a_version_that_changed_is_refused(path: Path, monkeypatch):
    validate(odd.Odd(), store=path)
    monkeypatch.setattr(odd.Odd, "predict", lambda self, X: self.classes_[1 - self.predict_proba(X).argmax(axis=1)])
    with pytest.raises(RunError, match=r"version of Odd was code .* and now is code"):
        validate(odd.Odd(), store=path)
    assert validate(odd.Odd(), store=path, allow_version_change=True).complete


def test_a_model_is_added_without_running_the_others_again(path: Path, log: Path):
    validate({"a": odd.Odd(log=str(log))}, store=path)
    assert fits(log) == 5
    # the new one rests on a package that the run did not know: no version has changed
    study = validate({"a": odd.Odd(log=str(log)), "l": LogisticRegression()}, store=path)
    assert fits(log) == 5
    assert set(study) == {"a", "l"}
    study = validate({"l": LogisticRegression(), "b": odd.Backwards(log=str(log))}, store=path)
    assert fits(log) == 10
    with Store(path, read_only=True) as store:
        run = store.read_run("run")
    assert run is not None
    assert list(run.models) == ["a", "l", "b"]


def test_several_runs_in_one_store(path: Path, log: Path):
    one = validate(odd.Odd(log=str(log)), store=path, run="one")
    two = validate(odd.Odd(log=str(log)), X + 1, store=path, run="two", random_state=9)
    assert fits(log) == 10
    assert bytes_of(validate(odd.Odd(log=str(log)), store=path, run="one")) == bytes_of(one)
    assert bytes_of(validate(odd.Odd(log=str(log)), X + 1, store=path, run="two", random_state=9)) == bytes_of(two)
    assert fits(log) == 10
    with Store(path) as store:
        store.forget_run("one")
    validate(odd.Odd(log=str(log)), store=path, run="one")
    assert fits(log) == 15


def test_another_process_that_began_the_run_otherwise(path: Path, monkeypatch):
    write = Store.write_run

    def first_the_other(self: Store, run: Any) -> None:
        monkeypatch.setattr(Store, "write_run", write)
        validate(odd.Odd(), random_state=77, store=path)
        write(self, run)

    monkeypatch.setattr(Store, "write_run", first_the_other)
    with pytest.raises(RunError, match="another process began run 'run'"):
        validate(odd.Odd(), store=path)


# damage during a run


def test_folds_that_were_spoilt_are_run_again(path: Path, log: Path):
    import sqlite3

    first = validate(odd.Random(log=str(log)), store=path)
    with sqlite3.connect(path) as db:
        db.execute("UPDATE folds SET scores = zeroblob(length(scores)) WHERE split IN (1, 3)")
    db.close()
    assert bytes_of(validate(odd.Random(log=str(log)), store=path)) == bytes_of(first)
    assert fits(log) == 7


def test_a_disk_that_does_not_give_back_what_was_written(path: Path, monkeypatch):
    write = Store.write_fold

    def spoil(self: Store, *arguments: Any) -> None:
        write(self, *arguments)
        self.db.execute("UPDATE folds SET predicted = x'00' WHERE split = 2")

    monkeypatch.setattr(Store, "write_fold", spoil)
    with pytest.raises(RunError, match="does not give back what was just written"):
        validate(odd.Odd(), store=path)


def test_a_fold_on_which_processes_died_is_run_apart(path: Path, log: Path):
    """A fold that took this very process down three times is not given a fourth chance to."""
    plan = validate(odd.Odd()).plan
    model = odd.Segfaults(bad=float(X[plan.test(1)[0], 0]), log=str(log))
    trouble = validate({"m": odd.Odd()}, store=path)  # registers a run, from which the claims are then forged
    assert trouble.complete
    with Store(path) as store:
        store.forget_run("run")
    with Store(path) as store:
        work = Work({"m": model}, *_data_and_plan(plan), 4)
        run_module._register(store, work, Settings(store=path))
        store.db.execute(
            "INSERT INTO folds (run, model, split, state, owner, claims) VALUES ('run', 'm', 1, 'running', 1, 3)"
        )
    found = validate({"m": model}, store=path)["m"]
    assert list(found.failures) == [1]
    assert found.failures[1].kind == "died"
    assert list(validate({"m": model}, store=path, retries=0)["m"].failures) == [1]  # nor when it is run again later


def _data_and_plan(plan: Any) -> tuple[Any, Any]:
    from surefold.resampling.dataset import Dataset

    return Dataset.of(X, Y), plan


def test_two_threads_share_a_run(path: Path, log: Path):
    found: list[Any] = []

    def work() -> None:
        found.append(validate(odd.Slow(log=str(log), seconds=0.05), store=path))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert len(found) == 2
    assert bytes_of(found[0]) == bytes_of(found[1])
    assert fits(log) == 5


# other things that are noticed


def test_a_model_that_is_not_the_same_twice_is_found_out():
    found = validate(odd.Unseeded(), check_determinism=True)
    assert "not_deterministic" in [finding.code for finding in found.noticed]
    assert not validate(odd.Random(), check_determinism=True).noticed
    assert not validate(odd.LabelsOnly(), check_determinism=True).noticed


def test_warnings_reach_the_result_and_not_the_screen(capsys):
    found = validate(odd.Talks(), folds=2)
    assert found.notes[0]["warned"] == 100_000
    captured = capsys.readouterr()
    assert captured.out == captured.err == ""


@pytest.mark.parametrize(
    "options",
    [{"fold_timeout": 0}, {"fold_timeout": "x"}, {"max_memory": -1}, {"retries": -1}, {"retries": 1.5}, {"n_jobs": 0},
     {"n_jobs": "two"}, {"threads": 0}, {"run": ""}, {"run": 3}, {"store": True}],
)  # fmt: skip
def test_options_that_make_no_sense(options: dict[str, Any]):
    with pytest.raises(InputError) as caught:
        Settings(**options)
    assert caught.value.code == "bad_option"


def test_a_store_across_a_network_is_told(path: Path, monkeypatch):
    from surefold.resampling import store as store_module

    monkeypatch.setattr(store_module, "_on_network", lambda path: True)
    found = validate(odd.Odd(), store=path)
    assert "network_store" in [finding.code for finding in found.noticed]


def test_the_bar_is_for_people(capsys, monkeypatch):
    for show, total, done in ((False, 10, 0), (None, 10, 0), (True, 10, 9)):
        with progress_bar(total, done, "x", show) as advance:
            advance(10)
        assert capsys.readouterr().err == ""
    with progress_bar(10, 2, "my model", True) as advance:
        advance(5)
        time.sleep(0.15)
    assert capsys.readouterr().out == ""


def test_without_a_terminal_there_are_lines(monkeypatch):
    told = threading.Event()

    class Log(io.StringIO):
        def write(self, text):
            told.set()
            return super().write(text)

    log = Log()
    monkeypatch.setattr(sys, "stderr", log)
    monkeypatch.setattr("surefold.resampling.progress.FIRST", 0.0)
    with progress_bar(1000, 200, "my model", True) as advance, contextlib.redirect_stderr(io.StringIO()):  # as fits are
        advance(400)
        assert told.wait(60)  # a thread tells, whatever this one is doing
    assert re.fullmatch(r"surefold: my model: (200|400) of 1,000(, about 0 s left)?\n", log.getvalue())
    assert all(thread.name != "surefold-progress" for thread in threading.enumerate())


def test_a_refused_store_says_so_at_second_zero(tmp_path: Path, log: Path):
    for store, code in ((tmp_path, "not_a_file"), (tmp_path / "no" / "runs.db", "not_a_file")):
        with pytest.raises(RunError) as caught:
            validate(odd.Odd(log=str(log)), store=store)
        assert caught.value.code == code
    assert fits(log) == 0
    assert not os.path.exists(tmp_path / "no")


def test_a_model_that_never_worked_may_be_mended(tmp_path: Path, log: Path):
    """Another model under a name is refused once a fold of it is kept, and only then."""
    store, good = tmp_path / "runs.db", odd.Odd(log=str(log))
    s = validate({"good": good, "new": odd.Raises()}, store=store)
    assert len(s["new"].failures) == 5
    s = validate({"good": good, "new": GaussianNB()}, store=store)
    assert s.complete
    assert fits(log) == 5  # the good one was not fitted again
    with pytest.raises(RunError, match="model new: class was sklearn"):
        validate({"good": good, "new": odd.Raises()}, store=store)


def test_two_that_begin_one_model_differently_at_once(tmp_path: Path):
    """One has registered and claimed nothing yet; the other takes the name: the first may not write under it."""
    store = tmp_path / "runs.db"
    data = Dataset.of(X, Y)
    plan = k_fold_plan(data.codes, folds=5, random_state=4)
    with Store(store) as first:
        work = Work({"m": LogisticRegression(C=0.01)}, data, plan, 4)
        run, _ = run_module._register(first, work, Settings(store=store))
        other = validate({"m": LogisticRegression(C=100.0)}, store=store)
        tasks = [Task("m", i) for i in range(5)]
        with pytest.raises(RunError, match="another process began model 'm'"):
            first.write_fold("run", run.facts["key"], tasks[0], Failure("raised", "x"), registered=run.checksums["m"])
    again = validate({"m": LogisticRegression(C=100.0)}, store=store)
    assert bytes_of(again["m"]) == bytes_of(other["m"]) == bytes_of(validate(LogisticRegression(C=100.0)))


def test_a_complete_store_is_one_file(tmp_path: Path):
    """Also while somebody has it open, as in a notebook."""
    path = tmp_path / "runs.db"
    with contextlib.closing(sqlite3.connect(path)) as other:
        validate(GaussianNB(), store=path)
        assert other.execute("SELECT count(*) FROM folds").fetchone() == (5,)
        (tmp_path / "copy.db").write_bytes(path.read_bytes())
    assert sf.open_run(tmp_path / "copy.db").complete
