"""Parts add up: any split of the rows, merged in any order, is the same tally, and bounds hold what was cut away."""

from typing import Any

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from surefold.errors import InputError
from surefold.estimates.of_scores import ScoreEstimates
from surefold.inputs.parts import Roles
from surefold.inputs.streams import table_of
from surefold.measures.catalogue import catalogue
from surefold.measures.score_measure import ScoreMeasure
from surefold.tallies import partial
from surefold.tallies.against_rest import AgainstRest
from surefold.tallies.compiled_merge import merged_sums
from surefold.tallies.partial import Partial, Plan
from surefold.tallies.score_counts import WHOLE, ScoreCounts
from surefold.tallies.score_groups import ScoreGroups

UP = frozenset({1})
#: The place that some measures are asked at.
PLACED: dict[str, dict[str, Any]] = {
    "tpr_at_fpr": {"fpr": 0.3},
    "fpr_at_tpr": {"tpr": 0.6},
    "precision_at_recall": {"recall": 0.6},
    "partial_auc": {"fpr": (0, 0.3)},
}
MONOTONE = [name for name, m in catalogue.of_scores.items() if m.monotone]


def estimates_of(c: ScoreCounts) -> ScoreEstimates:
    """The estimates of counts alone."""
    ends = AgainstRest(c, UP)
    return ScoreEstimates(ends.tally(), None, 0.95, ends=ends)


def counts(scores: object, positive: object, most: int = 1 << 62, weights: object = None) -> ScoreCounts:
    w = None if weights is None else np.asarray(weights, dtype=float)
    return ScoreCounts.of(np.asarray(scores, dtype=float), np.asarray(positive, dtype=np.uint8), (0, 1), w, most)


def same(a: ScoreCounts, b: ScoreCounts) -> bool:
    return (
        (a.level, a.low, a.high) == (b.level, b.low, b.high)
        and np.array_equal(a.bits, b.bits)
        and np.allclose(a.sums, b.sums, rtol=1e-12)
    )


def test_counts_by_hand() -> None:
    c = counts([0.9, 0.1, 0.9, 0.5], [1, 0, 0, 1])
    assert c.scores().tolist() == [0.1, 0.5, 0.9]
    assert c.sums.tolist() == [[1, 0, 1], [0, 1, 1]]  # negatives, then positives
    both = c + counts([0.5, 0.2], [0, 1])
    assert both.scores().tolist() == [0.1, 0.2, 0.5, 0.9]
    assert both.sums.tolist() == [[1, 0, 1, 1], [0, 1, 1, 1]]


def test_weights_are_summed_with_their_squares() -> None:
    c = counts([0.5, 0.5, 0.5], [1, 1, 0], weights=[2.0, 3.0, 4.0])
    assert c.sums.tolist() == [[4], [5], [16], [2**2 + 3**2]]


def test_a_cut_takes_the_fewest_bits_that_fit() -> None:
    # 1.0, 1.25, 1.5, 1.75 differ in the first two bits of the mantissa, which stand behind 12 of sign and exponent
    scores, positive = [1.0, 1.25, 1.5, 1.75], [0, 1, 0, 1]
    assert counts(scores, positive, most=4).level == WHOLE
    halves = counts(scores, positive, most=2)
    assert (halves.level, halves.ends()[0].tolist()) == (13, [1.0, 1.5])
    assert halves.ends()[1][1] == 1.75  # never past the greatest score
    assert 1.25 < halves.ends()[1][0] < 1.5
    whole = counts(scores, positive, most=1)
    assert whole.level == 12
    assert whole.sums.tolist() == [[2], [2]]


def test_classes_that_a_part_lacks_are_added() -> None:
    a = ScoreCounts.of(np.array([0.1]), np.array([0]), ("no",))
    b = ScoreCounts.of(np.array([0.2]), np.array([0]), ("yes",))
    both = a + b
    assert (both.classes, both.sums.tolist()) == (("no", "yes"), [[1, 0], [0, 1]])


def test_infinite_scores_stay_in_place_when_cut() -> None:
    c = counts([-np.inf, -1.0, 1.0, np.inf], [0, 1, 0, 1], most=2)
    low, high = c.ends()
    assert not np.isnan(low).any()
    assert not np.isnan(high).any()
    assert (low[0], high[-1]) == (-np.inf, np.inf)


def test_the_compiled_merge_is_the_plain_one() -> None:
    rng = np.random.default_rng(0)
    a, b = (np.unique(rng.integers(0, 400, 200).astype(np.uint64)) for _ in range(2))
    x, y = rng.random((2, len(a))), rng.random((2, len(b)))
    bits, sums = merged_sums(a, x, b, y)
    assert bits.tolist() == sorted({*a.tolist(), *b.tolist()})
    for key, column in zip(bits, sums.T, strict=True):
        wanted = x[:, a == key].sum(axis=1) + y[:, b == key].sum(axis=1)
        assert column == pytest.approx(wanted, abs=0)


def test_large_parts_go_through_the_compiled_path() -> None:
    rng = np.random.default_rng(1)
    n = 1_200_000
    scores, positive = rng.random(n), rng.random(n) < 0.4
    halves = counts(scores[: n // 2], positive[: n // 2]) + counts(scores[n // 2 :], positive[n // 2 :])
    t = ScoreGroups.of(scores, positive)
    found = halves.tally(UP)
    assert np.array_equal(found.score, t.score)
    assert np.array_equal(found.positive, t.positive)
    assert np.array_equal(found.negative, t.negative)


# laws


def _value(name: str, t: ScoreGroups) -> float:
    measure = catalogue.with_options(name, PLACED.get(name, {}))
    assert isinstance(measure, ScoreMeasure)
    return float(measure(t))


ROWS = st.lists(
    st.tuples(
        st.one_of(st.floats(-2, 2, width=32), st.floats(0, 1), st.sampled_from([0.0, -0.0, 0.5, np.inf, -np.inf])),
        st.booleans(),
        st.integers(1, 4),
        st.integers(0, 2),  # the part
    ),
    min_size=1,
    max_size=60,
)


@given(ROWS, st.integers(1, 40), st.booleans(), st.permutations([0, 1, 2]))
@settings(max_examples=300, deadline=None)
def test_any_split_in_any_order_is_the_same(
    rows: list[tuple[float, bool, int, int]], most: int, weighted: bool, order: list[int]
) -> None:
    def of(chosen: list[tuple[float, bool, int, int]]) -> ScoreCounts:
        weights = [r[2] for r in chosen] if weighted else None
        return counts([r[0] for r in chosen], [r[1] for r in chosen], most, weights)

    parts = [of([r for r in rows if r[3] == part]) for part in order]
    whole = of(rows)
    assert same((parts[0] + parts[1]) + parts[2], whole)
    assert same(parts[0] + (parts[1] + parts[2]), whole)
    assert len(whole.bits) <= max(most, 2)  # one bit is left: the sign


@given(
    st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.integers(1, 3)), min_size=2, max_size=50),
    st.integers(1, 12),
    st.booleans(),
)
@settings(max_examples=300, deadline=None)
def test_bounds_hold_the_exact_value(rows: list[tuple[float, bool, int]], most: int, weighted: bool) -> None:
    scores, positive = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    weights = np.array([r[2] for r in rows], dtype=float) if weighted else None
    exact = ScoreGroups.of(scores, positive, weights)
    c = counts(scores, positive, most, weights)
    estimates = estimates_of(c)
    for name in MONOTONE:
        value, bounds = _value(name, exact), estimates.bounds(name, PLACED.get(name))
        if np.isnan(value):
            assert bounds is None
        else:
            assert bounds is not None
            assert bounds[0] - 1e-12 <= value <= bounds[1] + 1e-12, name
            if not c.quantised and name != "average_precision":
                assert bounds == pytest.approx((value, value))


def test_bounds_of_average_precision_by_hand() -> None:
    # One group of one negative and two positives. Best: P P N, or both tied at 1. Worst: N P P has 1/2 and 2/3.
    c = counts([1.0, 1.1, 1.2], [0, 1, 1], most=1)
    estimates = estimates_of(c)
    bounds = estimates.bounds("average_precision")
    assert bounds is not None
    assert bounds[1] == 1.0
    assert bounds[0] == pytest.approx(1 - np.log(3) / 2)  # the integral of u / (1 + u) from 0 to 2, over 2
    assert bounds[0] < (1 / 2 + 2 / 3) / 2


def test_average_precision_of_dust_below_zero() -> None:
    # Set to 0, all four are tied: both positives have the precision 2/4. As they were, the positives came first.
    c = counts([-1e-9, -1.5e-9, -2e-8, -3e-8], [1, 1, 0, 0], most=2)
    assert c.quantised
    estimates = estimates_of(c)
    bounds = estimates.bounds("average_precision")
    assert bounds is not None
    assert bounds[0] <= 2 / 4 <= bounds[1]


@given(
    st.lists(
        st.tuples(
            st.one_of(st.floats(-9e-7, 0), st.floats(0, 1e-300), st.floats(0, 1), st.floats(1, 1 + 9e-7)), st.booleans()
        ),
        min_size=2,
        max_size=30,
    ),
    st.integers(1, 12),
)
@settings(max_examples=300, deadline=None)
def test_bounds_hold_where_scores_are_a_hair_outside(rows: list[tuple[float, bool]], most: int) -> None:
    scores, positive = np.array([r[0] for r in rows]), np.array([r[1] for r in rows])
    exact = ScoreGroups.of(np.clip(scores, 0, 1), positive)
    c = counts(scores, positive, most)
    estimates = estimates_of(c)
    for name in MONOTONE:
        value, bounds = _value(name, exact), estimates.bounds(name, PLACED.get(name))
        if not np.isnan(value):
            assert bounds is not None
            assert bounds[0] - 1e-12 <= value <= bounds[1] + 1e-12, name


@given(
    st.lists(
        st.tuples(st.booleans(), st.booleans(), st.booleans(), st.floats(0, 100).filter(lambda w: w == 0 or w > 1e-3),
                  st.integers(0, 2)), min_size=1,
        max_size=40,
    )
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_cells_by_weight_add_up(rows: list[tuple[bool, bool, bool, float, int]]) -> None:
    plan = Plan(Roles("y", ("a", "b"), (), "w"))

    def of(chosen: list[tuple[bool, bool, bool, float, int]]) -> Partial:
        columns = {name: [r[i] for r in chosen] for i, name in enumerate(("y", "a", "b", "w"))}
        types = {"y": polars.Boolean, "a": polars.Boolean, "b": polars.Boolean, "w": polars.Float64}
        return plan.of(table_of(polars.DataFrame(columns, types), "rows"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(partial, "MOST_WEIGHED", 12)
        whole, parts = of(rows), [of([r for r in rows if r[4] == part]) for part in range(3)]
        total = parts[2] + (parts[0] + parts[1])
    assert total.weight_bits == whole.weight_bits
    assert total.weighed is not None
    assert whole.weighed is not None
    keys = ["truth", "call0", "call1", "each"]
    a, b = total.weighed.sort(keys), whole.weighed.sort(keys)
    assert a.select([*keys, "rows"]).equals(b.select([*keys, "rows"]))
    for name in ("weight", "squares"):
        assert a[name].to_list() == pytest.approx(b[name].to_list())
        assert a[name].sum() == pytest.approx(whole.cells[name].sum())


def test_weights_are_held_apart_by_cell() -> None:
    plan = Plan(Roles("y", ("a", "b"), (), "w"))
    table = polars.DataFrame({"y": [1] * 4, "a": [1] * 4, "b": [0] * 4, "w": [2.0, 2.0, 3.0, 0.0]})
    found = plan.of(table_of(table, "rows"))
    assert found.weighed is not None
    # two rows of weight 2 and one of 3 in the only cell; a row of weight zero is no row
    assert found.weighed.sort("each").select("rows", "weight", "squares").rows() == [(2, 4.0, 8.0), (1, 3.0, 9.0)]


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("abcd"), st.integers(0, 3), st.integers(0, 9)), min_size=3
    ),
    st.permutations([0, 1, 2]),
)
@settings(max_examples=60, deadline=None)
def test_cells_and_groups_add_up(rows: list[tuple[str, str, int, int]], order: list[int]) -> None:
    plan = Plan(Roles("y", ("c",), (), "w", "g"))

    def of(chosen: list[tuple[str, str, int, int]]) -> Partial | None:
        columns = {"y": [r[0] for r in chosen], "c": [r[1] for r in chosen], "w": [float(r[2]) for r in chosen],
                   "g": [r[3] for r in chosen]}  # fmt: skip
        return plan.of(table_of(polars.DataFrame(columns), "rows")) if chosen else None

    parts = [p for i in order if (p := of(rows[i::3])) is not None]
    whole = of(rows)
    assert whole is not None
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    assert total.n == whole.n == len(rows)
    for name in ("cells", "clusters"):
        a, b = getattr(total, name), getattr(whole, name)
        keys = [c for c in a.columns if c not in ("rows", "weight", "squares")]
        assert a.sort(keys).equals(b.sort(keys))


def test_types_of_labels_that_differ_between_parts() -> None:
    plan = Plan(Roles("y", ("c",)))

    def of(y: object, c: object) -> Partial:
        return plan.of(table_of(polars.DataFrame({"y": y, "c": c}), "rows"))

    narrow, wide = of(polars.Series([0, 1], dtype=polars.Int8), [0, 1]), of([0, 2], [2.0, 1.0])
    assert sorted((narrow + wide).cells.get_column("truth").to_list()) == [0, 0, 1, 2]
    with pytest.raises(InputError, match=r"the truth is .*String.* \[mixed_label_types\]"):
        of([0, 1], [0, 1]) + of(["0", "1"], [0, 1])
