"""Which is better."""

from surefold.comparison.bayesian import Posterior, bayes_correlated_t, bayes_sign, bayes_signed_rank
from surefold.comparison.compare import compare
from surefold.comparison.difference_curves import (
    DifferenceCurve,
    difference_curve,
    gains_difference,
    roc_difference,
)
from surefold.comparison.gate import gate
from surefold.comparison.gate_result import Gate
from surefold.comparison.many import (
    Friedman,
    RankDifferences,
    RankTest,
    bonferroni_dunn,
    friedman,
    nemenyi,
    rank_differences,
)
from surefold.comparison.multiplicity import benjamini_hochberg, bonferroni, hochberg, holm
from surefold.comparison.paired_auc import delong_test, delong_test_unpaired
from surefold.comparison.paired_cases import bowker, cochran_q, disagreements, mcnemar
from surefold.comparison.paired_folds import corrected_t, five_by_two_f, five_by_two_t, paired_t
from surefold.comparison.paired_values import SignTest, permutation, sign_test
from surefold.comparison.power import expected_width, power, sample_size, smallest_difference
from surefold.comparison.proportions import TwoProportions, two_proportions
from surefold.comparison.result import Comparison, Comparisons, Difference
from surefold.comparison.signed_ranks import SignedRanks, wilcoxon

__all__ = [
    "Comparison",
    "Comparisons",
    "Difference",
    "DifferenceCurve",
    "Friedman",
    "Gate",
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
    "compare",
    "corrected_t",
    "delong_test",
    "delong_test_unpaired",
    "difference_curve",
    "disagreements",
    "expected_width",
    "five_by_two_f",
    "five_by_two_t",
    "friedman",
    "gains_difference",
    "gate",
    "hochberg",
    "holm",
    "mcnemar",
    "nemenyi",
    "paired_t",
    "permutation",
    "power",
    "rank_differences",
    "roc_difference",
    "sample_size",
    "sign_test",
    "smallest_difference",
    "two_proportions",
    "wilcoxon",
]
