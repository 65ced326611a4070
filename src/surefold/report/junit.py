"""Results as JUnit XML, for pipelines that show test results."""

from __future__ import annotations

from collections.abc import Sequence

from surefold.assessment import Assessment
from surefold.estimates.estimate import Estimate
from surefold.resampling.bootstrapped import Bootstrapped
from surefold.show.names import xml_text
from surefold.show.of.splits import Result, bootstrap_estimates, estimates_of, parts_of
from surefold.verdict.resampled import verdict_of_bootstrap

__all__ = ["assessment_junit", "junit_case", "junit_suite", "resampled_junit"]


def assessment_junit(a: Assessment, name: str = "surefold assess") -> str:
    """One case for the verdict (failed when worse, skipped when it cannot be told), then one a measure."""
    verdict = a.verdict
    cases = [junit_case(name, "beats the base rate", {"better": ""}.get(verdict.status, verdict.status), str(verdict))]
    for measure in a.headlines:
        estimate = a[measure]
        cases.append(junit_case(name, measure, "" if estimate.defined else "cannot_tell", f"{measure} {estimate}"))
    return junit_suite(name, cases)


def resampled_junit(result: Result, name: str = "surefold evaluate", measures: Sequence[str] | None = None) -> str:
    """A case for each model that fails when folds are missing, then its verdict, then one a measure."""
    cases = []
    for r in parts_of(result):
        where = f"{name}: {r.name}"
        cases.append(junit_case(where, "every fold is there", "" if r.complete else "incomplete", r.status))
        found: dict[str, Estimate] = {}
        if isinstance(result, Bootstrapped):
            verdict = verdict_of_bootstrap(result)
            for measure in measures or (result.measure,):
                found |= {f"{measure} {kind}": e for kind, e in bootstrap_estimates(result, measure).items()}
        else:
            verdict, found = r.verdict, estimates_of(r, measures)
        problem = {"better": ""}.get(verdict.status, verdict.status)
        cases.append(junit_case(where, "beats the base rate", problem, str(verdict)))
        for measure, e in found.items():
            cases.append(junit_case(where, measure, "" if e.defined else "cannot_tell", f"{measure} {e}"))
    return junit_suite(name, cases)


def junit_suite(name: str, cases: list[str]) -> str:
    """The document, with its cases counted."""
    failures = sum("<failure" in case for case in cases)
    skipped = sum("<skipped" in case for case in cases)
    head = f'<testsuite name="{xml_text(name)}" tests="{len(cases)}" failures="{failures}" skipped="{skipped}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>"]) + "\n"


def junit_case(suite: str, name: str, problem: str, message: str) -> str:
    """One case: skipped where the problem is "cannot_tell", failed with any other, passed without one."""
    text = xml_text(message)
    inside = f"<system-out>{text}</system-out>"
    if problem == "cannot_tell":
        inside = f'<skipped message="{text}"/>'
    elif problem:
        inside = f'<failure type="{xml_text(problem)}" message="{text}"/>'
    return f'  <testcase classname="{xml_text(suite)}" name="{xml_text(name)}">{inside}</testcase>'
