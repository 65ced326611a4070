"""Spark: the same tallies to the last count, also when an executor or a Python worker is killed."""

import os
import pickle
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars
import pyarrow
import pytest

import surefold as sf
from surefold.engines import spark as spark_engine
from surefold.engines.rows import merged, open_rows
from surefold.engines.spark import SparkRows
from surefold.errors import InputError, MissingExtraError, RunError
from surefold.inputs.parts import Roles
from surefold.inputs.streams import open_stream
from surefold.tallies.partial import Partial, Plan
from tests.engines.deadly import Deadly
from tests.engines.test_dask import same_partials

PLAN = Plan(Roles("y", ("a",), ("p_a",), None, "g"))
HAS_JAVA = shutil.which("java") is not None or "JAVA_HOME" in os.environ
#: Small and quick to start: the tests' data are small too.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
DEFAULTS = f"""
spark.driver.defaultJavaOptions {JAVA}
spark.executor.defaultJavaOptions {JAVA}
spark.executor.memory 512m
spark.task.maxFailures 2
spark.sql.codegen.wholeStage false
"""
MASTER = "local-cluster[2,1,512]"

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::ResourceWarning")
needs_java = pytest.mark.skipif(not HAS_JAVA, reason="Java is not installed: the Spark engine was not tested")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A home of Spark with settings of its own, where executors write their logs."""
    import pyspark

    home, before = tmp_path_factory.mktemp("spark"), sorted(os.listdir())
    for entry in Path(pyspark.__file__).parent.iterdir():
        (home / entry.name).symlink_to(entry)
    (home / "conf").mkdir()
    (home / "conf" / "spark-defaults.conf").write_text(DEFAULTS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_HOME", str(home))
        patch.setenv("SPARK_CONF_DIR", str(home / "conf"))
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")  # no name has to be looked up
        patch.setenv("SPARK_LOCAL_HOSTNAME", "localhost")
        yield
    assert sorted(os.listdir()) == before  # nothing is left in the working folder


@pytest.fixture(scope="module")
def session(home: None, parquet: Path) -> Iterator[Any]:
    """Two executors in processes of their own, each with one core, as the engine itself starts them."""
    rows = open_rows(parquet, engine="spark", cluster=MASTER)
    assert isinstance(rows, SparkRows)
    yield rows._session
    rows.close()
    assert type(rows._session).getActiveSession() is None  # it was the engine's own, and is stopped


@needs_java
def test_a_master_that_is_none(home: None, parquet: Path) -> None:
    with pytest.raises(RunError, match=r"Spark did not start at nowhere \(.*check that Java 17 is installed"):
        open_rows(parquet, engine="spark", cluster="nowhere")


@needs_java
def test_files_give_the_tallies_of_the_local_engine(
    parquet: Path, session: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(parquet.parent)  # where executors are not
    here = open_rows(parquet.name, memory="1MB")
    there = open_rows(parquet.name, engine="spark", cluster=session, memory="1MB")
    same_partials(here.reduce(PLAN), there.reduce(PLAN))


@needs_java
def test_a_frame_gives_them_too(parquet: Path, session: Any) -> None:
    frame = session.read.parquet(str(parquet)).repartition(11)
    same_partials(open_rows(parquet).reduce(PLAN), open_rows(frame).reduce(PLAN))


@needs_java
def test_a_frame_is_assessed_compared_and_gated(parquet: Path, session: Any) -> None:
    frame = session.read.parquet(str(parquet)).coalesce(1)
    a = sf.assess(frame, truth="y", pred="a", score="p_a")
    of_file = sf.assess(parquet, truth="y", pred="a", score="p_a")
    assert a["roc_auc"].value == pytest.approx(of_file["roc_auc"].value, rel=1e-12)
    found, wanted = (sf.compare(source, ["p_a", "p_b"], truth="y", measure="roc_auc") for source in (frame, parquet))
    assert found.differences[0].effect.interval == pytest.approx(wanted.differences[0].effect.interval, rel=1e-9)
    asked: dict[str, Any] = {"truth": "y", "margin": 0.05}
    assert sf.gate(frame, "a", "b", **asked).bounds == sf.gate(parquet, "a", "b", **asked).bounds


@needs_java
def test_complaints_come_through_as_they_are(tmp_path: Path, session: Any) -> None:
    polars.DataFrame({"y": [0, 1, None], "a": [0, 1, 1]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"a\.parquet: column 'y' has missing labels: row 3"):
        sf.assess(tmp_path / "a.parquet", truth="y", pred="a", engine="spark", cluster=session)


@needs_java
def test_progress_is_asked_of_spark(
    parquet: Path, session: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Slow(Plan):
        """Takes long enough for Spark to be asked how far it is."""

        def of(self, table: Any) -> Partial:
            time.sleep(0.4)
            return super().of(table)

    asked: list[tuple[Any, str, int]] = []
    done = spark_engine._tasks_done

    def noted(tracker: Any, group: str, tasks: int) -> int:
        asked.append((tracker, group, tasks))
        return done(tracker, group, tasks)

    monkeypatch.setattr(spark_engine, "_tasks_done", noted)
    monkeypatch.setattr(spark_engine, "POLL_SECONDS", 0.1)
    context = session.sparkContext
    context.setJobGroup("mine", "my own")
    rows = open_rows(parquet, engine="spark", cluster=session, progress=True)
    assert rows.reduce(Slow(PLAN.roles)).n == 3000
    assert "rows" in capsys.readouterr().err
    assert len(asked) >= 3
    assert done(*asked[-1]) == 3  # all parts, now that it is over
    assert context.getLocalProperty("spark.jobGroup.id") == "mine"  # as it was before
    context.setLocalProperty("spark.jobGroup.id", None)


@needs_java
def test_the_session_there_is_is_used_and_never_stopped(parquet: Path, session: Any) -> None:
    rows = open_rows(parquet, engine="spark")
    rows.close()
    assert session.range(3).count() == 3
    with pytest.raises(InputError, match=r"a session of Spark at local-cluster.* is there"):
        open_rows(parquet, engine="spark", cluster="local[2]")


@needs_java
@pytest.mark.parametrize("above", [0, 2], ids=["worker", "executor"])
def test_one_that_is_killed_costs_nothing_but_time(above: int, parquet: Path, session: Any, tmp_path: Path) -> None:
    marker = tmp_path / "died"
    rows = open_rows(parquet, engine="spark", cluster=session)
    found = rows.reduce(Deadly(PLAN, 500, str(marker), above))
    assert marker.read_text() == "died here"
    same_partials(found, open_rows(parquet).reduce(PLAN))


@needs_java
@pytest.mark.parametrize("above", [0, 2], ids=["workers", "executors"])
def test_those_that_die_again_and_again_are_an_error(above: int, parquet: Path, session: Any) -> None:
    with pytest.raises(RunError, match=r"Spark could not finish .*\[worker_lost\]"):
        open_rows(parquet, engine="spark", cluster=session).reduce(Deadly(PLAN, 500, above=above))


@needs_java
@pytest.mark.parametrize("name", ["a.b", "a b", "a`b", "ä"])
def test_names_that_spark_would_quote(name: str, parquet: Path, session: Any) -> None:
    frame = session.read.parquet(str(parquet)).withColumnRenamed("a", name)
    assert sf.assess(frame, truth="y", pred=name).confusion == sf.assess(parquet, truth="y", pred="a").confusion


@needs_java
def test_columns_that_are_not_used_do_not_matter(parquet: Path, session: Any) -> None:
    from pyspark.sql import functions

    frame = session.read.parquet(str(parquet))
    beside = frame.withColumn("map", functions.expr("map('a', 1)")).withColumn("t", functions.expr("interval 3 month"))
    beside = beside.withColumn("none", functions.lit(None))
    assert sf.assess(beside, truth="y", pred="a").confusion == sf.assess(parquet, truth="y", pred="a").confusion
    with pytest.raises(InputError, match=r"column 'none' has missing labels.*missing_label"):
        sf.assess(beside, truth="y", pred="none")
    twice = frame.select("y", "a", frame["b"].alias("a"))
    with pytest.raises(InputError, match="duplicate_column"):
        sf.assess(twice, truth="y", pred="a")


@needs_java
def test_a_frame_that_cannot_be_read(session: Any, tmp_path: Path) -> None:
    polars.DataFrame({"y": [0, 1], "a": [0, 1]}).write_parquet(tmp_path / "a.parquet")
    frame = session.read.parquet(str(tmp_path))
    (tmp_path / "a.parquet").unlink()
    with pytest.raises(RunError, match=r"FileNotFound|does not exist|not exist"):
        sf.assess(frame, truth="y", pred="a")


# what executors run, run here


def test_what_an_executor_makes_of_parts(parquet: Path) -> None:
    stream = open_stream(parquet)
    over = spark_engine._over_parts(lambda: pickle.dumps(PLAN), [pickle.dumps(part) for part in stream.parts])
    numbers = pyarrow.RecordBatch.from_pydict({"id": [0, 1, 2]})
    (row,) = over(iter([numbers]))
    same_partials(pickle.loads(row.column(0)[0].as_py()), open_rows(parquet).reduce(PLAN))
    assert list(over(iter([]))) == []  # a task without parts


def test_what_an_executor_makes_of_a_frame(rows: polars.DataFrame, parquet: Path) -> None:
    over = spark_engine._over_frames(lambda: pickle.dumps(PLAN))
    sent = rows.select(PLAN.columns)  # the driver sends what the job reads, in its order
    halves = [next(over(iter(half.to_arrow().to_batches()))) for half in (sent[:1000], sent[1000:])]
    (whole,) = spark_engine._merging(iter(halves))
    same_partials(pickle.loads(whole.column(0)[0].as_py()), open_rows(parquet).reduce(PLAN))


def test_a_complaint_passes_through_merges(rows: polars.DataFrame) -> None:
    over = spark_engine._over_frames(lambda: pickle.dumps(PLAN))
    sent = rows.select(PLAN.columns)
    odd = sent.with_columns(y=polars.lit(None, dtype=polars.Int8))
    rows_sent = [next(over(iter(frame.to_arrow().to_batches()))) for frame in (sent, odd)]
    (whole,) = spark_engine._merging(iter(rows_sent))
    with pytest.raises(InputError, match="missing labels"):
        spark_engine._opened(whole.column(0)[0].as_py())


class Connected:
    """Stands for a session of Spark Connect, which needs a server: no context, and frames that run here at once."""

    def __init__(self, batches: list[pyarrow.RecordBatch] | None = None) -> None:
        self.batches = batches or []

    def range(self, stop: int, numPartitions: int) -> "Connected":
        return Connected([pyarrow.RecordBatch.from_pydict({"id": [i]}) for i in range(stop)])

    def repartition(self, partitions: int) -> "Connected":
        return self

    def mapInArrow(self, function: Any, schema: str) -> "Connected":  # noqa: N802
        merging = function is spark_engine._merging
        given = [self.batches] if merging else [[batch] for batch in self.batches]
        return Connected([row for batches in given for row in function(iter(batches))])

    def collect(self) -> list[tuple[bytes]]:
        return [(value,) for batch in self.batches for value in batch.column(0).to_pylist()]


def test_without_a_context_the_job_goes_with_each_task(parquet: Path) -> None:
    found = SparkRows.of(open_stream(parquet), None, Connected(), True).reduce(PLAN)
    same_partials(found, merged([open_rows(parquet).reduce(PLAN)]))


PYTHON_RAISED = """[Stage failure] An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "spark.py", line 7, in _answered
    except InputError as error:  # to be raised by the driver
ValueError: no such thing

\tat org.apache.spark.api.python.BasePythonRunner.read(PythonRunner.scala:588)
Caused by: org.apache.spark.SparkException: task failed
"""
JAVA_RAISED = """org.apache.spark.SparkException: Job aborted due to stage failure
\tat x.Error
Caused by: java.lang.OutOfMemoryError: heap
\tat y"""


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (PYTHON_RAISED, "(ValueError: no such thing)"),
        (JAVA_RAISED, "(Caused by: java.lang.OutOfMemoryError: heap)"),
        ("the master is gone", "(the master is gone)"),
        ("", "(Exception)"),
    ],
)
def test_what_spark_says_in_a_line(said: str, told: str) -> None:
    assert told in str(spark_engine._told(Exception(said)))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Traceback (most recent call last):\nModuleNotFoundError: No module named 'surefold.engines'\n",
            "surefold: pip install '.[spark]' in its folder",
        ),
        (
            "[PACKAGE_NOT_INSTALLED] PyArrow >= 18.0.0 must be installed; however, it was not found.",
            "PyArrow: pip install pyspark pyarrow",
        ),
    ],
)
def test_what_executors_lack_is_named(said: str, told: str) -> None:
    error = spark_engine._told(Exception(said))
    assert isinstance(error, MissingExtraError)
    assert str(error) == f"the Python of every executor (PYSPARK_PYTHON says which one) needs {told}"


def test_what_spark_cannot_analyse_is_no_lost_worker() -> None:
    from pyspark.errors import AnalysisException

    error = spark_engine._told(AnalysisException("[TABLE_OR_VIEW_NOT_FOUND] The table `t` cannot be found."))
    assert isinstance(error, InputError)
    assert "TABLE_OR_VIEW_NOT_FOUND" in str(error)


def test_arrow_that_is_missing_here(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match="needs pyarrow: pip install pyspark pyarrow"):
        open_rows(parquet, engine="spark")


@pytest.mark.parametrize("cluster", ["local[2]", "local", "spark://host:7077", "yarn", "k8s://host", MASTER])
def test_a_master_says_that_it_is_spark(cluster: str, parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)  # it is asked for, and that is enough
    with pytest.raises(MissingExtraError, match="pyspark"):
        open_rows(parquet, cluster=cluster)


def test_the_extra_is_named_when_it_is_missing(parquet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(MissingExtraError, match="pip install pyspark pyarrow"):
        open_rows(parquet, engine="spark")
