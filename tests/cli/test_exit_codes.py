"""Code 1 says that a gate failed, and nothing else: whatever else goes wrong ends in 2, with one line that says what.

Each case is a process of its own, as a pipeline starts it.
"""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO

import pytest

from surefold.cli.main import COMMANDS, main

LONG = "c" * 9000  # the name of a column, so that what is printed of it fills a pipe of 4,096 bytes twice


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory):
    """Predictions of 40 rows, the right ones and the wrong ones; a table to learn from; and the store of a run."""
    folder = tmp_path_factory.mktemp("exit")
    rows = [(i % 2, i % 2, 1 - i % 2, (i * 7 % 40) / 40) for i in range(40)]
    text = f"y,right,{LONG},score\n" + "".join(f"{y},{r},{w},{s}\n" for y, r, w, s in rows)
    (folder / "p.csv").write_text(text)
    (folder / "data.csv").write_text("y,x\n" + "".join(f"{'ab'[i % 2]},{i * 7 % 11}\n" for i in range(40)))
    done = _run(folder, *EVALUATE, "--store", "runs.db")
    assert done.returncode == 0, done.stderr
    return folder


EVALUATE = ("evaluate", "data.csv", "--target", "y", "--model", "bayes", "--holdout", "0.5", "--quiet")
SELECT = (
    "select",
    "data.csv",
    "--target",
    "y",
    "--models",
    "bayes",
    "--folds",
    "2",
    "--repeats",
    "1",
    "--strategy",
    "cross_validation",
    "--no-test",
)
#: A call of each command that succeeds.
CALLS = {
    "assess": ("assess", "p.csv", "--truth", "y", "--pred", "right"),
    "compare": ("compare", "p.csv", "--truth", "y", "--pred", "right", "--pred", LONG),
    "gate": ("gate", "p.csv", "--truth", "y", "--baseline", LONG, "--candidate", "right"),
    "plan": ("plan", "mcnemar", "--difference", "0.05", "--disagreement", "0.1"),
    "evaluate": EVALUATE,
    "select": SELECT,
    "resume": ("resume", "runs.db"),
    "measures": ("measures", "kappa"),
    "book": ("book", "kappa", "--list"),
    "demo": ("demo",),
}
#: A gate that fails.
FAILS = ("gate", "p.csv", "--truth", "y", "--baseline", "right", "--candidate", LONG, "--format", "json")


def _run(folder, *words, **streams):
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
    command = [sys.executable, "-m", "surefold", *words]
    return subprocess.run(command, cwd=folder, timeout=120, check=False, **streams)


def _one_line(done):
    """The only line on standard error, which says what was wrong."""
    text = done.stderr.decode()
    assert text.startswith("surefold: error: "), text
    assert text.count("\n") == 1, text
    return text


def _closed(*descriptors):
    """For a process to be: what `>&-` and `<&-` do in a shell."""

    def close():
        for descriptor in descriptors:
            os.close(descriptor)

    return {"preexec_fn": close}


def test_every_command_has_a_call():
    assert set(CALLS) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_result_that_cannot_be_written_ends_in_2(folder, command):
    quiet = () if command in ("measures", "book") else ("--quiet",)
    with open("/dev/full", "wb") as full:
        done = _run(folder, *CALLS[command], *quiet, stdout=full)
    assert done.returncode == 2
    assert "No space left on device" in _one_line(done)

    end, start = os.pipe()
    os.close(end)  # nobody will ever read it
    with open(start, "wb") as pipe:
        done = _run(folder, *CALLS[command], *quiet, stdout=pipe)
    assert done.returncode == 2
    assert "its reader had gone" in _one_line(done)

    done = _run(folder, *CALLS[command], *quiet, **_closed(1))
    assert done.returncode == 2
    assert "it is closed" in _one_line(done)


@pytest.mark.parametrize(("words", "code"), [(FAILS, 1), ((*CALLS["gate"], "--format", "json"), 0)])
def test_a_reader_that_has_read_enough_does_not_change_the_verdict(folder, words, code):
    end, start = os.pipe()
    fcntl.fcntl(start, fcntl.F_SETPIPE_SZ, 4096)
    command = [sys.executable, "-m", "surefold", *words, "--quiet"]
    with subprocess.Popen(command, cwd=folder, stdout=start, stderr=subprocess.PIPE) as process:
        os.close(start)
        assert os.read(end, 1) == b"{"
        os.close(end)  # more than 4,096 bytes are still to come
        _, complaints = process.communicate(timeout=120)
        assert complaints == b""
    assert process.returncode == code


def test_notes_that_cannot_be_written_are_lost_and_nothing_else(folder):
    plain = _run(folder, *FAILS).stdout
    with open("/dev/full", "wb") as full:
        done = _run(folder, *FAILS, stderr=full)
    assert (done.returncode, done.stdout) == (1, plain)
    done = _run(folder, *FAILS, **_closed(2))
    assert (done.returncode, done.stdout) == (1, plain)


def test_without_standard_streams_nothing_is_written_into_files_that_take_their_numbers(folder):
    before = (folder / "p.csv").read_bytes()
    done = _run(folder, *CALLS["assess"], "--report", "page.html", **_closed(0, 1, 2))
    assert done.returncode == 2
    assert (folder / "p.csv").read_bytes() == before
    assert not (folder / "page.html").exists()


def test_standard_input_that_cannot_be_read_ends_in_2(folder):
    done = _run(folder, "assess", "-", **_closed(0))
    assert done.returncode == 2
    assert "standard input cannot be read (it is closed)" in _one_line(done)
    with open("/dev/null", "wb") as other:  # open, but to be written
        done = _run(folder, "assess", "-", stdin=other)
    assert done.returncode == 2
    _one_line(done)


def _called(capsys, folder, *words):
    before = os.getcwd()
    os.chdir(folder)
    try:
        code = main(list(words))
    finally:
        os.chdir(before)
    return code, capsys.readouterr()


@pytest.mark.parametrize(
    "place",
    [
        "/proc/page.html",
        "/proc/self/mem",
        "r" * 300,
        "loop",
        "loop/page.html",
        "p.csv/x",
        "/dev/null",
        "/dev/full",
        ".",
    ],
)
def test_an_odd_place_for_a_report_ends_in_2(capsys, folder, place):
    _make_odd(folder)
    for words in ((*CALLS["assess"], "--report", place), (*SELECT, "--save", place), (*EVALUATE, "--store", place)):
        code, said = _called(capsys, folder, *words, "--quiet")
        assert code == 2
        assert said.err.startswith("surefold: error: ")
        assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    "source",
    [
        "/proc/self/mem",
        "/proc/cpuinfo",
        "/proc",
        "r" * 300,
        "loop",
        "loop/p.csv",
        "/dev/zero",
        "/dev/full",
        "pipe",
        "socket",
        "p.csv/x",
        "",
        "~",
        "a\0b",
    ],
)
def test_an_odd_source_ends_in_2(capsys, folder, source):
    _make_odd(folder)
    for words in (
        ("assess", source),
        ("assess", source, "--memory", "1GB"),
        ("resume", source),
        ("gate", "p.csv", "--candidate", "right", "--baseline-file", source, "--id", "y"),
        ("evaluate", source, "--target", "y", "--model", "bayes"),
    ):
        code, said = _called(capsys, folder, *words)
        assert code == 2
        assert said.err.startswith("surefold: error: ")
        assert said.err.count("\n") == 1


def _make_odd(folder):
    if not os.path.lexists(folder / "loop"):
        (folder / "loop").symlink_to("loop")
        os.mkfifo(folder / "pipe")
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(os.path.relpath(folder / "socket"))


def test_a_fault_of_the_program_is_one_line_and_ends_in_2(folder):
    """A factory of models, which may do anything, also end the process or fail in a way that nobody thought of."""
    (folder / "broken.py").write_text(
        "import sys\n"
        "def leaves(): sys.exit(1)\n"
        "def breaks(): raise BaseException('no more')\n"
        "def pipe(): raise BrokenPipeError(32, 'Broken pipe')\n"
        "def ends(): raise EOFError\n"
    )
    told = {"leaves": "sys.exit(1)", "breaks": "no more", "pipe": "Broken pipe", "ends": "EOFError"}
    for factory, reason in told.items():
        words = ("evaluate", "data.csv", "--target", "y", "--model", f"m=broken:{factory}")
        done = _run(folder, *words)
        assert done.returncode == 2
        assert reason in _one_line(done)
    done = _run(folder, *words, "--debug")
    assert done.returncode == 2
    assert b"Traceback" in done.stderr


def test_a_traceback_ends_in_2_too(folder):
    done = _run(folder, "assess", "absent.csv", "--debug")
    assert done.returncode == 2
    assert b"Traceback" in done.stderr


def test_a_full_disk_while_saving_ends_in_2(folder):
    """A limit on the size of files stands in for the disk."""
    import resource

    def little_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

    done = _run(folder, *SELECT, "--save", "result.json", "--quiet", preexec_fn=little_room)
    assert done.returncode == 2
    _one_line(done)
    assert not (folder / "result.json").exists()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_being_stopped_is_told_by_its_own_code(folder, number, code):
    (folder / "slow.py").write_text(
        "import os, signal, sklearn.dummy\n"
        f"class Slow(sklearn.dummy.DummyClassifier):\n"
        f"    def fit(self, X, y, **k):\n"
        f"        os.kill(os.getpid(), {int(number)})\n"
        f"        return super().fit(X, y, **k)\n"
        "make = Slow\n"
    )
    words = ("evaluate", "data.csv", "--target", "y", "--model", "m=slow:make", "--holdout", "0.5")
    assert _run(folder, *words).returncode == code


#: What `python -OO` is asked; whatever fits models says how long that took, which is never the same.
SAID = (
    *CALLS.values(),
    FAILS,
    ("measures",),
    ("measures", "--format", "json"),
    ("resume", "none.db"),
    ("--help",),
    (*CALLS["assess"], "--score", "score", "-m", "all"),
    *((command, "--help") for command in COMMANDS),
)
TIMED = (EVALUATE, SELECT)
OPTIMISED = "import json, sys; from tests.cli.test_exit_codes import said; print(json.dumps(said()))"


def said():
    """What these commands print, and their codes."""
    found = []
    for words in SAID:
        with redirect_stdout(StringIO()) as out:
            code = main(list(words))
        found.append([code, "" if words in TIMED else out.getvalue()])
    return found


def test_without_docstrings_and_asserts_every_command_says_the_same(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "100")
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([root, *filter(None, sys.path)]))
    command = [sys.executable, "-OO", "-c", OPTIMISED]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()
    for words, plain, optimised in zip(SAID, said(), json.loads(done.stdout), strict=True):
        assert optimised == plain, words
