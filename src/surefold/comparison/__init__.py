"""Which is better: `compare`, `gate`, and, by the names they always had here, tests of plain numbers and power."""

from surefold.comparison.compare import compare
from surefold.comparison.difference_curves import (
    DifferenceCurve,
    difference_curve,
    gains_difference,
    roc_difference,
)
from surefold.comparison.gate import gate
from surefold.comparison.gate_result import Gate
from surefold.comparison.power import expected_width, power, sample_size, smallest_difference
from surefold.comparison.result import Comparison, Comparisons, Difference
from surefold.moved import moved
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
from surefold.significance.proportions import TwoProportions, two_proportions
from surefold.significance.signed_ranks import SignedRanks, wilcoxon

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
    "paired_t_from",
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

moved(
    __name__,
    "surefold.significance",
    "bayesian many multiplicity paired_auc paired_cases paired_folds paired_values pairs proportions signed_ranks "
    "studentised_range",
)
moved(__name__, "surefold.planning", "areas binormal design matched pilot results shares", prefix="power_")
