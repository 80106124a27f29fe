"""What has to be known to read a report, in both languages."""

from collections.abc import Iterable

from dashboard.export.workbook_column import both
from dashboard.frame.language import catalogue
from services.reporting.report_contents import Report


def note_lines(report: Report, notes: Iterable[str]) -> list[str]:
    """A line a note and language, then the methods by which the copies were found."""
    lines = [catalogue().text(language, f"report.note_{name}") for name in notes for language in ("zh", "en")]
    return lines + [
        f"{both('report.method')}: {method.scheme} "
        + "; ".join(f"{name} = {value}" for name, value in sorted(method.parameters.items()))
        for method in report.methods
    ]
