"""WARC files read back, by another program than the one that wrote them."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from mmap import ACCESS_READ, mmap
from pathlib import Path
from zlib import decompressobj
from zlib import error as zlib_error

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from store.errors import NotFound
from store.messages import Message, message
from store.records import WarcPlace

GZIP = b"\x1f\x8b\x08"  # the first bytes of what is compressed by it
WARC = b"WARC/1."
LOOK = 512  # compressed bytes in which the beginning of a record shows
HTTP = WarcRecordType.request | WarcRecordType.response
ENDING = ".warc.gz"
FETCHED_AGAIN = "WARC-Fetched-Again"  # a field of our own


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """One record of a file, and what is wrong with it, if anything. again: a response that was fetched once more."""

    id: str
    problem: Message | None
    again: bool = False


def records_in(path: Path) -> Iterator[CheckedRecord]:
    """Every record with its digests held against what it holds. Where a file is damaged, one problem says from where,
    and the reading goes on with the next record behind it.
    """
    at: int | None = 0
    damaged = False
    while at is not None:
        whole = at
        problem: Exception | None = None
        try:
            with path.open("rb") as stream:
                stream.seek(at)
                for record in ArchiveIterator(stream, parse_http=False):
                    whole, damaged = at + record.stream_pos, False
                    yield CheckedRecord(record.record_id or "", _problem(record), FETCHED_AGAIN in record.headers)
        except (OSError, ValueError, RuntimeError) as error:
            problem = error
        at = _next_record(path, whole + 1)
        if at is not None and problem is None:  # zeros may be taken for the end
            problem = EOFError(f"no record up to {at}")
        if problem is not None and not damaged:
            yield CheckedRecord("", message("archive.breaks_off", at=whole, error=problem))
        damaged = problem is not None


def _next_record(path: Path, at: int) -> int | None:
    """Where the next record begins, each being compressed by itself; None: there is no other."""
    with path.open("rb") as stream, mmap(stream.fileno(), 0, access=ACCESS_READ) as content:
        while (at := content.find(GZIP, at)) >= 0:
            if begins_record(content[at : at + LOOK]):
                return at
            at += 1
    return None


def begins_record(compressed: bytes) -> bool:
    """Whether a record begins with these bytes, by which it is compressed alone."""
    try:
        return decompressobj(wbits=31).decompress(compressed, len(WARC)) == WARC
    except zlib_error:
        return False


def whole_length(path: Path) -> int:
    """Bytes of a file up to the end of its last whole record; what is behind is being written, or was torn."""
    last = 0
    with path.open("rb") as stream, suppress(OSError, ValueError, RuntimeError):
        for record in ArchiveIterator(stream, parse_http=False):
            last = record.stream_pos
    with path.open("rb") as stream:
        stream.seek(last)
        unpacked = decompressobj(wbits=31)
        end = last
        while not unpacked.eof and (piece := stream.read(LOOK * 128)):
            end += len(piece)
            unpacked.decompress(piece)
        return end - len(unpacked.unused_data) if unpacked.eof else last


def body_at(folder: Path, place: WarcPlace) -> bytes:
    """The body of a response, its content encodings taken off. NotFound: the file, or the record there, is missing."""
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


def _problem(record: WarcRecord) -> Message | None:
    if record.headers.get("WARC-Block-Digest") and not record.verify_block_digest(consume=False):
        return Message("archive.other_block")
    if record.record_type & HTTP:
        record.parse_http()
        if record.headers.get("WARC-Payload-Digest") and not record.verify_payload_digest():
            return Message("archive.other_payload")
    return None
