"""How MongoDB is asked for pages by what is known of them, and the indexes that answer it."""

import re
from typing import Final

from store.mongo.engine.codec import Document, milliseconds
from store.mongo.engine.table import Sort, index
from store.records import PageFilter

# When a page was first seen never changes: a page on its way through the steps touches none of these but by its title,
# its charset and another status.
SEARCHED: Final = (
    index("-first_seen", "_id"),
    index("host", "-first_seen", "_id"),
    index("charset", "-first_seen", "_id"),
    index("capture.status", "-first_seen", "_id"),
    index("title", "_id"),
)


def asked_for(wanted: PageFilter) -> Document:
    """Return the question."""
    seen = {"$gte": wanted.since, "$lt": wanted.until}
    first_seen = {how: milliseconds(moment) for how, moment in seen.items() if moment is not None}
    conditions: Document = {
        "host": wanted.host,
        "charset": wanted.charset,
        "capture.status": wanted.status,
        "title": None if wanted.title is None else {"$regex": _begins_with(wanted.title)},
        "first_seen": first_seen or None,
    }
    return {field: value for field, value in conditions.items() if value is not None}


def _begins_with(title: str) -> str:
    return "^" + re.escape(title).replace("\0", "x00")  # the sign itself is refused in a pattern


def order_of(wanted: PageFilter) -> Sort:
    """Return the order in which an index gives them: a list of titles that begin alike is not sorted by time."""
    return [("first_seen", -1), ("_id", 1)] if wanted.title is None else [("title", 1), ("_id", 1)]
