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
from surefold.given import Features
from surefold.resampling.classifier import Classifier
from surefold.resampling.dataset import Dataset
from surefold.resampling.global_seed import with_global_seed
from surefold.resampling.model_size import size_of
from surefold.resampling.models import fresh, seeded, weight_argument
from surefold.resampling.plan import Plan

__all__ = ["BadAnswerError", "Failure", "Held", "ScoreKind", "Stopped", "run_fold"]

ScoreKind = Literal["probability", "decision", "none"]
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


class BadAnswerError(Exception):
    """A model answered with something that is no answer; the message says what was expected and what came."""


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
    fitted = time.perf_counter()
    X_test = data.take(test)
    said = model.predict(X_test)
    scores, kind, notes = _scores(model, X_test, data, len(test))
    asked = time.perf_counter()
    predicted, flattened = _codes("predict", said, data, len(test))
    if flattened:
        notes["column_vector"] = True
    size = size_of(model)
    if size:
        notes["size"] = size
    return Held(predicted, scores, kind, fitted - start, asked - fitted, notes)


def _codes(verb: str, said: object, data: Dataset, n: int) -> tuple[NDArray[np.int32], bool]:
    """What the model said, as codes of labels, and whether it came as a column."""
    answer = np.asarray(said)
    flattened = answer.ndim == 2 and answer.shape == (n, 1)
    if flattened:
        answer = answer.ravel()
    if answer.shape != (n,):
        raise BadAnswerError(f"{verb} gave shape {answer.shape} for {n} rows; ({n},) was expected")
    known = np.asarray(data.labels)
    if known.dtype.kind == answer.dtype.kind and known.dtype.kind in "iuUb":
        order = np.argsort(known, kind="stable")
        place = np.minimum(np.searchsorted(known[order], answer), len(known) - 1)
        codes = order[place].astype(np.int32)
        wrong = known[codes] != answer
        if not wrong.any():
            return codes, flattened
    lookup = {label: code for code, label in enumerate(data.labels)}
    codes = np.array([lookup.get(_plain(value), -1) for value in answer], dtype=np.int32)
    if (codes < 0).any():
        first = int(np.flatnonzero(codes < 0)[0])
        where = f"for test row {first + 1}" if verb == "predict" else f"at place {first + 1}"
        raise BadAnswerError(
            f"{verb} gave {show(_plain(answer[first]))} {where}, no class of y ({int((codes < 0).sum())} such)"
        )
    return codes, flattened


def _plain(value: object) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    try:
        hash(value)
    except TypeError:
        return None
    return value


def _scores(
    model: Any, X: Features, data: Dataset, n: int
) -> tuple[NDArray[np.float64] | None, ScoreKind, dict[str, Any]]:
    """Probabilities if the model gives them, else decision values, else nothing; columns in the order of the labels."""
    k = len(data.labels)
    kind: ScoreKind
    if callable(getattr(model, "predict_proba", None)):
        verb, kind, raw = "predict_proba", "probability", model.predict_proba(X)
    elif callable(getattr(model, "decision_function", None)):
        verb, kind, raw = "decision_function", "decision", model.decision_function(X)
    else:
        return None, "none", {"no_scores": "the model has neither predict_proba nor decision_function"}
    scores = np.asarray(raw, dtype=np.float64)
    classes = getattr(model, "classes_", None)
    if classes is None:
        raise BadAnswerError(f"the model has {verb} but no classes_, so its columns cannot be named")
    codes, _ = _codes("classes_", classes, data, len(classes))
    if len(np.unique(codes)) < len(codes):
        raise BadAnswerError("classes_ names a class twice, so the columns cannot be told apart")
    if kind == "decision" and scores.ndim == 1 and len(codes) == 2 and scores.shape == (n,):
        scores = np.column_stack([-scores, scores])
    if kind == "decision" and len(codes) > 2 and _one_against_one(model):
        return None, "none", {"no_scores": "decision_function compares pairs of classes: no column is a class's own"}
    if kind == "decision" and scores.ndim == 2 and scores.shape[1] != len(codes):
        return None, "none", {"no_scores": f"decision_function gave {scores.shape[1]} columns for {len(codes)} classes"}
    if scores.shape != (n, len(codes)):
        raise BadAnswerError(f"{verb} gave shape {scores.shape}; ({n}, {len(codes)}) was expected")
    if np.isnan(scores).any():
        bad = np.flatnonzero(np.isnan(scores).any(axis=1))
        raise BadAnswerError(f"{verb} gave NaN in {len(bad)} of {n} test rows (first: test row {int(bad[0]) + 1})")
    if kind == "probability":
        _check_probabilities(scores)
    aligned = np.full((n, k), 0.0 if kind == "probability" else -np.inf)
    aligned[:, codes] = scores
    if kind == "decision" and k == 2:
        return np.ascontiguousarray(aligned[:, 1]), kind, {}
    return aligned, kind, {}


def _check_probabilities(scores: NDArray[np.float64]) -> None:
    outside = (scores < -1e-6) | (scores > 1 + 1e-6)
    if outside.any():
        row, column = (int(place) for place in np.argwhere(outside)[0])
        raise BadAnswerError(
            f"predict_proba gave {scores[row, column]:g} for test row {row + 1}, no probability "
            f"({int(outside.any(axis=1).sum())} such rows)"
        )
    sums = scores.sum(axis=1)
    worst = int(np.abs(sums - 1).argmax())
    if abs(sums[worst] - 1) > 1e-3:
        raise BadAnswerError(f"probabilities of test row {worst + 1} add up to {sums[worst]:g}, not to 1")


def _one_against_one(model: Classifier) -> bool:
    if not hasattr(model, "get_params"):
        return False
    asked = model.get_params(deep=True)
    return any(name.endswith("decision_function_shape") and value == "ovo" for name, value in asked.items())


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
