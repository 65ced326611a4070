"""Classifiers that misbehave, one fault each, and a well-behaved one to compare with."""

import ctypes
import os
import random
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np


class Odd:
    """Nearest class mean, with probabilities; not of scikit-learn, whose import would slow every worker.

    Writes a line to `log` at each fit, so that fits can be counted.
    `bad` is a value of the first feature: the fault happens where the training rows do not hold it, which is the one
    fold that tests it; None makes it happen in every fold.
    """

    def __init__(self, bad: float | None = None, log: str | None = None) -> None:
        self.bad = bad
        self.log = log

    def fit(self, X: Any, y: Any) -> "Odd":
        self.classes_: Any
        if self.log is not None:
            descriptor = os.open(self.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            os.write(descriptor, b"fit\n")
            os.close(descriptor)
        X = np.asarray(X, dtype=float)
        if self.bad is None or self.bad not in X[:, 0]:
            self.fault(X, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.means_ = np.array([X[codes == c].mean(axis=0) for c in range(len(self.classes_))])
        return self

    def fault(self, X: Any, y: Any) -> None:
        """What goes wrong."""

    def predict_proba(self, X: Any) -> Any:
        distance = ((np.asarray(X, dtype=float)[:, None, :] - self.means_) ** 2).sum(axis=2)
        weight = np.exp(distance.min(axis=1, keepdims=True) - distance)
        return weight / weight.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Raises(Odd):
    def fault(self, X: Any, y: Any) -> None:
        raise ZeroDivisionError("no luck today\nand a second line")


class RaisesWhileThere(Odd):
    """Fails as long as a file is there: what people mend before they resume."""

    def __init__(self, bad: float | None = None, log: str | None = None, trouble: str = "") -> None:
        super().__init__(bad, log)
        self.trouble = trouble

    def fault(self, X: Any, y: Any) -> None:
        if Path(self.trouble).exists():
            raise OSError("trouble is there")


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even this")


class RaisesUnspeakably(Odd):
    def fault(self, X: Any, y: Any) -> None:
        raise UnspeakableError


class Exits(Odd):
    def fault(self, X: Any, y: Any) -> None:
        sys.exit(3)


class Mutates(Odd):
    def fit(self, X: Any, y: Any) -> "Odd":
        X[0, 0] = 99.0
        return super().fit(X, y)


class Killed(Odd):
    def fault(self, X: Any, y: Any) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


class KilledOnce(RaisesWhileThere):
    """Takes its process down the first time."""

    def fault(self, X: Any, y: Any) -> None:
        if Path(self.trouble).exists():
            Path(self.trouble).unlink()
            os.kill(os.getpid(), signal.SIGKILL)


class Segfaults(Odd):
    def fault(self, X: Any, y: Any) -> None:
        ctypes.string_at(0)


class Leaves(Odd):
    def fault(self, X: Any, y: Any) -> None:
        os._exit(5)


class Hangs(Odd):
    def fault(self, X: Any, y: Any) -> None:
        time.sleep(3600)


class Hoards(Odd):
    def fault(self, X: Any, y: Any) -> None:
        self.hoard = np.ones(2_000_000_000 // 8)


class Slow(Odd):
    """Holds up the interpreter for `seconds`, in small steps."""

    def __init__(self, bad: float | None = None, log: str | None = None, seconds: float = 0.02) -> None:
        super().__init__(bad, log)
        self.seconds = seconds

    def fault(self, X: Any, y: Any) -> None:
        until = time.perf_counter() + self.seconds
        while time.perf_counter() < until:
            pass


class SlowAndCounted(Slow):
    """Draws as well, so that seeds matter."""

    def predict_proba(self, X: Any) -> Any:
        p = super().predict_proba(X)
        p[:, 0] = np.random.rand(len(p))  # noqa: NPY002
        p[:, 1] = 1 - p[:, 0]
        return p


class TooFew(Odd):
    def predict(self, X: Any) -> Any:
        return super().predict(X)[:-1]


class Column(Odd):
    def predict(self, X: Any) -> Any:
        return super().predict(X)[:, None]


class FlatProbabilities(Odd):
    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X)[:, 1]

    def predict(self, X: Any) -> Any:
        return self.classes_[Odd.predict_proba(self, X).argmax(axis=1)]


class NoClasses(Odd):
    def fit(self, X: Any, y: Any) -> "Odd":
        super().fit(X, y)
        self.names, self.classes_ = self.classes_, None
        return self

    def predict(self, X: Any) -> Any:
        return self.names[self.predict_proba(X).argmax(axis=1)]


class OtherClasses(Odd):
    """Numbers its classes from 0 whatever they are called."""

    def fit(self, X: Any, y: Any) -> "Odd":
        super().fit(X, y)
        self.names, self.classes_ = self.classes_, np.arange(len(self.classes_))
        return self

    def predict(self, X: Any) -> Any:
        return self.names[self.predict_proba(X).argmax(axis=1)]


class TwiceTheSame(OtherClasses):
    def fit(self, X: Any, y: Any) -> "Odd":
        super().fit(X, y)
        self.classes_ = self.names[[0, 0]]
        return self


class Backwards(Odd):
    """classes_ in another order than sorted, and columns after it."""

    def fit(self, X: Any, y: Any) -> "Odd":
        super().fit(X, y)
        self.classes_, self.means_ = self.classes_[::-1], self.means_[::-1]
        return self


class Unsure(Odd):
    def predict_proba(self, X: Any) -> Any:
        p = super().predict_proba(X)
        p[0] = np.nan
        return p

    def predict(self, X: Any) -> Any:
        return self.classes_[Odd.predict_proba(self, X).argmax(axis=1)]


class Percent(Odd):
    def predict_proba(self, X: Any) -> Any:
        return 100 * super().predict_proba(X)


class NotOne(Odd):
    def predict_proba(self, X: Any) -> Any:
        return super().predict_proba(X) / 2


class LabelsOnly:
    def fit(self, X: Any, y: Any) -> "LabelsOnly":
        self.inside = Odd().fit(X, y)
        return self

    def predict(self, X: Any) -> Any:
        return self.inside.predict(X)


class Strange(LabelsOnly):
    def predict(self, X: Any) -> Any:
        return np.array(["what?"] * len(X))


class Decides(LabelsOnly):
    """Decision values only."""

    def fit(self, X: Any, y: Any) -> "LabelsOnly":
        super().fit(X, y)
        self.classes_ = self.inside.classes_
        return self

    def decision_function(self, X: Any) -> Any:
        p = np.log(self.inside.predict_proba(X) + 1e-300)
        return p[:, 1] - p[:, 0] if p.shape[1] == 2 else p


class PairsOfClasses(Decides):
    """As many columns as pairs of classes."""

    def decision_function(self, X: Any) -> Any:
        return np.zeros((len(X), 6))


class Random(Odd):
    """Draws from numpy's global generator, and from Python's."""

    def predict_proba(self, X: Any) -> Any:
        p = super().predict_proba(X)
        noise = np.random.rand(len(p)) + random.random()  # noqa: NPY002
        p[:, 0] = noise / 2
        p[:, 1:] = ((1 - p[:, 0]) / (p.shape[1] - 1))[:, None]
        return p


class RandomNumpy(Odd):
    """Draws from numpy's global generator alone."""

    def predict_proba(self, X: Any) -> Any:
        p = super().predict_proba(X)
        p[:, 0] = np.random.rand(len(p))  # noqa: NPY002
        p[:, 1:] = ((1 - p[:, 0]) / (p.shape[1] - 1))[:, None]
        return p


class Unseeded(Odd):
    """Not the same twice, whatever is seeded."""

    def predict_proba(self, X: Any) -> Any:
        p = np.zeros((len(X), len(self.classes_)))
        p[:, 0] = np.random.default_rng().random(len(X))
        p[:, 1] = 1 - p[:, 0]
        return p


class Talks(Odd):
    def fault(self, X: Any, y: Any) -> None:
        for i in range(100_000):
            warnings.warn(f"warning {i % 50}", UserWarning, stacklevel=1)
            if i < 20_000:
                print("much ado", file=sys.stderr if i % 2 else sys.stdout)


class Unpicklable(Odd):
    def __init__(self, bad: float | None = None, log: str | None = None) -> None:
        super().__init__(bad, log)
        self.lock = (i for i in range(3))  # generators cannot be sent

    def __deepcopy__(self, memo: Any) -> "Unpicklable":
        return type(self)(self.bad, self.log)


class Uncopyable(Odd):
    def __init__(self) -> None:
        super().__init__()
        self.lock = (i for i in range(3))


class NotThere(Odd):
    """Cannot be made again where it arrives."""

    def __reduce__(self) -> Any:
        return (_nowhere, ())

    def __deepcopy__(self, memo: Any) -> "NotThere":
        return NotThere()


def _nowhere() -> Any:
    raise ImportError("there is no such thing here")


class Weighs(Odd):
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Odd":
        super().fit(X, y)
        self.share_ = None if sample_weight is None else float(np.sum(sample_weight))
        return self

    def predict_proba(self, X: Any) -> Any:
        if self.share_ is None:
            return super().predict_proba(X)
        p = np.full((len(X), len(self.classes_)), 0.0)
        p[:, 0] = 1 / self.share_
        p[:, 1] = 1 - p[:, 0]
        return p


class LikesFrames(Odd):
    """Refuses anything but a frame, and keeps its columns."""

    def fit(self, X: Any, y: Any) -> "Odd":
        assert hasattr(X, "columns"), type(X)
        return super().fit(np.asarray(X), y)
