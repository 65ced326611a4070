"""Results of every kind, from seeds: what `python -m tools.freeze` writes down, and holds later ones against."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import polars
from sklearn.datasets import load_iris

import surefold as sf
from surefold import comparison, estimates
from surefold.errors import InputError, UnknownNameError
from surefold.learners import DecisionTree, FullBayes, NaiveBayes
from surefold.measures import catalogue
from surefold.report.sections.cuts import cuts_of
from surefold.studies import decompose
from tests.road.made_rows import EXTRAS, MODELS, columns_of, facts_of, matrix_of, parts_in, rows_of_three, rows_of_two

__all__ = ["CASES", "SLOW"]

Case = Callable[[], Any]

#: Cases that grow trees, whose compiling takes longer than all others together.
SLOW = ("study-of-trees", "select-trees", "pruning", "bias-variance-trees")
CASES: dict[str, Case] = {}
#: Where rows are cut into three files; the second holds a single row.
THREE = (80, 81)
SCORED = {m: f"p_{m}" for m in MODELS}


def case(name: str, make: Case) -> None:
    if name in CASES:
        raise AssertionError(f"two cases are called {name}")
    CASES[name] = make


@cache
def two() -> polars.DataFrame:
    return rows_of_two()


@cache
def three() -> polars.DataFrame:
    return rows_of_three()


@contextmanager
def in_files(rows: polars.DataFrame, cuts: tuple[int, ...]) -> Iterator[Path]:
    with TemporaryDirectory() as folder:
        yield parts_in(Path(folder), rows, cuts)


def scores_of(rows: polars.DataFrame, *models: str) -> dict[str, Any]:
    return {m: rows[f"p_{m}"].to_numpy() for m in models}


def matrices_of(rows: polars.DataFrame, *models: str) -> dict[str, Any]:
    return {m: matrix_of(rows, m) for m in models}


def or_refused(make: Case) -> Any:
    """What was made, or the code of the refusal."""
    try:
        return make()
    except InputError as error:
        return {"refused": error.code}
    except UnknownNameError:
        return {"refused": "unknown_name"}


# one model


def assessed(extra: str) -> sf.Assessment:
    rows = two()
    return sf.assess(rows["y"], rows["a"], y_score=rows["p_a"], **facts_of(rows, extra))


def overall(a: sf.Assessment) -> Any:
    return a.to_dict()["overall"]


def of_three(extra: str) -> sf.Assessment:
    rows = three()
    return sf.assess(rows["y"], rows["a"], y_score=matrix_of(rows, "a"), **facts_of(rows, extra))


def scores_and_choice(extra: str) -> Any:
    a = assessed(extra)
    ways: dict[str, dict[str, Any]] = {
        "youden": {}, "cost": {"costs": {"fp": 1, "fn": 3}}, "fbeta": {"beta": 2}, "share": {"share": 0.3},
        "recall_at_precision": {"precision": 0.6}, "precision_at_recall": {"recall": 0.7},
    }  # fmt: skip
    return {by: or_refused(partial(a.best_threshold, by, **options)) for by, options in ways.items()}  # type: ignore[arg-type]


def curves(extra: str) -> Any:
    a = assessed(extra)
    found: dict[str, Any] = {
        name: {"frame": curve.to_frame(), "area": curve.area} for name in ("roc", "precision_recall", "gains", "lift")
        for curve in [getattr(a, name)]
    }  # fmt: skip
    found |= {"calibration": a.calibration, "cost": a.cost, "decision": a.decision, "brier_parts": a.brier_parts}
    found["partial_area"] = [a.roc.partial_area(fpr=(0, 0.2)), a.roc.partial_area(tpr=(0.8, 1), mcclish=True)]
    found["best"] = a.roc.best(by="youden")
    return found


def bands(extra: str) -> Any:
    a = assessed(extra)
    made = {name: getattr(a, name).band() for name in ("roc", "precision_recall", "gains")}
    made["simultaneous"] = a.roc.band(0.9, "simultaneous")
    return {name: vars(band) for name, band in made.items()}


def ways_of_intervals(extra: str) -> Any:
    rows, found = two(), {}
    truth, facts = rows["y"], facts_of(rows, extra)
    for name, score in {"recall": None, "mcc": None, "roc_auc": "p_a", "brier": "p_a", "ece": "p_a"}.items():
        for method in ("auto", "delta", "percentile", "bca"):
            answers: dict[str, Any] = {"y_score": rows[score]} if score else {"y_pred": rows["a"]}
            found[f"{name} {method}"] = or_refused(
                partial(sf.measure, name, truth, **answers, method=method, random_state=0, **facts)
            )
    return found


def options_of_measures() -> Any:
    rows, found = two(), {}
    asked: dict[str, list[dict[str, Any]]] = {
        "fbeta": [{"beta": 0.5}], "balanced_accuracy": [{"adjusted": True}], "kappa": [{"weights": "linear"}],
        "ece": [{"bins": 5}, {"norm": "l2"}, {"norm": "max"}, {"strategy": "mass"}, {"debiased": True}],
        "h_measure": [{"severity_ratio": 2.0}, {"prior": "classes"}], "brier": [{"scaled": True}],
        "hosmer_lemeshow": [{"bins": 5}, {"breaks": "quantiles"}, {"held_out": True}],
        "calibration_intercept": [{"fitted": "line"}], "expected_cost": [{"costs": [[0, 1], [4, 0]]}],
    }  # fmt: skip
    for name, each in asked.items():
        of_scores = name in catalogue.of_scores
        answers: dict[str, Any] = {"y_score": rows["p_a"]} if of_scores else {"y_pred": rows["a"]}
        for options in each:
            found[f"{name} {options}"] = or_refused(partial(sf.measure, name, rows["y"], **answers, **options))
    return found


def many_classes() -> Any:
    rng = np.random.default_rng(3)
    y = rng.integers(120, size=900)
    a = sf.assess(y, np.where(rng.random(900) < 0.6, y, rng.integers(120, size=900)))
    return {"overall": overall(a), "some": {c: a.per_class[c] for c in (0, 7, 119)}}


for extra in EXTRAS:
    case(f"assess-labels-and-scores-{extra}", partial(assessed, extra))
    case(f"assess-three-classes-{extra}", partial(of_three, extra))
    case(f"assess-at-{extra}", lambda e=extra: overall(assessed(e).at(0.3)))  # type: ignore[misc]
    case(f"assess-best-threshold-{extra}", partial(scores_and_choice, extra))
    case(f"assess-curves-{extra}", partial(curves, extra))
    case(f"assess-bands-{extra}", partial(bands, extra))
    case(f"assess-intervals-{extra}", partial(ways_of_intervals, extra))
    case(f"report-cuts-{extra}", lambda e=extra: cuts_of(assessed(e)))  # type: ignore[misc]
case("assess-scores-0-to-100", lambda: sf.assess(two()["y"], y_score=100 * two()["p_a"], threshold=40))
case("assess-costs", lambda: sf.assess(two()["y"], two()["a"], y_score=two()["p_a"], costs={"fp": 1, "fn": 5}))
case("assess-four-rows", lambda: sf.assess([0, 0, 1, 1], y_score=[0.1, 0.6, 0.4, 0.9]))
case("assess-perfect", lambda: sf.assess([0, 1, 1, 0, 1], [0, 1, 1, 0, 1], y_score=[0.1, 0.8, 0.9, 0.2, 0.7]))
case("assess-one-class-missing", lambda: sf.assess([1, 1, 1], [0, 1, 1], labels=[0, 1]))
case("assess-text-labels", lambda: sf.assess(list("yynnyyn") * 9, list("ynnyyyn") * 9, pos_label="y", confidence=0.9))
case("assess-120-classes", many_classes)
case("measure-options", options_of_measures)


# several models


def compared(measure: str, extra: str, *, models: str = "ab", **options: Any) -> Any:
    of_scores = measure in catalogue.of_scores
    rows = two()
    answers = scores_of(rows, *models) if of_scores else columns_of(rows, *models)
    return sf.compare(rows["y"], answers, measure=measure, **facts_of(rows, extra), **options)


def compared_three(measure: str, extra: str, **options: Any) -> Any:
    rows = three()
    answers = matrices_of(rows, *MODELS) if measure in catalogue.of_scores else columns_of(rows, *MODELS)
    return sf.compare(rows["y"], answers, measure=measure, **facts_of(rows, extra), **options)


def of_measures(compare: Callable[..., Any], measures: tuple[str, ...], extra: str, **options: Any) -> Any:
    return {m: or_refused(partial(compare, m, extra, **options)) for m in measures}


def hardly_apart(extra: str) -> Any:
    """Models that answer six rows differently: intervals by score."""
    rows = two()
    other = rows["a"].to_numpy().copy()
    other[:60:10] = 1 - other[:60:10]
    answers = {"a": rows["a"], "b": other}
    asked: dict[str, Any] = {"measure": ["accuracy", "mcc", "recall"], "margin": 0.03, **facts_of(rows, extra)}
    gate = sf.gate(rows["y"], rows["a"], other, margin=0.03, **facts_of(rows, extra))
    return {"comparisons": sf.compare(rows["y"], answers, **asked), "gate": gate}


def six_models() -> Any:
    rows, rng = two(), np.random.default_rng(2)
    y = rows["y"].to_numpy()
    answers = {f"m{i}": np.where(rng.random(len(y)) < 0.6 + 0.05 * i, y, 1 - y) for i in range(6)}
    return sf.compare(y, answers, measure=["accuracy", "f1"], adjust="hochberg")


def gated(extra: str) -> Any:
    rows = two()
    asked: dict[str, dict[str, Any]] = {
        "accuracy": {"margin": 0.05}, "recall": {"margin": 0.1}, "mcc": {}, "roc_auc": {"margin": 0.05},
        "brier": {"margin": 0.02}, "log_loss": {"margin": 0.1}, "average_precision": {"kind": "superiority"},
    }  # fmt: skip
    found = {}
    for measure, options in asked.items():
        column = "p_a" if measure in catalogue.of_scores else "a"
        other = column.replace("a", "c")
        facts = facts_of(rows, extra)
        found[measure] = sf.gate(rows["y"], rows[other], rows[column], measure=measure, **options, **facts)
        limit: dict[str, Any] = {"at_most": 0.4} if catalogue[measure].better == "lower" else {"at_least": 0.6}
        found[f"{measure} alone"] = sf.gate(rows["y"], None, rows[column], measure=measure, **limit, **facts)
    return found


def difference_curves(extra: str) -> Any:
    rows = two()
    told = compared("roc_auc", extra)
    roc = comparison.difference_curve(told, "a", "b", draws=200)
    gains = comparison.gains_difference(rows["y"], rows["p_a"], rows["p_c"], draws=200, **facts_of(rows, extra))
    return {"roc": roc, "gains": gains}


OF_LABELS = ("accuracy", "error_rate", "mcc", "recall", "precision", "f1", "f1_macro", "balanced_accuracy", "kappa",
             "lift")  # fmt: skip
OF_SCORES = ("roc_auc", "gini", "average_precision", "brier", "log_loss")
OF_THREE = ("accuracy", "f1_macro", "kappa_quadratic", "roc_auc_hand_till", "roc_auc_ovr_weighted",
            "average_precision_macro", "brier_multiclass", "log_loss_multiclass", "top_k_accuracy")  # fmt: skip
for extra in EXTRAS:
    case(f"compare-labels-{extra}", partial(of_measures, compared, OF_LABELS, extra, margin=0.02))
    case(f"compare-scores-{extra}", partial(of_measures, compared, OF_SCORES, extra, models="abc", margin=0.02))
    case(f"compare-three-classes-{extra}", partial(of_measures, compared_three, OF_THREE, extra))
    case(f"compare-hardly-apart-{extra}", partial(hardly_apart, extra))
    case(f"gate-{extra}", partial(gated, extra))
    case(f"difference-curves-{extra}", partial(difference_curves, extra))
DRAWN = ("ks", "h_measure", "ece", "brier_skill", "roc_auc")
case("compare-drawn", partial(of_measures, compared, DRAWN, "plain", method="bootstrap", draws=200, random_state=0))
case("compare-drawn-groups", partial(of_measures, compared, ("ks", "mcc"), "groups", method="bootstrap", draws=200))
case(
    "compare-swapped",
    partial(of_measures, compared, ("accuracy", "roc_auc", "ks"), "plain", method="swap", draws=200, random_state=0),
)
case("compare-delta", partial(of_measures, compared, ("accuracy", "mcc", "roc_auc"), "both", method="delta"))
case("compare-against-a-control", partial(compared, "f1", "plain", models="abc", control="b"))
case("compare-six-models", six_models)
case("gate-drawn", lambda: sf.gate(two()["y"], two()["p_b"], two()["p_a"], measure="ks", random_state=0))


# files


def assessed_files(cuts: tuple[int, ...], extra: str) -> Any:
    with in_files(two(), cuts) as source:
        a = sf.assess(source, truth="y", pred="a", score="p_a", **EXTRAS[extra])
        return {"overall": overall(a), "at": overall(a.at(0.3)), "cuts": cuts_of(a)}


def compared_files(cuts: tuple[int, ...], extra: str) -> Any:
    with in_files(two(), cuts) as source:
        labels = sf.compare(source, ["a", "c"], truth="y", measure=list(OF_LABELS), margin=0.02, **EXTRAS[extra])
        scored = ["roc_auc", "average_precision", "brier", "log_loss"]
        scores = sf.compare(source, SCORED, truth="y", measure=scored, margin=0.02, **EXTRAS[extra])
        gates = [
            sf.gate(source, "b", "a", truth="y", margin=0.05, **EXTRAS[extra]),
            sf.gate(source, "p_b", "p_a", truth="y", measure="roc_auc", margin=0.05, **EXTRAS[extra]),
            sf.gate(source, None, "p_a", truth="y", measure="brier", at_most=0.3, **EXTRAS[extra]),
        ]
        return {"labels": labels, "scores": scores, "gates": gates}


def quantised() -> Any:
    rng = np.random.default_rng(5)
    y = rng.random(20_000) < 0.5
    rows = polars.DataFrame({"y": y, "s": y + rng.standard_normal(len(y)), "t": y + 1.1 * rng.standard_normal(len(y))})
    with in_files(rows, (7_000,)) as source:
        told = sf.compare(source, ["s", "t"], truth="y", memory="1MB", margin=0.02)
        return {"overall": overall(sf.assess(source, truth="y", score="s", memory="1MB")), "comparison": told}


def three_in_files() -> Any:
    with in_files(three(), (80,)) as source:
        a = sf.assess(source, truth="y", pred="a", groups="g")
        told = sf.compare(source, list(MODELS), truth="y", measure=["kappa", "f1_macro"])
        return {"overall": overall(a), "comparison": told}


for extra in EXTRAS:
    case(f"files-assess-{extra}", partial(assessed_files, THREE, extra))
    case(f"files-compare-{extra}", partial(compared_files, THREE, extra))
case("files-assess-one-file", partial(assessed_files, (), "both"))
case("files-compare-one-file", partial(compared_files, (), "both"))
case("files-quantised-scores", quantised)
case("files-three-classes", three_in_files)


# models trained on splits, and studies of them

IRIS, SPECIES = load_iris(return_X_y=True)
X, Y = IRIS[50:, :2], np.where(SPECIES[50:] == 1, "no", "yes")
BAYES = {"naive": NaiveBayes(), "full": FullBayes()}
TREES = {"bayes": NaiveBayes(), "tree": (DecisionTree(), {"max_depth": [1, 2]})}
SEEDED: dict[str, Any] = {"folds": 5, "random_state": 0, "pos_label": "yes"}


def study() -> Any:
    s = sf.cross_validate(BAYES, X, Y, repeats=3, **SEEDED)
    asked = {m: s.compare(m) for m in ("error_rate", "roc_auc", "brier")}
    return {"study": s, "paired_t": s.compare("error_rate", test="paired_t"), **asked}


def of_intervals() -> Any:
    r = sf.cross_validate(NaiveBayes(), X, Y, repeats=4, **SEEDED)
    ways = {m: or_refused(partial(r.interval, "error_rate", method=m)) for m in ("corrected", "t", "normal")}
    return ways | {"mean": r.mean("error_rate"), "variance": r.variance("error_rate"), "values": r.values("roc_auc")}


def bench() -> sf.Benchmark:
    parts = {"all": (X, Y), "even": (X[::2], Y[::2]), "odd": (X[1::2], Y[1::2]), "late": (X[30:], Y[30:])}
    return sf.benchmark({**BAYES, "wide": NaiveBayes()}, parts, folds=3, random_state=0)


def in_groups() -> Any:
    return sf.cross_validate(NaiveBayes(), X, Y, groups=np.arange(100) % 20, **SEEDED)


case("cross-validate", lambda: sf.cross_validate(NaiveBayes(), X, Y, repeats=2, **SEEDED))
case("cross-validate-groups", in_groups)
case("cross-validate-intervals", of_intervals)
case("leave-one-out", lambda: sf.leave_one_out(NaiveBayes(), X, Y, pos_label="yes", random_state=0))
case("holdout", lambda: sf.holdout(NaiveBayes(), X, Y, random_state=0, pos_label="yes"))
case("study", study)
case("bootstrap", lambda: sf.bootstrap(NaiveBayes(), X, Y, samples=20, random_state=0))
case("select", lambda: sf.select(BAYES, X, Y, **SEEDED))
case("select-nested", lambda: sf.select(BAYES, X, Y, strategy="nested", outer_folds=3, **SEEDED))
case("select-costs", lambda: sf.select(BAYES, X, Y, costs={"fp": 1, "fn": 5}, test_size=None, **SEEDED))
case("benchmark", bench)
case("benchmark-compared", lambda: bench().compare())
case("bias-variance", lambda: sf.bias_variance(NaiveBayes(), X, Y, loss="domingos", random_state=0))
case("learning-curve", lambda: sf.learning_curve(NaiveBayes(), X, Y, random_state=0, sizes=[0.5, 1.0], folds=3))
case("noise-curve", lambda: sf.noise_curve(NaiveBayes(), X, Y, random_state=0, shares=[0, 0.2], folds=3))
case("cost-study", lambda: sf.cost_sensitive(NaiveBayes(), X, Y, {"fp": 1, "fn": 5}, **SEEDED))
case("study-of-trees", lambda: sf.cross_validate({"tree": DecisionTree(), **BAYES}, X, Y, **SEEDED))
case("select-trees", lambda: sf.select(TREES, X, Y, **SEEDED))
case("pruning", lambda: sf.pruning_curves(X, Y, folds=3, random_state=0, parameters={"max_depth": [1, 2]}))
case("bias-variance-trees", lambda: sf.bias_variance(
    DecisionTree(), X, Y, loss="kohavi_wolpert", random_state=0, param="max_depth", grid=[1, 2]))  # fmt: skip


# plain numbers: tests, intervals and plans

A, B = np.array([0.91, 0.88, 0.93, 0.9, 0.87]), np.array([0.89, 0.88, 0.9, 0.91, 0.85])
TABLE = np.random.default_rng(4).random((9, 4)).round(2)


def tests_of_numbers() -> Any:
    rows = two()
    y, p, q = rows["y"].to_numpy(), rows["p_a"].to_numpy(), rows["p_b"].to_numpy()
    right = np.stack([rows[m].to_numpy() == y for m in MODELS], axis=1)
    differences = np.linspace(-0.02, 0.05, 10).reshape(5, 2)
    c = comparison
    return {
        "paired_t": c.paired_t(A, B), "corrected_t": c.corrected_t(A, B, 80, 20), "wilcoxon": c.wilcoxon(A, B),
        "sign_test": c.sign_test(A, B), "five_by_two_t": c.five_by_two_t(differences),
        "five_by_two_f": c.five_by_two_f(differences), "permutation": c.permutation(A, B),
        "mcnemar": [c.mcnemar(12, 5, n=90, method=m) for m in ("mid_p", "exact", "chi2", "chi2_corrected")],
        "cochran_q": c.cochran_q(right), "delong_test": c.delong_test(y, p, q),
        "delong_test_unpaired": c.delong_test_unpaired(y[:120], p[:120], y[120:], q[120:]),
        "two_proportions": [c.two_proportions(0.2, 80, 0.1, 90, pooled=b) for b in (True, False)],
        "friedman": c.friedman(TABLE), "nemenyi": c.nemenyi(TABLE), "bonferroni_dunn": c.bonferroni_dunn(TABLE),
        "bowker": c.bowker([[10, 3, 2], [1, 9, 5], [4, 0, 8]]), "holm": c.holm([0.01, 0.04, 0.03]),
        "hochberg": c.hochberg([0.01, 0.04, 0.03]), "benjamini_hochberg": c.benjamini_hochberg([0.01, 0.04, 0.03]),
        "bayes_correlated_t": c.bayes_correlated_t(A - B, 80, 20),
        "bayes_signed_rank": c.bayes_signed_rank(A - B, random_state=0),
    }  # fmt: skip


def intervals_of_numbers() -> Any:
    e, rows = estimates, two()
    shares = (e.wilson, e.clopper_pearson, e.jeffreys, e.agresti_coull, e.wald)
    found: dict[str, Any] = {f.__name__: [f(7, 10), f(0, 12), f(90, 100, confidence=0.9)] for f in shares}
    return found | {
        "mean": e.mean_interval(A), "normal": e.mean_interval(A, distribution="normal"),
        "delong": [e.delong(rows["y"], rows["p_a"], method=m) for m in ("one_row", "logit", "none")],
        "point632": e.point632(0.1, 0.3), "point632plus": e.point632plus(0.1, 0.3, 0.5),
        "pessimistic_error": [e.pessimistic_error(2, 14, bound=b) for b in ("wilson", "c45")],
        "proportion_test": e.proportion_test(45, 60, 0.6),
        "no_information_rate": e.no_information_rate(rows["y"], rows["a"]),
        "table": [sf.Confusion([[20, 5], [3, 12]]).measure(m, pos_label=1) for m in ("kappa", "f1", "lift")],
        "decompose": decompose(np.array([[0, 1, 1], [0, 0, 1], [1, 1, 1]]), [0, 1, 0], loss="domingos"),
    }  # fmt: skip


def plans() -> Any:
    asked: dict[str, dict[str, Any]] = {
        "proportion": {"value": 0.9, "null": 0.8}, "two_proportions": {"first": 0.7, "second": 0.85},
        "mcnemar": {"difference": 0.06, "disagreement": 0.15}, "pilot": {"se": 0.02, "rows": 300, "difference": 0.05},
        "auc": {"value": 0.85, "null": 0.75, "positives_share": 0.3},
        "paired_auc": {"first": 0.8, "second": 0.9, "correlation": 0.4, "positives_share": 0.3},
    }  # fmt: skip
    found: dict[str, Any] = {}
    for kind, facts in asked.items():
        found[kind] = [sf.sample_size(kind, **facts), sf.power(kind, n=200, **facts)]
    found["smallest"] = sf.smallest_difference("mcnemar", n=500, disagreement=0.1)
    found["width"] = sf.expected_width("proportion", n=30, value=0.9)
    return found


case("tests-of-numbers", tests_of_numbers)
case("intervals-of-numbers", intervals_of_numbers)
case("plans", plans)
