"""Arrays that hold what nobody expects of them: dictionaries with holes, instants in two units, rows out of order."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import surefold as sf
from surefold.errors import InputError, UnknownNameError
from surefold.inputs import Predictions
from surefold.inputs.kinds import plain

Y = [0, 1, 1, 0] * 10


def dictionary(values: list[Any]) -> Any:
    """Forty rows that number these three values: 0, 1, 2, 0, again and again."""
    return pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0] * 10), pa.array(values))


def as_pandas(array: Any) -> Any:
    return pd.Series(array, dtype=pd.ArrowDtype(array.type))


@pytest.mark.parametrize("form", [lambda a: a, as_pandas, lambda a: pa.chunked_array([a.slice(0, 8), a.slice(8)])])
@pytest.mark.parametrize("values", [["a", None, "b"], [0.0, float("nan"), 1.0], [None, 1, 2]])
def test_what_is_missing_among_the_values_of_a_dictionary_is_missing(form: Any, values: list[Any]) -> None:
    column = form(dictionary(values))
    absent = next(place for place, value in enumerate(values) if value is None or value != value)
    rows = [i + 1 for i, code in enumerate([0, 1, 2, 0] * 10) if code == absent]
    for code, call in {
        "missing_label": lambda: Predictions.of(column, column),
        "missing_group": lambda: Predictions.of(Y, Y, groups=column),
    }.items():
        with pytest.raises(InputError) as caught:
            call()
        assert (caught.value.code, list(caught.value.rows), caught.value.count) == (code, rows[:3], len(rows))
    p = Predictions.of(column, column, drop_missing=True)
    assert set(p.labels) == {v for v in values if v is not None and v == v}


def test_a_dictionary_of_nothing_but_holes_has_only_missing_rows() -> None:
    with pytest.raises(InputError) as caught:
        Predictions.of(pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array([None], pa.string())), [0, 1])
    assert (caught.value.code, caught.value.count) == ("missing_label", 2)


@pytest.mark.parametrize("form", [lambda a: a, as_pandas])
def test_equal_values_of_a_dictionary_are_one_label_and_one_group(form: Any) -> None:
    column = form(dictionary(["a", "b", "a"]))
    assert Predictions.of(column, column).labels == ("a", "b")
    groups = Predictions.of(Y, Y, groups=column).groups
    assert groups is not None
    assert groups.tolist() == [0, 1, 0, 0] * 10


@pytest.mark.parametrize("form", [lambda a: a, as_pandas, lambda a: pa.chunked_array([a])])
@pytest.mark.parametrize("values", [["low", "mid", "high"], ["low", None, "mid"]])
def test_a_dictionary_has_an_order_where_it_says_so(form: Any, values: list[Any]) -> None:
    """Others are in the order in which the values came, which nobody chose: columns of scores go by the alphabet."""
    told, untold = (
        form(pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 0] * 10), pa.array(values), ordered=ordered))
        for ordered in (True, False)
    )
    held = [v for v in values if v is not None]
    assert Predictions.of(told, told, drop_missing=True).labels == tuple(held)
    assert Predictions.of(untold, untold, drop_missing=True).labels == tuple(sorted(held))


def test_scores_of_classes_mean_the_same_beside_a_dictionary_and_a_list() -> None:
    truth = ["c", "b", "a"] * 10
    scores = np.array([[0.1, 0.1, 0.8], [0.1, 0.8, 0.1], [0.7, 0.2, 0.1]] * 10)  # of a, b, c
    for column in (truth, pa.array(truth), pa.array(truth).dictionary_encode()):
        assert sf.assess(column, y_score=scores)["accuracy"].value == 1


@pytest.mark.parametrize("frame", [pd.DataFrame, lambda m: pl.DataFrame(m)])
def test_columns_of_scores_without_names_are_in_the_order_of_the_labels(frame: Any) -> None:
    scores = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.1, 0.2, 0.7]] * 10)
    assert sf.assess(["a", "b", "c"] * 10, y_score=frame(scores))["accuracy"].value == 1


def test_columns_of_scores_with_the_names_of_the_labels_go_by_them() -> None:
    """0, 1, 2 are what pandas calls the columns of an array; they may be the labels, in another order than declared."""
    scores = pd.DataFrame([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.1, 0.2, 0.7]] * 10, columns=[0, 1, 2])
    for labels in ([0, 1, 2], [2, 1, 0]):
        assert sf.assess([0, 1, 2] * 10, y_score=scores, labels=labels)["accuracy"].value == 1


def test_a_masked_instant_names_no_group() -> None:
    days = np.array(["2024-01-01", "2024-01-02"] * 20, dtype="M8[D]")
    with pytest.raises(InputError) as caught:
        Predictions.of(Y, Y, groups=np.ma.MaskedArray(days, mask=[True, False] * 20))
    assert (caught.value.code, caught.value.rows, caught.value.count) == ("missing_group", (1, 3, 5), 20)


# instants

MINUTES = np.array(["2024-01-01T00:00", "2024-01-02T12:00"] * 20, dtype="M8[m]")
LABELS = ("2024-01-01", "2024-01-02T12:00:00")
FORMS = {
    "seconds": lambda m: m.astype("M8[s]"),
    "hours": lambda m: m.astype("M8[h]"),
    "a list": lambda m: list(m.astype("M8[ns]")),
    "datetimes": lambda m: m.astype("M8[us]").tolist(),
    "timestamps": lambda m: [pd.Timestamp(v) for v in m],
    "pandas": lambda m: pd.Series(m.astype("M8[ns]")),
    "polars": lambda m: pl.Series(m.astype("M8[ms]")),
    "arrow": lambda m: pa.array(m.astype("M8[us]")),
    "arrow in pandas": lambda m: as_pandas(pa.array(m.astype("M8[s]"))),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_equal_instants_are_the_same_label_in_every_unit(form: Any) -> None:
    p = Predictions.of(MINUTES, form(MINUTES))
    assert p.labels == LABELS
    assert p.predicted is not None
    assert p.predicted.tolist() == p.truth.tolist() == [0, 1] * 20


def test_instants_of_several_units_in_one_column() -> None:
    mixed = [v.astype(f"M8[{unit}]") for v, unit in zip(MINUTES, ["m", "s", "ms", "ns"] * 10, strict=True)]
    mixed[4] = mixed[4].astype("M8[us]").tolist()  # a datetime among them
    p = Predictions.of(mixed, MINUTES, groups=mixed)
    assert p.labels == LABELS
    assert p.groups is not None
    assert p.groups.tolist() == [0, 1] * 20


def test_years_and_months_are_their_first_day() -> None:
    years = np.array(["2023", "2024"], dtype="M8[Y]")
    assert Predictions.of(years, years.astype("M8[D]")).labels == ("2023-01-01", "2024-01-01")


def test_nanoseconds_are_kept_apart() -> None:
    near = np.array(["2024-01-01T00:00:00.000000001", "2024-01-01T00:00:00.000000002"], dtype="M8[ns]")
    for form in (pl.Series, pa.array, pd.Series):
        assert len(Predictions.of(form(near), near).labels) == 2
    zoned = pl.Series(near).dt.replace_time_zone("UTC")
    assert Predictions.of(zoned, zoned).labels == tuple(f"{v}+00:00" for v in near)


def test_equal_instants_of_two_time_zones_are_one_label() -> None:
    noon = pd.Series(pd.to_datetime(["2024-01-01T12:00", "2024-01-02T12:00"])).dt.tz_localize("UTC")
    berlin = noon.dt.tz_convert("Europe/Berlin")
    expected = ("2024-01-01T12:00:00+00:00", "2024-01-02T12:00:00+00:00")
    for column in (berlin, pl.Series(berlin), pa.array(berlin), berlin.tolist()):
        assert Predictions.of(noon, column).labels == expected
    last = datetime.datetime.max.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=-1)))
    assert plain(last, "text") == "9999-12-31T23:59:59.999999-01:00"  # in UTC there is no such day


# names of rows


def test_rows_named_in_another_order_are_refused_by_every_door() -> None:
    y = pd.Series(Y)
    turned = y.iloc[::-1]
    scores = pd.Series(np.linspace(0, 1, 40), index=turned.index)
    for call in (
        lambda: sf.assess(y, turned),
        lambda: sf.assess(y, y_score=scores),
        lambda: sf.assess(y, y.to_numpy(), groups=turned),
        lambda: sf.assess(y, y.to_numpy(), sample_weight=turned + 1),
        lambda: sf.assess(Y, y, y_score=scores),
        lambda: sf.measure("accuracy", y, turned),
        lambda: sf.compare(y, {"a": y, "b": turned}),
        lambda: sf.compare(Y, {"a": y, "b": turned}),
        lambda: sf.gate(y, y, turned),
    ):
        with pytest.raises(InputError, match="another order") as caught:
            call()
        assert caught.value.code == "different_rows"
    assert float(sf.assess(y, turned.to_numpy())["accuracy"]) == 1.0
    assert float(sf.assess(y, y.copy())["accuracy"]) == 1.0


def test_features_in_another_order_than_the_labels_are_refused() -> None:
    from sklearn.tree import DecisionTreeClassifier

    X = pd.DataFrame({"x": np.arange(40.0)}, index=[f"row {i}" for i in range(40)])
    y = pd.Series(Y, index=X.index)
    with pytest.raises(InputError) as caught:
        sf.cross_validate(DecisionTreeClassifier(), X, y[::-1], folds=2)
    assert (caught.value.code, "column.loc[y.index]" in str(caught.value)) == ("different_rows", True)
    new = y.reset_index(drop=True)  # other names: rows are taken by place, as ever
    assert sf.cross_validate(DecisionTreeClassifier(), X, new, folds=2, random_state=0).complete


def test_rows_with_other_names_are_refused_and_said_so() -> None:
    with pytest.raises(InputError, match="other names"):
        sf.assess(pd.Series(Y, index=range(100, 140)), pd.Series(Y))


# numbers


def test_long_doubles_tell_labels_apart_that_doubles_do_not() -> None:
    two = np.array([2**63, 2**63 + 1] * 20, dtype=np.longdouble)
    p = Predictions.of(two, two, groups=two)
    assert p.labels == tuple(sorted({int(v) for v in two}))  # two of them where long doubles are longer than doubles
    assert p.groups is not None
    assert p.groups.max() == len(p.labels) - 1
    hair_above_one = np.nextafter(np.longdouble(1), np.longdouble(2))
    with pytest.raises(InputError, match="no whole number"):
        Predictions.of([hair_above_one, 1], [1, 1])


@pytest.mark.parametrize("missing", [pd.NaT, np.datetime64("NaT", "s"), np.timedelta64("NaT", "s"), np.float64("nan")])
def test_not_a_time_among_numbers_is_a_missing_label(missing: Any) -> None:
    with pytest.raises(InputError) as caught:
        sf.assess([1, missing, 0, 1], [1, 1, 0, 1])
    assert (caught.value.code, caught.value.rows) == ("missing_label", (2,))


WIDE = {
    "128 bits": pl.Series(Y, dtype=getattr(pl, "UInt128", pl.Int128)),  # which older releases have not
    "an Arrow table": pa.table({"a": Y}),
    "a record batch": pa.record_batch({"a": Y}),
}


@pytest.mark.parametrize("column", WIDE.values(), ids=WIDE)
def test_other_shapes_of_a_column_are_read(column: Any) -> None:
    assert float(sf.measure("accuracy", column, Y)) == 1.0
    assert float(sf.measure("roc_auc", Y, y_score=column)) == 1.0
    assert Predictions.of(Y, Y, sample_weight=column).weights is not None
    assert Predictions.of(Y, Y, groups=column).groups is not None
    assert sf.compare(Y, {"a": column, "b": Y}).measure == "accuracy"


@pytest.mark.parametrize("table", [pa.table({"0": Y, "1": Y}), pa.record_batch({"0": Y, "1": Y})])
def test_a_table_of_arrow_has_names(table: Any) -> None:
    with pytest.raises(InputError, match=r"a table of 2 columns \(0, 1\)"):
        sf.assess(Y, table)
    assert sf.compare(Y, table).measure == "accuracy"


@pytest.mark.parametrize("odd", [pa.scalar(1), pl.LazyFrame({"a": Y})])
@pytest.mark.filterwarnings("error")
def test_what_is_no_column_is_refused(odd: Any) -> None:
    for call in (
        lambda: sf.assess(odd, Y),
        lambda: sf.assess(Y, odd),
        lambda: sf.assess(Y, y_score=odd),
        lambda: sf.assess(Y, Y, groups=odd),
        lambda: sf.assess(Y, Y, sample_weight=odd),
        lambda: sf.compare(Y, {"a": odd, "b": Y}),
        lambda: sf.compare(Y, odd),
        lambda: sf.gate(Y, odd, Y),
    ):
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.code == "not_an_array"


@pytest.mark.parametrize("groups", [np.ones((40, 2)), [[1, 2]] * 40, pd.DataFrame({"ward": Y, "bed": Y})])
def test_two_columns_of_groups_are_joined_not_searched_for_a_maximum(groups: Any) -> None:
    with pytest.raises(InputError, match="join them as text") as caught:
        sf.assess(Y, Y, groups=groups)
    assert "argmax" not in str(caught.value)
    assert "one-hot" not in str(caught.value)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("labels", [3, "01", {"b", "a"}, iter(["a", "b"]), {"a": 1}])
def test_declared_labels_without_an_order_are_refused(labels: Any) -> None:
    """Columns of scores go by their order: text would be its letters, and a set another order every day."""
    truth = ["a", "b", "b", "a"] * 10
    for call in (lambda: sf.assess(truth, truth, labels=labels), lambda: sf.measure("f1", truth, truth, labels=labels)):
        with pytest.raises(InputError) as caught:
            call()
        assert caught.value.code == "not_an_array"
    with pytest.raises(InputError):
        sf.compare(truth, {"a": truth, "b": truth}, labels=labels)


@pytest.mark.parametrize("form", [list, np.array, pl.Series, pd.Series, pa.array, pd.Categorical])
def test_labels_are_declared_in_any_form_of_a_column(form: Any) -> None:
    truth = ["a", "b", "b", "a"] * 10
    assert sf.assess(truth, truth, labels=form(["b", "a"])).confusion.labels == ("b", "a")


def test_a_model_that_is_none_is_told() -> None:
    with pytest.raises(InputError, match="model 'b' is None"):
        sf.compare(Y, {"a": Y, "b": None})
    with pytest.raises(InputError, match="is None"):
        sf.gate(Y, Y, None)


def test_groups_of_a_resampling_have_the_cure_of_groups() -> None:
    from sklearn.tree import DecisionTreeClassifier

    with pytest.raises(InputError) as caught:
        sf.cross_validate(DecisionTreeClassifier(), np.zeros((40, 1)), Y, groups=np.zeros((40, 2)), folds=2)
    assert (caught.value.code, "joined" in caught.value.cure or "join them" in caught.value.cure) == ("bad_shape", True)


@pytest.mark.parametrize("said", [{"groups": ["g", "h"]}, {"weights": np.ones(3)}, {"pred": 3}, {"score": 3}])
def test_a_column_of_a_file_is_said_by_its_name(tmp_path: Any, said: dict[str, Any]) -> None:
    (tmp_path / "t.csv").write_text("y,p,g,h\n" + "1,1,1,1\n0,1,1,2\n" * 9)
    with pytest.raises(InputError) as caught:
        sf.assess_files(tmp_path / "t.csv", **{"truth": "y", "pred": "p", **said})
    assert (caught.value.code, "by its name" in str(caught.value)) == ("bad_option", True)


def test_scores_at_either_end_of_the_floats_need_no_warning(tmp_path: Any) -> None:
    most = np.finfo(float).max
    for scores in (np.where(Y, most, -most), np.where(Y, 1e-308, 2e-308)):
        a = sf.assess(Y, y_score=scores, threshold=0.0)
        a.to_dict()
        a.report(tmp_path / "page.html")


def test_scores_at_the_end_of_the_floats(tmp_path: Any) -> None:
    scores = np.linspace(-1.5, 1.7, 40) * 1e308
    a = sf.assess(Y, y_score=scores)
    assert "roc_auc" in str(a)
    assert a.report(tmp_path / "r.html").exists()
    assert sf.compare(Y, {"a": scores, "b": -scores}).measure == "roc_auc"  # whole numbers, and no labels


@pytest.mark.parametrize("measures", [3, [3], 3.5, np.array(3)])
def test_measures_are_asked_for_by_name(measures: Any) -> None:
    for call in (
        lambda: sf.assess(Y, Y, measures=measures),
        lambda: sf.compare(Y, {"a": Y, "b": Y}, measure=measures),
    ):
        with pytest.raises(UnknownNameError, match="asked for by its name"):
            call()


def test_what_has_no_hash_by_its_value_names_no_group() -> None:
    with pytest.raises(InputError, match="cannot name a group") as caught:
        Predictions.of([0, 1], [0, 1], groups=[1, Decimal("sNaN")])
    assert caught.value.rows == (2,)


def test_rows_of_fixed_width_are_no_column_of_a_model() -> None:
    wide = pl.Series([[1, 2]] * 40, dtype=pl.Array(pl.Int64, 2))
    with pytest.raises(InputError) as caught:
        sf.compare(Y, {"a": wide, "b": wide})
    assert caught.value.code == "bad_shape"


@pytest.mark.parametrize("costs", [[[0, 10**400], [1, 0]], np.array([[0, 1j], [1, 0]])])
@pytest.mark.filterwarnings("error")
def test_costs_are_numbers(costs: Any) -> None:
    with pytest.raises(InputError, match="not made of numbers"):
        sf.assess(Y, Y, costs=costs)
