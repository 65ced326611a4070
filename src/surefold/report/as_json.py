"""Results as plain values; assessments also back: their tallies are in there, so nothing is lost."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from surefold._version import SCHEMA_VERSION, heading
from surefold.assessment import Assessment
from surefold.errors import InputError
from surefold.estimates.of_scores import ScoreEstimates
from surefold.estimates.of_table import TableEstimates
from surefold.findings import Finding
from surefold.inputs.scores import CLIP
from surefold.report.resampled_json import bootstrap_to_dict, resampled_to_dict, study_to_dict
from surefold.report.rows import per_class_names
from surefold.show.names import json_plain
from surefold.tallies.clusters import Clusters
from surefold.tallies.confusion import Confusion
from surefold.tallies.score_groups import ScoreGroups
from surefold.tallies.sparse import SparseCounts

__all__ = [
    "SCHEMA_VERSION",
    "assessment_from_dict",
    "assessment_to_dict",
    "bootstrap_to_dict",
    "resampled_to_dict",
    "study_to_dict",
    "to_json",
]

#: Distinct scores up to which the score tally is stored, so that the assessment can be asked again.
MOST_SCORES = 20_000


def assessment_to_dict(a: Assessment) -> dict[str, Any]:
    return (
        _head(a)
        | _of_labels(a)
        | {
            "findings": [finding.to_dict() for finding in a.findings],
            "tally": _tally(a),
        }
    )


def _head(a: Assessment) -> dict[str, Any]:
    return {
        **heading("assessment"),
        "n": a.n,
        "labels": list(a.labels),
        "pos_label": a.pos_label,
        "confidence": a.confidence,
        "verdict": a.verdict.to_dict(),
        "overall": {name: estimate.to_dict() for name, estimate in a.overall.items()},
    }


def _of_labels(a: Assessment) -> dict[str, Any]:
    if a.estimates is None:
        return {}
    names = per_class_names(a)
    rows = a.confusion.margins().actual
    return {
        "per_class": [
            {"label": label, "rows": float(rows[c]), "measures": {name: each[name].to_dict() for name in names}}
            for c, (label, each) in enumerate(a.per_class.items())
        ],
        "confusion": a.confusion.to_dict(),
    }


def _tally(a: Assessment) -> dict[str, Any]:
    """All that is needed to ask the assessment again."""
    tally: dict[str, Any] = {
        "positive": a.positive,
        "costs": None if a.costs is None else np.asarray(a.costs).tolist(),
        "shown": None if a.shown is None else list(a.shown),
        "random_state": a.random_state,
        "noticed": [finding.to_dict() for finding in a.noticed],
    }
    t = None if a.scores is None or a.scores.grouped else a.scores.tally
    if t is not None and t.distinct <= MOST_SCORES and np.isfinite(t.score).all():
        columns = (t.score, t.positive, t.negative, *(t.squares if t.is_weighted else ()))
        tally["scores"] = [column.tolist() for column in columns]
        tally["clip"] = t.clip
    if a.scores is not None and "scores" not in tally:
        sentence = "The scores were not stored with this assessment: too many, infinite, or in groups or columns."
        tally["noticed"].append(Finding.of("scores_not_stored", sentence).to_dict())
    if a.estimates is None:
        return tally
    tally |= {"declared": a.confusion.declared, "removed": sorted(a.estimates.removed)}
    if a.confusion.is_weighted:
        squares = a.confusion.squares.counts
        held = squares if isinstance(squares, SparseCounts) else Confusion(squares).cells
        tally["squares"] = [held.true.tolist(), held.predicted.tolist(), held.value.tolist()]
    clusters = a.estimates.clusters
    if clusters is not None:
        columns = (clusters.group, clusters.true, clusters.predicted, clusters.weight)
        tally["clusters"] = {"groups": clusters.groups, "cells": [column.tolist() for column in columns]}
    return tally


def assessment_from_dict(d: dict[str, Any]) -> Assessment:
    """The assessment that `to_dict` described."""
    if not isinstance(d, dict):
        raise InputError("bad_option", f"a {type(d).__name__} is no assessment", cure="give what to_dict returned")
    if d.get("kind") != "assessment" or d.get("schema_version") != SCHEMA_VERSION:
        found = f"kind {d.get('kind')!r}, schema_version {d.get('schema_version')!r}"
        cure = f"give what Assessment.to_dict of this version wrote (assessment, schema_version {SCHEMA_VERSION})"
        raise InputError("bad_option", f"this is not an assessment that can be read here ({found})", cure=cure)
    tally, k, labels = d["tally"], len(d["labels"]), tuple(d["labels"])
    estimates = _table_from(d, k) if "confusion" in d else None
    scores = None
    if "scores" in tally:
        score, positive, negative, *squares = (np.asarray(column, dtype=float) for column in tally["scores"])
        columns, clip = (score, positive, negative), tally.get("clip", CLIP)
        weighed = ScoreGroups(*columns, squares[0], squares[1], clip=clip) if squares else None
        groups = weighed or ScoreGroups.of_counts(*columns, clip)
        scores = ScoreEstimates(groups, None, d["confidence"], two_classes=k == 2)
    if estimates is None and scores is None:
        raise InputError("bad_option", "the scores of this assessment were too many to store", cure="assess them again")
    shown = None if tally["shown"] is None else tuple(tally["shown"])
    noticed = tuple(Finding(**finding) for finding in tally["noticed"])
    costs = None if tally["costs"] is None else np.asarray(tally["costs"])
    facts = (d["n"], tally["positive"], noticed, shown, tally["random_state"])
    return Assessment(estimates, *facts, costs=costs, scores=scores, labels=labels)


def _table_from(d: dict[str, Any], k: int) -> TableEstimates:
    table, tally = d["confusion"], d["tally"]
    counts: Any = table.get("counts")
    if counts is None:
        counts = SparseCounts.collect(k, *(list(column) for column in zip(*table["cells"], strict=True)))
    squares = None
    if "squares" in tally:
        sparse = SparseCounts.collect(k, *tally["squares"])
        squares = sparse if isinstance(counts, SparseCounts) else sparse.dense()
    confusion = Confusion(counts, d["labels"], squares=squares, declared=tally["declared"])
    clusters = None
    if "clusters" in tally:
        group, true, predicted, weight = tally["clusters"]["cells"]
        group, true, predicted = (np.asarray(x, dtype=np.intp) for x in (group, true, predicted))
        clusters = Clusters(tally["clusters"]["groups"], k, group, true, predicted, np.asarray(weight, dtype=float))
    noted = tuple(f["code"] for f in tally["noticed"] if f["code"] == "threshold_chosen_here")
    return TableEstimates(confusion, clusters, d["confidence"], frozenset(tally["removed"]), noted)


def to_json(d: dict[str, Any]) -> str:
    """Strict JSON: undefined is null with a reason beside it, never NaN; what a terminal would obey is escaped."""
    return json_plain(json.dumps(d, indent=2, allow_nan=False, ensure_ascii=False, default=_plain_number))


def _plain_number(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{type(value).__name__} is not plain")
