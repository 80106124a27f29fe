"""Send a report as a file download."""

from collections.abc import Collection
from typing import Unpack

from werkzeug.wrappers import Response

from dashboard.frame.context import current_actor, services
from dashboard.frame.requests import file_response
from wenhen.cases.model import CaseConditions
from wenhen.kit.clock import china_day
from wenhen.reports.service import MEDIA_TYPES, ReportFormat, export_report, render_report


def download_report(
    format: ReportFormat, title: str, *, case_ids: Collection[str] | None = None, **where: Unpack[CaseConditions]
) -> Response:
    """Send the report of these cases as a file. Its name ends with the current day."""
    name = f"{title}-{china_day(services().clock()):%Y%m%d}.{format}"
    file = export_report(current_actor(), format, render_report, name=name, case_ids=case_ids, **where)
    return file_response(file.name, file.content, MEDIA_TYPES[format])
