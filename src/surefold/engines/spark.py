"""Spark: one tally a partition by `mapInArrow`, merged by rounds of the same; the driver collects one row."""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from surefold.engines.rows import FAN_IN, Job, merged, tally_frame, tally_part
from surefold.errors import InputError, MissingExtraError, RunError
from surefold.inputs.streams import Stream, table_of
from surefold.inputs.tables import Table

if TYPE_CHECKING:
    import pyarrow

__all__ = ["SparkRows"]

_HEAD_ROWS = 1000
_SCHEMA = "tally binary"


class SparkRows:
    """Rows of files that every executor can open, or of a Spark data frame."""

    def __init__(self, stream: Stream | None, frame: Any, session: Any, owned: bool) -> None:
        self.stream, self._frame, self._session, self._owned = stream, frame, session, owned
        self._head: Table | None = None

    @classmethod
    def of(cls, stream: Stream | None, frame: Any, cluster: Any) -> SparkRows:
        """In the session of the frame, the one that is active, or a new one at a master such as local[2]."""
        try:
            with _no_warnings():
                from pyspark.sql import SparkSession
        except ImportError:
            raise MissingExtraError("pyspark", "spark", "engine='spark'") from None
        if frame is not None:
            return cls(None, frame, frame.sparkSession, False)
        if isinstance(cluster, SparkSession):
            return cls(stream, None, cluster, False)
        active = SparkSession.getActiveSession() if cluster is None else None
        if active is not None:
            return cls(stream, None, active, False)
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        master = "local[*]" if cluster is None else str(cluster)
        builder: Any = SparkSession.builder
        builder = builder.master(master).appName("surefold").config("spark.ui.enabled", "false")
        # A tally of millions of scores passes through as one row of a few hundred MB.
        builder = builder.config("spark.driver.memory", "4g").config("spark.driver.maxResultSize", "0")
        builder = builder.config("spark.ui.showConsoleProgress", "false").config("spark.log.level", "ERROR")
        try:
            with _no_warnings():
                session = builder.getOrCreate()
        except Exception as error:  # py4j and Java have many ways to say that nothing started
            reason = str(error).strip().splitlines()
            cure = "check that Java 17 is installed (JAVA_HOME) and the master, such as cluster='local[2]'"
            problem = f"Spark did not start at {master} ({reason[0][:200] if reason else type(error).__name__})"
            raise RunError("worker_lost", problem, cure=cure) from None
        return cls(stream, None, session, True)

    @property
    def source(self) -> str:
        return "Spark data frame" if self.stream is None else self.stream.source

    @property
    def head(self) -> Table:
        if self.stream is not None:
            return self.stream.head
        if self._head is None:
            import polars

            with _no_warnings():
                made = polars.from_arrow(self._frame.limit(_HEAD_ROWS).toArrow())
            if not isinstance(made, polars.DataFrame):
                raise AssertionError("an Arrow table is a frame")
            self._head = table_of(made, self.source)
        return self._head

    def facts(self, rows: int) -> dict[str, Any]:
        if self.stream is not None:
            return self.stream.facts(rows)
        return {"file": {"path": self.source, "rows": rows}}

    def close(self) -> None:
        if self._owned:
            self._session.stop()

    def reduce(self, job: Job, what: str = "rows") -> Any:
        from pyspark.errors import PySparkException

        with _no_warnings():
            return self._reduced(job, PySparkException)

    def _reduced(self, job: Job, refused: type[Exception]) -> Any:
        try:
            job_bytes = self._sent(job)
            if self.stream is not None:
                partitions = len(self.stream.parts)
                numbers = self._session.range(partitions, numPartitions=partitions)
                parts = [pickle.dumps(part) for part in self.stream.parts]
                held = numbers.mapInArrow(_over_parts(job_bytes, parts), _SCHEMA)
            else:
                columns = [f"`{name}`" for name in job.columns]
                frame = self._frame.select(*columns)
                partitions = _partitions(frame)
                held = frame.mapInArrow(_over_frames(job_bytes), _SCHEMA)
            while partitions > 1:
                partitions = -(-partitions // FAN_IN)
                held = held.repartition(partitions).mapInArrow(_merging, _SCHEMA)
            rows = held.collect()
        except refused as error:
            raise _told(error) from None
        except Exception as error:
            if type(error).__module__.startswith("py4j"):
                raise _told(error) from None
            raise
        found = [_opened(bytes(row[0])) for row in rows]
        if not found:
            raise InputError("no_rows", "the frame has 0 rows", source=self.source, cure="give at least one row")
        return merged(found)

    def _sent(self, job: Job) -> Callable[[], bytes]:
        """The job, sent once to each executor where the session can broadcast."""
        import cloudpickle

        content: bytes = cloudpickle.dumps(job)
        try:
            broadcast = self._session.sparkContext.broadcast(content)
        except Exception:  # a session of Spark Connect has no context: the job goes with each task
            return lambda: content
        return lambda: bytes(broadcast.value)


@contextlib.contextmanager
def _no_warnings() -> Iterator[None]:
    """Spark warns of versions of pandas, which is not used here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=FutureWarning, module="pyspark")
        yield


def _partitions(frame: Any) -> int:
    try:
        return int(frame.rdd.getNumPartitions())
    except Exception:  # Spark Connect
        return 200


def _over_parts(job_bytes: Callable[[], bytes], parts: list[bytes]) -> Callable[..., Any]:
    def over(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        job = pickle.loads(job_bytes())  # from our own driver
        numbers = [n for batch in batches for n in batch.column(0).to_pylist()]
        yield from _answered(lambda: merged([tally_part(job, pickle.loads(parts[n])) for n in numbers]), bool(numbers))

    return over


def _over_frames(job_bytes: Callable[[], bytes]) -> Callable[..., Any]:
    def over(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        import polars
        import pyarrow

        job = pickle.loads(job_bytes())
        held = [batch for batch in batches if batch.num_rows]

        def tally() -> Any:
            return tally_frame(job, polars.from_arrow(pyarrow.Table.from_batches(held)))

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


def _told(error: Exception) -> RunError:
    """What Spark says in pages, in a line: the innermost cause that it names."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [line for line in lines if not line.startswith("at ") and ("Error" in line or "Exception" in line)]
    causes = [line for line in named if line.startswith("Caused by")]
    last = (causes or named or lines or [type(error).__name__])[-1 if causes else 0]
    return RunError("worker_lost", f"Spark could not finish ({last[:300]})",
                    cure="look at the executors' logs; give them more memory, or smaller parts")  # fmt: skip
