"""An assessment as JUnit XML, for pipelines that show test results."""

from __future__ import annotations

from surefold.assessment import Assessment
from surefold.report.safe import xml_text

__all__ = ["assessment_junit"]


def assessment_junit(a: Assessment, name: str = "surefold assess") -> str:
    """One case for the verdict (failed when worse, skipped when it cannot be told), then one a measure."""
    verdict = a.verdict
    cases = [_case(name, "beats the base rate", {"better": ""}.get(verdict.status, verdict.status), str(verdict))]
    for measure in a.headlines:
        estimate = a[measure]
        cases.append(_case(name, measure, "" if estimate.defined else "cannot_tell", f"{measure} {estimate}"))
    failures = sum("<failure" in case for case in cases)
    skipped = sum("<skipped" in case for case in cases)
    head = f'<testsuite name="{xml_text(name)}" tests="{len(cases)}" failures="{failures}" skipped="{skipped}">'
    return "\n".join(['<?xml version="1.0" encoding="UTF-8"?>', head, *cases, "</testsuite>"]) + "\n"


def _case(suite: str, name: str, problem: str, message: str) -> str:
    text = xml_text(message)
    inside = f"<system-out>{text}</system-out>"
    if problem == "cannot_tell":
        inside = f'<skipped message="{text}"/>'
    elif problem:
        inside = f'<failure type="{xml_text(problem)}" message="{text}"/>'
    return f'  <testcase classname="{xml_text(suite)}" name="{xml_text(name)}">{inside}</testcase>'
