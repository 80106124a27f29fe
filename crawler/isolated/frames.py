"""What parent and child say to each other: pickles with their length before them.

The child has read foreign bytes, and may be anybody's: what comes from it is unpickled into values, records and
messages of ours, and nothing else is called.
"""

import io
import pickle
import struct
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from datetime import date, datetime, timedelta, timezone
from enum import Enum
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">Q")
_PLAIN = (date, datetime, timedelta, timezone)
_OURS = ("store.records.", "store.messages", "crawler.", "services.")


class BadFrame(Exception):
    """No frame, or more than was asked for."""


def put(file: BinaryIO, value: object, *, at_once: bool = True) -> None:
    """Write a value; `at_once`, or with the next that is."""
    body = pickle.dumps(value, protocol=5)
    file.write(_LENGTH.pack(len(body)))
    file.write(body)
    if at_once:
        file.flush()


def got(read: Callable[[int], bytes], most: int) -> Any:
    """The next value; EOFError where the other end has gone. read: so many bytes or, at the end, fewer.

    Raises `BadFrame` for one of more bytes than `most`, and for what is none of ours.
    """
    return _value(_exactly(read, _size(_exactly(read, _LENGTH.size), most)))


def taken(received: bytearray, most: int) -> Iterator[Any]:
    """The values that have come whole, taken out of what was received. Raises `BadFrame` as `got` does."""
    while len(received) >= _LENGTH.size:
        end = _LENGTH.size + _size(received[: _LENGTH.size], most)
        if len(received) < end:
            return
        body = bytes(received[_LENGTH.size : end])
        del received[:end]
        yield _value(body)


def _size(written: bytes | bytearray, most: int) -> int:
    size: int = _LENGTH.unpack(written)[0]
    if size > most:
        raise BadFrame(size)
    return size


def _value(body: bytes) -> Any:
    try:
        return _Values(io.BytesIO(body)).load()
    except Exception as error:
        raise BadFrame(type(error).__name__) from error


def _exactly(read: Callable[[int], bytes], size: int) -> bytes:
    body = read(size)
    if len(body) < size:
        raise EOFError
    return body


class _Values(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name) if module == "datetime" or module.startswith(_OURS) else None
        if found in _PLAIN or (isinstance(found, type) and _is_value(found)):
            return found
        raise pickle.UnpicklingError(f"{module}.{name}")


def _is_value(kind: type) -> bool:
    """Records, messages and names: classes that only hold what they are given."""
    return is_dataclass(kind) or issubclass(kind, Enum) or (issubclass(kind, tuple) and hasattr(kind, "_fields"))
