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
    """Where a worker finds X: a file descriptor that it was started with."""

    descriptor: int
    dtype: str
    shape: tuple[int, ...]

    @classmethod
    def of(cls, data: Dataset) -> tuple[SharedFeatures | None, Dataset]:
        """Where X was put, and the data without it; (None, the data) where it is better sent."""
        X = data.X
        if not (isinstance(X, np.ndarray) and X.nbytes >= LARGE and X.dtype.kind in "biuf" and _can()):
            return None, data
        descriptor = os.memfd_create("surefold")
        try:
            with os.fdopen(os.dup(descriptor), "wb") as memory:
                memory.write(np.ascontiguousarray(X).data)
        except OSError:
            os.close(descriptor)
            return None, data
        return cls(descriptor, X.dtype.str, X.shape), replace(data, X=np.empty((0, 0)))

    def restored(self, data: Dataset) -> Dataset:
        """The same data, with features read from the shared memory."""
        with open(self.descriptor, "rb", closefd=False) as memory:
            X: Any = np.memmap(memory, dtype=np.dtype(self.dtype), mode="r", shape=self.shape)
        return replace(data, X=X.view(np.ndarray))

    def close(self) -> None:
        """Give the memory back."""
        os.close(self.descriptor)


def _can() -> bool:
    return hasattr(os, "memfd_create")
