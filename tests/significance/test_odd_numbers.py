"""What is no number, no list of numbers and no word of an option: told in one sentence by every plain test."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import surefold as sf
from surefold import planning
from surefold import significance as tests
from surefold.comparison import roc_difference
from surefold.errors import SurefoldError
from surefold.studies import decompose

D = np.array([0.02, -0.01, 0.03, 0.01, 0.04, 0.0])
TABLE = np.arange(12.0).reshape(4, 3) % 5
#: A call, its usual arguments, and those of them that numbers, lists of numbers or words are put in for.
CALLS: dict[str, tuple[Any, dict[str, Any]]] = {
    "mcnemar": (tests.mcnemar, {"b": 3, "c": 8, "n": 40, "method": "mid_p"}),
    "wilcoxon": (tests.wilcoxon, {"a": D, "b": D * 2, "zeros": "split", "method": "auto", "alternative": "less"}),
    "paired t": (tests.paired_t, {"a": D, "b": D * 2, "alternative": "greater"}),
    "paired t of a paper": (tests.paired_t_from, {"mean": 0.1, "k": 10, "sd": 0.2}),
    "corrected t": (tests.corrected_t, {"a": D, "b": D * 2, "n_train": 90, "n_test": 10}),
    "Nemenyi": (tests.nemenyi, {"table": TABLE, "df": 10.0, "better": "lower"}),
    "Friedman": (tests.friedman, {"table": TABLE, "ties": "none"}),
    "sign": (tests.sign_test, {"a": D, "b": D * 2}),
    "Bayes": (tests.bayes_correlated_t, {"differences": D, "n_train": 90, "n_test": 10, "rope": 0.01}),
    "compare": (
        lambda **options: sf.compare([0, 1] * 6, {"a": [0, 1] * 6, "b": [0, 1, 1] * 4}, pos_label=1, **options),
        {"margin": 0.1, "control": "a", "method": "auto", "adjust": "holm"},
    ),
    "gains": (
        lambda **options: roc_difference([0, 1] * 6, D.repeat(2), np.arange(12.0), pos_label=1, draws=100, **options),
        {"random_state": 1, "confidence": 0.95},
    ),
    "decompose": (lambda **options: decompose([[0, 1, 1], [1, 1, 1]], [0, 1, 0], **options), {"loss": "domingos"}),
    "power": (planning.power, {"kind": "mcnemar", "n": 100, "difference": 0.05, "disagreement": 0.1}),
    "a table": (sf.Confusion, {"counts": [[5, 2], [1, 7]], "labels": ["a", "b"]}),
}
ODD: dict[str, Any] = {
    "a word": "many",
    "an integer beyond floats": 10**400,
    "true and false": [True, None],
    "complex": D + 1j,
    "a dict": {"a": 1},
    "a number": 3.5,
    "objects": np.array([object()] * 6),
    "a frame": pd.DataFrame({"a": ["x"] * 6}),
    "rows not read": pl.LazyFrame({"a": [1]}),
    "nothing known": pa.nulls(6),
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("call", CALLS)
def test_what_does_not_belong_is_told_in_a_sentence(call: str, odd: str) -> None:
    ask, usual = CALLS[call]
    ask(**usual)
    told = []
    for name in usual:
        try:
            ask(**{**usual, name: ODD[odd]})
        except SurefoldError as error:
            told.append(str(error))
    assert told
    assert not any("\n" in sentence for sentence in told)


def test_whole_numbers_of_128_bits_are_numbers() -> None:
    wide = pl.Series([1, 0, 3, 1, 4, 0], dtype=pl.Int128)
    assert tests.wilcoxon(wide, [0.0] * 6).p_value == tests.wilcoxon([1, 0, 3, 1, 4, 0], [0.0] * 6).p_value


def test_differences_near_the_largest_number_are_summed_all_the_same() -> None:
    """The sum of the six passes 1.8e308; ranks and signs are what the tests go by, and those are of D."""
    huge = np.sign(D) * 1e308 * (np.abs(D) / 0.04)
    assert float(tests.bayes_sign(huge, 0.0, draws=200, random_state=0).better) == float(
        tests.bayes_sign(D, 0.0, draws=200, random_state=0).better
    )


def test_measures_may_be_named_in_any_list() -> None:
    y, p = [0, 1, 1, 0, 1], [0, 1, 0, 0, 1]
    wanted = str(sf.assess(y, p, pos_label=1, measures=["f1", "recall"]))
    lists: list[Any] = [("f1", "recall"), np.array(["f1", "recall"]), pd.Index(["f1", "recall"])]
    lists.append(pl.Series(["f1", "recall"]))
    for names in lists:
        assert str(sf.assess(y, p, pos_label=1, measures=names)) == wanted


def test_a_path_that_a_terminal_would_obey_is_shown_as_text() -> None:
    with pytest.raises(sf.InputError) as caught:
        sf.assess("\x1b[31mnone.csv")
    assert "\x1b" not in str(caught.value)
    assert r"\x1b[31mnone.csv" in str(caught.value)
