"""A report as a file to take away."""

from werkzeug.wrappers import Response

from dashboard.export.formats import TYPES, Format, write
from dashboard.frame.context import services
from dashboard.frame.downloads import as_file
from services.reporting.report_contents import Report
from store.rules.china_time import day_of


def download(report: Report, format: Format, name: str) -> Response:
    """The report under a name that ends with its day."""
    settings = services().product.settings
    content = write(format, report, settings.report, settings.evidence)
    return as_file(f"{name}-{day_of(report.generated_at):%Y%m%d}.{format}", content, TYPES[format])
