"""Options that only some calls have, as typed dictionaries: a slip in a name or a value is a type error."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, TypedDict

from numpy.typing import ArrayLike

from .kinds import Label

__all__ = [
    "AssessOptions",
    "Frame",
    "Given",
    "MeasureOptions",
    "PlainOptions",
    "ReadingOptions",
    "SeveralOptions",
    "SlicedOptions",
    "SourceOptions",
    "UnbinnedOptions",
    "refuse_unknown",
]


class Frame(Protocol):
    """A data frame, whose columns have names."""

    @property
    def columns(self) -> Any: ...


class Streamed(Protocol):
    """A column or a frame that gives its rows as an Arrow C stream."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class Tensor(Protocol):
    """An array that exchanges its memory by DLPack, as torch, jax and cupy do."""

    def __dlpack_device__(self) -> tuple[object, int]: ...


#: What a column of values may be given as: an array, a list, a series; a frame where there is one column a class.
Given = ArrayLike | Sequence[object] | Frame | Streamed | Tensor


class ReadingOptions(TypedDict, total=False):
    """How rows of files, or of a frame of Dask or Spark, are read; see `assess_files`."""

    engine: str | None
    cluster: object
    memory: str | float | None
    progress: bool | None
    delimiter: str | None
    encoding: str | None
    comment: str | None
    decimal: str


class SourceOptions(ReadingOptions, total=False):
    """Which columns of a source hold what."""

    truth: str | None
    pred: str | None
    score: str | Sequence[str] | None
    weights: str | None


class AssessOptions(TypedDict, total=False):
    """What `assess` takes beside labels and scores, wherever answers come from; its docstring says what each is."""

    labels: Sequence[Label] | None
    pos_label: Label | None
    sample_weight: Given | None
    groups: Given | None
    costs: object
    threshold: float | None
    measures: Sequence[str] | str | None
    confidence: float
    random_state: int | None


class UnbinnedOptions(TypedDict, total=False):
    """What some measures can be told, but the bins of the calibration error."""

    adjusted: bool
    beta: float
    breaks: Literal["counts", "quantiles"]
    costs: Any
    debiased: bool
    fitted: Literal["shift", "line"]
    fpr: float | tuple[float, float]
    held_out: bool
    k: int
    mcclish: bool
    norm: Literal["l1", "l2", "max"]
    prior: Literal["severity", "classes"]
    recall: float
    scaled: bool
    severity_ratio: float | None
    specificity: float
    strategy: Literal["width", "mass"]
    tpr: float | tuple[float, float]


class PlainOptions(UnbinnedOptions, total=False):
    """What some measures can be told: `fbeta` its beta, the calibration error its bins."""

    bins: int


class SlicedOptions(UnbinnedOptions, total=False):
    """The same where `bins` is about slices, with the weights of `kappa`."""

    weights: Literal["linear", "quadratic"] | None


class MeasureOptions(PlainOptions, total=False):
    """The same with the weights of `kappa`."""

    weights: Literal["linear", "quadratic"] | None


class SeveralOptions(ReadingOptions, PlainOptions, total=False):
    """Where models are compared: what a source needs, and what measures can be told.

    `weights` names a column of a source; beside arrays it is that of `kappa`.
    """

    truth: str | None
    weights: str | None


def refuse_unknown(function: str, given: Iterable[str], known: type) -> None:
    """TypeError for a keyword that no such dictionary has, as Python itself would refuse it.

    >>> refuse_unknown("assess", ["trut"], SourceOptions)
    Traceback (most recent call last):
    ...
    TypeError: assess() got an unexpected keyword argument 'trut'
    """
    for name in given:
        if name not in known.__annotations__:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
