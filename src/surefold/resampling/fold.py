"""One fold: clone, seed, fit, ask, and bring the answer into the order of the class list."""

from __future__ import annotations

import contextlib
import io
import threading
import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from surefold.errors import show
from surefold.resampling.answers import BadAnswerError, ScoreKind, label_codes, score_columns
from surefold.resampling.classifier import Classifier
from surefold.resampling.dataset import Dataset
from surefold.resampling.global_seed import with_global_seed
from surefold.resampling.model_size import size_of
from surefold.resampling.models import fresh, seeded, weight_argument
from surefold.resampling.plan import Plan

__all__ = ["Failure", "Held", "Stopped", "asked_of", "run_fold"]

FailureKind = Literal["raised", "exited", "bad_answer", "timeout", "died", "memory", "not_run"]

#: Of what a fit prints or warns, at most this much is kept.
MOST_OUTPUT = 10_000
MOST_WARNINGS = 20


@dataclass(frozen=True, eq=False)
class Held:
    """What the model of one fold said of the rows it had not seen: codes of labels, and scores in their order.

    Probabilities have a column a class; decision values of two classes are one column, for the second.
    """

    predicted: NDArray[np.int32]
    scores: NDArray[np.float64] | None
    score_kind: ScoreKind
    fit_seconds: float
    score_seconds: float
    notes: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Failure:
    """Why a fold gave nothing."""

    kind: FailureKind
    message: str
    traceback: str = ""
    attempts: int = 1

    def __str__(self) -> str:
        words = {
            "raised": "raised",
            "exited": "tried to exit Python:",
            "bad_answer": "gave an unusable answer:",
            "timeout": "was stopped:",
            "died": "lost its worker:",
            "memory": "ran out of memory:",
            "not_run": "is not there:",
        }
        return f"{words[self.kind]} {self.message}"


class Stopped(SystemExit):
    """The process was asked to end (SIGTERM, SIGHUP): it does, with 128 + the number, unless somebody catches this."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(128 + number)


def run_fold(model: Classifier, data: Dataset, plan: Plan, index: int, seed: int) -> Held | Failure:
    """Fit on the training rows of a split and answer for its test rows; never raises an `Exception`."""
    heard = _Heard()
    sequence = np.random.SeedSequence([seed, int(plan.repeat[index]), int(plan.fold[index])])
    words, own = sequence.generate_state(2), sequence.spawn(1)[0]

    def fit() -> Held:
        return _fit_and_ask(seeded(fresh(model), own), data, plan, index)

    try:
        with _captured(heard):
            held = with_global_seed((int(words[0]), int(words[1])), fit)
    except MemoryError as error:
        return Failure("memory", _said(error) or "MemoryError", _trace(error))
    except BadAnswerError as error:
        return Failure("bad_answer", str(error))
    except Stopped:
        raise
    except SystemExit as error:
        return Failure("exited", f"sys.exit({show(error.code)})", _trace(error))
    except Exception as error:
        return Failure("raised", f"{type(error).__name__}: {_said(error)}", _trace(error))
    held.notes.update(heard.notes())
    return held


def _fit_and_ask(model: Classifier, data: Dataset, plan: Plan, index: int) -> Held:
    train, test = plan.train(index), plan.test(index)
    X_train, y_train = data.take(train), data.y[train]
    y_train.setflags(write=False)
    options = {} if data.weights is None else {weight_argument(model) or "sample_weight": data.weights[train]}
    start = time.perf_counter()
    model.fit(X_train, y_train, **options)
    return asked_of(model, data, test, time.perf_counter() - start)


def asked_of(model: Classifier, data: Dataset, test: NDArray[Any], fit_seconds: float) -> Held:
    """What a fitted model says of its test rows; `BadAnswerError` where that is no answer."""
    fitted, X_test = time.perf_counter(), data.take(test)
    said = model.predict(X_test)
    scores, kind, notes = score_columns(model, X_test, data.labels, len(test))
    asked = time.perf_counter()
    predicted, flattened = label_codes("predict", said, data.labels, len(test))
    if flattened:
        notes["column_vector"] = True
    size = size_of(model)
    if size:
        notes["size"] = size
    return Held(predicted, scores, kind, fit_seconds, asked - fitted, notes)


# what surrounds a fit


class _Heard(io.TextIOBase):
    """What a fit prints and warns: the beginning is kept, the rest is counted or dropped."""

    def __init__(self) -> None:
        self._printed = io.StringIO()
        self._warnings: dict[str, int] = {}
        self._warned = 0

    def write(self, text: str) -> int:
        if self._printed.tell() <= MOST_OUTPUT:
            self._printed.write(text[: MOST_OUTPUT + 1])
        return len(text)

    def warn(
        self, message: object, category: Any, filename: str, lineno: int, file: Any = None, line: Any = None
    ) -> None:
        self._warned += 1
        text = f"{category.__name__}: {str(message)[:300]}"
        if text in self._warnings or len(self._warnings) < MOST_WARNINGS:
            self._warnings[text] = self._warnings.get(text, 0) + 1

    def notes(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self._warned:
            found |= {"warnings": dict(self._warnings), "warned": self._warned}
        printed = self._printed.getvalue()
        if printed:
            found["output"] = printed if len(printed) <= MOST_OUTPUT else printed[:MOST_OUTPUT] + "…"
        return found


@contextlib.contextmanager
def _captured(heard: _Heard) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # streams and filters belong to all threads: swapping them from two at once would lose them
        return
    with warnings.catch_warnings(), contextlib.redirect_stdout(heard), contextlib.redirect_stderr(heard):
        warnings.simplefilter("always")
        warnings.showwarning = heard.warn
        yield


def _said(error: BaseException) -> str:
    """The first line of an error, even of one that cannot say what it is."""
    try:
        return str(error).strip().split("\n")[0][:300]
    except Exception:
        return "(an error that cannot be shown)"


def _trace(error: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(error))[-8000:]
    except Exception:
        return "".join(traceback.format_tb(error.__traceback__))[-8000:]
