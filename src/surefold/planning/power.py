"""How many rows does it take, and what can so many show? Planned with the tests and intervals that are given later.

Kinds: "proportion" (one share), "two_proportions" (separate rows), "mcnemar" (same rows), "auc", "paired_auc" (same
rows), and "pilot" (any measure, from an estimate with its standard error). Sums over all outcomes where outcomes are
counts; for areas the moments of the scores' order in closed form.
"""

from __future__ import annotations

import math
from typing import Unpack

from surefold.errors import InputError, UnknownNameError, refuse_unknown, show
from surefold.estimates.quantiles import checked_confidence
from surefold.planning.areas import AucDesign, PairedAucDesign
from surefold.planning.design import MOST_ROWS, Design, Facts, PlanFacts, smallest_difference_of, smallest_rows
from surefold.planning.matched import McNemarDesign
from surefold.planning.pilot import PilotDesign
from surefold.planning.results import ExpectedWidth, Power, SampleSize, SmallestDifference
from surefold.planning.shares import ProportionDesign, TwoProportionsDesign
from surefold.significance.pairs import checked_number

__all__ = ["KINDS", "expected_width", "power", "sample_size", "smallest_difference"]

#: What can be planned, by name.
KINDS: dict[str, type[Design]] = {
    design.kind: design
    for design in (ProportionDesign, TwoProportionsDesign, McNemarDesign, AucDesign, PairedAucDesign, PilotDesign)
}

#: Facts that a test needs, and an interval has no use for.
_OF_TESTS = ("null", "difference", "margin", "design", "direction")


def sample_size(kind: str, *, power: float = 0.8, confidence: float = 0.95, **facts: Unpack[PlanFacts]) -> SampleSize:
    """How many rows it takes to find what is there with a chance of `power`, or to make an interval so narrow.

    The facts of each kind (all may have `design_effect=`, by which rows in groups are worth less than one each):

    - "proportion": `value`, and `null` to tell it from or `width`, the full width of its interval on average
    - "two_proportions": `first`, `second`, `ratio` of the rows; n is that of the first set
    - "mcnemar": `only_first`, `only_second`, or `difference` and `disagreement`: shares of all rows
    - "auc": `value`, `positives_share`, and `null` or `width`; `form="binormal"|"exponential"`
    - "paired_auc": `first`, `second`, `correlation` of the scores within a class, `positives_share`
    - "pilot": `estimate` (or `se`, `rows`), and `width` or `difference`; `design="difference"|"superiority"|
      "noninferiority"|"equivalence"` with `margin`, one-sided at 1 - confidence

    Power rises in teeth, as counts are whole: n is where the last tooth that falls short ends.

    >>> print(sample_size("mcnemar", difference=0.02, disagreement=0.1))
    1,949 rows give a chance of 80 % to find a difference in accuracy of 0.02 between two models that disagree on 10 %
    of the same rows (McNemar's mid-p, 95 % confidence).
    """
    design = _planned(kind, facts, confidence)
    if design.width is not None:
        n = smallest_rows(design)
        return SampleSize(design.collected(n), design, None, design.width_at(n))
    asked = _checked_power(power, design)
    n = smallest_rows(design, asked)
    return SampleSize(design.collected(n), design, asked, design.power_at(n))


def power(kind: str, *, n: int, confidence: float = 0.95, **facts: Unpack[PlanFacts]) -> Power:
    """The chance that n rows find what is there; facts as for `sample_size`.

    >>> round(float(power("proportion", n=5, value=0.9, null=0.3)), 4)  # 5 of 5 alone has an interval above .3: .9^5
    0.5905
    """
    design = _planned(kind, facts, confidence)
    if design.width is not None:
        cure = "ask for expected_width(...), or give a null or a difference to be found"
        raise InputError("bad_option", "a width has no power", cure=cure)
    rows = _worth(n, design)
    return Power(int(n), design, design.power_at(rows))


def smallest_difference(
    kind: str, *, n: int, power: float = 0.8, confidence: float = 0.95, **facts: Unpack[PlanFacts]
) -> SmallestDifference:
    """What n rows can show: the smallest difference that they find with a chance of `power`.

    Facts as for `sample_size`, without the difference: `null`, `first`, `disagreement`, `estimate`. Where it matters,
    `direction="above"|"below"` says on which side of the share or area that is known the other lies. Of
    noninferiority and equivalence it is the smallest margin.

    >>> round(float(smallest_difference("mcnemar", n=1949, disagreement=0.1)), 3)
    0.02
    """
    found = _kind(kind)
    said = Facts(kind, facts, found.known)
    make, most = found.around(said, checked_confidence(confidence))
    asked = _checked_power(power, make(most))
    _worth(n, make(most))
    design = smallest_difference_of(make, most, int(n), asked)
    return SmallestDifference(int(n), design, design.sought, asked)


def expected_width(kind: str, *, n: int, confidence: float = 0.95, **facts: Unpack[PlanFacts]) -> ExpectedWidth:
    """How wide the interval of n rows is on average: of a "proportion", an "auc" or a "pilot".

    >>> round(float(expected_width("auc", n=1000, value=0.85, positives_share=0.2)), 3)
    0.059
    """
    found = _kind(kind)
    if found.width_at is Design.width_at:
        known = [name for name, other in KINDS.items() if other.width_at is not Design.width_at]
        raise UnknownNameError("kind with a width", kind, known)
    known = [name for name in found.known if name not in _OF_TESTS]
    said = Facts(kind, facts, tuple(known)).given
    said.setdefault("width", 1.0)  # any will do: it says that an interval is asked for
    design = found.of(Facts(kind, said, found.known), checked_confidence(confidence))
    rows = _worth(n, design)
    return ExpectedWidth(int(n), design, design.width_at(rows))


def _kind(kind: str) -> type[Design]:
    refuse_unknown("kind of plan", kind, KINDS)
    return KINDS[kind]


def _planned(kind: str, facts: PlanFacts, confidence: float) -> Design:
    found = _kind(kind)
    return found.of(Facts(kind, facts, found.known), checked_confidence(confidence))


def _checked_power(power: float, design: Design) -> float:
    cure = "give a share above 1 - confidence and below 1, such as power=0.8"
    asked = checked_number(power, "power", 0, 1, cure)
    if not design.level < asked < 1:
        end = "certain" if asked == 1 else f"no more than the level {design.level:.4g} that luck alone gives"
        raise InputError("bad_option", f"power={show(power)} is {end}", cure=cure)
    return asked


def _worth(n: float, design: Design) -> int:
    """How many rows n are worth, once n is a whole number that is enough for the kind."""
    least = design.collected(design.least)
    rows = checked_number(n, "n", least, MOST_ROWS, f"give a whole number of rows, {least:,} or more")
    if rows != math.floor(rows):
        raise InputError("bad_option", f"n={show(n)}", cure="give a whole number of rows")
    return design.worth(rows)
