"""`surefold plan` as a person or a pipeline meets it."""

import csv
import io
import json
import math
import re
from pathlib import Path

import click.testing
import pytest

from surefold.cli.plan import plan
from surefold.errors import InputError, UnknownNameError
from surefold.planning.power import KINDS, expected_width, power, sample_size, smallest_difference

MCNEMAR = ("mcnemar", "--difference", "0.02", "--disagreement", "0.1")
AUC = ("auc", "--value", ".85", "--positives", "0.2")


def run(*args):
    done = click.testing.CliRunner().invoke(plan, list(args))
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done


def table(text):
    """The cells of the table below the sentences."""
    return [line.split() for line in text.split("\n\n")[1].splitlines()]


def test_rows_needed_and_a_table_of_them():
    done = run(*MCNEMAR)
    assert done.exit_code == 0
    wanted = sample_size("mcnemar", difference=0.02, disagreement=0.1)
    assert done.stdout.startswith(f"{wanted}\n\n")
    rows = {p: sample_size("mcnemar", power=p, difference=0.02, disagreement=0.1).n for p in (0.5, 0.8, 0.9, 0.95)}
    assert table(done.stdout) == [["power", "rows"], *([f"{p * 100:g}", "%", f"{n:,}"] for p, n in rows.items())]
    assert "Next:" in done.stderr
    assert "Next:" not in done.stdout


def test_another_power_is_in_the_table():
    rows = table(run(*MCNEMAR, "--power", "0.85").stdout)
    assert [row[0] for row in rows[1:]] == ["50", "80", "85", "90", "95"]
    low = table(run(*MCNEMAR, "--confidence", "0.4").stdout)
    assert [row[0] for row in low[1:]] == ["80", "90", "95"]  # the level is .6


def test_rows_at_hand_give_power_and_the_smallest_difference():
    out = run(*MCNEMAR, "--n", "1000").stdout.splitlines()
    assert out[0] == str(power("mcnemar", n=1000, difference=0.02, disagreement=0.1))
    assert out[1] == str(smallest_difference("mcnemar", n=1000, disagreement=0.1))


def test_rows_at_hand_alone_give_the_smallest_difference():
    done = run("mcnemar", "--disagreement", "0.1", "--n", "1000", "--quiet")
    assert done.stdout == f"{smallest_difference('mcnemar', n=1000, disagreement=0.1)}\n"
    assert done.stderr == ""


def test_the_side_is_that_of_the_shares_given():
    out = run("two_proportions", "--first", ".9", "--second", ".85", "--n", "300").stdout
    assert str(smallest_difference("two_proportions", n=300, first=0.9, direction="below")) in out
    out = run("proportion", "--value", ".95", "--null", ".9", "--n", "300").stdout
    assert str(smallest_difference("proportion", n=300, null=0.9)) in out


def test_where_nothing_can_be_shown_the_power_is_still_said():
    out = run("proportion", "--value", ".95", "--null", ".9", "--n", "30").stdout
    assert out.startswith("30 rows give a chance")
    assert "smallest" not in out


def test_widths():
    out = run(*AUC, "--width", ".05").stdout
    assert out.startswith(str(sample_size("auc", value=0.85, width=0.05, positives_share=0.2)))
    rows = table(out)
    assert rows[0] == ["width", "rows", "positives", "negatives"]
    assert [row[0] for row in rows[1:]] == ["0.1", "0.05", "0.025", "0.0125"]
    out = run(*AUC, "--width", ".05", "--n", "1000").stdout
    assert out.startswith(str(expected_width("auc", n=1000, value=0.85, positives_share=0.2)))


def test_what_is_weak_is_noted():
    args = (*AUC, "--null", ".6", "--n", "20")
    assert "[few_of_a_class]" in run(*args).stderr
    assert "[few_of_a_class]" not in run(*args).stdout
    assert run(*args, "--quiet").stderr == ""
    assert json.loads(run(*args, "--format", "json").stdout)["answers"][0]["flags"] == ["few_of_a_class"]


def test_json():
    document = json.loads(run(*MCNEMAR, "--n", "1000", "--format", "json").stdout)
    assert document["kind"] == "plan"
    assert [answer["kind"] for answer in document["answers"]] == ["power", "smallest_difference"]
    assert document["answers"][0]["power"] == power("mcnemar", n=1000, difference=0.02, disagreement=0.1).value
    assert [row["power"] for row in document["table"]] == [0.5, 0.8, 0.9, 0.95]
    assert document["table"][1]["n"] == sample_size("mcnemar", difference=0.02, disagreement=0.1).n


def test_csv():
    rows = list(csv.DictReader(io.StringIO(run(*MCNEMAR, "--format", "csv").stdout)))
    assert [row["answer"] for row in rows] == ["sample_size", *["table"] * 4]
    assert rows[0]["n"] == rows[2]["n"] == str(sample_size("mcnemar", difference=0.02, disagreement=0.1).n)


def test_markdown():
    out = run(*AUC, "--null", ".8", "--format", "md").stdout
    assert "| power | rows | positives | negatives |\n|--:|--:|--:|--:|\n| 50 % |" in out


@pytest.mark.parametrize(
    ("args", "wanted"),
    [
        (
            ("pilot", "--se", "0.012", "--rows", "500", "--margin", "0.02", "--design", "noninferiority"),
            {"kind": "pilot", "se": 0.012, "rows": 500, "margin": 0.02, "design": "noninferiority"},
        ),
        (
            ("paired_auc", "--first", ".85", "--second", ".9", "--correlation", ".5", "--positives-share", ".2"),
            {"kind": "paired_auc", "first": 0.85, "second": 0.9, "correlation": 0.5, "positives_share": 0.2},
        ),
        (
            ("two_proportions", "--first", ".7", "--second", ".9", "--ratio", "2", "--design-effect", "1.5"),
            {"kind": "two_proportions", "first": 0.7, "second": 0.9, "ratio": 2, "design_effect": 1.5},
        ),
        (
            ("mcnemar", "--only-first", ".1", "--only-second", ".04", "--power", ".9", "--confidence", ".9"),
            {"kind": "mcnemar", "only_first": 0.1, "only_second": 0.04, "power": 0.9, "confidence": 0.9},
        ),
        (("proportion", "--value", ".9", "--width", ".1"), {"kind": "proportion", "value": 0.9, "width": 0.1}),
        (
            (*AUC, "--null", ".8", "--form", "exponential"),
            {"kind": "auc", "value": 0.85, "null": 0.8, "positives_share": 0.2, "form": "exponential"},
        ),
    ],
)
def test_every_kind_is_the_librarys(args, wanted):
    assert run(*args).stdout.startswith(str(sample_size(**wanted)))


@pytest.mark.parametrize("n", [None, "800"])
def test_a_margin_that_is_sought(n):
    args = ("pilot", "--se", "0.012", "--rows", "500", "--margin", "0.02", "--design", "equivalence")
    out = run(*args, *(("--n", n) if n else ())).stdout
    wanted = str(smallest_difference("pilot", n=800, se=0.012, rows=500, design="equivalence"))
    assert (wanted in out) == (n is not None)


def test_the_example_in_the_docs_is_what_is_printed():
    text = (Path(__file__).parents[2] / "docs" / "power.md").read_text(encoding="utf-8")
    command, shown = re.search(r"\$ surefold plan (.+)\n((?:.*\n)+?)```", text).groups()  # type: ignore[union-attr]
    assert run(*command.split()).stdout == shown
    assert all(f"| `{kind}` |" in text for kind in KINDS)


def test_every_kind_is_in_the_help():
    text = run("--help").stdout
    assert all(kind in text for kind in KINDS)
    facts = {fact for kind in KINDS.values() for fact in kind.known} - {"estimate", "positives_share"}
    assert all(f"--{fact.replace('_', '-')}" in text for fact in facts)


def test_refusals():
    with pytest.raises(UnknownNameError, match="did you mean 'mcnemar'"):
        run("mcnemer")
    with pytest.raises(UnknownNameError, match="no option of mcnemar '--value'"):
        run(*MCNEMAR, "--value", "0.5")
    with pytest.raises(InputError, match="without a goal"):
        run("mcnemar", "--disagreement", "0.1")
    with pytest.raises(InputError, match="30 rows give no difference"):
        run("proportion", "--null", ".9", "--n", "30")
    assert run("mcnemar", "--n", "many").exit_code == 2


def test_rows_alone_give_the_width():
    done = run("proportion", "--n", "400", "--format", "json")
    (answer,) = json.loads(done.stdout)["answers"]
    z = 1.959964
    wilson = 2 * z * math.sqrt(0.25 / 400 + z * z / (4 * 400**2)) / (1 + z * z / 400)  # at 200 of 400
    assert answer["width"] == pytest.approx(wilson, rel=0.002)
    assert answer["facts"] == {"value": 0.5, "design_effect": 1}
    assert "widest" in done.stderr
    said = run("proportion", "--n", "400", "--value", "0.9")
    assert said.stdout == f"{expected_width('proportion', n=400, value=0.9)}\n"
    assert "widest" not in said.stderr
    area = run(*AUC, "--n", "1000")
    assert area.stdout == f"{expected_width('auc', n=1000, value=0.85, positives_share=0.2)}\n"
    pilot = run("pilot", "--se", "0.02", "--rows", "500", "--n", "1000").stdout.splitlines()
    assert pilot[0] == str(expected_width("pilot", n=1000, se=0.02, rows=500))
    assert pilot[1] == str(smallest_difference("pilot", n=1000, se=0.02, rows=500))
    tested = run("proportion", "--n", "400", "--null", "0.8").stdout
    assert tested == f"{smallest_difference('proportion', n=400, null=0.8)}\n"
