"""What a comparison over data sets says, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from surefold.counting import counted, verb
from surefold.numbers import number, p_said

if TYPE_CHECKING:
    from surefold.benchmarking.comparison import ManyComparison

__all__ = ["overall_text", "verdict_of_many"]

#: With fewer data sets than this the sentence on few data sets is a warning against any conclusion.
HARDLY_ANY = 5
#: Models that get a sentence on whom they beat.
MOST_TOLD = 6
_NAMES = {"nemenyi": "Nemenyi's test", "holm": "Holm's method", "bonferroni_dunn": "Bonferroni-Dunn"}


def verdict_of_many(c: ManyComparison) -> str:
    """Whether any differ, then who is best and who is worse, then what weakens it; one sentence a line."""
    if c.friedman is None:
        lines = _of_two(c)
    elif not c.differs:
        lines = [
            f"No model can be told from another: {overall_text(c)}.",
            f"{_NAMES[c.post_hoc]} is shown all the same, but is only read where that test finds a difference.",
        ]
    else:
        lines = [f"The models differ: {overall_text(c)}.", *(_by_control(c) if c.control is not None else _of_all(c))]
    return "\n".join([*lines, *_weak(c)])


def overall_text(c: ManyComparison) -> str:
    """The test that comes first, with its figures."""
    n = f"over {counted(len(c.datasets), 'data set')}"
    if c.friedman is None:
        return f"Wilcoxon's signed ranks {n}, {p_said(c.pairs[0].adjusted_p)}"
    f, (first, second) = c.friedman, c.friedman.f_df
    return f"Friedman's F({first:g}, {second:g}) = {number(f.f_statistic, '.2f')} {n}, {p_said(f.f_p_value)}"


def _of_two(c: ManyComparison) -> list[str]:
    pair, signs = c.pairs[0], c.sign_test
    pair = pair.swapped if pair.status == "worse" else pair
    verb = "is better than" if pair.status == "better" else "cannot be told from"
    lines = [f"{pair.first} {verb} {pair.second}: {overall_text(c)}."]
    if signs is not None:
        lines.append(f"The sign test, which counts wins alone, gives {p_said(signs.p_value)}.")
    return lines


def _of_all(c: ManyComparison) -> list[str]:
    winner, order, test = c.winner, c.order, _NAMES[c.post_hoc]
    if all(pair.status == "cannot_tell" for pair in c.pairs):
        return [f"{test} tells no pair apart: that some differ is shown, which do is not."]
    lead = [winner.model, *winner.tied_with]
    lines = [f"Best by average rank: {_and(lead)} ({winner.average_rank:.2f})."]
    untold = [m for m in winner.cannot_be_told_from if m not in lead]
    if untold:
        lines.append(f"It cannot be told from {_and(untold)}." if len(lead) == 1 else f"Not told from {_and(untold)}.")
    beaten = {m: [other for other in order if other != m and c[m, other].status == "better"] for m in order}
    told = [f"{model} is better than {_and(worse)} ({test})." for model, worse in beaten.items() if worse]
    left = len(told) - MOST_TOLD
    more = [f"{counted(left, 'more model')} {verb(left)} better than some: to_frame() has every pair."]
    return [*lines, *told[:MOST_TOLD], *(more if len(told) > MOST_TOLD else [])]


def _by_control(c: ManyComparison) -> list[str]:
    control, test = str(c.control), _NAMES[c.post_hoc]
    words = {"better": "better than", "worse": "worse than", "cannot_tell": "not told from"}
    lines = []
    for status, phrase in words.items():
        models = [m for m in c.order if m != control and c[m, control].status == status]
        if models:
            verb = "is" if len(models) == 1 else "are"
            lines.append(f"{_and(models)} {verb} {phrase} {control}, the control ({test}).")
    return lines


def _weak(c: ManyComparison) -> list[str]:
    n, k, lines = len(c.datasets), len(c.models), []
    if n < HARDLY_ANY:
        are = f"{counted(n, 'data set')} {verb(n)}"
        lines.append(f"{are} too few to say how models rank on others. [few_data_sets]")
    elif "few_data_sets" in c.flags:
        lines.append(f"{n} data sets are few: the p-values are rough. [few_data_sets]")
    if "too_few_to_tell" in c.flags:
        lines.append("So few data sets differ that no outcome could have been significant. [too_few_to_tell]")
    if k > 2 and c.differs and c.control is None:
        lines.append(f"{c.winner.model} was picked as the best of {k}, so its figures flatter it. [selected_from_m]")
    if c.dropped:
        lines.append(f"Left out for missing values: {_and(list(c.dropped))}.")
    return lines


def _and(names: Sequence[str], most: int = 8) -> str:
    shown = [*names[:most], f"{len(names) - most} more"] if len(names) > most else list(names)
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
