"""A command as it was called, in values that a store keeps, so that it can be called again."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

from surefold.cli.models import code_named
from surefold.cli.places import Reads, Writes
from surefold.errors import RunError

__all__ = ["FORMAT", "called", "parsed", "said_anew", "words_of"]

FORMAT = 1
#: What is said anew when a run is gone on with.
_ANEW = ("shape", "quiet", "debug", "store", "jobs", "allow_version_change", "trust_pickle")


def called(context: click.Context, run: str) -> dict[str, Any]:
    """This call, as a store keeps it."""
    words = words_of(context)
    return {"command": context.command.name, "format": FORMAT, "run": run, "words": words, "folder": os.getcwd()}


def words_of(context: click.Context) -> list[str]:
    """The words of a call: its arguments, and the options that were said, without any path that is written to."""
    words: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        if name not in context.params:  # it says how the output looks
            continue
        value = context.params[name]
        if (
            name in _ANEW
            or isinstance(parameter.type, Writes)
            or context.get_parameter_source(name) is not ParameterSource.COMMANDLINE
        ):
            continue
        if isinstance(parameter.type, Reads) and value != "-":
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
    return words


def said_anew(asked: Mapping[str, Any], models: Sequence[str]) -> list[str]:
    """What a store does not keep of a call and going on needs: the code that may run, and where results go."""
    words = [word for what in code_named(models) for word in ("--trust", what)]
    for name in ("save", "save_model", "report"):
        if asked.get(name) is not None:
            words += [f"--{name.replace('_', '-')}", str(asked[name])]
    return [*words, "--trust-pickle"] if asked.get("trust_pickle") else words


def parsed(command: click.Command, words: Sequence[str]) -> click.Context:
    """Words that a store kept as a call; nothing is run, and words that are no such call are refused."""
    try:
        return command.make_context(command.name, [*words], resilient_parsing=True)
    except (click.ClickException, click.exceptions.Exit, click.Abort) as error:
        raise RunError("store_damaged", "the store keeps a call that this version cannot read",
                       cure="use the version of surefold that started the run, or start another store"
                       ) from error  # fmt: skip
