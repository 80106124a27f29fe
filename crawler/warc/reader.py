"""Read WARC files back: check records, and return bodies and whole exchanges."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from zlib import decompressobj
from zlib import error as zlib_error

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from crawler.capture import WarcPlace
from crawler.warc.capture_environment import ENVIRONMENT_URI
from wenhen.kit.errors import Message, NotFound, message
from wenhen.kit.remote_files import AnyPath

GZIP_MAGIC = b"\x1f\x8b\x08"  # the first bytes of gzip
WARC_MAGIC = b"WARC/1."
RECORD_PROBE_BYTES = 512  # compressed bytes that identify a record
HTTP_RECORD_TYPES = WarcRecordType.request | WarcRecordType.response
WARC_SUFFIX = ".warc.gz"
FETCHED_AGAIN_FIELD = "WARC-Fetched-Again"  # a field of our own


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """A checked record of a file, and its problem, if any. again: a response that was fetched once more."""

    id: str
    problem: Message | None
    again: bool = False


def check_records(path: Path) -> Iterator[CheckedRecord]:
    """Yield every record after a check of its digests. For damage, yield one problem with its offset, and continue at
    the next record.
    """
    offset: int | None = 0
    damaged = False
    while offset is not None:
        whole = offset
        problem: Exception | None = None
        try:
            with path.open("rb") as stream:
                stream.seek(offset)
                for record in ArchiveIterator(stream, parse_http=False):
                    whole, damaged = offset + record.stream_pos, False
                    yield CheckedRecord(
                        record.record_id or "", _record_problem(record), FETCHED_AGAIN_FIELD in record.headers
                    )
        except (OSError, ValueError, RuntimeError) as error:
            problem = error
        offset = _find_next_record(path, whole + 1)
        if offset is not None and problem is None:  # zeros may look like the end
            problem = EOFError(f"no record up to {offset}")
        if problem is not None and not damaged:
            yield CheckedRecord("", message("archive.breaks_off", at=whole, error=problem))
        damaged = problem is not None


def _find_next_record(path: Path, offset: int) -> int | None:
    """Return the offset of the next record, or None. Each record is compressed by itself."""
    with path.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as content:
        while (offset := content.find(GZIP_MAGIC, offset)) >= 0:
            if is_record_start(content[offset : offset + RECORD_PROBE_BYTES]):
                return offset
            offset += 1
    return None


def is_record_start(compressed: bytes) -> bool:
    """Return whether these bytes begin a compressed record."""
    try:
        return decompressobj(wbits=31).decompress(compressed, len(WARC_MAGIC)) == WARC_MAGIC
    except zlib_error:
        return False


def complete_length(path: Path) -> int:
    """Return the length of a file up to the end of its last whole record. The rest is being written, or was torn."""
    last = 0
    with path.open("rb") as stream, suppress(OSError, ValueError, RuntimeError):
        for record in ArchiveIterator(stream, parse_http=False):
            last = record.stream_pos
    with path.open("rb") as stream:
        stream.seek(last)
        unpacked = decompressobj(wbits=31)
        end = last
        while not unpacked.eof and (piece := stream.read(RECORD_PROBE_BYTES * 128)):
            end += len(piece)
            unpacked.decompress(piece)
        return end - len(unpacked.unused_data) if unpacked.eof else last


def read_body(folder: AnyPath, place: WarcPlace) -> bytes:
    """Return the body of a response without content encodings. Raise NotFound if file or record is missing."""
    path = folder / place.file
    try:
        with path.open("rb") as stream:
            stream.seek(place.offset)
            for record in ArchiveIterator(stream, auto_decode="content"):
                if record.record_id != place.record_id:
                    break
                return bytes(record.reader.read())
    except (OSError, ValueError, RuntimeError) as error:
        raise NotFound("archive.unread", path=path, at=place.offset, error=error) from error
    raise NotFound("archive.no_record", path=path, at=place.offset, id=place.record_id)


def _record_problem(record: WarcRecord) -> Message | None:
    if record.headers.get("WARC-Block-Digest") and not record.verify_block_digest(consume=False):
        return Message("archive.other_block")
    if record.record_type & HTTP_RECORD_TYPES:
        record.parse_http()
        if record.headers.get("WARC-Payload-Digest") and not record.verify_payload_digest():
            return Message("archive.other_payload")
    return None


# A request and its response as an archive stores them, byte for byte as sent.


MAX_EXCHANGE_RECORDS = 4  # records of an exchange: response, request, certificates, the resolver's answer
EXCHANGE_RECORD_TYPES = (
    WarcRecordType.response | WarcRecordType.request | WarcRecordType.metadata | WarcRecordType.resource
)


@dataclass(frozen=True, slots=True)
class DnsRecord:
    """The resolver's answer in a record of type text/dns. target: dns:NAME. date: its WARC-Date."""

    target: str
    date: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpExchange:
    """The blocks of the records: head and body, the body in its content encoding. digest: of the response's record."""

    response: bytes
    request: bytes | None = None
    connection: bytes | None = None  # the server's address and certificates
    name: DnsRecord | None = None
    digest: str | None = None
    cut_short: bool = False


def read_exchange(folder: AnyPath, place: WarcPlace) -> HttpExchange:
    """Return the exchange whose response is at this place. Raise NotFound if file or record is missing."""
    path = folder / place.file
    blocks: dict[str, tuple[bytes, dict[str, str]]] = {}  # by the type of the record
    try:
        with path.open("rb") as stream:
            stream.seek(place.offset)
            for record in ArchiveIterator(stream, parse_http=False, record_types=EXCHANGE_RECORD_TYPES):
                if not blocks and record.record_id != place.record_id:
                    break
                if blocks and record.headers.get("WARC-Concurrent-To") != place.record_id:
                    break
                blocks[record.headers["WARC-Type"]] = record.reader.read(), dict(record.headers)
                if len(blocks) == MAX_EXCHANGE_RECORDS:
                    break
    except (OSError, ValueError, RuntimeError) as error:
        raise NotFound("archive.unread", path=path, at=place.offset, error=error) from error
    if "response" not in blocks:
        raise NotFound("archive.no_record", path=path, at=place.offset, id=place.record_id)
    response, headers = blocks["response"]
    return HttpExchange(
        response=response,
        request=blocks.get("request", (None, None))[0],
        connection=blocks.get("metadata", (None, None))[0],
        name=_make_dns_record(*blocks["resource"]) if "resource" in blocks else None,
        digest=headers.get("WARC-Block-Digest"),
        cut_short="WARC-Truncated" in headers,
    )


def _make_dns_record(content: bytes, headers: dict[str, str]) -> DnsRecord:
    return DnsRecord(headers.get("WARC-Target-URI", "dns:"), headers.get("WARC-Date", ""), content)


def read_environment(folder: AnyPath, place: WarcPlace) -> bytes | None:
    """Return the capture environment at the beginning of the file, or None."""
    try:
        with (folder / place.file).open("rb") as stream:
            for _, record in zip(range(2), ArchiveIterator(stream, parse_http=False), strict=False):
                if record.headers.get("WARC-Target-URI") == ENVIRONMENT_URI:
                    return bytes(record.reader.read())
    except (OSError, ValueError, RuntimeError):
        return None
    return None
