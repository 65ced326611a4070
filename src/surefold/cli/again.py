"""A command as it was called, in values that a store keeps, so that it can be called again."""

from __future__ import annotations

import os
from typing import Any

import click
from click.core import ParameterSource

__all__ = ["called"]

FORMAT = 1
#: What is said anew when a run is gone on with.
_ANEW = ("shape", "quiet", "debug", "store", "jobs", "allow_version_change")
#: Where results go, whatever folder the command is called from again.
_PATHS = ("data", "report", "save", "save_model")


def called(context: click.Context, run: str) -> dict[str, Any]:
    """The words of this call: its arguments, and the options that were said."""
    words: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        value = context.params[name]
        if name in _ANEW or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        if name in _PATHS and value not in (None, "-"):
            value = os.path.abspath(value)
        if isinstance(parameter, click.Argument):
            words.append(str(value))
            continue
        flag = max(parameter.opts, key=len)
        if getattr(parameter, "is_flag", False):
            words.append(flag)
        else:
            for each in value if parameter.multiple else (value,):
                words += [flag, str(each)]
    return {"command": context.info_name, "format": FORMAT, "run": run, "words": words, "folder": os.getcwd()}
