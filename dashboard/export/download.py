"""A report as a file to take away, in any of its formats."""

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Final, Literal

from flask import send_file
from werkzeug.wrappers import Response

from dashboard.export.excel import to_excel
from dashboard.export.json_report import to_json
from dashboard.export.pdf.pdf_report import to_pdf
from pipeline.setting_defaults import ReportSettings
from services.reports import Report
from store.rules.china_time import day_of

Format = Literal["pdf", "xlsx", "json"]
TYPES: Final[dict[Format, str]] = {
    "pdf": "application/pdf",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}
WRITERS: Final[Mapping[Format, Callable[[Report, ReportSettings], bytes]]] = {
    "pdf": to_pdf,
    "xlsx": lambda report, _: to_excel(report),
    "json": lambda report, _: to_json(report),
}


def download(report: Report, format: Format, name: str, settings: ReportSettings) -> Response:
    """The report under a name that ends with its day."""
    return send_file(
        BytesIO(WRITERS[format](report, settings)),
        mimetype=TYPES[format],
        as_attachment=True,
        download_name=f"{name}-{day_of(report.generated_at):%Y%m%d}.{format}",
    )
