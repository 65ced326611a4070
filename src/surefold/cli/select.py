"""`surefold select`: a table and kinds of model in, the one to ship out, with what it is worth."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from surefold.cli.again import called, said_anew
from surefold.cli.data_options import column_options, experiment_facts, reading_options, run_options
from surefold.cli.models import BUILT_IN, split_name
from surefold.cli.output import emit, note, output_options
from surefold.cli.places import Checked, Code, Reads, Writes
from surefold.cli.report_option import report_option, write_report
from surefold.errors import InputError, UnknownNameError, show
from surefold.selection.levels import LEVELS

__all__ = ["GRIDS", "select"]

#: What is searched of the built-in models unless --grid says otherwise, simple values first.
GRIDS: dict[str, dict[str, list[Any]]] = {
    "tree": {"max_depth": [2, 4, 8, None], "min_samples_leaf": [20, 5, 1]},
    "forest": {"min_samples_leaf": [5, 1], "max_features": ["sqrt", 0.5]},
    "logistic": {"C": [0.01, 0.1, 1.0, 10.0, 100.0]},
    "knn": {"n_neighbors": [31, 15, 5, 1]},
    "svm": {"C": [0.1, 1.0, 10.0, 100.0], "gamma": ["scale", 0.01, 0.1]},
    "boosting": {"max_leaf_nodes": [7, 31], "learning_rate": [0.03, 0.1, 0.3]},
}
DEFAULT_MODELS = "majority,bayes,logistic,tree,forest"


def _listed() -> str:
    lines = []
    for name, what in BUILT_IN.items():
        grid = "; ".join(f"{key} {', '.join(map(str, values))}" for key, values in GRIDS.get(name, {}).items())
        lines.append(f"  {name:<11} {what}" + (f"\n  {'':<11}   {grid}" if grid else ""))
    return "\n".join(lines)


def _levels() -> str:
    return "\n".join(f"  {level.name:<22} {level.title}" for level in LEVELS.values())


_EPILOG = f"\b\nStrategies:\n{_levels()}\n\n\b\nBuilt-in models and what is searched:\n{_listed()}"


@click.command(cls=Checked, epilog=_EPILOG)
@click.argument("data", type=Reads("the data"))
@click.option("--target", metavar="COL", required=True, help="Column with the classes to learn.")
@click.option("--models", "models", metavar="A,B", default=DEFAULT_MODELS, show_default=True,
              type=Code("the models' code"),
              help="Built-in models (below), or name=module:factory, by commas; simple ones first.")  # fmt: skip
@click.option("--grid", "grids", metavar="MODEL.PARAM=V,V", multiple=True,
              help="Search these values instead; once a parameter. 'none' is None.")  # fmt: skip
@click.option("--strategy", type=click.Choice(list(LEVELS)), default="cross_validation", show_default=True,
              help="The level of model selection.")  # fmt: skip
@click.option("--measure", "-m", metavar="NAME", help="Choose by this measure.  [default: accuracy, or the cost]")
@click.option("--costs", metavar="fp=1,fn=5", help="What the errors cost: choose by the expected cost.")
@click.option("--folds", type=int, default=10, show_default=True, metavar="K", help="Folds of the search.")
@click.option("--repeats", type=int, default=1, show_default=True, metavar="R", help="Whole rounds of the search.")
@click.option("--test", "test", type=float, metavar="SHARE", help="Rows kept for the test.  [default: 0.25]")
@click.option("--no-test", is_flag=True, help="With cross_validation: keep no rows for a test.")
@click.option("--validation", type=float, default=0.25, show_default=True, metavar="SHARE", help="Rows that choose.")
@click.option("--outer-folds", type=int, default=10, show_default=True, metavar="K", help="Outer folds of nested.")
@click.option("--outer-repeats", type=int, default=1, show_default=True, metavar="R", help="Rounds of outer folds.")
@click.option("--race", is_flag=True, help="Drop candidates that fall significantly behind.")
@click.option("--rule", type=click.Choice(["best", "one_se", "simplest"]), default="best", show_default=True,
              help="Take the best, the simplest within one standard error, or the simplest not worse.")  # fmt: skip
@click.option("--tie-break", type=click.Choice(["speed", "size"]), help="Among equals take the faster or the smaller.")
@column_options
@click.option("--save", metavar="FILE", type=Writes("the result", "result"),
              help="Write the result, with the model's card, as JSON.")  # fmt: skip
@click.option("--save-model", metavar="FILE", type=Writes("the model", "model"),
              help="Write the fitted model as a pickle (joblib); needs --trust-pickle.")  # fmt: skip
@click.option("--trust-pickle", is_flag=True, help="I know that loading a pickle runs whatever code is in it.")
@run_options
@reading_options
@report_option()
@output_options(("table", "json", "csv", "md"))
def select(data: str, target: str, shape: str, quiet: bool, debug: bool, **asked: Any) -> int:
    """Which model should learn the target column of DATA, with which parameters, and how good will it be?

    \b
    Examples:
      surefold select iris.csv --target species
      surefold select churn.csv --target churned --models logistic,forest,svm --strategy nested --jobs 2
      surefold select churn.csv --target churned --pos-label yes --costs fp=1,fn=5 --race --store runs.db
      surefold select data.csv --target y --models tree --grid tree.max_depth=1,2,3,none --rule one_se
      surefold select data.csv --target y --save result.json --report report.html

    What the search claims of its winner flatters it. Beside it stands what rows say that chose nothing, and the
    difference. The card in --save says which class and parameters to fit again on which data; the fitted model itself
    is written only on request, because a pickle can run code when it is loaded.
    """
    from surefold.cli.experiment import Experiment, prepared
    from surefold.cli.stopping import resumable, resume_line
    from surefold.selection.select import plan_selection
    from surefold.selection.select import select as choose

    _refuse_pickle(asked["save_model"], asked["trust_pickle"])
    sizes = _sizes(asked)
    experiment = Experiment(
        data=data,
        target=target,
        models=_split(asked["models"]),
        plan={"scheme": "folds"},
        measures=None if asked["measure"] is None else [asked["measure"]],
        **experiment_facts(asked),
    )
    ready = prepared(experiment)
    for line in ready.features.prepared:
        note(line, quiet)
    models = with_grids(ready.models, ready.experiment.models, asked["grids"])
    p = ready.labels
    options: dict[str, Any] = {
        **sizes,
        "strategy": asked["strategy"],
        "measure": asked["measure"],
        "costs": _costs(asked["costs"]),
        "race": asked["race"],
        "rule": asked["rule"],
        "tie_break": asked["tie_break"],
        "groups": p.groups,
        "sample_weight": p.weights,
        "pos_label": None if asked["pos_label"] is None else p.pos_label,
        "confidence": asked["confidence"],
        "random_state": asked["seed"],
    }
    X, y = ready.features.frame, ready.table.column(target)
    note(str(plan_selection(models, X, y, **options)), quiet)
    more = said_anew(asked, experiment.models)
    if asked["store"]:
        line = resume_line(asked["store"], asked["run"], more)
        note(f"every finished fold is kept in {asked['store']}; {line}", quiet)
    running = {
        "n_jobs": asked["jobs"],
        "store": asked["store"],
        "run": asked["run"],
        "allow_version_change": asked["allow_version_change"],
        "progress": not quiet,
        "command": {**called(click.get_current_context(), asked["run"]), "confidence": asked["confidence"]},
    }
    with resumable(asked["store"], asked["run"], more):
        found = choose(models, X, y, **options, **running)
    about_file = ready.features.findings
    found = replace(found, noticed=(*about_file, *(each for each in found.noticed if each not in about_file)))
    file = {"file": {"path": str(ready.table.path), "sha256": ready.table.sha256, "rows": ready.table.n}}
    _saved(found, asked["save"], asked["save_model"], file, quiet)
    emit(found, shape, file, records=lambda: _csv(found.table))
    write_report(found, asked["report"], data, ready.table.sha256, str(ready.table.path), quiet)
    return 0 if found.held_out.complete else 3


def _split(text: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise InputError("bad_model", f"--models {show(text)} names none", cure=f"choose from {', '.join(BUILT_IN)}")
    return names


def with_grids(models: Mapping[str, Any], specifications: Sequence[str], asked: Sequence[str]) -> dict[str, Any]:
    """The models with what is searched of each: the parameters that --grid names, else those of `GRIDS`."""
    said: dict[str, dict[str, list[Any]]] = {}
    for text in asked:
        where, found, values = text.partition("=")
        name, dot, key = where.strip().partition(".")
        if not (found and dot and key and values.strip()):
            raise InputError("bad_option", f"--grid {show(text)}", cure="write --grid tree.max_depth=2,4,none")
        if name not in models:
            raise UnknownNameError("model", name, models)
        said.setdefault(name, {})[key] = [_value(value.strip()) for value in values.split(",")]
    built_in = dict(split_name(text) for text in specifications)
    searched = {}
    for name, model in models.items():
        grid = said.get(name, GRIDS.get(built_in[name], {}))
        inside = "model__" if built_in[name] in BUILT_IN and hasattr(model, "steps") else ""
        searched[name] = (model, {f"{inside}{key}": values for key, values in grid.items()}) if grid else model
    return searched


def _value(text: str) -> Any:
    """A value of a parameter: a number where it reads like one, none, true and false, else text.

    >>> [_value(text) for text in ("3", "0.5", "none", "true", "sqrt")]
    [3, 0.5, None, True, 'sqrt']
    """
    words: dict[str, Any] = {"none": None, "true": True, "false": False}
    if text.lower() in words:
        return words[text.lower()]
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def _costs(text: str | None) -> dict[str, float] | None:
    if text is None:
        return None
    try:
        return {key.strip(): float(value) for key, value in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise InputError("cost_matrix", f"--costs {text}", cure="write --costs fp=1,fn=5") from None


def _sizes(asked: Mapping[str, Any]) -> dict[str, Any]:
    if asked["no_test"] and asked["test"] is not None:
        raise click.UsageError("--test and --no-test cannot be asked for together.")
    if asked["no_test"] and asked["strategy"] != "cross_validation":
        raise click.UsageError(f"--no-test does nothing with --strategy {asked['strategy']}.")
    share = 0.25 if asked["test"] is None else asked["test"]
    whole = int(share) if share >= 1 and float(share).is_integer() else share
    return {
        "test_size": None if asked["no_test"] else whole,
        "validation_size": asked["validation"],
        **{name: asked[name] for name in ("folds", "repeats", "outer_folds", "outer_repeats")},
    }


# what is written


def _refuse_pickle(path: Path | None, trusted: bool) -> None:
    if path is not None and not trusted:
        raise InputError("pickle", f"--save-model {path} writes a pickle, which can run any code when it is loaded",
                         cure="add --trust-pickle if whoever loads it trusts you, or --save FILE, which writes a card "
                         "to fit it again from")  # fmt: skip


def _saved(found: Any, result: Path | None, model: Path | None, facts: Mapping[str, Any], quiet: bool) -> None:
    from surefold.report.as_json import to_json
    from surefold.report.writing import replaced

    if result is not None:
        with replaced(result, "result") as file:
            file.write(f"{to_json({**found.to_dict(), **facts})}\n".encode())
        note(f"wrote {result}", quiet)
    if model is not None:
        import joblib

        with replaced(model, "model") as file:
            joblib.dump(found.estimator, file)
        note(f"wrote {model}: a pickle, so load it only where this file is trusted", quiet)


def _csv(rows: list[dict[str, Any]]) -> str:
    from surefold.show.names import csv_text

    told = ({**row, **{key: "; ".join(f"{k}={v}" for k, v in row[key].items()) for key in ("params", "size")}}
            for row in rows)  # fmt: skip
    return csv_text([[*rows[0]], *([*row.values()] for row in told)]).rstrip("\n")
