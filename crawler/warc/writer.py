"""Write every exchange to WARC files (ISO 28500, version 1.1)."""

import fcntl
import os
import zlib
from base64 import b32encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import sha1
from io import BufferedWriter
from pathlib import Path
from threading import Lock
from typing import BinaryIO, Final, NamedTuple
from uuid import uuid4

from crawler.capture import DnsAnswer, RecordedExchange, WarcPlace
from crawler.warc.capture_environment import ENVIRONMENT_URI
from crawler.warc.reader import FETCHED_AGAIN_FIELD
from wenhen.kit.errors import Unavailable
from wenhen.kit.files import make_private_folder, open_private_file

# Records of WARC files (ISO 28500, version 1.1), each compressed by itself.
#
# They are written by hand. A library spends most of its time on facts that are known here. Its compression takes twice
# the time and saves a two-hundredth of the space.


WARC_VERSION: Final = "WARC/1.1"
REQUEST_TYPE: Final = "application/http; msgtype=request"
RESPONSE_TYPE: Final = "application/http; msgtype=response"
FIELDS_TYPE: Final = "application/warc-fields"
_ZLIB_LEVEL: Final = 6
_GZIP_WBITS: Final = 16 + zlib.MAX_WBITS


class WarcRecord(NamedTuple):
    """A WARC record. Its block is the head of a message, if any, and the payload. fields: those beyond the usual
    ones.
    """

    kind: str  # its WARC-Type
    id: str
    date: str
    fields: Mapping[str, str]
    content_type: str
    payload: bytes
    head: bytes = b""

    def to_bytes(self) -> bytes:
        """Return the compressed record."""
        digest = sha1(self.head, usedforsecurity=False)
        digest.update(self.payload)
        named = {"WARC-Type": self.kind, "WARC-Record-ID": self.id, "WARC-Date": self.date, **self.fields}
        if self.kind != "warcinfo":
            named["WARC-Payload-Digest"] = _format_digest(sha1(self.payload, usedforsecurity=False).digest())
        named |= {
            "WARC-Block-Digest": _format_digest(digest.digest()),
            "Content-Type": self.content_type,
            "Content-Length": str(len(self.head) + len(self.payload)),
        }
        lines = "".join([f"{name}: {value}\r\n" for name, value in named.items()])
        packing = zlib.compressobj(_ZLIB_LEVEL, zlib.DEFLATED, _GZIP_WBITS)
        whole = b"".join((f"{WARC_VERSION}\r\n{lines}\r\n".encode(), self.head, self.payload, b"\r\n\r\n"))
        return packing.compress(whole) + packing.flush()


def new_record_id() -> str:
    """Return a new unique record id."""
    return f"<urn:uuid:{uuid4()}>"


def current_warc_date() -> str:
    """Return the current time for a record's head, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def warc_date(moment: datetime) -> str:
    """Return a time for a record's head: UTC, to the millisecond."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _format_digest(digest: bytes) -> str:
    return f"sha1:{b32encode(digest).decode()}"


# The archive of a crawl: every response as it came, in WARC files that any archive can read.
#
# A response keeps its content encoding. The transfer encoding is removed, as readers expect. A response that was
# fetched once more, because its first crawler went silent, has the field `WARC-Fetched-Again`. The same page may be in
# the archive twice.


class WarcArchive:
    """The files of one crawl: `name`-TIME-PROCESS-NUMBER.warc.gz. A file is closed once it exceeds `max_bytes`.
    It is locked as long as it may grow.

    Several threads may write to it. Raise `Unavailable` if the folder cannot be written. A file that a full disk tore
    is cut back to its last whole record, and the next response begins another.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        software: str,
        max_bytes: int,
        state: Callable[[], bytes] | None = None,
        process: int | None = None,
    ) -> None:
        """Prepare the archive.

        state: returns the capture environment, with which each file begins. process: the id of the crawler's process,
        if it is another one.
        """
        self._folder = folder
        self._stem = f"{name}-{datetime.now(UTC):%Y%m%d%H%M%S}-{process or os.getpid()}"
        self._software = software
        self._max_bytes = max_bytes
        self._state = state
        self._lock = Lock()
        self._files = 0
        self._file: BufferedWriter | None = None

    def write_all(self, answers: Sequence[RecordedExchange]) -> list[WarcPlace | Exception]:
        """Append exchanges. Each is with the operating system on return, or its error is returned."""
        places: list[WarcPlace | Exception] = []
        for answer in answers:
            try:
                places.append(self.write(answer))
            except Exception as error:  # noqa: BLE001  raised at the caller
                places.append(error)
        return places

    def write(self, exchange: RecordedExchange) -> WarcPlace:
        """Append an exchange."""
        with self._lock:
            try:
                file = self._file or self._begin()
                with _atomic_append(file):
                    place = _write_exchange(file, exchange)
                if file.tell() > self._max_bytes:
                    self._end()
            except OSError as error:
                self._let_go_of_torn()
                raise self._away(error) from error
            return place

    def close(self) -> None:
        """End the last file and sync it to disk."""
        with self._lock:
            try:
                self._end()
            except OSError as error:
                raise self._away(error) from error

    def _begin(self) -> BufferedWriter:
        make_private_folder(self._folder, ["*.warc.gz", "*.warc.gz.tsr*"])
        self._files += 1
        path = self._folder / f"{self._stem}-{self._files:05}.warc.gz"
        self._file = file = open_private_file(path)
        with suppress(OSError):  # some network file systems know no locks; readers then take the file for open
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with _atomic_append(file):
            file.writelines(record.to_bytes() for record in self._first(path.name))
        return file

    def _first(self, name: str) -> Iterator[WarcRecord]:
        about = f"software: {self._software}\r\nformat: WARC File Format 1.1\r\n".encode()
        yield WarcRecord("warcinfo", new_record_id(), current_warc_date(), {"WARC-Filename": name}, FIELDS_TYPE, about)
        if self._state is not None:
            yield WarcRecord(
                "metadata",
                new_record_id(),
                current_warc_date(),
                {"WARC-Target-URI": ENVIRONMENT_URI},
                "application/json",
                self._state(),
            )

    def _let_go_of_torn(self) -> None:
        if self._file is not None and self._file.closed:
            if not Path(self._file.name).stat().st_size:
                Path(self._file.name).unlink()
            self._file = None

    def _end(self) -> None:
        if self._file is not None:
            file, self._file = self._file, None
            with file:
                file.flush()
                os.fsync(file.fileno())

    def _away(self, error: OSError) -> Unavailable:
        return Unavailable("archive.unwritten", folder=self._folder, error=error.strerror or error)


@contextmanager
def _atomic_append(file: BufferedWriter) -> Iterator[None]:
    """Append the writes of the block whole. On an error, remove them and close the file."""
    end = file.tell()
    try:
        yield
        file.flush()
    except OSError:
        with suppress(OSError):  # if the disk takes nothing at all, `archive verify` reads on behind the tear
            os.truncate(file.fileno(), end)
        file.raw.close()  # discards the buffer, which would be written behind the end
        raise


def _write_exchange(file: BinaryIO, exchange: RecordedExchange) -> WarcPlace:
    # The offset is that of the response, which precedes its request.
    place = WarcPlace(file=Path(file.name).name, offset=file.tell(), record_id=new_record_id())
    file.write(b"".join([record.to_bytes() for record in _exchange_records(exchange, place.record_id)]))
    return place


def _exchange_records(exchange: RecordedExchange, id: str) -> Iterator[WarcRecord]:
    """Yield the response with this id, its request, and the records of both."""
    date, target, beside = current_warc_date(), {"WARC-Target-URI": exchange.url}, {"WARC-Concurrent-To": id}
    about = {"WARC-IP-Address": exchange.address} if exchange.address else {}
    cut = {"WARC-Truncated": "disconnect"} if exchange.cut_short else {}
    again = {FETCHED_AGAIN_FIELD: "true"} if exchange.again else {}
    yield WarcRecord(
        "response",
        id,
        date,
        target | about | cut | again,
        RESPONSE_TYPE,
        exchange.body,
        _format_head(exchange.answered),
    )
    yield WarcRecord(
        "request", new_record_id(), date, target | beside, REQUEST_TYPE, exchange.question, _format_head(exchange.asked)
    )
    if exchange.connection.chain:
        certificates = _format_certificates(exchange.address, exchange.connection.chain)
        yield WarcRecord("metadata", new_record_id(), date, target | beside, FIELDS_TYPE, certificates)
    if exchange.connection.answer is not None:
        yield _dns_answer_record(exchange.connection.answer, beside)


def _format_head(lines: Sequence[bytes]) -> bytes:
    return b"\r\n".join((*lines, b"", b""))


def _dns_answer_record(answer: DnsAnswer, beside: Mapping[str, str]) -> WarcRecord:
    """Return the record that ISO 28500 defines for DNS: a resource of type text/dns."""
    fields = {"WARC-Target-URI": answer.target, **beside}
    return WarcRecord("resource", new_record_id(), warc_date(answer.answered_at), fields, "text/dns", answer.as_text())


def _format_certificates(address: str | None, chain: Sequence[str]) -> bytes:
    """Return the server's certificates in order, each PEM on one line."""
    lines = (f"certificate: {pem.replace(chr(10), ' ').strip()}\r\n" for pem in chain)
    return f"address: {address}\r\n{''.join(lines)}".encode()
