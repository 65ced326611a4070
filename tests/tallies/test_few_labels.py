"""Cells that are counted label by label are those of a grouping."""

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surefold.tallies.partial import ROWS, WEIGHT, _few_labels, _small_cells

TEXTS = st.sampled_from(["no", "yes", "", "a b", "é"])


@given(st.lists(st.tuples(TEXTS, TEXTS, st.booleans(), st.integers(-2, 2)), min_size=1, max_size=50))
def test_counted_cells_are_grouped_cells(rows):
    frame = polars.DataFrame(rows, schema=["a", "b", "c", "d"], orient="row")
    weights = np.arange(1.0, len(rows) + 1)
    keys = frame.columns
    found = _small_cells(frame, keys, weights)
    by = polars.Series("w", weights)
    wanted = frame.with_columns(by).group_by(keys).agg(polars.len().alias(ROWS), polars.col("w").sum())
    assert found is not None
    assert dict(found.select(keys).schema) == dict(frame.schema)
    for made, grouped in ((keys, keys), ([ROWS], [ROWS]), ([WEIGHT], ["w"])):
        assert found.sort(keys).select(made).rows() == wanted.sort(keys).select(grouped).rows()


@pytest.mark.parametrize(
    "column",
    [
        ["a"] * 1000 + ["b"],  # a text that the first rows do not hold
        [str(i) for i in range(9)],  # more than are looked for one by one
        ["a", None],
    ],
)
def test_other_columns_are_grouped(column):
    assert _few_labels(polars.Series(column, dtype=polars.String)) is None
