"""Work that is taken up by one, tried again later, and done at some time: documents with `due` and `tries`."""

from datetime import datetime
from typing import TypeVar

from store.mongo.engine.codec import from_document, milliseconds
from store.mongo.engine.table import Table

R = TypeVar("R")


def has_due(table: Table, now: datetime) -> bool:
    """Whether one of them is to be done."""
    return table.one({"due": {"$lte": milliseconds(now)}}, fields={"_id": 1}) is not None


def claim(table: Table, record_type: type[R], now: datetime, until: datetime) -> R | None:
    """One that is due, with its try counted; nobody else gets it before `until`."""
    taken = {"$set": {"due": milliseconds(until)}, "$inc": {"tries": 1}}
    found = table.changed({"due": {"$lte": milliseconds(now)}}, taken)
    return None if found is None else from_document(record_type, found)
