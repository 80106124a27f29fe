"""Read pages from unpacked windows of foreign WARC, WET (ISO 28500) and ARC files.

A window begins with a record, or where damage ends. A record that it does not hold whole is left to the next window.
Archives disagree about bodies: some keep them as sent, some decode them and leave the headers. So the bytes decide.
"""

import re
import sys
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from io import BytesIO
from typing import Any, NamedTuple

import brotli  # type: ignore[import-untyped]  # it ships no types
from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from crawler.archives.archived_page import (
    ArchivedPage,
    UnusableRecord,
    normalize_text,
)
from crawler.capture import WarcPlace
from wenhen.kit.errors import message
from wenhen.kit.size_and_time_limits import MAX_ARCHIVED_BYTES

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

_CHUNK_HEADER = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,1024})?\r?\n")
_LINE_END = re.compile(rb"\r?\n")
_GZIP_MAGIC = b"\x1f\x8b\x08"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_TEXT_TYPES = ("text/", "application/xhtml", "application/xml", "application/json")
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_PROBE_BYTES = 1024  # bytes of a body that show whether it is text
_TELLTALE_CODINGS = ("gzip", "zstd")  # text never begins as these do, so they are removed without being declared
_STEP_BYTES = 4096  # bytes that are decompressed at once: damage costs no more of what stands before it
_MAX_CODINGS = 4  # codings that are removed, one inside the other


class UnknownCoding(Exception):
    """The body is neither text nor in the coding that its headers name."""


class DecodedBody(NamedTuple):
    """complete: the body ends where its codings say that it ends."""

    content: bytes
    complete: bool


def decode_body(body: bytes, headers: Iterable[tuple[str, str]], max_bytes: int) -> DecodedBody:
    """Return a body without its encodings, at most one byte more than `max_bytes`. Raises UnknownCoding."""
    values: dict[str, str] = {}
    for name, value in headers:
        values[name.lower()] = f"{values[name.lower()]},{value}" if name.lower() in values else value
    body, complete = _remove_chunks(body, declared="chunked" in values.get("transfer-encoding", "").lower())
    codings = [name.strip().lower().removeprefix("x-") for name in values.get("content-encoding", "").split(",")]
    is_text = values.get("content-type", "text/").strip().lower().startswith(_TEXT_TYPES)
    declared = [name for name in reversed(codings[-_MAX_CODINGS:]) if name and name != "identity"]
    removed = set()
    for coding in [*declared, *(_TELLTALE_CODINGS if is_text else ())]:
        decoded = _remove_coding(body, coding, max_bytes)
        if decoded is not None and (decoded.complete or _is_binary(body)):
            body, complete = decoded.content, complete and decoded.complete
            removed.add(coding)
    if is_text and not removed and declared and _is_binary(body):
        raise UnknownCoding(", ".join(declared))
    return DecodedBody(body, complete)


def _remove_chunks(body: bytes, *, declared: bool) -> DecodedBody:
    """Return the content of chunks; the body itself where it is not in chunks."""
    chunks: list[bytes] = []
    offset = 0
    while header := _CHUNK_HEADER.match(body, offset):
        size = int(header[1], 16)
        if size == 0:
            return DecodedBody(b"".join(chunks), complete=True)
        chunks.append(body[header.end() : header.end() + size])
        offset = header.end() + size
        if offset >= len(body):
            break
        line_end = _LINE_END.match(body, offset)
        if line_end is None:
            return DecodedBody(body, complete=True)
        offset = line_end.end()
    if declared and chunks and offset >= len(body):
        return DecodedBody(b"".join(chunks), complete=False)
    return DecodedBody(body, complete=True)


def _remove_coding(body: bytes, coding: str, max_bytes: int) -> DecodedBody | None:
    """Return the body without this coding; None where it is not in it."""
    if coding == "gzip":
        return _decompress(body, lambda: zlib.decompressobj(31), max_bytes) if body.startswith(_GZIP_MAGIC) else None
    if coding == "zstd":
        return _decompress(body, zstd.ZstdDecompressor, max_bytes) if body.startswith(_ZSTD_MAGIC) else None
    if coding == "deflate":
        return _decompress(body, zlib.decompressobj, max_bytes) or _decompress(
            body, lambda: zlib.decompressobj(-zlib.MAX_WBITS), max_bytes
        )
    return _decompress_brotli(body, max_bytes) if coding == "br" else None


def _decompress(body: bytes, make: Callable[[], Any], max_bytes: int) -> DecodedBody | None:
    """Return what the members of a body hold, as far as it is whole; None where nothing could be decompressed."""
    content, whole_members, member, packed = bytearray(), 0, make(), memoryview(body)
    try:
        while packed and len(content) <= max_bytes:
            content += member.decompress(packed[:_STEP_BYTES], max_bytes + 1 - len(content))
            packed = packed[_STEP_BYTES:]
            if member.eof:
                packed = memoryview(member.unused_data + packed)
                whole_members, member = whole_members + 1, make()
                if not packed:
                    return DecodedBody(bytes(content), complete=True)
    except (zlib.error, zstd.ZstdError):  # damage, or padding behind the last member
        return DecodedBody(bytes(content), complete=whole_members > 0) if content else None
    return DecodedBody(bytes(content), complete=len(content) > max_bytes) if content else None


def _decompress_brotli(body: bytes, max_bytes: int) -> DecodedBody | None:
    decompressor = brotli.Decompressor()
    try:
        content = decompressor.process(body, output_buffer_limit=max_bytes + 1)
    except brotli.error:
        return None
    complete = decompressor.is_finished() or len(content) > max_bytes
    return DecodedBody(content, complete) if content or complete else None


def _is_binary(body: bytes) -> bool:
    beginning = body[:_PROBE_BYTES]
    return not beginning.startswith(_BYTE_ORDER_MARKS) and _BINARY.search(beginning) is not None


PAGE_RECORD_TYPES = WarcRecordType.response | WarcRecordType.conversion | WarcRecordType.resource
WEB_SCHEMES = ("http://", "https://")
MAX_HEAD_BYTES = 64 << 10  # bytes of a record's own head

# ARC (Burner and Kahle, 1996): the address, the server, the date, the type, further fields, and the length last.
_ARC_HEAD = rb"([A-Za-z][A-Za-z0-9+.-]{1,15}:[^\r\n]{1,4096}?) \S{1,64} (\d{12,14}) ([^\r\n]{0,512}?) ?(\d{1,15})\r?\n"
_WARC_LINE = rb"WARC/\d\.\d{1,2}[ \t]*\r?\n"
RECORD_START = re.compile(rb"%b(?=[A-Za-z-]+:)|(?:^|(?<=\0))%b" % (_WARC_LINE, _ARC_HEAD), re.MULTILINE)
_ARC_START = re.compile(_ARC_HEAD)
_WARC_START = re.compile(_WARC_LINE)
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"\nContent-Length[ \t]*:[ \t]*(\d{1,15})[ \t]*\r?\n", re.IGNORECASE)
_RECORD_END = re.compile(rb"\r?\n")
_BLANK = re.compile(rb"[\r\n]*")
_HTTP_START = b"HTTP/"
_ARC_VERSION_BLOCK = b"filedesc:"
_CUT_FIELDS = ("WARC-Truncated", "WARC-Segment-Number")  # fields of records that hold a part of a message

WarcItem = ArchivedPage | UnusableRecord
WindowProgress = tuple[int, int]  # records without a page since the last progress, and the byte that is reached


class WindowEnd(StrEnum):
    """What comes behind a window."""

    MORE = "more"  # further bytes
    FILE_END = "file_end"
    DAMAGE = "damage"  # bytes that cannot be unpacked, or nothing where the file is cut off


class WindowPlace(NamedTuple):
    """Bytes of the window from `begin` on come from `offset` in the file.

    step: 1 where each byte of the window is one of the file. 0 where all come from the packed member at `offset`.
    """

    begin: int
    offset: int
    step: int


class _Frame(NamedTuple):
    """Where a record stands in a window: its head, and its block behind it."""

    begin: int
    block: int
    end: int


def begins_with_record(content: bytes) -> bool:
    """Return whether unpacked bytes begin with a record."""
    return RECORD_START.match(content) is not None


def read_warc_pages(
    window: bytes, places: Sequence[WindowPlace], file: str, window_end: WindowEnd
) -> Iterator[WarcItem | WindowProgress]:
    """Yield an item for each record that holds a page or is refused, and before it how far the window is read.

    The last progress names the byte at which the next window begins. It may lie behind this window.
    """
    more = window_end is WindowEnd.MORE
    begin, others = 0, 0
    while (begin := _blank_end(window, begin)) < len(window):
        frame = _find_frame(window, begin, more=more)
        if more and (frame is None or frame.end > len(window)) and _is_cut(window, begin, frame):
            break
        offset = _file_offset(places, begin)
        is_large = frame is not None and frame.end - frame.block > MAX_ARCHIVED_BYTES
        if frame is None or not (is_large or _is_end_right(window, frame)):
            following = RECORD_START.search(window, begin + 1 if frame is None else frame.block)
            if following is None and more:
                break
            begin = len(window) if following is None else following.start()
            if following is not None or window_end is WindowEnd.FILE_END:
                yield others, begin
                yield _describe_damage(file, offset)
                others = 0
            continue
        begin = frame.end
        record = _parse_head(window, frame)
        url = _page_url(record) if record else None
        if record is not None and url is None:
            others += 1
        else:
            yield others, begin
            others = 0
            if record is None or url is None:
                yield _describe_damage(file, offset)
            elif is_large:
                yield _describe_large_page(url)
            else:
                has_http_head = window.startswith(_HTTP_START, frame.block)
                yield _read_page(
                    record, url, WarcPlace(file=file, offset=offset, record_id=record.record_id or ""), has_http_head
                )
    yield others, begin
    if window_end is WindowEnd.DAMAGE:
        yield _describe_damage(file, places[-1].offset)


def _blank_end(window: bytes, begin: int) -> int:
    blank = _BLANK.match(window, begin)
    return blank.end() if blank and begin < len(window) else begin


def _find_frame(window: bytes, begin: int, *, more: bool) -> _Frame | None:
    """Return the frame of the record that begins here; None where none begins, or it has no length."""
    if arc := _ARC_START.match(window, begin):
        if not arc[1].startswith(_ARC_VERSION_BLOCK):
            return _Frame(begin, arc.end(), arc.end() + int(arc[4]))
        following = RECORD_START.search(window, arc.end())  # the length of a version block is often wrong
        return _Frame(begin, arc.end(), following.start() if following else len(window) + more)
    if not _WARC_START.match(window, begin):
        return None
    head_end = _HEAD_END.search(window, begin, begin + MAX_HEAD_BYTES)
    length = _LENGTH.search(window, begin, head_end.end()) if head_end else None
    return _Frame(begin, head_end.end(), head_end.end() + int(length[1])) if head_end and length else None


def _is_cut(window: bytes, begin: int, frame: _Frame | None) -> bool:
    """Return whether the record may go on behind the window. One that is too large to be read is not waited for."""
    if frame is None:
        return len(window) - begin < MAX_HEAD_BYTES
    return frame.end - frame.block <= MAX_ARCHIVED_BYTES


def _is_end_right(window: bytes, frame: _Frame) -> bool:
    """Return whether a record ends where its length says: before a line end, another record, or the end."""
    if frame.end >= len(window):
        return frame.end == len(window)
    return bool(_RECORD_END.match(window, frame.end) or RECORD_START.match(window, frame.end))


def _file_offset(places: Sequence[WindowPlace], begin: int) -> int:
    place = places[max(0, bisect_right(places, begin, key=lambda place: place.begin) - 1)]
    return place.offset + place.step * (begin - place.begin)


def _describe_damage(file: str, offset: int) -> UnusableRecord:
    return UnusableRecord(f"{file} @{offset}", message("bulk.damaged", file=file, at=offset))


def _describe_large_page(url: str) -> UnusableRecord:
    return UnusableRecord(url, message("bulk.too_large", url=url, most=MAX_ARCHIVED_BYTES >> 20))


def _read_page(record: WarcRecord, url: str, place: WarcPlace, has_http_head: bool) -> WarcItem:
    fetched_at = (record.record_date or datetime(1970, 1, 1, tzinfo=UTC)).astimezone(UTC)
    page = ArchivedPage(url=url, fetched_at=fetched_at, place=place)
    if record.record_type is WarcRecordType.conversion:
        return replace(page, text=normalize_text(record.reader.read().decode("utf-8", "replace")))
    try:
        return _read_body(page, record, has_http_head=has_http_head)
    except UnknownCoding as error:
        return UnusableRecord(url, message("bulk.unknown_coding", url=url, coding=error))
    except OSError:  # a head of HTTP that cannot be parsed
        return _describe_damage(place.file, place.offset)


def _read_body(page: ArchivedPage, record: WarcRecord, *, has_http_head: bool) -> WarcItem:
    """Return the page with status, headers and body. Raises UnknownCoding, OSError."""
    status = page.status
    headers: tuple[tuple[str, str], ...] = (("Content-Type", record.headers.get("Content-Type") or ""),)
    if record.record_type is WarcRecordType.response:
        headers = ()
        if has_http_head:
            record.is_http = True  # whatever type the record names
            record.parse_http(quirks_mode=True, max_header_len=MAX_HEAD_BYTES)
            status, headers = record.http_headers.status_code or 0, tuple(record.http_headers)
    body = decode_body(record.reader.read(), headers, MAX_ARCHIVED_BYTES)
    if len(body.content) > MAX_ARCHIVED_BYTES:
        return _describe_large_page(page.url)
    cut = not body.complete or any(field in record.headers for field in _CUT_FIELDS)
    problems = (message("page.short_body"),) if cut else ()
    return replace(page, status=status, headers=headers, body=body.content, problems=problems)


def _page_url(record: WarcRecord) -> str | None:
    """Return the web address of a record that may hold a page; None for any other record."""
    url = (record.headers.get("WARC-Target-URI") or "").strip().strip("<>")
    is_page = record.record_type & PAGE_RECORD_TYPES and url.lower().startswith(WEB_SCHEMES)
    return url if is_page else None


def _parse_head(window: bytes, frame: _Frame) -> WarcRecord | None:
    """Return the record of a frame, an ARC record as a WARC response; None where it has no readable head."""
    content = window[frame.begin : frame.end]
    try:
        if arc := _ARC_START.match(content):
            content = _warc_head(arc, len(content) - arc.end()) + content[arc.end() :]
        records = ArchiveIterator(
            BytesIO(content), parse_http=False, quirks_mode=True, max_header_len=MAX_HEAD_BYTES, stream_detect=False
        )
        return next(iter(records), None)
    except (OSError, ValueError, RuntimeError):
        return None


def _warc_head(arc: re.Match[bytes], length: int) -> bytes:
    kind = b"warcinfo" if arc[1].startswith(_ARC_VERSION_BLOCK) else b"response"
    content_type = arc[3].split(b" ")[0]
    date = datetime.strptime(arc[2].decode().ljust(14, "0"), "%Y%m%d%H%M%S")  # noqa: DTZ007  ARC dates are UTC
    fields = (
        b"WARC-Type: " + kind,
        b"WARC-Target-URI: " + arc[1],
        b"WARC-Date: %bZ" % date.isoformat().encode(),
        b"Content-Type: " + content_type,
        b"Content-Length: %d" % length,
    )
    return b"\r\n".join((b"WARC/1.0", *fields, b"", b""))
