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
        return TooLarge(f"A record does not fit MongoDB's 16 MB: {_brief(error)}. Cut it into smaller parts.")
    if isinstance(error, BSONError | UnicodeEncodeError | OverflowError):
        return BadInput(f"A record holds a value that MongoDB cannot keep: {_brief(error)}. Mend the value.")
    if isinstance(error, ConfigurationError):
        return SetupError(f"The address of MongoDB cannot be used: {_brief(error)}. Check WENHEN_MONGO_URL.")
    if isinstance(error, OperationFailure):
        return _from_server(error, address)
    if isinstance(error, AutoReconnect | ConnectionFailure | ExecutionTimeout):
        return _unavailable(error, address)
    return None


def _from_server(error: OperationFailure, address: str) -> WenhenError | None:
    codes, text = _codes(error), _brief(error)
    ours: WenhenError | None = None
    if codes & OUT_OF_DISK_SPACE or "No space left" in str(error):
        ours = DiskFull(
            f"MongoDB at {address} has no room for a write: {text}. Free space on its disk, then try again."
        )
    elif codes & DUPLICATE_KEY:
        ours = Conflict(f"MongoDB at {address} has such a record already: {text}.")
    elif codes & TOO_LARGE:
        ours = TooLarge(f"A record does not fit MongoDB's 16 MB: {text}. Cut it into smaller parts.")
    elif codes & INVALID_DOCUMENT:
        ours = BadInput(f"A record does not fit its collection's schema: {text}.")
    elif codes & LOGIN_REFUSED:
        ours = SetupError(f"MongoDB at {address} refused the login: {text}. Check the user in WENHEN_MONGO_URL.")
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
    return Unavailable(
        f"MongoDB at {address} does not answer: {_brief(error)}. Start it, or check WENHEN_MONGO_URL, then try again."
    )


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
