"""Does the set-up still work on the day when every package that the locks pin has a newer release?

A lock keeps its promise only if pip never looks past it. So: an index that is a folder on this disk, with the files
that the locks name and, for each of them, a newer release that holds nothing. In a fresh copy of the tree, `make demo`
and the set-up of `make test` must install what the locks say.

Run: .venv/bin/python -m tools.newer_releases [--test]
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

__all__ = ["NEWER", "empty_wheel", "only_index", "pins"]

ROOT = Path(__file__).parents[1]
NEWER = "99999"


def pins(lock: Path) -> dict[str, str]:
    """Name -> version of every package of a lock, whatever platform it is for."""
    return dict(re.findall(r"^([a-z0-9._-]+)==([^ ;\\]+)", lock.read_text(encoding="utf-8"), flags=re.MULTILINE))


def empty_wheel(
    folder: Path, name: str, version: str, requires: Iterable[str] = (), extras: Iterable[str] = ()
) -> Path:
    """A wheel that installs and holds nothing."""
    stem = f"{name.replace('-', '_')}-{version}"
    metadata = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    metadata += [f"Provides-Extra: {extra}" for extra in extras] + [f"Requires-Dist: {one}" for one in requires]
    files = {
        f"{stem}.dist-info/METADATA": "\n".join(metadata) + "\n",
        f"{stem}.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: us\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    digests = {path: hashlib.sha256(text.encode()).digest() for path, text in files.items()}
    record = [f"{path},sha256={_url64(digests[path])},{len(text)}" for path, text in files.items()]
    wheel = folder / f"{stem}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as out:
        for path, text in files.items():
            out.writestr(path, text)
        out.writestr(f"{stem}.dist-info/RECORD", "\n".join([*record, f"{stem}.dist-info/RECORD,,"]) + "\n")
    return wheel


def _url64(digest: bytes) -> str:
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def only_index(folder: Path) -> dict[str, str]:
    """An environment in which pip knows one index: this folder."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("PIP_", "UV_", "PYTHON"))}
    return {**kept, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(folder), "PIP_CONFIG_FILE": os.devnull}


def _installed(copy: Path) -> dict[str, str]:
    freeze = [str(copy / ".venv/bin/python"), "-m", "pip", "freeze", "--all", "--exclude-editable"]
    shown = subprocess.run(freeze, check=True, capture_output=True, text=True).stdout
    return {
        name.lower().replace("_", "-"): version for name, version in re.findall(r"^(\S+)==(\S+)$", shown, flags=re.M)
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--test", action="store_true", help="run the whole of `make test`, not its set-up alone")
    parser.add_argument("--python", default=sys.executable, help="the Python that the copy's environment is made of")
    asked = parser.parse_args()
    dev = ROOT / "requirements/dev.txt"
    with tempfile.TemporaryDirectory() as place:
        index, copy = Path(place, "index"), Path(place, "surefold")
        index.mkdir()
        download = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation", "--require-hashes"]
        subprocess.run([asked.python, *download, "-r", str(dev), "-d", str(index)], check=True)
        for name in pins(dev):
            empty_wheel(index, name, NEWER, extras=("toml", "all"))
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(copy)], check=True)
        for target in ("demo", "test" if asked.test else ".venv/.installed-dev"):
            subprocess.run(["make", target, f"PYTHON={asked.python}"], cwd=copy, env=only_index(index), check=True)
            lock = pins(copy / "requirements" / ("run.txt" if target == "demo" else "dev.txt"))
            installed = _installed(copy)
            wrong = {name: found for name, found in installed.items() if name in lock and found != lock[name]}
            assert not wrong, f"not what the lock says: {wrong}"
            print(f"make {target}: {len(lock.keys() & installed.keys())} packages as locked, newer ones left alone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
