"""Runs the code of the pages and compares what it prints with what they show: `python -m docs.executed [pages]`.

In a page

- a `python` fence is run; all fences of a page share one namespace, in order, in a folder of their own;
- a `text` fence right after it is what it prints, to the letter; `…` stands for anything within a line;
- a `python` fence without one must print nothing;
- a `pycon` fence is run as a doctest in the same namespace;
- a `console` fence (or one without a name) that starts with `$ surefold` is run as commands, and the lines below each
  are its output; `$ echo $?` shows its exit code;
- a `python no-run` fence is code of other tools, or a signature, and is only shown;
- a `python-console` fence is the example of a docstring, which runs among the doctests.

The README and the short pages at the top of the site show calls on data that they do not name. `docs/preludes/PAGE.py`
brings these data: it is run first, and then what a fence prints needs no `text` fence.

Pictures that a block saves in `figures/` go to the folder `figures` beside the page. `--update` writes what was printed
into the pages; read the difference before you keep it. `--record` also keeps which checks of the book passed.
"""

from __future__ import annotations

import argparse
import doctest
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import chdir, redirect_stdout
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from surefold.book.checks import Check, taken
from surefold.book.pages import Fence, fences_of

__all__ = ["Block", "Outcome", "blocks_of", "console", "main", "matches", "pages_to_run", "run_page", "run_pages"]

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
LEDGER = HERE / "book" / "checks.json"
PRELUDES = HERE / "preludes"
#: Where pages with code are.
FOLDERS = (".", "book", "guides", "reference")
DOCTEST = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
COMMAND = "$ surefold"


class Block(Fence):
    """A fence of a page, and whether it is run."""

    @property
    def runs(self) -> bool:
        return self.info in ("python", "pycon") or self.is_console

    @property
    def is_console(self) -> bool:
        return self.info in ("console", "") and self.text.startswith(COMMAND)


@dataclass
class Outcome:
    """What happened on one page."""

    page: Path
    faults: list[str] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    blocks: int = 0
    seconds: float = 0.0
    updated: str = ""


def blocks_of(text: str) -> list[Block]:
    """The fences of a page in order.

    >>> [b.info for b in blocks_of("```python\\n1\\n```\\n\\n```text\\n2\\n```\\n")]
    ['python', 'text']
    """
    return [Block(fence.start, fence.end, fence.info, fence.text) for fence in fences_of(text)]


def matches(shown: str, printed: str) -> bool:
    """Whether printed text is what is shown; `…` stands for anything within a line.

    >>> matches("took … s", "took 1.5 s"), matches("0.73", "0.74")
    (True, False)
    """
    pattern = "[^\\n]*".join(re.escape(part) for part in _tidy(shown).split("…"))
    return re.fullmatch(pattern, _tidy(printed)) is not None


def kept_lines(shown: str, printed: str) -> list[str]:
    """The printed lines, but for those that a shown line with `…` stands for: that one is kept.

    >>> kept_lines("took … s\\nold", "took 1.5 s\\nnew")
    ['took … s', 'new']
    """
    open_lines = [line for line in _tidy(shown).splitlines() if "…" in line and line.strip("… ")]
    return [next((o for o in open_lines if matches(o, line)), line) for line in _tidy(printed).splitlines()]


def _tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines())


def expected_of(blocks: list[Block], place: int, lines: list[str]) -> Block | None:
    """The text fence right after a python fence: only empty lines lie between."""
    if place + 1 == len(blocks):
        return None
    following = blocks[place + 1]
    between = lines[blocks[place].end + 1 : following.start]
    return following if following.info == "text" and not any(line.strip() for line in between) else None


def run_page(page: Path, *, update: bool = False, keep_figures: bool = True) -> Outcome:
    """Run every block of a page and compare; `update` rewrites the page, `keep_figures` puts pictures beside it."""
    began, outcome = time.perf_counter(), Outcome(page)
    text = page.read_text(encoding="utf-8")
    lines, blocks = text.splitlines(), blocks_of(text)
    edits: list[tuple[int, int, list[str]]] = []
    namespace: dict[str, Any] = {"__name__": "__page__"}
    prelude = prelude_of(page)
    taken()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("error")
        _set_up(Path(folder))
        if prelude is not None:
            with chdir(folder):
                exec(compile(prelude.read_text(encoding="utf-8"), str(prelude), "exec"), namespace)
        for place, block in enumerate(blocks):
            if not block.runs:
                continue
            outcome.blocks += 1
            where = f"{page.name}:{block.start + 1}"
            with chdir(folder):
                if block.is_console:
                    printed = "\n".join(console(block.text))
                    if not matches(block.text, printed):
                        outcome.faults.append(_unlike(where, block.text, printed))
                        edits.append((block.start + 1, block.end, kept_lines(block.text, printed)))
                    continue
                run = _doctest if block.info == "pycon" else _run
                printed, fault = run(block.text, namespace, where)
            if fault:
                outcome.faults.append(fault)
                break  # what follows leans on it
            shown = expected_of(blocks, place, lines)
            if block.info == "pycon" or (shown is None and prelude is not None):
                continue
            if matches(shown.text if shown else "", printed):
                continue
            outcome.faults.append(_unlike(where, shown.text if shown else "(nothing)", printed))
            fence = ["```text", *kept_lines(shown.text if shown else "", printed), "```"]
            edits.append((shown.start, shown.end + 1, fence) if shown else (block.end + 1, block.end + 1, ["", *fence]))
        if "matplotlib.pyplot" in sys.modules:  # it keeps what it shows until that is closed
            sys.modules["matplotlib.pyplot"].close("all")
        if keep_figures:
            _keep_figures(Path(folder) / "figures", page.parent / "figures")
    outcome.checks = taken()
    outcome.faults += [f"{page.name}: {c.id}: {c.what}: the check failed" for c in outcome.checks if not c.passed]
    idle = [check for check in outcome.checks if not check.can_fail]
    outcome.faults += [f"{page.name}: {c.id}: {c.what}: no change of its figures makes it fail" for c in idle]
    outcome.seconds = time.perf_counter() - began
    if update and edits:
        for start, end, new in reversed(edits):
            lines[start:end] = new
        page.write_text("\n".join(lines) + "\n", encoding="utf-8")
        outcome.updated = f"{len(edits)} outputs written"
    return outcome


def run_pages(pages: list[Path], *, update: bool = False, jobs: int = 1) -> Iterator[Outcome]:
    """The outcomes of pages in their order, each as soon as it is there."""
    run = partial(run_page, update=update)
    if jobs == 1:
        yield from map(run, pages)
        return
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        yield from pool.map(run, pages)


def _set_up(folder: Path) -> None:
    (folder / "figures").mkdir()
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcdefaults()
    matplotlib.rcParams.update({"figure.dpi": 110, "savefig.dpi": 110, "figure.constrained_layout.use": True})


def _run(code: str, namespace: dict[str, Any], where: str) -> tuple[str, str]:
    """What a block prints, and the fault if it raised."""
    out = io.StringIO()
    try:
        with redirect_stdout(out):
            exec(compile(code, where, "exec"), namespace)
    except Exception:
        return out.getvalue(), f"{where}: raised\n{traceback.format_exc(limit=-2)}"
    return out.getvalue(), ""


def _doctest(text: str, namespace: dict[str, Any], where: str) -> tuple[str, str]:
    """Nothing where every example prints what it shows, and the report of those that do not."""
    test = doctest.DocTestParser().get_doctest(text + "\n", namespace, where, None, None)
    out = io.StringIO()
    failed = doctest.DocTestRunner(optionflags=DOCTEST).run(test, out=out.write, clear_globs=False).failed
    namespace.update(test.globs)
    return "", f"{where}: {failed} examples differ\n{out.getvalue()}" if failed else ""


def console(text: str) -> Iterator[str]:
    """The commands of a block, each followed by what it prints now."""
    environment = {**os.environ, "NO_COLOR": "1", "COLUMNS": "100"}
    code = 0
    for line in text.splitlines():
        if not line.startswith("$ "):
            continue
        yield line
        words = shlex.split(line[2:], comments=True)
        if words == ["echo", "$?"]:
            yield str(code)
            continue
        if words[0] != "surefold":
            raise ValueError(f"{line!r} is no command of surefold")
        command = [sys.executable, "-m", "surefold.cli.main", *words[1:]]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
        code = done.returncode
        yield from _tidy(done.stdout if code in (0, 1, 3) else done.stderr).splitlines()
        yield ""


def _unlike(where: str, shown: str, printed: str) -> str:
    return f"{where}: the page shows\n{_tidy(shown)}\nand the code prints\n{_tidy(printed)}\n"


def _keep_figures(made: Path, kept: Path) -> None:
    for picture in sorted(made.iterdir()):
        kept.mkdir(exist_ok=True)
        shutil.copyfile(picture, kept / picture.name)


def prelude_of(page: Path) -> Path | None:
    """What a page at the top of the site, or the README, runs first, if anything."""
    path = PRELUDES / f"{page.stem.replace('-', '_')}.py"
    return path if page.parent in (HERE, README.parent) and path.exists() else None


def name_of(page: Path) -> str:
    """How a page is called: by its path inside the site, the README by its own name."""
    return page.stem if page == README else str(page.relative_to(HERE).with_suffix(""))


def pages_to_run(names: list[str] | None = None) -> list[Path]:
    """The pages of the given names, or all that run."""
    every = [README, *(page for folder in FOLDERS for page in sorted((HERE / folder).glob("*.md")))]
    if not names:
        return [page for page in every if any(block.runs for block in blocks_of(page.read_text(encoding="utf-8")))]
    known = {name_of(page): page for page in every}
    wanted = [str(Path(name).with_suffix("")).removeprefix("docs/") for name in names]
    unknown = [name for name in wanted if name not in known]
    if unknown:
        raise SystemExit(f"no such page: {', '.join(unknown)}; there are: {', '.join(known)}")
    return [known[name] for name in wanted]


def record(outcomes: list[Outcome], ledger: Path = LEDGER) -> None:
    """Keep, page by page, how many checks of each entry were made and passed."""
    kept = json.loads(ledger.read_text(encoding="utf-8")) if ledger.exists() else {}
    for outcome in outcomes:
        name = name_of(outcome.page)
        counts: dict[str, list[int]] = {}
        for check in outcome.checks:
            made = counts.setdefault(check.id, [0, 0])
            made[0] += check.passed and check.can_fail
            made[1] += 1
        kept[name] = counts
    there = {name_of(page) for page in pages_to_run()}
    kept = {name: kept[name] for name in sorted(kept) if name in there and kept[name]}
    ledger.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m docs.executed", description="Run the code of the pages.")
    parser.add_argument("pages", nargs="*", help="such as book/roc; all by default")
    parser.add_argument("--update", action="store_true", help="write what was printed into the pages")
    parser.add_argument("--record", action="store_true", help="keep which checks passed, for the table of sources")
    parser.add_argument("--jobs", type=int, default=1, help="pages at a time, each in a process of its own")
    given = parser.parse_args(arguments)
    began, outcomes = time.perf_counter(), []
    for outcome in run_pages(pages_to_run(given.pages), update=given.update, jobs=given.jobs):
        outcomes.append(outcome)
        state = outcome.updated or ("ok" if not outcome.faults else f"{len(outcome.faults)} faults")
        name = name_of(outcome.page)
        print(f"{name:28} {outcome.blocks:3} blocks {len(outcome.checks):4} checks {outcome.seconds:6.1f} s  {state}")
        for fault in outcome.faults:
            print(f"\n{fault}", file=sys.stderr)
    if given.record:
        record(outcomes)
    faults = sum(len(outcome.faults) for outcome in outcomes)
    print(f"{len(outcomes)} pages, {time.perf_counter() - began:.0f} s, {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
