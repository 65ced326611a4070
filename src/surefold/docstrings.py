"""Docstrings that are read while the program runs: `python -OO` takes them away, and the source still has them."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from typing import Any

__all__ = ["docstring", "first_line"]


def docstring(function: Callable[..., Any]) -> str:
    """The docstring of a function; empty where it has none."""
    if function.__doc__:
        return function.__doc__
    try:
        written = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):  # no source beside the code, or a lambda
        return ""
    return (isinstance(written, ast.FunctionDef) and ast.get_docstring(written)) or ""


def first_line(function: Callable[..., Any]) -> str:
    """What a function does, in the one line that its docstring begins with.

    >>> first_line(first_line)
    'What a function does, in the one line that its docstring begins with.'
    """
    return docstring(function).strip().partition("\n")[0]
