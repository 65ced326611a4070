"""Rates of one class against the rest, and of the whole table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from surefold.errors import InputError
from surefold.measures.measure import Parts, measure, proportion
from surefold.tallies.margins import Margins, OneVsRest
from surefold.tallies.ratio import ratio

Array = NDArray[Any]

CHAPTER = "Zaki & Meira (2014), Data Mining and Analysis, ch. 22"
ALTMAN = "Altman & Bland (1994), BMJ 308:1552 and 309:102"


@proportion(
    reads="margins",
    better="higher",
    text="(right rows) / n",
    undefined="there are no rows",
    source=f"{CHAPTER}, eq. 22.2",
)
def accuracy(c: Margins) -> Parts:
    """Share of the rows that were called right."""
    return c.correct, c.total


@proportion(
    reads="margins",
    better="lower",
    text="(wrong rows) / n",
    undefined="there are no rows",
    source=f"{CHAPTER}, eq. 22.1",
    aliases=("zero_one_loss", "misclassification_rate"),
)
def error_rate(c: Margins) -> Parts:
    """Share of the rows that were called wrong."""
    return c.total - c.correct, c.total


@measure(
    reads="margins",
    range=(0.0, 4.0),
    better="lower",
    text="mean of (y - prediction)^2 with y in {-1, +1} = 4 x error rate",
    undefined="the table has more than two classes, or one",
    source=f"{CHAPTER}, sec. 22.3",
)
def squared_loss(c: Margins) -> Array:
    """Mean squared distance between the two labels coded -1 and +1."""
    if c.classes != 2:
        return np.full(c.total.shape, np.nan)
    return 4 * ratio(c.total - c.correct, c.total)


@proportion(
    reads="one_vs_rest",
    better="higher",
    text="TP / (TP + FP)",
    undefined="nothing was called {label}",
    source=f"{CHAPTER}, sec. 22.1.1",
    aliases=("positive_predictive_value", "ppv"),
)
def precision(c: OneVsRest) -> Parts:
    """Share of the calls for the class that were right."""
    return c.tp, c.called


@proportion(
    reads="one_vs_rest",
    better="higher",
    text="TP / (TP + FN)",
    undefined="no row is {label}",
    source=f"{CHAPTER}, sec. 22.1.1",
    aliases=("sensitivity", "tpr", "true_positive_rate", "coverage", "hit_rate"),
)
def recall(c: OneVsRest) -> Parts:
    """Share of the class's rows that were called the class."""
    return c.tp, c.positives


@proportion(
    reads="one_vs_rest",
    better="higher",
    text="TN / (TN + FP)",
    undefined="every row is {label}",
    source=f"{CHAPTER}, sec. 22.1.2",
    aliases=("tnr", "true_negative_rate", "selectivity"),
)
def specificity(c: OneVsRest) -> Parts:
    """Share of the other classes' rows that were not called the class."""
    return c.tn, c.negatives


@proportion(
    reads="one_vs_rest",
    better="lower",
    text="FN / (TP + FN)",
    undefined="no row is {label}",
    source=f"{CHAPTER}, sec. 22.1.2",
    aliases=("fnr", "miss_rate"),
)
def false_negative_rate(c: OneVsRest) -> Parts:
    """Share of the class's rows that were missed."""
    return c.fn, c.positives


@proportion(
    reads="one_vs_rest",
    better="lower",
    text="FP / (FP + TN)",
    undefined="every row is {label}",
    source=f"{CHAPTER}, sec. 22.1.2",
    aliases=("fpr", "fall_out"),
)
def false_positive_rate(c: OneVsRest) -> Parts:
    """Share of the other classes' rows that were called the class."""
    return c.fp, c.negatives


@proportion(
    reads="one_vs_rest",
    better="higher",
    text="TN / (TN + FN)",
    undefined="everything was called {label}",
    source=ALTMAN,
    aliases=("npv",),
)
def negative_predictive_value(c: OneVsRest) -> Parts:
    """Share of the calls for another class that were right in that the row is not of the class."""
    return c.tn, c.tn + c.fn


@proportion(
    reads="one_vs_rest",
    better="lower",
    text="FP / (TP + FP)",
    undefined="nothing was called {label}",
    source="Benjamini & Hochberg (1995), J. R. Stat. Soc. B 57:289",
    aliases=("fdr",),
)
def false_discovery_rate(c: OneVsRest) -> Parts:
    """Share of the calls for the class that were wrong."""
    return c.fp, c.called


@proportion(
    reads="one_vs_rest",
    better="lower",
    text="FN / (TN + FN)",
    undefined="everything was called {label}",
    source=ALTMAN,
)
def false_omission_rate(c: OneVsRest) -> Parts:
    """Share of the calls for another class that hide a row of the class."""
    return c.fn, c.tn + c.fn


@proportion(
    reads="one_vs_rest",
    better="neither",
    text="(TP + FN) / n",
    undefined="there are no rows",
    source=ALTMAN,
)
def prevalence(c: OneVsRest) -> Parts:
    """Share of the rows that are of the class."""
    return c.positives, c.total


@proportion(
    reads="one_vs_rest",
    better="higher",
    text="2 TP / (2 TP + FP + FN)",
    undefined="no row is {label} and none was called {label}",
    source=f"{CHAPTER}, sec. 22.1.1; van Rijsbergen (1979)",
    aliases=("f_measure", "dice"),
    of_share=lambda jaccard_share: 2 * jaccard_share / (1 + jaccard_share),
)
def f1(c: OneVsRest) -> Parts:
    """Harmonic mean of precision and recall."""
    return c.tp, c.tp + c.fp + c.fn


@measure(
    reads="one_vs_rest",
    range=(0.0, 1.0),
    better="higher",
    text="(1 + b^2) TP / ((1 + b^2) TP + b^2 FN + FP), b = beta",
    undefined="no row is {label} and none was called {label}",
    source="van Rijsbergen (1979), Information Retrieval",
    options={"beta": 2.0},
    aliases=("f2",),
)
def fbeta(c: OneVsRest, beta: float) -> Array:
    """Mean of precision and recall in which recall counts beta times as much."""
    if not (isinstance(beta, int | float) and 0 < beta < np.inf):
        raise InputError("bad_option", f"beta={beta!r}", cure="give a number above 0")
    b2 = beta * beta
    return ratio((1 + b2) * c.tp, (1 + b2) * c.tp + b2 * c.fn + c.fp)


@proportion(
    reads="one_vs_rest",
    better="higher",
    text="TP / (TP + FP + FN)",
    undefined="no row is {label} and none was called {label}",
    source="Jaccard (1901)",
    aliases=("critical_success_index", "threat_score"),
)
def jaccard(c: OneVsRest) -> Parts:
    """Rows both true and called, among rows true or called."""
    return c.tp, c.tp + c.fp + c.fn


@measure(
    reads="one_vs_rest",
    range=(0.0, 1.0),
    better="higher",
    text="sqrt(precision x recall)",
    undefined="no row is {label}, or none was called {label}",
    source="Fowlkes & Mallows (1983), JASA 78:553",
)
def fowlkes_mallows(c: OneVsRest) -> Array:
    """Geometric mean of precision and recall."""
    return np.asarray(np.sqrt(ratio(c.tp, c.called) * ratio(c.tp, c.positives)))


@measure(
    reads="one_vs_rest",
    range=(-1.0, 1.0),
    better="higher",
    text="recall + specificity - 1",
    undefined="no row is {label}, or every row is",
    source="Youden (1950), Cancer 3:32; Powers (2011)",
    aliases=("youden", "youden_j", "bookmaker_informedness"),
)
def informedness(c: OneVsRest) -> Array:
    """How much better than chance the class's rows are told from the others."""
    return np.asarray(ratio(c.tp, c.positives) + ratio(c.tn, c.negatives) - 1)


@measure(
    reads="one_vs_rest",
    range=(-1.0, 1.0),
    better="higher",
    text="precision + negative predictive value - 1",
    undefined="nothing was called {label}, or everything was",
    source="Powers (2011), J. Mach. Learn. Technol. 2:37",
    given="predicted",
)
def markedness(c: OneVsRest) -> Array:
    """How much better than chance a call tells whether the row is of the class."""
    return np.asarray(ratio(c.tp, c.called) + ratio(c.tn, c.tn + c.fn) - 1)


@measure(
    reads="one_vs_rest",
    range=(0.0, np.inf),
    better="higher",
    text="recall / (1 - specificity)",
    undefined="no row is {label}, or every row is, or nothing was called {label}",
    source=ALTMAN,
    aliases=("lr_plus",),
)
def positive_likelihood_ratio(c: OneVsRest) -> Array:
    """How many times likelier a call for the class is among its rows than among the others."""
    return ratio(ratio(c.tp, c.positives), ratio(c.fp, c.negatives))


@measure(
    reads="one_vs_rest",
    range=(0.0, np.inf),
    better="lower",
    text="(1 - recall) / specificity",
    undefined="no row is {label}, or every row is, or everything was called {label}",
    source=ALTMAN,
    aliases=("lr_minus", "neg_negative_likelihood_ratio"),
)
def negative_likelihood_ratio(c: OneVsRest) -> Array:
    """How many times likelier a call for another class is among its rows than among the others."""
    return ratio(ratio(c.fn, c.positives), ratio(c.tn, c.negatives))


@measure(
    reads="one_vs_rest",
    range=(0.0, np.inf),
    better="higher",
    text="(TP x TN) / (FP x FN)",
    undefined="a whole row or column of the two-class table is empty",
    source="Glas et al. (2003), J. Clin. Epidemiol. 56:1129",
    aliases=("odds_ratio", "dor"),
)
def diagnostic_odds_ratio(c: OneVsRest) -> Array:
    """Odds of a call for the class among its rows over those odds among the others."""
    return ratio(c.tp * c.tn, c.fp * c.fn)


@measure(
    reads="one_vs_rest",
    range=(0.0, np.inf),
    better="higher",
    text="precision / prevalence",
    undefined="no row is {label}, or none was called {label}",
    source="Brin et al. (1997), SIGMOD",
)
def lift(c: OneVsRest) -> Array:
    """How many times denser the class is among the calls for it than among all rows."""
    return ratio(ratio(c.tp, c.called), ratio(c.positives, c.total))
