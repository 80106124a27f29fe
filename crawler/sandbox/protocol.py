"""Write and read the frames between parent and child: pickles behind their length."""

import io
import pickle
import struct
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from datetime import date, datetime, timedelta, timezone
from enum import Enum
from functools import lru_cache
from importlib import import_module
from typing import Any, BinaryIO

# The child has read foreign bytes and may be compromised. Its frames are unpickled only into values, records and
# messages of ours. Nothing else is called.


_LENGTH_PREFIX = struct.Struct(">Q")
_PLAIN_CLASSES = (date, datetime, timedelta, timezone)
# A child may name only these modules, which hold the results of our functions. Each name is exact, because unpickling a
# class imports its module.
_TRUSTED_MODULES = frozenset(
    {
        "crawler.archives.archived_page",
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
    """Not a frame, or one beyond the bound."""


def write_frame(file: BinaryIO, value: object, *, at_once: bool = True) -> None:
    """Write a value, and flush unless another follows soon."""
    body = pickle.dumps(value, protocol=5)
    file.write(_LENGTH_PREFIX.pack(len(body)))
    file.write(body)
    if at_once:
        file.flush()


def read_frame(read: Callable[[int], bytes], most: int) -> Any:
    """Return the next value. `read` returns the requested bytes, or fewer at the end.

    Raise EOFError if the other end is gone, `BadFrame` for more than `most` bytes or an untrusted value.
    """
    return _unpickle_frame(_read_exactly(read, _frame_size(_read_exactly(read, _LENGTH_PREFIX.size), most)))


def pop_frames(received: bytearray, most: int) -> Iterator[Any]:
    """Yield the complete values, and remove them from `received`. Raise `BadFrame` like `read_frame`."""
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
        return _find_trusted_class(module, name)


@lru_cache(maxsize=256)
def _find_trusted_class(module: str, name: str) -> type:
    """Return the class of this name. It is cached, because each frame of a reading names the same few."""
    named = getattr(import_module(module), name, None) if module in _TRUSTED_MODULES else None
    if isinstance(named, type) and (named in _PLAIN_CLASSES or _is_record_class(named)):
        return named
    raise pickle.UnpicklingError(f"{module}.{name}")


def _is_record_class(kind: type) -> bool:
    """Return whether a class only holds what it is given: records, messages and names."""
    return is_dataclass(kind) or issubclass(kind, Enum) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
