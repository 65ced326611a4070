"""Bootstrap estimates of error: by hand, what they are flagged for, that they span, and the laws."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold.errors import InputError, UnknownNameError
from surefold.estimates import BootstrapLosses, clopper_pearson, mean_interval, point632, point632plus
from surefold.findings import FINDING_CODES

approx = pytest.approx

#: Two samples of four rows: 0 0 1 1 drawn as rows a a b b leaves c, d; then c d d d leaves a, b.
LOSSES = [[0, 0, 1, 0], [1, 1, 0, 1]]
IN_BAG = [[2, 2, 0, 0], [0, 0, 1, 3]]
APPARENT = [0, 0, 0, 1]


def drawn(seed=0, n=60, samples=40, rate=0.3, apparent=0.1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    in_bag = rng.multinomial(n, np.full(n, 1 / n), size=samples)
    losses = rng.random((samples, n)) < np.where(in_bag == 0, rate, apparent)
    return losses, in_bag, rng.random(n) < apparent


def bounds_at(value, n):
    return clopper_pearson(value * n, n).interval


def refused(code, call):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.code == code


def test_by_hand():
    b = BootstrapLosses.of(LOSSES, IN_BAG, APPARENT, no_information_rate=0.5)
    assert float(b.on_all()) == approx((1 / 4 + 3 / 4) / 2)
    assert float(b.apparent_error()) == approx(1 / 4)
    assert float(b.out_of_bag()) == approx((1 / 2 + 2 / 2) / 2)  # c, d: 1 0; a, b: 1 1
    assert float(b.point632()) == approx(0.368 / 4 + 0.632 * 3 / 4)
    assert float(b.point632plus()) == approx(point632plus(1 / 4, 3 / 4, 0.5)) == approx(0.5)


def test_per_sample_and_per_row_differ_where_samples_leave_out_unequally():
    # sample 1 leaves out a, b, c with losses 1 1 1; sample 2 leaves out c with loss 0
    b = BootstrapLosses.of([[1, 1, 1, 0], [0, 0, 0, 0]], [[0, 0, 0, 4], [1, 1, 0, 2]], [0, 0, 0, 0])
    assert float(b.out_of_bag(per="sample")) == approx((3 / 3 + 0 / 1) / 2)
    assert float(b.out_of_bag(per="row")) == approx((1 + 1 + 1 / 2) / 3)  # d was never left out
    assert b.out_of_bag().n == 3


def test_on_all_is_the_printed_normal_interval_over_samples():
    losses, in_bag, apparent = drawn()
    found, printed = BootstrapLosses.of(losses, in_bag, apparent).on_all(), mean_interval(losses.mean(axis=1), "normal")
    assert found.interval == approx(printed.interval)
    assert (found.se, found.n) == approx((printed.se, 40))
    assert found.flags == ("optimistic",)


def test_what_was_trained_on_is_flagged():
    b = BootstrapLosses.of(*drawn())
    assert "optimistic" in b.apparent_error().flags
    assert b.apparent_error().interval == approx(bounds_at(float(b.apparent_error()), 60))
    assert b.out_of_bag().flags == b.point632().flags == ()
    perfect = BootstrapLosses.of(*drawn(apparent=0.0))
    assert perfect.point632().flags == ("optimistic",)
    assert perfect.apparent_error().flags == ("optimistic", "degenerate")


@pytest.mark.parametrize("per", ["sample", "row"])
def test_the_interval_spans_point632plus_and_the_out_of_bag_error(per):
    b = BootstrapLosses.of(*drawn(1), no_information_rate=0.45)
    plus, left_out = b.point632plus(per=per), b.out_of_bag(per=per)
    assert float(plus) < float(left_out)
    wanted = (bounds_at(float(plus), 60)[0], bounds_at(float(left_out), 60)[1])
    assert plus.interval == approx(wanted)
    assert left_out.interval == approx(wanted)
    # .632 lies below .632+, and its interval begins there
    assert b.point632(per=per).low == approx(bounds_at(float(b.point632(per=per)), 60)[0])
    assert b.point632(per=per).high == approx(wanted[1])


def test_without_the_no_information_rate_it_spans_point632():
    b = BootstrapLosses.of(*drawn(1))
    assert b.out_of_bag().low == approx(bounds_at(float(b.point632()), 60)[0])
    refused("bad_option", b.point632plus)


def test_reaching_the_no_information_rate_is_told():
    assert "near_chance" in BootstrapLosses.of(*drawn(1, rate=0.5), no_information_rate=0.5).point632plus().flags
    assert BootstrapLosses.of(*drawn(1, rate=0.1), no_information_rate=0.5).point632plus().flags == ()


def test_point632_in_accuracies_is_the_mean_over_samples():
    losses, in_bag, apparent = drawn(5)
    right_out = [1 - losses[b][in_bag[b] == 0].mean() for b in range(len(losses))]
    accuracy = np.mean([0.632 * right + 0.368 * (1 - apparent.mean()) for right in right_out])
    assert 1 - float(BootstrapLosses.of(losses, in_bag, apparent).point632()) == approx(accuracy)


def test_the_standard_error_is_that_of_rows_tested_once():
    losses, in_bag, apparent = drawn(2)
    e = BootstrapLosses.of(losses, in_bag, apparent).out_of_bag(per="row")
    assert e.se == approx(math.sqrt(float(e) * (1 - float(e)) / 60))


def test_losses_that_vary_less_than_right_and_wrong_give_a_narrower_interval():
    losses, in_bag, apparent = drawn(3, n=100)
    soft = 0.2 + 0.2 * losses
    wide = BootstrapLosses.of(losses, in_bag, apparent).out_of_bag()
    narrow = BootstrapLosses.of(soft, in_bag, 0.2 + 0.2 * apparent).out_of_bag()
    assert narrow.width < wide.width / 2
    assert narrow.se == approx(soft[in_bag == 0].std() / 10, rel=0.02)


def test_losses_without_an_upper_limit():
    rng = np.random.default_rng(4)
    _, in_bag, _ = drawn(4)
    losses = rng.exponential(size=in_bag.shape)
    e = BootstrapLosses.of(losses, in_bag, losses[0], limits=(0, math.inf)).out_of_bag()
    assert 0 < e.low < float(e) < e.high < 3
    nothing = BootstrapLosses.of(0 * losses, in_bag, 0 * losses[0], limits=(0, math.inf)).out_of_bag()
    assert nothing.low == 0
    assert nothing.high == math.inf
    same = BootstrapLosses.of(0 * losses + 0.7, in_bag, 0 * losses[0] + 0.7, limits=(0, math.inf)).out_of_bag()
    assert same.low < 0.7 < same.high


def test_no_error_anywhere_has_width():
    losses, in_bag, apparent = drawn()
    b = BootstrapLosses.of(0 * losses, in_bag, 0 * apparent, no_information_rate=0.5)
    for e in (b.on_all(), b.apparent_error(), b.out_of_bag(), b.point632(), b.point632plus()):
        assert e.low == 0
        assert e.high == approx(clopper_pearson(0, 60).high)
        assert "degenerate" in e.flags


def test_rounding_past_a_limit_does_no_harm():
    losses, in_bag, apparent = drawn()
    b = BootstrapLosses.of(0 * losses + 1 + 1e-12, in_bag, 0 * apparent + 1 + 1e-12, no_information_rate=0.5)
    for e in (b.on_all(), b.apparent_error(), b.out_of_bag(), b.point632(), b.point632plus()):
        assert e.interval == approx((clopper_pearson(60, 60).low, 1))


def test_no_row_left_out_says_so():
    b = BootstrapLosses.of([[0, 1]], [[1, 1]], [0, 0], no_information_rate=0.5)
    for e in (b.out_of_bag(), b.out_of_bag(per="row"), b.point632(), b.point632plus()):
        assert not e.defined
        assert "left out" in e.reason
    assert b.on_all().defined
    assert b.on_all().width > 0


@pytest.mark.parametrize(
    ("code", "change"),
    [
        ("bad_shape", {"in_bag": [[1, 1]]}),
        ("bad_shape", {"apparent": [0, 0]}),
        ("no_rows", {"losses": np.zeros((0, 4)), "in_bag": np.zeros((0, 4))}),
        ("undefined_folds", {"losses": [[0, 0, math.nan, 0], [0, 0, 0, 0]]}),
        ("undefined_folds", {"apparent": [0, 0, math.inf, 0]}),
        ("bad_option", {"losses": [[0, 0, 2, 0], [0, 0, 0, 0]]}),
        ("bad_option", {"in_bag": [[1, 1, 1.5, 0], [0, 0, 1, 3]]}),
        ("bad_option", {"in_bag": [[1, 1, -1, 0], [0, 0, 1, 3]]}),
        ("bad_option", {"no_information_rate": -1}),
        ("bad_option", {"limits": (1, 0)}),
        ("bad_option", {"limits": (-1, 1)}),
    ],
)
def test_what_is_refused(code, change):
    given_ = {"losses": LOSSES, "in_bag": IN_BAG, "apparent": APPARENT, **change}
    refused(code, lambda: BootstrapLosses.of(**given_))


def test_unknown_per():
    with pytest.raises(UnknownNameError, match="sample, row"):
        BootstrapLosses.of(LOSSES, IN_BAG, APPARENT).out_of_bag(per="fold")  # type: ignore[arg-type]


def test_order_of_samples_and_rows_does_not_matter():
    losses, in_bag, apparent = drawn(6)
    rng = np.random.default_rng(0)
    b, i = rng.permutation(len(losses)), rng.permutation(len(apparent))
    one = BootstrapLosses.of(losses, in_bag, apparent, no_information_rate=0.4)
    other = BootstrapLosses.of(losses[b][:, i], in_bag[b][:, i], apparent[i], no_information_rate=0.4)
    for name in ("on_all", "apparent_error", "out_of_bag", "point632", "point632plus"):
        first, second = getattr(one, name)(), getattr(other, name)()
        assert (float(first), *first.interval) == approx((float(second), *second.interval))


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 10_000), st.integers(1, 12), st.integers(1, 8), st.sampled_from([0.0, 0.2, 1.0]),
    st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.5, 0.95, 0.999]),
)  # fmt: skip
def test_never_nan_without_a_reason_never_a_point_always_within_limits(seed, n, samples, rate, apparent, gamma, level):
    losses, in_bag, own = drawn(seed, n, samples, rate, apparent)
    b = BootstrapLosses.of(losses, in_bag, own, no_information_rate=gamma)
    for name in ("on_all", "apparent_error", "out_of_bag", "point632", "point632plus"):
        e = getattr(b, name)(confidence=level)
        if not e.defined:
            assert e.reason
            continue
        assert 0 <= e.low <= float(e) <= e.high <= 1
        assert e.width > 0
        assert all(flag in FINDING_CODES for flag in e.flags)
    if math.isfinite(float(b.out_of_bag())):
        assert b.out_of_bag().pessimistic <= b.out_of_bag().high + 1e-12
        assert float(b.point632()) == approx(point632(float(own.mean()), float(b.out_of_bag())))
