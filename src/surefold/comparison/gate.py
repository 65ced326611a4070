"""gate(): may the candidate replace the baseline? Passed, failed, or cannot tell, for people and pipelines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal, Unpack

import numpy as np

from surefold.comparison.compare import Method, compare, pair_results
from surefold.comparison.gate_result import Gate, GateKind, GateStatus
from surefold.comparison.judging import POWER, judged
from surefold.errors import InputError, UnknownNameError, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.of_scores import ScoreEstimates
from surefold.estimates.of_table import measure_table, positive_index
from surefold.estimates.quantiles import checked_confidence, normal_quantile
from surefold.inputs.labels import Label
from surefold.inputs.options import SeveralOptions
from surefold.inputs.predictions import Predictions
from surefold.inputs.streams import is_source
from surefold.measures import catalogue
from surefold.measures.measure import Measure
from surefold.measures.score_measure import ScoreMeasure
from surefold.numbers import number
from surefold.significance.bounds import Bounds, quantile
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion

__all__ = ["Gate", "absolute_limit", "alone_against", "gate", "gate_status", "held_against", "relative_limit"]


def gate(
    y_true: Any,
    baseline: Any,
    candidate: Any,
    *,
    measure: str = "accuracy",
    margin: float = 0.0,
    kind: Literal["noninferiority", "superiority"] | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    groups: Any = None,
    threshold: float | None = None,
    confidence: float = 0.95,
    method: Method = "auto",
    random_state: int | np.random.Generator | None = None,
    drop_missing: bool = False,
    strip_labels: bool = False,
    ignore_case: bool = False,
    cast_labels: bool = False,
    names: tuple[str, str] = ("baseline", "candidate"),
    **options: Unpack[SeveralOptions],
) -> Gate:
    """May the candidate replace the baseline, on labels or scores of the same rows?

    With a margin the question is "surely not worse by more than the margin" (`kind="noninferiority"`), without one
    "surely better" (`kind="superiority"`; with a margin: better by more than it). The gate passes where the one-sided
    bound of the difference, at `confidence`, is on the good side of the limit, fails where the bound from the other
    side is on the bad one, and else cannot tell, and says about how many rows would. So at most one gate in twenty
    passes or fails wrongly at 0.95, however few rows there are; of areas with ten positives it is one in thirty or
    fewer, because bounds that hold for models which hardly differ are then wider than most pairs need. `at_least` (or
    `at_most`, where less is better) holds the candidate's own value against a limit; `baseline` is then None. Instead
    of y_true, which is then None, baseline and candidate may be checked `Predictions`. With a path, a glob, a folder,
    or a Dask or Spark frame for `y_true`, baseline and candidate are columns, as are `truth=`, `weights=` and
    `groups=`: see `gate_files`.

    >>> truth = [1] * 60 + [0] * 60
    >>> old, new = [1] * 45 + [0] * 15 + [0] * 60, [1] * 58 + [0] * 62
    >>> print(gate(truth, old, new))
    Passed: candidate is surely better than baseline: accuracy differs by 0.108 [0.057, 0.177] by score, and its
    one-sided 95% bound 0.065 is above 0.000.
    >>> gate(truth, None, new, measure="recall", at_least=0.95).status  # 58 of 60
    'cannot_tell'
    """
    of_measure: dict[str, Any] = {**options}
    if is_source(y_true):
        from surefold.comparison.gate_at_scale import gate_files

        return gate_files(
            y_true, baseline, candidate, measure=measure, margin=margin, kind=kind, at_least=at_least, at_most=at_most,
            labels=labels, pos_label=pos_label, weights=of_measure.pop("weights", sample_weight), groups=groups,
            threshold=threshold, confidence=confidence, method=method, drop_missing=drop_missing,
            strip_labels=strip_labels, ignore_case=ignore_case, cast_labels=cast_labels, **of_measure,
        )  # fmt: skip
    if checked_confidence(confidence) <= 0.5:
        cure = "give more than a half, such as confidence=0.95"
        raise InputError("bad_option", f"confidence={confidence!r} would pass by a coin", cure=cure)
    chosen = catalogue.with_options(measure, of_measure)
    if chosen.better == "neither":
        cure = "choose a measure of which more or less is better"
        raise InputError("bad_option", f"of {chosen.name} neither more nor less is better", cure=cure)
    if len(names) != 2:
        raise InputError("bad_option", f"names={show(names)}", cure="give two names: of the baseline and the candidate")
    base, cand = names
    if base == cand:
        raise InputError("bad_option", f"baseline and candidate are both called {show(base)}", cure="give two names")
    door: dict[str, Any] = {
        "drop_missing": drop_missing,
        "strip_labels": strip_labels,
        "ignore_case": ignore_case,
        "cast_labels": cast_labels,
    }
    given = {"labels": labels, "sample_weight": sample_weight, "groups": groups, "threshold": threshold}
    if isinstance(random_state, np.random.Generator):  # used twice below, to the same draws
        random_state = int(random_state.integers(2**32))
    if at_least is not None or at_most is not None or baseline is None:
        limit = absolute_limit(chosen, baseline, margin, kind, at_least, at_most)
        p = _candidate(y_true, candidate, chosen, threshold, given | door | {"pos_label": pos_label}, cand)
        return _alone(measure, chosen, p, cand, limit, confidence, method, random_state, of_measure)
    kind, limit = relative_limit(chosen, margin, kind)
    if method == "swap":
        cure = "use method='auto', 'one_row' or 'bootstrap'"
        raise InputError("bad_option", "swapping tests that nothing differs, and gives no bound", cure=cure)
    both: Any = {cand: candidate, base: baseline}
    asked = {"control": base, "method": method, "random_state": random_state, "pos_label": pos_label, **of_measure}
    truth, answers = (both, None) if y_true is None else (y_true, both)
    told = compare(truth, answers, measure=measure, confidence=confidence, **asked, **given, **door)
    models = told.models
    if models is None:
        raise AssertionError("compare keeps the models it checked")
    fitted = chosen if told.measure == chosen.name else catalogue.with_options(told.measure, of_measure)
    if fitted.is_per_class:
        known = models.first.positive if pos_label is None else None
        c = positive_index(Confusion.of(models.first), pos_label, chosen.name) if known is None else known
        models = models.one_against_rest(c)
    (result,) = pair_results(
        fitted, models, [(0, 1)], told.values, confidence, method, 2_000, random_state, few=math.inf
    )
    (difference,) = judged(fitted, [result], confidence=confidence, rows=models.n)
    status, bounds, needed = held_against(result.bounds, limit, chosen.better, confidence, models.n)
    return Gate(
        status, kind, told.measure, chosen.better, cand, base, told.values, difference, bounds, limit, float(margin),
        confidence, models.n, needed, told.findings,
    )  # fmt: skip


def held_against(
    bounds: Bounds | None, limit: float, better: str, confidence: float, rows: float
) -> tuple[GateStatus, tuple[float, float], float | None]:
    """What the one-sided bounds of a difference say of a limit, the bounds, and about how many rows would tell."""
    if bounds is None:
        return "cannot_tell", (math.nan, math.nan), None
    low, high = bounds.at(confidence)
    status = gate_status(bounds.value, (low, high), limit, better, strict=True)
    if status != "cannot_tell":
        return status, (low, high), None
    spreads = (bounds.spread_at(limit), bounds.spread_at(bounds.value))
    return status, (low, high), rows_needed(bounds.value, limit, spreads, rows, quantile(confidence, bounds.df))


def relative_limit(
    chosen: Measure, margin: Any, kind: Literal["noninferiority", "superiority"] | None
) -> tuple[Literal["noninferiority", "superiority"], float]:
    """What is asked, and the difference candidate - baseline that has to be passed."""
    least, greatest = chosen.range
    is_number = isinstance(margin, int | float | np.number) and not isinstance(margin, bool)
    if not is_number or not 0 <= margin < greatest - least:
        reach = "" if math.isinf(greatest - least) else f", and {chosen.name} runs from {least:g} to {greatest:g}"
        cure = "give the largest loss that does not matter, as margin=0.01, or 0 to ask for better"
        raise InputError("bad_option", f"margin={show(margin)}{reach}", cure=cure)
    if kind is None:
        kind = "noninferiority" if margin > 0 else "superiority"
    if kind not in ("noninferiority", "superiority"):
        raise UnknownNameError("kind of gate", kind, ("noninferiority", "superiority"))
    gain = float(margin) if kind == "superiority" else -float(margin)
    return kind, gain + 0.0 if chosen.better == "higher" else -gain + 0.0  # + 0.0: no negative zero


def absolute_limit(
    chosen: Measure, baseline: Any, margin: Any, kind: str | None, at_least: float | None, at_most: float | None
) -> float:
    """The value that the candidate alone has to reach."""
    right, wrong = ("at_least", "at_most") if chosen.better == "higher" else ("at_most", "at_least")
    limit = at_least if right == "at_least" else at_most
    if limit is None:
        which = "there is no baseline" if at_least is at_most is None else f"{wrong}= asks for a bad {chosen.name}"
        raise InputError("bad_option", which, cure=f"give a baseline, or {right}= for the candidate alone")
    if at_least is not None and at_most is not None:
        raise InputError("bad_option", "both at_least= and at_most= were given", cure=f"give {right}= alone")
    if baseline is not None or margin != 0 or kind is not None:
        problem = f"{right}= is about the candidate alone, and a baseline, margin or kind was given"
        raise InputError("bad_option", problem, cure="ask two gates, each one question; for this one baseline is None")
    least, greatest = chosen.range
    is_number = isinstance(limit, int | float | np.number) and not isinstance(limit, bool)
    if not is_number or not least <= limit <= greatest or math.isinf(limit):
        problem = f"{right}={show(limit)}, and {chosen.name} runs from {least:g} to {number(greatest, 'g')}"
        raise InputError("bad_option", problem, cure="give a limit in that range")
    return float(limit)


def _candidate(
    y_true: Any, candidate: Any, chosen: Measure, threshold: float | None, given: dict[str, Any], name: str
) -> Predictions:
    if isinstance(candidate, Predictions):
        if y_true is not None or any(value is not None and value is not False for value in given.values()):
            problem = "checked Predictions were given together with a truth, labels, weights or options of their own"
            raise InputError("bad_option", problem, cure="pass them to Predictions.of instead, and y_true=None")
        return candidate
    if y_true is None:
        raise InputError("bad_option", "there is no truth", cure="give y_true, or checked Predictions")
    as_scores = isinstance(chosen, ScoreMeasure)
    given = given | ({"threshold": None} if as_scores else {})
    said = f"model {name!r}"
    named = ("y_true", said, said)
    if as_scores or threshold is not None:
        return Predictions.of(y_true, y_score=candidate, **given, names=named)
    return Predictions.of(y_true, candidate, **given, names=named)


def _alone(
    asked: str,
    chosen: Measure,
    p: Predictions,
    name: str,
    limit: float,
    confidence: float,
    method: str,
    random_state: Any,
    options: dict[str, Any],
) -> Gate:
    """The candidate's own value against a limit."""

    def at(level: float) -> Estimate:
        if isinstance(chosen, ScoreMeasure):
            scored = ScoreEstimates.of(p, level)
            if scored is None:
                raise InputError("bad_option", f"{chosen.name} needs scores", cure="give the candidate's scores")
            return scored.measure(asked, method=method, options=options, random_state=random_state)
        # One-sided, Wilson's bound passes up to .08 of what it should not; the exact one holds what it says.
        how = "exact" if method == "auto" and chosen.is_share else method
        facts: dict[str, Any] = {"pos_label": p.pos_label, "clusters": Clusters.of(p), "random_state": random_state}
        return measure_table(Confusion.of(p), asked, confidence=level, method=how, options=options, **facts)

    value, sided = at(confidence), at(2 * confidence - 1)
    status, bounds, needed = alone_against(value, sided, limit, chosen.better, p.n)
    kind: GateKind = "at_least" if chosen.better == "higher" else "at_most"
    measure = catalogue.twin(chosen.name) if p.positive is None else chosen.name
    return Gate(
        status, kind, measure, chosen.better, name, None, {name: value}, None, bounds, limit, None, confidence, p.n,
        needed, p.findings,
    )  # fmt: skip


def gate_status(value: float, bounds: tuple[float, float], limit: float, better: str, *, strict: bool) -> GateStatus:
    """Passed, failed or cannot tell; `strict`: a bound on the limit itself does not pass."""
    if math.isnan(value):
        return "cannot_tell"
    low, high = bounds if better == "higher" else (-bounds[1], -bounds[0])
    least = limit if better == "higher" else -limit
    if low > least or (low == least and not strict):
        return "passed"
    return "failed" if high < least else "cannot_tell"


def alone_against(
    value: Estimate, sided: Estimate, limit: float, better: str, rows: float
) -> tuple[GateStatus, tuple[float, float], float | None]:
    """The same of a candidate's own value, whose interval at twice the confidence less one is `sided`."""
    bounds = (sided.low, sided.high)
    status = gate_status(value.value, bounds, limit, better, strict=False)
    if status != "cannot_tell":
        return status, bounds, None
    reach = normal_quantile((1 + sided.confidence) / 2)
    spread = (value.value - bounds[0] if value.value > limit else bounds[1] - value.value) / reach
    return status, bounds, rows_needed(value.value, limit, (spread, spread), rows, reach)


def rows_needed(value: float, limit: float, spreads: tuple[float, float], rows: float, reach: float) -> float | None:
    """About how many rows in all would tell four times in five: spreads draw in with the root of the rows.

    `spreads` are those at the limit and at the value; `reach` is how many of the first a bound is away.
    """
    if not math.isfinite(value):
        return None
    gap = abs(value - limit)
    if gap <= 1e-12:
        return math.inf
    needed = rows * ((reach * spreads[0] + normal_quantile(POWER) * spreads[1]) / gap) ** 2
    return float(max(math.ceil(needed), rows + 1)) if math.isfinite(needed) else None
