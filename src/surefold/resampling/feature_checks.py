"""Is there anything about the data that these models or this plan cannot take, or that flatters them?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from surefold.errors import InputError, RunError
from surefold.findings import Finding
from surefold.resampling.classifier import Classifier
from surefold.resampling.dataset import Dataset
from surefold.resampling.fold import Failure, Held
from surefold.resampling.models import trusted_tags, weight_argument
from surefold.resampling.plan import Plan
from surefold.resampling.row_names import row_names_finding
from surefold.resampling.run import Outcomes

__all__ = ["check_features", "data_findings", "refuse_all_failed"]

#: Copies are looked for in at most so many rows, and told from this share of them on.
MOST_COMPARED, MANY_COPIES = 200_000, 0.05


def check_features(models: Mapping[str, Any], data: Dataset) -> None:
    """Refuse, before any fit, what a model is known not to take."""
    for name, model in models.items():
        if data.weights is not None and weight_argument(model) is None:
            problem = f"sample_weight was given, and {name}'s fit does not take it"
            cure = f"use a model that does{_or_asks(model)}, or leave the weights out"
            raise InputError("bad_model", problem, cure=cure)
        tags = trusted_tags(model)
        if tags is not None and not tags.input_tags.allow_nan:
            columns, count, rows = data.missing()
            if count:
                listed = ", ".join(columns[:5]) + ("…" if len(columns) > 5 else "")
                problem = f"X has {count:,} missing or infinite values in {listed}, and {name} does not take them"
                cure = "put an imputer before it in a Pipeline, so that it learns in the training part"
                raise InputError("bad_features", problem, rows=rows, count=count, cure=cure)


def _or_asks(model: Classifier) -> str:
    """What makes a model of models take them, where scikit-learn routes metadata."""
    from sklearn import get_config

    routed = get_config()["enable_metadata_routing"] and hasattr(model, "get_metadata_routing")
    return ", or whose steps ask for them by set_fit_request(sample_weight=True)" if routed else ""


def data_findings(data: Dataset, plan: Plan) -> tuple[Finding, ...]:
    """What about the rows makes this plan flatter a model."""
    found = []
    times = data.time_columns()
    if times and plan.kind != "time_order":
        some = ", ".join(times[:3])
        text = f"X holds times ({some}) and the plan does not go by them; times= (--time) puts the past first."
        found.append(Finding.of("time_shuffled", text))
    names = data.row_names()
    if names:
        found.append(row_names_finding(names))
    copies = data.copies() if data.n <= MOST_COMPARED and not plan.overlaps and data.groups is None else 0
    if copies >= MANY_COPIES * data.n:
        text = f"{copies:,} of {data.n:,} rows have an exact copy, which may be trained on while it is tested; "
        text += "groups= (--groups) keeps copies together."
        found.append(Finding.of("copies_across_folds", text, rows=copies))
    return tuple(found)


def refuse_all_failed(outcomes: Mapping[str, Outcomes], data: Dataset) -> None:
    """`InputError` where no fit came off: what the first one said, and what is likely to cure it."""
    if any(isinstance(outcome, Held) for each in outcomes.values() for outcome in each.values()):
        return  # what failed is told as missing, and the rest is kept
    for name, each in outcomes.items():
        failed = [outcome for outcome in each.values() if isinstance(outcome, Failure)]
        first = failed[0]
        hints = []
        columns, count, _ = data.missing()
        if count:
            hints.append(f"X has {count:,} missing or infinite values in {', '.join(columns[:5])}")
        text = data.text_columns()
        if text:
            hints.append(f"X holds text in {', '.join(text[:5])}: encode it, in a Pipeline")
        problem = f"every fit of {name} failed; the first {first}" + (f" ({'; '.join(hints)})" if hints else "")
        error = RunError("fit_failed", problem, cure="mend the model or the data, and run it again")
        if first.traceback:
            error.add_note(first.traceback)
        raise error
