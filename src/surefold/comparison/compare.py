"""compare(): two or more classifiers on the same rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from surefold.comparison.multiplicity import holm
from surefold.comparison.paired_cases import mcnemar, paired_difference
from surefold.comparison.result import Comparison, Difference, status_of
from surefold.errors import InputError
from surefold.estimates.estimate import TestResult
from surefold.estimates.of_table import measure_table, positive_index
from surefold.inputs.labels import Label
from surefold.inputs.predictions import Predictions
from surefold.measures import catalogue
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies.confusion import Confusion

__all__ = ["compare"]


def compare(
    y_true: Any,
    y_preds: Any,
    *,
    measure: str = "accuracy",
    labels: Sequence[Label] | None = None,
    pos_label: Label | None = None,
    sample_weight: Any = None,
    confidence: float = 0.95,
    drop_missing: bool = False,
    strip_labels: bool = False,
    cast_labels: bool = False,
) -> Comparison:
    """Is one really better? Every pair of models, first minus second, with its interval and test.

    Accuracy is tested by McNemar's mid-p, any other measure by its paired influence difference; p is adjusted for the
    number of pairs by Holm's method.

    >>> truth = [1] * 50 + [0] * 50
    >>> a, b = [1] * 48 + [0] * 50 + [1] * 2, [1] * 30 + [0] * 70
    >>> print(compare(truth, {"a": a, "b": b}).differences[0].status)
    better
    """
    if hasattr(y_preds, "columns"):  # a data frame, one column a model
        y_preds = {str(name): y_preds[name] for name in y_preds.columns}
    if not isinstance(y_preds, Mapping):
        cure = "give {'a': labels, 'b': labels} or a data frame with one column a model"
        raise InputError("not_an_array", f"y_preds is a {type(y_preds).__name__}, without names", cure=cure)
    if len(y_preds) < 2:
        raise InputError("bad_option", f"models to compare: {len(y_preds)}", cure="give two or more: {'a': …, 'b': …}")
    chosen = catalogue[measure]
    if isinstance(chosen, ScoreMeasure):
        cure = "compare labels by a measure such as accuracy, f1 or mcc"
        raise InputError("bad_option", f"{chosen.name} is a measure of scores, and labels are compared here", cure=cure)
    if chosen.weigh is not None:
        raise InputError("bad_option", f"{chosen.name} cannot be compared", cure="pick a measure without cell weights")
    options: dict[str, Any] = {
        "drop_missing": drop_missing,
        "strip_labels": strip_labels,
        "cast_labels": cast_labels,
    }
    _same_rows(y_true, y_preds)
    union = labels if labels is not None else _shared_labels(y_true, y_preds, options)
    made = {
        name: Predictions.of(
            y_true, y_pred, labels=union, pos_label=pos_label, sample_weight=sample_weight, **options,
            names=("y_true", f"y_preds[{name!r}]", "y_score"),
        )
        for name, y_pred in y_preds.items()
    }  # fmt: skip
    if len({None if p.rows is None else p.rows.tobytes() for p in made.values()}) > 1:
        cure = "drop the rows that any model misses before comparing"
        raise InputError("missing_label", "the models miss labels in different rows", cure=cure)
    tables = {name: Confusion.of(p) for name, p in made.items()}
    first = next(iter(made.values()))
    positive = None
    if chosen.is_per_class:
        positive = first.positive
        if positive is None:
            positive = positive_index(next(iter(tables.values())), pos_label, chosen.name)
    said = None if positive is None else first.labels[positive]
    values = {name: measure_table(t, chosen.name, pos_label=said, confidence=confidence) for name, t in tables.items()}
    tests = {}
    for a, b in combinations(made, 2):
        effect, p_value = paired_difference(chosen, made[a], made[b], positive, confidence)
        name = "paired influence"
        if chosen.name in ("accuracy", "error_rate") and first.weights is None:
            right_a, right_b = (made[x].truth == made[x].predicted for x in (a, b))
            only_a, only_b = int((right_a & ~right_b).sum()), int((~right_a & right_b).sum())
            p_value, name = mcnemar(only_a, only_b).p_value, "McNemar mid-p"
        statistic = effect.value / effect.se if effect.se > 0 else 0.0
        tests[a, b] = TestResult(name, effect, statistic, p_value, ("rows are independent",))
    adjusted = holm([test.p_value for test in tests.values()]).tolist()
    differences = tuple(
        Difference(a, b, chosen.name, test, p, status_of(test, p, chosen.better == "lower", 1 - confidence))
        for ((a, b), test), p in zip(tests.items(), adjusted, strict=True)
    )
    return Comparison(chosen.name, values, differences)


def _same_rows(y_true: Any, y_preds: Mapping[str, Any]) -> None:
    """Every model must speak of the same rows; name the one that does not."""
    for name, y_pred in y_preds.items():
        if hasattr(y_true, "__len__") and hasattr(y_pred, "__len__") and len(y_pred) != len(y_true):
            problem = f"different numbers of rows: y_true has {len(y_true):,}, model {name!r} has {len(y_pred):,}"
            raise InputError("length_mismatch", problem, cure="pass the same rows of every model")


def _shared_labels(y_true: Any, y_preds: Mapping[str, Any], options: dict[str, Any]) -> tuple[Label, ...]:
    """The labels of the truth and those that some model alone predicts."""
    found: dict[Label, None] = {}
    for y_pred in y_preds.values():
        found |= dict.fromkeys(Predictions.of(y_true, y_pred, **options).labels)
    return tuple(sorted(found, key=lambda label: (isinstance(label, str), label)))
