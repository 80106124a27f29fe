"""A report as a file to take away."""

from collections.abc import Collection
from typing import Unpack

from werkzeug.wrappers import Response

from dashboard.export.formats import TYPES, Format, write
from dashboard.frame.context import acting, services
from dashboard.frame.downloads import as_file
from services.reporting.report_file import export
from store.records import CaseConditions
from store.rules.china_time import day_of


def download(
    format: Format, title: str, *, case_ids: Collection[str] | None = None, **where: Unpack[CaseConditions]
) -> Response:
    """The report of these cases, under a name that ends with its day."""
    name = f"{title}-{day_of(services().clock()):%Y%m%d}.{format}"
    file = export(acting(), format, write, name=name, case_ids=case_ids, **where)
    return as_file(file.name, file.content, TYPES[format])
