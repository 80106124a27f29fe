"""Add a document time stamp to a signed PDF (PAdES). It runs in the sandboxed child process.

What the authority answers is read in the bounded child: `stamp` is run through `crawler.sandbox`.
"""

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from crawler.sandbox.pool import read_in_child
from wenhen.kit.errors import SetupError, Unavailable, WenhenError
from wenhen.kit.size_and_time_limits import PDF_TIME_STAMP_BOUNDS
from wenhen.settings.notices_and_reports import EvidenceSettings

TIMESTAMP_FIELD: Final = "wenhen-time"
_RESERVED_BYTES: Final = 65_536  # hexadecimal digits of the token; authorities send some 6,000 bytes
_STAMP_FUNCTION: Final = "wenhen.reports.pdf.timestamp:add_document_timestamp"


def timestamp_pdf(pdf: bytes, settings: EvidenceSettings) -> bytes:
    """The PDF with a time stamp behind it, by the first authority that gives one; as it is where none is set.

    Raises `Unavailable` with what the last one said, SetupError where the roots cannot be read.
    """
    problem: WenhenError | None = None
    for url in settings.authorities:
        try:
            stamped: bytes = read_in_child(
                _STAMP_FUNCTION,
                pdf,
                url,
                _authority_roots(settings),
                datetime.now(UTC).isoformat(),
                bounds=PDF_TIME_STAMP_BOUNDS,
            )
        except WenhenError as error:
            problem = error
        else:
            return stamped
    if problem is not None:
        raise Unavailable("reports.not_stamped", error=problem) from problem
    return pdf


def add_document_timestamp(pdf: bytes, url: str, roots: str, now: str) -> bytes:
    """The stamp of one authority, verified before it is put in. Raises as `wenhen.evidence.timestamp_tokens`."""
    from asn1crypto import tsp  # type: ignore[import-untyped]  # it ships no types
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign.signers import PdfTimeStamper
    from pyhanko.sign.timestamps import TimeStamper

    from wenhen.evidence.timestamp_tokens import StampQuery, send_stamp_query

    class Authority(TimeStamper):
        async def async_request_tsa_response(self, req: Any) -> Any:
            digest = req["message_imprint"]["hashed_message"].native
            question = StampQuery(req.dump(), digest, req["nonce"].native)
            return tsp.TimeStampResp.load(send_stamp_query(url, question, roots, now)[0])

    out = BytesIO()
    stamper = PdfTimeStamper(Authority(), field_name=TIMESTAMP_FIELD)  # type: ignore[no-untyped-call]  # pyHanko's
    stamper.timestamp_pdf(IncrementalPdfFileWriter(BytesIO(pdf)), "sha256", bytes_reserved=_RESERVED_BYTES, output=out)
    return out.getvalue()


def _authority_roots(settings: EvidenceSettings) -> str:
    try:
        return Path(settings.roots).read_text(encoding="ascii") if settings.roots else ""
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError("evidence.no_roots", file=settings.roots, error=error) from error
