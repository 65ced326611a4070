"""What an assessment comes to: which measure decides, and what follows from it.

Costs decide where they were given; a measure that was asked for alone; where a class is rare what is found of it, for
accuracy is high there anyhow; else accuracy of labels, or the order of scores. The decider is named in the answer.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.assessment import Assessment
from surefold.curves.thresholds import OperatingPoint, ThresholdChoice
from surefold.errors import InputError, show
from surefold.estimates.estimate import Estimate
from surefold.estimates.quantiles import normal_quantile
from surefold.measures.cost import cost_matrix
from surefold.numbers import count, counted_rows
from surefold.verdict.constant import distance, paired_p, share_p
from surefold.verdict.doubt import worst
from surefold.verdict.sentences import Quantity, Sentence
from surefold.verdict.verdict import Badge, Status, Tone, Verdict

__all__ = ["verdict_of"]

Prices = NDArray[np.float64]

#: A class is rare under this part of its equal share: a tenth of the rows of two classes, a fiftieth of those of ten.
RARE_PART = 0.2
#: What no skill at all gives, of measures that may be asked for alone; None where it is the chance of one of k classes.
NO_SKILL: dict[str, float | None] = {
    "roc_auc": 0.5,
    "roc_auc_hand_till": 0.5,
    "balanced_accuracy": None,
    "mcc": 0.0,
    "kappa": 0.0,
    "informedness": 0.0,
}


def verdict_of(a: Assessment) -> Verdict:
    """The verdict, worked out once."""
    if "verdict" not in a._cache:
        a._cache["verdict"] = _decided(a)
    found: Verdict = a._cache["verdict"]
    return found


def _decided(a: Assessment) -> Verdict:
    refused = _refused(a)
    if refused is not None:
        return refused
    if a.costs is not None and (a.estimates is not None or _can_be_cut(a)):
        found = _by_costs(a)
        if found is not None:
            return found
    if a.shown is not None and len(a.shown) == 1 and a.shown[0] in NO_SKILL and a.shown[0] in a.headlines:
        return _by_asked(a, a.shown[0])
    rare = _rare_class(a)
    if rare is not None:
        return _by_rare(a, rare)
    return _by_area(a) if a.estimates is None else _by_accuracy(a)


def _refused(a: Assessment) -> Verdict | None:
    """What cannot be judged at all."""
    if a.estimates is None:
        return None
    margins = a.confusion.margins()
    evidence: dict[str, Any] = {"accuracy": a["accuracy"].to_dict()}
    if (margins.actual > 0).sum() < 2:
        label = show(a.labels[int(np.argmax(margins.actual))])
        reason = f"every true row is {label}, so always answering {label} would be right each time"
        return Verdict.undefined(reason, evidence | _constant(a)[2])
    if not (margins.called * margins.actual).any():
        return Verdict.undefined(
            "the truth and the predictions share no label. Are they written differently?", evidence | _constant(a)[2]
        )
    return None


def _constant(a: Assessment) -> tuple[Any, float, dict[str, Any]]:
    """The commonest class, its share, and the two as evidence."""
    margins = a.confusion.margins()
    place = int(np.argmax(margins.actual))
    total = float(margins.total)
    share = float(margins.actual[place]) / total
    evidence = {
        "majority_label": a.labels[place],
        "majority_share": share,
        "chance_agreement": float((margins.actual * margins.called).sum()) / total**2,
        "kappa": a["kappa"].to_dict(),
    }
    return a.labels[place], share, evidence


def _accuracy_said(a: Assessment) -> tuple[Sentence, ...]:
    """Accuracy beside the commonest answer, where another measure decides."""
    rival, share, _ = _constant(a)
    values = {"accuracy": a["accuracy"], "rival": Quantity(rival, "class"), "share": Quantity(share, "share")}
    return (Sentence("how accuracy", values),)


def _can_be_cut(a: Assessment) -> bool:
    """Whether a threshold of these scores can be chosen."""
    if a.scores is None or a.scores.matrix is not None or a.scores.tally is None or a.positive is None:
        return False
    return len(a.labels) == 2 and a.tally.positives > 0 and a.tally.negatives > 0


# costs


def _by_costs(a: Assessment) -> Verdict | None:
    """The cost of a row against the cheapest constant answer, as a paired difference."""
    prices = cost_matrix(a.costs, len(a.labels))
    if a.estimates is None:
        t, c = a.tally, a.positive or 0
        actual = np.array([t.positives, t.negatives] if c == 0 else [t.negatives, t.positives], dtype=float)
    else:
        actual = np.asarray(a.confusion.margins().actual, dtype=float)
    constant = actual @ prices / float(actual.sum())
    cheapest = int(np.argmin(constant))
    rival, rival_cost = Quantity(a.labels[cheapest], "class"), float(constant[cheapest])
    choice = _least(a)
    alone = a.estimates is None or any(f.code == "labels_from_scores" for f in a.noticed)
    if alone and choice is not None:
        cost, difference = _at(a, choice, prices, cheapest)
    elif a.estimates is None:
        return None
    else:
        cost = a["expected_cost"]
        difference = a.measure("expected_cost", costs=prices - prices[:, [cheapest]])
    if not difference.defined:
        return None
    evidence: dict[str, Any] = {
        "decider": "expected_cost",
        "cost": cost.to_dict(),
        "rival": a.labels[cheapest],
        "rival_cost": rival_cost,
        "difference": difference.to_dict(),
    }
    values: dict[str, Any] = {"cost": cost, "rival": rival, "rival_cost": Quantity(rival_cost, "cost")}
    least = None if choice is None else _cost_at(choice.point, prices, a.positive or 0)
    honest = (
        None
        if choice is None or choice.cross_fitted is None
        else (_cost_at(choice.cross_fitted.point, prices, a.positive or 0))
    )
    if least is not None:
        evidence |= {"least_cost": least, "least_cost_threshold": choice.point.threshold if choice else None}
        evidence |= {} if honest is None else {"least_cost_cross_fitted": honest}
    status: Status
    act, doubt = _act_on_costs(a, choice, prices, (cost.value, least, honest), alone)
    if difference.high < 0:
        share = 1 - cost.value / rival_cost if rival_cost > 0 else math.nan
        words = Sentence("badge cheaper", values | {"share": Quantity(share, "share")})
        badge, status, key = Badge(words, "good", falls=True), "better", "costs told"
    elif difference.low > 0:
        better_cut = honest if honest is not None else least
        if better_cut is not None and better_cut < rival_cost:
            badge = Badge(Sentence("badge other threshold"), "open")
        else:
            badge = Badge(Sentence("badge dearer", values), "bad")
            act = act if act is not None and act.key == "act threshold" else Sentence("act rival", values)
        status, key = "worse", "costs worse"
    else:
        badge, status, key = Badge(Sentence("badge costs open", values), "open"), "cannot_tell", "costs open"
        if not alone and honest is not None and honest < min(cost.value, rival_cost):
            badge = Badge(Sentence("badge other threshold"), "open")  # the act says which
        else:
            act, doubt = _more_rows(difference.n * _times_more(difference.value, difference.low, difference.high)), None
    how = [Sentence("how cost", values | {"difference": difference})]
    if a.estimates is not None:
        evidence |= {"accuracy": a["accuracy"].to_dict()} | _constant(a)[2]
        how += _accuracy_said(a)
    found = worst(a.findings, acted=True)
    return Verdict(status, Sentence(key, values), act, found or doubt, tuple(how), evidence, badge)


def _times_more(value: float, low: float, high: float) -> float:
    """How many times more rows it takes until an interval that holds 0 no longer does."""
    reach = (value - low) if value > 0 else (high - value)
    return (reach / value) ** 2 - 1 if value else math.inf


def _more_rows(needed: float) -> Sentence:
    """How many more rows would tell; beyond a million no number is likely to."""
    if not needed < 1e6:
        return Sentence("act no rows")
    return Sentence("act more rows", {"more": Quantity(max(needed, 1.0), "about")})


def _least(a: Assessment) -> ThresholdChoice | None:
    """The threshold of least cost on these rows, where one can be chosen."""
    if not _can_be_cut(a):
        return None
    try:
        return a.best_threshold("cost")
    except InputError:
        return None


def _cost_at(p: OperatingPoint, prices: Prices, positive: int) -> float:
    c, d = positive, 1 - positive
    total = p.tp + p.fn + p.fp + p.tn
    return float(p.tp * prices[c, c] + p.fn * prices[c, d] + p.fp * prices[d, c] + p.tn * prices[d, d]) / total


def _at(a: Assessment, choice: ThresholdChoice, prices: Prices, cheapest: int) -> tuple[Estimate, Estimate]:
    """Cost of a row at the least-cost threshold, and what it is less than the constant answer.

    The difference is that of rows that did not choose the threshold, where there are such.
    """
    p = choice.point if choice.cross_fitted is None else choice.cross_fitted.point
    c = a.positive or 0
    d = 1 - c
    rows = np.array([p.tp, p.fn, p.fp, p.tn])
    costs = np.array([prices[c, c], prices[c, d], prices[d, c], prices[d, d]])
    gaps = costs - np.array([prices[c, cheapest]] * 2 + [prices[d, cheapest]] * 2)
    at = np.array([choice.point.tp, choice.point.fn, choice.point.fp, choice.point.tn])
    return _mean(at, costs, a.confidence), _mean(rows, gaps, a.confidence)


def _mean(rows: Prices, values: Prices, confidence: float) -> Estimate:
    """The mean of values that so many rows have, with half a row of each added for its spread."""
    n = float(rows.sum())
    mean, added = float(rows @ values / n), rows + 0.5
    centre = float(added @ values / added.sum())
    se = math.sqrt(float(added @ (values - centre) ** 2) / added.sum() / n)
    reach = normal_quantile((1 + confidence) / 2) * se
    return Estimate(mean, min(mean, centre - reach), max(mean, centre + reach), se, confidence, "normal", n)


def _act_on_costs(
    a: Assessment,
    choice: ThresholdChoice | None,
    prices: Prices,
    costs: tuple[float, float | None, float | None],
    alone: bool,
) -> tuple[Sentence | None, Sentence | None]:
    """The threshold to use, or the dearest mistake; and that a threshold chosen on these rows flatters.

    `costs` are those of the answers given, of the least-cost threshold, and of it on rows that did not choose it.
    """
    cost, least, honest = costs
    if choice is None or least is None:
        return _dearest(a, prices), None
    if not alone and least >= cost * (1 - 1e-9):
        return Sentence("act keep threshold"), None
    p = choice.point
    values = {
        "threshold": Quantity(p.threshold, "score"),
        "tp": Quantity(p.tp, "count"),
        "fp": Quantity(p.fp, "count"),
        "positives": Quantity(p.tp + p.fn, "count"),
        "positive": Quantity(a.pos_label, "class"),
        "alarms": "alarm" if p.fp == 1 else "alarms",
        "least": Quantity(least, "cost"),
    }
    doubt = Sentence("doubt threshold alone")
    if honest is not None:
        doubt = Sentence("doubt threshold", {"honest": Quantity(honest, "cost")})
    return Sentence("act threshold", values), doubt


def _dearest(a: Assessment, prices: Prices) -> Sentence | None:
    """The mistake that costs most in all."""
    cells = a.confusion.cells
    spent = cells.value * prices[cells.true, cells.predicted]
    wrong = np.flatnonzero((cells.true != cells.predicted) & (spent > 0))
    if not len(wrong):
        return None
    m = wrong[int(np.argmax(spent[wrong]))]
    values = _cell(a, m) | {"part": Quantity(float(spent[m] / spent.sum()), "share")}
    return Sentence("act costs", values)


# a measure that was asked for


def _by_asked(a: Assessment, name: str) -> Verdict:
    e = a[name]
    chance = NO_SKILL[name]
    if chance is None:
        chance = 1 / int((a.confusion.margins().actual > 0).sum())
    evidence = {"decider": name, name: e.to_dict(), "no_skill": chance}
    if not e.defined:
        return Verdict.undefined(e.reason, evidence)
    values = {"measure": name.replace("_", " "), "value": e, "chance": chance}
    found = worst(a.findings)
    if e.low > chance:
        return Verdict("better", Sentence("asked better", values), None, found, (), evidence, _chance("above", "good"))
    if e.high < chance:
        return Verdict("worse", Sentence("asked better", values), None, found, (), evidence, _chance("below", "bad"))
    return Verdict("cannot_tell", Sentence("asked open", values), None, found, (), evidence, _chance("like", "open"))


def _chance(how: str, tone: Tone) -> Badge:
    return Badge(Sentence(f"badge {how} chance"), tone)


# a rare class


def _rare_class(a: Assessment) -> int | None:
    """The class that is rare and asked about: the positive one; of two classes without one the rarer; of many any."""
    if a.estimates is None:
        if not _can_be_cut(a):
            return None
        t = a.tally
        return a.positive if t.positives / t.total < RARE_PART / 2 else None
    actual = np.asarray(a.confusion.margins().actual, dtype=float)
    there = np.flatnonzero(actual > 0)
    limit = RARE_PART / len(there) * float(actual.sum())
    rare = there[actual[there] < limit]
    if not len(rare):
        return None
    least = int(rare[np.argmin(actual[rare])])
    return least if len(there) > 2 or a.positive in (None, least) else None


def _by_rare(a: Assessment, c: int) -> Verdict:
    if len(a.labels) > 2 or (a.estimates is not None and (a.confusion.margins().actual > 0).sum() > 2):
        return _by_balanced(a)
    label, has_scores = a.labels[c], _can_be_cut(a) and c == a.positive
    if a.estimates is None:
        positives, total, tp = a.tally.positives, a.tally.total, math.nan
        precision = None
    else:
        margins = a.confusion.margins()
        positives, total, tp = float(margins.actual[c]), float(margins.total), float(margins.tp[c])
        precision = a.per_class[label]["precision"]
    prevalence = positives / total
    judged = a["average_precision"] if has_scores else precision
    values: dict[str, Any] = {
        "positive": Quantity(label, "class"),
        "positives": Quantity(positives, "count"),
        "tp": Quantity(tp, "count"),
        "rows": "row" if positives == 1 else "rows",
        "prevalence": Quantity(prevalence, "share"),
        "area": judged,
        "precision": Quantity(precision, "share"),
    }
    name = "average_precision" if has_scores else "precision"
    evidence: dict[str, Any] = {"decider": name, "prevalence": prevalence, "rare_label": label}
    how: tuple[Sentence, ...] = ()
    if a.estimates is not None:
        evidence |= {"accuracy": a["accuracy"].to_dict()} | _constant(a)[2]
        how = _accuracy_said(a)
    if judged is None or not judged.defined:
        reason = "nothing was called" if judged is None else judged.reason
        return Verdict.undefined(f"{reason} ({count(positives)} of {count(total)} rows are {show(label)})", evidence)
    evidence[name] = judged.to_dict()
    act = _highest(a) if has_scores else _mistake(a, "act rare mistake")
    doubt = worst(a.findings) or Sentence("doubt rare", values)
    if judged.low > prevalence:
        key = "rare labels" if precision is not None and precision.defined and tp > 0 else "rare scores"
        return Verdict("better", Sentence(key, values), act, doubt, how, evidence, _chance("above", "good"))
    if judged.high < prevalence:
        act = Sentence("act turned") if has_scores else _mistake(a, "act turn")
        return Verdict("worse", Sentence("rare worse", values), act, doubt, how, evidence, _chance("below", "bad"))
    more_rows = _needed(judged, prevalence, positives)
    act = (
        Sentence("act no rows")
        if more_rows is None
        else (Sentence("act rare rows", values | {"more": Quantity(more_rows, "about")}))
    )
    key = "rare open" if has_scores else "rare open labels"
    return Verdict("cannot_tell", Sentence(key, values), act, doubt, how, evidence, _chance("like", "open"))


def _needed(e: Estimate, chance: float, rows: float) -> float | None:
    """How many more rows would tell a figure from chance, if it stays what it is."""
    gap, reach = e.value - chance, max(e.value - e.low, 0.0)
    return None if gap <= 0 else max(rows * ((reach / gap) ** 2 - 1), 1.0)


def _highest(a: Assessment) -> Sentence:
    """How many positives are among as many of the highest scores."""
    t = a.tally
    k, taken = t.positives, np.cumsum(t.positive + t.negative)
    inside = int(np.searchsorted(taken, k, side="right"))
    found = float(t.positive[:inside].sum())
    left = k - (float(taken[inside - 1]) if inside else 0.0)
    if left > 0 and inside < len(t.score):
        found += left * float(t.positive[inside]) / float(t.positive[inside] + t.negative[inside])
    return Sentence("act highest", {"k": Quantity(k, "count"), "found": Quantity(round(found), "count")})


def _by_balanced(a: Assessment) -> Verdict:
    e = a["balanced_accuracy"]
    chance = 1 / int((a.confusion.margins().actual > 0).sum())
    evidence = {"decider": "balanced_accuracy", "balanced_accuracy": e.to_dict(), "no_skill": chance} | _constant(a)[2]
    evidence |= {"accuracy": a["accuracy"].to_dict()}
    if not e.defined:
        return Verdict.undefined(e.reason, evidence)
    values = {"balanced": Quantity(e, "share"), "chance": Quantity(chance, "share")}
    how, doubt = _accuracy_said(a), worst(a.findings)
    if e.low > chance:
        answer, badge = Sentence("balanced told", values), _chance("above", "good")
        return Verdict("better", answer, _mistake(a), doubt, how, evidence, badge)
    if e.high < chance:
        answer, badge = Sentence("balanced told", values), _chance("below", "bad")
        return Verdict("worse", answer, _mistake(a, "act turn"), doubt, how, evidence, badge)
    act = _mistake(a, "act turn")
    return Verdict("cannot_tell", Sentence("balanced open", values), act, doubt, how, evidence, _chance("like", "open"))


# labels


def _by_accuracy(a: Assessment) -> Verdict:
    """Accuracy against always answering the commonest class, on the same rows.

    The constant answer is right on the rows of its class, so the question is a paired one: of the rows that only one of
    the two gets right, how many are the classifier's? Plain rows get the exact McNemar test, weighted or grouped rows
    Student's t of the difference with its one-row variance. p is two-sided.
    """
    label, share, more = _constant(a)
    accuracy, kappa = a["accuracy"], a["kappa"]
    p_value, test = paired_p(a, a.confusion.index(label))
    evidence = {"decider": "accuracy", "accuracy": accuracy.to_dict()} | more
    evidence |= {"p_value": p_value, "test": test, "share_test_p": share_p(accuracy, share)}
    values = {
        "accuracy": Quantity(accuracy, "share"),
        "rows": counted_rows(a.n),
        "rival": Quantity(label, "class"),
        "share": Quantity(share, "share"),
    }
    how = (
        Sentence("how constant", {"test": test[:1].upper() + test[1:], "p": Quantity(p_value, "p")}),
        Sentence("how chance", {"chance": Quantity(more["chance_agreement"], "share"), "kappa": kappa}),
    )
    doubt = worst(a.findings) or _no_costs(a)
    if p_value <= 1 - a.confidence and accuracy.value != share:
        better = accuracy.value > share
        badge = Badge(
            Sentence(f"badge {'better' if better else 'worse'} than constant", values), "good" if better else "bad"
        )
        act = _mistake(a) if better else Sentence("act rival", values)
        answer = Sentence("labels better" if better else "labels worse", values)
        return Verdict("better" if better else "worse", answer, act, doubt, how, evidence, badge)
    badge = Badge(Sentence("badge like constant", values), "open")
    key = "labels same" if accuracy.value <= share else "labels open"
    z = distance(a, a.confusion.index(label))
    act = _more_rows(a.n * ((normal_quantile((1 + a.confidence) / 2) / z) ** 2 - 1) if z > 0 else math.inf)
    return Verdict("cannot_tell", Sentence(key, values), act, doubt, how, evidence, badge)


def _no_costs(a: Assessment) -> Sentence | None:
    if a.costs is not None or len(a.labels) != 2 or a.positive is None:
        return None
    return Sentence("doubt costs", {"costs": '{"fp": 1, "fn": 20}', "flag": "fp=1,fn=20"})


def _mistake(a: Assessment, key: str = "act mistake") -> Sentence:
    """To use it, or not, and the commonest mistake to work on."""
    cells = a.confusion.cells
    wrong = np.flatnonzero((cells.true != cells.predicted) & (cells.value > 0))
    if not len(wrong):
        return Sentence("act faultless")
    return Sentence(key, _cell(a, wrong[int(np.argmax(cells.value[wrong]))]))


def _cell(a: Assessment, m: np.intp) -> dict[str, Any]:
    cells = a.confusion.cells
    return {
        "true": Quantity(a.labels[cells.true[m]], "class"),
        "called": Quantity(a.labels[cells.predicted[m]], "class"),
        "rows": counted_rows(float(cells.value[m])),
    }


# scores alone


def _by_area(a: Assessment) -> Verdict:
    """Does a higher score mean a likelier positive? The area under the ROC curve against one half."""
    name = "roc_auc" if a.positive is not None else "roc_auc_hand_till"
    area = a[name]
    evidence = {"decider": name, name: area.to_dict()}
    if not area.defined:
        return Verdict.undefined(area.reason, evidence)
    label = Quantity(a.pos_label, "class") if a.pos_label is not None else "likelier"
    values = {"positive": label, "area": Quantity(area, "share")}
    how, doubt = (Sentence("how area", {"area": area}),), worst(a.findings)
    if area.low > 0.5:
        answer, badge = Sentence("scores better", values), _chance("above", "good")
        return Verdict("better", answer, Sentence("act scores"), doubt, how, evidence, badge)
    if area.high < 0.5:
        answer, badge = Sentence("scores worse", values), _chance("below", "bad")
        return Verdict("worse", answer, Sentence("act turned"), doubt, how, evidence, badge)
    needed = _needed(area, 0.5, a.n)
    act = Sentence("act no rows") if needed is None else Sentence("act more rows", {"more": Quantity(needed, "about")})
    return Verdict("cannot_tell", Sentence("scores open", values), act, doubt, how, evidence, _chance("like", "open"))
