"""A document time stamp behind a sealed report (PAdES, ETSI EN 319 142): an authority says when the file was there.

What the authority answers is read in the bounded child: `stamp` is run through `crawler.isolated`.
"""

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from crawler.isolated.child_bounds import ReadingBounds
from crawler.isolated.read_in_child import read
from pipeline.setting_sections import EvidenceSettings
from store.errors import SetupError, Unavailable, WenhenError

FIELD: Final = "wenhen-time"
_RESERVED: Final = 65_536  # hexadecimal digits of the token; authorities send some 6,000 bytes
_STAMP: Final = "dashboard.export.pdf.time_stamping:stamp"
_BOUNDS: Final = ReadingBounds(seconds=20, memory=1_000, output=200, patience=60)


def time_stamped(pdf: bytes, settings: EvidenceSettings) -> bytes:
    """The PDF with a time stamp behind it, by the first authority that gives one; as it is where none is set.

    Raises `Unavailable` with what the last one said, SetupError where the roots cannot be read.
    """
    problem: WenhenError | None = None
    for url in settings.authorities:
        try:
            stamped: bytes = read(_STAMP, pdf, url, _roots(settings), datetime.now(UTC).isoformat(), bounds=_BOUNDS)
        except WenhenError as error:
            problem = error
        else:
            return stamped
    if problem is not None:
        raise Unavailable("reports.not_stamped", error=problem) from problem
    return pdf


def stamp(pdf: bytes, url: str, roots: str, now: str) -> bytes:
    """The stamp of one authority, verified before it is put in. Raises as `services.evidence.stamps.stamp_request`."""
    from asn1crypto import tsp  # type: ignore[import-untyped]  # it ships no types
    from pyhanko.pdf_utils.incremental_writer import IncrementalPdfFileWriter
    from pyhanko.sign.signers import PdfTimeStamper
    from pyhanko.sign.timestamps import TimeStamper

    from services.evidence.stamps.stamp_request import StampQuestion, answered

    class Authority(TimeStamper):
        async def async_request_tsa_response(self, req: Any) -> Any:
            digest = req["message_imprint"]["hashed_message"].native
            question = StampQuestion(req.dump(), digest, req["nonce"].native)
            return tsp.TimeStampResp.load(answered(url, question, roots, now)[0])

    out = BytesIO()
    stamper = PdfTimeStamper(Authority(), field_name=FIELD)  # type: ignore[no-untyped-call]  # pyHanko's
    stamper.timestamp_pdf(IncrementalPdfFileWriter(BytesIO(pdf)), "sha256", bytes_reserved=_RESERVED, output=out)
    return out.getvalue()


def _roots(settings: EvidenceSettings) -> str:
    try:
        return Path(settings.roots).read_text(encoding="ascii") if settings.roots else ""
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError("evidence.no_roots", file=settings.roots, error=error) from error
