"""The forms that a report can be taken away in, each with its type and what writes it."""

from collections.abc import Callable, Mapping
from typing import Final, Literal, cast

from dashboard.export.csv_report import to_csv
from dashboard.export.excel_report import to_excel
from dashboard.export.html_report import to_html
from dashboard.export.json_report import to_json
from dashboard.export.pdf.pdf_report import to_pdf
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
WRITERS: Final[Mapping[Format, Callable[[Report, ReportSettings, EvidenceSettings], bytes]]] = {
    "pdf": to_pdf,
    "xlsx": lambda report, *_: to_excel(report),
    "csv": lambda report, *_: to_csv(report),
    "json": lambda report, *_: to_json(report),
    "html": lambda report, *_: to_html(report),  # of one case alone
}


def write(format: str, report: Report, settings: ReportSettings, evidence: EvidenceSettings) -> bytes:
    """The report in the form of that name."""
    return WRITERS[cast("Format", format)](report, settings, evidence)
