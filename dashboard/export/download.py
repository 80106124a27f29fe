"""A report as a file to take away."""

from io import BytesIO

from flask import send_file
from werkzeug.wrappers import Response

from dashboard.export.formats import TYPES, Format, write
from dashboard.frame.context import services
from services.reporting.report_contents import Report
from store.rules.china_time import day_of


def download(report: Report, format: Format, name: str) -> Response:
    """The report under a name that ends with its day."""
    settings = services().product.settings
    return send_file(
        BytesIO(write(format, report, settings.report, settings.evidence)),
        mimetype=TYPES[format],
        as_attachment=True,
        download_name=f"{name}-{day_of(report.generated_at):%Y%m%d}.{format}",
    )
