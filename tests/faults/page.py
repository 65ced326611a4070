"""docs/faults.md from the figures."""

from __future__ import annotations

from .stage import Figure

HEAD = """# Faults

What a run promises when things go wrong, and what was measured. This page is written by `make faults`.

- **A finished fold is safe.** With `store=` each fold is one transaction, written through to the disk, with a SHA-256
  of its content and place. The same call again runs only what is missing.
- **The same bytes.** Seeds go by (repeat, fold), never by order: killed and resumed, one process or several, with a
  store or without, the result is the same to the last bit.
- **Never a wrong number.** What does not match its checksum is run again or refused; a store of other data, parameters,
  plan, seed or versions is refused with what changed; a file that is not ours is not touched.
- **What is whole can be saved.** `surefold resume STORE --salvage` brings the folds of a torn store into a new one.
- **One fold costs one fold.** With `n_jobs` above 1, `fold_timeout=` or `max_memory=`, a fit that crashes, hangs or
  eats memory is ended and tried once more; then it is recorded, the result is *incomplete*, the other folds are kept.
- **Nothing of yours is written over.** Every path of a command is known before it starts, by where it leads: no output
  may lie where the same call reads, keeps or writes something, and no page, result or model replaces a file of another
  kind.
- **A store gives no orders.** It says neither where to write nor which code to run, whatever it holds: `--trust` names
  code.
- **Names are shown, not obeyed**, by a terminal, a spreadsheet or a page; JSON gives them back as they were.
- **Nothing is left behind.** Workers end with their parent, claims with their process, shared memory with both.

Not promised: fits in this process (`n_jobs=1`) that crash take it along, and the next call goes on; a fit in compiled
code cannot be interrupted from within; on a dask cluster, models that draw from Python's own global generator are not
the same twice (numpy's is); a flipped bit in memory.

"""
TAIL = """
A store costs one sync a fold, so what it adds follows the disk. In five earlier runs of the soak, with the disk kept
busy by other programs (a bare sync took 2.5 to 5.7 ms), it added 1.3 to 3.3 ms and missed the limit of 1 ms.

To see it again: `make faults`, about {minutes:.0f} minutes; `FAULTS=10 make faults` for ten times as many of each,
`python -m tests.faults --only damage` for one part.
"""


def page(figures: list[Figure], seconds: float) -> str:
    lines = ["| fault | | measured | wanted |", "|---|---|---|---|"]
    before = ""
    for figure in figures:
        part = figure.part if figure.part != before else ""
        before = figure.part
        value = figure.value if figure.passed else f"**{figure.value}**"
        lines.append(f"| {part} | {figure.what} | {value} | {figure.wanted} |")
    return HEAD + "\n".join(lines) + "\n" + TAIL.format(minutes=max(1.0, seconds / 60))
