"""Models' scores on the same rows: areas, average precision, losses, many classes, and measures that are drawn."""

import math

import numpy as np
import polars
import pytest
from sklearn.metrics import average_precision_score

import surefold as sf
from surefold.comparison import compare, delong_test
from surefold.errors import InputError
from surefold.significance.wins_and_losses import Powers, WinsAndLosses


def _scores(seed=0, n=200, share=0.4):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    common = rng.normal(size=n)
    a, b = (1 / (1 + np.exp(-(g * y + 0.6 * common + 0.8 * rng.normal(size=n) - g / 2))) for g in (1.8, 1.2))
    return y, a, b


def test_scores_are_compared_by_their_area_without_being_asked():
    y, a, b = _scores()
    c = compare(y, {"a": a, "b": b})
    assert c.measure == "roc_auc"
    d = c.differences[0]
    assert d.test.name == "wins and losses"
    assert d.effect.value == pytest.approx(delong_test(y, a, b).effect.value)
    gini = compare(y, {"a": a, "b": b}, measure="gini").differences[0]
    assert gini.effect.low == pytest.approx(2 * d.effect.low)
    assert gini.test.p_value == pytest.approx(d.test.p_value)


def test_delong_as_published_by_name():
    """`method="delong"` is delong_test's, of areas and of nothing else."""
    y, a, b = _scores()
    models = {"a": a, "b": b, "again": a}
    c = compare(y, models, method="delong")
    d, known = c["a", "b"], delong_test(y, a, b, method="delong")
    assert d.test.name == known.name == "DeLong, paired"
    assert d.test.p_value == pytest.approx(known.p_value)
    assert d.single.interval == pytest.approx(known.effect.interval)
    assert d.effect.interval == compare(y, models, method="delta")["a", "b"].effect.interval
    assert "known_to_mislead" in d.test.flags
    same = c["a", "again"]
    assert (same.test.p_value, same.status, math.isnan(same.effect.low)) == (1, "cannot_tell", True)
    assert "DeLong's variance is 0" in str(same)
    with pytest.raises(InputError, match="compares areas under the ROC curve, and brier is none"):
        compare(y, models, measure="brier", method="delong")
    gated = sf.gate(y, b, a, measure="roc_auc", method="delong", margin=0.01)
    assert gated.difference is not None
    assert gated.difference.test.name == "DeLong, paired"


@pytest.mark.parametrize("measure", ["roc_auc", "average_precision", "brier", "log_loss", "brier_skill", "gini"])
def test_difference_swap_and_identical_scores(measure):
    y, a, b = _scores(1)
    there = compare(y, {"a": a, "b": b}, measure=measure)["a", "b"]
    back = compare(y, {"b": b, "a": a}, measure=measure)["b", "a"]
    values = [float(sf.measure(measure, y, y_score=s)) for s in (a, b)]
    assert there.effect.value == pytest.approx(values[0] - values[1])
    assert (there.effect.low, there.effect.high) == pytest.approx((-back.effect.high, -back.effect.low))
    assert there.test.p_value == pytest.approx(back.test.p_value)
    same = compare(y, {"a": a, "copy": a}, measure=measure).differences[0]
    assert same.test.p_value == 1
    assert same.effect.low < 0 < same.effect.high


def _interval(x, value, flips=(0.0, 0.0), floor=0.0, beside=0.0):
    """From what each row moves the difference by."""
    second, third, fourth = ((x**p).sum() for p in (2, 3, 4))
    counts = Powers(second, third, fourth, flips=flips, floor=floor).counts()
    return WinsAndLosses(value, counts, (-1.0, 1.0), beside).at(0.975), float(counts.deciding)


def test_brier_difference_by_hand():
    y, a, b = np.array([1, 1, 0, 0]), np.array([0.9, 0.6, 0.3, 0.2]), np.array([0.7, 0.8, 0.4, 0.1])
    d = compare(y, {"a": a, "b": b}, measure="brier").differences[0].effect
    losses = (a - y) ** 2 - (b - y) ** 2
    assert d.value == pytest.approx(losses.mean())
    assert d.se == pytest.approx(losses.std() / 2)
    flipped = ((a - (1 - y)) ** 2 - (b - (1 - y)) ** 2 - losses.mean()) / 4
    ends, deciding = _interval((losses - losses.mean()) / 4, losses.mean(), ((flipped**2).mean(), (flipped**4).mean()))
    assert d.interval == pytest.approx(ends)
    assert deciding < 5
    assert "few_rows_decide" in d.flags


def test_area_difference_by_hand():
    y, a, b = _scores(4)
    d = compare(y, {"a": a, "b": b}).differences[0].effect
    m, k = int(y.sum()), int((1 - y).sum())
    won = [((s[y == 1][:, None] > s[y == 0]) + (s[y == 1][:, None] == s[y == 0]) / 2) for s in (a, b)]
    v, w = ((won[0] - won[1]).mean(axis=1) - d.value, (won[0] - won[1]).mean(axis=0) - d.value)
    x = np.append(v / m, w / k)
    both = np.append(v, w)
    floor = (both**4).sum() / (both**2).sum() * (1 / m + 1 / k) / (m + k)
    deciding = (x**2).sum() ** 2 / (x**4).sum()
    q = 0.25 * min(1, 5 / deciding) ** 3
    beside = sum(((u**2).sum() + q * (1 + d.value**2)) / ((r + q) * (r + q - 1)) for u, r in ((v, m), (w, k)))
    assert d.interval == pytest.approx(_interval(x, d.value, floor=floor, beside=math.sqrt(beside))[0])


def test_average_precision_difference_by_leaving_rows_out():
    y, a, b = _scores(2)
    d = compare(y, {"a": a, "b": b}, measure="average_precision").differences[0].effect
    n, m = len(y), int(y.sum())

    def apart(held):
        return average_precision_score(y[held], a[held]) - average_precision_score(y[held], b[held])

    whole = apart(np.ones(n, dtype=bool))
    assert d.value == pytest.approx(whole)
    x = np.array([(whole - apart(np.arange(n) != i)) * (n - 1) / n for i in range(n)])
    x -= x.mean()
    deciding = (x**2).sum() ** 2 / (x**4).sum()
    assert deciding > 5
    floor = _typical(y, a, b) * sum(_reversed(y, s) for s in (a, b)) / 2
    q = min(1, 5 / deciding) ** 3
    beside = math.sqrt((d.se**2 * m**2 + q * (1 + d.value**2)) / (m + q) ** 2)
    assert d.interval == pytest.approx(_interval(x, d.value, floor=floor, beside=beside)[0], rel=1e-6)


def _typical(y, a, b):
    """The mean fourth over the mean square of the differences of placements."""
    won = [((s[y == 1][:, None] > s[y == 0]) + (s[y == 1][:, None] == s[y == 0]) / 2) for s in (a, b)]
    away = won[0] - won[1] - (won[0] - won[1]).mean()
    both = np.append(away.mean(axis=1), away.mean(axis=0))
    return (both**4).sum() / (both**2).sum()


def _reversed(y, s):
    """4 (n-/n Rn + n+/n Rp): what a row turned round would move average precision by, from a row of tiny weight."""
    n, m, step = len(y), int(y.sum()), 1e-6
    value = average_precision_score(y, s)

    def moved(score, label):
        weights = np.append(np.ones(n), step)
        return (average_precision_score(np.append(y, label), np.append(s, score), sample_weight=weights) - value) / step

    negative_there = np.array([moved(score, 0) for score in s[y == 1]])
    positive_here = np.array([moved(score, 1) for score in s[y == 1]]).mean()
    positive_there = np.array([moved(score, 1) for score in s[y == 0]]) - positive_here
    return 4 * ((n - m) * (negative_there**2).mean() + m * (positive_there**2).mean()) / n


@pytest.mark.parametrize("measure", ["roc_auc", "average_precision", "brier", "log_loss"])
def test_weights_of_one_and_groups_of_one(measure):
    y, a, b = _scores(3, n=1500)
    plain = compare(y, {"a": a, "b": b}, measure=measure)["a", "b"].effect
    weighted = compare(y, {"a": a, "b": b}, measure=measure, sample_weight=np.full(1500, 3.0))["a", "b"].effect
    single = compare(y, {"a": a, "b": b}, measure=measure, groups=np.arange(1500))["a", "b"].effect
    for other, near in ((weighted, 1e-9), (single, 5e-3)):
        assert (other.value, other.low, other.high) == pytest.approx((plain.value, plain.low, plain.high), rel=near)


@pytest.mark.parametrize("measure", ["roc_auc", "average_precision", "brier", "log_loss"])
def test_rows_that_stand_four_times_in_a_group_count_once(measure):
    y, a, b = _scores(4, n=600)
    once = compare(y, {"a": a, "b": b}, measure=measure)["a", "b"].effect
    four = [np.repeat(x, 4) for x in (y, a, b)]
    groups = np.repeat(np.arange(600), 4)
    known = compare(four[0], {"a": four[1], "b": four[2]}, measure=measure, groups=groups)["a", "b"].effect
    assert known.value == pytest.approx(once.value)
    assert known.high - known.low == pytest.approx(once.high - once.low, rel=0.03)


@pytest.mark.parametrize("measure", ["roc_auc", "average_precision", "brier", "log_loss"])
def test_a_weight_of_two_is_two_rows_in_the_value(measure):
    y, a, b = _scores(5)
    times = np.random.default_rng(0).integers(1, 4, len(y))
    weighted = compare(y, {"a": a, "b": b}, measure=measure, sample_weight=times)["a", "b"].effect
    repeated = compare(
        np.repeat(y, times), {"a": np.repeat(a, times), "b": np.repeat(b, times)}, measure=measure
    )["a", "b"].effect  # fmt: skip
    assert weighted.value == pytest.approx(repeated.value)


def test_scores_become_labels_at_a_threshold():
    y, a, b = _scores(6)
    by_threshold = compare(y, {"a": a, "b": b}, measure="f1", threshold=0.3)["a", "b"].effect
    by_labels = compare(y, {"a": (a >= 0.3).astype(int), "b": (b >= 0.3).astype(int)}, measure="f1")["a", "b"].effect
    assert by_threshold == by_labels
    with pytest.raises(InputError, match="scores"):
        compare(y, {"a": a, "b": b}, measure="f1")
    both = compare(y, {"a": a, "b": b}, measure=["roc_auc", "accuracy"], threshold=0.5)
    assert list(both) == ["roc_auc", "accuracy"]


def test_one_class_has_no_area_and_says_so():
    c = compare([1, 1, 1], {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1]}, measure="roc_auc", pos_label=1)
    d = c.differences[0]
    assert d.status == "cannot_tell"
    assert "both classes" in d.effect.reason
    assert c.winner is None


def test_two_rows_are_answered():
    d = compare([0, 1], {"a": [0.1, 0.9], "b": [0.9, 0.1]}, measure="roc_auc").differences[0]
    assert d.effect.value == 1
    assert d.effect.low < d.effect.high
    assert "few_of_a_class" in d.effect.flags


def _many(seed=0, n=240, k=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    tables = []
    for strength in (2.0, 1.0):
        raw = rng.gamma(1.0, size=(n, k))
        raw[np.arange(n), y] += strength
        tables.append(raw / raw.sum(axis=1, keepdims=True))
    return y, tables[0], tables[1]


@pytest.mark.parametrize(
    "measure", ["roc_auc_hand_till", "roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "average_precision_macro",
                "log_loss", "brier", "top_k_accuracy"],
)  # fmt: skip
def test_many_classes(measure):
    y, a, b = _many()
    there = compare(y, {"a": a, "b": b}, measure=measure)["a", "b"]
    back = compare(y, {"b": b, "a": a}, measure=measure)["b", "a"]
    values = [float(sf.assess(y, y_score=s)[there.measure]) for s in (a, b)]
    assert there.effect.value == pytest.approx(values[0] - values[1])
    assert (there.effect.low, there.effect.high) == pytest.approx((-back.effect.high, -back.effect.low))
    assert there.effect.low < there.effect.value < there.effect.high
    same = compare(y, {"a": a, "copy": a}, measure=measure)["a", "copy"]
    assert same.test.p_value == 1
    assert same.effect.low < 0 < same.effect.high


def test_two_classes_by_columns_are_two_classes():
    y, a, b = _many(1, k=2)
    by_columns = compare(y, {"a": a, "b": b})
    by_score = compare(y, {"a": a[:, 1], "b": b[:, 1]})
    assert by_columns["a", "b"] == by_score["a", "b"]
    with pytest.raises(InputError, match="ask for roc_auc, which of two classes is the same"):
        compare(y, {"a": a, "b": b}, measure="roc_auc_ovr")


def test_the_area_over_many_classes_without_being_asked():
    y, a, b = _many(2)
    assert compare(y, {"a": a, "b": b}).measure == "roc_auc_hand_till"


@pytest.mark.parametrize("measure", ["ece", "ks", "h_measure"])
def test_measures_without_influence_are_drawn_and_flagged(measure):
    y, a, b = _scores(7)
    d = compare(y, {"a": a, "b": b}, measure=measure, draws=200, random_state=3)["a", "b"]
    again = compare(y, {"a": a, "b": b}, measure=measure, draws=200, random_state=3)["a", "b"]
    values = [float(sf.measure(measure, y, y_score=s)) for s in (a, b)]
    assert d.effect.value == pytest.approx(values[0] - values[1])
    assert d.effect == again.effect
    assert "known_to_mislead" in d.effect.flags
    assert d.test.name == "paired bootstrap"
    with pytest.raises(InputError, match="influence"):
        compare(y, {"a": a, "b": b}, measure=measure, method="one_row")


@pytest.mark.parametrize("measure", ["roc_auc", "brier", "average_precision"])
def test_swapping_and_the_bootstrap_are_near_the_default(measure):
    y, a, b = _scores(8)
    default = compare(y, {"a": a, "b": b}, measure=measure)["a", "b"]
    swapped = compare(y, {"a": a, "b": b}, measure=measure, method="swap", draws=400, random_state=0)["a", "b"]
    drawn = compare(y, {"a": a, "b": b}, measure=measure, method="bootstrap", draws=400, random_state=0)["a", "b"]
    assert swapped.effect == default.effect
    assert swapped.test.name == "swap permutation"
    assert swapped.test.p_value == pytest.approx(default.test.p_value, abs=0.06)
    assert drawn.effect.se == pytest.approx(default.effect.se, rel=0.15)


def test_infinite_scores_rank_and_have_no_loss():
    y, a, b = _scores(9)
    a = a.copy()
    a[np.flatnonzero(y)[0]] = np.inf
    assert compare(y, {"a": a, "b": b}, measure="roc_auc")["a", "b"].effect.defined
    with pytest.raises(InputError):
        compare(y, {"a": a * 3, "b": b}, measure="brier")


def test_whole_numbers_that_are_no_labels_are_scores():
    y = [0] * 50 + [1] * 50
    c = compare(y, {"a": np.arange(100), "b": np.arange(100)[::-1]})
    assert c.measure == "roc_auc"
    assert c["a", "b"].effect.value == 1


def test_labels_beside_scores_are_noticed(tmp_path):
    y, a, b = _scores(10)
    models = {"a": a, "b": b, "c": (b > 0.5).astype(int)}
    polars.DataFrame({"y": y, **models}).write_parquet(tmp_path / "models.parquet")
    for names, told in ((["a", "c"], ["c"]), (["a", "b"], [])):
        arrays = compare(y, {name: models[name] for name in names}, measure="roc_auc")
        files = sf.compare_files(tmp_path / "models.parquet", names, truth="y", measure="roc_auc")
        for c in (arrays, files):
            assert [f.evidence["models"] for f in c.findings if f.code == "two_valued_scores"] == [told] * bool(told)
