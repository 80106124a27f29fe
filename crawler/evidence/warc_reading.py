"""WARC files read back, by another program than the one that wrote them."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from store.errors import NotFound
from store.messages import Message, message
from store.records import WarcPlace

HTTP = WarcRecordType.request | WarcRecordType.response
ENDING = ".warc.gz"


@dataclass(frozen=True, slots=True)
class CheckedRecord:
    """One record of a file, and what is wrong with it, if anything."""

    id: str
    problem: Message | None


def records_in(path: Path) -> Iterator[CheckedRecord]:
    """Every record with its digests held against what it holds; a file that breaks off ends with a problem."""
    try:
        with path.open("rb") as stream:
            for record in ArchiveIterator(stream, parse_http=False):
                yield CheckedRecord(record.record_id or "", _problem(record))
    except (OSError, ValueError, RuntimeError) as error:
        yield CheckedRecord("", message("archive.breaks_off", error=error))


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
