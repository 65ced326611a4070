"""What code prints, for pages that are written by a program."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

__all__ = ["example", "printed"]


def printed(code: str, namespace: dict[str, Any] | None = None) -> str:
    """What the code prints; names it makes stay in the namespace.

    >>> printed("x = 3\\nprint(x + 1)")
    '4'
    """
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(code, "<example>", "exec"), {} if namespace is None else namespace)
    return out.getvalue().rstrip("\n")


def example(code: str, namespace: dict[str, Any] | None = None) -> list[str]:
    """The lines of a page that show code and what it prints.

    >>> example("print(2 + 2)")
    ['```python', 'print(2 + 2)', '```', '', '```text', '4', '```']
    """
    told = printed(code, namespace)
    shown = ["", "```text", *told.splitlines(), "```"] if told else []
    return ["```python", *code.splitlines(), "```", *shown]
