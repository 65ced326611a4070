"""Which is better."""

from surefold.comparison.bayesian import Posterior, bayes_correlated_t, bayes_sign, bayes_signed_rank
from surefold.comparison.compare import compare
from surefold.comparison.many import (
    Friedman,
    RankDifferences,
    RankTest,
    bonferroni_dunn,
    friedman,
    nemenyi,
    rank_differences,
)
from surefold.comparison.multiplicity import benjamini_hochberg, hochberg, holm
from surefold.comparison.paired_auc import delong_test, delong_test_unpaired
from surefold.comparison.paired_cases import bowker, cochran_q, disagreements, mcnemar
from surefold.comparison.paired_folds import corrected_t, five_by_two_f, five_by_two_t, paired_t
from surefold.comparison.paired_values import SignTest, permutation, sign_test
from surefold.comparison.proportions import TwoProportions, two_proportions
from surefold.comparison.result import Comparison, Difference
from surefold.comparison.signed_ranks import SignedRanks, wilcoxon

__all__ = [
    "Comparison",
    "Difference",
    "Friedman",
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
    "bonferroni_dunn",
    "bowker",
    "cochran_q",
    "compare",
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
    "permutation",
    "rank_differences",
    "sign_test",
    "two_proportions",
    "wilcoxon",
]
