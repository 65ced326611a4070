"""Several pairs at once: every interval goes with the status beside it, by arithmetic and over random comparisons."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import surefold as sf
from surefold.comparison.family import Family, beside
from surefold.comparison.judging import PairResult, judged
from surefold.comparison.result import Comparison, Difference
from surefold.estimates.estimate import CUT, Estimate, TestResult
from surefold.estimates.quantiles import normal_quantile, normal_tail
from surefold.learners import DecisionTree, NaiveBayes
from surefold.measures import catalogue
from surefold.significance.bounds import NormalBounds
from surefold.significance.multiplicity import ADJUSTMENTS


def normal_pair(value: float, se: float = 1.0, name: str = "b") -> PairResult:
    """A difference with normal bounds, as a test makes it."""
    bounds = NormalBounds(value, value, se)
    low, high = bounds.at(0.975)
    effect = Estimate(value, low, high, se, 0.95, "normal")
    return PairResult(("a", name), TestResult("z", effect, bounds.score(), bounds.p()), bounds)


def told(values: list[float], se: float = 1.0, **how: Any) -> tuple[Difference, ...]:
    pairs = [normal_pair(v, se, f"b{i}") for i, v in enumerate(values)]
    return judged(catalogue["accuracy"], pairs, Family(**how), rows=100)


def agrees(d: Difference) -> bool:
    """What the status says of 0 and of the margin, the interval says too."""
    e = d.effect
    if not e.defined or math.isnan(e.low):
        return d.status == "cannot_tell"
    if not e.low <= e.value <= e.high:
        return False
    if d.status == "practically_equal":
        return d.margin is not None and -d.margin <= e.low and e.high <= d.margin
    if d.margin is not None and -d.margin < e.low and e.high < d.margin:
        return False
    if d.status == "cannot_tell":
        return e.low <= 0 <= e.high
    end = e.low if e.value > 0 else -e.high
    return end > 0 or (end == 0 and CUT in e.flags and f"{e}".count("(") + f"{e}".count(")") == 1)


# by hand


def test_intervals_of_three_pairs_are_made_at_a_third_of_the_error() -> None:
    """Bonferroni: z of 1 - .05 / 6 is 2.394, so that 4 is told and 2.3 is not."""
    first, second, third = told([4.0, 2.3, 0.0], adjust="bonferroni")
    z = norm.ppf(1 - 0.05 / 6)
    assert z == pytest.approx(2.394, abs=5e-4)
    assert first.effect.interval == pytest.approx((4 - z, 4 + z))
    assert first.effect.confidence == pytest.approx(1 - 0.05 / 3)
    assert first.single.interval == pytest.approx((4 - 1.959964, 4 + 1.959964))
    assert [d.status for d in (first, second, third)] == ["better", "cannot_tell", "cannot_tell"]
    assert second.effect.low == pytest.approx(2.3 - z)
    assert second.single.low > 0  # by itself it would leave out 0


def test_a_pair_that_holm_tells_in_a_later_step_is_cut_at_0() -> None:
    """p of 2.3 is .0214; Holm asks for .05 / 2 in its second step, the interval of three pairs for .05 / 3."""
    first, second, third = told([4.0, 2.3, 0.0])
    assert second.test.p_value == pytest.approx(0.0214, abs=5e-5)
    assert second.adjusted_p == pytest.approx(2 * second.test.p_value)
    assert second.status == "better"
    assert second.effect.low == 0.0
    assert second.effect.flags == (CUT,)
    assert str(second.effect).startswith("2.3 (0.0, ")
    assert second.turned.effect.interval == (-second.effect.high, -0.0)
    assert str(second.turned.effect).endswith("0.0)")
    assert first.effect.flags == third.effect.flags == ()


def test_benjamini_and_hochberg_share_by_what_they_tell() -> None:
    """Of four pairs two are told: each interval may have 2 / 4 of the error, and leaves out 0 just where it is told."""
    p = [2 * norm.sf(z) for z in (4.0, 2.3, 1.0, 0.5)]  # .00006, .0214 <= 2 x .05 / 4, .317, .617
    assert Family(adjust="benjamini_hochberg").share(p) == 0.5
    pairs = told([4.0, 2.3, 1.0, 0.5], adjust="benjamini_hochberg")
    assert [d.status for d in pairs] == ["better", "better", "cannot_tell", "cannot_tell"]
    z = norm.ppf(1 - 0.025 / 2)
    assert [d.effect.interval for d in pairs] == [pytest.approx((v - z, v + z)) for v in (4.0, 2.3, 1.0, 0.5)]
    assert not any(d.effect.flags for d in pairs)


def test_pairs_inside_the_margin_have_the_interval_of_the_two_one_sided_tests() -> None:
    """.5 with a standard error of 1 and a margin of 2.2: (2.2 - .5) / 1 = 1.7 > 1.645, and 1.96 would reach over it."""
    (d,) = told([0.5], margin=2.2)
    assert d.status == "practically_equal"
    assert d.equal_p == pytest.approx(norm.sf(1.7))
    assert d.effect.interval == pytest.approx((0.5 - 1.644854, 0.5 + 1.644854))
    assert d.effect.confidence == pytest.approx(0.90)
    assert d.single.high == pytest.approx(0.5 + 1.959964)


def test_without_an_adjustment_each_pair_has_its_own_interval() -> None:
    assert all(d.effect == d.single for d in told([4.0, 2.3, 0.0], adjust="none"))


def test_a_pair_alone_is_what_its_test_says() -> None:
    (d,) = told([2.3])
    assert d.effect == d.single == d.test.effect


@pytest.mark.parametrize(
    ("status", "margin", "wanted"),
    [
        ("better", None, (0.0, 0.4)),
        ("cannot_tell", None, (-0.1, 0.4)),
        ("practically_equal", 0.3, (-0.1, 0.3)),
        ("cannot_tell", 0.5, (-0.1, 0.5)),
    ],
)
def test_where_an_interval_ends(status: Any, margin: float | None, wanted: tuple[float, float]) -> None:
    e = Estimate(0.2, -0.1, 0.4)
    assert beside(e, status, margin).interval == wanted


# over random comparisons

sizes = st.floats(-6, 6).map(lambda x: round(x, 3))


@given(
    st.lists(sizes, min_size=1, max_size=12),
    st.sampled_from(sorted(ADJUSTMENTS)),
    st.none() | st.floats(0.05, 5),
    st.sampled_from([0.5, 0.9, 0.95, 0.99]),
)
def test_a_status_never_says_another_thing_than_its_interval(
    values: list[float], adjust: str, margin: float | None, confidence: float
) -> None:
    for d in told(values, adjust=adjust, margin=margin, confidence=confidence):
        assert agrees(d)
        assert agrees(d.turned)


def test_ten_thousand_small_comparisons_agree() -> None:
    """By plain numbers: any test's p beside any interval, which need not be of one method."""
    rng = np.random.default_rng(34)
    cut = reached = 0
    for _ in range(10_000):
        m = int(rng.integers(1, 7))
        values, se = rng.normal(0, 2, m), rng.uniform(0.5, 1.5, m)
        tests = []
        for v, s in zip(values.tolist(), se.tolist(), strict=True):
            effect = Estimate(v, v - 1.96 * s, v + 1.96 * s, s)
            p = 2 * normal_tail(abs(v) / s * rng.uniform(0.9, 1.1))  # a test of another method
            tests.append(TestResult("z", effect, v / s, float(p)))

        def at(i: int, level: float, tests: list[TestResult] = tests) -> Estimate:
            e, z = tests[i].effect, normal_quantile((1 + level) / 2)
            return Estimate(e.value, e.value - z * e.se, e.value + z * e.se, e.se, level)

        for test, one in zip(tests, Family().tell(tests, at, lower_is_better=False), strict=True):
            d = Difference("a", "b", "accuracy", test, one.p, one.status, together=one.effect)
            assert agrees(d)
            cut += CUT in one.effect.flags
            reached += one.status == "cannot_tell" and 0.0 in one.effect.interval
    assert cut > 100  # so that what is tried happens
    assert reached > 100


@pytest.mark.parametrize("measure", ["accuracy", "f1_macro", "kappa"])
@pytest.mark.parametrize("margin", [None, 0.03])
def test_labels_on_rows_agree(measure: str, margin: float | None) -> None:
    rng = np.random.default_rng(7)
    statuses = set()
    for _ in range(12):
        n = int(rng.integers(30, 400))
        truth = rng.integers(0, 2, n)
        skills = rng.uniform(0.6, 0.97, int(rng.integers(2, 6)))
        models = {f"m{i}": np.where(rng.random(n) < s, truth, 1 - truth) for i, s in enumerate(skills)}
        c = sf.compare(truth, models, measure=measure, margin=margin)
        assert all(agrees(d) for d in c.differences)
        statuses |= {d.status for d in c.differences}
    assert "cannot_tell" in statuses
    assert len(statuses) > 1


@pytest.mark.parametrize("method", ["auto", "bootstrap", "swap"])
def test_scores_and_drawn_pairs_agree(method: Any) -> None:
    rng = np.random.default_rng(11)
    for _ in range(4):
        truth = rng.integers(0, 2, 120)
        models = {f"m{i}": rng.normal(size=120) + gap * truth for i, gap in enumerate(rng.uniform(0, 2, 4))}
        c = sf.compare(truth, models, measure="roc_auc", method=method, draws=300, random_state=0)
        assert all(agrees(d) for d in c.differences)


@pytest.fixture(scope="module")
def study() -> Any:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(120, 4))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    learners = {
        "naive": NaiveBayes(),
        "tree": DecisionTree(),
        "small": DecisionTree(max_depth=1),
    }
    return sf.cross_validate(learners, X, y, folds=5, repeats=2, random_state=0)


@pytest.mark.parametrize("test", ["corrected_t", "paired_t", "wilcoxon"])
def test_studies_agree(study: Any, test: str) -> None:
    for adjust in ADJUSTMENTS:
        c: Comparison = study.compare("error_rate", test=test, adjust=adjust)
        assert all(agrees(d) for d in c.differences)
    alone = study.compare("error_rate", test=test, adjust="none", confidence=1 - 0.05 / 3)
    for d, one in zip(
        study.compare("error_rate", test=test, adjust="bonferroni").differences, alone.differences, strict=True
    ):
        ends = [x for x in d.effect.interval if x != 0]  # but for an end that reaches 0
        assert all(any(x == pytest.approx(y) for y in one.effect.interval) for x in ends)
