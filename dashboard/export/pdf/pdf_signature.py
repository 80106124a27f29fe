"""The seal of a printed report: a signature by PAdES (ETSI EN 319 142), after which no byte can be changed unseen."""

from io import BytesIO
from pathlib import Path

from dashboard.export.workbook_column import both
from pipeline.setting_sections import ReportSettings
from store.errors import SetupError

FIELD = "wenhen"


def sealed(pdf: bytes, settings: ReportSettings) -> bytes:
    """The PDF with the signature behind it. SetupError where the key does not open, or pyHanko is missing."""
    try:
        from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
        from pyhanko.sign import signers
        from pyhanko.sign.fields import SigSeedSubFilter
    except ImportError as error:
        raise SetupError("reports.no_typst") from error
    try:
        key = Path(settings.seal).read_bytes()
        signer = signers.SimpleSigner.load_pkcs12_data(key, [], passphrase=_password(settings))
    except (OSError, ValueError) as error:
        raise SetupError("reports.seal", path=settings.seal) from error
    told = signers.PdfSignatureMetadata(
        field_name=FIELD, md_algorithm="sha256", subfilter=SigSeedSubFilter.PADES, reason=both("report.title")
    )
    out = BytesIO()
    signers.PdfSigner(told, signer).sign_pdf(IncrementalPdfFileWriter(BytesIO(pdf)), output=out)
    return out.getvalue()


def _password(settings: ReportSettings) -> bytes | None:
    return settings.seal_password.get_secret_value().encode() if settings.seal_password else None
