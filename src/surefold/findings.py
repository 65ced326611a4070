"""Findings: what is odd about the data or weak about a figure, each with a stable code.

A finding never stops the answer; it travels with it into the table, the JSON and the report. The same codes are the
`flags` of an `Estimate`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from surefold.phrases import cure_of

__all__ = ["FINDING_CODES", "Finding", "Severity"]

Severity = Literal["note", "warning"]

#: Every code a finding or a flag can carry: how much it matters, and what it means. The docs page is made from this.
FINDING_CODES: dict[str, tuple[Severity, str]] = {
    # what the door noticed
    "bidi_in_label": ("warning", "A label holds characters that reorder text; they are shown escaped."),
    "bool_as_int": ("note", "One side was bool and the other 0/1; True was read as 1."),
    "cast_labels": ("note", "Labels of two kinds were matched by their text, because that was asked for."),
    "column_vector": ("note", "A column vector of shape (n, 1) was flattened."),
    "dates_as_labels": ("warning", "Labels look like dates; each distinct date is a class."),
    "delimiter": ("note", "The delimiter was sniffed and is not the one the file name suggests."),
    "dropped_missing": ("warning", "Rows with a missing label or score were left out, because that was asked for."),
    "empty_label": ("warning", "Some labels are empty text; they are shown as (empty)."),
    "encoding": ("note", "The file was read in an encoding other than UTF-8."),
    "files_passed_over": ("note", "Files were not read: their names are no table's, or they were named twice."),
    "folded_labels": ("note", "Capitals in labels were read as small letters, because that was asked for."),
    "guessed_columns": ("note", "Columns were chosen by name and content; say which to use another."),
    "header_spaces": ("note", "A column was matched after stripping spaces from its header."),
    "infinite_scores": ("warning", "Some scores are infinite: they rank, but are no probabilities."),
    "labels_from_scores": ("note", "No labels were given; they were made from the scores."),
    "labels_off_by_one": ("warning", "Predictions are one higher or lower than the truth, as if counted from 0 and 1."),
    "many_classes": ("note", "There are too many classes to show; views show the worst and the best."),
    "missing_as_text": ("warning", "A label reads like a missing value ('nan', 'None', 'NA'); it is kept as a class."),
    "mixed_kinds_of_text": ("warning", "Text labels mix numbers and words."),
    "near_equal_labels": ("warning", "Labels differ only in case, spaces, accents' encoding or a trailing .0."),
    "no_labels": ("note", "Labels could not be made from the scores; what needs labels is left out."),
    "positive_class_assumed": ("note", "The larger of 0/1, -1/+1 or False/True was taken as the positive class."),
    "positive_class_not_said": ("note", "Two classes and no positive one said: two-class measures are per class only."),
    "probability_sums": ("warning", "Rows of class probabilities add up to one only roughly; they were not rescaled."),
    "quantised_scores": (
        "warning",
        "More distinct scores than the memory holds: neighbours were joined, and bounds say what that leaves open.",
    ),
    "scores_from_text": ("note", "Scores came as text and were parsed."),
    "no_shared_label": ("warning", "No label of the truth was ever predicted: are they written differently?"),
    "repeated_rows": ("warning", "Many rows repeat another row's score to the last digit: are they copies?"),
    "single_precision_ties": ("warning", "Scores came in single precision and some are equal; ties count half."),
    "rounded_probabilities": ("note", "Scores a hair outside 0 to 1 were set to 0 or 1."),
    "scores_not_stored": ("note", "An assessment was read back without its scores; its labels are there."),
    "scores_not_used": ("note", "A column looked like scores but could not be used; labels were."),
    "stripped_labels": ("note", "Spaces around labels were stripped, because that was asked for."),
    "unseen_label": ("warning", "A label was predicted that never occurs in the truth."),
    "unused_label": ("note", "A declared label occurs neither in the truth nor in the predictions."),
    # what a run noticed
    "class_not_trained": ("warning", "A split trains on no row of a class; its rows there cannot be right."),
    "fold_failed": ("warning", "A fold failed, or its worker died; it is missing from the result."),
    "fold_retried": ("note", "A fold failed once and was run again."),
    "groups_straddle": ("warning", "A splitter trains on some rows of a group and tests others of the same group."),
    "incomplete": ("warning", "Folds are missing: figures over folds are refused or flagged."),
    "row_names_left_out": ("note", "A feature in which most rows have a value of their own was not learnt from."),
    "like_row_names": ("note", "A feature has a word or whole number of its own in most rows: it may name them."),
    "labels_only": ("note", "The model gives neither probabilities nor decision values: measures of labels only."),
    "many_warnings": ("note", "The model's fits warned; the warnings were kept with their folds."),
    "copies_across_folds": ("warning", "Many rows have an exact copy, which may be trained on while it is tested."),
    "network_store": ("note", "The store lies on a network file system: slower, safer journalling is used."),
    "not_deterministic": ("warning", "Fitting the same fold twice gave different predictions."),
    "rows_not_tested": ("warning", "The plan never tests some rows, or tests some more often than others."),
    "unshuffled_sorted": ("warning", "Rows are sorted by class and the folds are not shuffled."),
    "time_shuffled": ("warning", "X holds times and rows are shuffled: models learn from the future."),
    "version_changed": ("warning", "A run was resumed with other library versions, because that was asked for."),
    # what the data are
    "constant_scores": ("warning", "All scores are equal: nothing can be ranked by them."),
    "worse_than_random": ("warning", "The whole interval of the area is below one half: check the positive class."),
    "constant_prediction": ("warning", "Every row got the same prediction."),
    "grouped": ("note", "Rows come in groups; intervals use the effective number of rows."),
    "few_rows": ("warning", "So few rows that intervals span most of their range."),
    "one_group_each": ("note", "Every row is its own group, so grouping changes nothing."),
    "single_class": ("warning", "The truth has one class only; what needs two is undefined."),
    "single_row": ("warning", "There is one row."),
    "weight_removes_class": ("warning", "All rows of a class have weight zero."),
    "weighted": ("note", "Weights vary; intervals use the effective number of rows."),
    "scores_run_high": ("warning", "Scores are higher than the positives are frequent, beyond chance."),
    "scores_run_low": ("warning", "Scores are lower than the positives are frequent, beyond chance."),
    # what slices of the rows noticed
    "empty_slice": ("note", "A slice that was asked for holds no row."),
    "false_among_listed": ("warning", "Of the slices that are listed about one in twenty may be false."),
    "many_slices": ("note", "So many slices are tested that only large differences are told."),
    "slice_of_all": ("note", "A slice holds all rows, so there is no rest to hold it against."),
    "slices_alike": ("note", "Slices that hold exactly the rows of another are counted once."),
    "small_slice": ("note", "Slices with too few rows are shown and not tested."),
    "undefined_slice": ("note", "In some slices the value is undefined: they have no row of a class, or no call."),
    # what a search noticed
    "candidate_failed": ("warning", "A candidate of a search could not be judged, so it could not be chosen."),
    "grid_edge": ("note", "The chosen value of a parameter is the least or the greatest that was searched."),
    "grid_not_used": ("note", "A grid was given, and the level of selection leaves parameters as they are."),
    "raced": ("note", "Candidates that fell behind were dropped: their figures are over the folds they ran."),
    # what is weak about a figure
    "biased_upward": ("note", "Noise alone makes this positive: a perfectly calibrated model scores above zero too."),
    "certain_scores": (
        "warning",
        "Scores are exactly 0 or 1: what a wrong one loses is the logarithm of where it is clipped, and no more.",
    ),
    "clipped_probabilities": (
        "warning",
        "A true class got probability 0; it was clipped, and the loss rests on where.",
    ),
    "degenerate": (
        "warning",
        "The value is at the end of its range, or nothing varied; only the interval says how sure that is.",
    ),
    "few_weighted_errors": ("warning", "Weights vary, and errors or successes are worth fewer than ten rows."),
    "few_clusters": (
        "warning",
        "Fewer than 10 groups, or groups with an error, or with the class: it may miss.",
    ),
    "few_errors": (
        "note",
        "Three or fewer errors or successes of a share, or a mean as near a limit; under 8 of either of two shares; "
        "under 20 where errors are weighed.",
    ),
    "few_of_a_class": (
        "warning",
        "A class is worth fewer than 10 rows, or a part of the curve that was asked for rests on fewer than 20.",
    ),
    "few_rows_decide": (
        "warning",
        "A difference of scores rests on fewer than five rows; a few more of their kind would change it.",
    ),
    "margin_of_few_rows": (
        "warning",
        "Fewer than three rows, turned round, would cost the margin: the rows are too few for so small a margin.",
    ),
    "few_positives": ("warning", "Fewer than 20 positives: average precision rests on too few of them."),
    "few_data_sets": ("warning", "Fewer than 8 data sets: the distributions that ranks are held against are rough."),
    "df_of_the_fit": (
        "warning",
        "The test allows for parameters fitted to these rows; held-out rows raise more alarms.",
    ),
    "known_to_mislead": ("warning", "The method was asked for by name and is known to cover less than it says."),
    "liberal_test": (
        "warning",
        "The test rejects equal models more often than it says: 5 x 2 of unstable learners, two shares of few errors.",
    ),
    "two_valued_scores": (
        "warning",
        "Labels of one model stand beside scores of another: their areas are not alike.",
    ),
    "selected_from_m": ("warning", "The best of several was picked by the same figures, which therefore flatter it."),
    "no_disagreement": ("note", "The two classifiers agree on every row, so nothing tells them apart."),
    "cut_at_test": ("note", "p tells the pair where its interval would not: it is cut at 0, or the margin, left out."),
    "no_spread": ("warning", "All differences are equal, so how much they vary was not seen: there is no interval."),
    "one_row_dominates": (
        "warning",
        "One row makes up more than a tenth of the loss: other such rows would change it.",
    ),
    "near_chance": ("note", "The interval reaches the error of guessing; where a learner finds nothing, it may miss."),
    "few_folds": ("note", "One repeat of few folds: the interval is wide, and another shuffle would move it."),
    "neighbour_learner": ("warning", "Nearest neighbours: folds agree more than they should, the interval may miss."),
    "naive_samples": (
        "warning",
        "Bootstrap samples were taken as independent; all are drawn from the same rows, so the interval is narrow.",
    ),
    "naive_folds": ("warning", "Folds were taken as independent; they share training rows, so the interval is narrow."),
    "optimistic": ("warning", "Rows that were trained on were tested: the figure flatters the model."),
    "pooled_folds": ("note", "Predictions of different fits were pooled; fits that differ blur ranks."),
    "rare_class": ("warning", "A class has fewer than 10 true rows: figures that depend on it are shaky."),
    "rarely_called": (
        "warning",
        "A class was called fewer than 10 times: a few more such calls would move the figure and its interval far.",
    ),
    "repeated_folds": (
        "warning",
        "Degrees of freedom count every split, though repeats of the same rows add little: p may be too small.",
    ),
    "too_few_to_tell": ("warning", "So few pairs that no outcome could have been significant at this confidence."),
    "threshold_chosen_here": (
        "warning",
        "The threshold was chosen on the rows that it is judged by, so figures at it look better than they are.",
    ),
    "undefined_replicates": ("warning", "The measure was undefined in some bootstrap replicates; those were left out."),
}


@dataclass(frozen=True)
class Finding:
    """One thing worth knowing: a stable `code`, how much it matters, a sentence, and the evidence as plain values.

    >>> print(Finding.of("single_row", "There is one row."))
    warning: There is one row. [single_row]
    """

    code: str
    severity: Severity
    sentence: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, code: str, sentence: str, **evidence: Any) -> Finding:
        """A finding whose severity is the one registered for its code."""
        if code not in FINDING_CODES:
            raise AssertionError(f"unregistered finding code {code!r}")
        return cls(code, FINDING_CODES[code][0], sentence, evidence)

    @property
    def cure(self) -> str:
        """What can be done about it, or nothing."""
        return cure_of(self.code)

    def __str__(self) -> str:
        return f"{self.severity}: {self.sentence} [{self.code}]"

    def to_dict(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "severity": self.severity,
            "sentence": self.sentence,
            "evidence": dict(self.evidence),
        }
