"""Results over splits as plain values: every figure with its interval, every split with its values, every failure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from surefold._version import heading
from surefold.errors import InputError, RunError
from surefold.measures import catalogue
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.resampling.plan import Plan
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study
from surefold.show.of.splits import (
    MOST_SPLITS,
    bootstrap_estimates,
    chosen,
    estimates_of,
    fold_values_of,
    seconds_of,
    sizes_of,
)
from surefold.verdict.resampled import verdict_of_bootstrap

__all__ = ["bootstrap_to_dict", "resampled_to_dict", "study_to_dict"]


def resampled_to_dict(r: Resampled, measures: Sequence[str] | None = None) -> dict[str, Any]:
    """One model over a plan. Splits are numbered as in `values`; repeats and folds from one, as messages count."""
    return {
        **_head("resampled", r),
        "plan": _plan(r.plan),
        **_model(r),
        "verdict": r.verdict.to_dict(),
        "overall": {name: e.to_dict() for name, e in estimates_of(r, measures).items()},
        "repeats": _repeats(r),
        **_splits(r, chosen(r, measures)),
        "findings": [finding.to_dict() for finding in r.findings],
    }


def study_to_dict(s: Study, measures: Sequence[str] | None = None) -> dict[str, Any]:
    """Several models over one plan, by name; the plan stands once."""
    shared = ("surefold", "schema_version", "kind", "plan", "n", "labels", "pos_label", "confidence")
    models = {}
    for name, each in s.models.items():
        models[name] = {key: value for key, value in resampled_to_dict(each, measures).items() if key not in shared}
    first = next(iter(s.models.values()))
    head = _head("study", first) | {"complete": s.complete, "status": s.status}
    head["missing"] = [{"model": name, **each} for name, model in models.items() for each in model["missing"]]
    findings = [finding.to_dict() for finding in s.findings]
    return {**head, "plan": _plan(s.plan), "models": models, "findings": findings}


def bootstrap_to_dict(b: Bootstrapped, measures: Sequence[str] | None = None) -> dict[str, Any]:
    """One model over bootstrap samples: the five estimates, and the sampling distribution on all rows."""
    names = [catalogue[name].name for name in measures or (b.measure,)]
    r = b.resampled
    return {
        **_head("bootstrap", r),
        "plan": _plan(r.plan),
        **_model(r),
        "samples": b.samples,
        "distinct_share": b.distinct_share,
        "expected_distinct_share": b.expected_distinct_share,
        "verdict": verdict_of_bootstrap(b).to_dict(),
        "estimates": {name: {kind: e.to_dict() for kind, e in bootstrap_estimates(b, name).items()} for name in names},
        "distribution": {name: [_finite(value) for value in fold_values_of(r, name).values[:-1]] for name in names},
        **_splits(r, names),
        "findings": [finding.to_dict() for finding in b.findings],
    }


def _head(kind: str, r: Resampled) -> dict[str, Any]:
    return {
        **heading(kind),
        "complete": r.complete,
        "status": r.status,
        "missing": [_failure(r, i) for i in sorted(r.failures)],
        "n": r.plan.n,
        "labels": list(r.labels),
        "pos_label": r.pos_label,
        "confidence": r.confidence,
    }


def _failure(r: Resampled, i: int) -> dict[str, Any]:
    failure = r.failures[i]
    where = {"split": i, "repeat": int(r.plan.repeat[i]) + 1, "fold": int(r.plan.fold[i]) + 1}
    told = {"kind": failure.kind, "message": failure.message, "traceback": failure.traceback}
    return {**where, **told, "attempts": failure.attempts}


def _plan(plan: Plan) -> dict[str, Any]:
    return {
        "kind": plan.kind,
        "options": plain_values(dict(plan.options)),
        "fingerprint": plan.fingerprint,
        "random_state": plan.random_state,
        "splits": len(plan),
        "folds": plan.folds,
        "repeats": plan.repeats,
    }


def _model(r: Resampled) -> dict[str, Any]:
    return {
        "name": r.name,
        "model": plain_values(dict(r.model)),
        "size": sizes_of(r),
        "seed": r.seed,
        "seed_of_a_split": "numpy.random.SeedSequence([seed, repeat - 1, fold - 1])",
        "versions": dict(r.versions),
        "refitted": not r.shortcut,
        "seconds": seconds_of(r),
    }


def _repeats(r: Resampled) -> dict[str, Any] | None:
    if r.plan.repeats < 2 or r.plan.folds < 2:
        return None
    try:
        runs = r.runs("error_rate")
    except (InputError, RunError) as error:
        return {"measure": "error_rate", "means": None, "reason": error.problem}
    return {
        "measure": "error_rate",
        "means": [_finite(value) for value in runs.means],
        "variances": [_finite(value) for value in runs.variances],
        "mean": _finite(runs.mean),
        "mean_variance": _finite(runs.mean_variance),
    }


def _splits(r: Resampled, names: Sequence[str]) -> dict[str, Any]:
    if len(r.plan) > MOST_SPLITS:
        return {"splits": None, "splits_not_listed": len(r.plan)}
    found = {name: fold_values_of(r, name) for name in names}
    listed = []
    for i in np.flatnonzero(r.outer).tolist():
        reasons = {name: each.reasons[i] for name, each in found.items() if i in each.reasons}
        split: dict[str, Any] = {
            "split": i,
            "repeat": int(r.plan.repeat[i]) + 1,
            "fold": int(r.plan.fold[i]) + 1,
            "train_rows": int(r.plan.train_sizes[i]),
            "test_rows": int(r.plan.test_sizes[i]),
            "fit_seconds": _at(r.fit_seconds, i),
            "predict_seconds": _at(r.score_seconds, i),
            "values": {name: _finite(each.values[i]) for name, each in found.items()},
        }
        if reasons:
            split["reasons"] = reasons
        if i in r.notes:
            split["notes"] = plain_values(dict(r.notes[i]))
        listed.append(split)
    return {"splits": listed}


def _at(values: Any, i: int) -> float | None:
    return _finite(values[i]) if i < len(values) else None


def _finite(value: Any) -> float | None:
    return float(value) if math.isfinite(value) else None


def plain_values(value: Any) -> Any:
    """The value as JSON can hold it: containers walked through, numbers finite, anything else as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {str(name): plain_values(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(each) for each in value]
    if isinstance(value, float):
        return _finite(value)
    return value if value is None or isinstance(value, bool | int | str) else str(value)
