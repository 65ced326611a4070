"""`surefold evaluate`: a table and models in, held-out performance with intervals out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import click

from surefold.cli.again import said_anew
from surefold.cli.data_options import column_options, experiment_facts, reading_options, run_options
from surefold.cli.models import listed_models
from surefold.cli.output import note, output_options
from surefold.cli.places import Checked, Code, Reads
from surefold.cli.report_option import report_option, write_report
from surefold.errors import InputError, show

__all__ = ["bytes_asked", "evaluate"]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
#: Which of the options about splits each scheme takes.
_TAKES = {
    "folds": ("folds", "repeats", "no_stratify"),
    "time": ("folds",),
    "nested": ("folds", "repeats", "no_stratify"),
    "holdout": ("repeats", "no_stratify"),
    "leave_one_out": (),
    "leave_pair_out": (),
    "5x2": (),
    "bootstrap": (),
}


@click.command(cls=Checked, epilog="\b\nBuilt-in models:\n" + listed_models())
@click.argument("data", type=Reads("the data"))
@click.option("--target", metavar="COL", required=True, help="Column with the classes to learn.")
@click.option("--model", "models", metavar="NAME", multiple=True, required=True, type=Code("the models' code"),
              help="A built-in model (below), or name=module:factory; several share the splits.")  # fmt: skip
@column_options
@click.option("--folds", type=int, metavar="K", help="Folds.  [default: 10]")
@click.option("--repeats", type=int, metavar="R", help="Whole rounds.  [default: 10 with folds, else 1]")
@click.option("--holdout", metavar="SHARE", help="Hold out this share, or number, of rows instead of folds.")
@click.option("--leave-one-out", is_flag=True, help="Hold out one row at a time.")
@click.option("--leave-pair-out", is_flag=True, help="Hold out a positive and a negative at a time: fair to the AUC.")
@click.option("--nested", is_flag=True, help="Nested cross-validation, for its interval.")
@click.option("--5x2", "five_by_two", is_flag=True, help="Five repeats of two folds.")
@click.option("--bootstrap", type=int, metavar="N", help="N samples drawn with replacement; gives .632 and .632+.")
@click.option("--no-stratify", is_flag=True, help="Do not keep the shares of the classes alike over folds.")
@click.option("--allow-rare", is_flag=True, help="Allow a class with fewer rows than folds: some folds go without it.")
@click.option("--time", "time", metavar="COL", help="Train on the past, test on what follows.")
@click.option("--measure", "-m", "measures", metavar="NAME", multiple=True, help="Show this measure.")
@click.option("--fold-timeout", type=float, metavar="S", help="Stop a fold after so many seconds.")
@click.option("--max-memory", metavar="SIZE", help="Memory that a fold may add, as in 2GB.")
@click.option("--retries", type=int, default=1, show_default=True, metavar="N", help="Run a failed fold again.")
@click.option("--check-determinism", is_flag=True, help="Fit the first fold twice and compare.")
@run_options
@reading_options
@report_option()
@output_options()
def evaluate(data: str, target: str, shape: str, quiet: bool, debug: bool, **asked: Any) -> int:
    """How well do models learn the target column of DATA (CSV or Parquet)? Every row is held out, never leaked.

    \b
    Examples:
      surefold evaluate iris.csv --target species --model bayes
      surefold evaluate churn.csv --target churned --pos-label yes --model logistic --model forest --jobs 2
      surefold evaluate churn.csv --target churned --model forest --store runs.db   # Ctrl-C, then:
      surefold resume runs.db
      surefold evaluate data.csv --target y --model mine=my_models:make_model --folds 5 --repeats 2
      surefold evaluate data.csv --target y --model tree --bootstrap 50
      surefold evaluate data.csv --target y --model tree --model forest --report report.html

    Numeric columns are taken as they are, columns of words are one-hot encoded, and what is learnt for that (scales,
    categories, fillings) is learnt in each training part alone. Columns that look like names of rows are left out:
    words that mostly occur once, and row numbers; --categorical or --features keeps them. module:factory names a
    function, in the current folder or an installed package, that returns an unfitted classifier; it is given a polars
    data frame.
    """
    from surefold.cli.experiment import Experiment, prepared
    from surefold.cli.shown import emit_run
    from surefold.cli.stopping import resumable, resume_line

    experiment = Experiment(
        data=data,
        target=target,
        models=list(asked["models"]),
        plan=_plan(asked),
        time=asked["time"],
        measures=list(asked["measures"]) or None,
        running={
            "fold_timeout": asked["fold_timeout"],
            "max_memory": None if asked["max_memory"] is None else bytes_asked(asked["max_memory"]),
            "retries": asked["retries"],
        },
        **experiment_facts(asked),
    )
    ready = prepared(experiment)
    for line in ready.features.prepared:
        note(line, quiet)
    store, run = asked["store"], asked["run"]
    options = {
        **experiment.running,
        "n_jobs": asked["jobs"],
        "store": store,
        "run": run,
        "allow_version_change": asked["allow_version_change"],
        "check_determinism": asked["check_determinism"],
        "progress": not quiet,
    }
    more = said_anew(asked, experiment.models)
    with resumable(store, run, more):
        result = ready.run(options)
    file = {"file": {"path": str(ready.table.path), "sha256": ready.table.sha256, "rows": ready.table.n}}
    emit_run(result, shape, experiment.measures, f"surefold evaluate {data}", file)
    write_report(result, asked["report"], data, ready.table.sha256, str(ready.table.path), quiet)
    if result.complete:
        return 0
    note(resume_line(store, run, more) if store else "with --store FILE the finished folds would be kept", quiet)
    return 3


def _plan(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The scheme and its options, as plain values; two schemes, or an option of another, are bad usage."""
    said = {
        "holdout": asked["holdout"] is not None,
        "leave_one_out": asked["leave_one_out"],
        "leave_pair_out": asked["leave_pair_out"],
        "nested": asked["nested"],
        "5x2": asked["five_by_two"],
        "bootstrap": asked["bootstrap"] is not None,
        "time": asked["time"] is not None,
    }
    schemes = [name for name, is_said in said.items() if is_said]
    if len(schemes) > 1:
        raise click.UsageError(f"{' and '.join(map(_flag, schemes))} cannot be asked for together.")
    scheme = schemes[0] if schemes else "folds"
    for name, given in (("folds", asked["folds"] is not None), ("repeats", asked["repeats"] is not None),
                        ("no_stratify", asked["no_stratify"])):  # fmt: skip
        if given and name not in _TAKES[scheme]:
            raise click.UsageError(f"{_flag(name)} does nothing with {_flag(scheme)}.")
    plan: dict[str, Any] = {"scheme": scheme}
    if "folds" in _TAKES[scheme]:
        plan["folds"] = 10 if asked["folds"] is None else asked["folds"]
    if "repeats" in _TAKES[scheme]:
        plan["repeats"] = asked["repeats"] if asked["repeats"] is not None else 10 if scheme == "folds" else 1
    if "no_stratify" in _TAKES[scheme]:
        plan["stratified"] = not asked["no_stratify"]
    if asked["allow_rare"]:
        if scheme not in ("folds", "nested"):
            raise click.UsageError(f"--allow-rare does nothing with {_flag(scheme)}.")
        plan["min_class"] = "allow"
    if scheme == "holdout":
        plan["test"] = _part(asked["holdout"])
    if scheme == "bootstrap":
        plan["samples"] = asked["bootstrap"]
    return plan


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _part(text: str) -> float | int:
    """A share, or a number of rows."""
    try:
        return int(text) if re.fullmatch(r"\s*\d+\s*", text) else float(text)
    except ValueError:
        raise InputError("bad_option", f"--holdout {show(text)}", cure="give a share as in 0.3, or a number of rows"
                         ) from None  # fmt: skip


def bytes_asked(text: str) -> int:
    """A size with its unit in bytes.

    >>> bytes_asked("2GB"), bytes_asked("512 MiB"), bytes_asked("1000")
    (2000000000, 536870912, 1000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?i?)b?\s*", text.lower())
    if found is None or found.group(2) not in _UNITS:
        raise InputError("bad_option", f"--max-memory {show(text)}", cure="write a size as in 2GB or 512MB")
    return int(float(found.group(1)) * _UNITS[found.group(2)])
