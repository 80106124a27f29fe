"""Write every exchange to WARC files (ISO 28500, version 1.1)."""

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
# Written by hand: of what a library does for a record, most is to find out what is known here, and its compression
# takes twice the time for a two-hundredth of the room.


WARC_VERSION: Final = "WARC/1.1"
REQUEST_TYPE: Final = "application/http; msgtype=request"
RESPONSE_TYPE: Final = "application/http; msgtype=response"
FIELDS_TYPE: Final = "application/warc-fields"
_ZLIB_LEVEL: Final = 6  # of zlib
_GZIP_WBITS: Final = 16 + zlib.MAX_WBITS


class WarcRecord(NamedTuple):
    """A record; its block is the head of a message, where it has one, and the payload. fields: further ones than each
    record has.
    """

    kind: str  # its WARC-Type
    id: str
    date: str
    fields: Mapping[str, str]
    content_type: str
    payload: bytes
    head: bytes = b""

    def packed(self) -> bytes:
        """As it stands in a file."""
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
    """A name that no other record has."""
    return f"<urn:uuid:{uuid4()}>"


def current_warc_date() -> str:
    """The time as the head of a record tells it, to the microsecond."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def warc_date(at: datetime) -> str:
    """A time as a record's head tells it: UTC, to the millisecond."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _format_digest(digest: bytes) -> str:
    return f"sha1:{b32encode(digest).decode()}"


# Every response as it came, in WARC files (ISO 28500, version 1.1) that any archive can read.
#
# A response keeps its content encoding; the transfer encoding is taken off, as the standard's readers expect. What is
# fetched once more because its crawler was not heard of any more says so in a field of our own, `WARC-Fetched-Again`:
# the same page may stand in the archive twice.


class WarcArchive:
    """The files of one crawl: `name`-TIME-PROCESS-NUMBER.warc.gz, each closed once it is larger than `max_bytes`.

    May be written to by several threads. Raises `Unavailable` when the folder cannot be written to; a file that a full
    disk tore is cut back to its last whole record then, and the next response begins another.
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
        """state: of this machine, as each file begins with it (`crawler.warc.capture_environment`); process: that of
        the crawler, where it is not this one.
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
        """Append them; each is with the operating system when this returns, or there is the error that kept it out."""
        places: list[WarcPlace | Exception] = []
        for answer in answers:
            try:
                places.append(self.write(answer))
            except Exception as error:  # noqa: BLE001  raised where the answer came from
                places.append(error)
        return places

    def write(self, one: RecordedExchange) -> WarcPlace:
        """Append one."""
        with self._lock:
            try:
                file = self._file or self._begin()
                with _atomic_append(file):
                    place = _write_exchange(file, one)
                if file.tell() > self._max_bytes:
                    self._end()
            except OSError as error:
                self._let_go_of_torn()
                raise self._away(error) from error
            return place

    def close(self) -> None:
        """End the last file; its content is on the disk then."""
        with self._lock:
            try:
                self._end()
            except OSError as error:
                raise self._away(error) from error

    def _begin(self) -> BufferedWriter:
        make_private_folder(self._folder, ["*.warc.gz"])
        self._files += 1
        path = self._folder / f"{self._stem}-{self._files:05}.warc.gz"
        self._file = file = open_private_file(path)
        with _atomic_append(file):
            file.writelines(record.packed() for record in self._first(path.name))
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
    """What the block writes is with the operating system afterwards, or nothing of it is and the file is closed."""
    end = file.tell()
    try:
        yield
        file.flush()
    except OSError:
        with suppress(OSError):  # a disk that takes nothing at all; `archive verify` reads on behind what is torn
            os.truncate(file.fileno(), end)
        file.raw.close()  # and with it what the buffer still holds, which would be written behind the end
        raise


def _write_exchange(file: BinaryIO, one: RecordedExchange) -> WarcPlace:
    # The offset is that of the response, which goes before its request.
    place = WarcPlace(file=Path(file.name).name, offset=file.tell(), record_id=new_record_id())
    file.write(b"".join([record.packed() for record in _exchange_records(one, place.record_id)]))
    return place


def _exchange_records(one: RecordedExchange, id: str) -> Iterator[WarcRecord]:
    """The response, by this id, its request, and what belongs to both."""
    date, target, beside = current_warc_date(), {"WARC-Target-URI": one.url}, {"WARC-Concurrent-To": id}
    about = {"WARC-IP-Address": one.address} if one.address else {}
    cut = {"WARC-Truncated": "disconnect"} if one.cut_short else {}
    again = {FETCHED_AGAIN_FIELD: "true"} if one.again else {}
    yield WarcRecord(
        "response", id, date, target | about | cut | again, RESPONSE_TYPE, one.body, _format_head(one.answered)
    )
    yield WarcRecord(
        "request", new_record_id(), date, target | beside, REQUEST_TYPE, one.question, _format_head(one.asked)
    )
    if one.connection.chain:
        certificates = _format_certificates(one.address, one.connection.chain)
        yield WarcRecord("metadata", new_record_id(), date, target | beside, FIELDS_TYPE, certificates)
    if one.connection.answer is not None:
        yield _dns_answer_record(one.connection.answer, beside)


def _format_head(lines: Sequence[bytes]) -> bytes:
    return b"\r\n".join((*lines, b"", b""))


def _dns_answer_record(answer: DnsAnswer, beside: Mapping[str, str]) -> WarcRecord:
    """The record that ISO 28500 has for the DNS: a resource of type text/dns."""
    fields = {"WARC-Target-URI": answer.target, **beside}
    return WarcRecord("resource", new_record_id(), warc_date(answer.at), fields, "text/dns", answer.as_text())


def _format_certificates(address: str | None, chain: Sequence[str]) -> bytes:
    """Those that the server showed, in its order, each PEM on one line."""
    lines = (f"certificate: {pem.replace(chr(10), ' ').strip()}\r\n" for pem in chain)
    return f"address: {address}\r\n{''.join(lines)}".encode()
