"""A request and its response as an archive keeps them, read back whole: each the bytes that went over the wire."""

from dataclasses import dataclass
from pathlib import Path

from fastwarc.warc import ArchiveIterator, WarcRecordType

from crawler.evidence.machine_state import TARGET
from store.errors import NotFound
from store.records import WarcPlace

LONGEST = 4  # records that belong to one exchange: the response, its request, certificates, the resolver's answer
KINDS = WarcRecordType.response | WarcRecordType.request | WarcRecordType.metadata | WarcRecordType.resource


@dataclass(frozen=True, slots=True)
class NameRecord:
    """What a resolver answered, as a record of type text/dns holds it. target: dns:NAME; at: its WARC-Date."""

    target: str
    at: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpExchange:
    """Blocks of the records: head and body, the body in its content encoding. digest: of the response's record, as the
    archive has it.
    """

    response: bytes
    request: bytes | None = None
    connection: bytes | None = None  # the server's address, and the certificates that it showed
    name: NameRecord | None = None
    digest: str | None = None
    cut_short: bool = False


def exchange_at(folder: Path, place: WarcPlace) -> HttpExchange:
    """The exchange whose response stands there. NotFound: the file, or the record there, is missing."""
    path = folder / place.file
    blocks: dict[str, tuple[bytes, dict[str, str]]] = {}  # by the type of the record
    try:
        with path.open("rb") as stream:
            stream.seek(place.offset)
            for record in ArchiveIterator(stream, parse_http=False, record_types=KINDS):
                if not blocks and record.record_id != place.record_id:
                    break
                if blocks and record.headers.get("WARC-Concurrent-To") != place.record_id:
                    break
                blocks[record.headers["WARC-Type"]] = record.reader.read(), dict(record.headers)
                if len(blocks) == LONGEST:
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
        name=_name(*blocks["resource"]) if "resource" in blocks else None,
        digest=headers.get("WARC-Block-Digest"),
        cut_short="WARC-Truncated" in headers,
    )


def _name(content: bytes, headers: dict[str, str]) -> NameRecord:
    return NameRecord(headers.get("WARC-Target-URI", "dns:"), headers.get("WARC-Date", ""), content)


def state_at(folder: Path, place: WarcPlace) -> bytes | None:
    """The state of the machine with which the file begins; None where it tells none."""
    try:
        with (folder / place.file).open("rb") as stream:
            for _, record in zip(range(2), ArchiveIterator(stream, parse_http=False), strict=False):
                if record.headers.get("WARC-Target-URI") == TARGET:
                    return bytes(record.reader.read())
    except (OSError, ValueError, RuntimeError):
        return None
    return None
