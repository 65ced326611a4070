"""Dask: one tally a part on the workers, merged there in a tree; the driver gets one tally."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from surefold.engines.dask_workers import workers_here
from surefold.engines.engine import Engine
from surefold.engines.progress import rows_read
from surefold.engines.rows import FAN_IN, Job, merged, tally_part, tally_table
from surefold.errors import InputError, MissingExtraError, RunError
from surefold.inputs.streams import Stream, table_of_columns
from surefold.inputs.tables import Table

__all__ = ["ENGINE", "DaskRows"]

_HEAD_ROWS = 1000
#: How long to wait for a cluster that was named.
CONNECT_SECONDS = 10
#: A job of more bytes than this is sent ahead, once to each worker; a smaller one goes with each task.
SENT_WITH_TASKS = 1 << 20
ATTEMPTS = 3


class DaskRows:
    """Rows of files that every worker can open, or of a Dask data frame."""

    def __init__(
        self, stream: Stream | None, frame: Any, client: Any, owned: ExitStack, progress: bool | None, cluster: Any
    ) -> None:
        self.stream, self._frame, self._client, self._owned, self._progress = stream, frame, client, owned, progress
        self._cluster = cluster  # as it was said
        self._head: Table | None = None

    @classmethod
    def of(cls, stream: Stream | None, frame: Any, cluster: Any, progress: bool | None) -> DaskRows:
        """On the cluster said (its address, or a client), with the client there is, or on a cluster of this machine."""
        try:
            from distributed import Client, get_client
        except ImportError:
            raise MissingExtraError("dask.distributed", "dask", "engine='dask'") from None
        owned = ExitStack()
        if isinstance(cluster, Client):
            return cls(stream, frame, cluster, owned, progress, cluster)
        if cluster is None:
            try:
                return cls(stream, frame, get_client(), owned, progress, cluster)
            except ValueError:  # there is none
                return cls(stream, frame, owned.enter_context(workers_here()), owned, progress, cluster)
        try:
            client = owned.enter_context(Client(cluster, timeout=CONNECT_SECONDS))  # type: ignore[no-untyped-call]
        except (OSError, ValueError, TypeError) as error:
            problem = f"there is no Dask cluster at {cluster} ({str(error).splitlines()[0] if str(error) else 'gone'})"
            raise InputError("bad_option", problem, cure="check the address, such as tcp://host:8786") from None
        return cls(stream, frame, client, owned, progress, cluster)

    @property
    def source(self) -> str:
        """Where the rows come from, in words."""
        return "Dask data frame" if self.stream is None else self.stream.source

    @property
    def head(self) -> Table:
        """The first rows, for their columns and kinds."""
        if self.stream is not None:
            return self.stream.head
        if self._head is None:
            from dask.delayed import delayed

            first = delayed(_head_columns)(self._frame.partitions[0].to_delayed()[0])
            columns = self._client.compute(first).result()
            self._head = table_of_columns([str(name) for name in self._frame.columns], columns, self.source)
        return self._head

    def facts(self, rows: int) -> dict[str, Any]:
        """What is said of the rows beside the figures: the files or the frame, and how many were read."""
        if self.stream is not None:
            return self.stream.facts(rows)
        return {"file": {"path": self.source, "partitions": int(self._frame.npartitions), "rows": rows}}

    def again(self) -> DaskRows:
        """The same rows, opened once more."""
        return DaskRows.of(self.stream, self._frame, self._cluster, self._progress)

    def close(self) -> None:
        """Give back what was opened."""
        self._owned.close()

    def reduce(self, job: Job, what: str = "rows") -> Any:
        """One tally a part, merged eight at a time on the workers.

        Dask runs what a dead worker held again by itself, but for a large job that was sent ahead: where its last copy
        died, everything is sent once more.
        """
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        for _ in range(ATTEMPTS):
            ours: list[str] = []
            try:
                return self._reduced(job, what, ours)
            except BaseException as error:
                self._forget(ours)
                if isinstance(error, CancelledError):
                    continue
                if not isinstance(error, KilledWorker):
                    raise
                problem = f"workers died again and again on the same part ({error})"
                cure = "give workers more memory, or make parts smaller by memory="
                raise RunError("worker_lost", problem, cure=cure) from None
        raise RunError("worker_lost", f"workers were lost {ATTEMPTS} times", cure="look at the workers' logs")

    def _forget(self, keys: list[str]) -> None:
        """Take back what is still there of a run; a complaint that is kept would hold it on a client of the user's.

        What was submitted is ours alone. Partitions are not: the user may hold the same ones.
        """
        from distributed import Future

        left: list[Any] = [Future(key, self._client) for key in keys if key in self._client.futures]
        if left:
            self._client.cancel(left)

    def _reduced(self, job: Job, what: str, ours: list[str]) -> Any:
        """The merged tally; `ours` is told the keys of everything that is submitted."""
        import cloudpickle
        from distributed import as_completed

        client = self._client
        large = len(cloudpickle.dumps(job)) > SENT_WITH_TASKS
        sent: Any = job
        if large:
            sent = client.scatter(job, broadcast=True, hash=False)
            ours.append(sent.key)
        if self.stream is not None:
            futures = [client.submit(tally_part, sent, part, pure=False) for part in self.stream.parts]
        else:
            spelled = {str(name): name for name in self._frame.columns}
            partitions = client.compute(self._frame[[spelled[name] for name in job.columns]].to_delayed())
            futures = [
                client.submit(_tally_pandas, sent, held, number, pure=False) for number, held in enumerate(partitions)
            ]
            del partitions  # each may go once it is counted
        sizes = dict.fromkeys((future.key for future in futures), 1.0)
        if self.stream is not None:
            sizes = {future.key: part.rows for future, part in zip(futures, self.stream.parts, strict=True)}
        ours += [future.key for future in futures]
        first = list(futures)
        while len(futures) > 1:
            futures = [
                client.submit(_merged, *futures[start : start + FAN_IN], pure=False)
                for start in range(0, len(futures), FAN_IN)
            ]
            ours += [future.key for future in futures]
        last = futures[0]
        unit = "partitions" if self.stream is None else "rows"
        with rows_read(sum(sizes.values()), what, unit, self._progress) as advance:
            done = as_completed(first)  # type: ignore[no-untyped-call]
            del first, futures
            for future in done:
                advance(sizes[future.key])
                del future
            return last.result()


def _merged(*parts: Any) -> Any:
    return merged(parts)


def _head_columns(frame: Any) -> list[Any]:
    """The first rows, column by column; one that polars cannot hold is left empty, and matters only if it is used."""
    import polars

    head = frame.head(_HEAD_ROWS)
    columns = [_converted(head.iloc[:, i]) for i in range(head.shape[1])]
    return [polars.Series([None] * len(head)) if column.dtype == polars.Object else column for column in columns]


def _tally_pandas(job: Job, frame: Any, number: int) -> Any:
    columns = [_converted(frame.iloc[:, i]) for i in range(frame.shape[1])]
    table = table_of_columns([str(name) for name in frame.columns], columns, f"partition {number}")
    return tally_table(job, table)


def _converted(column: Any) -> Any:
    """A pandas column for polars; what mixes kinds as it is, to be refused as the door refuses it."""
    import polars

    try:
        return polars.from_pandas(column)
    except Exception:  # of pyarrow, polars and pandas, each with its own
        return polars.Series(column.tolist(), dtype=polars.Object)


def _owns(cluster: object) -> bool:
    """Whether this is a client; any address is Dask's that is not another engine's."""
    return type(cluster).__module__.partition(".")[0] == "distributed"


ENGINE = Engine("dask", DaskRows.of, frames=("dask", "dask_expr"), owns=_owns)
