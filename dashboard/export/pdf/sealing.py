"""The seal of a printed report: a signature by PAdES (ETSI EN 319 142), after which no byte can be changed unseen."""

from datetime import datetime
from io import BytesIO
from pathlib import Path

from dashboard.export.column import both
from pipeline.setting_defaults import ReportSettings
from store.errors import SetupError

FIELD = "wenhen"


def sealed(pdf: bytes, at: datetime, settings: ReportSettings) -> bytes:
    """The PDF with the signature behind it. SetupError where the key does not open, or pyHanko is missing."""
    try:
        from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
        from pyhanko.sign import signers
        from pyhanko.sign.fields import SigSeedSubFilter
    except ImportError as error:
        raise SetupError("reports.no_typst") from error
    signer = signers.SimpleSigner.load_pkcs12_data(_key(settings.seal), [], passphrase=_password(settings))
    if signer is None:
        raise SetupError("reports.seal", path=settings.seal)
    told = signers.PdfSignatureMetadata(
        field_name=FIELD, md_algorithm="sha256", subfilter=SigSeedSubFilter.PADES, reason=both("report.title")
    )
    out = signers.PdfSigner(told, signer).sign_pdf(IncrementalPdfFileWriter(BytesIO(pdf)), output=BytesIO())
    return out.getvalue()


def _key(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise SetupError("reports.seal", path=path) from error


def _password(settings: ReportSettings) -> bytes | None:
    return settings.seal_password.get_secret_value().encode() if settings.seal_password else None
