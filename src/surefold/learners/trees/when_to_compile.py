"""Whether compiled loops are worth the wait: seconds the first time on a machine, and half of one in a new process.

Small data are learnt from in numpy, to the same trees. As with skis, one rents until the rent would have bought them:
a kernel is compiled when what is to be done now, and what this process did without it before, would take numpy longer
than compiling. So nobody waits more than twice as long as who had known.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from threading import Lock

__all__ = ["is_worth_compiling"]

#: Seconds to compile a kernel, to load it where an earlier process did, and to load it where numba is there already.
COMPILING, LOADING, READING = 2.5, 0.3, 0.05

_spent: dict[tuple[str, str], float] = {}
_compiled: set[tuple[str, str]] = set()
_lock = Lock()


def is_worth_compiling(module: str, kernel: str, seconds: float) -> bool:
    """Whether to use the compiled kernel of this module for work that takes numpy so long.

    A kernel that was chosen once is used from then on. Whoever waits at a terminal is told when it takes long.
    """
    key = module, kernel
    with _lock:
        if key in _compiled:
            return True
        known = _was_compiled(module)
        price = COMPILING if not known else READING if "numba" in sys.modules else LOADING
        _spent[key] = _spent.get(key, 0.0) + seconds
        if _spent[key] <= price:
            return False
        _compiled.add(key)
    if not known and sys.stderr is not None and sys.stderr.isatty():
        print("surefold: compiling the loops of trees (some seconds, once an installation) …", file=sys.stderr)
    return True


@cache
def _was_compiled(module: str) -> bool:
    """Whether numba has a kernel of this module in its cache; where it hides that, it counts as not compiled."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    beside = Path(__file__).parent / "__pycache__"
    return any(Path(chosen).rglob(f"{module}.*.nbi") if chosen else beside.glob(f"{module}.*.nbi"))
