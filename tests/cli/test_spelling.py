"""Cures that reach the command line name its flags, not the arguments of Python."""

import re

import pytest

from surefold.cli.main import cli, main
from surefold.cli.spelling import as_flags, command_of, flags_of

FLAGS = {
    "pos_label": ("--pos-label", True),
    "comment": ("--comment", True),
    "margin": ("--margin", True),
    "cast_labels": ("--cast-labels", False),
    "costs": ("--costs", True),
    "run": ("--run", True),
}


@pytest.mark.parametrize(
    ("python", "shell"),
    [
        ("say pos_label='yes'", "say --pos-label yes"),
        ("say pos_label='yes' (--pos-label yes)", "say --pos-label yes"),
        ("name another run (run=, --run)", "name another run (--run)"),
        ("say comment='#'", "say --comment '#'"),  # a shell takes a bare # for a comment of its own
        ("margin=-0.5, and f1 runs from 0 to 1", "--margin -0.5, and f1 runs from 0 to 1"),
        ("match them with cast_labels=True", "match them with --cast-labels"),
        ("costs={'fp': 1} does not price", "--costs {'fp': 1} does not price"),
        ("leave margin= out, or n_margin=2", "leave --margin out, or n_margin=2"),
        ("use method='auto' or 'delta'", "use method='auto' or 'delta'"),  # no flag of that name
    ],
)
def test_by_hand(python, shell):
    assert as_flags(python, FLAGS) == shell


def test_flags_are_those_of_the_command_that_was_called():
    select = flags_of(command_of(cli, ["select", "data.csv", "--target", "y"]))
    assert select["n_jobs"] == ("--jobs", True)
    assert select["test_size"] == ("--test", True)
    assert select["pos_label"] == ("--pos-label", True)
    assert select["impute"] == ("--impute", False)
    assert "threshold" not in select
    assert flags_of(command_of(cli, ["gate", "rows.csv"]))["threshold"] == ("--threshold", True)
    assert flags_of(command_of(cli, ["plan"]))["positives_share"] == ("--positives", True)
    assert flags_of(command_of(cli, ["--debug", "nothing"])) == {}


@pytest.mark.parametrize(
    ("args", "cure"),
    [
        ("gate {rows} --truth y --baseline a --candidate b -m f1", "--pos-label no"),
        ("gate {rows} --truth y --baseline a --candidate b --method swap", "use --method auto, one_row or bootstrap"),
        ("gate {rows} --truth y --candidate a --at-most 0.4", "--at-least for the candidate alone"),
        ("compare {rows} --truth y --pred a --pred b -m f1", "--pos-label no"),
        ("compare {rows} --truth y --pred a --pred b --margin 7", "give a margin below 1"),
        ("compare {rows} --truth y --pred a --pred b -m expected_cost", "give costs= (in Python)"),
        ("assess {rows} --truth y --pred a --confidence 95", "--confidence 0.95"),
        ("plan proportion --value 0.9 --null 0.8 --power 2", "--power 0.8"),
        ("plan pilot --se 0.1 --rows 40 --width 0.1 --difference 0.2", "give --width alone, or --difference"),
        ("evaluate {rows} --target y --model bayes --folds 10", "use --folds 6 or fewer"),
        ("evaluate {rows} --target y --model bayes -m f1", "say --pos-label no"),
        ("select {rows} --target y --folds 2 --race", "use --strategy cross_validation or nested"),
        ("select {rows} --target y -m expected_cost", "give --costs"),
    ],
)
def test_cures_name_flags(args, cure, tmp_path, capsys):
    rows = tmp_path / "rows.csv"
    rows.write_text("y,a,b\n" + "no,no,no\nyes,yes,no\nyes,no,yes\nyes,yes,yes\nno,no,yes\n" * 3)
    assert main(args.format(rows=rows).split()) == 2
    told = capsys.readouterr().err
    assert cure in told
    assert not re.search(r"\b[a-z_]+=(?! \(in Python\))", told.partition("To fix:")[2])
