"""Scores through the public door: measures, curves, thresholds, costs, findings, documents."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

import surefold as sf
from surefold.cli.main import main
from surefold.curves.cost_curve import ExpectedCost
from surefold.errors import InputError
from surefold.report.as_json import to_json
from surefold.tallies.score_groups import ScoreGroups

RNG = np.random.default_rng(4)
TRUTH = (RNG.random(300) < 0.4).astype(int)
SCORES = np.round(np.clip(RNG.normal(0.4 + 0.25 * TRUTH, 0.2), 0.001, 0.999), 3)


@pytest.fixture(name="scored")
def _scored():
    return sf.assess(TRUTH, y_score=SCORES)


def codes(a: sf.Assessment) -> set[str]:
    return {finding.code for finding in a.findings}


def test_values_are_scikit_learns(scored):
    assert scored["roc_auc"].value == pytest.approx(roc_auc_score(TRUTH, SCORES))
    assert scored["average_precision"].value == pytest.approx(average_precision_score(TRUTH, SCORES))
    assert scored["brier"].value == pytest.approx(brier_score_loss(TRUTH, SCORES))
    assert scored["log_loss"].value == pytest.approx(log_loss(TRUTH, SCORES))
    assert scored["accuracy"].value == pytest.approx(np.mean((SCORES >= 0.5) == TRUTH))


def test_every_measure_has_an_interval_that_holds_its_value(scored):
    for name, e in scored.overall.items():
        assert e.defined, name
        assert e.low <= e.value <= e.high, name
        assert e.low < e.high, name


def test_one_measure_one_call_is_the_same(scored):
    assert sf.measure("roc_auc", TRUTH, y_score=SCORES) == scored["roc_auc"]
    assert sf.measure("ece", TRUTH, y_score=SCORES, bins=10).value != scored["ece"].value
    delong = sf.measure("roc_auc", TRUTH, y_score=SCORES, method="delong")
    assert "known_to_mislead" in delong.flags
    assert delong.se == pytest.approx(scored["roc_auc"].se)


def test_curves_come_from_one_tally(scored):
    assert scored.roc.auc == scored["roc_auc"]
    assert scored.roc.area == pytest.approx(scored["roc_auc"].value)
    assert scored.precision_recall.average_precision == pytest.approx(scored["average_precision"].value)
    assert scored.gains.at(1.0) == pytest.approx(1)
    assert scored.lift.at(1.0) == pytest.approx(1)
    assert len(scored.calibration.share) > 1
    assert scored.decision.at(0.01) == pytest.approx(scored.decision.treat_all[0], abs=0.05)
    assert 0 <= scored.cost.at(0.5) <= 0.5  # normalised cost at even odds: (FNR + FPR) / 2


def test_the_brier_score_in_parts(scored):
    parts = scored.brier_parts
    assert parts.reliability - parts.resolution + parts.uncertainty == pytest.approx(scored["brier"].value)
    assert sf.least_cost_classes([[0.8, 0.2]], [[0, 1], [5, 0]]).tolist() == [1]  # 5 x .2 against .8


def test_a_threshold_moves_the_labels(scored):
    at = scored.at(0.3)
    called = SCORES >= 0.3
    assert at["recall"].value == pytest.approx(called[TRUTH == 1].mean())
    assert at["specificity"].value == pytest.approx((~called)[TRUTH == 0].mean())
    assert at["roc_auc"] == scored["roc_auc"]
    assert sf.assess(TRUTH, y_score=SCORES, threshold=0.3).confusion == at.confusion
    assert scored["recall"].value == pytest.approx((SCORES >= 0.5)[TRUTH == 1].mean())  # unchanged


def test_a_threshold_with_weights_and_with_groups():
    weights, groups = RNG.uniform(0.5, 2, 300), RNG.integers(0, 30, 300)
    for rows in ({"sample_weight": weights}, {"groups": groups}, {"sample_weight": weights, "groups": groups}):
        moved = sf.assess(TRUTH, y_score=SCORES, **rows).at(0.3)
        fresh = sf.assess(TRUTH, y_score=SCORES, threshold=0.3, **rows)
        for name in ("recall", "f1", "mcc", "kappa"):
            assert moved[name].interval == pytest.approx(fresh[name].interval), name


def test_groups_widen_the_interval_of_the_area():
    groups = np.repeat(np.arange(60), 5)
    order = np.argsort(SCORES + TRUTH)  # neighbours in one group
    plain = sf.assess(TRUTH[order], y_score=SCORES[order])["roc_auc"]
    grouped = sf.assess(TRUTH[order], y_score=SCORES[order], groups=groups)["roc_auc"]
    assert grouped.value == plain.value
    assert grouped.width > 1.2 * plain.width


def test_costs_and_the_best_threshold(scored):
    priced = sf.assess(TRUTH, y_score=SCORES, costs={"fp": 1, "fn": 5})
    best = priced.best_threshold("cost")
    cost = [((t <= SCORES) & (TRUTH == 0)).sum() + 5 * ((t > SCORES) & (TRUTH == 1)).sum() for t in np.unique(SCORES)]
    assert best.point.fp + 5 * best.point.fn == min(cost)
    assert best.cross_fitted is not None
    assert best.cross_fitted.point.fp + 5 * best.cross_fitted.point.fn >= min(cost)
    assert "somewhat flattering" in str(best)
    assert priced["expected_cost"].value == pytest.approx(
        (priced.confusion.counts[0, 1] + 5 * priced.confusion.counts[1, 0]) / 300
    )
    assert isinstance(priced.cost, ExpectedCost)
    assert priced.cost.best.threshold == best.point.threshold
    assert scored.best_threshold("youden").point.threshold == scored.roc.best(by="youden").threshold
    weighted = sf.assess(TRUTH, y_score=SCORES, sample_weight=RNG.uniform(0.5, 2, 300)).best_threshold()
    assert weighted.cross_fitted is None
    assert "somewhat flattering" in str(weighted)


def test_scores_that_are_no_probabilities_rank_but_make_no_labels():
    a = sf.assess(TRUTH, y_score=SCORES * 10 - 5)
    assert a["roc_auc"].value == pytest.approx(roc_auc_score(TRUTH, SCORES))
    assert "brier" not in a
    assert a.verdict.status == "better"
    assert "better than chance" in str(a)
    for ask in (lambda: a.confusion, lambda: a["accuracy"], lambda: a.per_class[0]["recall"], a.bootstrap):
        with pytest.raises(InputError, match="threshold="):
            ask()
    with pytest.raises(InputError, match="needs probabilities"):
        a.measure("brier")
    assert a.at(0.0)["accuracy"].value == pytest.approx(np.mean((SCORES >= 0.5) == TRUTH))
    with pytest.raises(InputError, match="100"):
        sf.measure("brier", TRUTH, y_score=SCORES * 100)


def test_labels_alone_have_no_curves():
    a = sf.assess(TRUTH, TRUTH)
    with pytest.raises(InputError, match="y_score="):
        _ = a.roc
    with pytest.raises(InputError, match="needs scores"):
        sf.measure("roc_auc", TRUTH, TRUTH)


def test_the_wrong_way_round_is_a_finding_never_a_flip():
    a = sf.assess(TRUTH, y_score=1 - SCORES)
    assert a["roc_auc"].value == pytest.approx(1 - roc_auc_score(TRUTH, SCORES))
    assert "worse_than_random" in codes(a)
    assert sf.assess(TRUTH, y_score=-SCORES).verdict.status == "worse"


def test_constant_scores_are_a_finding():
    a = sf.assess(TRUTH, y_score=np.full(300, 0.4))
    assert "constant_scores" in codes(a)
    assert a["roc_auc"].value == 0.5
    assert a["roc_auc"].low < 0.5 < a["roc_auc"].high


def test_scores_that_run_high_are_a_finding():
    assert "scores_run_high" in codes(sf.assess(TRUTH, y_score=np.clip(SCORES + 0.2, 0, 1)))
    assert "scores_run_low" in codes(sf.assess(TRUTH, y_score=np.clip(SCORES - 0.3, 0, 1)))


def test_one_class_has_no_area():
    a = sf.assess([1] * 20, y_score=np.linspace(0.1, 0.9, 20))
    assert not a["roc_auc"].defined
    assert a["roc_auc"].reason


def test_many_classes_by_a_matrix():
    p = RNG.dirichlet([1, 1, 1], 400)
    truth = np.array([RNG.choice(["a", "b", "c"], p=row) for row in p])
    a = sf.assess(truth, y_score=p, labels=["a", "b", "c"])
    assert a["roc_auc_hand_till"].value == pytest.approx(roc_auc_score(truth, p, multi_class="ovo"))
    assert a["roc_auc_ovr"].value == pytest.approx(roc_auc_score(truth, p, multi_class="ovr"))
    assert a["log_loss_multiclass"] == a.measure("log_loss")
    assert a["brier_multiclass"].low < a["brier_multiclass"].value
    assert a.against_rest("b").auc == pytest.approx(roc_auc_score(truth == "b", p[:, 1]))
    with pytest.raises(InputError, match="pos_label="):
        _ = a.roc
    assert a.measure("roc_auc") == a["roc_auc_hand_till"]
    assert "roc_auc_hand_till" in str(a)


def test_round_trips(scored):
    document = json.loads(to_json(scored.to_dict()))
    again = sf.Assessment.from_dict(document)
    assert json.loads(to_json(again.to_dict())) == document
    assert again.roc.area == pytest.approx(scored.roc.area)
    assert pickle.loads(pickle.dumps(scored))["roc_auc"] == scored["roc_auc"]
    bare = sf.assess(TRUTH, y_score=SCORES * 10)
    assert sf.Assessment.from_dict(json.loads(to_json(bare.to_dict())))["roc_auc"] == bare["roc_auc"]
    assert bare.to_frame().height == len(bare.overall)


def test_the_command_line(tmp_path, capsys):
    path = tmp_path / "scores.csv"
    lines = ["y,score,logit", *(f"{t},{s},{s * 10 - 5:.4f}" for t, s in zip(TRUTH, SCORES, strict=True))]
    path.write_text("\n".join(lines) + "\n")
    assert main(["assess", str(path), "--truth", "y", "--score", "score", "--costs", "fp=1,fn=5", "-q"]) == 0
    out = capsys.readouterr().out
    assert "roc_auc" in out
    assert "expected_cost" in out
    assert "Least cost: threshold" in out
    for shape in ("json", "csv", "md", "junit", "table"):
        assert main(["assess", str(path), "--truth", "y", "--score", "logit", "--format", shape, "-q"]) == 0
        assert "roc_auc" in capsys.readouterr().out.replace("\\", "")  # which markdown escapes by
    assert main(["assess", str(path), "--truth", "y", "--score", "logit", "--threshold", "0", "-q"]) == 0
    assert "accuracy" in capsys.readouterr().out
    assert main(["assess", str(path), "--truth", "y", "--score", "score", "--costs", "5"]) == 2
    assert "--costs fp=1,fn=5" in capsys.readouterr().err


def test_many_classes_in_groups_and_with_weights():
    rng = np.random.default_rng(8)
    p = rng.dirichlet([1, 1, 1], 240)
    truth = np.array([rng.choice(3, p=row) for row in p])
    groups = np.repeat(np.arange(24), 10)
    plain, grouped = (sf.assess(truth, y_score=p, groups=g) for g in (None, groups))
    assert plain.scores is not None
    for name in plain.scores.available():
        assert grouped[name].value == pytest.approx(plain[name].value), name
        assert grouped[name].low < grouped[name].high, name
    weighted = sf.assess(truth, y_score=p, sample_weight=rng.uniform(0.5, 2, 240))
    assert weighted["roc_auc_ovr"].low < weighted["roc_auc_ovr"].value < weighted["roc_auc_ovr"].high


def test_few_groups_are_flagged_for_scores_too():
    groups = np.arange(300) % 5
    a = sf.assess(TRUTH, y_score=SCORES, groups=groups)
    assert "few_clusters" in a["roc_auc"].flags
    assert "few_clusters" in a["brier"].flags


def test_the_h_measure_on_many_scores_is_that_of_all_of_them():
    rng = np.random.default_rng(9)
    truth = rng.random(2000) < 0.3
    scores = rng.normal(size=2000) + truth
    a = sf.assess(truth, y_score=scores)
    e = a["h_measure"]
    assert e.low < e.value < e.high
    assert e == a.measure("h_measure", random_state=0)


@pytest.mark.parametrize("weighted", [False, True])
def test_tallies_cut_coarser_say_what_that_costs(weighted):
    weights = RNG.uniform(0.5, 2, 300) if weighted else None
    t = ScoreGroups.of(SCORES, TRUTH == 1, weights)
    coarse = t.coarser(16)
    assert coarse.quantised
    assert len(coarse.score) < len(t.score)
    assert coarse.auc_bounds[0] <= t.auc_bounds[0]
    assert t.auc_bounds[1] <= coarse.auc_bounds[1]
    assert coarse.positives == pytest.approx(t.positives)
    assert t.mirrored().auc == pytest.approx(t.auc)
    with pytest.raises(TypeError):
        _ = t + 1  # type: ignore[operator]


def test_classes_that_are_alone_are_counted_too():
    rng = np.random.default_rng(10)
    scores = np.concatenate([rng.normal(size=4000), np.round(rng.normal(size=4000), 1), [np.inf, -np.inf, 0.0, -0.0]])
    one_sided = ScoreGroups.of(np.abs(scores), np.ones(len(scores), bool))
    assert one_sided.negatives == 0
    assert (np.diff(one_sided.score) < 0).all()


def test_plots_are_drawn_from_the_assessment(scored):
    for thing in (scored.roc, scored.precision_recall, scored.gains, scored.lift, scored.calibration, scored.confusion):
        ax = thing.plot()
        assert ax.figure is not None


def test_a_predictions_made_before_takes_no_further_arguments():
    p = sf.Predictions.of(TRUTH, y_score=SCORES)
    assert sf.assess(p)["roc_auc"].value == pytest.approx(roc_auc_score(TRUTH, SCORES))
    with pytest.raises(InputError, match=r"Predictions\.of"):
        sf.assess(p, pos_label=0)


def test_frames_with_names_are_read_by_name():
    truth = [0] * 10 + [1] * 10
    answer = [0] * 7 + [1] * 3 + [1] * 9 + [0]
    by_name = pd.DataFrame([[0, 5], [1, 0]], index=[1, 0], columns=[1, 0])  # fn 5, fp 1
    assert sf.assess(truth, answer, costs=by_name)["expected_cost"].value == pytest.approx((3 + 5) / 20)
    table = sf.Confusion(pd.DataFrame([[1, 5], [5, 2]], index=["x", "y"], columns=["y", "x"]))
    assert table.labels == ("x", "y")
    assert table.counts.tolist() == [[5, 1], [2, 5]]
    with pytest.raises(InputError, match="name rows and columns"):
        sf.assess(truth, answer, costs=by_name.set_axis([2, 0]))


def test_models_in_a_frame_can_be_compared():
    frame = pd.DataFrame({"a": TRUTH, "b": 1 - TRUTH})
    assert sf.compare(TRUTH, frame).differences[0].status == "better"
    with pytest.raises(InputError, match="without names"):
        sf.compare(TRUTH, [TRUTH, TRUTH])
    undefined = sf.compare(TRUTH, {"good": TRUTH, "constant": np.zeros(300, int)}, measure="mcc")
    assert undefined.differences[0].status == "cannot_tell"
    assert "mcc is undefined for constant" in str(undefined)
    missing = TRUTH.astype(object)
    missing[3] = None
    some = sf.compare(TRUTH, {"a": missing, "b": TRUTH}, drop_missing=True)
    assert some.differences[0].rows == 299


def test_rows_of_probabilities_must_add_up():
    p = RNG.dirichlet([1, 1, 1], 60)
    truth = p.argmax(axis=1)
    with pytest.raises(InputError, match="add up to 1"):
        sf.assess(truth, y_score=p * 0.9)
    assert "probability_sums" in codes(sf.assess(truth, y_score=p * (1 - 1e-5)))
    margins = sf.assess(truth, y_score=np.log(p))  # decision values rank, and are no probabilities
    assert margins["roc_auc_ovr"].value == pytest.approx(sf.assess(truth, y_score=p)["roc_auc_ovr"].value)
    assert "brier_multiclass" not in margins
    with pytest.raises(InputError, match="k below 3"):
        sf.measure("top_k_accuracy", truth, y_score=p, k=3)


def test_a_matrix_of_costs_is_read_in_the_order_of_the_labels(scored):
    named = scored.best_threshold("cost", costs={"fp": 1, "fn": 5}).point
    assert scored.best_threshold("cost", costs=[[0, 1], [5, 0]]).point == named  # costs[true][predicted], labels 0, 1
    other = sf.assess(TRUTH, y_score=1 - SCORES, pos_label=0)
    flipped = other.best_threshold("cost", costs={"fp": 5, "fn": 1}).point  # for class 0 a missed 1 is a false alarm
    assert other.best_threshold("cost", costs=[[0, 1], [5, 0]]).point == flipped
    with pytest.raises(InputError, match="order of the labels"):
        scored.roc.best("cost", costs=[[0, 1], [5, 0]])
    with pytest.raises(InputError, match="price both errors"):
        sf.assess(TRUTH, y_score=SCORES, costs={"fp": 1})


def test_copies_in_groups_say_what_single_rows_say(scored):
    times = np.repeat(np.arange(300), 4)
    copied = sf.assess(TRUTH[times], y_score=SCORES[times], groups=times)
    naive = sf.assess(TRUTH[times], y_score=SCORES[times])
    for kind in ("pointwise", "simultaneous"):
        low, high = (np.ravel(x) for x in copied.roc.band(kind=kind).at(0.2))
        one_low, one_high = (np.ravel(x) for x in scored.roc.band(kind=kind).at(0.2))
        assert high - low == pytest.approx(one_high - one_low, rel=0.2)
    alone, ours, wrong = (a.roc.partial_area(fpr=(0, 0.2)).width for a in (scored, copied, naive))
    assert ours == pytest.approx(alone, rel=0.25)
    assert wrong < 0.7 * alone
    assert (copied.calibration.high[0] - copied.calibration.low[0]) > 1.5 * (
        naive.calibration.high[0] - naive.calibration.low[0]
    )
    assert copied["h_measure"].width > 1.4 * naive["h_measure"].width
    with pytest.raises(InputError, match="groups as independent"):
        copied.measure("roc_auc", method="bca")


def test_whole_groups_are_left_out_when_a_threshold_is_judged():
    times = np.repeat(np.arange(300), 4)
    choice = sf.assess(TRUTH[times], y_score=SCORES[times], groups=times).best_threshold("fbeta")
    assert choice.cross_fitted is not None
    assert choice.cross_fitted.point.counts.sum() == 1200
    assert choice.cross_fitted.point.counts[0].tolist() != choice.point.counts[0].tolist()
    with pytest.raises(InputError, match="2 or more"):
        sf.assess(TRUTH, y_score=SCORES).best_threshold(folds=1)


def test_a_method_that_is_not_there_is_refused_everywhere(scored):
    for name in scored.scores.available():
        with pytest.raises(sf.UnknownNameError):
            scored.measure(name, method="foo")


def test_one_group_gives_the_whole_range(scored):
    a = sf.assess(TRUTH, y_score=SCORES, groups=np.zeros(300))
    assert a["brier"].interval == (0.0, 1.0)
    assert a["roc_auc"].interval == (0.0, 1.0)


def test_the_h_measure_always_has_width():
    truth = np.repeat([0, 1], 10)
    perfect = sf.assess(truth, y_score=np.linspace(0.1, 0.9, 20))["h_measure"]
    constant = sf.assess(truth, y_score=np.full(20, 0.5))["h_measure"]
    assert perfect.low < 0.95 < perfect.high == 1
    assert constant.low == 0 < constant.high


def test_a_positive_class_among_many_is_meant_by_every_two_class_name():
    p = RNG.dirichlet([1, 1, 1], 200)
    truth = np.array(["a", "b", "c"])[p.argmax(axis=1)]
    a = sf.assess(truth, y_score=p, labels=["a", "b", "c"], pos_label="b")
    assert a.measure("brier").value == pytest.approx(np.mean((p[:, 1] - (truth == "b")) ** 2))
    assert a.measure("roc_auc").value == pytest.approx(roc_auc_score(truth == "b", p[:, 1]))


def test_infinite_scores_and_dust():
    scores = SCORES.copy()
    scores[3] = np.inf
    a = sf.assess(TRUTH, y_score=scores, threshold=0.5)
    document = json.loads(to_json(a.to_dict()))
    assert "scores_not_stored" in codes(sf.Assessment.from_dict(document))
    dusty = SCORES.copy()
    dusty[0] = 1 + 1e-9
    b = sf.assess(TRUTH, y_score=dusty)
    assert "rounded_probabilities" in codes(b)
    assert b["brier"].defined


def test_a_moved_threshold_forgets_what_was_said_of_the_old_one(scored):
    assert "labels_from_scores" in codes(scored)
    assert "labels_from_scores" not in codes(scored.at(0.3))
    with pytest.raises(InputError, match="threshold"):
        scored.at(float("nan"))


def test_a_measure_asked_for_by_name_is_given_or_refused(capsys, tmp_path):
    with pytest.raises(InputError, match="needs probabilities"):
        sf.assess(TRUTH, y_score=SCORES * 10, measures=["brier"])
    with pytest.raises(InputError, match="needs scores"):
        sf.assess(TRUTH, TRUTH, measures=["roc_auc"])
    everything = sf.assess(TRUTH, TRUTH, measures="all")
    assert "roc_auc" not in everything
    assert "kappa" in everything


def test_single_precision_ties_are_told():
    fine = np.linspace(0.5, 0.5 + 1e-6, 100)  # distinct in double, not in single precision
    truth = np.arange(100) % 2
    assert "single_precision_ties" in codes(sf.assess(truth, y_score=fine.astype(np.float32)))
    assert "single_precision_ties" not in codes(sf.assess(truth, y_score=fine))


def test_copied_rows_are_told_unless_groups_say_so():
    rng = np.random.default_rng(12)
    truth, fine = rng.integers(0, 2, 200), rng.random(200)
    twice = np.concatenate([np.arange(200), np.arange(40)])
    assert "repeated_rows" in codes(sf.assess(truth[twice], y_score=fine[twice]))
    assert "repeated_rows" not in codes(sf.assess(truth[twice], y_score=fine[twice], groups=twice))
    assert "repeated_rows" not in codes(sf.assess(truth, y_score=fine))
    assert "repeated_rows" not in codes(sf.assess(truth, y_score=np.round(fine, 2)))  # rounding ties too
    assert "repeated_rows" not in codes(sf.assess(truth, y_score=rng.choice([1 / 3, 2 / 7, 5 / 9], 200)))  # leaves


def test_whatever_rows_of_weight_zero_scored_is_out() -> None:
    y, s = [0, 1, 0, 1, 1, 0], [0.2, 0.9, 0.4, 0.6, np.inf, -7.0]
    weights, groups = [1, 2, 1, 1, 0, 0], [0, 0, 1, 1, 2, 2]
    for four, six in ((None, None), (groups[:4], groups)):
        those = sf.assess(y[:4], y_score=s[:4], sample_weight=weights[:4], groups=four)
        found = sf.assess(y, y_score=s, sample_weight=weights, groups=six)
        for name in ("roc_auc", "average_precision", "brier", "log_loss"):
            assert (found[name].value, *found[name].interval) == (those[name].value, *those[name].interval)
    two = {"a": s, "b": [0.3, 0.4, 0.5, 0.7, -np.inf, 9.0]}
    first = {model: column[:4] for model, column in two.items()}
    for name in ("roc_auc", "average_precision", "brier", "log_loss", "brier_skill"):
        e = sf.compare(y, two, measure=name, sample_weight=weights).differences[0].test.effect
        wanted = sf.compare(y[:4], first, measure=name, sample_weight=weights[:4]).differences[0].test.effect
        assert (e.value, *e.interval) == pytest.approx((wanted.value, *wanted.interval))


def rows_in_two(seed: int = 0) -> tuple[list[int], list[float]]:
    """Sixty rows whose scores say little."""
    rng = np.random.default_rng(seed)
    truth = rng.random(60) < 0.3
    return truth.astype(int).tolist(), (truth + rng.normal(size=60)).tolist()


@pytest.mark.parametrize("said", ["choice", "number"])
def test_a_threshold_chosen_on_these_rows_says_so_with_what_other_rows_would_show(said):
    truth, scores = rows_in_two()
    a = sf.assess(truth, y_score=scores, pos_label=1)
    choice = a.best_threshold("youden")
    b = a.at(choice if said == "choice" else choice.point.threshold)
    assert b.chosen is choice
    assert "threshold_chosen_here" in b["recall"].flags
    assert "threshold_chosen_here" not in b["roc_auc"].flags  # no threshold was needed for that
    (finding,) = [f for f in b.findings if f.code == "threshold_chosen_here"]
    assert choice.cross_fitted is not None
    q = choice.cross_fitted.point
    assert finding.evidence["recall"] == {"here": b["recall"].value, "apart": pytest.approx(q.tp / (q.tp + q.fn))}
    assert finding.evidence["precision"]["apart"] == pytest.approx(q.tp / (q.tp + q.fp))
    assert finding.evidence["accuracy"]["apart"] == pytest.approx((q.tp + q.tn) / 60)
    again = sf.Assessment.from_dict(b.to_dict())
    assert again["recall"].flags == b["recall"].flags
    # cut elsewhere nothing was chosen
    assert "threshold_chosen_here" not in b.at(0.123)["recall"].flags
    assert "threshold_chosen_here" not in {f.code for f in b.at(0.123).findings}


def test_a_threshold_chosen_on_other_rows_carries_no_flag():
    choice = sf.assess(*rows_in_two(1)[:1], y_score=rows_in_two(1)[1], pos_label=1).best_threshold("youden")
    truth, scores = rows_in_two(2)
    b = sf.assess(truth, y_score=scores, pos_label=1).at(choice)
    assert b.chosen is None
    assert "threshold_chosen_here" not in b["recall"].flags


def test_what_is_not_known_of_a_chosen_threshold_is_said():
    truth, scores = rows_in_two()
    weights = np.linspace(1, 2, 60)
    a = sf.assess(truth, y_score=scores, pos_label=1, sample_weight=weights)
    choice = a.best_threshold("youden")
    (finding,) = [f for f in a.at(choice).findings if f.code == "threshold_chosen_here"]
    assert choice.cross_fitted is None
    assert choice.why in finding.sentence
