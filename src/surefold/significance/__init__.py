"""Tests of plain numbers: in come labels, scores or one figure a fold, out comes an effect with its interval and p."""

from typing import TYPE_CHECKING

from surefold.significance.bayesian import Posterior, bayes_correlated_t, bayes_sign, bayes_signed_rank
from surefold.significance.many import (
    Friedman,
    RankDifferences,
    RankTest,
    bonferroni_dunn,
    friedman,
    nemenyi,
    rank_differences,
)
from surefold.significance.multiplicity import benjamini_hochberg, bonferroni, hochberg, holm
from surefold.significance.paired_auc import delong_test, delong_test_unpaired
from surefold.significance.paired_cases import bowker, cochran_q, disagreements, mcnemar
from surefold.significance.paired_folds import corrected_t, five_by_two_f, five_by_two_t, paired_t, paired_t_from
from surefold.significance.paired_values import SignTest, permutation, sign_test
from surefold.significance.plain_test import PlainTest, plain_test, plain_tests
from surefold.significance.proportions import TwoProportions, two_proportions
from surefold.significance.signed_ranks import SignedRanks, wilcoxon

__all__ = [
    "Friedman",
    "PlainTest",
    "Posterior",
    "RankDifferences",
    "RankTest",
    "SignTest",
    "SignedRanks",
    "TwoProportions",
    "bayes_correlated_t",
    "bayes_sign",
    "bayes_signed_rank",
    "benjamini_hochberg",
    "bonferroni",
    "bonferroni_dunn",
    "bowker",
    "cochran_q",
    "corrected_t",
    "delong_test",
    "delong_test_unpaired",
    "disagreements",
    "five_by_two_f",
    "five_by_two_t",
    "friedman",
    "hochberg",
    "holm",
    "mcnemar",
    "nemenyi",
    "paired_t",
    "paired_t_from",
    "permutation",
    "plain_test",
    "plain_tests",
    "rank_differences",
    "sign_test",
    "two_proportions",
    "wilcoxon",
]

if not TYPE_CHECKING:  # a test in a file of its own is a name of this room as well
    globals().update({name: test.function for name, test in plain_tests().items()})
    __all__ = sorted({*__all__, *plain_tests()})
