"""Cures in the words of the command line: `pos_label='yes'` in Python is `--pos-label yes` here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import click

__all__ = ["as_flags", "command_of", "flags_of"]

#: Arguments of Python whose flag has another name.
_OTHER_NAMES = {
    "y_score": "score",
    "y_pred": "pred",
    "y_true": "truth",
    "n_jobs": "jobs",
    "random_state": "seed",
    "sample_weight": "weight",
    "weights": "weight",
    "labels": "label",
    "times": "time",
    "test_size": "test",
    "validation_size": "validation",
    "leave_one_out": "leave-one-out",
    "samples": "bootstrap",
}
_VALUE = r"'[^']*'|\"[^\"]*\"|\{[^{}]*\}|-?\d+(?:[._]\d+)*%?|-?(?:nan|inf)\b|\w+"
_MORE = r"(?:(?:, | or |, or )'[\w.-]+')*"
#: An argument with the flag beside it, `pos_label='yes' (--pos-label yes)` or `run=, --run`: the flag is enough.
_BOTH = re.compile(rf"(?<![\w.-])[a-z][a-z_]*=(?:{_VALUE})?(?: \((?P<inside>--[^()]*)\)|, (?P<after>--[\w-]+))")
_ARGUMENT = re.compile(rf"(?<![\w.-])(?P<name>[a-z][a-z_0-9]*)=(?:(?P<value>{_VALUE})(?P<more>{_MORE}))?")


def as_flags(text: str, flags: Mapping[str, tuple[str, bool]]) -> str:
    """The text with arguments of Python turned into the flags that there are; of others it says that they are Python's.

    `flags` has the flag of an argument, and whether it takes a value.

    >>> flags = {"pos_label": ("--pos-label", True), "method": ("--method", True), "quiet": ("--quiet", False)}
    >>> as_flags("say pos_label='not sure', method='auto' or 'delta', or quiet=True", flags)
    "say --pos-label 'not sure', --method auto or delta, or --quiet"
    >>> as_flags("say pos_label=1 (--pos-label 1)", flags)
    'say --pos-label 1'
    >>> as_flags("it needs costs=. To fix: give costs=", flags)
    'it needs costs=. To fix: give costs= (in Python)'
    """
    cure = text.find("To fix:") if "To fix:" in text else len(text)

    def flag(found: re.Match[str]) -> str:
        value, more = found["value"] or "", found["more"] or ""
        if found["name"] not in flags:
            return f"{found[0]} (in Python)" if not value and found.start() > cure else found[0]
        name, takes_value = flags[found["name"]]
        return f"{name} {_bare(value)}{_bare(more)}" if takes_value and value else f"{name}{more}"

    return _ARGUMENT.sub(flag, _BOTH.sub(lambda both: both["inside"] or both["after"], text))


def _bare(text: str) -> str:
    """Without the quotes that a shell does not need."""
    return text if text.startswith("{") else re.sub(r"(['\"])([\w.,:%+-]+)\1", r"\2", text)


def flags_of(command: click.Command | None) -> dict[str, tuple[str, bool]]:
    """The flags of a command by the names that arguments have in Python."""
    found: dict[str, tuple[str, bool]] = {}
    for option in command.params if command is not None else ():
        if not isinstance(option, click.Option):
            continue
        longest = [opt for opt in option.opts if opt.startswith("--")]
        if longest:
            for opt in (*longest, f"--{option.name}"):
                found.setdefault(opt[2:].replace("-", "_"), (longest[0], not option.is_flag))
    for name, other in _OTHER_NAMES.items():
        if name not in found and other.replace("-", "_") in found:
            found[name] = found[other.replace("-", "_")]
    return found


def command_of(group: click.Group, args: Sequence[str]) -> click.Command | None:
    """The command that these arguments call."""
    for word in args:
        if not word.startswith("-"):
            return group.get_command(click.Context(group), word)
    return None
