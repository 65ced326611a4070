"""What surefold raises.

The tree::

    SurefoldError                 everything below; `exit_code` is what the command line ends with
    ├── InputError                the data cannot be answered as given (also a ValueError)
    ├── RunError                  a run or its store failed; what was finished is kept (also a RuntimeError)
    ├── UnknownNameError          a measure, method or column that is not there (also a KeyError)
    └── MissingExtraError         an optional dependency is not installed (also an ImportError)

Every `InputError` carries a stable code from `ERROR_CODES`, the first three offending rows, how many there are, and
the cure. Nothing is half-done when one is raised.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches

__all__ = [
    "ERROR_CODES",
    "InputError",
    "MissingExtraError",
    "RunError",
    "SurefoldError",
    "UnknownNameError",
    "is_text",
    "refuse_unknown",
    "show",
]

#: Every code an InputError can carry, with what it means. The docs page is made from this table.
ERROR_CODES: dict[str, str] = {
    "bad_encoding": "The file is not UTF-8 (nor UTF-16 with a byte-order mark).",
    "bad_features": "The features have missing values, duplicate or mixed column names, or another length than y.",
    "bad_model": "A model is not a classifier that can be cloned, fitted and asked.",
    "bad_option": "An option has a value outside what it allows.",
    "bad_plan": "A plan of splits does not fit the data: rows that are not there, empty parts, too many folds.",
    "bad_shape": "An argument has the wrong number of dimensions or columns.",
    "bad_table": "A typed confusion table is not square, not finite, negative, or empty.",
    "cannot_write": "A result cannot be written where it was asked for, or would replace what is not its own.",
    "changed_file": "The file changed while it was read.",
    "changed_run": "The store holds a run of that name with other data, model, plan, seed or versions.",
    "comment_line": "The file opens with a comment, so its header was not found.",
    "compressed_too_far": "A compressed file unpacks to more than the guard allows.",
    "cost_matrix": "The cost matrix does not fit the labels, or has a value that is not finite.",
    "decimal_comma": "Numbers are written with a decimal comma.",
    "different_rows": "Columns that are compared pair by pair have indexes that differ.",
    "duplicate_column": "A column that is used stands in the header twice.",
    "empty_file": "The file has no bytes.",
    "fit_failed": "Every fit failed; the first traceback is shown.",
    "incomplete": "Folds are missing from a result, and a figure over all of them was asked for.",
    "label_types_differ": "Truth and prediction are of different kinds, such as ints and text.",
    "length_mismatch": "Arguments that describe the same rows have different lengths.",
    "long_row": "A row has more fields than the header.",
    "looks_like_scores": "Labels are fractional numbers: scores were given where labels belong.",
    "missing_group": "The group of a row is missing.",
    "missing_label": "A label is missing (NaN, None, NA, NaT or masked).",
    "missing_score": "A score is missing (NaN, None or blank).",
    "missing_value": "A number among those to compare is missing or not finite.",
    "missing_weight": "A weight is missing or not finite.",
    "mixed_group_types": "Groups are numbers in one part of the rows and text in another.",
    "mixed_label_types": "One column mixes labels of different kinds, such as ints and text.",
    "multilabel": "Each row holds several labels; one label a row is needed.",
    "negative_weight": "A weight is below zero.",
    "no_rows": "There is nothing to assess: zero data rows.",
    "not_a_file": "The path is not a regular local file.",
    "not_a_scalar": "A label is a tuple, list or other container.",
    "not_an_array": "An argument is not a list, array or column (a generator, a set, a mapping).",
    "not_for_this_plan": "The plan was not made for the estimate that was asked for.",
    "not_picklable": "A model cannot be sent to a worker process.",
    "nul_byte": "A label, or the file, holds a NUL byte.",
    "number_format": "A number in the file cannot be read: thousands separators, percent signs, text, or overflow.",
    "one_class_in_training": "A split would train on rows of one class only.",
    "pickle": "The file holds a pickled object, which could run code when loaded.",
    "positive_class_unknown": "A two-class measure was asked for and the positive class was not said.",
    "score_range": "Scores fall outside what the use of them needs, such as probabilities from 0 to 1.",
    "score_sums": "Rows of class probabilities do not add up to one.",
    "short_row": "A row has fewer fields than the header.",
    "singular_class": "A class has no spread in some direction of the features, so its normal density does not exist.",
    "sparse_labels": "Labels came as a sparse matrix.",
    "store_busy": "Another process has held the store locked for too long.",
    "store_damaged": "The store is not readable, or what it holds does not match its checksum.",
    "store_full": "The disk is full, or the store cannot grow; finished folds are kept.",
    "store_read_only": "The store cannot be written to.",
    "store_version": "The store was written by another version of its format.",
    "too_few_groups": "There are fewer groups than folds.",
    "too_few_of_a_class": "A class has fewer rows than the plan needs of it.",
    "too_large": "The file has more bytes than are read into memory.",
    "train_test_overlap": "A row is trained on and tested in the same split.",
    "truncated_file": "A compressed or Parquet file ends early or is damaged.",
    "unclosed_quote": "A quoted field is opened and never closed, or text follows its closing quote.",
    "undefined_folds": "A measure is undefined in some folds, and a figure over all of them was asked for.",
    "unknown_column": "The file has no such column, or none that could be guessed.",
    "unknown_file_type": "The file is neither CSV nor JSON nor Parquet, or is damaged JSON.",
    "unknown_label": "A label is not in the declared list, or pos_label is no label of the data.",
    "unknown_run": "The store holds no run of that name.",
    "unsupported_label_type": "Labels are of a kind that cannot name a class (bytes, complex).",
    "untrusted_code": "A store names code that makes its models, and the call did not say that it may run.",
    "weight_range": "Weights differ by so many powers of ten that sums of them hold the heavy alone.",
    "worker_lost": "Workers of a cluster died and the work could not be finished elsewhere, or none could be started.",
    "zero_weights": "Every weight is zero.",
}


class SurefoldError(Exception):
    """Anything that surefold raises on purpose."""

    exit_code = 2


class InputError(SurefoldError, ValueError):
    """The data cannot be answered as given.

    `rows` are 1-based data rows and `lines` the physical file lines they stand on; both hold at most three.

    >>> raise InputError("missing_label", "y_true has missing labels", rows=[2, 9, 40, 41], count=4,
    ...                  cure="drop them with drop_missing=True")
    Traceback (most recent call last):
    ...
    surefold.errors.InputError: y_true has missing labels: 4 rows, first at rows 2, 9, 40. \
To fix: drop them with drop_missing=True. [missing_label]
    """

    count: int

    def __init__(
        self,
        code: str,
        problem: str,
        *,
        rows: Iterable[int] = (),
        count: int | None = None,
        cure: str = "",
        lines: Iterable[int] = (),
        source: str = "",
    ) -> None:
        if code not in ERROR_CODES:
            raise AssertionError(f"unregistered error code {code!r}")
        self.code = code
        self.problem = problem
        self.rows: tuple[int, ...] = tuple(rows)[:3]
        self.count = len(self.rows) if count is None else count
        self.cure = cure
        self.lines: tuple[int, ...] = tuple(lines)[:3]
        self.source = source
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        source = self.source if self.source.isprintable() else show(self.source)
        text = f"{source}: {self.problem}" if source else self.problem
        if self.rows:
            places = f"row{_s(self.rows)} {_list(self.rows)}"
            if self.lines:
                places += f" (file line{_s(self.lines)} {_list(self.lines)})"
            shown_all = self.count <= len(self.rows)
            text += f": {places}" if shown_all else f": {self.count:,} rows, first at {places}"
        elif self.lines:
            text += f": file line{_s(self.lines)} {_list(self.lines)}"
        text += "" if text.endswith(("?", "!", ".")) else "."
        if self.cure:
            text += f" To fix: {self.cure}."
        return f"{text} [{self.code}]"

    def located(self, source: str, lines: Sequence[int] = ()) -> InputError:
        """The same error, told with the file it came from and the lines its rows stand on."""
        return InputError(
            self.code,
            self.problem,
            rows=self.rows,
            count=self.count,
            cure=self.cure,
            lines=lines or self.lines,
            source=source,
        )

    def __reduce__(self) -> tuple[object, ...]:  # keyword arguments do not survive Exception's own pickling
        state = (self.code, self.problem, self.rows, self.count, self.cure, self.lines, self.source)
        return (_rebuild_input_error, state)


def _rebuild_input_error(
    code: str,
    problem: str,
    rows: tuple[int, ...],
    count: int,
    cure: str,
    lines: tuple[int, ...],
    source: str,
) -> InputError:
    return InputError(code, problem, rows=rows, count=count, cure=cure, lines=lines, source=source)


class RunError(SurefoldError, RuntimeError):
    """A run or its store failed. What was finished is kept, and the message says how to go on."""

    code: str
    problem: str
    cure: str

    def __init__(self, code: str, problem: str, *, cure: str = "") -> None:
        if code not in ERROR_CODES:
            raise AssertionError(f"unregistered error code {code!r}")
        self.code, self.problem, self.cure = code, problem, cure
        end = "" if problem.endswith(("?", "!", ".")) else "."
        super().__init__(f"{problem}{end}{f' To fix: {cure}.' if cure else ''} [{code}]")

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_run_error, (self.code, self.problem, self.cure))


def _rebuild_run_error(code: str, problem: str, cure: str) -> RunError:
    return RunError(code, problem, cure=cure)


class UnknownNameError(SurefoldError, KeyError):
    """A name that is not there, with the nearest ones that are.

    >>> raise UnknownNameError("measure", "acuracy", ["accuracy", "recall"])
    Traceback (most recent call last):
    ...
    surefold.errors.UnknownNameError: no measure 'acuracy'; did you mean 'accuracy'?
    """

    kind: str
    name: object
    known: list[str]
    hint: str
    message: str

    def __init__(self, kind: str, name: object, known: Iterable[object], hint: str = "") -> None:
        self.kind, self.name, self.known, self.hint = kind, name, [str(k) for k in known], hint
        close = get_close_matches(str(name), self.known, n=3, cutoff=0.6)
        text = f"no {kind} {show(name)}"
        if close:
            text += f"; did you mean {' or '.join(show(c) for c in close)}?"
        elif 0 < len(self.known) <= 12:
            text += f"; there are {', '.join(self.known)}"
        self.message = f"{text}{'' if not hint or text.endswith('?') else ';'} {hint}".rstrip()
        super().__init__(self.message)

    def __str__(self) -> str:  # KeyError would show the repr
        return self.message

    def __reduce__(self) -> tuple[object, ...]:
        return (UnknownNameError, (self.kind, self.name, self.known, self.hint))


def refuse_unknown(kind: str, name: object, known: Collection[object]) -> None:
    """UnknownNameError of what is none of the names that are known, whatever it is.

    >>> refuse_unknown("method", "exact", ("auto", "exact"))
    """
    if not isinstance(name, str) or name not in known:  # an array is in no tuple: comparing it raises
        raise UnknownNameError(kind, name, known)


#: What pip is to be asked for; surefold itself is on no index, so its extras cannot be.
INSTALLED_BY = {
    "mlflow": "pip install mlflow",
    "dask": "pip install 'dask[dataframe]' distributed",
    "plot": "pip install matplotlib",
    "spark": "pip install pyspark pyarrow",
}


class MissingExtraError(SurefoldError, ImportError):
    """An optional dependency is not installed.

    >>> raise MissingExtraError("matplotlib", "plot", "drawing")
    Traceback (most recent call last):
    ...
    surefold.errors.MissingExtraError: drawing needs matplotlib: pip install matplotlib
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        cure = INSTALLED_BY.get(extra, f"pip install {package}")
        if package == "surefold":
            cure = f"pip install '.[{extra}]' in its folder"
        super().__init__(f"{purpose} needs {package}: {cure}")


def show(value: object, longest: int = 60) -> str:
    """A value as an error may show it: repr, cut to one short line."""
    text = repr(value)
    text = " ".join(text.split()) if "\n" in text else text  # arrays and frames take many lines
    end = text[-1] if text[-1] in "'\"" else ""
    return text if len(text) <= longest else f"{text[: longest - 1 - len(end)]}…{end}"


def is_text(value: str) -> bool:
    """Whether text can be written as UTF-8: no halves of characters, as Python makes of bytes that are no text."""
    if value.isascii():
        return True
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _s(items: Sequence[int]) -> str:
    return "s" if len(items) > 1 else ""


def _list(items: Sequence[int]) -> str:
    return ", ".join(f"{i:,}" for i in items)
