"""Whatever the driver raises reaches the rest of the product as one of its own errors, in one line."""

import pytest
from bson.errors import InvalidDocument
from pymongo.errors import (
    AutoReconnect,
    BulkWriteError,
    ConfigurationError,
    DocumentTooLarge,
    DuplicateKeyError,
    NetworkTimeout,
    NotPrimaryError,
    OperationFailure,
    PyMongoError,
    ServerSelectionTimeoutError,
    WriteError,
    WTimeoutError,
)

from wenhen.kit.errors import BadInput, Conflict, DiskFull, SetupError, TooLarge, Unavailable, WenhenError
from wenhen.kit.mongo.server_errors import translate_errors


def bulk(*codes: int) -> BulkWriteError:
    return BulkWriteError({"writeErrors": [{"code": code, "errmsg": "no"} for code in codes], "writeConcernErrors": []})


CASES: list[tuple[Exception, type[WenhenError]]] = [
    (ServerSelectionTimeoutError("refused, Timeout: 5s, Topology Description: <long>"), Unavailable),
    (AutoReconnect("connection closed"), Unavailable),
    (NetworkTimeout("timed out"), Unavailable),
    (NotPrimaryError("not primary"), Unavailable),
    (WTimeoutError("waiting for replication", 64), Unavailable),
    (OperationFailure("interrupted at shutdown", 11600), Unavailable),
    (BulkWriteError({"writeErrors": [], "writeConcernErrors": [{"code": 64, "errmsg": "late"}]}), Unavailable),
    (DuplicateKeyError("E11000", 11000), Conflict),
    (OperationFailure("E11000", 11000), Conflict),
    (bulk(11000), Conflict),
    (WriteError("available disk space is less than", 14031), DiskFull),
    (OperationFailure("WiredTiger: No space left on device", 8), DiskFull),
    (bulk(11000, 14031), DiskFull),
    (DocumentTooLarge("BSON document too large"), TooLarge),
    (WriteError("object to insert too large", 10334), TooLarge),
    (WriteError("Document failed validation", 121), BadInput),
    (InvalidDocument("cannot encode object"), BadInput),
    (UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"), BadInput),
    (OverflowError("MongoDB can only handle up to 8-byte ints"), BadInput),
    (OperationFailure("Authentication failed.", 18), SetupError),
    (ConfigurationError("unknown option"), SetupError),
]


@pytest.mark.parametrize(("raised", "expected"), CASES, ids=lambda one: getattr(one, "__name__", type(one).__name__))
def test_an_error_of_the_driver_becomes_ours(raised: Exception, expected: type[WenhenError]) -> None:
    with pytest.raises(expected) as caught, translate_errors("db.example:27017"):
        raise raised
    assert type(caught.value) is expected
    assert caught.value.__cause__ is raised
    assert "\n" not in str(caught.value)
    assert "Topology" not in str(caught.value)


@pytest.mark.parametrize("raised", [AutoReconnect("closed"), WriteError("full", 14031), DuplicateKeyError("x", 11000)])
def test_the_message_names_the_server(raised: Exception) -> None:
    with pytest.raises(WenhenError, match=r"db\.example:27017"), translate_errors("db.example:27017"):
        raise raised


@pytest.mark.parametrize("bug", [OperationFailure("unknown operator: $nor2", 2), PyMongoError("misuse"), KeyError("x")])
def test_an_error_that_shows_a_mistake_of_ours_is_not_disguised(bug: Exception) -> None:
    with pytest.raises(type(bug)) as caught, translate_errors("here"):
        raise bug
    assert caught.value is bug
