"""Turns what pymongo raises into the product's tree of errors."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from bson.errors import BSONError
from pymongo.errors import (
    AutoReconnect,
    BulkWriteError,
    ConfigurationError,
    ConnectionFailure,
    DocumentTooLarge,
    ExecutionTimeout,
    OperationFailure,
    PyMongoError,
    WTimeoutError,
)

from store.errors import BadInput, Conflict, DiskFull, SetupError, TooLarge, Unavailable, WenhenError

DUPLICATE_KEY = {11000, 11001, 12582}
OUT_OF_DISK_SPACE = {14031}
TOO_LARGE = {10334, 17419, 17420}
LOGIN_REFUSED = {13, 18}
INVALID_DOCUMENT = {121}
# Exceeded time, write concern not met, shutting down, stepping down: another try may find the server well.
PASSING = {50, 64, 79, 89, 91, 100, 189, 262, 10107, 11600, 11602, 13435, 13436}


@contextmanager
def translated(address: str) -> Iterator[None]:
    """Raise the product's errors for those of the driver; an error that shows a bug of ours goes through unchanged."""
    try:
        yield
    except (PyMongoError, BSONError, UnicodeEncodeError, OverflowError) as error:
        ours = _ours(error, address)
        if ours is None:
            raise
        raise ours from error


def _ours(error: Exception, address: str) -> WenhenError | None:
    if isinstance(error, DocumentTooLarge):
        return TooLarge("server.mongo_large", error=_brief(error))
    if isinstance(error, BSONError | UnicodeEncodeError | OverflowError):
        return BadInput("server.mongo_value", error=_brief(error))
    if isinstance(error, ConfigurationError):
        return SetupError("server.mongo_address", error=_brief(error))
    if isinstance(error, OperationFailure):
        return _from_server(error, address)
    if isinstance(error, AutoReconnect | ConnectionFailure | ExecutionTimeout):
        return _unavailable(error, address)
    return None


def _from_server(error: OperationFailure, address: str) -> WenhenError | None:
    codes, text = _codes(error), _brief(error)
    ours: WenhenError | None = None
    if codes & OUT_OF_DISK_SPACE or "No space left" in str(error):
        ours = DiskFull("server.mongo_full", address=address, error=text)
    elif codes & DUPLICATE_KEY:
        ours = Conflict("server.mongo_has", address=address, error=text)
    elif codes & TOO_LARGE:
        ours = TooLarge("server.mongo_large", error=text)
    elif codes & INVALID_DOCUMENT:
        ours = BadInput("server.mongo_schema", error=text)
    elif codes & LOGIN_REFUSED:
        ours = SetupError("server.mongo_login", address=address, error=text)
    elif codes & PASSING or isinstance(error, WTimeoutError | ExecutionTimeout):
        ours = _unavailable(error, address)
    return ours


def duplicates(error: BulkWriteError) -> set[int] | None:
    """Return the places of the writes that failed, if all that went wrong was that what they write was there before."""
    failed = _parts(error, "writeErrors")
    if _parts(error, "writeConcernErrors") or any(one["code"] not in DUPLICATE_KEY for one in failed):
        return None
    return {one["index"] for one in failed}


def _unavailable(error: Exception, address: str) -> Unavailable:
    return Unavailable("server.mongo_silent", address=address, error=_brief(error))


def _codes(error: OperationFailure) -> set[int]:
    codes = set() if error.code is None else {error.code}
    if isinstance(error, BulkWriteError):
        codes |= {one["code"] for one in _parts(error, "writeErrors") + _parts(error, "writeConcernErrors")}
    return codes


def _parts(error: BulkWriteError, name: str) -> list[Mapping[str, Any]]:
    parts: list[Mapping[str, Any]] = (error.details or {}).get(name, [])
    return parts


def _brief(error: Exception) -> str:
    """Return one line: what the driver says before it goes on to its whole view of the servers."""
    text = str(error)
    for further in (" (configured timeouts:", ", full error:", ", Timeout:", ", Topology Description:"):
        text = text.split(further, maxsplit=1)[0]
    return " ".join(text.split())[:300].rstrip(".")
