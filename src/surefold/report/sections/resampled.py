"""Models over splits: how they did on held-out rows, and how much that moved from split to split."""

from __future__ import annotations

from collections.abc import Mapping

from surefold.assessment import Assessment
from surefold.errors import InputError, RunError
from surefold.estimates.estimate import Estimate
from surefold.numbers import duration
from surefold.phrases import measure_title
from surefold.report.sections.compared import comparison_section
from surefold.report.sections.contents import Contents, Part, own_section
from surefold.report.sections.plans import plan_facts, plan_words
from surefold.report.sections.section import Section, Table
from surefold.report.sections.tables import estimate_cells
from surefold.report.sections.told import Told
from surefold.resampling.resampled import Resampled
from surefold.resampling.study import Study
from surefold.show.charts.runs import folds_chart, study_chart
from surefold.show.names import label_text, plain
from surefold.show.of.runs import repeats_sentence
from surefold.show.of.splits import estimates_of, seconds_of

__all__ = ["contents", "part_of_resampled", "stability_section", "told_of_resampled"]

#: Missing folds that are listed.
MOST_FAILURES = 20
#: So many models stand beside each other in a table; more stand below each other.
FEW_MODELS = 5
POOLED = "All held-out rows of the first repeat, taken together"
CURVES = (
    "Curves and thresholds are of the held-out rows of the first repeat, taken together; figures at the top are means "
    "over the splits. So the two areas are not the same number."
)
ALONE = "Each interval is for its model alone; whether two models differ is said by their comparison."


def contents(result: Resampled | Study) -> Contents:
    models = dict(result.models) if isinstance(result, Study) else {result.name: result}
    plan = next(iter(models.values())).plan
    each = {name: estimates_of(r) for name, r in models.items()}
    sections = [*_comparison(result), stability_section(models, each)]
    return Contents(
        None,  # the page opens with its first model
        tuple(sections),
        lambda: {
            name: part_of_resampled(r, each[name], "r.assess()" if result is r else f"study[{name!r}].assess()")
            for name, r in models.items()
        },
        brief=_brief(models, each),
        title="Held-out performance" if len(models) == 1 else "Models over the same splits",
        measures=tuple(dict.fromkeys(measure for found in each.values() for measure in found)),
        shown=tuple(e for found in each.values() for e in found.values()),
        notes=(
            "Every row was predicted by models that were not trained on it. Figures over splits are means over them; "
            "their intervals allow for training sets that overlap.",
            "Curves and thresholds are of the held-out rows of the first repeat, taken together. Scores of different "
            "fits need not be on one scale, which blurs ranks a little.",
        ),
        facts=plan_facts(plan),
        confidence=next(iter(models.values())).confidence,
    )


def told_of_resampled(r: Resampled, found: Mapping[str, Estimate], a: Assessment | None = None) -> Told:
    """The verdict over the splits; findings of the run, and of its predictions as one test set."""
    verdict = r.verdict
    about = () if a is None else a.findings
    findings = tuple({str(f): f for f in (*r.findings, *about)}.values())
    return Told.of(verdict, found, _facts(r), findings, r.confidence)


def _brief(models: Mapping[str, Resampled], each: Mapping[str, Mapping[str, Estimate]]) -> Told:
    """A sentence a model."""
    if len(models) == 1:
        ((name, r),) = models.items()
        return told_of_resampled(r, each[name])
    first, *more = [f"{label_text(name)}: {r.verdict}" for name, r in models.items()]
    findings = {str(f): f for r in models.values() for f in r.findings}
    confidence = next(iter(models.values())).confidence
    return Told(first, more=tuple(more), findings=tuple(findings.values()), confidence=confidence)


def part_of_resampled(r: Resampled, found: Mapping[str, Estimate], python: str = "r.assess()") -> Part:
    try:
        a = r.assess(confidence=r.confidence)
    except (InputError, RunError) as error:
        why = f"There are no curves and no threshold to move: {plain(error.problem)}."
        return Part(told_of_resampled(r, found), None, why)
    many = len(r.plan) > 1
    rows = POOLED if many else "All held-out rows"
    return Part(told_of_resampled(r, found, a), a, rows=rows, curves=CURVES if many else "", python=python)


def _facts(r: Resampled) -> list[tuple[str, str]]:
    facts = [("Rows", f"{r.plan.n:,}"), ("Classes", f"{len(r.labels):,}")]
    if r.positive is not None:
        facts.append(("Positive class", label_text(r.pos_label)))
    facts.append(("Splits", plan_words(r.plan)))
    if not r.complete:
        facts.append(("Missing", f"{len(r.failures):,} of {len(r.plan):,} folds"))
    return facts


def _comparison(result: Resampled | Study) -> list[Section]:
    """Pairs over the splits, where the plan has a test for them."""
    if not isinstance(result, Study) or len(result) < 2:
        return []
    try:
        return [comparison_section(result.compare(), named=True)]
    except (InputError, RunError) as error:
        return [
            own_section("comparison", "Comparison", notes=[f"The models were not compared: {plain(error.problem)}."])
        ]


# stability


def stability_section(models: Mapping[str, Resampled], each: Mapping[str, Mapping[str, Estimate]]) -> Section:
    """Values by split as dots with the mean and its interval, the figures, the time, and what is missing."""
    name = "error_rate" if any("error_rate" in found for found in each.values()) else next(iter(each.values()), {})
    measure = name if isinstance(name, str) else next(iter(name), "accuracy")
    charts = [folds_chart(next(iter(models.values())), measure) if len(models) == 1 else study_chart(models, measure)]
    level = next(iter(models.values())).confidence
    tables = [("Means over the splits", _measures(each, level))]
    times = _times(models)
    if times is not None:
        tables.append(("Time of a split (median) and in all", times))
    missing = _missing(models)
    if missing is not None:
        tables.append(("Missing folds", missing))
    asides = [repeats_sentence(r) for r in models.values()] if len(models) == 1 else [ALONE]
    return own_section(
        "stability", "Stability", charts=[c for c in charts if c is not None], tables=tables, asides=asides
    )


def _measures(each: Mapping[str, Mapping[str, Estimate]], level: float) -> Table:
    interval = f"{level * 100:g}% interval"
    if len(each) == 1:
        rows = [(measure_title(name), *estimate_cells(e)) for name, e in next(iter(each.values())).items()]
        return Table.of(("Measure", "Mean", interval, "Method", "To know"), rows)
    names = list(dict.fromkeys(name for found in each.values() for name in found))
    if len(each) <= FEW_MODELS:
        turned = [(measure_title(name), *(_cell(found.get(name)) for found in each.values())) for name in names]
        return Table.of(("Measure", *map(label_text, each)), turned)
    lines = [(label_text(model), *(_cell(found.get(name)) for name in names)) for model, found in each.items()]
    return Table.of(("Model", *map(measure_title, names)), lines)


def _cell(e: Estimate | None) -> str:
    return "–" if e is None else str(e) if e.defined else "undefined"


def _times(models: Mapping[str, Resampled]) -> Table | None:
    rows = []
    for name, r in models.items():
        found = seconds_of(r)
        if found is not None:
            told = (duration(found[verb][what]) for verb in ("fit", "predict") for what in ("median", "total"))
            rows.append((label_text(name), *told))
    return Table.of(("Model", "Fit", "in all", "Predict", "in all"), rows) if rows else None


def _missing(models: Mapping[str, Resampled]) -> Table | None:
    """Failed folds with what they said; the lines of a traceback are shown as one."""
    rows: list[tuple[str, str, str]] = []
    left = 0
    for name, r in models.items():
        for i in sorted(r.failures):
            if len(rows) == MOST_FAILURES:
                left += 1
                continue
            rows.append((label_text(name), r.plan.name_of(i), plain(" ".join(str(r.failures[i]).split())[:300])))
    if not rows:
        return None
    return Table.of(("Model", "Fold", "What happened"), rows, f"{left:,} more are not shown." if left else "")
