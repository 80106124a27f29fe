"""A report for those outside the house: who copied, and where it stands."""

from dataclasses import replace

from services.reporting.report_contents import CaseEntry, Report


def for_outsiders(report: Report) -> Report:
    """The same without what people of the house said of a case, or who of them has it."""
    return replace(report, cases=tuple(map(_entry, report.cases)))


def _entry(case: CaseEntry) -> CaseEntry:
    return replace(case, decision=None, decided_by=None, assignee=None)
