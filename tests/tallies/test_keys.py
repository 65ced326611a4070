"""Sorted keys, the order of rows and whole-number placements, held to the plain formulas that they replace."""

from __future__ import annotations

import numpy as np
import pytest

from surefold.estimates.auc import AucMoments
from surefold.tallies.keys import ScoreKeys
from surefold.tallies.ordering import from_order_bits, grouped_counts, order_bits, places_of, row_order
from surefold.tallies.placements import Placements, doubled_placements
from surefold.tallies.score_counts import ScoreCounts, ScoreRows
from surefold.tallies.score_groups import KeyedScores, ScoreGroups

RNG = np.random.default_rng(7)
N = 70_000  # more than two blocks

SCORES = {
    "no two tie": RNG.random(N),
    "two decimals": RNG.random(N).round(2),
    "four decimals": RNG.random(N).round(4),
    "one score fills blocks": np.where(RNG.random(N) < 0.9, 0.5, RNG.random(N)),
    "all alike": np.full(N, 0.25),
    "both signs": RNG.normal(size=N),
    "both signs, tied, both zeros": np.concatenate([RNG.normal(size=N).round(1), [0.0, -0.0]]),
    "far apart, both signs": np.concatenate(
        [[2.0**-255, -(2.0**-255), 2.0**254, -(2.0**254), 0.0], RNG.normal(size=9)]
    ),
    "infinite, zero and subnormal": np.array([np.inf, 5e-324, 0.0, -0.0, 1e-310, 1.0, np.inf]),
    "one row": np.array([0.5]),
    "no rows": np.zeros(0),
}
NO_FREE_BIT = {
    "infinite, both signs": np.array([-1.0, np.inf, 2.0, -np.inf, 2.0]),
    "subnormal, both signs": np.array([-1.0, 5e-324, 1e-310, -1e-310, 0.0]),
    "just too small": np.array([-1.0, np.nextafter(2.0**-255, 0), 1.0]),
    "just too large": np.array([-1.0, 2.0**255, 1.0]),
}


def keys_of(scores, truth, **how):
    found = ScoreKeys.of(scores, truth, **how)
    assert found is not None
    return found


def truth_of(scores, share=0.4):
    return np.random.default_rng(3).random(len(scores)) < share


@pytest.mark.parametrize("name", SCORES)
def test_keys_hold_what_sorting_each_class_finds(name):
    scores = SCORES[name]
    truth = truth_of(scores)
    keys = keys_of(scores, truth)
    bits, positive, negative = grouped_counts(scores, truth)
    found = keys.groups()
    assert found[0].tolist() == from_order_bits(bits)[::-1].tolist()
    assert found[1].tolist() == positive[::-1].tolist()
    assert found[2].tolist() == negative[::-1].tolist()
    assert keys.positives == truth.sum()


@pytest.mark.parametrize("name", NO_FREE_BIT)
def test_scores_without_a_free_bit_are_counted_all_the_same(name):
    scores = NO_FREE_BIT[name]
    truth = truth_of(scores, 0.5)
    assert ScoreKeys.of(scores, truth) is None
    t = ScoreGroups.of(scores, truth)
    assert t.score.tolist() == sorted(set(scores.tolist()), reverse=True)
    assert t.positive.tolist() == [np.sum(truth & (scores == s)) for s in t.score]


def test_single_precision_takes_half_the_bytes_where_it_holds_every_score():
    scores = RNG.random(N).astype(np.float32)
    truth = truth_of(scores)
    narrow, wide = (keys_of(scores.astype(float), truth, single=single) for single in (True, False))
    assert (narrow.keys.nbytes, wide.keys.nbytes) == (4 * N, 8 * N)
    for one, other in zip(narrow.groups(), wide.groups(), strict=True):
        assert one.tolist() == other.tolist()
    assert keys_of(np.array([0.1]), np.array([True]), single=True).form == "double"  # .1 is no float32
    t = ScoreGroups.of(scores, truth, clip=float(np.finfo(np.float32).eps))
    assert isinstance(t, KeyedScores)
    assert t.keys.form == "single"


@pytest.mark.parametrize("name", [*SCORES, *NO_FREE_BIT, "a few bits apart", "hundreds of powers of two apart"])
def test_the_order_of_rows_is_that_of_a_stable_sort(name):
    also = {
        "a few bits apart": np.append(1 + RNG.integers(0, 5, N) * 2.0**-52, [1e300, -1e300]),
        "hundreds of powers of two apart": RNG.choice([-1, 1], N) * np.exp2(RNG.integers(-300, 300, N)),
    }
    scores = (SCORES | NO_FREE_BIT | also)[name]
    bits = order_bits(scores)
    order, ordered = row_order(bits)
    assert order.tolist() == np.argsort(bits, kind="stable").tolist()
    assert ordered.tolist() == np.sort(bits).tolist()
    distinct = np.unique(scores + 0.0)[::-1]
    assert places_of(scores).tolist() == [] if not len(scores) else (distinct[places_of(scores)] == scores).all()


@pytest.mark.parametrize("name", SCORES)
def test_placements_are_the_whole_numbers_that_counting_gives(name):
    scores = SCORES[name]
    truth = truth_of(scores)
    up, down = scores[truth], scores[~truth]
    ordered = np.sort(down), np.sort(up)
    ups = np.searchsorted(ordered[0], up, "left") + np.searchsorted(ordered[0], up, "right")
    downs = np.searchsorted(ordered[1], down, "left") + np.searchsorted(ordered[1], down, "right")
    found = Placements.of(keys_of(scores, truth))
    assert (found.positives, found.negatives) == (len(up), len(down))
    for total, squares, each in ((found.up, found.up2, ups), (found.down, found.down2, downs)):
        each = each.astype(object)
        assert (total, squares) == (each.sum(), (each * each).sum())
    by_row = doubled_placements(scores, truth)
    assert by_row[0].tolist() == ups.tolist()
    assert by_row[1].tolist() == (2 * len(up) - downs).tolist()


def test_tied_blocks_too_large_for_64_bits_keep_every_digit():
    keys = ScoreKeys(np.repeat(np.array([2, 3, 4, 5], np.uint64), 300_000), "double")  # two scores, both classes
    p = Placements.of(keys)
    m = 300_000
    assert p.up == m * m + m * 3 * m  # of the lower score m, of the higher 2 m + m
    assert p.up2 == m * m**2 + m * (3 * m) ** 2
    assert p.area == 0.5


@pytest.mark.parametrize("name", SCORES)
def test_keyed_tallies_have_the_areas_and_spreads_of_counted_ones(name):
    scores = SCORES[name]
    truth = truth_of(scores)
    t = ScoreGroups.of(scores, truth)
    assert isinstance(t, KeyedScores)
    plain = ScoreGroups(t.score, t.positive, t.negative)
    assert (t.positives, t.negatives, t.total) == (plain.positives, plain.negatives, plain.total)
    assert t.auc_bounds == pytest.approx(plain.auc_bounds, abs=1e-12, nan_ok=True)
    if not len(scores):
        return
    assert t.ends == (scores.min(), scores.max())
    if min(t.positives, t.negatives) > 0:
        one, other = AucMoments.of(t), AucMoments.of(plain)
        assert (one.positive_spread, one.negative_spread) == pytest.approx(
            (float(other.positive_spread), float(other.negative_spread)), rel=1e-9, abs=1e-12
        )
    heavier = t.worth_less(2.0)
    assert heavier.squares[0].tolist() == (2 * t.positive).tolist()


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_parts_as_keys_add_up_to_the_tally_of_all_rows(positive):
    rng = np.random.default_rng(4)
    scores, codes = rng.random(9000), rng.integers(0, 2, 9000)
    cuts = [slice(0, 4000), slice(4000, 8000), slice(8000, 9000)]
    parts = [ScoreCounts.of(scores[cut], codes[cut], ("no", "yes")) for cut in cuts]
    assert all(isinstance(part, ScoreRows) for part in parts)
    assert sum(part.nbytes for part in parts) == 8 * 9000
    whole = parts[0] + parts[1] + parts[2]
    t, plain = whole.tally(frozenset([positive])), ScoreGroups.of(scores, codes == (positive == "yes"))
    assert isinstance(t, KeyedScores)
    for name in ("score", "positive", "negative"):
        assert getattr(t, name).tolist() == getattr(plain, name).tolist()
    coarse = ScoreCounts.of(scores.round(2), codes, ("no", "yes"))  # mostly tied: counted by score
    assert not isinstance(coarse, ScoreRows)
    both = (whole + coarse).tally(frozenset(["yes"]))
    assert both.total == 18_000
    assert both.positives == 2 * codes.sum()
    few = [ScoreCounts.of(scores[cut], codes[cut], ("no", "yes"), most=5000) for cut in cuts]
    assert (few[0] + few[1] + few[2]).quantised
