"""`surefold resume`: go on with a run where it stopped, or show it again when it is complete."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from surefold._version import heading
from surefold.cli.output import note, output_options, say
from surefold.cli.places import BESIDE_A_STORE, Checked, Code, Keeps, Reads, Writes, refuse_written_over
from surefold.cli.report_option import report_option, write_report
from surefold.counting import counted, verb
from surefold.errors import InputError, RunError, show

__all__ = ["resume"]


@click.command(cls=Checked)
@click.argument("store", type=Keeps("the store"))
@click.option("--run", metavar="NAME", help="Which run, if the store holds several.")
@click.option("--jobs", type=int, metavar="N", help="Worker processes; -1 for every core.")
@click.option("--salvage", is_flag=True, help="Keep a damaged store aside and go on with the folds that are whole.")
@click.option("--allow-version-change", is_flag=True, help="Go on under other library versions.")
@click.option("--trust", metavar="MODULE:FACTORY", multiple=True,
              help="Run this code, which the store names, to make its models; once a factory.")  # fmt: skip
@click.option("--save", metavar="FILE", type=Writes("the result", "result"),
              help="Of a selection: write the result, with the model's card, as JSON.")  # fmt: skip
@click.option("--save-model", metavar="FILE", type=Writes("the model", "model"),
              help="Of a selection: write the fitted model as a pickle (joblib); needs --trust-pickle.")  # fmt: skip
@click.option("--trust-pickle", is_flag=True, help="I know that loading a pickle runs whatever code is in it.")
@report_option()
@output_options()
def resume(
    store: str,
    run: str | None,
    jobs: int | None,
    salvage: bool,
    allow_version_change: bool,
    shape: str,
    quiet: bool,
    debug: bool,
    **asked: Any,
) -> int:
    """Go on with the run in STORE: only folds that are missing are fitted. A complete one is shown again.

    A selection goes on as a whole, by the name that it was given. Nothing that a store holds says where to write, and
    code that it names is run only where --trust names it too.

    \b
    Examples:
      surefold resume runs.db
      surefold resume runs.db --run second --jobs 2
      surefold resume runs.db --format json > result.json
      surefold resume runs.db --report report.html
      surefold resume runs.db --trust my_models:make_model
      surefold resume damaged.db --salvage
    """
    from surefold.cli.again import said_anew
    from surefold.cli.experiment import Experiment
    from surefold.cli.shown import emit_run
    from surefold.cli.stopping import resume_line
    from surefold.resampling.store import Store
    from surefold.resampling.stored import chosen_run, open_run

    if salvage:
        _salvage(Path(store), quiet)
    with Store(store, read_only=True) as opened:
        names = opened.run_names()
        parts = opened.guard(lambda: _parts_of_selections(opened, names))
        selection = _selection(parts, names, run)
        if selection is None and run is None and len(names) > 1:
            return _list_runs(store, names, parts, shape, quiet)
        found = None if selection is not None else chosen_run(opened, run)
    if found is None or (found.name in parts and not open_run(store, found.name).complete):
        call = selection or parts[str(run)]
        words = [*_again(jobs, allow_version_change), "--format", shape, *(["--quiet"] if quiet else [])]
        return _select_again(store, call, words, asked, quiet)
    for name in ("save", "save_model"):
        if asked[name] is not None:
            raise click.UsageError(f"--{name.replace('_', '-')} is for selections, and {show(found.name)} is none.")
    result: Any = open_run(store, found.name)
    command = found.facts.get("command") or None
    if command is not None and command.get("command") == "evaluate":
        Experiment.from_command(command)  # refused where it is none that could have been given
    if not result.complete:
        if command is None:
            raise RunError("incomplete", f"run {show(found.name)} was started from Python and is {result.status}",
                           cure=f"make the same call again, with store={store!r}: only what is missing is run"
                           )  # fmt: skip
        options = {"n_jobs": jobs, "allow_version_change": allow_version_change}
        result = _go_on(store, found.name, command, options, asked, quiet)
    measures = None if command is None else command.get("measures")
    opened.guard(lambda: emit_run(result, shape, measures, f"surefold resume {store}"))
    facts = command or {}
    data, sha256 = (str(facts.get(name, "")) for name in ("data", "sha256"))
    opened.guard(lambda: write_report(result, asked["report"], data or store, sha256, data, quiet))
    if result.complete:
        return 0
    note(resume_line(store, found.name, said_anew(asked, facts.get("models", ()))), quiet)
    return 3


def _parts_of_selections(store: Any, names: list[str]) -> dict[str, dict[str, Any]]:
    """Of each run that `surefold select` began as a part of its search, the call that began it."""
    found = {}
    for name in names:
        kept = store.read_run(name)
        command = None if kept is None else kept.facts.get("command")
        if command and command.get("command") == "select":
            if not isinstance(command["run"], str) or not all(isinstance(word, str) for word in command["words"]):
                raise TypeError("a call is made of words")
            found[name] = command
    return found


def _selection(parts: dict[str, dict[str, Any]], names: list[str], run: str | None) -> dict[str, Any] | None:
    """The selection that is meant: the one of that name, or the only thing in the store."""
    by_name = {command["run"]: command for command in parts.values()}
    if run is None:
        return next(iter(by_name.values())) if len(by_name) == 1 and len(parts) == len(names) else None
    return by_name.get(run) if run not in names else None


def _again(jobs: int | None, allow: bool) -> list[str]:
    return [*(["--jobs", str(jobs)] if jobs is not None else []), *(["--allow-version-change"] if allow else [])]


def _select_again(store: str, command: dict[str, Any], words: list[str], asked: Mapping[str, Any], quiet: bool) -> int:
    """Call `select` as it was called: what is in the store is not fitted again, and the result is shown.

    Where to write is said in this call: of the words that the store keeps, those that name outputs are left out.
    """
    from surefold.cli.again import FORMAT, parsed, said_anew, words_of
    from surefold.cli.models import code_named, refuse_untrusted
    from surefold.cli.select import select

    if command.get("format") != FORMAT:
        raise RunError("store_version", "the run was started by a command that this version does not know",
                       cure="use the version of surefold that started it")  # fmt: skip
    call = parsed(select, command["words"])
    models = str(call.params.get("models") or "").split(",")
    models = [name for name in models if name.strip()]
    if call.params.get("data") == "-":
        raise RunError("changed_run", "the data came from standard input, and are not kept",
                       cure="save them in a file and start the run with that")  # fmt: skip
    refuse_untrusted(models, asked["trust"], store)
    if code_named(models):
        note(f"the run was started in {command['folder']}; models that it makes by code are looked for here", quiet)
    words = [*words_of(call), "--store", store, *words, *said_anew(asked, ())]
    return int(select.main(words, prog_name="surefold select", standalone_mode=False))


def _go_on(
    store: str, run: str, command: dict[str, Any], options: Mapping[str, Any], asked: Mapping[str, Any], quiet: bool
) -> Any:
    from surefold.cli.again import said_anew
    from surefold.cli.experiment import Experiment, prepared
    from surefold.cli.models import code_named, refuse_untrusted
    from surefold.cli.stopping import resumable

    e = Experiment.from_command(command)
    if e.data == "-":
        raise RunError("changed_run", "the data came from standard input, and are not kept",
                       cure="save them in a file and start the run with that")  # fmt: skip
    refuse_untrusted(e.models, asked["trust"], store)
    code = code_named(e.models)
    more = [(Reads("the run's data"), e.data), *((Code("the models' code"), what) for what in code)]
    refuse_written_over(click.get_current_context(), more)
    if code:
        note(f"the run was started in {e.folder} and makes models by {', '.join(code)}", quiet)
    now = ""
    try:
        ready = prepared(e)
        now = ready.table.sha256
        if now != e.sha256:
            note(f"{e.data} is another file than at the start (sha256 {e.sha256[:12]}… then, {now[:12]}… now)", quiet)
        with resumable(store, run, said_anew(asked, e.models)):
            return ready.run({**e.running, **options, "store": store, "run": run, "progress": not quiet})
    except (InputError, RunError) as error:
        now = now or _sha256(e.data)
        if now and now != e.sha256 and (isinstance(error, InputError) or error.code == "changed_run"):
            problem = (
                f"{e.data} is not the file that the run began with (sha256 {e.sha256[:12]}… then, {now[:12]}… now)"
            )
            raise RunError("changed_run", f"{problem}: {error.problem}",
                           cure="put that file back, or start a new run in another store or under another --run"
                           ) from error  # fmt: skip
        raise


def _sha256(path: str) -> str:
    from surefold.inputs.files import read_bytes

    with suppress(InputError, OSError):
        return read_bytes(path, wide=True).sha256
    return ""


def _list_runs(store: str, names: list[str], parts: dict[str, Any], shape: str, quiet: bool) -> int:
    from surefold.report.as_json import to_json
    from surefold.resampling.stored import open_run
    from surefold.show.names import label_text, plain, text_table

    states = {}
    for name in names:
        try:
            result = open_run(store, name)
        except RunError as error:
            states[name] = str(error)
        else:
            states[name] = result.status
    if shape == "json":
        say(to_json({**heading("runs"), "runs": [{"name": n, "status": s} for n, s in states.items()]}))
    else:
        say(text_table([["run", "state"], *([label_text(n), plain(s)] for n, s in states.items())]))
    note(f"{store} holds {len(names)} runs: say which with --run", quiet)
    for run in dict.fromkeys(command["run"] for command in parts.values()):
        note(f"--run {shlex.quote(run)} goes on with the selection that {show(f'{run} search')} is a part of", quiet)
    return 2


def _salvage(path: Path, quiet: bool) -> None:
    """Move a damaged store aside, and write what is whole in it to its place."""
    from surefold.resampling.salvage import salvage

    if not path.is_file():
        raise RunError("unknown_run", f"there is no store at {path}", cure="check the path")
    if _is_whole(path):
        note(f"{path} is whole: there is nothing to salvage", quiet)
        return
    whole = path.with_name(f".{path.name}.saved-{os.getpid()}")
    try:  # nothing is moved before something is saved: the path may name another file by mistake
        runs, folds = salvage(path, whole)
    except RunError as error:
        raise RunError(error.code, f"nothing could be saved of {path} ({error.problem}); it was left as it is",
                       cure="check the path, or start the run again in another store") from error  # fmt: skip
    aside = path.with_name(f"{path.name}.damaged")
    number = 1
    while any(os.path.lexists(f"{aside}{side}") for side in BESIDE_A_STORE):
        number += 1
        aside = path.with_name(f"{path.name}.damaged.{number}")
    for side in BESIDE_A_STORE:  # what was written last stands in a file beside it
        if os.path.exists(f"{path}{side}"):
            os.rename(f"{path}{side}", f"{aside}{side}")
    os.rename(whole, path)
    saved = f"{counted(folds, 'fold')} of {counted(runs, 'run')} {verb(folds, 'was', 'were')} saved"
    note(f"{saved}; the damaged file is kept as {aside}", quiet)


def _is_whole(path: Path) -> bool:
    from surefold.resampling.store import Store

    try:
        with Store(path, read_only=True) as store:
            for name in store.run_names():
                run = store.read_run(name)
                if run is None or any(outcome is None for _, outcome in store.outcomes(name, run.facts["key"])):
                    return False
    except RunError as error:
        if error.code != "store_damaged":
            raise
        return False
    return True
