"""For tests of models: a gate as an assertion, whose message says what was found.

```
from surefold.testing import assert_gate


def test_the_new_model_is_no_worse():
    assert_gate(truth, old, new, measure="f1", margin=0.01, pos_label="spam")
```
"""

from __future__ import annotations

from typing import Any, Literal

from surefold.comparison.gate import gate
from surefold.comparison.gate_result import Gate
from surefold.errors import UnknownNameError

__all__ = ["assert_gate"]


def assert_gate(
    y_true: object,
    baseline: object,
    candidate: object,
    *,
    undecided: Literal["fail", "skip", "pass"] = "fail",
    **options: Any,
) -> Gate:
    """The gate, if it passed; an `AssertionError` with its sentence and table if it failed.

    `undecided` says what too few rows are: a failure, a test that is skipped (with pytest), or a pass. Other arguments
    are those of `gate`.

    >>> truth = [1] * 60 + [0] * 60
    >>> old, new = [1] * 45 + [0] * 15 + [0] * 60, [1] * 58 + [0] * 62
    >>> assert_gate(truth, old, new).status
    'passed'
    >>> assert_gate(truth, new, old)
    Traceback (most recent call last):
    ...
    AssertionError: Failed: candidate is surely worse than baseline: accuracy differs by −0.108, with 95% confidence
    below −0.065; the limit is 0.000.
    """
    if undecided not in ("fail", "skip", "pass"):
        raise UnknownNameError("way to treat what cannot be told", undecided, ("fail", "skip", "pass"))
    found: Gate = gate(y_true, baseline, candidate, **options)
    if found.status == "cannot_tell" and undecided == "skip":
        import pytest

        pytest.skip(found.sentence)
    if found.status == "failed" or (found.status == "cannot_tell" and undecided == "fail"):
        raise AssertionError(found.sentence)
    return found
