"""Spark: the same tallies to the last count, also when a Python worker of an executor dies."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pytest

import surefold as sf
from surefold.engines.rows import open_rows
from surefold.errors import InputError, MissingExtraError, RunError
from surefold.inputs.parts import Roles
from surefold.tallies.partial import Plan
from tests.engines.deadly import Deadly
from tests.engines.test_dask import same_partials

PLAN = Plan(Roles("y", ("a",), ("p_a",), None, "g"))
HAS_JAVA = shutil.which("java") is not None or "JAVA_HOME" in os.environ

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
needs_java = pytest.mark.skipif(not HAS_JAVA, reason="Java is not installed: the Spark engine was not tested")


@pytest.fixture(scope="module")
def session() -> Iterator[Any]:
    """Two threads of one machine that try a task up to three times."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pyspark.sql import SparkSession

        os.environ["PYSPARK_PYTHON"] = sys.executable
        builder: Any = SparkSession.builder
        made = (
            builder.master("local[2,3]")
            .config("spark.ui.enabled", "false")
            .config("spark.log.level", "OFF")
            .config("spark.driver.memory", "1g")
            .getOrCreate()
        )
    yield made
    made.stop()


@needs_java
def test_files_give_the_tallies_of_the_local_engine(parquet: Path, session: Any) -> None:
    here = open_rows(parquet, memory="1MB")
    there = open_rows(parquet, engine="spark", cluster=session, memory="1MB")
    same_partials(here.reduce(PLAN), there.reduce(PLAN))


@needs_java
@pytest.mark.parametrize("partitions", [1, 11])
def test_a_frame_gives_them_too(partitions: int, parquet: Path, session: Any) -> None:
    frame = session.read.parquet(str(parquet)).repartition(partitions)
    same_partials(open_rows(parquet).reduce(PLAN), open_rows(frame).reduce(PLAN))
    a = sf.assess(frame, truth="y", pred="a", score="p_a")
    assert a["roc_auc"].value == sf.assess(parquet, truth="y", pred="a", score="p_a")["roc_auc"].value


@needs_java
def test_complaints_come_through_as_they_are(tmp_path: Path, session: Any) -> None:
    polars.DataFrame({"y": [0, 1, None], "a": [0, 1, 1]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet: column 'y' has missing labels: row 3"):
        sf.assess(tmp_path / "a.parquet", truth="y", pred="a", engine="spark", cluster=session)


@needs_java
def test_a_worker_that_dies_costs_nothing_but_time(parquet: Path, session: Any, tmp_path: Path) -> None:
    marker = tmp_path / "died"
    found = open_rows(parquet, engine="spark", cluster=session).reduce(Deadly(PLAN, 500, str(marker)))
    assert marker.read_text() == "died here"
    same_partials(found, open_rows(parquet).reduce(PLAN))


@needs_java
def test_workers_that_die_again_and_again_are_an_error(parquet: Path, session: Any) -> None:
    with pytest.raises(RunError, match=r"Spark could not finish .*\[worker_lost\]"):
        open_rows(parquet, engine="spark", cluster=session).reduce(Deadly(PLAN, 500))


def test_the_extra_is_named_when_it_is_missing(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'surefold\[spark\]'"):
        open_rows(parquet, engine="spark")
