"""Expected loss taken apart: noise that no classifier escapes, bias that all training sets share, and variance.

Predictions of classifiers trained on several samples go in, for the same rows; what comes out adds up to their loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from surefold.errors import InputError, UnknownNameError, refuse_unknown, show
from surefold.numbers import number
from surefold.studies.loss import codes_in, same_rows

__all__ = ["LOSSES", "Decomposition", "Loss", "decompose", "label_counts", "of_counts"]

Floats = NDArray[np.float64]
Loss = Literal["squared", "kohavi_wolpert", "domingos"]
LOSSES = ("squared", "kohavi_wolpert", "domingos")


@dataclass(frozen=True, eq=False)
class Decomposition:
    """Parts of the expected loss, means over rows; `by_row` has each part of each row, NaN where none was predicted.

    Squared loss and Kohavi-Wolpert: loss = noise + bias + variance (both biases are squared ones). Domingos: a row is
    biased where the main prediction, the most frequent one, is wrong; variance is how often others differ from it.
    Differing costs on an unbiased row and can only help on a biased one, so loss = bias + net_variance + net_noise.
    """

    kind: Loss
    by_row: Mapping[str, Floats] = field(repr=False)
    samples: int
    rows: int

    def mean(self, part: str) -> float:
        """The mean over the rows that were predicted."""
        if part not in self.by_row:
            raise UnknownNameError("part of the loss", part, self.by_row)
        values = self.by_row[part]
        return float(values[~np.isnan(values)].mean())

    @property
    def loss(self) -> float:
        """The mean loss over rows and samples."""
        return self.mean("loss")

    @property
    def noise(self) -> float:
        """Zero unless the true probabilities were given: one label a row does not show how sure it is."""
        return self.mean("noise")

    @property
    def bias(self) -> float:
        """The mean bias over the rows."""
        return self.mean("bias")

    @property
    def variance(self) -> float:
        """The mean variance over the rows."""
        return self.mean("variance")

    @property
    def variance_unbiased(self) -> float:
        """Domingos: the variance on rows whose main prediction is right, where it adds to the loss."""
        return self.mean("variance_unbiased")

    @property
    def variance_biased(self) -> float:
        """Domingos: the variance on rows whose main prediction is wrong."""
        return self.mean("variance_biased")

    @property
    def net_variance(self) -> float:
        """Domingos: what variance adds to the loss, less what it saves. Of two classes: unbiased - biased."""
        return self.mean("net_variance")

    @property
    def net_noise(self) -> float:
        """Domingos: what noise adds to the loss."""
        return self.mean("net_noise")

    def to_dict(self) -> dict[str, Any]:
        """The kind of loss, how many samples and rows, and the mean of each part."""
        parts = {part: self.mean(part) for part in self.by_row}
        return {"loss_kind": self.kind, "samples": self.samples, "rows": self.rows, **parts}

    def __str__(self) -> str:
        shown = ("net_noise", "bias", "net_variance") if self.kind == "domingos" else ("noise", "bias", "variance")
        parts = " + ".join(f"{part} {number(self.mean(part))}" for part in shown)
        return f"loss {number(self.loss)} = {parts} ({self.kind}, {self.samples} samples, {self.rows:,} rows)"


def decompose(
    predictions: ArrayLike,
    y_true: ArrayLike,
    loss: Loss = "squared",
    *,
    class_probabilities: ArrayLike | None = None,
    labels: Sequence[Any] | None = None,
    values: Mapping[Any, float] | None = None,
    unbiased: bool = False,
) -> Decomposition:
    """Take the expected loss apart. `predictions` are samples x rows: line i by the classifier of training set i.

    "squared" needs numbers. Two classes, however they are written, are -1 and +1, so that a wrong answer costs 4 and
    an answer half-way (a tied vote) 1; `values` says otherwise. More than two classes have to be numbers already.
    "kohavi_wolpert" and "domingos" are for the zero-one loss of any labels; of main predictions that tie, each counts
    for its share.

    `class_probabilities`, rows x classes in the order of `labels` (sorted by default), are the true ones, known where
    data are simulated: they make the noise visible, and the loss is the one expected from them. Without them the
    label of a row is taken as certain and noise is 0.

    `unbiased`: from few samples the variance comes out too small, by (K - 1)/K, and the bias by as much too large;
    this moves the difference over. A bias near zero may then be slightly negative. The loss is the same.

    >>> d = decompose([[1, 1, -1], [1, -1, -1], [1, -1, -1], [1, 1, -1]], y_true=[1, 1, 1])
    >>> d.loss, d.bias, d.variance  # the losses are 0 0 0 0, 0 4 4 0 and 4 4 4 4; the mean answers 1, 0 and -1
    (2.0, 1.6666666666666667, 0.3333333333333333)
    >>> k = decompose([["a", "b"], ["a", "a"], ["b", "b"]], ["a", "b"], loss="kohavi_wolpert")
    >>> print(k)  # a third of the answers is wrong for either row: (1/3)² + (1/3)(2/3)
    loss 0.333 = noise 0.000 + bias 0.111 + variance 0.222 (kohavi_wolpert, 3 samples, 2 rows)

    Source: Kohavi & Wolpert (1996), ICML; Domingos (2000), AAAI; Zaki & Meira (2014), section 22.3.
    """
    refuse_unknown("loss", loss, LOSSES)
    truth, answered = same_rows(y_true, predictions)
    if answered.ndim != 2:
        raise InputError("bad_shape", f"predictions have shape {answered.shape}", cure="give samples x rows")
    if unbiased and len(answered) < 2:
        problem = "unbiased=True was asked of one sample, which shows no variance"
        raise InputError("bad_option", problem, cure="give two samples or more")
    if labels is None and values is not None:
        labels = list(values)
    if loss == "squared" and values is None:
        numbers = _as_numbers(truth, answered, labels)
        if numbers is not None:
            of_truth, of_answers, of_labels = numbers
            p = _probabilities(class_probabilities, len(truth), len(of_labels))
            return _of_numbers(of_truth, of_answers, p, of_labels, unbiased)
    known = list(labels) if labels is not None else sorted({*truth.tolist(), *answered.ravel().tolist()})
    given = _probabilities(class_probabilities, len(truth), len(known))
    p = np.eye(len(known))[codes_in(truth, known, "y_true")] if given is None else given
    counts = label_counts(codes_in(answered, known, "predictions"), len(known))
    worth = None if values is None else np.array([float(values[label]) for label in known])
    return of_counts(counts, p, loss, worth, unbiased)


def label_counts(codes: NDArray[Any], classes: int) -> Floats:
    """Rows x classes: how many samples answered each class. `codes` are samples x rows, negative where none did."""
    rows = codes.shape[1]
    there = codes >= 0
    place = (np.arange(rows) * classes + codes)[there]
    return np.bincount(place, minlength=rows * classes).reshape(rows, classes).astype(float)


def of_counts(
    counts: Floats, probabilities: Floats, loss: Loss, values: Floats | None = None, unbiased: bool = False
) -> Decomposition:
    """From how often each class was answered (rows x classes) and how probable each truly is."""
    k = counts.shape[1]
    m = counts.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        answers = counts / m[:, None]  # NaN for a row that no sample predicted
    if loss == "squared":
        if values is None:
            if k > 2:
                problem = f"squared loss needs numbers, and there are {k} classes of text"
                cure = "use loss='kohavi_wolpert', or values={label: number, ...}"
                raise InputError("bad_option", problem, cure=cure)
            values = np.array([-1.0, 1.0][:k])
        mean, target = answers @ values, probabilities @ values
        spread = np.maximum(answers @ values**2 - mean**2, 0.0)
        noise = np.maximum(probabilities @ values**2 - target**2, 0.0)
        parts = {"noise": noise, "bias": (mean - target) ** 2, "variance": spread}
    elif loss == "kohavi_wolpert":
        parts = {
            "noise": (1 - (probabilities**2).sum(axis=1)) / 2,
            "bias": ((probabilities - answers) ** 2).sum(axis=1) / 2,
            "variance": (1 - (answers**2).sum(axis=1)) / 2,
        }
    else:
        if unbiased:
            problem = "Domingos' parts have no unbiased form"
            raise InputError("bad_option", problem, cure="use more samples, or loss='kohavi_wolpert'")
        return _domingos(answers, probabilities, int(m.max()))
    return _added_up(loss, parts, m, unbiased)


def _added_up(loss: Loss, parts: dict[str, Floats], m: Floats, unbiased: bool) -> Decomposition:
    if unbiased:
        with np.errstate(invalid="ignore", divide="ignore"):
            wider = np.where(m > 1, parts["variance"] * m / (m - 1), np.nan)
            parts["bias"] = parts["bias"] - wider / m
        parts["variance"] = wider
    untold = np.isnan(parts["bias"])
    parts = {part: np.where(untold, np.nan, values) for part, values in parts.items()}
    whole = parts["noise"] + parts["bias"] + parts["variance"]
    return Decomposition(loss, {"loss": whole, **parts}, int(m.max()), int((~untold).sum()))


def _domingos(answers: Floats, probabilities: Floats, samples: int) -> Decomposition:
    """Of answers that tie for most frequent, each is the main one for its share, whatever the classes are called."""
    untold = np.isnan(answers[:, 0])
    top = answers.max(axis=1)
    main = (answers == top[:, None]).astype(float)
    with np.errstate(invalid="ignore"):
        main /= main.sum(axis=1, keepdims=True)
    rows, best = np.arange(len(answers)), probabilities.argmax(axis=1)
    right = main[rows, best]
    against_best = 1 - answers[rows, best]
    loss = 1 - (probabilities * answers).sum(axis=1)
    parts = {
        "loss": loss,
        "noise": 1 - probabilities[rows, best],
        "bias": 1 - right,
        "variance": 1 - top,
        "variance_unbiased": right * (1 - top),
        "variance_biased": (1 - right) * (1 - top),
        "net_variance": right * (1 - top) - (1 - right) * answers[rows, best],
        "net_noise": loss - against_best,
    }
    shown = {part: np.where(untold, np.nan, values) for part, values in parts.items()}
    return Decomposition("domingos", shown, samples, int((~untold).sum()))


def _of_numbers(truth: Floats, answered: Floats, p: Floats | None, known: Floats, unbiased: bool) -> Decomposition:
    mean, spread = answered.mean(axis=0), answered.var(axis=0)
    target, noise = truth, np.zeros(len(truth))
    if p is not None:
        target = p @ known
        noise = np.maximum(p @ known**2 - target**2, 0.0)
    parts = {"noise": noise, "bias": (mean - target) ** 2, "variance": spread}
    return _added_up("squared", parts, np.full(len(truth), float(len(answered))), unbiased)


def _as_numbers(
    truth: NDArray[Any], answered: NDArray[Any], labels: Sequence[Any] | None
) -> tuple[Floats, Floats, Floats] | None:
    """Truth, answers and labels as squared loss sees them, all on one scale; None for labels of text.

    Two classes are on -1 and +1, more as they are. The labels that were given say how many there are; else the truth
    does, and where it holds one, the answers with it.
    """
    if truth.dtype.kind not in "biuf" or answered.dtype.kind not in "biuf":
        return None
    known = np.unique(truth).astype(float) if labels is None else np.array(list(labels), dtype=float)
    if labels is None and len(known) == 1:
        known = np.unique(np.concatenate([known, answered.ravel().astype(float)]))
    ends = (float(known.min()), float(known.max())) if len(known) == 2 and known[0] != known[1] else None
    if ends is None:
        return truth.astype(float), answered.astype(float), known
    return _between(truth, ends), _between(answered, ends), _between(known, ends)


def _between(numbers: NDArray[Any], ends: tuple[float, float]) -> Floats:
    low, high = ends
    return np.asarray(2 * (numbers.astype(float) - low) / (high - low) - 1)


def _probabilities(given: ArrayLike | None, rows: int, classes: int) -> Floats | None:
    if given is None:
        return None
    p = np.asarray(given, dtype=float)
    if p.shape != (rows, classes):
        problem = f"class_probabilities have shape {p.shape}, not {(rows, classes)}"
        cure = "give one row a row and one column a class, and say labels= for their order"
        raise InputError("bad_shape", problem, cure=cure)
    if not (p >= 0).all() or not np.allclose(p.sum(axis=1), 1, atol=1e-6):
        worst = float(p.sum(axis=1)[int(np.abs(p.sum(axis=1) - 1).argmax())])
        problem = f"rows of class_probabilities add up to {show(worst)} or are negative"
        raise InputError("score_sums", problem, cure="give probabilities")
    return np.asarray(p / p.sum(axis=1, keepdims=True))
