"""Codes in a few words: what stands in a cell of a table, and what can be done about it.

`FINDING_CODES` says what a code means; here is its phrase, of at most eight words, and its cure, where there is one.
"""

from __future__ import annotations

__all__ = [
    "ADJUSTMENT_NAMES",
    "BOOTSTRAP_NAMES",
    "METHOD_NAMES",
    "PHRASES",
    "STATUS_NAMES",
    "cure_of",
    "measure_title",
    "measure_words",
    "phrase_of",
]

PHRASES: dict[str, tuple[str, str]] = {
    "bidi_in_label": ("label reorders text; shown escaped", ""),
    "bool_as_int": ("True read as 1", ""),
    "cast_labels": ("labels matched by their text", ""),
    "column_vector": ("a column vector was flattened", ""),
    "dates_as_labels": ("labels look like dates", "Say which column holds the classes."),
    "delimiter": ("delimiter was guessed", "Say it with --delimiter."),
    "dropped_missing": ("rows with missing values left out", "Check whether they differ from the rest."),
    "empty_label": ("some labels are empty", ""),
    "encoding": ("read in another encoding than UTF-8", "Say it with --encoding."),
    "files_passed_over": ("some files were not read", ""),
    "folded_labels": ("capitals read as small letters", ""),
    "guessed_columns": ("columns were guessed", "Say which with --truth, --pred and --score."),
    "header_spaces": ("spaces stripped from a header", ""),
    "infinite_scores": ("some scores are infinite", ""),
    "labels_from_scores": ("labels were made from scores", "Pass y_pred= (--pred) to judge other labels."),
    "labels_off_by_one": ("predictions off by one", "Count both sides from the same number."),
    "many_classes": ("too many classes to show all", ""),
    "missing_as_text": (
        "a label reads like a missing value",
        "Leave such rows out with drop_missing= (--drop-missing).",
    ),
    "mixed_kinds_of_text": ("labels mix numbers and words", ""),
    "near_equal_labels": ("labels differ only in spelling", "Join them, or say strip_labels= (--strip-labels)."),
    "no_labels": ("no labels could be made", "Pass a threshold= (--threshold)."),
    "positive_class_assumed": ("positive class was assumed", "Say pos_label= (--pos-label)."),
    "positive_class_not_said": ("no positive class was said", "Say pos_label= (--pos-label)."),
    "probability_sums": ("probabilities do not add up to one", ""),
    "quantised_scores": ("neighbouring scores were joined", "Give more memory= (--memory)."),
    "scores_from_text": ("scores were read from text", ""),
    "no_shared_label": ("no label of the truth was predicted", "Check how labels are written."),
    "repeated_rows": ("many rows look like copies", "Say which belong together with groups= (--groups)."),
    "single_precision_ties": ("scores in single precision tie", ""),
    "rounded_probabilities": ("scores a hair outside 0 to 1", ""),
    "scores_not_stored": ("scores were not stored", ""),
    "scores_not_used": ("scores could not be used", ""),
    "stripped_labels": ("spaces around labels stripped", ""),
    "unseen_label": ("a predicted label is never true", "Check how labels are written."),
    "unused_label": ("a declared label never occurs", ""),
    "class_not_trained": ("a class is missing in training", "Use fewer folds, or more rows of that class."),
    "fold_failed": ("a fold failed", "Read the failure, mend the model, and resume."),
    "fold_retried": ("a fold was run twice", ""),
    "groups_straddle": ("groups lie on both sides of a split", "Keep groups together with groups=."),
    "incomplete": ("folds are missing", "Run the missing folds: resume the run."),
    "row_names_left_out": ("a feature of row names left out", ""),
    "like_row_names": ("a feature looks like row names", "Leave it out with --drop."),
    "labels_only": ("the model gives no scores", ""),
    "many_warnings": ("fits gave warnings", ""),
    "copies_across_folds": ("copies of rows lie in other folds", "Keep copies together with groups=."),
    "network_store": ("store lies on a network", ""),
    "not_deterministic": ("same fit, different answers", "Set the model's random_state."),
    "rows_not_tested": ("some rows are never tested", ""),
    "unshuffled_sorted": ("sorted rows, folds not shuffled", "Shuffle the rows."),
    "time_shuffled": ("rows in time were shuffled", "Split in time order."),
    "version_changed": ("library versions changed in the run", ""),
    "empty_slice": ("a slice holds no row", ""),
    "false_among_listed": ("1 in 20 listed may be false", "Confirm the listed slices on new rows."),
    "many_slices": ("many slices are tested", "Say adjust='benjamini_hochberg' (--adjust) to list more."),
    "slice_of_all": ("a slice holds all rows", ""),
    "slices_alike": ("slices with the same rows", ""),
    "small_slice": ("too few rows, not tested", "Collect more rows of them, or join levels."),
    "undefined_slice": ("undefined in some slices", ""),
    "constant_scores": ("all scores are equal", ""),
    "worse_than_random": ("below chance", "Check the positive class."),
    "constant_prediction": ("every row got the same answer", "Move the threshold, or say costs."),
    "grouped": ("rows come in groups", ""),
    "few_rows": ("few rows", "Collect more rows."),
    "one_group_each": ("every row is its own group", ""),
    "single_class": ("the truth has one class only", "Add rows of another class."),
    "single_row": ("there is one row", "Collect more rows."),
    "weight_removes_class": ("a class has weight zero", ""),
    "weighted": ("weights vary", ""),
    "scores_run_high": ("scores run too high", "Calibrate them before they are used as probabilities."),
    "scores_run_low": ("scores run too low", "Calibrate them before they are used as probabilities."),
    "candidate_failed": ("a candidate failed", ""),
    "grid_edge": ("best value lies at the grid's edge", "Search further in that direction."),
    "grid_not_used": ("the grid was not used", ""),
    "raced": ("candidates were dropped early", ""),
    "biased_upward": ("noise alone makes it positive", ""),
    "certain_scores": ("some scores are exactly 0 or 1", "Give probabilities that leave room for error."),
    "clipped_probabilities": ("a true class had probability 0", ""),
    "degenerate": ("value at the end of its range", ""),
    "few_weighted_errors": ("rests on few weighted errors", "Collect more rows."),
    "few_clusters": ("rests on few groups", "Collect more groups."),
    "few_errors": ("rests on few errors", "Collect more rows."),
    "few_of_a_class": ("rests on few rows of a class", "Collect more rows of that class."),
    "few_rows_decide": ("rests on few rows", "Collect more rows."),
    "margin_of_few_rows": ("few reversed rows would cost the margin", "Collect more rows, or allow a wider margin."),
    "few_positives": ("rests on few positives", "Collect more rows of the positive class."),
    "few_data_sets": ("few data sets", "Add data sets."),
    "df_of_the_fit": ("test of the rows fitted to", ""),
    "known_to_mislead": ("method known to be too narrow", "Leave the method to the library."),
    "liberal_test": ("test rejects too often", ""),
    "two_valued_scores": ("labels held against scores", "Give scores of both models."),
    "selected_from_m": ("picked as the best of several", "Judge the pick on rows that chose nothing."),
    "no_disagreement": ("the models agree on every row", ""),
    "no_spread": ("all differences are equal", "Use more folds or repeats."),
    "one_row_dominates": ("one row makes most of the loss", "Look at that row."),
    "near_chance": ("close to guessing", ""),
    "few_folds": ("one repeat of few folds", "Repeat the folds: repeats=10 (--repeats 10)."),
    "neighbour_learner": ("nearest neighbours: may be too narrow", ""),
    "naive_samples": ("bootstrap samples taken as independent", "Leave the method to the library."),
    "naive_folds": ("folds taken as independent", "Leave the method to the library."),
    "optimistic": ("tested on rows it was trained on", "Test on rows that were not trained on."),
    "pooled_folds": ("predictions of several fits pooled", ""),
    "rare_class": ("a class has few rows", "Collect more rows of that class."),
    "rarely_called": ("a class was rarely called", "Collect more rows, or lower the threshold."),
    "repeated_folds": ("repeats counted as new rows", ""),
    "cut_at_test": ("p tells more: the end is open", ""),
    "too_few_to_tell": ("too few pairs to tell anything", "Add data sets, or folds."),
    "threshold_chosen_here": ("threshold chosen here", "Judge it on rows that chose nothing."),
    "undefined_replicates": ("undefined in some replicates", ""),
}


def phrase_of(code: str) -> str:
    """The code for people; one that is not known is at least readable.

    >>> phrase_of("few_errors"), phrase_of("not_known_here")
    ('rests on few errors', 'not known here')
    """
    return PHRASES[code][0] if code in PHRASES else code.replace("_", " ")


def cure_of(code: str) -> str:
    """What can be done about it, or nothing.

    >>> cure_of("few_errors"), cure_of("weighted")
    ('Collect more rows.', '')
    """
    return PHRASES[code][1] if code in PHRASES else ""


#: Measures whose names people write in another way than their words make.
TITLES = {
    "roc_auc_hand_till": "ROC AUC, Hand and Till",
    "log_loss_multiclass": "Log loss, all classes",
    "brier_multiclass": "Brier, all classes",
    "ece_multiclass": "ECE, all classes",
    "roc_auc": "ROC AUC",
    "mcc": "MCC",
    "f1": "F1",
    "ece": "ECE",
    "mce": "MCE",
    "ks": "KS",
    "h_measure": "H measure",
}


def measure_title(name: str) -> str:
    """The name of a measure for people.

    >>> measure_title("roc_auc"), measure_title("f1_macro"), measure_title("balanced_accuracy")
    ('ROC AUC', 'F1 macro', 'Balanced accuracy')
    """
    for known, title in TITLES.items():
        if name == known or name.startswith(f"{known}_"):
            return f"{title} {name[len(known) + 1 :].replace('_', ' ')}".strip()
    return name.replace("_", " ").capitalize()


def measure_words(name: str) -> str:
    """The name of a measure within a sentence.

    >>> measure_words("roc_auc"), measure_words("balanced_accuracy")
    ('ROC AUC', 'balanced accuracy')
    """
    title = measure_title(name)
    return title if title[:2].isupper() or title[1:2].isdigit() else title[:1].lower() + title[1:]


#: How methods are called in tables for people.
METHOD_NAMES = {
    "square_and_add": "square and add",
    "wilson": "Wilson",
    "clopper_pearson": "exact",
    "one_row": "one-row",
    "jeffreys": "Jeffreys",
    "agresti_coull": "Agresti-Coull",
    "wald": "Wald",
    "delta": "delta",
    "delong": "DeLong",
    "logit_delong": "logit DeLong",
    "newcombe": "Newcombe",
    "inverted": "inverted test",
    "noncentral": "noncentral chi-squared",
    "bias_corrected": "bootstrap, choice repeated",
    "difference": "difference of two",
    "normal": "normal",
    "profile": "profile likelihood",
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "bca": "BCa bootstrap",
    "corrected_t": "corrected t",
    "corrected": "corrected t",
    "corrected_widened": "corrected t, widened",
    "corrected_one_row": "corrected one-row",
    "t": "t over folds",
    "span": "from .632+ to out-of-bag",
    "nested_cv": "nested",
}

#: How the five estimates of the bootstrap are called in tables.
BOOTSTRAP_NAMES = {
    "on_all": "on all rows",
    "out_of_bag": "out of bag",
    "apparent": "apparent",
    "point632": ".632",
    "point632plus": ".632+",
}

#: What was told of a pair.
STATUS_NAMES = {
    "better": "better",
    "worse": "worse",
    "practically_equal": "practically equal",
    "cannot_tell": "cannot tell",
}
ADJUSTMENT_NAMES = {
    "holm": "Holm",
    "hochberg": "Hochberg",
    "bonferroni": "Bonferroni",
    "benjamini_hochberg": "Benjamini-Hochberg",
}
