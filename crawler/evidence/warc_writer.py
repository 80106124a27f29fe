"""Every response as it came, in WARC files (ISO 28500, version 1.1) that any archive can read.

A response keeps its content encoding; the transfer encoding is taken off, as the standard's readers expect. What is
fetched once more because its crawler was not heard of any more says so in a field of our own, `WARC-Fetched-Again`: the
same page may stand in the archive twice.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import BufferedWriter, BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from crawler.crawl.answered import Answered
from crawler.crawl.connection import NameAnswer
from crawler.evidence.machine_state import TARGET
from crawler.evidence.warc_reading import FETCHED_AGAIN
from store.errors import Unavailable
from store.private_files import make_private, open_private
from store.records import WarcPlace

VERSION = "WARC/1.1"


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
        """state: of this machine, as each file begins with it (`crawler.evidence.machine_state`); process: that of the
        crawler, where it is not this one.
        """
        self._folder = folder
        self._stem = f"{name}-{datetime.now(UTC):%Y%m%d%H%M%S}-{process or os.getpid()}"
        self._software = software
        self._max_bytes = max_bytes
        self._state = state
        self._lock = Lock()
        self._files = 0
        self._file: BufferedWriter | None = None

    def write_all(self, answers: Sequence[Answered]) -> list[WarcPlace | Exception]:
        """Append them; each is with the operating system when this returns, or there is the error that kept it out."""
        places: list[WarcPlace | Exception] = []
        for one in answers:
            try:
                places.append(self.write(one))
            except Exception as error:  # noqa: BLE001  raised where the answer came from
                places.append(error)
        return places

    def write(self, one: Answered) -> WarcPlace:
        """Append one."""
        with self._lock:
            try:
                file = self._file or self._begin()
                with _whole_or_cut_back(file):
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


def _write_exchange(file: BinaryIO, one: Answered) -> WarcPlace:
    writer = WARCWriter(file, gzip=True, warc_version=VERSION)
    asked, answered = _pair(writer, one)
    place = WarcPlace(
        file=Path(file.name).name,
        offset=file.tell(),  # of the response, which goes before its request
        record_id=answered.rec_headers.get_header("WARC-Record-ID"),
    )
    writer.write_request_response_pair(asked, answered)
    for record in _of_connection(writer, one):
        record.rec_headers.add_header("WARC-Concurrent-To", place.record_id)
        writer.write_record(record)
    return place


def _of_connection(writer: WARCWriter, one: Answered) -> Iterator[Any]:
    if one.connection.chain:
        told = _certificates(one.address, one.connection.chain)
        yield _metadata(writer, one.url, told, "application/warc-fields")
    if one.connection.answer is not None:
        yield _name_answer(writer, one.connection.answer)


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


def _certificates(address: str | None, chain: Sequence[str]) -> bytes:
    """Those that the server showed, in its order, each PEM on one line."""
    lines = (f"certificate: {pem.replace(chr(10), ' ').strip()}\r\n" for pem in chain)
    return f"address: {address}\r\n{''.join(lines)}".encode()


class _AsSent(StatusAndHeaders):
    """Headers whose bytes are written as they are: warcio's own would escape what is not ASCII."""

    def __init__(self, lines: Sequence[bytes]) -> None:
        pairs = (line.decode("latin-1").partition(": ") for line in lines[1:])
        super().__init__("", [(name, value) for name, _, value in pairs])
        self._block = b"\r\n".join((*lines, b"", b""))

    def __bool__(self) -> bool:
        """True, also without a single header: warcio would look for them in the body then."""
        return True

    def compute_headers_buffer(self, header_filter: object = None) -> None:  # noqa: ARG002  warcio's signature
        self.headers_buff = self._block


def _pair(writer: WARCWriter, one: Answered) -> tuple[Any, Any]:
    """The two records; warcio adds dates, digests and the link between them."""
    about = {"WARC-IP-Address": one.address} if one.address else {}
    cut = {"WARC-Truncated": "disconnect"} if one.cut_short else {}
    again = {FETCHED_AGAIN: "true"} if one.again else {}
    return (
        writer.create_warc_record(one.url, "request", BytesIO(one.question), http_headers=_AsSent(one.asked)),
        writer.create_warc_record(
            one.url,
            "response",
            BytesIO(one.body),
            http_headers=_AsSent(one.answered),
            warc_headers_dict=about | cut | again,
        ),
    )
