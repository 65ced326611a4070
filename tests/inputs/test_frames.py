"""The same rows in every library give the same figures, and frames come out in the flavour that came in."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

import surefold as sf
from surefold.errors import InputError
from surefold.flavours import flavour_of, in_flavour
from surefold.learners import NaiveBayes

RNG = np.random.default_rng(7)
N = 120
TRUTH = RNG.choice(["no", "yes"], N)
SCORE = np.round(RNG.beta(2, 2, N) * 0.7 + 0.3 * (TRUTH == "yes"), 3)
CALLED = np.where(SCORE > 0.5, "yes", "no")
OTHER = np.where(RNG.random(N) < 0.3, "yes", CALLED)
WARD = RNG.integers(0, 15, N)
PLAIN = {"y": TRUTH.tolist(), "p": CALLED.tolist(), "q": OTHER.tolist(), "s": SCORE.tolist(), "ward": WARD.tolist()}


class Stream:
    """Whatever gives its rows as an Arrow stream and says nothing else of itself."""

    def __init__(self, held: Any) -> None:
        self._held = held

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._held.__arrow_c_stream__(requested_schema)


class Relation(Stream):
    """A table that is computed when it is asked for, with the names of its columns, as a database has it."""

    columns = (*PLAIN,)


class Tensor:
    """Whatever exchanges its memory by DLPack and says nothing else of itself; `copied` as from another device."""

    def __init__(self, held: np.ndarray[Any, Any], far: bool = False) -> None:
        self._held, self._far = held, far

    def __dlpack_device__(self) -> tuple[Any, int]:
        device: tuple[Any, int] = self._held.__dlpack_device__()
        return device

    def __dlpack__(self, *, copy: bool | None = None, **options: Any) -> Any:
        if self._far and not copy:
            raise BufferError("the memory is on another device")
        return self._held.copy().__dlpack__()


FRAMES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(PLAIN),
    "pandas of Arrow": lambda: pl.DataFrame(PLAIN).to_pandas(use_pyarrow_extension_array=True),
    "polars": lambda: pl.DataFrame(PLAIN),
    "polars, lazy": lambda: pl.LazyFrame(PLAIN),
    "pyarrow": lambda: pa.table(PLAIN),
    "pyarrow data set": lambda: pyarrow.dataset.dataset(pa.table(PLAIN)),
    "a relation": lambda: Relation(pa.table(PLAIN)),
}
COLUMNS: dict[str, Callable[[str], Any]] = {
    "list": lambda name: PLAIN[name],
    "numpy": lambda name: np.asarray(PLAIN[name]),
    "pandas": lambda name: pd.Series(PLAIN[name]),
    "polars": lambda name: pl.Series(PLAIN[name]),
    "pyarrow": lambda name: pa.chunked_array([PLAIN[name][:50], PLAIN[name][50:]]),
    "Arrow stream": lambda name: Stream(pa.chunked_array([PLAIN[name]])),
    "Arrow stream of a table": lambda name: Stream(pa.table({name: PLAIN[name]})),
}


def expected() -> sf.Assessment:
    return sf.assess(PLAIN["y"], PLAIN["p"], y_score=PLAIN["s"], pos_label="yes", groups=PLAIN["ward"])


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_of_every_library_say_the_same(kind: str) -> None:
    column = COLUMNS[kind]
    a = sf.assess(column("y"), column("p"), y_score=column("s"), pos_label="yes", groups=column("ward"))
    assert a.overall == expected().overall
    c = sf.compare(column("y"), {"p": column("p"), "q": column("q")}, measure="f1", pos_label="yes")
    assert c["p", "q"] == sf.compare(TRUTH, {"p": CALLED, "q": OTHER}, measure="f1", pos_label="yes")["p", "q"]
    flavour = kind if kind in ("pandas", "pyarrow") else "polars"
    assert {flavour_of(a.to_frame()), flavour_of(c.to_frame())} == {flavour}
    assert flavour_of(a.to_frame("pandas")) == "pandas"


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_of_every_library_are_read_by_the_names_of_their_columns(kind: str) -> None:
    named: dict[str, Any] = {"truth": "y", "pos_label": "yes", "groups": "ward"}
    a = sf.assess(FRAMES[kind](), pred="p", score="s", **named)
    assert a.overall == expected().overall
    c = sf.compare(FRAMES[kind](), ["p", "q"], measure="f1", **named)
    of_arrays: dict[str, Any] = {"measure": "f1", "pos_label": "yes", "groups": WARD}
    assert c["p", "q"].effect == sf.compare(TRUTH, {"p": CALLED, "q": OTHER}, **of_arrays)["p", "q"].effect
    g = sf.gate(FRAMES[kind](), "q", "p", margin=0.05, truth="y")
    assert g.bound == sf.gate(TRUTH, OTHER, CALLED, margin=0.05).bound
    flavour = kind.split()[0].rstrip(",")
    assert flavour_of(a.to_frame()) == (flavour if flavour in ("pandas", "pyarrow") else "polars")


def test_a_frame_alone_is_no_column() -> None:
    with pytest.raises(InputError, match="table of 5 columns"):
        sf.assess(FRAMES["polars"](), CALLED)
    with pytest.raises(InputError, match="the pandas frame: there is no column 'z'"):
        sf.assess(FRAMES["pandas"](), truth="z", pred="p")
    with pytest.raises(InputError, match="0 rows"):
        sf.assess(FRAMES["polars"]().head(0), truth="y", pred="p")


@pytest.mark.parametrize("far", [False, True])
def test_tensors_are_read_by_dlpack(far: bool) -> None:
    codes, called = (TRUTH == "yes").astype(np.int64), (CALLED == "yes").astype(np.int64)
    a = sf.assess(Tensor(codes, far), Tensor(called, far), y_score=Tensor(SCORE, far), groups=Tensor(WARD, far))
    assert a.overall == sf.assess(codes, called, y_score=SCORE, groups=WARD).overall


def test_a_tensor_that_cannot_be_read_says_what_to_pass() -> None:
    class Learning(Tensor):
        def __dlpack__(self, *, copy: bool | None = None, **options: Any) -> Any:
            raise BufferError("it is part of a gradient")

    with pytest.raises(InputError, match=r"y_score is a Learning that cannot be read: it is part.*detach"):
        sf.assess(TRUTH, y_score=Learning(SCORE), pos_label="yes")


def test_probabilities_of_many_classes_as_frames_and_streams() -> None:
    y = RNG.choice(["a", "b", "c"], 60)
    p = RNG.dirichlet([1, 1, 1], 60)
    frame = pa.table({"c": p[:, 2], "a": p[:, 0], "b": p[:, 1]})
    for given in (Stream(frame), frame, pl.from_arrow(frame), frame.to_pandas()):
        assert sf.measure("roc_auc", y, y_score=given) == sf.measure("roc_auc", y, y_score=p)


def test_arrow_columns_are_not_copied() -> None:
    from surefold.inputs.exchanged import from_arrow_stream

    held = pa.array(SCORE)
    read = from_arrow_stream(Stream(pa.chunked_array([held])))
    assert read is not None
    assert np.shares_memory(read.to_numpy(), held.to_numpy())
    assert np.shares_memory(np.from_dlpack(SCORE), SCORE)


def test_results_of_resampling_come_in_the_flavour_of_y() -> None:
    X = RNG.normal(size=(N, 2))
    for column, flavour in ((pd.Series(PLAIN["y"]), "pandas"), (pl.Series(PLAIN["y"]), "polars"), (TRUTH, "polars")):
        r = sf.holdout(NaiveBayes(), X, column, random_state=0, pos_label="yes")
        assert flavour_of(r.to_frame()) == flavour
        assert flavour_of(r.to_frame("pyarrow")) == "pyarrow"


def test_what_is_missing_in_a_frame_stays_missing() -> None:
    frame = pl.DataFrame({"n": [1, None], "x": [None, 0.5], "t": ["a", None], "b": [True, False]})
    arrow: Any = in_flavour(frame, "pyarrow")
    assert arrow.to_pylist() == frame.to_dicts()
    panda: Any = in_flavour(frame, "pandas")
    assert panda.isna().to_numpy().tolist() == [[False, True, False, False], [True, False, True, False]]
    with pytest.raises(sf.UnknownNameError, match="did you mean 'pandas'"):
        in_flavour(frame, "panda")  # type: ignore[arg-type]
