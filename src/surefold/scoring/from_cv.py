"""What scikit-learn's `cross_validate` kept, as a `Resampled` that can be asked for anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from surefold.errors import InputError
from surefold.estimates.quantiles import checked_confidence
from surefold.resampling.answers import BadAnswerError
from surefold.resampling.dataset import Dataset
from surefold.resampling.evaluate import resampled
from surefold.resampling.fold import Failure, Held, asked_of
from surefold.resampling.models import describe, versions
from surefold.resampling.resampled import Resampled
from surefold.resampling.splitter import plan_from_splitter

__all__ = ["resampled_of"]

_CURE = "cross_validate(..., return_estimator=True, return_indices=True)"


def resampled_of(results: Mapping[str, Any], data: Dataset, *, name: str | None, confidence: float) -> Resampled:
    """The held-out answers of the fitted models that `cross_validate` gave back, each asked about its own test rows."""
    missing = [key for key in ("estimator", "indices") if key not in results]
    if missing:
        raise InputError("bad_option", f"the results have no {' and no '.join(map(repr, missing))}", cure=_CURE)
    models, indices = list(results["estimator"]), results["indices"]
    pairs = list(zip(indices["train"], indices["test"], strict=True))
    if max(int(np.max(rows)) for pair in pairs for rows in pair) >= data.n:
        problem = f"the splits name rows beyond the {data.n:,} of X and y"
        raise InputError("bad_plan", problem, cure="give the X and y that were cross-validated")
    plan = plan_from_splitter(pairs, data.X, data.codes, data.y, data.groups, labels=data.labels)
    fits = np.asarray(results.get("fit_time", np.full(len(models), np.nan)), dtype=np.float64)
    outcomes: dict[int, Held | Failure] = {}
    for i, model in enumerate(models):
        try:
            outcomes[i] = asked_of(model, data, plan.test(i), float(fits[i]))
        except BadAnswerError as error:
            outcomes[i] = Failure("bad_answer", str(error))
        except Exception as error:  # a model whose fit failed is given back unfitted
            outcomes[i] = Failure("raised", f"{type(error).__name__}: {str(error).splitlines()[0]}")
    if all(isinstance(outcome, Failure) for outcome in outcomes.values()):
        raise InputError(
            "fit_failed", f"no model could be asked: {outcomes[0]}", cure="mend the model and fit it again"
        )
    called = type(models[0]).__name__ if name is None else name
    facts = (0, checked_confidence(confidence), (), describe(models[0]), versions({called: models[0]}))
    return resampled(called, outcomes, plan, data, *facts)
