"""Spark: one tally a partition by `mapInArrow`, merged by rounds of the same; the driver collects one row."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from surefold.engines.engine import Engine
from surefold.engines.progress import is_shown, rows_read
from surefold.engines.rows import FAN_IN, Job, merged, summed, tally_part, tally_table
from surefold.errors import InputError, MissingExtraError, RunError, SurefoldError, show
from surefold.inputs.streams import Stream, table_of_columns
from surefold.inputs.tables import Table

if TYPE_CHECKING:
    import polars
    import pyarrow

__all__ = ["ENGINE", "SparkRows"]

_HEAD_ROWS = 1000
_SCHEMA = "tally binary"
_LOGGING = Path(__file__).with_name("spark-log4j2.properties")
#: Into how many tasks the parts are dealt for each core: one that is lost costs its parts.
TASKS_A_CORE = 16
#: How often Spark is asked how far it is.
POLL_SECONDS = 0.5
_GROUP_PROPERTIES = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")
#: Types of columns that can be labels, scores, weights or groups.
_PLAIN = ("string", "char", "varchar", "boolean", "byte", "short", "integer", "long", "tinyint", "smallint", "int",
          "bigint", "float", "double", "decimal", "date", "timestamp", "timestamp_ntz", "void")  # fmt: skip
_ABSENT = re.compile(r"ModuleNotFoundError: No module named '(\w+)|\[PACKAGE_NOT_INSTALLED\] (\w+)")
_RAISED = re.compile(r"(Caused by: )?[\w.$]*(Error|Exception|Failure)\b")


class SparkRows:
    """Rows of files that every executor can open, or of a Spark data frame."""

    def __init__(
        self, stream: Stream | None, frame: Any, session: Any, owned: bool, progress: bool | None, cluster: Any = None
    ) -> None:
        self.stream, self._frame, self._session, self._owned = stream, frame, session, owned
        self._progress, self._cluster = progress, cluster
        self._head: Table | None = None

    @classmethod
    def of(cls, stream: Stream | None, frame: Any, cluster: Any, progress: bool | None = None) -> SparkRows:
        """In the session of the frame, the one that is active, or a new one at a master such as local[2]."""
        try:
            with _quiet():
                import pyarrow  # noqa: F401  what rows travel in; Spark itself asks for it only in the midst of a run
                from pyspark.sql import SparkSession
        except ImportError as error:
            raise MissingExtraError((error.name or "pyspark").partition(".")[0], "spark", "engine='spark'") from None
        if frame is not None:
            return cls(None, frame, frame.sparkSession, False, progress)
        if hasattr(cluster, "range"):  # a session, of Spark Connect too
            return cls(stream, None, cluster, False, progress, cluster)
        active = SparkSession.getActiveSession()
        if active is not None:
            _check_master(active, cluster)
            return cls(stream, None, active, False, progress, cluster)
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        master = "local[*]" if cluster is None else str(cluster)
        builder: Any = SparkSession.builder
        builder = builder.master(master).appName("surefold").config("spark.ui.enabled", "false")
        # A tally of millions of scores passes through as one row of a few hundred MB.
        builder = builder.config("spark.driver.memory", "4g").config("spark.driver.maxResultSize", "0")
        builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "ERROR")
        builder = builder.config("spark.driver.extraJavaOptions", f"-Dlog4j2.configurationFile={_LOGGING.as_uri()}")
        try:
            with _quiet(), _interrupt_afterwards():
                session = builder.getOrCreate()
        except Exception as error:  # py4j and Java have many ways to say that nothing started
            reason = str(error).strip().splitlines()
            cure = "check that Java 17 is installed (JAVA_HOME) and the master, such as cluster='local[2]'"
            problem = f"Spark did not start at {master} ({reason[0][:200] if reason else type(error).__name__})"
            raise RunError("worker_lost", problem, cure=cure) from None
        return cls(stream, None, session, True, progress, cluster)

    @property
    def source(self) -> str:
        """Where the rows come from, in words."""
        return "Spark data frame" if self.stream is None else self.stream.source

    @property
    def head(self) -> Table:
        """The first rows, for their columns and kinds."""
        if self.stream is not None:
            return self.stream.head
        if self._head is None:
            with _quiet(), _telling():
                self._head = table_of_columns(self._frame.columns, self._head_columns(), self.source)
        return self._head

    def _head_columns(self) -> list[polars.Series]:
        """The first rows of the columns that are plain values; vectors, maps and the like are left empty."""
        import polars

        kinds = [field.dataType.typeName() for field in self._frame.schema.fields]
        plain = [i for i, kind in enumerate(kinds) if kind.partition("(")[0] in _PLAIN]
        made = polars.from_arrow(self._numbered(plain).limit(_HEAD_ROWS).toArrow()) if plain else polars.DataFrame()
        if not isinstance(made, polars.DataFrame):
            raise AssertionError("an Arrow table is a frame")
        held = dict(zip(plain, made.get_columns(), strict=True))
        return [held.get(i, polars.Series([None] * made.height)) for i in range(len(kinds))]

    def _numbered(self, places: Sequence[int]) -> Any:
        """The columns at these places as c0, c1, …, which need no quoting and stand there once."""
        frame = self._frame.toDF(*[f"c{i}" for i in range(len(self._frame.columns))])
        return frame.select(*[f"c{i}" for i in places])

    def facts(self, rows: int) -> dict[str, Any]:
        """What is said of the rows beside the figures: the files or the frame, and how many were read."""
        if self.stream is not None:
            return self.stream.facts(rows)
        return {"file": {"path": self.source, "rows": rows}}

    def again(self) -> SparkRows:
        """The same rows, opened once more."""
        return SparkRows.of(self.stream, self._frame, self._cluster, self._progress)

    def close(self) -> None:
        """Give back what was opened."""
        if self._owned:
            with _quiet(), contextlib.suppress(Exception):  # after an interrupt Java may be gone
                self._session.stop()

    def reduce(self, job: Job, what: str = "rows") -> Any:
        """What the job makes of every part, added up; `what` is told beside the progress."""
        with _quiet(), _telling(), self._sent(job) as job_bytes:
            if self.stream is not None:
                parts = [pickle.dumps(part) for part in self.stream.parts]
                tasks = min(len(parts), max(TASKS_A_CORE * _cores(self._session), FAN_IN))
                numbers = self._session.range(len(parts), numPartitions=tasks)
                held = numbers.mapInArrow(_over_parts(job_bytes, parts), _SCHEMA)
            else:
                frame = self._numbered([self._frame.columns.index(name) for name in job.columns])
                tasks = _partitions(frame)
                held = frame.mapInArrow(_over_frames(job_bytes), _SCHEMA)
            left = tasks
            while left > 1:
                left = -(-left // FAN_IN)
                held = held.repartition(left).mapInArrow(_merging, _SCHEMA)
            with self._shown(tasks, what):
                rows = held.collect()
        found = [_opened(bytes(row[0])) for row in rows]
        if not found:
            raise InputError("no_rows", "the frame has 0 rows", source=self.source, cure="give at least one row")
        return merged(found)

    @contextlib.contextmanager
    def _sent(self, job: Job) -> Iterator[Callable[[], bytes]]:
        """The job, sent once to each executor where the session can broadcast, and forgotten there afterwards."""
        import cloudpickle

        content: bytes = cloudpickle.dumps(job)
        context = _context(self._session)
        if context is None:
            yield lambda: content  # it goes with each task
            return
        broadcast = context.broadcast(content)
        try:
            yield lambda: bytes(broadcast.value)
        finally:
            broadcast.destroy()

    @contextlib.contextmanager
    def _shown(self, tasks: int, what: str) -> Iterator[None]:
        """The share of tasks that are done as rows, asked of Spark as it runs."""
        context = _context(self._session)
        if context is None or not is_shown(self._progress):
            yield
            return
        total, unit = float(tasks), "partitions"
        if self.stream is not None:
            total, unit = sum(part.rows for part in self.stream.parts), "rows"
        group, over = f"surefold-{os.urandom(8).hex()}", threading.Event()
        before = {name: context.getLocalProperty(name) for name in _GROUP_PROPERTIES}
        context.setJobGroup(group, f"surefold: {what}")
        with rows_read(total, what, unit, self._progress) as advance:

            def watch() -> None:
                told = 0
                while not over.wait(POLL_SECONDS):
                    done = _tasks_done(context.statusTracker(), group, tasks)
                    advance((done - told) / tasks * total)
                    told = done

            watcher = threading.Thread(target=watch, daemon=True)
            watcher.start()
            try:
                yield
            finally:
                over.set()
                watcher.join()
                for name, value in before.items():
                    context.setLocalProperty(name, value)


@contextlib.contextmanager
def _telling() -> Iterator[None]:
    """What Spark raises, told in a line and with the cure that fits."""
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        raise _told(error) from None
    except Exception as error:
        if type(error).__module__.startswith("py4j"):
            raise _told(error) from None
        raise


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Spark warns of versions of pandas, which is not used here, and py4j logs what it also raises, page by page."""

    def is_ours(record: logging.LogRecord) -> bool:
        return "py4j" not in record.pathname

    log = logging.getLogger()
    log.addFilter(is_ours)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
            yield
    finally:
        log.removeFilter(is_ours)


@contextlib.contextmanager
def _interrupt_afterwards() -> Iterator[None]:
    """An interrupt while Java starts would leave it running without anybody to end it: it is heeded a moment later."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    caught: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: caught.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if caught:
        raise KeyboardInterrupt


def _context(session: Any) -> Any:
    """The context of a session; None of Spark Connect, which has none."""
    try:
        return session.sparkContext
    except Exception:  # which one depends on the version
        return None


def _check_master(active: Any, cluster: Any) -> None:
    """Refuse another master than that of the session there is: a process can have one alone."""
    context = _context(active)
    if cluster is not None and context is not None and context.master != str(cluster):
        problem = f"a session of Spark at {context.master} is there, and cluster={show(cluster)} was asked for"
        raise InputError("bad_option", problem, cure="leave cluster= out, or stop that session first")


def _cores(session: Any) -> int:
    context = _context(session)
    return int(context.defaultParallelism) if context is not None else 8


def _partitions(frame: Any) -> int:
    try:
        return int(frame.rdd.getNumPartitions())
    except Exception:  # Spark Connect
        return 200


def _tasks_done(tracker: Any, group: str, tasks: int) -> int:
    """How many tasks of the first stage are done: the one with so many tasks."""
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(stage) for job in jobs if job is not None for stage in job.stageIds]
    return max((int(s.numCompletedTasks) for s in stages if s is not None and s.numTasks == tasks), default=0)


def _over_parts(job_bytes: Callable[[], bytes], parts: list[bytes]) -> Callable[..., Any]:
    def over(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        job = pickle.loads(job_bytes())  # from our own driver
        numbers = [n for batch in batches for n in batch.column(0).to_pylist()]
        yield from _answered(lambda: summed(tally_part(job, pickle.loads(parts[n])) for n in numbers), bool(numbers))

    return over


def _over_frames(job_bytes: Callable[[], bytes]) -> Callable[..., Any]:
    def over(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import polars
        import pyarrow

        job = pickle.loads(job_bytes())
        held = [batch for batch in batches if batch.num_rows]

        def tally() -> Any:
            made = polars.from_arrow(pyarrow.Table.from_batches(held))
            if not isinstance(made, polars.DataFrame):
                raise AssertionError("an Arrow table is a frame")
            return tally_table(job, table_of_columns(job.columns, made.get_columns(), "a partition"))

        yield from _answered(tally, bool(held))

    return over


def _answered(tally: Callable[[], Any], any_rows: bool) -> Iterator[pyarrow.RecordBatch]:
    """One row with the tally, or with the complaint; nothing from a partition without rows."""
    if not any_rows:
        return
    try:
        answer = tally()
    except InputError as error:  # to be raised by the driver as what it is
        answer = error
    yield _row(answer)


def _merging(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
    held = [pickle.loads(value) for batch in batches for value in batch.column(0).to_pylist()]
    complaint = next((h for h in held if isinstance(h, InputError)), None)
    if held:
        yield _row(complaint if complaint is not None else merged(held))


def _row(answer: Any) -> pyarrow.RecordBatch:
    import pyarrow

    values = pyarrow.array([pickle.dumps(answer)], type=pyarrow.binary())
    return pyarrow.RecordBatch.from_arrays([values], names=["tally"])


def _opened(content: bytes) -> Any:
    answer = pickle.loads(content)  # from our own executors
    if isinstance(answer, InputError):
        raise answer
    return answer


def _told(error: Exception) -> SurefoldError:
    """What Spark says in pages, in a line: what Python raised, the innermost cause in Java, or the first line."""
    text = str(error)
    absent = _ABSENT.search(text)
    if absent is not None:
        where = "the Python of every executor (PYSPARK_PYTHON says which one)"
        return MissingExtraError(absent.group(1) or absent.group(2), "spark", where)
    lines = [line for line in text.splitlines() if _RAISED.match(line)]
    causes = [line for line in lines if line.startswith("Caused by")]
    if "Traceback (most recent call last)" in text and lines:
        said = lines[-1] if not causes else lines[lines.index(causes[0]) - 1]
    else:
        said = causes[-1] if causes else next(iter([*lines, *text.split("\n")]))
    said = said.strip()[:300] or type(error).__name__
    if type(error).__name__ in ("AnalysisException", "ParseException"):
        return InputError("bad_option", f"Spark cannot read the frame ({said})", cure="check that frame.count() runs")
    return RunError("worker_lost", f"Spark could not finish ({said})",
                    cure="look at the executors' logs; give them more memory, or smaller parts")  # fmt: skip


def _owns(cluster: object) -> bool:
    """Whether this is a session or a master of Spark, and no address or client of Dask."""
    if isinstance(cluster, str):
        return re.match(r"local(-cluster)?(\[|$)|spark://|k8s://|yarn$", cluster) is not None
    return type(cluster).__module__.partition(".")[0] == "pyspark"


ENGINE = Engine("spark", SparkRows.of, frames=("pyspark",), owns=_owns)
