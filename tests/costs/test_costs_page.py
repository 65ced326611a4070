"""The page on costs shows what its code prints."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "costs.md"
NUMBER = re.compile(r"-?\d+\.\d+")
#: Other machines may add up in another order, and a row at the edge of a threshold may then fall on the other side.
SLACK = 0.011


class NearlyTheSame(doctest.OutputChecker):
    """The same words, and numbers that differ by a row or two at most."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        words = [" ".join(NUMBER.sub("#", text).replace("<BLANKLINE>", "").split()) for text in (want, got)]
        first, second = ([float(n) for n in NUMBER.findall(text)] for text in (want, got))
        return words[0] == words[1] and all(abs(a - b) <= SLACK for a, b in zip(first, second, strict=True))


def blocks() -> str:
    return "\n".join(re.findall(r"^```pycon\n(.*?)^```", PAGE.read_text(encoding="utf-8"), flags=re.S | re.M))


def test_the_code_of_the_page_prints_what_is_shown() -> None:
    test = doctest.DocTestParser().get_doctest(blocks(), {}, PAGE.name, str(PAGE), 0)
    assert len(test.examples) >= 10
    said: list[str] = []
    failed, _ = doctest.DocTestRunner(checker=NearlyTheSame(), verbose=False).run(test, out=said.append)
    assert not failed, "".join(said)


def test_the_checker_can_fail() -> None:
    same = NearlyTheSame().check_output
    assert same("cost 0.183 a row\n", "cost 0.184 a row\n", 0)
    assert not same("cost 0.183 a row\n", "cost 0.283 a row\n", 0)
    assert not same("naive is cheapest\n", "logistic is cheapest\n", 0)


def test_names_in_the_page_are_there() -> None:
    """Every method in the page's table is one that can be asked for, and none is left out."""
    from surefold.costs.cost_sensitive import ALL_METHODS

    table = re.findall(r"^\| `(\w+)` \|", PAGE.read_text(encoding="utf-8"), flags=re.M)
    assert sorted(table) == sorted(ALL_METHODS)
