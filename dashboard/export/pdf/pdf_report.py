"""The report as a PDF."""

import json
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from crawler.isolated.child_bounds import ReadingBounds
from crawler.isolated.read_in_child import read
from dashboard.export.excel_report import to_excel
from dashboard.export.pdf import CONTENT, WORKBOOK
from dashboard.export.pdf.pdf_signature import sealed
from dashboard.export.pdf.printed_content import content, manifests, pictures
from dashboard.export.pdf.time_stamping import time_stamped
from pipeline.setting_sections import EvidenceSettings, ReportSettings
from services.reporting.report_contents import Report
from store.errors import SetupError, TooLarge, Unavailable, Unreadable

_TYPESET: Final = "dashboard.export.pdf.typesetting:typeset"  # imported by the child alone
_BOUNDS: Final = ReadingBounds(seconds=120, memory=4_000, output=200)  # memory counts addresses, mapped fonts too


def to_pdf(report: Report, settings: ReportSettings, evidence: EvidenceSettings | None = None) -> bytes:
    """The pages, with the workbook and the manifests of exhibits inside; where a key is set, sealed, and time-stamped
    by the authorities of `evidence`. The same report gives the same bytes, but for the seal.

    TooLarge for too many cases, or what takes more memory than it may; Unavailable where setting it failed or took too
    long, or no authority gives a stamp; BadInput for characters without a sign, which it names; SetupError without
    Typst, and for a key that does not open.
    """
    if find_spec("typst") is None:
        raise SetupError("reports.no_typst")
    with tempfile.TemporaryDirectory(prefix="wenhen-report-") as folder:
        printed = json.dumps(content(report, settings), ensure_ascii=False)
        Path(folder, CONTENT).write_text(printed, encoding="utf-8", errors="backslashreplace")
        for name, file in (pictures(report) | manifests(report)).items():
            Path(folder, name).write_bytes(file)
        Path(folder, WORKBOOK).write_bytes(to_excel(report))
        pdf = _set(folder, report, settings)
    return time_stamped(sealed(pdf, settings), evidence or EvidenceSettings()) if settings.seal else pdf


def _set(folder: str, report: Report, settings: ReportSettings) -> bytes:
    try:
        pdf: bytes = read(_TYPESET, folder, report.generated_at, settings.fonts, bounds=_BOUNDS)
    except Unreadable as error:  # the child tells of reading; here it writes
        code, figures = error.message.code, error.message.figures
        if code in ("reading.killed", "reading.too_much"):
            raise TooLarge("reports.set_too_large", memory=_BOUNDS.memory) from error
        if code == "reading.too_long":
            raise Unavailable("reports.set_too_long", seconds=figures["seconds"]) from error
        raise Unavailable("reports.not_set", error=figures.get("error", "")) from error
    return pdf
