"""Read pages from windows of a foreign WARC or WET file (ISO 28500).

A window begins with a record. Its last record counts only where the next one begins behind it, or the file ends.
"""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from io import BytesIO

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from crawler.archives.archived_page import MAX_ARCHIVED_BYTES, ArchivedPage, UnusableRecord, normalize_text
from crawler.capture import WarcPlace
from crawler.warc.reader import GZIP_MAGIC, RECORD_PROBE_BYTES, WARC_MAGIC, is_record_start
from wenhen.kit.errors import message

PAGE_RECORD_TYPES = WarcRecordType.response | WarcRecordType.conversion | WarcRecordType.resource
WEB_SCHEMES = ("http://", "https://")

WarcItem = ArchivedPage | UnusableRecord | int


def find_first_record(window: bytes) -> int | None:
    """Where the first record of a window begins that may have begun in the middle of one."""
    if window.startswith(WARC_MAGIC):
        return 0
    at = -1
    while (at := window.find(GZIP_MAGIC, at + 1)) >= 0:
        if is_record_start(window[at : at + RECORD_PROBE_BYTES]):
            return at
    return None


def read_warc_pages(window: bytes, file: str, at: int, end: int, whole: bool) -> Iterator[WarcItem]:
    """The pages of a window that begins at byte `at` of the file, of records that begin before byte `end`.

    whole: the file ends with it, or it is as large as can be. Last comes the byte from which on to read; `at` itself
    where nothing could be read.
    """
    held: ArchivedPage | UnusableRecord | None = None
    begin, count = 0, 0
    with suppress(OSError, ValueError, RuntimeError):  # damage, or the end of the window
        for record in ArchiveIterator(BytesIO(window), auto_decode="content"):
            if held is not None:
                yield held
            begin, count, held = record.stream_pos, count + 1, None
            if at + begin >= end:
                break
            held = _page_from_record(record, file, at)
    if not whole or not count:
        yield at + begin
        return
    if held is not None:
        yield held
    behind = _find_readable_record(window, begin + 1)
    if behind is not None:  # zeros may be taken for the end, too
        yield UnusableRecord(f"{file} @{at + begin}", message("bulk.damaged", file=file, at=at + begin))
    yield at + (len(window) if behind is None else behind)


def _find_readable_record(window: bytes, at: int) -> int | None:
    while (first_record := find_first_record(window[at:])) is not None:
        at += first_record
        with suppress(OSError, ValueError, RuntimeError):
            if any(True for _ in ArchiveIterator(BytesIO(window[at:]), parse_http=False)):
                return at
        at += 1
    return None


def _page_from_record(record: WarcRecord, file: str, at: int) -> ArchivedPage | UnusableRecord | None:
    url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
    if not record.record_type & PAGE_RECORD_TYPES or not url.startswith(WEB_SCHEMES):
        return None
    body = bytes(record.reader.read(MAX_ARCHIVED_BYTES + 1))
    if len(body) > MAX_ARCHIVED_BYTES:
        return UnusableRecord(url, message("bulk.too_large", url=url, most=MAX_ARCHIVED_BYTES >> 20))
    place = WarcPlace(file=file, offset=at + record.stream_pos, record_id=record.record_id or "")
    date = record.record_date or datetime(1970, 1, 1, tzinfo=UTC)
    fetched_at = date.astimezone(UTC)
    if record.record_type is WarcRecordType.conversion:
        text = normalize_text(body.decode("utf-8", "replace"))
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
