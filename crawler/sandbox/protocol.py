"""Define the limits of one call in the sandbox, and the frames between parent and child."""

import io
import pickle
import resource
import signal
import struct
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from datetime import date, datetime, timedelta, timezone
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

MEBIBYTE = 1 << 20
_STATM_FILE = Path("/proc/self/statm")


class ReadingBounds(NamedTuple):  # it goes to the child with every question: no other form is packed as fast
    """Of one reading. seconds: of the processor's time; memory, output: mebibytes, the former beyond what the child
    itself takes, the latter of one result. patience: seconds without a result from which the child is held for hung;
    None: so many that a busy machine has given it its time.
    """

    seconds: float
    memory: int
    output: int
    patience: float | None = None

    @property
    def silence(self) -> float:
        """Seconds without a result that are waited for."""
        return 60 + 10 * self.seconds if self.patience is None else self.patience


def limit_process() -> None:
    """Once in the child: no core dumps, no files written."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def limit_reading(bounds: ReadingBounds) -> None:
    """From now on until `lift_limits`: the kernel ends the process at its limit of time, whatever it is doing."""
    taken, _ = _memory_bytes()
    limit = taken + bounds.memory * MEBIBYTE
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if taken and (hard == resource.RLIM_INFINITY or limit < hard):
        resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    signal.setitimer(signal.ITIMER_PROF, bounds.seconds)


def lift_limits() -> None:
    """The reading is over."""
    signal.setitimer(signal.ITIMER_PROF, 0)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def has_grown_beyond(mebibytes: int) -> bool:
    """Whether the process keeps more than that."""
    _, resident = _memory_bytes()
    return resident > mebibytes * MEBIBYTE


def _memory_bytes() -> tuple[int, int]:
    """Bytes of addresses and of memory that the process has; zeros where no /proc says so."""
    if not _STATM_FILE.exists():
        return 0, 0
    pages, resident, *_ = map(int, _STATM_FILE.read_text().split())
    return pages * resource.getpagesize(), resident * resource.getpagesize()


# What parent and child say to each other: pickles with their length before them.
#
# The child has read foreign bytes, and may be anybody's: what comes from it is unpickled into values, records and
# messages of ours, and nothing else is called.


_LENGTH_PREFIX = struct.Struct(">Q")
_PLAIN_CLASSES = (date, datetime, timedelta, timezone)
# A child may name these modules only: they hold what our functions return. Every name is exact, because to unpickle a
# class imports its module.
_TRUSTED_MODULES = frozenset(
    {
        "crawler.archives.archived_page",
        "crawler.archives.parquet",
        "crawler.capture",
        "crawler.extraction.model",
        "crawler.spiders.page_summary",
        "crawler.spiders.sitemaps_and_feeds",
        "crawler.spiders.soft_blocks",
        "datetime",
        "wenhen.evidence.timestamp_tokens",
        "wenhen.evidence.verification",
        "wenhen.kit.errors",
        "wenhen.notices.mail_parser",
        "wenhen.notices.model",
        "wenhen.sites.rdap",
        "wenhen.works.importers.drafts",
        "wenhen.works.model",
    }
)


class BadFrame(Exception):
    """No frame, or more than was asked for."""


def write_frame(file: BinaryIO, value: object, *, at_once: bool = True) -> None:
    """Write a value; `at_once`, or with the next that is."""
    body = pickle.dumps(value, protocol=5)
    file.write(_LENGTH_PREFIX.pack(len(body)))
    file.write(body)
    if at_once:
        file.flush()


def read_frame(read: Callable[[int], bytes], most: int) -> Any:
    """The next value; EOFError where the other end has gone. read: so many bytes or, at the end, fewer.

    Raises `BadFrame` for one of more bytes than `most`, and for what is none of ours.
    """
    return _unpickle_frame(_read_exactly(read, _frame_size(_read_exactly(read, _LENGTH_PREFIX.size), most)))


def pop_frames(received: bytearray, most: int) -> Iterator[Any]:
    """The values that have come whole, taken out of what was received. Raises `BadFrame` as `read_frame` does."""
    while len(received) >= _LENGTH_PREFIX.size:
        end = _LENGTH_PREFIX.size + _frame_size(received[: _LENGTH_PREFIX.size], most)
        if len(received) < end:
            return
        body = bytes(received[_LENGTH_PREFIX.size : end])
        del received[:end]
        yield _unpickle_frame(body)


def _frame_size(written: bytes | bytearray, most: int) -> int:
    size: int = _LENGTH_PREFIX.unpack(written)[0]
    if size > most:
        raise BadFrame(size)
    return size


def _unpickle_frame(body: bytes) -> Any:
    try:
        return _RecordUnpickler(io.BytesIO(body)).load()
    except Exception as error:
        raise BadFrame(type(error).__name__) from error


def _read_exactly(read: Callable[[int], bytes], size: int) -> bytes:
    body = read(size)
    if len(body) < size:
        raise EOFError
    return body


class _RecordUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name) if module in _TRUSTED_MODULES else None
        if found in _PLAIN_CLASSES or (isinstance(found, type) and _is_record_class(found)):
            return found
        raise pickle.UnpicklingError(f"{module}.{name}")


def _is_record_class(kind: type) -> bool:
    """Records, messages and names: classes that only hold what they are given."""
    return is_dataclass(kind) or issubclass(kind, Enum) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
