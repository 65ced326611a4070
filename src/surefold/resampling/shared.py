"""One copy of a large array for all workers: memory without a name, gone with the last process that holds it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from surefold.resampling.dataset import Dataset

__all__ = ["SharedFeatures"]

#: Smaller arrays are simply sent.
LARGE = 1_000_000


@dataclass
class SharedFeatures:
    """Where a worker finds X: a file descriptor of its parent."""

    path: str
    dtype: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, data: Dataset) -> tuple[SharedFeatures | None, Dataset, int | None]:
        """Where X was put, the data without it, and the descriptor to close at the end."""
        X = data.X
        if not (isinstance(X, np.ndarray) and X.nbytes >= LARGE and X.dtype.kind in "biuf" and _can()):
            return None, data, None
        descriptor = os.memfd_create("surefold")
        with os.fdopen(os.dup(descriptor), "wb") as memory:
            memory.write(np.ascontiguousarray(X).data)
        shared = cls(f"/proc/{os.getpid()}/fd/{descriptor}", X.dtype.str, X.shape)
        return shared, replace(data, X=np.empty((0, 0))), descriptor

    def restored(self, data: Dataset) -> Dataset:
        X: Any = np.memmap(self.path, dtype=np.dtype(self.dtype), mode="r", shape=self.shape)
        return replace(data, X=X.view(np.ndarray))


def _can() -> bool:
    return hasattr(os, "memfd_create") and os.path.isdir("/proc/self/fd")
