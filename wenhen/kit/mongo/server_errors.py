"""Raise our errors for those of MongoDB's driver."""

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

from wenhen.kit.errors import BadInput, Conflict, DiskFull, SetupError, TooLarge, Unavailable, WenhenError

DUPLICATE_KEY_CODES = {11000, 11001, 12582}
DISK_FULL_CODES = {14031}
TOO_LARGE_CODES = {10334, 17419, 17420}
LOGIN_REFUSED_CODES = {13, 18}
INVALID_DOCUMENT_CODES = {121}
# Time limit, unmet write concern, shutdown, step-down: a retry may succeed.
TRANSIENT_CODES = {50, 64, 79, 89, 91, 100, 189, 262, 10107, 11600, 11602, 13435, 13436}


@contextmanager
def translate_errors(address: str) -> Iterator[None]:
    """Raise our errors for those of the driver. An error that shows a bug of ours passes unchanged."""
    try:
        yield
    except (PyMongoError, BSONError, UnicodeEncodeError, OverflowError) as error:
        translated = _to_our_error(error, address)
        if translated is None:
            raise
        raise translated from error


def _to_our_error(error: Exception, address: str) -> WenhenError | None:
    if isinstance(error, DocumentTooLarge):
        return TooLarge("server.mongo_large", error=_first_clause(error))
    if isinstance(error, BSONError | UnicodeEncodeError | OverflowError):
        return BadInput("server.mongo_value", error=_first_clause(error))
    if isinstance(error, ConfigurationError):
        return SetupError("server.mongo_address", error=_first_clause(error))
    if isinstance(error, OperationFailure):
        return _from_server_error(error, address)
    if isinstance(error, AutoReconnect | ConnectionFailure | ExecutionTimeout):
        return _unavailable(error, address)
    return None


def _from_server_error(error: OperationFailure, address: str) -> WenhenError | None:
    codes, text = _error_codes(error), _first_clause(error)
    translated: WenhenError | None = None
    if codes & DISK_FULL_CODES or "No space left" in str(error):
        translated = DiskFull("server.mongo_full", address=address, error=text)
    elif codes & DUPLICATE_KEY_CODES:
        translated = Conflict("server.mongo_has", address=address, error=text)
    elif codes & TOO_LARGE_CODES:
        translated = TooLarge("server.mongo_large", error=text)
    elif codes & INVALID_DOCUMENT_CODES:
        translated = BadInput("server.mongo_schema", error=text)
    elif codes & LOGIN_REFUSED_CODES:
        translated = SetupError("server.mongo_login", address=address, error=text)
    elif codes & TRANSIENT_CODES or isinstance(error, WTimeoutError | ExecutionTimeout):
        translated = _unavailable(error, address)
    return translated


def duplicate_positions(error: BulkWriteError) -> set[int] | None:
    """Return the indexes of the failed writes, or None if any failed for a reason other than a duplicate key."""
    failed = _error_parts(error, "writeErrors")
    if _error_parts(error, "writeConcernErrors") or any(part["code"] not in DUPLICATE_KEY_CODES for part in failed):
        return None
    return {part["index"] for part in failed}


def _unavailable(error: Exception, address: str) -> Unavailable:
    return Unavailable("server.mongo_silent", address=address, error=_first_clause(error))


def _error_codes(error: OperationFailure) -> set[int]:
    codes = set() if error.code is None else {error.code}
    if isinstance(error, BulkWriteError):
        codes |= {
            part["code"] for part in _error_parts(error, "writeErrors") + _error_parts(error, "writeConcernErrors")
        }
    return codes


def _error_parts(error: BulkWriteError, name: str) -> list[Mapping[str, Any]]:
    parts: list[Mapping[str, Any]] = (error.details or {}).get(name, [])
    return parts


def _first_clause(error: Exception) -> str:
    """Return the message of the driver in one line, without its description of the servers."""
    text = str(error)
    for further in (" (configured timeouts:", ", full error:", ", Timeout:", ", Topology Description:"):
        text = text.split(further, maxsplit=1)[0]
    return " ".join(text.split())[:300].rstrip(".")
