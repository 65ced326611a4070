"""Dask: one tally a part on the workers, merged there in a tree; the driver gets one tally."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

from surefold.engines.dask_workers import workers_here
from surefold.engines.progress import rows_read
from surefold.engines.rows import FAN_IN, Job, merged, tally_frame, tally_part
from surefold.errors import InputError, MissingExtraError, RunError
from surefold.inputs.streams import Stream, table_of
from surefold.inputs.tables import Table

__all__ = ["DaskRows"]

_HEAD_ROWS = 1000
#: How long to wait for a cluster that was named.
CONNECT_SECONDS = 10
#: A job of more bytes than this is sent ahead, once to each worker; a smaller one goes with each task.
SENT_WITH_TASKS = 1 << 20
ATTEMPTS = 3


class DaskRows:
    """Rows of files that every worker can open, or of a Dask data frame."""

    def __init__(self, stream: Stream | None, frame: Any, client: Any, owned: ExitStack, progress: bool | None) -> None:
        self.stream, self._frame, self._client, self._owned, self._progress = stream, frame, client, owned, progress
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
            return cls(stream, frame, cluster, owned, progress)
        if cluster is None:
            try:
                return cls(stream, frame, get_client(), owned, progress)
            except ValueError:  # there is none
                return cls(stream, frame, owned.enter_context(workers_here()), owned, progress)
        try:
            client = owned.enter_context(Client(cluster, timeout=CONNECT_SECONDS))  # type: ignore[no-untyped-call]
        except (OSError, ValueError, TypeError) as error:
            problem = f"there is no Dask cluster at {cluster} ({str(error).splitlines()[0] if str(error) else 'gone'})"
            raise InputError("bad_option", problem, cure="check the address, such as tcp://host:8786") from None
        return cls(stream, frame, client, owned, progress)

    @property
    def source(self) -> str:
        return "Dask data frame" if self.stream is None else self.stream.source

    @property
    def head(self) -> Table:
        if self.stream is not None:
            return self.stream.head
        if self._head is None:
            from dask.delayed import delayed

            first = delayed(_polars_head)(self._frame.partitions[0].to_delayed()[0])
            self._head = table_of(self._client.compute(first).result(), self.source)
        return self._head

    def facts(self, rows: int) -> dict[str, Any]:
        if self.stream is not None:
            return self.stream.facts(rows)
        return {"file": {"path": self.source, "partitions": int(self._frame.npartitions), "rows": rows}}

    def close(self) -> None:
        self._owned.close()

    def reduce(self, job: Job, what: str = "rows") -> Any:
        """One tally a part, merged eight at a time on the workers.

        Dask runs what a dead worker held again by itself, but for a large job that was sent ahead: where its last copy
        died, everything is sent once more.
        """
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        for _ in range(ATTEMPTS):
            try:
                return self._reduced(job, what)
            except CancelledError:
                continue
            except KilledWorker as error:
                problem = f"workers died again and again on the same part ({error})"
                cure = "give workers more memory, or make parts smaller by memory="
                raise RunError("worker_lost", problem, cure=cure) from None
        raise RunError("worker_lost", f"workers were lost {ATTEMPTS} times", cure="look at the workers' logs")

    def _reduced(self, job: Job, what: str) -> Any:
        import cloudpickle
        from distributed import as_completed

        client = self._client
        large = len(cloudpickle.dumps(job)) > SENT_WITH_TASKS
        sent = client.scatter(job, broadcast=True, hash=False) if large else job
        if self.stream is not None:
            futures = [client.submit(tally_part, sent, part, pure=False) for part in self.stream.parts]
        else:
            partitions = client.compute(self._frame[list(job.columns)].to_delayed())
            futures = [
                client.submit(_tally_pandas, sent, held, number, pure=False) for number, held in enumerate(partitions)
            ]
            del partitions  # each may go once it is counted
        sizes = dict.fromkeys((future.key for future in futures), 1.0)
        if self.stream is not None:
            sizes = {future.key: part.rows for future, part in zip(futures, self.stream.parts, strict=True)}
        first = list(futures)
        while len(futures) > 1:
            futures = [
                client.submit(_merged, *futures[start : start + FAN_IN], pure=False)
                for start in range(0, len(futures), FAN_IN)
            ]
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


def _polars_head(frame: Any) -> Any:
    import polars

    return polars.from_pandas(frame.head(_HEAD_ROWS))


def _tally_pandas(job: Job, frame: Any, number: int) -> Any:
    import polars

    return tally_frame(job, polars.from_pandas(frame), number)
