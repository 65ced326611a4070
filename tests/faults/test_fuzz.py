"""Fuzz the two doors, files and arrays: a refusal with a code or an answer, never a traceback, a hang or a NaN in JSON.

Runs for FUZZ_SECONDS (20 by default) a door; `make faults FUZZ_SECONDS=3600` for a night.
"""

import os
import random
import time
from collections.abc import Callable
from typing import Any

import surefold as sf
from surefold.cli.main import main
from surefold.report.as_json import to_json

SECONDS = float(os.environ.get("FUZZ_SECONDS", "20"))
LONGEST = 10.0

SEEDS = [
    b"truth,pred\na,a\nb,b\na,b\n",
    b'truth;pred;score\n"a;1";a;0,5\n"b""x";b;1,5\n',
    "truth\tpred\n日本\t日本\n\u202ex\tb\n".encode(),
    b"\xef\xbb\xbftruth,pred,w\r\n1,0,0.5\r\n0,0,2\r\n",
    "truth,pred\nä,b\nb,ä\n".encode("utf-16"),
    b"y,p\n" + b"0,0.25\n1,0.75\n" * 40,
]
PIECES = [b",", b";", b"\t", b'"', b"\n", b"\r", b"\x00", b"\xff", b"1e400", b"NaN", b"=cmd()", b"\x1b[31m", b"," * 50]


def _mutant(rng: random.Random) -> bytes:
    data = bytearray(rng.choice(SEEDS))
    for _ in range(rng.randint(1, 8)):
        at = rng.randrange(len(data) + 1)
        kind = rng.randrange(4)
        if kind == 0 and data:
            del data[at : at + rng.randint(1, 6)]
        elif kind == 1:
            data[at:at] = rng.choice(PIECES)
        elif kind == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 4)))
        else:
            data = data[:at] + data[: rng.randrange(len(data) + 1)] + data[at:]
    return bytes(data)


def _until(work: Callable[[random.Random], None]) -> int:
    end, rounds = time.monotonic() + SECONDS, 0
    while time.monotonic() < end:
        start = time.monotonic()
        work(random.Random(rounds))
        assert time.monotonic() - start < LONGEST
        rounds += 1
    return rounds


def test_files(tmp_path, capsys):
    path = tmp_path / "fuzz.csv"

    def work(rng: random.Random) -> None:
        path.write_bytes(_mutant(rng))
        code = main(["assess", str(path), "--format", rng.choice(["table", "json", "csv", "md", "junit"])])
        captured = capsys.readouterr()
        assert code in (0, 2)
        assert (code == 2) == (captured.out == "")
        assert "Traceback" not in captured.err
        assert "\x1b" not in captured.out + captured.err

    print(f"{_until(work):,} files")


VALUES: list[Any] = [
    0, 1, 2, -1, 0.0, 1.0, 0.5, float("nan"), float("inf"), True, False, None, "a", "b", "A", "a ", "", "1", "\x00",
    "\ud800", b"a", (1, 2), 10**30, 1j, "日本",
]  # fmt: skip


def test_arrays():
    def work(rng: random.Random) -> None:
        few = rng.sample(VALUES, rng.randint(1, 4))
        n = rng.randint(0, 12)
        y_true, y_pred = ([rng.choice(few) for _ in range(n + rng.choice([0, 0, 0, 1]))] for _ in range(2))
        weights = rng.choice([None, [rng.choice([0, 1, 2.5, -1, float("nan")]) for _ in range(n)]])
        groups = rng.choice([None, [rng.randrange(3) for _ in range(n)]])
        try:
            a = sf.assess(y_true, y_pred, sample_weight=weights, groups=groups)
        except sf.InputError:
            return
        to_json(a.to_dict())
        for name, estimate in a.overall.items():
            assert estimate.defined or estimate.reason, name

    print(f"{_until(work):,} arrays")
