"""Every response as it came, in WARC files (ISO 28500, version 1.1) that any archive can read.

A response keeps its content encoding; the transfer encoding is taken off, as the standard's readers expect. Scrapy does
not tell the words of the status line, so the usual ones stand there. What is fetched once more because its crawler was
not heard of any more says so in a field of our own, `WARC-Fetched-Again`: the same page may stand in the archive twice.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from http import HTTPStatus
from io import BufferedWriter, BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Headers, Response
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.crawl.connection import Connection, NameAnswer
from crawler.crawl.request_meta import AGAIN
from crawler.evidence.machine_state import TARGET
from crawler.evidence.warc_reading import FETCHED_AGAIN
from store.errors import Unavailable
from store.private_files import make_private, open_private
from store.records import WarcPlace

VERSION = "WARC/1.1"
_UNKNOWN = Connection()


class WarcArchive:
    """The files of one crawl: `name`-TIME-PROCESS-NUMBER.warc.gz, each closed once it is larger than `max_bytes`.

    May be written to by several threads. Raises `Unavailable` when the folder cannot be written to; a file that a full
    disk tore is cut back to its last whole record then, and the next response begins another.
    """

    def __init__(
        self, folder: Path, name: str, software: str, max_bytes: int, state: Callable[[], bytes] | None = None
    ) -> None:
        """state: of this machine, as each file begins with it (`crawler.evidence.machine_state`)."""
        self._folder = folder
        self._stem = f"{name}-{datetime.now(UTC):%Y%m%d%H%M%S}-{os.getpid()}"
        self._software = software
        self._max_bytes = max_bytes
        self._state = state
        self._lock = Lock()
        self._files = 0
        self._file: BufferedWriter | None = None

    def write(self, request: Request, response: Response, connection: Connection = _UNKNOWN) -> WarcPlace:
        """Append the three; they are with the operating system when this returns."""
        with self._lock:
            try:
                file = self._file or self._begin()
                with _whole_or_cut_back(file):
                    place = _write_exchange(file, request, response, connection)
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
        make_private(self._folder, ["*.warc.gz"])
        self._files += 1
        path = self._folder / f"{self._stem}-{self._files:05}.warc.gz"
        self._file = file = open_private(path)
        with _whole_or_cut_back(file):
            writer = WARCWriter(file, gzip=True, warc_version=VERSION)
            about = {"software": self._software, "format": "WARC File Format 1.1"}
            writer.write_record(writer.create_warcinfo_record(path.name, about))
            if self._state is not None:
                writer.write_record(_metadata(writer, TARGET, self._state(), "application/json"))
        return file

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
def _whole_or_cut_back(file: BufferedWriter) -> Iterator[None]:
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


def _write_exchange(file: BinaryIO, request: Request, response: Response, connection: Connection) -> WarcPlace:
    writer = WARCWriter(file, gzip=True, warc_version=VERSION)
    asked, answered = _pair(writer, request, response)
    place = WarcPlace(
        file=Path(file.name).name,
        offset=file.tell(),  # of the response, which goes before its request
        record_id=answered.rec_headers.get_header("WARC-Record-ID"),
    )
    writer.write_request_response_pair(asked, answered)
    for record in _of_connection(writer, request, response, connection):
        record.rec_headers.add_header("WARC-Concurrent-To", place.record_id)
        writer.write_record(record)
    return place


def _of_connection(writer: WARCWriter, request: Request, response: Response, connection: Connection) -> Iterator[Any]:
    if connection.chain:
        told = _certificates(response, connection.chain)
        yield _metadata(writer, request.url, told, "application/warc-fields")
    if connection.answer is not None:
        yield _name_answer(writer, connection.answer)


def _name_answer(writer: WARCWriter, answer: NameAnswer) -> Any:
    """The record that ISO 28500 has for the DNS: a resource of type text/dns."""
    content = answer.as_text()
    return writer.create_warc_record(
        answer.target,
        "resource",
        BytesIO(content),
        length=len(content),
        warc_content_type="text/dns",
        warc_headers_dict={"WARC-Date": warc_date(answer.at)},
    )


def warc_date(at: datetime) -> str:
    """As a record's head tells it: UTC, to the millisecond."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _metadata(writer: WARCWriter, url: str, content: bytes, kind: str) -> Any:
    return writer.create_warc_record(url, "metadata", BytesIO(content), length=len(content), warc_content_type=kind)


def _certificates(response: Response, chain: Sequence[str]) -> bytes:
    """Those that the server showed, in its order, each PEM on one line."""
    lines = (f"certificate: {pem.replace(chr(10), ' ').strip()}\r\n" for pem in chain)
    return f"address: {response.ip_address}\r\n{''.join(lines)}".encode()


class _AsSent(StatusAndHeaders):
    """Headers whose bytes are written as they are: warcio's own would escape what is not ASCII."""

    def __init__(self, first_line: bytes, headers: Headers, url: str | None = None) -> None:
        pairs = [(name, value) for name, values in headers.items() for value in values]
        if url and "Host" not in headers:
            pairs.insert(0, (b"Host", urlsplit(url).netloc.rpartition("@")[2].encode()))
        super().__init__("", [(name.decode("latin-1"), value.decode("latin-1")) for name, value in pairs])
        self._block = b"\r\n".join((first_line, *(name + b": " + value for name, value in pairs), b"", b""))

    def __bool__(self) -> bool:
        """True, also without a single header: warcio would look for them in the body then."""
        return True

    def compute_headers_buffer(self, header_filter: object = None) -> None:  # noqa: ARG002  warcio's signature
        self.headers_buff = self._block


def _pair(writer: WARCWriter, request: Request, response: Response) -> tuple[Any, Any]:
    """The two records; warcio adds dates, digests and the link between them."""
    parts = urlsplit(request.url)
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    asked = _AsSent(f"{request.method} {target} HTTP/1.1".encode(), request.headers, request.url)
    status = f"{response.protocol or 'HTTP/1.1'} {response.status} {_phrase(response.status)}".encode()
    about = {"WARC-IP-Address": str(response.ip_address)} if response.ip_address else {}
    cut = {"WARC-Truncated": "disconnect"} if "dataloss" in response.flags else {}
    again = {FETCHED_AGAIN: "true"} if request.meta.get(AGAIN) else {}
    return (
        writer.create_warc_record(request.url, "request", BytesIO(request.body), http_headers=asked),
        writer.create_warc_record(
            request.url,
            "response",
            BytesIO(response.body),
            http_headers=_AsSent(status, response.headers),
            warc_headers_dict=about | cut | again,
        ),
    )


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
