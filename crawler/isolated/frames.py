"""What parent and child say to each other: pickles with their length before them.

The child has read foreign bytes, and may be anybody's: what comes from it is unpickled into values, records and
messages of ours, and nothing else is called.
"""

import io
import pickle
import struct
from collections.abc import Callable
from dataclasses import is_dataclass
from datetime import date, datetime, timedelta, timezone
from enum import Enum
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">Q")
_PLAIN = (date, datetime, timedelta, timezone)
_OURS = ("store.records.", "store.messages", "crawler.", "services.")


class BadFrame(Exception):
    """No frame, or more than was asked for."""


def put(file: BinaryIO, value: object) -> None:
    """Write a value."""
    body = pickle.dumps(value, protocol=5)
    file.write(_LENGTH.pack(len(body)))
    file.write(body)
    file.flush()


def got(read: Callable[[int], bytes], most: int) -> Any:
    """The next value; EOFError where the other end has gone. read: so many bytes or, at the end, fewer.

    Raises `BadFrame` for one of more bytes than `most`, and for what is none of ours.
    """
    size = _LENGTH.unpack(_exactly(read, _LENGTH.size))[0]
    if size > most:
        raise BadFrame(size)
    body = _exactly(read, size)
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
