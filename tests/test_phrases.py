"""Every code is said in a few plain words."""

from __future__ import annotations

import pytest

from surefold.findings import FINDING_CODES, Finding
from surefold.phrases import PHRASES

#: Words that a reader without statistics does not know.
JARGON = ("stratif", "heterosced", "nominal", "asympto", "covariate", "posterior", "quantile", "kappa", "mcnemar")


def test_every_code_has_a_phrase_and_no_phrase_is_left_over() -> None:
    assert set(PHRASES) == set(FINDING_CODES)


@pytest.mark.parametrize("code", sorted(PHRASES))
def test_phrases_are_short_and_plain(code: str) -> None:
    phrase, cure = PHRASES[code]
    assert 1 <= len(phrase.split()) <= 8
    assert not phrase.endswith(".")
    assert "_" not in phrase
    assert not any(word in phrase.lower() for word in JARGON)
    assert cure == "" or (cure[0].isupper() and cure.endswith("."))


def test_a_finding_knows_its_cure() -> None:
    assert Finding.of("few_rows", "There are 12 rows.").cure == "Collect more rows."
