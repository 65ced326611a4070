"""The card of a chosen model: everything needed to know what it is, how it was chosen, and to fit it again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from surefold._version import __version__
from surefold.curves.thresholds import Choice, best_threshold, cross_fitted
from surefold.errors import InputError
from surefold.resampling.models import describe, fresh
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.selection.candidates import Candidate, families_of
from surefold.selection.score import Score
from surefold.tallies.score_groups import ScoreGroups

__all__ = ["CARD_FORMAT", "chosen_model", "described_candidate", "described_plan", "plain_value", "threshold_of"]

CARD_FORMAT = 1


def plain_value(value: object) -> Any:
    """The value as JSON holds it; what it cannot hold as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(key): plain_value(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain_value(each) for each in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else repr(value)


def _is_plain(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (bool, int, str)) or (isinstance(value, float) and math.isfinite(value))


def described_candidate(candidate: Candidate) -> dict[str, Any]:
    """Name, class, the parameters that were searched, and all others as text."""
    described = describe(candidate.model)
    return {
        "name": candidate.name,
        "model": candidate.family,
        "class": described.pop("class"),
        "params": plain_value(dict(candidate.params)),
        "params_are_plain": all(map(_is_plain, candidate.params.values())),
        "all_params": described,
    }


def described_plan(plan: Plan | None) -> dict[str, Any] | None:
    """A plan as plain values; None where there is none."""
    if plan is None:
        return None
    return {
        "kind": plan.kind,
        "options": plain_value(dict(plan.options)),
        "fingerprint": plan.fingerprint,
        "random_state": plan.random_state,
        "splits": len(plan),
        "train_rows": int(plan.train_sizes.max()),
        "test_rows": int(plan.test_sizes.max()),
    }


def threshold_of(winner: Resampled, score: Score) -> dict[str, Any]:
    """The threshold the model decides by: its own, unless errors have prices and it gives probabilities of two classes.

    Then the cheapest on its held-out rows stands beside it, with what it costs when chosen without the rows it judges.
    """
    two = len(winner.labels) == 2
    own: dict[str, Any] = {
        "value": 0.5 if two and winner.held.score_kind == "probability" else None,
        "rule": "the model's own answer",
    }
    costs, positive = score.options.get("costs"), winner.positive
    if costs is None or not two or positive is None or winner.held.score_kind != "probability":
        return own
    negative = 1 - positive
    prices = {
        "tp": costs[positive, positive],
        "fn": costs[positive, negative],
        "fp": costs[negative, positive],
        "tn": costs[negative, negative],
    }
    held = winner.held
    scores = held.scores_for(positive)
    if scores is None:
        return own
    tally = ScoreGroups.of(scores, held.truth == positive, held.weights)
    choice = Choice("cost", costs=prices)
    try:
        found = best_threshold(tally, choice)
        judged = None if tally.is_weighted else cross_fitted(tally, choice).point
    except InputError:
        return own
    least: dict[str, Any] = {
        "value": plain_value(found.threshold),
        "cost_a_row_on_the_rows_that_chose_it": _cost(found.counts, prices),
        "cost_a_row_on_others": None if judged is None else _cost(judged.counts, prices),
    }
    return {**own, "least_cost": least}


def _cost(counts: Any, prices: Mapping[str, float]) -> float:
    matrix = np.array([[prices["tp"], prices["fn"]], [prices["fp"], prices["tn"]]])
    return float((counts * matrix).sum() / counts.sum())


def chosen_model(card: Mapping[str, Any], models: Any) -> Any:
    """The unfitted model that a card describes, from the models that were searched; `fit` it on the rows of the card.

    A card holds no code, so the models have to be brought along; that they are the same class is checked.
    """
    chosen = card.get("chosen")
    if not isinstance(chosen, Mapping) or card.get("card_format") != CARD_FORMAT:
        problem = "this is no card of a chosen model that this version reads"
        cure = f"pass Selection.card, or what `surefold select --save` wrote (surefold {__version__})"
        raise InputError("bad_option", problem, cure=cure)
    families = families_of(models)
    name = str(chosen.get("model"))
    if name not in families:
        problem = f"the card is of model {name!r}, and there are {', '.join(families)}"
        raise InputError("bad_model", problem, cure="pass the models that were searched, under the same names")
    if not chosen.get("params_are_plain"):
        problem = f"parameters of {name} were objects, which a card holds as text only"
        raise InputError("bad_model", problem, cure="set them by hand: the card says what they were")
    model = fresh(families[name].model)
    params = dict(chosen["params"])
    model = model.set_params(**params) if params else model
    found = describe(model)["class"]
    if found != chosen.get("class"):
        problem = f"the card is of a {chosen.get('class')}, and {name} is a {found}"
        raise InputError("bad_model", problem, cure="pass the models that were searched")
    return model
