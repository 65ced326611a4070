"""`surefold gate`: may the candidate replace the baseline? The answer is the exit code."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from surefold.assessment.assess import assess_files
from surefold.cli.at_scale import opened_rows, room, wants_parts
from surefold.cli.compare import table_options
from surefold.cli.data_options import refuse_truth
from surefold.cli.output import emit, note, output_options
from surefold.cli.places import Checked, Reads
from surefold.cli.report_option import report_option, write_report
from surefold.cli.slice_options import SliceChoice, slice_options
from surefold.cli.two_files import TwoFiles
from surefold.comparison.compare import METHODS, answers_of, asked_of, kind_of, opening
from surefold.comparison.gate import gate_rows
from surefold.comparison.gate_result import Gate
from surefold.comparison.slices.gate import SliceGate, joined_gate
from surefold.engines.rows import Rows
from surefold.errors import InputError
from surefold.evidence.held import Held
from surefold.inputs.columns import find_columns
from surefold.inputs.door import Columns, Door
from surefold.inputs.tables import Table, read_table
from surefold.measures import catalogue
from surefold.report.comparison_export import gate_junit
from surefold.report.records import csv_of
from surefold.report.slice_export import slice_gate_csv, slice_gate_junit

__all__ = ["gate"]


@click.command(cls=Checked)
@click.argument("file", type=Reads("the data"))
@click.option("--candidate", metavar="COL", required=True, help="Column with the candidate's labels or scores.")
@click.option("--baseline", metavar="COL", help="Column with the baseline's.  [default with --baseline-file: the same]")
@click.option("--baseline-file", metavar="FILE", type=Reads("the baseline's data"),
              help="Where the baseline's column is, if not in FILE; needs --id.")  # fmt: skip
@click.option("--id", "row_id", metavar="COL", help="Column that names the rows in both files.")
@click.option("--measure", "-m", metavar="NAME", default="accuracy", show_default=True)
@click.option("--margin", type=float, default=0.0, metavar="D", help="Pass if surely not worse by more than this.")
@click.option("--superiority", is_flag=True, help="Pass only if surely better, by more than --margin.")
@click.option("--at-least", type=float, metavar="V", help="The candidate alone: pass if surely at least V.")
@click.option("--at-most", type=float, metavar="V", help="The same where less is better: surely at most V.")
@click.option("--strict", is_flag=True, help="Cannot tell where few rows decide, or would cost the margin.")
@click.option("--method", default="auto", show_default=True, metavar="M", help=f"{', '.join(METHODS)}.")
@click.option("--confidence", type=float, default=0.95, show_default=True, metavar="C", help="One-sided.")
@slice_options(gate=True)
@table_options
@report_option()
@output_options()
def gate(
    file: str,
    candidate: str,
    baseline: str | None,
    baseline_file: str | None,
    row_id: str | None,
    measure: str,
    margin: float,
    superiority: bool,
    at_least: float | None,
    at_most: float | None,
    strict: bool,
    method: Any,
    confidence: float,
    report: Path | None,
    shape: str,
    quiet: bool,
    debug: bool,
    delimiter: str | None,
    encoding: str | None,
    comment: str | None,
    decimal: str,
    **rows: Any,
) -> int:
    """May the candidate replace the baseline, on the rows of FILE? Exit code: 0 passed, 1 failed, 3 cannot tell.

    FILE is CSV, JSON or Parquet, a folder or a quoted glob of such files, or - for CSV from stdin.

    \b
    Examples:
      surefold gate predictions.csv --truth y --baseline old --candidate new --margin 0.01
      surefold gate predictions.csv --baseline p_old --candidate p_new --measure auc --superiority
      surefold gate predictions.csv --candidate new --measure recall --pos-label yes --at-least 0.9
      surefold gate new.csv --candidate pred --baseline-file old.csv --id row_id --margin 0.01 --format junit
      surefold gate predictions.csv --baseline p_old --candidate p_new --measure auc --margin 0.01 --report gate.html
    """
    choice = SliceChoice(**{name: rows.pop(name) for name in ("by", "bins", "min_rows", "min_slice")})
    if bool(choice.by) != (choice.min_slice is not None):
        raise click.UsageError("--by says what the slices are, and --min-slice what each has to reach: say both.")
    alone = at_least is not None or at_most is not None
    if alone and (baseline is not None or baseline_file is not None):
        raise click.UsageError("--at-least and --at-most are about the candidate alone: leave the baseline out.")
    slices_alone = not alone and baseline is None and baseline_file is None
    if slices_alone and not choice.by:
        raise click.UsageError("Say --baseline COL, or --at-least V for the candidate alone.")
    form: dict[str, Any] = {"delimiter": delimiter, "encoding": encoding, "comment": comment, "decimal": decimal}
    scale = {name: rows.pop(name) for name in ("engine", "cluster", "memory")}
    if baseline_file is None and row_id is not None:
        raise click.UsageError("--id matches the rows of two files: say --baseline-file too.")
    if baseline_file is not None and wants_parts(file, **scale):
        raise click.UsageError("--baseline-file matches rows by their ids, which needs all of them: join them first.")
    rows |= {"weights": rows.pop("weight"), "labels": rows.pop("labels") or None}
    with opened_rows(file, scale, form, quiet, whole=baseline_file is not None) as opened:
        facts = opened.facts(0)
        if baseline_file is not None and isinstance(opened, Table):
            old = read_table(baseline_file, **form)
            facts["baseline_file"] = old.facts(old.n)["file"]
            theirs = candidate if baseline is None else baseline
            _check_alone(old, theirs, measure, rows)
            opened, baseline, candidate = _joined(opened, old, (candidate, theirs), row_id, rows)
        refuse_truth(rows["truth"], (candidate, baseline), file)
        try:
            sliced = _of_slices(opened, candidate, (measure, confidence, scale["memory"]), choice, rows)
            if slices_alone and sliced is not None:
                return _told_of_slices(sliced, shape, file, facts | opened.facts(sliced.slices.rows), quiet)
            found, e = gate_rows(
                opened,
                baseline,
                candidate,
                measure=measure,
                margin=margin,
                kind="superiority" if superiority else None,
                at_least=at_least,
                at_most=at_most,
                confidence=confidence,
                method=method,
                memory=room(file, scale["memory"]),
                strict=strict,
                **rows,
            )
        except InputError as error:
            raise _with_own_cure(error) from None
        facts |= opened.facts(int(found.rows))
    if sliced is not None:
        return _told_of_slices(joined_gate(sliced, found), shape, file, facts, quiet)
    if report is not None:
        from surefold.report.sections.gated import GateOfModels

        told = facts["file"]
        shown = GateOfModels(found, e.each if isinstance(e, Held) else {})
        write_report(shown, report, file, told.get("sha256", ""), told["path"], quiet)
    return _told(found, shape, file, facts, quiet)


def _told(found: Gate, shape: str, file: str, facts: dict[str, Any], quiet: bool) -> int:
    """Print what was found; the exit code says it too."""
    emit(found, shape, facts, records=lambda: csv_of(found), junit=lambda: gate_junit(found, f"surefold gate {file}"))
    if shape != "table":
        note(f"Gate: {found.sentence}", quiet)
    return found.exit_code


def _told_of_slices(found: SliceGate, shape: str, file: str, facts: dict[str, Any], quiet: bool) -> int:
    """The same of a gate that asks for every slice."""
    name = f"surefold gate {file}"
    emit(found, shape, facts, records=lambda: slice_gate_csv(found), junit=lambda: slice_gate_junit(found, name))
    if shape != "table":
        note(f"Gate: {found.sentence}", quiet)
    return found.exit_code


def _of_slices(
    opened: Rows | Table,
    candidate: str,
    of: tuple[str, float, str | None],
    choice: SliceChoice,
    rows: Mapping[str, Any],
) -> SliceGate | None:
    """Every slice of the candidate against its limit; None where none was asked for."""
    if choice.min_slice is None:
        return None
    measure, confidence, memory = of
    scored = kind_of(catalogue[measure]) == "scores" or rows["threshold"] is not None
    answers: dict[str, Any] = {"score": candidate} if scored else {"pred": candidate}
    a = assess_files(opened, **answers, by=choice.by, confidence=confidence, memory=memory, **rows)
    found = a.by(measure=measure, bins=choice.cuts, min_rows=choice.min_rows)
    side = "at_least" if found.better == "higher" else "at_most"
    return found.gate(**{side: choice.min_slice})


def _with_own_cure(error: InputError) -> InputError:
    """Labels or scores is decided by the measure here, so the cure is another one than that of `assess`."""
    if error.code != "looks_like_scores":
        return error
    cure = (
        "choose a measure of scores, such as --measure auc (--pos-label says the positive class), "
        "or say --threshold 0.5 to have labels"
    )
    facts: dict[str, Any] = {"rows": error.rows, "count": error.count, "lines": error.lines, "source": error.source}
    return InputError(error.code, error.problem, cure=cure, **facts)


def _check_alone(old: Table, theirs: str, measure: str, rows: Mapping[str, Any]) -> None:
    """Complaints about the old file are told with its own lines."""
    asked = dict(rows)
    columns = Columns(asked["truth"], answers_of({theirs: theirs}, "labels"))
    try:
        opening(old, columns, Door.of(**asked_of(Door, asked)))(kind_of(catalogue[measure]))
    except InputError as error:
        raise _with_own_cure(error) from None


def _joined(
    new: Table, old: Table, answers: tuple[str, str], row_id: str | None, rows: dict[str, Any]
) -> tuple[Table, str, str]:
    """The new file with the old one's column beside its own, rows matched by their ids, and how the two are called."""
    if row_id is None:
        cure = "say which column names the rows with --id"
        raise InputError("bad_option", "rows of two files can only be matched by name", source=old.path, cure=cure)
    candidate, baseline = answers
    files = TwoFiles.matched(new, old, row_id)
    truth = rows["truth"] or find_columns(new, score=[candidate]).truth
    files.same_labels("the truth", truth, strip=rows["strip_labels"], fold=rows["ignore_case"])
    if rows["groups"] is not None and files.in_both(rows["groups"]):
        files.same_labels("the group", rows["groups"])
    if rows["weights"] is not None and files.in_both(rows["weights"]):
        files.same_numbers("the weight", rows["weights"])
    first, second = (os.path.basename(t.path) for t in (old, new))
    if first == second:
        first, second = old.path, new.path
    names = (f"{first}: {baseline}", f"{second}: {candidate}")
    columns = (old.column(baseline).gather(files.place), new.column(candidate))
    rows["truth"] = truth
    return files.joined(dict(zip(names, columns, strict=True))), *names
