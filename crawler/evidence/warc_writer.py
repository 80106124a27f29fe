"""Every response as it came, in WARC files (ISO 28500, version 1.1) that any archive can read.

A response keeps its content encoding; the transfer encoding is taken off, as the standard's readers expect. What is
fetched once more because its crawler was not heard of any more says so in a field of our own, `WARC-Fetched-Again`: the
same page may stand in the archive twice.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from io import BufferedWriter
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from crawler.crawl.answered import Answered
from crawler.crawl.connection import NameAnswer
from crawler.evidence.machine_state import TARGET
from crawler.evidence.warc_read_back import FETCHED_AGAIN
from crawler.evidence.warc_records import FIELDS, REQUEST, RESPONSE, WarcRecord, new_id, now, warc_date
from store.errors import Unavailable
from store.private_files import make_private, open_private
from store.records import WarcPlace


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
            file.writelines(record.packed() for record in self._first(path.name))
        return file

    def _first(self, name: str) -> Iterator[WarcRecord]:
        about = f"software: {self._software}\r\nformat: WARC File Format 1.1\r\n".encode()
        yield WarcRecord("warcinfo", new_id(), now(), {"WARC-Filename": name}, FIELDS, about)
        if self._state is not None:
            yield WarcRecord(
                "metadata", new_id(), now(), {"WARC-Target-URI": TARGET}, "application/json", self._state()
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
    # The offset is that of the response, which goes before its request.
    place = WarcPlace(file=Path(file.name).name, offset=file.tell(), record_id=new_id())
    file.write(b"".join([record.packed() for record in _records(one, place.record_id)]))
    return place


def _records(one: Answered, id: str) -> Iterator[WarcRecord]:
    """The response, by this id, its request, and what belongs to both."""
    date, target, beside = now(), {"WARC-Target-URI": one.url}, {"WARC-Concurrent-To": id}
    about = {"WARC-IP-Address": one.address} if one.address else {}
    cut = {"WARC-Truncated": "disconnect"} if one.cut_short else {}
    again = {FETCHED_AGAIN: "true"} if one.again else {}
    yield WarcRecord("response", id, date, target | about | cut | again, RESPONSE, one.body, _head(one.answered))
    yield WarcRecord("request", new_id(), date, target | beside, REQUEST, one.question, _head(one.asked))
    if one.connection.chain:
        told = _certificates(one.address, one.connection.chain)
        yield WarcRecord("metadata", new_id(), date, target | beside, FIELDS, told)
    if one.connection.answer is not None:
        yield _name_answer(one.connection.answer, beside)


def _head(lines: Sequence[bytes]) -> bytes:
    return b"\r\n".join((*lines, b"", b""))


def _name_answer(answer: NameAnswer, beside: Mapping[str, str]) -> WarcRecord:
    """The record that ISO 28500 has for the DNS: a resource of type text/dns."""
    fields = {"WARC-Target-URI": answer.target, **beside}
    return WarcRecord("resource", new_id(), warc_date(answer.at), fields, "text/dns", answer.as_text())


def _certificates(address: str | None, chain: Sequence[str]) -> bytes:
    """Those that the server showed, in its order, each PEM on one line."""
    lines = (f"certificate: {pem.replace(chr(10), ' ').strip()}\r\n" for pem in chain)
    return f"address: {address}\r\n{''.join(lines)}".encode()
