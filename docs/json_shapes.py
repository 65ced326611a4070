"""What the JSON of every result holds: the schema, and the page that shows it.

A shape lists its keys. `"value": "number? the value"` is a key, its type, and what it means. Types are `text`, `int`,
`number`, `bool`, `label` (text, number or bool), `any`, the name of another shape, `[type]` for a list and `{type}` for
an object whose names are those of models, measures or classes; `?` after a type says that it may be null, and `?` after
a key that it may be missing. Tests hold what the library writes against the schema made from this, so that neither a
new key nor a lost one goes unnoticed.
"""

from __future__ import annotations

import json
from typing import Any

__all__ = ["KINDS", "SHAPES", "json_page", "json_schema", "schema_text"]

Keys = dict[str, str]

PLAIN = {
    "text": ["string"],
    "int": ["integer"],
    "number": ["number"],
    "bool": ["boolean"],
    "label": ["string", "number", "boolean"],
}

#: Parts that several kinds share.
SHAPES: dict[str, tuple[str, Keys]] = {
    "Estimate": (
        "A value with its uncertainty.",
        {
            "value": "number? the value; null where it is undefined or infinite",
            "low": "number? lower end of the interval",
            "high": "number? upper end of the interval",
            "se": "number? standard error, by the delta method",
            "confidence": "number of the interval",
            "method": "text how the interval was made",
            "n": "number? rows, or what stands for them, behind the value",
            "flags": "[text] what is known to be weak about it",
            "pessimistic": "number? the one-sided bound that pessimistic pruning judges by",
            "reason?": "text why the value is undefined",
            "infinite?": "[text] which of value, low and high are infinite, and therefore null",
            "statistic?": "number? of the test inside the measure",
            "p_value?": "number? of that test",
            "df?": "number? degrees of freedom",
        },
    ),
    "Finding": (
        "One thing worth knowing.",
        {
            "code": "text stable: see [the codes](../codes.md)",
            "severity": "text `note`, `warning` or `serious`",
            "sentence": "text for people; may change",
            "evidence": "{any} the figures it rests on",
        },
    ),
    "Verdict": (
        "What follows, in three lines.",
        {
            "status": "text such as `better`, `worse`, `differ` or `cannot_tell`",
            "sentence": "text for people; may change: the answer",
            "answer": "text for people; may change",
            "act": "text? for people; what to do, or what would tell",
            "doubt": "text? for people; what speaks most against it, with its cure",
            "badge": "{text} `words` for people, and `tone`: `good`, `bad` or `open`",
            "how": "[text] for people: tests and methods behind it",
            "evidence": "{any} the figures it rests on; `decider` is the measure that decides",
        },
    ),
    "Table": (
        "A table of counts.",
        {
            "labels": "[label] in the order of the table",
            "rows": "text what its rows are, `true`",
            "columns": "text what its columns are, `predicted`",
            "counts?": "[[number]] counts, or weights",
            "cells?": "[[number]] of very many classes, instead: true, predicted and count of each cell in use",
        },
    ),
    "Slice": (
        "The rows of one level of a column, or of one of each of two, against all others.",
        {
            "name": "text its columns and levels",
            "columns": "[text] that it is sliced by",
            "levels": "[text] one of each column",
            "rows": "int in the slice",
            "status": "text `below`, `above`, `alike`, `cannot_tell`, `too_few`, `undefined` or `no_rest`",
            "estimate": "Estimate with the interval for it alone",
            "simultaneous": "Estimate? with the interval that holds for all slices at once",
            "difference": "Estimate? the slice less the rest",
            "p_value": "number? of being like the rest",
            "adjusted_p": "number? the same, adjusted for the number of slices",
            "equal_p": "number? the adjusted p of differing by the margin or more",
            "rows_needed": "number? about how many rows in all would tell",
            "reason": "text why it is undefined, or not tested",
        },
    ),
    "SliceBound": (
        "One slice of a gate.",
        {
            "name": "text its columns and levels",
            "rows": "int in the slice",
            "status": "text `passed`, `failed` or `cannot_tell`",
            "estimate": "Estimate of the slice",
            "bounds": "[any] one-sided, from below and from above; the one that fails it shares the error",
            "rows_needed": "number? about how many rows of the slice would tell",
        },
    ),
    "Test": (
        "What a test found. Some tests add figures of their own.",
        {
            "name": "text of the test",
            "effect": "Estimate first minus second",
            "statistic": "number? of the test",
            "p_value": "number? two-sided unless the name says otherwise",
            "df": "any degrees of freedom: a number, a pair of an F, or null",
            "assumptions": "[text] what it rests on",
            "flags": "[text] what is known to be weak about it",
            "*": "any what one kind of test adds",
        },
    ),
    "Difference": (
        "Two models on one measure.",
        {
            "first": "text name of a model",
            "second": "text name of the other",
            "measure": "text name of the measure",
            "effect": "Estimate first minus second; its interval goes with the status, and holds for all pairs at once",
            "test": "Test of this pair alone, with the interval that it would have by itself",
            "adjusted_p": "number? p, allowing for the other pairs",
            "status": "text `better`, `worse`, `practically_equal` or `cannot_tell`",
            "margin": "number? the largest difference that does not matter, where one was said",
            "equal_p": "number? of the two one-sided tests against the margin",
            "smallest": "number? the smallest difference that these rows would find, 80 times in 100",
            "rows_needed": "number? rows that would tell, where these do not; null also where none would",
            "findings": "[Finding] that few rows decide, or would cost the margin",
            "sentence": "text for people; may change",
        },
    ),
    "Winner": (
        "The best of several, chosen on these rows.",
        {
            "name": "text of the model",
            "models": "int how many it was chosen from",
            "estimate": "Estimate its own figure, flattering",
            "corrected": "Estimate with an interval that allows for the choice",
        },
    ),
    "Rank": (
        "The places that a model may have among several.",
        {
            "value": "number? its value, or its average rank",
            "rank": "number its place, 1 the best; equal values share the mean of theirs",
            "low": "int the best place it may have",
            "high": "int the worst place it may have",
        },
    ),
    "BestSet": (
        "The models of which one may be the best.",
        {
            "models": "[text] best value first",
            "confidence": "number with which a best model is among them",
            "method": "text `max_t` or `bonferroni`",
            "alone": "bool whether one is left",
            "behind": "{number?} by how much each model is behind the best at most",
        },
    ),
    "Plan": (
        "The splits that were made.",
        {
            "kind": "text such as `k_fold` or `bootstrap`",
            "options?": "{any} what it was made from",
            "fingerprint": "text the same for the same splits",
            "random_state": "int? the seed",
            "splits?": "int how many",
            "folds?": "int a repeat",
            "repeats?": "int whole rounds",
            "*": "any other options, where a study lists them here",
        },
    ),
    "Missing": (
        "A split that has no result.",
        {
            "model?": "text name of the model, in a study",
            "split": "int its number, from 0",
            "repeat": "int from 1",
            "fold": "int from 1",
            "kind": "text of the failure",
            "message": "text of the error",
            "traceback": "text? of the error",
            "attempts": "int how often it was tried",
        },
    ),
    "Split": (
        "One split of a run.",
        {
            "split": "int its number, from 0",
            "repeat": "int from 1",
            "fold": "int from 1",
            "train_rows": "int trained on",
            "test_rows": "int held out",
            "fit_seconds": "number? null where nothing was refitted",
            "predict_seconds": "number? null where nothing was refitted",
            "values": "{number?} each measure on the held-out rows",
            "reasons?": "{text} why a value is null",
            "notes?": "{any} what the model told: leaves, depth, warnings",
        },
    ),
}

RUN_HEAD: Keys = {
    "surefold": "text version that wrote it",
    "schema_version": "int 1",
    "kind": "text ",
    "complete": "bool whether every split has a result",
    "status": "text the same in words",
    "missing": "[Missing] splits without a result",
    "n": "int rows",
    "labels": "[label] classes",
    "pos_label": "label? the positive class",
    "confidence": "number of the intervals",
    "plan": "Plan the splits",
}
MODEL: Keys = {
    "name": "text of the model",
    "model": "{any} its class and parameters",
    "size": "{any} leaves, depth, coefficients and the like, where fitted models tell",
    "seed": "int? of the model",
    "seed_of_a_split": "text how the seed of one split follows from it",
    "versions": "{text} of Python and the libraries",
    "refitted": "bool false where held-out answers were made without refits",
    "seconds": "{any}? of fitting and predicting, median and total",
}
SPLITS: Keys = {
    "splits": "[Split]? one by one; null where there are too many",
    "splits_not_listed?": "int how many, where they are not listed",
    "findings": "[Finding] what to know about it",
}
REPEATS: Keys = {"repeats": "{any}? mean and variance of the error rate of each repeat, with two repeats or more"}
OUTCOME: Keys = {
    "verdict": "Verdict against always giving the commonest answer",
    "overall": "{Estimate} each measure",
}
VALUES: Keys = {
    "measure": "text name of the measure",
    "better": "text `higher` or `lower`",
    "datasets": "[text] names",
    "models": "[text] names",
    "values": "[[number?]] one row a data set, one column a model",
    "missing": "[any] data sets and models without a value, with the reason",
}
VERSION: Keys = {"surefold": "text version that wrote it", "schema_version": "int 1"}
PLANNED: Keys = {
    **VERSION,
    "kind": "text ",
    "design": "text what is planned, such as `mcnemar`",
    "n": "int rows",
    "parts": "{int} rows of each set or class, where they differ",
}
PLANNED_REST: Keys = {
    "confidence": "number of the test or interval",
    "method": "text of the test or interval",
    "facts": "{any} what was assumed",
    "flags": "[text] what the later result would carry",
    "sentence": "text for people; may change",
}
CARD: Keys = {
    "surefold": "text version that wrote it",
    "card_format": "int 1",
    "chosen": "{any} name, class and parameters of the chosen model",
    "fitted_on": "text? which rows the model to ship was fitted on",
    "data": "{any} rows, columns, classes and the fingerprint of the data",
    "strategy": "text the level of selection",
    "measure": "text chosen by",
    "costs": "any prices of errors, or null",
    "rule": "text `best`, `one_se` or `simplest`",
    "seed": "int? of splits and models",
    "plans": "{any} splits of the search and of the test",
    "selected_from": "int candidates",
    "estimate": "Estimate the figure to quote",
    "claimed": "Estimate what the search says of its winner",
    "bias_corrected": "Estimate? the claim, allowing for the choice",
    "optimism": "Estimate claimed less found",
    "threshold": "{any} what the model decides by",
    "fits": "int made",
    "words": "[text] what rows were used for what; may change",
    "versions": "{text} of Python and the libraries",
}
STUDY_TAIL: Keys = {"plan": "{any} the splits", "findings": "[Finding] what to know about it"}

SHAPES["ModelRun"] = (
    "One model of a study: as a `resampled`, less what all models share.",
    {
        "complete": "bool whether every split has a result",
        "status": "text the same in words",
        "missing": "[Missing] splits without a result",
        **MODEL,
        **OUTCOME,
        **REPEATS,
        **SPLITS,
    },
)

#: Every `kind`: what makes it, and its keys.
KINDS: dict[str, tuple[str, Keys]] = {
    "assessment": (
        "`assess(...).to_dict()`; `surefold assess --format json`; `Assessment.from_dict` reads it back",
        {
            "surefold": "text version that wrote it",
            "schema_version": "int 1",
            "kind": "text ",
            "n": "int rows",
            "labels": "[label] classes, in the order of the table",
            "pos_label": "label? the positive class",
            "confidence": "number of the intervals",
            "verdict": "Verdict against always giving the commonest answer",
            "overall": "{Estimate} each measure",
            "per_class?": "[any] of each class: `label`, `rows`, and `measures`, an estimate each",
            "confusion?": "Table the counts",
            "findings": "[Finding] what to know about it",
            "tally": "{any} what it takes to ask it again; for surefold, and may change",
        },
    ),
    "comparison": (
        "`compare(...)` and `study.compare(...)`; `surefold compare --format json`",
        {
            **VERSION,
            "kind": "text ",
            "measure": "text name of the measure",
            "better": "text `higher` or `lower`",
            "control": "text? the model that all others are compared with",
            "margin": "number? the largest difference that does not matter",
            "confidence": "number of the intervals",
            "adjust": "text how p was adjusted for several pairs",
            "values": "{Estimate} each model",
            "differences": "[Difference] each pair",
            "order": "[text] the models, best first",
            "ranks": "{Rank}? the places each model may have; null with a control or two models",
            "best_set": "BestSet? the models of which one may be the best; null alike",
            "winner": "Winner? the best of them",
            "findings": "[Finding] what to know about it",
            "verdict": "Verdict of all pairs",
        },
    ),
    "comparisons": (
        "`compare(...)` by several measures",
        {**VERSION, "kind": "text ", "measures": "{comparison} one a measure"},
    ),
    "slices": (
        "`slices(...)`, `assess(...).by(...)`; `surefold assess --by --format json`",
        {
            **VERSION,
            "kind": "text ",
            "measure": "text by its name",
            "better": "text `higher`, `lower` or `neither`",
            "confidence": "number of the interval of each slice for it alone, and of all at once together",
            "level": "number of each of the intervals that hold for all slices at once",
            "adjust": "text how p is adjusted for the number of slices",
            "margin": "number? a difference that does not matter",
            "min_rows": "int slices with fewer rows are not tested",
            "rows": "int of all slices and none",
            "whole": "Estimate of all rows",
            "slices": "[Slice] in the order of the columns and their levels",
            "below": "[text] names of the slices surely below the rest, the lowest first",
            "above": "[text] names of those surely above it, the highest first",
            "worst": "any the worst slice: its name, and a value whose interval allows for the choice",
            "findings": "[Finding] what was noticed",
            "verdict": "Verdict what follows",
        },
    ),
    "slices_of_measures": (
        "`slices(..., measure=[...])`; `surefold assess --by` with several `-m`",
        {**VERSION, "kind": "text ", "measures": "{slices} the slices of each measure"},
    ),
    "compared_slices": (
        "`compare(...).by(...)`",
        {
            **VERSION,
            "kind": "text ",
            "measure": "text by its name",
            "confidence": "number of the intervals",
            "adjust": "text how p is adjusted for the number of slices and pairs",
            "min_rows": "int slices with fewer rows are not compared",
            "slices": "[any] of each slice and pair: `name`, `columns`, `levels`, `rows` and `difference`",
            "findings": "[Finding] what was noticed",
            "verdict": "Verdict what follows",
        },
    ),
    "slice_gate": (
        "`gate(..., by=, min_slice=)`, `slices(...).gate(...)`; `surefold gate --by --min-slice --format json`",
        {
            **VERSION,
            "kind": "text ",
            "status": "text `passed`, `failed` or `cannot_tell`",
            "passed": "bool whether every slice is surely good enough",
            "exit_code": "int 0, 1 or 3",
            "question": "text `at_least` or `at_most`",
            "measure": "text by its name",
            "better": "text `higher` or `lower`",
            "limit": "number what every slice has to reach",
            "confidence": "number of each one-sided bound",
            "slices": "[SliceBound] every slice that counts",
            "left_out": "[text] names of slices without a value, or with too few rows",
            "overall": "any the gate of all rows, where one was asked for too",
            "findings": "[Finding] what was noticed",
            "verdict": "Verdict what follows",
            "sentence": "text for people; may change",
        },
    ),
    "gate": (
        "`gate(...)`; `surefold gate --format json`",
        {
            **VERSION,
            "kind": "text ",
            "status": "text `passed`, `failed` or `cannot_tell`",
            "passed": "bool whether to ship",
            "exit_code": "int of the command: 0, 1 or 3",
            "question": "text `noninferiority`, `superiority`, `at_least` or `at_most`",
            "measure": "text name of the measure",
            "better": "text `higher` or `lower`",
            "candidate": "text name",
            "baseline": "text? name",
            "values": "{Estimate} each model",
            "difference": "Difference? candidate minus baseline",
            "bound": "number? the one-sided bound that decides",
            "bounds": "[number?] both one-sided bounds",
            "limit": "number what the bound is held against",
            "margin": "number? that was asked",
            "confidence": "number one-sided",
            "rows": "int rows",
            "rows_needed": "number? that would tell",
            "findings": "[Finding] what to know about it",
            "warnings": "[Finding] that few rows decide, or would cost the margin",
            "withheld": "text? what a strict gate would have said but for a warning",
            "verdict": "Verdict what was asked, and what was found",
            "sentence": "text for people; may change",
        },
    ),
    "difference_curve": (
        "`roc_difference(...)` and the like in `surefold.comparison`",
        {
            **VERSION,
            "kind": "text ",
            "curve": "text `roc`, `gains` or another",
            "first": "text name",
            "second": "text name",
            "x": "[number] where",
            "difference": "[number?] first minus second there",
            "low": "[number?] interval at each place by itself",
            "high": "[number?] the same, upper end",
            "band_low": "[number?] band that holds everywhere at once",
            "band_high": "[number?] the same, upper end",
            "area": "Estimate difference of the areas",
            "crosses": "{any} whether and where the curves surely cross",
            "confidence": "number of intervals and band",
            "method": "text of the band",
            "draws": "int of the bootstrap",
            "random_state": "int? the seed",
            "n": "number rows",
            "flags": "[text] what is known to be weak about it",
            "verdict": "text for people; may change",
        },
    ),
    "resampled": (
        "`cross_validate`, `holdout` and `leave_one_out` of one model; `surefold evaluate --format json`",
        {**RUN_HEAD, **MODEL, **OUTCOME, **REPEATS, **SPLITS},
    ),
    "study": (
        "the same of several models",
        {**RUN_HEAD, "models": "{ModelRun} each model", "findings": "[Finding] what to know about it"},
    ),
    "bootstrap": (
        "`bootstrap(...)`; `surefold evaluate --bootstrap`",
        {
            **RUN_HEAD,
            **MODEL,
            "samples": "int drawn",
            "distinct_share": "number of the rows that a sample holds, on average",
            "expected_distinct_share": "number the same by theory",
            "verdict": "Verdict against always giving the commonest answer",
            "estimates": "{{Estimate}} by measure: apparent, on all rows, out of bag, .632, .632+",
            "distribution": "{[number?]} by measure: the value of each sample on all rows",
            **SPLITS,
        },
    ),
    "selection": (
        "`select(...)`; `surefold select --format json`",
        {
            **VERSION,
            "kind": "text ",
            **CARD,
            "confidence": "number of the intervals",
            "best": "text the chosen candidate",
            "top": "text the one with the best mean",
            "one_se": "text the simplest within one standard error of it",
            "simplest": "text? the simplest that no test finds worse",
            "simple_by": "text what simple goes by",
            "bonferroni": "Estimate the claim with an interval for all candidates at once",
            "fits_saved": "int by racing",
            "stability": "{int} how often each candidate was chosen",
            "outer_folds": "[any] of a nested search: what was chosen, claimed and found",
            "table": "[any] one candidate each",
            "verdict": "Verdict against always giving the commonest answer",
            "findings": "[Finding] what to know about it",
        },
    ),
    "model_card": (
        "`select(...).card`: the chosen model, to be made again by `chosen_model`",
        {**VERSION, "kind": "text ", **CARD},
    ),
    "benchmark": (
        "`benchmark(...)`",
        {
            "surefold": "text version that wrote it",
            "schema_version": "int 1",
            "kind": "text ",
            "complete": "bool whether every cell has a value",
            "status": "text the same in words",
            "confidence": "number of the intervals",
            **VALUES,
            "cells": "[any] `dataset`, `model`, and the keys of an estimate",
            "plans": "{any} the splits of each data set",
            "findings": "[Finding] what to know about it",
        },
    ),
    "many_comparison": (
        "`benchmark(...).compare()`",
        {
            **VERSION,
            "kind": "text ",
            **VALUES,
            "confidence": "number of the tests",
            "control": "text? the model that all others are compared with",
            "post_hoc": "text how pairs were compared",
            "rope": "number the largest difference that does not matter, of the Bayesian test",
            "average_ranks": "{number} each model; 1 is best",
            "friedman": "Test? with three models or more",
            "wilcoxon": "Test? with two models",
            "sign_test": "Test? with two models",
            "differs": "bool whether the models surely differ",
            "critical_difference": "number? of average ranks",
            "pairs": "[any] ranks, p and Bayesian probabilities of each pair",
            "cliques": "[[text]] models that cannot be told apart",
            "ranks": "{Rank}? the places each model may have; null with a control or two models",
            "best_set": "BestSet? the models of which one may be the best; null alike",
            "win_tie_loss": "{any} counts over data sets",
            "winner": "{any} the best average rank, and what cannot be told from it",
            "dropped": "{text} data sets left out, and why",
            "verdict": "text for people; may change",
            "flags": "[text] what is known to be weak about it",
        },
    ),
    "bias_variance": (
        "`bias_variance(...)`",
        {
            **VERSION,
            "kind": "text ",
            "model": "text its class",
            "loss_kind": "text which decomposition",
            "param": "text? the parameter that was varied",
            "confidence": "number of the intervals",
            "points": "[any] of each value of the parameter: loss, noise, bias, variance",
            "verdict": "Verdict which part is the larger",
            **STUDY_TAIL,
        },
    ),
    "learning_curve": (
        "`learning_curve(...)`",
        {
            **VERSION,
            "kind": "text ",
            "measure": "text name of the measure",
            "confidence": "number of the intervals",
            "models": "{[any]} of each model, a point a size: the measure, seconds, sizes of models",
            "verdict": "Verdict whether more rows still pay",
            **STUDY_TAIL,
        },
    ),
    "noise_curve": (
        "`noise_curve(...)`",
        {
            **VERSION,
            "kind": "text ",
            "measure": "text name of the measure",
            "confidence": "number of the intervals",
            "models": "{[any]} of each model, a point a share of wrong labels",
            "verdict": "Verdict what wrong labels cost",
            **STUDY_TAIL,
        },
    ),
    "cost_study": (
        "`cost_sensitive(...)`; `surefold demo --costs --format json`",
        {
            **VERSION,
            "kind": "text ",
            "costs": "[[number]] true by predicted",
            "labels": "[label] in that order",
            "costly_class": "label? the one whose recall is shown",
            "always_answering": "{any} the cheapest constant answer and what it costs",
            "confidence": "number of the intervals",
            "table": "[any] a model and way each: cost, accuracy, recall, threshold, difference to plain; or why not",
            "best": "{any}? the cheapest",
            "verdict": "text for people; may change",
            **STUDY_TAIL,
        },
    ),
    "pruning_curves": (
        "`pruning_curves(...)`",
        {
            **VERSION,
            "kind": "text ",
            "model": "text its class",
            "confidence": "number of the intervals",
            "curves": "{[any]} of each parameter, a point a value: error held out and in training, size",
            "ways": "{any} the same of each way of pruning",
            "differences": "[Difference] between these ways",
            "best": "{any} the best point",
            "verdict": "Verdict the best point, and the smallest tree like it",
            **STUDY_TAIL,
        },
    ),
    "sample_size": (
        "`sample_size(...)`",
        {
            **PLANNED,
            "width?": "number of the interval that was asked",
            "power?": "number that was asked",
            "reached": "number what these rows give",
            **PLANNED_REST,
        },
    ),
    "power": ("`power(...)`", {**PLANNED, "power": "number chance to find it", **PLANNED_REST}),
    "smallest_difference": (
        "`smallest_difference(...)`",
        {**PLANNED, "difference": "number that can be shown", "power": "number chance to show it", **PLANNED_REST},
    ),
    "expected_width": (
        "`expected_width(...)`",
        {**PLANNED, "width": "number of the interval, on average", **PLANNED_REST},
    ),
    "plan": (
        "`surefold plan --format json`",
        {
            **VERSION,
            "kind": "text ",
            "answers": "[any] a `sample_size`, or a `power` and a `smallest_difference`, or an `expected_width`",
            "table": "[any] rows by power or width",
        },
    ),
    "demo": (
        "`surefold demo --format json`",
        {
            **VERSION,
            "kind": "text ",
            "assessments": "{assessment} each of the two models",
            "comparison": "comparison between them",
        },
    ),
    "runs": (
        "`surefold resume STORE --format json` where the store holds several runs and none was named",
        {**VERSION, "kind": "text ", "runs": "[any] the `name` and `status` of each"},
    ),
    "report": (
        "the button of [the report](../report.md) that saves its data",
        {
            "surefold": "text version that wrote it",
            "kind": "text ",
            "schema_version": "int 1",
            "title": "text of the page",
            "source": "{text} file, its SHA-256, and the command",
            "made_with": "{text} versions of Python and the libraries",
            "confidence": "number of the intervals",
            "result?": "any the comparison, run or study that the page is about",
            "sections?": "{any} its tables",
            "models": "[any] of each model: classes, curves, measures, thresholds",
        },
    ),
}


def json_schema() -> dict[str, Any]:
    """The schema of everything: JSON Schema, draft 2020-12."""
    definitions = {name: _object(keys, words) for name, (words, keys) in SHAPES.items()}
    for kind, (words, keys) in KINDS.items():
        definitions[kind] = _object(keys, f"Made by {words}.")
        definitions[kind]["properties"]["kind"] = {"const": kind}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Results of surefold",
        "description": "Undefined is null with a reason beside it; there is no NaN and no infinity.",
        "oneOf": [{"$ref": f"#/$defs/{kind}"} for kind in KINDS],
        "$defs": definitions,
    }


def _object(keys: Keys, words: str) -> dict[str, Any]:
    named = {key: told for key, told in keys.items() if key != "*"}
    properties = {}
    for key, told in named.items():
        kind, _, meaning = told.partition(" ")
        properties[key.rstrip("?")] = _type(kind) | ({"description": meaning} if meaning else {})
    return {
        "description": words,
        "type": "object",
        "properties": properties,
        "required": [key for key in named if not key.endswith("?")],
        "additionalProperties": "*" in keys,
    }


def _type(written: str) -> dict[str, Any]:
    """The schema of a type.

    >>> _type("[number?]")
    {'type': 'array', 'items': {'type': ['number', 'null']}}
    """
    if written.endswith("?"):
        inner = _type(written[:-1])
        if "$ref" in inner:
            return {"anyOf": [inner, {"type": "null"}]}
        types = inner["type"] if isinstance(inner["type"], list) else [inner["type"]]
        return inner | {"type": [*types, "null"]}
    if written.startswith("["):
        return {"type": "array", "items": _type(written[1:-1])}
    if written.startswith("{"):
        return {"type": "object", "additionalProperties": _type(written[1:-1])}
    if written == "any":
        return {}
    if written in PLAIN:
        types = PLAIN[written]
        return {"type": types if len(types) > 1 else types[0]}
    return {"$ref": f"#/$defs/{written}"}


def json_page() -> str:
    """The page: every kind, then the parts that they share."""
    lines = [
        "# JSON",
        "",
        "`to_dict()` of every result gives plain values, and `--format json` prints them. This page is written by",
        "`python -m docs.generate` from the list of keys that also makes [the schema](surefold.schema.json) (JSON",
        "Schema, draft 2020-12). Tests hold what the library writes against it.",
        "",
        "- `kind` says what it is. `schema_version` is raised when a key is renamed, removed or changes its meaning.",
        "  New keys may come at any time: do not refuse them.",
        "- There is no NaN and no infinity. An undefined value is `null`, and `reason` beside it says why; an infinite",
        "  one is `null` and listed under `infinite`.",
        "- Sentences are for people and may change; codes, statuses and names of methods are for programs.",
        "",
        "```python",
        "import json",
        "import surefold as sf",
        "",
        'a = sf.assess(["yes", "no", "yes", "no"], ["yes", "no", "no", "no"], pos_label="yes")',
        'print(json.dumps(a.to_dict()["overall"]["recall"], indent=1))',
        "b = sf.Assessment.from_dict(json.loads(json.dumps(a.to_dict())))",
        'print(b["recall"])',
        "```",
        "",
        "```text",
        "```",
        "",
        "## Kinds",
        "",
        "| kind | made by |",
        "|---|---|",
        *(f"| [`{kind}`](#{kind}) | {words} |" for kind, (words, _) in KINDS.items()),
        "",
        "Types: `[x]` is a list, `{x}` an object whose names are those of models, measures or classes, `x?` may be",
        "null, a label is text, a number or a truth value. Keys in *italics* may be missing.",
        "`surefold measures --format json` lists facts under `measures`, and has no kind.",
    ]
    for kind, (words, keys) in KINDS.items():
        lines += ["", f"### {kind}", "", f"Made by {words}.", "", *_keys(keys, kind)]
    lines += ["", "## Shared parts"]
    for name, (words, keys) in SHAPES.items():
        lines += ["", f"### {name}", "", words, "", *_keys(keys)]
    return "\n".join([*lines, ""])


def _keys(keys: Keys, kind: str = "") -> list[str]:
    lines = ["| key | type | what |", "|---|---|---|"]
    for key, told in keys.items():
        written, _, meaning = told.partition(" ")
        meaning = f"`{kind}`" if key == "kind" and kind else meaning
        name = "*others*" if key == "*" else f"*{key[:-1]}*" if key.endswith("?") else f"`{key}`"
        lines.append(f"| {name} | {_linked(written)} | {meaning} |")
    return lines


def _linked(written: str) -> str:
    """A type, as a link where it has a place on the page."""
    bare = written.strip("[]{}?")
    return f"[`{written}`](#{bare.lower()})" if bare in SHAPES or bare in KINDS else f"`{written}`"


def schema_text() -> str:
    """The schema as it is written to its file."""
    return json.dumps(json_schema(), indent=1, ensure_ascii=False) + "\n"
