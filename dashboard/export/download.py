"""A report as a file to take away, in either of its formats."""

from io import BytesIO
from typing import Final, Literal

from flask import send_file
from werkzeug.wrappers import Response

from dashboard.export.excel import to_excel
from dashboard.export.json_report import to_json
from services.reports import Report
from store.rules.china_time import day_of

Format = Literal["xlsx", "json"]
TYPES: Final[dict[Format, str]] = {
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "json": "application/json",
}


def download(report: Report, format: Format, name: str) -> Response:
    """The report under a name that ends with its day."""
    content = to_excel(report) if format == "xlsx" else to_json(report)
    return send_file(
        BytesIO(content),
        mimetype=TYPES[format],
        as_attachment=True,
        download_name=f"{name}-{day_of(report.generated_at):%Y%m%d}.{format}",
    )
