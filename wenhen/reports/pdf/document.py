"""Write the report as PDF/A-3 with the workbook attached, and sign it."""

import json
import tempfile
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Final

from crawler.sandbox.pool import read_in_child
from wenhen.kit.errors import SetupError, TooLarge, Unavailable, Unreadable
from wenhen.kit.size_and_time_limits import TYPESETTING_BOUNDS
from wenhen.reports.columns import in_both_languages
from wenhen.reports.model import Report
from wenhen.reports.pdf.content import make_printed_content, manifest_files, picture_files
from wenhen.reports.pdf.printable import CONTENT_FILE, WORKBOOK_FILE
from wenhen.reports.pdf.timestamp import timestamp_pdf
from wenhen.reports.xlsx import to_excel
from wenhen.settings.notices_and_reports import EvidenceSettings, ReportSettings

# The seal of a printed report: a signature by PAdES (ETSI EN 319 142), after which no byte can be changed unseen.


SIGNATURE_FIELD = "wenhen"


def sign_pdf(pdf: bytes, settings: ReportSettings) -> bytes:
    """The PDF with the signature behind it. SetupError where the key does not open, or pyHanko is missing."""
    try:
        from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
        from pyhanko.sign import signers
        from pyhanko.sign.fields import SigSeedSubFilter
    except ImportError as error:
        raise SetupError("reports.no_typst") from error
    try:
        key = Path(settings.seal).read_bytes()
        signer = signers.SimpleSigner.load_pkcs12_data(key, [], passphrase=_key_password(settings))
    except (OSError, ValueError) as error:
        raise SetupError("reports.seal", path=settings.seal) from error
    metadata = signers.PdfSignatureMetadata(
        field_name=SIGNATURE_FIELD,
        md_algorithm="sha256",
        subfilter=SigSeedSubFilter.PADES,
        reason=in_both_languages("report.title"),
    )
    out = BytesIO()
    signers.PdfSigner(metadata, signer).sign_pdf(IncrementalPdfFileWriter(BytesIO(pdf)), output=out)
    return out.getvalue()


def _key_password(settings: ReportSettings) -> bytes | None:
    return settings.seal_password.get_secret_value().encode() if settings.seal_password else None


_TYPESET_FUNCTION: Final = "wenhen.reports.pdf.typesetting:typeset"  # imported by the child alone


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
        printed = json.dumps(make_printed_content(report, settings), ensure_ascii=False)
        Path(folder, CONTENT_FILE).write_text(printed, encoding="utf-8", errors="backslashreplace")
        for name, file in (picture_files(report) | manifest_files(report)).items():
            Path(folder, name).write_bytes(file)
        Path(folder, WORKBOOK_FILE).write_bytes(to_excel(report))
        pdf = _typeset_report(folder, report, settings)
    return timestamp_pdf(sign_pdf(pdf, settings), evidence or EvidenceSettings()) if settings.seal else pdf


def _typeset_report(folder: str, report: Report, settings: ReportSettings) -> bytes:
    try:
        pdf: bytes = read_in_child(
            _TYPESET_FUNCTION, folder, report.generated_at, settings.fonts, bounds=TYPESETTING_BOUNDS
        )
    except Unreadable as error:  # the child tells of reading; here it writes
        code, figures = error.message.code, error.message.figures
        if code in ("reading.killed", "reading.too_much"):
            raise TooLarge("reports.set_too_large", memory=TYPESETTING_BOUNDS.memory) from error
        if code == "reading.too_long":
            raise Unavailable("reports.set_too_long", seconds=figures["seconds"]) from error
        raise Unavailable("reports.not_set", error=figures.get("error", "")) from error
    return pdf
