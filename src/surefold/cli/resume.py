"""`surefold resume`: go on with a run where it stopped, or show it again when it is complete."""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from surefold._version import heading
from surefold.cli.output import note, output_options
from surefold.cli.report_option import checked_report, report_option, write_report
from surefold.counting import counted, verb
from surefold.errors import InputError, RunError, show

__all__ = ["resume"]


@click.command()
@click.argument("store")
@click.option("--run", metavar="NAME", help="Which run, if the store holds several.")
@click.option("--jobs", type=int, metavar="N", help="Worker processes; -1 for every core.")
@click.option("--salvage", is_flag=True, help="Keep a damaged store aside and go on with the folds that are whole.")
@click.option("--allow-version-change", is_flag=True, help="Go on under other library versions.")
@report_option()
@output_options()
def resume(
    store: str,
    run: str | None,
    jobs: int | None,
    salvage: bool,
    allow_version_change: bool,
    report: str | None,
    shape: str,
    quiet: bool,
    debug: bool,
) -> int:
    """Go on with the run in STORE: only folds that are missing are fitted. A complete one is shown again.

    A selection goes on as a whole, by the name that it was given.

    \b
    Examples:
      surefold resume runs.db
      surefold resume runs.db --run second --jobs 2
      surefold resume runs.db --format json > result.json
      surefold resume runs.db --report report.html
      surefold resume damaged.db --salvage
    """
    from surefold.cli.shown import shown
    from surefold.cli.stopping import resume_line
    from surefold.resampling.store import Store
    from surefold.resampling.stored import chosen_run, open_run

    page = checked_report(report, store)
    if salvage:
        _salvage(Path(store), quiet)
    with Store(store, read_only=True) as opened:
        names = opened.run_names()
        parts = _parts_of_selections(opened, names)
        selection = _selection(parts, names, run)
        if selection is None and run is None and len(names) > 1:
            return _list_runs(store, names, parts, shape, quiet)
        found = None if selection is not None else chosen_run(opened, run)
    if found is None or (found.name in parts and not open_run(store, found.name).complete):
        call = selection or parts[str(run)]
        return _select_again(store, call, jobs, allow_version_change, page, shape, quiet)
    result: Any = open_run(store, found.name)
    command = found.facts.get("command")
    if not result.complete:
        if command is None:
            raise RunError("incomplete", f"run {show(found.name)} was started from Python and is {result.status}",
                           cure=f"make the same call again, with store={store!r}: only what is missing is run"
                           )  # fmt: skip
        result = _go_on(store, found.name, command, jobs, allow_version_change, quiet)
    measures = None if command is None else command.get("measures")
    click.echo(shown(result, shape, measures, f"surefold resume {store}"))
    facts = command or {}
    write_report(
        result, page, str(facts.get("data", store)), str(facts.get("sha256", "")), str(facts.get("data", "")), quiet
    )
    if result.complete:
        return 0
    note(resume_line(store, found.name), quiet)
    return 3


def _parts_of_selections(store: Any, names: list[str]) -> dict[str, dict[str, Any]]:
    """Of each run that `surefold select` began as a part of its search, the call that began it."""
    found = {}
    for name in names:
        kept = store.read_run(name)
        command = None if kept is None else kept.facts.get("command")
        if command and command.get("command") == "select":
            found[name] = command
    return found


def _selection(parts: dict[str, dict[str, Any]], names: list[str], run: str | None) -> dict[str, Any] | None:
    """The selection that is meant: the one of that name, or the only thing in the store."""
    by_name = {command["run"]: command for command in parts.values()}
    if run is None:
        return next(iter(by_name.values())) if len(by_name) == 1 and len(parts) == len(names) else None
    return by_name.get(run) if run not in names else None


def _select_again(
    store: str, command: dict[str, Any], jobs: int | None, allow: bool, page: Path | None, shape: str, quiet: bool
) -> int:
    """Call `select` as it was called: what is in the store is not fitted again, and the result is shown."""
    from surefold.cli.again import FORMAT
    from surefold.cli.select import select

    if command.get("format") != FORMAT:
        raise RunError("store_version", "the run was started by a command that this version does not know",
                       cure="use the version of surefold that started it")  # fmt: skip
    words = [str(word) for word in command["words"]]
    if words[0] == "-":
        raise RunError("changed_run", "the data came from standard input, and are not kept",
                       cure="save them in a file and start the run with that")  # fmt: skip
    if any(":" in word for word in words[1:]):
        note(f"the run was started in {command['folder']}; models that it makes by code are looked for here", quiet)
    words += ["--store", store, "--format", shape, *(["--jobs", str(jobs)] if jobs is not None else [])]
    words += ["--allow-version-change"] if allow else []
    words += ["--report", str(page)] if page is not None else []  # the last one said is the one that counts
    words += ["--quiet"] if quiet else []
    return int(select.main(words, prog_name="surefold select", standalone_mode=False))


def _go_on(store: str, run: str, command: dict[str, Any], jobs: int | None, allow: bool, quiet: bool) -> Any:
    from surefold.cli.experiment import Experiment, prepared
    from surefold.cli.stopping import resumable

    e = Experiment.from_command(command)
    if e.data == "-":
        raise RunError("changed_run", "the data came from standard input, and are not kept",
                       cure="save them in a file and start the run with that")  # fmt: skip
    code = [text for text in e.models if ":" in text]
    if code:
        note(f"the run was started in {e.folder} and makes models by {', '.join(code)}", quiet)
    now = ""
    try:
        ready = prepared(e)
        now = ready.table.sha256
        if now != e.sha256:
            note(f"{e.data} is another file than at the start (sha256 {e.sha256[:12]}… then, {now[:12]}… now)", quiet)
        options = {
            **e.running,
            "n_jobs": jobs,
            "store": store,
            "run": run,
            "allow_version_change": allow,
            "progress": not quiet,
        }
        with resumable(store, run):
            return ready.run(options)
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
        return read_bytes(path).sha256
    return ""


def _list_runs(store: str, names: list[str], parts: dict[str, Any], shape: str, quiet: bool) -> int:
    from surefold.report.as_json import to_json
    from surefold.report.safe import label_text, plain, text_table
    from surefold.resampling.stored import open_run

    states = {}
    for name in names:
        try:
            result = open_run(store, name)
        except RunError as error:
            states[name] = str(error)
        else:
            states[name] = result.status
    if shape == "json":
        click.echo(to_json({**heading("runs"), "runs": [{"name": n, "status": s} for n, s in states.items()]}))
    else:
        click.echo(text_table([["run", "state"], *([label_text(n), plain(s)] for n, s in states.items())]))
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
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.damaged.{number}")
    for side in ("", "-wal", "-shm", "-journal"):  # what was written last stands in a file beside it
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
