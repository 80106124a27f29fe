"""When a page is looked at again: sooner if it changed since the last look, later if it did not."""

from datetime import datetime, timedelta

from store.mongo.engine.codec import Document, milliseconds

DAY = 24.0  # hours
SOONEST, LATEST = 1.0, 14 * DAY  # hours between two looks at one page
CHANGED, SAME = 0.5, 1.5  # what the time between two looks is multiplied with
MILLISECONDS_AN_HOUR = 3_600_000


def first_look(at: datetime, hours: float) -> Document:
    """What is kept of a page that was seen for the first time."""
    return _look(at, hours)


def next_look(page: Document, at: datetime, *, changed: bool) -> Document:
    """The same for a page that is known, after a look at this time."""
    return _look(at, page.get("interval_hours", DAY) * (CHANGED if changed else SAME))


def later_look(at: datetime) -> Document:
    """The same as expressions for an update in place, of a page that was the same at this time."""
    hours: Document = {"$multiply": [{"$ifNull": ["$interval_hours", DAY]}, SAME]}
    hours = {"$min": [{"$max": [hours, SOONEST]}, LATEST]}
    return {
        "interval_hours": hours,
        "look_at": {"$add": [milliseconds(at), {"$multiply": [hours, MILLISECONDS_AN_HOUR]}]},
    }


def _look(at: datetime, hours: float) -> Document:
    hours = min(max(hours, SOONEST), LATEST)
    return {"interval_hours": hours, "look_at": milliseconds(at + timedelta(hours=hours))}
