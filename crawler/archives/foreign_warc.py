"""Records of a WARC file (ISO 28500), each compressed by itself or not at all; of a WET file as well.

A window begins with a record. Its last record counts only where the next one begins behind it, or the file ends.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from crawler.archives.archived_page import LARGEST, ArchivedPage, Unusable, plain_text
from crawler.evidence.warc_read_back import GZIP, LOOK, WARC, begins_record
from store.messages import message
from store.records import WarcPlace

PAGES = WarcRecordType.response | WarcRecordType.conversion | WarcRecordType.resource
WEB = ("http://", "https://")

Found = ArchivedPage | Unusable | int


def first_record(window: bytes) -> int | None:
    """Where the first record of a window begins that may have begun in the middle of one."""
    if window.startswith(WARC):
        return 0
    at = -1
    while (at := window.find(GZIP, at + 1)) >= 0:
        if begins_record(window[at : at + LOOK]):
            return at
    return None


def records_of(window: bytes, file: str, at: int, end: int, whole: bool) -> Iterator[Found]:
    """The pages of a window that begins at byte `at` of the file, of records that begin before byte `end`.

    whole: the file ends with it, or it is as large as can be. Last comes the byte from which on to read; `at` itself
    where nothing could be read.
    """
    held: ArchivedPage | Unusable | None = None
    begin, count = 0, 0
    with suppress(OSError, ValueError, RuntimeError):  # damage, or the end of the window
        for record in ArchiveIterator(BytesIO(window), auto_decode="content"):
            if held is not None:
                yield held
            begin, count, held = record.stream_pos, count + 1, None
            if at + begin >= end:
                break
            held = _page(record, file, at)
    if not whole or not count:
        yield at + begin
        return
    if held is not None:
        yield held
    behind = _next_readable(window, begin + 1)
    if behind is not None:  # zeros may be taken for the end, too
        yield Unusable(f"{file} @{at + begin}", message("bulk.damaged", file=file, at=at + begin))
    yield at + (len(window) if behind is None else behind)


def _next_readable(window: bytes, at: int) -> int | None:
    while (found := first_record(window[at:])) is not None:
        at += found
        with suppress(OSError, ValueError, RuntimeError):
            if any(True for _ in ArchiveIterator(BytesIO(window[at:]), parse_http=False)):
                return at
        at += 1
    return None


def _page(record: WarcRecord, file: str, at: int) -> ArchivedPage | Unusable | None:
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
    if not record.record_type & PAGES or not url.startswith(WEB):
        return None
    body = bytes(record.reader.read(LARGEST + 1))
    if len(body) > LARGEST:
        return Unusable(url, message("bulk.too_large", url=url, most=LARGEST >> 20))
    place = WarcPlace(file=file, offset=at + record.stream_pos, record_id=record.record_id or "")
    date = record.record_date or datetime(1970, 1, 1, tzinfo=UTC)
    fetched_at = date.astimezone(UTC)
    if record.record_type is WarcRecordType.conversion:
        text = plain_text(body.decode("utf-8", "replace"))
        return ArchivedPage(url=url, fetched_at=fetched_at, text=text, place=place)
    if record.http_headers is None:
        headers = (("Content-Type", record.headers.get("Content-Type", "")),)
        return ArchivedPage(url=url, fetched_at=fetched_at, headers=headers, body=body, place=place)
    return ArchivedPage(
        url=url,
        fetched_at=fetched_at,
        status=record.http_headers.status_code or 0,
        headers=tuple(record.http_headers),
        body=body,
        place=place,
    )
