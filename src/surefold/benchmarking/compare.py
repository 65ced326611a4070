"""Compare the columns of a table of data sets by models: the test of all, then pairs or a control."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from surefold.benchmarking.comparison import ManyComparison, PostHoc, RankedPair, Status
from surefold.benchmarking.table import ValueTable
from surefold.benchmarking.wins import TiesBy
from surefold.errors import InputError, UnknownNameError, refuse_unknown
from surefold.estimates.quantiles import checked_confidence
from surefold.resampling.study import Study
from surefold.significance.many import bonferroni_dunn, friedman, nemenyi, rank_differences
from surefold.significance.multiplicity import holm
from surefold.significance.paired_values import sign_test
from surefold.significance.pairs import checked_number
from surefold.significance.signed_ranks import wilcoxon

__all__ = ["compare_table"]


def compare_table(
    table: ValueTable,
    *,
    control: str | None = None,
    post_hoc: PostHoc | None = None,
    rope: float = 0.01,
    confidence: float = 0.95,
    ties: TiesBy = "equal",
    dropped: Mapping[str, str] | None = None,
    studies: Mapping[str, Study] | None = None,
    options: Mapping[str, Any] | None = None,
) -> ManyComparison:
    """Compare the columns of a table without missing values."""
    confidence = checked_confidence(confidence)
    rope = checked_number(rope, "rope", 0, cure="give the largest difference that does not matter, 0 or more")
    _check(table, control, post_hoc, ties)
    chosen = post_hoc or ("nemenyi" if control is None else "holm")
    facts: dict[str, Any] = {
        "rope": rope,
        "confidence": confidence,
        "ties": ties,
        "dropped": dropped or {},
        "studies": studies or {},
        "options": options or {},
    }
    if len(table.models) == 2:
        return _two(table, control, facts)
    turned, level = table.turned, 1 - confidence
    overall = friedman(turned, confidence=confidence)
    column = None if control is None else table.models.index(control)
    raw = rank_differences(turned, column)
    critical: float | None = None
    if chosen == "nemenyi":
        every = nemenyi(turned, confidence=confidence)
        critical, adjusted = every.critical_difference, np.array([every.p_values[i, j] for i, j in raw.pairs])
    elif chosen == "bonferroni_dunn":
        dunn = bonferroni_dunn(turned, column or 0, confidence=confidence)
        critical, adjusted = dunn.critical_difference, np.array([dunn.p_values[i] for i, _ in raw.pairs])
    else:
        adjusted = holm(raw.p_values)
    pairs = []
    for (i, j), p, q in zip(raw.pairs, raw.p_values.tolist(), adjusted.tolist(), strict=True):
        gap = float(overall.average_ranks[i] - overall.average_ranks[j])
        status: Status = "cannot_tell"
        if overall.f_p_value <= level and q <= level and gap != 0:
            status = "better" if gap < 0 else "worse"
        pairs.append(RankedPair(table.models[i], table.models[j], gap, p, q, status))
    return ManyComparison(
        table, control, chosen, pairs=tuple(pairs), friedman=overall, critical_difference=critical, **facts
    )


def _two(table: ValueTable, control: str | None, facts: dict[str, Any]) -> ManyComparison:
    """Two models have one difference a data set: its signed ranks say more than ranks 1 and 2."""
    i, j = (0, 1) if control != table.models[0] else (1, 0)
    a, b = table.turned[:, i], table.turned[:, j]
    signed = wilcoxon(a, b, confidence=facts["confidence"])
    signs = sign_test(a, b, confidence=facts["confidence"])
    gap = float((table.ranks[:, i] - table.ranks[:, j]).mean())
    status: Status = "cannot_tell"
    if signed.p_value <= 1 - facts["confidence"] and signed.positive_ranks != signed.negative_ranks:
        status = "better" if signed.positive_ranks > signed.negative_ranks else "worse"
    pair = RankedPair(table.models[i], table.models[j], gap, signed.p_value, signed.p_value, status)
    return ManyComparison(table, control, "wilcoxon", pairs=(pair,), wilcoxon=signed, sign_test=signs, **facts)


def _check(table: ValueTable, control: str | None, post_hoc: str | None, ties: str) -> None:
    n, k = table.values.shape
    if k < 2:
        raise InputError("bad_option", "one model has nothing to be compared with", cure="give two or more")
    if n < 2:
        left = "no data set is" if n == 0 else f"one data set ({table.datasets[0]}) is"
        problem = f"{left} left to compare by: how models rank over data sets needs two or more"
        cure = "use b.studies[name].compare() for models on one data set, or add data sets"
        raise InputError("bad_option", problem, cure=cure)
    if control is not None and control not in table.models:
        raise UnknownNameError("model", control, table.models)
    if post_hoc not in (None, "nemenyi", "holm", "bonferroni_dunn"):
        raise UnknownNameError("test after Friedman's", post_hoc, ("nemenyi", "holm", "bonferroni_dunn"))
    if post_hoc == "nemenyi" and control is not None:
        problem = "Nemenyi's test is of all pairs, and a control was given"
        cure = "use post_hoc='holm' or 'bonferroni_dunn' with a control, or leave the control out"
        raise InputError("bad_option", problem, cure=cure)
    if post_hoc == "bonferroni_dunn" and control is None:
        problem = "Bonferroni-Dunn holds every model against a control, and none was given"
        cure = "name it with control=, or use post_hoc='nemenyi' or 'holm' for all pairs"
        raise InputError("bad_option", problem, cure=cure)
    refuse_unknown("treatment of ties", ties, ("equal", "rope"))
