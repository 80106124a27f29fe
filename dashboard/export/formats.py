"""The forms that a report can be taken away in, each with its type and what writes it."""

from collections.abc import Mapping
from importlib import import_module
from typing import Final, Literal

from pipeline.setting_sections import EvidenceSettings, ReportSettings
from services.reporting.report_contents import Report

Format = Literal["pdf", "xlsx", "csv", "json", "html"]
TYPES: Final[Mapping[Format, str]] = {
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "csv": "text/csv",
    "json": "application/json",
    "html": "text/html",
}
# Where each is written: imported when it is asked for, since they bring three libraries with them.
_WRITTEN_BY: Final[Mapping[str, str]] = {
    "pdf": "pdf.pdf_report:to_pdf",
    "xlsx": "excel_report:to_excel",
    "csv": "csv_report:to_csv",
    "json": "json_report:to_json",
    "html": "html_report:to_html",  # of one case alone
}


def write(format: str, report: Report, settings: ReportSettings, evidence: EvidenceSettings) -> bytes:
    """The report in the form of that name."""
    module, _, function = _WRITTEN_BY[format].partition(":")
    writer = getattr(import_module(f"dashboard.export.{module}"), function)
    written: bytes = writer(report, settings, evidence) if format == "pdf" else writer(report)
    return written
